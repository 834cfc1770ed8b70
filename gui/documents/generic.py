"""An item of a family that has no view of its own, by the fields of its form."""

from collections.abc import Iterable, Mapping
from typing import Any

from core.errors import BenchsealError
from core.families import family
from core.families.base import FormField, ItemContent
from core.i18n import tr
from gui.documents.writer import Writer


def write_item(writer: Writer, item: ItemContent, key: bool) -> None:
    """Write every field of the form under its title; fields that hold the key only on request."""
    try:
        fields = family(item.family).form(item.format)
    except BenchsealError:
        write_payload(writer, item, key)
        return
    for field in fields:
        if field.path != "key" or key:
            _write_field(writer, field, item.payload)


def _write_field(writer: Writer, field: FormField, payload: Mapping[str, Any]) -> None:
    writer.title(field.title)
    value = payload.get(field.path)
    if isinstance(value, list | tuple):
        _listed(writer, value)
    elif field.kind == "choice" and isinstance(value, int) and 0 <= value < len(field.options):
        writer.block().text(field.options[value])
    else:
        writer.paragraphs("" if value is None else str(value))


def write_payload(writer: Writer, item: ItemContent, key: bool) -> None:
    """Write a payload that does not fit its family, field by field, so that it can be judged."""
    writer.block().text(
        tr("This item does not match the format of its family; its fields are shown as stored."),
        writer.ink(writer.colours.reject),
    )
    for name, value in item.payload.items():
        if name != "key" or key:
            writer.title(name)
            if isinstance(value, list | tuple):
                _listed(writer, value)
            else:
                writer.block().text(str(value))


def _listed(writer: Writer, parts: Iterable[Any]) -> None:
    writer.listed((str(number), str(part)) for number, part in enumerate(parts, 1))
