"""From rows of somebody's file to items of a family: the field mapping, and what cannot be taken.

A mapping gives each payload field a column, a field of a column that holds objects
(``question.stem``), several columns joined by line ends or to a list (``premise+hypothesis``), or
one value for all rows (``=判断情感。``). What a row has beside its payload stays in its
provenance, so that no column is lost unless somebody says so (``drop``).
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import ValidationError

from core.errors import InputError
from core.families import family as family_named
from core.families.base import COLUMNS, Defect, Family, ItemContent, first_problem
from core.families.payload import Payload, fitted, mapped_columns, mapped_value
from core.families.shared_source import source_field
from core.files import canonical_bytes
from core.i18n import listed, tr
from core.sources.cell_text import cell_text
from core.sources.imports import ImportRow, RefusedRow, import_format, sample
from core.sources.imports.exported_rows import SHOWN_ANSWER, with_items
from core.sources.labelled.known_labels import known_question
from core.sources.packed import unpacked
from core.sources.storable import unstorable
from core.sources.text_columns import examples_of, is_said_in, running_texts
from core.sources.usual_columns import usual_columns

Mapped = Mapping[str, str]
WHOLE_ITEMS = "items"  # the format whose rows are items already and need no mapping
INSTRUCTIONS = "instruction"
"""The family of files that none of the others knows."""
BANKS = {"gift", "moodle"}  # formats of questions with options, and of others, in one file
_TAGGED = ("conll", "webanno", "brat")
_OF_INSTRUCTIONS = frozenset(
    {"tweeteval", "glue", "sni", "cif", "doccano", "messages", "mt-bench", "intents", *_TAGGED}
)
_ITEM_FIELDS = frozenset({"family", "format", "domain", "content_hash", "payload", "provenance"})
_PLACE_FIELDS = frozenset({"uid", "revision", "position", "task"})  # of an item in a split
_TESTS = re.compile(  # columns of tests that judge a program (HumanEval, MBPP, APPS)
    r"(?:\w*_)?(?:unit_?)?tests?(?:_list|_cases|_code)?|input_output", re.IGNORECASE
)
_SHOWN, _LISTS = 20, (list, tuple)
_TEXT = frozenset((str,))
_SPELLED_ALIKE = frozenset((str, bool, int, type(None)))  # in a payload and in its JSON
_EMPTY: tuple[Any, ...] = (None, "", [], {})


class AcceptedRow(NamedTuple):
    """A row that became an item. ``dropped`` are columns left out because somebody said so,
    ``defects`` what its check found; None before it was checked."""

    line: int
    content: ItemContent
    dropped: tuple[str, ...] = ()
    defects: tuple[Defect, ...] | None = None


@dataclass(frozen=True, slots=True)
class ImportPreview:
    """The beginning of a file, and how its columns could be mapped to the fields of a family.

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
    family: str = INSTRUCTIONS
    item_format: str = ""
    label_space: tuple[str, ...] = ()
    """The labels that were read from the file, where nobody gave them."""


@dataclass(frozen=True)
class ImportTarget:
    """What the rows shall become. ``defaults`` are field values for rows that give none, ``drop``
    columns that are not kept, ``source`` the one that names what rows share."""

    family: str
    format: str = ""
    domain: str = ""
    defaults: Mapping[str, Any] = field(default_factory=dict)
    drop: tuple[str, ...] = ()
    source: str = ""

    @cached_property
    def kind(self) -> Family:
        """The family."""
        return family_named(self.family)

    @cached_property
    def model(self) -> type[Payload]:
        """The model of a payload."""
        return self.kind.payload_model(self.item_format)

    @cached_property
    def infos(self) -> Mapping[str, Any]:
        """What the model says of each payload field: its ``FieldInfo``."""
        return dict(self.model.model_fields)

    @cached_property
    def fields(self) -> dict[str, bool]:
        """Payload fields, and whether an item needs them."""
        return {name: info.is_required() for name, info in self.infos.items()}

    @cached_property
    def needed(self) -> tuple[str, ...]:
        """Payload fields without which there is no item."""
        return tuple(name for name, needed in self.fields.items() if needed)

    @cached_property
    def texts(self) -> frozenset[str]:
        """Payload fields that hold one text each."""
        return frozenset(name for name, info in self.infos.items() if info.annotation is str)

    @cached_property
    def lists(self) -> frozenset[str]:
        """Payload fields that hold lists."""
        fields = self.infos.items()
        return frozenset(name for name, info in fields if "tuple" in str(info.annotation))

    @cached_property
    def item_format(self) -> str:
        """The format, or the family's first."""
        return self.format or (self.kind.formats[0] if self.kind.formats else "")


@dataclass(frozen=True, slots=True)
class FileRows:
    """The rows of a file, or some of them; ``format`` is that of the whole file."""

    path: Path
    format: str
    rows: tuple[ImportRow | RefusedRow, ...]


def load(path: Path, format: str = "", sheet: str = "") -> FileRows:
    """All rows of a file, packed or not; errors as ``import_format``."""
    with unpacked(path) as inner:
        reader = import_format(inner, format, sheet)
        exported, rows = with_items(reader.rows(inner))
        return FileRows(path, WHOLE_ITEMS if exported else reader.name, tuple(rows))


def rows_of(path: Path, format: str = "", sheet: str = "") -> Iterator[ImportRow | RefusedRow]:
    """The rows of a file one by one, packed or not; errors as ``import_format``."""
    with unpacked(path) as inner:
        yield from import_format(inner, format, sheet).rows(inner)


def beginning(path: Path, format: str = "", sheet: str = "") -> FileRows:
    """The first rows of a file, packed or not; errors as ``import_format``."""
    with unpacked(path) as inner:
        reader = import_format(inner, format, sheet)
        exported, rows = with_items(sample(inner, reader))
        return FileRows(path, WHOLE_ITEMS if exported else reader.name, tuple(rows))


def recognised(first: FileRows, mapping: Mapped | None = None) -> str:
    """The family that rows are of by themselves: of whole items their own, of questions with
    options or with answers theirs, of others that of instructions. It has all fields that a
    ``mapping`` names."""
    rows = [row.values for row in first.rows if isinstance(row, ImportRow)]
    if first.format == WHOLE_ITEMS:
        return next((str(row["family"]) for row in rows if "family" in row), INSTRUCTIONS)
    if first.format in _OF_INSTRUCTIONS:
        return INSTRUCTIONS
    examples = examples_of(rows)
    told = {name.strip().casefold() for name in examples} & {"instruction", "指令", "definition"}
    given = mapping or {}
    fitting = [
        (target, {**target.kind.suggest(examples), **given})
        for target in map(ImportTarget, () if told else ("choice", "answer"))
        if set(given) <= set(target.fields)
        and (target.family != "choice" or _mostly_choices(rows, given))
    ]
    for target, found in fitting:
        if not missing_fields(found, target):
            return target.family
    instructions = ImportTarget(INSTRUCTIONS)
    if missing_fields(
        {**suggested(tuple(examples), instructions, examples), **given}, instructions
    ):
        # what is lacking is asked for in the words of the family that the rows come nearest to
        for target, found in fitting:
            asks = "question" in found or found.get("options", "").count("+") > 1  # not of a pair
            if asks and missing_fields(found, target) in (("key",), ("answers",), ("question",)):
                return target.family
    return max((INSTRUCTIONS, "answer", "choice"), key=lambda name: _named_by(given, name))


def _named_by(mapping: Mapped, family: str) -> int:
    """How many fields of a family a mapping names, rightly or nearly."""
    fields = ImportTarget(family).fields
    return sum(bool(get_close_matches(name, fields, 1, 0.8)) for name in mapping)


def _mostly_choices(rows: Sequence[Mapping[str, Any]], mapping: Mapped | None = None) -> bool:
    """Whether at least half of the rows are questions with options, or none is for a reason that
    is to be told of each."""
    target = ImportTarget("choice")
    found = {**target.kind.suggest(examples_of(rows)), **(mapping or {})}
    try:
        made = target.kind.from_columns([_fields(row, target, found) for row in rows])
    except InputError:  # keys that are to be explained
        return True
    sound = sum(not isinstance(row, str) for row in made)
    if found.get("options") == found.get("question"):
        return sound == len(made)  # what they ask for else is not a choice
    return not sound or 2 * sound >= len(rows)


def preview(path: Path, target: ImportTarget, format: str = "", sheet: str = "") -> ImportPreview:
    """The first rows of a file and the suggested mapping; errors as ``import_format``."""
    return preview_of(beginning(path, format, sheet), target)


def preview_of(first: FileRows, target: ImportTarget) -> ImportPreview:
    """The suggested mapping for rows, of which the first are shown."""
    rows = first.rows[:_SHOWN]
    values = [row.values for row in first.rows if isinstance(row, ImportRow)]
    examples = examples_of(values)
    columns = tuple(examples)
    kind = ("", target.family, target.item_format)
    if first.format == WHOLE_ITEMS:
        return ImportPreview(first.path, first.format, columns, rows, {}, (), *kind)
    mapping = suggested(columns, target, examples)
    missing = missing_fields(mapping, target)
    if missing == ("instruction",) and "output" in mapping:
        mapping |= known_question(values, mapping["output"], first.path)
        missing = missing_fields(mapping, target)
    return ImportPreview(first.path, first.format, columns, rows, mapping, missing, *kind)


def suggested(
    columns: Sequence[str], target: ImportTarget, examples: Mapping[str, Any] | None = None
) -> dict[str, str]:
    """What the family finds by looking at ``examples``, else the usual columns of its fields."""
    if found := target.kind.suggest(examples or {}):
        return dict(found)
    return usual_columns(columns, target.fields, examples or {})


def instructions_of(
    rows: Sequence[ImportRow | RefusedRow], mapping: Mapped, target: ImportTarget
) -> list[str]:
    """What some rows ask for, by which the language of a file is told."""
    names = ("instruction", "text", "question")
    source = next((mapping[name] for name in names if mapping.get(name)), "")
    values = [row.values for row in rows if isinstance(row, ImportRow)]
    told = [cell_text(mapped_value(row, source, listed=False)) for row in values]
    if "passage" in mapping and all(text.isascii() and text.isalpha() for text in told):
        # COPA's questions are single words
        told = [cell_text(mapped_value(row, mapping["passage"], listed=False)) for row in values]
    usual = cell_text(target.defaults.get("instruction"))
    return [text or usual for text in told]


def missing_fields(mapping: Mapped, target: ImportTarget) -> tuple[str, ...]:
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
            raise InputError.tr(
                "Items of the family {family} have no field “{field}”. Their fields are: {known}.",
                family=target.family,
                field=name,
                known=listed(known),
            )
        for column in mapped_columns(source, columns):
            if column not in columns and column.partition(".")[0] not in columns:
                raise InputError(
                    tr(
                        "The file has no column “{column}”. Available: {known}.",
                        column=column,
                        known=listed(columns) or "–",
                    ),
                    field=name,
                )
    for column in (*target.drop, *((target.source,) if target.source else ())):
        if column not in columns:
            raise InputError.tr(
                "The file has no column “{column}”. Available: {known}.", column=column,
                known=listed(columns) or "–"
            )  # fmt: skip
    if lack := missing_fields(mapping, target):
        if sentence := _unanswered(lack, mapping, columns):
            raise InputError(sentence)
        raise InputError.tr(
            "No column of the file is mapped to {fields}. Its columns are: {known}. Map "
            "them with --map FIELD=COLUMN, or set one value for all rows with --map "
            "FIELD==VALUE.",
            fields=listed(lack),
            known=listed(columns) or "–",
        )


def refuse_equal_items(preview: ImportPreview, target: ImportTarget) -> None:
    """InputError where the instruction is one for all rows, and no column is beside it."""
    mapping, columns = preview.mapping, preview.columns
    told = mapping.get("instruction", "=" if target.defaults.get("instruction") else "")
    if "input" not in target.fields or mapping.get("input"):
        return
    if told.startswith("=") or (told and _says_the_same(told, preview)):
        raise InputError(
            tr("Every item would ask the same: no column was found that says what each is about. "
               "Choose one of {known}, or join several.", known=listed(columns) or "–"),
            command=tr("Write --map input=COLUMN; --map input=A+B joins two."),
            field="input",
        )  # fmt: skip


def _says_the_same(source: str, preview: ImportPreview) -> bool:
    """Whether a column is the same in all rows, and a text that none of the others is stands
    beside it."""
    rows = [row.values for row in preview.rows if isinstance(row, ImportRow)]
    taken = {name for told in preview.mapping.values() for name in mapped_columns(told, ())}
    said = {cell_text(mapped_value(row, source, listed=False)) for row in rows}
    return len(rows) > 1 == len(said) and any(running_texts(examples_of(rows), taken))


def _unanswered(lack: tuple[str, ...], mapping: Mapped, columns: Sequence[str]) -> str:
    """Of questions whose answers are missing, and of texts that come without a task, what to do."""
    known = listed(columns)
    tests = [name for name in columns if _TESTS.fullmatch(name)]
    if lack == ("answers",) and tests:
        return tr(
            "Answers to the questions in this file are judged by tests ({columns}), but no "
            "program is run here. To compare them with texts instead, name the column: --map "
            "answers=COLUMN.",
            columns=listed(tests),
        )
    if lack in (("key",), ("answers",)) and "question" in mapping:
        return tr(
            "The file has questions, but none of its columns is known to hold the right answers: "
            "{known}. Name it with --map {field}=COLUMN. Questions whose answers are kept secret "
            "cannot be imported.",
            known=known,
            field=lack[0],
        )
    if lack == ("instruction", "output"):
        return tr("No column of the file has a name that is known: {known}. Say what they hold: "
                  "--map question=COLUMN --map answers=COLUMN for questions with answers, "
                  "--map question=COLUMN --map options=A+B+C+D --map key=COLUMN for those with "
                  "options, --map instruction=COLUMN --map output=COLUMN for tasks of other kinds. "
                  "Where these are no names but a row, put a line of names above it.",
                  known=known)  # fmt: skip
    if lack == ("instruction",) and "output" in mapping:
        return tr(
            "The file has texts and answers, but no column says what is to be done with a text: "
            '{known}. State it for all rows, as in --map "instruction==Is this review positive or '
            'negative?", or name a column with --map instruction=COLUMN.',
            known=known,
        )
    return ""


def refuse_lost_options(first: FileRows, mapping: Mapped, target: ImportTarget) -> None:
    """InputError where the rows are questions with options and the items would have none."""
    if "options" in target.fields or first.format in _OF_INSTRUCTIONS | BANKS:
        return
    rows = [row.values for row in first.rows if isinstance(row, ImportRow)]
    examples = examples_of(rows)
    found = ImportTarget("choice").kind.suggest(examples)
    if missing_fields(found, ImportTarget("choice")) or not _mostly_choices(rows):
        return
    options = [name.partition(".")[0] for name in found["options"].split("+")]
    used = {
        column.partition(".")[0]
        for source in mapping.values()
        for column in mapped_columns(source, tuple(examples))
    }
    left = [name for name in dict.fromkeys(options) if name not in used | set(target.drop)]
    if left:
        raise InputError(
            tr("The file has questions with options ({columns}), which items of the task do not "
               "have. Import it into a task of multiple-choice questions.",
               columns=listed(left)),
            command=tr("Give --family choice with a new task, or leave the options out with "
                       "--drop."),
        )  # fmt: skip


def read(
    path: Path, target: ImportTarget, mapping: Mapped, format: str = "", sheet: str = ""
) -> Iterator[AcceptedRow | RefusedRow]:
    """Every row of a file, as an item or with the reason why not, in the order of the file.

    Rows are read as they are asked for, unless the family has to see all of them first
    (``Family.from_columns``). Raises InputError for a file that is not of the format.
    """
    with unpacked(path) as inner:
        reader = import_format(inner, format, sheet)
        exported, rows = with_items(reader.rows(inner))
        name = WHOLE_ITEMS if exported else reader.name
        yield from _read(rows, path, name, target, mapping)


def read_rows(
    file: FileRows, target: ImportTarget, mapping: Mapped
) -> Iterator[AcceptedRow | RefusedRow]:
    """As ``read``, of rows that were loaded."""
    return _read(file.rows, file.path, file.format, target, mapping)


def _read(
    rows: Iterable[ImportRow | RefusedRow],
    path: Path,
    format: str,
    target: ImportTarget,
    mapping: Mapped,
) -> Iterator[AcceptedRow | RefusedRow]:
    whole_items, name = format == WHOLE_ITEMS, path.name
    fields: Iterator[Mapping[str, Any] | str] | None = None
    if not whole_items and type(target.kind).from_columns is not Family.from_columns:
        rows = list(rows)
        found = [row for row in rows if isinstance(row, ImportRow)]
        raw = [_fields(row.values, target, mapping) for row in found]
        fields = iter(target.kind.from_columns(raw))
    for row in rows:
        if isinstance(row, RefusedRow):
            yield row
            continue
        if whole_items:
            item = _whole(row, target)
        else:
            given = _fields(row.values, target, mapping) if fields is None else next(fields)
            item = given if isinstance(given, str) else _mapped(row, given, target, mapping, name)
        yield item if isinstance(item, AcceptedRow) else RefusedRow(row.line, item)


def _fields(values: Mapping[str, Any], target: ImportTarget, mapping: Mapped) -> dict[str, Any]:
    """What the mapping finds for each field of the payload."""
    found: dict[str, Any] = {}
    for name in target.fields:
        source = mapping.get(name)
        value = mapped_value(values, source, listed=name in target.lists) if source else None
        if not value and value in _EMPTY:
            value = target.defaults.get(name)
        if value is not None:
            found[name] = value
    return found


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
    if problem := unstorable(values):
        return problem
    given = values.get("provenance")
    provenance = dict(given) if isinstance(given, dict) else {}
    own = _ITEM_FIELDS | _PLACE_FIELDS | {SHOWN_ANSWER, *target.drop}
    if more := {name: value for name, value in values.items() if name not in own}:
        provenance[COLUMNS] = {**provenance.get(COLUMNS, {}), **more}
    domain = str(values.get("domain", ""))
    content = ItemContent(target.family, format, values["payload"], provenance, domain)
    stated = values.get("content_hash")
    if stated and stated != content.content_hash:
        return tr("Its content does not match its content hash.")
    if problem := _misfit(target.kind, content):
        return problem
    shown = values.get(SHOWN_ANSWER)
    key = target.kind.key(content)
    if isinstance(shown, str) and shown.strip() and shown.split() != key.split():
        return tr("The answer that its row shows is not that of the item beside it. Change the "
                  "item and not the row.")  # fmt: skip
    return AcceptedRow(row.line, content)


def _misfit(kind: Family, content: ItemContent) -> str:
    try:
        kind.payload_model(content.format).model_validate_json(
            canonical_bytes(dict(content.payload))
        )
    except InputError as error:
        return str(error)
    except ValidationError as error:
        return first_problem(error)
    return ""


def _mapped(
    row: ImportRow, fields: Mapping[str, Any], target: ImportTarget, mapping: Mapped, file: str
) -> AcceptedRow | str:
    for name in target.needed:
        if name not in fields:
            return tr("The field “{field}” is empty.", field=name)
    if fields.get("output") == "-" and "label" in mapping.get("output", "").casefold():
        return tr("Its label is “-”: nobody agreed on one (SNLI, MNLI, OCNLI).")
    values = row.values
    own = {n: v for n, v in fields.items() if v is not values.get(mapping.get(n, ""))}
    if problem := unstorable((own, dict(values))):
        return problem
    try:
        made = _made(fields, target)
    except ValidationError as error:
        return first_problem(error)
    whole = _as_json(made)
    for name in target.needed:
        if isinstance(whole[name], str) and not whole[name].strip():
            return tr("The field “{field}” is empty.", field=name)
    provenance: dict[str, Any] = {"file": row.file or file, "line": row.row or row.line}
    kept, dropped = _beside(values, whole, target, mapping)
    if kept:
        provenance[COLUMNS] = kept
    if kept or target.source:
        provenance |= source_field(values, kept, provenance["file"], target.source)
    content = ItemContent(target.family, target.item_format, whole, provenance, target.domain)
    content.keep_model(made)
    return AcceptedRow(row.line, content, dropped)


def _made(fields: Mapping[str, Any], target: ImportTarget) -> Payload:
    """The payload of some fields; pydantic's ValidationError where one is not as it should be."""
    if target.texts.issuperset(fields) and _TEXT.issuperset(map(type, fields.values())):
        return target.model.model_validate(fields)  # there is nothing to be fitted
    payload = {name: fitted(value, target.infos[name]) for name, value in fields.items()}
    return target.model.model_validate_json(canonical_bytes(payload))


def _as_json(payload: Payload) -> dict[str, Any]:
    """A payload as pydantic dumps it, in half the time where it holds hardly more than texts."""
    whole: dict[str, Any] = {}
    for name, value in vars(payload).items():
        if type(value) in _SPELLED_ALIKE:
            whole[name] = value
        elif value == ():
            whole[name] = []
        else:
            return payload.model_dump(mode="json")
    return whole


@lru_cache(maxsize=256)  # most rows of a file have the same columns
def _used(sources: tuple[str, ...], columns: tuple[str, ...]) -> frozenset[str]:
    """The columns that a mapping takes its fields from."""
    return frozenset(name for source in sources for name in mapped_columns(source, columns))


def _beside(
    values: Mapping[str, Any], payload: Mapping[str, Any], target: ImportTarget, mapping: Mapped
) -> tuple[dict[str, Any], tuple[str, ...]]:
    """What a row has that its payload does not say: what is kept of it, and what is dropped."""
    used = _used(tuple(mapping.values()), tuple(values))
    whole = payload.values()
    # most columns are a field of the payload as they are
    values = {
        name: value
        for name, value in values.items()
        if not (name in used and type(value) is str and value in whole)
    }
    if not values:
        return {}, ()
    said = [text for part in whole for text in (part if isinstance(part, _LISTS) else [part])]
    texts = [text.strip() for text in said if isinstance(text, str)]
    kept: dict[str, Any] = {}
    dropped: list[str] = []
    for name, value in values.items():
        if (not value and value in _EMPTY) or (name in used and is_said_in(value, texts)):
            continue
        if name in target.drop:
            dropped.append(name)
        else:
            kept[name] = value
    return kept, tuple(dropped)
