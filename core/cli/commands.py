"""What the command modules share: adding a command, opening the workspace."""

import argparse
import math
import os
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import date, datetime, time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from core.cli.console import Console
from core.errors import (
    BenchsealError,
    InputError,
    NotFoundError,
    PasswordMissingError,
    UsageError,
    unreadable,
)
from core.i18n import listed, tr

if TYPE_CHECKING:
    from core.llm.keys import NamedServer
    from core.workflow.rights import Action
    from core.workflow.workspace import Workspace

MOST_WORKERS = 1024
MOST_PER_ARTICLE = 100_000
_Opened = TypeVar("_Opened")
Handler = Callable[[argparse.Namespace, Console], int | None]


def add_command(commands: Any, name: str, help: str, handler: Handler) -> argparse.ArgumentParser:
    """Add a command with ``--json``, ``--user`` and ``--workspace``; returns its parser for more
    arguments."""
    parser: argparse.ArgumentParser = commands.add_parser(
        name, help=help.replace("%", "%%"), description=help, conflict_handler="resolve"
    )
    parser.set_defaults(handler=handler)
    parser.add_argument(
        "--json", action="store_true", help=tr("print one JSON document on standard output")
    )
    parser.add_argument(
        "--workspace", metavar="W", default=argparse.SUPPRESS, help=argparse.SUPPRESS
    )
    # a command that has more to say about it adds its own
    parser.add_argument("--user", metavar="U", default="", help=tr("who does it"))
    return parser


def add_group(commands: Any, name: str, help: str, metavar: str) -> Any:
    """Add a command that is a set of others; returns that to which ``add_command`` adds them."""
    parser = commands.add_parser(name, help=help.replace("%", "%%"), description=help)
    return parser.add_subparsers(metavar=metavar, required=True)


def open_workspace(
    arguments: argparse.Namespace, console: Console, *, make: bool = False
) -> "Workspace":
    """The workspace that was named, or the default one.

    With ``make`` a missing one is made, and the person is told: commands that bring items in use
    it. Without, a missing one is a NotFoundError. It is closed when the command ends, however it
    ends. The person of ``--user`` works through it, else the one of this account.
    """
    from core.workflow.upgrade_backup import upgraded
    from core.workflow.workspace import Workspace, WorkspaceLocation

    location = the_location(arguments)
    if make and not Workspace.exists(location):
        console.say(
            tr("Creating a workspace in {path}.", path=WorkspaceLocation.of(location).folder)
        )
        ws = open_with_password(partial(Workspace.create, lead=arguments.user or ""), location)
    else:
        ws = open_with_password(Workspace.open, location)
        if ws.is_newer:
            arguments.resources.push(partial(_tell_of_newer, ws, console))
        elif ws.is_read_only:
            console.say(tr("Workspace “{place}” is read-only.", place=ws.place.folder))
        if saved := ws.saved_before_upgrade:
            console.say(upgraded(saved))
    arguments.resources.callback(ws.close)
    if finished := _finished(ws):
        console.say(finished)
    arguments.resources.push(partial(_refuse_damage, ws))
    ws.person = (arguments.user or "").strip()
    return ws


def _finished(ws: "Workspace") -> str:
    """What was finished of a sealing or an expiry that was interrupted."""
    if not ws.interrupted.is_dir():
        return ""
    from core.workflow.splits import interruptions

    return interruptions.finish(ws)


def open_to_look(arguments: argparse.Namespace, console: Console, action: "Action") -> "Workspace":
    """The workspace, for a command that shows figures of it.

    Where ``--user`` names somebody, that person must be known and be allowed to look at them; a
    shared workspace takes no other name than that of the account.
    """
    from core.workflow.rights import refuse_look

    ws = open_workspace(arguments, console)
    refuse_look(ws, action)
    return ws


def _tell_of_newer(
    ws: "Workspace", console: Console, kind: type | None, _error: object, _trace: object
) -> bool:
    """Say at the end that a newer program wrote the workspace, unless an error has said why."""
    from core.workflow.store_sentences import newer_read_only

    if kind is None:
        console.say(newer_read_only(ws.place.folder))
    return False


def _refuse_damage(ws: "Workspace", kind: type | None, error: object, _trace: object) -> bool:
    """For an unexpected error: WorkspaceError where the database is damaged, as then
    that is why. Where it is not, the error stays what it is."""
    foreseen = (BenchsealError, OSError, KeyboardInterrupt, SystemExit)
    if kind is not None and not isinstance(error, foreseen):
        from core.workflow.verify.contradictions import refuse_contradictions

        ws.refuse_damage()
        refuse_contradictions(ws)
    return False


def ask_new_password(login: str) -> str:
    """A new password for a login: typed twice at a terminal, else the first line of the input."""
    if not sys.stdin.isatty():
        return sys.stdin.readline().rstrip("\n")
    password = _typed(tr("New password for {login}: ", login=login))
    if _typed(tr("Once more: ")) != password:
        raise InputError.tr("The two passwords differ; nothing was changed.")
    return password


def ask_passphrase(question: str, *, twice: bool = False) -> str:
    """A passphrase: typed at a terminal, unseen, else the first line of the input. Never an
    argument, which everybody on the computer could read."""
    from core.redaction import guard_secret

    if not sys.stdin.isatty():
        passphrase = sys.stdin.readline().rstrip("\n")
    else:
        passphrase = _typed(f"{question} ")
        if twice and _typed(tr("Once more: ")) != passphrase:
            raise InputError.tr("The two passphrases differ; nothing was changed.")
    guard_secret(passphrase)
    return passphrase


def ask_key(server: str) -> str:
    """The key of a model server, asked for as a passphrase is; InputError where none comes."""
    key = ask_passphrase(tr("Key for {server}:", server=server)).strip()
    if not key:
        raise InputError(_nothing_entered())
    return key


def _typed(question: str) -> str:
    """What somebody types at the terminal, unseen; InputError where the input ends instead."""
    from getpass import getpass

    try:
        return getpass(question)
    except EOFError:
        raise InputError(_nothing_entered()) from None


def _nothing_entered() -> str:
    return tr("Nothing was entered, so nothing was changed.")


def consenting(console: Console, *servers: "NamedServer | str") -> AbstractContextManager[None]:
    """``keys.consent`` to the servers named on the command line, which says what it remembers."""
    from core.llm.keys import NamedServer, consent

    named = (one if isinstance(one, NamedServer) else NamedServer(one) for one in servers)
    return consent(*named, tell=console.say)


def the_location(arguments: argparse.Namespace) -> "str | Path":
    """Where the workspace is; UsageError for an address with a password among the arguments."""
    from core.workflow.workspace import default_location

    return named_location(arguments) or default_location()


def named_location(arguments: argparse.Namespace) -> str:
    """The workspace that was named, in the arguments or in ``BENCHSEAL_WORKSPACE``; empty for none.

    UsageError for an address with a password among the arguments.
    """
    if arguments.workspace:
        refuse_password_in(arguments.workspace)
    return str(arguments.workspace or os.environ.get("BENCHSEAL_WORKSPACE", ""))


def refuse_password_in(location: str) -> None:
    """UsageError for an address with a password, which others could read among the arguments."""
    from core.workflow.workspace import has_password

    if has_password(location):
        raise UsageError.tr(
            "A password on the command line can be read by everybody on this computer. Leave "
            "it out: it is asked for, or read from PGPASSFILE (~/.pgpass), from the keyring "
            "(keyring set benchseal ADDRESS) or from BENCHSEAL_WORKSPACE."
        )


def open_with_password(
    opening: "Callable[[str | Path], _Opened]", location: "str | Path"
) -> "_Opened":
    """Open or make a workspace; somebody at a terminal is asked for a password that is missing."""
    from core.workflow.workspace import shown_address, with_password

    try:
        return opening(location)
    except PasswordMissingError:
        if not sys.stdin.isatty():
            raise
        password = _typed(tr("Password for {address}: ", address=shown_address(location)))
        return opening(with_password(str(location), password))


def the_person(ws: "Workspace") -> str:
    """The name of who acts: the person of ``--user``, else the one of this account."""
    from core.workflow.rights import person_at_work

    return person_at_work(ws)


def the_benchmark(ws: "Workspace", name: str | None, action: "Action | None" = None) -> str:
    """The benchmark that was named, or the only one there is.

    With ``action`` nobody is asked for a name who may not do that anyway: RightsError first.
    """
    from core.workflow.people import benchmarks
    from core.workflow.rights import refuse_early

    if action is not None:
        refuse_early(ws, "", action)
    if name:
        return name
    known = benchmarks(ws)
    if len(known) == 1:
        return known[0].name
    if not known:
        raise NotFoundError.tr(
            "This workspace has no benchmark yet. Begin with a task or with items: "
            "benchseal task add NAME, benchseal import FILE"
        )  # fmt: skip
    names = listed(info.name for info in known)
    raise NotFoundError.tr("Choose a benchmark with --benchmark. Available: {known}.", known=names)


def whole_number(text: str) -> int:
    """A whole number, for argparse."""
    try:
        return int(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(
            tr("“{value}” is not a whole number", value=text)
        ) from error


def number(text: str) -> float:
    """A finite number, for argparse."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise argparse.ArgumentTypeError(tr("“{value}” is not a number", value=text))
    return value


def positive(text: str) -> int:
    """A whole number from 1, for argparse."""
    number = whole_number(text)
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
    number = whole_number(text)
    if number < 0:
        raise argparse.ArgumentTypeError(tr("{value} is less than 0", value=text))
    return number


def day(text: str) -> date:
    """A date, for argparse."""
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(
            tr("“{text}” is not a date; write it as 2026-08-31.", text=text)
        ) from error


def date_or_time(text: str) -> datetime:
    """A time, or a date, which means its end; by the clock of this machine where no zone is named,
    as times are printed. For argparse."""
    try:
        parsed = datetime.fromisoformat(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(
            tr("“{text}” is not a date; write it as 2026-08-31.", text=text)
        ) from error
    if len(text) <= 10:
        parsed = datetime.combine(parsed.date(), time.max)
    return parsed if parsed.tzinfo else parsed.astimezone()


def json_object(path: Path) -> dict[str, Any]:
    """The JSON object in a file; InputError for a file that holds none or cannot be read."""
    from core.bounded_json import parse_json
    from core.files import read_regular
    from core.sources.encodings import decode
    from core.sources.limits import UnreadableSource

    try:
        read = parse_json(decode(read_regular(path)))
    except OSError as error:
        raise unreadable(path, error) from error
    except (ValueError, UnreadableSource) as error:
        raise InputError.tr("“{path}” is not a JSON file.", path=path) from error
    if not isinstance(read, dict):
        raise InputError.tr("“{path}” does not contain a JSON object.", path=path)
    return read
