"""Names that look alike: the skeleton of Unicode Technical Standard 39, section 4.

Two names whose skeletons are equal look the same to a person: a Cyrillic ``е`` for a Latin one, a
full-width letter, a zero-width character in between, or another case. Marks that are seen, as in
``Müller``, make another name.
"""

import unicodedata
from collections.abc import Iterable
from functools import cache, lru_cache

from core.unicode_forms import normal_form
from resources import resource

# They join letters in Persian and in the scripts of India, where names need them.
_JOINERS = "\u200c\u200d"
# Default ignorable characters that are no format characters: fillers and selectors of a variant.
_IGNORABLE = frozenset(
    chr(point)
    for first, last in (
        (0x034F, 0x034F), (0x115F, 0x1160), (0x17B4, 0x17B5), (0x180B, 0x180F), (0x3164, 0x3164),
        (0xFE00, 0xFE0F), (0xFFA0, 0xFFA0), (0xE0100, 0xE01EF),
    )
    for point in range(first, last + 1)
)  # fmt: skip


def is_unseen(letter: str) -> bool:
    """Whether a character shows nothing, or turns the order of others: no name needs it."""
    if letter in _JOINERS:
        return False
    return letter in _IGNORABLE or unicodedata.category(letter) in ("Cc", "Cf", "Cs", "Zl", "Zp")


@lru_cache(maxsize=4096)
def skeletons(name: str) -> frozenset[str]:
    """What a name looks like, as it is written and in small letters: I looks like l, i does not."""
    plain = " ".join(normal_form("NFKC", name).split())
    return frozenset(_skeleton(text).casefold() for text in (plain, plain.casefold()))


def look_alike(name: str, others: Iterable[str]) -> str | None:
    """The first of some other names that looks like this one; None when there is none.

    A name is not its own look-alike.
    """
    mine = skeletons(name)
    return next((other for other in others if other != name and mine & skeletons(other)), None)


def _skeleton(text: str) -> str:
    table = _prototypes()
    letters = (
        letter
        for letter in normal_form("NFD", text)
        if letter not in _JOINERS and not is_unseen(letter)
    )
    return normal_form("NFD", "".join(table.get(letter, letter) for letter in letters))


@cache
def _prototypes() -> dict[str, str]:
    table = {}
    text = resource("unicode", "confusables.tsv").read_text(encoding="utf-8")
    for line in text.splitlines():
        if not line.startswith("#"):
            source, _, target = line.partition("\t")
            table[chr(int(source, 16))] = "".join(chr(int(point, 16)) for point in target.split())
    return table
