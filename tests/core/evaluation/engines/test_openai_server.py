"""The engine for OpenAI-compatible servers, against a real one that misbehaves."""

from pathlib import Path

import pytest

from core.errors import OutsideError
from core.evaluation.engines import engine
from core.evaluation.types import Answer, EngineContext, EngineParams, Question
from core.llm.keys import allow_server
from tests.questions import work_rows
from tests.servers.model_server import LoopbackModel, Policy, asked_text
from tests.splits import make_split

OPENAI = engine("openai")


def ask(server: LoopbackModel, folder: Path, count: int = 6, **more) -> list[Answer]:
    given = EngineParams(engine="openai", model="test-model", base_url=server.url, **more)
    asked = [Question.from_json(row) for row in work_rows(make_split(count))]
    return list(OPENAI.answer(asked, EngineContext(given, folder)))


def test_the_request_is_that_of_the_paper(tmp_path: Path):
    with LoopbackModel(answer=lambda body: "A") as server:
        ask(server, tmp_path, 1)
        (seen,) = server.seen
    assert seen.path == "/completions"
    assert seen.body["temperature"] == 0.0
    assert seen.body["max_tokens"] == 50
    assert seen.body["stop"] == [".", ","]
    assert seen.body["prompt"] == work_rows(make_split(1))[0]["prompt"]


def test_chat_mode_sends_the_prompt_as_one_user_turn(tmp_path: Path):
    with LoopbackModel(answer=lambda body: "A") as server:
        (answer,) = ask(server, tmp_path, 1, mode="chat", system="Be brief.", max_tokens=7)
        (seen,) = server.seen
    assert [turn["role"] for turn in seen.body["messages"]] == ["system", "user"]
    assert seen.body["max_tokens"] == 7
    assert answer.notes["mode"] == "chat"


@pytest.mark.parametrize("status", [400, 404, 501])
def test_a_server_without_plain_completion_is_asked_by_chat(tmp_path: Path, status: int):
    def chat_only(body: dict):
        if "messages" in body:
            return "Selection 1"
        return {"status": status, "body": {"error": {"message": "this is a chat model"}}}

    with LoopbackModel(answer=chat_only) as server:
        answers = ask(server, tmp_path)
    assert [answer.text for answer in answers] == ["Selection 1"] * 6
    assert {answer.notes["mode"] for answer in answers} == {"chat"}


def test_every_kind_of_bad_reply_is_counted_as_what_it_is(tmp_path: Path):
    told = {
        "item-0": {"content": "Selection 2"},
        "item-1": {"content": "I think it is", "finish_reason": "length"},
        "item-2": {"content": "", "reasoning_content": "hm, hm", "finish_reason": "length"},
        "item-3": {"content": None, "refusal": "I must not."},
        "item-4": {"content": ""},
        "item-5": {"content": "<think>A? no</think>B"},
    }

    def by_item(body: dict):
        name = next(name for name in told if f"（{name}）" in asked_text(body))
        return told[name]

    with LoopbackModel(answer=by_item) as server:
        found = {answer.id: answer for answer in ask(server, tmp_path, mode="chat")}
    assert {name: answer.outcome for name, answer in found.items()} == {
        "item-0": "ok",
        "item-1": "truncated",
        "item-2": "thinking_truncated",
        "item-3": "refused",
        "item-4": "empty",
        "item-5": "ok",
    }
    assert (found["item-5"].text, found["item-5"].thinking) == ("B", "A? no")
    assert found["item-0"].prompt_tokens > 0


def test_a_question_that_the_server_never_answers_is_a_failed_one(tmp_path: Path):
    def moody(body: dict):
        if "（item-2）" in asked_text(body):
            return {"status": 422, "body": {"error": {"message": "too long"}}}
        return "A"

    with LoopbackModel(answer=moody) as server:
        found = {answer.id: answer for answer in ask(server, tmp_path)}
    assert found["item-2"].outcome == "failed"
    assert "too long" in found["item-2"].error
    assert sum(answer.outcome == "ok" for answer in found.values()) == 5


def test_nobody_at_the_address_ends_the_run_with_one_sentence(tmp_path: Path):
    with LoopbackModel() as server:
        pass
    with pytest.raises(OutsideError, match=server.url):
        ask(server, tmp_path, retries=0)


def test_a_wrong_key_ends_the_run_and_the_key_is_in_no_message(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("BENCHSEAL_API_KEY", "wrong-key-1234")
    with LoopbackModel(Policy(key="right")) as server:
        allow_server(server.url, variable="BENCHSEAL_API_KEY")
        with pytest.raises(OutsideError, match="key") as caught:
            ask(server, tmp_path)
    assert "wrong-key-1234" not in str(caught.value)


def test_the_token_budget_ends_the_asking_and_leaves_the_rest(tmp_path: Path):
    with LoopbackModel(answer=lambda body: "A") as server:
        answers = ask(server, tmp_path, 24, budget_tokens=600, concurrency=1)
    assert 0 < len(answers) < 24


def test_a_held_choice_is_recorded_when_the_server_kept_to_the_options(tmp_path: Path):
    def holds(body: dict) -> str:
        return body["structured_outputs"]["choice"][1]

    with LoopbackModel(answer=holds) as server:
        answers = ask(server, tmp_path, 3, answer_by="choice")
    assert {answer.choice for answer in answers} == {"Selection 2", "B"}
    with LoopbackModel(answer=lambda body: "Perhaps B") as server:
        answers = ask(server, tmp_path, 3, answer_by="choice")
    assert {answer.choice for answer in answers} == {None}


def thinker(body: dict) -> dict:
    """Thinks in sentences before it answers; a server cuts at the first stop string it is told."""
    thoughts = "The texts differ. So, it is the second."
    cut = [place for stop in body.get("stop") or () if (place := thoughts.find(stop)) >= 0]
    if body.get("chat_template_kwargs", {}).get("enable_thinking") is False:
        return {"content": "Selection 1"}
    if cut:
        return {"content": None, "reasoning_content": thoughts[: min(cut)]}
    return {"content": "Selection 2. I am sure", "reasoning_content": thoughts}


def test_a_stop_string_inside_the_thinking_cuts_no_answer(tmp_path: Path):
    with LoopbackModel(answer=thinker) as server:
        answers = ask(server, tmp_path, mode="chat")
        asked = len(server.seen)
    assert {(a.text, a.outcome) for a in answers} == {("Selection 2", "ok")}
    assert sorted(answer.id for answer in answers) == [f"item-{n}" for n in range(6)]
    assert asked == 12  # once with stops, once without
    with LoopbackModel(answer=thinker) as server:
        told = ask(server, tmp_path, mode="chat", enable_thinking=True)
        assert len(server.seen) == 6
        assert not any(seen.body.get("stop") for seen in server.seen)
    assert {(a.text, a.outcome) for a in told} == {("Selection 2", "ok")}


def test_thinking_is_switched_off_and_a_template_has_its_arguments(tmp_path: Path):
    with LoopbackModel(answer=thinker) as server:
        more = {"enable_thinking": False, "template_args": {"style": "short"}}
        (answer,) = ask(server, tmp_path, 1, mode="chat", **more)
        (seen,) = server.seen
    assert seen.body["chat_template_kwargs"] == {"style": "short", "enable_thinking": False}
    assert (answer.text, answer.thinking) == ("Selection 1", "")


def test_the_settings_of_sampling_are_sent_where_they_are_not_the_usual_ones(tmp_path: Path):
    with LoopbackModel(answer=lambda body: "A") as server:
        ask(server, tmp_path, 1, repetition_penalty=1.2, top_p=0.9)
        (seen,) = server.seen
    assert (seen.body["repetition_penalty"], seen.body["top_p"]) == (1.2, 0.9)
    assert "top_k" not in seen.body
