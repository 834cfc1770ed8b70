"""``--save FILE`` beside a printed table: the file holds what was printed, in its own form."""

import json
from pathlib import Path

import pytest

from core.cli import main
from core.sources.tables import read_table

RATINGS = "rater1,rater2\n1,1\n2,2\n3,1\n2,2\n"


@pytest.mark.parametrize("ending", [".csv", ".xlsx", ".parquet"])
def test_coefficients_are_saved_in_full_precision(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], ending: str
) -> None:
    ratings, saved = tmp_path / "ratings.csv", tmp_path / f"agreement{ending}"
    ratings.write_text(RATINGS, encoding="utf-8")
    assert main(["agreement", "--file", str(ratings), "--save", str(saved), "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)["coefficients"]
    values = {
        row["name"]: None if row["value"] in ("", None) else float(row["value"])
        for _, row in read_table(saved).rows()
    }
    assert values == {one["name"]: one["value"] for one in printed}


@pytest.mark.parametrize(("ending", "mark"), [(".md", "| ---: |"), (".tex", r"\toprule")])
def test_a_table_for_reading_is_saved_with_its_notes(
    tmp_path: Path, ending: str, mark: str
) -> None:
    table, saved = tmp_path / "table.csv", tmp_path / f"rs{ending}"
    rows = [f"m,{side},{domain},0.4" for side in ("private", "public") for domain in ("CS", "Math")]
    table.write_text("\n".join(["model,set,domain,accuracy", *rows]), encoding="utf-8")
    assert main(["analyze", "rs", "--table", str(table), "--save", str(saved)]) == 0
    text = saved.read_text(encoding="utf-8")
    assert mark in text
    assert text.count("\n") > 6


def test_a_file_of_another_ending_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ratings = tmp_path / "ratings.csv"
    ratings.write_text(RATINGS, encoding="utf-8")
    assert main(["agreement", "--file", str(ratings), "--save", str(tmp_path / "a.doc")]) == 1
    assert "endings .csv, .md, .tex" in capsys.readouterr().err
