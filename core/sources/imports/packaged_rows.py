"""Rows of Arrow files, of folders that Hugging Face ``datasets`` saved, of YAML, of XML, and of all
sheets of a workbook."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from core.errors import InputError
from core.i18n import tr
from core.sources.imports.base import ImportRow, RefusedRow, Rows
from core.sources.imports.table_rows import table_rows
from core.sources.json_tables import rows_in
from core.sources.text_files import head_of, json_document
from core.sources.text_tables import foreign_pieces

_STREAM = b"\xff\xff\xff\xff"  # how a message of Arrow's streaming format begins
SHEET, SPLIT = "sheet", "split"


def is_arrow(_path: Path, head: bytes) -> bool:
    """By its first bytes: the streaming format, in which ``datasets`` keeps its tables."""
    return head.startswith(_STREAM)


def arrow_rows(path: Path) -> Rows:
    """The rows of an Arrow stream."""
    for number, values in enumerate(_arrow(path, {}), start=1):
        yield ImportRow(number, values)


def _arrow(path: Path, names: Mapping[str, Sequence[str]]) -> Iterator[dict[str, Any]]:
    """Rows by column; numbers of classes become their names."""
    columns: list[str] = []
    for piece in foreign_pieces(path, kind="arrow"):
        if "columns" in piece:
            columns = [str(name) for name in piece["columns"]]
            continue
        for cells in zip(*piece["cells"], strict=True):
            row = dict(zip(columns, cells, strict=True))
            yield {name: _named(value, names.get(name, ())) for name, value in row.items()}


def _named(value: Any, names: Sequence[str]) -> Any:
    known = isinstance(value, int) and not isinstance(value, bool) and 0 <= value < len(names)
    return names[value] if known else value


# --- folders of ``save_to_disk`` -------------------------------------------------------------


def is_dataset(path: Path, _head: bytes) -> bool:
    """A folder with ``state.json`` or ``dataset_dict.json``, or with such folders: splits that were
    saved one by one."""
    if not path.is_dir():
        return False
    named = any((path / name).is_file() for name in ("state.json", "dataset_dict.json"))
    return named or any((file.parent / "dataset_info.json").is_file()
                        for file in path.glob("*/state.json"))  # fmt: skip


def dataset_rows(path: Path) -> Rows:
    """The rows of all splits, each with its ``split``; classes by their names.

    ``line`` counts on over the files; ``file`` and ``row`` tell the place.
    """
    splits = [(p.parent.name, p.parent) for p in sorted(path.glob("*/state.json"))]
    if (path / "state.json").is_file():
        splits = [("", path)]
    if not splits:
        raise InputError.tr("“{path}” contains no saved data set.", path=path)
    line = 0
    for split, folder in splits:
        names = _class_names(folder)
        for file in _data_files(folder):
            for row, values in enumerate(_arrow(file, names), start=1):
                line += 1
                given = {**values, SPLIT: split} if split and SPLIT not in values else values
                yield ImportRow(line, given, f"{folder.name}/{file.name}", row)


def _data_files(folder: Path) -> list[Path]:
    state = json_document(folder / "state.json")
    entries = state.get("_data_files") if isinstance(state, dict) else None
    names = [e.get("filename") for e in entries or () if isinstance(e, dict)]
    files = [folder / Path(str(name)).name for name in names]
    missing = next((file for file in files if not file.is_file()), None)
    if not files or missing is not None:
        raise InputError.tr("“{path}” is missing.", path=missing or folder / "state.json")
    return files


def _class_names(folder: Path) -> dict[str, list[str]]:
    """The names of the classes of every column that has them."""
    file = folder / "dataset_info.json"
    info = json_document(file) if file.is_file() else {}
    features = info.get("features") if isinstance(info, dict) else None
    return {
        str(column): [str(name) for name in feature["names"]]
        for column, feature in (features.items() if isinstance(features, dict) else ())
        if isinstance(feature, dict) and isinstance(feature.get("names"), list)
    }


# --- YAML ------------------------------------------------------------------------------------


def is_yaml(path: Path, _head: bytes) -> bool:
    """By its name."""
    return path.suffix.lower() in (".yaml", ".yml")


def yaml_rows(path: Path) -> Rows:
    """The objects of a list, of the one list in an object, or of several documents."""
    head_of(path)
    documents = [piece["document"] for piece in foreign_pieces(path, kind="yaml")]
    values = rows_in(path, documents[0]) if len(documents) == 1 else documents
    for number, value in enumerate(values, start=1):
        if isinstance(value, dict):
            yield ImportRow(number, value)
        else:
            yield RefusedRow(number, tr("It is not a YAML mapping."))


# --- XML -------------------------------------------------------------------------------------


def is_xml(path: Path, head: bytes) -> bool:
    """By its name or its first line."""
    return path.suffix.lower() == ".xml" or head.lstrip(b"\xef\xbb\xbf \r\n").startswith(b"<?xml")


def read_xml(path: Path) -> Rows:
    """The elements that come again and again, each as a row; ``line`` counts them."""
    found = (values for piece in foreign_pieces(path, kind="xml") for values in piece["objects"])
    for number, values in enumerate(found, start=1):
        yield ImportRow(number, values)


# --- all sheets of a workbook ----------------------------------------------------------------


def workbook_rows(path: Path, sheet: str = "") -> Rows:
    """The rows of one sheet of a workbook, of ``all`` every one with its ``sheet``."""
    if sheet != "all":
        yield from table_rows(path, sheet)
        return
    names = [str(n) for piece in foreign_pieces(path, kind="sheets") for n in piece["sheets"]]
    line = 0
    for name in names:
        for row in table_rows(path, name):
            line += 1
            if isinstance(row, RefusedRow):
                yield RefusedRow(line, f"{name}, {row.line}: {row.reason}")
            else:
                yield ImportRow(line, {**row.values, SHEET: name}, row=row.line)
