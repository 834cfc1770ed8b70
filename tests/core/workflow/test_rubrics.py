"""A task's own rubric: written as text, versioned, rated by, measured on its own scale."""

import pytest

from core.agreement.ratings import RatingTable
from core.errors import InputError, NotFoundError
from core.i18n import set_language
from core.workflow import people, tasks
from core.workflow.check import rate
from core.workflow.dashboards import agreement_query, alarms
from core.workflow.dashboards.agreement_query import AgreementOptions, Scope
from core.workflow.dashboards.alarms import Alarm
from core.workflow.rubrics import parse_rubric, rubric, rubric_text
from core.workflow.verify.checks import verify
from tests.workspaces import (
    BENCHMARK,
    TASK,
    make_task,
    ratings_of,
    write_items,
)

LEAD = "lea"
TEXT = """
Clarity: Is it clear at once what is asked?
1 Only after reading it twice.
2. At once.

难度：有多难？
要想一想才答
0、容易
3 中等
9 很难
"""


def test_a_rubric_is_read_as_it_was_written():
    clarity, difficulty = parse_rubric(TEXT)
    assert (clarity.name, clarity.title) == ("Clarity", "Clarity")
    assert clarity.question == "Is it clear at once what is asked?"
    assert [entry.text for entry in clarity.values] == ["Only after reading it twice.", "At once."]
    assert difficulty.question == "有多难？ 要想一想才答"
    assert difficulty.numbers == (0, 3, 9)
    assert parse_rubric(rubric_text((clarity, difficulty))) == (clarity, difficulty)
    assert parse_rubric(" \n\n") == ()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Clarity", "Line 1 .* at least two values"),
        ("Clarity\n1 a", "Line 1 .* at least two values"),
        ("\nClarity\n1 a\n\n2 b\n", "Line 2 .* at least two values"),
        ("Clarity\n1 a\n1 b", "Line 3 .* value 1 is used twice"),
        ("Clarity\n1 a\nworse", "Line 3 .* digit from 0 to 9"),
        ("Clarity\n1 a\n10 b", "Line 3 .* digit from 0 to 9"),
        ("Clarity\n1 a\n2 b\n\nCLARITY\n1 a\n2 b\n\nClarity\n0\n1", "Line 9 .* twice"),
        ("x=y\n1 a\n2 b", "Line 1 .* no equals sign"),
        (": what?\n1 a\n2 b", "Line 1 .* no equals sign"),
        ("Decision\n1 a\n2 b", "Line 1 .* is reserved"),
        ("Fluency\n1 a\n2 b", "Line 1 .*has the values 1, 2, 3 in every task"),
        ("\n\n".join(f"c{n}\n0\n1" for n in range(13)), "at most 12 criteria"),
        ("Clarity\n1 a\n2 " + "b" * 1001, "Line 3 .* at most 1000 characters"),
    ],
)
def test_what_cannot_be_read_is_named_by_its_line(text, words):
    with pytest.raises(InputError, match=words):
        parse_rubric(text)


def test_a_shipped_criterion_is_the_same_one_in_any_words_and_language():
    shipped = rubric("coreeval").criteria
    assert parse_rubric(rubric_text(shipped)) == shipped
    set_language("zh")
    (own,) = parse_rubric("流畅性: 好读吗？\n1 不\n2 还行\n3 好")
    set_language("en")
    assert own.name == "fluency"
    (again,) = parse_rubric(rubric_text([own]), [own])
    assert again == own


def test_the_items_of_a_task_are_rated_by_its_own_rubric(ws):
    make_task(ws)
    number, other = write_items(ws, 2)
    done = tasks.change(ws, TASK, LEAD, rubric=TEXT, dry_run=True)
    assert list(done.changed) == ["rubric"]
    assert rate.rating_card(ws, "li", number).rubric.name == "coreeval"
    tasks.change(ws, TASK, LEAD, rubric=TEXT)
    assert [c.title for c in rate.rating_card(ws, "li", number).rubric.criteria] == [
        "Clarity",
        "难度",
    ]
    rate.rate(ws, "li", number, {"Clarity": 2, "难度": 9})
    with pytest.raises(InputError, match=r"no criterion “fluency”\. Available: Clarity, 难度"):
        rate.rate(ws, "li", other, {"fluency": 3})
    with pytest.raises(InputError, match="难度 takes 0, 3, 9, not 1"):
        rate.rate(ws, "li", other, {"难度": 1})
    assert verify(ws).sound


def test_a_former_rubric_can_be_restored_and_ratings_stay(ws):
    make_task(ws)
    (number,) = write_items(ws, 1)
    tasks.change(ws, TASK, LEAD, rubric=TEXT)
    rate.rate(ws, "li", number, {"Clarity": 2})
    tasks.change(ws, TASK, LEAD, rubric="")
    assert rate.rating_card(ws, "li", number).rubric.name == "coreeval"
    assert ratings_of(ws, "li", number) == {"li": {"Clarity": 2.0}}
    tasks.change(ws, TASK, LEAD, restore=2)
    versions = tasks.descriptions(ws, TASK)
    assert [len(version.rubric) for version in versions] == [0, 2, 0, 2]
    assert versions[-1].rubric == parse_rubric(TEXT)


@pytest.fixture(autouse=True)
def lead(request):
    if "ws" in request.fixturenames:
        people.ensure_person(request.getfixturevalue("ws"), LEAD, "lead")
        people.ensure_person(request.getfixturevalue("ws"), "li", "specialist")


def table(ws, criterion: str) -> RatingTable:
    scope = Scope(benchmark=BENCHMARK, criterion=criterion)
    options = AgreementOptions(names=("percent",), resamples=50)
    return agreement_query.agreement(ws, scope, options).table


def test_agreement_is_measured_on_the_whole_scale_of_an_own_criterion(ws):
    make_task(ws)
    numbers = write_items(ws, 3)
    tasks.change(ws, TASK, LEAD, rubric=TEXT)
    assert table(ws, "难度").n_items == 0  # known before anybody rated
    for rater in ("li", "bo"):
        for number in numbers:
            rate.rate(ws, rater, number, {"难度": 3})
    assert table(ws, "难度").categories == ("0", "3", "9")
    names = [criterion.name for criterion in agreement_query.criteria_in(ws, BENCHMARK)]
    assert names == ["fluency", "coherence", "factuality", "accuracy", "Clarity", "难度"]
    with pytest.raises(NotFoundError, match=r"Available: .*难度"):
        table(ws, "beauty")


def test_an_alarm_may_watch_an_own_criterion(ws):
    make_task(ws)
    with pytest.raises(NotFoundError, match=r"no criterion “Clarity”"):
        alarms.set_alarm(ws, LEAD, Alarm("percent", 0.5, 2, criterion="Clarity"))
    tasks.change(ws, TASK, LEAD, rubric=TEXT)
    assert alarms.set_alarm(ws, LEAD, Alarm("percent", 0.5, 2, criterion="Clarity")).number == 1
