"""Protocols: edited by a lead, versioned, and in force from then on; tasks and roles."""

import pytest

from core.errors import InputError, NotFoundError, RightsError, StateError
from core.workflow import administer, review, tasks
from core.workflow.protocols import default_protocol
from tests.workspaces import BENCHMARK, TASK, make_task, write_items


def test_the_defaults_are_those_of_the_families():
    instruction = default_protocol("instruction")
    assert (instruction.target, instruction.threshold, instruction.overlap) == (100, 6.0, 1)
    assert (instruction.audit_sample, instruction.audit_allowed) == (20, 0)
    assert (instruction.private_share, instruction.instructions) == (0.5, 5)
    assert instruction.public_instructions == 1
    assert default_protocol("scp").overlap == 2
    rewrite = default_protocol("rewrite")
    assert (rewrite.raters, rewrite.rating_sample, rewrite.rubric) == (5, 50, "coreeval")


def test_an_edit_makes_a_version_that_says_who_and_when(ws):
    make_task(ws)
    administer.ensure_person(ws, "boss", "lead")
    change = tasks.set_protocol(ws, TASK, {"overlap": "3", "gate": "off"}, person="boss")
    assert (change.version, change.changed) == (2, {"overlap": 3})
    history = tasks.versions(ws, TASK)
    assert [(v.version, v.settings.overlap, v.person) for v in history] == [
        (1, 1, ""),
        (2, 3, "boss"),
    ]
    assert tasks.show(ws, TASK).protocol.overlap == 3
    assert tasks.set_protocol(ws, TASK, {"overlap": "3"}).version == 2


def test_only_a_lead_edits(ws):
    make_task(ws)
    administer.ensure_person(ws, "li", "specialist")
    with pytest.raises(RightsError, match="lead"):
        tasks.set_protocol(ws, TASK, {"overlap": "3"}, person="li")


@pytest.mark.parametrize(
    "values", [{"overlap": "0"}, {"overlap": "viele"}, {"gate": "maybe"}, {"colour": "red"}]
)
def test_a_wrong_setting_is_refused_by_name(ws, values):
    make_task(ws)
    with pytest.raises(InputError, match=next(iter(values))):
        tasks.set_protocol(ws, TASK, values)


def test_turning_the_gate_off_opens_what_waited_for_it(ws):
    make_task(ws, gate="required")
    numbers = write_items(ws, 2)
    assert review.next_card(ws, "li", BENCHMARK) is None
    assert tasks.set_protocol(ws, TASK, {"gate": "off"}).applied == 2
    assert review.next_card(ws, "li", BENCHMARK).number == numbers[0]


def test_tasks_are_listed_with_what_is_kept(ws):
    make_task(ws, target=5)
    make_task(ws, "second")
    review.decide(ws, "li", write_items(ws, 2)[0], "accept")
    first, second = sorted(tasks.tasks(ws, BENCHMARK), key=lambda info: -info.items)
    assert (first.items, first.kept, first.protocol.target) == (2, 1, 5)
    assert second.items == 0
    with pytest.raises(StateError, match="already"):
        make_task(ws)
    with pytest.raises(NotFoundError, match="family"):
        make_task(ws, "third", family="riddle")
    with pytest.raises(NotFoundError, match=TASK):
        tasks.show(ws, "nowhere")


def test_a_task_name_in_two_benchmarks_must_say_which(ws):
    make_task(ws)
    tasks.add(ws, TASK, "instruction", benchmark="other", format="triplet")
    with pytest.raises(InputError, match="--benchmark"):
        tasks.show(ws, TASK)
    assert tasks.show(ws, TASK, "other").benchmark == "other"


def test_roles_are_changed_by_leads(ws):
    administer.ensure_person(ws, "li")
    administer.ensure_person(ws, "boss", "lead")
    with pytest.raises(RightsError):
        administer.set_role(ws, "boss", "annotator", "li")
    administer.set_role(ws, "li", "researcher", "boss")
    assert {p.name: p.role for p in administer.people(ws)} == {
        "boss": "lead",
        "li": "researcher",
    }
    with pytest.raises(InputError, match="emperor"):
        administer.set_role(ws, "li", "emperor")
