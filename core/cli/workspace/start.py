"""``init``, ``gui`` and ``demo``: making a workspace, and opening the window."""

import argparse
from importlib import import_module
from pathlib import Path
from typing import Any

from core.cli.commands import add_command, open_workspace
from core.cli.console import Console
from core.i18n import tr


def _add_init(commands: Any) -> None:
    add_command(commands, "init", tr("create a workspace"), _init)


def _init(arguments: argparse.Namespace, console: Console) -> None:
    from core.workflow.workspace import Workspace, default_location

    ws = Workspace.create(arguments.workspace or default_location())
    place = str(ws.place.folder)
    ws.close()
    console.emit({"workspace": place}, tr("Created a workspace in {path}.", path=place))


def _add_gui(commands: Any) -> None:
    parser = add_command(commands, "gui", tr("open the window"), _gui)
    parser.add_argument("--user", metavar="U", help=tr("name of the user"))


def _gui(arguments: argparse.Namespace, console: Console) -> int:
    ws = open_workspace(arguments, console, make=arguments.workspace is None)
    location = ws.place.database
    ws.close()
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
    parser.add_argument("--dir", metavar="D", type=Path, help=tr("folder for the demonstration"))


def _demo(arguments: argparse.Namespace, console: Console) -> int:
    from core.cli.demo.demo import run_demo

    return run_demo(arguments, console)


COMMANDS = (
    _add_init,
    _add_gui,
    _add_demo,
)
