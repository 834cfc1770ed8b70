"""Commands of a lead who watches: dashboard, alarm."""

import argparse
import os
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.cli.commands import add_command, number, open_workspace, positive, the_benchmark
from core.cli.console import Console, columns
from core.cli.options import (
    add_benchmark,
    add_criterion,
    add_judgements,
    add_task_choice,
    add_user,
    table_columns,
)
from core.errors import InputError, OutsideError
from core.i18n import language, tr

if TYPE_CHECKING:
    from core.workflow.dashboards.figures import Dashboard


def _add_dashboard(commands: Any) -> None:
    parser = add_command(
        commands, "dashboard", tr("write a dashboard as a chart or as figures"), _dashboard
    )
    parser.add_argument("panel", metavar="PANEL", help="progress|agreement|gate|people|audit")
    add_benchmark(parser)
    parser.add_argument("--png", type=Path, metavar="FILE", help=tr("write the chart as PNG"))
    parser.add_argument("--svg", type=Path, metavar="FILE", help=tr("write the chart as SVG"))
    parser.add_argument("--csv", type=Path, metavar="FILE", help=tr("write the figures as CSV"))
    parser.add_argument(
        "--theme", choices=("light", "dark"), default="light", help=tr("theme of the chart")
    )
    _add_coefficient(parser)
    add_judgements(parser)
    parser.add_argument(
        "--named", action="store_true", help=tr("show people by name; recorded in the ledger")
    )
    add_user(parser, tr("who is looking"))


def _add_coefficient(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--coefficient",
        metavar="C",
        default="fleiss_kappa",
        help=tr("coefficient, such as krippendorff_alpha_nominal"),
    )


def _dashboard(arguments: argparse.Namespace, console: Console) -> None:
    dashboard = _draw_requested(arguments, console)
    paths = [path for path in (arguments.png, arguments.svg, arguments.csv) if path is not None]
    pictures = [path for path in (arguments.png, arguments.svg) if path is not None]
    _check_endings(arguments)
    if pictures:
        _write_pictures(dashboard, paths, arguments.theme)
    elif arguments.csv is not None:
        from core.files import write_atomic
        from core.workflow.dashboards.figures import dashboard_csv

        write_atomic(arguments.csv, dashboard_csv(dashboard), for_others=True)
    from core.workflow.dashboards.figures import dashboard_json

    document = {**dashboard_json(dashboard), "files": [str(path) for path in paths]}
    console.emit(document, _text(dashboard, paths))


def _draw_requested(arguments: argparse.Namespace, console: Console) -> "Dashboard":
    from core.workflow.dashboards import DashboardRequest, draw
    from core.workflow.dashboards.agreement_query import criterion_named
    from core.workflow.dashboards.judgements import JudgementBook
    from core.workflow.dashboards.people import reveal_names
    from core.workflow.people import benchmark_in

    ws = open_workspace(arguments, console)
    benchmark = the_benchmark(ws, arguments.benchmark)
    with ws.reading() as session:
        benchmark_in(session, benchmark)
    if arguments.named:
        reveal_names(ws, arguments.user, benchmark)
    request = DashboardRequest(
        ws,
        JudgementBook(ws),
        benchmark,
        arguments.user,
        coefficient=arguments.coefficient,
        criterion=criterion_named(ws, arguments.criterion),
        adjudicated=arguments.adjudicated,
        gold=arguments.gold,
        detail="both",
        named=arguments.named,
    )
    return draw(arguments.panel, request).checked()


def _check_endings(arguments: argparse.Namespace) -> None:
    for form in ("png", "svg", "csv"):
        path = getattr(arguments, form)
        if path is not None and path.suffix.lower() != f".{form}":
            raise InputError.tr(
                "The file name must end in .{form}: “{path}”.", path=path, form=form
            )
        if path is not None and not path.absolute().parent.is_dir():
            raise InputError.tr("The folder “{path}” does not exist.", path=path.absolute().parent)


def _write_pictures(dashboard: "Dashboard", paths: list[Path], theme: str) -> None:
    """Paint it; by name, because core never depends on gui."""
    if not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
        os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    try:
        save = import_module("gui.screenshots.dashboards").save_dashboard
    except ImportError as error:
        raise OutsideError.tr(
            "Charts need Qt's system libraries: {reason}. Use --csv or --json instead.",
            reason=error
        ) from error  # fmt: skip
    save(dashboard, paths, theme, language())


def _text(dashboard: "Dashboard", paths: list[Path]) -> str:
    lines = [dashboard.sentence]
    lines += [tr("Alarm: {what}", what=alarm) for alarm in dashboard.alarms]
    if dashboard.missing is not None:
        lines.append(dashboard.missing.text)
    for part in dashboard.tables:
        lines += ["", part.table.title, table_columns(part.table, 20)]
    lines += list(dashboard.remarks)
    lines += [tr("Wrote {path}.", path=path) for path in paths]
    return "\n".join(lines)


def _add_alarm(commands: Any) -> None:
    parser = add_command(commands, "alarm", tr("manage alarms for low agreement"), _alarm)
    parser.add_argument(
        "deed",
        choices=("list", "check", "set", "remove"),
        help=tr("list, set or remove alarms; check: record which are raised"),
    )
    parser.add_argument(
        "number", nargs="?", type=positive, metavar="N", help=tr("remove: number of the alarm")
    )
    add_benchmark(parser)
    add_task_choice(parser)
    _add_coefficient(parser)
    add_criterion(parser)
    parser.add_argument("--below", type=number, metavar="X", help=tr("set: alarm below this value"))
    parser.add_argument(
        "--items",
        type=positive,
        default=50,
        metavar="N",
        help=tr("set: over at least this many items"),
    )
    add_user(parser, tr("the lead who does this"))


def _alarm(arguments: argparse.Namespace, console: Console) -> None:
    ws = open_workspace(arguments, console)
    {"list": _list_alarms, "check": _list_alarms, "set": _set_alarm, "remove": _remove_alarm}[
        arguments.deed
    ](ws, arguments, console)


def _list_alarms(ws: Any, arguments: argparse.Namespace, console: Console) -> None:
    from dataclasses import asdict

    from core.workflow.dashboards import alarms
    from core.workflow.dashboards.judgements import JudgementBook
    from core.workflow.people import benchmarks

    known = alarms.alarms(ws)
    book = JudgementBook(ws)
    names = [arguments.benchmark] if arguments.benchmark else [b.name for b in benchmarks(ws)]
    read = alarms.check if arguments.deed == "check" else alarms.ringing_now
    ringing = [entry for name in names for entry in read(ws, book, name)]
    document = {
        "alarms": [asdict(entry) for entry in known],
        "ringing": [
            {
                "alarm": entry.alarm.number, "benchmark": entry.benchmark, "task": entry.task,
                "value": entry.value, "items": entry.items, "sentence": entry.sentence,
            }
            for entry in ringing
        ],
    }  # fmt: skip
    rows = [
        (entry.number, entry.coefficient, entry.criterion, entry.below, entry.items,
         entry.benchmark or tr("all"), entry.task or tr("all"))
        for entry in known
    ]  # fmt: skip
    header = (
        tr("number"), tr("coefficient"), tr("criterion"), tr("below"), tr("items"),
        tr("benchmark"), tr("task"),
    )  # fmt: skip
    text = columns(rows, header) if rows else tr("No alarms set.")
    lines = [tr("Alarm: {what}", what=one.sentence) for one in ringing]
    console.emit(document, "\n".join([text, *lines]))


def _set_alarm(ws: Any, arguments: argparse.Namespace, console: Console) -> None:
    from dataclasses import asdict

    from core.workflow.dashboards import alarms
    from core.workflow.dashboards.agreement_query import criterion_named

    if arguments.below is None:
        raise InputError.tr("Give the value below which the alarm is raised with --below.")
    alarm = alarms.Alarm(
        arguments.coefficient, arguments.below, arguments.items, arguments.task,
        arguments.benchmark, criterion_named(ws, arguments.criterion),
    )  # fmt: skip
    stored = alarms.set_alarm(ws, arguments.user, alarm)
    console.emit(asdict(stored), tr("Alarm {number} set.", number=stored.number))


def _remove_alarm(ws: Any, arguments: argparse.Namespace, console: Console) -> None:
    from core.workflow.dashboards import alarms

    if arguments.number is None:
        raise InputError.tr("Give the number of the alarm: benchseal alarm remove N.")
    alarms.remove_alarm(ws, arguments.user, arguments.number)
    message = tr("Alarm {number} removed.", number=arguments.number)
    console.emit({"removed": arguments.number}, message)


COMMANDS = (_add_dashboard, _add_alarm)
