"""Commands of stage 1 by hand: handing in an item, and one that came back."""

import argparse
from pathlib import Path
from typing import Any

from core.cli.commands import add_command, json_object, open_workspace
from core.cli.console import Console
from core.cli.options import add_item, add_task, add_user
from core.cli.workspace.tasks import pairs
from core.i18n import tr, trn


def _add_submit(commands: Any) -> None:
    parser = add_command(commands, "submit", tr("submit a new item"), _submit)
    add_task(parser)
    parser.add_argument(
        "--format", metavar="FORMAT", default="", help=tr("default: the task's own")
    )
    _add_payload(parser)


def _add_payload(parser: argparse.ArgumentParser) -> None:
    add_user(parser, tr("author"))
    parser.add_argument("--file", type=Path, metavar="FILE", help=tr("JSON file with the payload"))
    parser.add_argument(
        "--set",
        metavar="field=value",
        dest="fields",
        action="extend",
        nargs="+",
        default=[],
        help=tr("a payload field; given more than once, a list"),
    )


def _payload(arguments: argparse.Namespace, start: dict[str, Any]) -> dict[str, Any]:
    payload = dict(start)
    if arguments.file is not None:
        payload.update(json_object(arguments.file))
    return payload | _fields(arguments.fields)


def _fields(texts: list[str]) -> dict[str, Any]:
    """``field=value`` arguments by field; one that is given more than once is a list."""
    values: dict[str, list[str]] = {}
    for text in texts:
        for name, value in pairs([text]).items():
            values.setdefault(name, []).append(value)
    return {name: given if len(given) > 1 else given[0] for name, given in values.items()}


def _submit(arguments: argparse.Namespace, console: Console) -> None:
    from core.workflow.production import write

    ws = open_workspace(arguments, console)
    done = write.submit(
        ws,
        arguments.user,
        arguments.task,
        _payload(arguments, {}),
        format=arguments.format,
        benchmark=arguments.benchmark,
    )
    _tell(done, console)


def _tell(done: Any, console: Console) -> None:
    document = {
        "item": done.number,
        "revision": done.revision,
        "state": done.state,
        "defects": [{"name": d.name, "detail": d.detail} for d in done.defects],
        "event": done.event,
    }
    text = trn(
        "Submitted #{number}, revision {revision}, with 1 defect.",
        "Submitted #{number}, revision {revision}, with {n} defects.",
        len(done.defects),
        number=done.number,
        revision=done.revision,
    )
    console.emit(document, "\n".join([text, *(f"  {defect.detail}" for defect in done.defects)]))


def _add_revise(commands: Any) -> None:
    parser = add_command(commands, "revise", tr("submit a revision of a returned item"), _revise)
    add_item(parser)
    parser.add_argument("--note", metavar="NOTE", default="", help=tr("note on the changes"))
    _add_payload(parser)


def _revise(arguments: argparse.Namespace, console: Console) -> None:
    from core.workflow.production import write

    ws = open_workspace(arguments, console)
    changed = arguments.fields or arguments.file is not None
    payload = None
    if changed:
        back = write.returned(ws, arguments.user, arguments.item)
        payload = _payload(arguments, dict(back.content.payload))
    done = write.revise(ws, arguments.user, arguments.item, payload, note=arguments.note)
    _tell(done, console)


COMMANDS = (_add_submit, _add_revise)
