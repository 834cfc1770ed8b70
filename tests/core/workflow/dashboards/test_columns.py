"""Columns select, group and count as pandas does."""

from datetime import UTC, datetime
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.workflow.dashboards.columns import (
    Categories,
    Frame,
    GrowingColumns,
    groups,
    iso_weeks,
    last_of_each,
    moments_of,
    newest_by,
)

NAMES = st.sampled_from(("b", "a", "c", ""))
KEYS = st.lists(st.integers(-3, 3), max_size=30)
FIELDS = ("id", "at", "verdict", "seconds")


def words(values: list[str]) -> Categories:
    growing = GrowingColumns(("w",), words=("w",), times=(), floats=())
    growing.take([values])
    found: Categories = growing.frame()["w"]
    return found


@given(st.lists(NAMES, max_size=20), st.lists(NAMES, max_size=20))
def test_words_below_words_stay_the_words_they_were(upper: list[str], lower: list[str]) -> None:
    whole = words(upper).below(words(lower))
    assert whole.tolist() == upper + lower
    assert whole.counts() == pd.Series(upper + lower, dtype=object).value_counts().to_dict()
    assert whole.among(("a", "never")).tolist() == [word == "a" for word in upper + lower]


@given(KEYS)
def test_groups_are_those_of_pandas(keys: list[int]) -> None:
    column = np.array(keys, np.int64)
    expected = pd.Series(range(len(keys))).groupby(column).apply(list).to_dict() if keys else {}
    assert {value: rows.tolist() for value, rows in groups(column)} == expected
    named = [str(key) for key in keys]
    assert [name for name, _ in groups(words(named))] == sorted(set(named))


@given(KEYS)
def test_the_last_and_the_newest_row_of_every_key(keys: list[int]) -> None:
    column = np.array(keys, np.int64)
    last = pd.Series(column).drop_duplicates(keep="last").index
    assert last_of_each(column).tolist() == list(last)
    moments = moments_of(
        [f"2026-08-{1 + place * 7 % 28:02} 10:00:00" for place in range(len(keys))]
    )
    found, newest = newest_by(column, moments)
    expected = pd.Series(moments).groupby(column).max()
    assert found.tolist() == expected.index.tolist()
    assert newest.tolist() == expected.dt.to_pydatetime().tolist()


@pytest.mark.parametrize(
    "value",
    [
        "2026-08-03 08:00:00.250000",
        "2026-08-03T08:00:00.250000+00:00",
        datetime(2026, 8, 3, 8, 0, 0, 250_000, tzinfo=UTC),
        datetime.fromisoformat("2026-08-03T16:00:00.250000+08:00"),
    ],
)
def test_a_moment_is_the_same_however_a_database_keeps_it(value: Any) -> None:
    found = moments_of([None, value])
    assert np.isnat(found[0])
    assert found[1] == np.datetime64("2026-08-03T08:00:00.25")


def test_batches_of_any_size_make_the_same_frame() -> None:
    rows = [(n, "2026-08-03 08:00:00", "accept" if n % 3 else None, n / 2) for n in range(50)]
    made = []
    for size in (1, 7, 50):
        growing = GrowingColumns(FIELDS, words=("verdict",), times=("at",), floats=("seconds",))
        for start in range(0, 50, size):
            growing.take(list(zip(*rows[start : start + size], strict=True)))
        made.append(growing.frame().plain())
    assert made[0] == made[1] == made[2]
    assert made[0]["verdict"][:4] == ["", "accept", "accept", ""]
    nothing = GrowingColumns(FIELDS, words=("verdict",), times=("at",), floats=("seconds",)).frame()
    assert len(nothing) == 0
    assert len(nothing.below(nothing)) == len(Frame({})) == 0


@given(st.lists(st.integers(631_152_000, 3_471_292_800), min_size=1, max_size=20))
def test_a_moment_is_in_its_iso_week(seconds: list[int]) -> None:
    moments = [datetime.fromtimestamp(one, UTC) for one in seconds]
    assert iso_weeks(moments_of(moments)).tolist() == [one.strftime("%G-W%V") for one in moments]
