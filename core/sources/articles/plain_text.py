"""Plain text: one paragraph per line, or wrapped lines between blank lines."""

import re
from dataclasses import replace
from itertools import pairwise

from core.i18n import tr
from core.sources.articles.article import Block, ParsedSource
from core.sources.articles.identifiers import identifier_in_stamp

_CAPTION = re.compile(
    r"^(?:(?:Figure|Fig\.|Table|Tab\.|Algorithm)\s*\w{1,4}[.:|]|[图表]\s*\d+)", re.I
)
_NUMBERED = re.compile(
    r"^(?:\d{1,2}(?:\.\d{1,2}){0,3}\.?|[IVX]{1,5}\.|[A-Z]\.)\s+(?=\S)"
    r"|^(?:第[一二三四五六七八九十\d]+[章节]|[一二三四五六七八九十]+、)\s*(?=\S)"
)
_HASHES = re.compile(r"^(#{1,6})\s+")
_KNOWN = re.compile(
    r"^(?:abstract|summary|introduction|background|related work|methods?|materials and methods|"
    r"results?|discussion|conclusions?|acknowledge?ments?|references|bibliography|appendix|"
    r"摘要|引言|前言|背景|方法|结果|讨论|结论|总结|致谢|参考文献|附录)\s*[:：]?$",
    re.IGNORECASE,
)
_REFERENCES = re.compile(
    r"^(?:references|bibliography|literature cited|bibliographie|références"
    r"|literatur(?:verzeichnis)?|referencias|参考文献)$",
    re.IGNORECASE,
)
_OF_A_SERIES = re.compile(r"(?:ISSN|ISBN|DOI|https?:|www\.)", re.IGNORECASE)
_SENTENCE_END = ".?!。？！;；,，:：…"
_CLOSED = re.compile(rf"[{_SENTENCE_END}][\"'”’»)\]）」]*$")
_SIGNS = re.compile(r"[=+*^_\\{}|<>∑∫√≤≥≈∂]|\b\d+\b")
_ITEM = re.compile(r"^(?:[-*•‣–]|\(?[a-z0-9]{1,2}\))\s+")
_QUOTED = re.compile(r"^>[>\s]*")
_WORD = re.compile(r"[^\W\d_]{2,}")
_PAGE = "\f"
_GAP = re.compile(r"\S {3,}(?=\S)")
"""Between two columns that stand in one line."""
_LONG, _PROSE = 100_000, 100
"""Characters from which a text with fewer words than one in a hundred characters is a table."""
_HEADING_LENGTH = 80
_TITLE_LENGTH = 200


def read_plain_text(text: str) -> ParsedSource:
    """Paragraphs with headings, captions, formulas, lists and references told apart by their look.

    The title is the first line when it looks like one and is not a usual section name. A long file
    of numbers or of sequences is one table. What a program took from the pages of a PDF is less
    sure, and what stands in columns beside each other is not.
    """
    if len(text) > _LONG and len(_WORD.findall(text)) * _PROSE < len(text):
        return ParsedSource("", (Block(text, "table"),))
    pages = text.count(_PAGE)
    lines = paragraphs_of(text.replace(_PAGE, "\n\n") if pages else text)
    blocks: list[Block] = []
    title = ""
    in_references = goes_on = False
    if _starts_with_title(lines):
        title, *lines = lines
    for index, line in enumerate(lines):
        following = lines[index + 1] if index + 1 < len(lines) else ""
        block = _block(line, following)
        if block.kind == "heading":
            in_references = bool(_REFERENCES.match(block.text))
        elif in_references and block.kind == "text":
            block = Block(block.text, "reference")
        elif block.kind == "text":
            # between the two a page ends, or a table stands
            beside = len(_GAP.findall(line)) > (0 if pages else 1)
            block = replace(block, sure=False) if goes_on or beside else block
            goes_on = len(block.text) > _HEADING_LENGTH and not _CLOSED.search(block.text)
        blocks.append(block)
    identifier, version = identifier_in_stamp(text[:2000])
    note = tr("It is the text of a PDF, which is less sure than its source.")
    return ParsedSource(
        title,
        tuple(blocks),
        article_id=identifier,
        version=version,
        notes=(note,) if pages > 1 else (),
        strict=pages > 1,
    )


def paragraphs_of(text: str) -> list[str]:
    """The text's paragraphs in order, each in one line.

    Lines are joined up to a blank line where the text looks wrapped: where most lines that another
    line follows directly are about as long as the longest ones.
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n").strip()
    lines = [line.strip() for line in text.split("\n")]
    if not _wrapped(lines):
        return [line for line in lines if line]
    paragraphs: list[list[str]] = [[]]
    for line in lines:
        if not line:
            paragraphs.append([])
        elif paragraphs[-1] and (
            _HASHES.match(line)
            or _ITEM.match(line)
            or _HASHES.match(paragraphs[-1][0])
            or bool(_QUOTED.match(line)) != bool(_QUOTED.match(paragraphs[-1][0]))
        ):
            paragraphs.append([line])
        else:
            paragraphs[-1].append(line)
    # the line break survives until ``normalise``, which knows that Chinese has no spaces
    return [re.sub(r"(?<=\w)-\n(?=[a-z])", "-", "\n".join(p)) for p in paragraphs if p]


def _wrapped(lines: list[str]) -> bool:
    followed = [len(a) for a, b in pairwise(lines) if a and b]
    if len(followed) < 3 or not any(not line for line in lines):
        return False
    followed.sort()
    usual = followed[len(followed) * 3 // 4]
    near = sum(1 for length in followed if length >= usual * 0.6)
    return usual <= 140 and near * 10 >= len(followed) * 6


def _block(line: str, following: str) -> Block:
    if hashes := _HASHES.match(line):
        return Block(line[hashes.end() :].rstrip("# "), "heading", len(hashes[1]))
    if _QUOTED.match(line):
        return Block(" ".join(_QUOTED.sub("", part) for part in line.split("\n")), "quote")
    if _CAPTION.match(line):
        return Block(line, "caption")
    if _ITEM.match(line):
        return Block(line, "list")
    if _is_heading(line, following):
        number = _NUMBERED.match(line)
        level = 1 + (number[0].strip(" .").count(".") if number else 0)
        return Block(line[number.end() :] if number else line, "heading", level)
    if len(line) < 400 and len(_SIGNS.findall(line)) * 4 > len(re.findall(r"\w{3,}", line)) * 3 + 4:
        return Block(line, "formula")
    return Block(line)


def _starts_with_title(lines: list[str]) -> bool:
    """A first line without a full stop, before a heading or before a much longer line."""
    first, second, third = [*lines, "", "", ""][:3]
    if not second or len(first) > _TITLE_LENGTH or first[-1] in _SENTENCE_END:
        return False
    if _OF_A_SERIES.match(first):
        return False
    if first[0].islower() or _HASHES.match(first) or _KNOWN.match(first) or _NUMBERED.match(first):
        return False
    return _is_heading(first, second) or _is_heading(second, third)


def _is_heading(line: str, following: str) -> bool:
    if _KNOWN.match(line):
        return True
    if len(line) > _HEADING_LENGTH or "\n" in line or line[-1] in _SENTENCE_END:
        return False
    if len(following) < 2 * len(line) or len(following) < 60 or len(line) < 2:
        return False
    first = line[0]
    named = first.isupper() or first.isdigit() or "\u4e00" <= first <= "\u9fff"
    return named and len(_SIGNS.findall(line)) <= 2 and len(line.split()) <= 14
