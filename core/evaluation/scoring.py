"""Scoring at home: the answers of a run against the keys that never left.

An item is *answered* when the model replied, be it with something unreadable, cut off, empty or a
refusal: those count as wrong, and are counted apart. It is *missing* when no reply could be had
(``failed``) or it was never asked; accuracy is over the answered items, and a report with missing
ones says how many.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

from core.errors import InputError, StateError
from core.evaluation.clusters import AccuracyEstimate as AccuracyEstimate
from core.evaluation.clusters import ClusterSums, cluster_name
from core.evaluation.mean_interval import CONFIDENCE
from core.evaluation.option_orders import as_asked
from core.evaluation.types import Answer
from core.families import family
from core.families.base import ItemContent
from core.families.reading import answer_in, measure
from core.families.shared_source import source_of
from core.i18n import trn
from core.jobs.stored_tuples import in_parts, kept
from core.release.manifest import SplitItem
from core.release.question_ids import question_id, uid_of


class AnswerKey(NamedTuple):
    """What scoring needs to know of one question. Stays in the workspace.

    ``cluster`` names what the item shares with others (its article), for clustered errors;
    ``variant`` the instruction or template by which it was asked, where there are several;
    ``others`` are answers that are as good, ``metric`` how an answer is measured against all of
    them (``core.families.reading.MEASURES``; empty: equality). A named tuple, as ``ItemScore`` is:
    a report makes a hundred thousand of each, and making a frozen dataclass takes three times as
    long.
    """

    id: str
    answer: str
    family: str
    format: str
    domain: str
    pattern: str = ""
    choices: tuple[str, ...] = ()
    cluster: str = ""
    variant: str = ""
    others: tuple[str, ...] = ()
    metric: str = ""


def keys_of(items: Iterable[SplitItem]) -> list[AnswerKey]:
    """The keys of a split, in its order."""
    return [key_of(item.uid, item.content) for item in items]


def as_variant(key: AnswerKey, name: str) -> AnswerKey:
    """The key of an item that is asked in one of several ways."""
    id_, answer, kind, form, domain, pattern, choices, cluster, _, others, metric = key
    if choices:
        answer = as_asked(answer, name)
    return AnswerKey._make((
        question_id(id_, name), answer, kind, form, domain, pattern, choices, cluster, name,
        others, metric,
    ))  # fmt: skip


def key_of(uid: str, content: ItemContent) -> AnswerKey:
    """The key of one item."""
    kind = family(content.family)
    prompt, answer = kind.scoring(content)
    return AnswerKey(
        id=uid,
        answer=answer,
        family=content.family,
        format=content.format,
        domain=content.domain,
        pattern=prompt.pattern,
        choices=prompt.choices,
        cluster=source_of(content),
        others=kind.others(content),
        metric=kind.metric(content),
    )


class ItemScore(NamedTuple):
    """How one item went. ``predicted`` is None where the reply holds no answer; ``answered`` is
    false where there is no reply at all. ``graded`` is a judge's or a metric's score in 0…1 in the
    place of right or wrong; ``unjudged`` says that one was asked for and could not be had.
    ``correct`` is by the lenient reading (``judge``), ``strict`` by the strict one,
    which is that of the exported task."""

    id: str
    format: str
    domain: str
    cluster: str
    expected: str
    predicted: str | None
    correct: bool
    answered: bool
    outcome: str
    text: str = ""
    variant: str = ""
    graded: float | None = None
    unjudged: bool = False
    strict: bool = False

    @property
    def score(self) -> float | None:
        """Score in 0…1; None where there is no reply, or none that could be judged."""
        if not self.answered or self.unjudged:
            return None
        return float(self.correct) if self.graded is None else self.graded


@dataclass(frozen=True)
class Report:
    """The scores of one run on one split. See the module for what the counts mean.

    ``total`` is by the lenient reading of answers; ``strict`` the same answers by the strict one,
    None where a judge or a metric graded any. ``items`` are questions: ``distinct_items`` were
    asked in ``ways`` ways, or of so many people.
    """

    split: str
    engine: str
    model: str
    total: AccuracyEstimate
    items: int
    not_asked: int
    outcomes: Mapping[str, int]
    unparsed: int
    by: Mapping[str, Mapping[str, AccuracyEstimate]]
    scores: Sequence[ItemScore]
    origin: Mapping[str, Any] = field(default_factory=dict)
    strict: AccuracyEstimate | None = None
    distinct_items: int = 0
    ways: int = 1

    @property
    def answered(self) -> int:
        """Items with a reply."""
        return self.total.n + self.unjudged

    @property
    def missing(self) -> int:
        """Items without one: never asked, or failed."""
        return self.items - self.answered

    @cached_property
    def unjudged(self) -> int:
        """Items with a reply that was put before a judge and has no score; in no mean."""
        return sum(entry.unjudged for entry in self.scores)

    @property
    def undefined(self) -> str | None:
        """Why there is no accuracy, or None where there is one."""
        if self.total.n:
            return None
        return trn(
            "The only item has no answer.", "None of the {n} items has an answer.", self.items
        )

    def as_json(self) -> dict[str, Any]:
        """The report's JSON document, without the single items."""
        return {
            "split": self.split,
            "engine": self.engine,
            "model": self.model,
            "items": self.items,
            "answered": self.answered,
            "correct": self.total.correct,
            "missing": self.missing,
            "not_asked": self.not_asked,
            "failed": self.outcomes.get("failed", 0),
            "unparsed": self.unparsed,
            "unjudged": self.unjudged,
            "refused": self.outcomes.get("refused", 0),
            "empty": self.outcomes.get("empty", 0),
            "truncated": self.outcomes.get("truncated", 0),
            "thinking_truncated": self.outcomes.get("thinking_truncated", 0),
            **{
                name: value
                for name, value in self.total.as_json().items()
                if name not in ("n", "correct")
            },
            "confidence": CONFIDENCE,
            "strict": self.strict.as_json() if self.strict else None,
            "undefined": self.undefined,
            "by": {
                name: {value: part.as_json() for value, part in parts.items()}
                for name, parts in self.by.items()
            },
            **self.origin,
        }


def score(
    keys: Sequence[AnswerKey],
    records: Iterable[Mapping[str, Any]],
    *,
    split: str = "",
    engine: str = "",
    model: str = "",
    partial: bool = False,
    origin: Mapping[str, Any] | None = None,
) -> Report:
    """Score the records of a run.

    Of two records for one item the first counts. Raises StateError while items have no record,
    unless ``partial``; InputError for records of items that are not in the split.
    """
    answers: dict[str, ReplyFields] = {}
    for record in records:
        answers.setdefault(record["id"], reply_of(record))
    known = {key.id for key in keys}
    if not answers.keys() <= known:
        refuse_foreign([name for name in answers if name not in known], split)
    asked = ((key, answers.get(key.id)) for key in keys)
    return score_in_order(
        asked, split=split, engine=engine, model=model, partial=partial, origin=origin
    )


def reply_of(record: Mapping[str, Any]) -> "ReplyFields":
    """What scoring reads of a record."""
    get = record.get
    return get("text", ""), get("outcome", "ok"), get("choice")


def refuse_foreign(ids: Sequence[str], split: str) -> None:
    """InputError where there are ids of no item of a split."""
    if ids:
        raise InputError.trn(
            "1 answer does not belong to any item of split “{split}”: {example}.",
            "{n} answers, such as {example}, do not belong to any item of split “{split}”.",
            len(ids),
            split=split,
            example=ids[0],
        )


def score_in_order(
    asked: Iterable[tuple[AnswerKey, "ReplyFields | None"]],
    *,
    split: str = "",
    engine: str = "",
    model: str = "",
    partial: bool = False,
    origin: Mapping[str, Any] | None = None,
) -> Report:
    """Score the reply to each question, None where there is no record; many are never held at once.

    StateError as ``score``.
    """
    judged = (_judged(key, *(reply or _NOT_ASKED)) for key, reply in asked)
    scores = kept(judged, ItemScore._make)
    counts = _ReportCounts(scores)
    not_asked = counts.outcomes.pop("not_asked", 0)
    if not_asked and not partial:
        raise StateError.trn(
            "No answer yet for {left} of 1 item: {answered} answered, {refused} "
            "refused, {failed} failed. Resume the run or request a partial report.",
            "No answer yet for {left} of {n} items: {answered} answered, {refused} "
            "refused, {failed} failed. Resume the run or request a partial report.",
            len(scores),
            left=not_asked,
            answered=counts.outcomes.total()
            - counts.outcomes["refused"]
            - counts.outcomes["failed"],
            refused=counts.outcomes["refused"],
            failed=counts.outcomes["failed"],
        )
    total, by = tallied(scores)
    return Report(
        split=split,
        engine=engine,
        model=model,
        total=total,
        items=len(scores),
        not_asked=not_asked,
        outcomes=dict(counts.outcomes),
        unparsed=counts.unparsed,
        by=by,
        scores=scores,
        origin=origin or {},
        strict=_strictly(scores),
        distinct_items=counts.items or len(scores),
        ways=counts.ways,
    )


class _ReportCounts:
    """What is counted over all scores: how they ended, how many have no answer in their text, and
    in how many ways how many items were asked (0 items: each in one)."""

    def __init__(self, scores: Iterable[ItemScore]) -> None:
        self.outcomes = Counter[str]()
        self.unparsed = 0
        variants: dict[str, None] = {}
        for part in in_parts(scores):
            self.outcomes.update([entry.outcome for entry in part])
            self.unparsed += sum([is_unparsed(e) for e in part if e.predicted is None])
            variants.update(dict.fromkeys([entry.variant for entry in part]))
        variants.pop("", None)
        self.ways = max(1, len(variants))
        self.items = len({uid_of(entry.id) for entry in scores}) if self.ways > 1 else 0


def regraded(report: Report, scores: Mapping[str, float | None]) -> Report:
    """The report with scores in 0…1 in the place of right and wrong, by answer id.

    A score of None leaves the answer out of the means, and it is counted as unjudged; an id that
    is not in ``scores`` keeps what it had. For lists of right and wrong an answer is right from
    half of the scale on.
    """
    if not scores:
        return report
    changed = (
        _graded(entry, scores[entry.id]) if entry.id in scores and entry.answered else entry
        for entry in report.scores
    )
    entries = kept(changed, ItemScore._make)
    total, by = tallied(entries)
    graded = any(entry.graded is not None or entry.unjudged for entry in entries)
    strict = None if graded else report.strict
    return replace(report, scores=entries, total=total, by=by, strict=strict)


def _graded(entry: ItemScore, value: float | None) -> ItemScore:
    if value is None:
        return entry._replace(correct=False, unjudged=True)
    return entry._replace(correct=value >= 0.5, graded=value, unjudged=False)


ReplyFields = tuple[str, str, str | None]
"""Text, outcome and choice of a reply: what scoring reads of an ``Answer``."""

_ALL_BUT_ONE = 0.999999
_NOT_ASKED: ReplyFields = ("", "not_asked", None)


def judge(key: AnswerKey, answer: Answer | None) -> ItemScore:
    """Compare one answer with its key: equality after the family's extraction."""
    if answer is None:
        return _judged(key, *_NOT_ASKED)
    return _judged(key, answer.text, answer.outcome, answer.choice)


def _judged(key: AnswerKey, text: str, outcome: str, choice: str | None) -> ItemScore:
    id_, answer, kind, form, domain, pattern, choices, cluster, variant, others, metric = key
    predicted = _read(kind, pattern, choices, text, outcome, choice)
    correct = predicted is not None and (predicted == answer or predicted in others)
    graded = None
    if metric:
        value = measure(metric, predicted, (answer, *others))
        if choice is not None:  # chosen among whole answers: right or wrong, and nothing between
            value = float(value > _ALL_BUT_ONE)
        correct, graded = value >= 0.5, None if value in (0.0, 1.0) else value
    return ItemScore(
        id_,
        form,
        domain,
        cluster,
        answer,
        predicted,
        correct,
        outcome not in ("failed", "not_asked"),
        outcome,
        text,
        variant,
        graded,
        False,
        predicted is not None and _read_strictly(pattern, text, choice) == answer,
    )


def _read_strictly(pattern: str, text: str, choice: str | None) -> str | None:
    """What lm-evaluation-harness reads in the exported task: the first match of the pattern, else
    the whole reply, without white space around it. No other spelling of a choice counts."""
    if choice is not None:
        return choice
    if not pattern:
        return text.strip()
    match = _compiled(pattern).search(text)
    if match is None:
        return None
    groups = match.groups() or (match.group(),)
    return next((group for group in groups if group), "").strip()


@lru_cache(maxsize=256)
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


def _read(
    kind: str, pattern: str, choices: tuple[str, ...], text: str, outcome: str, choice: str | None
) -> str | None:
    """The model's choice where it chose, else what ``core.families.reading`` finds in its text."""
    if outcome in ("failed", "refused", "thinking_truncated"):
        return None
    return choice if choice is not None else answer_in(kind, text, pattern, choices)


def is_unparsed(entry: ItemScore) -> bool:
    """Whether the model's reply is text without an answer in it."""
    return entry.predicted is None and entry.outcome in ("ok", "truncated")


def _clusters_of(entries: Sequence[ItemScore]) -> list[str]:
    return [cluster_name(entry.cluster, entry.id) for entry in entries]


class _Tally:
    """Counts and sums of the scores of one part; by clusters as well where answers share any."""

    __slots__ = ("clusters", "graded", "n", "squares", "total")

    def __init__(self, *, shared: bool) -> None:
        self.n, self.total, self.squares, self.graded = 0, 0.0, 0.0, False
        self.clusters = ClusterSums() if shared else None

    def extend(self, entries: Iterable[ItemScore]) -> None:
        counted = [entry for entry in entries if entry.answered and not entry.unjudged]
        graded = [entry.graded for entry in counted]
        values = [e.correct if e.graded is None else e.graded for e in counted]
        self.graded = self.graded or graded.count(None) < len(graded)
        self.n += len(counted)
        self.total += sum(values)
        self.squares += sum([v * v for v in values])
        if self.clusters is not None:
            self.clusters.extend(_clusters_of(counted), values)

    def add(self, other: "_Tally") -> None:
        self.n += other.n
        self.total += other.total
        self.squares += other.squares
        self.graded = self.graded or other.graded
        if self.clusters is not None and other.clusters is not None:
            self.clusters.merge(other.clusters)

    def estimate(self) -> AccuracyEstimate:
        total, squares = (self.total, self.squares) if self.graded else (int(self.total), None)
        if self.clusters is None:
            return AccuracyEstimate(self.n, total, squares, clusters=self.n)
        return AccuracyEstimate(
            self.n, total, squares, self.clusters.error(), len(self.clusters),
            self.clusters.freedom(), self.clusters,
        )  # fmt: skip


def _strictly(scores: Sequence[ItemScore]) -> AccuracyEstimate:
    """The answered items by the strict reading."""
    sums = ClusterSums() if _share_clusters(scores) else None
    n = correct = 0
    for part in in_parts(scores):
        counted = [entry for entry in part if entry.answered]
        right = [entry.strict for entry in counted]
        n, correct = n + len(right), correct + sum(right)
        if sums is not None:
            sums.extend(_clusters_of(counted), right)
    if sums is None:
        return AccuracyEstimate(n, correct, clusters=n)
    return AccuracyEstimate(n, correct, None, sums.error(), len(sums), sums.freedom(), sums)


def _share_clusters(scores: Sequence[ItemScore]) -> bool:
    """Whether two answers share a source or an item."""
    seen: set[str] = set()
    count = 0
    for part in in_parts(scores):
        seen.update(_clusters_of(part))
        count += len(part)
        if len(seen) < count:
            return True
    return False


def tallied(
    scores: Sequence[ItemScore],
) -> tuple[AccuracyEstimate, dict[str, dict[str, AccuracyEstimate]]]:
    """All of them, and cuts by format, domain and both, and by the ways of asking where there are
    several. A cell of the finest cut is counted once and added to every part it belongs to."""
    shared = _share_clusters(scores)
    cells: dict[tuple[str, str, str], _Tally] = {}
    for part in in_parts(scores):
        members: dict[tuple[str, str, str], list[ItemScore]] = {}
        for entry in part:
            members.setdefault((entry.format, entry.domain, entry.variant), []).append(entry)
        for finest, some in members.items():
            cells.setdefault(finest, _Tally(shared=shared)).extend(some)
    total = _Tally(shared=shared)
    groups: dict[str, dict[str, _Tally]] = {"format": {}, "domain": {}, "format_domain": {}}
    for (form, domain, variant), cell in cells.items():
        total.add(cell)
        instruction, _, template = variant.partition("@")
        named = [("format", form), ("domain", domain), ("format_domain", f"{form}/{domain}")]
        named += [("instruction", instruction)] if instruction else []
        named += [("template", template)] if template else []
        for cut, name in named:
            groups.setdefault(cut, {}).setdefault(name, _Tally(shared=shared)).add(cell)
    parts = {
        cut: {name: tally.estimate() for name, tally in sorted(named.items())}
        for cut, named in groups.items()
    }
    return total.estimate(), parts
