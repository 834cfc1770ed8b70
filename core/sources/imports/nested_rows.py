"""Questions, or sentences with a label each, that stand below the text that they are about: DROP,
CMRC 2018, MRQA, MultiRC, ReCoRD, QuALITY, TAT-QA, StereoSet, C3, CoQA; and questions in one list
beside their answers in another (L-Eval)."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from core.errors import InputError
from core.i18n import tr
from core.sources.cell_text import cell_lines, cell_text, in_a_row
from core.sources.imports.base import ImportRow, RefusedRow, Rows
from core.sources.imports.json_rows import rows_inside
from core.sources.json_tables import with_surroundings
from core.sources.text_files import json_document

_LISTS = ("qa_pairs", "qas", "questions", "sentences")
_LISTED = re.compile(r'"(?:qa_pairs|qas)"|"(?:questions|sentences)"\s*:\s*\[\s*\{')
_SIDE_BY_SIDE = (("instructions", "outputs"), ("questions", "answers"))
_TWO_LISTS = tuple(
    [re.compile(rf'"{name}"\s*:\s*\[\s*"') for name in pair] for pair in _SIDE_BY_SIDE
)
_ANSWER = {"number", "date", "spans"}


def is_nested(_path: Path, head: bytes) -> bool:
    """Objects with a list of questions under one of its usual names."""
    text = head.decode("utf-8-sig", errors="ignore").lstrip()
    if text[:1] not in ("{", "["):
        return False
    if all(f'"{name}"' in text for name in ("story", "input_text", "turn_id")):
        return True
    beside = any(all(name.search(text) for name in pair) for pair in _TWO_LISTS)
    return beside or _LISTED.search(text) is not None


def nested_rows(path: Path) -> Rows:
    """One row a question, with its text and what else stands around it."""
    return rows_inside(path, _questions)


def _questions(values: Mapping[str, Any]) -> Iterator[dict[str, Any] | str]:
    """Rows, or in words why there is none; of objects under their ids, those of each."""
    passage = values.get("passage")
    if isinstance(passage, dict) and "text" in passage:  # MultiRC, ReCoRD
        rest = {name: value for name, value in passage.items() if name != "text"}
        values = with_surroundings({**values, "passage": passage["text"]}, rest)
    if "story" in values and (turns := _of_dialogue(values)):
        yield from turns
        return
    pair = next((pair for pair in _SIDE_BY_SIDE if values.keys() >= {*pair}), ("", ""))
    if (rows := _beside_answers(values, *pair)) is not None:
        yield from rows
        return
    name = next((name for name in _LISTS if isinstance(values.get(name), list)), "")
    if not name:
        sections = {n: v for n, v in values.items() if isinstance(v, dict) and v.keys() & {*_LISTS}}
        for section, inner in sections.items():
            yield from _questions(with_surroundings(inner, {"id": section}))
        if len(sections) < max(1, len(values)):
            yield tr("It has no questions.")
        return
    about = {n: v for n, v in values.items() if n != name} | _table_and_paragraphs(values)
    for question in values[name]:
        if isinstance(question, dict):
            answers = {**_drop_answers(question), **_scaled(question)}
            yield with_surroundings({**answers, **question}, about)
        else:
            yield tr("It is not a JSON object.")


def _beside_answers(
    values: Mapping[str, Any], asked: str, given: str
) -> list[dict[str, Any]] | None:
    """A row for each of a list of questions with the answer at its place in another list; of
    columns of such, the row itself. None for anything else."""
    questions, answers = values.get(asked), values.get(given)
    if isinstance(questions, str):
        return [dict(values)]
    if not isinstance(questions, list) or not isinstance(answers, list):
        return None
    if len(questions) != len(answers) or not all(isinstance(text, str) for text in questions):
        return None
    about = {n: v for n, v in values.items() if n not in (asked, given)}
    if isinstance(about.get("input"), str):
        about["passage"] = about.pop("input")
    pairs = zip(questions, answers, strict=True)
    return [with_surroundings({"question": q, "answer": a}, about) for q, a in pairs]


def _of_dialogue(values: Mapping[str, Any]) -> list[dict[str, Any]]:
    """A row for each turn of a dialogue about a story (CoQA), asked with the turns before it, which
    say who and what is meant; its answers are those of all who answered."""
    turns, answers = values.get("questions"), values.get("answers")
    others = values.get("additional_answers")
    more = list(others.values()) if isinstance(others, dict) else []
    if not isinstance(turns, list) or not isinstance(answers, list) or len(turns) != len(answers):
        return []
    given = [answers, *(m for m in more if isinstance(m, list) and len(m) == len(turns))]
    if not all(
        isinstance(part, dict) and "input_text" in part for m in (turns, *given) for part in m
    ):
        return []
    done = ("story", "questions", "answers", "additional_answers")
    about = {"passage": values["story"], **{n: v for n, v in values.items() if n not in done}}
    rows: list[dict[str, Any]] = []
    said: list[str] = []
    for place, (turn, answer) in enumerate(zip(turns, answers, strict=True)):
        asked = str(turn["input_text"]).strip()
        texts = dict.fromkeys(str(m[place]["input_text"]).strip() for m in given)
        beside = {n: v for n, v in {**answer, **turn}.items() if n != "input_text"}
        whole = "\n".join([*said, f"Q: {asked}"]) if said else asked
        rows.append(with_surroundings({"question": whole, "answers": list(texts), **beside}, about))
        said += [f"Q: {asked}", f"A: {str(answer['input_text']).strip()}"]
    return rows


def _table_and_paragraphs(values: Mapping[str, Any]) -> dict[str, str]:
    """The passage of what has a table and paragraphs (TAT-QA): the table with a line for each row,
    and below it the paragraphs."""
    table, paragraphs = values.get("table"), values.get("paragraphs")
    if not isinstance(table, dict) or not isinstance(paragraphs, list):
        return {}
    texts = [str(part["text"]) for part in paragraphs if isinstance(part, dict) and "text" in part]
    return {"passage": "\n\n".join([cell_lines(table.get("table")), *texts])}


def _scaled(question: Mapping[str, Any]) -> dict[str, list[str]]:
    """The answer of a question that has a scale (TAT-QA), with it; all spans of several are one."""
    if "scale" not in question or "answer" not in question:
        return {}
    given, scale = question["answer"], str(question["scale"])
    text = in_a_row(given) if isinstance(given, list) else cell_text(given)
    sign = "%" if scale == "percent" else f" {scale}" if scale else ""
    return {"answers": [text if text.endswith(sign) else text + sign]}


def _drop_answers(question: Mapping[str, Any]) -> dict[str, list[str]]:
    """The answers of a question of DROP: its own and those of who validated it, each as one text
    of all its spans, a date or a number."""
    validated = question.get("validated_answers")
    given = [question.get("answer"), *(validated if isinstance(validated, list) else ())]
    known = [entry for entry in given if isinstance(entry, dict) and entry.keys() >= _ANSWER]
    texts = [text for text in map(_drop_text, known) if text]
    return {"answers": list(dict.fromkeys(texts))} if known else {}


def _drop_text(answer: Mapping[str, Any]) -> str:
    date, spans = answer["date"], answer["spans"]
    parts = [date.get(n) for n in ("day", "month", "year")] if isinstance(date, dict) else []
    listed = ", ".join(map(str, spans)) if isinstance(spans, list) else ""
    return str(answer["number"] or "") or " ".join(str(p) for p in parts if p) or listed


# --- C3 --------------------------------------------------------------------------------------


def is_c3(_path: Path, head: bytes) -> bool:
    """A list of lists, each of lines of a text, its questions with ``choice``, and its id."""
    text = "".join(head.decode("utf-8-sig", errors="ignore").split())
    return text.startswith("[[[") and '"choice":[' in text and '"question":' in text


def c3_rows(path: Path) -> Rows:
    """One row a question, with the text that it is about and the text's id."""
    document = json_document(path)
    if not isinstance(document, list):
        raise InputError.tr("“{path}” does not contain a list of rows.", path=path)
    number = 0
    for entry in document:
        parts = entry if isinstance(entry, list) and len(entry) == 3 else [None, None, None]
        lines, questions, name = parts
        if not isinstance(lines, list) or not isinstance(questions, list):
            number += 1
            yield RefusedRow(number, tr("It has no questions."))
            continue
        about = {"passage": "\n".join(map(str, lines)), "id": name}
        for question in questions:
            number += 1
            if isinstance(question, dict):
                asked = {("options" if n == "choice" else n): v for n, v in question.items()}
                yield ImportRow(number, with_surroundings(asked, about))
            else:
                yield RefusedRow(number, tr("It is not a JSON object."))
