"""``analyze`` on what people give it: other splits, names that do not match, odd numbers."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from core.cli import main
from core.cli.commands import MOST_PER_ARTICLE
from core.generation.spec import ScpSpec
from core.workflow.workspace import Workspace
from tests.gui.leaderboard_workspace import answered, spread
from tests.splits import freeze_split

Call = Callable[..., Any]
MODELS = ("通义/Qwen 7B", "b", "c", "d", "e")


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two splits of one benchmark with five models each, and one without any."""
    folder = tmp_path_factory.mktemp("分析") / "w"
    ws = Workspace.create(folder)
    for start, split in enumerate(("old", "new", "unasked")):
        freeze_split(ws, {"t": spread(24, ("cs", "math"), 100 * start)}, split, split)
    for split in ("old", "new"):
        for rank, model in enumerate(MODELS):
            answered(ws, split, model, 0.2 + 0.15 * rank)
    ws.close()
    return folder


@pytest.fixture
def runs_of(place: Path) -> dict[str, list[str]]:
    """The runs by split, in the order of the models."""
    ws = Workspace.open(place)
    found: dict[str, list[str]] = {}
    from core.workflow.analysis import analyze

    for split, models in analyze.finished_runs(ws).items():
        found[split] = [models[model] for model in MODELS]
    ws.close()
    return found


@pytest.fixture
def call(place: Path, capsys: pytest.CaptureFixture[str]) -> Call:
    """Run ``analyze``; its JSON document, or the one complaint where ``code`` is not 0."""

    def run(*words: object, code: int = 0) -> Any:
        found = main(["--workspace", str(place), "analyze", *map(str, words), "--json"])
        out, err = capsys.readouterr()
        assert found == code, err
        if code:
            assert out == ""
            return err
        return json.loads(out, parse_constant=lambda name: pytest.fail(name))

    return run


def written(folder: Path, text: str) -> Path:
    path = folder / "表.csv"
    path.write_text(text, encoding="utf-8-sig")
    return path


def test_a_run_that_is_named_twice_counts_once(call: Call, runs_of: dict[str, list[str]]) -> None:
    run = runs_of["old"][1]
    assert call("rs", "--private", run, run) == call("rs", "--private", run)


def test_a_private_split_is_not_compared_with_itself(
    call: Call, runs_of: dict[str, list[str]]
) -> None:
    one, two = runs_of["old"][:2]
    assert "with itself" in call("rs", "--private", one, "--public", two, code=1)
    other = call("rs", "--private", one, "--public", runs_of["new"][0])
    assert other["models"][0]["rs1"] is not None


def test_a_public_source_that_is_nothing_is_called_neither(
    call: Call, runs_of: dict[str, list[str]]
) -> None:
    said = call("rs", "--private", runs_of["old"][0], "--public", "missing.csv", code=1)
    assert "neither a file nor a run" in said


def test_a_public_run_whose_folder_is_gone_is_not_called_unknown(
    call: Call, place: Path, runs_of: dict[str, list[str]]
) -> None:
    gone = runs_of["new"][0]
    folder = place / "runs" / gone
    moved = folder.rename(place / "moved")
    said = call("rs", "--private", runs_of["old"][0], "--public", gone, code=1)
    moved.rename(folder)
    assert gone in said
    assert "neither" not in said


def test_scores_of_different_splits_are_not_mixed_into_one_correlation(
    call: Call, runs_of: dict[str, list[str]]
) -> None:
    mixed = call("correlate", *runs_of["old"][:2], *runs_of["new"][2:], code=1)
    assert "old, new" in mixed
    by_itself = call("correlate")
    assert set(by_itself["runs"]) == set(runs_of["new"])
    assert "new" in by_itself["notes"][0]
    named = call("correlate", *runs_of["new"])
    for ours, theirs in zip(named["correlations"], by_itself["correlations"], strict=True):
        assert ours["value"] == pytest.approx(theirs["value"])
    assert named["notes"] == []


def test_a_ranking_is_matched_and_says_who_is_not_in_it(
    call: Call, runs_of: dict[str, list[str]], tmp_path: Path
) -> None:
    path = written(tmp_path, "model;score\nqwen-7b;1\nB;2\nc;3\nd;4,5\n")
    found = call("correlate", *runs_of["old"], "--with", path)
    assert found["matched"] == {"通义/Qwen 7B": 1, "b": 2, "c": 3, "d": 4.5}
    assert "e" in found["notes"][0]
    assert {row["n"] for row in found["correlations"] if row["b"] == "表"} == {4}
    written(tmp_path, "model,score\nX,1\nY,2\n")
    said = call("correlate", "--with", path, code=1)
    assert "None of the models" in said
    assert "X, Y" in said


def test_models_that_are_all_equal_have_no_correlation_and_a_reason(
    call: Call, tmp_path: Path
) -> None:
    path = written(tmp_path, "model,S,C\na,0.5,0.1\nb,0.5,0.2\nc,0.5,0.3\nd,0.5,0.4\n")
    found = call("correlate", "--scores", path)["correlations"]
    assert all(row["value"] is None and "the same score" in row["reason"] for row in found)
    one = written(tmp_path, "model,S\na,0.5\nb,0.6\n")
    assert "--with" in call("correlate", "--scores", one, code=2)
    # a resample of few models often has no correlation itself
    path = written(tmp_path, "model,S,C\na,1,1\nb,0,0\nc,0,0\nd,0,0\n")
    for row in call("correlate", "--scores", path, "--resamples", 1, "--seed", 3)["correlations"]:
        assert row["value"] == pytest.approx(1)
        assert row["low"] in (None, pytest.approx(1))


@pytest.mark.parametrize(
    "words",
    [
        ("rs", "--table", "x.csv", "--seed", "-1"),
        ("rs", "--table", "x.csv", "--resamples", "-1"),
        ("rs", "--table", "x.csv", "--resamples", "1000000000"),
        ("correlate", "--seed", "-1"),
        ("stability", "--sources", ".", "--seed", "-1"),
        ("stability", "--sources", ".", "--seeds", "0"),
        ("stability", "--sources", ".", "--per-article", str(MOST_PER_ARTICLE + 1)),
        ("items", "old", "--csv", "--latex"),
    ],
)
def test_numbers_that_mean_nothing_are_usage_errors(
    place: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["--workspace", str(place), "analyze", *words])
    assert ended.value.code == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_the_command_takes_as_many_items_an_article_as_the_generation() -> None:
    assert ScpSpec(per_article=MOST_PER_ARTICLE)
    with pytest.raises(ValidationError):
        ScpSpec(per_article=MOST_PER_ARTICLE + 1)


def test_a_split_that_is_not_evaluated_or_not_there_is_named(call: Call) -> None:
    assert "evaluate it first" in call("items", "unasked", code=1)
    for kind in ("items", "lengths"):
        assert "nope" in call(kind, "nope", code=1)


def test_the_command_shows_slopes_with_intervals_and_says_that_they_are_noise(
    call: Call, place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = call("items", "new")
    assert set(found["abilities"]) == set(found["ability_errors"]) == set(MODELS)
    assert 0 <= found["slope_reliability"] < 0.7
    assert found["items"][0]["slope_low"] < found["items"][0]["slope"]
    assert "5 models" in found["notes"][0]
    assert main(["--workspace", str(place), "analyze", "items", "new"]) == 0
    shown = capsys.readouterr().out
    assert "95% interval" in shown
    assert found["notes"][0] in shown
