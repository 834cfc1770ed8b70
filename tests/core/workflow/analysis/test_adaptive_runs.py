"""Adaptive evaluation of a model that answers over HTTP: what is asked depends on what it says."""

import json

import numpy as np
import pytest

from core.cli import main
from core.errors import InputError, StateError
from core.evaluation.params import AdaptiveParams, EvaluateParams
from core.evaluation.scoring import keys_of
from core.workflow.analysis import adaptive_runs, exposures
from core.workflow.evaluation import start
from core.workflow.evaluation.finished_runs import finished_reports
from core.workflow.people import ensure_person
from core.workflow.runs import runs
from core.workflow.splits import freeze, lifecycle, openings, readings
from core.workflow.verify.checks import verify
from core.workflow.workspace import Workspace
from tests.core.workflow.analysis.test_item_banks import ABILITIES, evaluated
from tests.servers.model_server import LoopbackModel, asked_text

ITEMS = 90


@pytest.fixture
def ws(sqlite_ws: Workspace) -> Workspace:
    ensure_person(sqlite_ws, "Li", "lead")
    evaluated(sqlite_ws, "s", range(ITEMS), 0.0)
    return sqlite_ws


class Model:
    """Answers the items of split s: right where an item is not too hard for it."""

    def __init__(self, ws: Workspace, ability: float) -> None:
        from core.families import family

        members = freeze.members_of(ws, "s")
        keys = {key.id: key.answer for key in keys_of(members)}
        rng = np.random.default_rng(9)
        self.answers, self.right = {}, []
        for number, member in enumerate(members):
            hard = (number % 9 - 4) / 2
            right = bool(rng.random() < 1 / (1 + np.exp(-1.5 * (ability - hard))))
            key = keys[member.uid]
            wrong = "B" if key == "A" else "A"
            if key[-1].isdigit():
                wrong = key[:-1] + ("2" if key[-1] == "1" else "1")
            prompt = family(member.content.family).prompt(member.content, "").text
            self.answers[prompt] = key if right else wrong
            self.right.append(right)

    def __call__(self, body: dict) -> str:
        return self.answers[asked_text(body)]


def asked_for(server: LoopbackModel, **more) -> AdaptiveParams:
    return AdaptiveParams(split="s", engine="openai", model="new", base_url=server.url,
                          mode="completion", concurrency=4, **more)  # fmt: skip


def finished(ws: Workspace, params: AdaptiveParams) -> str:
    run = adaptive_runs.start(ws, params, "Li").spec().id
    assert runs.wait(ws, run).error is None
    adaptive_runs.take_in(ws, run)
    return run


def test_a_live_model_is_asked_a_part_and_the_interval_holds_its_score(ws):
    model = Model(ws, 0.4)
    with LoopbackModel(answer=model) as server:
        run = finished(ws, asked_for(server, within=0.06))
        asked = len(server.seen)
    (found,) = adaptive_runs.results(ws, adaptive_runs.finished(ws, "s"))
    assert found["run"] == run
    assert found["asked"] == asked < ITEMS
    assert (found["high"] - found["low"]) / 2 <= 0.06
    assert found["low"] <= np.mean(model.right) <= found["high"]
    assert "new" not in finished_reports(ws, "s")  # an estimate is no evaluation of every item
    with ws.reading() as session:
        assert any(one.purpose == run for one in readings.of_split(session, "s"))
    asked_of = exposures.exposures(ws, "s", model="new")
    assert [(one.way, one.items) for one in asked_of] == [("evaluated", ITEMS)]
    assert verify(ws).findings == ()


def test_it_uses_the_opening_of_a_split_that_allows_each_model_one_evaluation(ws):
    lifecycle.seal(ws, "s", "Li", openings.ONCE)
    lifecycle.open_split(ws, "s", "Li", "July", "new")
    with LoopbackModel(answer=Model(ws, 0.4)) as server:
        run = finished(ws, asked_for(server, within=0.06))
        with ws.reading() as session:
            assert [one.run for one in openings.openings_of(session, "s")] == [run]
        with pytest.raises(StateError, match="one evaluation for each opening"):
            adaptive_runs.start(ws, asked_for(server, within=0.06), "Li")
        with pytest.raises(StateError, match="one evaluation for each opening"):
            start.start(ws, "s", EvaluateParams(split="s", engine="openai", model="new",
                                                base_url=server.url), person="Li")  # fmt: skip


def test_an_abler_model_is_asked_harder_items(ws):
    hard = []
    for ability in (-1.5, 1.5):
        with LoopbackModel(answer=Model(ws, ability)) as server:
            run = finished(ws, asked_for(server, within=0.001, most=0.3))
        folder = runs.folder_of(ws, run)
        places = {row["id"]: row["bank"]["difficulty"] for row in folder.work()}
        hard.append(np.mean([places[id_] for id_, row in folder.records().items()
                             if row["outcome"] != "not_chosen"]))  # fmt: skip
        assert folder.result()["items"] == 27
    assert hard[1] > hard[0] + 0.5


def test_a_random_part_is_the_same_for_every_model_and_its_interval_says_what_it_rests_on(ws):
    asked, found = [], []
    for ability in (-1.5, 1.5):
        model = Model(ws, ability)
        with LoopbackModel(answer=model) as server:
            run = finished(ws, asked_for(server, most=0.7, within=0.001, choice="random"))
        folder = runs.folder_of(ws, run)
        records = folder.records()
        asked.append({id_ for id_, row in records.items() if row["outcome"] != "not_chosen"})
        (one,) = adaptive_runs.results(ws, adaptive_runs.finished(ws, "s"))
        assert one["asked"] == 63
        assert one["low"] <= np.mean(model.right) <= one["high"]
        found.append(one)
    assert asked[0] == asked[1]
    assert found[0]["high"] < found[1]["low"]
    table = adaptive_runs.result_table("s", found)
    assert [row[1] for row in table.rows] == ["at random"] * 2
    assert any("drawn at random" in note for note in table.notes)
    assert not any("rest on the two-parameter model" in note for note in table.notes)


def test_a_run_that_was_stopped_goes_on_from_its_answers(ws):
    model = Model(ws, 0.0)
    with LoopbackModel(answer=model) as server:
        run = finished(ws, asked_for(server, within=0.05))
        folder = runs.folder_of(ws, run)
        whole = folder.result()["adaptive"]
        rows = folder.ordered_records()
        kept = [row for row in rows if row["outcome"] != "not_chosen"][:10]
        before = len(server.seen)
        (folder.path / "result.json").unlink()
        for name in folder.shard_names():
            (folder.path / name).unlink()
        (folder.path / "shard-000.jsonl").write_text(
            "".join(json.dumps(row) + "\n" for row in kept), encoding="utf-8"
        )
        runs.resume(ws, run)
        assert runs.wait(ws, run).error is None
        again = len(server.seen) - before
    assert again < before
    assert folder.result()["adaptive"]["score"] == pytest.approx(whole["score"], abs=0.06)


def test_what_it_can_come_to_is_said_before_it_begins(ws, capsys, tmp_path):
    place = ["--workspace", str(ws.place.folder)]
    ask = ["evaluate", "s", "--engine", "baseline:random", "--adaptive"]
    assert main([*place, *ask, "--dry-run"]) == 0
    said = capsys.readouterr().out
    assert "7 models calibrate 90 items." in said
    assert "no selection comes closer" in said
    assert "too few models calibrate the items" in said
    assert "calibrate items roughly" in said
    assert "rest on the two-parameter model" in said
    assert main([*place, *ask, "--most", "20", "--wait", "--json"]) == 0  # fmt: skip
    found = json.loads(capsys.readouterr().out)
    assert found["asked"] == 18
    assert found["items"] == 90
    assert found["low"] < found["score"] < found["high"]
    assert main([*place, *ask, "--choose", "random", "--dry-run", "--json"]) == 0
    drawn = json.loads(capsys.readouterr().out)
    assert drawn["choice"] == "random"
    assert 0.08 < drawn["reach_of_a_random_fifth"] < 0.2
    assert "drawn at random" in drawn["notes"][1]
    assert main([*place, "analyze", "bank", "s", "--most", "60", "--choose", "random"]) == 0
    assert "hold whether or not the two-parameter model fits" in capsys.readouterr().out
    table = tmp_path / "bank.csv"
    assert main([*place, "analyze", "bank", "s", "--items", "--save", str(table)]) == 0
    capsys.readouterr()
    assert main([*place, "evaluate", "s", "--engine", "baseline:random", "--adaptive", str(table),
                 "--within", "5", "--dry-run", "--json"]) == 0  # fmt: skip
    by_file = json.loads(capsys.readouterr().out)
    assert by_file["items"] == 90
    assert 90 < by_file["items_needed_for_a_fifth"] < 1000
    assert "bank.csv" in by_file["notes"][0]
    own = adaptive_runs.bank_of(ws, "s")
    kept = adaptive_runs.bank_of(ws, "s", str(table))
    assert kept.bank.slopes == pytest.approx(own.bank.slopes, abs=1e-9)


def test_what_does_not_go_with_it_is_refused(ws, tmp_path):
    place = ["--workspace", str(ws.place.folder), "evaluate", "s", "--engine", "baseline:random"]
    assert main([*place, "--within", "3"]) == 2
    assert main([*place, "--choose", "random"]) == 2
    assert main([*place, "--adaptive", "--shards", "2"]) == 2
    with pytest.raises(InputError, match="one way"):
        adaptive_runs.start(ws, AdaptiveParams(split="s", engine="baseline:random", orders=2), "Li")
    other = tmp_path / "other.csv"
    other.write_text("item,answer\n1,A\n", encoding="utf-8")
    with pytest.raises(InputError, match="not an item bank"):
        adaptive_runs.bank_of(ws, "s", str(other))
    other.write_text("content_hash,discrimination,difficulty,difficulty_error\nx,1,0,0\n",
                     encoding="utf-8")  # fmt: skip
    with pytest.raises(StateError, match="contains no items"):
        adaptive_runs.bank_of(ws, "s", str(other))


def test_the_model_itself_does_not_calibrate_its_items(ws):
    assert adaptive_runs.bank_of(ws, "s").models == len(ABILITIES)
    assert adaptive_runs.bank_of(ws, "s", without="c").models == len(ABILITIES) - 1
