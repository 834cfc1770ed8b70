"""Questions in the files of evaluation programs: OpenAI Evals and Inspect, lm_eval, HELM,
BIG-bench; and of MKQA, whose questions stand in many languages."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from core.i18n import tr
from core.sources.imports.annotated_rows import message_texts
from core.sources.imports.base import ImportRow, RefusedRow, Rows
from core.sources.imports.json_rows import first_object, json_lines, rows_inside
from core.sources.json_tables import with_surroundings

_RIGHT = "correct"  # HELM's tag of a reference that is right


def is_openai_evals(_path: Path, head: bytes) -> bool:
    """Lines with an input, a text or messages, and what is ideally said to it; Inspect's with
    messages and a target."""
    first = first_object(head)
    given = first.get("input")
    messages = isinstance(given, list) and all(isinstance(m, dict) and "role" in m for m in given)
    return ("ideal" in first and isinstance(given, str | list)) or ("target" in first and messages)


def openai_evals(path: Path) -> Rows:
    """Each sample with the text of its messages as one question."""
    for row in json_lines(path):
        given = row.values.get("input") if isinstance(row, ImportRow) else None
        if isinstance(row, RefusedRow) or not isinstance(given, list):
            yield row
            continue
        yield ImportRow(row.line, {"question": message_texts(given), **row.values})


# --- lm_eval ---------------------------------------------------------------------------------


def is_lm_eval(_path: Path, head: bytes) -> bool:
    """Samples that lm_eval logged: a row of its data set with what was asked and answered."""
    first = first_object(head)
    return isinstance(first.get("doc"), dict) and first.keys() >= {"doc_id", "target"}


def lm_eval_rows(path: Path) -> Rows:
    """The rows of the data set; what was logged of them stays beside."""
    for row in json_lines(path):
        doc = row.values.get("doc") if isinstance(row, ImportRow) else None
        if isinstance(row, RefusedRow):
            yield row
        elif isinstance(doc, dict):
            rest = {name: value for name, value in row.values.items() if name != "doc"}
            yield ImportRow(row.line, with_surroundings(doc, {"lm_eval": rest}))
        else:
            yield RefusedRow(row.line, tr("It has no questions."))


# --- BIG-bench, MKQA -------------------------------------------------------------------------


def is_big_bench(path: Path, head: bytes) -> bool:
    """A task with examples and what is said before each of them."""
    text = head.decode("utf-8-sig", errors="ignore").lstrip()
    named = all(f'"{name}"' in text for name in ("examples", "task_prefix", "input"))
    return path.suffix.lower() == ".json" and text.startswith("{") and named


def big_bench_rows(path: Path) -> Rows:
    """Each example, asked with what stands before all of them."""
    for row in json_lines(path):
        if isinstance(row, RefusedRow):
            yield row
            continue
        parts = [row.values.get(name) for name in ("task_prefix", "input")]
        said = [part.strip() for part in parts if isinstance(part, str) and part.strip()]
        asked = {"question": "\n\n".join(said)} if isinstance(parts[-1], str) else {}
        yield ImportRow(row.line, {**asked, **row.values})


def is_mkqa(_path: Path, head: bytes) -> bool:
    """Objects with a question and its answers under the code of each language."""
    first = first_object(head)
    return all(isinstance(first.get(name), dict) for name in ("queries", "answers"))


def mkqa_rows(path: Path) -> Rows:
    """A row for each language."""
    return rows_inside(path, _by_language)


def _by_language(values: Mapping[str, Any]) -> Iterator[dict[str, Any] | str]:
    asked, given = values.get("queries"), values.get("answers")
    if not isinstance(asked, dict) or not isinstance(given, dict) or not asked:
        yield tr("It has no questions.")
        return
    rest = {name: value for name, value in values.items() if name not in ("queries", "answers")}
    for language, question in asked.items():
        row = {"question": question, "answers": given.get(language), "language": language}
        yield with_surroundings(row, rest)


# --- HELM ------------------------------------------------------------------------------------


_OF_A_RUN = (b'"adapter_spec"', b'"request_states"', b'"references"')


def is_helm(_path: Path, head: bytes) -> bool:
    """Instances with an input and references with tags, alone or as the states of a run (KoLA)."""
    if head.lstrip().startswith(b"{") and all(name in head for name in _OF_A_RUN):
        return True
    first = first_object(head)
    given = first.get("references")
    return isinstance(first.get("input"), dict) and isinstance(given, list) and _are_tagged(given)


def _are_tagged(given: Sequence[Any]) -> bool:
    return all(isinstance(ref, dict) and ref.keys() >= {"output", "tags"} for ref in given)


def helm(path: Path) -> Rows:
    """The text of each instance with its references: options, of which some are tagged as right,
    or, where all of them are, answers. What a run tells before each is part of the question."""
    for row in json_lines(path):
        if isinstance(row, RefusedRow):
            yield row
            continue
        stated = row.values.get("instance")
        instance = stated if isinstance(stated, dict) else row.values
        asked, given = instance.get("input"), instance.get("references")
        if not isinstance(asked, dict) or not isinstance(given, list) or not _are_tagged(given):
            yield RefusedRow(row.line, tr("It has no question with references."))
            continue
        texts = [_output(reference) for reference in given]
        right = [
            text for text, ref in zip(texts, given, strict=True) if _RIGHT in (ref["tags"] or ())
        ]
        found = {"answers": right} if right == texts else {"options": texts, "key": right}
        told = row.values.get("adapter_spec")
        told = str(told.get("instructions") or "").strip() if isinstance(told, dict) else ""
        question = asked.get("text")
        if told and isinstance(question, str):
            question = f"{told}\n\n{question}"
        yield ImportRow(row.line, {"question": question, **found, **row.values})


def _output(reference: Mapping[str, Any]) -> str:
    output = reference["output"]
    return str(output.get("text", "")) if isinstance(output, dict) else str(output)
