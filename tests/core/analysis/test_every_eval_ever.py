"""Records of Every Eval Ever as public scores, and our own signed scores, which are private."""

import json
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from core.analysis.accuracies import AccuracyRow
from core.analysis.every_eval_ever import accuracies_of
from core.analysis.public_scores import read_public
from core.errors import InputError
from core.workflow.evaluation import public_score_files, score_run
from core.workflow.sealing import score_records
from core.workflow.workspace import Workspace
from tests.used_split import LEAD, use_split


def result(name: str, data_set: str, score: Any, low: Any = 0.0, high: Any = 1.0, **metric) -> dict:
    return {
        "evaluation_name": name,
        "source_data": {"dataset_name": data_set, "source_type": "hf_dataset"},
        "metric_config": {"lower_is_better": False, "score_type": "continuous",
                          "min_score": low, "max_score": high, **metric},
        "score_details": {"score": score, "uncertainty": {"num_samples": 400}},
    }  # fmt: skip


def record(*results: dict, **more) -> dict:
    model = {"name": "Gemma 3 4B", "id": "google/gemma-3-4b-it"}
    return {"schema_version": "0.3.0", "evaluation_id": "x", "model_info": model,
            "evaluation_results": list(results), **more}  # fmt: skip


def write(path: Path, document: Any) -> Path:
    path.write_text(json.dumps(document), encoding="utf-8")
    return path


def row(domain: str, accuracy: float, n: int | None = 400) -> AccuracyRow:
    return AccuracyRow("google/gemma-3-4b-it", "public", domain, accuracy, n=n, run="r.json")


def test_scores_come_by_data_set_or_evaluation_on_a_scale_of_0_to_1():
    document = record(
        result("choice", "ai2_arc", 0.25),
        result("Bengali", "mmlu-lite", 68, 0, 100),
        result("中文", "mmlu-lite", 0.5, -1.0, 1.0),
    )
    assert accuracies_of(document, "r.json") == [
        row("ai2_arc", 0.25), row("Bengali", 0.68), row("中文", 0.75),
    ]  # fmt: skip
    binary = result("solved", "puzzle", 1, score_type="binary")
    del binary["metric_config"]["min_score"], binary["metric_config"]["max_score"]
    del binary["score_details"]["uncertainty"]
    assert accuracies_of(record(binary), "r.json") == [row("puzzle", 1.0, None)]


@pytest.mark.parametrize(
    "unusable",
    [
        result("elo", "arena", 1250.0, None, None),
        result("perplexity", "wiki", 0.4, lower_is_better=True),
        result("level", "safety", 1, 0, 1, score_type="levels"),
        result("outside", "wiki", 1.4),
        result("empty scale", "wiki", 1, 1, 1),
    ],
    ids=lambda one: one["evaluation_name"],
)
def test_a_score_that_is_no_share_of_a_scale_is_left_out(unusable: dict, tmp_path: Path):
    assert accuracies_of(record(unusable, result("a", "b", 0.5)), "r.json") == [row("b", 0.5)]
    with pytest.raises(InputError, match="contains no accuracies"):
        read_public(write(tmp_path / "r.json", record(unusable)))


@pytest.mark.parametrize(
    "wrong",
    [
        record(result("a", "b", 10**400)),
        record(result("a", "b", "high")),
        record(result("a", "b", 0.5, [], {})),
        record(result("a", "b", 0.5), model_info=[]),
        {**record(), "evaluation_results": 3},
        record({"evaluation_name": "a"}),
        {"body": {"evaluation": 3}},
    ],
)
def test_what_only_looks_like_a_record_is_refused_in_words(wrong: dict, tmp_path: Path):
    with pytest.raises(InputError, match=r"r\.json"):
        read_public(write(tmp_path / "r.json", wrong))


def test_our_signed_scores_keep_their_figures_and_are_no_public_scores(
    sqlite_ws: Workspace, tmp_path: Path
):
    run = use_split(sqlite_ws, tmp_path)
    signed = score_records.sign(sqlite_ws, run, tmp_path / "score.json", LEAD)
    document = json.loads((tmp_path / "score.json").read_text(encoding="utf-8"))
    evaluation = document["body"]["evaluation"]
    (told,) = accuracies_of(evaluation, "score.json")
    total = score_run.report(sqlite_ws, run).total
    assert (told.accuracy, told.n) == (total.accuracy, total.n) == (signed.score, total.n)
    alone = write(tmp_path / "evaluation.json", evaluation)
    for path in (tmp_path / "score.json", alone):
        with pytest.raises(InputError, match="private benchmark"):
            public_score_files.add(sqlite_ws, path, LEAD)
    public = deepcopy(evaluation)
    del public["evaluation_results"][0]["source_data"]["additional_details"]
    kept = public_score_files.add(sqlite_ws, write(tmp_path / "public.json", public), LEAD)
    assert [one.accuracy for one in read_public(kept)] == [total.accuracy]
