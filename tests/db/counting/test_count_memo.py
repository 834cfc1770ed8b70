"""Counts that hold until somebody commits."""

from threading import Barrier, Thread

from core.workflow.people import ensure_benchmark_in, ensure_task_in
from core.workflow.production.new_items import new_item
from core.workflow.workspace import Workspace
from db import items
from db.counting.count_memo import CountMemo
from db.queries import item_lists
from tests.splits import varied


def add_one(ws: Workspace, number: int) -> None:
    with ws.writing() as session:
        task = ensure_task_in(session, ensure_benchmark_in(session, "b"), "t", "scp")
        items.add(session, [new_item(varied(number), task, None)])


def states(ws: Workspace) -> dict[str, int]:
    with ws.reading() as session:
        return item_lists.states(session)


def test_a_count_is_made_again_after_every_commit_of_anybody(sqlite_ws: Workspace):
    sqlite_ws.watch_commits()
    add_one(sqlite_ws, 1)
    first = states(sqlite_ws)
    first["in_review"] = 99  # who is given it may change it
    assert states(sqlite_ws) == {"draft": 1}
    add_one(sqlite_ws, 2)
    assert states(sqlite_ws) == {"draft": 2}
    other = Workspace.open(sqlite_ws.place.folder)
    add_one(other, 3)
    other.close()
    assert states(sqlite_ws) == {"draft": 3}


def test_a_session_that_saw_the_past_leaves_nothing_of_it_behind(sqlite_ws: Workspace):
    sqlite_ws.watch_commits()
    add_one(sqlite_ws, 1)
    with sqlite_ws.reading() as past:
        # what it sees from now on is of this moment
        assert len(list(items.present_items(past))) == 1
        add_one(sqlite_ws, 2)
        assert item_lists.states(past) == {"draft": 1}
        with sqlite_ws.reading() as now:
            assert item_lists.states(now) == {"draft": 2}


def test_a_transaction_counts_what_it_has_not_committed(sqlite_ws: Workspace):
    sqlite_ws.watch_commits()
    add_one(sqlite_ws, 1)
    assert states(sqlite_ws) == {"draft": 1}
    with sqlite_ws.writing() as session:
        task = ensure_task_in(session, ensure_benchmark_in(session, "b"), "t", "scp")
        items.add(session, [new_item(varied(2), task, None)])
        assert item_lists.states(session) == {"draft": 2}


def test_those_who_ask_at_once_count_once():
    counts, counted, start = CountMemo().of(1), [], Barrier(4)

    def ask() -> None:
        start.wait(30)
        assert counts.value("items", lambda: counted.append(1) or 7) == 7

    threads = [Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert counted == [1]


def test_what_fails_is_counted_again():
    counts = CountMemo().of(1)
    failed = []
    try:
        counts.value("items", lambda: 1 // 0)
    except ZeroDivisionError:
        failed.append(True)
    assert failed
    assert counts.value("items", lambda: 3) == 3
