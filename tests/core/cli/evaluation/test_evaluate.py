"""Commands of evaluations in wrong hands: one sentence, an exit code, never a traceback."""

import json
import shutil
from pathlib import Path

import pytest

from core.cli import main
from core.evaluation.run import EvaluateParams
from core.i18n import set_language
from core.workflow import people
from core.workflow.evaluation import start
from core.workflow.runs import runs
from core.workflow.splits.prompt_variants import PromptVariants, work_of
from core.workflow.workspace import Workspace
from tests.finished_runs import take_in_answers
from tests.splits import freeze_split, varied


@pytest.fixture(scope="module")
def frozen(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace with two frozen splits."""
    folder = tmp_path_factory.mktemp("frozen") / "w"
    made = Workspace.create(folder)
    people.ensure_person(made, "李", "lead")
    freeze_split(made, {"scp": [varied(n) for n in range(6)]}, "s", "b")
    freeze_split(made, {"scp": [varied(n) for n in range(20, 24)]}, "t", "c")
    made.close()
    return folder


@pytest.fixture
def ws(frozen: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """A copy of it."""
    monkeypatch.setenv("BENCHSEAL_LANG", "en")
    shutil.copytree(frozen, tmp_path / "w")
    opened = Workspace.open(tmp_path / "w")
    yield opened
    opened.close()


@pytest.fixture
def call(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    """A command: (exit code, standard output, standard error)."""

    def call(*arguments: str):
        capsys.readouterr()
        try:
            code = main(["--workspace", str(tmp_path / "w"), *arguments])
        except SystemExit as ended:
            code = ended.code
        out, err = capsys.readouterr()
        return code, out, err

    return call


def taken(ws: Workspace, tmp_path: Path, split: str, model: str) -> str:
    """A finished run that answers A to everything."""
    replies = {row["id"]: "A" for row in work_of(ws, split, PromptVariants())}
    return take_in_answers(ws, tmp_path, replies, split, model)


BASELINE = ("evaluate", "s", "--engine", "baseline:random")
SERVER = ("evaluate", "s", "--engine", "openai", "--model", "m", "--base-url")


@pytest.mark.parametrize(
    ("given", "code", "named"),
    [
        (("evaluate", "s", "--engine", "oracle"), 1, "oracle"),
        (("evaluate", "空", "--engine", "baseline:random"), 1, "空"),
        (("evaluate", "s", "--engine", "openai"), 1, "--model NAME"),
        (("evaluate", "s", "--engine", "openai", "--model", "m"), 1, "--base-url URL"),
        ((*SERVER, "ftp://x"), 1, "ftp://x"),
        ((*SERVER, "http://x", "--param", "temperature=-1"), 2, "temperature"),
        ((*SERVER, "http://x", "--param", "max_tokens=abc"), 2, "max_tokens"),
        ((*SERVER, "http://x", "--param", "无"), 2, "无"),
        ((*BASELINE, "--launcher", "slurm:nope"), 1, "nope"),
        ((*BASELINE, "--launcher", "wrong"), 1, "wrong"),
        ((*BASELINE, "--answer-by", "loglikelihood"), 1, "loglikelihood"),
        ((*BASELINE, "--gpus", "-4"), 2, "less than 0"),
        ((*BASELINE, "--shards", "0"), 2, "less than 1"),
        ((*BASELINE, "--shards", "two"), 2, "“two” is not a whole number"),
        (
            (
                "evaluate",
                "s",
                "--engine",
                "vllm",
                "--model",
                "m",
                "--param",
                "data_parallel_size=two",
            ),
            1,
            "data_parallel_size",
        ),
        (
            (
                "evaluate",
                "s",
                "--engine",
                "vllm-server",
                "--model",
                "m",
                "--param",
                "tensor_parallel_size=two",
            ),
            1,
            "tensor_parallel_size",
        ),
        (
            (
                "evaluate",
                "s",
                "--engine",
                "vllm-server",
                "--model",
                "m",
                "--param",
                "startup_s=[1]",
            ),
            1,
            "startup_s",
        ),
        ((*BASELINE, "--shards", "99999999"), 2, "too many"),
        ((*BASELINE, "--shots", "-1"), 2, "shots"),
    ],
)
@pytest.mark.usefixtures("ws")
def test_a_plan_that_cannot_start_says_why_and_ends_with_a_code(call, given, code, named):
    found, out, err = call(*given, "--dry-run")
    assert found == code
    assert named in (out if found == 1 and out else err)


@pytest.mark.parametrize("verb", ["stop", "resume", "logs"])
def test_an_unknown_run_is_named_whatever_is_wanted_of_it(ws: Workspace, call, verb: str):
    code, _, err = call("run", verb, "nothing")
    assert (code, "nothing" in err) == (1, True)
    evaluate_twice = [taken(ws, Path(ws.place.folder), "s", name) for name in "ab"]
    code, _, err = call("run", verb, evaluate_twice[0][:4])
    assert (code, "2 runs" in err) == (1, True)


def test_a_finished_run_is_neither_started_again_nor_without_a_word_on_its_log(
    ws: Workspace, call, tmp_path: Path
):
    run = taken(ws, tmp_path, "s", "m")
    assert call("run", "resume", run)[0] == 1
    code, out, _ = call("run", "stop", run)
    assert (code, "finished" in out) == (0, True)
    code, out, err = call("run", "logs", run)
    assert (code, out.strip(), "has no log" in err) == (0, "", True)


@pytest.mark.parametrize("damage", ["gone", "spec.json", "result.json", "shard-000.jsonl"])
def test_a_run_whose_files_are_gone_or_damaged_is_told_of_and_the_list_stays_a_list(
    ws: Workspace, call, tmp_path: Path, damage: str
):
    run, other = taken(ws, tmp_path, "s", "m"), taken(ws, tmp_path, "t", "n")
    folder = runs.folder_of(ws, run).path
    if damage == "gone":
        shutil.rmtree(folder)
    else:
        (folder / damage).write_text("{damaged\n", encoding="utf-8")
    code, out, err = call("report", run)
    assert (code, out) == (1, "")
    assert damage in err or run in err
    code, out, _ = call("runs")
    assert code == 0
    assert run in out
    assert other in out
    for verb in ("stop", "resume"):
        assert call("run", verb, run)[0] in (0, 1)


def test_an_unfinished_run_is_reported_only_in_part(ws: Workspace, call):
    params = EvaluateParams(split="s", engine="baseline:random")
    run = start.start(ws, "s", params).spec().id
    runs.wait(ws, run)
    folder = runs.folder_of(ws, run).path
    shard = folder / "shard-000.jsonl"
    (folder / "result.json").unlink()
    shard.write_text("".join(shard.read_text().splitlines(keepends=True)[:2]))
    code, _, err = call("report", run)
    assert (code, "No answer yet for 4 of 6 items" in err) == (1, True)
    code, out, _ = call("report", run, "--partial", "--json")
    assert (code, json.loads(out)["missing"]) == (0, 4)


def test_runs_on_different_splits_are_not_compared(ws: Workspace, call, tmp_path: Path):
    one, two = taken(ws, tmp_path, "s", "甲"), taken(ws, tmp_path, "t", "乙")
    code, out, err = call("report", one, two, "--compare")
    assert (code, out) == (1, "")
    assert "“甲” and “乙” answered different items" in err
    assert call("report", one, one, "--compare")[0] == 2


def test_the_names_of_models_do_not_break_latex(ws: Workspace, call, tmp_path: Path):
    one = taken(ws, tmp_path, "s", r"a_b&c#50%${x}~^\z")
    two = taken(ws, tmp_path, "s", "模型_乙")
    for more in ((), ("--compare",), ("--by", "task")):
        code, out, _ = call("report", one, two, "--latex", *more)
        assert code == 0
        assert r"a\_b\&c\#50\%\$\{x\}\textasciitilde{}\textasciicircum{}" in out
        assert "−" not in out


def test_results_of_which_some_failed_are_counted_as_such(call, tmp_path: Path, ws: Workspace):
    ids = [row["id"] for row in work_of(ws, "s", PromptVariants())]
    said = {"choices": [{"message": {"content": "A"}}]}
    samples = [{"id": ids[0], "output": said}, {"id": ids[1], "output": {}}]
    log = tmp_path / "日志.json"
    log.write_text(json.dumps({"eval": {"model": "模型_甲&乙"}, "samples": samples}))
    code, out, _ = call("import-results", str(log), "--split", "s")
    assert code == 0
    assert "Imported 1 of 6 answers of 模型_甲&乙 (inspect) as run" in out
    assert f"Failed in the harness: 1  {ids[1]}" in out
    for wrong in (tmp_path / "nowhere", tmp_path):
        code, out, err = call("import-results", str(wrong), "--split", "t")
        assert (code, out) == (1, "")
        assert str(wrong) in err
    assert call("import-results", str(log), "--split", "no")[0] == 1


def test_scores_without_answers_become_no_run_and_one_is_told_where_they_go(
    call, tmp_path: Path, ws: Workspace
):
    scores = tmp_path / "record.json"
    record = {"schema_version": "0.3.0", "model_info": {"name": "m"}, "evaluation_results": []}
    for document in (record, {"body": {"evaluation": record}, "signer": "x"}):
        scores.write_text(json.dumps(document))
        code, out, err = call("import-results", str(scores), "--split", "s")
        assert (code, out) == (1, "")
        assert "benchseal analyze public" in err
    assert runs.runs(ws) == ()


def test_watching_no_runs_ends_at_once(tmp_path: Path, call):
    code, _, err = call("runs", "--watch")
    assert (code, "init" in err) == (1, True)
    Workspace.create(tmp_path / "w").close()
    assert call("runs", "--watch")[0] == 0
    code, out, _ = call("runs", "--watch", "--json")
    assert (code, json.loads(out)) == (0, {"runs": []})


def test_engines_are_listed_without_a_workspace_and_in_the_readers_language(
    call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    assert "OpenAI-compatible server" in call("engines")[1]
    monkeypatch.setenv("BENCHSEAL_LANG", "zh")
    assert "OpenAI 兼容服务器" in call("engines")[1]
    set_language("zh")
    assert start.run_targets(None).engines[0].title == "随机选择"
    (tmp_path / "w").mkdir()
    (tmp_path / "w" / "workspace.db").write_text("x")
    assert call("engines")[0] == 1


def test_a_second_look_is_asked_for_listed_and_ended_by_commands(
    ws: Workspace, call, tmp_path: Path
):
    first, second, *_ = (row["id"] for row in work_of(ws, "s", PromptVariants()))
    assert call("second-look")[1].strip() == "No items are waiting for a second look."
    assert call("second-look", "--done", "--user", "李")[0] == 2
    assert call("second-look", first, "--user", "李")[0] == 1, "a note is wanted"
    assert call("second-look", "99999", "--user", "李", "--note", "x")[0] == 1
    code, out, _ = call("second-look", f"#{first}", second, "--user", "李", "--note", "答案可疑")
    assert (code, f"#{first} #{second}" in out) == (0, True)
    assert {one["note"] for one in json.loads(call("second-look", "--json")[1])["items"]} == {""}
    code, out, _ = call("second-look", "--json", "--user", "李")
    found = json.loads(out)["items"]
    assert [(one["number"], one["note"], one["by"]) for one in found] == [
        (int(first), "答案可疑", "李"), (int(second), "答案可疑", "李"),
    ]  # fmt: skip
    assert json.loads(call("items", "--second-look", "--json")[1])["count"] == 2
    assert call("second-look", "--benchmark", "c")[1].startswith("No items are waiting")
    assert call("second-look", first, "--done", "--user", "李", "--note", "对的")[0] == 0
    assert "答案可疑" in call("second-look", "--user", "李")[1]
    # the same text comes in for the next period
    items = tmp_path / "next.jsonl"
    assert call("items", "--second-look", "--out", str(items), "--user", "李")[0] == 0
    given = ("--task", "scp", "--benchmark", "next", "--family", "scp", "--user", "李")
    code, _, err = call("import", str(items), *given)
    assert code == 0
    assert "waiting for a second look" in err
    assert json.loads(call("second-look", "--json")[1])["items"][0]["again"]


def test_items_that_strong_models_miss_alike_are_asked_about_in_one_go(
    ws: Workspace, call, tmp_path: Path
):
    for model in ("甲", "乙"):
        taken(ws, tmp_path, "t", model)
    listed = json.loads(call("items", "--missed-alike", "t", "--json")[1])["items"]
    assert listed
    first = listed[0]["number"]
    of_first = json.loads(call("show", str(first), "--json")[1])

    def numbers(*given: str) -> list[int]:
        code, out, err = call("items", "--missed-alike", "t", "--json", *given)
        assert code == 0, err
        return [item["number"] for item in json.loads(out)["items"]]

    everything = [item["number"] for item in listed]
    task = ("--task", of_first["task"], "--benchmark", of_first["benchmark"])
    assert numbers(*task, "--state", of_first["state"]) == everything
    assert numbers("--state", "accepted") == numbers("--label", "no such label") == []
    assert numbers("--limit", "0") == []
    out = tmp_path / "missed.jsonl"
    assert numbers("--out", str(out)) == everything
    assert len(out.read_text(encoding="utf-8").splitlines()) == len(everything)
    code, _, _ = call("second-look", "--missed-alike", "t", "--user", "李")
    assert code == 0
    found = json.loads(call("second-look", "--json", "--user", "李")[1])["items"]
    assert [(one["number"], one["answer"]) for one in found] == [
        (one["number"], one["answer"]) for one in listed
    ]
    assert set(found[0]["models"]) == {"甲", "乙"}
    # who did not ask may still look without knowing
    others = json.loads(call("second-look", "--json")[1])["items"]
    assert [(one["number"], one["answer"], one["models"]) for one in others] == [
        (one["number"], "", []) for one in listed
    ]
