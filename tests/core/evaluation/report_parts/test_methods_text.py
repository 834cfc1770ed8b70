"""The methods paragraph says what a run was told, in both languages, and nothing else."""

from core.evaluation.report_parts.methods_text import methods_paragraph
from core.evaluation.scoring import AnswerKey, keys_of, score
from core.i18n import set_language
from tests.splits import make_split


def _report(engine: str = "vllm", **origin: object):
    keys: list[AnswerKey] = keys_of(make_split(30))
    rows = [{"id": key.id, "text": key.answer} for key in keys]
    facts = {"split_digest": "ab" * 32, "versions": {"vllm": "0.32"},
             "settings": {"mode": "chat", "temperature": 0.0, "seed": 7}, **origin}  # fmt: skip
    return score(keys, rows, split="s", engine=engine, model="m", origin=facts)


def test_settings_counts_and_the_interval_are_named():
    text = methods_paragraph(_report())
    assert "m was evaluated on the split “s” of 30 items" in text
    assert "abababababab…" in text
    assert "vllm (vllm 0.32)" in text
    assert "mode chat, temperature 0.0, seed 7" in text
    assert "30 answers were scored; 0 were missing" in text
    assert "over 5 sources or items" in text
    assert "judged" not in text


def test_people_and_imports_say_so_and_chinese_has_no_english_sentence():
    assert "People answered the same prompts" in methods_paragraph(_report("people"))
    assert "imported from lm_eval" in methods_paragraph(_report("import:lm_eval"))
    set_language("zh")
    try:
        text = methods_paragraph(_report())
    finally:
        set_language("en")
    assert "。" in text
    assert "evaluated" not in text
