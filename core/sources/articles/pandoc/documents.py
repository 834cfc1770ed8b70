"""Word, EPUB, OpenDocument, reStructuredText, Org, Typst, Jupyter and JATS, read by pandoc."""

import re
from collections.abc import Mapping
from pathlib import PurePosixPath
from types import MappingProxyType
from typing import Any

from core.sources.articles.article import Block, ParsedSource
from core.sources.articles.pandoc.process import RefusedAt, syntax_tree
from core.sources.articles.pandoc.tree import TreeReader
from core.sources.articles.pandoc.typst import assembled_typst, typst_tree
from core.sources.articles.trees import MemoryTree, SourceTree
from core.sources.encodings import decode

READERS: Mapping[str, str] = MappingProxyType(
    {
        ".docx": "docx",
        ".odt": "odt",
        ".epub": "epub",
        ".rst": "rst",
        ".org": "org",
        ".typ": "typst",
        ".ipynb": "ipynb",
        ".nxml": "jats",
        ".jats": "jats",
    }
)
"""Endings of files and the name of pandoc's reader for them."""
_MOST_LINES = 20
"""Lines of LaTeX that are left out of an Org document before it counts as unreadable."""
_JATS = re.compile(r"<article\b[^>]*(?:article-type|dtd-version|xmlns:mml)|JATS|NLM//DTD")


def document_reader(name: str, start: str = "") -> str:
    """The name of pandoc's reader for a file, by its name and the start of its text; else empty."""
    suffix = PurePosixPath(name.lower()).suffix
    if suffix == ".xml" and _JATS.search(start):
        return "jats"
    return READERS.get(suffix, "")


def read_document(
    source: bytes, reader: str, files: SourceTree | None = None, name: str = ""
) -> ParsedSource:
    """The document in the format that ``reader`` names.

    ``files`` are those beside it, which it may include, and ``name`` is its own among them. Raises
    ``UnreadableSource`` when pandoc cannot read it.
    """
    if reader == "typst":
        tree = typst_tree(assembled_typst(decode(source), files or MemoryTree({}), name))
    elif reader == "org":
        tree = _org_tree(decode(source))
    else:
        tree = syntax_tree(source, "docx+styles" if reader == "docx" else reader)
    pandoc = TreeReader()
    blocks = pandoc.read(tree["blocks"])
    title = pandoc.title(tree)
    if not title and (first := _only_top(blocks)) is not None:
        title = blocks.pop(first).text
    return ParsedSource(title=title, blocks=tuple(blocks))


def _org_tree(text: str) -> dict[str, Any]:
    """The syntax tree of an Org document without the lines of LaTeX that pandoc cannot take.

    Such are the commands of a journal's class, which stand above the text.
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


def _only_top(blocks: list[Block]) -> int | None:
    """Where the document's title stands when it is a heading: the only one of the first level."""
    tops = [i for i, b in enumerate(blocks) if b.kind == "heading" and b.level == 1]
    return tops[0] if len(tops) == 1 and tops[0] == 0 else None
