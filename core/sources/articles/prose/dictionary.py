"""An English dictionary: SCOWL's (``resources/words``), made by ``packaging/english_words.py``."""

from functools import cache

from resources import resource


@cache
def english_words() -> frozenset[str]:
    """English words of three letters and more, in small letters."""
    text = resource("words", "english.txt").read_text(encoding="ascii")
    return frozenset(text.split("\n"))
