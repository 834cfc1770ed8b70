"""The label space of texts with labels: found in the file, said, and refused on request."""

import json

import pytest

from core.workflow.production import import_items
from core.workflow.production.import_items import ImportOrder
from core.workflow.production.label_spaces import labels_of
from db import items

ASKED = {"instruction": "=What is it about?"}


def written(folder, labels, name="topics.tsv", begin=0):
    lines = [f"{begin + n}\tIt is a text, of a day: {begin + n}.\t{label}"
             for n, label in enumerate(labels)]  # fmt: skip
    (folder / name).write_text("\n".join(["index_id\ttext\tcategory", *lines]), "utf-8")
    return folder / name


def order(path, **more) -> ImportOrder:
    return ImportOrder(path, **{"task": "topics", "benchmark": "b", "mapping": ASKED, **more})


def test_all_labels_of_the_file_are_the_label_space(ws, tmp_path):
    labels = ["sport", "health"] * 15 + ["travel"] * 2  # beyond what is looked at first
    path = written(tmp_path, labels)
    assert import_items.preview(ws, order(path)).mapping["labels"] == "=health|sport|travel"
    report = import_items.import_file(ws, order(path))
    assert (report.taken, report.mapping["labels"]) == (32, "=health|sport|travel")
    assert "health, sport, travel" in report.note
    assert not report.advises


def test_labels_that_differ_only_in_case_or_width_are_told(ws, tmp_path):
    path = written(tmp_path, ["Yes", "yes", "no", "ｎｏ", "perhaps"] * 3)
    report = import_items.import_file(ws, order(path, dry_run=True))
    assert "“Yes” = “yes”" in report.note
    assert "“no” = “ｎｏ”" in report.note
    assert "perhaps”" not in report.note
    assert report.advises
    few = written(tmp_path, ["Good", "good", "bad", "bad"], "few.tsv")  # too few for a label space
    report = import_items.import_file(ws, order(few, task="few", dry_run=True))
    assert "“Good” = “good”" in report.note


@pytest.mark.parametrize("nothing", ["=", ""])
def test_whoever_wants_no_label_space_has_none(ws, tmp_path, nothing):
    path = written(tmp_path, ["sport", "health"] * 5)
    report = import_items.import_file(ws, order(path, mapping={**ASKED, "labels": nothing}))
    assert report.taken == 10
    assert "sport" not in report.mapping.get("labels", "")
    assert "was read from the file" not in report.note


def test_a_task_keeps_the_label_space_of_its_first_file(ws, tmp_path):
    first = written(tmp_path, ["sport", "health"] * 5)
    import_items.import_file(ws, order(first))
    again = import_items.import_file(ws, order(first, mapping={}))
    assert (again.taken, again.known) == (0, 10)
    more = written(tmp_path, ["sport", "health", "travel"] * 4, "more.tsv", begin=8)
    report = import_items.import_file(ws, order(more))
    assert report.mapping["labels"] == "=health|sport"
    assert "unknown_label" in report.defects


@pytest.mark.parametrize(
    ("values", "found"),
    [
        ([1, 0, 1, 0], ("0", "1")),
        ([True, False, True, False], ("false", "true")),
        (["yes", "no", "-", "", "yes", "no"], ("no", "yes")),
        (["yes"] * 9, ()),
        (["a", "b", "c", "a"], ()),
        ([0.0, 2.4, 0.0, 2.4], ()),
        ([["a", "b"], ["a"], "a", "b"], ()),
        (["a|b", "c"] * 3, ()),
        ([str(n) for n in range(31)] * 2, ()),
        (["It is wet and cold, and nobody reads the gauge at night, ever.", "No"] * 2, ()),
    ],
)
def test_a_label_space_is_a_small_number_of_words_that_come_again(values, found):
    assert labels_of(values) == found


def instructed(folder, answers, name="情感.jsonl"):
    rows = [
        {"Instruction": "判断这条评论的情感。", "Input": f"第{n}条评论。", "Output": answer}
        for n, answer in enumerate(answers)
    ]
    lines = [json.dumps(row, ensure_ascii=False) for row in rows]
    (folder / name).write_text("\n".join(lines), "utf-8")
    return folder / name


def test_answers_that_come_again_and_again_are_labels_though_nobody_calls_them_so(ws, tmp_path):
    path = instructed(tmp_path, ["积极", "消极"] * 6)
    report = import_items.import_file(ws, order(path, task="情感", mapping={}))
    assert report.mapping["labels"] == "=消极|积极"
    assert "消极, 积极" in report.note
    with ws.reading() as session:
        stored = [row.label for row in items.in_state(session, ("in_review", "draft"))]
    assert sorted(stored) == ["消极"] * 6 + ["积极"] * 6  # by which halves are balanced


@pytest.mark.parametrize(
    "answers",
    [
        [f"答案{n}" for n in range(12)],
        ["3", "4"] * 6,  # to be computed
        ["这是一个很长的句子，没有人会用它来当作标签的。", "积极"] * 6,
        [*["是"] * 9, *(f"第{n}章" for n in range(3))],
    ],
    ids=["all-different", "numbers", "sentences", "few-of-each"],
)
def test_other_answers_are_no_labels(ws, tmp_path, answers):
    report = import_items.import_file(
        ws, order(instructed(tmp_path, answers), task="情感", mapping={}, dry_run=True)
    )
    assert "label" not in report.mapping


def test_a_column_of_labels_may_have_a_hundred_if_each_comes_often(ws, tmp_path):
    labels = [f"subject {n}" for n in range(67)]
    report = import_items.import_file(ws, order(written(tmp_path, labels * 5)))
    assert report.mapping["labels"].count("|") == 66
    assert "…" in report.note
    assert labels_of(labels * 2) == ()
