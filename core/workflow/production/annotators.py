"""Decisions of people who annotated items elsewhere, recorded under their names.

An annotation of Label Studio or Argilla says which label its annotator chose. It counts as
accepting the item where that is the item's own label, else as rejecting it, with the other label as
the note. A choice that is a verdict itself (``accept``, ``reject``, ``return``) is taken as it is.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from core.errors import BenchsealError
from core.families.base import COLUMNS, ItemContent
from core.sources.cell_text import in_a_row
from core.workflow import people
from core.workflow.check import review
from core.workflow.workspace import Workspace
from db.vocabulary import Role, Verdict

_VERDICTS = frozenset(verdict.value for verdict in Verdict)


@dataclass(frozen=True, slots=True)
class AnnotatorDecision:
    """What one annotator thought of an item."""

    annotator: str
    verdict: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class RecordedDecisions:
    """How many decisions were recorded, by how many people, and why others could not be."""

    recorded: int
    people: int
    refused: Mapping[str, int]


def decisions_in(content: ItemContent) -> list[AnnotatorDecision]:
    """The decisions that the annotations beside an item stand for, one for each annotator: of
    several by one the newest in the file."""
    kept = content.provenance.get(COLUMNS) or {}
    said = {str(text).strip() for value in content.payload.values() for text in _parts(value)}
    found: dict[str, AnnotatorDecision] = {}
    for annotator, choice in _choices(kept):
        values = [str(part).strip() for part in _parts(choice)]
        if len(values) == 1 and values[0] in _VERDICTS:
            verdict, note = values[0], ""
        else:
            agrees = set(values) <= said or in_a_row(values) in said
            verdict = (Verdict.ACCEPT if agrees else Verdict.REJECT).value
            note = "" if agrees else in_a_row(values)
        if verdict != Verdict.ACCEPT and not note:
            note = "–"  # no decision against an item goes without words
        found[annotator] = AnnotatorDecision(annotator, verdict, note)
    return list(found.values())


def _parts(value: Any) -> Sequence[Any]:
    return value if isinstance(value, list | tuple) else [value]


def _choices(kept: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """(annotator, what was chosen) of every annotation that chose something."""
    annotations = kept.get("annotations", kept.get("task.annotations"))
    for annotation in annotations if isinstance(annotations, list) else ():
        if isinstance(annotation, Mapping) and not annotation.get("was_cancelled"):
            name = _name(annotation.get("completed_by"))
            for result in annotation.get("result") or ():
                value = result.get("value") if isinstance(result, Mapping) else None
                if name and isinstance(value, Mapping) and value.get("choices"):
                    yield name, value["choices"]
    responses = kept.get("responses")
    for entries in responses.values() if isinstance(responses, Mapping) else ():
        for entry in entries if isinstance(entries, list) else ():
            name = _name(entry.get("user_id")) if isinstance(entry, Mapping) else ""
            if name and entry.get("value") is not None:
                yield name, entry["value"]


def _name(person: Any) -> str:
    """What an annotator is called: by the account where it is given, else by the number."""
    if isinstance(person, Mapping):
        person = next((person[n] for n in ("email", "username", "id") if person.get(n)), "")
    if isinstance(person, int) and not isinstance(person, bool):
        return f"annotator {person}"
    return str(person or "").strip()


def most_annotators(contents: Iterable[ItemContent]) -> int:
    """How many annotators the item has that has most."""
    return max((len(decisions_in(content)) for content in contents), default=0)


def record(ws: Workspace, items: Iterable[tuple[int, ItemContent]], lead: str) -> RecordedDecisions:
    """Record the decisions of the annotators of items; people who are new are added, by a lead.

    What the review refuses (all places taken, their own item) is counted by its reason.
    """
    wanted = [(number, given) for number, c in items for given in decisions_in(c)]
    names = {given.annotator for _, given in wanted}
    known = {person.name for person in people.people(ws)}
    for name in sorted(names - known):
        people.ensure_person(ws, name, Role.SPECIALIST, actor=lead)
    refused: Counter[str] = Counter()
    for number, given in wanted:
        reason = "" if given.verdict == Verdict.ACCEPT else "other"
        try:
            review.decide(
                ws, given.annotator, number, given.verdict,
                reason=reason, note=given.note, recorded_by=lead,
            )  # fmt: skip
        except BenchsealError as error:
            refused[str(error)] += 1
    return RecordedDecisions(len(wanted) - refused.total(), len(names), dict(refused))
