"""Gate: the language model's score against what people decided."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from core.screening.threshold import Proportion, ScoreBin, proportion
from core.text import tr
from core.workflow.judgements import Judgements
from db.vocabulary import ItemState, ScreeningOutcome

if TYPE_CHECKING:
    import pandas as pd

Ints = npt.NDArray[np.int64]
_TAKEN = (ItemState.ACCEPTED.value, ItemState.APPROVED.value, ItemState.FROZEN.value)
STEPS = 21  # thresholds 0, 0.5, … 10


@dataclass(frozen=True, slots=True)
class RocPoint:
    """What one threshold would have done to the items that people decided on."""

    threshold: float
    passed_accepted: int
    passed_rejected: int
    out_accepted: int
    out_rejected: int
    true_positive_rate: float | None
    false_positive_rate: float | None


@dataclass(frozen=True, slots=True)
class Gate:
    """The whole panel. ``histogram`` is (score from, items, of them screened out)."""

    outcomes: dict[str, int]
    histogram: tuple[tuple[float, int, int], ...]
    roc: tuple[RocPoint, ...]
    auc: float | None
    auc_undefined: str
    false_rejects: Proportion
    calibration: tuple[ScoreBin, ...]
    tokens: int
    judged: int
    sentence: str


def gate(view: Judgements, benchmark_id: int | None = None) -> Gate:
    """Everything the Gate panel shows; the newest screening of each item counts."""
    found = newest(view, benchmark_id)
    found = found.assign(accepted=verdicts(found))
    scored = found[found["score"].notna()]
    judged = scored[scored["accepted"].notna()]
    good, bad = _by_score(judged, True), _by_score(judged, False)
    roc = _roc(good, bad)
    area, why = _auc(good, bad)
    audited = found[found["audited"].astype(bool) & found["accepted"].notna()]
    false_rejects = proportion(int(audited["accepted"].astype(bool).sum()), len(audited))
    outcomes = found["outcome"].value_counts().to_dict()
    return Gate(
        outcomes={str(name): int(n) for name, n in outcomes.items() if n},
        histogram=_histogram(scored),
        roc=roc,
        auc=area,
        auc_undefined=why,
        false_rejects=false_rejects,
        calibration=_calibration(good, bad),
        tokens=int(found["tokens"].sum()),
        judged=len(judged),
        sentence=_sentence(found, area, why, false_rejects),
    )


def newest(view: Judgements, benchmark_id: int | None) -> "pd.DataFrame":
    """The newest screening of every item's present revision, with the item's state."""
    items = view.items
    if benchmark_id is not None:
        items = items[items["benchmark_id"] == benchmark_id]
    found = view.screenings.drop_duplicates(["item_id", "revision"], keep="last")
    present = items[["id", "revision", "state"]].rename(columns={"id": "item_id"})
    return found.merge(present, on=["item_id", "revision"])


def verdicts(found: "pd.DataFrame") -> "pd.Series[Any]":
    """Whether people accepted each screened item, None while they have not settled it."""
    import pandas as pd

    known = {**dict.fromkeys(_TAKEN, True), ItemState.REJECTED.value: False}
    return pd.Series([known.get(state) for state in found["state"]], found.index, dtype=object)


def _by_score(judged: "pd.DataFrame", accepted: bool) -> Ints:
    """Items per half point of score, shape (21,)."""
    scores = judged.loc[judged["accepted"].astype(bool) == accepted, "score"]
    places = np.clip(np.floor(scores.to_numpy(float) * 2 + 1e-9), 0, STEPS - 1).astype(int)
    return np.bincount(places, minlength=STEPS)


def _roc(good: Ints, bad: Ints) -> tuple[RocPoint, ...]:
    passed_good, passed_bad = good[::-1].cumsum()[::-1], bad[::-1].cumsum()[::-1]
    total_good, total_bad = int(good.sum()), int(bad.sum())
    points = []
    for place in range(STEPS):
        pg, pb = int(passed_good[place]), int(passed_bad[place])
        points.append(
            RocPoint(
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


def _histogram(scored: "pd.DataFrame") -> tuple[tuple[float, int, int], ...]:
    scores = scored["score"].to_numpy(float)
    out = (scored["outcome"] == ScreeningOutcome.SCREENED_OUT).to_numpy()
    places = np.clip(np.floor(scores * 2 + 1e-9), 0, STEPS - 1).astype(int)
    counts = np.bincount(places, minlength=STEPS)
    gone = np.bincount(places[out], minlength=STEPS)
    return tuple((place / 2, int(counts[place]), int(gone[place])) for place in range(STEPS))


def _calibration(good: Ints, bad: Ints) -> tuple[ScoreBin, ...]:
    bins = []
    for low in range(10):
        high = low + 1
        inside = slice(2 * low, STEPS if high == 10 else 2 * high)
        yes, no = int(good[inside].sum()), int(bad[inside].sum())
        bins.append(ScoreBin(float(low), float(high), yes + no, proportion(yes, yes + no)))
    return tuple(bins)


def _sentence(found: Any, area: float | None, why: str, false_rejects: Proportion) -> str:
    if not len(found):
        return tr("Nothing has been screened yet.")
    out = int((found["outcome"] == ScreeningOutcome.SCREENED_OUT).sum())
    first = tr(
        "The gate screened {count} items and let {share:.0%} out.",
        count=f"{len(found):,}",
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
