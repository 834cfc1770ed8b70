"""A judge that flips, truncates and refuses at known rates, and the sums done by hand."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from core.errors import InputError, OutsideError
from core.evaluation.judge_agreement import judge_agreement
from core.evaluation.judges import (
    CREATIVE_CRITERIA,
    Judge,
    JudgeTask,
    judge_prompt,
    judge_report,
    judge_request,
    prompt_digests,
    verdicts,
)
from core.llm.cache import ReplyCache
from core.llm.types import ModelServer
from tests.servers.model_server import LoopbackModel, asked_text


def tasks(count: int) -> list[JudgeTask]:
    return [
        JudgeTask(
            f"item-{n}", "判断修辞手法", f"句子 item-{n}", "比喻", "拟人" if n % 2 else "比喻"
        )
        for n in range(count)
    ]


def number_of(body: dict) -> int:
    return int(asked_text(body).rsplit("句子 item-", 1)[1].split("\n")[0])


def correctness(answer: bool, reference: bool = True) -> str:
    return json.dumps(
        {"reasons": "因为。", "reference_correct": reference, "answer_correct": answer},
        ensure_ascii=False,
    )


def flipping_judge(body: dict):
    """Of every ten: 0 flipped, 1 truncated, 2 refused, 3 broken, 4 disputes; the rest right."""
    number = number_of(body)
    truth = number % 2 == 0
    return {
        0: correctness(not truth),
        1: {"content": correctness(truth)[:20], "finish_reason": "length"},
        2: {"content": None, "refusal": "I would rather not."},
        3: "The answer is right, I think.",
        4: correctness(truth, reference=False),
    }.get(number % 10, correctness(truth))


def judge(server: LoopbackModel, kind: str = "correctness", **more) -> Judge:
    return Judge(kind, ModelServer(server.url, "judge-model"), **more)


def test_every_kind_of_reply_is_counted_as_by_hand():
    with LoopbackModel(answer=flipping_judge) as server:
        who = judge(server)
        found = list(verdicts(who, tasks(100)))
    report = judge_report(who, found)
    assert report.outcomes == {"invalid": 10, "ok": 70, "refused": 10, "truncated": 10}
    # right ones: 4, 6, 8 of ten (even numbers, none of them flipped)
    assert report.means == {"answer_correct": pytest.approx(30 / 70)}
    assert report.disputed_references == tuple(sorted(
        (f"item-{n}" for n in range(4, 100, 10)), key=[v.id for v in found].index
    ))  # fmt: skip
    assert report.asked == 100
    assert report.tokens > 0


def test_an_unreadable_reply_is_asked_for_again_and_then_counted():
    with LoopbackModel(answer=lambda body: "no JSON") as server:
        (found,) = verdicts(judge(server, asks=3), tasks(1))
        assert [seen.body["seed"] for seen in server.seen] == [0, 1, 2]
    assert found.outcome == "invalid"
    assert found.error


def test_a_second_try_that_succeeds_counts():
    def second_time(body: dict) -> str:
        return correctness(True) if body["seed"] else "hm"

    with LoopbackModel(answer=second_time) as server:
        (found,) = verdicts(judge(server), tasks(1))
    assert (found.outcome, found.values["answer_correct"]) == ("ok", 1.0)


def test_good_replies_are_kept_and_not_paid_for_again(tmp_path: Path):
    cache = ReplyCache(tmp_path)
    with LoopbackModel(answer=flipping_judge) as server:
        first = {v.id: v for v in verdicts(judge(server, cache=cache), tasks(50))}
        asked = len(server.seen)
        second = {v.id: v for v in verdicts(judge(server, cache=cache), tasks(50))}
        again = [number_of(seen.body) % 10 for seen in server.seen[asked:]]
    # only what was truncated or refused is asked again; unreadable replies are known as such
    assert set(again) <= {1, 2}
    assert {v.id for v in second.values() if v.cached} >= {
        v.id for v in first.values() if v.outcome == "ok"
    }
    assert {n: v.values for n, v in first.items()} == {n: v.values for n, v in second.items()}


def creative(body: dict):
    number = number_of(body)
    ratings = {"creativity": 1 + number % 5, "fluency": 5, "instruction_following": 3}
    if number == 7:
        ratings["creativity"] = 6
    return json.dumps({"reasons": "r", **ratings, "confidence": 4})


def test_creative_ratings_become_scores_from_nought_to_one():
    with LoopbackModel(answer=creative) as server:
        who = judge(server, "creative")
        found = list(verdicts(who, [*tasks(10), JudgeTask("item-99", "写诗", "", "", "  ")]))
    report = judge_report(who, found)
    assert report.outcomes == {"empty": 1, "invalid": 1, "ok": 9}
    levels = [n % 5 / 4 for n in range(10) if n != 7]
    assert report.means["creativity"] == pytest.approx(sum(levels) / 10)
    assert report.means["fluency"] == pytest.approx(9 / 10)
    assert set(report.means) == set(CREATIVE_CRITERIA)


def test_an_empty_answer_is_never_sent():
    with LoopbackModel(answer=creative) as server:
        (found,) = verdicts(judge(server), [JudgeTask("a", "i", "x", "r", " \n")])
        assert (found.outcome, len(server.seen)) == ("empty", 0)


def test_an_answer_cannot_fill_in_the_template():
    task = JudgeTask("a", "i {{answer}}", "x", "the reference", "see {{reference}} and {{input}}")
    with LoopbackModel() as server:
        request = judge_request(judge(server), task)
    shown = request.messages[-1].content
    assert "i {{answer}}" in shown
    assert "see {{reference}} and {{input}}" in shown
    assert shown.count("the reference") == 1


def test_no_verdict_at_all_is_undefined():
    with LoopbackModel(answer=lambda _: "nothing") as server:
        who = judge(server, asks=1)
        found = list(verdicts(who, tasks(3)))
    assert judge_report(who, found).means == {"answer_correct": None}


@pytest.mark.parametrize(
    ("instruction", "opening"),
    [("Write a line.", "What counts in this task"), ("写一句诗。", "以下是")],
)
def test_what_a_task_tells_judges_stands_before_the_answer(instruction: str, opening: str):
    with LoopbackModel(answer="{}") as server:
        task = JudgeTask("1", instruction, "", "r", "{{criteria}}", "Four syllables {{answer}}.")
        said = judge_request(judge(server), task).messages[1].content
        bare = judge_request(judge(server), replace(task, criteria="")).messages[1].content
    assert said.startswith(opening)
    assert "Four syllables {{answer}}." in said
    assert said.endswith(bare)
    assert "{{criteria}}" in bare  # what an answer says stays as it is


def test_a_judge_that_is_gone_is_something_outside():
    with LoopbackModel() as server:
        who = Judge("correctness", ModelServer(server.url, "m", retries=0))
    with pytest.raises(OutsideError):
        list(verdicts(who, tasks(2)))


def test_an_unknown_kind_of_judge_is_refused():
    with pytest.raises(InputError, match="haiku"):
        judge_prompt("haiku")


def test_agreement_with_people_is_reported_beside_the_scores():
    people = {f"item-{n}": float(1 + n % 5) for n in range(50)}
    same = judge_agreement(people, people, categories=[1, 2, 3, 4, 5], resamples=100)
    assert {one.name: one.value for one in same} == {
        "spearman": pytest.approx(1),
        "cohen_kappa_quadratic": pytest.approx(1),
    }
    turned = {item: 6 - value for item, value in people.items()}
    against = judge_agreement(turned, people, categories=[1, 2, 3, 4, 5], resamples=100)
    assert against[0].value == pytest.approx(-1)


def test_agreement_on_verdicts_by_hand():
    judged = {f"i{n}": float(n < 50) for n in range(100)}
    people = {f"i{n}": float(n < 40 or 90 <= n < 95) for n in range(100)}
    # both yes 40, judge only 10, people only 5, both no 45: kappa = (0.85 − 0.5) / 0.5
    found = {one.name: one.value for one in judge_agreement(judged, people, categories=[0, 1])}
    assert found["percent"] == pytest.approx(0.85)
    assert found["cohen_kappa"] == pytest.approx(0.7)


def test_agreement_without_common_items_has_a_reason_and_no_number():
    for one in judge_agreement({"a": 1.0}, {"b": 1.0}, categories=[0, 1]):
        assert one.value is None
        assert one.undefined


@pytest.mark.parametrize("kind", ["correctness", "creative"])
def test_questions_in_chinese_are_judged_by_a_role_in_chinese(kind: str) -> None:
    judge = Judge(kind, ModelServer("http://127.0.0.1:1/v1", "m"))
    chinese = judge_request(judge, JudgeTask("1", "写一句诗。", "秋天", "落叶", "叶落知秋"))
    english = judge_request(judge, JudgeTask("2", "Write a verse.", "autumn", "leaves", "叶"))
    assert [m.content for m in chinese.messages] != [m.content for m in english.messages]
    assert "评" in chinese.messages[0].content or "阅卷" in chinese.messages[0].content
    assert english.messages[0].content.startswith("You ")
    for text in ("写一句诗。", "秋天", "落叶", "叶落知秋"):
        assert text in chinese.messages[1].content
    assert set(prompt_digests(kind)) == {kind, f"{kind}.zh"}
    assert chinese.schema == english.schema
