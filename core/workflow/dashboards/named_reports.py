"""Named reports on stored ratings: CoreEval's human evaluation, CIF-Bench's human verification."""

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from core.agreement.reports import cif_human, coreeval_human
from core.errors import NotFoundError
from core.i18n import tr
from core.workflow.dashboards.agreement_query import DECISION, Scope, human_ratings, unit_name
from core.workflow.dashboards.columns import last_of_each
from core.workflow.dashboards.judgements import JudgementBook, Judgements
from core.workflow.labels import criterion_label
from core.workflow.rubrics import rubric
from core.workflow.workspace import Workspace
from db.vocabulary import Verdict

if TYPE_CHECKING:
    from core.report_table import ReportTable

REPORTS = ("coreeval-human", "cif-human")


def report(ws: Workspace, name: str, scope: Scope) -> "ReportTable":
    """A report over the ratings in a scope; one row per task or per form of question.

    ``cif-human`` takes the newest screening score of an item as the judge's. Raises NotFoundError
    for an unknown report, InputError where there are no ratings.
    """
    if name == "coreeval-human":
        return _coreeval(ws, scope)
    if name == "cif-human":
        return _cif(ws, scope)
    raise NotFoundError(
        tr("There is no report “{name}”. Known: {known}.", name=name, known=", ".join(REPORTS))
    )


def _coreeval(ws: Workspace, scope: Scope) -> "ReportTable":
    criteria = rubric("coreeval").criteria
    names = [criterion.name for criterion in criteria]
    found = [one for one in human_ratings(ws, scope) if one.criterion in names]
    titles = {criterion.name: criterion_label(criterion.name) for criterion in criteria}
    return coreeval_human(
        [replace(one, criterion=titles[one.criterion]) for one in found],
        criteria=tuple(titles.values()),
        scales={titles[criterion.name]: criterion.numbers for criterion in criteria},
    )


def _cif(ws: Workspace, scope: Scope) -> "ReportTable":
    """Decisions are the binary form: accepted 1, otherwise 0."""
    found = [
        replace(one, value=float(one.value == Verdict.ACCEPT)) if one.criterion == DECISION else one
        for one in human_ratings(ws, scope)
    ]
    return cif_human(found, judge=_judge(JudgementBook(ws).read()))


def _judge(view: Judgements) -> dict[str, float]:
    """The newest screening score of every item revision that has one."""
    screened = view.screenings.rows(~np.isnan(view.screenings["score"]))
    unit = screened["item_id"] * 1000 + screened["revision"]
    newest = last_of_each(unit)
    scores = screened["score"][newest].tolist()
    return {unit_name(n): score for n, score in zip(unit[newest].tolist(), scores, strict=True)}
