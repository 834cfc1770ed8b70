"""Everything people said, as data frames that grow with the workspace.

A ``JudgementBook`` reads what is new since it last looked, so that a dashboard refreshes in
milliseconds; what was undone is marked, never dropped, so that a past date can be asked.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from threading import Lock
from typing import TYPE_CHECKING, Any

from core.workflow.workspace import Workspace
from db.engine import Session
from db.queries import judgements as rows

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Judgements:
    """A consistent view. All frames have plain RangeIndexes and stay untouched by their readers.

    ``decisions`` and ``ratings`` carry ``withdrawn_at`` (NaT while they stand); ``items`` one row
    per item; ``screenings`` one per verdict of the gate; ``people`` and ``tasks`` map ids to names. ``known`` holds the known
    verdicts of gold items.
    """

    tip: int
    decisions: "pd.DataFrame"
    ratings: "pd.DataFrame"
    screenings: "pd.DataFrame"
    items: "pd.DataFrame"
    people: dict[int, str]
    tasks: "pd.DataFrame"
    gold: frozenset[tuple[int, int, int]]
    known: dict[int, str]


class JudgementBook:
    """The judgements of one workspace, kept in memory and brought up to date on demand."""

    def __init__(self, ws: Workspace) -> None:
        self._ws = ws
        self._lock = Lock()
        self._view: Judgements | None = None
        self._kept: dict[Any, Any] = {}
        self._kept_tip = -1

    def newest(self) -> int:
        """Number of the newest event: when it has not moved, nothing has changed."""
        with self._ws.reading() as session:
            return rows.tip(session)

    def kept(self, view: Judgements, key: Any, make: Callable[[], Any]) -> Any:
        """What ``make`` returned for a key on this view; forgotten when the view moves on."""
        with self._lock:
            if self._kept_tip != view.tip:
                self._kept, self._kept_tip = {}, view.tip
            if key in self._kept:
                return self._kept[key]
        made = make()
        with self._lock:
            if self._kept_tip == view.tip:
                self._kept[key] = made
        return made

    def read(self) -> Judgements:
        """The present view; reads only what came since the last call."""
        with self._lock, self._ws.reading() as session:
            tip = rows.tip(session)
            if self._view is None or self._view.tip != tip:
                self._view = self._renewed(session, tip)
            return self._view

    def _renewed(self, session: Session, tip: int) -> Judgements:
        import pandas as pd

        old = self._view
        tasks = pd.DataFrame(
            rows.tasks(session), columns=["id", "benchmark_id", "name", "family", "profile"]
        )
        return Judgements(
            tip=tip,
            decisions=_grown(
                session,
                old.decisions if old else None,
                rows.decisions,
                rows.DECISION_FIELDS,
                rows.withdrawn_decisions,
            ),
            ratings=_grown(
                session,
                old.ratings if old else None,
                rows.ratings,
                rows.RATING_FIELDS,
                rows.withdrawn_ratings,
            ),
            screenings=_grown(
                session, old.screenings if old else None, rows.screenings, rows.SCREENING_FIELDS
            ),
            items=_items(session, old),
            people=rows.people(session),
            tasks=tasks,
            gold=frozenset((r[0], r[1], r[2]) for r in rows.gold(session)),
            known=rows.known_verdicts(session),
        )


_TIMES = ("at", "changed_at")
_WORDS = ("kind", "verdict", "reason", "criterion", "outcome", "model", "prompt_version",
          "run_id", "family", "format", "domain", "label", "state")  # fmt: skip


def _frame(found: Sequence[tuple[Any, ...]], fields: Sequence[str]) -> "pd.DataFrame":
    """Rows as a frame, column by column: many times faster than letting pandas guess."""
    import numpy as np
    import pandas as pd

    columns: Sequence[Any] = list(zip(*found, strict=True)) if found else [()] * len(fields)
    made: dict[str, Any] = {}
    for name, values in zip(fields, columns, strict=True):
        if name in _TIMES:
            made[name] = pd.to_datetime(np.array(values, object), utc=True, format="ISO8601")
        elif name in _WORDS:
            made[name] = pd.Series(values, dtype=object)
        elif name in ("seconds", "value", "score", "threshold", "lot_id", "author_id"):
            made[name] = np.array(values, np.float64)
        else:
            made[name] = np.array(values, np.int64)
    return pd.DataFrame(made, columns=list(fields))


def _items(session: Session, old: "Judgements | None") -> "pd.DataFrame":
    """All items as they are now; only those with an event since the old view are read."""
    import pandas as pd

    if old is None or not len(old.items):
        return _frame(rows.items(session), rows.ITEM_FIELDS)
    changed = _frame(rows.items(session, old.tip), rows.ITEM_FIELDS)
    if not len(changed):
        return old.items
    kept = old.items[~old.items["id"].isin(changed["id"])]
    return pd.concat([kept, changed], ignore_index=True).sort_values("id", ignore_index=True)


def _grown(
    session: Session,
    old: "pd.DataFrame | None",
    read: Callable[[Session, int], rows.Rows],
    fields: Sequence[str],
    withdrawn: Callable[[Session], rows.Rows] | None = None,
) -> "pd.DataFrame":
    """The old frame with what is new below it, and with what was undone marked."""
    import pandas as pd

    last = int(old["id"].iloc[-1]) if old is not None and len(old) else 0
    new = read(session, last)
    if old is None or not len(old):
        frame = _frame(new, fields)
    elif new:
        kept = old.drop(columns="withdrawn_at", errors="ignore")
        frame = pd.concat([kept, _frame(new, fields)], ignore_index=True)
    else:
        frame = old.copy(deep=False)
    if withdrawn is not None:
        undone = {row[0]: row[2] for row in withdrawn(session)}
        frame["withdrawn_at"] = pd.to_datetime(frame["id"].map(undone), utc=True)
    return frame


def standing(frame: "pd.DataFrame", as_of: datetime | None = None) -> "pd.DataFrame":
    """The rows that stand now, or stood at a moment in the past."""
    if as_of is None:
        return frame[frame["withdrawn_at"].isna()]
    undone_later = frame["withdrawn_at"].isna() | (frame["withdrawn_at"] > as_of)
    return frame[(frame["at"] <= as_of) & undone_later]
