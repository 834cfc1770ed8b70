"""Reports of finished runs that were read before, without their single items."""

import threading
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, replace
from statistics import fmean, stdev

from core.analysis.cif import task_means
from core.evaluation.scoring import Proportion, Report
from core.families.catalogue import cif_bench
from core.workflow import analyse, evaluate, run_reports
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
    stamp: Hashable = None


class ReportBook:
    """What was read of finished runs, read anew once a run has changed; for any thread."""

    def __init__(self, ws: Workspace) -> None:
        self._ws = ws
        self._entries: dict[str, Entry] = {}
        self._keys = KeyBook(ws)
        self._lock = threading.Lock()

    def entry(self, run: str) -> Entry:
        """What is known of a run, read from its folder the first time and after each change."""
        with self._lock:
            stamp = run_reports.stamp(self._ws, run)
            known = self._entries.get(run)
            if known is None or known.stamp != stamp:
                known = self._entries[run] = replace(self._read(run), stamp=stamp)
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
