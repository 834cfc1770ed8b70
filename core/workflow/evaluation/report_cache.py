"""Reports that were read before, so that a run is read again only when something of it changed.

Nothing heavy is imported here: the window makes its cache when it opens, and workers read.
"""

import threading
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from core.evaluation.scoring import Report
    from core.workflow.evaluation.score_run import KeyBook
    from core.workflow.workspace import Workspace

Made = TypeVar("Made")
Make = Callable[["Workspace", "Report"], Made]


@dataclass(frozen=True, slots=True)
class _Entry:
    """A report, what was made of it, and what the run looked like before it was read."""

    stamp: Hashable
    report: "Report"
    whole: bool = True
    made: dict[Make[Any], Any] = field(default_factory=dict)


class ReportCache:
    """The reports of a workspace's runs; for any thread.

    The ``whole`` ones that were looked at last keep their single answers; of the others only the
    figures stay, and what was made of them. One lock: two workers that need the same run do not
    read it twice.
    """

    def __init__(self, ws: "Workspace", whole: int = 8) -> None:
        self.ws = ws
        self._whole = whole
        self._entries: dict[str, _Entry] = {}
        self._keys: KeyBook | None = None
        self._lock = threading.Lock()

    def report(self, run: str) -> "Report":
        """The report of a run with its answers, partial where some are missing."""
        with self._lock:
            return self._current(run, whole=True).report

    def figures(self, run: str) -> "Report":
        """The report of a run; of its answers it may have only those without a score."""
        with self._lock:
            return self._current(run, whole=False).report

    def made(self, run: str, make: Make[Made]) -> Made:
        """What ``make`` makes of a run's report with its answers; kept as long as the report is."""
        with self._lock:
            entry = self._current(run, whole=False)
            if make not in entry.made:
                entry = self._current(run, whole=True)
                entry.made[make] = make(self.ws, entry.report)
            made: Made = entry.made[make]
            return made

    def _current(self, run: str, *, whole: bool) -> _Entry:
        """What is kept of a run as it is now; the lock is held.

        The stamp is older than what is read, so that a change in between is seen the next time.
        """
        from core.workflow.evaluation import score_run

        stamp = score_run.report_stamp(self.ws, run)
        entry = self._entries.pop(run, None)
        if entry is None or entry.stamp != stamp:
            entry = _Entry(stamp, self._read(run))
        elif whole and not entry.whole:
            entry = replace(entry, report=self._read(run), whole=True)
        self._entries[run] = entry
        self._lighten()
        return entry

    def _read(self, run: str) -> "Report":
        from core.workflow.evaluation import score_run

        self._keys = self._keys or score_run.KeyBook(self.ws)
        return score_run.report(self.ws, run, partial=True, keys=self._keys)

    def _lighten(self) -> None:
        """Drop the answers of the least recently used reports."""
        whole = [run for run, entry in self._entries.items() if entry.whole]
        for run in whole[: -self._whole]:
            entry = self._entries[run]
            # those without a score stay: a table that is made of it counts them
            few = tuple(score for score in entry.report.scores if score.unjudged)
            self._entries[run] = replace(
                entry, report=replace(entry.report, scores=few), whole=False
            )
