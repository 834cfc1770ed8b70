"""Item banks of splits: what adaptive evaluation would have found, and periods on one scale."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from statistics import median
from typing import Any

import numpy as np
import numpy.typing as npt

from core.analysis.adaptive.sampled_score import Choice, session_of
from core.analysis.item_bank import ItemBank, Replay, ScaleLink, linked, linking_caution, replayed
from core.analysis.response_model import (
    FEW_MODELS,
    FEWEST_ITEMS,
    FEWEST_MODELS,
    two_parameter_model,
)
from core.errors import StateError
from core.evaluation.report_parts.human_ceiling import ENGINE
from core.i18n import printed, tr, trn
from core.report_table import ReportTable
from core.workflow.evaluation.finished_runs import finished_reports
from core.workflow.evaluation.item_results import first_answer_each
from core.workflow.splits import freeze
from core.workflow.workspace import Workspace


@dataclass(frozen=True)
class SplitAnswers:
    """Items × models of 1, 0 and NaN of a split; ``texts`` are content hashes, for linking."""

    ids: tuple[str, ...]
    texts: tuple[str, ...]
    models: tuple[str, ...]
    answers: npt.NDArray[np.float64]


def answers_of(ws: Workspace, split: str, *, without: str = "") -> SplitAnswers:
    """The answers of every evaluated model but one, to the first way in which each item was asked;
    people are no model. StateError for too few."""
    reports = {
        model: {entry.id: entry for entry in first_answer_each(report).scores}
        for model, report in finished_reports(ws, split).items()
        if report.engine != ENGINE and report.total.accuracy is not None and model != without
    }
    members = freeze.members_of(ws, split)
    rows = [m for m in members if any(m.uid in known for known in reports.values())]
    if len(reports) < FEWEST_MODELS or len(rows) < FEWEST_ITEMS:
        raise StateError.trn(
            "An item bank of “{split}” needs five evaluated models; there is 1.",
            "An item bank of “{split}” needs five evaluated models; there are {n}.",
            len(reports), split=split
        )  # fmt: skip
    answers = np.full((len(rows), len(reports)), np.nan)
    for column, known in enumerate(reports.values()):
        for row, member in enumerate(rows):
            entry = known.get(member.uid)
            if entry is not None and entry.score is not None:
                answers[row, column] = float(entry.score >= 0.5)
    texts = tuple(m.content.content_hash for m in rows)
    return SplitAnswers(tuple(m.uid for m in rows), texts, tuple(reports), answers)


def replay(
    ws: Workspace, split: str, *, within: float, most: float, choice: Choice = "telling"
) -> list[Replay]:
    """Every model of a split as adaptive evaluation would have found it, by a bank of the others.

    StateError and InputError for too few models.
    """
    found = answers_of(ws, split)
    return replayed(found.ids, found.models, found.answers, within=within, most=most,
                    begin=partial(session_of, choice=choice))  # fmt: skip


def model_note(choice: Choice = "telling") -> str:
    """In words what an adaptive interval takes for granted."""
    if choice == "random":
        return tr(
            "The items were drawn at random: the intervals hold whether or not the two-parameter "
            "model fits. Where it does not, they are longer."
        )
    return tr(
        "The intervals rest on the two-parameter model. If what a model knows does not fit on one "
        "scale with the others, they are too short; `benchseal analyze bank` shows how often they "
        "held on a split."
    )


def shared_note(models: int) -> list[str]:
    """In words what the intervals hold, and what they do not, of the errors that all items of a
    bank have in common; ``models`` calibrated them, 0 where nobody says. Nothing for many models.
    """
    if not models:
        return [
            tr("How many models calibrated the items is not stated; the intervals leave out what "
               "the errors of all items have in common, and are too short if they were few.")
        ]  # fmt: skip
    if models > FEW_MODELS:
        return []
    return [
        trn("1 model calibrates items roughly; the intervals allow for it by what simulations show "
            "on average.",
            "{n} models calibrate items roughly; the intervals allow for it by what simulations "
            "show on average.", models)
    ]  # fmt: skip


def size_note(size: int | None, within: float, items: int) -> str:
    """In words how many items a fifth needs to come ``within`` (0…1), of ``ItemBank.size_for``."""
    if size is None:
        return tr(
            "However many items a split has, a fifth of them does not come within ± {points} "
            "points for 95 of 100 models: too few models calibrate the items.",
            points=f"{100 * within:.1f}",
        )
    digits = max(0, len(str(size)) - 2)
    return trn(
        "For a fifth of the items to come within ± {points} points for 95 of 100 models, a split "
        "needs about 1 item like these; it has {items}.",
        "For a fifth of the items to come within ± {points} points for 95 of 100 models, a split "
        "needs about {n} items like these; it has {items}.",
        round(size, -digits), points=f"{100 * within:.1f}", items=items,
    )  # fmt: skip


def replay_table(
    split: str, replays: Sequence[Replay], within: float, choice: Choice = "telling"
) -> ReportTable:
    """A row for each model: how many items were asked, what was found, what was right."""
    rows = tuple(
        (
            one.model,
            one.adaptive.asked,
            100 * one.adaptive.asked / max(1, one.adaptive.items),
            100 * one.adaptive.score,
            100 * one.adaptive.low,
            100 * one.adaptive.high,
            100 * one.full,
            100 * one.error,
        )
        for one in replays
    )
    heads = (tr("Model"), tr("Asked"), tr("Asked, %"), tr("Score"), tr("Low"), tr("High"),
             tr("All items"), tr("Error, points"))  # fmt: skip
    # asked everything, a model has its score and no interval that could fail
    in_part = [one for one in replays if one.adaptive.asked < one.adaptive.items]
    held = sum(one.adaptive.low <= one.full <= one.adaptive.high for one in in_part)
    said = [
        trn("The interval holds the score on all items for {held} of 1 model that was not asked "
            "all of them.",
            "The interval holds the score on all items for {held} of {n} models that were not "
            "asked all of them.", len(in_part), held=held)
        if in_part
        else tr("Every model was asked all items: that shows nothing of intervals."),
        tr("Each model is asked by a bank of the others until its interval is ± {points} points.",
           points=f"{100 * within:.1f}"),
    ]  # fmt: skip
    if replays and choice == "telling":
        said += _limits(replays, within)
    said.append(model_note(choice))
    if choice == "telling":
        said += shared_note(max(1, len(replays) - 1))
    said += sorted({tr("{run}: the interval is rough ({why}).", run=one.model,
                       why=one.adaptive.caution)
                    for one in replays if one.adaptive.caution})  # fmt: skip
    title = tr("{split}: adaptive evaluation, percent", split=split)
    return ReportTable(title, heads, rows, tuple(said), 1)


def _limits(replays: Sequence[Replay], within: float) -> list[str]:
    """How near a fifth comes at best, and how many items it needs."""
    best = sum(one.closest for one in replays) / len(replays)
    said = [
        tr("With a fifth of these items, no selection comes closer than ± {points} points on "
           "average under this model: the answers that are not asked for remain a matter of luck.",
           points=f"{100 * best:.1f}")
    ]  # fmt: skip
    if within > 0:
        enough = median(math.inf if one.enough is None else one.enough for one in replays)
        said.append(size_note(None if math.isinf(enough) else round(enough), within,
                              max(one.adaptive.items for one in replays)))  # fmt: skip
    return said


@dataclass(frozen=True)
class LinkedPeriods:
    """The link between two splits and each later model's ability on the earlier scale, with the
    share of the earlier split (0…1) that it would get right, and both errors. ``caution`` says why
    these are rough, if they are."""

    earlier: str
    later: str
    link: ScaleLink
    models: tuple[tuple[str, float, float, float, float], ...]
    caution: str = ""

    def as_json(self) -> dict[str, Any]:
        """One object."""
        names = ("model", "ability", "ability_error", "score_on_earlier", "score_error")
        return {
            "earlier": self.earlier,
            "later": self.later,
            "slope": self.link.slope,
            "slope_error": self.link.slope_error,
            "shift": self.link.shift,
            "shift_error": self.link.shift_error,
            "anchors": self.link.anchors,
            "caution": self.caution,
            "models": [dict(zip(names, row, strict=True)) for row in self.models],
        }


def link_periods(ws: Workspace, later: str, earlier: str) -> LinkedPeriods:
    """Put the models of a later split on the scale of an earlier one, by the items with the same
    text in both. StateError and InputError for too few models or common items."""
    old, new = answers_of(ws, earlier), answers_of(ws, later)
    old_bank = ItemBank.of(old.texts, two_parameter_model(old.answers))
    model = two_parameter_model(new.answers)
    link = linked(old_bank, ItemBank.of(new.texts, model))
    rows = []
    for name, theta, error in zip(new.models, model.ability, model.ability_error, strict=True):
        ability, deviation = link.on_earlier_scale(float(theta), float(error))
        score, steepness = old_bank.expected(ability)
        rows.append((name, ability, deviation, score, steepness * deviation))
    rows.sort(key=lambda row: -row[1])
    caution = linking_caution(link.anchors, min(len(old.models), len(new.models)))
    return LinkedPeriods(earlier, later, link, tuple(rows), caution)


def link_table(found: LinkedPeriods) -> ReportTable:
    """A row for each later model: ability and score on the earlier split, with errors."""
    rows = tuple((name, ability, error, 100 * score, 100 * spread)
                 for name, ability, error, score, spread in found.models)  # fmt: skip
    heads = (tr("Model"), tr("Ability"), tr("Standard error"),
             tr("Score on {split}", split=found.earlier), tr("Standard error"))  # fmt: skip
    link = found.link
    said = [
        trn("Linked by 1 common item (Stocking and Lord): slope {slope} (standard error "
            "{a}), shift {shift} ({b}).",
            "Linked by {n} common items (Stocking and Lord): slope {slope} (standard error "
            "{a}), shift {shift} ({b}).", link.anchors,
            slope=f"{link.slope:.2f}", a=f"{link.slope_error:.2f}",
            shift=printed(link.shift, 2), b=f"{link.shift_error:.2f}"),
        tr("Anchors must be secret in both periods: what models have learned meanwhile looks like "
           "ability."),
    ]  # fmt: skip
    if found.caution:
        said.append(
            tr("The errors are rough and probably too small: they do not allow for the "
               "rough calibration of the anchors ({why}).", why=found.caution)
        )  # fmt: skip
    title = tr("{later} on the scale of {earlier}", later=found.later, earlier=found.earlier)
    return ReportTable(title, heads, rows, tuple(said), 2)
