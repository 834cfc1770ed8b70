"""Texts as the checks of instruction items compare them."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.families.base import COLUMNS, ItemContent
from core.families.instruction_checks import (
    PLAIN_LETTERS,
    PLAIN_SIGNS,
    check_triplet,
    is_plainly_sound,
    picture_defects,
    spelling,
)
from core.families.instruction_payload import TripletPayload
from core.unicode_forms import comparable_text

LETTERS = "aÄßǅ1_ \n\t\u3000.,!?。、，“”！é\u0301①Ⅳﬁ水가\ud800\x01"
TEXTS = st.text(st.sampled_from(LETTERS), max_size=60)


@given(TEXTS, st.sampled_from((str.upper, str.swapcase, "{}. ".format, "，{}".format)))
def test_an_output_that_says_what_the_input_says_is_found(text: str, changed) -> None:
    payload = TripletPayload(instruction="Go on.", input=text, output=changed(text), language="en")
    found = {defect.name for defect in check_triplet(payload)}
    same = comparable_text(text) != "" and comparable_text(text) == comparable_text(changed(text))
    assert ("input_is_output" in found) == same


def test_wrongly_decoded_characters_are_found_wherever_they_are() -> None:
    for text in ("caf\ufffd", "锟斤拷", "Ã©tÃ©", "donâ€™t", "ï»¿Begin", "a\x00b", "a\x7f", "ï¼Œ"):
        for around in ("{}", "水 {}\n", "\u3000plain {} text"):
            found = [defect.name for defect in spelling("input", around.format(text))]
            assert found == ["garbled_text"], text
    for text in ("Ã is a letter", "â and ï", "锟", "two\nlines\tand\u3000more", "烫烫"):
        assert not [*spelling("input", text)]


def leaks(text: str, label: str, labels: list[str]) -> bool:
    payload = TripletPayload(
        instruction="Name what is wanted.", input=text, output=label, label=label, labels=labels,
        language="en",
    )  # fmt: skip
    return "answer_leaked" in {defect.name for defect in check_triplet(payload)}


INTENTS = ["balance", "text", "book flight", *(f"intent {number}" for number in range(60))]


def test_a_request_names_one_of_many_intents_in_its_own_words() -> None:
    for text, label in (
        ("what is my bank balance", "balance"),
        ("can you text mary that she is late", "text"),
        ("Balance: please tell me.", "balance"),
        ("I want to book flight (tonight).", "book flight"),
    ):
        assert not leaks(text, label, INTENTS), text
        assert leaks(text, label, INTENTS[:3]), text


def test_one_of_many_labels_that_is_set_off_gives_itself_away() -> None:
    for text in (
        "How much do I have?\nbalance",
        "How much do I have? intent: Balance",
        "How much do I have? Answer = balance.",
        "How much do I have? (balance)",
        "[balance] How much do I have?",
        "我还有多少钱？标签：【balance】",
    ):
        assert leaks(text, "balance", INTENTS), text


ENGLISH, CHINESE = "Translate the sentence.", "判断下面这句话的情感。"
ABOUT = "旋律 zebra，山水 (3.5)"


def characters(written: str) -> list[str]:
    """Those of a class of Rust's engine, which spells a character by its number as ``\\x{…}``."""
    spelled = re.sub(r"\\x\{(\w+)\}", lambda found: chr(int(found[1], 16)), written)
    return re.findall(f"[{spelled}]", "".join(map(chr, range(0xD800))) + "，。．；：？！（）")


def names(instruction: str, text: str, output: str = "fine") -> set[str]:
    payload = TripletPayload(instruction=instruction, input=text, output=output, language="en")
    return {defect.name for defect in check_triplet(payload)}


def test_what_is_passed_over_quickly_is_compared_as_it_stands() -> None:
    letters, signs = characters(PLAIN_LETTERS), characters(PLAIN_SIGNS)
    assert len(letters) > 27_000
    assert [one for one in letters if comparable_text(one) != one.lower()] == []
    assert len(signs) > 80
    assert [one for one in signs if comparable_text(one)] == []


@pytest.mark.parametrize("instruction", [ENGLISH, CHINESE, "Écris-le: ½", "ﬁnd it"])
@pytest.mark.parametrize(
    "write",
    [
        str,
        str.upper,
        " ".join,
        "，".join,
        "_\n".join,
        "\u200b".join,
        "䷀".join,  # a sign among the Chinese characters
        "\ud800".join,
        lambda text: "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c for c in text),
    ],
)
def test_an_input_that_repeats_a_frequent_instruction_is_found(instruction, write) -> None:
    for number in range(6):
        assert "instruction_in_input" not in names(instruction, f"{ABOUT} {number}")
        assert "instruction_in_input" not in names(instruction, f"{ABOUT} {instruction[:-3]}")
        assert "instruction_in_input" in names(instruction, f"{ABOUT}{write(instruction)}{ABOUT}")


def test_an_output_that_is_its_input_is_found_beyond_its_beginning() -> None:
    long = f"{ABOUT * 9} the end"
    assert "input_is_output" in names(ENGLISH, long, f"{long.upper()}！")
    assert "input_is_output" not in names(ENGLISH, long, f"{long} of it")
    assert "input_is_output" not in names(ENGLISH, f"{long} of it", long)
    assert "input_is_output" not in names(ENGLISH, "…", "!")
    assert "input_is_output" not in names(ENGLISH, "…", ABOUT)


SAID = st.lists(
    st.sampled_from(
        ("Go on.", "g o o n", "Ｇo on", "<p>x</p>", "&nbsp;", "\ufffd", "锟斤拷", "Ã©", "\x07",
         "如图所示", "see the figure below", "a", "水", "É", "e\u0301", "-", "。", " ", "\n",
         "word", "ß", "1", "\ud800")
    ),
    max_size=5,
).map("".join)  # fmt: skip


@given(
    st.sampled_from(("Go on.", "Go", "判断情感。", "See <b>it</b>.", "…", "In the figure, look.")),
    SAID, SAID, st.sampled_from(("en", "zh")), st.sampled_from(({}, {COLUMNS: {"image": "a.png"}})),
)  # fmt: skip
def test_one_look_calls_no_triplet_sound_in_which_a_check_finds_something(
    instruction: str, text: str, output: str, language: str, provenance: dict[str, object]
) -> None:
    fields = {"instruction": instruction, "input": text, "output": output, "language": language}
    payload = TripletPayload(**fields)
    item = ItemContent("instruction", "triplet", fields, provenance)
    found = [*check_triplet(payload), *picture_defects(item)]
    assert not (found and is_plainly_sound(payload, item))


def test_one_look_is_enough_for_a_usual_triplet() -> None:
    payload = TripletPayload(instruction="Go on.", input="Ada began.", output="Then", language="en")
    item = ItemContent("instruction", "triplet", payload.model_dump(mode="json"))
    assert is_plainly_sound(payload, item)


@pytest.mark.parametrize(
    "text", ["Ada \ud800 began\ufffd.", "See the figure below. \udfff", "\ud800"]
)
def test_half_a_character_hides_nothing_from_one_look(text: str) -> None:
    for name in ("input", "output"):
        fields = {"instruction": "Go on.", "input": "Ada", "output": "Then", name: text}
        payload = TripletPayload.model_construct(labels=(), label="", language="en", **fields)
        item = ItemContent("instruction", "triplet", fields)
        found = [*check_triplet(payload), *picture_defects(item)]
        assert not (found and is_plainly_sound(payload, item))
