"""A counter of visible damage in the texts of items: run it over any item file.

``python -m tests.text_damage FILE.jsonl`` names each damaged item and ends with the share. Its
patterns are made from what was seen in texts, apart from those that the program itself looks for.
"""

import json
import re
import sys
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import Any

KINDS: dict[str, str] = {
    "comma after comma": r",\s*,",
    "comma before stop": r",\s*\.(?!\.)",
    "empty parentheses": r"\(\s*\)",
    "empty brackets": r"(?<![\w)])\[\s*\]",
    "comma opens parentheses": r"\(\s*,",
    "semicolon closes parentheses": r"[;,]\s*\)",
    "space before comma": r"\w\s+,\s",
    "space before stop": r"[a-z]\s+\.(?:\s+[A-Z]|$)",
    "see nothing": r"\bsee(?: also)?\s*[.;)]",
    "e.g. nothing": r"\b(?:e\.g\.|i\.e\.|cf\.),?\s*[;)]",
    "preposition before a stop": r"\b(?:of|the|and|than|between|per|via)\s*\.(?:\s|$)",
    "verb without object": r"\bfollows,\s+it\b",
    r"chapter without number": r"\(,?\s*(?:Ch|Sec|Fig|p)\.\s*\)",
    r"figure without number": r"\b(?:Figures?|Tables?|Sections?|Equations?|Figs?\."
    r"|Eqs?\.)\s*(?:[,;)]|and\b|shows?\b)",
    "bare reference": r"\[(?:ref|REF|cite|\?+)\]|\?\?",
    "citation command": r"\\?\b(?:citep|citet|citealp|parencite|textcite|autocite)\b",
    "citation key": r"\b[a-z]{4,}(?:19|20)\d\d[a-z]{0,12}\b|@[a-z]+[:_]?(?:19|20)\d\d",
    "label": r"\b(?:fig|sec|eq|tab|eqn|thm|lem|app):\w",
    "command outside maths": r"\\[A-Za-z]{2,}",
    "braces outside maths": r"[{}]",
    "unclosed dollar": r"^[^$]*\$[^$\d]*$",
    "quotes of LaTeX": r"``|''",
    "tilde of LaTeX": r"[A-Za-z]~[A-Za-z\\(]",
    "dashes of LaTeX": r"[A-Za-z](?:\s?---?\s|---?)[A-Za-z]",
    "tag": r"</?(?:p|div|span|sub|sup|em|i|b|a|br|cite|math)\b[^>]*>",
    "entity": r"&(?:amp|nbsp|lt|gt|quot|#\d+);",
    "mojibake": r"Ã[\x80-\xbf©¨¼¶¤]|â€.|\ufffd",
    "invisible character": r"[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff\ue000-\uf8ff]",
    "glued sentence": r"[a-z]{3}\.[A-Z][a-z]{2}",
    "glued word": r"\b(?:astropy|numpy|emcee|celerite|scipy)(?:package|project|is|and|the)\b",
    "hyphen of a line end": r"[a-z]{2,}-\s[a-z]{3,}(?<!or)(?<!and)(?<!to)\b",
    "doubled article": r"\b(?i:the the|of of|a a|an an|is is|in in|to to|and and)\s",
    "thanks": r"\b(?:[Ww]e|authors?) (?:thank|gratefully acknowledge|acknowledge)\b",
    "grant": r"\b(?:grant|contract) (?:no\.?|number|#|agreement)\s*\w*\d",
    "affiliation": r"\bDepartment of [A-Z]\w+.{0,60}University\b",
    "e-mail": r"\b[\w.+-]+@[\w-]+\.[a-z]{2,}\b",
    "biography": r"\breceived (?:his|her|the|a) (?:Ph\.?D|B\.?S|M\.?S|B\.?A)",
    "contributions": r"\b(?:conceived|designed) the (?:study|experiment|research)\b"
    "|\bconflicts? of interest\b",
    "letter to a referee": r"\b(?:Reviewer|Referee) ?#?\d\b|\bDear (?:Dr|Editor)",
    "power flattened": r"\b10(?:[2-9]\d|1\d\d)\s+(?:solar|years|particles|cm|erg|yr)\b",
    "note to oneself": r"\b(?:TODO|FIXME|XXX|TBD)\b|[Ll]orem ipsum",
    "heading marks": r"(?m:^#{1,6} )|\*\*",
    "row of a table": r"\s\|\s.*\s\|\s|\s&\s(?![A-Z]).*\s&\s",
    "hyphen without a space": r"\b[a-z]+-(?:and|or) [a-z]+-[a-z]+",
    "sentence begun without a stop": r"[a-z] (?:However|Therefore|Moreover"
    r"|Furthermore|Hence), [a-z]",
    "remarks of a supervisor": r"答辩委员会|论文(?:写作|撰写|书写)[^。]{0,6}(?:规范|条理)",
    "author twice": r"\b([A-Z]\w{2,30})(?: et al\.?| and [A-Z]\w{2,30})? \(?\1"
    r"(?: et al\.?| and [A-Z]\w{2,30})?,? \(?(?:19|20)\d\d",
    "author before a verb in parentheses": r"[,.] \([A-Z][\w .&-]{2,40}, (?:19|20)\d\d\)"
    r" (?:has|was|is|shows?|showed|proposed|reports?|reported|presented)\b(?! (?:by|in)\b)",
    "number of a reference": r"(?<=[a-z.,]) \[(?!0\b)\d{1,3}(?:[,–-]\s*\d{1,3}){0,9}\](?=[\s.,;])",
    "place for a number": r"\bXX+\b(?! chromosom)|\[[A-Z ]*(?:CITATION|REF)[A-Z ]*\]",
    "sentence without a stop": r"[a-z]{3}(?<!\band) (?:We|This|These|Our|However) [a-z]+ ",
    "word cut in two": r"\b(?:w e|t he|o f|w ith|t his|t hat|a nd|h ave)\b",
    "word of two cases": r"\b[A-Z]{2,5}(?:but|and|the|with|from|that|which|were|was|are|mission)\b",
    "licence": r"\bCreative Commons\b|\b[Aa]ll rights reserved\b|\blicensors?\b|\bhereby granted\b",
    "guide for authors": r"\b[Cc]amera[- ]ready\b|\b(?:class|style) file\b"
    r"|\b[Aa]uthor (?:guidelines|charges)\b|\bdocument ?class\b",
    "report of a referee": r"\b[Mm]inor (?:comments|remarks)\b|\b[Oo]verall evaluation\b|\bsuitable"
    r" for publication\b",
    "raised number of a reference": r"[a-z]{3}[.,]?[⁰¹²³⁴⁵⁶⁷⁸⁹]{2}(?![⁺⁻])"
    r"|[a-z][.,][¹²³⁴⁵⁶⁷⁸⁹](?=\s|$)",
    "number of a reference behind a stop": r"[a-z][.,;]\[\d{1,3}[\d,–-]*\]",
    "citation that left nothing": r"\b[Ss]ee for an? \w|\bAs (?:has|have) (?:observed|shown),",
    "quoted line": r"(?:^|[.?!] )> \S",
    "entry of a bibliography": r"\. (?:19|20)\d\d\. [“\"]|\d \(\d+\): \d+[–-]\d+\.",
    "unclosed parenthesis": r"\([^()]*$",
}
SEEN_IN_PAPERS = (
    "The formulation follows, it was adapted for short series.",
    "The posterior is explored with \\citep[][]{foreman2013} chains.",
    "The astropypackage\u200b is used for all of this.",
    "The methods,, were adapted for short series.",
    "As in (, Ch. 6) the kernel is a sum.",
    "We follow the notation of \\nabla\\rf throughout.",
    "It was kept as in foreman2013emcee for all chains.",
    "This is seen in [ref] and in [ref] and elsewhere.",
    "See section sec:methods for the rest of this.",
    "La zona sur tuvo una proporción mayor que la zona norte (cita).",
    "Author contributions: A.B. conceived the study and wrote the paper.",
)
"""Damage of the kinds that were read in items made of real papers, in our own words."""
_A_WORD = re.compile(r"[^\W\d_\u4e00-\u9fff]+|[\u4e00-\u9fff]")
_BETWEEN_SENTENCES = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])|\n+")
_FEWEST_WORDS, _SHARED_WORDS = 10, 0.8
"""Different words of a sentence, and the share of those of both that are in both."""
_PATTERNS = {name: re.compile(pattern) for name, pattern in KINDS.items()}
_MATHS = re.compile(r"\$[^$]*\$")
_IN_MATHS = frozenset({"unclosed dollar"})


def damage_in(text: str) -> list[str]:
    """The kinds of damage that a text shows; formulas between dollars are left out of sight."""
    prose = _MATHS.sub("x", text)
    return [name for name, pattern in _PATTERNS.items() if pattern.search(prose)]


def texts_of(payload: dict[str, Any]) -> Iterator[str]:
    """Every text of an item's payload; an order such as ``CABD`` is none."""
    for value in payload.values():
        for text in value if isinstance(value, list) else [value]:
            if isinstance(text, str) and len(text) > 30:
                yield text.replace("<|MaskedSetence|>", "X")


def versions_in(payload: dict[str, Any]) -> list[tuple[str, str]]:
    """Pairs of sentences of one item that say the same in nearly the same words, yet are not equal.

    An author who rewrote a sentence kept both. Sentences that are built alike about two things
    (*any given node*, *any given edge*) share fewer words.
    """
    sentences = [
        (sentence, frozenset(_A_WORD.findall(sentence.casefold())))
        for text in texts_of(payload)
        for sentence in _BETWEEN_SENTENCES.split(text)
    ]
    long = [(sentence, words) for sentence, words in sentences if len(words) >= _FEWEST_WORDS]
    return [
        (one, other)
        for (one, own), (other, their) in combinations(long, 2)
        if one != other and len(own & their) >= _SHARED_WORDS * len(own | their)
    ]


def main() -> None:
    """Count over the item files of the command line."""
    damaged = total = 0
    for name in sys.argv[1:]:
        for number, line in enumerate(Path(name).read_text(encoding="utf-8").splitlines(), 1):
            row = json.loads(line)
            payload = row.get("payload", row)
            signs = {s: t for t in texts_of(payload) for s in damage_in(t)}
            signs.update(("said in two versions", " / ".join(p)) for p in versions_in(payload))
            total += 1
            damaged += bool(signs)
            for sign, text in signs.items():
                sys.stdout.write(f"{name}:{number}: {sign}: {text[:160]}\n")
    share = damaged / max(total, 1)
    sys.stdout.write(f"{damaged} of {total} items are damaged ({share:.1%})\n")


if __name__ == "__main__":
    main()
