"""The log of calls: replies are found again, torn lines dropped, equal questions asked once."""

import asyncio
from pathlib import Path

from core.rewriting.call_log import CallLog, read_calls, usage_of
from tests.polling import async_until


def entry(key: str, **more) -> dict:
    return {"key": key, "item": "i", "step": "entities",
            "reply": {"prompt_tokens": 3, "completion_tokens": 2}, **more}  # fmt: skip


def test_a_torn_line_is_dropped_and_whole_ones_are_found_again(tmp_path: Path):
    with CallLog(tmp_path, 0) as log:
        log.append(entry("a", text="一"))
        log.append(entry("b"))
    path = tmp_path / "calls-000.jsonl"
    path.write_bytes(path.read_bytes() + b'{"key": "c", "item"')
    with CallLog(tmp_path, 0) as log:
        assert (log.find("a") or {})["text"] == "一"
        assert log.find("c") is None
        log.append(entry("c"))
        assert log.usage.tokens == 15
    assert [found["key"] for found in read_calls(tmp_path)] == ["a", "b", "c"]


def test_what_another_shard_asked_is_found(tmp_path: Path):
    with CallLog(tmp_path, 1) as log:
        log.append(entry("a"))
    with CallLog(tmp_path, 0) as log:
        assert log.find("a")
        log.append(entry("b"))
    assert usage_of(tmp_path).as_json(1e6, 0)["entities"] == {
        "calls": 2, "prompt_tokens": 6, "completion_tokens": 4, "cost": 6.0,
    }  # fmt: skip


def test_a_call_without_reply_is_traced_but_never_found(tmp_path: Path):
    with CallLog(tmp_path, 0) as log:
        log.append(entry("a", kept=False))
        assert log.find("a") is None
    assert len(list(read_calls(tmp_path))) == 1


def test_equal_questions_wait_for_one_another(tmp_path: Path):
    came: list[int] = []
    asked: list[int] = []

    async def ask(log: CallLog) -> None:
        came.append(1)
        async with log.alone("a"):
            if log.find("a") is None:
                asked.append(1)
                await async_until(lambda: len(came) == 5)
                log.append(entry("a"))

    async def both() -> None:
        with CallLog(tmp_path, 0) as log:
            await asyncio.gather(*(ask(log) for _ in range(5)))

    asyncio.run(both())
    assert len(asked) == 1
