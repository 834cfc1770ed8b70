"""What the gate is asked and how its reply is read."""

import pytest

from core.errors import BenchsealError, InputError
from core.families import FAMILIES, family
from core.families.base import ItemContent
from core.llm.replies import InvalidReply
from core.llm.types import Reply
from core.screening.gate_prompt import asked_again, gate_prompt, gate_request, read_verdict


def request_for(item: ItemContent):  # type: ignore[no-untyped-def]  # a test's helper
    return gate_request("7", item, max_tokens=100, temperature=0.0)


@pytest.mark.parametrize(
    ("name", "format"), [(f.name, format) for f in FAMILIES for format in (f.formats or ("",))]
)
def test_every_family_has_a_versioned_prompt_that_shows_the_item_and_its_key(
    name: str, format: str
) -> None:
    prompt = gate_prompt(name)
    assert prompt.version.startswith(name)
    assert len(prompt.sha256) == 64
    owner = family(name)
    item = owner.sample(format)
    asked = request_for(item)
    user = asked.messages[-1].content
    assert owner.key(item) in user
    assert "{{" not in user
    assert all(word in user for word in owner.plain_text(item).split())
    assert "score" in asked.messages[0].content
    assert asked.schema is not None
    assert set(asked.schema["required"]) == {"score", "reasons"}


def test_text_of_an_item_that_looks_like_a_placeholder_stays_as_it_is() -> None:
    owner = family("scp")
    sample = owner.sample("prediction").as_json()
    sample["payload"] = {**sample["payload"], "context": "Here {{key}} and {{text}} and {text}."}
    asked = request_for(ItemContent.from_json(sample))
    assert "Here {{key}} and {{text}} and {text}." in asked.messages[-1].content


def test_a_family_without_a_prompt_and_an_unreadable_item_are_named() -> None:
    with pytest.raises(InputError, match="nothing"):
        gate_prompt("nothing")
    with pytest.raises(BenchsealError):
        request_for(ItemContent("scp", "prediction", {"context": 3}))


@pytest.mark.parametrize(("text", "score"), [
    ('{"score": 7, "reasons": "清楚。"}', 7.0),
    ('{"score": 6.5, "reasons": "fine"}', 6.5),
    ('{"score": 0, "reason": "no answer"}', 0.0),
    ('{"reasons": ["a", "b"], "score": 10}', 10.0),
    ('```json\n{"score": 3, "reasons": "x"}\n```', 3.0),
])  # fmt: skip
def test_a_verdict_is_read(text: str, score: float) -> None:
    verdict = read_verdict(text)
    assert verdict.score == score
    assert verdict.reasons


@pytest.mark.parametrize("text", [
    '{"score": "7", "reasons": "x"}', '{"score": true, "reasons": "x"}',
    '{"score": 10.5, "reasons": "x"}', '{"score": -1, "reasons": "x"}',
    '{"score": NaN, "reasons": "x"}', '{"score": 1e999, "reasons": "x"}',
    '{"score": null, "reasons": "x"}', '{"score": [7], "reasons": "x"}',
    '{"score": 7}', '{"score": 7, "reasons": " "}', '{"score": 7, "reasons": 3}',
    '{"reasons": "x"}', "Score: 7", '{"score": 7, "reasons": "x"', "7",
    '{"score": 7, "reasons": "x"} Have a nice day!', '{"score": 7, "score": 9, "reasons": "x"}',
])  # fmt: skip
def test_anything_else_is_no_verdict(text: str) -> None:
    with pytest.raises(InvalidReply):
        read_verdict(text)


def test_asking_again_says_what_was_wrong() -> None:
    asked = request_for(family("scp").sample("cloze"))
    again = asked_again(asked, Reply("seven, I think"), "not one JSON object")
    assert again.messages[:2] == asked.messages
    assert again.messages[2].content == "seven, I think"
    assert "not one JSON object" in again.messages[3].content
    assert (again.id, again.schema, again.max_tokens) == (asked.id, asked.schema, 100)
