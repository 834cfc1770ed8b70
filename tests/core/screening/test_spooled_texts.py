"""Texts on the disk read as they were written, whichever is asked for."""

from contextlib import closing

from hypothesis import given
from hypothesis import strategies as st

from core import scratch_file
from core.screening import spooled_texts
from core.screening.spooled_texts import SpooledTexts


@given(st.lists(st.text()), st.integers(0, 5), st.integers(0, 9))
def test_texts_come_back_in_any_order(texts: list[str], start: int, end: int) -> None:
    with closing(SpooledTexts(texts)) as spooled:
        assert len(spooled) == len(texts)
        assert list(spooled) == texts
        assert [spooled[place] for place in reversed(range(len(texts)))] == texts[::-1]
        assert spooled[start:end] == texts[start:end]
        some = spooled.between(start, end)
        assert list(some) == texts[start:end]
        assert len(some) == len(texts[start:end])
        assert [some[place] for place in range(len(some))] == texts[start:end]


def test_the_file_holds_nothing_that_can_be_read(monkeypatch, tmp_path) -> None:
    with (tmp_path / "spool").open("w+b") as file:
        monkeypatch.setattr(scratch_file, "TemporaryFile", lambda **_: file)
        spooled = SpooledTexts(["A private question, which is sealed.", "旋律很美"])
        written = (tmp_path / "spool").read_bytes()
        assert len(written) == len("A private question, which is sealed.") + 12
        assert b"private" not in written
        assert spooled[0].startswith("A private")


def test_two_can_be_read_at_once_and_a_text_may_be_longer_than_what_is_read(monkeypatch) -> None:
    monkeypatch.setattr(spooled_texts, "_PIECE", 7)
    texts = ["short", "旋律很美", "a text that is much longer than seven bytes", "", "\ud800 alone"]
    with closing(SpooledTexts(texts)) as spooled:
        assert list(zip(spooled, spooled, strict=True)) == list(zip(texts, texts, strict=True))
