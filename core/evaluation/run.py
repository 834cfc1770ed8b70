"""The run kind ``evaluate``: questions without keys in, answers out. Scoring happens at home."""

import json
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, overload

from typing_extensions import override

from core.evaluation.params import EvaluateParams
from core.evaluation.types import Answer, Engine, EngineContext, Question
from core.files import digest, digest_of_rows
from core.guarded_folder import GuardedFolder
from core.i18n import listed, tr, trn
from core.jobs.folder import RunFolder
from core.jobs.run_kind import RunContext
from core.jobs.stored_rows import ids_of
from core.own_places import model_place, require_place


class Evaluate:
    """Asks an engine every pending question; one answer, one line."""

    name = "evaluate"
    params_model = EvaluateParams

    def process(
        self, context: RunContext, pending: Sequence[dict[str, Any]]
    ) -> Iterator[dict[str, Any]]:
        """Answers as the engine gives them. Raises what ``Engine.require`` raises."""
        if not pending:
            return
        runner, told = prepared(context)
        waiting = set(ids_of(pending))
        outcomes: Counter[str] = Counter()
        for answer in runner.answer(_Questions(pending), told):
            if answer.id in waiting:
                waiting.remove(answer.id)
                outcomes[answer.outcome] += 1
                context.note(outcomes=dict(outcomes))
                yield answer.as_json()
        if waiting and not context.stopping():
            context.log(
                trn("1 question was left unanswered.", "{n} questions were left unanswered.",
                    len(waiting))
            )  # fmt: skip

    def summarise(self, run: RunFolder, records: Sequence[dict[str, Any]]) -> dict[str, Any]:
        """Counts, tokens, latency and versions; nothing here needs a key."""
        # whoever guesses the questions of a locked run is not told by a digest that they are right
        asked = {} if run.spec().locked else {"questions": digest_of_rows(run.work_rows())}
        latencies, noted = array("d"), _Noted()

        def answers() -> Iterator[Answer]:
            for answer in map(Answer.from_json, records):
                if answer.outcome != "failed":
                    latencies.append(answer.latency_s)
                noted.add(answer)
                yield answer

        return {
            **sums_of(answers()),
            "latency_s": _latencies(latencies),
            "versions": versions_of(run.path),
            **noted.as_json(),
            **asked,
        }


class _Noted:
    """What engines noted of their answers, counted."""

    def __init__(self) -> None:
        self._served, self._modes, self._cut = Counter[str](), Counter[str](), Counter[str]()

    def add(self, answer: Answer) -> None:
        """Count what is noted of an answer."""
        # a server may change its model in the middle of a run, and says so in its replies
        if served := _served(answer):
            self._served[served] += 1
        if "mode" in answer.notes:
            self._modes[answer.notes["mode"]] += 1
        self._cut.update(name for name in ("too_long", "cut_tokens") if name in answer.notes)

    def as_json(self) -> dict[str, Any]:
        """For ``result.json``."""
        return {
            "served": dict(self._served),
            "too_long": self._cut["too_long"],
            "cut_prompts": self._cut["cut_tokens"],
            "modes": dict(self._modes),
        }


EVALUATE = Evaluate()


class _Questions(Sequence[Question]):
    """The questions of work items, made whenever they are asked for: the rows may be in a file."""

    def __init__(self, rows: Sequence[dict[str, Any]]) -> None:
        self._rows = rows

    @override
    def __len__(self) -> int:
        return len(self._rows)

    @override
    def __iter__(self) -> Iterator[Question]:
        return map(Question.from_json, self._rows)

    @overload
    def __getitem__(self, place: int) -> Question: ...

    @overload
    def __getitem__(self, place: slice) -> "_Questions": ...

    @override
    def __getitem__(self, place: int | slice) -> "Question | _Questions":
        if isinstance(place, slice):
            return _Questions(self._rows[place])
        return Question.from_json(self._rows[place])


def prepared(context: RunContext) -> tuple[Engine, EngineContext]:
    """The engine of a run and what it is handed; its versions are written down first.

    Raises what ``Engine.require`` raises.
    """
    from core.evaluation.engines import engine

    params: EvaluateParams = context.params
    runner = engine(params.engine)
    if runner.needs_model and not runner.needs_server:
        for named in (params.model, params.adapter):
            require_place(model_place(named))
    runner.require(params)
    versions = runner.versions(params)
    said = json.dumps(versions, ensure_ascii=False, indent=1) + "\n"
    GuardedFolder(context.folder).write(f"engine-{context.shard:03d}.json", said)
    known = listed(f"{name} {version}" for name, version in versions.items())
    context.log(tr("engine {engine}, versions: {versions}", engine=params.engine, versions=known))
    told = EngineContext(
        params=params,
        folder=context.folder,
        stopping=context.stopping,
        log=context.log,
        note=context.note,
        locked=context.run.spec().locked,
        tokens_used=_tokens_so_far(context.run) if params.budget_tokens else 0,
        loaded=context.loaded,
    )
    return runner, told


def sums_of(answers: Iterable[Answer]) -> dict[str, Any]:
    """Answers by outcome and reason, and their tokens."""
    outcomes, reasons, tokens = Counter[str](), Counter[str](), Counter[str]()
    for answer in answers:
        outcomes[answer.outcome] += 1
        if answer.finish_reason:
            reasons[answer.finish_reason] += 1
        tokens["prompt_tokens"] += answer.prompt_tokens
        tokens["completion_tokens"] += answer.completion_tokens
    return {
        "items": outcomes.total(),
        "outcomes": dict(sorted(outcomes.items())),
        "finish_reasons": dict(reasons),
        "prompt_tokens": tokens["prompt_tokens"],
        "completion_tokens": tokens["completion_tokens"],
    }


def _tokens_so_far(run: RunFolder) -> int:
    """Tokens of all answers in the shard files; of two for one id both were paid for."""
    return sum(
        row.get("prompt_tokens", 0) + row.get("completion_tokens", 0)
        for name in run.shard_names()
        for row in run.shard_rows(name)
    )


def _served(answer: Answer) -> str:
    """The model as the server named it; a request without a reply has only the name asked for."""
    return "" if answer.outcome == "failed" else str(answer.notes.get("model") or "")


def _latencies(seconds: Sequence[float]) -> dict[str, float] | None:
    """Median, 95th percentile and longest time of an answer, in seconds; None without any, and
    where none was timed, as of imported answers.

    Both lie between two answers where no answer is at their place, as ``numpy.quantile`` has it.
    """
    if not any(seconds):
        return None
    ordered = sorted(seconds)
    return {
        "median": _quantile(ordered, 0.5),
        "p95": _quantile(ordered, 0.95),
        "longest": ordered[-1],
    }


def _quantile(ordered: Sequence[float], share: float) -> float:
    place = share * (len(ordered) - 1)
    before = int(place)
    after = min(before + 1, len(ordered) - 1)
    return ordered[before] + (place - before) * (ordered[after] - ordered[before])


def versions_of(folder: Path) -> dict[str, Any]:
    """Versions that the workers recorded; where they differ, all of them, by worker."""
    files = GuardedFolder(folder)
    recorded = {
        name.removesuffix(".json"): files.read_json(name)
        for name in files.names("engine-[0-9]*.json")
    }
    distinct = {digest(versions): versions for versions in recorded.values()}
    return next(iter(distinct.values()), {}) if len(distinct) < 2 else {"differ": recorded}
