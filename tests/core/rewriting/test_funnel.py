"""The funnel of a rewriting run."""

from core.rewriting.funnel import Funnel


def test_an_empty_funnel_is_all_zero():
    funnel = Funnel().as_json()
    assert (funnel["items"], funnel["accepted"], funnel["rounds"]) == (0, 0, {})
