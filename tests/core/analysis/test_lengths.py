"""Lengths in words and Chinese characters."""

import dataclasses

from core.analysis.lengths import domain_counts, length_table, words
from core.families import family
from tests.splits import make_split


def test_lengths_count_words_and_chinese_characters() -> None:
    assert words("two words") == 2
    assert words("这是 a 测试") == 5
    assert words("") == 0
    items = [member.content for member in make_split(9)]
    rows = {(r.format, r.text): r for r in length_table(items)}
    assert rows["prediction", "option"].samples == 12
    assert rows["sequencing", "shuffled"].shortest <= rows["sequencing", "shuffled"].mean
    counts = domain_counts(items)
    assert sum(sum(by.values()) for by in counts.values()) == 9


def test_the_sample_items_of_every_family_have_lengths() -> None:
    for name in ("scp", "instruction", "rewrite"):
        kind = family(name)
        items = [dataclasses.replace(kind.sample(f), domain="x") for f in kind.formats]
        assert len(length_table(items)) >= len(items)
