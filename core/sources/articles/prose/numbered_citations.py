"""Articles that cite by numbers: raised, between parentheses, or in brackets behind a stop.

A number is taken for a citation only where the whole article shows that it cites so: a raised 2 may
be an exponent, and (3) a formula or a count. What stays unsure makes its paragraph doubtful.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from core.sources.articles.article import Block
from core.sources.articles.prose.citations import citation_mark, has_marks, loss_mark

_DIGITS = "⁰¹²³⁴⁵⁶⁷⁸⁹"
_PLAIN = str.maketrans(_DIGITS, "0123456789")
_RAISED_RUN = rf"[{_DIGITS}]+(?:\s?[,–⁻-]\s?[{_DIGITS}]+)*"
_RAISED = re.compile(
    rf"(?P<word>[A-Za-zÀ-ɏ]{{3,}}\d?[.,;:]?|[A-Za-zÀ-ɏ][’”\"')][.,;]?|[’”\"'][.,;]?)"
    rf"(?:(?P<raised>{_RAISED_RUN})|\^\{{(?P<listed>\d[\d,–\s−-]*)\}})(?![\w⁺⁻])"
)
_RAISED_LEFT = re.compile(rf"(?<![1xe×\s·][0x])(?<=\d)[{_DIGITS}]")
_UNITS = frozenset(
    {"arcsec", "arcmin", "pixel", "pixels", "degree", "degrees", "deg", "metre", "metres", "meter",
     "meters", "sec", "min", "kpc", "mpc", "gpc", "log", "sin", "cos", "tan", "exp", "mol", "erg",
     "rad", "cell", "cells"}
)  # fmt: skip
_LISTED = r"\d{1,3}(?:\s*[,;–-]\s*\d{1,3})*"
_IN_PARENTHESES = re.compile(rf"(?<=[\w)”’%.]) \(({_LISTED})\)")
_NAMES_A_FORMULA = re.compile(
    r"\b(?:eqs?|equations?|relations?|inequalit\w+|formulas?|formulae|expressions?|systems?"
    r"|constraints?|problems?|models?|steps?|items?|and|or|to|in|by|from|of|with|using|are|is)\W*$",
    re.IGNORECASE,
)
_GOES_ON = re.compile(r"\s*(?:[.,;:)?!]|$)")
_BEHIND_A_STOP = re.compile(
    rf"(?<=[\w)”’%][.,;:”’)])\[{_LISTED}\](?=\s|$)|(?<=[a-z]['\"”’])\[{_LISTED}\](?=[\s.,;])"
)
_IN_CHINESE = re.compile(
    r"(?P<noun>文献|参考|参见|见|如|由|据)?(?<=[\u4e00-\u9fff\d”）%])(?<![到至间组])"
    r"\[\d{1,3}(?:\s?[,，、–-]\s?\d{1,3})*\](?=[，。；、：）\u4e00-\u9fff])(?![到至之])"
)
_TOUCHING = re.compile(rf"(?<=[a-z]{{4}})\(({_LISTED})\)(?=[\s.,;])")
_FEWEST_RAISED, _FEWEST_LISTED = 4, 8
_DENSE = 0.5


def without_numbers(blocks: Sequence[Block]) -> Iterator[Block]:
    """The blocks; in running text the numbers of references are gone or marked as citations."""
    texts = [block.text for block in blocks if block.kind == "text"]
    raised = _cites_raised(texts)
    listed = not any(map(has_marks, texts)) and _cites_in_parentheses(texts)
    for block in blocks:
        if block.kind != "text":
            yield block
            continue
        text = _BEHIND_A_STOP.sub("", block.text) if "[" in block.text else block.text
        if "[" in text:
            text = _IN_CHINESE.sub(_without_chinese, text)
        if "(" in text:
            text = _TOUCHING.sub(lambda _: citation_mark("parenthetical"), text)
        if raised:
            text = _RAISED.sub(_without_raised, text)
            text = text + loss_mark() if _RAISED_LEFT.search(text) else text
        if listed:
            text = _IN_PARENTHESES.sub(_as_citation, text)
        yield block if text == block.text else replace(block, text=text)


def _numbers(text: str) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", text.translate(_PLAIN))]


def _cites_raised(texts: Sequence[str]) -> bool:
    """Whether raised numbers behind words are as many and as high as no exponents are."""
    found = {
        number
        for text in texts
        for match in _RAISED.finditer(text)
        if match["word"].lower() not in _UNITS
        for number in _numbers(match["raised"] or match["listed"])
    }
    return len(found) >= _FEWEST_RAISED and sum(number > 3 for number in found) >= 3


def _without_raised(match: re.Match[str]) -> str:
    return match[0] if match["word"].lower() in _UNITS else match["word"]


def _without_chinese(match: re.Match[str]) -> str:
    """Nothing for a number in brackets, unless the sentence names it as a word."""
    return match["noun"] + loss_mark() if match["noun"] else ""


def _cites_in_parentheses(texts: Sequence[str]) -> bool:
    """Whether numbers between parentheses at the ends of clauses run from low to high."""
    found: set[int] = set()
    for text in texts:
        for match in _IN_PARENTHESES.finditer(text):
            before = text[max(0, match.start() - 30) : match.start()]
            if _GOES_ON.match(text, match.end()) and not _NAMES_A_FORMULA.search(before):
                found.update(_numbers(match[1]))
    return len(found) >= _FEWEST_LISTED and len(found) >= _DENSE * max(found)


def _as_citation(match: re.Match[str]) -> str:
    text = match.string
    before = text[max(0, match.start() - 30) : match.start()]
    if re.search(r"\bet\.? al\.?$", before) or _GOES_ON.match(text, match.end()):
        return f" {citation_mark('parenthetical')}"
    return match[0] + loss_mark()
