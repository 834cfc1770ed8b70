"""The page ``scale`` of the help: its figures are those of the model, and the model holds."""

import re
from pathlib import Path

import pytest

from tests.benchmarks.scale import costs
from tests.benchmarks.scale.simulation import PARTS, database_bytes, simulate
from tests.paths import ROOT


def tables(code: str) -> list[list[tuple[str, ...]]]:
    """The rows of every table of figures on the page, each without its first cell."""
    page = (ROOT / "resources" / "help" / f"scale.{code}.md").read_text(encoding="utf-8")
    found = []
    for table in re.findall(r"(?:^\|.*\|\n)+", page, flags=re.MULTILINE):
        rows = [[cell.strip() for cell in line[1:-1].split("|")] for line in table.splitlines()]
        found.append([tuple(row[1:]) for row in rows[2:]])
    return [table for table in found if any(map(str.isdecimal, "".join(table[0])))]


@pytest.mark.parametrize("code", ["en", "zh"])
def test_every_figure_of_the_page_is_that_of_the_model(code: str):
    assert tables(code) == list(costs.tables())


def test_the_model_says_what_whole_commands_took():
    steps = {step.name: step for step in costs.STEPS}
    for name, items, seconds in costs.MEASURED:
        assert steps[name].seconds(items) == pytest.approx(seconds, rel=0.3), (name, items)


@pytest.mark.parametrize(
    ("models", "splits"),
    [PARTS[100], pytest.param(*PARTS[10], marks=pytest.mark.slow)],
    ids=["a hundredth", "a tenth"],
)
def test_models_on_splits_take_the_files_and_bytes_that_the_model_says(
    models: int, splits: int, tmp_path: Path
):
    said = costs.Matrix(models, splits, 20)
    found = simulate(tmp_path / "w", models, splits, 20)
    assert (found.cells, found.prompts) == (said.cells, said.prompts)
    assert found.question_files == said.splits
    assert found.question_bytes == pytest.approx(said.question_bytes, rel=0.05)
    assert found.answer_bytes == pytest.approx(said.answer_bytes, rel=0.05)
    assert found.statements == pytest.approx(costs.CELL_STATEMENTS, rel=0.1)


def test_the_database_grows_by_what_the_model_says_for_each_item(tmp_path: Path):
    few, many = (database_bytes(tmp_path / str(count), count) for count in (1_000, 6_000))
    rows, index = ((after - before) / 5_000 for before, after in zip(few, many, strict=True))
    assert rows == pytest.approx(costs.DATABASE.each, rel=0.1)
    assert index == pytest.approx(costs.INDEX.each, rel=0.1)


def test_digits_and_units_are_those_of_the_page():
    assert [costs.time(seconds) for seconds in (0.32, 7.2, 100, 160, 7_300)] == [
        "0.32 s", "7.2 s", "100 s", "2.7 min", "2 h",
    ]  # fmt: skip
    assert [costs.room(size) for size in (12, 2_350, 51e6, 125e9, 3.2e12)] == [
        "12 B", "2.4 kB", "51 MB", "125 GB", "3.2 TB",
    ]  # fmt: skip
