"""Reports on paper: the same figures as the reports, in every form."""

import csv
import io
import re
from pathlib import Path

import pytest
from pyarrow import parquet

from core.errors import InputError
from core.evaluation.breakdown import breakdown
from core.evaluation.compare import compare_many
from core.evaluation.mean_interval import score_intervals_note
from core.evaluation.report_tables import (
    breakdown_table,
    comparison_table,
    item_table,
    score_table,
)
from core.evaluation.scoring import Report, as_variant, keys_of, regraded, score
from core.evaluation.types import Answer
from core.table_writer import write_table
from tests.splits import make_split

KEYS = keys_of(make_split(12))


def report(right: int, failed: int = 0) -> Report:
    records = [
        Answer(
            key.id,
            text=key.answer if n < right else "=1+1 无",
            outcome="failed" if n >= 12 - failed else "ok",
        ).as_json()
        for n, key in enumerate(KEYS)
    ]
    return score(KEYS, records, model="m")


REPORTS = {"模型 A": report(9), "model_b": report(3, failed=2)}


def read(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_scores_are_in_percent_and_say_what_is_missing():
    table = score_table(REPORTS)
    first, second = read(table.to_csv())
    assert (first["Run"], float(first["All"]), first["Missing"]) == ("模型 A", 75.0, "0")
    assert float(first["Standard error"]) == pytest.approx(100 * REPORTS["模型 A"].total.stderr)
    assert (float(second["All"]), second["Missing"]) == (30.0, "2")
    assert table.notes == (
        "model_b: 2 of 12 items without an answer, excluded.",
        "模型 A: standard errors allow for what answers share: 5 sources "
        "(identified by the article or example).",
        "model_b: standard errors allow for what answers share: 5 sources "
        "(identified by the article or example).",
        "模型 A: the interval is rough (few sources: 5).",
        "model_b: the interval is rough (few sources: 5).",
        "Scored answers in each column: cloze 3–4, prediction 3–4, sequencing 4.",
        score_intervals_note(),
    )
    assert r"model\_b" in table.to_latex()


@pytest.mark.parametrize("by", ["domain", "format_domain"])
def test_scores_can_be_cut_otherwise(by: str):
    (row, _) = read(score_table(REPORTS, by).to_csv())
    for part, found in REPORTS["模型 A"].by[by].items():
        assert float(row[part]) == pytest.approx(100 * found.accuracy)


def test_an_unknown_cut_is_refused():
    with pytest.raises(InputError, match="mood"):
        score_table(REPORTS, "mood")


def test_comparisons_have_a_row_each():
    (row,) = read(comparison_table(compare_many(REPORTS)).to_csv())
    assert (row["Items"], row["Only A correct"], row["Only B correct"]) == ("10", "6", "0")
    assert float(row["A − B, points"]) == pytest.approx(60.0)


def test_points_are_printed_as_percentages_are_and_p_values_with_three_digits():
    third = {"model_a": report(9), "model_b": report(5)}
    table = comparison_table(compare_many(third))
    (row,) = table.printed().rows
    said = [table.text_of(cell) for cell in row]
    assert "33.3" in said
    assert "33.333" not in " ".join(said)
    assert any(re.fullmatch(r"0\.\d{3}", cell) for cell in said)


def test_no_p_is_printed_as_zero_and_every_interval_has_its_level_and_method():
    keys = [key._replace(cluster="") for key in keys_of(make_split(60))]
    all_right = score(keys, [Answer(key.id, text=key.answer).as_json() for key in keys])
    all_wrong = score(keys, [Answer(key.id, text="?").as_json() for key in keys])
    (pair,) = compare_many({"a": all_right, "b": all_wrong})
    table = comparison_table([pair])
    at = table.columns.index("p (Holm)")
    assert 0 < table.rows[0][at] < 0.0005
    assert r"\textless{} 0.001" in table.to_latex()
    assert "| < 0.001" in table.to_markdown().replace("\\", "")
    assert float(read(table.to_csv())[0]["p (Holm)"]) == pair.p_holm
    assert "at 95%: Student's" in table.notes[-1]
    assert "at 95%: Wilson's" in breakdown_table({"a": breakdown(all_right, "format")}).notes[-1]


def test_a_run_that_asked_in_several_ways_says_that_its_answers_are_more_than_its_items():
    keys = [as_variant(key, way) for key in KEYS for way in ("1", "2")]
    asked = score(keys, [Answer(key.id, text=key.answer).as_json() for key in keys])
    said = "asked: the answers are to 12 items, asked in 2 ways whose scores are averaged."
    assert said in score_table({"asked": asked}).notes
    assert (asked.items, asked.distinct_items) == (24, 12)
    assert not any("ways" in note for note in score_table(REPORTS).notes)


def test_answers_without_a_verdict_are_said_to_be_left_out():
    unjudged = regraded(REPORTS["模型 A"], {KEYS[0].id: None})
    assert "m: 1 answer has no verdict and is excluded." in score_table({"m": unjudged}).notes


def test_items_stand_side_by_side_and_no_reply_runs_as_a_formula():
    rows = read(item_table(REPORTS).to_csv())
    assert len(rows) == 24
    assert {row["text"][0] for row in rows if "无" in row["text"]} == {"'"}
    assert [row["correct"] for row in rows[-2:]] == ["", ""]


def test_parquet_holds_the_same_rows_in_types(tmp_path: Path):
    path = tmp_path / "items.parquet"
    write_table(path, item_table(REPORTS))
    rows = parquet.read_table(path).to_pylist()
    assert len(rows) == 24
    assert rows[0]["run"] == "模型 A"
    assert rows[0]["correct"] == 1
    assert rows[-1]["correct"] is None
    with pytest.raises(InputError, match=r"Could not write “.*folder\.parquet”"):
        write_table(tmp_path / "no" / "folder.parquet", item_table(REPORTS))


def test_a_csv_has_the_sources_and_the_remark_that_its_json_has():
    """Notes are not in a CSV: what makes an interval rough stands in the row itself."""
    for row, found in zip(read(score_table(REPORTS).to_csv()), REPORTS.values(), strict=True):
        told = found.total.as_json()
        assert (int(row["Sources"]), row["Remark"]) == (told["clusters"], told["caution"])
        assert (told["clusters"], told["caution"]) == (5, "few sources: 5")
        for head, name in (("All", "accuracy"), ("Standard error", "stderr"), ("Low", "low"),
                           ("High", "high")):  # fmt: skip
            assert float(row[head]) == pytest.approx(100 * told[name])
    (pair,) = compare_many(REPORTS)
    (row,) = read(comparison_table([pair]).to_csv())
    told = pair.as_json()
    assert (int(row["Sources"]), row["Remark"]) == (told["clusters"], told["caution"])
    for head, name, times in (
        ("Items", "items", 1), ("A − B, points", "difference", 100), ("Low", "low", 100),
        ("High", "high", 100), ("p (McNemar)", "p_mcnemar", 1), ("p (Holm)", "p_holm", 1),
        ("p (bootstrap)", "p_bootstrap", 1),
    ):  # fmt: skip
        assert float(row[head]) == pytest.approx(times * told[name])
    cut = breakdown(REPORTS["模型 A"], "domain")
    rows = read(breakdown_table({"m": cut}).to_csv())
    for row, line in zip(rows, (*cut.lines, cut.total), strict=True):
        told = line.as_json()
        assert (int(row["Sources"]), row["Remark"]) == (told["sources"], told["caution"])
        assert float(row["Score"]) == pytest.approx(100 * told["score"])
        assert float(row["High"]) == pytest.approx(100 * told["high"])
