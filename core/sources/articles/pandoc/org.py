"""Org documents: the files that one includes put in their places, which pandoc cannot reach."""

import re
from typing import Any

from core.sources.articles.pandoc.process import RefusedAt, syntax_tree
from core.sources.articles.trees import SourceTree, inside

ORG = ".org"
_INCLUDE = re.compile(
    r"^[ \t]*#\+include:[ \t]*(?:\"(?P<quoted>[^\"\n]{1,300})\"|(?P<bare>[^\s\"]{1,300}))"
    r"(?P<how>[^\n]*)$",
    re.IGNORECASE | re.MULTILINE,
)
_AS_A_PART = re.compile(r"[ \t]*(?::(?:only-contents|minlevel)[ \t]+\w+[ \t]*)*")
"""What may stand behind the name of a file whose text is taken whole: no block, no lines."""
_MOST_PARTS = 100
_MOST_LINES = 20
"""Lines of LaTeX that are left out of an Org document before it counts as unreadable."""


def org_tree(text: str) -> dict[str, Any]:
    """Pandoc's syntax tree of an Org document without the lines of LaTeX that it cannot take.

    Such are the commands of a journal's class, which stand above the text. Raises
    ``UnreadableSource`` when pandoc cannot read the rest.
    """
    lines = text.splitlines()
    for _ in range(_MOST_LINES):
        try:
            return syntax_tree("\n".join(lines).encode(), "org")
        except RefusedAt as refusal:
            if not 0 < refusal.line <= len(lines) or not lines[refusal.line - 1].startswith("\\"):
                raise
            lines[refusal.line - 1] = ""
    return syntax_tree("\n".join(lines).encode(), "org")


def assembled_org(text: str, tree: SourceTree, base: str = "", most: int = _MOST_PARTS) -> str:
    """The text with the Org files that it includes in their places.

    Code, excerpts of lines, and what is missing or outside the tree leave nothing.
    """

    def included(match: re.Match[str]) -> str:
        name = _part(match)
        place = inside(base, name) if name else None
        source = tree.read(place) if place and most > 0 else None
        return assembled_org(source, tree, place, most // 2) if place and source else ""

    return _INCLUDE.sub(included, text)


def parts_of_org(text: str) -> tuple[str, ...]:
    """The names of the Org files that a document includes, as they are written there."""
    return tuple(name for match in _INCLUDE.finditer(text) if (name := _part(match)))


def _part(match: re.Match[str]) -> str:
    name = match["quoted"] or match["bare"]
    is_org = name.partition("::")[0].lower().endswith(ORG)
    return name if is_org and "::" not in name and _AS_A_PART.fullmatch(match["how"]) else ""
