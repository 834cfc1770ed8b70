"""The run kind ``evaluate``: a pure function of its folder that survives crashes."""

import json
import statistics
import subprocess
import sys
from pathlib import Path

import pytest

from core.errors import OutsideError
from core.evaluation.run import EVALUATE, EvaluateParams
from core.evaluation.scoring import keys_of, score
from core.evaluation.types import Answer
from core.families import family
from core.jobs.folder import RunFolder
from core.jobs.run_kind import RunKind
from core.jobs.worker import run_worker
from core.workflow.runs.kinds import run_kind
from tests.polling import until
from tests.questions import work_rows
from tests.servers.model_server import LoopbackModel, Policy
from tests.splits import make_split

WORKER = """
import sys
from pathlib import Path
from core.jobs.worker import run_worker
from core.workflow.runs.kinds import run_kind
run_worker(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), run_kind)
"""


def prepare(root: Path, count: int = 24, **more) -> RunFolder:
    given = EvaluateParams(**{"split": "s", "engine": "baseline:random", **more})
    return RunFolder.create(root, "evaluate", given, work_rows(make_split(count)))


def answers(folder: RunFolder) -> dict[str, str]:
    return {name: record["text"] for name, record in folder.records().items()}


def test_it_is_registered_and_keeps_the_protocol():
    kind: RunKind = run_kind("evaluate")
    assert kind is EVALUATE


def test_the_folder_gives_no_key_away(tmp_path: Path):
    scp = family("scp")
    rows = work_rows(make_split(12))
    for row, item in zip(rows, make_split(12), strict=True):
        turned = dict(item.content.payload) | {"key": (item.content.payload["key"] + 1) % 4}
        other = type(item.content)("scp", item.content.format, turned, domain=item.content.domain)
        assert scp.key(other) != scp.key(item.content)
        (again,) = work_rows([type(item)(0, item.uid, 1, other)])
        assert again == row


def test_a_baseline_run_ends_with_counts_and_can_be_scored_at_home(tmp_path: Path):
    folder = prepare(tmp_path)
    run_worker(folder.path, 0, 1, run_kind)
    result = folder.result()
    assert result["items"] == 24
    assert result["outcomes"] == {"ok": 24}
    assert result["versions"] == {"baseline": "1"}
    report = score(keys_of(make_split(24)), folder.ordered_records(), split="s")
    assert report.answered == 24
    assert not list(folder.path.glob("*key*"))


@pytest.mark.parametrize("shards", [2, 4])
def test_shards_give_the_same_answers_as_a_single_worker(tmp_path: Path, shards: int):
    single, many = prepare(tmp_path), prepare(tmp_path)
    run_worker(single.path, 0, 1, run_kind)
    for shard in range(shards):
        run_worker(many.path, shard, shards, run_kind)
    assert answers(single) == answers(many)
    assert single.result()["questions"] == many.result()["questions"]


def test_a_run_may_go_on_with_another_number_of_shards(tmp_path: Path):
    single, changed = prepare(tmp_path), prepare(tmp_path)
    run_worker(single.path, 0, 1, run_kind)
    run_worker(changed.path, 1, 3, run_kind)
    assert changed.result() is None
    run_worker(changed.path, 0, 1, run_kind)
    assert answers(changed) == answers(single)


def test_a_killed_worker_asks_no_finished_question_twice(tmp_path: Path):
    with LoopbackModel(
        Policy(latency_s=0.05, tag=r"（(item-\d+)）"), answer=lambda _: "A"
    ) as server:
        folder = prepare(
            tmp_path, 60, engine="openai", model="m", base_url=server.url, concurrency=4,
            mode="completion",
        )  # fmt: skip
        worker = subprocess.Popen([sys.executable, "-c", WORKER, str(folder.path), "0", "1"])
        until(lambda: len(folder.records()) >= 20)
        worker.kill()
        worker.wait()
        finished = set(folder.records())
        assert 20 <= len(finished) < 60
        asked_before = len(server.seen)
        run_worker(folder.path, 0, 1, run_kind)
        again = {seen.tag for seen in server.seen[asked_before:]}
    assert folder.result()["outcomes"] == {"ok": 60}
    assert not again & finished
    assert max(server.asked().values()) <= 2
    assert "resumed" in folder.log_tail()


def test_a_server_that_is_gone_fails_the_run_and_keeps_what_is_finished(tmp_path: Path):
    with LoopbackModel(answer=lambda _: "A") as server:
        url = server.url
    folder = prepare(tmp_path, engine="openai", model="m", base_url=url, retries=0)
    with pytest.raises(OutsideError):
        run_worker(folder.path, 0, 1, run_kind)
    assert url in folder.error()
    assert folder.result() is None


def test_the_result_tells_tokens_latency_and_mode(tmp_path: Path):
    with LoopbackModel(Policy(latency_s=0.01), answer=lambda _: "A") as server:
        folder = prepare(tmp_path, 6, engine="openai", model="m", base_url=server.url)
        run_worker(folder.path, 0, 1, run_kind)
    result = folder.result()
    assert result["modes"] == {"completion": 6}
    assert result["prompt_tokens"] > result["completion_tokens"] > 0
    assert 0.01 <= result["latency_s"]["median"] <= result["latency_s"]["longest"]
    assert result["versions"]["openai"]


def test_a_failed_request_names_no_model_in_the_place_of_the_server(tmp_path: Path):
    rows = [
        Answer("1", text="A", notes={"model": "m-2026"}).as_json(),
        Answer("2", outcome="failed", notes={"model": "m"}).as_json(),
    ]
    folder = RunFolder.create(tmp_path, "evaluate", EvaluateParams(split="s", engine="openai"), [])
    assert run_kind("evaluate").summarise(folder, rows)["served"] == {"m-2026": 1}


def test_the_budget_counts_what_an_earlier_worker_used(tmp_path: Path):
    with LoopbackModel(answer=lambda _: "A") as server:
        folder = prepare(
            tmp_path, engine="openai", model="m", base_url=server.url, budget_tokens=700,
            concurrency=1,
        )  # fmt: skip
        run_worker(folder.path, 0, 1, run_kind)
        first = len(server.seen)
        run_worker(folder.path, 0, 1, run_kind)
    assert 0 < first < 24
    assert len(server.seen) == first


def test_records_hold_one_json_line_each_even_with_chinese(tmp_path: Path):
    with LoopbackModel(answer=lambda _: "选择\u2028“A”") as server:
        folder = prepare(tmp_path, 3, engine="openai", model="m", base_url=server.url)
        run_worker(folder.path, 0, 1, run_kind)
    (path,) = folder.shard_files()
    rows = [json.loads(line) for line in path.read_bytes().split(b"\n") if line]
    assert {row["text"] for row in rows} == {"选择\u2028“A”"}


@pytest.mark.parametrize(
    ("seconds", "median", "p95"),
    [([1.0, 9.0], 5.0, 8.6), ([3.0], 3.0, 3.0), ([4.0, 1.0, 2.0], 2.0, 3.8)],
)
def test_latencies_are_summed_up_as_statistics_have_it(
    tmp_path: Path, seconds: list[float], median: float, p95: float
):
    rows = [Answer(str(n), text="A", latency_s=s).as_json() for n, s in enumerate(seconds)]
    folder = RunFolder.create(tmp_path, "evaluate", EvaluateParams(split="s", engine="openai"), [])
    found = run_kind("evaluate").summarise(folder, rows)["latency_s"]
    assert found == pytest.approx({"median": median, "p95": p95, "longest": max(seconds)})
    assert found["median"] == statistics.median(seconds)
