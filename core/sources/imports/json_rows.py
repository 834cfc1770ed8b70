"""JSON lines, CIF-Bench, doccano, Label Studio and Super-NaturalInstructions files."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from core.errors import InputError
from core.i18n import tr
from core.sources.imports.base import ImportRow, RefusedRow, Rows
from core.sources.json_tables import json_table_rows
from core.sources.text_files import json_document
from core.sources.text_tables import UnreadableRow

_CIF = {"Input", "Output", "Instruction"}
_ITEM = {"family", "payload"}


def json_lines(path: Path) -> Rows:
    """One JSON object a line; a JSON list of objects is read as well."""
    for row in json_table_rows(path):
        if isinstance(row, UnreadableRow):
            yield RefusedRow(row.line, row.reason)
        else:
            yield ImportRow(*row)


def _first_object(head: bytes) -> Mapping[str, Any]:
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
    return set(_first_object(head)) >= _CIF


def is_items(_path: Path, head: bytes) -> bool:
    """Lines with whole items, as Benchseal writes them."""
    return set(_first_object(head)) >= _ITEM


def is_doccano(_path: Path, head: bytes) -> bool:
    """Lines with a text and doccano's label, or its entities."""
    keys = set(_first_object(head))
    text = keys & {"text", "data"}
    return bool(text) and bool(keys & {"label", "labels", "cats", "entities"}) and "id" in keys


def is_json_lines(path: Path, head: bytes) -> bool:
    """Any JSON object in the first line, or a file that calls itself so."""
    return bool(_first_object(head)) or path.suffix.lower() in (".jsonl", ".ndjson")


def doccano(path: Path) -> Rows:
    """Text and label of a doccano export; several labels of a text stay a list."""
    for row in json_lines(path):
        if isinstance(row, RefusedRow):
            yield row
            continue
        values = dict(row.values)
        values["text"] = values.get("text", values.get("data"))
        names = ("label", "labels", "cats")
        label: Any = next((values[name] for name in names if values.get(name)), [])
        if isinstance(label, list) and any(not isinstance(part, str | int) for part in label):
            yield RefusedRow(
                row.line, tr("Its labels are spans or relations, not labels of the whole text.")
            )
            continue
        if isinstance(label, list):
            values["labels_given"] = label
            label = label[0] if len(label) == 1 else "、".join(str(part) for part in label)
        values["label"] = label
        yield ImportRow(row.line, values)


# --- Label Studio ----------------------------------------------------------------------------


def is_label_studio(_path: Path, head: bytes) -> bool:
    """A JSON list whose tasks have ``data``, or the flat form with an ``annotator``."""
    text = head.decode("utf-8-sig", errors="ignore").lstrip()
    if not text.startswith("["):
        return False
    task = '"data"' in text and ('"annotations"' in text or '"completions"' in text)
    flat = '"annotation_id"' in text and '"annotator"' in text
    bare = text.removeprefix("[").lstrip().startswith('{"data":')
    return task or flat or bare


def label_studio(path: Path) -> Rows:
    """The data of each task, and each result of its newest annotation under the control's name."""
    document = json_document(path)
    tasks = document if isinstance(document, list) else [document]
    for number, task in enumerate(tasks, start=1):
        if not isinstance(task, dict):
            yield RefusedRow(number, tr("It is not a JSON object."))
        elif not isinstance(task.get("data"), dict):
            yield _flat(number, task)
        else:
            yield _task(number, task)


def _flat(number: int, task: Mapping[str, Any]) -> ImportRow | RefusedRow:
    if "annotation_id" in task or "annotator" in task:
        return ImportRow(number, task)
    return RefusedRow(number, tr("It has no data."))


def _task(number: int, task: Mapping[str, Any]) -> ImportRow | RefusedRow:
    values = dict(task["data"])
    given = task.get("annotations") or task.get("completions") or []
    annotations = [a for a in given if isinstance(a, dict)] if isinstance(given, list) else []
    kept = [a for a in annotations if not (a.get("was_cancelled") or a.get("skipped"))]
    if annotations and not kept:
        return RefusedRow(number, tr("Its annotation was cancelled."))
    if kept:
        newest = max(kept, key=lambda a: str(a.get("updated_at") or a.get("created_at") or ""))
        for name, value in _results(newest):
            # the annotation corrects the data, so it wins over a column of the same name
            values[name] = value
    return ImportRow(number, values)


def _results(annotation: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    results = annotation.get("result")
    for result in results if isinstance(results, list) else []:
        value = result.get("value") if isinstance(result, dict) else None
        if not isinstance(value, dict):
            continue
        for kind in ("choices", "text", "rating", "number", "taxonomy"):
            if kind in value and "start" not in value:
                found = value[kind]
                single = isinstance(found, list) and len(found) == 1
                yield str(result.get("from_name", kind)), found[0] if single else found


# --- Super-NaturalInstructions ---------------------------------------------------------------


def is_sni(_path: Path, head: bytes) -> bool:
    """A task file: a definition and instances."""
    text = head.decode("utf-8-sig", errors="ignore")
    return text.lstrip().startswith("{") and '"Definition"' in text and '"Instances"' in text


def sni(path: Path) -> Rows:
    """Each instance with the task's definition; the first output counts, the others as well."""
    document = json_document(path)
    if not isinstance(document, dict) or not isinstance(document.get("Instances"), list):
        raise InputError(tr("“{path}” is not a task file: it has no Instances.", path=path))
    definition = document.get("Definition", "")
    if isinstance(definition, list):
        definition = "\n".join(str(part) for part in definition)
    languages = document.get("Instruction_language") or document.get("Input_language") or [""]
    language = languages[0] if isinstance(languages, list) and languages else languages
    for number, instance in enumerate(document["Instances"], start=1):
        if not isinstance(instance, dict):
            yield RefusedRow(number, tr("It is not a JSON object."))
            continue
        outputs = instance.get("output")
        outputs = outputs if isinstance(outputs, list) else [outputs]
        written = dict.fromkeys(str(o) for o in outputs if isinstance(o, str | int | float))
        values = {**instance, "definition": definition}
        values["output"], *values["alternatives"] = list(written) or [""]
        values["language"] = {"English": "en", "Chinese": "zh"}.get(str(language), "")
        yield ImportRow(number, values)
