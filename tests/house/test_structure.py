"""The source is arranged so that a newcomer finds his way: every list of ``structure`` is empty."""

import ast

import pytest

from tests.benchmarks.run import BENCHMARKS
from tests.house import structure


@pytest.mark.parametrize("title", structure.LISTS)
def test_the_list_is_empty(title: str) -> None:
    assert structure.LISTS[title]() == []


def test_circles_are_seen_and_ways_without_return_are_none() -> None:
    following = {"a": {"b"}, "b": {"c"}, "c": {"a", "d"}, "d": {"e"}, "f": {"a"}}
    assert structure.circles_of(following) == [["a", "b", "c"]]


def test_imports_in_text_are_seen() -> None:
    # in pieces, so that the list of this house does not see them
    code = "\n".join(["import " + "core.nowhere", "from " + "core.i18n import tr, nothing"])
    assert list(structure.unresolved(code)) == [
        "no module core.nowhere",
        "no nothing in core.i18n",
    ]


def test_imports_within_functions_count() -> None:
    path = structure.ROOT / "gui" / "panels" / "__init__.py"
    top = {node.module for node in ast.parse(path.read_text("utf-8")).body
           if isinstance(node, ast.ImportFrom)}  # fmt: skip
    imported = structure.graph().find_modules_directly_imported_by("gui.panels")
    assert "gui.panels.review.panel" in imported - top


def test_every_benchmark_is_run() -> None:
    files = {path.stem for path in (structure.ROOT / "tests" / "benchmarks").glob("bench_*.py")}
    assert files == {f"bench_{name}" for name in BENCHMARKS}
