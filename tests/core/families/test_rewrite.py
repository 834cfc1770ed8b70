"""The rewrite family: its checks on texts in two languages, its prompt, and reading labels."""

import pytest

from core.families.base import ItemContent
from core.families.rewrite import RewriteFamily
from core.families.rewrite_checks import (
    check_semantic,
    check_updated,
    mentions,
    new_names,
    replaced_names,
    word_count,
)
from core.families.rewrite_payload import ORIGINAL, UPDATED

FAMILY = RewriteFamily()
BEFORE = (("Mira Holm", "likes", "Eastby"),)
AFTER = (("Carl Dahl", "likes", "Norvik"),)


def names(defects) -> list[str]:
    return [defect.name for defect in defects]


@pytest.mark.parametrize(
    ("text", "name", "expected"),
    [
        ("Mira Holm's boat", "mira holm", True),
        ("a trumpet player", "Trump", False),
        ("#ClimateChange is real", "climate change", True),
        ("so #Trumpeting", "trum", True),
        ("昨天国家博物馆开放", "国家博物馆", True),
        ("昨天国家图书馆开放", "国家博物馆", False),
        ("ＥＡＳＴＢＹ harbour", "Eastby", True),
        ("nothing here", "", False),
        ("party 🎉 time", "🎉", True),
        ("all the harbour pilots cheered", "harbour pilot", True),
        ("the harbour pilots’ boats", "Harbour Pilot", True),
        ("two old ferries", "old ferry", True),
        ("the churches of Eastby", "church", True),
        ("the news from here", "new", False),
        ("COVID-19s", "COVID-19", False),
        ("Bela Szabo sails to São Paulo", "Béla Szabó", True),
        ("Bela Szabo sails to São Paulo", "Sao Paulo", True),
        ("苹果公司Apple今天发布新品", "Apple", True),
        ("使用GPT模型", "gpt", True),
        ("Pineapple公司", "Apple", False),
        ("New中York", "New York", False),
        ("ガスの値段", "カスの値段", False),
    ],
)
def test_a_name_is_found_as_whole_words(text: str, name: str, expected: bool):
    assert mentions(text, name) is expected


def test_new_and_replaced_names_leave_pronouns_and_the_target_alone():
    before = (("I", "support", "Hillary Clinton"), ("Eastby", "is", "home"))
    after = (("I", "support", "Hillary Clinton"), ("New Eastby", "is", "port"))
    assert new_names(before, after) == ["New Eastby", "port"]
    assert replaced_names(before, after) == ["home"]
    assert replaced_names(before, AFTER, target="Hillary Clinton") == ["Eastby", "home"]


def test_words_are_counted_in_both_scripts():
    assert word_count("one two, three-four") == 4
    assert word_count("昨天 sunny 天气") == 5


def test_a_sound_update_passes():
    found = check_updated(
        ("Norvik has won the heart of Carl Dahl", ""),
        ("Mira Holm is very fond of Eastby", ""), BEFORE, AFTER, "joy",
    )  # fmt: skip
    assert names(found) == []


@pytest.mark.parametrize(
    ("text", "defects"),
    [
        ("Norvik has won the heart of somebody else", ["entity_missing"]),
        ("Norvik has won Carl Dahl away from Eastby", ["entity_left"]),
        ("Joy for Carl Dahl and Norvik is here", ["label_leaked"]),
        ("Carl Dahl Norvik " + "and so on " * 20, ["length_off"]),
        ("", ["empty_text"]),
    ],
)
def test_each_fault_of_an_update_is_named(text: str, defects: list[str]):
    found = check_updated(
        (text, ""), ("Mira Holm is very fond of Eastby", ""), BEFORE, AFTER, "joy"
    )
    assert names(found) == defects


def test_a_label_that_the_original_has_is_no_leak():
    found = check_semantic(
        ("What irony, says Mira Holm of Eastby", ""),
        ("Mira Holm finds irony in Eastby today", ""), BEFORE, "irony",
    )  # fmt: skip
    assert names(found) == []


def test_a_semantic_rewrite_may_not_lose_a_name_of_the_original():
    found = check_semantic(
        ("She thinks well of the place", ""), ("Mira Holm loves Eastby so", ""), BEFORE, "joy"
    )
    assert names(found) == ["entity_missing", "entity_missing"]


def test_a_pair_is_looked_at_together_and_one_by_one():
    originals = ("Mira Holm sails to Eastby.", "Eastby is where Mira Holm sails.")
    good = ("It is Norvik that Carl Dahl heads for.", "Carl Dahl is bound for that port.")
    assert names(check_updated(good, originals, BEFORE, AFTER, "equivalent")) == []
    same = (good[0], good[0])
    assert names(check_updated(same, originals, BEFORE, AFTER, "x")) == ["texts_alike"]
    half = (good[0], "")
    assert names(check_updated(half, originals, BEFORE, AFTER, "x")) == ["empty_text"]


def test_a_replaced_name_left_in_the_plural_or_the_possessive_is_found():
    before, after = (("ferry", "serves", "islander"),), (("tram", "serves", "commuter"),)
    original = ("The ferry serves every islander of the bay", "")
    for text in ("The tram serves commuters, not islanders", "A tram and the ferry's commuter",
                 "Ferries and trams for each commuter here"):  # fmt: skip
        assert names(check_updated((text, ""), original, before, after, "x")) == ["entity_left"]
    assert names(
        check_updated(("Trams serve commuters at last", ""), original, before, after, "x")
    ) == []  # fmt: skip


def test_chinese_texts_are_checked_like_english_ones():
    before, after = (("西湖", "位于", "杭州"),), (("国家博物馆", "位于", "Norvik"),)
    original = ("昨天在杭州西湖散步心情非常愉快", "")

    def found(text: str) -> list[str]:
        return names(check_updated((text, ""), original, before, after, "喜悦"))

    assert found("今天走进Norvik国家博物馆参观兴致很高") == []
    assert found("今天走进国家博物馆参观大家兴致都很高") == ["entity_missing"]
    assert found("今天走进Norvik国家博物馆又去了西湖") == ["entity_left"]
    assert found("喜悦地走进Norvik国家博物馆参观展览") == ["label_leaked"]
    assert found("Norvik国家博物馆" * 20) == ["length_off"]
    copied = ("昨天在杭州西湖散步心情非常愉快！", "")
    assert names(check_semantic(copied, original, before, "喜悦")) == ["near_copy"]


def test_of_a_pair_neither_text_may_be_left_as_it_was():
    originals = (
        "Mira Holm sails to Eastby with the whole crew of her boat in the spring.",
        "Eastby is where Mira Holm sails.",
    )
    turned = "In spring, with all of her boat's crew, it is Eastby that Mira Holm makes for."
    copied = (turned, "Eastby is where Mira Holm sails!")
    assert names(check_semantic(copied, originals, BEFORE, "x")) == ["near_copy"]
    both = (turned, "Mira Holm's port of call is Eastby.")
    assert names(check_semantic(both, originals, BEFORE, "x")) == []


def test_labels_are_read_out_of_replies_longest_first():
    item = ItemContent("rewrite", ORIGINAL, {
        "base": "b", "task": "irony", "text": "So glad it rains.", "label": "not irony",
        "labels": ["irony", "not irony"],
    })  # fmt: skip
    prompt = FAMILY.prompt(item)
    said = {
        "not irony": "not irony",
        "Irony.": "irony",
        'The label is "NOT_IRONY"': "not irony",
        '{"irony detection": "not irony"}': "not irony",
        '```json\n{"irony": "irony"}\n```': "irony",
        "ironyx": None,
        "": None,
    }
    assert {reply: FAMILY.extract(reply, prompt) for reply in said} == said


def test_chinese_labels_are_read_inside_sentences():
    item = ItemContent("rewrite", ORIGINAL, {
        "base": "b", "text": "天气真好", "label": "积极", "labels": ["积极", "消极"],
    })  # fmt: skip
    assert FAMILY.extract("这句话是积极的。", FAMILY.prompt(item)) == "积极"


def test_the_prompt_names_target_and_parts_but_never_the_label_as_answer():
    payload = dict(FAMILY.sample(ORIGINAL).payload) | {
        "task": "stance", "target": "the ferry", "labels": ["favor", "against", "neutral"],
        "label": "favor",
    }  # fmt: skip
    text = FAMILY.prompt(ItemContent("rewrite", ORIGINAL, payload)).text
    assert "“the ferry”" in text
    assert text.endswith("Label:")
    pair = payload | {"task": "rte", "second": "A lamp was lit.", "target": ""}
    text = FAMILY.prompt(ItemContent("rewrite", ORIGINAL, pair)).text
    assert "Premise: " in text
    assert "Hypothesis: A lamp was lit." in text


def test_the_original_is_no_part_of_what_is_asked_or_searched():
    item = FAMILY.sample(UPDATED)
    assert item.payload["original"] not in FAMILY.prompt(item).text
    assert item.payload["original"] not in FAMILY.plain_text(item)
