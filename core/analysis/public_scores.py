"""Public scores from outside: results of lm_eval, records of Every Eval Ever, or a table that says
where they are from."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from core.analysis.accuracies import MOST_ITEMS, AccuracyRow, read_accuracies
from core.analysis.every_eval_ever import accuracies_of, is_private, record_in
from core.bounded_json import read_document
from core.errors import InputError
from core.files import file_digest

_ACCURACIES = ("acc", "exact_match", "acc_norm")  # the surest first; a filter's name follows them


def read_public(path: Path, sheet: str = "") -> list[AccuracyRow]:
    """Public accuracies of a table, a record of Every Eval Ever, a ``results_*.json`` of lm_eval,
    or a folder of those.

    In a table the column set may be missing: everything is public then. Each keeps the digest of
    its file. Raises InputError.
    """
    if path.is_dir():
        files = sorted(path.rglob("results_*.json"))
        if not files:
            raise InputError.tr("“{path}” contains no results_*.json of lm_eval.", path=path)
        return [row for file in files for row in _with_digest(file, _document_rows(file))]
    if path.suffix.lower() == ".json":
        return _with_digest(path, _document_rows(path))
    table = read_accuracies(path, usual="public", sheet=sheet)
    return _with_digest(path, [row for row in table.rows if row.set == "public"])


def _with_digest(path: Path, rows: Sequence[AccuracyRow]) -> list[AccuracyRow]:
    """The rows with the digest of the file that they are from."""
    digest = file_digest(path)
    return [replace(row, digest=digest) for row in rows]


def _document_rows(path: Path) -> list[AccuracyRow]:
    try:
        content: Any = read_document(path)
        record = record_in(content)
        private = record is not None and is_private(record)
        accuracies = accuracies_of(record, path.name) if record else _lm_eval_rows(content, path)
    except OSError as error:
        raise InputError.tr("Could not read “{path}”.", path=path) from error
    except (ArithmeticError, AttributeError, KeyError, TypeError, ValueError) as error:
        raise InputError.tr(
            "“{path}” is neither a results file of lm_eval nor a record of Every Eval Ever.",
            path=path,
        ) from error
    if private:
        raise InputError.tr(
            "“{path}” contains a score on a private benchmark, which is not a public score.",
            path=path
        )  # fmt: skip
    if not accuracies:
        raise InputError.tr("“{path}” contains no accuracies.", path=path)
    return accuracies


def _lm_eval_rows(content: Any, path: Path) -> list[AccuracyRow]:
    results = content["results"].items()
    rows = [_lm_eval_row(path, content, task, figures) for task, figures in results]
    return [row for row in rows if row is not None]


def _lm_eval_row(
    path: Path, content: Mapping[str, Any], task: str, figures: Mapping[str, Any]
) -> AccuracyRow | None:
    """One task; None for one without an accuracy (perplexities, empty groups)."""
    by_metric: dict[str, Any] = {}
    for name, figure in figures.items():
        by_metric.setdefault(name.partition(",")[0], figure)
    value = next((by_metric[name] for name in _ACCURACIES if name in by_metric), None)
    if not isinstance(value, int | float) or not math.isfinite(value) or not 0 <= value <= 1:
        return None
    counted = content.get("n-samples", {}).get(task, {})
    count = counted.get("effective") if isinstance(counted, dict) else None
    return AccuracyRow(
        model=_model(content),
        set="public",
        domain=task,
        accuracy=float(value),
        n=int(count) if isinstance(count, int | float) and 1 <= count <= MOST_ITEMS else None,
        run=path.name,
    )


def _model(content: Mapping[str, Any]) -> str:
    name = content.get("model_name")
    if isinstance(name, str) and name:
        return name
    arguments = content.get("config", {}).get("model_args", "")
    if isinstance(arguments, dict):
        return str(arguments.get("pretrained") or arguments.get("model") or "")
    parts = dict(part.partition("=")[::2] for part in str(arguments).split(","))
    return parts.get("pretrained") or parts.get("model") or ""


def under_our_names(rows: Sequence[AccuracyRow], ours: Sequence[str]) -> list[AccuracyRow]:
    """Rows whose model is spelled like one of ours (case, path, punctuation aside) get its name."""
    known: dict[str, list[str]] = {}
    for name in dict.fromkeys(ours):
        known.setdefault(spelling(name), []).append(name)
    renamed = []
    for row in rows:
        same = known.get(spelling(row.model), [])
        renamed.append(replace(row, model=same[0]) if len(same) == 1 else row)
    return renamed


def spelling(name: str) -> str:
    """A model's name without its organisation or folder, case and punctuation."""
    return "".join(c for c in name.rstrip("/").rsplit("/", 1)[-1].casefold() if c.isalnum())
