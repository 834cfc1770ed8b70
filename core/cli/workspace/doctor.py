"""``doctor``: what this machine and a workspace lack, what is stuck in it, and freeing that."""

import argparse
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.cli.commands import add_command, open_workspace
from core.cli.console import Console, has_display
from core.i18n import labelled, tr, trn

if TYPE_CHECKING:
    from core.health import HealthCheck
    from core.workflow.check.stuck_items import Diagnosis
    from core.workflow.workspace import Workspace

_MARKS = {"good": "✓", "note": "–", "stop": "✕"}


def _add_doctor(commands: Any) -> None:
    parser = add_command(
        commands,
        "doctor",
        tr("check this machine and the workspace, and free stuck items"),
        _doctor,
    )
    parser.add_argument("--mend", action="store_true", help=tr("free what is stuck"))


def _doctor(arguments: argparse.Namespace, console: Console) -> int:
    from core.health import machine
    from core.workflow.workspace import Workspace, default_location

    named = getattr(arguments, "workspace", None)
    wanted = named or default_location()
    made = bool(named) or arguments.mend or _is_there(Workspace.exists, wanted)
    checks = _of_machine(wanted)
    document: Mapping[str, object] = {}
    lines: list[str] = []
    stuck = False
    if made:
        opened = _of_database(arguments, console)
        checks[5:5] = opened[0]
        if opened[1] is not None:
            lines, document = _stuck_words(opened[1], bool(arguments.mend))
            stuck = not (opened[1].is_sound or arguments.mend)
    else:
        checks[5:5] = [machine.clock_check(datetime.now(UTC), None, program=machine.program_time())]
        lines = [tr("There is no workspace yet; name one with --workspace to check it.")]
    document = {"checks": [asdict(check) for check in checks], **document}
    console.emit(document, "\n".join([*_lines(checks), *lines]))
    return 1 if stuck or any(check.finding == "stop" for check in checks) else 0


def _of_machine(location: str | Path) -> "list[HealthCheck]":
    from core.health import machine, workstation
    from core.workflow.workspace import WorkspaceLocation

    folder = WorkspaceLocation.of(location).folder
    display = has_display()
    probe = workstation.probe_window(display)
    return [
        workstation.environment_check(),
        workstation.display_check(probe, display),
        workstation.fonts_check(probe),
        workstation.input_method_check(probe, display),
        workstation.keyring_check(),
        _of_disk(folder),
        machine.own_folders_check(),
        *machine.server_checks(),
        machine.gpu_check(),
        *_of_launchers(folder),
    ]


def _of_launchers(folder: Path) -> "list[HealthCheck]":
    from core.health import machine

    try:
        return machine.launcher_checks(folder)
    except OSError as error:
        refused = _refused("launchers.toml", "launchers.toml", error)
        return [refused, *machine.launcher_checks(None)]


def _is_there(exists: Callable[[str | Path], bool], place: str | Path) -> bool:
    """Whether something is at a place; a place that cannot be looked at is checked."""
    try:
        return exists(place)
    except OSError:
        return True


def _of_disk(folder: Path) -> "HealthCheck":
    from core.health import machine

    try:
        return machine.disk_check(folder)
    except OSError as error:
        return _refused("disk", tr("disk"), error)


def _refused(name: str, title: str, error: OSError) -> "HealthCheck":
    """The line of a check where the system refuses to look into the folder."""
    from core.health import HealthCheck

    return HealthCheck(name, title, "stop", _refusal(error), _ways_in(is_server=False))


def _refusal(error: OSError) -> str:
    reason = error.strerror or str(error)
    return tr("“{path}”: {reason}.", path=error.filename or "–", reason=reason)


def _ways_in(*, is_server: bool) -> str:
    if is_server:
        return tr("Check the address, the network and whether the server is running; its "
                  "administrator knows.")  # fmt: skip
    return tr("Name another folder with --workspace, or have its owner let you in: see “For "
              "administrators” in the help.")  # fmt: skip


def _remedy(error: Exception, location: str | Path) -> str:
    """What to do where a workspace does not open; empty where the error's sentence says it all."""
    from core.errors import NotFoundError
    from core.workflow.workspace import WorkspaceLocation
    from db.errors import StoreError

    place, cause = WorkspaceLocation.of(location), error.__cause__
    trouble = cause.trouble if isinstance(cause, StoreError) else ""
    if trouble == "damaged":
        return tr(
            "Restore a backup: benchseal restore FILE --workspace NEW. Those made before "
            "upgrades are in {folder}.", folder=place.folder / "backups",
        )  # fmt: skip
    if place.is_server:
        return _ways_in(is_server=True)
    closed = trouble in ("not_a_database", "not_a_workspace", "read_only")
    is_way = closed or isinstance(error, OSError | NotFoundError)
    return _ways_in(is_server=False) if is_way else ""


def _of_clock(ws: "Workspace") -> "HealthCheck":
    """Whether this computer's clock goes with what the workspace knows of the time."""
    from core.health import machine
    from db import clock, ledger

    with ws.reading() as session:
        newest = ledger.head(session).at
        server = clock.moment(session) if ws.place.is_server else None
    return machine.clock_check(
        datetime.now(UTC), datetime.fromisoformat(newest) if newest else None, server,
        machine.program_time(),
    )  # fmt: skip


def _of_database(
    arguments: argparse.Namespace, console: Console
) -> "tuple[list[HealthCheck], Diagnosis | None]":
    """Whether the workspace opens, what has not ended in it, and what is stuck."""
    from core.errors import BenchsealError
    from core.health import HealthCheck
    from core.workflow.check import stuck_items
    from core.workflow.production.hidden_items import unfinished_imports
    from core.workflow.splits.freeze_steps import unfinished_freezes
    from core.workflow.workspace import default_location

    title = tr("database")
    try:
        ws = open_workspace(arguments, console)
        ws.refuse_incomplete()
    except (BenchsealError, OSError) as error:
        says = _refusal(error) if isinstance(error, OSError) else str(error)
        place = getattr(arguments, "workspace", None) or default_location()
        return [HealthCheck("database", title, "stop", says, _remedy(error, place))], None
    kind = "PostgreSQL" if ws.place.is_server else "SQLite"
    says = tr("The workspace opens ({kind}).", kind=kind)
    found = stuck_items.free_stuck(ws) if arguments.mend else stuck_items.find_stuck(ws)
    further = [
        _of_clock(ws),
        *(HealthCheck("import", tr("import"), "note", words) for words in unfinished_imports(ws)),
        *(HealthCheck("freeze", tr("freeze"), "note", words) for words in unfinished_freezes(ws)),
    ]
    if ws.is_read_only:
        remedy = (
            tr("A newer version of Benchseal wrote it: update Benchseal to work in it.")
            if ws.is_newer
            else tr("Check who owns the folder and whether you can write to it.")
        )
        says = tr("The workspace opens ({kind}), but read-only.", kind=kind)
        return [HealthCheck("database", title, "note", says, remedy), *further], found
    return [HealthCheck("database", title, "good", says), *further], found


def _lines(checks: "Sequence[HealthCheck]") -> list[str]:
    lines = []
    for check in checks:
        lines.append(f"{_MARKS[check.finding]} {labelled(check.title, check.says)}")
        if check.remedy:
            lines.append(f"    → {check.remedy}")
    return lines


def _stuck_words(found: "Diagnosis", mended: bool) -> tuple[list[str], Mapping[str, object]]:
    from core.workflow.check import stuck_items

    lines = [
        trn(
            "1 item is held by screening {run}: {reason}.",
            "{n} items are held by screening {run}: {reason}.",
            len(one.items),
            run=one.run or "–",
            reason=one.reason.rstrip("."),
        )
        for one in found.screenings
    ]
    if found.is_sound:
        lines.append(tr("Nothing is stuck."))
    elif mended:
        lines.append(tr("All of this is free again."))
    else:
        lines.append(tr("Free it with: benchseal doctor --mend"))
    return lines, {**stuck_items.as_json(found), "mended": mended}


COMMANDS = (_add_doctor,)
