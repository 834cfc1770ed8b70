"""The judges of a run beside the newest, whose scores its report has."""

from collections.abc import Mapping
from typing import Any

from core.i18n import listed, tr


def other_judges_sentence(judge: Mapping[str, Any] | None) -> str:
    """Every other judge with the run's score by it, or why they cannot be read; empty without any.

    ``judge`` is what a report's origin says of its judge.
    """
    if judge and judge.get("others_problem"):
        return tr("Other judges cannot be read: {reason}", reason=judge["others_problem"])
    scores = [
        f"{one['model']} –" if one["score"] is None else f"{one['model']} {100 * one['score']:.1f}%"
        for one in (judge or {}).get("others", ())
    ]
    if not scores:
        return ""
    return tr("By other judges of these answers it scores: {scores}.", scores=listed(scores))
