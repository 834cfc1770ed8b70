"""The suite that every engine passes: order, resume, stop, errors, usage."""

import random
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from core.errors import InputError, NotFoundError, OutsideError
from core.evaluation.engines import ENGINES, engine
from core.evaluation.types import Answer, Engine, EngineContext, EngineParams, Question
from core.i18n import LANGUAGES
from tests.messages import translated
from tests.questions import work_rows
from tests.servers.model_server import LoopbackModel, Policy, asked_text
from tests.splits import make_split

EVERY = pytest.mark.parametrize("kind", ENGINES, ids=lambda kind: kind.name)
# those that load a model themselves are asked in tests/vllm
LIGHT = pytest.mark.parametrize(
    "kind",
    [kind for kind in ENGINES if kind.needs_server or not kind.needs_model],
    ids=lambda kind: kind.name,
)


def picks(body: dict) -> str:
    """A model that always says the same to the same question."""
    letter = random.Random(asked_text(body)).choice("ABCD")
    number = "ABCD".index(letter) + 1
    return letter if "Texts:" in asked_text(body) else f"Selection {number}"


@pytest.fixture
def server() -> Iterator[LoopbackModel]:
    with LoopbackModel(Policy(), answer=picks) as running:
        yield running


def params(kind: Engine, server: LoopbackModel, **more) -> EngineParams:
    return EngineParams(engine=kind.name, model="test-model", base_url=server.url, **more)


def questions(count: int) -> list[Question]:
    return [Question.from_json(row) for row in work_rows(make_split(count))]


def ask(kind: Engine, asked: list[Question], given: EngineParams, folder: Path) -> list[Answer]:
    return list(kind.answer(asked, EngineContext(given, folder)))


def texts(answers: list[Answer]) -> dict[str, str]:
    return {answer.id: answer.text for answer in answers}


@EVERY
def test_an_engine_is_found_by_its_name_and_documented(kind: Engine):
    assert engine(kind.name) is kind
    assert [other.name for other in ENGINES].count(kind.name) == 1
    assert all(kind.title in translated(language) for language in LANGUAGES if language != "en")
    assert type(kind).__doc__


def test_an_unknown_engine_is_named_in_the_error():
    with pytest.raises(NotFoundError, match="oracle"):
        engine("oracle")


@EVERY
def test_an_engine_says_whether_it_is_usable_here_and_else_what_to_install(kind: Engine):
    here = kind.available()
    assert here.usable or here.reason


@LIGHT
def test_every_question_gets_one_answer(kind: Engine, server: LoopbackModel, tmp_path: Path):
    asked = questions(12)
    answers = ask(kind, asked, params(kind, server), tmp_path)
    assert sorted(answer.id for answer in answers) == sorted(q.id for q in asked)
    assert {answer.outcome for answer in answers} == {"ok"}
    assert all(answer.text for answer in answers)


@LIGHT
def test_order_and_company_change_no_answer(kind: Engine, server: LoopbackModel, tmp_path: Path):
    asked = questions(12)
    together = texts(ask(kind, asked, params(kind, server), tmp_path))
    shuffled = random.Random(1).sample(asked, len(asked))
    assert texts(ask(kind, shuffled, params(kind, server), tmp_path)) == together
    apart: dict[str, str] = {}
    for shard in range(4):
        apart |= texts(ask(kind, asked[shard::4], params(kind, server), tmp_path))
    assert apart == together


@LIGHT
def test_nothing_to_ask_is_no_error(kind: Engine, server: LoopbackModel, tmp_path: Path):
    assert ask(kind, [], params(kind, server), tmp_path) == []


@LIGHT
def test_an_engine_stops_when_asked_to(kind: Engine, server: LoopbackModel, tmp_path: Path):
    asked = questions(60)
    done: list[Answer] = []
    context = EngineContext(
        params(kind, server, concurrency=2), tmp_path, stopping=lambda: len(done) >= 5
    )
    for answer in kind.answer(asked, context):
        done.append(answer)
    assert 5 <= len(done) < 20


@LIGHT
def test_free_questions_without_choices_are_answered_or_counted_empty(
    kind: Engine, server: LoopbackModel, tmp_path: Path
):
    free = [replace(q, choices=(), choice_texts=()) for q in questions(3)]
    answers = ask(kind, free, params(kind, server), tmp_path)
    assert len(answers) == 3
    assert all(answer.outcome == ("ok" if answer.text else "empty") for answer in answers)


@EVERY
def test_a_way_of_answering_that_an_engine_lacks_is_refused(kind: Engine, server: LoopbackModel):
    lacking = {"generation", "choice", "loglikelihood"} - set(kind.answers_by)
    for way in lacking:
        with pytest.raises(InputError, match=way):
            kind.require(params(kind, server, answer_by=way))


@EVERY
def test_a_missing_model_or_address_is_refused_before_anything_starts(kind: Engine):
    if kind.needs_model:
        with pytest.raises(InputError, match="model"):
            kind.require(EngineParams(engine=kind.name, base_url="http://localhost:1/v1"))
    if kind.needs_server:
        with pytest.raises(InputError, match="address"):
            kind.require(EngineParams(engine=kind.name, model="m"))


@EVERY
def test_an_engine_that_cannot_run_here_says_so_as_something_outside(
    kind: Engine, server: LoopbackModel
):
    if kind.available().usable:
        kind.require(params(kind, server, answer_by=kind.answers_by[0]))
    else:
        with pytest.raises(OutsideError):
            kind.require(params(kind, server, answer_by=kind.answers_by[0]))


@LIGHT
def test_versions_are_recorded(kind: Engine, server: LoopbackModel):
    assert kind.versions(params(kind, server))
