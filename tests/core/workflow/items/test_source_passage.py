"""An item's passage stands in its article, and what is missing is said in words."""

import shutil
from pathlib import Path

import pytest

from core.errors import NotFoundError, StateError
from core.generation.spec import ScpSpec
from core.sources.articles.read_paths import read_paths
from core.workflow.check import review
from core.workflow.items import source_passage
from core.workflow.production import take_in_items
from core.workflow.runs import runs
from core.workflow.workspace import Workspace
from resources import resource

BENCHMARK = "b"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace with items of two articles, one of them Chinese, made by a real run."""
    place = tmp_path_factory.mktemp("passages") / "ws"
    ws = Workspace.create(place)
    sources = [resource("demo", "stat__averages.txt"), resource("demo", "physics__rainbow.md")]
    spec = ScpSpec(per_article=2, seed=1)
    run_id = take_in_items.start_generation(ws, read_paths(sources), BENCHMARK, spec).spec().id
    runs.wait(ws, run_id, 120)
    take_in_items.generated(ws, run_id)
    ws.close()
    return place


@pytest.fixture
def ws(made: Path, tmp_path: Path):
    place = tmp_path / "ws"
    shutil.copytree(made, place)
    opened = Workspace.open(place)
    yield opened
    opened.close()


def numbers(ws: Workspace) -> list[int]:
    from core.workflow.items import search

    return [line.id for line in search.page(ws, search.Filters(BENCHMARK), viewer="").rows]


def test_the_pieces_of_every_item_stand_in_its_passage(ws: Workspace):
    from core.workflow import people

    people.ensure_person(ws, "Li", "lead")
    for number in numbers(ws):
        found = source_passage.passage(ws, number)
        card = review.review_card(ws, "Li", number)
        payload = card.content.payload
        pieces = payload.get("parts") or payload.get("candidates") or [payload["context"]]
        assert all(piece in found.text for piece in pieces)
        assert found.title
        assert len(found.before) <= source_passage.AROUND + 1
        assert len(found.after) <= source_passage.AROUND + 1


def test_an_article_that_is_gone_is_named(ws: Workspace):
    for file in ws.runs.glob("*/articles.jsonl"):
        file.unlink()
    with pytest.raises(NotFoundError, match="run"):
        source_passage.passage(ws, numbers(ws)[0])


def test_an_article_that_was_changed_is_not_taken_for_the_one_it_was(ws: Workspace):
    for file in ws.runs.glob("*/articles.jsonl"):
        text = file.read_text(encoding="utf-8")
        file.write_text(text.replace(" the ", " a ").replace("的", "地"), encoding="utf-8")
    with pytest.raises((NotFoundError, StateError)):
        source_passage.passage(ws, numbers(ws)[0])


def test_a_damaged_file_of_articles_is_said_and_not_tripped_over(ws: Workspace):
    for file in ws.runs.glob("*/articles.jsonl"):
        text = file.read_text(encoding="utf-8")
        file.write_text(text.replace('"text"', '"txet"') + '{"id": torn', encoding="utf-8")
    with pytest.raises(NotFoundError, match="run"):
        source_passage.passage(ws, numbers(ws)[0])


def test_an_item_that_does_not_exist_is_said(ws: Workspace):
    with pytest.raises(NotFoundError, match="999"):
        source_passage.passage(ws, 999)
