"""Reports that were read before, so that a run is read again only when something of it changed.

Nothing heavy is imported here: the window makes its shelf when it opens, and workers read.
"""

import threading
from collections.abc import Hashable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from core.evaluation.scoring import Report
    from core.workflow.run_reports import KeyBook
    from core.workflow.workspace import Workspace


@dataclass(frozen=True, slots=True)
class _Kept:
    """A report, and what the run looked like when it was made."""

    stamp: Hashable
    report: "Report"
    whole: bool


class ReportShelf:
    """The reports of a workspace's runs; for any thread.

    The ``whole`` ones that were looked at last keep their single answers; of the others only the
    figures stay. One lock: two workers that need the same run do not read it twice.
    """

    def __init__(self, ws: "Workspace", whole: int = 8) -> None:
        self._ws = ws
        self._whole = whole
        self._kept: dict[str, _Kept] = {}
        self._keys: KeyBook | None = None
        self._lock = threading.Lock()

    def report(self, run: str) -> "Report":
        """The report of a run with its answers, partial where some are missing."""
        return self._read(run, whole=True)

    def figures(self, run: str) -> "Report":
        """The report of a run; of its answers it may have only those without a score."""
        return self._read(run, whole=False)

    def _read(self, run: str, *, whole: bool) -> "Report":
        from core.workflow import run_reports

        with self._lock:
            self._keys = self._keys or run_reports.KeyBook(self._ws)
            kept, stamp = self._kept.pop(run, None), run_reports.stamp(self._ws, run)
            if kept is None or whole > kept.whole or kept.stamp != stamp:
                made = run_reports.report(self._ws, run, partial=True, keys=self._keys)
                kept = _Kept(stamp, made, whole=True)
            self._kept[run] = kept
            self._lighten()
            return kept.report

    def _lighten(self) -> None:
        """Drop the answers of the reports that nobody has looked at for longest."""
        whole = [run for run, kept in self._kept.items() if kept.whole]
        for run in whole[: -self._whole]:
            kept = self._kept[run]
            # those without a score stay: a table that is made of it counts them
            few = tuple(one for one in kept.report.scores if one.unjudged)
            self._kept[run] = _Kept(kept.stamp, replace(kept.report, scores=few), whole=False)
