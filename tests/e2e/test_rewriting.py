"""Rewriting from the command line: labelled data in, linked sets of items out, traced."""

import csv
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from core.cli import main
from core.sources.labelled.datasets import EMOTION, LabelledExample
from tests.core.rewriting.scripted_model import BRANCHES, ScriptedModel, cast, write_news
from tests.servers.model_server import LoopbackModel, Policy

Call = Callable[..., Any]
WORDS = ("violin", "kettle", "anchor", "lantern", "compass", "blanket", "ladder", "mirror")


@pytest.fixture
def benchseal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Call:
    def call(*words: object, code: int = 0) -> Any:
        found = main(["--workspace", str(tmp_path / "ws"), *map(str, words), "--json"])
        out, err = capsys.readouterr()
        assert found == code, err
        return json.loads(out) if code == 0 else err

    return call


@pytest.fixture
def examples() -> list[LabelledExample]:
    return [
        LabelledExample(
            id=f"own-{n}",
            text=f"Nobody had expected the {WORDS[n % 8]}{'abcdefgh'[n // 8] * 3} to be back so "
            f"soon and everybody was glad of it number {n}",
            label="joy",
        )
        for n in range(24)
    ]


@pytest.fixture
def order(tmp_path: Path, examples: list[LabelledExample]) -> Iterator[tuple[object, ...]]:
    """The options of a rewrite command whose model and news come from a script."""
    parts = cast(examples, 16, branches=BRANCHES)
    data = tmp_path / "data.csv"
    with data.open("w", encoding="utf-8", newline="") as handle:
        writer = csv.writer(handle)
        writer.writerow(("id", "text", "label"))
        writer.writerows((p.example.id, p.example.text, p.example.label) for p in parts)
    news = write_news(tmp_path / "news", parts)
    with LoopbackModel(Policy(), answer=ScriptedModel(EMOTION, parts)) as server:
        yield (
            *("--task", "emotion", "--benchmark", "b", "--data", data),
            *("--base-url", server.url, "--model", "writer"),
            *("--knowledge", f"gdelt-files:{news}", "--from", "2026-01-01", "--to", "2026-06-30"),
        )


def test_labelled_data_become_linked_sets_of_items(
    benchseal: Call, order: tuple[object, ...]
) -> None:
    made = benchseal("rewrite", *order, "--wait")
    accepted = made["funnel"]["accepted"]
    assert accepted >= 4
    kept = made["unchanged"]
    assert kept == made["funnel"]["left_out"] > 0
    assert made["sets"] == dict.fromkeys(("original", "semantic", "updated"), accepted + kept)
    states = benchseal("items", "--benchmark", "b")["states"]
    assert states["screened_out"] == made["screened_out"] > 0
    assert states["draft"] == 3 * (accepted + kept)
    assert benchseal("check", made["file"])["clean"] is True
    again = benchseal("rewrite", *order, "--wait")
    assert again["added"] == 0


def test_what_is_said_of_a_run_counts_its_items_as_its_funnel_does(
    tmp_path: Path, order: tuple[object, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    place = ("--workspace", str(tmp_path / "ws"))
    assert main([*place, "rewrite", *map(str, order), "--wait"]) == 0
    first, *_, last = capsys.readouterr().out.splitlines()
    assert main([*place, *last.partition("benchseal ")[2].split(), "--json"]) == 0
    funnel = json.loads(capsys.readouterr().out)["funnel"]
    assert first.startswith(f"{funnel['accepted']} items rewritten and accepted, ")
    assert f" {funnel['screened_out']} screened out, " in first


def test_items_without_new_knowledge_can_be_left_out(
    benchseal: Call, order: tuple[object, ...]
) -> None:
    made = benchseal("rewrite", *order, "--wait", "--only-rewritten")
    accepted = made["funnel"]["accepted"]
    assert made["unchanged"] == 0
    assert made["sets"] == dict.fromkeys(("original", "semantic", "updated"), accepted)


def test_raters_are_given_what_was_rewritten_and_nothing_else(
    benchseal: Call, order: tuple[object, ...]
) -> None:
    made = benchseal("rewrite", *order, "--wait")
    assert made["unchanged"] > 0
    benchseal("people", "add", "ruth", "--role", "researcher")
    for kind in ("semantic", "updated"):
        drawn = benchseal("sample", f"rewrite-{kind}-emotion", "--user", "ruth", "--seed", 1)
        assert len(drawn["items"]) == made["funnel"]["accepted"]


def test_ratings_of_rewrites_have_an_interval_and_who_looks_for_decisions_is_led_to_them(
    tmp_path: Path, benchseal: Call, order: tuple[object, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    benchseal("rewrite", *order, "--wait")
    for person in ("ruth", "wu"):
        benchseal("people", "add", person, "--role", "researcher")
    task = ("--task", "rewrite-updated-emotion")
    drawn = benchseal("sample", task[1], "--user", "ruth")["items"]
    for place, one in enumerate(drawn):
        benchseal("rate", one["item"], f"fluency={1 + place % 3}", "--user", "ruth")
        benchseal("rate", one["item"], f"fluency={1 + (place or 1) % 3}", "--user", "wu")
    place = ("--workspace", str(tmp_path / "ws"))
    assert main([*place, "agreement", *task]) == 0
    assert "--criterion fluency | " in capsys.readouterr().out
    wanted = ("--criterion", "fluency", "--coefficient", "krippendorff_alpha_nominal")
    (found,) = benchseal("agreement", *task, *wanted)["coefficients"]
    assert found["low"] < found["value"] < found["high"]


def test_sets_share_their_examples_which_are_no_duplicates_of_each_other(
    tmp_path: Path, benchseal: Call
) -> None:
    examples = [
        LabelledExample(
            id=str(n), text=" ".join(word + "abcdefgh"[n] * 3 for word in WORDS), label="joy"
        )
        for n in range(8)
    ]
    parts = cast(examples, 8, branches=("no_entities",))
    (tmp_path / "data.jsonl").write_text(
        "".join(json.dumps({"id": p.example.id, "text": p.example.text, "label": "joy"}) + "\n"
                for p in parts)
    )  # fmt: skip
    news = write_news(tmp_path / "news", parts)
    with LoopbackModel(Policy(), answer=ScriptedModel(EMOTION, parts)) as server:
        benchseal(
            *("rewrite", "--task", "emotion", "--benchmark", "b"),
            *("--data", tmp_path / "data.jsonl", "--base-url", server.url, "--model", "writer"),
            *("--knowledge", f"gdelt-files:{news}", "--from", "2026-01-01"),
            *("--to", "2026-06-30", "--wait"),
        )
    for item in benchseal("items", "--benchmark", "b")["items"]:
        benchseal("decide", item["id"], "--accept")
    checked = benchseal("freeze", "s", "--benchmark", "b", "--reason", "a test")
    assert "duplicates" not in json.dumps(checked)
    made = benchseal("evaluate", "s", "--engine", "baseline:random", "--wait")
    report = benchseal("report", made["run"])
    assert (report["items"], report["clusters"]) == (24, 8)


def test_every_item_has_a_journey(benchseal: Call, order: tuple[object, ...]) -> None:
    run = benchseal("rewrite", *order, "--wait", "--limit", 4)["run"]
    rows = benchseal("items", "--benchmark", "b")["items"]
    trace = benchseal("rewrite", "trace", rows[0]["id"])
    steps = [step["step"] for step in trace["steps"]]
    assert steps[0] == "entities"
    assert "knowledge" in steps
    assert trace["outcome"] == "accepted"
    by_base = benchseal("rewrite", "trace", trace["item"], "--run", run)
    assert by_base["steps"] == trace["steps"]
    assert "No rewriting run contains" in benchseal("rewrite", "trace", "nobody", code=1)


def test_the_data_are_named_once(benchseal: Call, order: tuple[object, ...]) -> None:
    benchseal("rewrite", *order, "--wait", "--limit", 2)
    later = [word for place, word in enumerate(order) if place not in (4, 5)]
    assert benchseal("rewrite", *later, "--wait", "--limit", 3)["funnel"]["items"] == 3


def test_a_task_without_data_and_a_command_without_a_window_are_told(
    benchseal: Call, order: tuple[object, ...]
) -> None:
    without = [word for place, word in enumerate(order) if place not in (4, 5)]
    assert "--data" in benchseal("rewrite", *without, code=1)
    assert "--from" in benchseal("rewrite", "--task", "emotion", code=2)


def test_knowledge_can_be_searched_alone(benchseal: Call, order: tuple[object, ...]) -> None:
    source = next(word for word in order if str(word).startswith("gdelt-files:"))
    words = ("knowledge", "search", "Zorvia Council", "--knowledge", source)
    found = benchseal(*words, "--from", "2026-01-01", "--to", "2026-06-30", "--limit", 3)
    assert len(found["facts"]) == 3
    assert all(fact["url"].startswith("https://news.example.org") for fact in found["facts"])
    assert benchseal(*words, "--from", "2020-01-01", "--to", "2020-02-01")["facts"] == []


def test_a_run_whose_budget_is_used_up_goes_on_with_a_larger_one(
    benchseal: Call, order: tuple[object, ...]
) -> None:
    told = benchseal("rewrite", *order, "--wait", "--budget-tokens", 4000, code=1)
    assert "budget of 4,000 tokens is used up" in told
    assert "--budget-tokens N" in told
    (run,) = benchseal("runs")["runs"]
    assert run["notes"]["budget_reached"] is True
    small = benchseal("run", "resume", run["id"], "--budget-tokens", 10, code=1)
    assert "has already used" in small
    benchseal("run", "resume", run["id"], "--budget-tokens", 10_000_000)
    benchseal("runs", "--watch")
    made = benchseal("rewrite", *order, "--wait", "--budget-tokens", 10_000_000)
    assert made["run"] == run["id"]
    assert made["funnel"]["items"] == 16
    assert "is finished" in benchseal("run", "resume", run["id"], "--budget-tokens", 99, code=1)


def test_the_same_order_with_a_larger_budget_continues_its_run(
    benchseal: Call, order: tuple[object, ...]
) -> None:
    benchseal("rewrite", *order, "--wait", "--budget-tokens", 4000, code=1)
    benchseal("rewrite", *order, "--wait", "--budget-tokens", 10_000_000)
    assert len(benchseal("runs")["runs"]) == 1
    other = benchseal("rewrite", *order, "--wait", "--limit", 2, "--budget-tokens", 10_000_000)
    assert other["funnel"]["items"] == 2


def test_what_a_run_will_ask_for_is_said_and_nothing_is_started(
    benchseal: Call, order: tuple[object, ...]
) -> None:
    said = benchseal("rewrite", *order, "--estimate", "--limit", 5)["estimate"]
    assert (said["items"], said["calls_least"]) == (5, 35)
    assert benchseal("runs")["runs"] == []


def test_an_estimate_says_which_rows_are_left_out(
    benchseal: Call,
    order: tuple[object, ...],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    data = Path(str(order[5]))
    data.write_text(data.read_text("utf-8") + "a,,joy\nb,Nobody came,\nc,,joy\n", "utf-8")
    said = benchseal("rewrite", *order, "--estimate")
    assert said["left_out"] == {"empty_text": [18, 20], "no_label": [19]}
    main(["--workspace", str(tmp_path / "ws"), "rewrite", *map(str, order), "--estimate"])
    assert "3 rows left out: 2 × no text (lines 18, 20), 1 × no label (line 19)." in (
        "".join(capsys.readouterr())
    )


def test_the_funnel_of_a_run_is_told_in_figures(benchseal: Call, order: tuple[object, ...]) -> None:
    made = benchseal("rewrite", *order, "--wait")
    told = benchseal("rewrite", "funnel", made["run"])
    assert told["funnel"] == made["funnel"]
    assert told["stages"][0]["entered"] == 16
    assert told["stages"][-1]["passed"] == made["funnel"]["accepted"]


def test_what_cannot_work_is_said_before_a_run_is_made(
    benchseal: Call, order: tuple[object, ...], tmp_path: Path
) -> None:
    def told(*changes: object, code: int = 1) -> str:
        return str(benchseal("rewrite", *order, *changes, code=code))

    assert "no folder" in told("--knowledge", f"gdelt-files:{tmp_path / 'absent'}")
    assert "is not a knowledge source" in told("--knowledge", "wiki")
    assert "ends before it starts" in told("--to", "2020-01-01")
    assert "http" in told("--base-url", "ftp://x")
    assert "Cannot use --max-rounds: " in told("--max-rounds", 99, code=2)
    with pytest.raises(SystemExit):
        told("--from", "2026-13-01")
    assert benchseal("runs")["runs"] == []
    without = [word for place, word in enumerate(order) if place not in (4, 5)]
    assert "name the data" in benchseal("rewrite", *without, "--map", "text=x", code=2)
