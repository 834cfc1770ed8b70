"""The short reasons for a rejection that reviewers choose from."""

from collections.abc import Mapping
from typing import Any

from core.workflow.lookup import item_in
from core.workflow.workspace import Workspace
from db import benchmarks

REASONS = ("ambiguous", "not_solvable", "formula", "language", "other")
"""In the order of their digits in the window."""
_REASONS_OF_KEYED = ("ambiguous", "not_solvable", "formula", "language", "wrong_key", "other")
_KEYED = frozenset({"choice", "answer"})
"""Families whose items somebody wrote a key for, which may be the wrong one."""
_WORDS_OF_OTHER = frozenset(
    {"other", "others", "other reason", "other reasons", "something else", "其他", "其它",
     "其他原因", "其它原因", "其他问题", "其它问题"}
)  # fmt: skip


def reasons_of(profile: Mapping[str, Any], family: str) -> tuple[str, ...]:
    """The reasons for a rejection that a task offers, in the order of their digits; ``other``,
    which wants a note, is always the last one."""
    own = tuple(str(reason) for reason in profile.get("reasons") or ())
    if own:
        return (*(reason for reason in own if not _says_other(reason)), "other")
    return _REASONS_OF_KEYED if family in _KEYED else REASONS


def reasons_for(ws: Workspace, number: int) -> tuple[str, ...]:
    """The reasons for a rejection that an item's task offers."""
    with ws.reading() as session:
        item = item_in(session, number)
        return reasons_of(benchmarks.task(session, item.task_id).profile, item.family)


def _says_other(reason: str) -> bool:
    """Whether a task's own reason is the one that every task has, in whatever words."""
    return reason.strip().rstrip(".。…:：").casefold() in _WORDS_OF_OTHER
