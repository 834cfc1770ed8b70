"""Questions with options, and questions with a short answer, as a reader sees them."""

from pydantic import ValidationError

from core.errors import InputError
from core.families import family
from core.families.answer import AnswerPayload
from core.families.base import ItemContent
from core.families.choice import LETTERS, SEVERAL, ChoicePayload
from core.i18n import tr
from gui.documents.generic import write_payload
from gui.documents.writer import Writer


def write(writer: Writer, item: ItemContent, key: bool) -> None:
    """Write passage, question, and the options or answers; ``key`` marks the right options."""
    try:
        payload = family(item.family).payload_model(item.format).model_validate(dict(item.payload))
    except (ValidationError, InputError):
        write_payload(writer, item, key)
        return
    assert isinstance(payload, ChoicePayload | AnswerPayload)
    if payload.passage.strip():
        writer.title(tr("Passage"), before=0)
        writer.paragraphs(payload.passage, after=16)
    writer.title(tr("Question"))
    writer.paragraphs(payload.question, after=12)
    if isinstance(payload, ChoicePayload):
        _options(writer, payload, key)
        shown = key
    else:
        writer.title(tr("Correct answers"))
        writer.listed(((str(n), answer) for n, answer in enumerate(payload.answers, 1)), after=0)
        shown = True
    if shown and payload.rationale.strip():
        writer.title(tr("Rationale"))
        writer.paragraphs(payload.rationale, after=12)


def _options(writer: Writer, payload: ChoicePayload, key: bool) -> None:
    if payload.right == SEVERAL:
        muted = writer.ink(writer.colours.muted, small=True)
        writer.block(after=4).text(tr("One or more options are correct."), muted)
    letters = (
        LETTERS[index] if index < len(LETTERS) else str(index + 1)
        for index in range(len(payload.options))
    )
    writer.listed(zip(letters, payload.options, strict=True), right=payload.key if key else ())
    if key and not set(payload.key) <= set(LETTERS[: len(payload.options)]):
        writer.block(before=8).text(
            tr("The key of this item does not match any of its options."),
            writer.ink(writer.colours.reject),
        )
