"""Instruction, input and output as a reader sees them, or a wording by itself."""

from collections.abc import Mapping
from typing import Any

from core.families.base import ItemContent
from core.i18n import tr
from gui.documents.generic import write_payload
from gui.documents.writer import Writer

_NEEDED = ("instruction", "output")


def write(writer: Writer, item: ItemContent, key: bool) -> None:
    """Write a triplet or a variant; the output is part of what is judged and always shown."""
    payload: Mapping[str, Any] = item.payload
    if isinstance(payload.get("text"), str) and "output" not in payload:
        _write_variant(writer, payload)
        return
    if not all(isinstance(payload.get(name), str) for name in _NEEDED):
        write_payload(writer, item, key)
        return
    _part(writer, _headed(tr("Instruction"), payload.get("instruction_id")), payload["instruction"])
    if str(payload.get("input", "")).strip():
        _part(writer, tr("Input"), payload["input"])
    _part(writer, tr("Output"), payload["output"])
    for other in payload.get("alternatives", ()):
        _part(writer, tr("Alternative correct output"), other)
    _labels(writer, payload)


def _headed(title: str, name: Any) -> str:
    return tr("{title} · {name}", title=title, name=name) if name else title


def _part(writer: Writer, title: str, text: Any) -> None:
    writer.title(title)
    writer.paragraphs(str(text), after=16)


def _write_variant(writer: Writer, payload: Mapping[str, Any]) -> None:
    _part(writer, _headed(tr("An instruction of the task"), payload.get("instruction_id")),
          payload["text"])  # fmt: skip
    if payload.get("public"):
        writer.block().text(tr("Public"), writer.ink(writer.colours.muted, small=True))


def _labels(writer: Writer, payload: Mapping[str, Any]) -> None:
    label = str(payload.get("label", "") or "")
    space = [str(name) for name in payload.get("labels", ())]
    if not label and not space:
        return
    writer.title(tr("Label"))
    writer.block()
    for name in space or [label]:
        if name == label:
            writer.chip(tr("{label} ✓", label=name), filled=True)
        else:
            writer.text(name, writer.ink(writer.colours.muted))
        writer.text("\u2003")
    if label and space and label not in space:
        writer.chip(label)
        outside = tr("  is not in the label space")
        writer.text(outside, writer.ink(writer.colours.reject, small=True))
