"""A workspace in which something waits at every stage, for tests that go over all use cases."""

from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import select

from core.workflow import people, tasks
from core.workflow.audit import lots
from core.workflow.check import adjudicate, blinding, gold, questions, rate, review
from core.workflow.dashboards import alarms
from core.workflow.evaluation import public_score_files
from core.workflow.items import undo
from core.workflow.items.search import Filters, save_filter
from core.workflow.production import write
from core.workflow.splits import freeze
from core.workflow.workspace import Workspace
from db import people as db_people
from db import screenings
from db.importing import pending_imports
from db.tables import METADATA
from tests.finished_runs import take_in_answers
from tests.splits import freeze_split, varied
from tests.workspaces import BENCHMARK, TASK, accept_all, make_task, payload, screened, write_items

AUDITED = "audited"
RATED = "rated"
SPLIT = "s"
PEOPLE = {"ann": "annotator", "li": "specialist", "wu": "specialist", "zoe": "specialist",
          "ray": "researcher", "boss": "lead"}  # fmt: skip


@dataclass(frozen=True, slots=True)
class FullWorkspace:
    """The numbers of the items at each stage; ``draft`` is a draft of ann's."""

    waiting: list[int]
    disputed: list[int]
    returned: list[int]
    accepted: list[int]
    gold: list[int]
    drawn: list[int]
    rated: list[int]
    frozen: list[int]
    draft: int


def fill(ws: Workspace, count: int = 1) -> FullWorkspace:
    """``count`` items at each stage of three tasks, written by ann, judged by li and wu."""
    for name, role in PEOPLE.items():
        people.ensure_person(ws, name, role)
    freeze_split(ws, {"scp": [varied(number) for number in range(4)]})
    frozen = [int(member.uid) for member in freeze.members_of(ws, SPLIT)]
    make_task(ws, overlap=2)
    make_task(ws, AUDITED, audit_sample=count + 1, audit_allowed=1)
    make_task(ws, RATED, rating_sample=count, raters=3, rubric="coreeval")
    numbers = write_items(ws, 5 * count)
    waiting, disputed, returned, accepted, known = (
        numbers[place * count : (place + 1) * count] for place in range(5)
    )
    for number in disputed:
        review.decide(ws, "li", number, "accept")
        review.decide(ws, "wu", number, "reject", reason="ambiguous")
    for number in returned:
        review.decide(ws, "li", number, "return", note="say more")
    accept_all(ws, accepted + known, "li", "wu")
    for number in known:
        gold.mark_gold(ws, "boss", number, "accept")
    drawn = write_items(ws, count + 1, task=AUDITED)
    accept_all(ws, drawn, "li")
    lots.start(ws, AUDITED, "ray", seed=1)
    rated = write_items(ws, count, task=RATED)
    rate.draw(ws, RATED, "ray", seed=1)
    draft = write.save_draft(ws, "ann", TASK, payload("半句话"))
    return FullWorkspace(waiting, disputed, returned, accepted, known, drawn, rated, frozen, draft)


def stored_rows(ws: Workspace) -> dict[str, list[tuple[object, ...]]]:
    """Every row of every table."""
    with ws.reading() as session:
        return {
            name: sorted((tuple(row) for row in session.execute(select(table))), key=repr)
            for name, table in METADATA.tables.items()
        }


def fill_every_table(ws: Workspace, folder: Path) -> FullWorkspace:
    """As ``fill``, and no table of evidence is left without at least two rows of each kind."""
    filled = fill(ws, 2)
    for person in ("zoe", "wu"):
        claimed = review.next_card(ws, person, BENCHMARK)
        assert claimed is not None
        review.skip(ws, person, claimed.number, "no expertise")
    review.next_card(ws, "ruth", BENCHMARK)
    review.decide(ws, "li", filled.waiting[1], "accept", note="fine", seconds=12.5)
    rate.rate(ws, "li", filled.rated[0], {"fluency": 2, "coherence": 3}, seconds=4)
    rate.rate(ws, "li", filled.rated[0], {"fluency": 3})
    rate.rate(ws, "wu", filled.rated[0], {"fluency": 3}, comment="reads well")
    for number in filled.accepted:
        thread = questions.ask_question(ws, "li", number, "Is the label right?")
        questions.answer_question(ws, "boss", thread, "It is.")
        questions.mark_unsure(ws, "li", number)
    questions.mark_unsure(ws, "li", filled.accepted[0])
    adjudicate.settle(ws, "zoe", filled.disputed[0], "accept")
    for number in filled.drawn:
        lots.decide(ws, "ray", number, "accept", seconds=3)
    write.revise(ws, "ann", filled.returned[0], payload("改写了"))
    undo.undo(ws, "wu")
    review.decide(ws, "wu", filled.waiting[1], "accept")
    undo.undo(ws, "wu")
    blinding.reveal(ws, "ray", filled.waiting[1])
    screened(ws, filled.accepted[0], 7.5)
    with ws.writing() as session:
        boss = db_people.named(session, "boss")
        assert boss is not None
        for place, name in enumerate(("first", "second")):
            numbers = [900_001 + 10 * place, 900_002 + 10 * place]
            pending_imports.hide(session, name, place + 1, f"{name}.jsonl", numbers, boss.id)
        screenings.add(session, [{
            "item_id": filled.accepted[1], "revision": 1, "run_id": "r1", "outcome": "failed",
            "score": None, "threshold": 6.0, "rationale": "", "model": "m", "prompt_version": "1",
            "audited": True, "tokens": 4,
        }])  # fmt: skip
    for model in ("m1", "m2"):
        replies = {str(number): "Selection 1" for number in filled.frozen}
        (folder / model).mkdir(parents=True)
        take_in_answers(ws, folder / model, replies, SPLIT, model)
    rate.draw(ws, RATED, "ray", seed=2)
    tasks.set_protocol(ws, TASK, {"lease_minutes": "45"}, person="boss")
    save_filter(ws, "mine", Filters(), "zoe")
    freeze_split(ws, {"scp2": [varied(number) for number in range(10, 13)]}, "s2", "b2")
    alarms.set_alarm(ws, "boss", alarms.Alarm("cohen_kappa", 0.4, 2))
    scores = folder / "public.csv"
    scores.write_text("model,domain,accuracy\nm1,cs,0.9\n", encoding="utf-8")
    public_score_files.add(ws, scores, "boss")
    return filled
