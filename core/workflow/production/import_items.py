"""Stage 1: items from people's files, as drafts, with the reason for every row not taken."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import Any

from core.errors import ConflictError, InputError
from core.families.base import ItemContent
from core.families.catalogue import cif_bench
from core.families.intake import (
    INSTRUCTIONS,
    WHOLE_ITEMS,
    AcceptedRow,
    FileRows,
    ImportPreview,
    ImportTarget,
    beginning,
    check_mapping,
    instructions_of,
    load,
    missing_fields,
    preview_of,
    read,
    read_rows,
    recognised,
    refuse_equal_items,
    refuse_lost_options,
    rows_of,
)
from core.families.languages import language_of_task, language_of_texts
from core.gc_pause import few_collections
from core.generation.text_defects import defects_of_items
from core.i18n import sentences, tr
from core.sources.imports import ImportRow, RefusedRow
from core.sources.text_columns import refuse_row_for_names
from core.workflow.labels import FAMILIES, word
from core.workflow.names import check_task_name
from core.workflow.people import ensure_benchmark_in, ensure_task_in
from core.workflow.production import hidden_items, import_check, new_items
from core.workflow.production.hidden_items import HiddenItems, reads_alike
from core.workflow.production.import_report import ImportReport as ImportReport
from core.workflow.production.import_report import RowCount
from core.workflow.production.label_spaces import (
    labels_alike,
    lacking_label_space,
    told_label_space,
    with_label_space,
)
from core.workflow.production.repeated_rows import with_repeats
from core.workflow.production.spooled_rows import SpooledRows
from core.workflow.protocols import ProtocolSettings, default_protocol
from core.workflow.rights import Action, refuse_early, writing_as
from core.workflow.short_steps import FEW
from core.workflow.workspace import Workspace
from db import benchmarks, items, ledger
from db.benchmarks import TaskRow
from db.engine import Session
from db.items import NewItem
from db.people import PersonRow

_ATTEMPTS = 5
_BATCH = 1000
REMEMBERED = "import_mappings"  # in a task's profile: format to mapping


@dataclass(frozen=True, slots=True)
class ImportOrder:
    """What is imported, and whereto. Empty fields are found: the format by the file, the family
    by the task, else by the file's columns, the mapping by what the task remembers and by the
    usual names. ``sheet`` ``all`` reads every sheet of a workbook; ``drop`` are columns that are
    not kept beside the items, ``source`` the one that names what items share: by default a column
    that is called so (``core.families.shared_source``)."""

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
    drop: tuple[str, ...] = ()
    source: str = ""
    annotators: bool = False
    """Whether the annotations of the file are recorded as decisions of their annotators."""


def preview(ws: Workspace, order: ImportOrder) -> ImportPreview:
    """The beginning of the file, with the mapping that an import would use."""
    with ws.reading() as session:
        task = _existing_task(session, order)
        is_empty = not task or not items.any_of(session, task.id)
    first = beginning(order.path, order.format, order.sheet)
    target = _target(task, order, first)
    seen = _with_remembered(preview_of(first, target), task, order, target)
    seen = with_label_space(seen, order.mapping, target, _rows(order)) if is_empty else seen
    return replace(seen, language=_language(task, order, seen, target))


def preview_if_suited(ws: Workspace, order: ImportOrder) -> ImportPreview | None:
    """The beginning of the file as ``preview``; None where its columns do not give items of the
    task without anybody mapping them."""
    with ws.reading() as session:
        task = _existing_task(session, order)
        is_empty = not task or not items.any_of(session, task.id)
    first = beginning(order.path, order.format, order.sheet)
    target = _target(task, order, first)
    try:
        seen = _preflight(order, task, target, first, _rows(order) if is_empty else ())
    except InputError:
        return None
    return replace(seen, language=_language(task, order, seen, target))


def _rows(order: ImportOrder) -> Iterator[ImportRow | RefusedRow]:
    return rows_of(order.path, order.format, order.sheet)


def import_file(ws: Workspace, order: ImportOrder) -> ImportReport:
    """Import one file into a task; a dry run writes nothing.

    The file is read to its end before anybody is kept from writing, and many rows are written in
    short transactions: nobody sees one of them before the end, and what an import left that was
    killed is taken up by the next one of these rows. The task and its benchmark are
    made where they are missing and a row can be taken, by a lead. Raises InputError for a file that
    cannot be read at all or whose columns do not give an item, ConflictError where others keep
    changing the task; a bad row is only reported.
    """
    return _import_rows(ws, order, None)


def import_tasks(ws: Workspace, order: ImportOrder, column: str) -> list[ImportReport]:
    """Import one file into several tasks, each named by what a row has in a column.

    Every task is imported as ``import_file`` does, one after the other; rows that say nothing in
    the column are refused with the first. Raises InputError where no row has the column.
    """
    file = load(order.path, order.format, order.sheet)
    groups: dict[str, list[ImportRow | RefusedRow]] = {}
    unnamed: list[ImportRow | RefusedRow] = []
    for row in file.rows:
        name = "" if isinstance(row, RefusedRow) else _task_named(row.values.get(column))
        if isinstance(row, ImportRow) and not name:
            row = RefusedRow(row.line, tr("It names no task in the column “{column}”.",
                                          column=column))  # fmt: skip
        groups.setdefault(name, []).append(row) if name else unnamed.append(row)
    if not groups:
        raise InputError.tr("No row of “{path}” names a task in the column “{column}”.",
                            path=order.path, column=column)  # fmt: skip
    reports = []
    for number, (name, rows) in enumerate(groups.items()):
        part = sorted([*(unnamed if number == 0 else ()), *rows], key=lambda row: row.line)
        parted = replace(order, task=name)
        reports.append(_import_rows(ws, parted, FileRows(file.path, file.format, tuple(part))))
    return reports


def _task_named(value: Any) -> str:
    return " ".join(str(value).split()) if isinstance(value, str | int | float) else ""


def _import_rows(ws: Workspace, order: ImportOrder, file: FileRows | None) -> ImportReport:
    if order.annotators and not order.dry_run:
        # who records decisions in the names of others is a lead
        refuse_early(ws, order.person, Action.CHANGE_PEOPLE)
    report, written = _imported(ws, order, file)
    if not order.annotators or order.dry_run:
        return report
    from core.workflow.production import annotators  # few imports have any

    return replace(report, decisions=annotators.record(ws, written, order.person))


def _imported(
    ws: Workspace, order: ImportOrder, file: FileRows | None
) -> tuple[ImportReport, list[tuple[int, ItemContent]]]:
    """The report, and, where annotators count, the items that were written with their numbers."""
    for _ in range(_ATTEMPTS):
        with ws.reading() as session:
            task = _existing_task(session, order)
            known = _hashes(session, task)
        action = Action.WRITE if task else Action.ADD_TASK
        if not order.dry_run:
            refuse_early(ws, order.person, action)
        with _read(order, task, file, known) as reading:
            imported = _import_read(ws, order, reading, task, action)
        if imported is not None:
            return imported
    raise ConflictError.tr(
        "Task “{task}” was changed while “{path}” was read; nothing was imported. Try again.",
        task=order.task,
        path=order.path,
    )


def _import_read(
    ws: Workspace, order: ImportOrder, reading: "_ReadFile", task: TaskRow | None, action: Action
) -> tuple[ImportReport, list[tuple[int, ItemContent]]] | None:
    """As ``_imported``; None where the task is no longer what it was when the file was read."""
    if order.dry_run or not reading.has_items:
        with ws.reading() as session:
            return _import(session, order, reading, task, None)
    with ws.reading() as session:
        in_parts = len(reading.rows) > FEW or hidden_items.hidden_in(session, task)
    with few_collections():
        if in_parts:
            return _import_in_parts(ws, order, reading, task, action)
        with writing_as(ws, order.person, action) as (session, actor):
            found = _task_as_read(session, order, reading, task, actor)
            if found is None:
                return None
            items.one_writer(session, found.id)
            report, written = _import(session, order, reading, found, actor.id)
            notes = ("" if task else import_check.told_of_new_task(found), report.note)
            return replace(report, note=sentences(notes)), written


def _task_as_read(
    session: Session, order: ImportOrder, reading: "_ReadFile", task: TaskRow | None,
    actor: PersonRow,
) -> TaskRow | None:  # fmt: skip
    """The task as it was when the file was read, made where there was none; None where it changed
    meanwhile."""
    if not reads_alike(task, _existing_task(session, order)):
        return None
    benchmark = ensure_benchmark_in(session, order.benchmark, actor.name)
    return task or _new_task(session, benchmark, order, reading)


def _import_in_parts(
    ws: Workspace, order: ImportOrder, reading: "_ReadFile", task: TaskRow | None, action: Action
) -> tuple[ImportReport, list[tuple[int, ItemContent]]] | None:
    """As ``_import_read``, in transactions for which nobody waits; the last shows the items."""
    is_new = task is None
    with writing_as(ws, order.person, action) as (session, actor):
        found = _task_as_read(session, order, reading, task, actor)
        author = actor.id if order.wrote else None
    if found is None:
        return None
    with ws.reading() as session:
        hidden = hidden_items.hidden_in(session, found)
        known = _hashes(session, found)
    bringing = HiddenItems(ws, order.person, found, order.path.name, _origin(order), hidden)
    counts = RowCount()
    new_rows = _new_rows(reading.rows, known, counts)
    while batch := list(islice(new_rows, bringing.steps.size)):
        _bring(bringing, batch, author, counts, keep=order.annotators)
    note = bringing.end(
        lambda session: _remember(
            session, benchmarks.task(session, found.id), order, reading.preview
        )
    )
    if is_new:
        note = sentences((import_check.told_of_new_task(found), note))
    return _report(order, reading, counts, note), counts.written


def _bring(
    bringing: HiddenItems, rows: Sequence[AcceptedRow], author: int | None, counts: RowCount,
    *, keep: bool,
) -> None:  # fmt: skip
    """Write rows as one part of an import, and count what became of them."""
    checked = _with_defects(rows)
    hashes = [row.content.content_hash for row in checked]
    numbers = bringing.write(lambda task: _new_items(checked, task, author))
    for row, digest, number in zip(checked, hashes, numbers, strict=True):
        if number is None:
            waits = digest in bringing.waiting
            counts.waiting += waits
            counts.known.append((_waits_in_another if waits else _has_already)(row.line))
            counts.content(row, -1)
            continue
        counts.take(row, number)
        if keep:
            counts.written.append((number, row.content))


@dataclass(frozen=True, slots=True)
class _ReadFile:
    """A file read to its end, what its rows became, and the mapping by which they did."""

    preview: ImportPreview
    target: ImportTarget
    rows: SpooledRows

    @property
    def has_items(self) -> bool:
        return self.rows.has_items


@contextmanager
def _read(
    order: ImportOrder, task: TaskRow | None, file: FileRows | None, known: set[str]
) -> Iterator[_ReadFile]:
    """A file that was read to its end, until what was read of it is done with; its items are
    checked but for those whose contents the task has already (``known``)."""
    check_task_name(order.task)
    with few_collections():
        # what cannot be imported at all is found out before all of it is read
        first = file or beginning(order.path, order.format, order.sheet)
        target = _target(task, order, first)
        all_rows = file.rows if file else _rows(order)
        preview = _preflight(order, task, target, first, () if known else all_rows)
        language = _language(task, order, preview, target)
        target = replace(target, defaults={"language": language, **target.defaults})
        read_all = (
            read(order.path, target, preview.mapping, order.format, order.sheet)
            if file is None
            else read_rows(file, target, preview.mapping)
        )
        rows = SpooledRows(_checked(read_all, known))
    with closing(rows):
        yield _ReadFile(replace(preview, language=language), target, rows)


def _language(
    task: TaskRow | None, order: ImportOrder, preview: ImportPreview, target: ImportTarget
) -> str:
    """The task's language, else the one that was given, else what the rows ask in."""
    profile = task.profile if task else _catalogue_profile(order, target.family)
    if known := language_of_task(profile) or order.language.strip():
        return known
    return language_of_texts(instructions_of(preview.rows, preview.mapping, target))


def _preflight(
    order: ImportOrder, task: TaskRow | None, target: ImportTarget, first: FileRows,
    rows: Iterable[ImportRow | RefusedRow],
) -> ImportPreview:  # fmt: skip
    """The preview with its final mapping; InputError where it cannot give an item. ``rows`` are all
    of a file whose label space may be found."""
    if order.family and order.family != target.family:
        raise InputError.tr(
            "Task “{task}” belongs to the family {family}, not {given}.",
            task=order.task,
            family=word(FAMILIES, target.family),
            given=word(FAMILIES, order.family),
        )
    preview = _with_remembered(preview_of(first, target), task, order, target)
    if preview.format != WHOLE_ITEMS:
        if preview.format in ("csv", "excel") and missing_fields(preview.mapping, target):
            below = (row.values for row in first.rows if isinstance(row, ImportRow))
            refuse_row_for_names(order.path, below)
        check_mapping(preview.mapping, preview.columns, target)
        if order.mapping.get("input") != "":  # nobody left it out
            refuse_equal_items(preview, target)
        refuse_lost_options(first, preview.mapping, target)
    # items of one task have one label space: the first import finds it
    return with_label_space(preview, order.mapping, target, rows)


def _import(
    session: Session,
    order: ImportOrder,
    reading: _ReadFile,
    task: TaskRow | None,
    person_id: int | None,
) -> tuple[ImportReport, list[tuple[int, ItemContent]]]:
    counts = RowCount()
    known = _hashes(session, task, hidden=not order.dry_run)
    new_rows = _new_rows(reading.rows, known, counts)
    author = person_id if order.wrote else None
    while batch := list(islice(new_rows, _BATCH)):
        checked = _with_defects(batch)
        for row in checked:
            counts.take(row)
        if task is not None and not order.dry_run:
            numbers = _write(session, order, task, checked, author)
            counts.first = counts.first or numbers[0]
            if order.annotators:
                counts.written += zip(numbers, (row.content for row in batch), strict=True)
    if task is not None and not order.dry_run and reading.has_items:
        _remember(session, task, order, reading.preview)
    return _report(order, reading, counts), counts.written


def _report(
    order: ImportOrder, reading: _ReadFile, counts: RowCount, note: str = ""
) -> ImportReport:
    found, target = reading.preview, reading.target
    advice = (
        import_check.unshown_texts(found, target),
        lacking_label_space(found, target),
        labels_alike(found),
        import_check.options_in_questions(found, target),
        import_check.of_the_other_kind(found, target),
    )
    in_words = import_check.measured_in_words(found, counts.in_words)
    return ImportReport(
        file=str(order.path),
        format=reading.preview.format,
        task=order.task,
        benchmark=order.benchmark,
        total=counts.total,
        taken=counts.taken,
        refused=tuple(counts.refused),
        known_rows=tuple(counts.known),
        mapping=dict(reading.preview.mapping),
        defects=dict(sorted(counts.defects.items())),
        dry_run=order.dry_run,
        note=sentences((note, told_label_space(found), in_words, *advice)),
        advises=any(advice),
        findings=import_check.findings(reading.rows) if order.dry_run else (),
        family=reading.target.family,
        kept=dict(+counts.kept),
        dropped=dict(+counts.dropped),
        repeated=counts.repeated,
        waiting=counts.waiting,
        first=counts.first,
    )


def _hashes(session: Session, task: TaskRow | None, *, hidden: bool = False) -> set[str]:
    """Of the contents that a task shows, or has."""
    known = {known for _, known in items.known_hashes(session, [task.id])} if task else set()
    return known if hidden else known - hidden_items.hidden_in(session, task).keys()


def _checked(
    rows: Iterable[AcceptedRow | RefusedRow], known: set[str]
) -> Iterator[AcceptedRow | RefusedRow]:
    """The rows, with the defects of those whose content is not ``known``.

    A file is checked while it is read, when nobody is kept from writing: that takes as long as all
    that is done afterwards.
    """
    stream = iter(rows)
    while batch := list(islice(stream, _BATCH)):
        unchecked = {
            place: row
            for place, row in enumerate(batch)
            if isinstance(row, AcceptedRow) and not (known and row.content.content_hash in known)
        }
        checked = _with_defects(list(unchecked.values()))
        for place, row in zip(unchecked, checked, strict=True):
            batch[place] = row
        yield from batch


def _with_defects(rows: Sequence[AcceptedRow]) -> list[AcceptedRow]:
    """The rows, those checked that were not yet."""
    places = [place for place, row in enumerate(rows) if row.defects is None]
    found = defects_of_items([rows[place].content for place in places])
    checked = list(rows)
    for place, defects in zip(places, found, strict=True):
        row = rows[place]
        checked[place] = AcceptedRow(row.line, row.content, row.dropped, tuple(defects))
    return checked


def _new_rows(rows: SpooledRows, known: set[str], counts: RowCount) -> Iterator[AcceptedRow]:
    """The rows with contents that are neither ``known``, the task's own, nor in an earlier row."""
    reasons: dict[int, str] = {}  # of rows that repeat an earlier one, by line
    repeated = rows.repeated()
    for row in rows:
        counts.total += 1
        if isinstance(row, RefusedRow):
            counts.refused.append(row)
            continue
        digest = row.content.content_hash
        if digest in known:
            counts.known.append(_has_already(row.line))
        elif reason := reasons.pop(row.line, ""):
            counts.repeated += 1
            counts.known.append(RefusedRow(row.line, reason))
        else:
            if repeated(digest):
                row, found = with_repeats(rows.with_content(digest))
                reasons.update(found)
            counts.content(row)
            yield row


def _has_already(line: int) -> RefusedRow:
    return RefusedRow(line, tr("The task already has an item with this content."))


def _waits_in_another(line: int) -> RefusedRow:
    return RefusedRow(
        line,
        tr("An import that has not ended brought an item with this content, by another author or "
           "with other columns beside it. Import its file again in the same way to end it."),
    )  # fmt: skip


def _new_items(rows: Sequence[AcceptedRow], task: TaskRow, person_id: int | None) -> list[NewItem]:
    drafts = [(row.content, task) for row in rows]
    return new_items.new_items(drafts, None, person_id, [row.defects or () for row in rows])


def _origin(order: ImportOrder) -> dict[str, Any]:
    """What the event of an item says of where it comes from."""
    return {"file": order.path.name, **({"wrote": True} if order.wrote else {})}


def _write(
    session: Session,
    order: ImportOrder,
    task: TaskRow,
    rows: Sequence[AcceptedRow],
    person_id: int | None,
) -> list[int]:
    new = _new_items(rows, task, person_id)
    ids = items.add(session, new)
    written = zip(ids, new, strict=True)
    ledger.append(session, *new_items.created_events(written, order.person, _origin(order)))
    return ids


def _existing_task(session: Session, order: ImportOrder) -> TaskRow | None:
    benchmark = benchmarks.benchmark_named(session, order.benchmark)
    return benchmarks.task_named(session, benchmark.id, order.task) if benchmark else None


def _new_task(
    session: Session, benchmark: benchmarks.BenchmarkRow, order: ImportOrder, reading: _ReadFile
) -> TaskRow:
    family_name, language = reading.target.family, reading.preview.language
    known = {"languages": [language]} if language else {}
    measured = import_check.likeness(reading.preview, reading.target)
    profile = {**known, **(_catalogue_profile(order, family_name) or measured)}
    return ensure_task_in(
        session, benchmark, order.task, family_name,
        format=order.item_format, actor=order.person, profile=profile,
        protocol=_annotated_protocol(reading) if order.annotators else None,
    )  # fmt: skip


def _annotated_protocol(reading: _ReadFile) -> ProtocolSettings:
    """A protocol with places for all annotators of the file, whose items no model screens."""
    from core.workflow.production import annotators

    contents = [row.content for row in reading.rows if isinstance(row, AcceptedRow)]
    places = min(50, max(1, annotators.most_annotators(contents)))
    known = default_protocol(reading.target.family)
    return known.model_copy(update={"gate": "off", "overlap": places})


def _catalogue_profile(order: ImportOrder, family_name: str) -> dict[str, Any]:
    """What CIF-Bench's catalogue knows of a task, by its name or the file's."""
    if family_name != INSTRUCTIONS:
        return {}
    task = cif_bench().match(order.task) or cif_bench().match(order.path.name)
    return {} if task is None else task.profile


def _target(task: TaskRow | None, order: ImportOrder, first: FileRows) -> ImportTarget:
    if task is None:
        name = order.family or recognised(first, order.mapping)
        return ImportTarget(name, order.item_format, drop=order.drop, source=order.source)
    profile = task.profile
    defaults = {name: profile[name] for name in ("labels", "instruction") if profile.get(name)}
    return ImportTarget(
        task.family, order.item_format or task.format, domain=task.domain, defaults=defaults,
        drop=order.drop, source=order.source,
    )  # fmt: skip


def _with_remembered(
    preview: ImportPreview, task: TaskRow | None, order: ImportOrder, target: ImportTarget
) -> ImportPreview:
    """The mapping: suggested, over it what the task remembers, over it what was given."""
    if preview.format == WHOLE_ITEMS:
        return preview
    remembered = task.profile.get(REMEMBERED, {}) if task else {}
    spaces = [known["labels"] for known in remembered.values() if "labels" in known]
    # the label space is the task's, whatever the format of its files
    stored = {**({"labels": spaces[0]} if spaces else {}), **remembered.get(preview.format, {})}
    usable = {
        name: source
        for name, source in stored.items()
        if source.startswith("=")
        or {part.partition(".")[0] for part in source.split("+")} <= set(preview.columns)
        or source in preview.columns
    }
    chosen = {**preview.mapping, **usable, **order.mapping}
    if order.mapping.get("instruction", "=") == chosen.get("input"):
        chosen["input"] = order.mapping.get("input", "")  # a text is not asked for twice
    mapping = {name: source for name, source in chosen.items() if source}
    return replace(preview, mapping=mapping, missing=missing_fields(mapping, target))


def _remember(session: Session, task: TaskRow, order: ImportOrder, preview: ImportPreview) -> None:
    found = {"labels": preview.mapping["labels"]} if preview.label_space else {}
    if not order.mapping and not found:
        return
    stored = dict(task.profile.get(REMEMBERED, {}))
    given = {**stored.get(preview.format, {}), **found, **order.mapping}
    stored[preview.format] = {name: source for name, source in given.items() if source}
    benchmarks.set_profile(session, task.id, {**task.profile, REMEMBERED: stored})
