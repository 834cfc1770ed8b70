"""The second look of somebody who is not told: they answer the item, and learn the key only then.

Whoever takes a requested second look is asked the item as a model is asked it: the key is one of
the options like any other, and what the models answered is not shown. The answer is recorded, ends
the request, and stays as it is; then key and models' answer are told. Somebody who asked for the
look, or who wrote or judged the item, knows more than the question: their look counts, and is
recorded as not blind.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from core.errors import BenchsealError, StateError
from core.evaluation.scoring import judge, keys_of
from core.evaluation.types import question_of
from core.families import family
from core.families.base import ItemContent
from core.i18n import listed, tr, trn
from core.release.manifest import SplitItem
from core.workflow.analysis.second_look import SecondLookRequest, request_of, requests
from core.workflow.check.visibility import refuse_closed, visibility_of
from core.workflow.evaluation.people_answers import given_answer
from core.workflow.lookup import item_in
from core.workflow.rights import Action, acting_name, require, writing_as
from core.workflow.splits import item_keys
from core.workflow.workspace import Workspace
from db import items as item_rows
from db import ledger
from db.engine import Session
from db.people import PersonRow
from db.queries import second_look as rows
from db.vocabulary import EventKind

Agrees = Literal["key", "models", "neither", "unknown"]
"""With whom an answer agrees; ``unknown`` where the person does not know."""


@dataclass(frozen=True, slots=True)
class BlindQuestion:
    """The item of a request as a model is asked it. ``choices`` are the admissible answers, empty
    for free text; ``knows`` says why this person's look is not blind, empty where it is; ``left``
    are the open requests that this person can take, this one among them."""

    number: int
    task: str
    prompt: str
    choices: tuple[str, ...]
    knows: str
    left: int


@dataclass(frozen=True, slots=True)
class BlindLook:
    """A look that was taken: what the person answered, and what they are told only now: the key,
    the ``answer`` that ``models`` gave against it (empty where there was none), and the note."""

    number: int
    given: str
    agrees: Agrees
    blind: bool
    key: str
    answer: str
    models: tuple[str, ...]
    note: str
    event: int


def next_look(
    ws: Workspace, person: str = "", benchmark: str = "", number: int = 0
) -> BlindQuestion | None:
    """The open request that a person takes next, or that of item ``number``; None where there is
    none that can be asked as a question. Those that are blind to them come first. Writes nothing.

    Raises StateError for an item that waits for no second look or cannot be asked.
    """
    with ws.reading() as session:
        name = require(session, acting_name(session, person), Action.SECOND_LOOK).name
    open_requests = requests(ws, benchmark, viewer=name)
    if number:
        chosen = _of_item(open_requests, number)
        with ws.reading() as session:
            content, _ = _content(session, number)
            actor = require(session, name, Action.SECOND_LOOK)
            return _asked(chosen, content, _knows(session, actor, chosen), 1)
    found: list[tuple[SecondLookRequest, ItemContent, str]] = []
    with ws.reading() as session:
        actor = require(session, name, Action.SECOND_LOOK)
        for request in open_requests:
            try:
                content, _ = _content(session, request.number)
            except BenchsealError:  # sealed, or no question: it is not asked
                continue
            found.append((request, content, _knows(session, actor, request)))
    found.sort(key=lambda one: bool(one[2]))
    return _asked(*found[0], len(found)) if found else None


def look(
    ws: Workspace,
    number: int,
    person: str = "",
    *,
    text: str = "",
    choice: str | None = None,
    unknown: bool = False,
) -> BlindLook:
    """Record a person's answer to an item that waits for a second look, which ends the request.

    Raises InputError for an answer that is none, StateError where the item waits no longer or
    cannot be asked.
    """
    with writing_as(ws, person, Action.SECOND_LOOK) as (session, actor):
        item_in(session, number, lock=True)
        request = _of_item([request_of(row) for row in rows.requests(session)], number)
        content, revision = _content(session, number)
        given = given_answer(question_of(str(number), content), text, choice, unknown)
        (key,) = keys_of([SplitItem(0, str(number), revision, content)])
        read = judge(key, given)
        answered = "" if unknown else (read.predicted or given.text.strip())
        agrees: Agrees = "neither"
        if unknown:
            agrees = "unknown"
        elif read.correct:
            agrees = "key"
        elif request.answer and answered == request.answer:
            agrees = "models"
        knows = _knows(session, actor, request)
        sealer = item_keys.sealers_about(session, [number]).get(number)
        data: dict[str, Any] = {
            "note": _sentence(agrees, blind=not knows),
            "revision": revision,
            "given": sealer.text(answered) if sealer else answered,
            "agrees": agrees,
            "blind": not knows,
        }
        event = ledger.append(
            session, ledger.NewEvent(EventKind.LOOKED_AGAIN, actor.name, number, data=data)
        )
    return BlindLook(number, answered, agrees, not knows, read.expected, request.answer,
                     request.models, request.note, event)  # fmt: skip


def _of_item(open_requests: Sequence[SecondLookRequest], number: int) -> SecondLookRequest:
    for request in open_requests:
        if request.number == number:
            return request
    raise StateError.tr("Item #{number} is not waiting for a second look.", number=number)


def _content(session: Session, number: int) -> tuple[ItemContent, int]:
    """An item as it is asked, and its revision; StateError where it is not a question, or its
    split is sealed."""
    item = item_in(session, number)
    refuse_closed(session, item)
    row = item_rows.contents(session, [number])[number]
    content = ItemContent(item.family, item.format, row.payload, row.provenance, item.domain)
    if not family(item.family).is_question(content):
        raise StateError.tr("Item #{number} is not a question that can be asked.", number=number)
    return content, item.revision


def _asked(
    request: SecondLookRequest, content: ItemContent, knows: str, left: int
) -> BlindQuestion:
    question = question_of(str(request.number), content)
    return BlindQuestion(
        request.number, request.task, question.prompt, question.choices, knows, left
    )


def _knows(session: Session, actor: PersonRow, request: SecondLookRequest) -> str:
    """Why a person's look at an item is not blind; empty where it is."""
    if request.by == actor.name:
        return tr("you requested this second look")
    visibility = visibility_of(session, actor, request.number)
    if request.number in visibility.wrote:
        return tr("you wrote this item")
    if request.number in visibility.worked_on:
        return tr("you reviewed, rated or audited this item")
    if any(item_id == request.number for item_id, _ in visibility.revealed):
        return tr("you have seen the hidden details of this item")
    return ""


def told(found: BlindLook) -> tuple[str, ...]:
    """What a person is told once they have answered, a sentence each."""
    said = [
        tr("Your answer: {answer}", answer=found.given or "–"),
        tr("Key: {answer}", answer=found.key),
    ]
    if found.answer:
        said.append(
            trn("1 model answered against the key: {answer} ({models})",
                "{n} models answered against the key: {answer} ({models})", len(found.models),
                answer=found.answer, models=listed(found.models))
        )  # fmt: skip
    said.append(tr("Why it was requested: {note}", note=found.note))
    neither = tr("Your answer differs from the key.")
    if found.answer:
        neither = tr("You agree with neither. Read the item again: it may have more than one "
                     "answer, or none.")  # fmt: skip
    said.append(
        {
            "key": tr("You agree with the key."),
            "models": tr("You agree with the models against the key. If the key is wrong, a lead "
                         "can declare the item an erratum."),
            "neither": neither,
            "unknown": tr("You did not know the answer."),
        }[found.agrees]
    )  # fmt: skip
    return tuple(said)


def _sentence(agrees: Agrees, *, blind: bool) -> str:
    """What the ledger says of a look, in words."""
    said = {
        "key": tr("answered like the key"),
        "models": tr("answered like the models, against the key"),
        "neither": tr("answered neither like the key nor like the models"),
        "unknown": tr("did not know the answer"),
    }[agrees]
    return said if blind else tr("{said} (not blind)", said=said)
