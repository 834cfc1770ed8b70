"""What the columns of a sheet of ratings mean."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from core.agreement.ratings import (
    RatingTable,
    as_number,
    declared_scale,
    is_missing,
    label_of,
    table_of_columns,
    table_of_counts,
    table_of_rows,
)
from core.errors import InputError
from core.families.shared_source import named_by
from core.i18n import listed, tr, trn

LAYOUTS = ("raters", "counts", "contingency", "long")

_MOST_RATINGS = 20_000_000
ID_WORDS = re.compile(
    r"(id|item|unit|subject|sample|question|document|编号|序号|题号|题目|项目|条目|样本|编码)s?"
    r"(\s*[._-]?\s*(id|nr|no|number))?",
    re.IGNORECASE,
)
# words that may also name a category or a rater: only over values that are all different
_MAYBE_ID_WORDS = re.compile(
    r"(case|doc|text|example|row|index|name|key|nr|no\.|number|#)s?(\s*[._-]?\s*(id|nr|no|number))?",
    re.IGNORECASE,
)
_GROUP_WORDS = re.compile(r"group|stratum|strata|batch|fold|组|分组|组别|批次", re.IGNORECASE)
RATER_WORDS = re.compile(
    r"(rater|observer|annotator|coder|judge|reviewer|expert|labell?er|worker|grader|assessor|"
    r"evaluator|person|user|r|a|评分者|评分员|评审|评委|标注者|标注员|标注人|审核员|专家|评价者)"
    r"[\s._-]*(\d+|[a-z])?",
    re.IGNORECASE,
)
SOURCE_WORDS = re.compile(
    r"(article|source|paper|passage|instruction|文章|来源|论文|篇章|指令)s?"
    r"(\s*[._-]?\s*(id|nr|no|number|name|title))?(编号|标题)?",
    re.IGNORECASE,
)
_VALUE_WORDS = re.compile(
    r"rating|value|label|score|category|code|answer|annotation|judgement|grade|评分|标签|分数|类别|值",
    re.IGNORECASE,
)
_TOTAL_WORDS = re.compile(
    r"((row|column|grand)\s*)?(sub)?(total|sum)s?|合计|总计|总和|小计", re.IGNORECASE
)
_NUMBERED = re.compile(r"[^\d]*?(-?\d+(\.\d+)?)")


@dataclass(frozen=True, slots=True)
class RatingTableSheet:
    """Columns of text cells of equal length, and their names where there is a header.

    ``sources`` is the column that named each row's source, which is none of ``columns``.
    """

    path: str
    header: tuple[str, ...] | None
    columns: tuple[tuple[str, ...], ...]
    decimal_comma: bool = False
    sources: tuple[str, ...] | None = None

    @property
    def n_rows(self) -> int:
        """Rows below the header."""
        return len(self.columns[0])

    def of_rows(self, rows: Sequence[int]) -> "RatingTableSheet":
        """Only these rows."""
        columns = tuple(tuple(column[row] for row in rows) for column in self.columns)
        sources = self.sources and tuple(self.sources[row] for row in rows)
        return replace(self, columns=columns, sources=sources)

    def name(self, column: int) -> str:
        """The header's name of a column, else its number from 1."""
        if self.header is not None and self.header[column]:
            return self.header[column]
        return str(column + 1)


def with_sources(sheet: RatingTableSheet, name: str = "") -> RatingTableSheet:
    """The sheet with the column of this name as its rows' sources; without a name with one that is
    called like a source and names few for many rows, if there is one. InputError for no column."""
    header = sheet.header or ()
    if name:
        found = [place for place, title in enumerate(header) if title == name]
        if not found:
            raise InputError.tr(
                "{path} has no column “{name}”. Its columns: {names}.",
                path=sheet.path,
                name=name,
                names=listed(filter(None, header)) or "–",
            )
    else:
        found = [
            place
            for place, title in enumerate(header)
            if SOURCE_WORDS.fullmatch(title) and _repeats(sheet.columns, place)
        ]
    if not found or len(sheet.columns) < 2:
        return sheet
    at = found[0]
    left = [place for place in range(len(sheet.columns)) if place != at]
    return replace(
        sheet,
        header=tuple(header[place] for place in left),
        columns=tuple(sheet.columns[place] for place in left),
        sources=tuple(named_by(header[at], cell) if cell else "" for cell in sheet.columns[at]),
    )


def _repeats(columns: Sequence[Sequence[str]], place: int) -> bool:
    """Whether a column repeats its cells and shares none with the others, as ratings would."""
    own = {cell for cell in columns[place] if cell}
    others = {cell for at, cells in enumerate(columns) if at != place for cell in cells}
    return 0 < len(own) < len(columns[place]) and own.isdisjoint(others)


def guess_layout(sheet: RatingTableSheet) -> str | None:
    """The layout where it is plain, else None."""
    if _contingency_labels(sheet) is not None:
        return "contingency"
    if _long_columns(sheet) is not None:
        return "long"
    columns, _ = split_leading(sheet, "raters")
    cells = [sheet.columns[column] for column in columns]
    named = [sheet.name(column) for column in columns] if sheet.header else []
    if named and all(RATER_WORDS.fullmatch(name) for name in named):
        return "raters"
    if _words_beside_numbers(cells):
        return None
    matrix = _whole_numbers(cells)
    # a single row is undefined under either layout, so nobody needs to be asked
    if matrix is None or min(len(cells), len(matrix)) < 2 or _constant(matrix):
        return "raters"
    sums = matrix.sum(axis=1)
    if int(sums.min()) != int(sums.max()):
        return _unequal(matrix, named)
    if int(sums[0]) < 2:
        return "raters"
    if (matrix == matrix[0]).all():
        return None
    sure = len(matrix) >= 10 or (len(matrix) >= 3 and bool((matrix == 0).any()))
    return "counts" if sure or int(matrix.max()) > len(matrix) + len(cells) + 5 else None


def _words_beside_numbers(columns: Sequence[Sequence[str]]) -> bool:
    """Some columns hold only numbers and others only words: not ratings on one scale."""
    kinds = set()
    for column in columns:
        numeric = {as_number(cell) is not None for cell in set(column) if not is_missing(cell)}
        if len(numeric) == 1:
            kinds |= numeric
    return len(kinds) == 2


def _constant(matrix: np.ndarray[tuple[int, int], np.dtype[np.int64]]) -> bool:
    return bool((matrix == matrix[0, 0]).all())


def _unequal(
    matrix: np.ndarray[tuple[int, int], np.dtype[np.int64]], named: Sequence[str]
) -> str | None:
    """Rows with different sums are ratings, unless the columns are named like categories.

    Counts with unequal totals have zeros in most rows and one large entry; that with names that
    are no raters' is a reason to ask.
    """
    zeros = float((matrix == 0).mean())
    concentrated = float(matrix.max(axis=1).sum() / max(1, matrix.sum()))
    if named and zeros >= 0.5 and concentrated >= 0.6 and len(matrix) >= 3:
        return None
    return "raters"


def table_of_sheet(sheet: RatingTableSheet, layout: str) -> RatingTable:
    """The table of ratings under a layout; InputError where the sheet does not fit it."""
    if layout == "contingency":
        if sheet.sources is not None:
            raise InputError.tr("{path} is a square table of counts, so it cannot name sources.",
                                path=sheet.path)  # fmt: skip
        return _table_of_contingency(sheet)
    if layout == "long":
        return _table_of_long(sheet)
    columns, ids = split_leading(sheet, layout)
    if ids is not None and (rows := _rows_of_items(sheet, ids)) is not None:
        sheet = sheet.of_rows(rows)
        ids = tuple(ids[row] for row in rows)
    if layout == "counts":
        table = _table_of_counts(sheet, columns, ids)
    else:
        table = table_of_columns(
            [sheet.columns[column] for column in columns],
            _unique_names([sheet.name(column) for column in columns]),
            ids,
            decimal_comma=sheet.decimal_comma,
        )
    table = replace(table, sources=sheet.sources)
    repeated = 0 if ids is None else len(ids) - len(set(ids))
    if not repeated:
        return table
    remark = trn(
        "1 row repeats the id of an earlier row and was counted as a separate item.",
        "{n} rows repeat the id of an earlier row; each was counted as a separate item.",
        repeated,
    )
    return replace(table, remarks=(remark,))


def _rows_of_items(sheet: RatingTableSheet, ids: Sequence[str]) -> list[int] | None:
    """The rows that have an id or anything else, None where all have: a spreadsheet leaves empty
    rows below a table, and without an id they are no items."""
    if "" not in ids:
        return None
    cells = zip(*sheet.columns, strict=True)
    return [row for row, cell in enumerate(cells) if any(cell)]


def refuse_totals(sheet: RatingTableSheet) -> None:
    """InputError for a column or a last row that is called a total and adds up the others."""
    columns, ids = split_leading(sheet, "counts")
    numbers = {
        column: [as_number(cell, sheet.decimal_comma) or 0.0 for cell in sheet.columns[column]]
        for column in columns
    }
    named = [column for column in columns if _TOTAL_WORDS.fullmatch(sheet.name(column))]
    for column in named:
        others = [cells for other, cells in numbers.items() if other not in named]
        if others and any(numbers[column]) and np.allclose(np.sum(others, axis=0), numbers[column]):
            raise _total(sheet, sheet.name(column))
    last = ids[-1] if ids else ""
    if _TOTAL_WORDS.fullmatch(last) and sheet.n_rows > 1:
        cells = np.array(list(numbers.values()))
        if cells[:, -1].any() and np.allclose(cells[:, :-1].sum(axis=1), cells[:, -1]):
            raise _total(sheet, last)


def _total(sheet: RatingTableSheet, name: str) -> InputError:
    return InputError.tr(
        "“{name}” in {path} is the sum of the other columns; remove it.",
        name=name,
        path=sheet.path,
    )


def split_leading(sheet: RatingTableSheet, layout: str) -> tuple[list[int], tuple[str, ...] | None]:
    """Columns that hold ratings or counts, and the item ids where there is a column of them."""
    columns = list(range(len(sheet.columns)))
    ids: tuple[str, ...] | None = None
    while len(columns) > 1 and sheet.header is not None:
        name = sheet.header[columns[0]]
        if _GROUP_WORDS.fullmatch(name):
            columns.pop(0)
        elif ids is None and _names_ids(name, sheet.columns[columns[0]]):
            ids = sheet.columns[columns.pop(0)]
        else:
            break
    if ids is None and len(columns) > 1 and _looks_like_ids(sheet, columns, layout):
        ids = sheet.columns[columns.pop(0)]
    return columns, ids


def _names_ids(name: str, cells: Sequence[str]) -> bool:
    if not name or ID_WORDS.fullmatch(name):
        return True
    return bool(_MAYBE_ID_WORDS.fullmatch(name)) and len(set(cells)) == len(cells)


def _looks_like_ids(sheet: RatingTableSheet, columns: Sequence[int], layout: str) -> bool:
    """All different, none missing, and unlike what stands in the other columns."""
    first = sheet.columns[columns[0]]
    if len(set(first)) < len(first) or any(is_missing(cell) for cell in first):
        return False
    others = {cell for column in columns[1:] for cell in sheet.columns[column]}
    numbers = [as_number(cell) for cell in first]
    if any(number is None for number in numbers):
        return others.isdisjoint(first) and len(first) > 1
    if sheet.header is not None and RATER_WORDS.fullmatch(sheet.header[columns[0]]):
        return False
    steps = [number for number in numbers if number is not None]
    running = steps[0] in (0.0, 1.0) and all(b - a == 1 for a, b in pairwise(steps))
    if len(first) == 1:
        return False
    if layout == "counts" and running and len(first) < 6:
        return False
    distinct = len({cell for cell in others if not is_missing(cell)})
    return (running and len(first) >= 6 and distinct < len(first)) or (
        others.isdisjoint(first) and len(first) >= 6 and distinct <= len(first) // 2
    )


def _unique_names(names: Sequence[str]) -> list[str]:
    seen: dict[str, int] = {}
    unique = []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        unique.append(name if seen[name] == 1 else f"{name} ({seen[name]})")
    return unique


def _whole_numbers(
    columns: Sequence[Sequence[str]],
) -> np.ndarray[tuple[int, int], np.dtype[np.int64]] | None:
    """The cells as counts (rows, columns), None where one is missing or no count."""
    result = np.empty((len(columns[0]), len(columns)), np.int64)
    for index, column in enumerate(columns):
        known: dict[str, int] = {}
        for cell in set(column):
            number = as_number(cell)
            if number is None or number < 0 or not number.is_integer() or number > 1e9:
                return None
            known[cell] = int(number)
        result[:, index] = [known[cell] for cell in column]
    return result


def _table_of_counts(
    sheet: RatingTableSheet, columns: Sequence[int], ids: tuple[str, ...] | None
) -> RatingTable:
    cells = [["0" if is_missing(cell) else cell for cell in sheet.columns[c]] for c in columns]
    matrix = _whole_numbers(cells)
    if matrix is None:
        raise InputError.tr(
            "{path} contains values that are not counts (0, 1, 2 …). In the layout "
            "“counts” every column is a category and every cell the number of ratings.",
            path=sheet.path,
        )
    labels = _unique_names([sheet.name(column) for column in columns])
    return table_of_counts(matrix, _numbered(labels), ids)


def _numbered(labels: Sequence[str]) -> list[str]:
    """c1, c2, c3 mean the numbers 1, 2, 3; other names stay words."""
    matches = [_NUMBERED.fullmatch(label) for label in labels]
    prefixes = {match.group(0)[: match.start(1)] for match in matches if match}
    if not all(matches) or len(prefixes) != 1:
        return list(labels)
    numbers = [float(match.group(1)) for match in matches if match]
    rising = all(b > a for a, b in pairwise(numbers))
    return [label_of(number) for number in numbers] if rising else list(labels)


def _contingency_labels(sheet: RatingTableSheet) -> tuple[str, ...] | None:
    """The categories where row labels and column labels are the same, in any order of rows, over
    numbers."""
    if sheet.header is None or len(sheet.columns) < 3 or len(sheet.columns) != sheet.n_rows + 1:
        return None
    labels = sheet.header[1:]
    if len(set(labels)) < len(labels) or sorted(sheet.columns[0]) != sorted(labels):
        return None
    cells = {cell for column in sheet.columns[1:] for cell in column}
    return labels if all(as_number(cell) is not None for cell in cells) else None


def _table_of_contingency(sheet: RatingTableSheet) -> RatingTable:
    labels = _contingency_labels(sheet)
    if labels is None:
        raise InputError.tr(
            "{path} is not a square table with the same categories in rows and columns.",
            path=sheet.path,
        )
    counts = _whole_numbers(sheet.columns[1:])
    if counts is None:
        raise InputError.tr(
            "{path} is a square table of two raters, but some of its cells are not "
            "counts (0, 1, 2 …).",
            path=sheet.path,
        )
    if int(counts.sum()) > _MOST_RATINGS:
        raise InputError.tr(
            "{path} counts too many items to be a table of ratings.", path=sheet.path
        )
    rows, columns = np.nonzero(counts)
    times = counts[rows, columns]
    first = np.repeat(np.array(sheet.columns[0], object)[rows], times)
    second = np.repeat(np.array(labels, object)[columns], times)
    return table_of_columns(
        [first.tolist(), second.tolist()],
        [tr("rows"), tr("columns")],
        scale=declared_scale(labels, ordered=False),
    )


def _long_columns(sheet: RatingTableSheet) -> tuple[int, int, int] | None:
    """(item, rater, value) columns, by their names or, without a header, by their contents."""
    if sheet.header is not None:
        return _long_by_name(sheet.header)
    if len(sheet.columns) != 3 or sheet.n_rows < 4:
        return None
    first, second, value = (set(column) for column in sheet.columns)
    pairs = set(zip(sheet.columns[0], sheet.columns[1], strict=True))
    if len(pairs) != sheet.n_rows or not first.isdisjoint(second):
        return None
    if not value.isdisjoint(first | second) or max(len(first), len(second)) * 2 > sheet.n_rows:
        return None
    return (1, 0, 2) if len(first) <= len(second) else (0, 1, 2)


def _long_by_name(header: tuple[str, ...]) -> tuple[int, int, int] | None:
    bare = re.compile(r"[\s._-]*(id|name)?s?", re.IGNORECASE)
    places: dict[str, int] = {}
    for column, name in enumerate(header):
        match = RATER_WORDS.match(name)
        word = match.group(1) if match else ""
        if len(word) > 1 and bare.fullmatch(name[len(word) :]):
            places.setdefault("rater", column)
        elif ID_WORDS.fullmatch(name) or _MAYBE_ID_WORDS.fullmatch(name):
            places.setdefault("item", column)
        elif _VALUE_WORDS.fullmatch(name):
            places.setdefault("value", column)
    if {"item", "rater"} <= places.keys() and "value" not in places and len(header) == 3:
        places["value"] = next(c for c in range(3) if c not in places.values())
    if places.keys() != {"item", "rater", "value"}:
        return None
    return places["item"], places["rater"], places["value"]


def _table_of_long(sheet: RatingTableSheet) -> RatingTable:
    columns = _long_columns(sheet)
    if columns is None and len(sheet.columns) == 3:
        columns = (0, 1, 2)
    if columns is None:
        raise InputError.tr(
            "{path} has no columns item, rater and value, which the layout “long” needs.",
            path=sheet.path,
        )
    item, rater, value = (sheet.columns[column] for column in columns)
    table = table_of_rows(zip(item, rater, value, strict=True), None, sheet.decimal_comma)
    table = replace(table, sources=_sources_of(table.item_ids or (), item, sheet))
    repeated = sheet.n_rows - len(set(zip(item, rater, strict=True)))
    if not repeated:
        return table
    remark = trn(
        "1 rating repeats an earlier one by the same rater for the same item; the last one counts.",
        "{n} ratings repeat earlier ones by the same rater for the same item; the last one counts.",
        repeated,
    )
    return replace(table, remarks=(remark,))


def _sources_of(
    ids: Sequence[str], items: Sequence[str], sheet: RatingTableSheet
) -> tuple[str, ...] | None:
    """The source of each item; InputError where ratings of one item name two."""
    if sheet.sources is None:
        return None
    known: dict[str, str] = {}
    for item, source in zip(items, sheet.sources, strict=True):
        if source and known.setdefault(item, source) != source:
            raise InputError.tr(
                "{path} names two sources of item {item}: {first} and {second}.",
                path=sheet.path, item=item, first=known[item], second=source,
            )  # fmt: skip
    return tuple(known.get(item, "") for item in ids)
