"""A datasheet and a Croissant description of a frozen split: what it is, without a single item.

The headings are those of Gebru and others (2021), Datasheets for Datasets, Communications of the
ACM 64, 86-92. Croissant 1.0 is MLCommons' vocabulary over schema.org (Akhtar and others 2024,
NeurIPS 37), with the fields of its extension for responsible AI (1.0) that the workspace can fill;
what it cannot know is left for people to write, and said so.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from core.i18n import labelled, listed, tr, trn, with_note
from core.release.formats.plain_rows import LISTS, ROW_FIELDS

_CONFORMS = "http://mlcommons.org/croissant/1.0"
_RAI = "http://mlcommons.org/croissant/RAI/1.0"
ITEM_FIELDS = ("uid", "revision", "position", "family", "format", "domain")
"""Fields of a line of ``items.jsonl`` that every item has, beside its payload."""


@dataclass(frozen=True, slots=True)
class SplitFacts:
    """What a workspace knows of a split. ``counts`` are items by field and value; ``tasks`` items
    by task; ``no_articles`` items made of texts that are no articles, by what these are, as people
    read it; ``people`` counts who decided on its items and ``decisions`` theirs; ``digest`` is the
    manifest's, ``items_digest`` that of ``items.jsonl``; ``frozen_at`` is an ISO time, UTC."""

    name: str
    benchmark: str
    state: str
    items: int
    sources: int
    counts: Mapping[str, Mapping[str, int]]
    tasks: Mapping[str, int]
    no_articles: Mapping[str, int]
    people: int
    decisions: int
    unaudited: int
    frozen_at: str
    digest: str
    items_digest: str
    canary: str
    openings: int
    evaluations: int

    @property
    def public(self) -> bool:
        """Whether its items count as public."""
        return self.state == "expired"


def datasheet(facts: SplitFacts) -> str:
    """The sheet in Markdown, in the language in use."""
    title = tr("Datasheet of {split}", split=facts.name)
    lines = [f"# {title}", ""]
    for heading, answers in _sections(facts):
        lines += [f"## {heading}", "", *(f"- {answer}" for answer in answers), ""]
    return "\n".join(lines)


def _of_no_articles(facts: SplitFacts) -> list[str]:
    if not facts.no_articles:
        return []
    title = trn(
        "1 item was made from a text that is not an article",
        "{n} items were made from texts that are not articles",
        sum(facts.no_articles.values()),
    )
    return [labelled(title, _listed(facts.no_articles))]


def _sections(facts: SplitFacts) -> Iterator[tuple[str, list[str]]]:
    tasks = tr("Tasks")
    open_ = tr("To be written by its authors.")
    yield tr("Motivation"), [tr("Part of the benchmark “{name}”.", name=facts.benchmark), open_]
    yield tr("Composition"), [
        trn("1 item.", "{n} items.", facts.items)
        + " "
        + trn("1 source.", "{n} sources.", facts.sources),
        *(
            labelled(title, _listed(facts.counts.get(field, {})))
            for field, title in (("family", tr("Families")), ("format", tr("Formats")),
                                 ("domain", tr("Domains")))
            if facts.counts.get(field)
        ),
        labelled(tasks, _listed(facts.tasks)),
        *_of_no_articles(facts),
    ]  # fmt: skip
    yield tr("Collection"), [open_]
    yield tr("Annotation and audit"), [
        tr("{decisions} by {people}.",
           decisions=trn("1 decision", "{n} decisions", facts.decisions),
           people=trn("1 person", "{n} people", facts.people)),
        trn("1 item was frozen without an audit.", "{n} items were frozen without an audit.",
            facts.unaudited),
    ]  # fmt: skip
    yield (
        tr("Uses"),
        [
            tr("Evaluation of language models; not for training."),
            trn("Evaluated once so far.", "Evaluated {n} times so far.", facts.evaluations),
            open_,
        ],
    )
    yield (
        tr("Distribution"),
        [
            tr("Its items are public.") if facts.public else tr("Its items are private."),
            tr("Files that are made public carry the canary: {canary}", canary=facts.canary),
        ],
    )
    yield tr("Maintenance"), [
        tr("Frozen {at}; it never changes. SHA-256 of its manifest: {digest}", at=facts.frozen_at,
           digest=facts.digest),
        trn("Opened once.", "Opened {n} times.", facts.openings),
        open_,
    ]  # fmt: skip


def _listed(counts: Mapping[str, int]) -> str:
    return listed(with_note(name or "–", str(count)) for name, count in counts.items())


def croissant(
    facts: SplitFacts,
    license_url: str = "",
    address: str = "",
    *,
    parquet: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """The Croissant description as a JSON-LD document; ``address`` is where it can be read about.

    ``parquet`` are the files of such an export with their SHA-256; without, it is of the items as
    they were frozen. Of private items a file is described by its digest alone: it has no address.
    """
    if parquet is None:
        files = {"items.jsonl": facts.items_digest}
        names: Mapping[str, str] = {"items.jsonl": "items"}
        kind = "application/jsonlines"
        columns: tuple[str, ...] = ITEM_FIELDS
    else:
        files, names = dict(parquet), {path: PurePosixPath(path).stem for path in parquet}
        kind, columns = "application/x-parquet", ROW_FIELDS
    shown = f"{facts.items} items of the benchmark {facts.benchmark}, frozen {facts.frozen_at}."
    document: dict[str, Any] = {
        "@context": _context(),
        "@type": "sc:Dataset",
        "conformsTo": [_CONFORMS, _RAI],
        "name": facts.name,
        "description": f"{shown} {facts.canary}",
        "url": address or f"urn:sha256:{facts.digest}",
        "version": f"1.0.0+{facts.digest[:12]}",
        "datePublished": facts.frozen_at[:10],
        "isLiveDataset": False,
        "isAccessibleForFree": facts.public,
        "citeAs": f"{facts.benchmark}, split {facts.name}, SHA-256 {facts.digest}",
        "keywords": ["benchmark", "evaluation", *facts.counts.get("family", {})],
        "distribution": [
            {
                "@type": "cr:FileObject",
                "@id": path,
                "name": path,
                "description": "One item a row" + ("" if facts.public else ", kept private"),
                "contentUrl": path,
                "encodingFormat": kind,
                "sha256": digest,
            }
            for path, digest in files.items()
        ],
        "recordSet": [
            {
                "@type": "cr:RecordSet",
                "@id": name,
                "name": name,
                "field": [_field(path, name, column) for column in columns],
            }
            for path, name in names.items()
        ],
        "rai:dataCollectionType": ["Others"],
        "rai:dataAnnotationProtocol": f"{facts.decisions} decisions by {facts.people} people; "
        f"{facts.unaudited} items frozen without an audit.",
        "rai:dataReleaseMaintenancePlan": "The split is frozen; it never changes, and each use of "
        "its items is recorded.",
        "rai:dataUseCases": ["Testing"],
    }  # fmt: skip
    if license_url:
        document["license"] = license_url
    return document


def _field(path: str, record: str, column: str) -> dict[str, Any]:
    field = {
        "@type": "cr:Field",
        "@id": f"{record}/{column}",
        "name": column,
        "dataType": "sc:Integer" if column in ("revision", "position") else "sc:Text",
        "source": {"fileObject": {"@id": path}, "extract": {"column": column}},
    }
    return field | ({"repeated": True} if column in LISTS else {})


def _context() -> dict[str, Any]:
    plain = ("column", "extract", "field", "fileProperty", "fileObject", "fileSet", "format",
             "includes", "isLiveDataset", "jsonPath", "key", "md5", "parentField", "path",
             "recordSet", "references", "regex", "repeated", "replace", "separator", "source",
             "subField", "transform")  # fmt: skip
    return {
        "@language": "en",
        "@vocab": "https://schema.org/",
        "sc": "https://schema.org/",
        "cr": "http://mlcommons.org/croissant/",
        "rai": "http://mlcommons.org/croissant/RAI/",
        "dct": "http://purl.org/dc/terms/",
        "conformsTo": "dct:conformsTo",
        "citeAs": "cr:citeAs",
        "data": {"@id": "cr:data", "@type": "@json"},
        "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
        "examples": {"@id": "cr:examples", "@type": "@json"},
        **{name: f"cr:{name}" for name in plain},
    }
