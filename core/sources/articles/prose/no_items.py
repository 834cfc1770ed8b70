"""Texts that no items are made of, whatever they say: without sentences, or without spaces."""

import re
from collections.abc import Iterable

_SENTENCE = re.compile(
    r"(?<!\S)(?:\S{1,60}\s+){3}\S{0,60}\w[.!?…؟।](?:\s|[”\"’)]|$)|"
    r"[\u3040-\u9fff][^。！？．\n]{5,200}[。！？．]"
)
_KANA = re.compile(r"[\u3041-\u309f\u30a1-\u30fa]")
_HAN = re.compile(r"[\u3400-\u9fff]")
_UNSPACED = re.compile(r"[\u0e00-\u0eff\u0f00-\u0fff\u1000-\u109f\u1780-\u17ff]")
"""Thai, Lao, Tibetan, Burmese and Khmer."""
_LETTER = re.compile(r"[^\W\d_]")
_JAPANESE = 4
"""Chinese characters for each kana; a Chinese text that quotes Japanese has more of them."""


def has_sentences(texts: Iterable[str]) -> bool:
    """Whether anything in a text is a sentence: rows of numbers and lists of words are none."""
    return any(_SENTENCE.search(text) for text in texts)


def is_without_spaces(texts: Iterable[str]) -> bool:
    """Whether most of a text is Japanese, or in another language that parts its words by no spaces.

    Chinese is none of them: its grammar is known.
    """
    whole = "\n".join(texts)
    if whole.isascii():
        return False
    kana, han = len(_KANA.findall(whole)), len(_HAN.findall(whole))
    unspaced = len(_UNSPACED.findall(whole)) + (kana + han if _JAPANESE * kana >= han else 0)
    return 2 * unspaced > len(_LETTER.findall(whole))
