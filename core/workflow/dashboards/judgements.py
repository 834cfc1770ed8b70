"""Everything people said, as columns that grow with the workspace.

A ``JudgementBook`` reads what is new since it last looked, so that a dashboard refreshes in
milliseconds; what was undone is marked, never dropped, so that a past date can be asked.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from threading import Lock
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

import numpy as np

from core.workflow.dashboards.columns import (
    Categories,
    Frame,
    GrowingColumns,
    Ints,
    moment_of,
    moments_of,
    no_moments,
)
from core.workflow.workspace import Workspace
from db.engine import Session
from db.queries import judgements as rows
from db.queries.columns import Batches, Rows
from db.vocabulary import ItemState

Part = Literal["decisions", "details", "ratings", "screenings", "written", "items", "sources"]
_MOST_CACHED = 2000
FEW_JUDGED = 2000  # items that are read again each time; of more, all are kept
_STANDING = tuple(
    state.value
    for state in (ItemState.ACCEPTED, ItemState.REJECTED, ItemState.RETURNED, ItemState.APPROVED,
                  ItemState.FROZEN)
)  # fmt: skip
PARTS: tuple[Part, ...] = ("decisions", "details", "ratings", "screenings", "items")


class TaskFacts(NamedTuple):
    """One task; ``benchmark`` is the name of its home."""

    id: int
    benchmark_id: int
    name: str
    family: str
    profile: dict[str, Any]
    benchmark: str


@dataclass(frozen=True)
class Judgements:
    """A consistent view; its frames stay untouched by their readers.

    ``decisions`` and ``ratings`` carry ``withdrawn_at`` (NaT while they stand); ``items`` one row
    per item, by id, at least of those that were decided on, rated or screened, with ``written``
    also of those that somebody here wrote, and ``sources`` one with what its text shares with
    others (its article), or "", at least of these and of those on which a decision stands;
    ``screenings`` one per verdict of the gate; ``people`` maps ids to names;
    ``tasks`` has one row per task; ``known`` holds the known
    verdicts of gold items. ``details`` hold what few ask of a decision: its reason, seconds and
    lot.
    """

    tip: int
    decisions: Frame
    details: Frame
    ratings: Frame
    screenings: Frame
    items: Frame
    sources: Frame
    people: dict[int, str]
    tasks: tuple[TaskFacts, ...]
    gold: frozenset[tuple[int, int, int]]
    known: dict[int, str]
    all_sources: bool = False
    """Whether ``sources`` has all items."""

    @property
    def detailed(self) -> Frame:
        """The decisions with their details beside them."""
        place = np.searchsorted(self.details["id"], self.decisions["id"])
        return self.decisions.beside(self.details.only(rows.DETAIL_FIELDS[1:]).rows(place))

    def sources_of(self, items: Ints) -> tuple[Ints, Categories]:
        """For items of these ids a number that those of one source share, which of an item without
        one is its own below zero; and the name of the source, or "". Of an item whose text the
        reader of a server may not see, no source is known."""
        known, ids = self.sources["source"], self.sources["id"]
        names = known.names if "" in known.names else (*known.names, "")
        codes = np.full(len(items), names.index(""), np.int32)
        place = np.searchsorted(ids, items)
        there = np.flatnonzero(place < len(ids))
        there = there[ids[place[there]] == items[there]]
        codes[there] = known.codes[place[there]]
        shared = Categories(codes, names)
        return np.where(shared.among(("",)), -1 - items, codes), shared


class JudgementBook:
    """The judgements of one workspace, kept in memory and brought up to date on demand."""

    def __init__(self, ws: Workspace) -> None:
        self._ws = ws
        self._lock = Lock()
        self._view: Judgements | None = None
        self._newest: tuple[int | None, int] | None = None
        self._wanted: set[Part] = set()
        self._view_cache: dict[Any, Any] = {}
        self._view_cache_tip = -1
        self._cache: dict[Any, Any] = {}
        self._last: tuple[Any, Any] | None = None

    def newest(self) -> int:
        """Number of the newest event: when it has not moved, nothing has changed."""
        version = self._ws.version()  # a dashboard in front asks this all the time
        known = self._newest
        if version is None or known is None or known[0] != version:
            with self._ws.reading() as session:
                known = self._newest = version, rows.tip(session)
        return known[1]

    def cached_for(self, view: Judgements, key: Any, make: Callable[[], Any]) -> Any:
        """What ``make`` returned for a key on this view; forgotten when the view moves on."""
        with self._lock:
            if self._view_cache_tip != view.tip:
                self._view_cache, self._view_cache_tip = {}, view.tip
            if key in self._view_cache:
                return self._view_cache[key]
        value = make()
        with self._lock:
            if self._view_cache_tip == view.tip:
                self._view_cache[key] = value
        return value

    def last_made(self, view: Judgements, key: Any, make: Callable[[], Any]) -> Any:
        """What ``make`` returned the last time, if that was for this key on this view. One value is
        kept: it may be as large as the view."""
        known = self._last
        if known is not None and known[0] == (view.tip, key):
            return known[1]
        value = make()
        self._last = (view.tip, key), value
        return value

    def cached(self, key: Any, make: Callable[[], Any]) -> Any:
        """What ``make`` returned for a key, whatever view it was asked for: the key says all that
        it depends on. The keys used longest ago are forgotten first."""
        with self._lock:
            if key in self._cache:
                self._cache[key] = self._cache.pop(key)
                return self._cache[key]
        value = make()
        with self._lock:
            self._cache[key] = value
            while len(self._cache) > _MOST_CACHED:
                del self._cache[next(iter(self._cache))]
        return value

    def read(self, wanted: Iterable[Part] = PARTS) -> Judgements:
        """The present view; reads only what came since the last call.

        Of decisions, details, ratings and screenings only those that anybody ``wanted`` so far are
        filled; the others have no rows. Of the items, all are there once somebody wanted them.
        """
        with self._lock, self._ws.reading() as session:
            tip = rows.tip(session)
            more = set(wanted) - self._wanted
            if self._view is None or self._view.tip != tip or more:
                self._wanted |= more
                self._view = self._renewed(session, tip, more)
            return self._view

    def _renewed(self, session: Session, tip: int, more: set[Part]) -> Judgements:
        old = self._view
        grown = {
            part: _grown(session, getattr(old, part, None),
                         read if part in self._wanted else _nothing, fields, withdrawn)
            for part, (read, fields, withdrawn) in _GROWING.items()
        }  # fmt: skip
        judged = _distinct(
            *(grown[part]["item_id"] for part in ("decisions", "ratings", "screenings"))
        )
        known = judged
        if "written" in self._wanted:
            known = _distinct(judged, rows.written(session, FEW_JUDGED + 1))
        if len(known) > FEW_JUDGED and "items" not in self._wanted:
            more = {*more, "items"}
            self._wanted |= more
        items = (
            _by_item(
                session,
                tip,
                old,
                old.items if old and "items" not in more else None,
                rows.items,
                rows.ITEM_FIELDS,
            )
            if "items" in self._wanted
            else _frame(rows.items_numbered(session, known.tolist()), rows.ITEM_FIELDS)
        )
        told = _distinct(judged, _ended(items))
        all_sources = bool(old and old.all_sources) or len(told) > FEW_JUDGED
        return Judgements(
            tip=tip,
            **grown,
            items=items,
            sources=self._sources(session, tip, old, None if all_sources else told),
            people=rows.people(session),
            tasks=tuple(TaskFacts(*row) for row in rows.tasks(session)),
            gold=frozenset((r[0], r[1], r[2]) for r in rows.gold(session)),
            known=rows.known_verdicts(session),
            all_sources=all_sources and "sources" in self._wanted,
        )

    def _sources(
        self, session: Session, tip: int, old: Judgements | None, told: Ints | None
    ) -> Frame:
        """What items share with others: all, or those that people or the gate said something of."""
        if "sources" not in self._wanted:
            return _frame(_nothing(session, 0), rows.SOURCE_FIELDS)
        if told is not None:
            return _frame(_sources(session, among=told.tolist()), rows.SOURCE_FIELDS)
        known = old.sources if old and old.all_sources else None
        return _by_item(session, tip, old, known, _sources, rows.SOURCE_FIELDS)


def _ended(items: Frame) -> Ints:
    """The ids of the items on which a decision stands, whoever made it."""
    return np.asarray(items["id"][items["state"].among(_STANDING)])


def _distinct(*numbers: Ints) -> Ints:
    """The row ids that are among these, ascending; a mark for each takes less than sorting them."""
    among = np.zeros(1 + max(int(part.max(initial=0)) for part in numbers), bool)
    for part in numbers:
        among[part.astype(np.int64)] = True
    return np.flatnonzero(among)


_TIMES = ("at",)
_WORDS = (
    "kind",
    "verdict",
    "reason",
    "criterion",
    "outcome",
    "family",
    "format",
    "domain",
    "state",
    "source",
)
_FLOATS = ("seconds", "value", "score", "lot_id", "author_id")


def _frame(batches: Batches, fields: Sequence[str]) -> Frame:
    """What was read as a frame, batch by batch."""
    growing = GrowingColumns(fields, words=_WORDS, times=_TIMES, floats=_FLOATS)
    for batch in batches:
        growing.take(batch)
    return growing.frame()


def _sources(session: Session, after: int = 0, among: Sequence[int] | None = None) -> Batches:
    """What each item, or each of some, shares with others, as ``shared_source.source_of`` says
    it."""
    from core.families import shared_source

    return rows.sources(
        session,
        shared_source.SOURCE_FIELDS,
        after,
        among=among,
        but={"source": shared_source.ROW_OF_RUN},
        columns=shared_source.SOURCE_COLUMNS,
        longest=shared_source.LONGEST_NAME,
        passage_key=shared_source.passage_key,
    )


def _by_item(
    session: Session,
    tip: int,
    view: "Judgements | None",
    old: Frame | None,
    read: Callable[[Session, int], Batches],
    fields: Sequence[str],
) -> Frame:
    """All items as they are now; only those with an event since the old view are read."""
    if view is None or old is None or not len(old):
        return _frame(read(session, 0), fields)
    if view.tip == tip:
        return old
    changed = _frame(read(session, view.tip), fields)
    if not len(changed):
        return old
    unchanged = old.rows(~np.isin(old["id"], changed["id"]))
    joined = unchanged.below(changed)
    return joined.rows(np.argsort(joined["id"], kind="stable"))


def _nothing(_session: Session, _after: int) -> Batches:
    """No rows: not read yet."""
    return iter(())


_Read = Callable[[Session, int], Batches]
_Withdrawn = Callable[[Session], Rows]
_GROWING: Mapping[Part, tuple[_Read, Sequence[str], _Withdrawn | None]] = MappingProxyType({
    "decisions": (rows.decisions, rows.DECISION_FIELDS, rows.withdrawn_decisions),
    "details": (rows.details, rows.DETAIL_FIELDS, None),
    "ratings": (rows.ratings, rows.RATING_FIELDS, rows.withdrawn_ratings),
    "screenings": (rows.screenings, rows.SCREENING_FIELDS, None),
})  # fmt: skip
"""The parts of a view whose rows only become more: how they are read, and how undone ones are."""
_OVERLAP = 500
"""Newest rows that are read once more: on PostgreSQL the lower of two numbers may come last."""


def _grown(
    session: Session,
    old: Frame | None,
    read: _Read,
    fields: Sequence[str],
    withdrawn: _Withdrawn | None,
) -> Frame:
    """The old frame with what is new below it, and with what was undone marked."""
    known: Any = old["id"][-_OVERLAP:] if old is not None else np.empty(0, np.int64)
    new = _frame(read(session, int(known[0]) - 1 if len(known) else 0), fields)
    new = new.rows(~np.isin(new["id"], known)) if len(known) else new
    undone = {row[0]: row[2] for row in withdrawn(session)} if withdrawn is not None else {}
    if old is not None and not len(new) and (not len(old) or len(undone) == _marked(old)):
        return old
    if withdrawn is not None:
        new = new.having(withdrawn_at=no_moments(len(new)))
    frame = old.below(new) if old is not None and len(old) else new
    if len(known) and len(new) and new["id"][0] < known[-1]:
        frame = frame.rows(np.argsort(frame["id"], kind="stable"))
    return frame if withdrawn is None else _with_marks(frame, undone)


def _with_marks(frame: Frame, undone: dict[int, Any]) -> Frame:
    """With the time at which each row was undone."""
    rows_undone = np.flatnonzero(np.isin(frame["id"], list(undone)))
    marks = no_moments(len(frame))
    marks[rows_undone] = moments_of([undone[n] for n in frame["id"][rows_undone].tolist()])
    return frame.having(withdrawn_at=marks)


def _marked(frame: Frame) -> int:
    """How many rows are marked as undone; what was undone stays undone."""
    if "withdrawn_at" not in frame.columns:
        return 0
    return int(np.count_nonzero(~np.isnat(frame["withdrawn_at"])))


def standing_rows(frame: Frame, as_of: datetime | None = None) -> Frame:
    """The rows that stand now, or stood at a moment in the past."""
    undone = frame["withdrawn_at"]
    stands = np.isnat(undone)
    if as_of is None:
        return frame if stands.all() else frame.rows(stands)
    moment = moment_of(as_of)
    return frame.rows((frame["at"] <= moment) & (stands | (undone > moment)))
