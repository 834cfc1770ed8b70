"""How the models did on single items, and items that strong models miss in the same way."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import median
from typing import TYPE_CHECKING

from core.errors import StateError
from core.evaluation.compare import missed_alike as alike
from core.evaluation.option_orders import as_own
from core.evaluation.scoring import ItemScore, Report
from core.i18n import listed, tr
from core.jobs.stored_tuples import kept
from core.release.question_ids import uid_of
from core.workflow.check.visibility import open_items
from core.workflow.evaluation.finished_runs import finished_reports
from core.workflow.splits import freeze
from core.workflow.workspace import Workspace

if TYPE_CHECKING:
    from core.analysis.suspect_keys import SuspectKey


@dataclass(frozen=True, slots=True)
class MissedItem:
    """An item that ``models`` answer with the same ``answer`` against the key."""

    number: int
    expected: str
    answer: str
    models: tuple[str, ...]


def as_missed(keys: Sequence["SuspectKey"]) -> list[MissedItem]:
    """Suspect keys as what a request for a second look says of models."""
    return [MissedItem(int(one.id), one.key, one.answer, one.agreeing) for one in keys]


def missed_alike(
    ws: Workspace,
    split: str,
    *,
    viewer: str,
    models: Sequence[str] = (),
) -> tuple[MissedItem, ...]:
    """Items of a split which strong models all miss while agreeing with each other.

    Strong are the named ``models``, or else those whose accuracy is at or above the median of all
    that were evaluated on the split, two at least. Such items deserve another look: the key may be
    wrong. Left out are items about which something is hidden from the viewer. Raises StateError for
    fewer than two, and for a sealed split.
    """
    freeze.refuse_sealed(freeze.info(ws, split))
    missed = missed_among(finished_reports(ws, split), split, models=models)
    with ws.reading() as session:
        shown = set(open_items(session, viewer, [item.number for item in missed]))
    return tuple(item for item in missed if item.number in shown)


def missed_among(
    reports: Mapping[str, Report],
    split: str,
    *,
    models: Sequence[str] = (),
) -> tuple[MissedItem, ...]:
    """As ``missed_alike``, of reports that were read already."""
    strong = _strong(reports, models)
    if len(strong) < 2:
        raise StateError.tr(
            "At least two models must be evaluated on “{split}”; currently: {models}.",
            split=split,
            models=listed(strong) or tr("none"),
        )
    by_item = {name: one_answer_each(report) for name, report in strong.items()}
    found = alike(list(by_item.values()))
    missed_ids = {uid for uid, _ in found}
    entries = {
        name: {score.id: score for score in report.scores if score.id in missed_ids}
        for name, report in by_item.items()
    }
    missed = []
    for uid, answer in found:
        of_item = {name: known[uid] for name, known in entries.items() if uid in known}
        agreeing = tuple(name for name, score in of_item.items() if score.predicted == answer)
        expected = next(score.expected for score in of_item.values())
        missed.append(MissedItem(int(uid), expected, answer, agreeing))
    return tuple(sorted(missed, key=lambda item: (-len(item.models), item.number)))


def _strong(reports: Mapping[str, Report], models: Sequence[str]) -> dict[str, Report]:
    known = {name: report for name, report in reports.items() if report.total.accuracy is not None}
    if models:
        missing = [name for name in models if name not in known]
        if missing:
            raise StateError.tr(
                "There is no finished evaluation of model “{model}”. Available: {known}.",
                model=missing[0], known=listed(known) or tr("none")
            )  # fmt: skip
        return {name: known[name] for name in models}
    if len(known) < 3:
        return known
    bar = median(report.total.accuracy or 0.0 for report in known.values())
    return {name: report for name, report in known.items() if (report.total.accuracy or 0.0) >= bar}


def one_answer_each(report: Report) -> Report:
    """A report with one entry per item: its commonest answer over the ways it was asked, and of
    several that are as common the one that was given first; all that are right are one answer."""
    return _one_entry_each(report, _commonest)


def first_answer_each(report: Report) -> Report:
    """A report with one entry per item, the one to the first way in which it was asked, as if it
    had been the only one: how often that is right is no larger or smaller for the others."""
    return _one_entry_each(report, lambda entries: entries[0])


def _one_entry_each(report: Report, chosen: Callable[[list[ItemScore]], ItemScore]) -> Report:
    answered = (entry for entry in report.scores if entry.answered)
    if not any("#" in entry.id for entry in report.scores):
        return replace(report, scores=kept(answered, ItemScore._make))
    variants: dict[str, list[ItemScore]] = {}
    for entry in answered:
        uid, way = uid_of(entry.id), entry.variant
        expected = as_own(entry.expected, way)
        predicted = None if entry.predicted is None else as_own(entry.predicted, way)
        own = entry._replace(id=uid, expected=expected, predicted=predicted)
        variants.setdefault(uid, []).append(own)
    return replace(report, scores=tuple(chosen(entries) for entries in variants.values()))


def _commonest(entries: list[ItemScore]) -> ItemScore:
    by_answer: dict[str, list[ItemScore]] = {}
    for entry in entries:
        if entry.predicted is not None:
            answer = entry.expected if entry.correct else entry.predicted
            by_answer.setdefault(answer, []).append(entry)
    return max(by_answer.values(), key=len, default=entries)[0]
