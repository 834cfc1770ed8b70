"""The methods paragraph says what a run was told, in both languages, and nothing else."""

from dataclasses import replace

from core.evaluation.report_parts.methods_text import methods_paragraph
from core.evaluation.scoring import AccuracyEstimate, AnswerKey, keys_of, regraded, score
from core.i18n import set_language
from tests.splits import make_split


def _report(engine: str = "vllm", right: int = 30, **origin: object):
    keys: list[AnswerKey] = keys_of(make_split(30))
    rows = [{"id": key.id, "text": key.answer if n < right else "?"} for n, key in enumerate(keys)]
    facts = {"split_digest": "ab" * 32, "versions": {"vllm": "0.32"},
             "settings": {"mode": "chat", "temperature": 0.0, "seed": 7}, **origin}  # fmt: skip
    return score(keys, rows, split="s", engine=engine, model="m", origin=facts)


def test_settings_counts_and_the_interval_are_named():
    text = methods_paragraph(_report(right=20))
    assert "m was evaluated on the split “s” of 30 items" in text
    assert "begins with abababababab." in text
    assert "manifest" not in methods_paragraph(_report(split_digest=""))
    assert "vllm (vllm 0.32)" in text
    assert "mode chat, temperature 0.0, seed 7" in text
    assert "30 answers were scored; 0 were missing" in text
    assert "over 5 sources (identified by the article or example) and never below" in text
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


def test_answers_by_likelihood_have_no_settings_of_drawing():
    asked = {"answer_by": "loglikelihood", "shots": 3, "adapter": "tuned", "revision": "v2"}
    text = methods_paragraph(_report(asking=asked))
    assert "temperature" not in text
    assert "seed" not in text
    assert "engine: mode chat." in text
    assert "highest log-likelihood" in text
    assert "3 worked examples preceded each question" in text
    assert "LoRA adapter “tuned”" in text
    assert "revision of the model is v2" in text


def test_generated_answers_name_their_reading_and_what_was_cut():
    asked = {"answer_by": "generation", "max_tokens": 64, "thinking": False}
    text = methods_paragraph(_report(asking=asked))
    assert "seed 7, max_tokens 64." in text
    assert "strict reading of lm-evaluation-harness 30 are correct" in text
    assert "switched off" in text
    assert "system prompt" not in text
    assert "refusals" not in text
    report = _report(asking=asked)
    cut = replace(report, outcomes={"ok": 26, "refused": 1, "thinking_truncated": 3})
    assert "1 refused, 0 empty, 3 cut off while thinking" in methods_paragraph(cut)


def test_answers_without_a_verdict_are_said_to_be_excluded():
    report = _report(asking={"answer_by": "generation"})
    first, *others = (entry.id for entry in report.scores)
    judged = regraded(report, {first: None, **dict.fromkeys(others, 1.0)})
    text = methods_paragraph(judged)
    assert "29 answers were scored" in text
    assert "1 answer has no verdict and is excluded." in text
    assert "strict reading" not in text


def test_how_the_model_was_loaded_and_which_prompts_were_cut_are_named():
    asked = {"answer_by": "generation", "loaded": {"dtype": "bfloat16", "quantization": "awq"}}
    text = methods_paragraph(_report(asking=asked | {"cut_prompts": 2, "too_long": 1}))
    assert "loaded with dtype bfloat16, quantization awq." in text
    assert "2 prompts were longer than the model takes and were cut from the left." in text
    assert "1 prompt was longer than the model takes and was not answered." in text
    text = methods_paragraph(_report(asking={"answer_by": "generation", "loaded": {}}))
    assert "No precision or quantization was set" in text
    assert "longer" not in text
    assert "loaded" not in methods_paragraph(_report(asking={"answer_by": "generation"}))


def test_halls_correction_is_named_where_it_is_used():
    report = _report()
    assert not report.total.sums.skew(), "all are right"
    assert "Hall" not in methods_paragraph(report)
    spread = [e._replace(cluster=f"article {n % 6}") for n, e in enumerate(report.scores)]
    wrong = {e.id: float(e.cluster != "article 0") for e in spread}
    text = methods_paragraph(regraded(replace(report, scores=tuple(spread)), wrong))
    assert "Hall's correction for skewness (1992) where it reaches further" in text
    assert "and never below" in text


def test_the_interval_is_the_one_that_was_computed():
    alike = "correlation within sources of 0.2, which is assumed"
    assert alike in methods_paragraph(_report())  # all thirty right, of five articles
    mixed = _report()
    alone = replace(mixed, total=AccuracyEstimate(30, 20, clusters=30))
    assert methods_paragraph(alone).endswith("The 95% interval is Wilson's.")
    graded = replace(mixed, total=AccuracyEstimate(30, 20.5, 17.0, clusters=30))
    assert methods_paragraph(graded).endswith("with Student's quantile.")
    assert "interval" not in methods_paragraph(replace(mixed, total=AccuracyEstimate(0, 0)))
