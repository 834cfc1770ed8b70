"""A server that somebody names is allowed from its first question on, not where none was asked."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from core.cli import main
from core.llm.keys import allowed_servers
from core.workflow import people
from core.workflow.splits.prompt_variants import PromptVariants, work_of
from core.workflow.workspace import Workspace
from tests.finished_runs import take_in_answers
from tests.servers.model_server import LoopbackModel
from tests.splits import freeze_split, varied

FAR = "http://192.0.2.1/v1"
ASKS = ("--model", "m", "--base-url", FAR)
ENGINE = ("--engine", "openai", *ASKS)
BASELINE = ("--engine", "baseline:random")
NEWS = ("--knowledge", "gdelt-doc:http://192.0.2.2/api", "--from", "2026-01-01", "--to")
DATA = ("--benchmark", "b", "--task", "mood", "--data", "moods.csv", "--labels", "good,bad")
REWRITE = ("rewrite", *DATA, *ASKS)

Said = tuple[int, str]


@pytest.fixture(scope="module")
def frozen(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace with two frozen splits, and a run that answered one of them."""
    folder = tmp_path_factory.mktemp("frozen")
    made = Workspace.create(folder / "w")
    people.ensure_person(made, "Li", "lead")
    freeze_split(made, {"scp": [varied(n) for n in range(6)]}, "s", "b")
    freeze_split(made, {"scp": [varied(n) for n in range(20, 24)]}, "t", "c")
    replies = {row["id"]: "A" for row in work_of(made, "s", PromptVariants())}
    run = take_in_answers(made, folder, replies, "s", "letters")
    made.close()
    (folder / "w" / "run.txt").write_text(run)
    return folder / "w"


@pytest.fixture
def call(
    frozen: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> Callable[..., Said]:
    """A command in a copy of it: its exit code and what it printed."""
    monkeypatch.setenv("BENCHSEAL_LANG", "en")
    monkeypatch.chdir(tmp_path)
    Path("moods.csv").write_text("id,text,label\n1,A fine day,good\n2,A grey day,bad\n")
    shutil.copytree(frozen, tmp_path / "w")

    def call(*words: str) -> Said:
        capfd.readouterr()
        named = ((tmp_path / "w/run.txt").read_text() if word == "RUN" else word for word in words)
        code = main(["--workspace", str(tmp_path / "w"), *named])
        return code, "".join(capfd.readouterr())

    return call


@pytest.mark.parametrize(("reason", "words"), [
    ("no benchmark", ("screen", "--benchmark", "nowhere", *ASKS)),
    ("waiting for screening", ("screen", "--benchmark", "b", *ASKS)),
    ("no Slurm profile", ("screen", "--benchmark", "b", *ASKS, "--launcher", "slurm:nowhere")),
    ("no split", ("evaluate", "nowhere", *ENGINE)),
    ("no Slurm profile", ("evaluate", "s", *ENGINE, "--launcher", "slurm:nowhere")),
    ("no split", ("evaluate", "s", "nowhere", *ENGINE)),
    ("needs five", ("evaluate", "s", *ENGINE, "--adaptive")),
    ("no split", ("evaluate", "nowhere", *ENGINE, "--dry-run")),
    ("no launcher", ("evaluate", "s", *BASELINE, "--judge", f"m@{FAR}", "--launcher", "none")),
    ("no launcher", ("judge", "RUN", "--judge", f"m@{FAR}", "--launcher", "none")),
    ("at least two", ("judge", "pairs", "RUN", "RUN", "--judge", f"m@{FAR}")),
    ("ends before", (*REWRITE, *NEWS, "2025-01-01")),
    ("no launcher", (*REWRITE, *NEWS, "2026-02-01", "--launcher", "none")),
    ("no folder", (*REWRITE, "--knowledge", "gdelt-files:nowhere", *NEWS[2:], "2026-02-01")),
    ("ends before", ("knowledge", "search", "x", *NEWS, "2025-01-01")),
    ("no task", ("duplicates", "nowhere", *ASKS)),
    ("Could not open", ("analyze", "stability", "--sources", "nowhere", *ENGINE)),
    ("no run", ("report", "nowhere", "--embeddings", f"m@{FAR}")),
], ids=lambda given: given if isinstance(given, str) else " ".join(given))  # fmt: skip
def test_a_server_is_not_remembered_where_the_command_was_refused(
    reason: str, words: tuple[str, ...], call: Callable[..., Said], outside_attempts: list[str]
) -> None:
    code, said = call(*words)
    assert (code, reason in said) == (1, True), said
    assert (said.count("Remembered"), allowed_servers()) == (0, ())
    assert outside_attempts == []


def test_a_plan_and_an_estimate_remember_no_server(call: Callable[..., Said]) -> None:
    assert call("evaluate", "s", *ENGINE, "--dry-run")[0] == 0
    estimate = (*REWRITE, *NEWS, "2026-02-01", "--estimate")
    assert call(*estimate)[0] == 0
    assert allowed_servers() == ()


def test_workers_know_the_servers_that_their_command_named(
    call: Callable[..., Said], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also that of the judge, who begins later."""
    monkeypatch.setenv("FIRST_KEY", "first-key")
    monkeypatch.setenv("OTHER_KEY", "other-key")
    with LoopbackModel(answer=lambda _: "A") as model, LoopbackModel(answer=lambda _: "A") as judge:
        code, said = call(
            *("evaluate", "s", "--engine", "openai", "--model", "m", "--base-url", model.url),
            *("--param", "key_env=FIRST_KEY", "--wait", "--judge", f"j@{judge.url}"),
            *("--judge-param", "key_env=OTHER_KEY"),
        )
    assert code == 0, said
    assert [server.place for server in allowed_servers()] == ["FIRST_KEY", "OTHER_KEY"]
    assert (said.count("in FIRST_KEY belongs"), said.count("in OTHER_KEY belongs")) == (1, 1)
    assert {seen.headers["authorization"] for seen in model.seen} == {"Bearer first-key"}


def test_nothing_is_said_to_be_sent_for_a_run_that_is_not_there(call):
    code, said = call("report", "nowhere", "--embeddings", f"m@{FAR}")
    assert code == 1
    assert "There is no run" in said
    assert "sent" not in said
