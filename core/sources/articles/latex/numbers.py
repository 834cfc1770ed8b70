"""What ``\\ref`` prints: numbers of sections, figures, tables, equations and theorems."""

import re
from collections.abc import Iterator
from types import MappingProxyType

from core.sources.articles.latex.commands import FORMULAS, HEADINGS, WORDED
from core.sources.articles.latex.scan import braces, group, option

_STEP = re.compile(
    r"\\(?P<heading>part|chapter|section|subsection|subsubsection)(?P<star>\*?)\s*[\[{]"
    r"|\\begin\s*\{(?P<env>[a-zA-Z]+)(?P<starred>\*?)\}|\\end\s*\{(?P<end>[a-zA-Z]+)\*?\}"
    r"|\\label\s*\{(?P<label>[^{}]*)\}|(?P<appendix>\\appendix)(?![a-z])"
    r"|(?P<row>\\\\)|(?P<unnumbered>\\(?:nonumber|notag))(?![a-z])"
)
_LABEL = re.compile(r"\\label\s*\{")
_PART = re.compile(r"\\sub(?:figure|float|table|captionbox)\*?(?![a-zA-Z])")
_AROUND = frozenset(
    {"document", "abstract", "center", "minipage", "multicols", "appendices", "appendix", "small",
     "spacing", "flushleft", "flushright", "linenumbers", "sloppypar", "quote", "landscape",
     "adjustwidth", "frontmatter", "refsection", "CJK", "split", "aligned", "cases", "tabular",
     "subequations", "doublespace", "singlespace", "onehalfspace", "strip", "widetext"}
)  # fmt: skip
"""Environments without a number of their own: a label in them names what is around."""
_WITHIN_CHAPTERS = ("Figure", "Table", "Equation")
"""What a report counts from one again in each chapter."""
_MANY_ROWS = frozenset({"align", "eqnarray", "gather", "flalign", "alignat"})

WORDS = MappingProxyType(
    {
        "section": "Section",
        "chapter": "Chapter",
        "equation": "Equation",
        "figure": "Figure",
        "table": "Table",
    }
    | dict(WORDED)
)


def numbered_labels(text: str) -> dict[str, tuple[str, str]]:
    """``{"fig:map": ("Figure", "3")}`` for every label.

    Numbers are those of LaTeX's article class, or, where there are chapters, of its report class.
    """
    return _Numbering().run(text)


def _labels_of_parts(text: str) -> Iterator[int]:
    """Where the labels of parts of figures stand: which letter they print nobody knows."""
    closing = braces(text) if _PART.search(text) else {}
    for match in _PART.finditer(text):
        end = match.end()
        while optional := option(text, closing, end):
            end = optional[2]
        while argument := group(text, closing, end):
            end = argument[2]
        yield from (label.start() for label in _LABEL.finditer(text, match.end(), end))


class _Numbering:
    def __init__(self) -> None:
        self.labels: dict[str, tuple[str, str]] = {}
        self.counts: dict[str, int] = {}
        self.chapter: int | None = None
        self.section: list[int] = []
        self.letters = False
        self.open: list[tuple[str, str]] = []

    def run(self, text: str) -> dict[str, tuple[str, str]]:
        parts = frozenset(_labels_of_parts(text))
        for match in _STEP.finditer(text):
            if match["heading"]:
                self._heading(match["heading"], bool(match["star"]))
            elif match["env"]:
                self._begin(match["env"], bool(match["starred"]))
            elif match["end"]:
                self._end(match["end"])
            elif match["label"] is not None:
                kind, number = self.open[-1] if self.open else self._around()
                word = "Equation" if kind in FORMULAS else WORDS.get(kind, kind.capitalize())
                number = "" if match.start() in parts else number
                self.labels.setdefault(match["label"].strip(), (word, number))
            elif match["appendix"]:
                self._appendix()
            elif match["row"]:
                self._row()
        return self.labels

    def _heading(self, name: str, starred: bool) -> None:
        if starred or name == "part":
            return
        if name == "chapter":
            self.chapter, self.section = (self.chapter or 0) + 1, []
            for counter in _WITHIN_CHAPTERS:
                self.counts.pop(counter, None)
            return
        level = HEADINGS[name]
        self.section = [*self.section, 0, 0, 0][:level]
        self.section[level - 1] += 1

    def _appendix(self) -> None:
        if not self.letters:
            self.letters, self.section = True, []
            self.chapter = self.chapter and 0

    def _around(self) -> tuple[str, str]:
        """The kind and number of the innermost heading above."""
        numbers = self.section if self.chapter is None else [self.chapter, *self.section]
        kind = "section" if self.chapter is None or self.section else "chapter"
        first, *rest = numbers or [0]
        if not first:
            return kind, ""
        head = chr(64 + min(first, 26)) if self.letters else str(first)
        return kind, ".".join([head, *map(str, rest)])

    def _begin(self, name: str, starred: bool) -> None:
        if starred and name in FORMULAS:
            return
        if name in ("appendix", "appendices"):
            self._appendix()
        elif name in FORMULAS:
            self._open("equation", name)
        elif name in WORDS:
            self._open(name, name)
        elif name not in _AROUND:
            self.open.append((name, ""))

    def _open(self, kind: str, name: str) -> None:
        # wrapped and turned figures count with the plain ones
        counter = WORDS.get(kind, kind)
        self.counts[counter] = self.counts.get(counter, 0) + 1
        number = str(self.counts[counter])
        if self.chapter and counter in _WITHIN_CHAPTERS:
            head = chr(64 + min(self.chapter, 26)) if self.letters else str(self.chapter)
            number = f"{head}.{number}"
        self.open.append((name if kind == "equation" else kind, number))

    def _row(self) -> None:
        if self.open and self.open[-1][0] in _MANY_ROWS:
            name = self.open.pop()[0]
            self._open("equation", name)

    def _end(self, name: str) -> None:
        if self.open and self.open[-1][0] == name:
            self.open.pop()
