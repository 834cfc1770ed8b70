"""Awkward tables, read alike or refused with one sentence by every command that reads any.

Each table holds the same rows as a plain one (commas, UTF-8), so that the commands must say of both
the same. Its columns serve all of them: ratings, labelled texts, items, and accuracies of models.
"""

import bz2
import csv
import gzip
import io
import json
import lzma
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from core.cli import main

HEADER = ("item", "rater", "value", "text", "label", "model", "set", "domain", "accuracy")
Rows = list[tuple[str, ...]]
Said = dict[str, tuple[int, dict, str]]
"""Exit code, JSON and printed words of each command."""
_READ: dict[tuple[tuple[str, ...], ...], Said] = {}
"""What the commands that only read say of a plain table."""


def rows_with(*words: str) -> Rows:
    """Twelve rows; ``words`` stand in the texts, the models and the domains."""
    rows = []
    for place in range(12):
        word = words[place % len(words)]
        side = "private" if place % 2 else "public"
        rows.append((
            f"q{place // 2 + 1}", "ann" if place % 2 else "bob", str(place % 3 // 2),
            f"007, {word} {place}", "good" if place % 3 else "bad",
            f"M-{words[0]}", side, ("CS", "Math", "Bio")[place // 2 % 3], f"0.{place + 21}",
        ))  # fmt: skip
    return rows


def delimited(header: Sequence[str], rows: Rows, delimiter: str = ",") -> str:
    buffer = io.StringIO()
    csv.writer(buffer, delimiter=delimiter, lineterminator="\r\n").writerows([header, *rows])
    return buffer.getvalue()


ASCII = rows_with("plain", "NA", "1e5")
CHINESE = rows_with("旋律优美", "太吵了，真的", "一")
WESTERN = rows_with("naïve café", "Größe", "señor")
EURO = rows_with("5 €", "naïve", "Größe")
SPOKEN = rows_with('he said "no"', "two\nlines\nand three")
CURLY = rows_with("it’s “best”", "5 € … – ‘so’")
HALVES = [(*row[:2], f"{row[2]}.5", *row[3:]) for row in ASCII]
COMMAS = [(*row[:2], row[2].replace(".", ","), *row[3:8], f"0,{row[8][2:]}") for row in HALVES]


def _as_text(
    rows: Rows, encoding: str = "utf-8", delimiter: str = ","
) -> Callable[[Path, str], Path]:
    def write(folder: Path, name: str) -> Path:
        path = folder / f"{name}.csv"
        path.write_bytes(delimited(HEADER, rows, delimiter).encode(encoding))
        return path

    return write


def _with_column(name: str, times: int) -> Callable[[Path, str], Path]:
    def write(folder: Path, called: str) -> Path:
        header = (*HEADER[:3], *[name] * times, *HEADER[3:])
        rows = [(*row[:3], *["x"] * times, *row[3:]) for row in ASCII]
        path = folder / f"{called}.csv"
        path.write_text(delimited(header, rows), encoding="utf-8")
        return path

    return write


def _with_columns(more: int) -> Callable[[Path, str], Path]:
    def write(folder: Path, called: str) -> Path:
        path = folder / f"{called}.csv"
        names = (*HEADER, *(f"x{n}" for n in range(more)))
        path.write_text(delimited(names, [(*row, *["v"] * more) for row in ASCII]), "utf-8")
        return path

    return write


def _as_parquet(**more: Any) -> Callable[[Path, str], Path]:
    """The rows as Parquet, with further columns of one value."""

    def write(folder: Path, name: str) -> Path:
        import pandas as pd

        path = folder / f"{name}.parquet"
        frame = pd.DataFrame(ASCII, columns=list(HEADER))
        frame.assign(**{name: [value] * len(ASCII) for name, value in more.items()}).to_parquet(
            path
        )
        return path

    return write


def _as_workbook(folder: Path, name: str) -> Path:
    import pandas as pd

    path = folder / f"{name}.xlsx"
    with pd.ExcelWriter(path, engine="openpyxl") as book:
        pd.DataFrame(ASCII, columns=list(HEADER)).to_excel(book, sheet_name="数据", index=False)
        pd.DataFrame({"a": ["1"], "b": ["2"]}).to_excel(book, sheet_name="notes", index=False)
    return path


def _changed(
    change: Callable[[list[str]], str | bytes], name: str = "{}.csv"
) -> Callable[[Path, str], Path]:
    """The table as ``change`` makes it of its lines."""

    def write(folder: Path, called: str) -> Path:
        path = folder / name.format(called)
        data = change(delimited(HEADER, ASCII).removesuffix("\r\n").split("\r\n"))
        path.write_bytes(data.encode() if isinstance(data, str) else data)
        return path

    return write


def _mixed(lines: list[str]) -> str:
    return "".join(line + ("\n", "\r\n", "\r")[n % 3] for n, line in enumerate(lines))


def _packed(lines: list[str]) -> bytes:
    return gzip.compress("\r\n".join(lines).encode())


def _edited(edit: Callable[[Any], None], name: str = "{}.xlsx") -> Callable[[Path, str], Path]:
    """A workbook whose one sheet ``edit`` was done to; accuracies are numbers in it."""

    def write(folder: Path, called: str) -> Path:
        import openpyxl

        book = openpyxl.Workbook()
        book.active.append(HEADER)
        for row in ASCII:
            book.active.append([*row[:8], float(row[8])])
        edit(book.active)
        path = folder / name.format(called)
        with path.open("wb") as out:
            book.save(out)
        return path

    return write


def _as_percent(sheet: Any) -> None:
    for row in range(2, 14):
        sheet.cell(row, 9).number_format = "0%"


def _titled(sheet: Any) -> None:
    sheet.insert_rows(1)
    sheet["A1"] = "Ratings of spring"
    sheet.merge_cells("A1:I1")


def _calculated(sheet: Any) -> None:
    sheet["I4"] = "=0.2+0.03"


def _as_json(
    row: Callable[[dict[str, Any]], dict[str, Any]], name: str
) -> Callable[[Path, str], Path]:
    """The rows as pandas writes them: NaN for an empty cell."""

    def write(folder: Path, called: str) -> Path:
        lines = [json.dumps(row(dict(zip(HEADER, cells, strict=True)))) for cells in ASCII]
        path = folder / name.format(called)
        path.write_text("\n".join(lines), encoding="utf-8")
        return path

    return write


def _hiding(sheet: Any) -> None:
    hidden = sheet.parent.create_sheet("hidden")
    hidden.append(["a", "b"])
    hidden.sheet_state = "hidden"


TABLES: dict[str, tuple[Callable[[Path, str], Path], Rows]] = {
    "semicolon": (_as_text(ASCII, delimiter=";"), ASCII),
    "tab": (_as_text(ASCII, delimiter="\t"), ASCII),
    "pipe": (_as_text(ASCII, delimiter="|"), ASCII),
    "bom": (_as_text(CHINESE, "utf-8-sig"), CHINESE),
    "utf-16": (_as_text(CHINESE, "utf-16"), CHINESE),
    "gb18030": (_as_text(CHINESE, "gb18030"), CHINESE),
    "cp1252": (_as_text(WESTERN, "cp1252"), WESTERN),
    "quoted newlines": (_as_text(SPOKEN), SPOKEN),
    "empty header": (_with_column("", 1), ASCII),
    "duplicate header": (_with_column("note", 2), ASCII),
    "two sheets": (_as_workbook, ASCII),
    "parquet": (_as_parquet(), ASCII),
    "lists in parquet": (_as_parquet(tags=["a", "b"], seen=[{"by": "ann"}]), ASCII),
    "trailing delimiter": (_changed(lambda lines: ",\n".join([*lines, ""])), ASCII),
    "remarks above": (_changed(lambda lines: "\n".join(["# by a script", "# v2", *lines])), ASCII),
    "mixed line ends": (_changed(_mixed), ASCII),
    "mark inside": (_changed(lambda lines: "\n\ufeff".join(lines)), ASCII),
    "packed": (_changed(_packed, "{}.csv.gz"), ASCII),
    "packed under another name": (_changed(_packed), ASCII),
    "workbook under another name": (_edited(lambda sheet: None, "{}.csv"), ASCII),
    "percent cells": (_edited(_as_percent), ASCII),
    "title": (_changed(lambda lines: "\n".join(["Ratings of spring", "", *lines])), ASCII),
    "merged title": (_edited(_titled), ASCII),
    "merged rows": (_edited(lambda sheet: sheet.merge_cells("G2:G3")), ASCII),
    "formulas": (_edited(_calculated), ASCII),
    "hidden sheet": (_edited(_hiding), ASCII),
    "euro sign": (_as_text(EURO, "cp1252"), EURO),
    "curly quotes": (_as_text(CURLY, "cp1252"), CURLY),
    "quoted newlines in utf-16": (_as_text(SPOKEN, "utf-16", ";"), SPOKEN),
    "decimal commas": (_as_text(COMMAS, delimiter=";"), HALVES),
    "empty lines above": (_changed(lambda lines: "\n".join(["", "", "", *lines])), ASCII),
    "NULs": (_changed(lambda lines: "\n".join(lines).replace(",", "\0,")), ASCII),
    "100,000 columns": (_with_columns(99_991), ASCII),
    "utf-16 without mark": (_as_text(CHINESE, "utf-16-le"), CHINESE),
    "200 columns": (_with_columns(191), ASCII),
    "empty numbers": (_as_json(lambda row: {**row, "note": float("nan")}, "{}.jsonl"), ASCII),
    "bzip2": (_changed(lambda lines: bz2.compress("\n".join(lines).encode()), "{}.csv.bz2"), ASCII),
    "xz": (_changed(lambda lines: lzma.compress("\n".join(lines).encode()), "{}.csv.xz"), ASCII),
    "zstandard": (_changed(lambda lines: b"\x28\xb5\x2f\xfd" + bytes(60), "{}.csv.zst"), ASCII),
}
REFUSED = {
    "duplicate header": "has the column “note” more than once",
    "two sheets": "has several sheets: 数据, notes. Choose one (--sheet).",
    "merged rows": "has merged cells (G2:G3)",
    "NULs": "It is a binary file, not text.",
    "100,000 columns": "has 100,000 columns; the limit is 16384.",
    "formulas": "has formulas without results, the first in I4",
    "hidden sheet": "has several sheets: Sheet, hidden",
    "bzip2": "bzip2 compression is not supported. Unpack the file first.",
    "xz": "xz compression is not supported. Unpack the file first.",
    "zstandard": "Zstandard compression is not supported. Unpack the file first.",
}


class Commands:
    """Runs commands in one workspace, with what they print."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self._workspace = folder / "workspace"
        self._capsys = capsys

    def __call__(self, *words: object) -> tuple[int, dict, str]:
        self._capsys.readouterr()
        code = main([*map(str, words), "--json", "--workspace", str(self._workspace)])
        out, err = self._capsys.readouterr()
        return code, json.loads(out) if out.strip() and not code else {}, err or out

    def every(self, path: Path, *more: str) -> Said:
        """What each of the four commands says of a table."""
        return {"import": self._imported(path, *more), **self._read(path, *more)}

    def every_plain(self, rows: Rows) -> Said:
        """As ``every`` of the rows as a plain table; only an import depends on the workspace."""
        path = plain_table(self._workspace.parent, rows)
        imported, known = self._imported(path), tuple(rows)
        if known not in _READ:
            _READ[known] = self._read(path)
        return {"import": imported, **_READ[known]}

    def _imported(self, path: Path, *more: str) -> tuple[int, dict, str]:
        fields = ("--map", "input=text", "--map", "output=label", "--map", "instruction==Judge.")
        return self("import", path, "--task", "t", "--benchmark", "b", *fields, *more)

    def _read(self, path: Path, *more: str) -> Said:
        rewrite = (
            *("--task", "mood", "--labels", "good,bad", "--map", "id=item", "--estimate"),
            *("--base-url", "http://127.0.0.1:9/v1", "--model", "m", "--knowledge", "gdelt-doc"),
            *("--from", "2026-01-01", "--to", "2026-02-01"),
        )
        return {
            "agreement": self("agreement", "--file", path, "--interval", "none", *more),
            "rewrite": self("rewrite", "--data", path, *rewrite, *more),
            "analyze": self("analyze", "rs", "--table", path, "--resamples", "50", *more),
        }


@pytest.fixture
def commands(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Commands:
    return Commands(tmp_path, capsys)


def plain_table(folder: Path, rows: Rows) -> Path:
    path = folder / "plain.csv"
    path.write_text(delimited(HEADER, rows), encoding="utf-8", newline="")
    return path


def assert_alike(found: Said, plain: Said) -> None:
    assert {name: code for name, (code, _, _) in found.items()} == dict.fromkeys(found, 0), found
    imported = found["import"][1]
    # the plain table came first, and has the same contents
    assert (imported["total"], imported["taken"], imported["known"]) == (12, 0, 12)
    assert plain["import"][1]["taken"] == 12
    assert found["agreement"][1]["coefficients"] == plain["agreement"][1]["coefficients"]
    assert found["rewrite"][1] == plain["rewrite"][1]
    assert found["rewrite"][1]["estimate"]["items"] == 12
    (model,), (expected,) = found["analyze"][1]["models"], plain["analyze"][1]["models"]
    assert model == expected | {"runs": model["runs"]}  # which name the file


@pytest.mark.parametrize("name", TABLES)
def test_a_table_is_read_alike_or_refused_with_one_sentence(
    name: str, commands: Commands, tmp_path: Path
) -> None:
    write, rows = TABLES[name]
    if name not in REFUSED:
        plain = commands.every_plain(rows)
        found = commands.every(write(tmp_path, "table"))
        titled = [{"line": 1, "reason": "It stands above the names of the columns."}]
        imported = found["import"][1]
        if "title" in name:
            assert imported["refused"] == titled
            imported["total"] -= 1
        assert_alike(found, plain)
        return
    found = commands.every(write(tmp_path, "table"))
    assert {code for code, _, _ in found.values()} == {1}
    assert len({said.strip().splitlines()[-1] for _, _, said in found.values()}) == 1, found
    assert REFUSED[name] in found["import"][2]


def test_a_remark_between_rows_is_none_of_them(commands: Commands, tmp_path: Path) -> None:
    plain = commands.every_plain(ASCII)
    lines = delimited(HEADER, ASCII).split("\r\n")
    lines[3:3] = ["# seen up to here, and good"]
    path = tmp_path / "table.csv"
    path.write_text("\n".join(lines), encoding="utf-8")
    found = commands.every(path)
    imported = found["import"][1]
    refused = [(row["line"], row["reason"]) for row in imported["refused"]]
    assert refused == [(4, "It is a remark (#).")]
    imported["total"] -= 1
    assert_alike(found, plain)


def test_what_begins_with_a_sign_of_remarks_is_a_row_with_all_its_cells(
    commands: Commands, tmp_path: Path
) -> None:
    rows = [(f"#{row[0]}", *row[1:]) for row in ASCII]
    plain = commands.every_plain(ASCII)
    found = commands.every(plain_table(tmp_path, rows))
    assert found["agreement"][1]["coefficients"] == plain["agreement"][1]["coefficients"]
    assert found["rewrite"][1]["estimate"]["items"] == 12


def test_a_chosen_sheet_is_read_like_any_table(commands: Commands, tmp_path: Path) -> None:
    plain = commands.every_plain(ASCII)
    assert_alike(commands.every(_as_workbook(tmp_path, "table"), "--sheet", "数据"), plain)
    for code, _, said in commands.every(tmp_path / "table.xlsx", "--sheet", "more").values():
        assert code == 1
        assert "has no sheet “more”. Its sheets are: 数据, notes." in said
    for code, _, said in commands.every(tmp_path / "plain.csv", "--sheet", "more").values():
        assert code == 1
        assert "has no sheets" in said


NOTHING = {
    "empty.csv": "",
    "blank.csv": "\n\n",
    "blank.jsonl": "\n \n",
    "mark.jsonl": "\ufeff",
    "blank.yaml": "\n",
}
NO_ROWS = {
    "header.csv": ",".join(HEADER) + "\n",
    "header.tsv": "\t".join(HEADER),
    "list.json": "[]",
    "object.json": "{}",
    "document.json": '{"version": "1.0", "data": []}',
    "splits.json": '{"train": [], "test": []}',
}


@pytest.mark.parametrize("name", [*NOTHING, *NO_ROWS])
def test_a_table_without_rows_is_refused_with_one_sentence(
    commands: Commands, tmp_path: Path, name: str
) -> None:
    path = tmp_path / name
    path.write_text({**NOTHING, **NO_ROWS}[name], encoding="utf-8")
    said = f"“{path}” is empty." if name in NOTHING else f"“{path}” has no rows."
    for code, _, text in commands.every(path).values():
        assert (code, text.strip().splitlines()[-1]) == (1, said)
    if name in NOTHING:
        assert commands("check", path)[2].strip() == said


@pytest.mark.parametrize("kind", ["excel", "parquet", "feather"])
def test_a_table_of_names_alone_has_no_rows_whatever_its_kind(
    commands: Commands, tmp_path: Path, kind: str
) -> None:
    import pandas as pd

    path = tmp_path / f"header.{'xlsx' if kind == 'excel' else kind}"
    frame = pd.DataFrame({name: [] for name in HEADER})
    if kind == "excel":
        frame.to_excel(path, index=False)
    else:
        getattr(frame, f"to_{kind}")(path)
    for code, _, text in commands.every(path).values():
        assert (code, text.strip().splitlines()[-1]) == (1, f"“{path}” has no rows.")
