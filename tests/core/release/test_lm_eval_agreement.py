"""The exported folder in a real lm-evaluation-harness against our own evaluation, item by item."""

import json
import os
import random
import subprocess
from pathlib import Path

import pytest

from core.evaluation.engines import engine
from core.evaluation.harness_results import import_results
from core.evaluation.run import work_rows
from core.evaluation.scoring import keys_of, score
from core.evaluation.types import EngineContext, EngineParams, Question
from core.release.formats import export_format
from tests.servers.model_server import LoopbackModel, Policy, asked_text
from tests.splits import make_split

ROOT = Path(__file__).resolve().parents[3]
ITEMS = make_split(60)


def moody_model(body: dict) -> dict:
    """Right, wrong, wordy, unreadable, cut off and empty replies, fixed by the question."""
    drawn = random.Random(asked_text(body))
    letter = drawn.choice("ABCD")
    plain = letter if "Texts:" in asked_text(body) else f"Selection {'ABCD'.index(letter) + 1}"
    content = drawn.choice([plain, plain, f" **{plain}** ", f"答案：{plain}", "I don't know", ""])
    return {"content": content, "finish_reason": drawn.choice(["stop", "length"])}


def run_lm_eval(folder: Path, group: str, url: str, out: Path, home: Path) -> None:
    arguments = f"model=test-model,base_url={url}/completions,tokenizer_backend=none"
    command = [str(ROOT / ".envs/lm-eval/bin/lm_eval"), "run", "--model", "local-completions"]
    command += ["--model_args", arguments + ",tokenized_requests=False,num_concurrent=8"]
    command += ["--include_path", str(folder), "--tasks", group]
    command += ["--log_samples", "--output_path", str(out)]
    offline = {"HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1", "HOME": str(home)}
    done = subprocess.run(
        command, env={**os.environ, **offline}, capture_output=True, text=True, cwd=out.parent
    )
    assert done.returncode == 0, done.stderr[-3000:]


def samples(out: Path) -> dict[str, tuple[str, float]]:
    """Extracted answer and score by item."""
    found = {}
    for path in out.rglob("samples_*.jsonl"):
        for line in path.read_text(encoding="utf-8").split("\n"):
            if line:
                row = json.loads(line)
                found[row["doc"]["id"]] = (row["filtered_resps"][0], row["exact_match"])
    return found


@pytest.fixture
def harness() -> None:
    subprocess.run(["bash", str(ROOT / "packaging/side_env.sh"), "lm-eval"], check=True)


@pytest.mark.slow
@pytest.mark.usefixtures("harness")
def test_lm_eval_runs_the_moved_folder_unchanged_and_agrees_item_by_item(
    tmp_path: Path, home: Path
):
    first, moved, out = tmp_path / "first", tmp_path / "搬 moved", tmp_path / "out"
    report = export_format("lm-eval").export(ITEMS, "arxiv-2026b", first)
    first.rename(moved)
    with LoopbackModel(Policy(), answer=moody_model) as server:
        run_lm_eval(moved, report.entry, server.url, out, home)
        theirs_asked = {asked_text(seen.body) for seen in server.seen}
        given = EngineParams(engine="openai", model="test-model", base_url=server.url)
        asked = [Question.from_json(row) for row in work_rows(ITEMS)]
        answers = engine("openai").answer(asked, EngineContext(given, tmp_path))
        ours = score(keys_of(ITEMS), [answer.as_json() for answer in answers])
    theirs = samples(out)
    assert theirs_asked == {question.prompt for question in asked}
    assert len(theirs) == len(ITEMS)
    for entry in ours.scores:
        answer, exact = theirs[entry.id]
        assert (entry.predicted or "[invalid]", float(entry.correct)) == (answer, exact), entry
    (results,) = out.rglob("results_*.json")
    document = json.loads(results.read_text(encoding="utf-8"))
    group = document["groups"]["arxiv-2026b"]
    assert group["exact_match,answer"] == pytest.approx(ours.total.accuracy)
    assert 0.05 < ours.total.accuracy < 0.95
    for part, found in ours.by["format_domain"].items():
        task = document["results"][f"arxiv-2026b_{part.replace('/', '_')}"]
        assert task["exact_match,answer"] == pytest.approx(found.accuracy)
        assert task["exact_match_stderr,answer"] == pytest.approx(found.plain_stderr)
    taken = import_results(out, asked)
    assert (taken.model, taken.unmatched, taken.damaged) == ("test-model", 0, 0)
    again = score(keys_of(ITEMS), [answer.as_json() for answer in taken.answers])
    assert [e.predicted for e in again.scores] == [e.predicted for e in ours.scores]
    assert taken.verdicts == {entry.id: entry.correct for entry in ours.scores}
