"""Ratings from a file: whether its table has a header, and what its columns mean."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

from core.agreement.layouts import (
    ID_WORDS,
    LAYOUTS,
    RatingTableSheet,
    guess_layout,
    refuse_totals,
    table_of_sheet,
    with_sources,
)
from core.agreement.rater_columns import refuse_strangers, with_raters
from core.agreement.ratings import RatingTable, as_number, is_missing
from core.errors import InputError
from core.i18n import listed, tr, tr_noop
from core.known_names import refuse_unknown
from core.sources.tables import place_name, read_table

_SHOWN = 20


def read_ratings(
    path: Path,
    layout: str | None = None,
    sheet: str = "",
    source_column: str = "",
    rater_columns: Sequence[str] = (),
) -> RatingTable:
    """Ratings of a table, of a workbook the one of the ``sheet``.

    Layouts: ``raters`` (a row per item, a column per rater, empty where missing, a leading id
    column allowed), ``counts`` (a row per item, a column per category), ``contingency`` (two
    raters' square table with the categories as row and column labels) and ``long`` (item, rater,
    value). Without ``layout`` it is guessed where it is plain, and asked for where not. The column
    that names each item's source is ``source_column``, else one called so (article, source, …).
    ``rater_columns`` are the only ones that hold ratings, where they are named; where not, a column
    that shares no value with the others is refused.
    """
    if layout is not None:
        refuse_unknown(layout, LAYOUTS, tr_noop("There is no layout “{name}”. Available: {known}."))
    ratings = with_sources(read_sheet(path, layout, sheet), source_column)
    if rater_columns:
        ratings = with_raters(ratings, rater_columns)
    refuse_totals(ratings)
    guess = guess_layout(ratings)
    chosen = layout or ("raters" if rater_columns else guess)
    if not rater_columns and guess in (None, "raters") and layout in (None, "raters"):
        refuse_strangers(ratings)
    if chosen is None:
        raise InputError.tr(
            "It is not clear whether the columns of {path} are raters or categories. "
            "Use --layout raters or --layout counts.",
            path=path,
        )
    table = table_of_sheet(ratings, chosen)
    return replace(table, remarks=(*table.remarks, *_remarks(ratings, guess, chosen)))


def _remarks(sheet: RatingTableSheet, guess: str | None, chosen: str) -> list[str]:
    """What a reader may have meant otherwise."""
    found = []
    if len(sheet.columns) == 1:
        found.append(
            tr(
                "{path} has only one column. Separate columns with a comma, a semicolon, a "
                "tab or “|”.",
                path=sheet.path,
            )
        )
    if sheet.header is not None and _numbers_columns(sheet.header):
        found.append(
            tr(
                "The first line of {path} was read as names: {names}. If it contains "
                "ratings, add a line of names above it.",
                path=sheet.path,
                names=listed(sheet.header[:_SHOWN]),
            )
        )
    if guess not in (chosen, None, "raters"):  # “raters” where nothing speaks against it
        found.append(
            tr(
                "{path} looks like the layout “{guess}”; it was read as “{layout}”, as requested.",
                path=sheet.path,
                guess=guess,
                layout=chosen,
            )
        )
    return found


def _numbers_columns(header: tuple[str, ...]) -> bool:
    return all(as_number(name) is not None for name in header)


def read_sheet(path: Path, layout: str | None = None, sheet: str = "") -> RatingTableSheet:
    """Names and columns of a table; InputError where it is none or holds no ratings."""

    def names_columns(first: Sequence[str], below: Sequence[Sequence[str]]) -> bool:
        return _is_header(first, [_stripped(column) for column in below], layout)

    table = read_table(path, sheet=sheet, has_header=names_columns)
    table.refuse_unreadable()
    columns = tuple(tuple(table.texts(place, strip=True)) for place in range(len(table.columns)))
    names = enumerate(table.columns, 1)
    # a column without a name may hold the items
    header = tuple("" if name == place_name(place) else name for place, name in names)
    return RatingTableSheet(
        str(path), header if table.named else None, columns, table.decimal_comma
    )


def _stripped(column: Sequence[str]) -> Sequence[str]:
    odd = any(cell != cell.strip() for cell in set(column))
    return [cell.strip() for cell in column] if odd else column


def _is_header(first: Sequence[str], columns: Sequence[Sequence[str]], layout: str | None) -> bool:
    """Names rather than ratings: words over numbers, or words found nowhere below."""
    if not columns or not columns[0]:
        return not any(as_number(cell) is not None for cell in first)
    below = [set(column) for column in columns]
    seen = set().union(*below)
    if len(first) > 1 and ID_WORDS.fullmatch(first[0]) and first[0] not in seen:
        return True
    names = [cell for cell in first if not is_missing(cell)]
    if not names or any(is_missing(cell) for cell in first[1:]):
        return False
    if all(as_number(name) is None for name in names):
        return any(_holds_numbers(cells) for cells in below) or seen.isdisjoint(first[1:] or first)
    return _is_numeric_header(first, columns) or _is_numbered(first, columns, layout)


def _holds_numbers(cells: Iterable[str]) -> bool:
    """Numbers and gaps only, with at least one number."""
    given = [cell for cell in cells if not is_missing(cell)]
    return bool(given) and all(as_number(cell) is not None for cell in given)


def _is_numeric_header(first: Sequence[str], columns: Sequence[Sequence[str]]) -> bool:
    """Ascending category numbers over counts: the rows below share a sum that the first lacks."""
    numbers = [as_number(cell) for cell in first]
    start = 1 if numbers[0] is None else 0
    for skip in {start, 1}:
        labels = [number for number in numbers[skip:] if number is not None]
        if len(labels) < 2 or len(labels) != len(numbers) - skip:
            continue
        ascending = all(b > a for a, b in pairwise(labels))
        shared = _shared_sum(columns[skip:]) if ascending and len(columns[0]) > 1 else None
        if shared is not None:
            return sum(labels) != shared
    return start == 1 and all(as_number(cell) is not None for cell in set(columns[0]))


def _is_numbered(
    first: Sequence[str], columns: Sequence[Sequence[str]], layout: str | None
) -> bool:
    """Columns called 1, 2, 3 or 0, 1, 2, as programs number them.

    Two columns may well be two ratings or counts, unless the first name is not a rating or the
    counts below add up to something else.
    """
    start = 1 if as_number(first[0]) is None else 0
    numbers = [as_number(cell) for cell in first[start:]]
    known = [number for number in numbers if number is not None]
    if len(known) < max(2, len(numbers)) or (start and first[0] in set(columns[0])):
        return False
    if layout == "counts" and not all(number >= 0 and number.is_integer() for number in known):
        return True
    if known[0] not in (0.0, 1.0) or any(b - a != 1 for a, b in pairwise(known)):
        return False
    if len(known) > 2:
        return True
    if layout == "counts":
        return _shared_sum(columns[start:]) != _sum(first[start:])
    return known[0] not in {as_number(cell) for column in columns[start:] for cell in set(column)}


def _shared_sum(columns: Sequence[Sequence[str]]) -> float | None:
    """What the cells of every row add up to; None where rows differ or hold other than numbers."""
    sums = (_sum(cells) for cells in zip(*columns, strict=True))
    shared = next(sums)
    return shared if all(one == shared for one in sums) else None


def _sum(cells: Sequence[str]) -> float | None:
    numbers = [as_number(cell) for cell in cells]
    known = [number for number in numbers if number is not None]
    return sum(known) if len(known) == len(numbers) else None
