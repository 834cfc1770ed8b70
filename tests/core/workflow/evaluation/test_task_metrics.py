"""``report --metric``: another metric for free text, its servers that misbehave, and its cache."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.cli import main
from core.evaluation.metrics import Prediction
from core.evaluation.metrics.score_cache import ScoreCache
from core.evaluation.metrics.similarity import bleurt_scorer
from core.families.base import ItemContent
from core.workflow import people
from core.workflow.analysis.exposures import exposures
from core.workflow.evaluation import score_run
from core.workflow.splits import freeze, lifecycle
from core.workflow.workspace import Workspace
from db import benchmarks
from tests.finished_runs import take_in_answers
from tests.servers.model_server import LoopbackModel, Policy
from tests.splits import freeze_split, varied

SAID = {"相似": "春天来了，草都绿了。", "问答": "北京市"}


@pytest.fixture
def ws(sqlite_ws: Workspace, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    """A file; nothing of embeddings in the environment."""
    for name in ("BENCHSEAL_EMBEDDINGS_URL", "BENCHSEAL_EMBEDDINGS_MODEL", "BENCHSEAL_BLEURT"):
        monkeypatch.delenv(name, raising=False)
    return sqlite_ws


def triplet(input_: str, output: str) -> ItemContent:
    payload = {"instruction": "写", "input": input_, "output": output}
    return ItemContent("instruction", "triplet", payload, domain="zh")


@pytest.fixture
def run(ws: Workspace, tmp_path: Path) -> str:
    """A run on a task that is measured by likeness and on one that is not."""
    freeze_split(
        ws, {"相似": [triplet("一", "春天来了，花都开了。")], "问答": [triplet("二", "北京")]}
    )
    with ws.writing() as session:
        for task in benchmarks.tasks(session):
            metric = "similarity" if task.name == "相似" else ""
            benchmarks.set_profile(session, task.id, {"metric": metric})
    first, second = (member.uid for member in freeze.members_of(ws, "s"))
    return take_in_answers(ws, tmp_path, {first: SAID["相似"], second: SAID["问答"]})


@pytest.fixture
def report(place: Path, run: str, capsys: pytest.CaptureFixture[str]):
    """The command: (exit code, JSON document or None, standard error)."""

    def call(*more: str):
        capsys.readouterr()
        code = main(["--workspace", str(place), "report", run, *more, "--json"])
        out, err = capsys.readouterr()
        return code, json.loads(out) if out else None, err

    return call


@pytest.fixture
def server() -> Iterator[LoopbackModel]:
    with LoopbackModel() as running:
        yield running


def scores(document: dict) -> dict:
    return document["metric"]


def test_the_chosen_metric_takes_the_place_of_chrf_and_the_stored_scores_stay(
    ws: Workspace, report, run: str, server: LoopbackModel
):
    _, plain, _ = report()
    code, found, _ = report("--embeddings", f"embedder@{server.url}")
    assert code == 0
    assert found["measured_by"] == {"similarity": "embedding_similarity"}
    assert found["metric"]["made_with"] == "embeddings of embedder"
    assert found["metric"]["n"] == 1, "the task that asks for right or wrong is left alone"
    assert found["accuracy"] == pytest.approx(found["metric"]["value"] / 2)
    assert found["accuracy"] != pytest.approx(plain["accuracy"])
    assert report()[1] == plain
    stored = score_run.report(ws, run).as_json()
    assert stored == {name: plain[name] for name in stored}
    assert set(plain) - set(stored) == {"methods", "seen_before", "surface"}


def test_a_metric_below_zero_counts_as_zero_and_its_mean_stays_as_measured(report):
    with LoopbackModel(vectors=lambda text: [-1.0 if "花" in text else 1.0]) as server:
        code, found, _ = report("--embeddings", f"e@{server.url}")
    assert code == 0
    assert found["metric"]["value"] == pytest.approx(-1.0)
    assert found["accuracy"] == 0


def test_a_second_report_asks_nothing(report, server: LoopbackModel):
    _, first, _ = report("--embeddings", f"embedder@{server.url}")
    asked = len(server.seen)
    assert asked > 0
    assert report("--embeddings", f"embedder@{server.url}")[1] == first
    assert len(server.seen) == asked
    report("--embeddings", f"another@{server.url}")
    assert len(server.seen) > asked, "another model measures otherwise"


def test_the_configuration_of_near_duplicates_serves_as_well(
    report, server: LoopbackModel, monkeypatch: pytest.MonkeyPatch
):
    code, _, err = report("--metric", "embedding_similarity")
    assert code == 1
    assert "BENCHSEAL_EMBEDDINGS_URL" in err
    code, _, err = report("--embeddings", "alone")
    assert code == 2
    assert "MODEL@URL" in err
    monkeypatch.setenv("BENCHSEAL_EMBEDDINGS_URL", server.url)
    monkeypatch.setenv("BENCHSEAL_EMBEDDINGS_MODEL", "configured")
    _, found, _ = report("--metric", "embedding_similarity")
    assert found["metric"]["made_with"] == "embeddings of configured"
    _, found, _ = report("--embeddings", "other")
    assert found["metric"]["made_with"] == "embeddings of other"


def test_the_keys_of_a_sealed_split_go_to_no_server(ws: Workspace, report, server: LoopbackModel):
    people.ensure_person(ws, "李", "lead")
    lifecycle.seal(ws, "s", "李")
    code, _, err = report("--embeddings", f"e@{server.url}")
    assert (code, server.seen) == (1, [])
    assert "sealed" in err
    assert report("--metric", "chrf")[0] == 0, "what stays on this machine may be measured"


@pytest.mark.parametrize(
    "vectors",
    [
        lambda text: [1.0] * (1 + ("花" in text)),
        lambda text: [],
        lambda text: [float("nan")] * 4,
        lambda text: ["far", "near"],
        lambda text: None,
    ],
    ids=["lengths", "empty", "nan", "words", "null"],
)
def test_embeddings_that_are_none_are_refused_in_a_sentence(report, vectors):
    with LoopbackModel(vectors=vectors) as server:
        code, found, err = report("--embeddings", f"e@{server.url}")
    assert (code, found) == (3, None)
    assert "embeddings" in err
    assert report()[0] == 0


def test_a_server_that_fails_for_good_leaves_what_was_measured(
    ws: Workspace, place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
):  # fmt: skip
    monkeypatch.setattr("core.evaluation.metrics.score_cache.CHUNK", 2)
    freeze_split(ws, {"甲": [triplet(f"第{n}句", f"春天{n}") for n in range(6)]})
    uids = [member.uid for member in freeze.members_of(ws, "s")]
    run = take_in_answers(ws, tmp_path, {uid: f"夏天{n}" for n, uid in enumerate(uids)})
    with LoopbackModel(vectors=lambda text: [1.0] if int(text[-1]) < 4 else []) as server:
        said = ["--workspace", str(place), "report", run, "--embeddings", f"e@{server.url}"]
        assert main(said) == 3
        assert server.url in capsys.readouterr().err
        with LoopbackModel(vectors=lambda text: [1.0, 1.0]) as sound:
            assert main([*said[:-1], f"e@{sound.url}"]) == 0
            asked = [text for seen in sound.seen for text in seen.body["input"]]
    assert sorted(asked) == ["夏天4", "夏天5", "春天4", "春天5"]


def test_a_server_that_answers_500_is_named(report):
    with LoopbackModel(Policy(rate_500=1.0)) as server:
        code, _, err = report("--embeddings", f"e@{server.url}")
    assert code == 3
    assert server.url in err


def test_a_run_without_such_tasks_is_measured_where_it_is_free_text(
    ws: Workspace, place: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    freeze_split(ws, {"甲": [triplet("一", "春天"), triplet("二", "夏天")]})
    uids = [member.uid for member in freeze.members_of(ws, "s")]
    run = take_in_answers(ws, tmp_path, dict(zip(uids, ("春天", "春夏天"), strict=True)))
    other = take_in_answers(ws, tmp_path, dict(zip(uids, ("春天", "夏天"), strict=True)), model="n")
    said = ["--workspace", str(place), "report", run, "--metric", "chrf"]
    assert main([*said, "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert 0.5 < document["accuracy"] < 1
    assert document["metric"]["n"] == 2
    assert main(said) == 0
    assert "chrF (sacrebleu " in capsys.readouterr().out
    assert main([*said[:4], other, "--metric", "chrf", "--by", "task"]) == 0
    assert capsys.readouterr().out.count("sacrebleu") == 2
    assert main([*said[:4], other, "--metric", "chrf", "--compare"]) == 0
    assert "chrF" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("given", "code", "named"),
    [
        (["--metric", "vibes"], 1, "vibes"),
        (["--metric", "macro_f1"], 1, "--by task"),
        (["--metric", "bleurt"], 1, "BENCHSEAL_BLEURT"),
        (["--bleurt", "nowhere"], 1, "nowhere"),
        (["--bleurt", "x", "--metric", "chrf"], 2, "one metric"),
        (["--bleurt", "x", "--embeddings", "m@http://x"], 2, "one metric"),
        (["--embeddings", "m@http://[::1"], 1, "[::1"),
        (["--embeddings", "@http://127.0.0.1:9"], 1, "No model"),
    ],
)
def test_what_cannot_be_measured_is_said_in_one_sentence(report, given, code, named):
    found, document, err = report(*given)
    assert (found, document) == (code, None)
    assert named in err
    assert "Traceback" not in err


def test_multiple_choice_is_not_measured_by_likeness(
    ws: Workspace, place: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    freeze_split(ws, {"scp": [varied(1)]})
    (member,) = freeze.members_of(ws, "s")
    run = take_in_answers(ws, tmp_path, {member.uid: "Selection 1"})
    capsys.readouterr()
    assert main(["--workspace", str(place), "report", run, "--metric", "chrf"]) == 1
    assert "no free-text answers that chrF could score" in capsys.readouterr().err


SCORER = """
class BleurtScorer:
    def __init__(self, checkpoint):
        if "damaged" in checkpoint:
            raise RuntimeError("bad saved model")

    def score(self, *, references, candidates):
        return [0.25 if said == true else -0.5 for said, true in zip(candidates, references)]
"""


@pytest.fixture
def bleurt(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A stand-in for the package, and a checkpoint."""
    package = tmp_path / "site" / "bleurt"
    package.mkdir(parents=True)
    (package / "__init__.py").touch()
    (package / "score.py").write_text(SCORER)
    monkeypatch.syspath_prepend(str(package.parent))
    bleurt_scorer.cache_clear()
    checkpoint = tmp_path / "检查点-20"
    checkpoint.mkdir()
    (checkpoint / "bleurt_config.json").write_text('{"name": "x"}')
    yield checkpoint
    bleurt_scorer.cache_clear()


def test_bleurt_measures_where_its_checkpoint_is_given(
    report, bleurt: Path, monkeypatch: pytest.MonkeyPatch
):
    _, found, _ = report("--bleurt", str(bleurt))
    assert found["metric"]["value"] == -0.5
    assert found["metric"]["made_with"].startswith("bleurt 检查点-20 (")
    monkeypatch.setenv("BENCHSEAL_BLEURT", str(bleurt))
    assert report("--metric", "bleurt")[1] == found
    damaged = bleurt.rename(bleurt.with_name("damaged"))
    code, _, err = report("--bleurt", str(damaged))
    assert code == 3
    assert "bad saved model" in err


def test_kept_scores_outlive_a_torn_line_and_grow_from_several_places(tmp_path: Path):
    one, two, three = (Prediction(str(n), f"答{n}", ("对",)) for n in range(3))
    kept = ScoreCache(tmp_path / "新", "m", "x")
    kept.add([one], [0.5])
    (file,) = (tmp_path / "新").iterdir()
    with file.open("a", encoding="utf-8") as handle:
        handle.write('["torn')
    beside = ScoreCache(tmp_path / "新", "m", "x")
    beside.add([two], [0.25])
    kept.add([three], [-1.0])
    again = ScoreCache(tmp_path / "新", "m", "x")
    assert [again.get(p) for p in (one, two, three)] == [0.5, 0.25, -1.0]
    assert again.get(Prediction("9", "答0", ("错",))) is None
    assert ScoreCache(tmp_path / "新", "m", "y").get(one) is None


def test_a_report_by_a_servers_embeddings_is_an_exposure(
    ws: Workspace, report, server: LoopbackModel
):
    report("--embeddings", f"embedder@{server.url}")
    report("--embeddings", f"embedder@{server.url}")
    found = [one for one in exposures(ws, "s") if one.who == "embedder"]
    assert [(one.where, one.way, one.items) for one in found] == [
        ("127.0.0.1", "compared by meaning", 1)
    ]


def test_reports_by_a_metric_never_hold_all_items(
    ws: Workspace, run: str, monkeypatch: pytest.MonkeyPatch
):
    expected = score_run.report(ws, run)

    def held(*_: object) -> None:
        raise AssertionError("all items of the split were held at once")

    monkeypatch.setattr(freeze, "members_of", held)
    monkeypatch.setattr(freeze, "members_in", held)
    report = score_run.report(ws, run)
    assert list(report.scores) == list(expected.scores)
    assert [entry.graded is not None for entry in report.scores] == [True, False]


def test_a_metric_that_a_task_gets_later_measures_answers_that_were_there_before(
    ws: Workspace, place: Path, report, capsys: pytest.CaptureFixture[str]
):
    def change(task: str, metric: str) -> int:
        return main(["--workspace", str(place), "task", "change", task, "--metric", metric])

    before = report()[1]
    assert before["measured_by"] == {"similarity": "chrf"}
    assert change("问答", "similarity") == 0
    graded = report()[1]
    assert before["accuracy"] < graded["accuracy"] < 1, "“北京市” is much like “北京”"
    assert change("相似", "accuracy") == change("问答", "") == 0
    assert report()[1]["accuracy"] == 0, "and neither is the same text"
    assert change("相似", "similarity") == 0
    assert report()[1]["accuracy"] == before["accuracy"]
    assert main(["--workspace", str(place), "verify"]) == 0
    capsys.readouterr()
    assert change("相似", "guess") == 1
    assert "accuracy, f1, judge, similarity" in capsys.readouterr().err
    assert main(["--workspace", str(place), "task", "change", "相似", "--restore", "1"]) == 0
    assert report()[1]["accuracy"] == before["accuracy"]
