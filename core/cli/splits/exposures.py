"""``exposures``: who could have seen the items of splits; ``organisation``: whose they are."""

import argparse
from dataclasses import asdict
from typing import Any

from core.cli.commands import add_command, open_workspace
from core.cli.console import Console
from core.cli.options import add_tables, add_user, print_tables, table_text
from core.i18n import tr


def _add_exposures(commands: Any) -> None:
    parser = add_command(
        commands, "exposures", tr("list who could have seen the items of a split"), _exposures
    )
    parser.add_argument("name", metavar="SPLIT", nargs="?", default="",
                        help=tr("name of the split; all of them without one"))  # fmt: skip
    parser.add_argument(
        "--model", default="", metavar="M", help=tr("only what this model was sent")
    )
    parser.add_argument("--person", default="", metavar="NAME", help=tr("only this person"))
    parser.add_argument("--host", default="", metavar="HOST",
                        help=tr("only what was sent to this host or its subdomains"))  # fmt: skip
    parser.add_argument("--organisation", default="", metavar="O",
                        help=tr("only people, models and hosts of this organisation"))  # fmt: skip
    add_tables(parser.add_mutually_exclusive_group())
    add_user(parser, tr("who is looking; without a name people are left out"))


def _exposures(arguments: argparse.Namespace, console: Console) -> None:
    from core.workflow.analysis import exposures

    ws = open_workspace(arguments, console)
    found = exposures.exposures(
        ws,
        arguments.name,
        model=arguments.model,
        person=arguments.person,
        host=arguments.host,
        organisation=arguments.organisation,
    )
    table = exposures.table(found)
    if not print_tables(arguments, console, table):
        nobody = not (ws.person or ws.has_logins or arguments.model or arguments.host)
        lines = [table_text(table)] if found else []
        if nobody:
            lines.append(tr("People are left out: --user says who is looking."))
        elif not found:
            lines.append(tr("No exposure is known."))
        document = {"exposures": [asdict(one) for one in found], "people_left_out": nobody}
        console.emit(document, "\n".join(lines))


def _add_organisation(commands: Any) -> None:
    parser = add_command(
        commands,
        "organisation",
        tr("say to which organisation people, models and hosts belong"),
        _organisation,
    )
    parser.add_argument(
        "name", metavar="O", nargs="?", default="",
        help=tr("name of the organisation; if omitted, the assignment is withdrawn"),
    )  # fmt: skip
    for option, metavar, help_ in (
        ("person", "NAME", tr("somebody who belongs to it")),
        ("host", "HOST", tr("one of its servers; subdomains count as well")),
        ("model", "M", tr("one of its models; maker/name counts as its maker's anyway")),
    ):
        parser.add_argument(f"--{option}", action="append", default=[], metavar=metavar, help=help_)
    add_user(parser, tr("who says so; a lead"))


def _organisation(arguments: argparse.Namespace, console: Console) -> None:
    from core.report_table import ReportTable
    from core.workflow.analysis import organisations

    ws = open_workspace(arguments, console)
    named = {"people": arguments.person, "hosts": arguments.host, "models": arguments.model}
    if arguments.name or any(named.values()):
        known = organisations.assign(ws, arguments.user or "", arguments.name, **named)
    else:
        known = organisations.read(ws)
    kinds = {"people": tr("person"), "hosts": tr("host"), "models": tr("model")}
    rows = tuple(
        (organisation, kinds[kind], name)
        for kind, members in asdict(known).items()
        for name, organisation in sorted(members.items())
    )
    heads = (tr("organisation"), tr("kind"), tr("who"))
    table = ReportTable(tr("Organisations"), heads, rows)
    console.emit(asdict(known), table_text(table) if rows else tr("No organisation is named."))


COMMANDS = (_add_exposures, _add_organisation)
