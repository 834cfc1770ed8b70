"""One file of an article, interpreted: what ``read_paths`` asks of the child process."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path, PurePosixPath
from statistics import median
from typing import Any

from core.files import read_regular
from core.i18n import tr_noop
from core.sources.articles.archives import unpack
from core.sources.articles.article import Article, ParsedSource, compose
from core.sources.articles.arxiv_html import read_html
from core.sources.articles.domains import domain_of_categories, domain_of_stem
from core.sources.articles.file_kinds import SourceKind, kind_of_content
from core.sources.articles.identifiers import identifier_in_name, stem_of
from core.sources.articles.json_articles import read_json
from core.sources.articles.latex.project import TEX, inputs_of, is_root
from core.sources.articles.latex.reader import read_latex, read_latex_text
from core.sources.articles.markdown import read_markdown
from core.sources.articles.notebooks import marked_up_text
from core.sources.articles.pandoc.documents import document_reader, read_document
from core.sources.articles.pandoc.org import ORG, parts_of_org
from core.sources.articles.pandoc.typst import TYPST, is_typst_root, parts_of_typst
from core.sources.articles.pdf import read_pdf
from core.sources.articles.plain_text import read_plain_text
from core.sources.articles.prose.citations import spelled_out
from core.sources.articles.prose.damage import is_letter
from core.sources.articles.prose.no_article import NO_ARTICLE, why_no_article
from core.sources.articles.prose.no_items import has_sentences, is_without_spaces
from core.sources.articles.prose.page_kinds import kind_of_page
from core.sources.articles.prose.sifting import sift
from core.sources.articles.trees import FolderTree, MemoryTree
from core.sources.articles.walk import shown
from core.sources.encodings import decode
from core.sources.limits import Limits, UnreadableSource
from core.sources.signatures import HEAD, is_pdf, is_zip

_PROSE = frozenset({"text", "list", "quote"})
_SLIDES = tr_noop("It is a poster, slides or a curriculum vitae, not an article.")
_GENERIC = frozenset(
    {"main", "ms", "paper", "article", "manuscript", "index", "root", "template", "arxiv", "draft"}
)


def read_articles(
    path: Path,
    *,
    kind: SourceKind,
    fallback: str,
    limits: Mapping[str, int],
    among_docs: bool = False,
    any_text: bool = False,
    above: int = 0,
) -> Iterator[tuple[dict[str, Any], tuple[str, ...]]]:
    """The row of each article in a file (``Article.to_row``), and notes about parts it lacks.

    ``fallback`` is the domain where neither name nor category tells; ``among_docs`` asks that a
    text has sections of an article, and ``any_text`` that it is not slides, whatever else it is.
    Parts of a LaTeX document may lie in the ``above`` folders above its own.
    Raises ``UnreadableSource`` for a file without such a text.
    """
    drafts = _READERS[kind](path, Limits(**limits), above)
    full = [d for d in drafts if any(b.kind in _PROSE and b.text.strip() for b in d.blocks)]
    if not full:
        if any(block.kind == "code" for draft in drafts for block in draft.blocks):
            raise UnreadableSource.tr("It contains code, but no text.")
        raise UnreadableSource.tr("It contains no text.")
    texts = {id(d): [b.text for b in d.blocks if b.kind in _PROSE] for d in full}
    full = [draft for draft in full if not is_without_spaces(texts[id(draft)])]
    if not full:
        raise UnreadableSource.tr(
            "It is in Japanese, Thai or another language without spaces between words. Items "
            "are generated from English, Chinese and other languages with spaces."
        )
    if kind in ("text", "pdf") and not any(map(has_sentences, texts.values())):
        raise UnreadableSource.tr("It contains no sentences.")
    kept = [(draft, _why_no_article(path, draft, among_docs)) for draft in full]
    if kind == "json" and _are_rows(full):
        kept = [(draft, reason or ("" if draft.title else "rows")) for draft, reason in kept]
    wanted = [(d, why) for d, why in kept if not why or (any_text and why in NO_ARTICLE)]
    if not wanted:
        sentence = NO_ARTICLE.get(kept[0][1], _SLIDES)
        raise UnreadableSource.tr(sentence)
    empty = True
    for draft, reason in wanted:
        article = replace(_article(path, kind, draft, fallback), no_article=reason)
        if article.text:  # which commands that nobody knows leave empty
            empty = False
            yield article.to_row(), draft.notes
    if empty:
        raise UnreadableSource.tr("It contains no text.")


_ROW = 500
"""Words that most texts of an untitled article have; the rows of a data set have fewer."""
_CHINESE = re.compile(r"[\u3400-\u9fff\u3040-\u30ff]")


def _are_rows(drafts: Sequence[ParsedSource]) -> bool:
    """Whether the untitled texts of a file are short, as questions, answers and posts are."""
    bare = ["\n".join(block.text for block in draft.blocks) for draft in drafts if not draft.title]
    # a Chinese character counts as 4/7 of a word
    sizes = [len(text.split()) + len(_CHINESE.findall(text)) * 4 // 7 for text in bare]
    return len(sizes) > 1 and median(sizes) < _ROW


_BEGINNING = 5_000  # characters of a paragraph that say what it is part of


def _why_no_article(path: Path, draft: ParsedSource, among_docs: bool) -> str:
    """A referee's report or the answer to one says so in its title or again and again."""
    looked_at = ("text", "heading", "quote", "list")
    texts = [block.text[:_BEGINNING] for block in draft.blocks if block.kind in looked_at]
    signs = sum(map(is_letter, texts))
    if is_letter(draft.title) or (signs >= 2 and signs > 0.03 * len(texts)):
        return "letter"
    name = _KNITTED.sub("", stem_of(shown(path)))
    return why_no_article(name, draft.title, texts, path.parent.name) or kind_of_page(
        name,
        draft.title,
        [block.text for block in draft.blocks if block.kind == "heading"],
        [block.text for block in draft.blocks if block.kind in _PROSE],
        [block.text for block in draft.blocks if block.kind == "code"],
        typeset=path.suffix.lower() in TEX,
        among_docs=among_docs,
    )


def outline(path: Path, *, limits: Mapping[str, int]) -> Iterator[tuple[bool, list[str]]]:
    """Once: whether a LaTeX, Typst or Org file is a document on its own, and what it inputs."""
    text = FolderTree(path.parent, Limits(**limits)).read(path.name) or ""
    if path.suffix.lower() == TYPST:
        yield is_typst_root(text), list(parts_of_typst(text))
    elif path.suffix.lower() == ORG:
        yield True, list(parts_of_org(text))
    else:
        yield is_root(text), list(inputs_of(text))


def _read_archive(path: Path, limits: Limits) -> list[ParsedSource]:
    unpacked = unpack(path, limits)
    notes = unpacked.notes
    tree = MemoryTree(unpacked.members)
    if "" in unpacked.members:
        drafts = _read_text(decode(unpacked.members[""]), limits)
    elif any(name.lower().endswith(TEX) for name in unpacked.members):
        drafts = [read_latex(tree, limits=limits, twice=True)]
    else:
        pages = [n for n in tree.names() if n.lower().endswith((".html", ".htm", ".xhtml"))]
        drafts = (
            [read_html(tree.read(pages[0]) or "")] if pages else list(_documents(unpacked.members))
        )
    if not drafts:
        raise UnreadableSource.tr("The archive contains no article.")
    return [replace(draft, notes=(*draft.notes, *notes)) for draft in drafts]


def _documents(members: Mapping[str, bytes]) -> Iterator[ParsedSource]:
    """The documents of an archive that holds neither LaTeX nor HTML, each an article."""
    for name in sorted(members):
        data, draft = members[name], None
        suffix = PurePosixPath(name.lower()).suffix
        if is_pdf(data):
            draft = read_pdf(data)
        elif suffix in (".md", ".markdown"):
            draft = read_markdown(decode(data))
        elif suffix == ".txt":
            draft = read_plain_text(decode(data))
        elif reader := document_reader(name, decode(data[:HEAD]) if suffix == ".xml" else ""):
            draft = read_document(data, reader, MemoryTree(members), name)
        if draft is not None:
            identifier = identifier_in_name(stem_of(name))[0]
            yield replace(draft, article_id=draft.article_id or identifier or stem_of(name))


def _read_document(path: Path, limits: Limits) -> list[ParsedSource]:
    data = read_regular(path)
    start = "" if is_zip(data) else decode(data[:HEAD])
    reader = document_reader(path.name, start)
    if reader == "ipynb" and (text := marked_up_text(data)):
        return _read_text(text, limits)
    return [read_document(data, reader, FolderTree(path.parent, limits), path.name)]


def _read_text(text: str, limits: Limits) -> list[ParsedSource]:
    kind = kind_of_content(text)
    if kind == "latex":
        return [read_latex_text(text, limits, twice=True)]
    return [read_html(text) if kind == "html" else read_plain_text(text)]


def _read_folder_latex(path: Path, limits: Limits, above: int) -> list[ParsedSource]:
    tree = FolderTree(path.parent, limits, above)
    return [read_latex(tree, path.name, limits, twice=True)]


_READERS: Mapping[SourceKind, Callable[[Path, Limits, int], list[ParsedSource]]] = {
    "archive": lambda path, limits, _: _read_archive(path, limits),
    "latex": _read_folder_latex,
    "document": lambda path, limits, _: _read_document(path, limits),
    "pdf": lambda path, *_: [read_pdf(read_regular(path))],
    "html": lambda path, *_: [read_html(decode(read_regular(path)))],
    "markdown": lambda path, *_: [read_markdown(decode(read_regular(path)))],
    "json": lambda path, *_: read_json(decode(read_regular(path))),
    "text": lambda path, *_: [read_plain_text(decode(read_regular(path)))],
}


_KNITTED = re.compile(r"\.[qr]md$", re.IGNORECASE)
"""The ending of what is made into an article beside it; its name is the article's."""


def _article(path: Path, kind: SourceKind, draft: ParsedSource, fallback: str) -> Article:
    own_stem = stem_of(shown(path))
    name_id, name_version = identifier_in_name(own_stem)
    many = kind == "json"
    stem = _KNITTED.sub("", own_stem)
    if stem.lower() in _GENERIC and path.resolve().parent.name:
        stem = shown(Path(path.resolve().parent.name))
    identifier = draft.article_id if many and draft.article_id else name_id
    article = compose(
        sift(draft.blocks, strict=draft.strict).blocks,
        path=shown(path),
        article_id=identifier or draft.article_id or stem,
        title=spelled_out(draft.title)[0],
        version=(draft.version if many else name_version or draft.version) or "",
    )
    domain = domain_of_stem(own_stem) or domain_of_categories(draft.categories) or fallback
    return replace(article, domain=domain, categories=draft.categories, submitted=draft.submitted)
