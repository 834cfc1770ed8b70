"""Questions in the files of evaluation programs: OpenAI Evals, HELM."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from core.i18n import tr
from core.sources.imports.annotated_rows import message_texts
from core.sources.imports.base import ImportRow, RefusedRow, Rows
from core.sources.imports.json_rows import first_object, json_lines

_RIGHT = "correct"  # HELM's tag of a reference that is right


def is_openai_evals(_path: Path, head: bytes) -> bool:
    """Lines with an input, a text or messages, and what is ideally said to it."""
    first = first_object(head)
    return "ideal" in first and isinstance(first.get("input"), str | list)


def openai_evals(path: Path) -> Rows:
    """Each sample with the text of its messages as one question."""
    for row in json_lines(path):
        given = row.values.get("input") if isinstance(row, ImportRow) else None
        if isinstance(row, RefusedRow) or not isinstance(given, list):
            yield row
            continue
        yield ImportRow(row.line, {"question": message_texts(given), **row.values})


# --- HELM ------------------------------------------------------------------------------------


def is_helm(_path: Path, head: bytes) -> bool:
    """Instances with an input and references with tags."""
    first = first_object(head)
    given = first.get("references")
    return isinstance(first.get("input"), dict) and isinstance(given, list) and _are_tagged(given)


def _are_tagged(given: Sequence[Any]) -> bool:
    return all(isinstance(ref, dict) and ref.keys() >= {"output", "tags"} for ref in given)


def helm(path: Path) -> Rows:
    """The text of each instance with its references: options, of which some are tagged as right,
    or, where all of them are, answers."""
    for row in json_lines(path):
        if isinstance(row, RefusedRow):
            yield row
            continue
        asked, given = row.values.get("input"), row.values.get("references")
        if not isinstance(asked, dict) or not isinstance(given, list) or not _are_tagged(given):
            yield RefusedRow(row.line, tr("It has no question with references."))
            continue
        texts = [_output(reference) for reference in given]
        right = [
            text for text, ref in zip(texts, given, strict=True) if _RIGHT in (ref["tags"] or ())
        ]
        found = {"answers": right} if right == texts else {"options": texts, "key": right}
        yield ImportRow(row.line, {"question": asked.get("text"), **found, **row.values})


def _output(reference: Mapping[str, Any]) -> str:
    output = reference["output"]
    return str(output.get("text", "")) if isinstance(output, dict) else str(output)
