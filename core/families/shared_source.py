"""What an item shares with others: its article, what a column names, or the passage it is about.

Whoever answers or rates two questions on one text tends to do both alike, so that every standard
error, test and plan counts them as one source. This is the one place that says which items do;
``db.queries.judgements.sources`` asks the database the same of many items at once.
"""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from hashlib import sha256
from typing import Any

from core.families.base import COLUMNS, ItemContent
from core.i18n import listed, tr, trn

SEALED_SOURCE = "sealed_source"
"""The provenance field that stands for the source of a sealed item, where its own names tell too
much or stand in what is sealed."""
SOURCE_FIELDS = (
    SEALED_SOURCE, "article", "article_id", "source", "example_id", "instruction_id",
)  # fmt: skip
"""Provenance fields that name a source, most telling first."""
KEPT_FIELDS = ("article", "article_id", "source", "instruction_id")
"""Those that stay in the clear at a sealing where they are short."""
ROW_OF_RUN = frozenset({"run", "row"})
"""Provenance fields with which the field source names a file, as rewriting once wrote it."""
SOURCE_COLUMNS = (
    "article_id", "article", "document_id", "document", "doc_id", "doc", "paper_id", "paper",
    "story_id", "passage_id", "paragraph_id", "context_id", "dialogue_id", "dialog_id",
    "conversation_id", "pmid", "doi", "arxiv_id",
)  # fmt: skip
"""Columns of imported rows that name a source, most telling first."""
_ALSO = (
    "wikipedia_title", "article_title", "docid",
    "文章", "文章编号", "文档", "文档编号", "篇章", "篇章编号", "材料编号",
)  # fmt: skip
_USUAL = tuple(name.replace("_", "") for name in (*SOURCE_COLUMNS, *_ALSO))
ALONE = "\0"
"""Begins what stands for the source of an item that shares none with others."""
WHITE_SPACE = " \t\r\n"
DIGITS = "0123456789"
PASSAGE = "passage "
LONGEST_NAME = 120
"""Characters: a longer text in a column names nothing, but is what the item is about."""
_BETWEEN = " = "
"""Stands between a column and what it says of an item."""
_SHORT = 60  # characters
_FEW = 6  # words


def source_of(content: ItemContent) -> str:
    """What an item shares with others, by where it came from, else by its passage; empty where it
    is not known to share anything."""
    return source_by(content.provenance, content.payload.get("passage"))


def source_by(provenance: Mapping[str, Any], passage: Any) -> str:
    """``source_of`` an item of which these two are known."""
    named = named_source(provenance)
    if named or not isinstance(passage, str) or not passage.strip(WHITE_SPACE):
        return named
    return PASSAGE + passage_key(passage)


def named_source(provenance: Mapping[str, Any]) -> str:
    """What provenance says: one of ``SOURCE_FIELDS``, else a column that the row of an import had
    beside its item; empty where it says nothing. A number names something in its file alone."""
    in_file = provenance.keys() >= ROW_OF_RUN
    for name in SOURCE_FIELDS:
        if not (in_file and name == "source") and (said := _said(provenance.get(name))):
            return said
    columns = provenance.get(COLUMNS)
    if isinstance(columns, Mapping):
        for name in SOURCE_COLUMNS:
            if said := _name(columns.get(name)):
                return named_by(name, said, _said(provenance.get("file")))
    return ""


def in_the_clear(
    provenance: Mapping[str, Any], passage: Any, stand_in: Callable[[str], str]
) -> dict[str, Any]:
    """The fields of a sealed item's provenance that stay readable, so that ``source_by`` tells by
    them the same items apart as before: short names, else ``stand_in`` of what the item shares,
    which has to be the same for the same name and to tell nothing of it."""
    source = source_by(provenance, passage)
    if not source:
        return {}
    kept = {name: provenance[name] for name in KEPT_FIELDS if _is_short(provenance.get(name))}
    if source_by(kept, None) == source:
        return kept
    kind = _kind(source)
    if kind != PASSAGE:  # else what names the column may be words of a title
        kind = named_by(kind, "") if _letters(kind) in _USUAL else ""
    return {**kept, SEALED_SOURCE: kind + stand_in(source)}


def _letters(column: str) -> str:
    return re.sub(r"[\s_.-]", "", column).casefold()


def _is_short(value: Any) -> bool:
    said = str(value)
    return isinstance(value, str | int) and len(said) <= _SHORT and len(said.split()) <= _FEW


def passage_key(passage: str) -> str:
    """What stands for a passage, in hex; white space around it does not count."""
    text = passage.strip(WHITE_SPACE).encode("utf-8", "surrogatepass")
    return sha256(text).hexdigest()[:32]


def source_field(
    row: Mapping[str, Any], beside: Mapping[str, Any], file: str, column: str = ""
) -> dict[str, str]:
    """The provenance field ``source`` of an imported row: what its ``column`` says; without one
    what a column ``beside`` its item says that is called like a source in any usual spelling
    (``docId``, “Article ID”). Nothing where there is none."""
    if column:
        called = {column: column}
    else:
        spelled = {_letters(name): name for name in beside}
        called = {usual: spelled[usual] for usual in _USUAL if usual in spelled}
    for name in called.values():
        if said := _name((row if column else beside).get(name)):
            return {"source": named_by(name, said, file)}
    return {}


def recognised(sources: Iterable[str]) -> str:
    """In words by what sources were recognised, such as “the passage”, with how many by which where
    there are several ways; empty for no source."""
    named = {source for source in sources if source and not source.startswith(ALONE)}
    kinds = Counter(map(_kind, named))
    words = {kind: _words(kind) for kind in kinds}
    if len(kinds) < 2:
        return "".join(words.values())
    ranked = sorted(kinds, key=lambda kind: (-kinds[kind], words[kind]))
    return listed(tr("{what}: {count}", what=words[kind], count=kinds[kind]) for kind in ranked)


def shared_words(clusters: int, alone: int, identified: str = "") -> str:
    """``clusters``, of which ``alone`` are one item without a source, in words, with what
    ``recognised`` says of them."""
    sources = trn("1 source", "{n} sources", clusters - alone)
    items = trn("1 item", "{n} items", alone)
    if alone == clusters:
        return items
    if identified:
        sources = tr("{sources} (identified by {what})", sources=sources, what=identified)
    if not alone:
        return sources
    return tr("{sources} and {items} without a source", sources=sources, items=items)


def _kind(source: str) -> str:
    if source.startswith(PASSAGE):
        return PASSAGE
    column, between, _ = source.partition(_BETWEEN)
    return column if between else ""


def _words(kind: str) -> str:
    if kind == PASSAGE:
        return tr("the passage")
    return tr("the column “{column}”", column=kind) if kind else tr("the article or example")


def named_by(name: str, said: str, file: str = "") -> str:
    """The source that a column names; ``file`` is that of the row, whose numbers are its own."""
    inside = f" ({file})" if file and not said.strip(DIGITS) else ""
    return f"{name}{_BETWEEN}{said}{inside}"


def _name(value: Any) -> str:
    said = _said(value)
    return said if len(said) <= LONGEST_NAME else ""


def _said(value: Any) -> str:
    """A name as text; empty for nothing, and for a yes or no, which names nothing."""
    if value is None or isinstance(value, bool):
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
