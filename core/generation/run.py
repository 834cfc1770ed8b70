"""The run kind ``generate``: SCP items from the articles in a run folder.

The folder holds ``articles.jsonl``, one parsed article per line, so that a worker needs nothing
else; a work item names an article and its line. A record holds the items of one article.
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from core.bounded_json import parse_json
from core.errors import InputError
from core.families.base import ItemContent
from core.files import digest_of_hashes
from core.generation.article_items import generate_from_article
from core.generation.spec import ScpSpec
from core.i18n import tr
from core.jobs.folder import RunFolder, write_rows
from core.jobs.run_kind import RunContext
from core.sources.articles.article import Article

ARTICLES = "articles.jsonl"
SOURCES = "sources.json"


def work_id(article: Article) -> str:
    """Name of an article within a run: its id and twelve digits of its text's digest."""
    return f"{article.id}@{article.text_digest[:12]}"


def distinct(articles: Iterable[Article]) -> tuple[list[Article], list[tuple[str, str]]]:
    """One article per id, sorted, and ``(path, reason)`` of every one that was left out.

    Of several readings of one article (LaTeX beside plain text), the structured one stays, else
    the longest: two readings would put the same sentences into two items.
    """
    best: dict[str, Article] = {}
    left: list[Article] = []
    for article in articles:
        other = best.get(article.id)
        if other is None or _worth(article) > _worth(other):
            best[article.id] = article
            left += [other] if other else []
        else:
            left.append(article)
    skipped = sorted(
        (
            article.path,
            tr("The same article was already read from “{path}”.", path=best[article.id].path),
        )
        for article in left
    )
    return [best[name] for name in sorted(best)], skipped


def _worth(article: Article) -> tuple[bool, int, str]:
    plain = Path(article.path).suffix.lower() in (".txt", ".text", "")
    return (not plain, len(article.text), article.text_digest)


def prepare(
    root: Path,
    articles: Iterable[Article],
    spec: ScpSpec,
    *,
    skipped: Sequence[tuple[str, str]] = (),
    origin: dict[str, Any] | None = None,
) -> RunFolder:
    """A run folder below ``root`` that is ready to start.

    ``skipped`` are ``(path, reason)`` of sources that could not be read; they come back in the
    result. Raises InputError when there is no article at all.
    """
    unique, duplicates = distinct(articles)
    if not unique:
        raise InputError.tr("There is no readable article to generate items from.")
    work = [{"id": work_id(article), "line": line} for line, article in enumerate(unique)]
    folder = RunFolder.create(root, GENERATE.name, spec, work, origin=origin)
    write_rows(folder.files, ARTICLES, (article.to_row() for article in unique))
    left = [{"path": path, "reason": reason} for path, reason in (*skipped, *duplicates)]
    sources = {"read": len(unique), "skipped": left}
    folder.files.write(SOURCES, json.dumps(sources, ensure_ascii=False, indent=1) + "\n")
    return folder


class GenerateRun:
    """SCP generation as a run; its parameters are a ``ScpSpec``."""

    name = "generate"
    params_model = ScpSpec

    def process(
        self, context: RunContext, pending: Sequence[dict[str, Any]]
    ) -> Iterator[dict[str, Any]]:
        """Yield one record per article: ``id``, ``items``, ``filtered`` and ``short``."""
        ids_by_line = {int(work["line"]): str(work["id"]) for work in pending}
        items = 0
        for line, article in self._articles(context.folder, ids_by_line):
            if context.stopping():
                return
            result = generate_from_article(article, context.params)
            items += len(result.items)
            context.note(items=items)
            yield {
                "id": ids_by_line[line],
                "article": article.id,
                "path": article.path,
                "items": [item.as_json() for item in result.items],
                "filtered": dict(result.filtered),
                "short": [asdict(short) for short in result.short],
            }

    def _articles(self, folder: Path, ids_by_line: dict[int, str]) -> Iterator[tuple[int, Article]]:
        files = RunFolder(folder).files
        if not files.has(ARTICLES):
            raise InputError.tr(
                "The articles are missing from the run folder “{path}”; generate the items again.",
                path=folder,
            )
        last = max(ids_by_line, default=-1)
        for line, row in enumerate(files.lines(ARTICLES)):
            if line > last:
                return
            if line in ids_by_line:
                try:
                    article = Article.from_row(parse_json(row))
                except (ValueError, KeyError, TypeError, AttributeError) as error:
                    raise files.damaged(ARTICLES) from error
                yield line, article

    def summarise(self, run: RunFolder, records: Sequence[dict[str, Any]]) -> dict[str, Any]:
        """Counts per format, the digest over all content hashes, what was filtered and why."""
        spec = ScpSpec.model_validate(run.spec().params)
        items: Counter[str] = Counter(dict.fromkeys(spec.formats, 0))
        filtered: Counter[str] = Counter()
        hashes: list[str] = []
        short: list[dict[str, Any]] = []
        for record in records:
            items.update(row["format"] for row in record["items"])
            hashes += (row["content_hash"] for row in record["items"])
            filtered.update(record["filtered"])
            short += ({"article": record["article"], **entry} for entry in record["short"])
        sources = run.files.read_json(SOURCES) if run.files.has(SOURCES) else {}
        return {
            "items": dict(items),
            "total": len(hashes),
            "digest": digest_of_hashes(hashes),
            "articles": {"read": len(records), "skipped": sources.get("skipped", [])},
            "filtered": dict(sorted(filtered.items())),
            "short": short,
            "as_published": spec.as_published,
        }


GENERATE = GenerateRun()


def items_of(records: Iterable[dict[str, Any]]) -> Iterator[ItemContent]:
    """The items in finished records, in their order."""
    for record in records:
        for row in record["items"]:
            yield ItemContent.from_json(row)


def reason_text(reason: str) -> str:
    """A sentence for the reason of a shortfall or the name of a filter."""
    sentences = {
        "too_few_fragments": tr("not enough running text for more"),
        "too_few_passages": tr("fewer than four passages that follow another passage"),
        "too_few_neighbours": tr("too few passages that can serve as options for each other"),
        "too_few_plain": tr("too few of its paragraphs are plainly prose"),
        "heading": tr("headings"),
        "caption": tr("captions"),
        "about_figures": tr("speaks of figures, tables or formulas that are not in sight"),
        "roadmap": tr("outlines the article"),
        "other_section": tr("refers to another section, which is not in sight"),
        "said_before": tr("repeats another passage"),
        "table": tr("tables"),
        "formula": tr("displayed formulas"),
        "list": tr("lists"),
        "code": tr("code"),
        "quote": tr("quotations"),
        "reference": tr("references"),
        "back_matter": tr("about authors, grants or licences"),
        "doubtful": tr("may be damaged, or its readers disagree"),
        "damaged": tr("shows a text defect that the check finds"),
        "starts_lower_case": tr("starts with a lower-case letter"),
        "formula_heavy": tr("too many formulas"),
        "markup": tr("contains a reserved marker"),
        "markup_heavy": tr("too much mathematics or markup"),
        "no_sentence": tr("no complete sentence"),
        "too_short": tr("too short"),
        "too_few_sentences": tr("too few sentences"),
        "ordinal_cues": tr("its parts are numbered: First, Second"),
        "told_by_words": tr("the words that its parts share tell their order"),
        "odd_signs": tr("not plainly prose: characters that prose does not have"),
        "odd_spacing": tr("not plainly prose: spacing or unpaired marks"),
        "odd_brackets": tr("not plainly prose: a reference or no word in brackets"),
        "lost_words": tr("not plainly prose: a word seems to be missing"),
        "unclear_numbers": tr("not plainly prose: a number that may be a note or a reference"),
        "unknown_words": tr("not plainly prose: a word unknown to the dictionary and the article"),
        "run_in_heading": tr("not plainly prose: a heading, label or number in the line"),
        "no_full_sentences": tr("not plainly prose: more than whole sentences"),
        "addressed": tr("not plainly prose: addressed to somebody, or thanks"),
        "other_language": tr("not plainly prose: not in the language of the article"),
    }
    return sentences.get(reason, reason)
