"""Annotations made elsewhere become decisions of their annotators."""

import json

import pytest

from core.errors import RightsError
from core.families.base import ItemContent
from core.workflow import people
from core.workflow.items import history, state_counts
from core.workflow.production import import_items
from core.workflow.production.annotators import AnnotatorDecision, decisions_in
from core.workflow.production.import_items import ImportOrder
from db import ledger, reviews

LEAD = "安"


def annotation(annotator, label: str, **more) -> dict:
    result = {"from_name": "label", "type": "choices", "value": {"choices": [label]}}
    return {"completed_by": annotator, "result": [result], **more}


def tasks(*labels: str) -> list[dict]:
    annotations = [annotation({"email": f"{n}@x.org"}, label) for n, label in enumerate(labels)]
    return [{"id": 1, "data": {"text": "杯子没有磕碰。"}, "annotations": annotations}]


def order(path, **more) -> ImportOrder:
    mapping = {"instruction": "=判断情感。"}
    return ImportOrder(path, "t", "b", mapping=mapping, annotators=True, **more)


@pytest.fixture
def project(tmp_path):
    def write(content):
        path = tmp_path / "project.json"
        path.write_text(json.dumps(content), encoding="utf-8")
        return path

    return write


def test_each_annotator_decides_by_the_label_that_was_chosen(ws, project):
    people.ensure_person(ws, LEAD, "lead")
    path = project(tasks("正面", "负面", "正面"))
    report = import_items.import_file(ws, order(path, person=LEAD))
    assert report.decisions is not None
    assert (report.decisions.recorded, report.decisions.people) == (3, 3)
    assert report.decisions.refused == {}
    assert history.item_history(ws, 1, "").revisions[0].content.payload["output"] == "正面"
    with ws.reading() as session:
        decisions = reviews.decisions_on(session, 1)
        events = [e for e in ledger.of_item(session, 1) if e.kind == "decided"]
    assert {d.person: (d.verdict, d.note) for d in decisions} == {
        "0@x.org": ("accept", ""),
        "1@x.org": ("reject", "负面"),
        "2@x.org": ("accept", ""),
    }
    assert [event.data["recorded_by"] for event in events] == [LEAD] * 3
    assert (
        history.item_history(ws, 1, "").state == "in_review"
    )  # they disagree: it waits for adjudication


def test_only_a_lead_records_decisions_in_the_names_of_others(ws, project):
    people.ensure_person(ws, LEAD, "lead")
    people.ensure_person(ws, "li", "annotator")
    import_items.import_file(ws, order(project(tasks("正面")), person=LEAD))
    more = project([{**tasks("负面")[0], "data": {"text": "碎了。"}}, *tasks("正面")])
    with pytest.raises(RightsError):
        import_items.import_file(ws, order(more, person="li"))
    assert state_counts.counts(ws)["draft"] + state_counts.counts(ws)["accepted"] == 1


def test_a_verdict_is_taken_as_it_is_and_argilla_says_it_in_its_own_way():
    columns = {
        "annotations": [annotation(5, "return"), annotation(6, "accept"),
                        annotation(7, "好", was_cancelled=True)],
        "responses": {"label": [{"user_id": "u1", "value": "好"}, {"user_id": "u2", "value": 3}]},
    }  # fmt: skip
    payload = {"instruction": "判断。", "output": "好"}
    content = ItemContent("instruction", "triplet", payload, {"columns": columns})
    assert decisions_in(content) == [
        AnnotatorDecision("annotator 5", "return", "–"),
        AnnotatorDecision("annotator 6", "accept"),
        AnnotatorDecision("u1", "accept"),
        AnnotatorDecision("u2", "reject", "3"),
    ]
