"""JSON lines, CIF-Bench and Super-NaturalInstructions files."""

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from core.errors import InputError
from core.i18n import tr
from core.sources.imports.base import ImportRow, RefusedRow, Rows
from core.sources.json_tables import json_table_rows, with_surroundings
from core.sources.text_files import json_document
from core.sources.text_tables import UnreadableRow

_CIF = {"Input", "Output", "Instruction"}
_ITEM = {"family", "payload"}


def json_lines(path: Path) -> Rows:
    """One JSON object a line; a JSON list of objects is read as well."""
    for row in json_table_rows(path, beside=True):
        if isinstance(row, UnreadableRow):
            yield RefusedRow(row.line, row.reason)
        else:
            yield ImportRow(*row)


def rows_inside(
    path: Path, parts: Callable[[Mapping[str, Any]], Iterator[dict[str, Any] | str]]
) -> Rows:
    """Rows of objects that hold several: ``parts`` gives those of one, or in words why one of them
    is none. They are counted through."""
    found = (
        part
        for row in json_table_rows(path, beside=True)
        for part in ((row.reason,) if isinstance(row, UnreadableRow) else parts(row[1]))
    )
    for number, part in enumerate(found, 1):
        yield RefusedRow(number, part) if isinstance(part, str) else ImportRow(number, part)


def first_object(head: bytes) -> Mapping[str, Any]:
    """The first JSON object of a file, in a line, over several, or in a list; empty for none."""
    for encoding in ("utf-8-sig", "utf-16", "gb18030"):
        text = head.decode(encoding, errors="ignore").lstrip()
        try:
            value, _ = json.JSONDecoder().raw_decode(text.removeprefix("[").lstrip())
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict):
            return value
    return {}


def is_cif(_path: Path, head: bytes) -> bool:
    """Lines with Input, Output and Instruction."""
    return set(first_object(head)) >= _CIF


def is_items(_path: Path, head: bytes) -> bool:
    """Lines with whole items, as Benchseal writes them."""
    return set(first_object(head)) >= _ITEM


def is_json_lines(path: Path, head: bytes) -> bool:
    """Any JSON object in the first line, or a file that calls itself so; a document may go on
    behind the head."""
    suffix = path.suffix.lower()
    begins = head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith((b"{", b"["))
    return (
        bool(first_object(head))
        or suffix in (".jsonl", ".ndjson")
        or (suffix == ".json" and begins)
    )


def is_self_instruct(_path: Path, head: bytes) -> bool:
    """An instruction with a list of instances, each of an input and an output (self-instruct)."""
    first = first_object(head)
    given = first.get("instances")
    return "instruction" in first and isinstance(given, list) and _are_instances(given)


def _are_instances(given: list[Any]) -> bool:
    return bool(given) and all(isinstance(v, dict) and "output" in v for v in given)


def self_instruct(path: Path) -> Rows:
    """Each instance with its instruction, and what stands beside it."""
    number = 0
    for row in json_lines(path):
        given = row.values.get("instances") if isinstance(row, ImportRow) else None
        if isinstance(row, ImportRow) and isinstance(given, list) and _are_instances(given):
            rest = {name: value for name, value in row.values.items() if name != "instances"}
            for instance in given:
                number += 1
                yield ImportRow(number, with_surroundings(instance, rest))
            continue
        number += 1
        reason = row.reason if isinstance(row, RefusedRow) else tr("It has no answer.")
        yield RefusedRow(number, reason)


# --- Super-NaturalInstructions ---------------------------------------------------------------


def is_sni(_path: Path, head: bytes) -> bool:
    """A task file: a definition and instances."""
    text = head.decode("utf-8-sig", errors="ignore")
    return text.lstrip().startswith("{") and '"Definition"' in text and '"Instances"' in text


def sni(path: Path) -> Rows:
    """Each instance with the task's definition; the first output counts, the others as well."""
    document = json_document(path)
    if not isinstance(document, dict) or not isinstance(document.get("Instances"), list):
        raise InputError.tr("“{path}” is not a task file: it has no Instances.", path=path)
    definition = document.get("Definition", "")
    if isinstance(definition, list):
        definition = "\n".join(str(part) for part in definition)
    languages = document.get("Instruction_language") or document.get("Input_language") or [""]
    language = languages[0] if isinstance(languages, list) and languages else languages
    about = {n: v for n, v in document.items() if n not in ("Definition", "Instances")}
    for number, instance in enumerate(document["Instances"], start=1):
        if not isinstance(instance, dict):
            yield RefusedRow(number, tr("It is not a JSON object."))
            continue
        outputs = instance.get("output")
        outputs = outputs if isinstance(outputs, list) else [outputs]
        written = dict.fromkeys(str(o) for o in outputs if isinstance(o, str | int | float))
        values = with_surroundings({**instance, "definition": definition}, about)
        values["output"], *values["alternatives"] = list(written) or [""]
        values["language"] = {"English": "en", "Chinese": "zh"}.get(str(language), "")
        yield ImportRow(number, values)
