"""Sequencing, cloze and prediction as a reader sees them."""

from pydantic import ValidationError

from core.errors import InputError
from core.families.base import ItemContent
from core.families.scp import ScpFamily
from core.families.scp_payload import HOLE, LETTERS, AnyPayload, ClozePayload, PredictionPayload
from core.i18n import tr
from gui.documents.generic import write_payload
from gui.documents.writer import Writer

_FAMILY = ScpFamily()


def write(writer: Writer, item: ItemContent, key: bool) -> None:
    """Write the fragment, the lettered texts and the options of one item."""
    try:
        payload = _FAMILY.payload(item)
    except (ValidationError, InputError):
        write_payload(writer, item, key)
        return
    right = payload.offered[payload.key] if _has_key(payload) else ""
    if isinstance(payload, PredictionPayload):
        writer.paragraphs(payload.context)
        writer.title(tr("Which text comes next?"))
        _pieces(writer, payload, payload.key if key else -1)
        return
    if isinstance(payload, ClozePayload):
        _gaps(writer, payload.text, right if key else "")
        writer.title(tr("Sentences removed"))
    else:
        writer.title(tr("Segments in the order shown"), before=0)
    _pieces(writer, payload, -1)
    _selections(writer, payload, payload.key if key else -1)
    if key and not right:
        writer.block(before=8).text(
            tr("The key of this item does not match any of its options."),
            writer.ink(writer.colours.reject),
        )


def _has_key(payload: AnyPayload) -> bool:
    return 0 <= payload.key < len(payload.offered)


def _gaps(writer: Writer, text: str, assignment: str) -> None:
    for paragraph in text.split("\n\n"):
        writer.block()
        position = 0
        for mark in HOLE.finditer(paragraph):
            writer.text(paragraph[position : mark.start()])
            number = int(mark.group(1))
            letter = assignment[number - 1] if 0 < number <= len(assignment) else ""
            writer.chip(f"▢{number} {letter}" if letter else f"▢{number}", filled=bool(letter))
            position = mark.end()
        writer.text(paragraph[position:])


def _pieces(writer: Writer, payload: AnyPayload, right: int) -> None:
    pieces = [
        (LETTERS[index] if index < len(LETTERS) else str(index + 1), piece)
        for index, piece in enumerate(payload.lettered)
    ]
    writer.listed(pieces, right=[letter for letter, _ in pieces[right : right + 1] if right >= 0])


def _selections(writer: Writer, payload: AnyPayload, right: int) -> None:
    cloze = isinstance(payload, ClozePayload)
    writer.title(
        tr("Which sentence goes where?") if cloze else tr("Which order restores the text?")
    )
    options = enumerate(payload.offered, 1)
    listed = ((str(number), option_text(option, cloze)) for number, option in options)
    writer.listed(listed, right=(str(right + 1),), after=0)


def option_text(option: str, cloze: bool) -> str:
    """An option as people read it: ``▢1 C   ▢2 A`` for a cloze, ``C → A`` for an order."""
    if cloze:
        return "\u2003".join(f"▢{n}\u00a0{letter}" for n, letter in enumerate(option, 1))
    return " → ".join(option)
