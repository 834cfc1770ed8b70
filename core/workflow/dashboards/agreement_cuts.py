"""Agreement in the cuts that the dashboard shows: weeks, criteria, tasks, pairs, the work list."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from core.i18n import printed, tr, trn
from core.workflow.dashboards import agreement_query
from core.workflow.dashboards.agreement_query import DECISION, Agreement, AgreementOptions, Scope
from core.workflow.dashboards.judgements import JudgementBook
from core.workflow.labels import criterion_label
from core.workflow.workspace import Workspace

if TYPE_CHECKING:
    from core.agreement.influence import ItemInfluence
    from core.agreement.rater_pairs import ConfusionMatrix, RaterMatrix
    from core.agreement.ratings import RatingTable

MOST_RATERS = 14


@dataclass(frozen=True)
class AgreementNumbers:
    """The whole panel. ``weeks``, ``criteria`` and ``tasks`` are cuts of the main coefficient.

    ``heat`` maps (task, criterion) to the coefficient's value, None where it is undefined for the
    reason in ``reasons``. ``matrix`` compares those who rated most, at most ``MOST_RATERS``.
    ``work_list`` ranks the items on which people differ by how much they hurt agreement.
    """

    whole: Agreement
    weeks: tuple[Agreement, ...]
    criteria: tuple[Agreement, ...]
    heat: dict[tuple[str, str], float | None]
    reasons: dict[tuple[str, str], str]
    tasks: tuple[Agreement, ...]
    matrix: "RaterMatrix | None"
    confusion: "ConfusionMatrix | None"
    work_list: "tuple[ItemInfluence, ...]"
    sentence: str


def agreement_numbers(
    ws: Workspace,
    scope: Scope,
    main: str = "fleiss_kappa",
    book: JudgementBook | None = None,
    *,
    confusion: bool = True,
) -> AgreementNumbers:
    """Everything the Agreement dashboard shows; ``confusion`` false: without that matrix."""
    from core.agreement.influence import ranked_disagreement
    from core.agreement.rater_pairs import confusion_matrix, rater_matrix

    book = book or JudgementBook(ws)
    names = tuple(dict.fromkeys((main, *agreement_query.DEFAULT_COEFFICIENTS)))
    whole = agreement_query.agreement(ws, scope, AgreementOptions(names=names), book)
    brief = AgreementOptions(names=(main,), resamples=400, items=False)
    weeks = agreement_query.agreement_by(ws, scope, "week", brief, book)
    criteria = agreement_query.agreement_by(ws, scope, "criterion", brief, book)
    several = whole.table.n_raters >= 2
    heat, reasons, tasks = _by_task(ws, scope, main, [part.group for part in criteria], book)
    return AgreementNumbers(
        whole=whole,
        weeks=weeks,
        criteria=criteria,
        heat=heat,
        reasons=reasons,
        tasks=tasks,
        matrix=rater_matrix(_most_active(whole.table)) if several else None,
        confusion=confusion_matrix(whole.table) if several and confusion else None,
        work_list=tuple(ranked_disagreement(whole.table, limit=200)) if several else (),
        sentence=_sentence(whole, criteria, main),
    )


def _most_active(table: "RatingTable") -> "RatingTable":
    """The table of those who rated most, in the order of their names: what a person can look at."""
    codes = table.codes
    if codes is None or table.n_raters <= MOST_RATERS:
        return table
    rated = np.count_nonzero(codes >= 0, axis=0)
    return table.of_raters(sorted(np.argsort(-rated, kind="stable")[:MOST_RATERS].tolist()))


def _by_task(
    ws: Workspace, scope: Scope, main: str, criteria: list[str], book: JudgementBook
) -> tuple[dict[tuple[str, str], float | None], dict[tuple[str, str], str], tuple[Agreement, ...]]:
    """(heat, reasons, parts) of every task and criterion; see ``AgreementNumbers``."""
    estimate = AgreementOptions(names=(main,), interval="none", items=False)
    heat: dict[tuple[str, str], float | None] = {}
    reasons: dict[tuple[str, str], str] = {}
    tasks: list[Agreement] = []
    for criterion in criteria or [DECISION]:
        cut = replace(scope, criterion=criterion)
        for part in agreement_query.agreement_by(ws, cut, "task", estimate, book):
            heat[part.group, criterion] = part.coefficients[0].value
            reasons[part.group, criterion] = part.coefficients[0].undefined or ""
            tasks.append(part)
    return heat, reasons, tuple(tasks)


def _sentence(whole: Agreement, criteria: tuple[Agreement, ...], main: str) -> str:
    result = next(entry for entry in whole.coefficients if entry.name == main)
    if result.value is None:
        return tr("{title} is undefined: {why}", title=result.title, why=result.undefined)
    values = {
        "title": result.title,
        "value": printed(result.value, 2),
        "low": "–" if result.low is None else printed(result.low, 2),
        "high": "–" if result.high is None else printed(result.high, 2),
        "items": trn("1 item", "{n} items", result.compared),
        "raters": trn("1 rater", "{n} raters", result.raters),
    }
    weakest = [(part.coefficients[0].value, part.group) for part in criteria]
    defined = sorted((value, name) for value, name in weakest if value is not None)
    if len(defined) < 2:
        return tr("{title} {value} [{low}, {high}] over {items} and {raters}.", **values)
    return tr(
        "{title} {value} [{low}, {high}] over {items} and {raters}; {weakest} is the "
        "weakest criterion ({lowest}).",
        **values,
        weakest=criterion_label(defined[0][1]),
        lowest=printed(defined[0][0], 2),
    )
