"""Opening a workspace, off the window's thread. What the window then shows is imported here too, so
that its frame is painted first and no import holds it up."""

from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from core.errors import BenchsealError, NotFoundError, PasswordMissingError
from core.workflow import people
from core.workflow.people import PersonInfo
from core.workflow.workspace import Workspace


@dataclass(frozen=True, slots=True)
class OpenWorkspace:
    """An open workspace and who works there."""

    workspace: Workspace
    people: tuple[PersonInfo, ...]
    benchmarks: tuple[str, ...]
    shared: bool
    finished: str = ""
    """What was finished of a sealing or an expiry that was interrupted, as a sentence."""


@dataclass(frozen=True, slots=True)
class PasswordWanted:
    """The server of a workspace wants a password that nobody has given."""

    sentence: str


def open_workspace(
    location: str, lead: str | None, person: str, package: str = ""
) -> OpenWorkspace | PasswordWanted:
    """Open a workspace (or make it first, with its lead, or of the file of a work package) and read
    who can work there.

    Of a shared one that is the person of this account alone; RightsError where ``person`` is
    another, or where the account is nobody's.
    """
    import_module("gui.window.workbench")
    if package:
        from core.workflow.packages.offline_work import open_package

        open_package(Path(package).expanduser(), Path(location).expanduser())
    try:
        if lead is None and not Path(location).is_file() and not Workspace.exists(location):
            raise NotFoundError.tr("There is no workspace at “{path}”.", path=location)
        workspace = Workspace.open(location) if lead is None else Workspace.create(location, lead)
    except PasswordMissingError as error:
        return PasswordWanted(str(error))
    workspace.watch_commits()
    try:
        names = tuple(benchmark.name for benchmark in people.benchmarks(workspace))
        return OpenWorkspace(
            workspace,
            people.who_can_work(workspace, person),
            names,
            workspace.has_logins or people.is_shared(workspace),
            _finished(workspace),
        )
    except BaseException as error:
        try:
            if not isinstance(error, BenchsealError):
                workspace.refuse_damage()
        finally:
            workspace.close()
        raise


def _finished(ws: Workspace) -> str:
    if not ws.interrupted.is_dir():
        return ""
    from core.workflow.splits import interruptions

    return interruptions.finish(ws)


def missing_places(locations: tuple[str, ...]) -> tuple[str, ...]:
    """Those workspaces on this computer that are not where they were."""
    return tuple(place for place in locations if not Workspace.exists(place))


def add_and_list(
    ws: Workspace, name: str, role: str | None, actor: str
) -> tuple[PersonInfo, tuple[PersonInfo, ...]]:
    person = people.ensure_person(ws, name, role, actor)
    return person, people.who_can_work(ws)
