"""What was found in an item is said in the language of who reads it, whenever it was found."""

import re

import pytest

from core.families import FAMILIES, family
from core.families.base import ItemContent
from core.i18n import set_language
from core.workflow.check import review
from core.workflow.defects import shown_defects
from core.workflow.items import history
from core.workflow.production import write
from core.workflow.workspace import Workspace
from tests.workspaces import BENCHMARK, TASK, make_task, payload

PLANTED = [
    (each.name, name, content) for each in FAMILIES for name, content in each.planted().items()
]


@pytest.fixture(autouse=True)
def _english_again():
    yield
    set_language("en")


def is_chinese(text: str) -> bool:
    return re.search("[一-鿿]", text) is not None


def stored_of(content: ItemContent, language: str) -> list[dict[str, str]]:
    """As an import or a submission in that language stores them."""
    set_language(language)
    found = family(content.family).check(content)
    return [{"name": d.name, "detail": d.detail, "field": d.field} for d in found]


@pytest.mark.parametrize(("kind", "name", "content"), PLANTED, ids=lambda value: str(value)[:30])
def test_every_planted_defect_is_said_in_the_language_in_use(kind, name, content):
    chinese = stored_of(content, "zh")
    english = stored_of(content, "en")
    said = shown_defects(chinese, content)
    assert name in [defect.name for defect in said] or not chinese
    assert [defect.detail for defect in said] == [entry["detail"] for entry in english]


def test_what_the_item_alone_does_not_show_keeps_its_words_and_old_rows_are_read():
    content = next(content for kind, _, content in PLANTED if kind == "scp")
    stored = [{"name": "duplicate_item", "detail": "与条目 3 重复"}, {"name": "older"}]
    said = shown_defects(stored, content)
    assert [(d.name, d.detail) for d in said] == [
        ("duplicate_item", "与条目 3 重复"), ("older", "")
    ]  # fmt: skip
    broken = ItemContent(content.family, content.format, {}, {}, "")
    assert [d.detail for d in shown_defects(stored, broken)] == ["与条目 3 重复", ""]
    assert shown_defects([], broken) == ()


def test_the_card_and_the_history_speak_the_language_of_their_reader(ws: Workspace):
    make_task(ws)
    set_language("zh")
    done = write.submit(ws, "ann", TASK, {**payload("雨天"), "output": ""}, benchmark=BENCHMARK)
    assert done.defects
    assert all(is_chinese(defect.detail) for defect in done.defects)
    set_language("en")
    card = review.next_card(ws, "li", BENCHMARK)
    assert card is not None
    (newest,) = history.item_history(ws, done.number, "boss").revisions
    for defects in (card.defects, newest.defects):
        assert [defect.name for defect in defects] == [defect.name for defect in done.defects]
        assert not any(is_chinese(defect.detail) for defect in defects), defects
