"""What was read in bulk, column by column: numbers, moments and words in numpy arrays.

A dashboard needs selection, grouping and counting of a few columns, and needs them at once;
importing pandas alone would cost more than the second in which the first picture has to stand.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import numpy as np
import numpy.typing as npt

from db.queries.columns import Columns

Ints = npt.NDArray[np.int64]
Codes = npt.NDArray[np.int32]
Bools = npt.NDArray[np.bool_]
Moments = npt.NDArray[np.datetime64]
Rows = Bools | npt.NDArray[np.intp] | slice


@dataclass(frozen=True, slots=True, eq=False)
class Categories:
    """A column of words: the place of each among ``names``, which are distinct."""

    codes: Codes
    names: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.codes)

    def __getitem__(self, rows: Rows) -> "Categories":
        return Categories(self.codes[rows], self.names)

    def tolist(self) -> list[str]:
        """The words, one per row."""
        return [self.names[code] for code in self.codes.tolist()]

    def among(self, wanted: Collection[str]) -> Bools:
        """Which rows hold one of some words."""
        codes = [code for code, name in enumerate(self.names) if name in wanted]
        return np.asarray(np.isin(self.codes, codes))

    def counts(self) -> dict[str, int]:
        """Rows of every word that occurs, the most frequent first."""
        counts = np.bincount(self.codes, minlength=len(self.names))
        ranked = sorted(enumerate(counts.tolist()), key=lambda entry: -entry[1])
        return {self.names[code]: count for code, count in ranked if count}

    def below(self, other: "Categories") -> "Categories":
        """This column with another one below it; words that are new come last."""
        names = tuple(dict.fromkeys((*self.names, *other.names)))
        place = np.array([names.index(name) for name in other.names], np.int32)
        moved = place[other.codes] if len(other.names) else other.codes
        return Categories(np.concatenate([self.codes, moved]), names)


@dataclass(frozen=True, slots=True, eq=False)
class _Chosen:
    """Some rows of a column, not taken out yet."""

    columns: Mapping[str, Any]
    name: str
    rows: Rows


class _Columns(Mapping[str, Any]):
    """Columns by name; of a selection each is taken out when somebody asks for it."""

    __slots__ = ("given",)

    def __init__(self, columns: Mapping[str, Any]) -> None:
        self.given: dict[str, Any] = dict(
            columns.given if isinstance(columns, _Columns) else columns
        )

    def __getitem__(self, name: str) -> Any:
        column = self.given[name]
        if isinstance(column, _Chosen):
            column = self.given[name] = column.columns[column.name][column.rows]
        return column

    def __iter__(self) -> Iterator[str]:
        return iter(self.given)

    def __len__(self) -> int:
        return len(self.given)

    def having(self, more: Mapping[str, Any]) -> "_Columns":
        """With more columns, or with others in their place; nothing is taken out for it."""
        return _Columns({**self.given, **more})


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """Columns of equal length, by name; an array of numbers or moments, or ``Categories``.

    A selection of rows costs nothing until a column of it is read: a dashboard selects again and
    again and reads a few of the dozen columns.
    """

    columns: Mapping[str, Any]

    def __len__(self) -> int:
        return len(next(iter(self.columns.values()))) if self.columns else 0

    def __getitem__(self, name: str) -> Any:
        return self.columns[name]

    def rows(self, rows: Rows) -> "Frame":
        """Some rows: those where a mask is true, or those at some places."""
        return Frame(_Columns({name: _Chosen(self.columns, name, rows) for name in self.columns}))

    def having(self, **columns: Any) -> "Frame":
        """With more columns, or with others in their place."""
        return Frame(_Columns(self.columns).having(columns))

    def beside(self, other: "Frame") -> "Frame":
        """With the columns of another frame of as many rows."""
        return Frame(_Columns(self.columns).having(_Columns(other.columns).given))

    def only(self, names: Collection[str]) -> "Frame":
        """Only some columns, as far as there are any of these names."""
        whole = slice(None)
        present = [name for name in self.columns if name in names]
        return Frame(_Columns({name: _Chosen(self.columns, name, whole) for name in present}))

    def below(self, other: "Frame") -> "Frame":
        """This frame with the rows of another one below it."""
        return Frame(
            {
                name: column.below(other[name])
                if isinstance(column, Categories)
                else np.concatenate([column, other[name]])
                for name, column in self.columns.items()
            }
        )

    def plain(self) -> dict[str, list[Any]]:
        """Every column as a list of plain values."""
        return {name: column.tolist() for name, column in self.columns.items()}


def groups(column: Any) -> Iterator[tuple[Any, npt.NDArray[np.intp]]]:
    """(value, places of its rows in ascending order), the values in ascending order."""
    codes = column.codes if isinstance(column, Categories) else np.asarray(column)
    if not len(codes):
        return
    order = np.argsort(codes, kind="stable")
    ordered = codes[order]
    parts = np.split(order, np.flatnonzero(ordered[1:] != ordered[:-1]) + 1)
    values = codes[[part[0] for part in parts]].tolist()
    if isinstance(column, Categories):
        values = [column.names[code] for code in values]
    yield from sorted(zip(values, parts, strict=True), key=lambda group: group[0])


def item_numbers(column: Ints) -> list[int]:
    """Item numbers as plain values, each once, in ascending order."""
    numbers: list[int] = np.unique(column).tolist()
    return numbers


def last_of_each(keys: Ints) -> npt.NDArray[np.intp]:
    """Places of the last row of every key, in ascending order."""
    _, first = np.unique(keys[::-1], return_index=True)
    return np.sort(len(keys) - 1 - first)


def newest_by(keys: Ints, moments: Moments) -> tuple[Ints, Moments]:
    """(distinct keys in ascending order, the latest moment of each)."""
    if not len(keys):
        return keys, moments
    order = np.argsort(keys, kind="stable")
    ordered = keys[order]
    starts = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]]))
    return ordered[starts], np.maximum.reduceat(moments[order], starts)


def iso_weeks(moments: Moments) -> Categories:
    """The ISO week of each moment, such as ``2026-W32``; the names in ascending order."""
    days, codes = np.unique(moments.astype("datetime64[D]"), return_inverse=True)
    names = ["{}-W{:02}".format(*day.isocalendar()[:2]) for day in days.tolist()]
    order = sorted(set(names))
    place = np.array([order.index(name) for name in names], np.int32)
    return Categories(place[codes] if len(days) else codes.astype(np.int32), tuple(order))


def moments_of(values: Sequence[Any] | Moments) -> Moments:
    """Times as UTC microseconds: text as SQLite keeps it, or moments with their time zone."""
    if isinstance(values, np.ndarray):
        return values.astype("datetime64[us]", copy=False)
    first = next((value for value in values if value is not None), "")
    if isinstance(first, str) and first.endswith(("Z", "+00:00")):  # as the ledger keeps them
        values = [
            None if value is None else _in_utc(datetime.fromisoformat(value)) for value in values
        ]
    elif isinstance(first, datetime):
        values = [None if value is None else _in_utc(value) for value in values]
    return np.array(values, "datetime64[us]")


def _in_utc(moment: datetime) -> datetime:
    return moment.astimezone(UTC).replace(tzinfo=None)


def no_moments(count: int) -> Moments:
    """A column without any moment."""
    return np.full(count, np.datetime64("NaT"), "datetime64[us]")


def moment_of(moment: datetime) -> np.datetime64:
    """One moment as UTC microseconds."""
    return np.datetime64(_in_utc(moment), "us")


class GrowingColumns:
    """Columns that take in batches of rows: words are numbered as they come."""

    def __init__(
        self, fields: Sequence[str], *, words: Collection[str], times: Collection[str],
        floats: Collection[str],
    ) -> None:  # fmt: skip
        self._fields = tuple(fields)
        self._times, self._floats = times, floats
        self._known: dict[str, dict[str, int]] = {name: {} for name in fields if name in words}
        self._parts: dict[str, list[Any]] = {name: [self._array(name, ())] for name in fields}

    def take(self, batch: Columns) -> None:
        """Add the rows of some columns, which are given in the order of the fields."""
        for name, values in zip(self._fields, batch, strict=True):
            self._parts[name].append(self._array(name, values))

    def _array(self, name: str, values: Any) -> Any:
        if name in self._times:
            return moments_of(values)
        known = self._known.get(name)
        if known is not None:
            fresh = set(values).difference(known)
            if None in fresh:
                return self._array(name, [value or "" for value in values])
            for value in sorted(fresh):
                known.setdefault(value, len(known))
            return np.fromiter(map(known.__getitem__, values), np.int32, len(values))
        return np.asarray(values, np.float64 if name in self._floats else np.int64)

    def frame(self) -> Frame:
        """All that was taken in."""
        columns: dict[str, Any] = {}
        for name, parts in self._parts.items():
            whole = np.concatenate(parts)
            known = self._known.get(name)
            columns[name] = whole if known is None else Categories(whole, tuple(known))
        return Frame(columns)
