"""Items that stand in a corpus are found, word for word; chance and controls are not."""

import random

import pytest

from core.analysis.corpus_overlap import corpus_overlap, tokens_of
from core.errors import InputError

WORDS = [f"w{n}" for n in range(400)]


def text(seed: int | str, length: int = 60) -> str:
    draw = random.Random(seed)
    return " ".join(draw.choice(WORDS) for _ in range(length))


def test_copied_items_are_covered_and_others_are_not():
    texts = {str(n): text(n) for n in range(40)}
    corpus = [text(1000 + n, 500) for n in range(30)]
    corpus[3] += " " + texts["5"].upper().replace(" ", ", ") + " end."
    corpus[7] += " " + " ".join(texts["9"].split()[10:30])
    found = corpus_overlap(texts, corpus)
    by_id = {item.id: item for item in found.items}
    assert (by_id["5"].covered, by_id["5"].longest) == (1.0, 60)
    assert by_id["9"].covered == pytest.approx(20 / 60)
    assert by_id["9"].longest == 20
    assert sum(item.covered for item in found.items) == pytest.approx(1 + 20 / 60)
    assert set(found.chance) == {0.0}
    assert found.corpus_tokens > 15_000


def test_the_shares_are_those_of_a_plain_search():
    texts = {str(n): text(n, 40) for n in range(20)}
    corpus = [" ".join(text(n, 40).split()[n % 7 : n % 7 + 22]) for n in range(0, 20, 3)]
    found = corpus_overlap(texts, corpus, window=5)
    for item in found.items:
        own = tokens_of(texts[item.id])
        marks = [False] * len(own)
        for start in range(len(own) - 4):
            gram = " " + " ".join(own[start : start + 5]) + " "
            if any(gram in f" {piece} " for piece in corpus):
                marks[start : start + 5] = [True] * 5
        assert item.covered == pytest.approx(sum(marks) / len(own))


def test_chinese_is_read_by_characters_and_short_items_have_no_n_gram():
    sentence = "今天我们去公园看樱花，天气很好。"
    found = corpus_overlap({"a": sentence, "b": "你好"}, ["昨天" + sentence + "然后回家"])
    assert [item.covered for item in found.items] == [1.0, 0.0]
    assert found.items[0].tokens == 14


def test_items_are_compared_with_control_items_where_there_are_any():
    texts = {str(n): text(n) for n in range(30)}
    fresh = {f"c{n}": text(500 + n) for n in range(30)}
    exposed = corpus_overlap(texts, [texts[str(n)] for n in range(15)], control=fresh)
    assert exposed.p is not None
    assert exposed.p < 0.001
    clean = corpus_overlap(texts, [text(9000, 3000)], control=fresh)
    assert clean.p == 1.0
    both = corpus_overlap(texts, [*texts.values(), *fresh.values()], control=fresh)
    assert both.p == 1.0  # all alike: known to the corpus, but no more than what is fresh
    with pytest.raises(InputError):
        corpus_overlap(texts, [], window=2)


def test_a_p_that_is_too_small_is_said_to_be():
    """Whatever a corpus holds, words in random order are found in it least of all."""
    texts = {str(n): text(n) for n in range(30)}
    alone = corpus_overlap(texts, [texts["0"]])
    assert "shuffled words" in alone.caution
    assert alone.as_json()["caution"] == alone.caution
    fresh = {f"c{n}": text(500 + n) for n in range(30)}
    assert "share an article" in corpus_overlap(texts, [texts["0"]], control=fresh).caution


def test_items_of_one_source_count_as_one_in_p():
    """A corpus that holds an article holds all its items: alone they err in a quarter of cases."""
    draw = random.Random(5)
    errs = {"alone": 0, "by source": 0}
    for trial in range(60):
        texts, sources = {}, {}
        corpus = []
        for side in "ab":
            for article in range(12):
                held = draw.random() < 0.4
                for item in range(5):
                    name = f"{side}{article}.{item}"
                    texts[name], sources[name] = text(f"{trial} {name}", 20), f"{side}{article}"
                    corpus += [texts[name]] if held else []
        own, control = ({n: t for n, t in texts.items() if n[0] == side} for side in "ab")
        alone = corpus_overlap(own, corpus, control=control, window=5)
        found = corpus_overlap(own, corpus, control=control, window=5, sources=sources,
                               control_sources=sources)  # fmt: skip
        assert (found.units, alone.units) == ((12, 12), (60, 60))
        errs["alone"] += (alone.p or 1.0) < 0.05
        errs["by source"] += (found.p or 1.0) < 0.05
    assert found.caution == ""
    assert errs["alone"] / 60 > 0.12
    assert errs["by source"] / 60 <= 0.10


def test_few_sources_and_items_without_one_are_said():
    texts = {str(n): text(n) for n in range(30)}
    fresh = {f"c{n}": text(500 + n) for n in range(30)}
    three = {name: f"s{place % 3}" for place, name in enumerate(texts)}
    many = {name: name for name in fresh}
    few = corpus_overlap(texts, [texts["0"]], control=fresh, sources=three, control_sources=many)
    assert few.units == (3, 30)
    assert few.caution == "few sources: 3"
    for missing in ({**three, "0": ""}, None):
        found = corpus_overlap(texts, [texts["0"]], control=fresh, sources=missing,
                               control_sources=many)  # fmt: skip
        assert "share an article" in found.caution
        assert found.units == (30, 30)
