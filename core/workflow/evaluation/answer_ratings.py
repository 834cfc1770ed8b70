"""People's ratings of what models answered: a sheet to fill in, and its ratings in the ledger.

They are of an evaluation's answers, not of one judging of them: whichever judge judged the run is
held against them. The sheet names neither the model nor the judge's verdicts.
"""

import random
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.errors import InputError, StateError
from core.evaluation.judge_agreement import CRITERIA, SHEET_COLUMNS, PeopleRatings, read_people
from core.files import write_atomic
from core.report_table import Cell, csv_text
from core.workflow.rights import Action, person_at_work, refuse_early, writing_as
from core.workflow.runs import runs
from core.workflow.splits import freeze, readings, split_states
from core.workflow.workspace import Workspace
from db import ledger
from db.engine import Session
from db.runs import RunRow
from db.vocabulary import EventKind

_LONGEST = 8000  # letters of a text on the sheet: what is longer nobody rates in a cell
_IN_EVENT = 500
_FIELD = "answer_ratings"
_EARLIER = "people.csv"  # where earlier versions kept the ratings, in the folder of a judging

Place = tuple[str, str, str]
"""Answer, criterion and rater."""


@dataclass(frozen=True, slots=True)
class RatingSheet:
    """A sheet that was written: so many of the ``of`` judged answers, a row for each criterion."""

    run: str
    answers: int
    of: int
    rows: int
    path: Path


@dataclass(frozen=True, slots=True)
class SheetImport:
    """What came of a filled-in sheet. ``new`` ratings were not there before, ``changed`` ones
    replace another of the same rater; ``unknown`` are of no answer of the run and are left out."""

    run: str
    ratings: int
    new: int
    changed: int
    unknown: int
    answers: int
    raters: tuple[str, ...]


def draw_sheet(
    ws: Workspace, run: str, path: Path, person: str, *, count: int = 50, seed: int = 0
) -> RatingSheet:
    """Write a sheet with a random sample of the judged answers of a run.

    The same seed draws the same answers. Answers without text are left out: nobody needs to rate
    them. Only leads and researchers may, for the sheet holds references. Raises StateError where
    the run is not an evaluation, nobody judged it, its split is sealed, or the file is there
    already.
    """
    row = runs.find_evaluation(ws, run)
    refuse_early(ws, person, Action.RATE_ANSWERS)
    if path.exists():
        raise StateError.tr(
            "“{path}” already exists and may have been filled in. Choose another file.",
            path=path,
        )
    freeze.refuse_sealed(freeze.info(ws, str(row.params["split"])))
    folder = runs.sound_folder_of(ws, _judging(ws, row).id)
    work = {
        row_of_work["id"]: row_of_work
        for row_of_work in folder.work()
        if row_of_work["answer"].strip()
    }
    if not work:
        raise StateError.tr("Run “{run}” has no answers that people could rate.", run=row.id)
    sample = random.Random(seed).sample(sorted(work), min(count, len(work)))
    rows = [line for id_ in sample for line in _lines(work[id_])]
    with writing_as(ws, person, Action.RATE_ANSWERS) as (session, actor):
        split = split_states.split_in(session, str(row.params["split"]), lock=True)
        freeze.refuse_sealed(freeze.info_in(ws, session, split.name))
        facts = readings.reading_facts(session, split, sample)
        _record(session, actor.name, row.id, [{"drawn": len(sample), "seed": seed, **facts}])
        # written before the commit: a sheet that is not in the ledger is none
        try:
            write_atomic(path, "\ufeff" + csv_text([SHEET_COLUMNS, *rows]), for_others=True)
        except OSError as error:
            raise StateError.tr(
                "“{path}”: {reason}.", path=path, reason=error.strerror or error
            ) from error
    return RatingSheet(row.id, len(sample), len(work), len(rows), path)


def _lines(question: Mapping[str, Any]) -> list[tuple[Cell, ...]]:
    texts = [
        str(question[name])[:_LONGEST] for name in ("instruction", "input", "reference", "answer")
    ]
    return [
        (question["id"], criterion, "", "", f"{scale[0]}–{scale[-1]}", *texts)
        for criterion, scale in CRITERIA[question["kind"]].items()
    ]


def take_in_ratings(
    ws: Workspace, run: str, path: Path, person: str = "", *, sheet: str = ""
) -> SheetImport:
    """Take in people's ratings of a run's answers; the same ones a second time change nothing.

    Ratings without a rater are the person's own. Only leads and researchers may. Raises InputError
    for a table that is none, a value outside its scale, or where no rating is of the run's answers.
    """
    row = runs.find_evaluation(ws, run)
    refuse_early(ws, person, Action.RATE_ANSWERS)
    person = person_at_work(ws, person)
    ratings = read_people(path, sheet=sheet)
    known = set(runs.sound_folder_of(ws, row.id).work_ids())
    ratings.require(known)
    values = {(a, c, rater or person): v for a, c, rater, v in ratings.rows if a in known}
    earlier = _earlier(ws, row.id)
    with writing_as(ws, person, Action.RATE_ANSWERS) as (session, _):
        standing = earlier | _in_ledger(session, row.id)
        new = {place: value for place, value in values.items() if standing.get(place) != value}
        rows = [[*place, value] for place, value in new.items()]
        parts = [rows[start : start + _IN_EVENT] for start in range(0, len(rows), _IN_EVENT)]
        _record(session, person, row.id, [{_FIELD: part} for part in parts])
    changed = sum(place in standing for place in new)
    return SheetImport(
        run=row.id,
        ratings=len(values),
        new=len(new) - changed,
        changed=changed,
        unknown=sum(a not in known for a, *_ in ratings.rows),
        answers=len({a for a, _, _ in values}),
        raters=tuple(sorted({rater for _, _, rater in values})),
    )


def people_of(ws: Workspace, run: str) -> PeopleRatings | None:
    """What people said of a run's answers; None where nobody said anything."""
    standing = _standing(ws, run)
    if not standing:
        return None
    return PeopleRatings(tuple((*place, value) for place, value in standing.items()))


def _standing(ws: Workspace, run: str) -> dict[Place, float]:
    """The newest rating of every rater, criterion and answer."""
    earlier = _earlier(ws, run)
    with ws.reading() as session:
        return earlier | _in_ledger(session, run)


def _earlier(ws: Workspace, run: str) -> dict[Place, float]:
    """The ratings that lie in the run's folder, from before the ledger kept them."""
    judging = runs.judging_of(ws, run)
    if judging is None:
        return {}
    # what cannot be read of an old file is no reason to refuse every report of the run
    with suppress(InputError):
        folder = runs.folder_of(ws, judging.id)
        if folder.files.has(_EARLIER):
            path = folder.path / _EARLIER
            rows = read_people(path, lenient=True).rows
            return {(a, c, rater): value for a, c, rater, value in rows}
    return {}


def _in_ledger(session: Session, run: str) -> dict[Place, float]:
    ratings: dict[Place, float] = {}
    for event in ledger.of_subject(session, EventKind.RUN, run):
        ratings |= {(a, c, rater): float(v) for a, c, rater, v in event.data.get(_FIELD, ())}
    return ratings


def _judging(ws: Workspace, row: RunRow) -> RunRow:
    newest = runs.judging_of(ws, row.id)
    if newest is None:
        raise StateError.tr("No judge has judged run “{run}” yet.", run=row.id)
    return newest


def _record(session: Session, person: str, run: str, entries: Sequence[Mapping[str, Any]]) -> None:
    events = [ledger.NewEvent(EventKind.RUN, person, subject=run, data=data) for data in entries]
    ledger.append(session, *events)
