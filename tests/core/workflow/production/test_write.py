"""Stage 1 by hand: drafts, handing in, and rewriting what came back."""

import pytest

from core.errors import ConflictError, InputError, NotFoundError, RightsError, StateError
from core.workflow import people, queues, tasks
from core.workflow.check import review
from core.workflow.items import history, state_counts
from core.workflow.production import write
from tests.workspaces import BENCHMARK, TASK, make_task, payload, write_items


def test_a_draft_is_kept_as_it_is_typed_and_is_no_item(ws):
    make_task(ws)
    draft = write.save_draft(ws, "ann", TASK, {"input": "半句"})
    assert write.save_draft(ws, "ann", TASK, {"input": "半句话"}, draft=draft) == draft
    (kept,) = write.my_drafts(ws, "ann")
    assert kept.payload == {"input": "半句话"}
    assert sum(state_counts.counts(ws, BENCHMARK).values()) == 0
    done = write.submit(ws, "ann", TASK, payload("一句话"), draft=draft)
    assert (done.state, done.revision) == ("draft", 1)
    assert write.my_drafts(ws, "ann") == ()


def test_a_draft_is_its_writers_alone(ws):
    make_task(ws)
    draft = write.save_draft(ws, "ann", TASK, {})
    with pytest.raises(NotFoundError):
        write.save_draft(ws, "bob", TASK, {}, draft=draft)
    write.give_up_draft(ws, "ann", draft)
    assert write.my_drafts(ws, "ann") == ()


def test_a_payload_that_is_not_the_familys_is_refused_by_field(ws):
    make_task(ws)
    with pytest.raises(InputError, match="output"):
        write.submit(ws, "ann", TASK, {"instruction": "x"})
    with pytest.raises(InputError, match="surprise"):
        write.submit(ws, "ann", TASK, payload("x", surprise=1))


def test_the_same_content_twice_is_refused_with_its_number(ws):
    make_task(ws)
    (number,) = write_items(ws, 1)
    with pytest.raises(ConflictError, match=f"#{number}"):
        write_items(ws, 1, author="bob")


def test_an_item_of_a_task_that_names_no_format_has_the_first_of_its_family(ws):
    tasks.add(ws, TASK, "instruction", benchmark=BENCHMARK)
    done = write.submit(ws, "ann", TASK, payload("一句话"))
    assert review.review_card(ws, "boss", done.number).content.format == "triplet"


def test_with_a_required_gate_an_item_waits_for_it(ws):
    make_task(ws, gate="required")
    (number,) = write_items(ws, 1)
    assert review.next_card(ws, "li", BENCHMARK) is None
    with pytest.raises(StateError, match="not in review; its state is draft"):
        review.decide(ws, "li", number, "accept")


def test_a_returned_item_shows_what_was_said_and_comes_again_as_a_new_revision(ws):
    make_task(ws)
    (number,) = write_items(ws, 1)
    review.decide(ws, "li", number, "return", note="标题太长")
    (back,) = write.returned_to(ws, "ann")
    assert (back.number, [word.note for word in back.words]) == (number, ["标题太长"])
    assert [entry.what for entry in queues.queue(ws, "ann", stage=1).entries] == ["write"]
    draft = write.save_draft(ws, "ann", TASK, payload("短一点"), item=number)
    assert write.returned(ws, "ann", number).draft == draft
    done = write.revise(ws, "ann", number, payload("短一点"), note="短了")
    assert (done.revision, write.my_drafts(ws, "ann")) == (2, ())
    life = history.item_history(ws, number, "")
    assert [r.number for r in life.revisions] == [1, 2]
    assert life.revisions[0].content.payload != life.revisions[1].content.payload
    assert review.decide(ws, "li", number, "accept").state == "accepted"


def test_a_returned_item_must_change_and_is_its_authors(ws):
    make_task(ws)
    (number,) = write_items(ws, 1)
    with pytest.raises(StateError, match="not with its author"):
        write.revise(ws, "ann", number, payload("y"))
    review.decide(ws, "li", number, "return", note="n")
    with pytest.raises(InputError, match="unchanged"):
        write.revise(ws, "ann", number)
    with pytest.raises(RightsError, match="author or a lead"):
        write.revise(ws, "bob", number, payload("z"))


def test_a_lead_who_rewrites_it_does_not_review_it_and_neither_does_the_author(ws):
    make_task(ws)
    (number,) = write_items(ws, 1)
    review.decide(ws, "li", number, "return", note="n")
    people.ensure_person(ws, "boss", "lead")
    write.revise(ws, "boss", number, payload("老板"))
    for writer in ("ann", "boss"):
        assert review.next_card(ws, writer, BENCHMARK) is None
        with pytest.raises(RightsError):
            review.decide(ws, writer, number, "accept")
    assert review.next_card(ws, "li", BENCHMARK).number == number


def test_an_english_item_of_an_english_task_is_not_asked_for_chinese(ws):
    tasks.add(ws, "moods", "instruction", benchmark=BENCHMARK, format="triplet", language="en")
    english = {"instruction": "Name the mood of this.", "input": "A dull film.", "output": "bad"}
    done = write.submit(ws, "ann", "moods", english)
    assert [defect.name for defect in done.defects] == []
    assert tasks.show(ws, "moods").protocol.gate == "off"
    tasks.add(ws, "情绪", "instruction", benchmark=BENCHMARK, format="triplet", language="zh")
    done = write.submit(ws, "ann", "情绪", english)
    assert [defect.name for defect in done.defects] == ["wrong_language"]


def test_a_draft_is_known_by_its_own_text_and_not_by_the_instruction_of_its_task():
    draft = {"instruction": "Give a title.", "input": " A  letter\nfrom home ", "output": ""}
    assert write.known_by(draft) == "A letter from home"
    assert write.known_by({"passage": "One text.", "question": "Who wrote it?"}) == "Who wrote it?"
    assert write.known_by({"instruction": "Give a title.", "input": ""}) == "Give a title."
    assert write.known_by({"language": ""}) == ""
