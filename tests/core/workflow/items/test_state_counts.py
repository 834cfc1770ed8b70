"""The items of each state, as the database keeps how many there are."""

import json

import pytest

from core.cli import main
from core.errors import StateError
from core.workflow.items import state_counts
from db.vocabulary import ItemState
from tests.db.statements import sent_statements
from tests.tampering import meddle
from tests.workload import fill


def test_states_are_counted_over_all_benchmarks_and_within_one(tmp_path):
    ws = fill(tmp_path / "ws", 30, decided=0.4, screened=True)
    everything = state_counts.counts(ws)
    assert list(everything) == list(ItemState)
    assert sum(everything.values()) == 30
    assert state_counts.counts(ws, "workload") == everything
    assert sum(count > 0 for count in everything.values()) > 1


def test_an_item_in_a_state_that_does_not_exist_is_not_lost_without_a_word(tmp_path):
    ws = fill(tmp_path / "ws", 5)
    meddle(ws, "UPDATE item SET state = 'elsewhere' WHERE id = 2")
    with pytest.raises(StateError, match="do not balance: 4 items in known states, 5 in total"):
        state_counts.counts(ws)


def test_the_list_of_items_counts_no_item(tmp_path, capsys):
    fill(tmp_path / "ws", 6).close()
    with sent_statements() as sent:
        assert main(["--workspace", str(tmp_path / "ws"), "items", "--limit", "1", "--json"]) == 0
    assert [statement for statement in sent if "count(" in statement.lower()] == []
    assert [statement for statement in sent if "FROM item_count" in statement]
    shown = json.loads(capsys.readouterr().out)
    assert (shown["count"], sum(shown["states"].values()), len(shown["items"])) == (6, 6, 1)
