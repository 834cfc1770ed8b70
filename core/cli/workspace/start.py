"""``init``, ``gui`` and ``demo``: making a workspace, and opening the window."""

import argparse
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

from core.cli.commands import (
    add_command,
    ask_new_password,
    named_location,
    open_with_password,
    open_workspace,
    the_location,
)
from core.cli.console import Console
from core.i18n import tr


def _add_init(commands: Any) -> None:
    parser = add_command(commands, "init", tr("create a workspace"), _init)
    parser.add_argument(
        "--lead", metavar="NAME", default="",
        help=tr("its first lead, who works here under your account (default: its name)"),
    )  # fmt: skip
    parser.add_argument(
        "--login", metavar="LOGIN", default="",
        help=tr("on a server: the lead's login, created if it does not exist (default: yours)"),
    )  # fmt: skip


def _init(arguments: argparse.Namespace, console: Console) -> None:
    from core.workflow.people import make_first_lead
    from core.workflow.rights import person_at_work
    from core.workflow.workspace import Workspace, WorkspaceLocation

    location = the_location(arguments)
    lead = arguments.lead or arguments.user or arguments.login
    if WorkspaceLocation.of(location).is_server:
        _init_server(arguments, console, location, lead)
        return
    made = not (lead and Workspace.has_tables(location))
    if made:
        ws = Workspace.create(location, lead)
    else:
        ws = Workspace.open(location)
    arguments.resources.callback(ws.close)
    if not made:
        make_first_lead(ws, lead)
    lead = lead.strip() or person_at_work(ws)
    place = str(ws.place.folder)
    text = (
        tr("Created a workspace in {path}. Its lead is {name}.", path=place, name=lead)
        if made
        else tr("{name} is now the lead of the workspace in {path}.", path=place, name=lead)
    )
    console.emit({"workspace": place, "lead": lead}, text)


def _init_server(
    arguments: argparse.Namespace, console: Console, location: str | Path, lead: str
) -> None:
    """Make a workspace on a server, or bring one up to date: schema, roles and rights."""
    from core.workflow import logins, people
    from core.workflow.workspace import Workspace

    made = not open_with_password(Workspace.has_tables, location)
    begin = Workspace.create if made else Workspace.secured
    ws = open_with_password(partial(begin, lead=lead, account=arguments.login), location)
    arguments.resources.callback(ws.close)
    leads = [row for row in people.people(ws) if row.role == "lead" and row.account]
    lines = [
        tr("Created a workspace in {path}.", path=ws.address)
        if made
        else tr("The workspace in {path} is up to date.", path=ws.address),
        *(tr("{name} is a lead with the login {login}.", name=row.name, login=row.account)
          for row in leads),
        tr("Add people: benchseal people add NAME --role annotator"),
    ]  # fmt: skip
    document = {
        "workspace": ws.address, "leads": {row.name: row.account for row in leads}, "made": made,
    }  # fmt: skip
    if arguments.login and logins.is_made_here(ws, arguments.login):
        logins.set_first_password(ws, arguments.login, ask_new_password(arguments.login))
    console.emit(document, "\n".join(lines))


def _add_workspace(commands: Any) -> None:
    parser = add_command(
        commands, "workspace", tr("show who may act here, or let accounts decide it"), _workspace
    )
    way = parser.add_mutually_exclusive_group()
    way.add_argument(
        "--shared",
        action="store_true",
        help=tr("the account of the operating system decides who acts"),
    )
    way.add_argument(
        "--personal",
        action="store_true",
        help=tr("everybody says who they are; names are not authenticated"),
    )


def _workspace(arguments: argparse.Namespace, console: Console) -> None:
    from core.workflow import people

    ws = open_workspace(arguments, console)
    if arguments.shared or arguments.personal:
        people.set_shared(ws, arguments.shared, arguments.user)
    shared = people.is_shared(ws)
    document = {"workspace": str(ws.place.folder), "shared": shared, "logins": ws.has_logins}
    console.emit(document, people.sharing_sentence(shared, ws))


def _add_gui(commands: Any) -> None:
    parser = add_command(
        commands, "gui", tr("open the window; without a workspace it asks for one"), _gui
    )
    # as a file manager names what was clicked
    words = tr("folder, database file or postgresql:// address of the workspace")
    parser.add_argument("place", nargs="?", default="", metavar="W", help=words)
    parser.add_argument("--user", metavar="U", help=tr("name of the user"))


def _gui(arguments: argparse.Namespace, console: Console) -> int:
    del console
    arguments.workspace = arguments.place or arguments.workspace
    location = named_location(arguments)
    # By name, because core never depends on gui: the window is started, not imported.
    app = import_module("gui.app")
    return int(app.run_window(location, person=arguments.user))


def _add_demo(commands: Any) -> None:
    parser = add_command(
        commands, "demo", tr("create a demonstration workspace and open it"), _demo
    )
    parser.add_argument(
        "--headless", action="store_true", help=tr("run the whole demonstration without a window")
    )
    parser.add_argument(
        "--no-window", action="store_true", help=tr("create it without opening a window")
    )
    parser.add_argument("--dir", metavar="D", type=Path, help=tr("folder for the demonstration"))


def _demo(arguments: argparse.Namespace, console: Console) -> int:
    from core.cli.demo.demo import run_demo

    return run_demo(arguments, console)


COMMANDS = (
    _add_init,
    _add_workspace,
    _add_gui,
    _add_demo,
)
