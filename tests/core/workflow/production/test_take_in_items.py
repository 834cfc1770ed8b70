"""Items of runs: what takes long is done while nobody is kept from writing."""

import sqlite3
from collections.abc import Sequence
from contextlib import closing

import pytest

from core.families.base import Defect, ItemContent
from core.workflow.items import history
from core.workflow.production import take_in_items
from core.workflow.workspace import Workspace
from db import runs
from tests.workload import content


def test_defects_are_looked_for_while_others_can_write_and_once(
    sqlite_ws: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    original = take_in_items.defects_of_items
    looked: list[int] = []

    def look(contents: Sequence[ItemContent]) -> list[list[Defect]]:
        with closing(sqlite3.connect(sqlite_ws.place.database, timeout=0)) as connection:
            connection.execute("BEGIN IMMEDIATE")
            connection.rollback()
        looked.append(len(contents))
        return [[Defect("short", str(place))] for place, _ in enumerate(original(contents))]

    monkeypatch.setattr(take_in_items, "defects_of_items", look)
    with sqlite_ws.writing() as session:
        runs.add(session, "r", "generate")
    items = [content(number) for number in range(6)]
    first = take_in_items.take_in_items(sqlite_ws, "r", "b", items[:4])
    again = take_in_items.take_in_items(sqlite_ws, "r", "b", [items[0], items[5]])
    assert (first.added, again.added, again.known) == (4, 1, 1)
    assert looked == [4, 1]
    lives = [history.life(sqlite_ws, number, "") for number in range(1, 6)]
    found = [life.revisions[0].defects for life in lives]
    assert [defects[0].detail for defects in found] == ["0", "1", "2", "3", "0"]
