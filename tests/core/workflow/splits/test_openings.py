"""Each model once for each opening: refused by the use cases, and by the database itself."""

import pytest
from sqlalchemy.exc import DBAPIError

from core.errors import BenchsealError, InputError, StateError
from core.evaluation.params import EvaluateParams
from core.workflow import people
from core.workflow.evaluation import start
from core.workflow.evaluation.dry_run import try_out
from core.workflow.evaluation.plan import EvaluationRequest, Planner
from core.workflow.items import search
from core.workflow.items.search import Filters
from core.workflow.splits import exports, freeze, lifecycle, openings, split_states
from db import ledger, runs
from db.ledger import NewEvent
from db.vocabulary import EventKind
from tests.workspaces import BENCHMARK, accept_all, make_task, write_items

PARAMS = EvaluateParams(split="s1", engine="baseline:random")
MODEL = "baseline:random"


@pytest.fixture
def sealed(ws):
    """A workspace whose split ``s1`` is sealed under the policy, with two leads."""
    make_task(ws)
    for name in ("王", "李"):
        people.ensure_person(ws, name, "lead")
    people.ensure_person(ws, "li", "specialist")
    accept_all(ws, write_items(ws, 2), "li")
    freeze.freeze(ws, "s1", BENCHMARK, "王")
    lifecycle.seal(ws, "s1", "王", openings.ONCE)
    return ws


def evaluate(ws, params=PARAMS):
    return start.start(ws, "s1", params, person="王")


def test_an_opening_names_a_model_and_allows_one_evaluation_of_it(sealed):
    with pytest.raises(InputError, match="name it"):
        lifecycle.open_split(sealed, "s1", "王", "July")
    lifecycle.open_split(sealed, "s1", "王", "July", MODEL)
    with pytest.raises(StateError, match="none is open for"):
        evaluate(sealed, PARAMS.model_copy(update={"engine": "baseline:longest"}))
    run = evaluate(sealed)
    life = lifecycle.split_life(sealed, "s1")
    assert [(one.person, one.model, one.run) for one in life.opened_for] == [
        ("王", MODEL, run.spec().id)
    ]
    assert (life.policy, life.steps[-1].model) == ("once", MODEL)
    with pytest.raises(StateError, match="none is open for"):
        evaluate(sealed)
    assert len(list(sealed.runs.iterdir())) == 1


def test_what_is_suggested_for_a_sealed_split_names_a_model_where_it_must(sealed):
    with pytest.raises(StateError, match="is sealed") as refused:
        evaluate(sealed)
    assert "--model MODEL" in refused.value.command


def test_a_second_opening_for_a_model_needs_a_second_lead(sealed):
    lifecycle.open_split(sealed, "s1", "王", "July", MODEL)
    evaluate(sealed)
    with pytest.raises(StateError, match="second lead"):
        lifecycle.open_split(sealed, "s1", "王", "again", MODEL)
    lifecycle.open_split(sealed, "s1", "王", "July", "another")
    lifecycle.open_split(sealed, "s1", "李", "the server failed", MODEL)
    evaluate(sealed)
    with pytest.raises(StateError):
        evaluate(sealed)
    with pytest.raises(StateError, match="second lead"):
        lifecycle.open_split(sealed, "s1", "李", "third", MODEL)


def test_a_model_under_another_spelling_needs_a_second_lead_too(sealed):
    lifecycle.open_split(sealed, "s1", "王", "July", "org/m-7b")
    names = ("Org/M-7b", "org/m-7B/", "./org/m-7b", "org//m-7b", "оrg/m-7b", "org/ｍ-7b",
             "org/m-\u200b7b")  # fmt: skip
    for name in names:
        with pytest.raises(StateError, match="second lead"):
            lifecycle.open_split(sealed, "s1", "王", "again", name)
    lifecycle.open_split(sealed, "s1", "王", "July", "org/m-7b-chat")
    lifecycle.open_split(sealed, "s1", "李", "again", names[0])


def test_the_database_knows_the_same_letters_again(sealed):
    lifecycle.open_split(sealed, "s1", "王", "July", "m")
    for name in ("M", " m", "./m", "m/"):
        event = NewEvent(EventKind.SPLIT, "王", subject="s1",
                         data={"state": "opened", "reason": "again", "model": name})  # fmt: skip
        _refused(
            sealed, "second lead", lambda session, _, event=event: ledger.append(session, event)
        )


def test_nothing_else_leaves_until_it_expires(sealed, tmp_path):
    lifecycle.open_split(sealed, "s1", "王", "July", "m")
    with pytest.raises(StateError, match="until it expires"):
        exports.export(sealed, "s1", "jsonl", tmp_path / "out", person="王")
    with pytest.raises(StateError, match="none is open for"):
        try_out(sealed, EvaluationRequest("s1", PARAMS), person="王")
    written = search.export_items(sealed, Filters(), tmp_path / "items.jsonl", viewer="王")
    assert (written.written, written.sealed) == (0, 2)
    lifecycle.expire(sealed, "s1", "王")
    assert exports.export(sealed, "s1", "jsonl", tmp_path / "out", person="王").items == 2
    evaluate(sealed)


def test_the_plan_says_beforehand_which_model_is_refused(sealed):
    lifecycle.open_split(sealed, "s1", "王", "July", "m")
    plan = Planner(sealed).plan(EvaluationRequest("s1", PARAMS))
    assert any(check.severity == "stop" and MODEL in check.text for check in plan.findings)


def test_a_policy_is_set_when_a_frozen_split_is_sealed_and_never_later(sealed, tmp_path):
    with pytest.raises(StateError, match="only a frozen split"):
        lifecycle.seal(sealed, "s1", "王", openings.ONCE)


def test_without_a_policy_openings_are_as_free_as_before(ws):
    make_task(ws)
    people.ensure_person(ws, "王", "lead")
    people.ensure_person(ws, "li", "specialist")
    accept_all(ws, write_items(ws, 2), "li")
    freeze.freeze(ws, "s1", BENCHMARK, "王")
    lifecycle.seal(ws, "s1", "王")
    for reason in ("one", "two"):
        lifecycle.open_split(ws, "s1", "王", reason)
        evaluate(ws)


def test_the_database_refuses_the_same(sealed):
    lifecycle.open_split(sealed, "s1", "王", "July", MODEL)
    evaluate(sealed)
    with sealed.reading() as session:
        split = split_states.split_in(session, "s1").id
    with (
        pytest.raises((DBAPIError, BenchsealError), match="once for each opening"),
        sealed.writing() as session,
    ):
        runs.add(session, "x", "evaluate", split_id=split, params={"engine": MODEL})
    for data, sentence in (
        ({"state": "opened", "reason": "again", "model": MODEL}, "second lead"),
        ({"state": "opened", "reason": "again"}, "names a model"),
    ):
        event = NewEvent(EventKind.SPLIT, "王", subject="s1", data=data)
        with (
            pytest.raises((DBAPIError, BenchsealError), match=sentence),
            sealed.writing() as session,
        ):
            ledger.append(session, event)
    assert lifecycle.split_life(sealed, "s1").openings == 1


def _refused(ws, sentence, write):
    with pytest.raises((DBAPIError, BenchsealError), match=sentence), ws.writing() as session:
        write(session, split_states.split_in(session, "s1").id)


def _entered(run_id, kind, **given):
    """What enters a run on the split as a statement of one's own would."""
    return lambda session, split: runs.add(
        session, run_id, kind, **{"split_id": split, "params": {"engine": MODEL}, **given}
    )


@pytest.mark.parametrize("kind", ["evaluate", "adaptive"])
@pytest.mark.parametrize("then", ["evaluate", "adaptive"])
def test_the_database_counts_every_kind_of_run_that_asks_a_model(sealed, kind, then):
    with sealed.reading() as session:
        split = split_states.split_in(session, "s1").id
    _refused(sealed, "once for each opening", _entered("x", kind))
    lifecycle.open_split(sealed, "s1", "王", "July", MODEL)
    with sealed.writing() as session:
        _entered("x", kind)(session, split)
    _refused(sealed, "once for each opening", _entered("y", then))
    # people are asked under a name as well
    _refused(sealed, "once for each opening",
             _entered("p", then, params={"engine": "people", "model": "our students"}))  # fmt: skip
    assert [one.run for one in lifecycle.split_life(sealed, "s1").opened_for] == ["x"]


def test_the_database_knows_a_run_on_the_split_by_any_name(sealed):
    lifecycle.open_split(sealed, "s1", "王", "July", MODEL)
    run = evaluate(sealed).spec().id
    others = "evaluations and their judges alone"
    for kind in ("finetune", "matrix", "generate", "prescreen"):
        _refused(sealed, others, _entered("x", kind))
    # a run that hides which split it asks
    _refused(sealed, others, _entered("x", "evaluate", split_id=None,
                                      params={"engine": MODEL, "split": "s1"}))  # fmt: skip
    _refused(sealed, others, _entered("x", "judge", params={"model": "j", "of": "nothing"}))
    with sealed.writing() as session:
        split = split_states.split_in(session, "s1").id
        _entered("j", "judge", params={"model": "j", "of": run})(session, split)
    # and a simulation, whose run names no split
    told = {"kind": "finetune", "split": "s1", "items": 2, "digest": ""}
    event = NewEvent(EventKind.RUN, "王", subject="f", data=told)
    _refused(sealed, others, lambda session, _: ledger.append(session, event))
    event = NewEvent(EventKind.SPLIT, "王", subject="s1", data={"exported": "jsonl", "items": 2})
    _refused(sealed, others, lambda session, _: ledger.append(session, event))


def test_a_run_stays_one_of_its_model_and_of_its_split(sealed):
    lifecycle.open_split(sealed, "s1", "王", "July", MODEL)
    run = evaluate(sealed).spec().id
    with sealed.reading() as session:
        params = runs.get(session, run).params
    for change in ({"engine": "baseline:longest"}, {"model": "another"}, {"split": "s2"}):
        _refused(sealed, "stays one of its model",
                 lambda session, _, new=change: runs.set_params(session, run, {**params, **new})
                 )  # fmt: skip
    with sealed.writing() as session:
        runs.set_params(session, run, {**params, "concurrency": 2})
        ledger.note(session, EventKind.RUN)


def test_each_opening_allows_one_trial_of_its_model(sealed):
    lifecycle.open_split(sealed, "s1", "王", "July", MODEL)
    assert not try_out(sealed, EvaluationRequest("s1", PARAMS), person="王").error
    again = PARAMS.model_copy(update={"seed": 7})  # which would draw other items
    with pytest.raises(StateError, match="one trial run for each opening"):
        try_out(sealed, EvaluationRequest("s1", again), person="王")
    told = {"act": "trial", "split": "s1", "items": 2, "digest": "", "for": MODEL}
    event = NewEvent(EventKind.READING, "王", subject="s1", data=told)
    _refused(sealed, "tried out once", lambda session, _: ledger.append(session, event))
    evaluate(sealed)


def test_what_the_policy_holds_up_ends_with_the_split(sealed):
    lifecycle.expire(sealed, "s1", "王")
    with sealed.writing() as session:
        split = split_states.split_in(session, "s1").id
        for number, kind in enumerate(("evaluate", "adaptive", "finetune", "evaluate")):
            _entered(f"r{number}", kind)(session, split)
        ledger.note(session, EventKind.RUN)
