"""``show``: the text of one item, field by field, as whoever reviews by commands reads it."""

import argparse
from collections.abc import Iterator
from dataclasses import asdict
from itertools import count
from string import ascii_uppercase
from textwrap import indent
from typing import TYPE_CHECKING, Any

from core.cli.commands import add_command, open_workspace
from core.cli.console import Console
from core.cli.options import add_item, add_user
from core.errors import BenchsealError, RightsError
from core.i18n import tr

if TYPE_CHECKING:
    from core.families.base import FormField, ItemContent

_INDENT = "  "
_LETTERED = frozenset({"options", "parts", "candidates"})
"""Lists of a payload whose parts a key names by their letters."""


def _add_show(commands: Any) -> None:
    parser = add_command(commands, "show", tr("show the text of an item"), _show)
    add_item(parser)
    add_user(parser, tr("who is looking"))


def _show(arguments: argparse.Namespace, console: Console) -> None:
    from core.workflow.check import review
    from core.workflow.items import history
    from core.workflow.labels import defect_label, state_label

    ws = open_workspace(arguments, console)
    taken_up = ""
    try:
        life = history.item_history(ws, arguments.item, arguments.user)
    except RightsError:  # an annotator has what waits for them, and takes it up by looking
        review.claim_item(ws, arguments.user, arguments.item)
        taken_up = tr("You hold this item now: decide on it, or others get it after a while.")
        life = history.item_history(ws, arguments.item, arguments.user)
    revision = life.revisions[-1]
    document = {
        "item": life.number, "benchmark": life.benchmark, "task": life.task, "state": life.state,
        "revision": revision.number, "content": revision.content.as_json(),
        "defects": [asdict(defect) for defect in revision.defects],
    }  # fmt: skip
    head = " · ".join(
        (f"#{life.number}", life.task, state_label(life.state),
         tr("revision {number}", number=revision.number))
    )  # fmt: skip
    parts = [head, *_fields(revision.content)]
    if revision.defects:
        told = [" ".join((defect_label(one.name), one.detail)) for one in revision.defects]
        parts.append(_field(tr("Defects"), "\n".join(told)))
    if taken_up:
        parts.append(taken_up)
    console.emit(document, "\n\n".join(parts))


def _fields(content: "ItemContent") -> Iterator[str]:
    """What the payload holds, by the fields of the family's form; those without a value are left
    out, and what is in no field of the form stands last under its own name."""
    from core.families import family

    payload = dict(content.payload)
    try:
        form = family(content.family).form(content.format)
    except BenchsealError:  # a format of which this program does not know
        form = ()
    for field in form:
        value = _written(field, payload.pop(field.path, None))
        if value:
            yield _field(field.title, value)
    for name, rest in payload.items():
        if rest not in (None, "", [], {}):
            yield _field(name, str(rest))


def _written(field: "FormField", value: Any) -> str:
    if isinstance(value, list | tuple):
        names = ascii_uppercase if field.path in _LETTERED else map(str, count(1))
        return "\n".join(f"{name}. {part}" for name, part in zip(names, value, strict=False))
    if isinstance(value, int) and 0 <= value < len(field.options):
        return field.options[value]
    return "" if value is None else str(value)


def _field(title: str, text: str) -> str:
    return f"{title}\n{indent(text, _INDENT)}"


COMMANDS = (_add_show,)
