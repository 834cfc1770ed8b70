"""Facts of the tasks of a split: task, categories and labels of every item, in either database."""

from core.families.base import ItemContent
from core.workflow import tasks
from core.workflow.evaluation import task_info
from core.workflow.people import ensure_person
from core.workflow.splits import freeze
from core.workflow.workspace import Workspace
from db import benchmarks
from tests.splits import freeze_split, varied


def triplet(number: int, *labels: str) -> ItemContent:
    output = labels[number % len(labels)] if labels else f"答{number}"
    payload = {"instruction": "判断", "input": f"第{number}句", "output": output,
               "labels": list(labels)}  # fmt: skip
    return ItemContent("instruction", "triplet", payload, domain="zh")


def test_every_item_has_its_task_and_its_own_labels(ws: Workspace):
    freeze_split(ws, {
        "立场": [triplet(0, "支持", "反对"), triplet(1, "支持", "反对", "中立")],
        "续写": [triplet(2)],
        "scp": [varied(3)],
    })  # fmt: skip
    with ws.writing() as session:
        for task in benchmarks.tasks(session):
            if task.name == "立场":
                profile = {**task.profile, "categories": ["观点", "分类"]}
                benchmarks.set_profile(session, task.id, profile)
    ensure_person(ws, "a lead", "lead")
    tasks.change(ws, "立场", "a lead", metric="f1", benchmark="b")
    found = task_info.facts_of(ws, "s")
    uids = [member.uid for member in freeze.members_of(ws, "s")]
    assert list(found) == uids
    facts = [found[uid] for uid in uids]
    assert [fact.task for fact in facts] == ["立场", "立场", "续写", "scp"]
    assert [fact.labels for fact in facts] == [("支持", "反对"), ("支持", "反对", "中立"), (), ()]
    assert facts[0].categories == ("观点", "分类")
    assert facts[0].metric == "f1"
    assert task_info.metrics_of(ws, "b") >= {"f1"}
