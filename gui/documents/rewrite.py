"""A rewrite beside its original: differences word by word, facts before and after, knowledge."""

from collections.abc import Sequence

from pydantic import ValidationError

from core.errors import InputError
from core.families import family
from core.families.base import ItemContent
from core.families.rewrite_payload import (
    OriginalPayload,
    SemanticPayload,
    SourceFact,
    Triple,
    UpdatedPayload,
)
from core.i18n import tr
from core.sources.labelled.datasets import TASKS
from gui.documents.diff import write_side
from gui.documents.generic import write_payload
from gui.documents.writer import Writer


def write(writer: Writer, item: ItemContent, key: bool) -> None:
    """Write one item of the three sets; ``key`` also shows the semantic rewrite of an update."""
    try:
        payload = family("rewrite").payload_model(item.format).model_validate(dict(item.payload))
    except (ValidationError, InputError):
        write_payload(writer, item, key)
        return
    if isinstance(payload, UpdatedPayload):
        _write_updated(writer, payload, key)
    elif isinstance(payload, SemanticPayload):
        _write_pair(writer, payload, tr("Semantic rewrite"))
        _write_triples(writer, payload.triples_before, None)
    elif isinstance(payload, OriginalPayload):
        for title, text in _texts(payload, payload.text, payload.second):
            writer.title(title or tr("Text"))
            writer.paragraphs(text)
    if isinstance(payload, OriginalPayload):
        _write_label(writer, payload)


def _texts(payload: OriginalPayload, first: str, second: str) -> list[tuple[str, str]]:
    """The text, or the two texts of a pair with what the task calls them."""
    if not payload.second and not second:
        return [("", first)]
    task = next((known for known in TASKS if known.name == payload.task), None)
    names = task.parts if task and len(task.parts) == 2 else (tr("First text"), tr("Second text"))
    return [(names[0].capitalize(), first), (names[1].capitalize(), second)]


def _write_pair(writer: Writer, payload: SemanticPayload, title: str) -> None:
    before = _texts(payload, payload.original, payload.original_second)
    after = _texts(payload, payload.text, payload.second)
    table = writer.columns(2)
    _write_column(writer.cell(table, 0), tr("Original"), before, after, "before")
    _write_column(writer.cell(table, 1), title, before, after, "after")
    writer.leave()


def _write_updated(writer: Writer, payload: UpdatedPayload, semantic: bool) -> None:
    if semantic:
        _write_three(writer, payload)
    else:
        _write_pair(writer, payload, tr("Updated"))
    _write_triples(writer, payload.triples_before, payload.triples_after)
    _write_knowledge(writer, payload)


def _write_three(writer: Writer, payload: UpdatedPayload) -> None:
    """Each text against the one that it was made from."""
    original = _texts(payload, payload.original, payload.original_second)
    middle = _texts(payload, payload.semantic, payload.semantic_second)
    updated = _texts(payload, payload.text, payload.second)
    table = writer.columns(3)
    _write_column(writer.cell(table, 0), tr("Original"), original, middle, "before")
    _write_column(writer.cell(table, 1), tr("Semantic rewrite"), original, middle, "after")
    _write_column(writer.cell(table, 2), tr("Updated"), middle, updated, "after")
    writer.leave()


def _write_column(
    writer: Writer,
    title: str,
    before: Sequence[tuple[str, str]],
    after: Sequence[tuple[str, str]],
    side: str,
) -> None:
    writer.title(title, before=0)
    for (name, old), (_, new) in zip(before, after, strict=True):
        if name:
            writer.block(after=2).text(name, writer.ink(writer.colours.text, bold=True, small=True))
        write_side(writer, old, new, side)


def _write_triples(
    writer: Writer, before: Sequence[Triple], after: Sequence[Triple] | None
) -> None:
    if not before and not after:
        return
    table = writer.columns(1 if after is None else 2)
    _write_facts(writer.cell(table, 0), tr("Facts before"), before, after or before)
    if after is not None:
        _write_facts(writer.cell(table, 1), tr("Facts after"), after, before)
    writer.leave()


def _write_facts(
    writer: Writer, title: str, triples: Sequence[Triple], others: Sequence[Triple]
) -> None:
    """One triple a line; what the other side does not have is bold."""
    writer.title(title, before=12)
    for index, triple in enumerate(triples):
        other = others[index] if index < len(others) else ("", "", "")
        writer.block(after=4)
        for place, part in enumerate(triple):
            if place:
                writer.text(" → ", writer.ink(writer.colours.muted))
            same = part == other[place]
            writer.text(part, None if same else writer.ink(writer.colours.text, bold=True))
    if not triples:
        writer.block(after=4).text(tr("none"), writer.ink(writer.colours.muted))


def _write_knowledge(writer: Writer, payload: UpdatedPayload) -> None:
    if not payload.summary and not payload.facts:
        return
    writer.title(tr("Knowledge used"))
    if payload.summary:
        writer.paragraphs(payload.summary, after=6)
    for fact in payload.facts:
        writer.block(after=2).text(fact.title)
        if line := _source(fact):
            writer.block(after=6).text(line, writer.ink(writer.colours.muted, small=True))


def _source(fact: SourceFact) -> str:
    parts = (fact.date, fact.source, fact.url, fact.row)
    return " · ".join(dict.fromkeys(part for part in parts if part))


def _write_label(writer: Writer, payload: OriginalPayload) -> None:
    writer.title(tr("Label"))
    writer.block()
    writer.chip(tr("{label} ✓", label=payload.label), filled=True)
    others = [label for label in payload.labels if label != payload.label]
    if others:
        writer.text("\u2003" + " · ".join(others), writer.ink(writer.colours.muted))
    if payload.target:
        writer.block().text(
            tr("Target: {target}", target=payload.target), writer.ink(writer.colours.muted)
        )
