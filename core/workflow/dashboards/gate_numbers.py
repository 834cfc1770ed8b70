"""The gate in figures: what it screened out wrongly, and what another threshold would have done."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.workflow.lookup import task_in
from core.workflow.people import benchmark_in
from core.workflow.workspace import Workspace
from db.queries import gate_scores as rows
from db.queries.gate_scores import GateLine
from db.vocabulary import ItemState, ScreeningOutcome

if TYPE_CHECKING:
    from core.screening.threshold import Proportion, ScoreBin, ScoredDecision, ThresholdRow

_ACCEPTED = (ItemState.ACCEPTED, ItemState.APPROVED, ItemState.FROZEN)


@dataclass(frozen=True)
class GateView:
    """The gate of a benchmark or task against what people decided.

    ``audited`` counts the screened-out items that people see anyway, ``decided`` those of them
    with a verdict; ``false_reject`` is the share of these that people accepted. ``auc`` is None
    with the reason in ``auc_undefined``. ``judged`` are the items behind the table.
    """

    screened: int
    passed: int
    screened_out: int
    audited: int
    decided: int
    false_reject: "Proportion"
    table: "tuple[ThresholdRow, ...]"
    bins: "tuple[ScoreBin, ...]"
    auc: float | None
    auc_undefined: str
    judged: tuple[GateLine, ...]


def gate(ws: Workspace, benchmark: str = "", task: str = "") -> GateView:
    """Figures over the newest screening of every present item revision."""
    from core.screening.threshold import auc, false_reject_rate, score_bins, threshold_table

    with ws.reading() as session:
        benchmark_id = benchmark_in(session, benchmark).id if benchmark else None
        task_id = task_in(session, task, benchmark).id if task else None
        lines = rows.screened(session, benchmark_id, task_id)
    settled = tuple(line for line in lines if verdict_of(line) is not None)
    judged = _judged(settled)
    area, undefined = auc(judged)
    audited = [line for line in lines if line.audited]
    decided = [verdict for line in audited if (verdict := verdict_of(line)) is not None]
    return GateView(
        screened=len(lines),
        passed=sum(line.outcome == ScreeningOutcome.PASSED for line in lines),
        screened_out=sum(line.outcome == ScreeningOutcome.SCREENED_OUT for line in lines),
        audited=len(audited),
        decided=len(decided),
        false_reject=false_reject_rate(decided),
        table=tuple(threshold_table(judged)),
        bins=tuple(score_bins(judged)),
        auc=area,
        auc_undefined=undefined,
        judged=settled,
    )


def verdict_of(line: GateLine) -> bool | None:
    """Whether people accepted an item; None while they have not settled it."""
    if line.state in _ACCEPTED:
        return True
    return False if line.state == ItemState.REJECTED else None


def _judged(lines: tuple[GateLine, ...]) -> "list[ScoredDecision]":
    from core.screening.threshold import ScoredDecision

    return [
        ScoredDecision(line.score, line.state in _ACCEPTED)
        for line in lines
        if line.score is not None
    ]
