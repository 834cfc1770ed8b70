"""What a write changed, and what others wrote meanwhile."""

import pytest

from core.workflow import people, tasks
from core.workflow.changes import TOPICS, ChangeFeed, ChangeRecord
from core.workflow.workspace import Workspace
from db.vocabulary import EventKind


@pytest.fixture
def ws(tmp_path):
    made = Workspace.create(tmp_path / "ws")
    people.ensure_person(made, "Li", "lead")
    yield made
    made.close()


def test_every_kind_of_event_has_its_topics():
    assert set(TOPICS) == set(EventKind)


def test_a_write_says_what_it_changed_and_is_no_news_to_its_own_feed(ws):
    feed = ChangeFeed(ws)
    feed.read()
    record = ChangeRecord()
    feed.record(lambda: tasks.add(ws, "titles", "instruction", benchmark="b"), record)
    assert record.topics == {"benchmarks"}
    feed.read()
    assert feed.take_news() == frozenset()


def test_a_read_that_writes_nothing_changes_nothing(ws):
    record = ChangeRecord()
    ChangeFeed(ws).record(lambda: people.people(ws), record)
    assert record.topics == frozenset()


def test_what_was_committed_before_a_failure_is_told(ws):
    def work() -> None:
        people.ensure_person(ws, "Chen", "specialist")
        raise RuntimeError

    record = ChangeRecord()
    with pytest.raises(RuntimeError):
        ChangeFeed(ws).record(work, record)
    assert record.topics == {"people"}


def test_what_was_rolled_back_is_not_told(ws):
    def work() -> None:
        with ws.writing() as session:
            people.ensure_benchmark_in(session, "b")
            raise RuntimeError

    record = ChangeRecord()
    with pytest.raises(RuntimeError):
        ChangeFeed(ws).record(work, record)
    assert record.topics == frozenset()


def test_news_of_others_are_told_once_also_when_an_answer_came_too_late(ws):
    feed = ChangeFeed(ws)
    feed.read()
    other = Workspace.open(ws.place.folder)
    people.ensure_person(other, "Chen", "specialist")
    feed.read()
    tasks.add(other, "titles", "instruction", benchmark="b")
    other.close()
    feed.read()
    assert feed.take_news() == {"people", "benchmarks"}
    feed.read()
    assert feed.take_news() == frozenset()


def test_what_was_written_before_the_feed_began_is_no_news(ws):
    feed = ChangeFeed(ws)
    feed.read()
    assert feed.take_news() == frozenset()


def test_an_event_of_a_newer_program_makes_everything_stale(ws):
    from db import ledger

    feed = ChangeFeed(ws)
    feed.read()
    with ws.writing() as session:
        ledger.append(session, ledger.NewEvent("something_new", "Li"))
    feed.read()
    assert "items" in feed.take_news()
