"""Measuring: agreement of the reviewers on the decisions that stand."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.workflow.administer import benchmark_in
from core.workflow.workspace import Workspace
from db.queries import look
from db.queries.look import VerdictLine

if TYPE_CHECKING:
    from core.agreement.base import CoefficientResult
    from core.agreement.ratings import RatingTable

DEFAULT_COEFFICIENTS = (
    "percent",
    "cohen_kappa",
    "fleiss_kappa",
    "krippendorff_alpha_nominal",
    "gwet_ac1",
)


@dataclass(frozen=True)
class Agreement:
    """Agreement of the reviewers, with the decisions it was computed from."""

    coefficients: "tuple[CoefficientResult, ...]"
    table: "RatingTable"
    decisions: tuple[VerdictLine, ...]


def agreement(
    ws: Workspace,
    benchmark: str,
    *,
    names: tuple[str, ...] = DEFAULT_COEFFICIENTS,
    resamples: int = 1000,
    seed: int = 0,
) -> Agreement:
    """Coefficients over the standing review decisions of a benchmark.

    The categories are the verdicts accept, reject and return; items are item revisions.
    """
    from core.agreement.compute import coefficients_for
    from core.agreement.ratings import declared_scale, table_of_rows

    with ws.reading() as session:
        lines = look.verdicts(session, benchmark_in(session, benchmark).id)
    rows = [(f"{line.item_id}", line.person, line.verdict) for line in lines]
    used = {line.verdict for line in lines}
    scale = [verdict for verdict in ("accept", "reject", "return") if verdict in used]
    table = table_of_rows(rows, declared_scale(scale, ordered=False))
    results = coefficients_for(table, names, interval="bootstrap", resamples=resamples, seed=seed)
    return Agreement(tuple(results), table, tuple(lines))
