"""Chinese is told from Japanese, which is written with the same characters."""

import pytest

from core.sources.chinese_text import has_han, is_chinese

JAPANESE = ("電子機器で使用される最も主要な電子回路基板の事をなんと言う？", "梅雨とは何季の一種か?")


@pytest.mark.parametrize(("text", "told"), [
    ("谁读数？", True),
    ("繁體中文也是中文。", True),
    ("这种点心在日本叫“もち”，过年时家家户户都会吃。", True),
    *((text, False) for text in JAPANESE),
    ("누가 읽습니까?", False),
    ("Who reads it?", False),
    ("", False),
])  # fmt: skip
def test_a_text_is_chinese_where_kana_are_few(text, told):
    assert is_chinese(text) is told


def test_japanese_has_chinese_characters_all_the_same():
    assert all(map(has_han, JAPANESE))
