"""Stage 1: items from people's files, as drafts, with the reason for every row not taken."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import Any

from core.errors import ConflictError, InputError
from core.families import family
from core.families.base import ItemContent
from core.families.catalogue import cif_bench
from core.families.intake import (
    WHOLE_ITEMS,
    AcceptedRow,
    ImportPreview,
    ImportTarget,
    check_mapping,
    instructions_of,
    lacking,
)
from core.families.intake import preview as preview_file
from core.families.intake import read as read_file
from core.families.languages import language_of_task, language_of_texts
from core.gc_pause import few_collections
from core.i18n import tr
from core.sources.imports import RefusedRow
from core.workflow.model_servers import gate_sentence
from core.workflow.names import check_task_name
from core.workflow.people import ensure_benchmark_in, ensure_task_in
from core.workflow.production import take_in_items
from core.workflow.production.import_check import ImportFinding, findings
from core.workflow.protocols import settings_of
from core.workflow.rights import Action, refuse_early, writing_as
from core.workflow.workspace import Workspace
from db import benchmarks, items, ledger
from db.benchmarks import TaskRow
from db.engine import Session
from db.items import NewItem

_ATTEMPTS = 5
_BATCH = 1000
REMEMBERED = "import_mappings"  # in a task's profile: format to mapping


@dataclass(frozen=True, slots=True)
class ImportOrder:
    """What is imported, and whereto. Empty fields are found: the format by the file, the family
    by the task, the mapping by what the task remembers and by the usual names."""

    path: Path
    task: str
    benchmark: str
    format: str = ""
    mapping: Mapping[str, str] = field(default_factory=dict)
    """Field to column; an empty column leaves the field out."""
    family: str = ""
    item_format: str = ""
    person: str = ""
    dry_run: bool = False
    sheet: str = ""
    language: str = ""
    """Language of a new task; empty: what the first rows are written in."""
    wrote: bool = False
    """Whether ``person`` wrote the items, and so may not review them."""


@dataclass(frozen=True, slots=True)
class ImportReport:
    """What became of every row: ``total`` = ``taken`` + ``known`` + the refused ones.

    ``known`` are rows whose content the task, or an earlier row, has already; ``known_rows`` says
    for each which. ``defects`` counts the taken items that have each defect.
    """

    file: str
    format: str
    task: str
    benchmark: str
    total: int
    taken: int
    refused: tuple[RefusedRow, ...]
    known_rows: tuple[RefusedRow, ...]
    mapping: Mapping[str, str]
    defects: Mapping[str, int]
    dry_run: bool
    note: str = ""
    """What is unusual about a task that was made, in a sentence."""
    findings: tuple[ImportFinding, ...] = ()
    """Of a dry run: what the rows that can be taken have wrong or leave empty, by line."""

    @property
    def known(self) -> int:
        """Rows that brought nothing new."""
        return len(self.known_rows)

    @property
    def nothing_readable(self) -> bool:
        """Whether every row was refused; then nothing was written, and no task was made."""
        return not self.taken and not self.known_rows


class _Count:
    """What was counted so far."""

    def __init__(self) -> None:
        self.total = 0
        self.taken = 0
        self.refused: list[RefusedRow] = []
        self.known: list[RefusedRow] = []
        self.defects: Counter[str] = Counter()


def preview(ws: Workspace, order: ImportOrder) -> ImportPreview:
    """The beginning of the file, with the mapping that an import would use."""
    with ws.reading() as session:
        task = _existing_task(session, order)
    target = _target(task, order)
    seen = preview_file(order.path, target, order.format, order.sheet)
    seen = _with_remembered(seen, task, order, target)
    return replace(seen, language=_language(task, order, seen))


def import_file(ws: Workspace, order: ImportOrder) -> ImportReport:
    """Import one file into a task, all in one transaction; a dry run writes nothing.

    The file is read to its end before anybody is kept from writing. The task and its benchmark are
    made where they are missing and a row can be taken, by a lead. Raises InputError for a file that
    cannot be read at all or whose columns do not give an item, ConflictError where others keep
    changing the task; a bad row is only reported.
    """
    for _ in range(_ATTEMPTS):
        with ws.reading() as session:
            task = _existing_task(session, order)
        action = Action.WRITE if task else Action.ADD_TASK
        if not order.dry_run:
            refuse_early(ws, order.person, action)
        reading = _read(order, task)
        if order.dry_run or not reading.has_items:
            with ws.reading() as session:
                return _import(session, order, reading, task, None)
        with writing_as(ws, order.person, action) as (session, actor):
            if _reads_alike(task, _existing_task(session, order)):
                benchmark = ensure_benchmark_in(session, order.benchmark, actor.name)
                if task is not None:
                    return _import(session, order, reading, task, actor.id)
                task = _new_task(session, benchmark, order, reading.preview.language)
                report = _import(session, order, reading, task, actor.id)
                protocol = settings_of(task.protocol)
                return replace(report, note=gate_sentence(task.family, protocol))
    raise ConflictError(
        tr(
            "Task “{task}” was changed while “{path}” was read; nothing was imported. Try again.",
            task=order.task,
            path=order.path,
        )
    )


@dataclass(frozen=True, slots=True)
class _ReadFile:
    """A file read to its end, and the mapping by which it was."""

    preview: ImportPreview
    rows: Sequence[AcceptedRow | RefusedRow]

    @property
    def has_items(self) -> bool:
        return any(isinstance(row, AcceptedRow) for row in self.rows)


def _read(order: ImportOrder, task: TaskRow | None) -> _ReadFile:
    preview = _preflight(order, task)
    target = _target(task, order)
    language = _language(task, order, preview)
    target = replace(target, defaults={"language": language, **target.defaults})
    with few_collections():
        rows = list(read_file(order.path, target, preview.mapping, preview.format, order.sheet))
    return _ReadFile(replace(preview, language=language), rows)


def _language(task: TaskRow | None, order: ImportOrder, preview: ImportPreview) -> str:
    """The task's language, else the one that was given, else what the rows ask in."""
    profile = task.profile if task else _catalogue_profile(order)
    if known := language_of_task(profile) or order.language.strip():
        return known
    told = instructions_of(preview.rows, preview.mapping, _target(task, order))
    return language_of_texts(told)


def _reads_alike(before: TaskRow | None, now: TaskRow | None) -> bool:
    """Whether a file means for the task as it is now what it meant when it was read."""
    if before is None or now is None:
        return before is now
    names = ("id", "family", "format", "domain", "profile")
    return all(getattr(before, name) == getattr(now, name) for name in names)


def _preflight(order: ImportOrder, task: TaskRow | None) -> ImportPreview:
    """The preview with its final mapping; InputError where it cannot give an item."""
    check_task_name(order.task)
    target = _target(task, order)
    if order.family and order.family != target.family:
        raise InputError(
            tr(
                "Task “{task}” belongs to the family {family}, not {given}.",
                task=order.task,
                family=target.family,
                given=order.family,
            )
        )
    preview = _with_remembered(
        preview_file(order.path, target, order.format, order.sheet), task, order, target
    )
    if preview.format != WHOLE_ITEMS:
        check_mapping(preview.mapping, preview.columns, target)
    return preview


def _import(
    session: Session,
    order: ImportOrder,
    reading: _ReadFile,
    task: TaskRow | None,
    person_id: int | None,
) -> ImportReport:
    preview = reading.preview
    counts = _Count()
    lines = dict.fromkeys(
        (digest for _, digest in items.known_hashes(session, [task.id])) if task else (), 0
    )
    contents = _new_rows(reading.rows, lines, counts)
    while batch := list(islice(contents, _BATCH)):
        counts.taken += len(batch)
        if order.dry_run or task is None:
            for content in batch:
                counts.defects.update({d.name for d in family(content.family).check(content)})
        else:
            new = _write(session, order, task, batch, person_id if order.wrote else None)
            for item in new:
                counts.defects.update({defect["name"] for defect in item.defects})
    if task is not None and not order.dry_run and reading.has_items:
        _remember(session, task, order, preview)
    return ImportReport(
        file=str(order.path),
        format=preview.format,
        task=order.task,
        benchmark=order.benchmark,
        total=counts.total,
        taken=counts.taken,
        refused=tuple(counts.refused),
        known_rows=tuple(counts.known),
        mapping=dict(preview.mapping),
        defects=dict(sorted(counts.defects.items())),
        dry_run=order.dry_run,
        findings=findings(reading.rows) if order.dry_run else (),
    )


def _new_rows(
    rows: Iterable[AcceptedRow | RefusedRow], lines: dict[str, int], counts: _Count
) -> Iterator[ItemContent]:
    """The contents that are new; ``places`` has the line of each hash, 0 for the task's own."""
    for row in rows:
        counts.total += 1
        if isinstance(row, RefusedRow):
            counts.refused.append(row)
            continue
        digest = row.content.content_hash
        if digest not in lines:
            lines[digest] = row.line
            yield row.content
        elif lines[digest]:
            reason = tr("It has the same content as line {line}.", line=lines[digest])
            counts.known.append(RefusedRow(row.line, reason))
        else:
            counts.known.append(
                RefusedRow(row.line, tr("The task already has an item with this content."))
            )


def _write(
    session: Session,
    order: ImportOrder,
    task: TaskRow,
    contents: list[ItemContent],
    person_id: int | None,
) -> list[NewItem]:
    new = [
        take_in_items.new_item(content, content.content_hash, task, None, author_id=person_id)
        for content in contents
    ]
    ids = items.add(session, new)
    data = {"file": order.path.name, **({"wrote": True} if order.wrote else {})}
    events = take_in_items.created_events(zip(ids, new, strict=True), order.person, data)
    ledger.append(session, *events)
    return new


def _existing_task(session: Session, order: ImportOrder) -> TaskRow | None:
    benchmark = benchmarks.benchmark_named(session, order.benchmark)
    return benchmarks.task_named(session, benchmark.id, order.task) if benchmark else None


def _new_task(
    session: Session, benchmark: benchmarks.BenchmarkRow, order: ImportOrder, language: str
) -> TaskRow:
    target = _target(None, order)
    known = {"languages": [language]} if language else {}
    profile = {**known, **_catalogue_profile(order)}
    return ensure_task_in(
        session, benchmark, order.task, target.family,
        format=order.item_format, actor=order.person, profile=profile,
    )  # fmt: skip


def _catalogue_profile(order: ImportOrder) -> dict[str, Any]:
    """What CIF-Bench's catalogue knows of a task, by its name or the file's."""
    if order.family not in ("", "instruction"):
        return {}
    task = cif_bench().match(order.task) or cif_bench().match(order.path.name)
    return {} if task is None else task.profile


def _target(task: TaskRow | None, order: ImportOrder) -> ImportTarget:
    if task is None:
        return ImportTarget(order.family or "instruction", order.item_format)
    profile = task.profile
    defaults = {name: profile[name] for name in ("labels", "instruction") if profile.get(name)}
    return ImportTarget(
        task.family, order.item_format or task.format, domain=task.domain, defaults=defaults
    )


def _with_remembered(
    preview: ImportPreview, task: TaskRow | None, order: ImportOrder, target: ImportTarget
) -> ImportPreview:
    """The mapping: suggested, over it what the task remembers, over it what was given."""
    if preview.format == WHOLE_ITEMS:
        return preview
    stored = (task.profile.get(REMEMBERED, {}) if task else {}).get(preview.format, {})
    usable = {
        name: source
        for name, source in stored.items()
        if source.startswith("=")
        or set(source.split("+")) <= set(preview.columns)
        or source in preview.columns
    }
    mapping = {**preview.mapping, **usable, **order.mapping}
    mapping = {name: source for name, source in mapping.items() if source}
    return replace(preview, mapping=mapping, missing=lacking(mapping, target))


def _remember(session: Session, task: TaskRow, order: ImportOrder, preview: ImportPreview) -> None:
    if not order.mapping:
        return
    stored = dict(task.profile.get(REMEMBERED, {}))
    given = {**stored.get(preview.format, {}), **order.mapping}
    stored[preview.format] = {name: source for name, source in given.items() if source}
    benchmarks.set_profile(session, task.id, {**task.profile, REMEMBERED: stored})
