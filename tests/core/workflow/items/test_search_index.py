"""Items of a large import can be reviewed at once; the search index follows, and says how far."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pytest

from core.cli import main
from core.families.base import Defect, ItemContent
from core.workflow.check import review
from core.workflow.items import bulk, search, search_index
from core.workflow.items.search import Filters
from core.workflow.people import ensure_person
from core.workflow.production import import_items
from core.workflow.production.import_items import ImportOrder
from core.workflow.verify.checks import verify
from core.workflow.workspace import Workspace
from tests.paths import ROOT

COUNT = 1500
WORDS = Filters(words="zebrafish")


def rows(path: Path, count: int = COUNT) -> Path:
    lines = [json.dumps({"instruction": "Continue.", "input": f"{n} 旋律", "output": "zebrafish"},
                        ensure_ascii=False) for n in range(count)]  # fmt: skip
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


@pytest.fixture
def ws(tmp_path: Path) -> Workspace:
    ws = Workspace.create(tmp_path / "ws", "Lead")
    order = ImportOrder(path=rows(tmp_path / "rows.jsonl"), task="t", benchmark="b", person="Lead")
    assert import_items.import_file(ws, order).taken == COUNT
    return ws


def test_an_import_is_reviewable_before_it_is_searchable(ws: Workspace) -> None:
    ensure_person(ws, "Reader", "annotator", "Lead")
    assert review.next_card(ws, "Reader", "b") is not None
    assert search_index.coverage(ws) == search_index.SearchCoverage(0, COUNT)
    page = search.page(ws, WORDS, viewer="Lead")
    assert page.total == 0
    assert page.coverage is not None
    assert page.coverage.sentence == "search covers 0 of 1,500"


def test_the_index_grows_by_pieces_and_is_then_whole(ws: Workspace) -> None:
    reached = []
    whole = search_index.index_waiting(ws, reached.append)
    assert whole.is_whole
    assert reached[0].found == 0
    page = search.page(ws, WORDS, viewer="Lead", exact=True)
    assert (page.total, page.coverage) == (COUNT, None)
    assert search.count(ws, Filters(words="旋律"), viewer="Lead") == COUNT
    assert not verify(ws).findings


def test_an_action_on_all_that_match_waits_for_the_index(ws: Workspace) -> None:
    done = bulk.run(ws, WORDS, bulk.BulkAction("reject", "known elsewhere"), "Lead")
    assert len(done.changed) == COUNT


def test_a_list_of_all_that_match_waits_for_the_index(ws: Workspace) -> None:
    assert len(search.numbers(ws, WORDS, viewer="Lead")) == COUNT


def test_the_next_process_completes_what_a_killed_one_left(ws: Workspace, tmp_path: Path) -> None:
    script = (
        "import os, signal, sys; from core.workflow.items import search_index as s; "
        "from core.workflow.workspace import Workspace; ws = Workspace.open(sys.argv[1]); "
        "s._KEEPS_WAITING = 1e-9; s.index_for(ws, 0.05); os.kill(os.getpid(), signal.SIGKILL)"
    )
    command = [sys.executable, "-c", script, str(ws.place.folder)]
    ended = subprocess.run(command, cwd=ROOT, env=os.environ, check=False)
    assert ended.returncode == -signal.SIGKILL
    left = search_index.coverage(ws)
    assert 0 < left.found < COUNT
    assert search_index.index_waiting(ws).is_whole
    assert search.count(ws, WORDS, viewer="Lead") == COUNT
    assert not verify(ws).findings


def test_the_command_that_searches_completes_the_index_and_says_so(
    ws: Workspace, capsys: pytest.CaptureFixture[str]
) -> None:
    place = ["--workspace", str(ws.place.folder)]
    assert main([*place, "items", "--search", "zebrafish", "--limit", "1", "--json"]) == 0
    printed = capsys.readouterr()
    assert json.loads(printed.out)["count"] == COUNT
    assert "search covers 0 of 1,500" in printed.err


def test_the_command_that_imports_leaves_a_whole_index(tmp_path: Path) -> None:
    place = ["--workspace", str(tmp_path / "ws")]
    words = ["import", str(rows(tmp_path / "r.jsonl")), "--task", "t", "--benchmark", "b"]
    assert main([*place, *words]) == 0
    ws = Workspace.open(tmp_path / "ws")
    assert search_index.coverage(ws).is_whole
    assert search.count(ws, WORDS, viewer="") == COUNT


def test_nobody_is_kept_from_writing_while_rows_are_checked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ws = Workspace.create(tmp_path / "ws", "Lead")
    check, checked = import_items.defects_of_items, []

    def check_beside_a_writer(contents: Sequence[ItemContent]) -> list[list[Defect]]:
        if contents:
            with closing(sqlite3.connect(ws.place.folder / "workspace.db", timeout=0)) as other:
                other.execute("BEGIN IMMEDIATE")  # “database is locked” where an import writes
            checked.append(len(contents))
        return check(contents)

    monkeypatch.setattr(import_items, "defects_of_items", check_beside_a_writer)
    order = ImportOrder(path=rows(tmp_path / "rows.jsonl"), task="t", benchmark="b", person="Lead")
    assert import_items.import_file(ws, order).taken == COUNT
    assert import_items.import_file(ws, order).known == COUNT
    assert sum(checked) == COUNT  # what the task has already is not checked again


def test_an_index_of_very_many_parts_takes_more_texts(
    ws: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """FTS5 has 2,000 places for parts; each transaction of the index makes one."""
    search_index.index_waiting(ws)
    more = tmp_path / "more.jsonl"
    lines = [json.dumps({"instruction": "Go on.", "input": f"{n} more", "output": "zebrafish"})
             for n in range(300)]  # fmt: skip
    more.write_text("\n".join(lines), encoding="utf-8")
    order = ImportOrder(path=more, task="t", benchmark="b", person="Lead")
    assert import_items.import_file(ws, order).taken == 300
    monkeypatch.setattr(search_index, "_FIRST", 20)
    monkeypatch.setattr(search_index, "_MOST", 20)
    search_index.index_for(ws, 0.001)
    with ws.writing() as session:
        connection = session.connection()
        for index in ("search_long", "search_short"):  # an import long ago was merged
            connection.exec_driver_sql(f"INSERT INTO {index} ({index}) VALUES ('optimize')")
        for number in range(1, 1992):  # texts of no item, each in a part of its own
            connection.exec_driver_sql("SAVEPOINT part")
            for index, column in (("search_long", "body"), ("search_short", "grams")):
                line = f"INSERT INTO {index} (rowid, {column}) VALUES (?, ?)"
                connection.exec_driver_sql(line, (number << 40, "0061"))
            connection.exec_driver_sql("RELEASE part")
    assert search_index.index_waiting(ws).is_whole
    assert search.page(ws, WORDS, viewer="Lead", exact=True).total == COUNT + 300


def test_a_search_waits_for_a_long_index_a_while_and_says_what_it_covers(
    ws: Workspace, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("core.cli.items.items._WAITS_FOR_INDEX", 0.0)
    place = ["--workspace", str(ws.place.folder)]
    assert main([*place, "items", "--search", "zebrafish", "--json"]) == 0
    printed = capsys.readouterr()
    assert json.loads(printed.out)["covered"] == {"found": 0, "total": COUNT}
    assert "search covers 0 of 1,500" in printed.err
    monkeypatch.undo()
    assert main([*place, "items", "--search", "zebrafish", "--limit", "1", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert (answer["count"], "covered" in answer) == (COUNT, False)
