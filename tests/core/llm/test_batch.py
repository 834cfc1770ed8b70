"""Asking a real server on loopback that misbehaves."""

import logging
import time
from collections import Counter
from email.utils import formatdate

import pytest

from core.errors import OutsideError
from core.llm.batch import ask_all, work_all
from core.llm.keys import allow_server
from core.llm.replies import json_schema
from core.llm.session import ServerSession
from core.llm.types import ChatRequest, ModelServer, Reply
from core.screening.gate_prompt import GateVerdict
from tests.polling import becomes_true
from tests.servers.model_server import LoopbackModel, Policy


def requests(count: int, **rest: object) -> list[ChatRequest]:
    return [ChatRequest.of(f"item-{i}", f"What of item-{i}?", **rest) for i in range(count)]


def test_every_request_gets_its_own_reply_whatever_goes_wrong_on_the_way() -> None:
    policy = Policy(
        rate_429=0.1, rate_500=0.1, rate_drop=0.05, rate_html=0.05, retry_after="0.05",
        answer="echo",
    )  # fmt: skip
    with LoopbackModel(policy) as model:
        replies = dict(ask_all(ModelServer(model.url, "m"), requests(200), concurrency=16))
        assert all(replies[f"item-{i}"].text == f"What of item-{i}?" for i in range(200))
        assert set(model.fates()) == {"ok", "429", "500", "drop", "html"}
        tries = model.asked()
    assert {id: reply.attempts for id, reply in replies.items()} == dict(tries)


def test_replies_arrive_one_by_one_and_not_at_the_end() -> None:
    with LoopbackModel(Policy(latency_s=0.05)) as model:
        replies = ask_all(ModelServer(model.url, "m"), requests(40), concurrency=2)
        next(replies)
        assert len(model.seen) <= 4
        replies.close()
        # nothing goes on behind the caller's back
        assert not becomes_true(lambda: len(model.seen) > 4, 0.15)


def test_no_more_requests_are_on_their_way_than_the_limit_and_no_request_is_made_up_early() -> None:
    made = 0

    def endless():  # type: ignore[no-untyped-def]  # a test's helper
        nonlocal made
        while True:
            made += 1
            yield ChatRequest.of(f"item-{made}", f"item-{made}")

    with LoopbackModel(Policy(latency_s=0.02)) as model:
        replies = ask_all(ModelServer(model.url, "m"), endless(), concurrency=5)
        for _ in range(50):
            next(replies)
        replies.close()
    assert made <= 60
    overlaps = [
        sum(other.at <= seen.at < other.at + 0.02 for other in model.seen) for seen in model.seen
    ]
    assert max(overlaps) <= 6  # five, and one whose answer is just being read


def test_a_wait_that_the_server_asks_for_does_not_hold_up_the_others() -> None:
    def answer(body: dict) -> object:
        text = body["messages"][-1]["content"]
        if "item-5?" in text and model.asked()["item-5"] == 1:
            return {"status": 429, "headers": {"Retry-After": "4"}, "body": {}}
        return "fine"

    with LoopbackModel(Policy(latency_s=0.01), answer=answer) as model:
        order = list(ask_all(ModelServer(model.url, "m"), requests(30), concurrency=1))
    assert order[-1][0] == "item-5"
    assert order[-1][1].server_waits_s >= 4
    arrivals = [seen.at for seen in model.seen]
    assert [seen.tag for seen in model.seen].index("item-5") == 5
    assert model.seen[-1].tag == "item-5"  # all others went in the meantime
    assert arrivals[30] - arrivals[5] >= 4.0


def test_an_http_date_in_retry_after_is_honoured() -> None:
    def answer(body: dict) -> object:
        if len(model.seen) > 1:
            return "fine"
        ahead = formatdate(time.time() + 2, usegmt=True)
        return {"status": 503, "headers": {"Retry-After": ahead}, "body": {}}

    with LoopbackModel(answer=answer) as model:
        ((_, reply),) = ask_all(ModelServer(model.url, "m"), requests(1))
    assert reply.outcome == "ok"
    assert model.seen[1].at - model.seen[0].at >= 0.9  # HTTP dates have whole seconds


def test_a_server_with_a_rate_limit_is_followed_without_losing_a_request() -> None:
    policy = Policy(requests_per_second=40, retry_after="0.3")
    with LoopbackModel(policy) as model:
        replies = list(ask_all(ModelServer(model.url, "m"), requests(100), concurrency=32))
    assert Counter(reply.outcome for _, reply in replies) == {"ok": 100}
    assert model.fates()["429"] < 200


def test_a_refused_connection_ends_at_once_and_names_the_address() -> None:
    with pytest.raises(OutsideError, match=r"http://127\.0\.0\.1:9/v1"):
        list(ask_all(ModelServer("http://127.0.0.1:9", "m"), requests(1000), concurrency=8))


def test_an_unknown_host_ends_at_once(outside_attempts: list[str]) -> None:
    allow_server("http://nowhere.invalid")
    with pytest.raises(OutsideError, match=r"nowhere\.invalid"):
        list(ask_all(ModelServer("http://nowhere.invalid", "m"), requests(3)))
    assert all("nowhere.invalid" in attempt for attempt in outside_attempts)


def test_a_server_that_dies_on_the_way_stops_the_run_and_keeps_what_was_finished() -> None:
    with LoopbackModel(Policy(latency_s=0.01)) as model:
        server = ModelServer(model.url, "m", retries=1)
        replies = ask_all(server, requests(500), concurrency=4)
        got = [next(replies) for _ in range(20)]
    with pytest.raises(OutsideError, match="Could not connect to the server"):
        got.extend(replies)
    assert all(reply.outcome in ("ok", "failed") for _, reply in got)
    assert sum(reply.outcome == "ok" for _, reply in got) >= 20


@pytest.mark.parametrize(("answer", "sentence"), [
    ({"status": 401, "body": {"error": {"message": "bad key"}}}, "BENCHSEAL_API_KEY"),
    ({"status": 403, "body": {"error": {"message": "no"}}}, "did not accept the key"),
    ({"status": 404, "body": {"error": {"message": "no m"}}}, "does not offer the model “m”"),
    ({"status": 429, "body": {"error": {"code": "insufficient_quota", "message": "pay"}}}, "quota"),
    ({"status": 429, "headers": {"Retry-After": "90000"}, "body": {}}, "1,500 minutes"),
])  # fmt: skip
def test_what_would_fail_for_every_request_stops_the_run_after_a_few(
    answer: dict, sentence: str
) -> None:
    with LoopbackModel(Policy(latency_s=0.01), answer=lambda body: answer) as model:
        with pytest.raises(OutsideError, match=sentence):
            list(ask_all(ModelServer(model.url, "m"), requests(500), concurrency=4))
        assert len(model.seen) <= 8


def test_a_server_that_fails_every_request_is_given_up_after_a_few() -> None:
    with LoopbackModel(Policy(rate_500=1.0)) as model:
        with pytest.raises(OutsideError, match=r"answer any request successfully \(planted 500\)"):
            list(ask_all(ModelServer(model.url, "m", retries=1), requests(500), concurrency=4))
        assert len(model.seen) < 20


def test_one_bad_request_fails_alone_and_says_why() -> None:
    def answer(body: dict) -> object:
        if "item-3?" in body["messages"][-1]["content"]:
            return {"status": 400, "body": {"error": {"message": "the context is too long"}}}
        return "fine"

    with LoopbackModel(answer=answer) as model:
        replies = dict(ask_all(ModelServer(model.url, "m"), requests(10)))
        assert model.asked()["item-3"] == 1
    assert replies["item-3"].outcome == "failed"
    assert replies["item-3"].error == "the context is too long"
    assert Counter(reply.outcome for reply in replies.values()) == {"ok": 9, "failed": 1}


def test_an_item_that_always_fails_is_failed_and_the_rest_goes_on() -> None:
    def answer(body: dict) -> object:
        text = body["messages"][-1]["content"]
        return {"status": 500, "body": {}} if "item-3?" in text else "fine"

    with LoopbackModel(Policy(latency_s=0.01), answer=answer) as model:
        replies = dict(ask_all(ModelServer(model.url, "m", retries=2), requests(10)))
        assert model.asked()["item-3"] == 3
    assert replies["item-3"].status == 500
    assert sum(reply.outcome == "ok" for reply in replies.values()) == 9


def test_a_hanging_request_times_out_and_is_tried_again() -> None:
    policy = Policy(rate_hang=0.2, hang_s=60, answer="echo", seed=3)
    with LoopbackModel(policy) as model:
        server = ModelServer(model.url, "m", timeout_s=0.3)
        replies = list(ask_all(server, requests(20), concurrency=20))
        assert model.fates()["hang"] > 0
    assert sum(reply.outcome == "ok" for _, reply in replies) >= 18


def test_the_kinds_of_replies_are_told_apart() -> None:
    said = {
        "item-0": {"content": "yes"},
        "item-1": {"content": "ye", "finish_reason": "length"},
        "item-2": {"content": None, "refusal": "I will not."},
        "item-3": {"content": "  "},
        "item-4": {"content": "x", "finish_reason": "content_filter"},
        "item-5": {"content": "<think>6 × 7 …</think>\n42"},
        "item-6": {"content": "<think>on and on", "finish_reason": "length"},
        "item-7": {"content": "42", "reasoning_content": "six sevens"},
        "item-8": {"content": [{"type": "text", "text": "par"}, {"type": "text", "text": "ts"}]},
    }

    def answer(body: dict) -> object:
        return next(v for k, v in said.items() if k + "?" in body["messages"][-1]["content"])

    with LoopbackModel(answer=answer) as model:
        replies = dict(ask_all(ModelServer(model.url, "m"), requests(9)))
    outcomes = [replies[f"item-{i}"].outcome for i in range(9)]
    assert outcomes == [
        "ok", "truncated", "refused", "empty", "refused", "ok", "truncated", "ok", "ok",
    ]  # fmt: skip
    assert (replies["item-5"].text, replies["item-5"].reasoning) == ("42", "6 × 7 …")
    assert (replies["item-6"].text, replies["item-6"].reasoning) == ("", "on and on")
    assert replies["item-7"].reasoning == "six sevens"
    assert replies["item-8"].text == "parts"


@pytest.mark.parametrize("body", ["[]", '{"choices": []}', '{"choices": 3}', '{"error": "x"}', "7"])
def test_an_answer_of_no_known_shape_is_a_failure_not_a_crash(body: str) -> None:
    import json

    told = {"status": 200, "body": json.loads(body)}
    with LoopbackModel(answer=lambda _: told) as model:
        ((_, reply),) = ask_all(ModelServer(model.url, "m", retries=1), requests(1))
    assert reply.outcome == "failed"


def test_a_wrong_content_type_does_not_matter() -> None:
    with LoopbackModel(Policy(rate_wrong_type=1.0, answer="text:fine")) as model:
        ((_, reply),) = ask_all(ModelServer(model.url, "m"), requests(1))
    assert reply.text == "fine"


@pytest.mark.parametrize(
    "message", ["Extra inputs are not permitted: response_format", "Bad Request"]
)
def test_a_server_that_refuses_the_json_schema_is_asked_without_and_that_is_remembered(
    message: str,
) -> None:
    sessions: list[ServerSession] = []
    policy = Policy(refuse_fields={"response_format": message})
    with LoopbackModel(policy) as model:
        asked = requests(20, schema=json_schema(GateVerdict))
        replies = list(
            ask_all(ModelServer(model.url, "m"), asked, concurrency=2, watch=sessions.append)
        )
        assert model.fates()["refuse:response_format"] <= 2
    assert all(reply.outcome == "ok" for _, reply in replies)
    assert sessions[0].usage.adaptations == {"response_format"}


def test_an_unexplained_refusal_is_not_blamed_on_the_schema_for_good() -> None:
    def answer(body: dict) -> object:
        if "item-0?" in body["messages"][-1]["content"]:
            return {"status": 400, "body": {"error": {"message": "too long"}}}
        return "fine"

    with LoopbackModel(answer=answer) as model:
        asked = requests(5, schema=json_schema(GateVerdict))
        replies = dict(ask_all(ModelServer(model.url, "m"), asked, concurrency=1))
        assert all("response_format" in seen.body for seen in model.seen if seen.tag != "item-0")
    assert replies["item-0"].outcome == "failed"


def test_newer_names_of_fields_are_used_where_the_server_asks_for_them() -> None:
    said = "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."
    policy = Policy(refuse_fields={"max_tokens": said, "temperature": "temperature: only 1"})
    with LoopbackModel(policy) as model:
        replies = list(ask_all(ModelServer(model.url, "m"), requests(3, max_tokens=50)))
        assert model.seen[-1].body["max_completion_tokens"] == 50
        assert "temperature" not in model.seen[-1].body
    assert all(reply.outcome == "ok" for _, reply in replies)


def test_the_budget_stops_the_asking_close_to_the_limit() -> None:
    sessions: list[ServerSession] = []
    with LoopbackModel(Policy(latency_s=0.01, answer="text:" + "word " * 80)) as model:
        server = ModelServer(model.url, "m")
        replies = list(
            ask_all(server, requests(200), concurrency=16, budget_tokens=2000,
                    watch=sessions.append)
        )  # fmt: skip
    each = replies[0][1].tokens
    used = sessions[0].usage.tokens
    assert 2000 - each <= used <= 2000 + each
    assert len(replies) == round(used / each) < 200
    left = list(ask_all(server, requests(5), budget_tokens=2000, tokens_used=used + each))
    assert left == []


def test_tokens_are_estimated_where_the_server_counts_none() -> None:
    with LoopbackModel(Policy(usage=False, answer="text:模型的回答 and more")) as model:
        ((_, reply),) = ask_all(ModelServer(model.url, "m"), requests(1))
    assert reply.tokens_estimated
    assert reply.completion_tokens == 5 + 3
    assert reply.prompt_tokens > 0


def test_a_stop_lets_what_is_on_its_way_finish_and_drops_what_waits() -> None:
    stop = False
    policy = Policy(latency_s=0.05, rate_429=0.3, retry_after="30")
    with LoopbackModel(policy) as model:
        replies = ask_all(
            ModelServer(model.url, "m"), requests(500), concurrency=4, stopping=lambda: stop
        )
        got = [next(replies) for _ in range(8)]
        stop = True
        asked = Counter(seen.tag for seen in model.seen)
        got += list(replies)
    answered = {seen.tag for seen in model.seen if seen.fate == "ok"}
    assert {id for id, _ in got} == answered
    # what was on its way may have arrived since; nothing that was sent back was sent again
    again = {tag for tag, count in model.asked().items() if asked[tag] and count > asked[tag]}
    assert not again


def test_works_of_several_requests_run_side_by_side() -> None:
    async def twice(session: ServerSession, number: int) -> list[Reply]:
        first = await session.ask(ChatRequest.of("a", f"first item-{number}"))
        return [first, await session.ask(ChatRequest.of("b", f"then {first.text}"))]

    with LoopbackModel(Policy(latency_s=0.05, answer="echo")) as model:
        results = dict(work_all(ModelServer(model.url, "m"), range(20), twice, concurrency=10))
    assert results[7][1].text == "then first item-7"
    at_once = [
        sum(other.at <= seen.at < other.at + 0.05 for other in model.seen) for seen in model.seen
    ]
    assert max(at_once) > 5


def test_an_error_in_the_work_ends_all_and_is_raised() -> None:
    async def broken(session: ServerSession, number: int) -> Reply:
        reply = await session.ask(ChatRequest.of("a", f"item-{number}"))
        if number == 3:
            raise KeyError("a mistake of ours")
        return reply

    with LoopbackModel(Policy(latency_s=0.01)) as model, pytest.raises(KeyError):
        list(work_all(ModelServer(model.url, "m"), range(100), broken, concurrency=4))
    assert len(model.seen) < 20


def test_the_completion_endpoint_is_asked_with_a_prompt() -> None:
    with LoopbackModel(Policy(answer="echo")) as model:
        asked = [ChatRequest("item-1", prompt="Say item-1", stop=(".",), extra={"logprobs": 1})]
        ((_, reply),) = ask_all(ModelServer(model.url, "m"), asked)
        seen = model.seen[0]
    assert reply.text == "Say item-1"
    assert (seen.path, seen.body["stop"], seen.body["logprobs"]) == ("/completions", ["."], 1)


def test_the_key_is_sent_but_never_told(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    secret = "very-secret-key-0123456789"
    monkeypatch.setenv("BENCHSEAL_API_KEY", secret)
    monkeypatch.setenv("OPENAI_ORG_ID", "org-of-another-service")
    caplog.set_level(logging.DEBUG)
    told = {"status": 401, "body": {"error": {"message": f"Incorrect key {secret}, sk-abcdefghij"}}}
    with LoopbackModel(Policy(), answer=lambda _: told) as model:
        allow_server(model.url, variable="BENCHSEAL_API_KEY")
        server = ModelServer(model.url, "m")
        with pytest.raises(OutsideError) as caught:
            list(ask_all(server, requests(1)))
        head = model.seen[0].headers
    assert head["authorization"] == f"Bearer {secret}"
    assert "openai-organization" not in head
    chain: BaseException | None = caught.value
    while chain is not None:
        assert secret not in str(chain)
        assert "sk-abcdefghij" not in str(chain)
        chain = chain.__cause__
    assert secret not in repr(server)
    assert secret not in caplog.text


@pytest.mark.parametrize("before", [0, 270, 290, 299])
def test_a_key_is_taken_out_of_an_error_before_that_is_cut(
    monkeypatch: pytest.MonkeyPatch, before: int
) -> None:
    secret = "very-secret-key-0123456789"
    monkeypatch.setenv("BENCHSEAL_API_KEY", secret)
    message = "x" * before + " Bearer " + secret
    told = {"status": 400, "body": {"error": {"message": message}}}
    with LoopbackModel(Policy(), answer=lambda _: told) as model:
        allow_server(model.url, variable="BENCHSEAL_API_KEY")
        ((_, reply),) = ask_all(ModelServer(model.url, "m"), requests(1))
    assert reply.outcome == "failed"
    assert reply.error.startswith("x" * before)
    assert not any(secret[:n] in reply.error for n in range(4, len(secret) + 1))


def test_a_key_that_a_server_repeats_is_in_no_part_of_the_reply(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    secret = "very-secret-key-0123456789"
    monkeypatch.setenv("BENCHSEAL_API_KEY", secret)
    told = {"content": f"B {secret}", "reasoning_content": secret, "finish_reason": secret}
    with LoopbackModel(Policy(), answer=lambda _: told) as model:
        allow_server(model.url, variable="BENCHSEAL_API_KEY")
        ((_, reply),) = ask_all(ModelServer(model.url, "m"), requests(1))
    assert (reply.text, reply.reasoning) == ("B [key]", "[key]")
    assert secret not in repr(reply)
    assert secret not in str(reply.choice)
    monkeypatch.setenv("BENCHSEAL_API_KEY", "EMPTY")
    with LoopbackModel(Policy(), answer=lambda _: "EMPTY is a word") as model:
        allow_server(model.url, variable="BENCHSEAL_API_KEY")
        ((_, reply),) = ask_all(ModelServer(model.url, "m"), requests(1))
    assert reply.text == "EMPTY is a word"


def test_names_that_cannot_be_written_or_never_end_are_made_so_that_they_can() -> None:
    told = {"content": "B", "finish_reason": "st\ud800op" + "x" * 5000}
    with LoopbackModel(Policy(), answer=lambda _: told) as model:
        ((_, reply),) = ask_all(ModelServer(model.url, "m"), requests(1))
    assert reply.finish_reason.encode().startswith(b"st?op")
    assert len(reply.finish_reason) == 200


def test_without_a_key_no_authorization_is_sent() -> None:
    with LoopbackModel() as model:
        list(ask_all(ModelServer(model.url, "m"), requests(1)))
        assert "authorization" not in model.seen[0].headers


def test_a_proxy_of_the_environment_is_not_used_for_this_machine(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:9")
    with LoopbackModel() as model:
        ((_, reply),) = ask_all(ModelServer(model.url, "m"), requests(1))
    assert reply.outcome == "ok"
