"""Sealed values: read with their key alone, and never when a bit of them was changed."""

import base64
import random
import string
from collections.abc import Callable, Iterator

import pytest

from core.workflow import unlocked_keys
from db.errors import StoreError
from db.schema import sealed_values
from db.schema.sealed_values import (
    FIELD,
    FORGED,
    HIDDEN,
    LockedValue,
    Sealer,
    as_stored,
    is_locked,
    is_sealed,
    key_name,
    new_key,
    opened_document,
    opened_letters,
    opened_text,
    stored_text,
)

KEY = new_key()
PAYLOAD = {"question": "谁？ “who” \u2028", "options": ["a", "b"], "key": 1, "half": "\ud800"}


def _refusal(name: str, is_forged: bool) -> StoreError:
    return StoreError("damaged" if is_forged else "sealed", "", name)


@pytest.fixture
def keys() -> Iterator[dict[str, bytes]]:
    """The keys that are here, by their ids."""
    known = {key_name(KEY): KEY}
    sealed_values.use_keys(known.get, _refusal)
    sealed_values.forget_keys()
    yield known
    unlocked_keys.attach()
    sealed_values.forget_keys()


def test_what_was_sealed_is_read_as_it_was_written(keys: dict[str, bytes]) -> None:
    sealer = Sealer(KEY)
    stored = sealer.document(PAYLOAD, {"article": "a1"})
    assert is_sealed(stored)
    assert stored["article"] == "a1"
    assert "who" not in str(stored)
    assert opened_document(stored) == PAYLOAD
    assert opened_text(sealer.text("a note")) == "a note"
    assert sealer.text("") == ""
    assert sealer.text(sealer.text("once")).count(key_name(KEY)) == 1
    with as_stored():
        assert opened_document(stored) is stored


def test_a_document_is_opened_as_the_text_that_was_sealed(keys: dict[str, bytes]) -> None:
    sealer, text = Sealer(KEY), '{"question": "谁？", "odd  spaces" :1}'
    stored = sealer.stored_json(text)
    assert opened_letters(stored) == text
    assert opened_letters(sealer.stored_json(text, {"article": "a1"})) is None
    assert opened_letters(text) is None
    for changed in (stored[:40] + "x" + stored[41:], stored[:-4] + '"}', stored + " "):
        assert opened_letters(changed) is None
    with as_stored():
        assert opened_letters(stored) is None
    keys.clear()
    sealed_values.forget_keys()
    assert opened_letters(stored) is None


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace(key_name(KEY) + ":", key_name(KEY) + "."),
        lambda text: text[:-1] + " ",
        lambda text: text.replace("benchseal-sealed:", "benchseal-sealed;"),
        lambda text: text.rpartition(":")[0] + ":",
        lambda text: text + "\n",
    ],
)
def test_what_has_not_the_form_of_a_sealed_value_stays_as_it_is(
    change: Callable[[str], str], keys: dict[str, bytes]
) -> None:
    sealer = Sealer(KEY)
    text, document = change(sealer.text("a note")), sealer.document(PAYLOAD)
    other = {FIELD: change(document[FIELD])}
    for _ in ("with the key", "without"):
        assert opened_text(text) == text
        assert opened_document(other) is other
        keys.clear()
        sealed_values.forget_keys()


def test_without_the_key_nothing_is_read_and_the_rest_stays(keys: dict[str, bytes]) -> None:
    sealer = Sealer(KEY)
    stored, kept, note = sealer.document(PAYLOAD), sealer.document(PAYLOAD, {"n": 1}), "a note"
    sealed_note = sealer.text(note)
    keys.clear()
    locked = opened_document(stored)
    assert isinstance(locked, LockedValue)
    assert is_locked(locked)
    for read in (dict, len, list, lambda v: v["key"], lambda v: v.get("key"), lambda v: "a" in v):
        with pytest.raises(StoreError, match="sealed"):
            read(locked)  # type: ignore[operator]  # each takes any mapping
    assert opened_document(kept) == {"n": 1}
    assert opened_text(sealed_note) == HIDDEN
    assert opened_text(note) == note


def test_none_of_500_changed_values_is_opened(keys: dict[str, bytes]) -> None:
    stored = Sealer(KEY).document(PAYLOAD)[FIELD]
    head, _, letters = stored.rpartition(":")
    content, draw = base64.b64decode(letters), random.Random(16)
    for _ in range(500):
        changed = bytearray(content)
        changed[draw.randrange(len(content))] ^= 1 << draw.randrange(8)
        value = {FIELD: f"{head}:{base64.b64encode(changed).decode()}"}
        read = opened_document(value)
        assert isinstance(read, LockedValue)
        assert read.is_forged
        assert opened_document({**value, "n": 1}) == {"n": 1}


@pytest.mark.parametrize("note", ["a note", "a note.", "a note.."])
def test_no_letter_of_a_value_can_be_another(keys: dict[str, bytes], note: str) -> None:
    sealed = Sealer(KEY).text(note)
    numbers = string.ascii_uppercase + string.ascii_lowercase + string.digits + "+/"
    for place in range(sealed.rindex(":") + 1, len(sealed.rstrip("="))):
        for bit in range(6):
            other = numbers[numbers.index(sealed[place]) ^ 1 << bit]
            assert opened_text(f"{sealed[:place]}{other}{sealed[place + 1 :]}") == FORGED
    assert opened_text(sealed) == note


def test_what_was_changed_is_not_called_locked(keys: dict[str, bytes]) -> None:
    sealer = Sealer(KEY)
    head, _, letters = sealer.text("a note").rpartition(":")
    changed = f"{head}:{'A' if letters[0] != 'A' else 'B'}{letters[1:]}"
    assert opened_text(changed) == FORGED
    assert stored_text(changed, is_json=False) is None
    with pytest.raises(StoreError, match="damaged"):
        len(opened_document({FIELD: changed}))
    keys.clear()
    sealed_values.forget_keys()
    assert opened_text(changed) == HIDDEN
    with pytest.raises(StoreError, match="sealed"):
        len(opened_document({FIELD: changed}))


def test_a_text_is_no_document_and_a_key_of_another_is_none(keys: dict[str, bytes]) -> None:
    sealer = Sealer(KEY)
    assert is_locked(opened_document({FIELD: sealer.text("a note")}))
    keys[key_name(KEY)] = new_key()
    sealed_values.forget_keys()
    assert is_locked(opened_document(sealer.document(PAYLOAD)))


def test_what_only_looks_sealed_is_left_alone(keys: dict[str, bytes]) -> None:
    for value in ({FIELD: "benchseal-sealed: really?"}, {FIELD: True}, {}, [FIELD], None, "x"):
        assert opened_document(value) == value
    assert opened_text("benchseal-sealed:no") == "benchseal-sealed:no"
