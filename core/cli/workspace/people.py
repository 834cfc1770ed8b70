"""``people`` and ``assign``: who works here, in which role, and on which tasks."""

import argparse
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from core.cli.commands import (
    add_command,
    ask_new_password,
    day,
    open_to_look,
    open_workspace,
    positive,
)
from core.cli.console import Console, columns
from core.cli.options import add_benchmark, add_user
from core.errors import UsageError
from core.i18n import tr

if TYPE_CHECKING:
    from core.workflow.workspace import Workspace


def _add_people(commands: Any) -> None:
    parser = add_command(commands, "people", tr("list or add people, change roles"), _people)
    parser.add_argument(
        "words", metavar="NAME", nargs="*",
        help=tr("person to add or change; the name may follow add, disable, enable or reset (a "
                "new password); list lists everybody"),
    )  # fmt: skip
    parser.add_argument("--no-password", action="store_true",
                        help=tr("on a server: the login is checked by other means (LDAP, "
                                "Kerberos, a certificate)"))  # fmt: skip
    parser.add_argument("--role", metavar="R", help=tr("annotator, specialist, researcher or lead"))
    parser.add_argument("--account", metavar="LOGIN",
                        help=tr("their account of the operating system (empty: none)"))  # fmt: skip
    parser.add_argument("--active", choices=("yes", "no"),
                        help=tr("no: no longer works here"))  # fmt: skip
    rest = parser.add_mutually_exclusive_group()
    rest.add_argument("--pause", nargs="?", const="", metavar="REASON",
                      help=tr("give them no new items until --resume"))  # fmt: skip
    rest.add_argument("--resume", action="store_true",
                      help=tr("end a pause, also one that gold items caused"))  # fmt: skip
    parser.add_argument(
        "--invite",
        nargs="?",
        const="-",
        metavar="FILE",
        help=tr("write an invitation: where the workspace is, and their tasks"),
    )
    add_user(parser, tr("the lead who does this"))


def _add_assign(commands: Any) -> None:
    parser = add_command(
        commands,
        "assign",
        tr("assign tasks to people, with quotas and deadlines; without --to, list them"),
        _assign,
    )
    parser.add_argument("tasks", metavar="TASK", nargs="*", help=tr("tasks to assign"))
    parser.add_argument("--to", metavar="NAME", nargs="+", default=[],
                        help=tr("who reviews and rates these tasks"))  # fmt: skip
    parser.add_argument("--most", type=positive, metavar="N",
                        help=tr("maximum number of items that each of them reviews in each "
                                "task"))  # fmt: skip
    parser.add_argument("--due", metavar="DATE", type=day,
                        help=tr("deadline, as YYYY-MM-DD"))  # fmt: skip
    parser.add_argument("--remove", action="store_true",
                        help=tr("take these tasks from these people"))  # fmt: skip
    add_benchmark(parser)
    add_user(parser, tr("the lead who does this"))


def _assign(arguments: argparse.Namespace, console: Console) -> None:
    from core.workflow import team
    from core.workflow.rights import Action

    if bool(arguments.tasks) != bool(arguments.to):
        raise UsageError.tr("Name the tasks, and with --to the people.")
    if arguments.remove and not arguments.to:
        raise UsageError.tr("Name the tasks, and with --to the people.")
    if not arguments.tasks:
        ws = open_to_look(arguments, console, Action.SEE_PEOPLE)
        shares = team.team(ws, arguments.user, arguments.benchmark).shares
    else:
        ws = open_workspace(arguments, console)
        where = {"person": arguments.user, "benchmark": arguments.benchmark}
        if arguments.remove:
            shares = team.unassign(ws, arguments.tasks, arguments.to, **where)
        else:
            shares = team.assign(
                ws, arguments.tasks, arguments.to, most=arguments.most, due=arguments.due, **where
            )
            known = team.team(ws, arguments.user, arguments.benchmark)
            given = {f"{share.benchmark}/{share.task}" for share in shares}
            given |= {share.task for share in shares if arguments.benchmark}
            for says in team.too_few_reviewers(known, [t for t in known.tasks if t in given]):
                console.say(says)
    rows = [
        (share.task, share.person, share.done, "–" if share.most is None else share.most,
         "–" if share.due is None else share.due.isoformat(),
         tr("done") if share.is_met else tr("overdue") if share.is_late() else "")
        for share in shares
    ]  # fmt: skip
    heads = (tr("task"), tr("person"), tr("reviewed"), tr("quota"), tr("due"), "")
    documents = [
        {**asdict(share), "due": share.due.isoformat() if share.due else None, "left": share.left,
         "late": share.is_late()}
        for share in shares
    ]  # fmt: skip
    nobody = tr("No task is assigned: everybody reviews everything.")
    console.emit({"shares": documents}, columns(rows, heads) if rows else nobody)


def _people(arguments: argparse.Namespace, console: Console) -> None:
    from core.workflow import people, team
    from core.workflow.labels import role_label

    deed = _deed(arguments)
    changes = (arguments.role, arguments.active, arguments.account, arguments.pause,
               arguments.invite, arguments.resume or None)  # fmt: skip
    if any(value is not None for value in changes) and not arguments.name:
        raise UsageError.tr("Name the person to change.")
    ws = open_workspace(arguments, console)
    if deed == "reset":
        _set_password(ws, arguments, console)
        return
    if arguments.name:
        known = {one.name for one in people.people(ws)}
        change = team.MemberChange(
            arguments.role, arguments.account,
            None if arguments.active is None else arguments.active == "yes",
            arguments.pause, arguments.resume,
        )  # fmt: skip
        member = team.change_member(ws, arguments.name, change, arguments.user)
        if ws.has_logins and member.name not in known and not arguments.no_password:
            _set_password(ws, arguments, console)
        if arguments.invite is not None:
            _invite(ws, arguments, console)
            return
    paused = team.paused(ws)
    people_rows = people.people(ws)
    rows = [
        (one.name, role_label(one.role), one.account,
         tr("no longer works here") if not one.active
         else _pause_words(paused[one.name]) if one.name in paused else "")
        for one in people_rows
    ]  # fmt: skip
    document = {"people": [{**asdict(one), "paused": paused.get(one.name)} for one in people_rows]}
    console.emit(document, columns(rows) or tr("no people yet"))


_DEEDS = ("add", "disable", "enable", "reset")


def _deed(arguments: argparse.Namespace) -> str:
    """What is to be done, from the words before the name; fills in ``name`` and ``active``."""
    words = arguments.words
    arguments.name, deed = None, ""
    if words == ["list"] or not words:
        return "list"
    if len(words) == 2 and words[0] in _DEEDS:
        deed, arguments.name = words
    elif len(words) == 1 and words[0] not in _DEEDS:
        (arguments.name,) = words
    else:
        raise UsageError.tr(
            "Write it as: benchseal people add|disable|enable|reset NAME, or people list."
        )
    if deed in ("disable", "enable"):
        arguments.active = "no" if deed == "disable" else "yes"
    return deed


def _set_password(ws: "Workspace", arguments: argparse.Namespace, console: Console) -> None:
    from core.workflow import logins

    if not logins.is_own(ws, arguments.name):
        # raises what is in the way; a login from before keeps its password
        if _deed(arguments) == "reset":
            logins.set_password(ws, arguments.name, "-" * 20, arguments.user)
        return
    login = logins.set_password(
        ws, arguments.name, ask_new_password(arguments.name), arguments.user
    )
    text = tr("{name} has a new password for the login {login}.", name=arguments.name, login=login)
    if arguments.json and _deed(arguments) == "add":
        return
    if _deed(arguments) == "reset":
        console.emit({"name": arguments.name, "login": login}, text)
    else:
        console.say(text)


def _pause_words(reason: str) -> str:
    return tr("paused: {reason}", reason=reason) if reason else tr("paused")


def _invite(ws: "Workspace", arguments: argparse.Namespace, console: Console) -> None:
    """The invitation on the screen, or in a file."""
    from pathlib import Path

    from core.files import write_atomic
    from core.workflow import team

    text = team.invitation(ws, arguments.name, arguments.user)
    if note := team.closed_to_others(ws):
        console.say(note)
    if arguments.invite == "-":
        console.emit({"invitation": text}, text.rstrip())
        return
    path = Path(arguments.invite)
    write_atomic(path, text, for_others=True)
    console.emit({"path": str(path), "invitation": text}, tr("Written to {path}.", path=path))


COMMANDS = (_add_people, _add_assign)
