"""Protocols: edited by a lead, versioned, and in force from then on; tasks and roles."""

from datetime import UTC, datetime

import pytest

from core.errors import InputError, NotFoundError, RightsError, StateError
from core.workflow import people, tasks
from core.workflow.check import review
from core.workflow.items import history
from core.workflow.production import write
from core.workflow.protocols import changed, default_protocol
from tests.workspaces import BENCHMARK, TASK, make_task, payload, write_items


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
    people.ensure_person(ws, "boss", "lead")
    change = tasks.set_protocol(ws, TASK, {"overlap": "3", "gate": "off"}, person="boss")
    assert (change.version, change.changed) == (2, {"overlap": 3})
    history = tasks.versions(ws, TASK)
    assert [(v.version, v.settings.overlap, v.person) for v in history] == [
        (1, 1, ""),
        (2, 3, "boss"),
    ]
    assert tasks.show(ws, TASK).protocol.overlap == 3
    assert tasks.set_protocol(ws, TASK, {"overlap": "3"}).version == 2


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        ({"threshold": "11"}, "”: it must be at most 10"),
        ({"gate": "maybe"}, "”: it must be one of required, optional, off"),
        ({"overlap": "two"}, "”: it must be a whole number"),
    ],
)
def test_a_refused_value_is_told_with_what_would_do(value, problem):
    with pytest.raises(InputError) as refused:
        changed(default_protocol("scp"), value)
    assert problem in str(refused.value)
    assert next(iter(value)) in refused.value.on_command_line


def test_only_a_lead_edits(ws):
    make_task(ws)
    people.ensure_person(ws, "li", "specialist")
    with pytest.raises(RightsError, match="lead"):
        tasks.set_protocol(ws, TASK, {"overlap": "3"}, person="li")


@pytest.mark.parametrize(
    "values", [{"overlap": "0"}, {"overlap": "viele"}, {"gate": "maybe"}, {"colour": "red"}]
)
def test_a_wrong_setting_is_refused_by_name(ws, values):
    make_task(ws)
    with pytest.raises(InputError) as refused:
        tasks.set_protocol(ws, TASK, values)
    assert next(iter(values)) in refused.value.on_command_line


def test_a_rubric_that_is_not_there_is_refused_when_it_is_set(ws):
    make_task(ws)
    with pytest.raises(NotFoundError, match="no rubric “clarity”"):
        tasks.set_protocol(ws, TASK, {"rubric": "clarity"})
    assert tasks.set_protocol(ws, TASK, {"rubric": "coreeval"}).settings.rubric == "coreeval"
    assert tasks.set_protocol(ws, TASK, {"rubric": ""}).settings.rubric == ""


def test_turning_the_gate_off_opens_what_waited_for_it(ws):
    make_task(ws, gate="required")
    numbers = write_items(ws, 2)
    assert review.next_card(ws, "li", BENCHMARK) is None
    assert tasks.set_protocol(ws, TASK, {"gate": "off"}).applied == 2
    assert review.next_card(ws, "li", BENCHMARK).number == numbers[0]


def test_an_item_that_is_only_held_follows_and_a_decided_one_ends_as_it_began(ws):
    make_task(ws, overlap=2)
    held, decided, third, _ = write_items(ws, 4)
    review.claim_item(ws, "li", held)
    review.decide(ws, "wang", decided, "accept")
    change = tasks.set_protocol(ws, TASK, {"overlap": "1"})
    assert (change.applied, change.kept) == (3, 1)
    review.decide(ws, "li", held, "accept")
    states = {n: history.state_of(ws, n) for n in (held, decided)}
    assert states == {held: "accepted", decided: "in_review"}
    review.claim_item(ws, "li", third)
    assert tasks.set_protocol(ws, TASK, {"overlap": "2"}).applied == 2
    review.decide(ws, "li", third, "accept")
    assert history.state_of(ws, third) == "in_review"
    review.decide(ws, "zhao", third, "accept")
    assert history.state_of(ws, third) == "accepted"


def test_no_more_are_sent_away_than_hold_an_item(ws):
    make_task(ws, overlap=2)
    (number,) = write_items(ws, 1)
    for who in ("li", "wang"):
        review.claim_item(ws, who, number)
    tasks.set_protocol(ws, TASK, {"overlap": "1"})
    review.decide(ws, "li", number, "accept")
    review.decide(ws, "wang", number, "accept")
    assert history.state_of(ws, number) == "accepted"


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
    with pytest.raises(InputError, match="Choose one: bench/titles, other/titles"):
        tasks.show(ws, TASK)
    assert tasks.show(ws, TASK, "other").benchmark == "other"


def test_roles_are_changed_by_leads(ws):
    people.ensure_person(ws, "li")
    people.ensure_person(ws, "boss", "lead")
    with pytest.raises(RightsError):
        people.set_role(ws, "boss", "annotator", "li")
    people.set_role(ws, "li", "researcher", "boss")
    roles = {p.name: p.role for p in people.people(ws)}
    assert (roles["boss"], roles["li"]) == ("lead", "researcher")
    with pytest.raises(InputError, match="emperor"):
        people.set_role(ws, "li", "emperor")


def labelled(text: str, label: str) -> dict[str, object]:
    return payload(text, output=label, label=label, labels=["甲", "乙"])


@pytest.fixture
def led(ws):
    """A task with a guideline and labels, two items of its two labels, and a lead."""
    people.ensure_person(ws, "boss", "lead")
    tasks.add(
        ws, TASK, "instruction", benchmark=BENCHMARK, format="triplet", protocol={"gate": "off"},
        profile={"guideline": "短。", "labels": ["甲", "乙"], "languages": ["zh"]},
    )  # fmt: skip
    for label in ("甲", "乙"):
        write.submit(ws, "ann", TASK, labelled(f"文章{label}", label))
    return ws


def test_a_change_of_a_task_is_a_version_that_says_what_it_touches(led):
    done = tasks.change(led, TASK, "boss", guideline="不超过二十个字。", labels=["甲", "丙"])
    assert (done.version, set(done.changed)) == (2, {"guideline", "labels"})
    assert (done.affected, done.outside) == ({"draft": 2}, (2,))
    first, second = tasks.descriptions(led, TASK)
    assert (first.version, first.guideline, first.labels) == (1, "短。", ("甲", "乙"))
    assert (second.person, second.changed) == ("boss", ("guideline", "labels"))
    assert second.labels == ("甲", "丙")
    assert tasks.show(led, TASK).profile["languages"] == ["zh"]
    assert tasks.change(led, TASK, "boss", guideline="不超过二十个字。").version == 2


def test_what_a_task_asked_for_then_can_be_asked(led):
    before = datetime.now(UTC)
    tasks.change(led, TASK, "boss", guideline="新的。")
    tasks.change(led, TASK, "boss", guideline="更新的。", settings={"target": "7"})
    assert tasks.described_at(led, TASK, before).guideline == "短。"
    assert tasks.described_at(led, TASK, datetime.now(UTC)).guideline == "更新的。"
    assert tasks.show(led, TASK).protocol.target == 7
    assert [version.settings.target for version in tasks.versions(led, TASK)] == [100, 7]


def test_a_former_version_comes_back_as_a_new_one(led):
    tasks.change(led, TASK, "boss", guideline="新的。", labels=[])
    assert tasks.show(led, TASK).profile["labels"] == []
    back = tasks.change(led, TASK, "boss", restore=1)
    assert (back.version, back.outside) == (3, ())
    assert tasks.descriptions(led, TASK)[-1].labels == ("甲", "乙")
    with pytest.raises(NotFoundError, match="9"):
        tasks.change(led, TASK, "boss", restore=9)


def test_a_tried_change_writes_nothing(led):
    tried = tasks.change(led, TASK, "boss", labels=["丙"], settings={"target": "3"}, dry_run=True)
    assert (tried.outside, tried.protocol.settings.target) == ((1, 2), 3)
    assert len(tasks.descriptions(led, TASK)) == 1
    assert tasks.show(led, TASK).protocol.target == 100


def test_only_leads_change_tasks_and_nobody_becomes_one_by_asking(led):
    people.ensure_person(led, "li", "specialist")
    with pytest.raises(RightsError, match="lead"):
        tasks.change(led, TASK, "li", guideline="x")
    with pytest.raises(NotFoundError, match="boss"):
        tasks.change(led, TASK, "a stranger", guideline="x")
    with pytest.raises(NotFoundError, match="boss"):
        tasks.set_protocol(led, TASK, {"overlap": "3"}, person="a stranger")
    assert "a stranger" not in [person.name for person in people.people(led)]


@pytest.mark.parametrize("wrong", [{"labels": ["甲", " "]}, {"guideline": "长" * 100_001}])
def test_what_cannot_be_a_label_or_a_guideline_is_refused(led, wrong):
    with pytest.raises(InputError):
        tasks.change(led, TASK, "boss", **wrong)


def test_a_setting_that_no_machine_could_count_with_is_refused(ws):
    make_task(ws)
    for wrong in ({"lease_minutes": "1e300"}, {"target": "9" * 25}, {"raters": "9" * 25}):
        with pytest.raises(InputError) as refused:
            tasks.set_protocol(ws, TASK, wrong)
        assert next(iter(wrong)) in refused.value.on_command_line


def test_a_setting_of_several_tasks_changes_in_all_or_in_none(ws):
    people.ensure_person(ws, "boss", "lead")
    for name in ("a", "b", "c"):
        make_task(ws, name)
    write_items(ws, 2, task="a")
    tried = tasks.set_protocols(ws, ["a", "b"], {"overlap": "2"}, person="boss", dry_run=True)
    assert {name: change.applied for name, change in tried.items()} == {"a": 2, "b": 0}
    assert tasks.show(ws, "a").protocol.overlap == 1
    tasks.set_protocols(ws, ["a", "b"], {"overlap": "2"}, person="boss")
    assert [tasks.show(ws, name).protocol.overlap for name in ("a", "b", "c")] == [2, 2, 1]
    with pytest.raises(NotFoundError):
        tasks.set_protocols(ws, ["c", "nothing"], {"overlap": "5"}, person="boss")
    with pytest.raises(InputError):
        tasks.set_protocols(ws, ["a", "c"], {"overlap": "many"}, person="boss")
    assert [tasks.show(ws, name).protocol.overlap for name in ("a", "c")] == [2, 1]
    people.ensure_person(ws, "li", "annotator", "boss")
    with pytest.raises(RightsError):
        tasks.set_protocols(ws, ["a"], {"overlap": "1"}, person="li")
