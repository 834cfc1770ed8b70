"""A gate may only leave out a search that would find nothing."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.generation.gated_patterns import GatedPatterns, needed_characters, needed_words
from core.generation.text_patterns import ANYWHERE, IN_PROSE

EVERY = [(gated, kind) for gated in (ANYWHERE, IN_PROSE) for kind in gated.patterns]
WRITTEN = [pattern for gated, kind in EVERY for pattern in gated.patterns[kind]]
JOINED = {pair: re.compile("|".join(pair[0].patterns[pair[1]])) for pair in EVERY
          if pair[0].patterns[pair[1]]}  # fmt: skip


@pytest.mark.parametrize(
    ("pattern", "words"),
    [
        (r"\b(?:grants?|awards?) no\b", ("grant", "award")),
        (r"[Ww]e thank|©", ("We thank", "we thank", "©")),
        (r"a{0,3}bc?d+", ("b",)),
        (r"[ab]{2}X", ("aaX", "abX", "baX", "bbX")),
        (r"[a-z]{3}[?!][A-B]", ("!A", "!B", "?A", "?B")),
        (r"[XY]{1,2}e", ("Xe", "Ye")),
        (r"[a-z]{3}[.?](?:The|An?)x", (".The", ".A", "?The", "?A")),
        (r"\b[A-C]{2,5}(?:of|by)\b", ("Aof", "Aby", "Bof", "Bby", "Cof", "Cby")),
        (r"e (?:[12]\d{0,2} ){1,4}", ("e 1", "e 2")),
        (r"e(?i:x)", ("e",)),
        (r"e(?:[12]?|x)", ("e",)),
        (r"(?:x|\d)y?", ()),
        (r"(?i:todo)|\[x", ()),
        (r"(?i)todo", ()),
        (r"(?<=see )(?!b)[,;]$", (",", ";")),
        (r"(?P<who>Li|Wu) (?P=who)", ("Li", "Wu")),
    ],
)
def test_the_words_that_every_match_holds(pattern: str, words: tuple[str, ...]) -> None:
    assert needed_words(pattern) == words


@pytest.mark.parametrize(
    ("pattern", "sets"),
    [
        (r"\\(?:cite|ref)\b", ["\\"]),
        (r"[a-z]{3}[⁰¹]{2,}|[a-z][.,;][²³]", ["⁰¹²³"]),
        (r"X{0,3}[{}]\d", ["{}"]),
        (r"[^{}]~?", []),
        (r"(?:[#@]|x)\d|§", []),
        (r"(?i:#@)[%]", ["%"]),
        (r"(?i)#", []),
        (r"[\u2066-\u2069]", ["\u2066\u2067\u2068\u2069"]),
    ],
)
def test_the_characters_that_every_match_holds(pattern: str, sets: list[str]) -> None:
    assert set(needed_characters(pattern)) == {frozenset(characters) for characters in sets}


def joined(text: str) -> dict[GatedPatterns, dict[str, tuple[int, int]]]:
    """What the joined expressions find in a text."""
    told: dict[GatedPatterns, dict[str, tuple[int, int]]] = {ANYWHERE: {}, IN_PROSE: {}}
    for (gated, kind), expression in JOINED.items():
        if match := expression.search(text):
            told[gated][kind] = match.span()
    return told


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_what_is_found_is_what_the_joined_expressions_find(data: st.DataObject) -> None:
    texts = []
    for _ in range(data.draw(st.integers(1, 4))):
        parts = [data.draw(st.from_regex(data.draw(st.sampled_from(WRITTEN)))) for _ in "ab"]
        start = data.draw(st.sampled_from(("", "We ", "see, ", "见")))
        texts.append(start + data.draw(st.sampled_from((" and ", ""))).join(parts))
    for gated in (ANYWHERE, IN_PROSE):
        found = list(gated.first_matches(texts))
        assert [{kind: match.span() for kind, match in told.items()} for told in found] == [
            joined(text)[gated] for text in texts
        ]


def test_texts_are_looked_at_in_portions_and_none_is_lost() -> None:
    texts = ["", "x" * 150_000, "TODO", "x" * 150_000 + " TODO", "", "see [?] here"]
    found = [list(told) for told in IN_PROSE.first_matches(texts)]
    assert found == [[], [], ["placeholder"], ["placeholder"], [], []]
    assert [list(told) for told in ANYWHERE.first_matches(texts[-1:])] == [["missing_reference"]]
    assert list(IN_PROSE.first_matches([])) == []


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_no_text_that_a_pattern_matches_is_kept_from_it(data: st.DataObject) -> None:
    pattern = data.draw(st.sampled_from(WRITTEN))
    text = data.draw(st.from_regex(pattern))
    match = re.search(pattern, text)
    words = needed_words(pattern)
    assert not words or any(word in text for word in words)
    assert match is not None
    assert all(characters & set(text) for characters in needed_characters(pattern))


LEADING = "the|and|between|per|via|than|our|their|its"
PIECES = [*LEADING.split("|"), "The", "x", ".", ";", ")", " ", "  ", "\n", "\u3000", "\xa0",
          "of", "an", "for", "with", "from", "to", "_", "中"]  # fmt: skip


@pytest.mark.parametrize(
    ("plain", "mark", "gated", "kind"),
    [
        (rf"\b(?:{LEADING})\s*[.;)](?=\s|$)", "between", IN_PROSE, "lost_citation"),
        (r"(?<!\w)(?P<twice>of|an|and|for|with|from|the|to) (?P=twice) (?=[a-z])", "of of",
         ANYWHERE, "broken_words"),
    ],
)  # fmt: skip
@given(st.lists(st.sampled_from(PIECES), max_size=12).map("".join))
def test_what_was_taken_apart_for_the_gate_finds_what_it_found(
    plain: str, mark: str, gated: GatedPatterns, kind: str, text: str
) -> None:
    apart = [one for one in gated.patterns[kind] if f"{mark}" in one and one.count("|") > 6]
    found = {match.span() for one in apart for match in re.finditer(one, text)}
    assert found == {match.span() for match in re.finditer(plain, text)}


def test_sound_prose_is_searched_for_few_expressions() -> None:
    text = "the gauges and our boats lie between the harbour and the mill, and their keepers rest"
    words = [set(needed_words(one)) for one in WRITTEN if "between" in one]
    assert words
    assert not any(word in text for every in words for word in every)
