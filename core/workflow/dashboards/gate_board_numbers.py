"""Gate: the language model's score against what people decided."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from core.i18n import tr, trn
from core.screening.threshold import Proportion, ScoreBin, ThresholdRow, proportion
from core.workflow.dashboards.columns import Frame, Ints, last_of_each
from core.workflow.dashboards.judgements import Judgements
from db.vocabulary import ItemState, ScreeningOutcome

_TAKEN = (ItemState.ACCEPTED.value, ItemState.APPROVED.value, ItemState.FROZEN.value)
STEPS = 21  # thresholds 0, 0.5, … 10


@dataclass(frozen=True, slots=True)
class GateNumbers:
    """The whole panel. ``histogram`` is (score from, items, of them screened out).

    ``false_rejects`` is the share that people accepted of the screened-out items of the random
    share which they saw anyway; ``false_by_score`` splits it by the model's score.
    """

    outcomes: dict[str, int]
    histogram: tuple[tuple[float, int, int], ...]
    roc: tuple[ThresholdRow, ...]
    auc: float | None
    auc_undefined: str
    false_rejects: Proportion
    false_by_score: tuple[ScoreBin, ...]
    calibration: tuple[ScoreBin, ...]
    tokens: int
    judged: int
    sentence: str


def gate(view: Judgements, benchmark_id: int | None = None) -> GateNumbers:
    """Everything the Gate panel shows; the newest screening of each item counts."""
    found = newest(view, benchmark_id)
    scored = found.rows(~np.isnan(found["score"]))
    judged = scored.rows(scored["settled"])
    good, bad = _by_score(judged, True), _by_score(judged, False)
    roc = _roc(good, bad)
    area, why = _auc(good, bad)
    audited = found.rows((found["audited"] != 0) & found["settled"])
    seen = audited.rows(~np.isnan(audited["score"]))
    false_rejects = proportion(int(audited["accepted"].sum()), len(audited))
    return GateNumbers(
        outcomes=found["outcome"].counts(),
        histogram=_histogram(scored),
        roc=roc,
        auc=area,
        auc_undefined=why,
        false_rejects=false_rejects,
        false_by_score=_binned(_by_score(seen, True), _by_score(seen, False)),
        calibration=_binned(good, bad),
        tokens=int(found["tokens"].sum()),
        judged=len(judged),
        sentence=_sentence(found, area, why, false_rejects),
    )


def newest(view: Judgements, benchmark_id: int | None) -> Frame:
    """The newest screening of every item's present revision.

    With ``state`` of the item, ``accepted`` by people, and ``settled``: whether they decided.
    """
    items, screened = view.items, view.screenings
    place = np.searchsorted(items["id"], screened["item_id"])
    present = items["revision"][place] == screened["revision"]
    if benchmark_id is not None:
        present &= items["benchmark_id"][place] == benchmark_id
    rows = np.flatnonzero(present)
    rows = rows[last_of_each(screened["item_id"][rows])]
    state = items["state"][place[rows]]
    accepted = state.among(_TAKEN)
    settled = accepted | state.among((ItemState.REJECTED.value,))
    return screened.rows(rows).having(state=state, accepted=accepted, settled=settled)


def _places(scores: Any) -> Ints:
    """The half point in which each score lies, 0 to 20."""
    return np.asarray(np.clip(np.floor(scores * 2 + 1e-9), 0, STEPS - 1), np.int64)


def _by_score(judged: Frame, accepted: bool) -> Ints:
    """Items per half point of score, shape (21,)."""
    scores = judged["score"][judged["accepted"] == accepted]
    return np.bincount(_places(scores), minlength=STEPS)


def _roc(good: Ints, bad: Ints) -> tuple[ThresholdRow, ...]:
    """What every half point would have done to the items that people decided on."""
    passed_good, passed_bad = good[::-1].cumsum()[::-1], bad[::-1].cumsum()[::-1]
    total_good, total_bad = int(good.sum()), int(bad.sum())
    points = []
    for place in range(STEPS):
        pg, pb = int(passed_good[place]), int(passed_bad[place])
        points.append(
            ThresholdRow(
                place / 2,
                pg,
                pb,
                total_good - pg,
                total_bad - pb,
                pg / total_good if total_good else None,
                pb / total_bad if total_bad else None,
            )
        )
    return tuple(points)


def _auc(good: Ints, bad: Ints) -> tuple[float | None, str]:
    """Chance that an accepted item scores above a rejected one, ties half (Mann and Whitney)."""
    if not good.sum() or not bad.sum():
        return None, tr("It needs both accepted and rejected items.")
    below = bad.cumsum() - bad
    wins = float((good * (below + bad / 2)).sum())
    return wins / float(good.sum() * bad.sum()), ""


def _histogram(scored: Frame) -> tuple[tuple[float, int, int], ...]:
    places = _places(scored["score"])
    out = scored["outcome"].among((ScreeningOutcome.SCREENED_OUT,))
    counts = np.bincount(places, minlength=STEPS)
    gone = np.bincount(places[out], minlength=STEPS)
    return tuple((place / 2, int(counts[place]), int(gone[place])) for place in range(STEPS))


def _binned(good: Ints, bad: Ints) -> tuple[ScoreBin, ...]:
    bins = []
    for low in range(10):
        high = low + 1
        inside = slice(2 * low, STEPS if high == 10 else 2 * high)
        yes, no = int(good[inside].sum()), int(bad[inside].sum())
        bins.append(ScoreBin(float(low), float(high), yes + no, proportion(yes, yes + no)))
    return tuple(bins)


def _sentence(found: Frame, area: float | None, why: str, false_rejects: Proportion) -> str:
    if not len(found):
        return tr("Nothing has been screened yet.")
    out = int(found["outcome"].among((ScreeningOutcome.SCREENED_OUT,)).sum())
    first = trn(
        "The gate screened 1 item and turned {share:.0%} away.",
        "The gate screened {n} items and turned {share:.0%} away.",
        len(found),
        share=out / len(found),
    )
    if false_rejects.value is None:
        second = tr("Its false-reject rate is unknown: no screened-out item was judged by people.")
    else:
        second = tr(
            "People would have kept {rate:.0%} [{low:.0%}, {high:.0%}] of what it screened out.",
            rate=false_rejects.value,
            low=false_rejects.low or 0.0,
            high=false_rejects.high or 0.0,
        )
    third = (
        tr("Its score separates good from bad with an area of {area:.2f}.", area=area)
        if area is not None
        else tr("The area under its curve is undefined: {why}", why=why)
    )
    return " ".join((first, second, third))
