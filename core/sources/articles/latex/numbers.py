"""What ``\\ref`` prints: numbers of sections, figures, tables, equations and theorems."""

import re
from types import MappingProxyType

from core.sources.articles.latex.commands import FORMULAS, HEADINGS, WORDED

_STEP = re.compile(
    r"\\(?P<heading>part|chapter|section|subsection|subsubsection)(?P<star>\*?)\s*[\[{]"
    r"|\\begin\s*\{(?P<env>[a-zA-Z]+)(?P<starred>\*?)\}|\\end\s*\{(?P<end>[a-zA-Z]+)\*?\}"
    r"|\\label\s*\{(?P<label>[^{}]*)\}|(?P<appendix>\\appendix)(?![a-z])"
    r"|(?P<row>\\\\)|(?P<unnumbered>\\(?:nonumber|notag))(?![a-z])"
)
_AROUND = frozenset(
    {"document", "abstract", "center", "minipage", "multicols", "appendices", "appendix", "small",
     "spacing", "flushleft", "flushright", "linenumbers", "sloppypar", "quote", "landscape",
     "adjustwidth", "frontmatter", "refsection", "CJK", "split", "aligned", "cases", "tabular",
     "subequations", "doublespace", "singlespace", "onehalfspace", "strip", "widetext"}
)  # fmt: skip
"""Environments without a number of their own: a label in them names what is around."""
_MANY_ROWS = frozenset({"align", "eqnarray", "gather", "flalign", "alignat"})

WORDS = MappingProxyType(
    {"section": "Section", "equation": "Equation", "figure": "Figure", "table": "Table"}
    | dict(WORDED)
)


def numbered_labels(text: str) -> dict[str, tuple[str, str]]:
    """``{"fig:map": ("Figure", "3")}`` for every label; numbers as LaTeX's article class gives."""
    return _Numbering().run(text)


class _Numbering:
    def __init__(self) -> None:
        self.labels: dict[str, tuple[str, str]] = {}
        self.counts: dict[str, int] = {}
        self.section: list[int] = []
        self.letters = False
        self.open: list[tuple[str, str]] = []

    def run(self, text: str) -> dict[str, tuple[str, str]]:
        for match in _STEP.finditer(text):
            if match["heading"]:
                self._heading(match["heading"], bool(match["star"]))
            elif match["env"]:
                self._begin(match["env"], bool(match["starred"]))
            elif match["end"]:
                self._end(match["end"])
            elif match["label"] is not None:
                kind, number = self.open[-1] if self.open else ("section", self._section_number())
                word = "Equation" if kind in FORMULAS else WORDS.get(kind, kind.capitalize())
                self.labels.setdefault(match["label"].strip(), (word, number))
            elif match["appendix"]:
                self.letters, self.section = True, []
            elif match["row"]:
                self._row()
        return self.labels

    def _heading(self, name: str, starred: bool) -> None:
        if starred or name in ("part", "chapter"):
            return
        level = HEADINGS[name]
        self.section = [*self.section, 0, 0, 0][:level]
        self.section[level - 1] += 1

    def _section_number(self) -> str:
        first, *rest = self.section or [0]
        if not first:
            return ""
        head = chr(64 + min(first, 26)) if self.letters else str(first)
        return ".".join([head, *map(str, rest)])

    def _begin(self, name: str, starred: bool) -> None:
        if starred and name in FORMULAS:
            return
        if name in FORMULAS:
            self._open("equation", name)
        elif name in WORDS:
            self._open(name, name)
        elif name not in _AROUND:
            self.open.append((name, ""))

    def _open(self, kind: str, name: str) -> None:
        # wrapped and turned figures count with the plain ones
        counter = WORDS.get(kind, kind)
        self.counts[counter] = self.counts.get(counter, 0) + 1
        self.open.append((name if kind == "equation" else kind, str(self.counts[counter])))

    def _row(self) -> None:
        if self.open and self.open[-1][0] in _MANY_ROWS:
            name = self.open.pop()[0]
            self._open("equation", name)

    def _end(self, name: str) -> None:
        if self.open and self.open[-1][0] == name:
            self.open.pop()
