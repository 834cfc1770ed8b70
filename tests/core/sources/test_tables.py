"""The one reader of tables: delimiters, encodings, headers, faults, and the kinds of files."""

import csv
import io
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import InputError, NotFoundError
from core.sources.tables import Table, read_table
from core.sources.text_tables import cells_of_text

ODS = (
    b"PK\x03\x04"
    + bytes(26)
    + b"mimetypeapplication/vnd.oasis.opendocument.spreadsheet"
    + bytes(99)
)


def written(folder: Path, data: str | bytes, name: str = "table.csv") -> Path:
    path = folder / name
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    return path


def cells(table: Table) -> list[tuple[str, ...]]:
    return [tuple(values.values()) for _, values in table.rows()]


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_the_delimiter_splits_the_rows_alike(tmp_path: Path, delimiter: str) -> None:
    rows = [("text", "label"), ("one, two; three", "a"), ("four", "b,c"), ("five|six", "d")]
    buffer = io.StringIO()
    csv.writer(buffer, delimiter=delimiter).writerows(rows)
    table = read_table(written(tmp_path, buffer.getvalue()))
    assert table.columns == ("text", "label")
    assert cells(table) == rows[1:]
    assert table.decimal_comma == (delimiter != ",")


def test_a_json_document_of_small_lists_is_refused_before_it_fills_the_memory(
    tmp_path: Path,
) -> None:
    """24 MB of empty lists were 600 MB of them once read, and a larger file all memory."""
    with pytest.raises(InputError, match="too much memory"):
        list(read_table(written(tmp_path, b"[" + b"[]," * 8_000_000 + b"[]]", "a.json")).rows())


def test_a_spreadsheet_may_name_the_delimiter_in_a_line_before(tmp_path: Path) -> None:
    table = read_table(written(tmp_path, "sep=;\r\na,x;b\r\n1,2;3\r\n"))
    assert table.columns == ("a,x", "b")
    assert list(table.rows()) == [(3, {"a,x": "1,2", "b": "3"})]


CHINESE = "文本,标签\n旋律优美，真的,正面\n太吵了,负面\n"
WESTERN = "text,label\nnaïve café,gut\nGröße,señor\n"


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        *((CHINESE, name) for name in ("utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be",
                                       "utf-32", "gb18030")),
        *((WESTERN, name) for name in ("utf-8", "utf-16-le", "utf-16-be", "cp1252")),
        ("text,label\nGröße,a\n", "cp1252"),
    ],
)  # fmt: skip
def test_the_encoding_is_found(tmp_path: Path, text: str, encoding: str) -> None:
    table = read_table(written(tmp_path, text.encode(encoding)))
    expected = list(csv.reader(io.StringIO(text)))
    assert [table.columns, *cells(table)] == [tuple(row) for row in expected]


def test_text_stays_text_and_an_empty_cell_is_not_na(tmp_path: Path) -> None:
    row = ("007", "NA", "1e5", "", "12345678901234567890", "true", " x ", "1.10")
    table = read_table(written(tmp_path, "a,b,c,d,e,f,g,h\n" + ",".join(row) + "\n"))
    assert cells(table) == [row]


def test_columns_without_a_name_are_called_by_their_place(tmp_path: Path) -> None:
    table = read_table(written(tmp_path, "a,,b,,\n1,2,3,,\n4,5,6,7,\n"))
    assert table.columns == ("a", "column 2", "b", "column 4")
    assert cells(table) == [("1", "2", "3", ""), ("4", "5", "6", "7")]


def test_two_columns_of_one_name_are_refused_in_every_kind_of_file(tmp_path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    pq.write_table(pa.table([["1"], ["2"]], names=["a", "a"]), tmp_path / "a.parquet")
    for path in (written(tmp_path, "a, a\n1,2\n"), tmp_path / "a.parquet"):
        with pytest.raises(InputError, match="the column “a” more than once"):
            read_table(path)


def test_rows_of_another_width_are_kept_apart_with_their_lines(tmp_path: Path) -> None:
    table = read_table(written(tmp_path, "a,b\n1,2\n3\n\n4,5,6\n7,8,\n"))
    assert list(table.rows()) == [(2, {"a": "1", "b": "2"}), (6, {"a": "7", "b": "8"})]
    assert [(row.line, row.reason) for row in table.unreadable] == [
        (3, "It has 1 cell for 2 columns."), (5, "It has 3 cells for 2 columns."),
    ]  # fmt: skip
    with pytest.raises(InputError, match=r"Line 3 of .*table.csv”: It has 1 cell"):
        list(table.text_rows())


def test_a_quoted_cell_may_hold_lines_and_an_open_mark_costs_one_row(tmp_path: Path) -> None:
    table = read_table(written(tmp_path, 'a,b\r\n"x\r\n""y""",1\r\nz,2\r\n'))
    assert list(table.rows()) == [(2, {"a": 'x\n"y"', "b": "1"}), (4, {"a": "z", "b": "2"})]
    lines = ["a,b", '"never closed,1', *(f"row {n},2" for n in range(3000)), 'a "b" c,3']
    table = read_table(written(tmp_path, "\n".join(lines)))
    assert [row.line for row in table.unreadable] == [2]
    assert len(table.frame) == 3001


def test_a_row_in_another_encoding_costs_itself_and_no_other_its_letters(tmp_path: Path) -> None:
    rows = [f"{n},Größe „{n}“,gut".encode() for n in range(3)]
    data = b"\n".join([b"item,text,label", *rows, "3,Größe,gut".encode("latin-1")])
    table = read_table(written(tmp_path, data))
    assert [row[1] for row in cells(table)] == ["Größe „0“", "Größe „1“", "Größe „2“"]
    assert [row.line for row in table.unreadable] == [5]


def test_a_nul_costs_its_row(tmp_path: Path) -> None:
    table = read_table(written(tmp_path, b"item,label\n1,g\0ood\n" + b"2,bad\n" * 40))
    assert cells(table) == [("2", "bad")] * 40
    assert "NUL" in table.unreadable[0].reason


def test_damaged_bytes_cost_their_row(tmp_path: Path) -> None:
    good = "旋律优美,正面\n".encode()
    table = read_table(written(tmp_path, b"a,b\n" + good * 30 + b"\xe6\x97,x\n" + good))
    assert [row.line for row in table.unreadable] == [32]
    assert len(table.frame) == 31


def test_the_names_of_rows_that_r_writes_are_a_column(tmp_path: Path) -> None:
    table = read_table(written(tmp_path, '"a","b"\n"x",1,2\n"y",3,4\n'))
    assert table.columns == ("column 1", "a", "b")
    assert cells(table) == [("x", "1", "2"), ("y", "3", "4")]
    # a comma in the text of every row is no row name
    spoilt = read_table(written(tmp_path, "text,label\nhello, world,good\nwell, then,bad\n"))
    assert (cells(spoilt), len(spoilt.unreadable)) == ([], 2)


def test_marks_in_a_tab_table_are_text_unless_they_quote(tmp_path: Path) -> None:
    plain = read_table(written(tmp_path, 'a\tb\n"He left.\tx\n"We, too\ty\n', "t.tsv"))
    assert cells(plain) == [('"He left.', "x"), ('"We, too', "y")]
    quoted = read_table(written(tmp_path, 'a\tb\n"two\nlines"\tx\none\ty\n', "t.tsv"))
    assert cells(quoted) == [("two\nlines", "x"), ("one", "y")]


def test_every_kind_of_file_gives_the_same_rows(tmp_path: Path) -> None:
    import pandas as pd

    rows = [{"a": "007", "b": "旋律"}, {"a": "NA", "b": "x\ny"}]
    frame = pd.DataFrame(rows)
    frame.to_parquet(tmp_path / "t.parquet")
    frame.to_feather(tmp_path / "t.feather")
    frame.to_excel(tmp_path / "t.xlsx", index=False)
    frame.to_csv(tmp_path / "t.csv", index=False)
    written(tmp_path, "\n".join(map(json.dumps, rows)), "t.jsonl")
    written(tmp_path, json.dumps(rows), "t.json")
    written(tmp_path, json.dumps({"version": 1, "rows": rows}, indent=1), "nested.json")
    written(tmp_path, json.dumps({"a": ["007", "NA"], "b": ["旋律", "x\ny"]}), "columns.json")
    for path in sorted(tmp_path.iterdir()):
        assert [values for _, values in read_table(path).rows()] == rows, path.name


def test_values_of_typed_files_stay_values_and_have_a_text(tmp_path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    typed = pa.table({"n": [1, None], "x": [0.5, 2.0], "tags": [["a", "b"], []]})
    pq.write_table(typed, tmp_path / "t.parquet")
    table = read_table(tmp_path / "t.parquet")
    assert next(table.rows())[1] == {"n": 1, "x": 0.5, "tags": ["a", "b"]}
    assert (table.texts(0), table.texts(1)) == (["1", ""], ["0.5", "2"])


def test_a_sheet_is_chosen_where_several_hold_something(tmp_path: Path) -> None:
    import pandas as pd

    path = tmp_path / "t.xlsx"
    with pd.ExcelWriter(path) as book:
        pd.DataFrame({"a": ["1"], "day": [pd.Timestamp(2026, 3, 1)]}).to_excel(
            book, sheet_name="one", index=False
        )
        pd.DataFrame().to_excel(book, sheet_name="empty", index=False)
    assert cells(read_table(path)) == [("1", "2026-03-01")]
    with pd.ExcelWriter(path, mode="a") as book:
        pd.DataFrame({"b": [0.1, 2.0]}).to_excel(book, sheet_name="two", index=False)
    with pytest.raises(InputError, match=r"several sheets: one, two\. Choose one"):
        read_table(path)
    assert cells(read_table(path, sheet="two")) == [("0.1",), ("2",)]


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("empty.csv", b"", "is empty"),
        ("blank.csv", b" \n\n", "is empty"),
        ("mark.csv", b"\xef\xbb\xbf\n", "is empty"),
        ("binary.csv", bytes(range(256)) * 40, "binary file"),
        ("book.docx", b"PK\x03\x04" + bytes(2000), "packed inside another file"),
        ("broken.xlsx", b"PK\x03\x04" + bytes(2000), "cannot be read as a workbook"),
        ("broken.parquet", b"PAR1 no more", "cannot be read as Parquet"),
        ("broken.feather", b"ARROW1 no more", "cannot be read as Feather"),
        ("old.xls", b"\xd0\xcf\x11\xe0" + bytes(2000), "Office before 2007. Save it as"),
        ("page.xls", b"\n<html><body><table><tr><td>item</td></tr></table>", "a web page"),
        ("page.csv", b"<!DOCTYPE html>\n<p>item,label</p>", "a web page"),
        ("calc.ods", ODS, "an OpenDocument spreadsheet"),
        ("broken.json", b'[{"a": 1},', "is not valid JSON: error in line 1"),
    ],
)
def test_what_is_no_table_is_refused_by_name(
    tmp_path: Path, name: str, data: bytes, said: str
) -> None:
    with pytest.raises(InputError, match=rf"{name}.*{said}"):
        read_table(written(tmp_path, data, name))


def test_a_missing_file_a_folder_and_a_sheet_of_no_workbook_are_told_apart(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match="There is no file"):
        read_table(tmp_path / "none.csv")
    with pytest.raises(InputError, match="is a folder"):
        read_table(tmp_path)
    with pytest.raises(InputError, match="has no sheets"):
        read_table(written(tmp_path, "a,b\n1,2\n"), sheet="one")


CELL = st.text(
    st.one_of(
        st.sampled_from('",\n ;|\t'), st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"])
    ),
    max_size=12,
)


@given(st.lists(st.lists(CELL, min_size=3, max_size=3), min_size=1, max_size=6), st.booleans())
def test_well_formed_text_and_text_with_a_fault_give_the_same_cells(
    tmp_path_factory: pytest.TempPathFactory, rows: list[list[str]], quoted: bool
) -> None:
    """A row of another width makes the reader go row by row; the other rows must not change."""
    buffer = io.StringIO()
    quoting = csv.QUOTE_ALL if quoted else csv.QUOTE_MINIMAL
    csv.writer(buffer, lineterminator="\n", quoting=quoting).writerows([["a", "b", "c"], *rows])
    folder = tmp_path_factory.mktemp("tables")
    sound = cells_of_text(written(folder, "sep=,\n" + buffer.getvalue(), "sound.csv"))
    spoilt = cells_of_text(
        written(folder, "sep=,\n" + buffer.getvalue() + '"1","2"\n', "spoilt.csv")
    )
    assert sound.unreadable == ()
    assert len(spoilt.unreadable) == 1
    assert sound.frame.to_numpy().tolist() == spoilt.frame.to_numpy().tolist()
    assert sound.frame.index.tolist() == spoilt.frame.index.tolist()
    assert sound.frame.to_numpy().tolist() == [["a", "b", "c"], *rows]


def test_a_merged_title_above_two_columns_names_none_of_them(tmp_path: Path) -> None:
    import openpyxl

    asked = [("month", "rain"), ("April", "much"), ("May", "little")]
    book = openpyxl.Workbook()
    for row in [("Weather of spring", None), *asked]:
        book.active.append(row)
    book.save(tmp_path / "loose.xlsx")
    assert read_table(tmp_path / "loose.xlsx").columns == ("Weather of spring", "column 2")
    book.active.merge_cells("A1:B1")
    book.save(tmp_path / "merged.xlsx")
    table = read_table(tmp_path / "merged.xlsx")
    assert (table.columns, table.header_line, cells(table)) == (asked[0], 2, asked[1:])
    assert [(row.line, row.remark) for row in table.unreadable] == [(1, True)]


ASKED = [("What grows here, then?", "a tree"), ("Who sleeps; who wakes?", "a cat")]


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize(
    "names", [("question", "answer"), ("Frage", "Antwort"), ("题目", "答案"), ("a", "b", "c")]
)
@pytest.mark.parametrize("padded", [False, True])
def test_a_title_above_the_names_of_columns_is_no_row(
    tmp_path: Path, delimiter: str, names: tuple[str, ...], padded: bool
) -> None:
    """As people write it, and as a spreadsheet saves it, with the delimiters of its empty cells."""
    rows = [(*row, "more")[: len(names)] for row in ASKED]
    title = ["Questions of spring", *([""] * (len(names) - 1) if padded else [])]
    buffer = io.StringIO()
    csv.writer(buffer, delimiter=delimiter).writerows([title, names, *rows])
    table = read_table(written(tmp_path, buffer.getvalue()))
    assert (table.columns, table.header_line, cells(table)) == (names, 2, rows)
    assert [(row.line, row.remark) for row in table.unreadable] == [(1, True)]


def test_a_title_above_two_columns_of_other_names(tmp_path: Path) -> None:
    table = read_table(written(tmp_path, "Ratings of May\nanna,ben\n1,2\n2,2\n"))
    assert (table.columns, cells(table)) == (("anna", "ben"), [("1", "2"), ("2", "2")])


@pytest.mark.parametrize(
    ("text", "columns", "rows"),
    [
        ("text\nHe came; he saw\nShe left; she won\n", ("text",), 2),
        ("keywords\ncat;dog;bird\nsun;moon;star\n", ("keywords",), 2),
        ("Words of the day\ncat; dog; bird\nsun; moon; star\n", ("Words of the day",), 2),
        ("month,\nMay,3\nJune,4\n", ("month", "column 2"), 2),
        ("name,,\n1,2,3\n4,5,6\n", ("name", "column 2", "column 3"), 2),
        ("yes,,\nyes,no,unsure\nno,no,no\n", ("yes", "column 2", "column 3"), 2),
    ],
)
def test_a_name_of_the_first_column_alone_is_no_title(
    tmp_path: Path, text: str, columns: tuple[str, ...], rows: int
) -> None:
    table = read_table(written(tmp_path, text))
    assert (table.columns, len(cells(table))) == (columns, rows)


def test_prose_with_commas_below_one_name_is_no_table_of_two_columns(tmp_path: Path) -> None:
    table = read_table(written(tmp_path, "text\nHello, world\nGood day, sir\n"))
    assert (table.columns, len(table.unreadable)) == (("text",), 2)
