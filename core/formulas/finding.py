"""Where formulas stand in a text: ``$…$``, ``$$…$$``, ``\\(…\\)``, ``\\[…\\]``, environments."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

LONGEST = 1500
"""Characters of a formula beyond which it stays as it was written."""

_ENVIRONMENTS = "equation|align|gather|multline|displaymath|math|eqnarray"
_FORMULA = re.compile(
    rf"""
    (?<!\\)(?:
      \$\$ (?P<dollars>[^$]{{1,{LONGEST}}}?) \$\$
    | \$ (?![\s$]) (?P<inline>(?:\\.|[^$\\]){{1,{LONGEST}}}?) (?<!\s)\$ (?![A-Za-z0-9$])
    | \\\( (?P<round>.{{1,{LONGEST}}}?) \\\)
    | \\\[ (?P<square>.{{1,{LONGEST}}}?) \\\]
    | (?P<environment>\\begin\{{(?P<name>(?:{_ENVIRONMENTS})\*?)\}}
        .{{1,{LONGEST}}}? \\end\{{(?P=name)\}})
    )""",
    re.VERBOSE | re.DOTALL,
)
_SIGNS = re.compile(r"[\\^_{}=<>+*/|\u2200-\u22ff]")
_LETTERS = re.compile(r"[A-Za-z0-9]'*(?:\s*,\s*[A-Za-z0-9]'*)*|[A-Za-z]'*(?:\s+[A-Za-z]'*)+")


@dataclass(frozen=True, slots=True)
class Formula:
    """A formula as it stands in a text.

    ``source`` is the text with its delimiters, ``tex`` what stands between them; ``display`` says
    that it was written to stand on a line of its own.
    """

    source: str
    tex: str
    display: bool


def pieces(text: str) -> Iterator[str | Formula]:
    """A text cut into plain text and formulas, in reading order; joined they are the text.

    A sum of money is none: as in pandoc, ``$`` opens only before a character that is not a space
    and closes only behind one, not before a letter or digit; and between single ones there must
    stand a sign of mathematics, letters one by one, or a word without spaces.
    """
    if "$" not in text and "\\" not in text:
        if text:
            yield text
        return
    position = 0
    for match in _FORMULA.finditer(text):
        formula = _formula(match)
        if formula is None:
            continue
        if match.start() > position:
            yield text[position : match.start()]
        yield formula
        position = match.end()
    if position < len(text):
        yield text[position:]


def _formula(match: re.Match[str]) -> Formula | None:
    source = match.group()
    if "\n\n" in source:
        return None
    groups = match.groupdict()
    if groups["environment"]:
        return Formula(source, source, groups["name"] != "math")
    inline = groups["inline"]
    if inline is not None and not _looks_mathematical(inline):
        return None
    tex = next(t for t in (groups["dollars"], inline, groups["round"], groups["square"]) if t)
    return Formula(source, tex.strip(), groups["dollars"] is not None or bool(groups["square"]))


def _looks_mathematical(tex: str) -> bool:
    return bool(_SIGNS.search(tex) or _LETTERS.fullmatch(tex)) or not re.search(r"\s", tex)
