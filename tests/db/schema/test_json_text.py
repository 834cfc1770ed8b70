"""JSON in columns is read back as what was written, and takes no more place than it needs."""

import json
import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from db.evidence.bindings import BY_TABLE, digests
from db.schema.json_text import sorted_json, write_json
from tests.workload import fill

SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text()
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=20
)


@given(VALUES)
def test_what_is_written_is_what_is_read(value: Any) -> None:
    assert repr(json.loads(write_json(value))) == repr(value)


@pytest.mark.parametrize(
    ("value", "written"),
    [
        ({"问": "答"}, '{"问":"答"}'),
        ("\ud800", '"\\ud800"'),
        ([math.inf, math.nan], "[Infinity, NaN]"),
        ({"b": None, "a": (1, True)}, '{"b":null,"a":[1,true]}'),
        ({1: None}, '{"1": null}'),
        (2**70, str(2**70)),
    ],
)
def test_how_it_is_written(value: Any, written: str) -> None:
    assert write_json(value) == written


@pytest.mark.parametrize("odd", [-3.5, math.inf, "\ud800", 2**70])
def test_what_the_ledger_says_is_found_in_its_text_whatever_else_it_says(odd: Any) -> None:
    told = {"item_key": {"name": "k"}, "a": [1, odd], "b": odd}
    assert '"item_key":{"name":"k"}' in sorted_json(told)
    assert sorted_json(told).startswith('{"a":[1,')


def test_digests_of_a_run_of_rows_are_those_of_each_row(tmp_path: Path) -> None:
    ws = fill(tmp_path / "ws", 30, decided=0.5)
    with ws.reading() as session:
        for table in ("revision", "decision", "item"):
            evidence, connection = BY_TABLE[table], session.connection()
            every = dict(digests(connection, evidence))
            run = list(every)
            assert dict(digests(connection, evidence, run)) == every
            assert dict(digests(connection, evidence, run[::-1])) == every
            assert {u: dict(digests(connection, evidence, [u]))[u] for u in run} == every
    ws.close()
