"""Runs side by side: which items one got right and the other wrong, and whether luck explains it.

The reports are those of a ``ReportCache``; a ``RunComparison`` is what a view of thousands of items
needs, as arrays.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from core.errors import InputError, StateError
from core.evaluation.compare import Comparison, compare, compare_many
from core.evaluation.scoring import ItemScore, Report
from core.families.base import ItemContent
from core.gc_pause import few_collections
from core.i18n import tr
from core.release.question_ids import uid_of
from core.report_table import ReportTable
from core.workflow.check.visibility import refuse_closed
from core.workflow.evaluation.report_cache import ReportCache
from core.workflow.evaluation.run_titles import run_titles
from core.workflow.lookup import item_in
from core.workflow.runs import runs
from core.workflow.splits import freeze
from core.workflow.workspace import Workspace
from db import items as item_rows
from db import runs as run_rows

if TYPE_CHECKING:
    from core.analysis.suspect_keys import SuspectKey
    from core.workflow.evaluation.item_results import MissedItem

Kind = Literal[
    "a_only", "b_only", "alike", "apart", "both_right", "unanswered", "all_alike", "suspect",
    "every",
]  # fmt: skip
KINDS: tuple[Kind, ...] = get_args(Kind)
"""Only A right, only B right, both wrong in the same way or each in its own, both right, one
without an answer, missed alike by the strong models of the split, with a key that is probably
wrong by the answers of all models (the most suspect first), every item."""

_RIGHT, _WRONG, _NONE = 1, 0, -1


@dataclass(frozen=True, slots=True)
class RunChoice:
    """A finished evaluation. ``title`` is the model, with the run's time where it ran twice."""

    run: str
    title: str
    model: str
    split: str
    accuracy: float | None


def choices(ws: Workspace) -> tuple[RunChoice, ...]:
    """The finished evaluations, newest first; opens no run's answers."""
    with ws.reading() as session:
        known = {row.id: row for row in run_rows.all_runs(session)}
    rows = [
        known[info.id]
        for info in runs.runs(ws)
        if info.kind == "evaluate" and info.state == "finished" and info.id in known
    ]
    named = [(row.id, _model(row.params), str(row.params.get("split", ""))) for row in rows]
    return tuple(
        RunChoice(run, title, model, split, row.summary.get("accuracy"))
        for (run, model, split), title, row in zip(named, run_titles(named), rows, strict=True)
    )


def _model(params: dict[str, Any]) -> str:
    return str(params.get("model") or params.get("engine") or "")


@dataclass(frozen=True)
class RunComparison:
    """Two runs on the same questions, position by position in the order of the split.

    ``marks_a`` and ``marks_b``: 1 right, 0 wrong, -1 without an answer. ``alike`` marks where both
    said the same. ``missed`` is what the strong ones of all ``runs`` runs of the split missed
    alike, ``suspects`` are the keys that are probably wrong, both by item; as long as those runs
    were not read (``with_others``), both are empty.
    """

    titles: tuple[str, str]
    result: Comparison
    a: tuple[ItemScore, ...]
    b: tuple[ItemScore, ...]
    marks_a: npt.NDArray[np.int8]
    marks_b: npt.NDArray[np.int8]
    alike: npt.NDArray[np.bool_]
    runs: int = 2
    missed: "Mapping[int, MissedItem]" = field(default_factory=dict)
    suspects: "Mapping[int, SuspectKey]" = field(default_factory=dict)

    def rows(self, kind: Kind) -> npt.NDArray[np.intp]:
        """Positions of the items of a kind, ascending; of suspect keys the most suspect first."""
        places = np.flatnonzero(self._masks[kind])
        if kind == "suspect":
            order = [-self.suspects[number_of(self.a[place].id)].probability for place in places]
            places = places[np.argsort(order, kind="stable")]
        return places

    def count(self, kind: Kind) -> int:
        """How many items are of a kind."""
        return int(np.count_nonzero(self._masks[kind]))

    def against_the_key(self, kind: Kind) -> "tuple[MissedItem, ...]":
        """What models answered against the key of the items of a kind; empty where that is not
        what makes them of the kind."""
        from core.workflow.evaluation.item_results import MissedItem, as_missed

        if kind == "suspect":
            return tuple(as_missed(tuple(self.suspects.values())))
        if kind == "all_alike":
            return tuple(self.missed.values())
        if kind == "alike":
            scores = (self.a[place] for place in self.rows(kind))
            return tuple(
                MissedItem(number_of(one.id), one.expected, str(one.predicted), self.titles)
                for one in scores
            )
        return ()

    def _among(self, items: Mapping[int, object]) -> npt.NDArray[np.bool_]:
        return np.fromiter((number_of(score.id) in items for score in self.a), bool, len(self.a))

    @cached_property
    def _masks(self) -> dict[Kind, npt.NDArray[np.bool_]]:
        a, b = self.marks_a, self.marks_b
        wrong = (a == _WRONG) & (b == _WRONG)
        return {
            "a_only": (a == _RIGHT) & (b == _WRONG),
            "b_only": (a == _WRONG) & (b == _RIGHT),
            "alike": wrong & self.alike,
            "apart": wrong & ~self.alike,
            "both_right": (a == _RIGHT) & (b == _RIGHT),
            "unanswered": (a == _NONE) | (b == _NONE),
            "all_alike": self._among(self.missed),
            "suspect": self._among(self.suspects),
            "every": np.ones(len(a), dtype=bool),
        }


def match(cache: ReportCache, a: RunChoice, b: RunChoice) -> RunComparison:
    """Run A against run B. Raises InputError where the two answered different items, StateError
    while their split is sealed: what they answered is read by nobody."""
    if a.split != b.split:
        raise InputError.tr(
            "“{a}” and “{b}” answered different items, so there is nothing to compare.",
            a=a.title, b=b.title
        )  # fmt: skip
    freeze.refuse_sealed(freeze.info(cache.ws, a.split))
    with few_collections():
        return _matched((a.title, b.title), cache.report(a.run), cache.report(b.run))


def _matched(titles: tuple[str, str], first: Report, second: Report) -> RunComparison:
    result = compare(first, second, names=titles)
    place = {entry.id: entry for entry in second.scores}
    pairs = [(score, place[score.id]) for score in first.scores if score.id in place]
    return RunComparison(
        titles=titles,
        result=result,
        a=tuple(score for score, _ in pairs),
        b=tuple(two for _, two in pairs),
        marks_a=_marks([score for score, _ in pairs]),
        marks_b=_marks([two for _, two in pairs]),
        alike=np.fromiter(
            (
                score.predicted is not None and score.predicted == two.predicted
                for score, two in pairs
            ),
            dtype=bool,
            count=len(pairs),
        ),
    )


def with_others(
    cache: ReportCache, comparison: RunComparison, chosen_runs: Sequence[RunChoice]
) -> RunComparison:
    """The same with what the strong ones of these runs, A and B among them, missed alike."""
    from core.analysis.suspect_keys import LIKELY, suspect_keys
    from core.workflow.evaluation.item_results import missed_among, one_answer_each

    # of a model that ran twice, the newest counts
    newest = {choice.model: choice for choice in reversed(chosen_runs)}
    with few_collections():
        reports = {name: cache.report(choice.run) for name, choice in newest.items()}
        try:
            missed = {item.number: item for item in missed_among(reports, chosen_runs[0].split)}
        except StateError:
            missed = {}  # fewer than two of them have a score
    found = {} if len(reports) < 2 else {
        int(one.id): one
        for one in suspect_keys(
            {name: one_answer_each(report) for name, report in reports.items()}
        )
        if one.probability >= LIKELY
    }  # fmt: skip
    return replace(comparison, missed=missed, runs=len(chosen_runs), suspects=found)


def _marks(scores: Sequence[ItemScore]) -> npt.NDArray[np.int8]:
    return np.fromiter(
        (_NONE if score.score is None else int(score.correct) for score in scores),
        dtype=np.int8,
        count=len(scores),
    )


def every_pair(cache: ReportCache, chosen_runs: Sequence[RunChoice]) -> tuple[Comparison, ...]:
    """Every pair of runs, the p-values corrected over all of them (Holm)."""
    return tuple(compare_many({choice.title: cache.report(choice.run) for choice in chosen_runs}))


def number_of(id_: str) -> int:
    """The item's number in the id of a question."""
    return int(uid_of(id_))


def content_of(ws: Workspace, number: int) -> ItemContent:
    """An item as it is now; a frozen one is as it was asked. StateError while its split is
    sealed."""
    with ws.reading() as session:
        item = item_in(session, number)
        refuse_closed(session, item)
        content = item_rows.contents(session, [number])[number]
        return ItemContent(
            item.family, item.format, content.payload, content.provenance, item.domain
        )


# -- keeping it ---------------------------------------------------------------------------------


def side_by_side(comparison: RunComparison, kind: Kind = "every") -> ReportTable:
    """The items of a kind with both answers, one row for each."""
    rows = tuple(
        (
            answer_a.id,
            answer_a.format,
            answer_a.domain,
            answer_a.expected,
            answer_a.predicted,
            answer_b.predicted,
            None if answer_a.score is None else float(answer_a.score),
            None if answer_b.score is None else float(answer_b.score),
            answer_a.text,
            answer_b.text,
        )
        for answer_a, answer_b in (
            (comparison.a[at], comparison.b[at]) for at in comparison.rows(kind)
        )
    )
    first, second = comparison.titles
    heads = (
        "item", "format", "domain", "expected", "predicted_a", "predicted_b", "score_a", "score_b",
        "text_a", "text_b",
    )  # fmt: skip
    return ReportTable(tr("A: {a}. B: {b}.", a=first, b=second), heads, rows)


def differences(comparisons: Sequence[Comparison]) -> ReportTable:
    """The table of paired differences."""
    from core.evaluation.report_tables import comparison_table

    return comparison_table(comparisons)


def answers(cache: ReportCache, chosen_runs: Sequence[RunChoice]) -> ReportTable:
    """A row for every item and run; StateError while the split of one is sealed."""
    from core.evaluation.report_tables import item_table

    for name in {choice.split for choice in chosen_runs}:
        freeze.refuse_sealed(freeze.info(cache.ws, name))
    return item_table({choice.title: cache.report(choice.run) for choice in chosen_runs})
