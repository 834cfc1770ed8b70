"""Results of other harnesses, taken in beside our own.

``lm_eval --log_samples`` writes ``samples_*.jsonl`` (and ``results_*.json`` beside them); Inspect
writes one ``*.json`` per task with ``--log-format json``. Samples are matched to questions by the
item's id where the data came from an export of ours, else by the exact prompt. Only replies are
taken: the scores are recomputed from our own keys, and where theirs differ that is counted.
"""

import gzip
import io
import json
import math
import re
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from core.bounded_json import parse_json
from core.errors import InputError, NotFoundError
from core.evaluation.types import Answer, Outcome, Question
from core.families.reading import cut_reply
from core.files import read_regular
from core.i18n import listed, tr
from core.llm.replies import split_reasoning
from core.release import locked_export
from core.release.locked_export import ENDING
from core.sources.encodings import decode

_INSPECT_STOPS: Mapping[str, Outcome] = {
    "max_tokens": "truncated",
    "model_length": "truncated",
    "content_filter": "refused",
}


_DAMAGES = (OSError, EOFError, zlib.error, ValueError)
_NUL = re.compile(r"(?<!\\)((?:\\\\)*)\\u0000")
_WIDE_MARKS = (b"\xff\xfe", b"\xfe\xff")  # of UTF-16 and UTF-32
_LM_EVAL_SCORES = ("score", "exact_match", "acc", "acc_norm")
_UNPACKED = 50 * 2**20  # bytes; beyond it, the ratio of unpacked to packed counts
_RATIO = 60
_MOST_NAMES = 100  # of samples that belong to no item


@dataclass(frozen=True)
class HarnessResults:
    """Replies of another harness. ``verdicts`` is what that harness thought of each, by item id;
    ``unmatched`` samples belong to no question (``unmatched_names``), ``mismatched`` ones have the
    id of a question and asked something else, ``repeated`` ones belong to an answered question
    (further epochs), ``damaged`` ones could not be read. None of these is taken."""

    harness: str
    model: str
    answers: tuple[Answer, ...]
    verdicts: Mapping[str, bool] = field(default_factory=dict)
    unmatched: int = 0
    repeated: int = 0
    damaged: int = 0
    unmatched_names: tuple[str, ...] = ()
    mismatched: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Sample:
    """``asking`` tells the answers of one request apart: lm_eval writes a line per filter."""

    id: str
    prompt: str
    answer: Answer
    right: bool | None
    asking: str = ""


KeyOf = Callable[[Mapping[str, Any]], bytes]
"""The key of a locked file, by what its head says."""


def _no_key(_head: Mapping[str, Any]) -> bytes:
    raise InputError.tr("The samples are locked; they are read in the workspace of the export.")


def import_results(
    path: Path, questions: Sequence[Question], key_of: KeyOf = _no_key
) -> HarnessResults:
    """Read a file or a folder of results of one harness and one model.

    ``key_of`` gives the key of samples that a locked export wrote. Raises InputError where nothing
    readable is there, where several models are mixed, or where no sample belongs to the questions.
    """
    if locked := _locked_files(path):
        harness, model, samples = _locked_samples(locked, key_of)
        return _matched(harness, model, samples, questions, path)
    lm_eval, inspect = _files(path)
    if lm_eval and inspect:
        raise InputError.tr(
            "“{path}” contains results of both lm_eval and Inspect. Import them one at a time.",
            path=path,
        )
    if lm_eval:
        harness, model = "lm_eval", _lm_eval_model(lm_eval)
        samples = [sample for file in lm_eval for sample in _lm_eval_samples(file)]
    elif inspect:
        harness, model, samples = "inspect", *_inspect_samples(inspect)
    else:
        raise InputError.tr(
            "“{path}” contains no results: neither samples_*.jsonl of lm_eval "
            "--log_samples nor a JSON log of Inspect.",
            path=path,
        )
    return _matched(harness, model, samples, questions, path)


def _locked_files(path: Path) -> list[Path]:
    """The samples that locked exports wrote, in a file or a folder."""
    paths = sorted(path.rglob(f"samples_*{ENDING}")) if path.is_dir() else [path]
    return [file for file in paths if file.name.endswith(ENDING) and file.is_file()]


def _locked_samples(files: Sequence[Path], key_of: KeyOf) -> tuple[str, str, list[_Sample | None]]:
    """(harness, model, samples) of locked files, opened in memory."""
    read = {"lm_eval": _lm_eval_sample, "inspect": _inspect_sample}
    harnesses: set[str] = set()
    models: list[str] = []
    samples: list[_Sample | None] = []
    for file in files:
        try:
            head = locked_export.head_of(file)
            harness = str(head.get("harness"))
            rows = list(locked_export.opened_rows(file, key_of(head))) if harness in read else []
        except (OSError, ValueError) as error:
            raise _damaged(file) from error
        harnesses.add(harness)
        models.append(str(head.get("model") or ""))
        for row in rows:
            try:
                samples.append(read[harness](_without_nul(row)))
            except (KeyError, TypeError, ValueError, IndexError, AttributeError):
                samples.append(None)
    if len(harnesses) != 1:
        raise InputError.tr(
            "“{path}” contains results of both lm_eval and Inspect. Import them one at a time.",
            path=files[0].parent,
        )
    return harnesses.pop(), _only_model(models), samples


def _without_nul(row: Mapping[str, Any]) -> dict[str, Any]:
    read: dict[str, Any] = _json(json.dumps(row))
    return read


def _files(path: Path) -> tuple[list[Path], list[Path]]:
    """(sample files of lm_eval, JSON logs of Inspect); either may be packed by gzip."""
    if path.is_dir():
        paths = sorted(file for file in path.rglob("*") if file.is_file())
    elif path.is_file():
        paths = [path]
    else:
        raise NotFoundError.tr("There is no file or folder “{path}”.", path=path)
    if any(file.suffix == ".eval" for file in paths):
        raise InputError.tr(
            "“{path}” contains packed logs of Inspect. Convert them with: inspect log "
            "convert --to json.", path=path
        )  # fmt: skip
    lm_eval = [file for file in paths if _plain_name(file).endswith(".jsonl")]
    if path.is_dir():
        lm_eval = [file for file in lm_eval if file.name.startswith("samples_")]
    inspect = [file for file in paths if _plain_name(file).endswith(".json") and _is_inspect(file)]
    return lm_eval, inspect


def _plain_name(path: Path) -> str:
    return path.name.removesuffix(".gz")


def _bytes(path: Path) -> bytes:
    """The content of a file, unpacked; one of ``_DAMAGES`` where it is damaged."""
    raw = read_regular(path)
    if raw[:2] != b"\x1f\x8b":
        return raw
    most = max(_UNPACKED, _RATIO * len(raw))
    with gzip.GzipFile(fileobj=io.BytesIO(raw)) as packed:
        unpacked = packed.read(most + 1)
    if len(unpacked) > most:
        raise ValueError("it unpacks to too much")
    return unpacked


def _is_inspect(path: Path) -> bool:
    content = _document(path)
    samples = content.get("samples")
    return isinstance(content.get("eval"), dict) and (samples is None or isinstance(samples, list))


def _document(path: Path) -> dict[str, Any]:
    """The JSON object in a file, empty for other JSON; InputError for what is none at all."""
    try:
        raw = _bytes(path)
        try:
            content = _json(raw)
        except UnicodeDecodeError:
            content = _json(decode(raw))
    except (*_DAMAGES, InputError) as error:
        raise _damaged(path) from error
    return content if isinstance(content, dict) else {}


def _damaged(path: Path) -> InputError:
    return InputError.tr(
        "“{path}” is damaged or incomplete. Write it again, or remove it from the folder.",
        path=path
    )  # fmt: skip


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
        raise InputError.tr(
            "The results are from several models: {names}. Import them one at a time.",
            names=listed(distinct),
        )
    return distinct[0] if distinct else ""


def _lm_eval_samples(path: Path) -> Iterator[_Sample | None]:
    """The samples of one file; None for a line that is none."""
    try:
        lines = _lines(_bytes(path))
    except (*_DAMAGES, InputError) as error:
        raise _damaged(path) from error
    for line in lines:
        if line.strip():
            try:
                yield _lm_eval_sample(_json(line))
            except (ValueError, KeyError, TypeError, IndexError, AttributeError):
                yield None


def _json(line: bytes | str) -> Any:
    """The value of a JSON text, its own texts so that they can be written; ValueError for none."""
    text = line.decode(json.detect_encoding(line)) if isinstance(line, bytes) else line
    # as in replies of our own runs, a NUL is left out: it would else be a character of the answer
    return parse_json(_NUL.sub(r"\1", text))


def _number(value: Any) -> float:
    """A count or a time; 0 for what is none."""
    known = isinstance(value, int | float) and math.isfinite(value) and value > 0
    return float(value) if known else 0.0


def _lines(data: bytes) -> Sequence[bytes | str]:
    """The lines of a file: UTF-8 line by line, so that a damaged one harms no other; what is
    written otherwise (by an editor, by a shell's redirection) as a whole."""
    lines = data.split(b"\n")
    strange = sum(not _is_utf8(line) for line in lines)
    filled = sum(bool(line.strip()) for line in lines)
    return decode(data).split("\n") if data[:2] in _WIDE_MARKS or 2 * strange > filled else lines


def _is_utf8(line: bytes) -> bool:
    try:
        line.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _lm_eval_sample(row: Mapping[str, Any]) -> _Sample:
    """A line of any version: replies nested once or twice, arguments as a list or by name."""
    document = row["doc"] if isinstance(row["doc"], dict) else {}
    reply = row["resps"][0]
    while isinstance(reply, list):
        reply = reply[0]
    if not isinstance(reply, str):
        raise TypeError("no generated text")
    text, thinking = split_reasoning(reply)
    verdict = next((row[name] for name in _LM_EVAL_SCORES if name in row), None)
    return _Sample(
        id=str(document.get("id", "")),
        prompt=_lm_eval_prompt(row.get("arguments")),
        answer=Answer("", text=text, outcome=_outcome(text, thinking, ""), thinking=thinking),
        right=verdict >= 0.5 if isinstance(verdict, int | float) else None,
        asking=str(row.get("filter", "")),
    )


def _lm_eval_prompt(arguments: Any) -> str:
    if isinstance(arguments, dict):
        arguments = arguments.get("gen_args_0", {})
        prompt = arguments.get("arg_0", "") if isinstance(arguments, dict) else ""
    else:
        prompt = arguments
        while isinstance(prompt, list) and prompt:
            prompt = prompt[0]
    return prompt if isinstance(prompt, str) else ""


def _inspect_samples(files: Sequence[Path]) -> tuple[str, list[_Sample | None]]:
    samples: list[_Sample | None] = []
    models: list[str] = []
    for path in files:
        content = _document(path)
        models.append(str(content["eval"].get("model") or ""))
        for row in content["samples"] or ():
            try:
                samples.append(_inspect_sample(row))
            except (KeyError, TypeError, ValueError, IndexError, AttributeError):
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
        prompt=_inspect_prompt(row.get("input")),
        answer=Answer(
            "",
            text=text,
            outcome="failed" if failed else _outcome(text, thinking, stop),
            finish_reason=stop,
            prompt_tokens=int(_number(usage.get("input_tokens"))),
            completion_tokens=int(_number(usage.get("output_tokens"))),
            latency_s=_number(row.get("total_time")),
            thinking=thinking,
            error=str((row.get("error") or {}).get("message", "")) if failed else "",
        ),
        right=_is_right(scores[0].get("value")) if scores else None,
    )


def _is_right(value: Any) -> bool:
    return value >= 0.5 if isinstance(value, int | float) else value == "C"


def _inspect_prompt(prompt: Any) -> str:
    """What was asked: a text, or what the user says in a list of messages."""
    if isinstance(prompt, str):
        return prompt
    messages = (
        [message for message in prompt if isinstance(message, dict)]
        if isinstance(prompt, list)
        else []
    )
    texts = [message.get("content", "") for message in messages if message.get("role") == "user"]
    return "\n".join(_inspect_text(content)[0] for content in texts)


def _inspect_text(content: Any) -> tuple[str, str]:
    """(text, thinking) of a message's content: a string or a list of parts."""
    if isinstance(content, str):
        return split_reasoning(content)
    parts = [part for part in content if isinstance(part, dict)]
    text = "".join(part.get("text", "") for part in parts if part.get("type") == "text")
    return text, "".join(p.get("reasoning", "") for p in parts if p.get("type") == "reasoning")


def _outcome(text: str, thinking: str, stop: str) -> Outcome:
    outcome = _INSPECT_STOPS.get(stop, "ok")
    if outcome != "refused" and thinking and not text.strip():
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
) -> HarnessResults:
    prompts = {question.id: question.prompt for question in questions}
    stops = {question.id: question.stop for question in questions}
    by_prompt = {question.prompt: question.id for question in questions}
    answers: dict[str, Answer] = {}
    asked_as: dict[str, str] = {}
    verdicts: dict[str, bool] = {}
    unmatched: list[str] = []
    mismatched: list[str] = []
    repeated = damaged = 0
    for place, sample in enumerate(samples, 1):
        if sample is None:
            damaged += 1
            continue
        item = by_prompt.get(sample.prompt, "")
        if not item and sample.id in prompts:
            if not _same_question(prompts[sample.id], sample.prompt):
                mismatched.append(sample.id)
                continue
            item = sample.id
        if not item:
            unmatched.append(sample.id or tr("sample {number}", number=place))
        elif item in answers and not _is_better(sample.answer, answers[item]):
            repeated += asked_as[item] == sample.asking
        else:
            text = cut_reply(sample.answer.text, stops[item])
            answers[item] = replace(sample.answer, id=item, text=text)
            asked_as[item] = sample.asking
            if sample.right is not None:
                verdicts[item] = sample.right
    if not answers:
        raise _nothing(path, len(unmatched) + len(mismatched), damaged)
    return HarnessResults(
        harness,
        model,
        tuple(answers.values()),
        verdicts,
        len(unmatched),
        repeated,
        damaged,
        tuple(unmatched[:_MOST_NAMES]),
        tuple(dict.fromkeys(mismatched)),
    )


def _is_better(answer: Answer, known: Answer) -> bool:
    """Whether a later answer counts instead: it was had where the first attempt failed."""
    return known.outcome == "failed" and answer.outcome != "failed"


def _nothing(path: Path, foreign: int, damaged: int) -> InputError:
    if not foreign + damaged:
        return InputError.tr("“{path}” contains no samples.", path=path)
    if not foreign:
        return InputError.trn(
            "The only sample in “{path}” could not be read; the file is damaged or of "
            "another kind.",
            "None of the {n} samples in “{path}” could be read; the file is damaged or "
            "of another kind.",
            damaged,
            path=path,
        )
    return InputError.trn(
        "The only sample in “{path}” does not belong to this split.",
        "None of the {n} samples in “{path}” belongs to this split.",
        foreign + damaged,
        path=path,
    )


def _same_question(ours: str, theirs: str) -> bool:
    """Whether a prompt of a harness asks our question: as it is, or inside a chat's template.

    A log without prompts has to be believed.
    """
    return not theirs or "".join(ours.split()) in "".join(theirs.split())
