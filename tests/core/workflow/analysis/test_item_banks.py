"""Item banks of splits: the command replays models and links two periods by common items."""

import json

import numpy as np
import pytest

from core.analysis.item_bank import AdaptiveScore, Replay
from core.cli import main
from core.evaluation.params import EvaluateParams
from core.evaluation.scoring import keys_of
from core.workflow.analysis.item_banks import replay_table
from core.workflow.people import ensure_person
from core.workflow.splits import freeze
from core.workflow.workspace import Workspace
from tests.finished_runs import finished_run
from tests.splits import freeze_split, varied

ABILITIES = {"a": -1.2, "b": -0.7, "c": -0.2, "d": 0.2, "e": 0.7, "f": 1.2, "g": 1.7}


@pytest.fixture
def ws(sqlite_ws: Workspace) -> Workspace:
    ensure_person(sqlite_ws, "Li", "lead")
    return sqlite_ws


def evaluated(ws: Workspace, split: str, numbers: range, shift: float) -> None:
    """Seven models, each abler by ``shift`` than it was, on items as hard as their numbers say."""
    freeze_split(ws, {"t": [varied(number) for number in numbers]}, split, f"b-{split}")
    keys = keys_of(freeze.members_of(ws, split))
    for model, ability in ABILITIES.items():
        rng = np.random.default_rng([len(split), ord(model)])
        rows = []
        for number, key in zip(numbers, keys, strict=True):
            hard = (number % 9 - 4) / 2
            right = rng.random() < 1 / (1 + np.exp(-1.5 * (ability + shift - hard)))
            wrong = key.answer[:-1] + ("2" if key.answer[-1] == "1" else "1")
            if not key.answer[-1].isdigit():
                wrong = "B" if key.answer == "A" else "A"
            rows.append({"id": key.id, "text": key.answer if right else wrong})
        finished_run(ws, "evaluate", EvaluateParams(engine="openai", model=model, split=split),
                     rows)  # fmt: skip


def test_the_command_replays_every_model(ws, capsys):
    evaluated(ws, "old", range(90), 0.0)
    place = ["--workspace", str(ws.place.folder), "analyze", "bank", "old"]
    assert main([*place, "--within", "5", "--json"]) == 0
    models = json.loads(capsys.readouterr().out)["models"]
    assert {one["model"] for one in models} == set(ABILITIES)
    assert all(one["asked"] <= 90 for one in models)
    assert np.mean([abs(one["score"] - one["full"]) for one in models]) < 0.06
    assert all(90 < one["items_needed_for_a_fifth"] < 1000 for one in models)
    assert main(place) == 0
    said = capsys.readouterr().out
    assert "calibrate items roughly" in said
    assert "a fifth of them does not come within ± 1.5 points for 95 of 100 models" in said
    assert main([*place, "--within", "5"]) == 0
    said = capsys.readouterr().out
    assert "a fifth of the items to come within ± 5.0 points for 95 of 100 models" in said
    assert "items like these; it has 90." in said
    assert "rest on the two-parameter model" in said


@pytest.mark.parametrize(("models", "rough"), [(8, True), (21, True), (22, False)])
def test_intervals_of_items_that_few_models_calibrate_are_called_rough(models, rough):
    """Each is asked by a bank of the others."""
    score = AdaptiveScore(20, 100, 0.5, 0.45, 0.55, 0.0, 0.2)
    table = replay_table("s", [Replay(str(n), score, 0.5, 0.03, 400) for n in range(models)], 0.05)
    assert any("calibrate items roughly" in note for note in table.notes) is rough


def test_models_that_were_asked_everything_are_no_evidence_for_the_interval():
    whole = AdaptiveScore(100, 100, 0.5, 0.5, 0.5, 0.0, 0.2)
    part = AdaptiveScore(20, 100, 0.6, 0.55, 0.65, 0.0, 0.2)

    def said(*scores: AdaptiveScore) -> str:
        replays = [Replay("m", one, 0.5, 0.03, 400) for one in scores]
        return replay_table("s", replays, 0.05).notes[0]

    assert "for 0 of 2 models that were not asked all of them" in said(whole, whole, part, part)
    assert "shows nothing of intervals" in said(whole, whole)


def test_a_later_period_is_put_on_the_earlier_scale(ws, capsys):
    evaluated(ws, "old", range(90), 0.0)
    evaluated(ws, "later", range(45, 135), 1.0)
    place = ["--workspace", str(ws.place.folder), "analyze", "bank", "later"]
    assert main([*place, "--link", "old", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["anchors"] == 45
    assert found["caution"] == "few models: 7"
    mean = np.mean([one["ability"] for one in found["models"]])
    # on a scale on which the models' spread is 1 they are abler by about one planted unit
    assert 0.4 < mean < 1.8
    assert main([*place, "--link", "later"]) == 2
