"""From rows of somebody's file to items of a family: the field mapping, and what cannot be taken.

A mapping gives each payload field a column, several joined by line ends (``premise+hypothesis``),
or one value for all rows (``=判断情感。``).
"""

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

from pydantic import ValidationError

from core.errors import InputError
from core.families import family as family_named
from core.families.base import Family, ItemContent, first_problem
from core.i18n import tr
from core.sources.imports import ImportRow, RefusedRow, import_format, sample
from core.sources.text_files import is_damaged

Mapped = Mapping[str, str]
WHOLE_ITEMS = "items"  # the format whose rows are items already and need no mapping

# Columns that are usual for a field, the surest first; compared without case.
_USUAL: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "instruction": ("instruction", "question", "definition", "prompt", "指令", "说明"),
        "input": ("shown", "input", "text", "sentence", "context", "content", "输入", "文本"),
        "output": (
            *("output", "response", "answer", "completion", "reference", "输出", "答案"),
            *("label", "labels_given", "sentiment", "class", "标签"),
        ),
        "label": ("label", "class", "标签"),
        "text": ("text", "instruction", "sentence", "content", "文本", "指令"),
        "base": ("base", "id", "idx"),
        "second": ("second", "text2", "hypothesis", "sentence2"),
    }
)


@dataclass(frozen=True, slots=True)
class AcceptedRow:
    """A row that became an item."""

    line: int
    content: ItemContent


@dataclass(frozen=True, slots=True)
class ImportPreview:
    """The beginning of a file, and how its columns could be mapped.

    ``missing`` are the fields without which no item can be made and that ``mapping`` lacks.
    """

    path: Path
    format: str
    columns: tuple[str, ...]
    rows: tuple[ImportRow | RefusedRow, ...]
    mapping: Mapped
    missing: tuple[str, ...]
    language: str = ""
    """Language of the items where a row does not name its own; empty for one that is not known."""


@dataclass(frozen=True, slots=True)
class ImportTarget:
    """What the rows shall become. ``defaults`` are field values for rows that give none."""

    family: str
    format: str = ""
    domain: str = ""
    defaults: Mapping[str, Any] = field(default_factory=dict)

    @property
    def kind(self) -> Family:
        """The family."""
        return family_named(self.family)

    @property
    def fields(self) -> dict[str, bool]:
        """Payload fields, and whether an item needs them."""
        model = self.kind.payload_model(self.item_format)
        return {name: info.is_required() for name, info in model.model_fields.items()}

    @property
    def item_format(self) -> str:
        """The format, or the family's first."""
        return self.format or (self.kind.formats[0] if self.kind.formats else "")


def preview(path: Path, target: ImportTarget, format: str = "", sheet: str = "") -> ImportPreview:
    """The first rows of a file and the suggested mapping; errors as ``import_format``."""
    reader = import_format(path, format, sheet)
    rows = tuple(sample(path, reader))
    columns = tuple(
        dict.fromkeys(name for row in rows if isinstance(row, ImportRow) for name in row.values)
    )
    if reader.name == WHOLE_ITEMS:
        return ImportPreview(path, reader.name, columns, rows, {}, ())
    mapping = suggested(columns, target)
    return ImportPreview(path, reader.name, columns, rows, mapping, lacking(mapping, target))


def suggested(columns: Sequence[str], target: ImportTarget) -> dict[str, str]:
    """For each field the column of its own name, else the most usual one that is there."""
    plain = {name.strip().casefold(): name for name in reversed(columns)}
    mapping: dict[str, str] = {}
    for name in target.fields:
        usual = _USUAL.get(name, ())
        # where a reader joined a pair for showing, the joined text is the input
        names = usual if usual[:1] == ("shown",) else (name, *usual)
        column = next((plain[n] for n in names if n in plain), None)
        if column is not None:
            mapping[name] = column
    return mapping


def instructions_of(
    rows: Sequence[ImportRow | RefusedRow], mapping: Mapped, target: ImportTarget
) -> list[str]:
    """What some rows ask for, by which the language of a file is told."""
    source = mapping.get("instruction") or mapping.get("text", "")
    told = (_text(_value(row.values, source)) for row in rows if isinstance(row, ImportRow))
    usual = _text(target.defaults.get("instruction"))
    return [text or usual for text in told]


def lacking(mapping: Mapped, target: ImportTarget) -> tuple[str, ...]:
    """Needed fields that neither the mapping nor the defaults give."""
    return tuple(
        name
        for name, needed in target.fields.items()
        if needed and name not in mapping and not target.defaults.get(name)
    )


def check_mapping(mapping: Mapped, columns: Sequence[str], target: ImportTarget) -> None:
    """InputError for a field the family does not have, a column the file does not have, a lack."""
    known = target.fields
    for name, source in mapping.items():
        if name not in known:
            raise InputError(
                tr(
                    "There is no field “{field}” in this family. Available: {known}.",
                    field=name,
                    known=", ".join(known),
                )
            )
        for column in _columns_of(source, columns):
            if column not in columns:
                raise InputError(
                    tr(
                        "The file has no column “{column}”. Available: {known}.",
                        column=column,
                        known=", ".join(columns) or "–",
                    )
                )
    if lack := lacking(mapping, target):
        raise InputError(
            tr(
                "No column of the file is mapped to {fields}. Its columns are: {known}. Map "
                "them with --map FIELD=COLUMN, or set one value for all rows with --map "
                "FIELD==VALUE.",
                fields=", ".join(lack),
                known=", ".join(columns) or "–",
            )
        )


def _columns_of(source: str, columns: Sequence[str]) -> tuple[str, ...]:
    if source.startswith("="):
        return ()
    return (source,) if source in columns or "+" not in source else tuple(source.split("+"))


def read(
    path: Path, target: ImportTarget, mapping: Mapped, format: str = "", sheet: str = ""
) -> Iterator[AcceptedRow | RefusedRow]:
    """Every row of a file, as an item or with the reason why not, in the order of the file.

    Raises InputError for a file that is not of the format.
    """
    reader = import_format(path, format, sheet)
    for row in reader.rows(Path(path)):
        if isinstance(row, RefusedRow):
            yield row
            continue
        whole_items = reader.name == WHOLE_ITEMS
        item = _whole(row, target) if whole_items else _mapped(row, target, mapping, path.name)
        yield item if isinstance(item, AcceptedRow) else RefusedRow(row.line, item)


def _whole(row: ImportRow, target: ImportTarget) -> AcceptedRow | str:
    values = row.values
    if not isinstance(values.get("payload"), dict) or "family" not in values:
        return tr("It is not an item: family or payload is missing.")
    if values["family"] != target.family:
        return tr(
            "It belongs to the family “{family}”, but the task to “{other}”.",
            family=values["family"],
            other=target.family,
        )
    format = str(values.get("format", ""))
    if target.format and format != target.format:
        return tr("It has the format “{format}”, but the task has “{other}”.", format=format,
                  other=target.format)  # fmt: skip
    if problem := _unstorable(values):
        return problem
    provenance = values.get("provenance")
    content = ItemContent(
        family=target.family,
        format=format,
        payload=values["payload"],
        provenance=provenance if isinstance(provenance, dict) else {},
        domain=str(values.get("domain", "")),
    )
    stated = values.get("content_hash")
    if stated and stated != content.content_hash:
        return tr("Its content does not match its content hash.")
    if problem := _misfit(target.kind, content):
        return problem
    return AcceptedRow(row.line, content)


def _misfit(kind: Family, content: ItemContent) -> str:
    try:
        kind.payload_model(content.format).model_validate_json(json.dumps(dict(content.payload)))
    except InputError as error:
        return str(error)
    except ValidationError as error:
        return first_problem(error)
    return ""


def _mapped(row: ImportRow, target: ImportTarget, mapping: Mapped, file: str) -> AcceptedRow | str:
    payload: dict[str, Any] = {}
    for name, needed in target.fields.items():
        value = _value(row.values, mapping.get(name, ""))
        if value in (None, "", []):
            value = target.defaults.get(name)
        if value is None:
            if needed:
                return tr("The field “{field}” is empty.", field=name)
            continue
        payload[name] = value
    if problem := _unstorable(payload):
        return problem
    model = target.kind.payload_model(target.item_format)
    payload = {name: _fitted(value, model.model_fields[name]) for name, value in payload.items()}
    try:
        made = model.model_validate_json(json.dumps(payload))
    except ValidationError as error:
        return first_problem(error)
    whole = made.model_dump(mode="json")
    for name, needed in target.fields.items():
        if needed and isinstance(whole[name], str) and not whole[name].strip():
            return tr("The field “{field}” is empty.", field=name)
    provenance = {
        "file": str(row.values.get("file") or file),
        "line": row.values.get("row") or row.line,
    }
    content = ItemContent(target.family, target.item_format, whole, provenance, target.domain)
    return AcceptedRow(row.line, content)


def _value(values: Mapping[str, Any], source: str) -> Any:
    if not source:
        return None
    if source.startswith("="):
        return source[1:]
    columns = _columns_of(source, tuple(values))
    if len(columns) == 1:
        return values.get(columns[0])
    parts = [_text(values.get(column)) for column in columns]
    return "\n".join(part for part in parts if part)


def _text(value: Any) -> str:
    """A cell as text; whole floats (a column of numbers with gaps) lose their ``.0``."""
    if value is None:
        return ""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return value if isinstance(value, str) else str(value)


def _fitted(value: Any, info: Any) -> Any:
    """Numbers become text where text is wanted, one text a list where a list is wanted."""
    wants_text = info.annotation is str
    if wants_text and isinstance(value, int | float) and not isinstance(value, bool):
        return _text(value)
    if wants_text and isinstance(value, list) and all(isinstance(v, str | int) for v in value):
        return "、".join(str(part) for part in value)
    if "tuple" in str(info.annotation) and isinstance(value, str):
        text = value.strip()
        separator = next((sign for sign in ("|", "、", ";", "；", ",", "，") if sign in text), None)
        return [part.strip() for part in text.split(separator) if part.strip()]
    return value


def _unstorable(value: Any) -> str:
    """Why no database keeps such a value; empty where nothing is wrong."""
    if isinstance(value, str):
        if "\x00" in value:
            return tr("It contains a NUL character, which is not allowed in texts.")
        if is_damaged(value):
            return tr("It contains half a character (an unpaired surrogate).")
        return ""
    if isinstance(value, float) and not math.isfinite(value):
        return tr("It contains a number that is not finite.")
    parts: list[Any] = []
    if isinstance(value, Mapping):
        parts = [*value.keys(), *value.values()]
    elif isinstance(value, list | tuple):
        parts = list(value)
    return next((problem for part in parts if (problem := _unstorable(part))), "")
