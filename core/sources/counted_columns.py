"""Columns that are counted in their names, in whatever words: “Opt one”, “Opt two” or “选项一”."""

import re
from collections.abc import Iterable, Mapping
from itertools import takewhile

_LETTERS = tuple("abcdefghijklmnopqrstuvwxyz")
_SERIES: tuple[tuple[str, ...], ...] = (
    tuple(map(str, range(1, 27))),
    tuple(map(str, range(26))),
    _LETTERS,
    ("i", "ii", "iii", "iv", "v", "vi", "vii", "viii"),
    ("one", "two", "three", "four", "five", "six", "seven", "eight"),
    ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth"),
    ("1st", "2nd", "3rd", "4th", "5th", "6th", "7th", "8th"),
    ("eins", "zwei", "drei", "vier", "fünf", "sechs", "sieben", "acht"),
    ("un", "deux", "trois", "quatre", "cinq", "six", "sept", "huit"),
    ("uno", "dos", "tres", "cuatro", "cinco", "seis", "siete", "ocho"),
    tuple("一二三四五六七八"),
    tuple("甲乙丙丁戊己庚辛"),
)
_WORD = re.compile(r"\d+(?:st|nd|rd|th)?|[\u3040-\u30ff\u4e00-\u9fff]|[^\W\d_]+")
_CASE = re.compile(r"(?<=[a-z])(?=[A-Z])")  # "optA"


def counted_columns(names: Iterable[str]) -> list[list[str]]:
    """Columns that differ in one word alone, which counts from its beginning: lists of two or more
    names in the order of the count, the longest first."""
    stems: dict[tuple[tuple[str, ...], int, int], dict[str, str]] = {}
    for name in names:
        words = tuple(_WORD.findall(_CASE.sub(" ", name).casefold()))
        for place, word in enumerate(words):
            rest = (*words[:place], "", *words[place + 1 :])
            for number, series in enumerate(_SERIES):
                if word in series:
                    stems.setdefault((rest, place, number), {}).setdefault(word, name)
    found: list[list[str]] = []
    for (_, _, number), members in stems.items():
        run: list[str] = []
        for word in _SERIES[number]:
            if word not in members:
                break
            run.append(members[word])
        if len(run) > 1:
            found.append(run)
    return sorted(found, key=len, reverse=True)


def numbered_run(members: Mapping[str, str], starts: Iterable[str]) -> str:
    """Names of two columns or more, by the letters or figures that they end in, which follow each
    other from one of the starts; joined by ``+``, empty where there are none."""
    for start in starts:
        ends = takewhile(members.__contains__, (chr(ord(start) + n) for n in range(26)))
        if len(run := [members[end] for end in ends]) > 1:
            return "+".join(run)
    return ""
