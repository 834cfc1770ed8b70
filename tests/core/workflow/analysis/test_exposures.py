"""Exposures: who could have seen the items of a split, and what a provider was sent before."""

import csv
import json
from pathlib import Path

import pytest

from core.cli import main
from core.cli.analysis.score_tables import finished_report, report_text
from core.errors import NotFoundError, RightsError
from core.evaluation.run import EvaluateParams
from core.generation.spec import ScpSpec
from core.screening.run import PrescreenParams
from core.sources.articles.read_paths import read_paths
from core.workflow import people, rights
from core.workflow.analysis import report_site
from core.workflow.analysis.exposures import SplitExposure, exposures
from core.workflow.analysis.leaderboard import LeaderboardRequest, read
from core.workflow.analysis.sent_items import seen_before
from core.workflow.check import review, screen, screen_after
from core.workflow.evaluation import start
from core.workflow.evaluation.dry_run import try_out
from core.workflow.evaluation.plan import EvaluationRequest
from core.workflow.production import take_in_items
from core.workflow.runs import runs, take_in
from core.workflow.splits import freeze, readings
from core.workflow.verify.checks import verify
from core.workflow.workspace import Workspace
from db import comments, items, splits
from db import runs as run_rows
from db.queries import exposures as touched
from db.runs import AnswerRow
from db.vocabulary import CommentKind, ItemState
from resources import resource
from tests.finished_runs import take_in_answers
from tests.servers.model_server import LoopbackModel
from tests.splits import freeze_split, varied
from tests.tampering import meddle
from tests.used_split import COUNT, LEAD, SPLIT, use_split
from tests.workspaces import BENCHMARK, make_task, write_items


def told(found: tuple[SplitExposure, ...], kind: str) -> list[tuple[str, str, int]]:
    return [(one.who, one.where, one.items) for one in found if one.kind == kind]


def test_models_and_files_of_a_used_split_are_all_there(sqlite_ws: Workspace, tmp_path: Path):
    use_split(sqlite_ws, tmp_path)
    found = exposures(sqlite_ws, SPLIT)
    assert told(found, "model") == [("m", "local", COUNT), ("j", "127.0.0.1", COUNT)]
    assert told(found, "person") == told(found, "file") == []  # nobody said who looks
    sqlite_ws.person = LEAD
    named = exposures(sqlite_ws)
    assert told(named, "file") == [(LEAD, form, COUNT) for form in ("jsonl", "lm-eval", "inspect")]
    assert told(named, "person") == [("specialist, researcher, lead", "2 people", COUNT)]
    assert not any(one.certain for one in named if one.kind == "person")
    assert told(exposures(sqlite_ws, model="j"), "model") == [("j", "127.0.0.1", COUNT)]
    assert exposures(sqlite_ws, host="evil.example") == ()
    with pytest.raises(NotFoundError):
        exposures(sqlite_ws, "none")


@pytest.mark.timeout(120)
def test_people_and_the_gate_are_counted_by_different_items(sqlite_ws: Workspace):
    ws = sqlite_ws
    for name, role in ((LEAD, "lead"), ("li", "specialist"), ("wu", "annotator")):
        people.ensure_person(ws, name, role)
    make_task(ws, gate="required", overlap=1)
    numbers = write_items(ws, 3)
    with LoopbackModel(answer=lambda _: '{"score": 8, "reasons": "seen"}') as server:
        params = PrescreenParams(base_url=server.url, model="judge")
        run = screen.start(ws, BENCHMARK, params).spec().id
        runs.wait(ws, run, 60)
        screen.take_in(ws, run)
    for number in numbers[:2]:
        review.decide(ws, "li", number, "accept")
    review.next_card(ws, "wu", BENCHMARK)  # was given one that is in no split
    freeze.freeze(ws, "half", BENCHMARK, LEAD)
    ws.person = LEAD
    found = exposures(ws, "half")
    assert told(found, "model") == [("judge", "127.0.0.1", 2)]
    ways = {(one.who, one.way): one.items for one in found if one.kind == "person"}
    assert ways["ann", "written"] == 2
    assert ways["li", "decided"] == 2
    assert {who for who, _ in ways} == {"ann", "li", "specialist, researcher, lead"}
    assert [one.who for one in exposures(ws, person="li")] == ["li"] * 2
    ws.person = "wu"
    with pytest.raises(RightsError):
        exposures(ws)


@pytest.mark.timeout(120)
def test_a_screening_after_a_generation_counts_though_its_verdicts_never_came_in(
    sqlite_ws: Workspace,
):
    ws = sqlite_ws
    people.ensure_person(ws, LEAD, "lead")
    sources = read_paths([resource("demo", "stat__averages.txt")])
    made = take_in_items.start_generation(ws, sources, "b", ScpSpec(per_article=3)).spec().id
    with LoopbackModel(answer=lambda _: '{"score": 8, "reasons": "seen"}') as server:
        params = PrescreenParams(base_url=server.url, model="judge")
        run = screen_after.start(ws, made, params).spec().id
        assert runs.wait(ws, run, 60).state == "finished"
        assert len(server.seen) > 2
    runs.remove(ws, run, "", "Another model.")
    take_in.take_in(ws, made)
    with ws.writing() as session:
        drafts = [item.id for item in items.in_state(session, (ItemState.DRAFT,))]
        items.change(session, drafts, state=ItemState.ACCEPTED, open_slots=0)
    freeze.freeze(ws, SPLIT, "b", LEAD)
    found = exposures(ws, SPLIT)
    assert told(found, "model") == [("judge", "127.0.0.1", len(drafts))]


def test_what_a_freezing_counted_and_what_came_after_it_count_each_item_once(tmp_path: Path):
    ws = Workspace.create(tmp_path / "ws", LEAD)
    make_task(ws, overlap=1)
    numbers = write_items(ws, 3)
    for number in numbers:
        review.decide(ws, LEAD, number, "accept")

    def remark(name: str, *places: int) -> None:
        with ws.writing() as session:
            person = rights.ensure_person_in(session, name)
            for place in places:
                comments.add(session, numbers[place], 1, person.id, CommentKind.QUESTION, "why")

    remark("li", 0)
    freeze.freeze(ws, "half", BENCHMARK, LEAD)
    remark("li", 0, 1)
    remark("wu", 0, 0)
    ws.person = LEAD

    def discussed() -> dict[str, int]:
        found = exposures(ws, "half")
        return {one.who: one.items for one in found if one.way == "discussed"}

    assert discussed() == {"li": 2, "wu": 1}
    with ws.reading() as session:
        assert touched.is_kept_rightly(session, 1)
    meddle(ws, "UPDATE comment SET person_id = 1 WHERE id = 1")
    details = [one.detail for one in verify(ws).findings if one.subject == "half"]
    assert any("who touched its items" in detail for detail in details)


def test_a_score_says_what_its_model_had_been_sent_before(sqlite_ws: Workspace, tmp_path: Path):
    ws = sqlite_ws
    people.ensure_person(ws, LEAD, "lead")
    freeze_split(ws, {"scp": [varied(n) for n in range(COUNT)]}, SPLIT)
    replies = {member.uid: "A" for member in freeze.members_of(ws, SPLIT)}
    first, second, other = (
        take_in_answers(ws, tmp_path, replies, SPLIT, model=model) for model in ("m", "m", "n")
    )
    seen = seen_before(ws, (first, second, other))
    assert {run: (one.by, one.seen, one.items) for run, one in seen.items()} == {
        first: ("m", 0, COUNT), second: ("m", COUNT, COUNT), other: ("n", 0, COUNT),
    }  # fmt: skip
    sentence = "Before this run, m had been sent 6 of 6 items of this split."
    report = finished_report(ws, second)
    assert sentence in report_text(report).splitlines()
    assert report.as_json()["seen_before"]["seen"] == COUNT


def test_the_command_lists_them_and_leaves_nameless_lookers_without_people(
    sqlite_ws: Workspace, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    use_split(sqlite_ws, tmp_path)
    people.ensure_person(sqlite_ws, "wu", "annotator")
    words = ["--workspace", str(sqlite_ws.place.folder), "exposures"]
    assert main([*words, SPLIT, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert [one["kind"] for one in told["exposures"]] == ["model", "model"]
    assert told["people_left_out"] is True
    assert main([*words, "--person", LEAD]) == 0
    said = capsys.readouterr().out
    assert "People are left out" in said
    assert "No exposure is known" not in said
    assert main([*words, "--user", LEAD, "--csv"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 1 + 2 + 1 + 3
    assert main([*words, "--user", "wu"]) == 1
    assert main([*words, "--model", "unknown"]) == 0
    assert "No exposure is known." in capsys.readouterr().out


def test_a_trial_counts_as_seen_and_a_baseline_sees_nothing(sqlite_ws: Workspace):
    ws = sqlite_ws
    people.ensure_person(ws, LEAD, "lead")
    freeze_split(ws, {"scp": [varied(n) for n in range(COUNT)]}, SPLIT)
    ws.person = LEAD
    with LoopbackModel(answer=lambda _: "A") as server:
        params = EvaluateParams(split=SPLIT, engine="openai", model="m", base_url=server.url)
        try_out(ws, EvaluationRequest(SPLIT, params), items=2, person=LEAD)
        run = start.start(ws, SPLIT, params, person=LEAD).spec().id
        runs.wait(ws, run, 60)
    assert told(exposures(ws, SPLIT), "model") == [("m", "127.0.0.1", COUNT), ("m", "", 2)]
    seen = seen_before(ws, (run,))[run]
    assert (seen.by, seen.seen) == ("m", 2)
    random = start.start(ws, SPLIT, EvaluateParams(split=SPLIT, engine="baseline:random"))
    assert seen_before(ws, (random.spec().id,)) == {}


def test_what_was_sent_to_be_compared_by_meaning_counts_as_seen(
    sqlite_ws: Workspace, tmp_path: Path
):
    ws = sqlite_ws
    people.ensure_person(ws, LEAD, "lead")
    freeze_split(ws, {"scp": [varied(n) for n in range(COUNT)]}, SPLIT)
    ws.person = LEAD
    replies = {member.uid: "A" for member in freeze.members_of(ws, SPLIT)}
    with ws.writing() as session:
        numbers = sorted(readings.split_of_items(session))
        for purpose, sent in (("m@api.example.org", numbers[:4]), ("e@api.example.org", numbers)):
            readings.record_items(session, LEAD, readings.Act.EMBEDDING, purpose, sent)
    run = take_in_answers(ws, tmp_path, replies, SPLIT, model="m")
    assert seen_before(ws, (run,))[run].seen == 4


FLAGGED = "m: Before this run, m had been sent 6 of 6 items of this split."


@pytest.fixture
def exposed(sqlite_ws: Workspace, tmp_path: Path) -> tuple[Workspace, dict[str, str]]:
    """Two models were asked, one of them twice; the newest run of each."""
    people.ensure_person(sqlite_ws, LEAD, "lead")
    freeze_split(sqlite_ws, {"scp": [varied(n) for n in range(COUNT)]}, SPLIT)
    replies = {member.uid: "A" for member in freeze.members_of(sqlite_ws, SPLIT)}
    newest = {
        model: take_in_answers(sqlite_ws, tmp_path, replies, SPLIT, model=model)
        for model in ("m", "n", "m")
    }
    return sqlite_ws, newest


def test_every_row_of_the_leaderboard_says_what_had_been_seen(exposed):
    ws, newest = exposed
    board = read(ws, LeaderboardRequest(SPLIT))
    assert {row.run for row in board.rows} == set(newest.values())
    assert {row.model: row.seen.seen for row in board.rows if row.seen} == {"m": COUNT, "n": 0}
    table = board.table()
    at = table.columns.index("Seen before")
    assert {row[0]: row[at] for row in table.rows} == {"m": COUNT, "n": 0}
    assert [note for note in table.notes if "had been sent" in note] == [FLAGGED]
    assert r"\shortstack[r]{Seen\\before}" in table.to_latex()


def test_the_site_and_a_table_of_runs_say_it_too(
    exposed, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    ws, newest = exposed
    page = report_site.site(ws, tmp_path / "site").page.read_text(encoding="utf-8")
    assert "Seen before" in page
    assert FLAGGED in page
    words = ["--workspace", str(ws.place.folder), "report", *newest.values(), "--csv"]
    assert main(words) == 0
    rows = list(csv.DictReader(capsys.readouterr().out.splitlines()))
    assert {row["Run"]: row["Seen before"] for row in rows} == {"m": str(COUNT), "n": "0"}


def answers(run: str, numbers: list[int]) -> list[AnswerRow]:
    return [AnswerRow(run, number, "", "answered", "A", "A", 1.0) for number in numbers]


def test_items_that_several_runs_sent_count_once(sqlite_ws: Workspace):
    ws = sqlite_ws
    people.ensure_person(ws, LEAD, "lead")
    freeze_split(ws, {"scp": [varied(n) for n in range(COUNT)]}, SPLIT)
    numbers = [int(member.uid) for member in freeze.members_of(ws, SPLIT)]
    for run, part in (("one", numbers[:3]), ("two", numbers[2:4]), ("last", numbers)):
        with ws.writing() as session:
            (split,) = splits.all_splits(session)
            run_rows.add(session, run, "evaluate", params={"model": "m"}, split_id=split.id)
            run_rows.add_answers(session, answers(run, part))
    seen = seen_before(ws, ("one", "two", "last"))
    assert {run: one.seen for run, one in seen.items()} == {"one": 0, "two": 3, "last": 4}
    assert told(exposures(ws, SPLIT), "model") == [("m", "local", COUNT)]
