"""Flashcards as Anki writes them to text: a card a line, below lines that say what is in them."""

import csv
import io
import re
from pathlib import Path

from core.i18n import tr
from core.sources.html_text import html_text
from core.sources.imports.base import ImportRow, RefusedRow, Rows
from core.sources.text_files import lines_of

_SAID = re.compile(r"#\s*([a-z ]+?)\s*:\s*(.*)", re.IGNORECASE)
_SIGNS = {"tab": "\t", "comma": ",", "semicolon": ";", "space": " ", "pipe": "|", "colon": ":"}
_FIELDS = ("question", "answer")
_OTHERS = ("guid", "notetype", "deck", "tags")
_CLOZE = re.compile(r"\{\{c\d+::((?:(?!::|\}\}|\{\{).)*)(?:::[^{}]*)?\}\}", re.DOTALL)


def is_flashcards(_path: Path, head: bytes) -> bool:
    """A text whose first line says what separates its columns."""
    return head.removeprefix(b"\xef\xbb\xbf").lower().startswith((b"#separator:", b"#html:"))


def flashcard_rows(path: Path) -> Rows:
    """A row a card: ``question`` and ``answer`` from its first two fields; others under the names
    that the file has for them. A gap (``{{c1::…}}``) is asked for."""
    said: dict[str, str] = {}
    text: list[str] = []
    for line in lines_of(path):
        found = _SAID.fullmatch(line.strip()) if not text else None
        if found is not None:
            said[found[1].lower()] = found[2].strip()
        else:
            text.append(line)
    sign = said.get("separator", "tab")
    sign = _SIGNS.get(sign.lower(), sign[:1] or "\t")
    names = said["columns"].split(sign) if said.get("columns") else []
    reader = csv.reader(io.StringIO("\n".join(text)), delimiter=sign)
    try:
        for cells in reader:
            if any(cell.strip() for cell in cells):
                yield _card(len(said) + reader.line_num, cells, names, said)
    except csv.Error:
        reason = tr("It contains a quotation mark that is never closed.")
        yield RefusedRow(len(said) + reader.line_num, reason)


def _card(line: int, cells: list[str], names: list[str], said: dict[str, str]) -> (
    ImportRow | RefusedRow
):  # fmt: skip
    places = {int(said[f"{name} column"]) - 1: name for name in _OTHERS
              if said.get(f"{name} column", "").isdecimal()}  # fmt: skip
    is_html = said.get("html", "").lower() == "true"
    row: dict[str, object] = {name: said[name] for name in _OTHERS if said.get(name)}
    fields: list[str] = []
    for place, cell in enumerate(cells):
        text, pictures = html_text(cell) if is_html else (cell.strip(), [])
        if pictures:
            row["image"] = pictures
        if place in places:
            row[places[place]] = text
        else:
            row[_field_name(names, place, len(fields))] = text
            fields.append(text)
    if fields and (gaps := _CLOZE.findall(fields[0])):
        asked = _CLOZE.sub("_____", fields[0])
        more = {"back": fields[1]} if len(fields) > 1 and fields[1] else {}
        rest = {n: value for n, value in row.items() if n not in _FIELDS}
        return ImportRow(line, {**rest, **more, "question": asked, "answer": ", ".join(gaps)})
    if len(fields) < 2:
        return RefusedRow(line, tr("It has no answer."))
    return ImportRow(line, row)


def _field_name(names: list[str], place: int, field: int) -> str:
    if place < len(names) and field > 1:
        return names[place].strip()
    return _FIELDS[field] if field < 2 else f"field {field + 1}"
