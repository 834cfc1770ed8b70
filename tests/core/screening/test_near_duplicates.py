"""Near-duplicates in English and Chinese."""

import random
import tracemalloc
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import OutsideError
from core.families.base import ItemContent
from core.llm.types import ModelServer
from core.screening.compared_text import ASKED, own_text
from core.screening.near_duplicates import (
    DuplicateIndex,
    duplicate_groups,
    duplicates_by_meaning,
    grams,
    jaccard,
    near_duplicates,
    normalised,
)
from tests.servers.model_server import LoopbackModel, Policy

ENGLISH = (
    "The river rose for three days before the bridge gave way, and the mill on the far bank "
    "stood empty for a whole winter while the village argued about who should pay."
)
CHINESE = "河水连涨三天，桥终于塌了；对岸的磨坊整个冬天空无一人，村里人还在争论由谁来付修桥的钱。"


def likeness(left: str, right: str) -> float:
    return jaccard(grams(left), grams(right))


def invented(count: int, seed: int = 1) -> list[tuple[str, str]]:
    draw = random.Random(seed)
    words = ["".join(draw.choices("abcdefghij", k=draw.randint(3, 9))) for _ in range(3000)]
    return [(f"t{i}", " ".join(draw.choices(words, k=40))) for i in range(count)]


@pytest.mark.parametrize("text", [ENGLISH, CHINESE])
def test_small_changes_leave_texts_alike(text: str) -> None:
    assert likeness(text, text) == 1
    assert likeness(text, text.upper().replace(",", " ,  ").replace("，", ",")) == 1
    middle = len(text) // 2
    assert likeness(text, text[:middle] + "x" + text[middle + 1 :]) > 0.8


def test_one_changed_character_in_a_short_chinese_sentence_is_still_near() -> None:
    assert likeness("请把下面的句子翻译成英文。", "请把下面的句子翻译成德文。") > 0.6


def test_different_texts_are_not_alike() -> None:
    other = "A quiet harbour town keeps its lighthouse lit although no ship has called for years."
    assert likeness(ENGLISH, other) < 0.1
    assert likeness(CHINESE, "小城的灯塔夜夜亮着，虽然已多年没有船来。") < 0.1


def test_width_case_and_punctuation_do_not_count() -> None:
    assert normalised("ＡＢＣ，１２３！") == normalised("abc 123")
    assert normalised("∑∫ + ∂") == "∑∫+∂"
    assert normalised(" \n。 ！") == "。!"


@given(st.text())
def test_any_text_is_like_itself_and_unlike_nothing(text: str) -> None:
    own = grams(text)
    assert jaccard(own, own) == (1.0 if len(own) else 0.0)
    assert len(own) or not text.split()


def test_pairs_are_found_within_a_list_the_most_similar_first() -> None:
    texts = [*invented(300), ("en", ENGLISH), ("zh", CHINESE)]
    texts += [("en2", ENGLISH + " Again."), ("zh2", CHINESE), ("empty", ""), ("empty2", "")]
    pairs = near_duplicates(texts)
    assert [(p.left, p.right) for p in pairs] == [("zh", "zh2"), ("en", "en2")]
    assert pairs[0].similarity == 1.0


def test_against_a_public_list_only_pairs_between_the_lists_count() -> None:
    public = [("p1", ENGLISH), ("p2", ENGLISH), ("p3", "something else altogether, quite short")]
    own = [("a", ENGLISH.replace("winter", "summer")), ("b", CHINESE), ("c", CHINESE)]
    pairs = near_duplicates(own, against=public)
    assert {(p.left, p.right) for p in pairs} == {("p1", "a"), ("p2", "a")}
    assert near_duplicates(own, against=[]) == near_duplicates(own)
    assert near_duplicates([], against=public) == []


def test_hardly_a_pair_at_the_threshold_is_missed() -> None:
    draw = random.Random(5)
    texts = []
    for id, text in invented(400, seed=2):
        words = text.split()
        for place in draw.sample(range(40), 4):
            words[place] = "changed"
        texts += [(id, text), (id + "x", " ".join(words))]
    expected = {
        (id, id + "x") for (id, a), (_, b) in zip(texts[::2], texts[1::2], strict=True)
        if likeness(a, b) >= 0.7
    }  # fmt: skip
    found = {(p.left, p.right) for p in near_duplicates(texts, threshold=0.7)}
    assert len(expected) > 100
    assert len(expected & found) >= 0.98 * len(expected)


def test_a_crowd_of_equal_texts_stays_small_and_together() -> None:
    pairs = near_duplicates([(str(i), CHINESE) for i in range(500)])
    assert len(pairs) <= 500 * 50
    assert [len(group) for group in duplicate_groups(pairs)] == [500]


def test_of_many_long_texts_hardly_more_than_their_signatures_is_kept() -> None:
    draw = random.Random(3)
    texts = [(str(n), "".join(draw.choices("abcdefghij klmnop", k=3000))) for n in range(6000)]
    texts.append(("copy", texts[0][1]))
    tracemalloc.start()
    try:
        pairs = near_duplicates(texts)
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert [(pair.left, pair.right) for pair in pairs] == [("0", "copy")]
    assert most < 4 * len(texts) * 1024, f"{most / len(texts):.0f} bytes a text"


def test_groups_join_what_is_connected() -> None:
    texts = [("a", ENGLISH), ("b", ENGLISH + " Yes."), ("c", CHINESE), ("d", CHINESE + "是的。")]
    assert duplicate_groups(near_duplicates(texts, threshold=0.6)) in (
        [["a", "b"], ["c", "d"]], [["c", "d"], ["a", "b"]],
    )  # fmt: skip


def test_the_index_finds_the_same_as_a_full_comparison() -> None:
    texts = [*invented(200), ("en", ENGLISH), ("zh", CHINESE)]
    index = DuplicateIndex(texts)
    asked = ENGLISH.replace("three days", "two weeks")
    (match,) = index.query(asked)
    assert match.id == "en"
    assert match.similarity == pytest.approx(likeness(asked, ENGLISH))
    assert index.query(ENGLISH, but="en") == []
    assert index.query("") == []
    assert DuplicateIndex().query("x") == []
    best = index.query(texts[7][1], threshold=0.0, limit=3)
    full = sorted((likeness(texts[7][1], text) for _, text in texts), reverse=True)
    assert [m.similarity for m in best] == pytest.approx(full[:3])


def test_texts_added_later_are_found_too() -> None:
    index = DuplicateIndex(invented(50))
    for id, text in invented(400, seed=9):
        index.add(f"n{id}", text)
    index.add("zh", CHINESE)
    assert len(index) == 451
    assert index.query(CHINESE)[0].id == "zh"
    assert index.query(invented(400, seed=9)[3][1])[0].id == "nt3"


def test_a_stop_is_heeded() -> None:
    assert near_duplicates(invented(50), stopping=lambda: True) == []


def test_by_meaning_pairs_come_from_the_server() -> None:
    with LoopbackModel(Policy(rate_500=0.2, dimensions=512)) as model:
        server = ModelServer(model.url, "embedder")
        texts = [*invented(100), ("a", ENGLISH), ("b", ENGLISH + " Yes."), ("empty", "")]
        pairs = duplicates_by_meaning(server, texts, threshold=0.95)
        across = duplicates_by_meaning(
            server, [("b", ENGLISH + " Yes.")], against=[("a", ENGLISH)], threshold=0.95
        )
    assert [(p.left, p.right) for p in pairs] == [("a", "b")]
    assert across == pairs
    with pytest.raises(OutsideError):
        duplicates_by_meaning(ModelServer("http://127.0.0.1:9", "e"), texts)


@given(st.text(alphabet="ab c,é中文あ가\U00020001", max_size=12))
def test_there_is_one_gram_for_each_different_run(text: str) -> None:
    compared = normalised(text)
    widths = [2 if unicodedata.east_asian_width(c) in "WF" else 4 for c in compared]
    runs = {compared[i : i + width] for i, width in enumerate(widths)
            if i + width <= len(compared)}  # fmt: skip
    found = grams(text)
    assert len(found) == (len(runs) or len(compared))
    assert sorted(set(found.tolist())) == found.tolist()


def asked(passage: str, question: str, *options: str) -> str:
    payload = {"passage": passage, "question": question, "options": options, "answers": ["A"]}
    return own_text(ItemContent("choice", "single", payload))


def test_questions_on_one_passage_are_alike_where_they_ask_alike() -> None:
    fall = "When did the old bridge over {} river fall?"
    texts = [
        ("who", asked(3 * ENGLISH, "Who argued about the costs?", "the village", "the miller")),
        ("when", asked(3 * ENGLISH, fall.format("the"), "on day three", "in winter")),
        ("when too", asked(3 * ENGLISH, fall.format("that"), "in winter", "on day three")),
        ("other", asked(3 * CHINESE, fall.format("the"), "on day three", "in winter")),
    ]
    assert [(p.left, p.right) for p in near_duplicates(texts)] == [("when", "when too")]
    assert [p.right for p in near_duplicates(texts[2:3], against=texts[:2])] == ["when too"]
    index = DuplicateIndex(texts[:2])
    index.add(*texts[3])
    found = index.query(texts[2][1])
    assert [match.id for match in found] == ["when"]
    assert 0.7 < found[0].similarity < 1
    # with a text that is not known to have a passage the whole is compared
    assert index.query(texts[0][1].replace(ASKED, " "), limit=1)[0].id == "who"


@given(st.text(alphabet="ab1_ ,.。中文\u3000\u0301²½ⅳ\u2028ﬁ", max_size=40))
def test_what_is_compared_are_the_letters_and_digits(text: str) -> None:
    folded = unicodedata.normalize("NFKC", text).casefold()
    letters = " ".join("".join(c if c.isalnum() else " " for c in folded).split())
    assert normalised(text) == (letters or "".join(folded.split()))
