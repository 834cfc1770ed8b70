"""Instruction items: what is wrong with them, what is asked, and how answers are read."""

import pytest

from core.errors import InputError
from core.families import family
from core.families.base import ItemContent

KIND = family("instruction")


def triplet(**fields) -> ItemContent:
    return ItemContent("instruction", "triplet", {**KIND.sample("triplet").payload, **fields})


def defects(item: ItemContent) -> set[str]:
    return {defect.name for defect in KIND.check(item)}


@pytest.mark.parametrize(
    "fields",
    [
        {"output": "０", "label": "", "labels": ["0", "1"]},
        {"output": "排比、比喻", "label": "", "labels": ["比喻", "排比", "夸张"]},
        {"output": "无。", "label": "", "labels": ["无", "有"]},
        {"input": "", "labels": [], "label": "", "output": "春风吹过山岗。"},
        {"language": "en", "instruction": "Translate the line.", "labels": [], "output": "Spring."},
        {"input": "1 < 2 且 3 > 2", "labels": []},
        {"input": "Ça va ? Déjà vu — “naïve”", "labels": []},
        {"input": "这杯子我很满意，他却不满意。"},
    ],
)
def test_sound_items_have_no_defect(fields):
    assert defects(triplet(**fields)) == set()


def test_a_label_of_several_must_all_be_known():
    item = triplet(output="排比、拟声", label="", labels=["比喻", "排比"])
    assert "unknown_label" in defects(item)


def test_a_damaged_utf8_text_is_found():
    broken = "快递两天就到了".encode()[:-1].decode("utf-8", errors="replace")
    assert "garbled_text" in defects(triplet(input=broken))
    assert "garbled_text" in defects(triplet(input="naïve café".encode().decode("cp1252")))


def test_one_given_instruction_takes_the_place_of_the_items_own():
    item = triplet()
    text = KIND.prompt(item, "换一种说法。").text
    assert text == f"换一种说法。\n{item.payload['input']}"
    assert item.payload["instruction"] not in text


def test_the_longer_label_is_not_mistaken_for_the_shorter():
    prompt = KIND.prompt(triplet())
    assert KIND.extract("我认为是不满意。", prompt) == "不满意"
    assert KIND.extract("满意", prompt) == "满意"
    assert KIND.extract("不知道", prompt) is None


def test_a_full_width_answer_is_read():
    prompt = KIND.prompt(triplet(output="1", label="1", labels=["0", "1"]))
    assert KIND.extract("答案是１。", prompt) == "1"
    assert KIND.extract("2014", prompt) is None


def test_a_multi_label_output_is_free_text_for_a_model():
    prompt = KIND.prompt(triplet(output="排比、比喻", label="", labels=["比喻", "排比"]))
    assert prompt.choices == ()
    assert KIND.extract(" 比喻 ", prompt) == "比喻"


def test_a_repeated_item_and_a_second_answer_are_found_over_a_set():
    items = [triplet(), triplet(), triplet(output="不满意", label="不满意")]
    found = KIND.check_set(items)
    assert [d.name for d in found[1]] == ["duplicate_item"]
    assert [d.name for d in found[2]] == ["answers_differ"]


def test_an_unknown_format_is_named():
    with pytest.raises(InputError, match="couplet"):
        KIND.payload_model("couplet")
