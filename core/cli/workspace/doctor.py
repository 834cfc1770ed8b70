"""``doctor``: what this machine and a workspace lack, what is stuck in it, and freeing that."""

import argparse
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.cli.commands import add_command, open_workspace
from core.cli.console import Console, has_display
from core.i18n import labelled, tr, trn

if TYPE_CHECKING:
    from core.health import HealthCheck
    from core.workflow.check.stuck_items import Diagnosis

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
        lines = [tr("There is no workspace yet; name one with --workspace to check it.")]
    document = {"checks": [asdict(check) for check in checks], **document}
    console.emit(document, "\n".join([*_lines(checks), *lines]))
    return 1 if stuck or any(check.finding == "stop" for check in checks) else 0


def _of_machine(location: str | Path) -> "list[HealthCheck]":
    from core.health import desk, machine
    from core.workflow.workspace import WorkspaceLocation

    folder = WorkspaceLocation.of(location).folder
    display = has_display()
    probe = desk.probe_window(display)
    return [
        desk.environment_check(),
        desk.display_check(probe, display),
        desk.fonts_check(probe),
        desk.input_method_check(probe, display),
        desk.keyring_check(),
        _looked("disk", tr("disk"), machine.disk_check, folder),
        *machine.server_checks(),
        machine.gpu_check(),
        _looked("Slurm", "Slurm", machine.slurm_check, folder),
        *machine.ray_checks(folder),
    ]


def _is_there(exists: Callable[[str | Path], bool], place: str | Path) -> bool:
    """Whether something is at a place; a place that cannot be looked at is checked."""
    try:
        return exists(place)
    except OSError:
        return True


def _looked(
    name: str, title: str, check: "Callable[[Path], HealthCheck]", folder: Path
) -> "HealthCheck":
    """The line of a check, also where the system refuses to look into the folder."""
    from core.health import HealthCheck

    try:
        return check(folder)
    except OSError as error:
        return HealthCheck(name, title, "stop", _refusal(error), _ways_in(is_server=False))


def _refusal(error: OSError) -> str:
    reason = error.strerror or str(error)
    return tr("“{path}”: {reason}.", path=error.filename or "–", reason=reason)


def _ways_in(*, is_server: bool) -> str:
    if is_server:
        return tr("See whether the address and the network are right and the server runs; who "
                  "administers it knows.")  # fmt: skip
    return tr("Name another folder with --workspace, or have its owner let you in: see “For "
              "administrators” in the help.")  # fmt: skip


def _of_database(
    arguments: argparse.Namespace, console: Console
) -> "tuple[list[HealthCheck], Diagnosis | None]":
    """Whether the workspace opens, which imports have not ended, and what is stuck in it."""
    from core.errors import BenchsealError
    from core.health import HealthCheck
    from core.workflow.check import stuck_items
    from core.workflow.production.hidden_items import unfinished_imports
    from core.workflow.workspace import WorkspaceLocation, default_location

    title = tr("database")
    try:
        ws = open_workspace(arguments, console)
    except (BenchsealError, OSError) as error:
        says = _refusal(error) if isinstance(error, OSError) else str(error)
        place = getattr(arguments, "workspace", None) or default_location()
        remedy = _ways_in(is_server=WorkspaceLocation.of(place).is_server)
        return [HealthCheck("database", title, "stop", says, remedy)], None
    kind = "PostgreSQL" if ws.place.is_server else "SQLite"
    says = tr("The workspace opens ({kind}).", kind=kind)
    found = stuck_items.free_stuck(ws) if arguments.mend else stuck_items.find_stuck(ws)
    imports = [
        HealthCheck("import", tr("import"), "note", words) for words in unfinished_imports(ws)
    ]
    if ws.is_read_only:
        remedy = tr("See who owns the folder and whether it may be written.")
        says = tr("The workspace opens ({kind}), but only to be read.", kind=kind)
        return [HealthCheck("database", title, "note", says, remedy), *imports], found
    return [HealthCheck("database", title, "good", says), *imports], found


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
