"""The gate: its share of screened-out items goes to people, blind, and its errors are counted."""

import json
import re

import pytest

from core.cli import main
from core.errors import StateError
from core.screening.run import PrescreenParams
from core.workflow import people, tasks
from core.workflow.check import review, screen
from core.workflow.dashboards import DashboardRequest, draw
from core.workflow.dashboards.figures import Dashboard
from core.workflow.dashboards.gate import gate_of
from core.workflow.dashboards.judgements import JudgementBook
from core.workflow.items import history, state_counts
from core.workflow.production import write
from core.workflow.runs import runs
from core.workflow.workspace import Workspace
from tests.servers.model_server import LoopbackModel
from tests.workspaces import (
    BENCHMARK,
    import_from_sources,
    make_task,
    screened_all,
    write_items,
)


def score_by_number(body) -> str:
    """Odd items are good for this model, even ones are not."""
    words = str(body["messages"])
    number = int(re.findall(r"第(\d+)次", words)[-1])
    return f'{{"score": {8 if number % 2 else 2}, "reasons": "seen"}}'


def screened(ws: Workspace, **settings) -> list[int]:
    make_task(ws, gate="required", **settings)
    numbers = write_items(ws, 12)
    with LoopbackModel(answer=score_by_number) as server:
        folder = screen.start(
            ws, BENCHMARK, PrescreenParams(base_url=server.url, model="test-model")
        )
        runs.wait(ws, folder.spec().id, 60)
        screen.take_in(ws, folder.spec().id)
    return numbers


def test_all_of_the_screened_out_can_go_to_people_and_look_like_the_others(ws):
    numbers = screened(ws, gate_audit_share=1)
    assert state_counts.counts(ws)["in_review"] == 12
    states = {review.next_card(ws, "li", BENCHMARK).state}
    for number in numbers[:8]:
        card = review.review_card(ws, "li", number)
        states.add(card.state)
        assert "2.0" not in repr(card)
        review.decide(ws, "li", number, "accept" if number % 4 else "reject", reason="other")
    assert states == {"in_review"}
    found = gate_of(ws, BENCHMARK)
    assert (found.screened, found.outcomes) == (12, {"passed": 6, "screened_out": 6})
    assert (found.audited, found.decided) == (6, 4)
    assert (found.false_rejects.count, found.false_rejects.total) == (4, 4)
    assert 0 < found.false_rejects.low < 1 == found.false_rejects.high
    assert "Treat the interval with caution: few items: 4." in found.sentence
    at_six = next(row for row in found.curve.thresholds if row.threshold == 6)
    # four of six are decided of either outcome, so each stands for one and a half
    assert (at_six.passed_accepted, at_six.passed_rejected) == (3, 3)
    assert (at_six.out_accepted, at_six.out_rejected) == (6, 0)


def test_what_the_reviewed_items_share_is_said_with_how_it_is_known(ws, tmp_path):
    make_task(ws, gate="off")
    import_from_sources(ws, tmp_path, (n // 2 for n in range(8)))
    numbers = [*range(1, 9), *write_items(ws, 2, start=20)]
    screened_all(ws, {number: float(number) for number in numbers})
    assert gate_of(ws, BENCHMARK).shared == ""  # nothing is reviewed yet
    for number in numbers:
        verdict = "accept" if number % 2 or number == 2 else "reject"
        review.decide(ws, "li", number, verdict, reason="other")
        if number == 2:  # all were accepted: no area, and no interval in the sentence
            found = gate_of(ws, BENCHMARK)
            assert found.shared
            assert "Its intervals" not in found.sentence
    found = gate_of(ws, BENCHMARK)
    shared = "4 sources (identified by the column “doc_id”) and 2 items without a source"
    assert found.shared == shared
    assert f"Its intervals allow for what the reviewed items share: {shared}." in found.sentence


def drawn(ws: Workspace) -> Dashboard:
    return draw("gate", DashboardRequest(ws, JudgementBook(ws), BENCHMARK, "li", detail="both"))


def test_what_other_thresholds_would_do_is_not_told_before_people_saw_both_kinds(ws):
    numbers = screened(ws, gate_audit_share=0)
    board = drawn(ws)
    assert [part.id for part in board.tables] == ["gate"]
    assert board.remarks == ("No screened items have been reviewed by people yet.",)
    for number in numbers[1::2]:
        review.decide(ws, "li", number, "accept" if number % 3 else "reject", reason="other")
    board = drawn(ws)
    assert [part.id for part in board.tables] == ["gate"]
    (remark,) = board.remarks
    assert "so the gate's losses are unknown" in remark


def test_the_command_says_what_is_missing_and_prints_no_zeros(sqlite_ws, capsys):
    numbers = screened(sqlite_ws, gate_audit_share=0)
    people.ensure_person(sqlite_ws, "zoe", "lead")
    where = ["gate", "--workspace", str(sqlite_ws.place.folder), "--user", "zoe"]
    review.decide(sqlite_ws, "li", numbers[1], "accept")
    assert main(where) == 0
    said = capsys.readouterr().out
    assert "so the gate's losses are unknown" in said
    assert "Effect of other thresholds" not in said
    assert main([*where, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["table"] == []


def test_without_a_share_nobody_sees_them_and_the_rate_is_undefined(ws):
    screened(ws, gate_audit_share=0)
    assert state_counts.counts(ws)["screened_out"] == 6
    found = gate_of(ws, BENCHMARK)
    assert (found.audited, found.false_rejects.value) == (0, None)
    assert found.false_rejects.undefined


def test_one_task_is_screened_and_what_failed_is_counted_and_asked_again(ws):
    make_task(ws, gate="required", threshold=7)
    numbers = write_items(ws, 3)
    tasks.add(ws, "other", "instruction", benchmark=BENCHMARK, protocol={"gate": "required"})
    payload = {"instruction": "译。", "input": "一", "output": "二"}
    other = write.submit(ws, "ann", "other", payload, benchmark=BENCHMARK).number
    plan = screen.plan(ws, BENCHMARK)
    assert (plan.drafts, plan.failed, sorted(plan.thresholds.values())) == (4, 0, [6, 7])
    task = history.item_history(ws, numbers[0], "").task
    with LoopbackModel(answer=lambda _body: "no score at all") as server:
        params = PrescreenParams(base_url=server.url, model="test-model")
        folder = screen.start(ws, BENCHMARK, params, task)
        runs.wait(ws, folder.spec().id, 60)
    screen.take_in(ws, folder.spec().id)
    assert history.state_of(ws, other) == "draft"
    again = screen.plan(ws, BENCHMARK, task)
    assert (again.drafts, again.failed, again.model) == (3, 3, "test-model")
    assert screen.plan(ws, BENCHMARK, "other").failed == 0


def test_only_what_got_no_usable_reply_is_asked_again(ws):
    make_task(ws, gate="required", gate_audit_share=0)
    numbers = write_items(ws, 4)

    def silent_at_first(body) -> str:
        return score_by_number(body) if "第0次" not in str(body["messages"]) else "no score"

    def run(server: LoopbackModel, **more) -> int:
        params = PrescreenParams(base_url=server.url, model="test-model")
        folder = screen.start(ws, BENCHMARK, params, **more)
        runs.wait(ws, folder.spec().id, 60)
        screen.take_in(ws, folder.spec().id)
        return folder.spec().total

    with LoopbackModel(answer=silent_at_first) as server:
        assert run(server) == 4
    new = write_items(ws, 1, start=50)
    with LoopbackModel(answer=score_by_number) as server:
        assert run(server, only_failed=True) == 1
        with pytest.raises(StateError, match="Nothing"):
            run(server, only_failed=True)
    assert history.state_of(ws, numbers[0]) == "screened_out"
    assert history.state_of(ws, new[0]) == "draft"
