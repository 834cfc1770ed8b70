"""A book of judgements reads what its readers need, however many items there are."""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from itertools import count
from pathlib import Path

import numpy as np
import pytest

from core.workflow import people
from core.workflow.dashboards import judgements
from core.workflow.dashboards.gate import newest_screenings
from core.workflow.dashboards.judgements import JudgementBook
from core.workflow.workspace import Workspace
from db import items
from db.vocabulary import ItemState
from tests.workload import fill

COUNT = 60


@pytest.fixture
def ws(tmp_path: Path) -> Iterator[Workspace]:
    """Items of which every second was decided on, and all were screened."""
    with closing(fill(tmp_path / "w", COUNT, tasks=2, decided=0.5, screened=True)) as made:
        yield made


def test_sources_are_read_of_the_items_that_something_was_said_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    with closing(fill(tmp_path / "u", COUNT, tasks=2, decided=0.1)) as ws:
        few = JudgementBook(ws).read(("decisions", "sources"))
        assert len(few.sources) == COUNT // 10
        monkeypatch.setattr(judgements, "FEW_JUDGED", 2)
        book = JudgementBook(ws)
        many = book.read(("decisions", "sources"))
        assert len(many.sources) == COUNT
        numbers = np.unique(few.decisions["item_id"])
        assert few.sources_of(numbers)[1].tolist() == many.sources_of(numbers)[1].tolist()
        with ws.writing() as session:
            items.change(session, [COUNT], state=ItemState.REJECTED, open_slots=0)
        assert len(book.read(("decisions", "sources")).sources) == COUNT


def test_an_item_on_which_a_decision_stands_has_its_source_without_a_judgement(tmp_path: Path):
    with closing(fill(tmp_path / "u", COUNT, tasks=2)) as ws:
        assert len(JudgementBook(ws).read(("items", "sources")).sources) == 0
        with ws.writing() as session:
            items.change(session, [7], state=ItemState.ACCEPTED, open_slots=0)
        view = JudgementBook(ws).read(("items", "sources"))
        assert view.sources["id"].tolist() == [7]
        assert view.sources_of(np.array([7]))[1].tolist() == ["w6"]


@pytest.mark.parametrize("seen", [(), (3, 9), (9,)])
def test_an_item_whose_text_the_reader_may_not_see_has_no_source_of_another(
    ws: Workspace, seen: tuple[int, ...]
):
    view = JudgementBook(ws).read(("decisions", "sources"))
    part = replace(view, sources=view.sources.rows(np.isin(view.sources["id"], seen)))
    numbers = np.array([1, 3, 9, COUNT])
    names = view.sources_of(numbers)[1].tolist()
    known = [name if item in seen else "" for name, item in zip(names, numbers, strict=True)]
    assert part.sources_of(numbers)[1].tolist() == known
    assert part.sources_of(np.array([1]))[0].tolist() == [-2]


def test_the_gate_needs_no_other_items_than_the_screened_ones(
    ws: Workspace, monkeypatch: pytest.MonkeyPatch
):
    narrow = newest_screenings(JudgementBook(ws).read(("screenings", "sources")))
    monkeypatch.setattr(judgements, "FEW_JUDGED", 0)
    whole = newest_screenings(JudgementBook(ws).read(("screenings", "items", "sources")))
    assert len(narrow) == len(whole) > 0
    for name in ("item_id", "task_id", "settled", "accepted", "score"):
        assert narrow[name].tolist() == whole[name].tolist()
    assert narrow["shared"].tolist() == whole["shared"].tolist()


def test_the_newest_event_is_read_again_after_a_commit_alone(ws: Workspace):
    ws.watch_commits()
    book = JudgementBook(ws)
    first = book.newest()
    assert book.newest() == first
    people.ensure_person(ws, "Ada", "lead")
    assert book.newest() > first


def test_what_was_made_last_is_made_anew_for_another_choice_and_after_an_event(ws: Workspace):
    book, made = JudgementBook(ws), count()

    def last(choice: str) -> int:
        value: int = book.last_made(book.read(("decisions",)), choice, lambda: next(made))
        return value

    assert [last(choice) for choice in ("kappa", "kappa", "alpha", "alpha", "kappa")] == [
        0, 0, 1, 1, 2,
    ]  # fmt: skip
    people.ensure_person(ws, "Ada", "lead")
    assert [last("kappa"), last("kappa")] == [3, 3]
