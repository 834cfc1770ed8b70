"""Anybody's files: every row becomes an item, and nothing that stands in a row is lost."""

import gzip
import json
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import pytest

from core.errors import InputError
from core.families import family
from core.families.base import ItemContent
from core.release.formats import EXPORT_FORMATS, export_format
from core.release.manifest import number_items
from core.workflow.check import blinding
from core.workflow.items import search
from core.workflow.items.search import Filters
from core.workflow.production import import_items
from core.workflow.production.import_items import ImportOrder
from core.workflow.workspace import Workspace
from tests.foreign_files import FILES, PASSAGE, ForeignFile, leaves


@pytest.fixture
def ws(tmp_path):
    made = Workspace.create(tmp_path / "workspace", LEAD)
    yield made
    made.close()


LEAD = "Li"
CONSTANT = {"instruction": "=判断这句话的情感。"}  # for files of texts and labels


def order(path, file: ForeignFile, **more) -> ImportOrder:
    lacks = file.family == "instruction" and file.format != "messages"
    fields = {
        "task": "t",
        "benchmark": "b",
        "mapping": CONSTANT if lacks else {},
        "sheet": "all" if file.format == "excel" else "",
    }
    return ImportOrder(path, **{**fields, **more})


def items_of(ws: Workspace, folder) -> list[dict]:
    """Every item as a file has it for a lead who has asked to see what is hidden."""
    out = folder / "written.jsonl"
    blinding.reveal_all(ws, LEAD, "b")
    search.export_items(ws, Filters(), out, viewer=LEAD)
    return [json.loads(line) for line in out.read_text("utf-8").split("\n") if line]


@dataclass(frozen=True)
class Imported:
    """A foreign file that was imported into a workspace of its own, and what came of it."""

    file: ForeignFile
    report: import_items.ImportReport
    items: list[dict]
    written: Path


@pytest.fixture(scope="module", params=FILES, ids=lambda file: file.name)
def imported(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("foreign")
    made = Workspace.create(folder / "workspace", LEAD)
    path = request.param.write(folder, request.param.rows)
    report = import_items.import_file(made, order(path, request.param))
    items = items_of(made, folder)
    made.close()
    return Imported(request.param, report, items, folder / "written.jsonl")


def test_a_file_is_recognised_and_every_row_becomes_an_item(imported):
    file, report = imported.file, imported.report
    assert (report.format, report.family) == (file.format, file.family)
    assert (report.total, report.taken, report.refused) == (file.count, file.count, ())
    assert {item["family"] for item in imported.items} == {file.family}


def test_every_value_of_every_row_is_in_its_item(imported):
    held = "\n".join(leaf for item in imported.items for leaf in leaves(item))
    lost = [leaf for row in imported.file.rows for leaf in leaves(row) if leaf not in held]
    assert lost == []


def test_items_can_be_asked_and_answer_themselves(imported):
    for row in imported.items:
        item, kind = ItemContent.from_json(row), family(row["family"])
        prompt = kind.prompt(item)
        assert kind.extract(kind.key(item), prompt) == kind.key(item)
        if imported.file.family == "choice":
            assert kind.key(item)
            assert all(option in prompt.text for option in item.payload["options"])
            assert list(kind.check(item)) == []


def test_what_was_imported_is_the_same_after_an_export(imported, ws, tmp_path):
    report = import_items.import_file(ws, ImportOrder(imported.written, "t", "b"))
    assert (report.format, report.taken, report.refused) == ("items", imported.file.count, ())
    assert items_of(ws, tmp_path) == imported.items


ROWS = ("**/*.jsonl", "**/*.parquet", "items.xlsx", "tasks.json")  # of exports


@pytest.mark.parametrize("form", EXPORT_FORMATS, ids=lambda form: form.name)
def test_what_was_exported_for_other_programs_comes_back_as_the_same_items(form, ws, tmp_path):
    file = next(f for f in FILES if f.name == "c3")
    import_items.import_file(ws, order(file.write(tmp_path, file.rows), file))
    before = items_of(ws, tmp_path)
    contents = [ItemContent.from_json(row) for row in before]
    members = number_items((f"i-{n}", 1, content) for n, content in enumerate(contents))
    form.export(members, "s", tmp_path / "out")
    (path,) = [p for pattern in ROWS for p in (tmp_path / "out").glob(pattern)]
    with closing(Workspace.create(tmp_path / "other", LEAD)) as other:
        report = import_items.import_file(other, ImportOrder(path, "t", "b"))
        assert (report.format, report.taken, report.refused) == ("items", len(before), ())
        assert items_of(other, tmp_path) == before


def test_an_answer_that_was_changed_only_in_the_row_of_an_export_is_refused(ws, tmp_path):
    file = next(f for f in FILES if f.name == "openai-evals-texts")
    import_items.import_file(ws, order(file.write(tmp_path, file.rows), file))
    contents = [ItemContent.from_json(row) for row in items_of(ws, tmp_path)]
    members = number_items((f"i-{n}", 1, content) for n, content in enumerate(contents))
    export_format("label-studio").export(members, "s", tmp_path / "out")
    path = tmp_path / "out" / "tasks.json"
    tasks = json.loads(path.read_text("utf-8"))
    tasks[1]["data"]["target"] = "镇长"
    tasks[2]["data"]["note"] = "看过"
    path.write_text(json.dumps(tasks), "utf-8")
    report = import_items.import_file(ws, ImportOrder(path, "again", "b"))
    assert (report.taken, [row.line for row in report.refused]) == (3, [2])
    assert report.kept == {"note": 1}


def test_options_are_not_imported_into_a_family_that_has_none(ws, tmp_path):
    file = next(f for f in FILES if f.name == "cmmlu")
    path = file.write(tmp_path, file.rows)
    with pytest.raises(InputError, match="A, B, C, D"):
        import_items.import_file(ws, order(path, file, family="instruction"))
    options = ("A", "B", "C", "D")
    report = import_items.import_file(ws, order(path, file, family="instruction", drop=options))
    assert report.dropped == dict.fromkeys(options, 4)


def test_a_mapping_tells_the_family_where_the_columns_would_tell_another(ws, tmp_path):
    path = tmp_path / "rows.jsonl"
    path.write_text(json.dumps({"question": "谁读数？", "answer": "没有人"}), "utf-8")
    mapping = {"instruction": "=回答问题。", "input": "question"}
    report = import_items.import_file(ws, ImportOrder(path, "t", "b", mapping=mapping))
    assert (report.family, report.taken) == ("instruction", 1)


def test_a_packed_file_is_named_by_its_own_name_in_an_error(ws, tmp_path):
    path = tmp_path / "nothing.jsonl.gz"
    path.write_bytes(gzip.compress(b""))
    with pytest.raises(InputError, match=r"nothing\.jsonl\.gz” is empty"):
        import_items.import_file(ws, ImportOrder(path, "t", "b"))


def test_columns_are_kept_or_left_out_as_asked_and_counted(ws, tmp_path):
    file = next(f for f in FILES if f.name == "arc-hugging-face")
    path = file.write(tmp_path, file.rows)
    report = import_items.import_file(ws, order(path, file, drop=("id",)))
    assert (report.kept, report.dropped) == ({"choices": 6}, {"id": 6})
    assert all("id" not in item["provenance"]["columns"] for item in items_of(ws, tmp_path))
    with pytest.raises(InputError, match="colour"):
        import_items.import_file(ws, order(path, file, drop=("colour",)))


def test_numbers_that_may_count_from_0_or_1_are_asked_about(ws, tmp_path):
    rows = [
        {"question": "Who?", "choices": ["he", "she", "it", "they"], "answer": n} for n in (1, 2)
    ]
    path = tmp_path / "few.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)), "utf-8")
    with pytest.raises(InputError, match="first option is 0 or 1"):
        import_items.import_file(ws, ImportOrder(path, "t", "b"))
    import_items.import_file(ws, ImportOrder(path, "t", "b", mapping={"key": "answer#1"}))
    assert [item["payload"]["key"] for item in items_of(ws, tmp_path)] == ["A", "B"]


def test_letters_before_options_are_put_aside_also_where_they_stand_twice(ws, tmp_path):
    rows = [
        {"question": "谁？", "options": ["A．甲", "B．乙", "C．丙"], "label": "B"},
        {"question": "谁在？", "options": ["(A)A)甲", "(B)B)乙"], "label": "A"},
        {"question": "什么？", "options": ["A. 级", "别的"], "label": "A"},
    ]
    path = tmp_path / "rows.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)), "utf-8")
    import_items.import_file(ws, ImportOrder(path, "t", "b"))
    options = [item["payload"]["options"] for item in items_of(ws, tmp_path)]
    assert options == [["甲", "乙", "丙"], ["甲", "乙"], ["A. 级", "别的"]]


def test_a_column_may_name_the_task_of_each_row(ws, tmp_path):
    file = next(f for f in FILES if f.name == "excel-sheets")
    reports = import_items.import_tasks(ws, order(file.write(tmp_path, file.rows), file), "sheet")
    assert [(report.task, report.taken) for report in reports] == [("law", 3), ("medicine", 3)]
    with pytest.raises(InputError, match="colour"):
        import_items.import_tasks(ws, order(file.write(tmp_path, file.rows), file), "colour")


def test_what_has_no_task_is_refused_and_said(ws, tmp_path):
    path = tmp_path / "rows.jsonl"
    rows = [{"question": "a?", "answer": "b", "subject": "law"}, {"question": "c?", "answer": "d"}]
    path.write_text("\n".join(map(json.dumps, rows)), "utf-8")
    (report,) = import_items.import_tasks(ws, ImportOrder(path, "", "b"), "subject")
    assert (report.taken, [row.line for row in report.refused]) == (1, [2])


def test_the_right_options_are_those_of_the_file(ws, tmp_path):
    other = ("agieval-several", "copa")  # several are right; what is asked is the premise's cause
    for file in (f for f in FILES if f.family == "choice" and f.name not in other):
        (tmp_path / file.name).mkdir()
        path = file.write(tmp_path / file.name, file.rows)
        import_items.import_file(ws, order(path, file, task=file.name))
    from tests.foreign_files import CHINESE, QUESTIONS

    right = {question: options[key] for question, options, key in (*QUESTIONS, *CHINESE)}
    seen = items_of(ws, tmp_path)
    assert len(seen) > 60
    for item in seen:
        payload = item["payload"]
        assert payload["options"]["ABCD".index(payload["key"])] == right[payload["question"]]


def test_a_premise_is_asked_with_the_question_for_its_cause(ws, tmp_path):
    file = next(f for f in FILES if f.name == "copa")
    import_items.import_file(ws, order(file.write(tmp_path, file.rows), file))
    payloads = [item["payload"] for item in items_of(ws, tmp_path)]
    assert [p["passage"] for p in payloads] == [row["premise"] for row in file.rows]
    right = [p["options"]["AB".index(p["key"])] for p in payloads]
    assert right == [row["choice1"] for row in file.rows]


def test_several_right_options_are_asked_for_in_every_row_of_their_file(ws, tmp_path):
    file = next(f for f in FILES if f.name == "agieval-several")
    import_items.import_file(ws, order(file.write(tmp_path, file.rows), file))
    payloads = [item["payload"] for item in items_of(ws, tmp_path)]
    assert {payload["right"] for payload in payloads} == {"several"}
    assert [payload["key"] for payload in payloads] == ["B", "AC", "B", "AC"]


def test_letters_of_several_questions_are_one_answer(ws, tmp_path):
    file = next(f for f in FILES if f.name == "gaokao-bench")
    import_items.import_file(ws, order(file.write(tmp_path, file.rows), file))
    assert [item["payload"]["answers"] for item in items_of(ws, tmp_path)] == [
        ["CDC"], ["AAB"], ["D"]
    ]  # fmt: skip


def test_what_a_question_is_about_is_asked_with_it(ws, tmp_path):
    file = next(f for f in FILES if f.name == "svamp")
    report = import_items.import_file(ws, order(file.write(tmp_path, file.rows), file))
    assert (report.taken, report.known) == (3, 0)
    told = [item["payload"]["passage"] for item in items_of(ws, tmp_path)]
    assert told == [row["Body"] for row in file.rows]


def test_a_text_with_the_question_and_its_answer_is_no_passage(ws, tmp_path):
    rows = [{"question": f"Who is {n}?", "answer": "The miller.",
             "text": f"Question: Who is {n}? Answer: The miller."} for n in range(3)]  # fmt: skip
    path = tmp_path / "tuned.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)), "utf-8")
    report = import_items.import_file(ws, ImportOrder(path, "t", "b"))
    assert (report.family, report.mapping.get("passage")) == ("answer", None)
    assert report.kept == {"text": 3}


def test_options_that_a_file_has_in_order_of_being_right_are_mixed(ws, tmp_path):
    rows = [{"input": f"What is {n}?", "target_scores": {f"{n} is this": int(n != 7),
             "that": int(n == 7), "neither": 0}} for n in range(12)]  # fmt: skip
    path = tmp_path / "task.json"
    path.write_text(json.dumps({"name": "own", "examples": rows}), "utf-8")
    import_items.import_file(ws, ImportOrder(path, "t", "b"))
    payloads = [item["payload"] for item in items_of(ws, tmp_path)]
    assert len({payload["key"] for payload in payloads}) == 3
    right = [p["options"]["ABC".index(p["key"])] for p in payloads]
    assert right == ["that" if n == 7 else f"{n} is this" for n in range(12)]


def test_a_file_of_several_kinds_of_questions_keeps_those_without_options(ws, tmp_path):
    options = ["相关", "不相关"]
    rows = [{"input": f"第 {n} 个问题", "target": "相关" if n % 3 == 0 else "长回答",
             "answer_choices": options if n % 3 == 0 else None} for n in range(9)]  # fmt: skip
    path = tmp_path / "mixed.jsonl"
    path.write_text("\n".join(json.dumps(r, ensure_ascii=False) for r in rows), "utf-8")
    report = import_items.import_file(ws, ImportOrder(path, "t", "b"))
    assert (report.family, report.taken, report.refused) == ("answer", 9, ())
    assert report.kept == {"answer_choices": 3}


@pytest.mark.parametrize(
    ("row", "lack"),
    [
        ({"id": 1, "question": "Who?", "options": ["he", "she", "it"]}, "key"),
        ({"idx": 1, "passage": PASSAGE, "question": "Who reads it?"}, "answers"),
    ],
)
def test_a_file_without_its_answers_is_told_what_it_lacks(ws, tmp_path, row, lack):
    path = tmp_path / "test.jsonl"
    path.write_text(json.dumps(row), "utf-8")
    with pytest.raises(InputError, match=f"right answers.*--map {lack}=COLUMN"):
        import_items.import_file(ws, ImportOrder(path, "t", "b"))


def test_texts_with_labels_are_told_that_they_need_a_task(ws, tmp_path):
    path = tmp_path / "labels.csv"
    path.write_text("text,label\nIt rains.,wet\nIt shines.,dry\n", "utf-8")
    with pytest.raises(InputError, match="instruction==Is this review"):
        import_items.import_file(ws, ImportOrder(path, "t", "b"))


def test_a_mapping_of_what_is_lacking_is_enough(ws, tmp_path):
    rows = [{"question": "Who?", "options": ["he", "she"], "solved": "B"},
            {"question": "Whom?", "options": ["him", "her"], "solved": "A"}]  # fmt: skip
    path = tmp_path / "rows.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)), "utf-8")
    report = import_items.import_file(ws, ImportOrder(path, "t", "b", mapping={"key": "solved"}))
    assert (report.family, report.taken) == ("choice", 2)
    odd = [{"iIndex": 1, "lSolutions": [7.0], "sQuestion": "3 and 4?"}]
    path.write_text(json.dumps(odd), "utf-8")
    mapping = {"question": "sQuestion", "answers": "lSolutions"}
    report = import_items.import_file(ws, ImportOrder(path, "u", "b", mapping=mapping))
    assert (report.family, report.taken) == ("answer", 1)


def test_a_question_that_its_passage_does_not_answer_is_refused_in_words(ws, tmp_path):
    path = tmp_path / "dev-v2.0.json"
    asked = [{"id": "1", "question": "Where?", "is_impossible": True, "answers": [],
              "plausible_answers": [{"text": "a lid", "answer_start": 23}]},
             {"id": "2", "question": "Under what?", "is_impossible": False,
              "answers": [{"text": "a lid", "answer_start": 23}]}]  # fmt: skip
    data = [{"title": "Gauge", "paragraphs": [{"context": PASSAGE, "qas": asked}]}]
    path.write_text(json.dumps({"version": "v2.0", "data": data}), "utf-8")
    report = import_items.import_file(ws, ImportOrder(path, "t", "b"))
    assert (report.taken, [row.line for row in report.refused]) == (1, [1])
    assert "is_impossible" in report.refused[0].reason
