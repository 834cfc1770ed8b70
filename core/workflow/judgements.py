"""Everything people said, as data frames that grow with the workspace.

A ``JudgementBook`` reads what is new since it last looked, so that a dashboard refreshes in
milliseconds; what was undone is marked, never dropped, so that a past date can be asked.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from threading import Lock
from typing import TYPE_CHECKING, Any, Literal

from core.workflow.workspace import Workspace
from db.engine import Session
from db.queries import judgements as rows

if TYPE_CHECKING:
    import pandas as pd


Part = Literal["decisions", "ratings", "screenings"]
PARTS: tuple[Part, ...] = ("decisions", "ratings", "screenings")


@dataclass(frozen=True)
class Judgements:
    """A consistent view. All frames have plain RangeIndexes and stay untouched by their readers.

    ``decisions`` and ``ratings`` carry ``withdrawn_at`` (NaT while they stand); ``items`` one row
    per item; ``screenings`` one per verdict of the gate; ``people`` and ``tasks`` map ids to names;
    ``known`` holds the known verdicts of gold items. Words are categories.
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
        self._wanted: set[Part] = set()
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

    def read(self, wanted: Iterable[Part] = PARTS) -> Judgements:
        """The present view; reads only what came since the last call.

        Of decisions, ratings and screenings only those that anybody ``wanted`` so far are filled;
        the others have no rows.
        """
        with self._lock, self._ws.reading() as session:
            tip = rows.tip(session)
            more = set(wanted) - self._wanted
            if self._view is None or self._view.tip != tip or more:
                self._wanted |= more
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
                rows.decisions if "decisions" in self._wanted else _nothing,
                rows.DECISION_FIELDS,
                rows.withdrawn_decisions,
            ),
            ratings=_grown(
                session,
                old.ratings if old else None,
                rows.ratings if "ratings" in self._wanted else _nothing,
                rows.RATING_FIELDS,
                rows.withdrawn_ratings,
            ),
            screenings=_grown(
                session,
                old.screenings if old else None,
                rows.screenings if "screenings" in self._wanted else _nothing,
                rows.SCREENING_FIELDS,
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
_FLOATS = ("seconds", "value", "score", "threshold", "lot_id", "author_id")


def _frame(batches: Iterable[rows.Rows], fields: Sequence[str]) -> "pd.DataFrame":
    """Rows as a frame, batch by batch and column by column; words become categories.

    Many times faster than letting pandas guess, and no step is long, so that the window's thread
    gets its turn in between.
    """
    import numpy as np
    import pandas as pd

    parts: list[list[Any]] = [[_empty(name)] for name in fields]
    known: list[dict[Any, int]] = [{} for _ in fields]
    for batch in batches:
        for place, values in enumerate(zip(*batch, strict=True)):
            parts[place].append(_array(fields[place], values, known[place]))
    made: dict[str, Any] = {}
    for name, arrays, words in zip(fields, parts, known, strict=True):
        whole = np.concatenate(arrays)
        if name in _TIMES:
            made[name] = pd.to_datetime(whole, utc=True)
        elif name in _WORDS:
            made[name] = pd.Categorical.from_codes(whole, pd.Index(list(words), dtype=object))
        else:
            made[name] = whole
    return pd.DataFrame(made, columns=list(fields))


def _empty(name: str) -> Any:
    """An array of no values, of the type of a column."""
    import numpy as np

    if name in _TIMES:
        return np.empty(0, "datetime64[us]")
    if name in _WORDS:
        return np.empty(0, np.int16)
    return np.empty(0, np.float64 if name in _FLOATS else np.int64)


def _array(name: str, values: tuple[Any, ...], known: dict[Any, int]) -> Any:
    """A column of one batch; words as codes into ``known``, which grows."""
    import numpy as np
    import pandas as pd

    if name in _TIMES:
        moments = pd.to_datetime(np.array(values, object), utc=True, format="ISO8601")
        return moments.tz_localize(None).to_numpy().astype("datetime64[us]")
    if name in _WORDS:
        return np.array([known.setdefault(value, len(known)) for value in values], np.int16)
    return np.array(values, np.float64 if name in _FLOATS else np.int64)


def _items(session: Session, old: "Judgements | None") -> "pd.DataFrame":
    """All items as they are now; only those with an event since the old view are read."""
    if old is None or not len(old.items):
        return _frame(rows.items(session), rows.ITEM_FIELDS)
    changed = _frame(rows.items(session, old.tip), rows.ITEM_FIELDS)
    if not len(changed):
        return old.items
    kept = old.items[~old.items["id"].isin(changed["id"])]
    return _joined(kept, changed).sort_values("id", ignore_index=True)


def _nothing(_session: Session, _after: int) -> rows.Batches:
    """No rows: nobody has wanted them yet."""
    return iter(())


def _joined(old: "pd.DataFrame", new: "pd.DataFrame") -> "pd.DataFrame":
    """One frame below the other; a word that is new widens its column's categories."""
    import pandas as pd

    for name in old.columns:
        if isinstance(old[name].dtype, pd.CategoricalDtype):
            words = old[name].cat.categories.union(new[name].cat.categories, sort=False)
            new[name] = new[name].cat.set_categories(words)
            if len(words) > len(old[name].cat.categories):
                old = old.assign(**{name: old[name].cat.set_categories(words)})
    return pd.concat([old, new], ignore_index=True)


def _grown(
    session: Session,
    old: "pd.DataFrame | None",
    read: Callable[[Session, int], rows.Batches],
    fields: Sequence[str],
    withdrawn: Callable[[Session], rows.Rows] | None = None,
) -> "pd.DataFrame":
    """The old frame with what is new below it, and with what was undone marked."""
    import pandas as pd

    last = int(old["id"].iloc[-1]) if old is not None and len(old) else 0
    new = _frame(read(session, last), fields)
    undone = {row[0]: row[2] for row in withdrawn(session)} if withdrawn is not None else {}
    if old is not None and not len(new) and (not len(old) or len(undone) == _marked(old)):
        return old
    if old is None or not len(old):
        frame = new
    elif len(new):
        frame = _joined(old.drop(columns="withdrawn_at", errors="ignore"), new)
    else:
        frame = old.drop(columns="withdrawn_at", errors="ignore")
    if withdrawn is not None:
        marks = pd.Series(pd.NaT, frame.index, dtype="datetime64[us, UTC]")
        if undone:
            marks = pd.to_datetime(frame["id"].map(undone), utc=True).astype(marks.dtype)
        frame = frame.assign(withdrawn_at=marks)
    return frame


def _marked(frame: "pd.DataFrame") -> int:
    """How many rows are marked as undone; what was undone stays undone."""
    return int(frame["withdrawn_at"].notna().sum()) if "withdrawn_at" in frame else 0


def standing(frame: "pd.DataFrame", as_of: datetime | None = None) -> "pd.DataFrame":
    """The rows that stand now, or stood at a moment in the past."""
    if as_of is None:
        return frame[frame["withdrawn_at"].isna()]
    undone_later = frame["withdrawn_at"].isna() | (frame["withdrawn_at"] > as_of)
    return frame[(frame["at"] <= as_of) & undone_later]
