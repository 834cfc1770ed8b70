"""Judging an evaluation: a loopback judge with known faults, killed and resumed, beside people."""

import json
import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.cli import main
from core.cli.analysis.score_tables import finished_report
from core.errors import InputError, StateError
from core.evaluation.judge_run import JudgeParams
from core.evaluation.run import EvaluateParams
from core.families.base import ItemContent
from core.jobs.launchers.cluster import Cluster, CommandOutput
from core.workflow import people, tasks
from core.workflow.evaluation import judging, start
from core.workflow.evaluation.take_in_answers import report_taken_in
from core.workflow.runs import runs
from core.workflow.splits import freeze
from core.workflow.workspace import Workspace
from db import runs as run_rows
from tests.polling import until
from tests.servers.model_server import LoopbackModel, Policy, asked_text
from tests.servers.queued_jobs import JOB, PROFILE, queue_only
from tests.splits import freeze_split

COUNT = 40


@pytest.fixture
def ws(sqlite_ws: Workspace) -> Workspace:
    """Only a file: workers and commands open it by its folder."""
    return sqlite_ws


@pytest.fixture
def model() -> Iterator[LoopbackModel]:
    """Answers every question with its number."""
    with LoopbackModel(answer=lambda body: f"写了{number_of(body)}号") as running:
        yield running


def number_of(body: dict) -> int:
    return int(asked_text(body).rsplit("item-", 1)[1].split("号")[0])


def poem(number: int) -> ItemContent:
    payload = {"instruction": "写一句诗。", "input": f"题目：item-{number}号", "output": "春风"}
    return ItemContent("instruction", "triplet", payload, domain="zh")


def creative(creativity: int) -> str:
    said = {"creativity": creativity, "fluency": 3, "instruction_following": 5, "confidence": 4}
    return json.dumps({"reasons": "因为。", **said}, ensure_ascii=False)


def faulty(body: dict):
    """Of every ten: 0 truncated, 1 refused, 2 not JSON; the others 1 or 5 for creativity."""
    number = number_of(body)
    rating = 5 if number % 2 else 1
    return {
        0: {"content": creative(rating)[:20], "finish_reason": "length"},
        1: {"content": None, "refusal": "no"},
        2: "Wonderful.",
    }.get(number % 10, creative(rating))


def evaluated(ws: Workspace, model: LoopbackModel, judge: JudgeParams | None = None) -> str:
    freeze_split(ws, {"诗": [poem(number) for number in range(COUNT)]})
    params = EvaluateParams(
        split="s", engine="openai", model="m", base_url=model.url, mode="chat", judge=judge
    )
    run = start.start(ws, "s", params).spec().id
    runs.wait(ws, run)
    return run


def by(server: LoopbackModel, **more) -> JudgeParams:
    return JudgeParams(model="j", base_url=server.url, kind="creative", **more)


def test_what_a_task_tells_judges_reaches_them(ws: Workspace, model: LoopbackModel):
    freeze_split(ws, {"诗": [poem(number) for number in range(3)]})
    people.ensure_person(ws, "王", "lead")
    tasks.change(ws, "诗", "王", judge="每句五个字才得高分。")
    params = EvaluateParams(split="s", engine="openai", model="m", base_url=model.url, mode="chat")
    run = start.start(ws, "s", params).spec().id
    runs.wait(ws, run)
    with LoopbackModel(answer=lambda body: creative(5)) as server:
        folder = judging.start(ws, run, by(server))
        assert runs.wait(ws, folder.spec().id).state == "finished"
        asked = [asked_text(seen.body) for seen in server.seen]
        assert len(asked) == 3
        assert all("每句五个字才得高分。" in text for text in asked)


def test_scores_counts_and_stored_scores_are_those_done_by_hand(
    ws: Workspace, model: LoopbackModel
):
    with LoopbackModel(answer=faulty) as server:
        run = evaluated(ws, model, by(server))
        first = report_taken_in(ws, run)
        judge = first.origin["judge"]["run"]
        assert runs.wait(ws, judge).state == "finished"
    report = report_taken_in(ws, run)
    document = report.as_json()
    # of ten: one truncated, one refused, one unreadable; of 3…9 four are odd and three even
    odd, even = (1 + 0.5 + 1) / 3, (0 + 0.5 + 1) / 3
    assert report.total.n == 28
    assert document["accuracy"] == pytest.approx((16 * odd + 12 * even) / 28)
    assert document["unjudged"] == 12
    assert (document["answered"], document["missing"]) == (40, 0)
    (one,) = document["judge"]["judges"]
    assert one["outcomes"] == {"invalid": 4, "ok": 28, "refused": 4, "truncated": 4}
    assert one["means"]["creativity"] == pytest.approx(16 / 28)
    with ws.reading() as session:
        stored = [row.score for row in run_rows.answers_of(session, run)]
    assert sorted(score for score in stored if score is not None) == pytest.approx(
        [even] * 12 + [odd] * 16
    )
    assert stored.count(None) == 12
    assert report_taken_in(ws, run).as_json() == document


def test_the_judge_and_the_references_never_reach_the_folder_of_the_evaluation(
    ws: Workspace, model: LoopbackModel
):
    with LoopbackModel(answer=faulty) as server:
        run = evaluated(ws, model, by(server))
        runs.wait(ws, report_taken_in(ws, run).origin["judge"]["run"])
    folder = runs.folder_of(ws, run).path
    whole = "".join(path.read_text(encoding="utf-8") for path in folder.glob("*.json*"))
    assert "春风" not in whole
    assert server.url not in whole


def test_a_killed_judging_goes_on_and_asks_nothing_twice(ws: Workspace, model: LoopbackModel):
    run = evaluated(ws, model)
    with LoopbackModel(Policy(latency_s=0.1), answer=lambda body: creative(3)) as server:
        folder = judging.start(ws, run, by(server, concurrency=2))
        until(lambda: len(folder.finished_ids()) > 5)
        os.kill(int(folder.read_progress()["0/1"]["pid"]), signal.SIGKILL)
        until(lambda: not folder.is_running())
        done = len(folder.finished_ids())
        assert done < COUNT
        with pytest.raises(StateError, match=f"{done} of {COUNT}"):
            finished_report(ws, run)
        assert report_taken_in(ws, run).total.correct == 0  # unfinished judging does not count
        again = judging.start(ws, run, by(server, concurrency=2))
        assert again.path == folder.path
        runs.wait(ws, again.spec().id)
        # the two in flight may be asked again; nothing that was answered is
        assert len(server.seen) <= COUNT + 2
    assert report_taken_in(ws, run).total.accuracy == pytest.approx((0.5 + 0.5 + 1) / 3)


def test_the_same_judge_on_another_run_of_the_same_answers_is_free(
    ws: Workspace, model: LoopbackModel
):
    with LoopbackModel(answer=lambda body: creative(3)) as server:
        run = evaluated(ws, model, by(server))
        runs.wait(ws, report_taken_in(ws, run).origin["judge"]["run"])
        asked = len(server.seen)
        params = EvaluateParams(
            split="s", engine="openai", model="m2", base_url=model.url, mode="chat"
        )
        other = start.start(ws, "s", params).spec().id
        runs.wait(ws, other)
        runs.wait(ws, judging.start(ws, other, by(server)).spec().id)
        assert len(server.seen) == asked == COUNT
    found = judging.judged(ws, other)
    assert found is not None
    assert found.document["judges"][0]["cached"] == COUNT
    assert found.document["judges"][0]["tokens"] == 0


def test_agreement_with_people_stands_beside_the_scores(
    ws: Workspace, place: Path, model: LoopbackModel, tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
):  # fmt: skip
    with LoopbackModel(answer=lambda body: creative(1 + number_of(body) % 5)) as server:
        run = evaluated(ws, model, by(server))
        runs.wait(ws, report_taken_in(ws, run).origin["judge"]["run"])
    uids = [member.uid for member in freeze.members_of(ws, "s")]
    rows = [f"{uid},creativity,{who},{1 + n % 5}" for n, uid in enumerate(uids) for who in "甲乙"]
    file = tmp_path / "people.csv"
    file.write_text("\n".join(["item,criterion,rater,value", *rows]), encoding="utf-8")
    people.ensure_person(ws, "李", "researcher")
    said = ["--workspace", str(place), "report", run, "--people", str(file), "--user", "李"]
    assert main([*said, "--json"]) == 0
    (one,) = json.loads(capsys.readouterr().out)["judge"]["judges"]
    assert one["agreement"]["creativity"]["answers"] == COUNT
    figures = one["agreement"]["creativity"]["coefficients"]
    assert figures["spearman"]["value"] == pytest.approx(1.0)
    assert figures["cohen_kappa_quadratic"]["value"] == pytest.approx(1.0)
    # the ratings stay with the judging
    assert main(["--workspace", str(place), "report", run]) == 0
    assert "Spearman's rank correlation 1.00" in capsys.readouterr().out
    file.write_text("item,value\n99999,1\n", encoding="utf-8")
    assert main(said) != 0
    assert "99999" not in judging.judged(ws, run).document
    assert "The only rating" in capsys.readouterr().err


@pytest.mark.parametrize("text", ["", "a,b\n1,2\n", "item,value\n1,good\n", "\x00\x01"])
def test_a_table_that_is_none_is_refused(tmp_path: Path, text: str):
    from core.evaluation.judge_agreement import read_people

    path = tmp_path / "people.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError):
        read_people(path)


def test_a_judge_whose_server_is_gone_says_so_and_can_be_resumed(
    ws: Workspace, model: LoopbackModel
):
    with LoopbackModel(answer=lambda body: creative(5)) as server:
        gone = by(server, retries=0)
    run = evaluated(ws, model, gone)
    judge = report_taken_in(ws, run).origin["judge"]["run"]
    info = runs.wait(ws, judge)
    assert info.state == "failed"
    assert info.error
    assert report_taken_in(ws, run).origin["judge"]["state"] == "failed"


def test_an_unfinished_evaluation_is_not_judged(ws: Workspace, model: LoopbackModel):
    freeze_split(ws, {"诗": [poem(number) for number in range(3)]})
    model.policy.latency_s = 5
    params = EvaluateParams(split="s", engine="openai", model="m", base_url=model.url, mode="chat")
    run = start.start(ws, "s", params).spec().id
    with pytest.raises(StateError, match="not finished"):
        judging.start(ws, run, by(model))
    runs.stop(ws, run)


def test_from_the_command_line_with_a_verdict_on_reference_and_answer(
    ws: Workspace, place: Path, model: LoopbackModel, capsys: pytest.CaptureFixture[str]
):
    def verdict(body: dict) -> str:
        number = number_of(body)
        said = {"reference_correct": number != 3, "answer_correct": number % 4 == 0}
        return json.dumps({"reasons": "因为。", **said}, ensure_ascii=False)

    freeze_split(ws, {"诗": [poem(number) for number in range(COUNT)]})
    people.ensure_person(ws, "王", "lead")
    with LoopbackModel(answer=verdict) as server:
        words = ["--workspace", str(place), "evaluate", "s", "--engine", "openai", "--model", "m",
                 "--base-url", model.url, "--mode", "chat", "--judge", f"j@{server.url}",
                 "--judge-param", "concurrency=4", "--wait", "--json"]  # fmt: skip
        assert main(words) == 0
        document = json.loads(capsys.readouterr().out)
        assert document["accuracy"] == 0.25
        (one,) = document["judge"]["judges"]
        assert len(one["disputed_references"]) == 1
        assert main([*words, "--judge-param", "kind=kind"]) == 2
        assert main([*words, "--judge-url", "ftp://x"]) == 1
        assert main([*words[:4], "--engine", "baseline:random", "--judge", "j"]) == 2
        assert "--judge-url" in capsys.readouterr().err


FAR = "[slurm.far]\nhost = 'login'\nfolder = '/scratch'\n"


def test_judging_is_queued_as_an_array_of_slurm(
    ws: Workspace, model: LoopbackModel, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    run = evaluated(ws, model)
    queue_only(ws.place.folder, tmp_path / "bin", monkeypatch)
    folder = judging.start(ws, run, by(model), launcher=PROFILE, shards=3)
    info = runs.info(ws, folder.spec().id)
    assert (info.state, info.launcher, info.job) == ("queued", PROFILE, JOB)
    row = runs.find(ws, info.id)
    assert (row.launcher, row.shards) == (PROFILE, 3)
    assert "#SBATCH --array=0-2\n" in (folder.path / "job.sh").read_text(encoding="utf-8")
    assert judging.start(ws, run, by(model)).path == folder.path, "it waits for its turn already"


def test_the_references_are_not_copied_to_another_host_by_any_way(
    ws: Workspace, model: LoopbackModel, monkeypatch: pytest.MonkeyPatch
):
    run = evaluated(ws, model)
    (ws.place.folder / "launchers.toml").write_text(FAR, encoding="utf-8")
    sent: list[object] = []
    monkeypatch.setattr(Cluster, "send", lambda cluster, folder: sent.append(folder))
    monkeypatch.setattr(Cluster, "require", lambda cluster, command: "4711")
    monkeypatch.setattr(Cluster, "ask", lambda cluster, command: CommandOutput(0, "", ""))
    with pytest.raises(InputError, match="login"):
        judging.start(ws, run, by(model), launcher="slurm:far")
    assert [info.id for info in runs.runs(ws)] == [run]
    with LoopbackModel(Policy(latency_s=0.2), answer=lambda body: creative(3)) as server:
        judge = judging.start(ws, run, by(server, concurrency=1)).spec().id
        runs.stop(ws, judge)
        assert runs.info(ws, judge).state == "stopped"
        with pytest.raises(InputError, match="login"):
            runs.resume(ws, judge, launcher="slurm:far")
    assert sent == []


def test_several_workers_ask_the_judge_once_for_each_answer(ws: Workspace, model: LoopbackModel):
    run = evaluated(ws, model)
    with LoopbackModel(answer=lambda body: creative(3)) as server:
        folder = judging.start(ws, run, by(server), shards=3)
        assert runs.wait(ws, folder.spec().id, 120).state == "finished"
        assert len(server.seen) == COUNT
    assert sorted(folder.read_progress()) == ["0/3", "1/3", "2/3"]
    assert judging.judged(ws, run).finished


def test_the_command_judges_by_several_workers_and_refuses_them_where_none_judges(
    ws: Workspace, model: LoopbackModel, capsys: pytest.CaptureFixture[str]
):
    run = evaluated(ws, model)
    place = ["--workspace", str(ws.place.folder), "judge"]
    with LoopbackModel(answer=lambda body: creative(3)) as server:
        asked = ["--judge", f"j@{server.url}", "--judge-param", "kind=creative", "--wait"]
        assert main([*place, run, *asked, "--shards", "2"]) == 0
    row = runs.judging_of(ws, run)
    assert row is not None
    assert row.shards == 2
    capsys.readouterr()
    assert main([*place, "agree", run, "--launcher", PROFILE]) == 2
    assert "judge agree" in capsys.readouterr().err
