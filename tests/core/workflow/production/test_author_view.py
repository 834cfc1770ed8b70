"""What stands beside the form, and the lots beside one another."""

from collections.abc import Callable

import pytest

from core.audit.sampling import SamplingPlan
from core.families.base import ItemContent
from core.workflow import tasks
from core.workflow.audit import lead_view, lots
from core.workflow.check import review
from core.workflow.production import author_view, task_view, write
from core.workflow.production.duplicates import DuplicateWatch
from db import items
from tests.db.statements import sent_statements
from tests.workspaces import BENCHMARK, TASK, accept_all, make_task, payload, write_items


def _asked_of_items(read: Callable[[], object]) -> list[str]:
    """The statements of a read that begin with items, or with how many there are, and not with what
    few of them have."""
    with sent_statements() as sent:
        read()
    asked = ("FROM item", "item.task_id = "), ("FROM item_count", "")
    return [one for one in sent if any(all(word in one for word in both) for both in asked)]


def test_the_tasks_to_write_are_listed_without_a_look_at_their_items(ws):
    make_task(ws)
    write_items(ws, 3)
    assert _asked_of_items(lambda: task_view.names(ws, BENCHMARK)) == []
    assert _asked_of_items(lambda: author_view.writable(ws, "ann", BENCHMARK)) == []


def test_the_items_of_a_task_are_counted_once_for_all_that_stands_beside_the_form(ws):
    make_task(ws)
    write_items(ws, 3)
    sent = _asked_of_items(lambda: author_view.author_view(ws, "ann", TASK, BENCHMARK))
    assert len(sent) == 1, sent
    view = author_view.author_view(ws, "ann", TASK, BENCHMARK)
    assert view.task == tasks.show(ws, TASK, BENCHMARK)


def test_of_many_items_that_came_back_the_first_are_read_and_the_others_counted(ws, monkeypatch):
    make_task(ws)
    numbers = write_items(ws, 5)
    for number in numbers[:4]:
        review.decide(ws, "li", number, "return", note="标题太长")
    monkeypatch.setattr(author_view, "_SHOWN", 2)
    read: list[list[int]] = []
    get_many = items.get_many
    monkeypatch.setattr(
        items, "get_many", lambda session, ids: (read.append(list(ids)), get_many(session, ids))[1]
    )
    view = author_view.author_view(ws, "ann", TASK, BENCHMARK)
    assert (view.back, [entry.number for entry in view.returned]) == (4, list(numbers[:2]))
    assert author_view.writable(ws, "ann", BENCHMARK) == (TASK,)
    assert author_view.most_pressing(ws, "ann", [TASK]) == TASK
    assert write.count_returned(ws, "ann", BENCHMARK) == 4
    assert read == [list(numbers[:2])]


@pytest.mark.parametrize("format", ["triplet", ""])
def test_labels_are_counted_against_the_label_space(ws, format):
    tasks.add(
        ws, TASK, "instruction", benchmark=BENCHMARK, format=format,
        protocol={"gate": "off"}, profile={"labels": ["甲", "乙"], "guideline": "短。"},
    )  # fmt: skip
    for number, label in enumerate(("甲", "甲", "丙")):
        write.submit(ws, "ann", TASK, payload(f"第{number}", label=label))
    view = author_view.author_view(ws, "ann", TASK, BENCHMARK)
    assert [(share.label, share.count) for share in view.balance.labels] == [("甲", 2), ("乙", 0)]
    assert view.balance.unknown == (("丙", 1),)
    assert view.guideline == "短。"


def test_the_wordings_are_the_tasks_own_and_those_that_are_items(ws):
    tasks.add(
        ws, TASK, "instruction", benchmark=BENCHMARK, format="triplet",
        protocol={"gate": "off"}, profile={"instruction": "写标题。"},
    )  # fmt: skip
    for text, public in (("起个题目。", False), ("写标题。", True)):
        wording = {"text": text, "instruction_id": "2", "public": public}
        write.submit(ws, "ann", TASK, wording, format="instruction")
    view = author_view.author_view(ws, "ann", TASK, BENCHMARK)
    assert [(one.name, one.text, one.public) for one in view.wordings] == [
        ("", "写标题。", True), ("2", "起个题目。", False)
    ]  # fmt: skip


def test_the_task_with_something_to_mend_comes_first(ws):
    make_task(ws, "a")
    make_task(ws, "b")
    (number,) = write_items(ws, 1, task="b")
    names = author_view.writable(ws, "ann", BENCHMARK)
    assert names == ("a", "b")
    assert author_view.most_pressing(ws, "ann", names) == "a"
    review.decide(ws, "li", number, "return", note="短一点")
    assert author_view.most_pressing(ws, "ann", names) == "b"
    view = author_view.author_view(ws, "ann", "b", BENCHMARK)
    assert [entry.number for entry in view.returned] == [number]
    assert (view.back, view.sound) == (1, 0)


def test_a_task_of_another_family_is_written_only_when_something_came_back(ws):
    make_task(ws, "by hand")
    write_items(ws, 1, task="by hand")
    tasks.add(ws, "made", "scp", benchmark=BENCHMARK, format="cloze")
    assert author_view.writable(ws, "ann", BENCHMARK) == ("by hand",)


def test_an_unfinished_text_is_compared_and_checked(ws):
    make_task(ws)
    write_items(ws, 1)
    watch = DuplicateWatch(ws, TASK, BENCHMARK)
    noticed = author_view.notice(watch, ItemContent("instruction", "triplet", payload("第0次")))
    assert noticed.similar[0].similarity == pytest.approx(1.0)
    blank = author_view.notice(watch, ItemContent("instruction", "triplet", {"instruction": ""}))
    assert blank.similar == ()
    assert blank.defects


def test_lots_and_what_could_become_one_are_listed(ws):
    make_task(ws, audit_sample=2)
    make_task(ws, "empty")
    accept_all(ws, write_items(ws, 3), "li")
    (found,) = lead_view.audit_tasks(ws, BENCHMARK)
    assert (found.task, found.waiting, found.plan, found.lots) == (TASK, 3, SamplingPlan(2, 0), ())
    lots.start(ws, TASK, "ruth", seed=1)
    (found,) = lead_view.audit_tasks(ws, BENCHMARK)
    assert (found.waiting, found.lots[0].state, found.lots[0].ended) == (0, "open", "")
    for drawn in found.lots[0].drawn:
        lots.decide(ws, "ruth", drawn.number, "accept")
    (found,) = lead_view.audit_tasks(ws, BENCHMARK)
    assert found.lots[0].state == "passed"
    assert found.lots[0].ended


def test_a_plan_is_said_with_its_odds_and_beside_others_that_the_lot_allows():
    odds = lead_view.plan_odds(SamplingPlan(20, 0), 1_000_000)
    assert dict(odds.own.pass_chances)[0.10] == pytest.approx(0.1216, abs=1e-4)
    assert odds.own.proves_at_most == pytest.approx(0.139, abs=1e-3)
    assert odds.curve[0] == (0.0, 1.0)
    assert [other.plan for other in lead_view.plan_odds(SamplingPlan(20, 0), 40).others] == [
        SamplingPlan(32, 0)
    ]
