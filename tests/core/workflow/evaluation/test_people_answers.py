"""People as an engine: forty items and three people; no key in what they read; the ceiling."""

import json
import random

import pytest

from core.cli import main
from core.cli.analysis.score_tables import finished_report, report_text
from core.errors import InputError, NotFoundError, RightsError, StandsAlreadyError, StateError
from core.evaluation.compare import compare
from core.evaluation.params import EvaluateParams
from core.evaluation.report_parts.human_ceiling import human_ceiling
from core.evaluation.scoring import keys_of
from core.evaluation.types import question_of
from core.families.base import ItemContent
from core.workflow.analysis import leaderboard
from core.workflow.evaluation import people_answers, score_run
from core.workflow.people import ensure_benchmark_in, ensure_person, ensure_task_in
from core.workflow.production.new_items import new_item
from core.workflow.runs import runs
from core.workflow.splits import freeze, lifecycle
from core.workflow.verify.checks import verify
from core.workflow.workspace import Workspace
from db import items as item_rows
from db import ledger, people
from db import runs as run_rows
from db.vocabulary import EventKind, ItemState
from tests.finished_runs import finished_run
from tests.splits import freeze_split, varied

PEOPLE = {"Ann": 0.9, "Bo": 0.7, "Cy": 0.5}


@pytest.fixture
def ws(sqlite_ws: Workspace) -> Workspace:
    """Commands open it by its folder."""
    ensure_person(sqlite_ws, "Li", "lead")
    for name in PEOPLE:
        ensure_person(sqlite_ws, name, "annotator")
    return sqlite_ws


def secret(number: int) -> ItemContent:
    """A question whose answer stands nowhere else."""
    payload = {"question": f"What is the word of {number}?", "answers": [f"hush{number}"]}
    return ItemContent("answer", "answer", payload, {"article": f"a{number % 8}"}, "riddles")


def begun(ws: Workspace, people: tuple[str, ...] = tuple(PEOPLE), **more: str) -> str:
    params = EvaluateParams(engine="people", split="s", **more)
    return people_answers.begin(ws, params, people, "Li").spec().id


def answer_all(ws: Workspace, run: str, people: dict[str, float], answers: dict[str, str]) -> None:
    """Each person answers everything, right as often as their skill says."""
    for person, skill in people.items():
        draw = random.Random(person)
        while (question := people_answers.next_question(ws, run, person)) is not None:
            right = answers[question.id.partition("#")[0]]
            if draw.random() < skill:
                given = right
            else:
                given = next((c for c in question.choices if c != right), "something else")
            how = {"choice": given} if question.choices else {"text": given}
            people_answers.answer(ws, run, question.id, person, **how)


def test_forty_items_and_three_people_become_a_report_and_a_ceiling(ws):
    freeze_split(ws, {"t": [varied(number) for number in range(40)]})
    keys = {key.id: key.answer for key in keys_of(freeze.members_of(ws, "s"))}
    run = begun(ws)
    assert [one.total for one in people_answers.sittings(ws, "Ann")] == [40]
    answer_all(ws, run, PEOPLE, keys)
    assert people_answers.sittings(ws, "Ann") == ()
    report = finished_report(ws, run)
    assert (report.items, report.answered, report.model) == (120, 120, "people")
    ceiling = human_ceiling(report)
    assert (ceiling.people, ceiling.items) == (3, 40)
    # by hand: each person's share, their mean, and the answer that most of them gave
    right = {(s.id.split("#")[0], s.variant): s.correct for s in report.scores}
    by_person = [sum(right[uid, f"person-{p}"] for uid in keys) / 40 for p in (1, 2, 3)]
    assert list(ceiling.by_person.values()) == pytest.approx(by_person)
    assert ceiling.mean.value == pytest.approx(sum(by_person) / 3)
    assert ceiling.mean.low < ceiling.mean.value < ceiling.mean.high
    assert ceiling.majority.value > min(by_person)
    text = report_text(report)
    interval = report.total.interval
    assert f"[{100 * (interval.low or 0):.1f}, {100 * (interval.high or 0):.1f}]" in next(
        line for line in text.splitlines() if line.startswith("all ")
    )
    assert "Human ceiling: 3 people on 40 items" in text
    assert "5 sources" in text or "few sources: 5" in text
    assert verify(ws).findings == ()


def test_questions_are_a_models_and_no_key_is_where_an_answerer_reads(ws, capsys):
    freeze_split(ws, {"t": [secret(number) for number in range(40)]})
    run = begun(ws)
    asked = []
    place = ["--workspace", str(ws.place.folder)]
    capsys.readouterr()
    assert main([*place, "answer", run, "--user", "Ann", "--json"]) == 0
    question = json.loads(capsys.readouterr().out)["question"]
    while question:
        asked.append(question)
        command = [*place, "answer", run, "--user", "Ann", "--question", question["id"]]
        assert main([*command, "--text", "no idea", "--json"]) == 0
        question = json.loads(capsys.readouterr().out)["question"]
    members = {m.uid: m for m in freeze.members_of(ws, "s")}
    assert {q["id"].partition("#")[0] for q in asked} == set(members)
    for one in asked:
        uid = one["id"].partition("#")[0]
        assert one["prompt"] == question_of(uid, members[uid].content).prompt
    row = runs.find(ws, run)
    with ws.reading() as session:
        events = [event.data for event in ledger.of_subject(session, EventKind.RUN, run)]
        stored = [one.params for one in run_rows.all_runs(session)]
    files = [p.read_text(encoding="utf-8") for p in runs.folder_of(ws, row.id).path.iterdir()
             if p.is_file()]  # fmt: skip
    for read in (json.dumps(asked), json.dumps(events), json.dumps(stored), *files):
        assert "hush" not in read
    # nothing says what is right before all is done, and nobody else may answer
    assert people_answers.next_question(ws, run, "Ann") is None
    with pytest.raises(NotFoundError, match="does not take part"):
        people_answers.next_question(ws, run, "Li")
    with pytest.raises(RightsError):
        people_answers.close(ws, run, "Ann")


def test_the_order_of_questions_differs_between_people_and_an_answer_stays(ws):
    freeze_split(ws, {"t": [secret(number) for number in range(12)]})
    run = begun(ws)
    first = {p: people_answers.next_question(ws, run, p).id.split("#")[0] for p in PEOPLE}
    assert len(set(first.values())) > 1
    question = people_answers.next_question(ws, run, "Ann")
    people_answers.answer(ws, run, question.id, "Ann", text="hush0")
    with pytest.raises(StandsAlreadyError, match="You answered this question already"):
        people_answers.answer(ws, run, question.id, "Ann", text="again")
    with pytest.raises(NotFoundError, match="not a question"):
        people_answers.answer(ws, run, question.id.replace("person-1", "person-2"), "Ann", text="x")
    with pytest.raises(InputError, match="Write an answer"):
        people_answers.answer(ws, run, people_answers.next_question(ws, run, "Ann").id, "Ann")


def test_a_closed_sitting_counts_what_is_missing_and_a_model_stands_beside_it(ws):
    freeze_split(ws, {"t": [secret(number) for number in range(24)]})
    keys = {key.id: key.answer for key in keys_of(freeze.members_of(ws, "s"))}
    rows = [{"id": uid, "text": text if int(uid) % 2 else "?"} for uid, text in keys.items()]
    model = finished_run(ws, "evaluate", EvaluateParams(engine="openai", model="m", split="s"),
                         rows)  # fmt: skip
    run = begun(ws)
    with pytest.raises(StateError, match="Nobody has answered"):
        people_answers.close(ws, run, "Li")
    answer_all(ws, run, {"Ann": 1.0}, keys)
    question = people_answers.next_question(ws, run, "Bo")
    people_answers.answer(ws, run, question.id, "Bo", unknown=True)
    people_answers.close(ws, run, "Li")
    report = score_run.report(ws, run, partial=True)
    assert (report.answered, report.missing) == (25, 47)
    assert report.total.correct == 24
    with pytest.raises(StateError, match="closed"):
        people_answers.answer(ws, run, question.id, "Bo", text="late")
    difference = compare(report, score_run.report(ws, model))
    assert difference.n >= 24
    assert difference.difference > 0.3
    board = leaderboard.read(ws, leaderboard.LeaderboardRequest("s"))
    assert [row.model for row in board.rows] == ["people", "m"]
    assert any("Human ceiling" in note for note in board.table().notes)


def test_what_somebody_worked_on_is_not_asked_and_wrong_orders_are_refused(ws, capsys):
    freeze_split(ws, {"t": [secret(number) for number in range(6)]})
    with pytest.raises(InputError, match="Name the people"):
        begun(ws, ())
    with pytest.raises(NotFoundError):
        begun(ws, ("Nobody",))
    with pytest.raises(InputError, match="own words"):
        begun(ws, orders=2)
    with pytest.raises(RightsError):
        people_answers.begin(ws, EvaluateParams(engine="people", split="s"), ["Ann"], "Ann")
    place = ["--workspace", str(ws.place.folder)]
    assert main([*place, "evaluate", "s", "--engine", "people", "--people", "Ann,Bo", "--user",
                 "Li", "--json"]) == 0  # fmt: skip
    run = json.loads(capsys.readouterr().out)["run"]
    assert main([*place, "answer", "--user", "Ann"]) == 0
    assert run in capsys.readouterr().out
    with pytest.raises(StateError, match="waits for people"):
        runs.resume(ws, run)
    lifecycle.seal(ws, "s", "Li")
    with pytest.raises(StateError, match="sealed"):
        people_answers.next_question(ws, run, "Ann")


def test_an_authors_own_items_are_left_out(ws):
    with ws.writing() as session:
        author = people.named(session, "Ann")
        task = ensure_task_in(session, ensure_benchmark_in(session, "b"), "t", "answer")
        contents = [secret(number) for number in range(6)]
        ids = item_rows.add(session, [
            new_item(c, task, None, author.id if n == 2 else None)
            for n, c in enumerate(contents)
        ])  # fmt: skip
        item_rows.change(session, ids, state=ItemState.ACCEPTED)
    freeze.freeze(ws, "s", "b", "Li")
    run = begun(ws, ("Ann", "Bo"))
    assert [one.total for one in people_answers.sittings(ws, "Ann")] == [5]
    assert [one.total for one in people_answers.sittings(ws, "Bo")] == [6]
    assert runs.info(ws, run).total == 11
