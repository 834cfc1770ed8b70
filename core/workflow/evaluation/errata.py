"""Errata: items that were found wrong after they were frozen.

A frozen split never changes and neither do its scores. A lead declares an item of it an erratum,
with a reason, or takes that back; the ledger holds both, and reports say the score with and
without these items.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from core.errors import InputError, StateError
from core.evaluation.scoring import ItemScore, Report, tallied
from core.i18n import tr
from core.jobs.stored_tuples import kept
from core.release.question_ids import uid_of
from core.workflow.lookup import item_in
from core.workflow.rights import Action, writing_as
from core.workflow.workspace import Workspace
from db import ledger
from db.engine import Session
from db.vocabulary import EventKind, ItemState

_LONGEST = 2000


@dataclass(frozen=True, slots=True)
class Erratum:
    """An item that scores are also reported without: why, by whom and when (UTC)."""

    number: int
    reason: str
    by: str
    at: str


def errata(ws: Workspace) -> tuple[Erratum, ...]:
    """The errata that stand, by item."""
    with ws.reading() as session:
        return tuple(_standing(session).values())


def _standing(session: Session) -> dict[int, Erratum]:
    standing: dict[int, Erratum] = {}
    for event in ledger.of_kind(session, EventKind.ERRATUM):
        number = int(event.item_id or 0)
        if event.data.get("excluded"):
            standing[number] = Erratum(number, str(event.data["note"]), event.actor, event.at)
        else:
            standing.pop(number, None)
    return dict(sorted(standing.items()))


def declare(ws: Workspace, numbers: Iterable[int], person: str, reason: str) -> tuple[int, ...]:
    """Declare frozen items errata; the items of which that is new.

    Only leads may. Raises NotFoundError for an item that is not there, StateError for one that is
    not frozen or where all are errata already, InputError without a reason.
    """
    return _write(ws, numbers, person, reason, excluded=True)


def withdraw(ws: Workspace, numbers: Iterable[int], person: str, reason: str) -> tuple[int, ...]:
    """Take errata back, with a reason; as ``declare``."""
    return _write(ws, numbers, person, reason, excluded=False)


def _write(
    ws: Workspace, numbers: Iterable[int], person: str, reason: str, *, excluded: bool
) -> tuple[int, ...]:
    reason = reason.strip()
    if not reason or len(reason) > _LONGEST:
        raise InputError.tr("Give a reason of 1 to {most} characters.", most=_LONGEST)
    with writing_as(ws, person, Action.DECLARE_ERRATA) as (session, actor):
        standing = _standing(session)
        items = [item_in(session, number) for number in dict.fromkeys(numbers)]
        for item in items:
            if item.state != ItemState.FROZEN:
                raise StateError.tr("Item #{number} is not frozen; change or reject it instead.",
                                    number=item.id)  # fmt: skip
        changed = [item for item in items if (item.id in standing) != excluded]
        if not changed:
            raise StateError(
                tr("All of these items are errata already.")
                if excluded
                else tr("None of these items is an erratum.")
            )
        ledger.append(
            session,
            *(
                ledger.NewEvent(
                    EventKind.ERRATUM, actor.name, item.id,
                    data={"note": reason, "excluded": excluded, "revision": item.revision},
                )
                for item in changed
            ),
        )  # fmt: skip
    return tuple(item.id for item in changed)


def with_errata(ws: Workspace, report: Report) -> Report:
    """The report with what it is without the errata: ``origin["without_errata"]``, where any of
    its items is one. The scores of the report stay."""
    numbers = {str(erratum.number) for erratum in errata(ws)}
    if not numbers:
        return report
    out = sorted({uid for e in report.scores if (uid := uid_of(e.id)) in numbers}, key=int)
    if not out:
        return report
    others = (entry for entry in report.scores if uid_of(entry.id) not in numbers)
    rest = kept(others, ItemScore._make)
    document: dict[str, Any] = {"items": out, **tallied(rest)[0].as_json()}
    return replace(report, origin={**report.origin, "without_errata": document})


def errata_sentence(report: Report) -> str:
    """The score without the errata in words; empty where there are none."""
    document = report.origin.get("without_errata")
    if not document:
        return ""
    items: Sequence[str] = document["items"]
    named = " ".join(f"#{number}" for number in items[:8]) + (" …" if len(items) > 8 else "")
    if document["accuracy"] is None:
        return tr("Every item of this report is an erratum: {items}.", items=named)
    span = (
        ""
        if document["low"] is None
        else f" [{100 * document['low']:.1f}, {100 * document['high']:.1f}]"
    )
    return tr("Without errata ({items}): {accuracy}%{span} of {n}.", items=named,
              accuracy=f"{100 * document['accuracy']:.1f}", span=span,
              n=document["n"])  # fmt: skip
