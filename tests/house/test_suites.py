"""The tests keep to their own rules: every list of ``suites`` is empty."""

import ast

import pytest

from tests.house import suites


@pytest.mark.parametrize("title", suites.LISTS)
def test_the_list_is_empty(title: str) -> None:
    assert suites.LISTS[title]() == []


@pytest.mark.parametrize(
    ("code", "seen"),
    [
        ("panel._card.number", ["panel._card"]),
        ("self._panel.card", []),
        ("panel.__class__", []),
    ],
)
def test_private_attributes_are_seen(code: str, seen: list[str]) -> None:
    assert [name for _, name in suites.private_attributes(ast.parse(code))] == seen


@pytest.mark.parametrize(
    ("code", "seen"),
    [
        ("began = time.monotonic()\nassert time.monotonic() - began < 5", True),
        ("began = time.time()\ntook = stop - began\nassert took < 5", True),
        ("at['end'] = time.perf_counter()\nassert at['end'] > 0", True),
        ("end = time.monotonic() + 5\nassert reply.time() == 3", False),
    ],
)
def test_durations_are_seen(code: str, seen: bool) -> None:
    tree = ast.parse(code)
    (last,) = (node for node in tree.body if isinstance(node, ast.Assert))
    assert suites.mentions(last, suites.timed_names(tree)) is seen
