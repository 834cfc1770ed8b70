"""Where an item stands in its article: the passage, what comes before it and what after."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from core.bounded_json import parse_json
from core.errors import NotFoundError, StateError
from core.guarded_folder import GuardedFolder
from core.sources.articles.article import Article
from core.workflow.check.visibility import refuse_closed
from core.workflow.runs import runs
from core.workflow.workspace import Workspace
from db import items

AROUND = 700
"""Characters of the article that are shown on each side of the passage, at most."""


@dataclass(frozen=True, slots=True)
class Passage:
    """The text that an item was made from, in its article; all four texts follow one another."""

    number: int
    title: str
    section: str
    before: str
    text: str
    after: str


def passage(ws: Workspace, number: int) -> Passage:
    """The passage of an item, from the articles that its run kept.

    Raises NotFoundError where the item has no article or the run's folder is gone, StateError
    where the article is not the one the item was made from, or the item's split is sealed.
    """
    with ws.reading() as session:
        item = items.get(session, number)
        if item is None:
            raise NotFoundError.tr("There is no item #{number}.", number=number)
        refuse_closed(session, item)
        provenance = items.revision(session, number, item.revision).provenance
    span = provenance.get("span")
    if not item.run_id or not isinstance(span, list | tuple) or len(span) != 2:
        raise NotFoundError.tr(
            "Item #{number} does not record its place in an article.", number=number
        )
    article = _article(runs.folder_of(ws, item.run_id).files, provenance)
    if article is None:
        raise NotFoundError.tr(
            "The article of item #{number} is no longer in its run folder: {run}.",
            number=number,
            run=item.run_id,
        )
    start, end = int(span[0]), int(span[1])
    if not 0 <= start < end <= len(article.text):
        raise StateError.tr(
            "The article of item #{number} has changed since the item was generated.",
            number=number,
        )
    return _cut(number, article, start, end)


def _article(files: GuardedFolder, provenance: Mapping[str, Any]) -> Article | None:
    """The article of that id and version in a run's file; only its own line is taken apart."""
    from core.generation.run import ARTICLES  # brings numpy, which the window starts without

    if not files.has(ARTICLES):
        return None
    article_id = json.dumps(provenance.get("article", ""), ensure_ascii=False).encode()
    for line in files.lines(ARTICLES):
        if article_id not in line:
            continue
        try:
            article = Article.from_row(parse_json(line))
        except (ValueError, KeyError, TypeError):
            continue  # a damaged line is not an article; the caller says what is missing
        digest = provenance.get("text_digest") or article.text_digest
        same = article.id == provenance.get("article") and article.text_digest == digest
        if same:
            return article
    return None


def _cut(number: int, article: Article, start: int, end: int) -> Passage:
    before = article.text[max(0, start - AROUND) : start]
    after = article.text[end : end + AROUND]
    if start > AROUND:
        before = "…" + before[_word_end(before) :]
    if end + AROUND < len(article.text):
        after = after[: after.rfind(" ") if " " in after else len(after)] + "…"
    heads = [section.title for section in article.sections if section.start <= start]
    section = next((title for title in reversed(heads) if title), "")
    return Passage(number, article.title, section, before, article.text[start:end], after)


def _word_end(text: str) -> int:
    space = text.find(" ")
    return space + 1 if 0 <= space < 40 else 0
