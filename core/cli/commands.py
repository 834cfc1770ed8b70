"""What the command modules share: adding a command, opening the workspace."""

import argparse
import json
from collections.abc import Callable
from datetime import UTC, datetime, time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.cli.console import Console
from core.errors import InputError, NotFoundError
from core.i18n import tr

if TYPE_CHECKING:
    from core.workflow.workspace import Workspace

MOST_WORKERS = 1024
MOST_PER_ARTICLE = 100_000
Handler = Callable[[argparse.Namespace, Console], int | None]


def add_command(commands: Any, name: str, help: str, handler: Handler) -> argparse.ArgumentParser:
    """Add a command with ``--json`` and ``--workspace``; returns its parser for more arguments."""
    parser: argparse.ArgumentParser = commands.add_parser(name, help=help, description=help)
    parser.set_defaults(handler=handler)
    parser.add_argument(
        "--json", action="store_true", help=tr("print one JSON document on standard output")
    )
    parser.add_argument(
        "--workspace", metavar="W", default=argparse.SUPPRESS, help=argparse.SUPPRESS
    )
    return parser


def add_group(commands: Any, name: str, help: str, metavar: str) -> Any:
    """Add a command that is a set of others; returns that to which ``add_command`` adds them."""
    parser = commands.add_parser(name, help=help, description=help)
    return parser.add_subparsers(metavar=metavar, required=True)


def open_workspace(
    arguments: argparse.Namespace, console: Console, *, make: bool = False
) -> "Workspace":
    """The workspace that was named, or the default one.

    With ``make`` a missing one is made, and the person is told: commands that bring items in use
    it. Without, a missing one is a NotFoundError. It is closed when the command ends, however it
    ends.
    """
    from core.workflow.workspace import Workspace, WorkspaceLocation, default_location

    location = arguments.workspace or default_location()
    if make and not Workspace.exists(location):
        console.say(
            tr("Creating a workspace in {path}.", path=WorkspaceLocation.of(location).folder)
        )
        ws = Workspace.create(location)
    else:
        ws = Workspace.open(location)
    arguments.resources.callback(ws.close)
    return ws


def the_benchmark(ws: "Workspace", name: str | None) -> str:
    """The benchmark that was named, or the only one there is."""
    from core.workflow.people import benchmarks

    if name:
        return name
    known = benchmarks(ws)
    if len(known) == 1:
        return known[0].name
    names = ", ".join(info.name for info in known) or "–"
    raise NotFoundError(tr("Choose a benchmark with --benchmark. Available: {known}.", known=names))


def whole(text: str) -> int:
    """A whole number, for argparse."""
    try:
        return int(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(
            tr("“{value}” is not a whole number", value=text)
        ) from error


def positive(text: str) -> int:
    """A whole number from 1, for argparse."""
    number = whole(text)
    if number < 1:
        raise argparse.ArgumentTypeError(tr("{value} is less than 1", value=text))
    return number


def workers(text: str) -> int:
    """A number of workers among which a run is divided, for argparse."""
    return at_most(positive(text), MOST_WORKERS)


def per_article(text: str) -> int:
    """A number of items of one article, for argparse; at most what ``ScpSpec`` takes."""
    return at_most(positive(text), MOST_PER_ARTICLE)


def at_most(number: int, most: int) -> int:
    """The number itself, for argparse; an error where it is larger than ``most``."""
    if number > most:
        raise argparse.ArgumentTypeError(
            tr("{value} is too many; the maximum is {most}", value=number, most=most)
        )
    return number


def count(text: str) -> int:
    """A whole number from 0, for argparse."""
    number = whole(text)
    if number < 0:
        raise argparse.ArgumentTypeError(tr("{value} is less than 0", value=text))
    return number


def moment(text: str) -> datetime:
    """A time, or a date, which means its end; UTC where no zone is named. For argparse."""
    try:
        parsed = datetime.fromisoformat(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(
            tr("“{text}” is not a date; write it as 2026-08-31.", text=text)
        ) from error
    if len(text) <= 10:
        parsed = datetime.combine(parsed.date(), time.max)
    return parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)


def json_object(path: Path) -> dict[str, Any]:
    """The JSON object in a file; InputError for a file that holds none or cannot be read."""
    from core.sources.encodings import decode

    try:
        read = json.loads(decode(path.read_bytes()))
    except OSError as error:
        reason = error.strerror or str(error)
        raise InputError(
            tr("Could not read “{path}”: {reason}.", path=path, reason=reason)
        ) from error
    except (ValueError, RecursionError) as error:
        raise InputError(tr("“{path}” is not a JSON file.", path=path)) from error
    if not isinstance(read, dict):
        raise InputError(tr("“{path}” does not contain a JSON object.", path=path))
    return read
