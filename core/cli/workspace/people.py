"""``people``: who works here, and in which role."""

import argparse
from dataclasses import asdict
from typing import Any

from core.cli.commands import (
    add_command,
    open_workspace,
)
from core.cli.console import Console, columns
from core.cli.options import add_user
from core.errors import UsageError
from core.i18n import tr


def _add_people(commands: Any) -> None:
    parser = add_command(commands, "people", tr("list or add people, change roles"), _people)
    parser.add_argument("name", metavar="NAME", nargs="?", help=tr("person to add or change"))
    parser.add_argument("--role", metavar="R", help=tr("annotator, specialist, researcher or lead"))
    parser.add_argument("--account", metavar="LOGIN",
                        help=tr("their account of the operating system (empty: none)"))  # fmt: skip
    parser.add_argument("--active", choices=("yes", "no"),
                        help=tr("no: no longer works here"))  # fmt: skip
    add_user(parser, tr("the lead who does this"))


def _people(arguments: argparse.Namespace, console: Console) -> None:
    from core.workflow import people
    from core.workflow.labels import role_label

    changes = (arguments.role, arguments.active, arguments.account)
    if any(value is not None for value in changes) and not arguments.name:
        raise UsageError(tr("Name the person to change."))
    ws = open_workspace(arguments, console)
    if arguments.name:
        person = people.ensure_person(ws, arguments.name, arguments.role, arguments.user)
        if arguments.role and person.role != arguments.role:
            people.set_role(ws, arguments.name, arguments.role, arguments.user)
        if arguments.active:
            people.set_active(ws, arguments.name, arguments.active == "yes", arguments.user)
        if arguments.account is not None:
            people.set_account(ws, arguments.name, arguments.account, arguments.user)
    people_rows = people.people(ws)
    rows = [
        (one.name, role_label(one.role), one.account,
         "" if one.active else tr("no longer works here"))
        for one in people_rows
    ]  # fmt: skip
    document = {"people": [asdict(person) for person in people_rows]}
    console.emit(document, columns(rows) or tr("no people yet"))


COMMANDS = (_add_people,)
