"""Servers, keys, replies, the cache and embeddings."""

import contextlib
import json
import random
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from core.errors import InputError, OutsideError
from core.llm.cache import ReplyCache
from core.llm.embeddings import embed_all
from core.llm.failures import backoff_s, retry_after
from core.llm.keys import allow_server, find_key, redact
from core.llm.replies import InvalidReply, parse_json_reply
from core.llm.types import ChatRequest, ModelServer, Reply
from tests.servers.model_server import LoopbackModel, Policy


class Point(BaseModel):
    x: float
    names: tuple[str, ...] = ()


@pytest.mark.parametrize(("given_url", "url"), [
    ("http://localhost:8000", "http://localhost:8000/v1"),
    (" http://localhost:8000/v1/ ", "http://localhost:8000/v1"),
    ("https://host/api/v3/chat/completions", "https://host/api/v3"),
    ("http://[::1]:8000/v1", "http://[::1]:8000/v1"),
])  # fmt: skip
def test_addresses_are_read_as_people_write_them(given_url: str, url: str) -> None:
    assert ModelServer(given_url, "m").base_url == url


@pytest.mark.parametrize("url", [
    "", "localhost:8000", "ftp://host/v1", "http://", "http://host:99999/v1", "http://[::1",
    "file:///etc/passwd", "https://me:secret@host/v1", "me:secret@host/v1",
    "http://host/v1?api_key=secret", "http://host/v1?version=secret", "http://me:secret@[::1",
    "http://host/v1#secret", "http://host/v1?",
])  # fmt: skip
def test_unusable_addresses_are_refused_without_repeating_a_password(url: str) -> None:
    with pytest.raises(InputError) as caught:
        ModelServer(url, "m")
    assert "secret" not in str(caught.value)


def test_a_server_needs_a_model() -> None:
    with pytest.raises(InputError, match="No model given"):
        ModelServer("http://localhost:1", " ")


@pytest.mark.parametrize("key", ["geheim–schlüssel", "two\nlines", "密钥"])
def test_a_key_that_cannot_be_sent_is_refused_without_repeating_it(
    monkeypatch: pytest.MonkeyPatch, key: str
) -> None:
    monkeypatch.setenv("BENCHSEAL_API_KEY", key)
    allow_server("http://localhost:1", variable="BENCHSEAL_API_KEY")
    with pytest.raises(InputError, match="BENCHSEAL_API_KEY") as caught:
        find_key(ModelServer("http://localhost:1", "m"))
    assert key not in str(caught.value)


def test_redacting_hides_given_known_and_likely_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "from-the-environment")
    text = "own from-the-environment sk-proj-ABCDEFGH123 Authorization: Bearer abcdefghijk end"
    assert redact(text, "own-key") == "own [key] [key] Authorization: [key] end"
    assert redact("an own-key here", "own-key") == "an [key] here"


@pytest.mark.parametrize("text", [
    '{"x": 1}', '  {"x": 1.5}\n', '```json\n{"x": 1}\n```', '```\n{"x": 1}```',
    '{"x": 1, "names": ["好", "b"]}',
])  # fmt: skip
def test_one_json_object_is_read(text: str) -> None:
    assert parse_json_reply(text, Point).x in (1.0, 1.5)


@pytest.mark.parametrize("text", [
    "", "x", "[]", "1", "null", '{"x": 1} and so on', 'Sure: {"x": 1}', '{"x": 1', '{"x": "1"}',
    '{"x": true}', '{"x": NaN}', '{"x": Infinity}', '{"x": null}', "{}", '{"x": 1, "x": 2}',
    "{'x': 1}", '{"x": 1,}', "[" * 100_000, '{"x": ' + "9" * 5000 + "}", '{"x": 1}{"x": 1}',
    '```json\n{"x": 1}\n``` done', "__import__('os').getcwd()",
])  # fmt: skip
def test_anything_but_one_json_object_of_the_right_types_is_invalid(text: str) -> None:
    with pytest.raises(InvalidReply):
        parse_json_reply(text, Point)


@given(st.text())
def test_no_text_makes_the_parser_fall_over(text: str) -> None:
    with contextlib.suppress(InvalidReply):
        parse_json_reply(text, Point)


def test_text_that_cannot_be_stored_is_cleaned() -> None:
    class Said(BaseModel):
        text: str

    assert parse_json_reply('{"text": "a\\ud800b\\u0000c"}', Said).text == "a?bc"


def test_retry_after_is_read_in_all_its_forms() -> None:
    now = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
    assert retry_after({"retry-after": "3"}, now) == 3
    assert retry_after({"retry-after": "1.5"}, now) == 1.5
    assert retry_after({"retry-after": "Fri, 02 Jan 2026 03:04:15 GMT"}, now) == 10
    assert retry_after({"retry-after": "Fri, 02 Jan 2026 03:04:00 GMT"}, now) == 0
    assert retry_after({"retry-after-ms": "250", "retry-after": "9"}, now) == 0.25
    assert retry_after({"retry-after": "-4"}, now) == 0
    for unusable in ({}, {"retry-after": "soon"}, {"retry-after": ""}, {"retry-after": "nan"}):
        assert retry_after(unusable, now) is None


def test_back_off_grows_with_jitter_up_to_half_a_minute() -> None:
    draw = random.Random(1)
    waits = [backoff_s(attempt, draw) for attempt in range(30)]
    assert 0.05 <= waits[0] <= 0.1
    assert all(15 <= wait <= 30 for wait in waits[10:])
    assert len(set(waits[10:])) > 10


def test_the_cache_keeps_good_replies_by_what_was_asked(tmp_path: Path) -> None:
    cache = ReplyCache(tmp_path / "cache")
    here, there = ModelServer("http://a", "m"), ModelServer("http://b", "m")
    asked = ChatRequest.of("1", "Who?", max_tokens=5)
    key = cache.key(here, asked, "v1")
    assert key == cache.key(there, ChatRequest.of("2", "Who?", max_tokens=5), "v1")
    others = {
        cache.key(here, asked, "v2"),
        cache.key(ModelServer("http://a", "n"), asked, "v1"),
        cache.key(here, ChatRequest.of("1", "Whom?", max_tokens=5), "v1"),
        cache.key(here, ChatRequest.of("1", "Who?", max_tokens=6), "v1"),
        cache.key(here, ChatRequest.of("1", "Who?", max_tokens=5, temperature=1.0), "v1"),
    }
    assert key not in others
    assert len(others) == 5
    assert cache.get(key) is None
    reply = Reply("我", prompt_tokens=3, completion_tokens=1, model="m", latency_s=0.5)
    cache.put(key, reply)
    assert ReplyCache(tmp_path / "cache").get(key) == reply
    for bad in ("truncated", "refused", "empty", "failed"):
        cache.put("0" * 64, Reply("x", outcome=bad))  # type: ignore[arg-type]  # a loop over them
    assert cache.get("0" * 64) is None


def test_a_damaged_cache_file_counts_as_absent(tmp_path: Path) -> None:
    cache = ReplyCache(tmp_path)
    cache.put("ab" * 32, Reply("x"))
    (file,) = tmp_path.glob("*/*.json")
    for broken in (b"", b"{", b"\xff\xfe", b"[]", b'{"text": "x"}'):
        file.write_bytes(broken)
        assert cache.get("ab" * 32) is None


def test_embeddings_come_back_in_the_order_of_the_texts() -> None:
    texts = [f"text number {i}" for i in range(150)] + [""]
    with LoopbackModel(Policy(rate_500=0.2, dimensions=16)) as model:
        server = ModelServer(model.url, "e")
        vectors = embed_all(server, texts, batch=16)
        again = embed_all(server, [texts[140]])
    assert vectors.shape == (151, 16)
    np.testing.assert_array_equal(vectors[140], again[0])


def test_a_server_without_embeddings_is_named() -> None:
    told = {"status": 404, "body": json.loads('{"error": {"message": "no such path"}}')}
    with LoopbackModel(answer=lambda _: told) as model:
        model.policy.check_model = True
        with pytest.raises(OutsideError, match="does not offer"):
            embed_all(ModelServer(model.url, "e"), ["a"])
