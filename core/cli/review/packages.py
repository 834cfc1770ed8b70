"""``package``: items in an encrypted file for somebody who works without a connection."""

import argparse
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.cli.commands import add_command, add_group, open_workspace, whole_number
from core.cli.console import Console, columns
from core.cli.options import add_benchmark, add_task_choice, add_user
from core.i18n import tr, trn

if TYPE_CHECKING:
    from core.workflow.check.outbox import KeptDecision


def _add_package(commands: Any) -> None:
    text = tr("work packages: items for somebody who works without a connection")
    group = add_group(commands, "package", text, tr("WHAT"))
    add_command(group, "key", tr("your own key, to which a lead encrypts a package"), _key)
    _add_make(group)
    parser = add_command(
        group, "open", tr("open a package: make a workspace of it to work in"), _open
    )
    parser.add_argument("file", type=Path, metavar="FILE", help=tr("the package"))
    parser.add_argument("--folder", type=Path, required=True, metavar="DIR",
                        help=tr("folder of the new workspace"))  # fmt: skip
    parser = add_command(
        group, "return", tr("save the decisions made in the workspace of a package"), _return
    )
    parser.add_argument("file", type=Path, metavar="FILE", help=tr("a new file"))
    parser = add_command(group, "list", tr("list the packages that were handed out"), _list)
    add_user(parser, tr("the lead who asks"))
    text = tr("call a package off: the items it still holds go back to everybody")
    parser = add_command(group, "call-off", text, _call_off)
    parser.add_argument("package", metavar="PACKAGE", help=tr("its name, as “list” prints it"))
    add_user(parser, tr("the lead who does this"))
    parser = add_command(group, "merge", tr("import the decisions made in a package"), _merge)
    parser.add_argument("file", type=Path, metavar="FILE", help=tr("the file that came back"))


def _add_make(group: Any) -> None:
    parser = add_command(group, "make", tr("hand items out in a file"), _make)
    parser.add_argument("file", type=Path, metavar="FILE", help=tr("the package; a new file"))
    parser.add_argument("--to", required=True, metavar="NAME", help=tr("who works on it"))
    parser.add_argument("--recipient", required=True, metavar="age1…",
                        help=tr("their key, as “benchseal package key” prints it for "
                                "them"))  # fmt: skip
    parser.add_argument("--items", type=whole_number, default=50, metavar="N",
                        help=tr("maximum number of items (default: %(default)s)"))  # fmt: skip
    parser.add_argument("--days", type=whole_number, default=30, metavar="N",
                        help=tr("number of days for which they are held (default: %(default)s)"),
                        )  # fmt: skip
    add_task_choice(parser)
    add_benchmark(parser)
    add_user(parser, tr("the lead who does this"))


def _key(_arguments: argparse.Namespace, console: Console) -> None:
    from core.workflow.packages.package_file import own_key

    key = own_key()
    console.emit({"key": key}, key)


def _make(arguments: argparse.Namespace, console: Console) -> None:
    from core.workflow.packages.hand_out import PackageOrder, hand_out

    ws = open_workspace(arguments, console)
    order = PackageOrder(
        arguments.to, arguments.items, arguments.recipient, arguments.task, arguments.benchmark,
        arguments.days,
    )  # fmt: skip
    made = hand_out(ws, order, arguments.file, arguments.user)
    text = trn(
        "{path} contains 1 item for {name}, until {day}.",
        "{path} contains {n} items for {name}, until {day}.",
        len(made.items), path=arguments.file, name=made.person, day=made.until,
    )  # fmt: skip
    console.emit({**asdict(made), "file": str(arguments.file)}, text)


def _list(arguments: argparse.Namespace, console: Console) -> None:
    from core.workflow.packages.packages_out import packages_out

    found = packages_out(open_workspace(arguments, console), arguments.user)
    heads = (tr("package"), tr("person"), tr("handed out"), tr("until"), tr("items"),
             tr("decided"), tr("skipped"), tr("held"))  # fmt: skip
    rows = [
        (
            one.package,
            one.person,
            one.made,
            one.until,
            one.items,
            one.decided,
            one.skipped,
            one.held,
        )
        for one in found
    ]
    text = columns(rows, heads) if rows else tr("No work package was handed out.")
    console.emit({"packages": [asdict(one) for one in found]}, text)


def _call_off(arguments: argparse.Namespace, console: Console) -> None:
    from core.workflow.packages.packages_out import call_off

    count = call_off(open_workspace(arguments, console), arguments.package, arguments.user)
    text = trn("1 item went back to everybody.", "{n} items went back to everybody.", count)
    console.emit({"package": arguments.package, "items": count}, text)


def _open(arguments: argparse.Namespace, console: Console) -> None:
    from core.workflow.packages.offline_work import open_package

    package = open_package(arguments.file, arguments.folder)
    document = {"package": package.package, "person": package.person, "until": package.until,
                "items": len(package.items), "folder": str(arguments.folder)}  # fmt: skip
    lines = [
        trn("1 item for {name} until {day}.", "{n} items for {name} until {day}.",
            len(package.items), name=package.person, day=package.until),
        tr("Work on it: benchseal gui --workspace {folder}", folder=arguments.folder),
        tr("Then: benchseal package return FILE --workspace {folder}", folder=arguments.folder),
    ]  # fmt: skip
    console.emit(document, "\n".join(lines))


def _return(arguments: argparse.Namespace, console: Console) -> None:
    from core.workflow.packages.offline_work import give_back

    ws = open_workspace(arguments, console)
    returned = give_back(ws, arguments.file, arguments.user)
    count = len(returned.decisions)
    text = trn("{path} contains 1 decision.", "{path} contains {n} decisions.", count,
               path=arguments.file)  # fmt: skip
    document = {"package": returned.package, "decisions": count, "file": str(arguments.file)}
    console.emit(document, text)


def _merge(arguments: argparse.Namespace, console: Console) -> None:
    from core.workflow.packages.bring_in import bring_in

    ws = open_workspace(arguments, console)
    came = bring_in(ws, arguments.file, arguments.user)
    rows = [
        *((tr("taken"), *_cells(kept)) for kept in came.taken),
        *((tr("there already"), *_cells(kept)) for kept in came.known),
        *((tr("not taken"), *_cells(kept)) for kept in came.refused),
    ]
    document = {
        "person": came.person,
        "taken": [asdict(kept) for kept in came.taken],
        "known": [asdict(kept) for kept in came.known],
        "refused": [asdict(kept) for kept in came.refused],
    }
    heads = (tr("what"), "#", tr("decision"), tr("made"), tr("why not"))
    console.emit(document, columns(rows, heads) if rows else tr("Nothing was decided in it."))


def _cells(kept: "KeptDecision") -> tuple[str, ...]:
    from core.workflow.check.outbox import what_of
    from core.workflow.labels import label_of

    verdict = label_of(kept.verdict) if kept.verdict else what_of(kept)
    return (f"#{kept.number}", verdict, kept.made, kept.refusal)


COMMANDS = (_add_package,)
