"""Options in other orders: the key goes with them, and a liking for a place shows."""

import random
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import f

from core.errors import InputError
from core.evaluation.option_orders import as_asked, as_own, orders_of
from core.evaluation.robustness import hotelling_p, robustness, robustness_table
from core.evaluation.scoring import Report, as_variant, key_of, score
from core.families import FAMILIES, family
from core.i18n import set_language
from tests.splits import FORMATS, make_split, varied

Reply = Callable[[random.Random, str, str], str]
"""What a model says, from the own-order key and the way of asking."""


def asked(reply: Reply, items: int = 120, orders: int = 4) -> Report:
    """A run on items of which each was asked in several orders."""
    draw = random.Random(1)
    keys, records = [], []
    for item in make_split(items):
        plain = key_of(item.uid, item.content)
        for way, _ in orders_of(item.content, orders):
            key = as_variant(plain, f"@{way}")
            keys.append(key)
            records.append({"id": key.id, "text": reply(draw, plain.answer, f"@{way}")})
    return score(keys, records, model="m")


def _place(answer: str, place: int) -> str:
    return answer[:-1] + ("1234" if answer[-1].isdigit() else "ABCD")[place]


def knowing(_draw: random.Random, own: str, way: str) -> str:
    return as_asked(own, way)


def first_place(draw: random.Random, own: str, way: str) -> str:
    """Knows half of the answers, else says the first place more often than not."""
    if draw.random() < 0.5:
        return as_asked(own, way)
    return _place(own, 0 if draw.random() < 0.6 else draw.randrange(4))


def guessing(draw: random.Random, own: str, _way: str) -> str:
    return _place(own, draw.randrange(4))


@pytest.mark.parametrize("number", range(len(FORMATS)))
def test_every_order_has_the_same_right_option(number):
    content = varied(number)
    own = key_of("1", content)
    right = family("scp").prompt(content)
    texts = set()
    for way, turned in orders_of(content, 4):
        key = key_of("1", turned)
        assert key.answer == as_asked(own.answer, way) == as_variant(own, f"@{way}").answer
        assert as_own(key.answer, way) == own.answer
        texts.add(family("scp").prompt(turned).text)
    assert len(texts) == 4
    assert family("scp").prompt(next(orders_of(content, 1))[1]) == right


def test_a_model_that_knows_is_consistent_in_every_order():
    found = robustness(asked(knowing))
    assert (found.mean, found.spread, found.consistency, found.always) == (1.0, 0.0, 1.0, 1.0)
    assert found.places == (0.25,) * 4
    assert found.place_p == 1.0
    assert len(found.ways) == 4


def test_a_preferred_place_shows_and_a_guess_has_none():
    biased = robustness(asked(first_place))
    assert biased.places[0] > 0.4
    assert biased.place_p is not None
    assert biased.place_p < 0.05  # of five articles
    assert biased.consistency < 0.5 < biased.mean
    fair = robustness(asked(guessing))
    assert fair.place_p is not None
    assert fair.place_p > 0.01
    assert robustness(asked(first_place, orders=2)).place_p is None


def test_the_test_of_a_preferred_place_errs_as_often_as_it_says():
    rng = np.random.default_rng(4)
    found = []
    for _ in range(1500):
        counts = rng.multinomial(4, [0.25] * 4, size=(12, 5)).sum(1) - 5.0  # 12 articles, 5 items
        found.append(hotelling_p(counts[:, :-1]) or 1.0)
    assert 0.03 <= np.mean(np.array(found) < 0.05) <= 0.07


def test_the_test_of_places_is_hotellings_and_allows_for_places_that_are_chosen_alike():
    rng = np.random.default_rng(6)
    rows = rng.normal(0.3, 1, (30, 3))
    mean, inverse = rows.mean(0), np.linalg.inv(np.cov(rows, rowvar=False))
    statistic = 30 * mean @ inverse @ mean * (30 - 3) / (3 * 29)
    assert hotelling_p(rows) == pytest.approx(f.sf(statistic, 3, 27))
    first_or_fair = np.array([[3.0, -1, -1], [0, 0, 0]] * 10)
    found = hotelling_p(first_or_fair)
    assert found is not None
    assert found < 0.001
    assert hotelling_p(np.array([[1.0, 0.0]] * 9)) is None


def test_one_way_of_asking_is_refused_in_words():
    keys = [key_of(item.uid, item.content) for item in make_split(4)]
    with pytest.raises(InputError, match="one way only"):
        robustness(score(keys, [{"id": key.id, "text": key.answer} for key in keys], model="m"))


def test_items_without_options_have_no_orders():
    for kind in FAMILIES:
        for form in kind.formats:
            item = kind.sample(form)
            ways = list(orders_of(item, 3))
            assert len(ways) in (0, 2, 3)
            for way, turned in ways:
                assert kind.turned(item, 0) == item
                assert key_of("1", turned).answer == as_asked(key_of("1", item).answer, way)


def test_instructions_templates_and_orders_are_told_apart_in_one_table():
    rows = []
    for ways, varied_in in (
        (("wording-1", "wording-2"), ("instructions",)),
        (("@layout-1", "@layout-2", "@layout-3"), ("templates",)),
        (("a@1", "a@2", "b@1", "b@2"), ("instructions", "templates")),
        (("@order-1-of-4", "@order-2-of-4"), ("orders",)),
    ):
        keys, records = [], []
        for item in make_split(8):
            plain = key_of(item.uid, item.content)
            for place, way in enumerate(ways):
                key = as_variant(plain, way)
                keys.append(key)
                text = key.answer if place or len(records) % 3 else ""
                records.append({"id": key.id, "text": text})
        found = robustness(score(keys, records, model=varied_in[0]))
        assert found.varied == varied_in
        assert len(found.ways) == len(ways)
        assert found.worst[1] == min(found.ways.values()) < found.mean < found.best[1] == 1.0
        rows.append(found)
    table = robustness_table(dict(zip("abcd", rows, strict=True)))
    assert [row[1] for row in table.rows] == [
        "instructions", "templates", "instructions, templates", "orders of options",
    ]  # fmt: skip


def test_a_chinese_table_lists_what_was_varied_as_chinese_does():
    set_language("zh")
    both = replace(robustness(asked(guessing)), varied=("instructions", "templates"))
    assert robustness_table({"m": both}).rows[0][1] == "指令、模板"


def test_the_interval_is_that_of_the_items_in_the_mean_and_says_what_it_rests_on():
    """Items that were asked in fewer ways are in no mean: their scores move no bound."""
    whole = robustness(asked(guessing))
    assert whole.low < whole.mean < whole.high
    assert whole.caution == "few sources: 5"
    assert whole.as_json()["caution"] == whole.caution
    notes = robustness_table({"m": whole}).notes
    assert "m: the interval is rough (few sources: 5)." in notes
    keys, records = [], []
    for place, item in enumerate(make_split(240)):
        plain = key_of(item.uid, item.content)._replace(cluster=item.uid)
        for way in ("one", "two") if place < 120 else ("one",):
            key = as_variant(plain, way)
            keys.append(key)
            right = place >= 120 or place % 2
            records.append({"id": key.id, "text": key.answer if right else ""})
    found = robustness(score(keys, records, model="m"))
    assert (found.items, found.mean) == (120, 0.5)
    assert found.low == pytest.approx(0.5 - 0.088, abs=0.005)
    assert found.high == pytest.approx(0.5 + 0.088, abs=0.005)
    assert found.caution == ""
