"""The run kind ``pairwise``: which of two answers to a question is better, asked in both orders.

Its folder holds references, so it stays at home like a judging. A judge that prefers a place and
not an answer contradicts itself when the order is swapped; such a pair counts as a tie.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from core.evaluation.clusters import cluster_name
from core.evaluation.judge_run import cache_beside, verdict_row
from core.evaluation.judges import (
    PAIRWISE,
    Judge,
    JudgeVerdict,
    asked_verdict,
    judge_prompt,
    request_of,
)
from core.evaluation.params import PairwiseParams
from core.evaluation.preference.bradley_terry import PairOutcome
from core.i18n import trn
from core.jobs.folder import RunFolder
from core.jobs.run_kind import RunContext
from core.llm.batch import work_all
from core.llm.session import ServerSession
from core.release.question_ids import uid_of

_PARTS = ("instruction", "input", "reference", "first", "second")
_SEPARATOR = "|"


Pair = tuple[str, int, int]
"""The answer's id and the places of both runs among those compared."""


@dataclass(frozen=True, slots=True)
class PairPlace:
    """Which comparison a verdict is of: the answer's id, the places of both runs among those
    compared, and whether the second run's answer was shown first."""

    answer: str
    a: int
    b: int
    swapped: bool

    @property
    def id(self) -> str:
        """The id of its line in the run folder."""
        order = "ba" if self.swapped else "ab"
        return _SEPARATOR.join((self.answer, str(self.a), str(self.b), order))

    @classmethod
    def of(cls, id_: str) -> "PairPlace":
        """The place that an id names."""
        answer, a, b, order = id_.rsplit(_SEPARATOR, 3)
        return cls(answer, int(a), int(b), order == "ba")


def pair_rows(
    answers: Sequence[Mapping[str, str]], questions: Mapping[str, Mapping[str, str]]
) -> Iterator[dict[str, Any]]:
    """The lines of ``work.jsonl``: each pair of runs on each question, in both orders.

    ``answers`` are of each run the texts by answer id, ``questions`` instruction, input and
    reference by the same ids; what one of two runs did not answer is left out.
    """
    for a, b in combinations(range(len(answers)), 2):
        for id_, question in questions.items():
            if id_ in answers[a] and id_ in answers[b]:
                for swapped in (False, True):
                    texts = answers[a][id_], answers[b][id_]
                    first, second = reversed(texts) if swapped else texts
                    yield {"id": PairPlace(id_, a, b, swapped).id, **question, "first": first,
                           "second": second}  # fmt: skip


def settled_preference(row: Mapping[str, Any]) -> float | None:
    """What needs no judge in a line of ``work.jsonl``: 0.5 where both answers are the same text, 1
    or 0 where only the first or the second has any; None where a judge is asked."""
    first, second = row["first"].strip(), row["second"].strip()
    if first == second:
        return 0.5
    return None if first and second else float(bool(first))


def settled_pairs(work: Iterable[Mapping[str, Any]]) -> frozenset[Pair]:
    """The pairs of a folder's work about which no judge is asked."""
    places = (PairPlace.of(row["id"]) for row in work if settled_preference(row) is not None)
    return frozenset((place.answer, place.a, place.b) for place in places)


def pair_verdicts(
    judge: Judge,
    rows: Iterable[Mapping[str, Any]],
    *,
    stopping: Callable[[], bool],
) -> Iterator[JudgeVerdict]:
    """A verdict for each line, as they arrive.

    Nothing is asked where both answers are the same text, which is a tie, or one has no text,
    which the other beats. Raises OutsideError where the server answers nothing.
    """

    async def do(session: ServerSession, row: Mapping[str, Any]) -> JudgeVerdict:
        better = settled_preference(row)
        if better is not None:
            return JudgeVerdict(row["id"], "ok", {"better": better})
        request = request_of(judge, row["id"], {name: row[name] for name in _PARTS})
        return await asked_verdict(judge, session, request)

    results = work_all(judge.server, rows, do, concurrency=judge.concurrency, stopping=stopping)
    for _, verdict in results:
        yield verdict


class PairwiseJudging:
    """Asks the judge about every pending pair; one verdict, one line."""

    name = "pairwise"
    params_model = PairwiseParams

    def process(
        self, context: RunContext, pending: Sequence[dict[str, Any]]
    ) -> Iterator[dict[str, Any]]:
        """Verdicts as they arrive. Raises OutsideError where the server answers nothing."""
        params: PairwiseParams = context.params
        params = params.model_copy(update={"cache": cache_beside(context.folder, params.cache)})
        context.log(
            trn("judge {model}, prompt {version}: 1 pair",
                "judge {model}, prompt {version}: {n} pairs",
                len(pending), model=params.model, version=judge_prompt(PAIRWISE).version)
        )  # fmt: skip
        counts: Counter[str] = Counter()
        tokens = 0
        for verdict in pair_verdicts(params.judge(PAIRWISE), pending, stopping=context.stopping):
            counts[verdict.outcome] += 1
            tokens += verdict.tokens
            context.note(outcomes=dict(counts), tokens=tokens)
            yield verdict_row(verdict, PAIRWISE)

    def summarise(self, run: RunFolder, records: Sequence[dict[str, Any]]) -> dict[str, Any]:
        """The number of verdicts by outcome, with the judge, its prompt and the runs compared."""
        params = PairwiseParams.model_validate(run.spec().params)
        outcomes = Counter(row["outcome"] for row in records)
        return {
            "items": len(records),
            "model": params.model,
            "runs": list(params.runs),
            "outcomes": dict(sorted(outcomes.items())),
            "prompts": {PAIRWISE: judge_prompt(PAIRWISE).sha256},
        }


PAIRWISE_JUDGING = PairwiseJudging()


@dataclass(frozen=True, slots=True)
class PairSummary:
    """What both orders of the pairs came to.

    ``scores`` (1 where the first run's answer is better, 0.5 tie, 0) are by pair; about those that
    are ``settled`` no judge was asked, so they are in no figure about the judge.
    ``first_shown`` are 1 or 0 by answer and pair: of the verdicts that prefer one, whether it is
    the one shown first; ``consistent`` whether the two orders agree. ``unjudged`` pairs lack a
    verdict in one order and are in no figure.
    """

    scores: Mapping[Pair, float]
    settled: frozenset[Pair]
    first_shown: tuple[tuple[str, float], ...]
    consistent: tuple[tuple[str, float], ...]
    unjudged: int


def pair_summary(
    records: Iterable[Mapping[str, Any]], settled: frozenset[Pair] = frozenset()
) -> PairSummary:
    """Sum up the lines of a finished folder, of which the ``settled`` pairs needed no judge."""
    seen: defaultdict[Pair, dict[bool, float | None]] = defaultdict(dict)
    for row in records:
        place = PairPlace.of(row["id"])
        value = row["values"].get("better") if row["outcome"] == "ok" else None
        seen[place.answer, place.a, place.b][place.swapped] = value
    scores: dict[Pair, float] = {}
    first: list[tuple[str, float]] = []
    alike: list[tuple[str, float]] = []
    unjudged = 0
    for key, by_order in seen.items():
        straight, swapped = by_order.get(False), by_order.get(True)
        if straight is None or swapped is None:
            unjudged += 1
            continue
        other = 1 - swapped
        scores[key] = straight if straight == other else (straight + other) / 2
        if key not in settled:
            first += [(key[0], value) for value in (straight, swapped) if value != 0.5]
            alike.append((key[0], float(straight == other)))
    known = frozenset(key for key in scores if key in settled)
    return PairSummary(scores, known, tuple(first), tuple(alike), unjudged)


def outcomes_of(
    summary: PairSummary, models: Sequence[str], clusters: Mapping[str, str]
) -> list[PairOutcome]:
    """The comparisons of a summary for ``strengths``; ``clusters`` are by item."""
    return [
        PairOutcome(models[a], models[b], score, cluster_name(clusters.get(uid_of(id_), ""), id_))
        for (id_, a, b), score in summary.scores.items()
    ]
