"""Named reports on stored ratings: CoreEval's human evaluation, CIF-Bench's human verification."""

from dataclasses import replace

import numpy as np

from core.agreement.reports import CriterionRating, NamedReport, cif_human, coreeval_human
from core.errors import NotFoundError
from core.i18n import listed
from core.workflow import people
from core.workflow.dashboards.agreement_query import (
    DECISION,
    Scope,
    judgements,
    sources_of,
    unit_name,
)
from core.workflow.dashboards.columns import last_of_each
from core.workflow.dashboards.judgements import JudgementBook, Judgements
from core.workflow.labels import criterion_label
from core.workflow.rubrics import rubric
from core.workflow.workspace import Workspace
from db.vocabulary import Verdict

REPORTS = ("coreeval-human", "cif-human")


def report(ws: Workspace, name: str, scope: Scope) -> NamedReport:
    """A report over the ratings in a scope; one row per task or per form of question.

    ``cif-human`` takes the newest screening score of an item as the judge's. Raises NotFoundError
    for an unknown report, InputError where there are no ratings, CheckError where an
    independent package computes another value.
    """
    if name not in REPORTS:
        known = listed(REPORTS)
        raise NotFoundError.tr(
            "There is no report “{name}”. Available: {known}.", name=name, known=known
        )
    written = _coreeval(ws, scope) if name == "coreeval-human" else _cif(ws, scope)
    notes = (*written.table.notes, people.names_sentence(ws))
    return replace(written, table=replace(written.table, notes=notes))


def _coreeval(ws: Workspace, scope: Scope) -> NamedReport:
    criteria = rubric("coreeval").criteria
    names = [criterion.name for criterion in criteria]
    ratings = [rating for rating in _human_ratings(ws, scope) if rating.criterion in names]
    titles = {criterion.name: criterion_label(criterion.name) for criterion in criteria}
    return coreeval_human(
        [replace(rating, criterion=titles[rating.criterion]) for rating in ratings],
        criteria=tuple(titles.values()),
        scales={titles[criterion.name]: criterion.numbers for criterion in criteria},
    )


def _cif(ws: Workspace, scope: Scope) -> NamedReport:
    """Decisions are the binary form: accepted 1, otherwise 0."""
    ratings = [
        replace(rating, value=float(rating.value == Verdict.ACCEPT))
        if rating.criterion == DECISION
        else rating
        for rating in _human_ratings(ws, scope)
    ]
    return cif_human(ratings, judge=_judge(JudgementBook(ws).read()))


def _human_ratings(ws: Workspace, scope: Scope) -> list[CriterionRating]:
    """Ratings and verdicts in a scope as rows for the named reports, grouped by task."""
    book = JudgementBook(ws)
    rated = judgements(ws, replace(scope, criterion="*"), book)
    decided = judgements(ws, replace(scope, criterion=DECISION), book)
    columns = ("unit", "person", "criterion", "value", "task")
    source: dict[int, str] = {}
    for frame in (rated, decided):
        units = np.unique(frame["unit"]).tolist()
        source.update(zip(units, sources_of(frame, book), strict=True))
    return [
        CriterionRating(
            unit_name(unit), str(person), str(criterion), value, str(task), source[unit]
        )
        for frame in (rated, decided)
        for unit, person, criterion, value, task in zip(
            *(frame[name].tolist() for name in columns), strict=True
        )
    ]


def _judge(view: Judgements) -> dict[str, float]:
    """The newest screening score of every item revision that has one."""
    screened = view.screenings.rows(~np.isnan(view.screenings["score"]))
    unit = screened["item_id"] * 1000 + screened["revision"]
    newest = last_of_each(unit)
    scores = screened["score"][newest].tolist()
    return {unit_name(n): score for n, score in zip(unit[newest].tolist(), scores, strict=True)}
