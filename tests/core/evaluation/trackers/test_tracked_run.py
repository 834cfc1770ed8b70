"""What leaves for a tracker is picked one by one."""

import json
from dataclasses import asdict

from core.evaluation.params import EvaluateParams, JudgeParams
from core.evaluation.scoring import keys_of, score
from core.evaluation.trackers.tracked_run import tracked_run
from tests.splits import make_split

SECRET = "a word of the prompt"


def test_scores_settings_and_digests_leave_and_no_text_folder_or_address() -> None:
    items = make_split(6)
    keys = keys_of(items)
    records = [{"id": key.id, "text": key.answer, "outcome": "ok"} for key in keys[:4]]
    report = score(keys, records, split="s", engine="openai", model="/home/ann/m", partial=True)
    params = EvaluateParams(
        split="s", split_digest="d1", engine="openai", model="/home/ann/models/small",
        adapter="~/adapters/one", base_url="http://10.0.0.7/v1", system=SECRET, stop=(SECRET,),
        shots=2, shots_from="other-split", engine_args={"dtype": SECRET},
        template_args={"x": SECRET}, think_end_token=SECRET, variants=SECRET, temperature=0.5,
        judge=JudgeParams(model="judge", base_url="http://10.0.0.8"),
    )  # fmt: skip
    run = tracked_run("r1", "running", report, params, "my bench/2026", {"benchseal": "1"})
    assert (run.step, run.state, run.project) == (4, "running", "my-bench-2026")
    assert run.figures["score"] == 1.0
    assert (run.figures["answered"], run.figures["missing"], run.figures["items"]) == (4, 2, 6)
    assert {name.split("/")[0] for name in run.figures if "/" in name} == {"domain", "format"}
    assert (run.settings["model"], run.settings["adapter"]) == ("small", "one")
    assert (run.settings["temperature"], run.settings["shots"]) == (0.5, 2)
    assert run.marks == {"benchseal": "1", "split": "s", "manifest": "d1"}
    text = json.dumps(asdict(run), ensure_ascii=False)
    for part in (SECRET, "/home/ann", "adapters/", "10.0.0", "other-split"):
        assert part not in text
    for item in items:
        for value in item.content.payload.values():
            if isinstance(value, str) and len(value) > 12:
                assert value not in text


def test_without_an_answer_there_is_no_score() -> None:
    report = score(keys_of(make_split(3)), [], split="s", partial=True)
    run = tracked_run("r1", "prepared", report, EvaluateParams(split="s", engine="e"), "b", {})
    assert "score" not in run.figures
    assert "standard_error" not in run.figures
    assert run.figures["missing"] == 3
