"""Results of other harnesses, taken in beside our own.

``lm_eval --log_samples`` writes ``samples_*.jsonl`` (and ``results_*.json`` beside them); Inspect
writes one ``*.json`` per task with ``--log-format json``. Samples are matched to questions by the
item's id where the data came from an export of ours, else by the exact prompt. Only replies are
taken: the scores are made anew from our own keys, and where theirs differ that is counted.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from core.errors import InputError
from core.evaluation.base import Answer, Outcome, Question
from core.text import tr

_INSPECT_STOPS: Mapping[str, Outcome] = {
    "max_tokens": "truncated",
    "model_length": "truncated",
    "content_filter": "refused",
}


@dataclass(frozen=True)
class Imported:
    """Replies of another harness. ``verdicts`` is what that harness thought of each, by item id;
    ``unmatched`` samples belong to no question, ``repeated`` ones to an answered one (further
    epochs), ``damaged`` ones could not be read."""

    harness: str
    model: str
    answers: tuple[Answer, ...]
    verdicts: Mapping[str, bool] = field(default_factory=dict)
    unmatched: int = 0
    repeated: int = 0
    damaged: int = 0


@dataclass(frozen=True, slots=True)
class _Sample:
    id: str
    prompt: str
    answer: Answer
    right: bool | None


def import_results(path: Path, questions: Sequence[Question]) -> Imported:
    """Read a file or a folder of results of one harness and one model.

    Raises InputError where nothing readable is there, where several models are mixed, or where
    no sample belongs to the questions.
    """
    lm_eval, inspect = _files(path)
    if lm_eval and inspect:
        raise InputError(
            tr("“{path}” mixes results of lm_eval and of Inspect. Take them one by one.", path=path)
        )
    if lm_eval:
        harness, model = "lm_eval", _lm_eval_model(lm_eval)
        samples = [sample for file in lm_eval for sample in _lm_eval_samples(file)]
    elif inspect:
        harness, model, samples = "inspect", *_inspect_samples(inspect)
    else:
        raise InputError(
            tr(
                "“{path}” holds no results: neither samples_*.jsonl of lm_eval --log_samples nor "
                "a JSON log of Inspect.",
                path=path,
            )
        )
    return _matched(harness, model, samples, questions, path)


def _files(path: Path) -> tuple[list[Path], list[Path]]:
    """(sample files of lm_eval, JSON logs of Inspect)."""
    if path.is_dir():
        found = sorted(path.rglob("*.json")) + sorted(path.rglob("*.jsonl"))
    elif path.is_file():
        found = [path]
    else:
        raise InputError(tr("“{path}” cannot be read.", path=path))
    lm_eval = [file for file in found if file.suffix == ".jsonl"]
    if path.is_dir():
        lm_eval = [file for file in lm_eval if file.name.startswith("samples_")]
    inspect = [file for file in found if file.suffix == ".json" and _is_inspect(file)]
    return lm_eval, inspect


def _is_inspect(path: Path) -> bool:
    content = _document(path)
    return isinstance(content.get("eval"), dict) and isinstance(content.get("samples"), list)


def _document(path: Path) -> dict[str, Any]:
    try:
        content = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    return content if isinstance(content, dict) else {}


def _lm_eval_model(files: Sequence[Path]) -> str:
    """The model in the ``results_*.json`` beside the samples; empty where there is none."""
    names: set[str] = set()
    for folder in {file.parent for file in files}:
        for path in folder.glob("results_*.json"):
            content = _document(path)
            if isinstance(name := content.get("model_name"), str) and name:
                names.add(name)
    return _only_model(names)


def _only_model(names: Iterable[str]) -> str:
    distinct = sorted(set(names))
    if len(distinct) > 1:
        raise InputError(
            tr(
                "The results are of several models: {names}. Take them one by one.",
                names=", ".join(distinct),
            )
        )
    return distinct[0] if distinct else ""


def _lm_eval_samples(path: Path) -> Iterator[_Sample | None]:
    """The samples of one file; None for a line that is none."""
    try:
        lines = path.read_bytes().split(b"\n")
    except OSError as error:
        raise InputError(tr("“{path}” cannot be read.", path=path)) from error
    for line in lines:
        if line.strip():
            try:
                yield _lm_eval_sample(json.loads(line))
            except (ValueError, KeyError, TypeError, IndexError, AttributeError, RecursionError):
                yield None


def _lm_eval_sample(row: Mapping[str, Any]) -> _Sample:
    document = row["doc"] if isinstance(row["doc"], dict) else {}
    reply = row["resps"][0]
    text = reply if isinstance(reply, str) else reply[0]
    if not isinstance(text, str):
        raise TypeError("no generated text")
    arguments = row.get("arguments")
    first = arguments.get("gen_args_0", {}).get("arg_0", "") if isinstance(arguments, dict) else ""
    verdict = row.get("exact_match")
    return _Sample(
        id=str(document.get("id", "")),
        prompt=first if isinstance(first, str) else "",
        answer=Answer("", text=text, outcome="ok" if text.strip() else "empty"),
        right=bool(verdict) if isinstance(verdict, int | float) else None,
    )


def _inspect_samples(files: Sequence[Path]) -> tuple[str, list[_Sample | None]]:
    samples: list[_Sample | None] = []
    models: list[str] = []
    for path in files:
        content = _document(path)
        models.append(str(content["eval"].get("model") or ""))
        for row in content["samples"]:
            try:
                samples.append(_inspect_sample(row))
            except (KeyError, TypeError, IndexError, AttributeError):
                samples.append(None)
    return _only_model(models), samples


def _inspect_sample(row: Mapping[str, Any]) -> _Sample:
    output = row.get("output") or {}
    choices = output.get("choices") or []
    message = choices[0]["message"] if choices else {}
    text, thinking = _inspect_text(message.get("content", output.get("completion", "")))
    stop = str(choices[0].get("stop_reason") or "") if choices else ""
    usage = output.get("usage") or {}
    scores = list((row.get("scores") or {}).values())
    failed = bool(row.get("error")) or not choices
    return _Sample(
        id=str(row["id"]),
        prompt=row["input"] if isinstance(row.get("input"), str) else "",
        answer=Answer(
            "",
            text=text,
            outcome="failed" if failed else _inspect_outcome(text, thinking, stop),
            finish_reason=stop,
            prompt_tokens=int(usage.get("input_tokens") or 0),
            completion_tokens=int(usage.get("output_tokens") or 0),
            latency_s=float(row.get("total_time") or 0.0),
            thinking=thinking,
            error=str((row.get("error") or {}).get("message", "")) if failed else "",
        ),
        right=scores[0].get("value") in ("C", 1, 1.0, True) if scores else None,
    )


def _inspect_text(content: Any) -> tuple[str, str]:
    """(text, thinking) of a message's content: a string or a list of parts."""
    if isinstance(content, str):
        return content, ""
    parts = [part for part in content if isinstance(part, dict)]
    text = "".join(part.get("text", "") for part in parts if part.get("type") == "text")
    return text, "".join(p.get("reasoning", "") for p in parts if p.get("type") == "reasoning")


def _inspect_outcome(text: str, thinking: str, stop: str) -> Outcome:
    outcome = _INSPECT_STOPS.get(stop, "ok")
    if outcome == "truncated" and thinking and not text.strip():
        return "thinking_truncated"
    if outcome == "ok" and not text.strip():
        return "empty"
    return outcome


def _matched(
    harness: str,
    model: str,
    samples: Iterable[_Sample | None],
    questions: Sequence[Question],
    path: Path,
) -> Imported:
    ids = {question.id for question in questions}
    by_prompt = {question.prompt: question.id for question in questions}
    answers: dict[str, Answer] = {}
    verdicts: dict[str, bool] = {}
    unmatched = repeated = damaged = 0
    for sample in samples:
        if sample is None:
            damaged += 1
            continue
        item = sample.id if sample.id in ids else by_prompt.get(sample.prompt, "")
        if not item:
            unmatched += 1
        elif item in answers:
            repeated += 1
        else:
            answers[item] = replace(sample.answer, id=item)
            if sample.right is not None:
                verdicts[item] = sample.right
    if not answers:
        raise InputError(
            tr(
                "None of the {n} samples in “{path}” belongs to this split.",
                n=unmatched + damaged,
                path=path,
            )
        )
    return Imported(harness, model, tuple(answers.values()), verdicts, unmatched, repeated, damaged)
