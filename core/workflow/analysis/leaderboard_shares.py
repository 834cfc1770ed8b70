"""The numbers of a leaderboard: a share with its error, of a part of a report or of a category."""

from dataclasses import dataclass
from statistics import fmean, stdev

from core.analysis.cif import task_means
from core.evaluation.scoring import AccuracyEstimate, Report
from core.families.catalogue import cif_bench
from core.workflow.analysis import cif_scores
from core.workflow.workspace import Workspace

_CIF_FORMATS = frozenset({"triplet", "instruction"})


@dataclass(frozen=True, slots=True)
class ScoreShare:
    """A share in 0…1 with its standard error over ``n`` items, or tasks for a category."""

    value: float | None
    error: float | None
    n: int


def share_of(part: AccuracyEstimate) -> ScoreShare:
    """A proportion as a share."""
    return ScoreShare(part.accuracy, part.stderr, part.n)


def may_have_categories(report: Report) -> bool:
    """Whether a report, also one without its answers, can be of tasks of CIF-Bench."""
    return not _CIF_FORMATS.isdisjoint(report.by["format"])


def category_shares(ws: Workspace, report: Report) -> dict[str, ScoreShare]:
    """Mean and standard error over the tasks of each category of CIF-Bench; empty without any.

    ``report`` has all of its answers.
    """
    means = task_means(cif_scores.cif_scores_of(ws, report))
    catalogue = cif_bench()
    parts = {}
    for category in catalogue.categories:
        here = [means[t.id] for t in catalogue.in_category(category.id) if t.id in means]
        if here:
            error = stdev(here) / len(here) ** 0.5 if len(here) > 1 else None
            parts[category.name] = ScoreShare(fmean(here), error, len(here))
    return parts
