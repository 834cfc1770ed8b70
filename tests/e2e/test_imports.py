"""The real data sets from the command line: every row accounted for, out and in again the same."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from core.cli import main
from tests.paths import ROOT
from tests.polling import until

Call = Callable[..., Any]
pytestmark = pytest.mark.slow


@pytest.fixture
def benchseal(capsys: pytest.CaptureFixture[str]) -> Call:
    """Run a command with --json on a workspace; returns its document."""

    def call(workspace: Path, *words: object) -> Any:
        code = main(["--workspace", str(workspace), *map(str, words), "--json"])
        out, err = capsys.readouterr()
        assert code == 0, err
        return json.loads(out)

    return call


def line_count(path: Path) -> int:
    text = path.read_bytes().decode("utf-8")
    return len([line for line in text.split("\n") if line.strip()])


def sources(data: Path) -> list[tuple[Path, str, int]]:
    """(file or folder, task, rows that are in it)."""
    found = [
        (path, path.stem.removesuffix("_public"), line_count(path))
        for path in sorted((data / "cif_bench").glob("*.jsonl"))
    ]
    for folder in ("emotion", "irony", "stance"):
        place = data / "tweeteval" / folder
        rows = sum(line_count(path) for path in place.rglob("*_text.txt"))
        found.append((place, folder, rows))
    for path in (data / "mrpc" / "dev.tsv", *sorted((data / "rte").glob("*.tsv"))):
        found.append((path, f"{path.parent.name}-{path.stem}", line_count(path) - 1))
    return found


@pytest.mark.shared
def test_every_row_is_accounted_for_and_the_items_come_back_the_same(
    benchseal: Call, shared_data: Path, tmp_path: Path
) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    taken = {}
    for path, task, rows in sources(shared_data):
        report = benchseal(first, "import", path, "--task", task, "--benchmark", "b")
        assert report["total"] == rows, path
        assert report["total"] == report["taken"] + report["known"] + len(report["refused"])
        assert report["known"] == len(report["known_rows"])
        assert all(row["reason"] for row in [*report["refused"], *report["known_rows"]])
        assert len(report["refused"]) <= rows / 100, path
        taken[task] = report["taken"]
    benchseal(first, "people", "王", "--role", "lead")
    for task, count in taken.items():
        out = tmp_path / f"{task}.jsonl"
        listed = benchseal(first, "items", "--task", task, "--out", out, "--limit", 1)
        assert listed["count"] == listed["written"] == count
        report = benchseal(second, "import", out, "--task", task, "--benchmark", "b")
        assert (report["taken"], report["known"], report["refused"]) == (count, 0, [])
    before, after = (
        [(row["task"], row["content_hash"]) for row in benchseal(place, "items")["items"]]
        for place in (first, second)
    )
    assert len(before) == sum(taken.values())
    assert before == after


@pytest.mark.shared
def test_a_chinese_word_is_found_in_what_was_imported(
    benchseal: Call, shared_data: Path, tmp_path: Path
) -> None:
    for name in ("45_Sentiment_Analysis", "52_Sentence_Ordering", "115_Joke_Telling"):
        path = shared_data / "cif_bench" / f"{name}_public.jsonl"
        benchseal(tmp_path, "import", path, "--task", name, "--benchmark", "b")
    for words in ("爱情", "白兔", "“", "nowhere"):
        listed = benchseal(tmp_path, "items", "--search", words)
        wanted = sum(
            words in "".join(json.loads(line).values())
            for path in (shared_data / "cif_bench").glob("*.jsonl")
            if path.name.split("_")[0] in ("45", "52", "115")
            for line in path.read_text(encoding="utf-8").splitlines()
        )
        assert listed["count"] == wanted, words


@pytest.mark.parametrize("written", [1, 2**20, 2**22])
def test_an_import_that_is_killed_is_whole_or_absent(
    benchseal: Call, tmp_path: Path, written: int
) -> None:
    """Killed once so many bytes stand in the database's log."""
    rows = [{"Instruction": "判断情感。", "Input": f"第{n}句", "Output": "好"} for n in range(8000)]
    path = tmp_path / "rows.jsonl"
    path.write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    place = tmp_path / "w"
    benchseal(place, "init")
    command = [sys.executable, "-m", "core.cli", "--workspace", str(place), "import", str(path)]
    process = subprocess.Popen(
        [*command, "--task", "t", "--benchmark", "b"], cwd=ROOT, stdout=subprocess.DEVNULL
    )
    log = place / "workspace.db-wal"
    until(lambda: process.poll() is not None or (log.exists() and log.stat().st_size >= written))
    process.kill()
    process.wait()
    assert benchseal(place, "items", "--limit", 1)["count"] in (0, len(rows))
    report = benchseal(place, "import", path, "--task", "t", "--benchmark", "b")
    assert report["taken"] + report["known"] == len(rows)
    assert benchseal(place, "items", "--search", "第77", "--limit", 1)["count"] == 111
