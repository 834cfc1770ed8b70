"""Which columns of a sheet hold ratings: those that are named, and which cannot be meant."""

from collections.abc import Sequence
from dataclasses import replace

from core.agreement.layouts import RATER_WORDS, RatingTableSheet, split_leading
from core.agreement.ratings import as_number, is_missing
from core.errors import InputError
from core.i18n import listed

_FEWEST_ROWS = 3


def with_raters(sheet: RatingTableSheet, names: Sequence[str]) -> RatingTableSheet:
    """The sheet with the columns of these names alone, behind that of the items if there is one.
    InputError for a name that no column has."""
    header = sheet.header or tuple(sheet.name(place) for place in range(len(sheet.columns)))
    for name in names:
        if name not in header:
            raise InputError.tr(
                "{path} has no column “{name}”. Its columns: {names}.", path=sheet.path,
                name=name, names=listed(filter(None, header))
            )  # fmt: skip
    ratings, ids = split_leading(sheet, "raters")
    leading = [] if ids is None else [place for place in range(ratings[0])
                                      if sheet.columns[place] == ids]  # fmt: skip
    kept = [*leading[:1], *(place for place in range(len(header)) if header[place] in names)]
    kept = list(dict.fromkeys(kept))
    return replace(
        sheet,
        header=tuple(header[place] for place in kept),
        columns=tuple(sheet.columns[place] for place in kept),
    )


def refuse_strangers(sheet: RatingTableSheet) -> None:
    """InputError where a column shares nothing with the others, whose values two or more of them
    have in common: a subject or a date beside ratings would be counted as a rater who never agrees.
    """
    if sheet.header is None or sheet.n_rows < _FEWEST_ROWS:
        return
    places, _ = split_leading(sheet, "raters")
    values = {
        place: {cell for cell in set(sheet.columns[place]) if not is_missing(cell)}
        for place in places
    }
    strangers = [
        place for place in places
        if values[place]
        and not RATER_WORDS.fullmatch(sheet.name(place))
        and _apart(values[place], [values[at] for at in places if at != place])
    ]  # fmt: skip
    others = [values[place] for place in places if place not in strangers and values[place]]
    alike = any(a & b for at, a in enumerate(others) for b in others[at + 1 :])
    if strangers and alike:
        known = [sheet.name(place) for place in places if place not in strangers]
        raise InputError.tr(
            "“{name}” in {path} has no value in common with the other columns, so it is "
            "hardly a rater. Name the columns of the raters with --rater-columns {known}, or "
            "the column of each item's article or other source with --source-column.",
            name=sheet.name(strangers[0]),
            path=sheet.path,
            known=" ".join(f'"{name}"' if " " in name else name for name in known),
        )


def _apart(own: set[str], others: Sequence[set[str]]) -> bool:
    """Whether no other column holds what this one does: of numbers, whether its range meets none of
    theirs."""
    if any(own & other for other in others):
        return False
    span = _span(own)
    spans = [_span(other) for other in others]
    return span is None or all(one is None or span[0] > one[1] or span[1] < one[0] for one in spans)


def _span(cells: set[str]) -> tuple[float, float] | None:
    """Least and greatest of a column of numbers; None of any other."""
    numbers = [as_number(cell) for cell in cells]
    known = [number for number in numbers if number is not None]
    return (min(known), max(known)) if known and len(known) == len(numbers) else None
