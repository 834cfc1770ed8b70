"""Articles in JSON: the published ArxivRoll code's columns, and what others plausibly write.

ArxivRoll stores either one object of parallel lists, ``{"title": […], "abstract": […],
"keywords": […], "text": […]}``, or one list of texts. Also read: lists, lines and single objects
with ``text``, ``content``, ``body``, ``paragraphs`` or ``sections``. Rows that name one paper or
document are its passages, and one article.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from core.i18n import listed
from core.sources.articles.article import Block, ParsedSource
from core.sources.articles.identifiers import identifier_in_name
from core.sources.articles.latex.project import looks_like_latex
from core.sources.articles.latex.reader import read_latex_text
from core.sources.articles.metadata import day_of
from core.sources.articles.plain_text import read_plain_text
from core.sources.limits import UnreadableSource

TEXTS = ("text", "full_text", "fulltext", "content", "body", "article", "markdown", "latex")
_PARTS = ("paragraphs", "sections", "body_text", "chunks")
_HEADS = ("heading", "title", "section", "name")
_DOCUMENTS = ("arxiv_id", "paper_id", "article_id", "document_id", "doc_id")
"""What a row calls the document that it is a passage of."""
_DEPTH = 12


def read_json(text: str) -> list[ParsedSource]:
    """Every article of a JSON document or of JSON lines, in order.

    Raises ``UnreadableSource`` for what is no JSON or holds no text of an article.
    """
    drafts = [d for row in _by_document(_rows(text)) for d in _articles(row) if d.blocks]
    if not drafts:
        raise UnreadableSource.tr(
            "The JSON contains no article. It needs objects with one of these fields: {fields}.",
            fields=listed((*TEXTS[:4], *_PARTS[:2])),
        )
    return drafts


def _rows(text: str) -> Iterator[Any]:
    try:
        yield json.loads(text)
        return
    except RecursionError as error:
        raise UnreadableSource.tr("The JSON is nested too deeply.") from error
    except ValueError as error:
        failure = error
    lines = [line for line in text.splitlines() if line.strip()]
    if len(lines) < 2:
        raise UnreadableSource.tr("It is not valid JSON: {error}.", error=failure) from failure
    for number, line in enumerate(lines, 1):
        try:
            yield json.loads(line)
        except (ValueError, RecursionError) as error:
            raise UnreadableSource.tr(
                "Line {number} is not valid JSON: {error}.", number=number, error=error
            ) from error


def _by_document(rows: Iterator[Any]) -> list[Any]:
    """The rows, of which those that name one document are put together, in its first one's place.

    Versions of a paper have its name too, but each a title; passages have the paper's, or none.
    """
    values = list(rows)
    passages = values[0] if len(values) == 1 and isinstance(values[0], list) else values
    if not passages or not all(isinstance(row, dict) for row in passages):
        return values
    key = next((k for k in _DOCUMENTS if all(row.get(k) for row in passages)), "")
    documents: dict[str, list[dict[str, Any]]] = {}
    for row in passages if key else ():
        documents.setdefault(str(row[key]), []).append(row)
    if not documents or len(documents) == len(passages):
        return values
    return [rows[0] if len(rows) == 1 else _document(rows) for rows in documents.values()]


def _document(passages: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """One row of those that are passages of one document; each heading stands once."""
    titles = {row.get("title") for row in passages}
    title = titles.pop() if len(titles) == 1 else None
    parts: list[dict[str, Any]] = []
    for row in passages:
        own = ("section", "heading") if title is not None else ("section", "heading", "title")
        head = next((row[k] for k in own if isinstance(row.get(k), str)), "")
        text = [row[k] for k in (*TEXTS, *_PARTS) if k in row][:1]
        if parts and parts[-1]["heading"] == head:
            parts[-1]["paragraphs"] += text
        else:
            parts.append({"heading": head, "paragraphs": text})
    first = {k: v for k, v in passages[0].items() if k not in (*TEXTS, *_PARTS, *_HEADS)}
    return {**first, "title": title, "sections": parts}


def _articles(value: Any) -> Iterator[ParsedSource]:
    if isinstance(value, str):
        yield _from_text(value, {})
    elif isinstance(value, list):
        for element in value:
            yield from _articles(element)
    elif isinstance(value, dict):
        columns = next((value[k] for k in TEXTS if isinstance(value.get(k), list)), None)
        if columns and all(isinstance(text, str) for text in columns):
            if _is_columns(value, columns):
                yield from _from_columns(value, columns)
            else:
                yield _from_text("\n\n".join(columns), value)
        elif any(k in value for k in (*TEXTS, *_PARTS)):
            yield _from_object(value)
        else:
            for inner in value.values():
                if isinstance(inner, (list, dict)):
                    yield from _articles(inner)


def _is_columns(value: Mapping[str, Any], texts: Sequence[str]) -> bool:
    """Parallel lists, as ArxivRoll writes them, and not one article's list of paragraphs."""
    titles = value.get("title")
    return titles is None or (isinstance(titles, list) and len(titles) == len(texts))


def _from_columns(value: Mapping[str, Any], texts: Sequence[str]) -> Iterator[ParsedSource]:
    for index, text in enumerate(texts):
        row = {
            key: column[index]
            for key, column in value.items()
            if isinstance(column, list) and len(column) == len(texts)
        }
        yield _from_text(text, row)


def _from_object(value: Mapping[str, Any]) -> ParsedSource:
    text = next((value[k] for k in TEXTS if isinstance(value.get(k), str)), None)
    if text is not None:
        return _from_text(text, value)
    parts: Any = next((value[k] for k in (*_PARTS, *TEXTS) if k in value), [])
    return _with_fields(ParsedSource("", tuple(_blocks(parts, 1))), value)


def _blocks(value: Any, level: int) -> Iterator[Block]:
    """Blocks of nested sections and paragraphs."""
    if level > _DEPTH:
        return
    if isinstance(value, str):
        for block in read_plain_text(value).blocks:
            yield Block(block.text, block.kind, level + block.level - 1)
    elif isinstance(value, list):
        for element in value:
            yield from _blocks(element, level)
    elif isinstance(value, dict):
        head = next((value[k] for k in _HEADS if isinstance(value.get(k), str)), "")
        if head:
            yield Block(head, "heading", level)
        known = [value[k] for k in (*TEXTS, *_PARTS, "subsections") if k in value]
        if known:
            for inner in known:
                yield from _blocks(inner, level + 1 if isinstance(inner, (list, dict)) else level)
        else:
            # {"Introduction": "…", "Methods": ["…"]}
            for name, inner in value.items():
                if name not in _HEADS and isinstance(inner, (str, list, dict)):
                    yield Block(str(name), "heading", level)
                    yield from _blocks(inner, level + 1)


def _from_text(text: str, row: Mapping[str, Any]) -> ParsedSource:
    draft = read_latex_text(text) if looks_like_latex(text) else read_plain_text(text)
    return _with_fields(draft, row)


def _with_fields(draft: ParsedSource, row: Mapping[str, Any]) -> ParsedSource:
    title = row.get("title")
    named = next((row[k] for k in (*_DOCUMENTS[:1], "id", *_DOCUMENTS[1:]) if row.get(k)), "")
    identifier, version = identifier_in_name(str(named)) if named else ("", "")
    categories = row.get("categories") or row.get("category") or ()
    names = categories if isinstance(categories, (list, tuple)) else str(categories).split()
    blocks = draft.blocks
    abstract = row.get("abstract")
    if isinstance(abstract, str) and abstract.strip():
        start = (Block("Abstract", "heading"), Block(abstract))
        first = draft.blocks[0].text[:200] if draft.blocks else ""
        blocks = blocks if abstract.strip()[:100] in first else (*start, *blocks)
    return ParsedSource(
        title=title if isinstance(title, str) and title.strip() else draft.title,
        blocks=blocks,
        article_id=identifier or draft.article_id or (named if isinstance(named, str) else ""),
        version=version or draft.version,
        categories=tuple(str(name) for name in names),
        submitted=day_of(row.get("submitted") or row.get("published") or row.get("date")),
        notes=draft.notes,
    )
