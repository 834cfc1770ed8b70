"""Table files of every kind: what is written is read again, and nothing in it is run or marked."""

from pathlib import Path

import pytest

from core.errors import InputError
from core.report_table import ReportTable
from core.sources.tables import read_table
from core.table_writer import ENDINGS, table_frame, write_table

ODD = '=1+1 | **bold** <b>\n"quoted", ünï 旋律'
SCORES = ReportTable(
    "Scores: A/B",
    ("model", "n", "score", "note"),
    (("M|1", 3, 1 / 3, ODD), ("007", None, -0.5, None), ("NA", 12, None, "x")),
    notes=("Of *three* models.",),
)


@pytest.mark.parametrize("ending", [".csv", ".xlsx", ".parquet"])
def test_what_is_written_is_read_again_in_full_precision(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"scores{ending}"
    write_table(path, SCORES)
    rows = [values for _, values in read_table(path).rows()]
    texts = [[str("" if cell is None else cell) for cell in row.values()] for row in rows]
    odd = "'" + ODD if ending == ".csv" else ODD
    assert texts == [
        ["M|1", "3", repr(1 / 3), odd],
        ["007", "", "-0.5", ""],
        ["NA", "12", "", "x"],
    ]
    assert list(tmp_path.iterdir()) == [path]


def test_a_workbook_runs_no_text_as_a_formula_and_has_a_sheet_for_each_table(
    tmp_path: Path,
) -> None:
    import openpyxl

    path = tmp_path / "scores.xlsx"
    write_table(path, SCORES, SCORES)
    book = openpyxl.load_workbook(path)
    assert book.sheetnames == ["Scores A B", "Scores A B (2)"]
    cell = book["Scores A B"]["D2"]
    assert (cell.data_type, cell.value) == ("s", ODD)
    with pytest.raises(InputError, match=r"sheets: Scores A B, Scores A B \(2\)"):
        read_table(path)


def test_markdown_shows_marks_as_they_are(tmp_path: Path) -> None:
    from markdown_it import MarkdownIt

    path = tmp_path / "scores.md"
    write_table(path, SCORES)
    page = MarkdownIt().enable("table").render(path.read_text(encoding="utf-8"))
    assert page.count("<tr>") == 4
    assert page.count("<td") == 12
    assert "<td>M|1</td>" in page
    assert "=1+1 | **bold** &lt;b&gt; &quot;quoted&quot;, ünï 旋律" in page
    assert "<em>" not in page
    assert "Of *three* models." in page


def test_columns_keep_one_type_and_gaps_are_missing() -> None:
    frame = table_frame(SCORES)
    assert [str(kind) for kind in frame.dtypes] == ["string", "Int64", "Float64", "string"]
    assert frame.isna().sum().tolist() == [0, 1, 1, 1]


def test_reasons_of_undefined_rows_are_a_column() -> None:
    table = ReportTable("t", ("a",), ((1.0,), (None,)), undefined=("", "Too few."))
    assert table.to_csv() == "a,Undefined\n1.0,\n,Too few.\n"
    assert table_frame(table)["Undefined"].tolist()[1] == "Too few."


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_file_that_cannot_be_written_is_named_and_leaves_nothing(
    tmp_path: Path, ending: str
) -> None:
    with pytest.raises(InputError, match=rf"Could not write “.*/scores\{ending}”"):
        write_table(tmp_path / "nowhere" / f"scores{ending}", SCORES)
    assert list(tmp_path.iterdir()) == []


def test_another_ending_and_too_many_tables_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"\.csv, \.md, \.tex, \.html, \.parquet, \.xlsx"):
        write_table(tmp_path / "scores.doc", SCORES)
    with pytest.raises(InputError, match="one table only"):
        write_table(tmp_path / "scores.parquet", SCORES, SCORES)
