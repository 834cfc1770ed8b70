"""Nothing in the product is used by tests alone: the lists of ``unused`` are empty."""

import ast

import pytest

from tests.house import unused


@pytest.mark.parametrize("title", unused.LISTS)
def test_the_list_is_empty(title: str) -> None:
    assert unused.LISTS[title]() == []


def test_what_modules_define_is_seen_and_tables_are_not() -> None:
    source = "A = B = 1\nclass C: ...\nclass D(Base, table=True): ...\nasync def e(): ...\n"
    assert list(unused.defined_names(ast.parse(source))) == ["A", "B", "C", "e"]


def test_a_name_that_nobody_uses_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unused, "USED_ELSEWHERE", {})
    assert "core.families.scp planted" in unused.unused_names()
    assert "core.cli.usage SENTENCES" in unused.unused_names()
