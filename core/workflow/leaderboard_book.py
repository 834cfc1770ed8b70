"""Reports of finished runs that were read before, without their single items."""

import threading
from collections.abc import Mapping
from dataclasses import dataclass, replace
from statistics import fmean, stdev

from core.analysis.cif import task_means
from core.evaluation.scoring import Proportion, Report
from core.families.catalogue import cif_bench
from core.workflow import analyse, evaluate, runs
from core.workflow.run_reports import KeyBook
from core.workflow.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Share:
    """A share in 0…1 with its standard error over ``n`` items, or tasks for a category."""

    value: float | None
    error: float | None
    n: int


def share_of(part: Proportion) -> Share:
    """A proportion as a share."""
    return Share(part.accuracy, part.stderr, part.n)


@dataclass(frozen=True)
class Entry:
    """A report without the items that have a score, and CIF-Bench's categories where it has any."""

    run: str
    report: Report
    categories: Mapping[str, Share]


class ReportBook:
    """What was read of finished runs; for any thread. A finished run changes only by a judge."""

    def __init__(self, ws: Workspace) -> None:
        self._ws = ws
        self._entries: dict[str, Entry] = {}
        self._keys = KeyBook(ws)
        self._judged: frozenset[str] = frozenset()
        self._lock = threading.Lock()

    def renew(self) -> None:
        """Forget everything where a judge has finished since."""
        found = (i for i in runs.runs(self._ws) if i.kind not in ("evaluate", "generate"))
        judged = frozenset(f"{info.id} {info.state}" for info in found)
        with self._lock:
            if judged != self._judged:
                self._entries.clear()
                self._judged = judged

    def entry(self, run: str) -> Entry:
        """What is known of a run, read from its folder the first time."""
        with self._lock:
            known = self._entries.get(run)
            if known is None:
                known = self._entries[run] = self._read(run)
            return known

    def report(self, _ws: Workspace, run: str) -> Report:
        """The report of a run, without the items that have a score."""
        return self.entry(run).report

    def _read(self, run: str) -> Entry:
        report = evaluate.report(self._ws, run, keys=self._keys)
        rest = tuple(one for one in report.scores if one.unjudged)
        return Entry(run, replace(report, scores=rest), _by_category(self._ws, report))


def _by_category(ws: Workspace, report: Report) -> dict[str, Share]:
    """Mean and standard error over the tasks of each category of CIF-Bench; empty without any."""
    if not any(entry.format in ("triplet", "instruction") for entry in report.scores):
        return {}
    means = task_means(analyse.cif_scores_of(ws, report))
    catalogue = cif_bench()
    parts = {}
    for category in catalogue.categories:
        here = [means[t.id] for t in catalogue.in_category(category.id) if t.id in means]
        if here:
            error = stdev(here) / len(here) ** 0.5 if len(here) > 1 else None
            parts[category.name] = Share(fmean(here), error, len(here))
    return parts
