"""People's ratings of models' answers beside the scores of those answers (CIF-Bench §5).

Faithfulness is yes or no, preference a number from 1 to 5; several people may rate one answer.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

from core.analysis.cif import TaskScore, Verification, human_verification
from core.errors import InputError
from core.i18n import stored_bounds, tr
from core.release.question_ids import question_id, uid_of
from core.report_table import ReportTable
from core.sources.tables import Table, has_no_value, read_table

_YES = frozenset({"1", "1.0", "yes", "y", "true", "是", "对"})
_NO = frozenset({"0", "0.0", "no", "n", "false", "否", "错"})
_LEAST, _MOST = 1, 5
_FAITHFUL, _PREFERENCE = ("faithful", "faithfulness"), ("preference",)


@dataclass(frozen=True, slots=True)
class AnswerRating:
    """What one person said of one answer; ``model`` is empty where the file names none.

    ``item`` is the item's number, with ``#`` and the instruction where one is meant.
    """

    model: str
    item: str
    faithful: float | None
    preference: float | None


@dataclass(frozen=True, slots=True)
class ModelVerification:
    """How far the scores of a model (empty: of all together) follow the ratings.

    ``unmatched`` ratings are of answers that have no score.
    """

    model: str
    figures: Verification
    unmatched: int

    def as_json(self) -> dict[str, Any]:
        """One object."""
        return {"model": self.model, **asdict(self.figures), "unmatched": self.unmatched}


def read_human_ratings(path: Path, sheet: str = "") -> list[AnswerRating]:
    """Ratings from a table with the column item, faithful or preference, and maybe model, rater.

    Instead of the two columns there may be criterion and value. Raises InputError, naming the
    line.
    """
    table = read_table(path, sheet=sheet)
    wide = [name for name in (*_FAITHFUL, *_PREFERENCE) if not table.missing(name)]
    long = not table.missing("criterion", "value")
    if table.missing("item") or not (wide or long):
        raise InputError.tr(
            "“{path}” needs the column item, and faithful or preference.", path=path
        )
    rows = [_rating(table, line, fields, wide) for line, fields in table.text_rows()]
    rated = [row for row in rows if row.faithful is not None or row.preference is not None]
    if not rated:
        raise InputError.tr("“{path}” contains no ratings.", path=path)
    return rated


def _rating(
    table: Table, line: int, fields: Mapping[str, str], wide: Sequence[str]
) -> AnswerRating:
    values = {name: fields.get(name, "") for name in wide}
    if not wide:
        values = {fields.get("criterion", "").lower(): fields.get("value", "")}
    odd = set(values) - {*_FAITHFUL, *_PREFERENCE}
    item = fields.get("item", "").removeprefix("#")
    faithful = [_yes(value) for name, value in values.items() if name in _FAITHFUL]
    preference = [_level(table, value) for name, value in values.items() if name in _PREFERENCE]
    wrong = [value for value in (*faithful, *preference) if value is not None and value < 0]
    if odd or wrong or not item:
        raise InputError.tr(
            "“{path}”, line {line} is not a valid rating. It needs an item, faithful as "
            "yes or no (1 or 0), and preference from 1 to 5.",
            path=table.path,
            line=line,
        )
    return AnswerRating(
        fields.get("model", ""),
        item,
        faithful[0] if faithful else None,
        preference[0] if preference else None,
    )


def _yes(text: str) -> float | None:
    """1 or 0; None for nothing said, −1 for what is not an answer."""
    if has_no_value(text):
        return None
    known = text.lower()
    return 1.0 if known in _YES else 0.0 if known in _NO else -1.0


def _level(table: Table, text: str) -> float | None:
    """1…5; None for nothing said, −1 for what is not an answer."""
    if has_no_value(text):
        return None
    value = table.number(text)
    return value if value is not None and _LEAST <= value <= _MOST else -1.0


def verify_by_people(
    ratings: Sequence[AnswerRating], scores: Iterable[TaskScore], *, seed: int = 0
) -> list[ModelVerification]:
    """Each model, then all of them together where there are several.

    A rating without an instruction is compared with the mean over the item's instructions. Raises
    InputError where ratings name no model and there are scores of several.
    """
    known = _by_answer(scores)
    models = list(dict.fromkeys(model for model, _ in known))
    if len(models) > 1 and any(not rating.model for rating in ratings):
        raise InputError.tr(
            "There are scores of {n} models, so the ratings need a column model.", n=len(models)
        )
    named = [_named(rating, models) for rating in ratings]
    verifications = [
        _of(model, [r for r in named if r.model == model], known, seed) for model in models
    ]
    if len(models) > 1:
        verifications.append(_of("", named, known, seed))
    return verifications


def _named(rating: AnswerRating, models: Sequence[str]) -> AnswerRating:
    model = rating.model or (models[0] if models else "")
    return AnswerRating(model, rating.item, rating.faithful, rating.preference)


def _by_answer(scores: Iterable[TaskScore]) -> dict[tuple[str, str], float]:
    """Mean score by model and answer: every item, and every instruction of it."""
    groups: dict[tuple[str, str], list[float]] = {}
    for score in scores:
        for name in dict.fromkeys((score.item, question_id(score.item, score.instruction))):
            groups.setdefault((score.model, name), []).append(score.score)
    return {answer: fmean(values) for answer, values in groups.items()}


def _of(
    model: str,
    ratings: Sequence[AnswerRating],
    known: Mapping[tuple[str, str], float],
    seed: int,
) -> ModelVerification:
    faithful: dict[str, list[float]] = {}
    preference: dict[str, list[float]] = {}
    scores: dict[str, float] = {}
    items: dict[str, str] = {}
    unmatched = 0
    for rating in ratings:
        if (rating.model, rating.item) not in known:
            unmatched += 1
            continue
        answer = f"{rating.model}\n{rating.item}"
        scores[answer] = known[rating.model, rating.item]
        items[answer] = uid_of(rating.item)
        if rating.faithful is not None:
            faithful.setdefault(answer, []).append(rating.faithful)
        if rating.preference is not None:
            preference.setdefault(answer, []).append(rating.preference)
    return ModelVerification(
        model, human_verification(faithful, preference, scores, seed=seed, items=items), unmatched
    )


def verification_table(verifications: Sequence[ModelVerification]) -> ReportTable:
    """A row per model: share faithful, mean preference, Spearman's rho with the scores."""
    rows = tuple(
        (
            verification.model or tr("all"),
            verification.figures.n,
            verification.figures.faithful,
            verification.figures.preference,
            verification.figures.spearman,
            None
            if verification.figures.low is None or verification.figures.high is None
            else stored_bounds(verification.figures.low, verification.figures.high, 2),
            verification.unmatched,
        )
        for verification in verifications
    )
    notes = tuple(
        dict.fromkeys(
            tr(
                "{a}: {reason}",
                a=verification.model or tr("all"),
                reason=verification.figures.reason,
            )
            for verification in verifications
            if verification.figures.reason
        )
    )
    notes += tuple(
        tr("{run}: the interval is rough ({why}).", run=verification.model or tr("all"),
           why=verification.figures.caution)
        for verification in verifications
        if verification.figures.caution
    )  # fmt: skip
    heads = (
        tr("Model"), tr("Answers"), tr("Faithful"), tr("Mean preference"), tr("Spearman ρ"),
        tr("Interval"), tr("Without a score"),
    )  # fmt: skip
    return ReportTable(tr("Scores compared with human ratings"), heads, rows, notes, 3)
