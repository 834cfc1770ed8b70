"""How far a judge agrees with people: Spearman and kappa over the items that both rated."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median_low
from typing import Any

from core.agreement.compute import coefficients_for
from core.agreement.ratings import as_number, declared_scale, is_missing, table_of_rows
from core.agreement.statistic import CoefficientResult
from core.errors import InputError
from core.evaluation.judge_correction import prediction_powered_mean, rogan_gladen_mean
from core.evaluation.judges import (
    CORRECTNESS,
    CREATIVE,
    CREATIVE_CRITERIA,
    HIGHEST_RATING,
    LOWEST_RATING,
    JudgeVerdict,
    unit_scores,
)
from core.i18n import listed, printed, printed_bounds, tr
from core.sources.tables import read_table

RATING_COEFFICIENTS = ("spearman", "cohen_kappa_quadratic")
VERDICT_COEFFICIENTS = ("percent", "cohen_kappa")
_RATINGS = tuple(range(LOWEST_RATING, HIGHEST_RATING + 1))
_VERDICTS = (0, 1)
CRITERIA: Mapping[str, Mapping[str, tuple[int, ...]]] = {
    CREATIVE: dict.fromkeys(CREATIVE_CRITERIA, _RATINGS),
    CORRECTNESS: dict.fromkeys(("answer_correct", "reference_correct"), _VERDICTS),
}
"""What each kind of judge rates, with the values that it can give."""
SHEET_COLUMNS = ("item", "criterion", "rater", "value", "scale", "instruction", "input",
                 "reference", "answer")  # fmt: skip
"""Of the sheet that people fill in; ``read_people`` reads the first four."""


def judge_agreement(
    judged: Mapping[str, float],
    human: Mapping[str, float],
    *,
    categories: Sequence[float],
    clusters: Mapping[str, str] | None = None,
    resamples: int = 1000,
) -> list[CoefficientResult]:
    """Coefficients between the judge's and the people's ratings, with intervals.

    ``judged`` and ``human`` map item ids to values of ``categories`` (ratings such as 1…5, or
    verdicts 0 and 1); only items in both count, and ``clusters`` are their sources. Fewer than two
    such items, or constant ratings, give a reason in the results instead of a number.
    """
    both = [item for item in judged if item in human]
    rows = [(item, rater, value)
            for item in both
            for rater, value in (("judge", judged[item]), ("people", human[item]))]  # fmt: skip
    table = table_of_rows(rows, declared_scale(categories))
    names = RATING_COEFFICIENTS if len(categories) > 2 else VERDICT_COEFFICIENTS
    sources = [(clusters or {}).get(item, "") for item in both]
    return coefficients_for(table, names, resamples=resamples, sources=sources)


@dataclass(frozen=True)
class PeopleRatings:
    """What people said of a run's answers: criterion to answer id to their median rating.

    ``rows`` are (answer, criterion, rater, value) as they were read.
    """

    rows: tuple[tuple[str, str, str, float], ...]

    def by_criterion(self) -> dict[str, dict[str, float]]:
        """The lower median over the raters: it is a value of the scale, unlike their mean."""
        ratings: dict[str, dict[str, list[float]]] = {}
        for answer, criterion, _, value in self.rows:
            ratings.setdefault(criterion, {}).setdefault(answer, []).append(value)
        return {
            criterion: {answer: median_low(values) for answer, values in answers.items()}
            for criterion, answers in ratings.items()
        }

    def require(self, ids: Iterable[str]) -> None:
        """InputError where none of the ratings is of these answers."""
        known = set(ids)
        if not any(row[0] in known for row in self.rows):
            raise InputError.trn(
                "The only rating does not belong to an answer of the run; the column "
                "item must contain the item number, with #variant if there are "
                "variants.",
                "None of the {n} ratings belongs to an answer of the run; the column "
                "item must contain the item number, with #variant if there are "
                "variants.",
                len(self.rows),
            )


def read_people(path: Path, *, sheet: str = "", lenient: bool = False) -> PeopleRatings:
    """People's ratings of answers: a table with the columns item, criterion, value, and rater.

    Without a column criterion the ratings are verdicts on the answer (``answer_correct``, 0 or 1).
    Rows without a value are passed over. Raises InputError for any other table, and for a value
    that is not on the scale of its criterion; ``lenient`` passes over such rows instead.
    """
    table = read_table(path, sheet=sheet)
    if table.missing("item", "value"):
        raise InputError.tr(
            "“{path}” needs the columns item and value, and may have criterion and rater.",
            path=path
        )  # fmt: skip
    rows: list[tuple[str, str, str, float]] = []
    for _, cell in table.text_rows(lenient=lenient):
        if is_missing(cell["value"]):
            continue
        try:
            rows.append(_rating(path, cell, table.decimal_comma))
        except InputError:
            if not lenient:
                raise
    if not rows:
        raise InputError.tr(
            "“{path}” contains no ratings yet: its column value is empty.", path=path
        )
    return PeopleRatings(tuple(rows))


def _rating(
    path: Path, cell: Mapping[str, str], decimal_comma: bool
) -> tuple[str, str, str, float]:
    value = as_number(cell["value"], decimal_comma)
    if value is None:
        raise InputError.tr(
            "“{value}” in “{path}” is not a valid rating.", value=cell["value"], path=path
        )
    criterion = cell.get("criterion") or "answer_correct"
    _require_on_scale(path, cell["item"], criterion, value)
    return cell["item"].removeprefix("#"), criterion, cell.get("rater", ""), value


def _require_on_scale(path: Path, item: str, criterion: str, value: float) -> None:
    scales = {name: scale for known in CRITERIA.values() for name, scale in known.items()}
    if criterion not in scales:
        raise InputError.tr(
            "“{path}” rates “{criterion}”, which no judge rates. Available: {known}.", path=path,
            criterion=criterion, known=listed(scales)
        )  # fmt: skip
    if value not in scales[criterion]:
        low, *_, high = scales[criterion]
        raise InputError.tr(
            "“{path}” rates {criterion} of {item} as {value:g}; it must be a whole number "
            "from {low} to "
            "{high}.", path=path, criterion=criterion, item=item, value=value, low=low,
            high=high
        )  # fmt: skip


def agreement_with(
    kind: str,
    verdicts: Iterable[JudgeVerdict],
    people: PeopleRatings | None,
    clusters: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """By criterion, the judge against people: coefficients with intervals, or why there is none.

    Empty where people rated nothing that this kind of judge rates. ``clusters`` are by answer.
    """
    if people is None:
        return {}
    ratings = people.by_criterion()
    values = list(verdicts)
    agreement: dict[str, Any] = {}
    for criterion, scale in CRITERIA[kind].items():
        human = ratings.get(criterion)
        if human is None:
            continue
        judged = {v.id: v.values[criterion] for v in values if criterion in v.values}
        both = sum(answer in human for answer in judged)
        results = judge_agreement(judged, human, categories=scale, clusters=clusters)
        agreement[criterion] = {
            "answers": both,
            "coefficients": {
                coefficient.name: {"title": coefficient.title, **figures_of(coefficient)}
                for coefficient in results
            },
        }
    return agreement


def agreement_figures(coefficients: Mapping[str, Any]) -> str:
    """The coefficients of one criterion in a line, each with its interval; those that are undefined
    are left out, and without any there is a dash."""
    defined = (one for one in coefficients.values() if one["value"] is not None)
    return listed(map(alpha_words, defined)) or "–"


def alpha_words(found: Mapping[str, Any]) -> str:
    """A coefficient (as ``figures_of``, maybe with its ``title``) with its interval, and
    whether that is rough; a dash where it is undefined."""
    if found["value"] is None:
        words = "–"
    elif found.get("low") is None:  # of reports from before there was one, too
        words = printed(found["value"], 2)
    else:
        bounds = printed_bounds(found["low"], found["high"], 2)
        words = f"{printed(found['value'], 2)} {bounds}"
    words = f"{found.get('title', '')} {words}".lstrip()
    return tr("{figure} (rough)", figure=words) if found.get("rough") else words


def figures_of(result: CoefficientResult) -> dict[str, Any]:
    """What reports keep of a coefficient; ``rough`` where its interval rests on little."""
    return {
        "value": result.value,
        "low": result.low,
        "high": result.high,
        "undefined": result.undefined,
        "rough": result.rough,
    }


def corrected_means(
    kind: str,
    verdicts: Iterable[JudgeVerdict],
    people: PeopleRatings | None,
    clusters: Mapping[str, str] | None = None,
) -> dict[str, list[dict[str, Any]]]:
    """By criterion the judge's mean in 0…1, corrected by the answers that people rated; empty
    where they rated nothing that this kind of judge rates. ``clusters`` are by answer."""
    if people is None:
        return {}
    ratings = people.by_criterion()
    values = list(verdicts)
    corrected: dict[str, list[dict[str, Any]]] = {}
    for criterion, scale in CRITERIA[kind].items():
        human = ratings.get(criterion)
        if human is None or (kind == CORRECTNESS and criterion != "answer_correct"):
            continue
        judged = unit_scores(kind, values, criterion)
        low, high = scale[0], scale[-1]
        unit = {answer: (value - low) / (high - low) for answer, value in human.items()}
        means = [prediction_powered_mean(judged, unit, clusters)]
        if len(scale) == 2:
            means.append(rogan_gladen_mean(judged, unit, clusters))
        corrected[criterion] = [mean.as_json() for mean in means]
    return corrected


def judges_agreement(
    judged: Mapping[str, Mapping[str, float]],
    people: Mapping[tuple[str, str], float],
    *,
    categories: Sequence[float],
    clusters: Mapping[str, str] | None = None,
) -> list[CoefficientResult]:
    """How far several judges, and people where they rated, agree on one criterion.

    ``judged`` maps judges to values by answer, ``people`` (answer, rater) to values, ``clusters``
    answers to sources. Krippendorff's
    alpha over all of them, and over the judges alone where people rated too.
    """
    rows = [(answer, f"judge:{name}", value)
            for name, values in judged.items() for answer, value in values.items()]  # fmt: skip
    scale = declared_scale(categories)
    alpha = "krippendorff_alpha_ordinal" if len(categories) > 2 else "krippendorff_alpha_nominal"
    tables = [table_of_rows(rows, scale)]
    if people:
        with_people = [(answer, f"people:{rater}", value)
                       for (answer, rater), value in people.items()]  # fmt: skip
        tables.append(table_of_rows([*rows, *with_people], scale))
    return [
        result
        for table in tables
        for result in coefficients_for(
            table, (alpha,),
            sources=[(clusters or {}).get(answer, "") for answer in table.item_ids or ()],
        )
    ]  # fmt: skip


def unit_mean(values: Iterable[float], scale: Sequence[float]) -> float | None:
    """Mean of ratings on a scale as a share of it, in 0…1; None without any."""
    known = list(values)
    if not known:
        return None
    return (sum(known) / len(known) - scale[0]) / (scale[-1] - scale[0])
