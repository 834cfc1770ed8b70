"""The judges of a run beside the newest: named, each with what the run scores by it."""

from core.evaluation.report_parts.other_judges import other_judges_sentence


def test_every_other_judge_is_named_with_its_score() -> None:
    assert other_judges_sentence(None) == ""
    assert other_judges_sentence({"model": "new", "others": []}) == ""
    others = [{"model": "critic", "score": 0.6134}, {"model": "empty", "score": None}]
    assert other_judges_sentence({"model": "new", "others": others}) == (
        "By other judges of these answers it scores: critic 61.3%, empty –."
    )
    problem = {"model": "new", "others": [], "others_problem": "It was changed."}
    assert other_judges_sentence(problem) == "Other judges cannot be read: It was changed."
