"""Word, EPUB, OpenDocument, AsciiDoc, reStructuredText, Org and others, read by pandoc."""

import re
from collections.abc import Mapping
from pathlib import PurePosixPath
from types import MappingProxyType

from core.sources.articles.article import Block, ParsedSource
from core.sources.articles.pandoc.org import assembled_org, org_tree
from core.sources.articles.pandoc.process import syntax_tree
from core.sources.articles.pandoc.tree import TreeReader
from core.sources.articles.pandoc.typst import assembled_typst, typst_tree
from core.sources.articles.trees import MemoryTree, SourceTree
from core.sources.encodings import decode

READERS: Mapping[str, str] = MappingProxyType(
    {
        ".docx": "docx",
        ".odt": "odt",
        ".epub": "epub",
        ".adoc": "asciidoc",
        ".asciidoc": "asciidoc",
        ".asc": "asciidoc",
        ".rst": "rst",
        ".org": "org",
        ".typ": "typst",
        ".ipynb": "ipynb",
        ".nxml": "jats",
        ".jats": "jats",
    }
)
"""Endings of files and the name of pandoc's reader for them."""
_ASCIIDOC = "asciidoc"
_SIGNED = "-----BEGIN "
"""How keys and signatures begin, which have the ending of AsciiDoc."""
_UNDERLINED = re.compile(
    r"(?m)(?:^|(?<=\n\n)|(?<=\]\n))(?P<title>[^\s.\[/|*][^\n]+)\n"
    r"(?P<line>(?P<sign>[-=~^+])(?P=sign){3,})[ \t]*$"
)
"""A title with a line below it, as AsciiDoc's first program read them."""
_LEVELS = "=-~^+"
_UNEVEN = 2
"""Characters by which such a line may be shorter or longer than its title."""
_JATS = re.compile(r"<article\b[^>]*(?:article-type|dtd-version|xmlns:mml)|JATS|NLM//DTD")

_BEHIND_AN_ARTICLE = re.compile(rb"<(sub-article|response)\b[^>]*>.*</\1>", re.DOTALL)
"""What JATS keeps behind an article: decision letters, replies, translations."""


def document_reader(name: str, start: str = "") -> str:
    """The name of pandoc's reader for a file, by its name and the start of its text; else empty."""
    suffix = PurePosixPath(name.lower()).suffix
    if suffix == ".xml" and _JATS.search(start):
        return "jats"
    reader = READERS.get(suffix, "")
    return "" if reader == _ASCIIDOC and start.startswith(_SIGNED) else reader


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
        tree = org_tree(assembled_org(decode(source), files or MemoryTree({}), name))
    elif reader == _ASCIIDOC:
        tree = syntax_tree(_UNDERLINED.sub(_in_one_line, decode(source)).encode(), reader)
    elif reader == "jats":
        tree = syntax_tree(_BEHIND_AN_ARTICLE.sub(b"", source), reader)
    else:
        tree = syntax_tree(source, "docx+styles" if reader == "docx" else reader)
    pandoc = TreeReader()
    blocks = pandoc.read_tree(tree)
    title = pandoc.title(tree)
    if not title and (first := _only_top(blocks)) is not None:
        title = blocks.pop(first).text
    return ParsedSource(title=title, blocks=tuple(blocks))


def _in_one_line(match: re.Match[str]) -> str:
    """A title with a line below it in the form that pandoc knows, or what is none as it was."""
    title, line = match["title"].rstrip(), match["line"]
    if abs(len(title) - len(line)) > _UNEVEN:
        return match[0]
    return f"{'=' * (_LEVELS.index(match['sign']) + 1)} {title}\n"


def _only_top(blocks: list[Block]) -> int | None:
    """Where the document's title stands when it is a heading: the only one of the first level."""
    tops = [i for i, b in enumerate(blocks) if b.kind == "heading" and b.level == 1]
    return tops[0] if len(tops) == 1 and tops[0] == 0 else None
