"""The items of a split whose key is probably wrong, by the answers of all evaluated models."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from core.analysis.suspect_keys import PRIOR, SuspectKey, suspect_keys
from core.errors import StateError
from core.i18n import listed, tr, trn
from core.report_table import ReportTable
from core.workflow.check.visibility import open_items
from core.workflow.evaluation.finished_runs import finished_reports, passed_over_notes
from core.workflow.evaluation.item_results import one_answer_each
from core.workflow.splits import freeze
from core.workflow.workspace import Workspace

FEW_MODELS = 5
_SHOWN_MODELS = 6


@dataclass(frozen=True, slots=True)
class SuspectList:
    """The ranked items of a split, the models whose answers ranked them, and in words which newer
    runs of these were passed over."""

    split: str
    models: tuple[str, ...]
    keys: tuple[SuspectKey, ...]
    passed_over: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """One object."""
        return {
            "split": self.split,
            "models": list(self.models),
            "items": [one.as_json() for one in self.keys],
            "notes": list(notes(self)),
        }


def ranked(
    ws: Workspace, split: str, *, viewer: str, models: Sequence[str] = (), prior: float = PRIOR
) -> SuspectList:
    """Every item that some model answers otherwise than its key, the most suspect first.

    Of the named ``models``, or of all with a finished evaluation or imported answers. Left out are
    items about which something is hidden from the viewer. Raises StateError for fewer than two
    models, and for a sealed split.
    """
    freeze.refuse_sealed(freeze.info(ws, split))
    known = {
        name: report
        for name, report in finished_reports(ws, split).items()
        if report.total.accuracy is not None
    }
    missing = [name for name in models if name not in known]
    chosen = {name: report for name, report in known.items() if not models or name in models}
    if missing or len(chosen) < 2:
        raise StateError.tr(
            "Suspect keys need two or more evaluated models on “{split}”. Available: {known}.",
            split=split, known=listed(known) or tr("none")
        )  # fmt: skip
    found = suspect_keys(
        {name: one_answer_each(report) for name, report in chosen.items()}, prior=prior
    )
    with ws.reading() as session:
        shown = set(open_items(session, viewer, [int(one.id) for one in found]))
    keys = tuple(one for one in found if int(one.id) in shown)
    return SuspectList(split, tuple(chosen), keys, passed_over_notes(ws, split))


def notes(found: SuspectList) -> tuple[str, ...]:
    """What the ranking cannot show."""
    said = [
        tr(
            "Models that were trained alike err alike, and answers that are right for another "
            "reason look the same: read an item before you call its key wrong."
        )
    ]
    if len(found.models) < FEW_MODELS:
        said.append(
            trn(
                "Ranked by 1 model only.",
                "Ranked by only {n} models: the order says something, the probabilities little.",
                len(found.models),
            )
        )
    return (*said, *found.passed_over)


def table(found: SuspectList) -> ReportTable:
    """A row for each item: key, likeliest other answer, probability and who gave either."""
    rows = tuple(
        (
            int(one.id),
            one.key,
            one.answer,
            one.probability,
            _named(one.agreeing),
            len(one.keeping),
            one.answered,
        )
        for one in found.keys
    )
    heads = (tr("item"), tr("key"), tr("likelier answer"), tr("probability"), tr("given by"),
             tr("models with the key"), tr("models"))  # fmt: skip
    return ReportTable(tr("Suspect keys of “{split}”", split=found.split), heads, rows,
                       notes(found), digits=2)  # fmt: skip


def _named(models: Sequence[str]) -> str:
    more = len(models) - _SHOWN_MODELS
    return listed(models[:_SHOWN_MODELS]) + (f" +{more}" if more > 0 else "")
