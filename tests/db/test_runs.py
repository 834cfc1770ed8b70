"""The answers that evaluations brought back, on both kinds of database."""

from core.workflow.workspace import Workspace
from db import runs
from db.runs import AnswerRow


def answer(item: int, variant: str = "", **more) -> AnswerRow:
    values = {"outcome": "ok", "text": "答", "extracted": "A", "score": 0.0, **more}
    return AnswerRow("r1", item, variant, **values)


def test_scores_and_answers_are_replaced_one_by_one(ws: Workspace):
    with ws.writing() as session:
        runs.add(session, "r1", "evaluate")
        runs.add(session, "r2", "evaluate")
        runs.add_answers(session, [answer(1), answer(1, "v@2"), answer(2)])
        runs.add_answers(session, [AnswerRow("r2", 1, "", "ok", "x", None, 0.5)])
        runs.mark_taken_in(session, "r1", {})
    with ws.writing() as session:
        runs.set_scores(session, "r1", [(1, "v@2", 0.75), (2, "", None), (9, "", 1.0)])
        runs.replace_answers(session, [answer(1, outcome="failed", text="", extracted=None)])
        runs.set_scores(session, "r1", [])
        runs.replace_answers(session, [])
        runs.reopen(session, "r1")
    with ws.reading() as session:
        kept = {(row.item_id, row.variant): row for row in runs.answers_of(session, "r1")}
        other = runs.answers_of(session, "r2")
        row = runs.get(session, "r1")
    assert kept[1, "v@2"].score == 0.75
    assert kept[2, ""].score is None
    assert (kept[1, ""].outcome, kept[1, ""].text, kept[1, ""].extracted) == ("failed", "", None)
    assert [one.score for one in other] == [0.5]
    assert row is not None
    assert row.taken_in_at is None


def test_what_was_kept_is_read_as_it_was_written(sqlite_ws: Workspace):
    told = {
        "text": "\ud83d 半个\u2028“”",
        "number": 2**70,
        "share": 0.1 + 0.2,
        "deep": [{"": None}],
    }
    with sqlite_ws.writing() as session:
        runs.add(session, "r1", "evaluate", params=told)
    with sqlite_ws.reading() as session:
        row = runs.get(session, "r1")
    assert row is not None
    assert row.params == told
