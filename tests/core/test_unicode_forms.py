"""Normal forms that cost no more than the text is long, and texts as they are compared."""

import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.unicode_forms import comparable_text, comparable_words, normal_form

LETTERS = "aÄßǅ1_ \n\t\u3000\u2028\x1c.,!?。、，“”！é\u0301①Ⅳﬁ水가\ud800\x01"

ORDINARY = (
    "plain words", "Größe, e\u0301tude", "Tiếng Việt", "שָׁלוֹם", "ＦＵＬＬ width ①", "ก็ ที่", "क्षत्रिय",
    "x" + "\u0301\u0323" * 15, "—" * 40 + "!?" * 40, "😀🏽" * 40, "한국어",
)  # fmt: skip


@pytest.mark.parametrize("text", ORDINARY)
@pytest.mark.parametrize("form", ["NFC", "NFD", "NFKC", "NFKD"])
def test_ordinary_text_gets_its_normal_form(form: str, text: str) -> None:
    assert normal_form(form, text) == unicodedata.normalize(form, text)  # type: ignore[arg-type]  # one


@pytest.mark.timeout(60)
def test_a_text_of_marks_costs_what_it_is_long() -> None:
    """Half a million marks on one letter took minutes, and hours in an answer of some megabytes."""
    text = "a" + "\u0301\u0323" * 250_000 + " b"
    assert len(normal_form("NFD", text)) == len("a b") + 30


@given(st.text(st.sampled_from(LETTERS), max_size=60))
def test_a_compared_text_is_its_letters_and_digits_in_one_width_and_case(text: str) -> None:
    folded = unicodedata.normalize("NFKC", text).casefold()
    assert comparable_text(text) == re.sub(r"[\W_]+", "", folded)
    assert comparable_words(text) == " ".join(re.findall(r"[^\W_]+", folded))
