"""Questions, answers and marks of being unsure: who is told, and what stays hidden."""

import pytest

from core.errors import InputError, RightsError
from core.workflow import people
from core.workflow.check import blinding, questions, review
from core.workflow.items import history, my_work
from core.workflow.verify.checks import verify
from tests.tampering import meddle
from tests.workspaces import BENCHMARK, make_task, write_items

SAYS = "I would reject it: is B not right as well?"


@pytest.fixture
def number(ws) -> int:
    """An item that two people review, the first of them at it."""
    make_task(ws, overlap=2)
    for name, role in (("li", "annotator"), ("wu", "annotator"), ("boss", "lead")):
        people.ensure_person(ws, name, role)
    (made,) = write_items(ws, 1)
    review.next_card(ws, "li", BENCHMARK)
    return made


def test_a_question_is_answered_and_both_are_told(ws, number):
    thread = questions.ask_question(ws, "li", number, SAYS)
    assert questions.question_news(ws, "boss").waiting == 1
    assert questions.question_news(ws, "li") == questions.QuestionNews(0, 0)
    blinding.reveal(ws, "boss", number)
    assert questions.answer_question(ws, "boss", thread, "B is wrong, see the guideline.") == number
    assert questions.question_news(ws, "boss").waiting == 0
    assert questions.question_news(ws, "li").answered == 1
    (own,) = questions.own_threads(ws, "li")
    assert [(m.author, m.answer) for m in own.messages] == [("li", False), ("boss", True)]
    assert own.news
    assert not own.waiting
    questions.mark_seen(ws, "li", thread)
    assert questions.question_news(ws, "li").answered == 0
    assert questions.ask_question(ws, "li", number, "And C?", thread=thread) == thread
    assert questions.question_news(ws, "boss").waiting == 1
    assert verify(ws).findings == ()


def test_what_a_question_says_stays_hidden_until_ones_own_decision(ws, number):
    questions.ask_question(ws, "li", number, SAYS)
    review.next_card(ws, "wu", BENCHMARK)
    assert questions.threads(ws, "wu", number) == ()
    assert SAYS not in repr(history.item_history(ws, number, "wu"))
    review.decide(ws, "wu", number, "accept")
    (thread,) = questions.threads(ws, "wu", number)
    assert thread.messages[0].text == SAYS


def test_who_has_not_looked_behind_does_not_read_a_question_to_answer_it(ws, number):
    thread = questions.ask_question(ws, "li", number, SAYS)
    (waits,) = questions.waiting_threads(ws, "boss", BENCHMARK)
    assert (waits.number, waits.hidden, waits.messages) == (number, True, ())
    with pytest.raises(RightsError, match="stays hidden"):
        questions.answer_question(ws, "boss", thread, "yes")
    blinding.reveal(ws, "boss", number)
    (open_now,) = questions.waiting_threads(ws, "boss", BENCHMARK)
    assert open_now.messages[0].text == SAYS


def test_an_author_who_never_decides_is_not_told_to_decide_first(ws):
    make_task(ws, overlap=2)
    for name, role in (("li", "annotator"), ("boss", "lead"), ("chief", "lead")):
        people.ensure_person(ws, name, role)
    (made,) = write_items(ws, 1, author="boss")
    review.next_card(ws, "li", BENCHMARK)
    thread = questions.ask_question(ws, "li", made, SAYS)
    (waits,) = questions.waiting_threads(ws, "boss", BENCHMARK)
    assert questions.hidden_words(waits) == "hidden until its review is over or you show it"
    with pytest.raises(RightsError, match="until its review is over or you show"):
        questions.answer_question(ws, "boss", thread, "No.")
    (waits,) = questions.waiting_threads(ws, "chief", BENCHMARK)
    assert "until you have decided" in questions.hidden_words(waits)
    assert history.item_history(ws, made, "boss").own
    assert not history.item_history(ws, made, "chief").own


def test_who_may_ask_and_answer(ws, number):
    thread = questions.ask_question(ws, "li", number, SAYS)
    with pytest.raises(RightsError):
        questions.answer_question(ws, "li", thread, "yes")
    with pytest.raises(RightsError):
        questions.waiting_threads(ws, "li")
    with pytest.raises(RightsError, match="who asked"):
        questions.ask_question(ws, "boss", number, "me too", thread=thread)
    with pytest.raises(RightsError):
        questions.ask_question(ws, "wu", number, "an item that wu never had")
    with pytest.raises(InputError):
        questions.ask_question(ws, "li", number, "  ")


def test_a_changed_question_is_found(ws, number):
    questions.ask_question(ws, "li", number, SAYS)
    meddle(ws, "UPDATE comment SET text = 'I like it'")
    findings = verify(ws).findings
    meddle(ws, f"UPDATE comment SET text = '{SAYS}'")
    assert [entry.kind for entry in findings] == ["comment"]


def test_a_lead_sees_what_somebody_is_unsure_about_and_the_mark_comes_off(ws, number):
    assert questions.mark_unsure(ws, "li", number, "two keys?")
    (marked,) = questions.unsure_items(ws, "boss", BENCHMARK)
    assert (marked.number, marked.person, marked.text) == (number, "", "")
    blinding.reveal(ws, "boss", number)
    (marked,) = questions.unsure_items(ws, "boss", BENCHMARK)
    assert (marked.person, marked.text) == ("li", "two keys?")
    assert questions.own_marks(ws, "li") == {number}
    assert not questions.mark_unsure(ws, "li", number)
    assert questions.unsure_items(ws, "boss", BENCHMARK) == ()
    assert verify(ws).findings == ()


def test_ones_own_work_is_listed_with_its_state(ws, number):
    (written,) = write_items(ws, 1, author="li", start=7)
    review.skip(ws, "li", number)
    questions.mark_unsure(ws, "li", number)
    questions.ask_question(ws, "li", number, SAYS)
    work = my_work.my_work(ws, "li", BENCHMARK)
    found = {(entry.kind, entry.number) for entry in work.entries}
    assert found == {
        ("written", written), ("skipped", number), ("unsure", number), ("question", number),
    }  # fmt: skip
    review.claim_item(ws, "li", number)
    review.decide(ws, "li", number, "return", note="more")
    entries = {entry.kind: entry for entry in my_work.my_work(ws, "li", BENCHMARK).entries}
    assert (entries["decided"].verdict, entries["decided"].note) == ("return", "more")
    assert "skipped" not in entries
    back = {entry.kind: entry for entry in my_work.my_work(ws, "ann", BENCHMARK).entries}
    assert back["returned"].number == number
    assert back["returned"].waits
