"""What the status line says of undo: the same words before and after."""

import pytest

from core.workflow.items.undo import NextUndo, Undone
from gui.window.status_poll import undo_words, undone_words


@pytest.mark.parametrize(
    ("kind", "verdict", "words"),
    [
        ("decided", "accept", "accept #7"),
        ("adjudicated", "reject", "reject #7"),
        ("audit_decided", "accept", "audit decision #7"),
        ("audit_decided", "reject", "audit decision #7"),
        ("rated", "", "rating #7"),
    ],
)
def test_an_audit_decision_is_called_so_and_no_review(kind: str, verdict: str, words: str):
    assert undo_words(NextUndo(1, kind, 7, verdict, 1, "")) == words
    assert undone_words(Undone(7, verdict, 1, kind)) == f"Undone: {words}."


def test_what_is_refused_is_named_as_well_and_many_changes_are_counted():
    assert undo_words(NextUndo(1, "decided", 7, "accept", 1, "built upon")) == "accept #7"
    assert undo_words(NextUndo(1, "bulk", 0, "", 12, "")) == "bulk change: 12"
    assert undone_words(Undone(0, "", 1, "bulk", 12)) == "Undone: change of 12 items."
