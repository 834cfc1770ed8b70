"""Rows of annotation tools and of conversations: Label Studio, Argilla, Prodigy, doccano, ShareGPT,
OpenAI.

What a reader makes of a row stands beside what the row was: nothing of it is left out.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from core.i18n import tr
from core.sources.cell_text import in_a_row
from core.sources.chinese_text import is_chinese
from core.sources.imports.base import ImportRow, RefusedRow, Rows
from core.sources.imports.json_rows import first_object, json_lines
from core.sources.text_files import json_document

ANNOTATIONS = "annotations"
"""The column in which all annotations of a row are kept, as the file has them."""
_LATIN = 0.9


# --- Label Studio ----------------------------------------------------------------------------


def is_label_studio(_path: Path, head: bytes) -> bool:
    """A JSON list whose tasks have ``data``, or the flat form with an ``annotator``."""
    text = head.decode("utf-8-sig", errors="ignore").lstrip()
    if not text.startswith("["):
        return False
    task = '"data"' in text and ('"annotations"' in text or '"completions"' in text)
    flat = '"annotation_id"' in text and '"annotator"' in text
    bare = re.match(r'\[\s*\{\s*"data"\s*:\s*\{', text) is not None
    return task or flat or bare


def label_studio(path: Path) -> Rows:
    """The data of each task, and what most of its annotations say under each control's name; of
    as many the newest. All annotations stay in the column ``annotations``."""
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
    given = task.get(ANNOTATIONS) or task.get("completions") or []
    annotations = [a for a in given if isinstance(a, dict)] if isinstance(given, list) else []
    kept = [a for a in annotations if not (a.get("was_cancelled") or a.get("skipped"))]
    if annotations and not kept:
        return RefusedRow(number, tr("Its annotation was cancelled."))
    newest_first = sorted(
        kept, key=lambda a: str(a.get("updated_at") or a.get("created_at") or ""), reverse=True
    )
    said = [dict(_results(annotation)) for annotation in newest_first]
    # an annotation corrects the data, so it wins over a column of the same name
    values = {**task["data"], **_most_said(said)}
    data = task["data"]
    outside = {name: value for name, value in task.items() if name != "data"}
    replaced = {f"data.{name}": data[name] for name in data if values[name] != data[name]}
    return ImportRow(number, _beside(values, {**outside, **replaced}))


def _beside(values: Mapping[str, Any], outside: Mapping[str, Any]) -> dict[str, Any]:
    """The values, and what stands around them under names that are free."""
    more = {(f"task.{n}" if n in values else n): v for n, v in outside.items()}
    return {**values, **more}


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


def _most_said(said: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The most frequent answer to each question; of equally frequent ones the first."""
    names = dict.fromkeys(name for entry in said for name in entry)
    chosen: dict[str, Any] = {}
    for name in names:
        values = [entry[name] for entry in said if name in entry]
        counts = Counter(map(repr, values))
        chosen[name] = max(values, key=lambda value: counts[repr(value)])  # the first of the most
    return chosen


_RESPONSES = ".responses"


# --- Argilla ---------------------------------------------------------------------------------


def is_argilla(_path: Path, head: bytes) -> bool:
    """Records with fields, responses and suggestions, or those of Argilla 1 with an agent, or as
    they become data sets of Hugging Face, a column for each question."""
    first = first_object(head)
    keys = set(first)
    known = keys >= {"fields", "responses"} or keys >= {"annotation", "annotation_agent", "status"}
    return known or bool(_in_columns(first))


def _in_columns(record: Mapping[str, Any]) -> dict[str, list[dict[str, Any]]]:
    """The responses to each question of a record whose columns are questions, as Argilla 1 and 2
    write them; without those that were discarded."""
    found: dict[str, list[dict[str, Any]]] = {}
    for name, value in record.items():
        if not isinstance(value, list) or not value:
            continue
        if all(isinstance(v, dict) and v.keys() >= {"user_id", "value"} for v in value):
            found[name] = value
        elif name.endswith(_RESPONSES) and f"{name}.users" in record:
            states = record.get(f"{name}.status") or [""] * len(value)
            found[name.removesuffix(_RESPONSES)] = [
                {"value": said, "status": state} for said, state in zip(value, states, strict=False)
            ]
    kept = {name: [e for e in said if _counts(e)] for name, said in found.items()}
    return {name: said for name, said in kept.items() if said}


def _counts(response: Mapping[str, Any]) -> bool:
    return response.get("value") is not None and response.get("status") != "discarded"


def argilla(path: Path) -> Rows:
    """The fields of each record, and what most responses, else the suggestion, say to each
    question. Records keep their responses and suggestions as they are."""
    for row in json_lines(path):
        if isinstance(row, RefusedRow):
            yield row
            continue
        record = row.values
        fields = record.get("fields")
        if columns := _in_columns(record):
            said = [{n: e["value"]} for n, entries in columns.items() for e in entries]
            answers = _most_said(said)
            given = {name: value for name, value in record.items() if name not in answers}
            replaced = {name: value for name, value in record.items() if name in answers}
            yield ImportRow(row.line, _beside({**given, **answers}, replaced))
            continue
        if not isinstance(fields, Mapping):
            inputs = record.get("inputs")
            fields = inputs if isinstance(inputs, Mapping) else {}
            label = {"label": record["annotation"]} if record.get("annotation") is not None else {}
            yield ImportRow(row.line, _beside({**record, **fields, **label}, {}))
            continue
        answers = {**dict(_suggested(record)), **dict(_responded(record))}
        outside = {name: value for name, value in record.items() if name != "fields"}
        yield ImportRow(row.line, _beside({**fields, **answers}, outside))


def _suggested(record: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    given = record.get("suggestions")
    if isinstance(given, Mapping):
        for name, entry in given.items():
            yield str(name), entry.get("value") if isinstance(entry, Mapping) else entry
    for entry in given if isinstance(given, list) else ():
        if isinstance(entry, Mapping) and "question_name" in entry:
            yield str(entry["question_name"]), entry.get("value")


def _responded(record: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    given = record.get("responses")
    said: list[dict[str, Any]] = []
    if isinstance(given, Mapping):
        for name, entries in given.items():
            said += [{str(name): e["value"]} for e in entries or ()
                     if isinstance(e, Mapping) and _counts(e)]  # fmt: skip
    for entry in given if isinstance(given, list) else ():
        values = entry.get("values") if isinstance(entry, Mapping) else None
        if isinstance(values, Mapping) and entry.get("status") != "discarded":
            said.append({str(n): v.get("value") if isinstance(v, Mapping) else v
                         for n, v in values.items()})  # fmt: skip
    yield from _most_said(said).items()


# --- Prodigy ---------------------------------------------------------------------------------


def is_prodigy(_path: Path, head: bytes) -> bool:
    """Lines with Prodigy's hashes and what somebody answered to the task."""
    first = first_object(head)
    hashed = first.keys() & {"_input_hash", "_task_hash"}
    return bool(hashed) and first.get("answer") in ("accept", "reject", "ignore")


def prodigy(path: Path) -> Rows:
    """Tasks that were accepted: with options those that were chosen as ``key``, else the label as
    ``output``. What was rejected or skipped says nothing of what is right."""
    for row in json_lines(path):
        if isinstance(row, RefusedRow):
            yield row
            continue
        values, answer = row.values, row.values.get("answer")
        label = values.get("label")
        if answer != "accept":
            reason = tr("Its annotator did not accept it ({answer}), so nothing in it is known to "
                        "be right.", answer=str(answer)[:60])  # fmt: skip
            yield RefusedRow(row.line, reason)
        elif isinstance(values.get("options"), list):
            yield ImportRow(row.line, {"key": values.get("accept"), **values})
        elif isinstance(label, str):
            yield ImportRow(row.line, {"output": label, **values})
        else:
            reason = tr("Its labels are spans or relations, not labels of the whole text.")
            yield RefusedRow(row.line, reason)


# --- doccano ---------------------------------------------------------------------------------


def is_doccano(_path: Path, head: bytes) -> bool:
    """Lines with a text and doccano's label, or its entities; with an id, or a list of labels."""
    first = first_object(head)
    if "text" in first and _older_labels(first):
        return True
    names = first.keys() & {"label", "labels", "cats", "entities"}
    if not first.keys() & {"text", "data"} or not names:
        return False
    return "id" in first or any(isinstance(first[name], list) for name in names)


def _older_labels(row: Mapping[str, Any]) -> list[Any]:
    """What doccano 0 and 1 keep of a row's users under ``annotations``: their labels, their texts,
    or their spans as a whole."""
    given = row.get(ANNOTATIONS)
    if not isinstance(given, list) or not all(
        isinstance(part, dict) and "user" in part and part.keys() & {"label", "text"}
        for part in given
    ):
        return []
    return [
        part if "start_offset" in part else part.get("label", part.get("text")) for part in given
    ]


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
        label = label or _older_labels(values)
        if isinstance(label, list) and any(not isinstance(part, str | int) for part in label):
            yield RefusedRow(
                row.line, tr("Its labels are spans or relations, not labels of the whole text.")
            )
            continue
        if isinstance(label, list):
            values["labels_given"] = label
            label = label[0] if len(label) == 1 else in_a_row(label)
        values["label"] = label
        yield ImportRow(row.line, values)


# --- conversations ---------------------------------------------------------------------------

_ROLES = {
    "human": "user",
    "user": "user",
    "prompter": "user",
    "gpt": "assistant",
    "assistant": "assistant",
    "bot": "assistant",
    "model": "assistant",
    "chatgpt": "assistant",
    "bing": "assistant",
    "system": "system",
    "developer": "system",
}


def is_conversation(_path: Path, head: bytes) -> bool:
    """Objects with ShareGPT's ``conversations``, OpenAI's ``messages`` or Firefly's
    ``conversation``."""
    turns = _given_turns(first_object(head))
    return bool(turns) and isinstance(turns[0], dict)


def _given_turns(values: Mapping[str, Any]) -> list[Any]:
    names = ("conversations", "messages", "conversation")
    given = next((values[name] for name in names if name in values), None)
    return given if isinstance(given, list) else []


def conversations(path: Path) -> Rows:
    """Up to its last answer, each conversation as an instruction, an input and an output.

    A single question is the instruction; of a longer conversation the input is all that was said
    before the answer, and the instruction what the system was told, else to answer.
    """
    for row in json_lines(path):
        if isinstance(row, RefusedRow):
            yield row
            continue
        turns = list(_turns(_given_turns(row.values)))
        last = next((n for n in range(len(turns) - 1, -1, -1) if turns[n][0] == "assistant"), -1)
        before = [turn for turn in turns[: max(0, last)] if turn[0] != "system"]
        if last < 0 or not before:
            yield RefusedRow(row.line, tr("It has no answer to a message."))
            continue
        told = "\n".join(text for role, text in turns[:last] if role == "system")
        yield ImportRow(row.line, {**_asked(told, before), "output": turns[last][1], **row.values})


def is_turns(_path: Path, head: bytes) -> bool:
    """Rows with the turns of a person, one after another (MT-Bench)."""
    given = first_object(head).get("turns")
    return isinstance(given, list) and bool(given) and all(isinstance(t, str) for t in given)


def turn_rows(path: Path) -> Rows:
    """Each turn as a row, below the turns before it with their references; a turn is refused if it
    has no reference, or one before it has none."""
    number = 0
    for row in json_lines(path):
        if isinstance(row, RefusedRow):
            number += 1
            yield RefusedRow(number, row.reason)
            continue
        before: list[tuple[str, str]] = []
        for place, (said, reference) in enumerate(_turns_with_references(row.values), 1):
            number += 1
            before.append(("user", said))
            if not reference:
                yield RefusedRow(number, tr("It has no answer."))
            elif not all(text for _, text in before):
                yield RefusedRow(number, tr("A turn before it has no answer."))
            else:
                asked = {**_asked("", before), "output": reference, "turn": place}
                yield ImportRow(number, {**asked, **row.values})
            before.append(("assistant", reference))


def _turns_with_references(values: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Each turn of a row with its reference, which is empty where it has none."""
    given = values.get("reference", values.get("ground_truth"))
    references = [_said(answer) for answer in (given if isinstance(given, list) else [given])]
    turns = values.get("turns")
    said = [_said(turn) for turn in (turns if isinstance(turns, list) and turns else [turns])]
    return list(zip(said, [*references, *[""] * len(said)], strict=False))


def _turns(given: Sequence[Any]) -> Iterator[tuple[str, str]]:
    for turn in given:
        if isinstance(turn, Mapping):
            role = str(turn.get("role", turn.get("from", "")))
            said = {role: turn.get("content", turn.get("value"))}
            if not role:  # Firefly: a turn has what both said
                said = {str(n): v for n, v in turn.items() if str(n).lower() in _ROLES}
            for who, content in said.items():
                if text := _said(content):
                    yield _ROLES.get(who.lower(), who), text


def message_texts(given: Sequence[Any]) -> str:
    """What messages say, one below the other; where several people speak, with who says it."""
    turns = list(_turns(given))
    if any(role == "assistant" for role, _ in turns):
        return "\n\n".join(f"{role.capitalize()}: {text}" for role, text in turns)
    return "\n\n".join(text for _, text in turns)


def _said(content: Any) -> str:
    """A message's text; of OpenAI's parts those that are text."""
    if isinstance(content, list):
        parts = [part.get("text") for part in content if isinstance(part, Mapping)]
        return "\n".join(str(part) for part in parts if part)
    return "" if content is None else str(content)


def _of_latin_letters(texts: Sequence[str]) -> str:
    """``en``, or nothing for texts in other letters."""
    letters = [sign for text in texts for sign in text if sign.isalpha()]
    return "en" if sum(map(str.isascii, letters)) >= _LATIN * len(letters) else ""


def _asked(told: str, before: Sequence[tuple[str, str]]) -> dict[str, str]:
    texts = [text for _, text in before]
    chinese = any(map(is_chinese, texts))
    language = "zh" if chinese else _of_latin_letters(texts)
    if len(before) == 1:
        if not told:
            return {"instruction": texts[0], "input": "", "language": language}
        return {"instruction": told, "input": texts[0], "language": language}
    names = ("用户", "助手") if chinese else ("User", "Assistant")
    sign = "：" if chinese else ": "
    spoken = {"user": names[0], "assistant": names[1]}
    written = "\n\n".join(f"{spoken.get(role, role)}{sign}{text}" for role, text in before)
    reply = "回复下面对话中的最后一条消息。" if chinese else "Reply to the last message."
    return {"instruction": told or reply, "input": written, "language": language}
