"""What the scores say of a judge: how far it is, what it found, whether people agree with it."""

from core.text import set_language
from gui.panels.scores import judged_words

JUDGED = {
    "run": "r",
    "model": "critic",
    "state": "finished",
    "judged": 28,
    "answers": 40,
    "error": "",
    "judges": [
        {
            "means": {"creativity": 0.5714, "fluency": None},
            "agreement": {
                "creativity": {
                    "answers": 12,
                    "coefficients": {"spearman": {"value": 0.81}, "kendall": {"value": None}},
                }
            },
        }
    ],
}


def test_a_run_without_a_judge_says_nothing():
    assert judged_words(None) == ""


def test_counts_means_and_agreement_are_said_and_what_is_undefined_is_left_out():
    assert judged_words(JUDGED).splitlines() == [
        "critic judged 28 of 40 answers: finished.",
        "creativity 57.1%",
        "With people on 12 answers, creativity: spearman 0.81.",
    ]


def test_a_judging_under_way_is_told_in_chinese_too():
    set_language("zh")
    try:
        assert "critic" in judged_words({**JUDGED, "state": "running", "judges": []})
    finally:
        set_language("en")
