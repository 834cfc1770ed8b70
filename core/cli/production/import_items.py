"""``import``: items from files."""

import argparse
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.cli.commands import add_command, open_workspace
from core.cli.console import Console
from core.cli.items.second_look import tell_of_doubted
from core.cli.options import RegisteredNames, add_benchmark, add_user
from core.errors import BenchsealError, UsageError
from core.i18n import labelled, listed, tr, trn, with_note

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from core.workflow.items.search_index import SearchCoverage
    from core.workflow.production.import_items import ImportOrder, ImportReport
    from core.workflow.workspace import Workspace


_SHOWN = 10
_FIRST_LINES = 8  # of rows refused for one reason


def _add_import(commands: Any) -> None:
    parser = add_command(commands, "import", tr("import items from files"), _import)
    parser.add_argument("files", metavar="FILE", nargs="+", type=Path, help=tr("files of items"))
    task = parser.add_mutually_exclusive_group()
    task.add_argument(
        "--task",
        default="",
        metavar="T",
        help=tr("task of the items; default: one for each file, named after it"),
    )
    task.add_argument(
        "--task-from",
        default="",
        metavar="COLUMN",
        help=tr("column that names the task of each row"),
    )
    add_benchmark(parser)
    parser.add_argument("--format", metavar="FORMAT", default="",
                        choices=RegisteredNames("core.sources.imports", "IMPORT_FORMATS"),
                        help=tr("file format: %(choices)s; default: detected"))  # fmt: skip
    parser.add_argument(
        "--map",
        metavar="FIELD=COLUMN",
        action="append",
        default=[],
        help=tr(
            "read a field from a column; A+B joins two columns, ==VALUE sets one value for all rows"
        ),
    )
    parser.add_argument(
        "--drop",
        metavar="COLUMN",
        action="append",
        default=[],
        help=tr("leave a column out; by default, columns that no field needs are kept"),
    )
    parser.add_argument(
        "--source-column",
        default="",
        metavar="COLUMN",
        help=tr(
            "column that names each row's article or other source; default: a column with such a "
            "name"
        ),
    )
    parser.add_argument(
        "--sheet",
        default="",
        metavar="NAME",
        help=tr("sheet of a workbook; all: every sheet, with its name in a column sheet"),
    )
    parser.add_argument("--family", metavar="F", default="", help=tr("family of a new task"))
    parser.add_argument("--item-format", metavar="F", default="", help=tr("format of the items"))
    parser.add_argument("--language", metavar="L", default="",
                        help=tr("language code of a new task; default: detected"))  # fmt: skip
    parser.add_argument("--wrote", action="store_true",
                        help=tr("the user wrote the items and must not review them"))  # fmt: skip
    parser.add_argument("--annotators", action="store_true",
                        help=tr("record the annotations of the file as their annotators' "
                                "decisions; leads only"))  # fmt: skip
    parser.add_argument(
        "--give-up",
        action="store_true",
        help=tr("import nothing: stop waiting for unfinished imports of these files, whose items "
                "stay hidden; leads only"),
    )  # fmt: skip
    add_user(parser, tr("who imports the items"))
    parser.add_argument(
        "--dry-run", action="store_true", help=tr("show what would be done; write nothing")
    )


def _import(arguments: argparse.Namespace, console: Console) -> int:
    from core.workflow.production import import_items

    if arguments.give_up:
        return _give_up(arguments, console)
    mapping = dict(_pair(text) for text in arguments.map)
    ws = open_workspace(arguments, console, make=not arguments.dry_run)
    reports: list[ImportReport] = []
    failed: list[tuple[Path, BenchsealError]] = []
    for path in arguments.files:
        try:
            order = _order(ws, arguments, path, mapping)
            if arguments.task_from:
                reports += import_items.import_tasks(ws, order, arguments.task_from)
            else:
                reports.append(import_items.import_file(ws, order))
        except BenchsealError as error:
            if len(arguments.files) == 1:
                raise
            # one bad file blocks none of the others
            failed.append((path, error))
            console.complain(error.on_command_line)
    if not arguments.dry_run:
        for benchmark in dict.fromkeys(report.benchmark for report in reports):
            tell_of_doubted(ws, benchmark, console)
    document = {
        "files": [_document(report) for report in reports],
        "failed": [{"file": str(path), "reason": str(error)} for path, error in failed],
    }
    if len(arguments.files) == 1 and not arguments.task_from:
        document = _document(reports[0])
    console.emit(document, _told_together(reports))
    if not arguments.dry_run:
        _index(ws, console)
    if failed:
        return failed[0][1].exit_code
    return 1 if any(report.nothing_readable for report in reports) else 0


def _order(
    ws: "Workspace", arguments: argparse.Namespace, path: Path, mapping: "Mapping[str, str]"
) -> "ImportOrder":
    from core.workflow.names import task_named_after
    from core.workflow.people import benchmark_for
    from core.workflow.production.import_items import ImportOrder

    task = arguments.task or task_named_after(path)
    return ImportOrder(
        path=path,
        task=task,
        benchmark=arguments.benchmark or benchmark_for(ws, "" if arguments.task_from else task),
        format=arguments.format,
        mapping=mapping,
        family=arguments.family,
        item_format=arguments.item_format,
        person=arguments.user,
        dry_run=arguments.dry_run,
        sheet=arguments.sheet,
        language=arguments.language,
        wrote=arguments.wrote,
        drop=tuple(arguments.drop),
        source=arguments.source_column,
        annotators=arguments.annotators,
    )


def _index(ws: "Workspace", console: Console) -> None:
    """Index what was imported for the search; interrupting this does not undo the import."""
    from core.gc_pause import few_collections
    from core.workflow.items import search_index

    def tell(reached: "SearchCoverage") -> None:
        console.say(tr("The items are imported. Indexing texts: {reach}.",
                       reach=reached.sentence))  # fmt: skip

    with few_collections():
        search_index.index_waiting(ws, tell)


def _give_up(arguments: argparse.Namespace, console: Console) -> int:
    from core.workflow.production import hidden_items

    ws = open_workspace(arguments, console)
    counts = {
        path.name: hidden_items.give_up(
            ws, arguments.user, path.name, arguments.task, arguments.benchmark
        )
        for path in arguments.files
    }
    lines = [
        trn("The import of “{file}” is given up: 1 item stays hidden.",
            "The import of “{file}” is given up: {n} items stay hidden.", count, file=name)
        for name, count in counts.items()
    ]  # fmt: skip
    console.emit({"given_up": counts}, "\n".join(lines))
    return 0


def _pair(text: str) -> tuple[str, str]:
    field, sign, column = text.partition("=")
    if not sign or not field.strip() or not column:
        raise UsageError.tr("Write --map as FIELD=COLUMN, not “{text}”.", text=text)
    return field.strip(), column


def _document(report: "ImportReport") -> dict[str, Any]:
    return {
        "file": report.file,
        "format": report.format,
        "benchmark": report.benchmark,
        "task": report.task,
        "total": report.total,
        "taken": report.taken,
        "known": report.known,
        "waiting": report.waiting,
        "refused": [{"line": row.line, "reason": row.reason} for row in report.refused],
        "known_rows": [{"line": row.line, "reason": row.reason} for row in report.known_rows],
        "mapping": dict(report.mapping),
        "defects": dict(report.defects),
        "note": report.note,
        "family": report.family,
        "kept": dict(report.kept),
        "dropped": dict(report.dropped),
        "decisions": asdict(report.decisions) if report.decisions else None,
        "dry_run": report.dry_run,
    }


def _counted(columns: "Mapping[str, int]") -> str:
    return listed(with_note(name, str(count)) for name, count in columns.items())


def _told_together(reports: "Sequence[ImportReport]") -> str:
    """Every report; what they share, such as how the columns were read, is said once."""
    lines: list[str] = []
    read = ""
    for report in reports:
        lines.append(_told(report))
        if report.mapping and _read(report) != read:
            read = _read(report)
            lines.append(read)
    if len(reports) > 1:
        lines.append(
            trn(
                "In total: {taken} of 1 row imported into {tasks}, {known} already existed, "
                "{refused} could not be imported.",
                "In total: {taken} of {n} rows imported into {tasks}, {known} already existed, "
                "{refused} could not be imported.",
                sum(report.total for report in reports),
                taken=sum(report.taken for report in reports),
                tasks=trn("1 task", "{n} tasks", len({report.task for report in reports})),
                known=sum(report.existed for report in reports),
                refused=sum(len(report.refused) for report in reports),
            )
        )
    lines += dict.fromkeys(
        tr("The benchmark is “{name}”.", name=report.benchmark)
        for report in reports
        if report.benchmark
    )
    lines += _notes(reports)
    if any(report.dry_run for report in reports):
        lines.append(tr("This was a dry run; nothing was written."))
    return "\n".join(lines)


def _notes(reports: "Sequence[ImportReport]") -> "Iterator[str]":
    """What is to be known of the tasks, which are named where it is not so of all."""
    told: dict[str, list[str]] = {}
    for report in reports:
        told.setdefault(report.note, []).append(report.task)
    for note, tasks in told.items():
        if note:
            alike = len(tasks) == len(reports)
            yield note if alike else labelled(listed(dict.fromkeys(tasks)), note)


def _read(report: "ImportReport") -> str:
    """How the columns of a file were interpreted."""
    columns = listed(f"{field} ← {column}" for field, column in report.mapping.items())
    return tr("  read as items of the family {family}: {columns}", family=report.family,
              columns=columns)  # fmt: skip


def _told(report: "ImportReport") -> str:
    lines = [
        trn(
            "{file}, task {task}: {taken} of 1 row imported, {known} already existed, "
            "{refused} could not be imported.",
            "{file}, task {task}: {taken} of {n} rows imported, {known} already existed, "
            "{refused} could not be imported.",
            report.total,
            file=report.file,
            task=report.task,
            taken=report.taken,
            known=report.existed,
            refused=len(report.refused),
        )
    ]
    if report.repeated:
        lines.append(f"  {report.repeated_text}")
    if report.waiting:
        lines.append(f"  {report.waiting_text}")
    if kept := {name: report.kept[name] for name in report.beside if name in report.kept}:
        lines.append(tr("  kept beside the items: {columns}", columns=_counted(kept)))
    if decided := report.decisions:
        lines.append(
            trn("  1 decision of annotators recorded", "  {n} decisions of annotators recorded",
                decided.recorded)
        )  # fmt: skip
        lines += [f"  {count} × {reason}" for reason, count in decided.refused.items()]
    lines += _doubted(report)
    if report.dropped:
        lines.append(tr("  left out: {columns}", columns=_counted(report.dropped)))
    lines += _refused(report)
    return "\n".join(lines)


def _refused(report: "ImportReport") -> "Iterator[str]":
    """The rows that gave no item, those for one reason together."""
    reasons: dict[str, list[int]] = {}
    for row in report.refused:
        reasons.setdefault(row.reason, []).append(row.line)
    for reason, rows in list(reasons.items())[:_SHOWN]:
        more_lines = " …" if len(rows) > _FIRST_LINES else ""
        first = listed(rows[:_FIRST_LINES]) + more_lines
        yield trn("  line {lines}: {problem}", "  {n} rows, lines {lines}: {problem}",
                  len(rows), lines=first, problem=reason)  # fmt: skip
    if (more := sum(map(len, list(reasons.values())[_SHOWN:]))) > 0:
        yield tr("… and {count} more", count=more)


def _doubted(report: "ImportReport") -> "Iterator[str]":
    """The defects of the rows that are or would be items; those of a dry run by line."""
    for finding in report.findings[:_SHOWN]:
        yield trn("  line {lines}: {problem}", "  {n} rows, lines {lines}: {problem}",
                  finding.count, lines=finding.first_lines(), problem=finding.problem)  # fmt: skip
    if report.defects and not report.dry_run:
        from core.workflow.labels import defect_label

        found = {defect_label(name): count for name, count in report.defects.items()}
        yield tr("  defects found: {defects}", defects=_counted(found))


COMMANDS = (_add_import,)
