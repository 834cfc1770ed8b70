"""A gate may only leave out a search that would find nothing."""

import re
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic_core import SchemaValidator, core_schema

from core.families import family
from core.families.base import ItemContent
from core.generation.gated_patterns import GatedPatterns, widened
from core.generation.text_defects import in_text, text_defects
from core.generation.text_patterns import ANYWHERE, IN_PROSE

EVERY = [(gated, kind) for gated in (ANYWHERE, IN_PROSE) for kind in gated.patterns]
WRITTEN = [pattern for gated, kind in EVERY for pattern in gated.patterns[kind]]
JOINED = {pair: re.compile("|".join(pair[0].patterns[pair[1]])) for pair in EVERY
          if pair[0].patterns[pair[1]]}  # fmt: skip


def may_match(pattern: str, text: str) -> bool:
    """Whether Rust's engine finds the wider form of a pattern in a text."""
    schema = core_schema.str_schema(pattern=widened(pattern), regex_engine="rust-regex")
    return SchemaValidator(schema).isinstance_python(text)


@pytest.mark.parametrize("written", [r"\d", r"\w", r"\s", ".", "[^a]", "(?i:i)", "(?i:[sk])"])
def test_no_character_that_python_takes_is_kept_out(written: str) -> None:
    schema = core_schema.str_schema(pattern=rf"\A{widened(written)}\z", regex_engine="rust-regex")
    takes = SchemaValidator(schema).isinstance_python
    every = (chr(n) for n in range(sys.maxunicode + 1) if not 0xD800 <= n < 0xE000)
    python = re.compile(written)
    assert [c for c in every if python.fullmatch(c) and not takes(c)] == []


@pytest.mark.parametrize(
    ("pattern", "found", "left_out"),
    [
        (r"\b(?:grants?|awards?) no\b", ("the award no 1",), ("the awards", "emigrant no")),
        (r"(?<=see )(?!b)[,;]$", ("see ,", "see ;\n"), ("saw ,", "see , and")),
        (r"(?<=见)图(?=[，。])", ("见图。",), ("见图", "图。")),
        (r"(?:^|(?<=[.] ))Fig", ("Fig", "a. Fig"), ("a Fig",)),
        (r"a(?:(?<=a)b|c)", ("ab",), ("aa",)),
        (r"x(?=y)(?!yz)", ("xy",), ("xz",)),
        (r"(?:x(?=y))y", ("xy",), ("xz",)),
        (r"\bé", ("é", "-é"), ("e",)),
        (r"(?P<who>Li|Wu) (?P=who)", ("Li Li",), ("Li He",)),
        (r"(?i:todo)|\[x", ("ToDo", "[x"), ("to do",)),
        (r"(?i)kiss", ("\u212aiss", "K\u0130\u017fs"), ("kis",)),
        (r"(?m:^> )", ("a\n> b",), ("a > b",)),
        (r"[^\s,]{20}x", ("a" * 20 + "x",), ("a,x",)),
        (r"(?P<a>x)?(?(a)y|z)", ("xy", "z"), ()),
        (r"a++b(?>c|d)", ("aabd",), ("ab",)),
    ],
)
def test_a_wider_form_leaves_out_what_lacks_a_part_of_a_match(
    pattern: str, found: tuple[str, ...], left_out: tuple[str, ...]
) -> None:
    assert all(re.search(pattern, text) for text in found)
    assert all(may_match(pattern, text) for text in found)
    assert not any(may_match(pattern, text) for text in left_out)


def test_no_expression_is_kept_from_a_text_with_half_a_character() -> None:
    (found,) = IN_PROSE.first_matches(["TODO \ud800"])
    assert list(found) == ["placeholder"]


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


def test_texts_of_any_length_are_looked_at_and_none_is_lost() -> None:
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
    assert re.search(pattern, text) is not None
    assert may_match(pattern, text)


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


def test_sound_prose_is_searched_for_nothing() -> None:
    text = ("The gauges and our boats lie between the harbour and the mill (see Fig. 2), and their "
            "keepers rest in 2019, as Smith and Li (2018) observed. 水位在桥的两边都很低，"
            "船停在岸边。")  # fmt: skip
    assert [one for one in WRITTEN if may_match(one, text)] == []


SHOWING = (
    "the the", "In the year 1998 it rained", "word , next", " ;", "[1, 2]", "{a}", "$x$", r"\(a\)",
    "`a b`", "http://a.b/c", "<|hole|>", "\t", "    ", "|a|b|", "et al. (", "( )", "（ ）", "…",
    "..", "Ã©", "\u200b", "\u202a", "\ud800", "fig11a", r"\cite{a}", "i . e", "水", "。", "，，",
    "他说他说", "couldn ’t", "birthday.The", "a b c d e f", "“", "\n", " ", "Ada ", "measured ",
    "雨量", "of",
)  # fmt: skip


@settings(max_examples=400)
@given(st.lists(st.sampled_from(SHOWING), max_size=12), st.integers(0, 80), st.booleans())
def test_one_look_at_an_item_hides_nothing_that_its_texts_show(
    pieces: list[str], words: int, wide: bool
) -> None:
    filling = "我们测量了水位的变化情况，" * words if wide else "Rain fell on it again. " * words
    text = filling + "".join(pieces) + filling
    sample = family("answer").sample("answer")
    item = ItemContent("answer", "answer", {**sample.payload, "rationale": text})
    found = [(defect.name, defect.detail) for defect in text_defects(item)]
    shown = dict(reversed(in_text(text, prose=False))) if len(text) > 1 else {}
    assert dict(found) == {kind: f"“{words}”" for kind, words in shown.items()}
