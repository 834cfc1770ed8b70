"""The qualification round: gold items that everybody answers before the real ones of a task.

The protocol says how many (``qualification``) and what share must be right. After each one the
person hears the correct answer and why it is. Answers are counted in rounds of that many, in the
order in which they were given: one full round with enough of them right qualifies for good. After
a failed round the person gets nothing of the task until a lead lets them try again
(``gold.lift_pause``), with gold items that they have not seen. Who may look at gold items is not
tried.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from core.errors import RightsError
from core.i18n import listed, tr, trn
from core.workflow.labels import REASONS, VERDICT_NAMES, word
from core.workflow.lookup import task_in
from core.workflow.people import benchmark_in
from core.workflow.protocols import ProtocolSettings, settings_of
from core.workflow.rights import Action, at_work, is_allowed
from core.workflow.workspace import Workspace
from db import assignments, benchmarks, items, ledger, people, reviews
from db import gold as rows
from db.benchmarks import TaskRow
from db.engine import Session
from db.items import ItemRow
from db.people import PersonRow
from db.vocabulary import DecisionKind, EventKind, Stage

State = Literal["open", "passed", "failed"]


_NAMED = 5
"""Tasks that are named in one sentence."""


@dataclass(frozen=True, slots=True)
class Standing:
    """How far somebody is: ``answered`` and ``right`` of ``wanted`` in their newest round."""

    state: State
    answered: int
    right: int
    wanted: int
    share: float
    """Share of a round that must be right, from 0 to 1."""
    again: bool = False
    """Whether a lead lets them try again after a failed round, and nothing was answered since."""


@dataclass(frozen=True, slots=True)
class QualificationAnswer:
    """What is said after an answer: whether it was right, and why the known verdict is."""

    right: bool
    known: str
    reason: str
    note: str
    standing: Standing


@dataclass(frozen=True, slots=True)
class QualificationResult:
    """One person in one task, for leads."""

    benchmark: str
    task: str
    person: str
    standing: Standing


def standing_of(
    answers: Sequence[tuple[int, bool]], gold_from: int, protocol: ProtocolSettings
) -> Standing:
    """The standing by one's answers, (decision id, right) in their order.

    ``gold_from`` is the newest decision before the last permission to try again.
    """
    wanted, share = protocol.qualification, protocol.qualification_pass
    rounds = [answers[start : start + wanted] for start in range(0, len(answers), max(1, wanted))]
    for answered in rounds:
        right = sum(good for _, good in answered)
        if len(answered) == wanted and right >= share * wanted - 1e-9:
            return Standing("passed", wanted, right, wanted, share)
    newest = rounds[-1] if rounds else []
    right = sum(good for _, good in newest)
    if len(newest) < wanted:
        return Standing("open", len(newest), right, wanted, share)
    if newest[-1][0] <= gold_from:
        return Standing("open", 0, 0, wanted, share, again=True)
    return Standing("failed", wanted, right, wanted, share)


def standing_in(
    session: Session, person: PersonRow, task_id: int, protocol: ProtocolSettings
) -> Standing | None:
    """The standing of a person who has to qualify for a task; None for whom there is no round."""
    if not protocol.qualification or is_allowed(person.role, Action.SEE_GOLD):
        return None
    answers = rows.answers(session, task_id, person.id)
    return standing_of(
        [(entry[1], entry[3] == entry[4]) for entry in answers], person.gold_from, protocol
    )


def is_open(standing: Standing | None) -> bool:
    """Whether real items may be given: there is no round, or it was passed."""
    return standing is None or standing.state == "passed"


def draw(session: Session, person: PersonRow, task_id: int, standing: Standing) -> int | None:
    """The gold item that comes next in an open round; None where the round needs no more, or no
    more are there."""
    if standing.state != "open":
        return None
    held = assignments.leased_to(session, person.id, Stage.CHECK)
    waiting = [lease.item_id for lease in held if lease.gold]
    here = [row for row in items.get_many(session, waiting) if row.task_id == task_id]
    if standing.answered + len(here) >= standing.wanted:
        return None
    seed = f"{person.id}/{task_id}/{standing.answered + len(here)}"
    return rows.next_drawn_gold(session, task_id, person.id, seed)


def unqualified(
    session: Session, person: PersonRow, benchmark_id: int | None
) -> dict[int, Standing]:
    """The tasks of which a person gets nothing real yet, with their standing."""
    found = {}
    for row in benchmarks.tasks(session, benchmark_id):
        standing = standing_in(session, person, row.id, settings_of(row.protocol))
        if standing is not None and standing.state != "passed":
            found[row.id] = standing
    return found


def drawn(session: Session, person: PersonRow, standings: Mapping[int, Standing]) -> dict[int, int]:
    """The gold item that comes next for a person, by task; none for a task without one."""
    found = {task_id: draw(session, person, task_id, entry) for task_id, entry in standings.items()}
    return {task_id: number for task_id, number in found.items() if number is not None}


def next_of_rounds(
    session: Session, person: PersonRow, benchmark_id: int, closed: tuple[int, ...]
) -> int | None:
    """The gold item of a round whose task has nothing real to give just now; None of ``closed``
    tasks."""
    rounds = unqualified(session, person, benchmark_id)
    open_ = {task_id: entry for task_id, entry in rounds.items() if task_id not in closed}
    return next(iter(drawn(session, person, open_).values()), None)


def is_next(session: Session, item: ItemRow, person: PersonRow, protocol: ProtocolSettings) -> bool:
    """Whether an item is the next one of this person's open round."""
    standing = standing_in(session, person, item.task_id, protocol)
    return standing is not None and draw(session, person, item.task_id, standing) == item.id


def require_passed(
    session: Session, item: ItemRow, person: PersonRow, protocol: ProtocolSettings
) -> None:
    """RightsError while a person may not have real items of the item's task."""
    if not is_open(standing_in(session, person, item.task_id, protocol)):
        raise RightsError.tr(
            "{name} has not passed the qualification round of “{task}” yet.",
            name=person.name,
            task=benchmarks.task_name(session, item.task_id),
        )


def answer_on(
    session: Session, item: ItemRow, verdict: str, standing: Standing
) -> QualificationAnswer:
    """What is said after an answer; ``standing`` includes it."""
    row = rows.get(session, item.id)
    known = row.verdict if row is not None else ""
    reason, note = _why(session, item, known)
    return QualificationAnswer(verdict == known, known, reason, note, standing)


def _why(session: Session, item: ItemRow, known: str) -> tuple[str, str]:
    """Reason and words for a known verdict: what was said when it became gold, else what those who
    settled it said."""
    for event in reversed(ledger.of_items(session, [item.id], [EventKind.GOLD])):
        if event.data.get("why"):
            return "", str(event.data["why"])
    decisions = [
        decision
        for decision in reviews.decisions_on(session, item.id, item.revision)
        if decision.verdict == known and decision.kind != DecisionKind.GOLD
    ]
    said = next((d for d in reversed(decisions) if d.note.strip() or d.reason), None)
    return (said.reason, said.note) if said is not None else ("", "")


def answer_sentences(answer: QualificationAnswer) -> tuple[str, ...]:
    """An answer's feedback: right or not, why, and how far the round is."""
    standing = answer.standing
    known = word(VERDICT_NAMES, answer.known)
    first = tr("Correct.") if answer.right else tr("Not correct: it is “{known}”.", known=known)
    reason = word(REASONS, answer.reason) if answer.reason else ""
    why = " · ".join(part for part in (reason, answer.note.strip()) if part)
    last = {
        "open": tr("Qualification: {answered} of {wanted} answered.",
                   answered=standing.answered, wanted=standing.wanted),
        "passed": tr("Qualification passed with {right} of {wanted} correct; you may review the "
                     "task's items now.", right=standing.right, wanted=standing.wanted),
        "failed": tr("Qualification not passed: {right} of {wanted} correct. A lead can let you "
                     "try again.", right=standing.right, wanted=standing.wanted),
    }[standing.state]  # fmt: skip
    return tuple(part for part in (first, why, last) if part)


def results(
    ws: Workspace, viewer: str, benchmark: str = "", task: str = ""
) -> tuple[QualificationResult, ...]:
    """Who is how far in the qualification rounds: everybody for who may look at gold items, oneself
    for others. People without an answer are listed where they have to qualify themselves."""
    with ws.reading() as session:
        actor = at_work(session, viewer)
        chosen = benchmark_in(session, benchmark).id if benchmark else None
        wanted = task_in(session, task, benchmark).id if task else None
        only = None if is_allowed(actor.role, Action.SEE_GOLD) else actor.id
        return tuple(
            QualificationResult(benchmarks.benchmark(session, row.benchmark_id).name, row.name,
                                person.name, standing)
            for row, person, standing in standings(session, chosen, only)
            if wanted in (None, row.id)
        )  # fmt: skip


def standings(
    session: Session, benchmark_id: int | None, person_id: int | None = None
) -> Iterator[tuple[TaskRow, PersonRow, Standing]]:
    """Everybody's standing in every task with a round, by task and person; without those who never
    answered, unless only one person is asked about."""
    known = [p for p in people.everybody(session) if person_id in (None, p.id)]
    for row in benchmarks.tasks(session, benchmark_id):
        protocol = settings_of(row.protocol)
        for person in known if protocol.qualification else ():
            standing = standing_in(session, person, row.id, protocol)
            if standing is not None and (person_id or rows.answers(session, row.id, person.id)):
                yield row, person, standing


def waiting_sentences(session: Session, person: PersonRow, benchmark_id: int) -> tuple[str, ...]:
    """Why a person gets nothing of the tasks for which they have not qualified."""
    said, lacking = [], []
    for row in benchmarks.tasks(session, benchmark_id):
        standing = standing_in(session, person, row.id, settings_of(row.protocol))
        if standing is None or standing.state == "passed":
            continue
        if standing.state == "failed":
            said.append(
                tr(
                    "You did not pass the qualification round of “{task}” ({right} of {wanted} "
                    "correct). A lead can let you try again.",
                    task=row.name, right=standing.right, wanted=standing.wanted,
                )
            )  # fmt: skip
        elif rows.next_drawn_gold(session, row.id, person.id, "") is None:
            lacking.append(row.name)
    if lacking:
        said.append(
            trn(
                "“{tasks}” begins with a qualification round, but has no gold item left for you. A "
                "lead can add some.",
                "{n} tasks begin with a qualification round, but have no gold item left for you "
                "({tasks}). A lead can add some.",
                len(lacking),
                tasks=listed(lacking[:_NAMED]) + ("…" if lacking[_NAMED:] else ""),
            )
        )
    return tuple(said)
