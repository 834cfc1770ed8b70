"""People as an engine: they answer a split's questions, blind, and are scored as models are.

A sitting is an evaluation run without a worker. Who takes part is named when it begins; each person
is asked every item that they never worked on, in an order of their own, in the words in which a
model is asked. An answer is an event of the ledger, locked as rows of runs are where the split was
sealed, for a right one may be the item's key word for word. Nothing that an answerer is given, here
or there, holds a key or says what is right. Once all is answered, or a researcher closes the
sitting, the answers become the run's, and are read, measured and reported as any model's.
"""

import json
from collections.abc import Callable, Container, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from core.errors import BenchsealError, InputError, NotFoundError, StandsAlreadyError, StateError
from core.evaluation.params import EvaluateParams
from core.evaluation.report_parts.human_ceiling import ENGINE, PERSON
from core.evaluation.run import EVALUATE
from core.evaluation.types import Answer, Question, question_of
from core.files import digest
from core.i18n import listed, tr
from core.jobs.folder import RunFolder
from core.jobs.locked_rows import RECORD, RowLock
from core.release.frozen_items import askable
from core.release.manifest import SplitItem
from core.release.question_ids import parts_of, question_id
from core.workflow.check.visibility import visibility_of
from core.workflow.evaluation import start, take_in_answers
from core.workflow.rights import (
    Action,
    acting_name,
    is_allowed,
    known_person,
    refuse,
    refuse_early,
    writing_as,
)
from core.workflow.runs import locked_runs, runs
from core.workflow.splits import freeze, opening_keys
from core.workflow.workspace import Workspace
from db import ledger
from db import runs as run_rows
from db.engine import Session
from db.runs import RunRow
from db.vocabulary import EventKind, SplitState

_ANSWER, _CLOSED = "answered_by_person", "sitting_closed"
_OPENING = "opening"
"""The field of a locked answer that names the opening under which it is locked."""
_LONGEST = 20_000


@dataclass(frozen=True, slots=True)
class Sitting:
    """A sitting that is open to somebody: ``done`` of ``total`` questions are answered."""

    run: str
    split: str
    done: int
    total: int


@dataclass(frozen=True, slots=True)
class OpenQuestion:
    """A question as a model is asked it. ``choices`` are the admissible answers, empty for free
    text; ``choice_texts`` what they say, where the prompt says it too."""

    sitting: Sitting
    id: str
    prompt: str
    choices: tuple[str, ...]
    choice_texts: tuple[str, ...]


def begin(
    ws: Workspace, params: EvaluateParams, people: Sequence[str], person: str = ""
) -> RunFolder:
    """Begin a sitting of these people on ``params.split``; returns its run folder.

    The ledger says that ``person`` read the split by it. Raises NotFoundError for an unknown name,
    InputError where nobody is named or other words than the items' own are wanted, StateError for
    a split that is sealed or was changed, or of which nobody may be asked anything.
    """
    refuse_early(ws, person, Action.EVALUATE)
    names = tuple(dict.fromkeys(name.strip() for name in people if name.strip()))
    if not names:
        raise InputError.tr("Name the people who answer, such as --people Ann,Bo.")
    if params.variants or params.templates or params.shots or params.orders > 1:
        raise InputError.tr(
            "People are asked each item once, in its own words; leave out variants, templates, "
            "examples and orders."
        )  # fmt: skip
    info = freeze.info(ws, params.split)
    freeze.refuse_sealed(info)
    freeze.refuse_changed(ws, params.split)
    members = askable(freeze.members_of(ws, params.split))
    left_out = _known_items(ws, names, [member.uid for member in members])
    work = [
        _question(member, question_id(member.uid, f"{PERSON}{place}")).as_json()
        for place in range(1, len(names) + 1)
        for member in members
        if member.uid not in left_out.get(str(place), ())
    ]
    if not work:
        raise StateError.tr("These people know every item of “{name}” from their work on it.",
                            name=params.split)  # fmt: skip
    params = params.model_copy(
        update={
            "engine": ENGINE,
            "model": params.model or ENGINE,
            "split_digest": info.manifest_hash,
            "engine_args": {"people": list(names), "left_out": left_out, "questions": len(work)},
        }
    )
    sent = params.model_copy(update={"judge": None, "engine_args": {}})
    origin = {"benchmark": info.benchmark, "split": params.split}
    folder = locked_runs.create(
        ws, "evaluate", sent, work, params.split, model=params.model, origin=origin
    )
    start.remember(ws, folder, params, info, "local", 1, person=person)
    return folder


def _question(member: SplitItem, id_: str) -> Question:
    return question_of(id_, member.content)


def _known_items(ws: Workspace, names: Sequence[str], uids: Sequence[str]) -> dict[str, list[str]]:
    """By the place of a person, the items that they wrote, held or judged, or asked to see."""
    wanted = set(uids)
    known = {}
    with ws.reading() as session:
        for place, name in enumerate(names, 1):
            row = known_person(session, name)
            refuse(row, Action.RATE)
            if not _reads_splits(ws, session, row.name):
                raise StateError.tr(
                    "{name} cannot take part: on a server with logins only researchers and "
                    "leads read the items of frozen splits.", name=row.name
                )  # fmt: skip
            visibility = visibility_of(session, row)
            seen = visibility.worked_on | {item_id for item_id, _ in visibility.revealed}
            if found := sorted(wanted & {str(item_id) for item_id in seen}, key=int):
                known[str(place)] = found
    return known


def _reads_splits(ws: Workspace, session: Session, name: str) -> bool:
    """Whether the database lets a person read the texts of frozen items."""
    return not ws.has_logins or is_allowed(known_person(session, name).role, Action.EVALUATE)


def sittings(ws: Workspace, person: str = "") -> tuple[Sitting, ...]:
    """The open sittings that a person takes part in, oldest first, also those they are done with;
    writes nothing."""
    found = []
    with ws.reading() as session:
        name = acting_name(session, person)
        if not _reads_splits(ws, session, name):
            return ()
        for row in reversed(run_rows.all_runs(session)):
            if row.params.get("engine") == ENGINE and (place := _place(row, name)):
                answers, closed = _answers(session, row.id)
                if not closed:
                    asked = _asked(_members(session, row), row, place)
                    found.append(_sitting(row, asked, answers))
    return tuple(found)


def count_waiting(ws: Workspace, person: str = "") -> int:
    """How many questions of all open sittings wait for a person; as ``sittings`` would say, without
    reading an item, for a count that is shown all the time."""
    waiting = 0
    with ws.reading() as session:
        name = acting_name(session, person)
        if not _reads_splits(ws, session, name):
            return 0
        for row in run_rows.all_runs(session):
            if row.params.get("engine") == ENGINE and (place := _place(row, name)):
                answers, closed = _answers(session, row.id)
                if not closed:
                    given = sum(parts_of(id_)[1] == f"{PERSON}{place}" for id_ in answers)
                    waiting += _count_asked(row, place) - given
    return waiting


def _count_asked(row: RunRow, place: int) -> int:
    """How many questions a person is asked: all items but those they know."""
    known = {key: len(uids) for key, uids in (_args(row).get("left_out") or {}).items()}
    items = (int(_args(row)["questions"]) + sum(known.values())) // len(_args(row)["people"])
    return items - known.get(str(place), 0)


def open_runs(ws: Workspace) -> tuple[str, ...]:
    """The runs of all open sittings, newest first, for those who evaluate."""
    with ws.reading() as session:
        rows = [r for r in run_rows.all_runs(session) if r.params.get("engine") == ENGINE]
        return tuple(row.id for row in rows if not _answers(session, row.id)[1])


def next_question(ws: Workspace, run: str, person: str = "") -> OpenQuestion | None:
    """The next question of a sitting for a person, None where all of theirs are answered.

    Writes nothing. Raises NotFoundError for somebody who takes no part in it, StateError where it
    is closed or its split is sealed.
    """
    with ws.reading() as session:
        name = acting_name(session, person)
        row, asked, answers = _open(ws, session, run, name)
        sitting = _sitting(row, asked, answers)
        left = [id_ for id_ in asked if id_ not in answers]
        if not left:
            return None
        question = _question(asked[left[0]], left[0])
    return OpenQuestion(
        sitting, question.id, question.prompt, question.choices, question.choice_texts
    )


def answer(
    ws: Workspace,
    run: str,
    id_: str,
    person: str = "",
    *,
    text: str = "",
    choice: str | None = None,
    unknown: bool = False,
    seconds: float = 0.0,
) -> Sitting:
    """Record a person's answer to a question: a choice, a text, or that they do not know.

    It stays as it is: nobody is asked twice. What is right is not told. The last answer of all
    closes the sitting. Raises InputError for an answer that is none, and as ``next_question``.
    """
    spell = _spelling(ws, _row(ws, run))
    with writing_as(ws, person, Action.RATE) as (session, actor):
        row, asked, answers = _open(ws, session, run, actor.name)
        if id_ not in asked:
            raise NotFoundError.tr("“{id}” is not a question that this run asks you.", id=id_)
        if id_ in answers:
            raise StandsAlreadyError.tr("You answered this question already.")
        given = given_answer(_question(asked[id_], id_), text, choice, unknown, seconds)
        told = spell(given)
        event = ledger.NewEvent(EventKind.RUN, actor.name, subject=row.id, data={_ANSWER: told})
        ledger.append(session, event)
        answers = {**answers, id_: told}
        sitting = _sitting(row, asked, answers)
        total = int(row.params["engine_args"]["questions"])
    if len(answers) >= total:
        with suppress(BenchsealError, OSError):  # whoever evaluates can still close it by hand
            _finish(ws, row, actor.name)
    return sitting


def _spelling(ws: Workspace, row: RunRow) -> Callable[[Answer], dict[str, Any]]:
    """How an answer is told in the ledger now; StateError for who has not the key for it."""
    with ws.reading() as session:
        opening = opening_keys.opening_for(session, str(row.params["split"]))
    if not opening:
        return Answer.as_json
    lock = locked_runs.lock_under(ws, row.id, opening)
    return lambda given: {
        **json.loads(lock.locked(RECORD, given.as_json())), _OPENING: opening
    }  # fmt: skip


def _given(ws: Workspace, run: str, answers: Mapping[str, Mapping[str, Any]]) -> dict[str, Answer]:
    """Answers as they were given; StateError for who has not the key for them."""
    openings = {told.get(_OPENING) for told in answers.values()}
    locks = {n: locked_runs.lock_under(ws, run, n) for n in openings if type(n) is int}
    return {id_: Answer.from_json(_opened(told, locks)) for id_, told in answers.items()}


def _opened(told: Mapping[str, Any], locks: Mapping[int, RowLock]) -> Mapping[str, Any]:
    if _OPENING not in told:
        return told
    locked = {name: told[name] for name in told if name != _OPENING}
    return locks[told[_OPENING]].opened(RECORD, locked)


def given_answer(
    question: Question, text: str, choice: str | None, unknown: bool, seconds: float = 0.0
) -> Answer:
    """A person's answer in the form in which an engine gives it; InputError for none."""
    seconds = max(0.0, min(seconds, 86_400.0))
    if unknown:
        return Answer(question.id, outcome="refused", latency_s=seconds)
    if choice is not None:
        if choice not in question.choices:
            raise InputError.tr(
                "“{choice}” is not an answer to choose. Available: {known}.", choice=choice,
                known=listed(question.choices) or tr("none")
            )  # fmt: skip
        return Answer(question.id, text=choice, choice=choice, latency_s=seconds)
    if not text.strip() or len(text) > _LONGEST:
        raise InputError.tr("Write an answer of 1 to {most} characters.", most=_LONGEST)
    return Answer(question.id, text=text, latency_s=seconds)


def close(ws: Workspace, run: str, person: str = "") -> dict[str, Any]:
    """End a sitting: what is not answered by now counts as missing. Returns the run's summary.

    Raises StateError where nothing was answered, or the sitting is closed already.
    """
    refuse_early(ws, person, Action.EVALUATE)
    row = _row(ws, run)
    with ws.reading() as session:
        answers, closed = _answers(session, row.id)
        actor = acting_name(session, person)
    if closed:
        raise StateError.tr("This run is closed.")
    if not answers:
        raise StateError.tr("Nobody has answered anything in this run yet.")
    return _finish(ws, row, actor)


def _finish(ws: Workspace, row: RunRow, actor: str) -> dict[str, Any]:
    """Fill the run folder as a worker would have, and take the answers in."""
    folder = runs.sound_folder_of(ws, row.id)
    if folder.spec().locked:
        folder.lock()  # who has no key closes nothing
    with ws.writing() as session:
        answers, closed = _answers(session, row.id)
        if not closed:
            event = ledger.NewEvent(EventKind.RUN, actor, subject=row.id, data={_CLOSED: True})
            ledger.append(session, event)
    missing = tr("not answered")
    given = _given(ws, row.id, answers)
    records = [
        given.get(id_, Answer(id_, outcome="failed", error=missing)).as_json()
        for id_ in folder.work_ids()
    ]
    folder.write_shard("shard-000.jsonl", records)
    folder.files.write("engine-000.json", json.dumps({"people": str(_count(row))}) + "\n")
    folder.write_result({**EVALUATE.summarise(folder, records), "resumed": 0})
    return take_in_answers.take_in(ws, row.id)


def _row(ws: Workspace, run: str) -> RunRow:
    row = runs.find_evaluation(ws, run)
    if row.params.get("engine") != ENGINE:
        raise StateError.tr("Run “{run}” asks a model and not people.", run=row.id)
    return row


def _open(
    ws: Workspace, session: Session, run: str, name: str
) -> tuple[RunRow, dict[str, SplitItem], dict[str, Mapping[str, Any]]]:
    """The run, what the person is asked in it and all answers so far."""
    row = _row(ws, run)
    place = _place(row, name)
    if not place:
        raise NotFoundError.tr("{name} does not take part in run “{run}”.", name=name, run=row.id)
    answers, closed = _answers(session, row.id)
    asked = _asked(_members(session, row), row, place)
    if closed and not asked.keys() <= answers.keys():
        raise StateError.tr("This run is closed.")
    split = freeze.info_in(ws, session, str(row.params["split"]))
    if split.state == SplitState.SEALED:
        raise StateError.tr("Split “{name}” is sealed; its questions are not shown.",
                            name=split.name)  # fmt: skip
    return row, asked, answers


def _place(row: RunRow, name: str) -> int:
    """The place of a person among those who take part, from 1; 0 for who does not."""
    names = _args(row).get("people", ())
    return names.index(name) + 1 if name in names else 0


def _count(row: RunRow) -> int:
    return len(_args(row).get("people", ()))


def _args(row: RunRow) -> Mapping[str, Any]:
    args: Mapping[str, Any] = row.params.get("engine_args") or {}
    return args


def _answers(session: Session, run: str) -> tuple[dict[str, Mapping[str, Any]], bool]:
    """The answers of a sitting by id, the first of each, as the ledger tells them, and whether it
    is closed."""
    answers: dict[str, Mapping[str, Any]] = {}
    closed = False
    for event in ledger.of_subject(session, EventKind.RUN, run):
        closed = closed or bool(event.data.get(_CLOSED))
        if (row := event.data.get(_ANSWER)) is not None:
            answers.setdefault(row["id"], row)
    return answers, closed


def _members(session: Session, row: RunRow) -> Sequence[SplitItem]:
    return askable(freeze.members_in(session, str(row.params["split"])))


def _asked(members: Sequence[SplitItem], row: RunRow, place: int) -> dict[str, SplitItem]:
    """The items a person is asked, by question, in an order of their own."""
    left_out = set((_args(row).get("left_out") or {}).get(str(place), ()))
    by_id = {question_id(m.uid, f"{PERSON}{place}"): m for m in members if m.uid not in left_out}
    return {id_: by_id[id_] for id_ in sorted(by_id, key=lambda id_: digest([row.id, id_]))}


def _sitting(row: RunRow, asked: Mapping[str, SplitItem], answers: Container[str]) -> Sitting:
    done = sum(id_ in answers for id_ in asked)
    return Sitting(row.id, str(row.params["split"]), done, len(asked))
