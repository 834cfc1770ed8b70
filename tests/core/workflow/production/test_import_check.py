"""How a new task of instructions is measured: prose by its likeness, all else by its text."""

import json

import pytest

from core.workflow.lookup import metric_of
from core.workflow.production import import_items
from core.workflow.production.import_items import ImportOrder
from db import benchmarks

PROSE = "The gauge stands by the bridge, because the river is narrow there and easy to read."
CHINESE = "水位计立在桥边，因为那里的河道很窄，读数也很方便。"


def imported(ws, folder, outputs, task="t", **more):
    rows = [{"messages": [{"role": "user", "content": f"Why does gauge {n} stand there?"},
                          {"role": "assistant", "content": output}]}
            for n, output in enumerate(outputs)]  # fmt: skip
    path = folder / f"{task}.jsonl"
    path.write_text("\n".join(json.dumps(row, ensure_ascii=False) for row in rows), "utf-8")
    report = import_items.import_file(ws, ImportOrder(path, task, "b", **more))
    with ws.reading() as session:
        benchmark = benchmarks.benchmark_named(session, "b")
        made = benchmark and benchmarks.task_named(session, benchmark.id, task)
    return report, metric_of(made) if made else None


@pytest.mark.parametrize("text", [PROSE, CHINESE])
def test_answers_in_prose_are_measured_by_their_likeness(ws, tmp_path, text):
    report, metric = imported(ws, tmp_path, [f"{text} ({n})" for n in range(5)] + ["No."])
    assert (report.taken, metric) == (6, "similarity")
    assert "chrF" in report.note


def test_short_answers_are_measured_by_their_text(ws, tmp_path):
    report, metric = imported(ws, tmp_path, ["Yes.", "42", "by the bridge", PROSE])
    assert (report.taken, metric) == (4, "")
    assert "chrF" not in report.note


def test_a_task_of_the_catalogue_keeps_its_metric(ws, tmp_path):
    _, metric = imported(ws, tmp_path, [CHINESE] * 3, task="115_Joke_Telling_public")
    assert metric == "judge"


def test_nothing_is_told_of_a_task_that_was_there(ws, tmp_path):
    imported(ws, tmp_path, ["Yes.", "No."])
    report, metric = imported(ws, tmp_path, [PROSE, f"{PROSE} It is."])
    assert metric == ""
    assert "chrF" not in report.note


def test_of_a_bank_of_both_kinds_the_second_import_is_told(ws, tmp_path):
    path = tmp_path / "bank.gift"
    path.write_text("::a:: Capital? {=Paris ~Rome}\n\n::b:: Who? {=Ann =Anna}\n\n"
                    "::c:: Pi? {#3.14:0.01}\n", "utf-8")  # fmt: skip
    first = import_items.import_file(ws, ImportOrder(path, "t", "b", family="choice"))
    assert (first.taken, len(first.refused)) == (1, 2)
    assert "--family answer" in first.note
    second = import_items.import_file(ws, ImportOrder(path, "u", "b", family="answer"))
    assert (second.taken, len(second.refused)) == (2, 1)
    assert "--family choice" in second.note
    assert "tolerance" in second.note


def test_the_tolerance_of_moodle_is_kept(ws, tmp_path):
    path = tmp_path / "bank.xml"
    path.write_text(
        '<?xml version="1.0"?><quiz><question type="numerical"><questiontext><text>Pi?</text>'
        '</questiontext><answer fraction="100"><text>3.14</text><tolerance>0.01</tolerance>'
        "</answer></question></quiz>",
        "utf-8",
    )
    report = import_items.import_file(ws, ImportOrder(path, "t", "b", family="answer"))
    assert (report.taken, report.kept["numerical"]) == (1, 1)
    assert "tolerance" in report.note
