"""The search index after an import: how many texts it has, and what completes it.

Items can be reviewed as soon as they are written; their texts are indexed in transactions of about
a tenth of a second, by whoever has time: the command that imported, a window, or the next search.
"""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass

from core.i18n import tr
from core.workflow.short_steps import ShortSteps
from core.workflow.workspace import Workspace
from db import ledger, search
from db.queries import search_backlog

_KEEPS_WAITING = 0.1  # seconds of a transaction; others decide meanwhile
_TIDYING = 60.0  # processor seconds: a window has better things to do
_FIRST = 150  # texts
_MOST = 1000


@dataclass(frozen=True, slots=True)
class SearchCoverage:
    """How many of ``total`` items a search finds; at the end of an import all. Items that lie
    sealed are in no index, and none of them."""

    found: int
    total: int

    @property
    def is_whole(self) -> bool:
        """Whether a search misses nothing."""
        return self.found >= self.total

    @property
    def sentence(self) -> str:
        """In words how far a search reaches."""
        return tr("search covers {found} of {total}",
                  found=f"{self.found:,}", total=f"{self.total:,}")  # fmt: skip


def coverage(ws: Workspace) -> SearchCoverage:
    """How far a search reaches now."""
    with ws.reading() as session:
        if not search_backlog.is_waiting(session):
            return SearchCoverage(0, 0)
        return SearchCoverage(*search_backlog.reach(session))


def index_for(ws: Workspace, seconds: float, steps: ShortSteps | None = None) -> bool:
    """Index texts that wait for about so many seconds, and then merge what was indexed; False once
    nothing is left to do. A workspace that is read only stays as it is.

    With ``steps``, transactions are longer where nobody else is seen to write.
    """
    if ws.is_read_only:
        return False
    until, looks = time.monotonic() + seconds, steps is not None
    steps = steps or _steps()
    while time.monotonic() < until:
        with ws.reading() as session:
            newest = ledger.tip(session) if looks else None
            texts = search.indexed(search_backlog.next_texts(session, steps.size))
            is_crowded = bool(texts) and search_backlog.is_crowded(session)
        if is_crowded:
            with ws.writing() as session:
                search_backlog.thin_out(session)
        elif texts:
            with ws.writing() as session:
                steps.begin()
                search_backlog.index(session, texts)
            steps.end(newest, newest)
        elif not _tidied(ws):
            return False
    return True


def _steps() -> ShortSteps:
    return ShortSteps(_FIRST, _MOST, _KEEPS_WAITING)


def _tidied(ws: Workspace) -> bool:
    with ws.reading() as session:
        if search_backlog.is_tidy(session):
            return False
    with ws.writing() as session:
        return search_backlog.tidy(session)


def index_waiting(
    ws: Workspace,
    tell: Callable[[SearchCoverage], None] | None = None,
    seconds: float = math.inf,
) -> SearchCoverage:
    """Index all that waits, or for about so many processor ``seconds``, and tell how far it is,
    every few seconds; how far it came. Whoever asks next goes on with what is left."""
    until = time.process_time() + seconds
    now, steps = coverage(ws), _steps()
    while not now.is_whole and not ws.is_read_only and (left := until - time.process_time()) > 0:
        if tell is not None:
            tell(now)
        index_for(ws, min(3.0, left), steps)
        now = coverage(ws)
    until = min(until, time.process_time() + _TIDYING)
    while (left := until - time.process_time()) > 0 and index_for(ws, min(3.0, left), steps):
        pass
    return now
