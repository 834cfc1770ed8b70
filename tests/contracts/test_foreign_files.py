"""Anybody's files: every row becomes an item, and nothing that stands in a row is lost."""

import gzip
import json
import sqlite3
import zipfile
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


@pytest.mark.parametrize(
    "content",
    [
        "text,label\nIt rains.,wet\nIt shines.,dry\n",
        "label,input\n0,I cook.\n1,I took the cup of a beggar.\n",  # numbers are no answers
    ],
)
def test_texts_with_labels_are_told_that_they_need_a_task(ws, tmp_path, content):
    path = tmp_path / "cm_test.csv"
    path.write_text(content, "utf-8")
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


def imported_rows(ws, path, **more) -> tuple[import_items.ImportReport, list[dict]]:
    report = import_items.import_file(ws, ImportOrder(path, "t", "b", **more))
    return report, [item["payload"] for item in items_of(ws, path.parent)]


def test_signs_in_lettered_options_part_none_of_them(ws, tmp_path):
    written = "a ) rs . 1,500 , b ) c . i . and 2 , c ) 3.75 , d ) none of these"
    other = "A)1 (a) x; B)2; C)3"
    rows = [{"Problem": "What is due?", "options": written, "correct": "b"},
            {"Problem": "What is paid?", "options": other, "correct": "c"}]  # fmt: skip
    path = tmp_path / "test.json"
    path.write_text(json.dumps(rows), "utf-8")
    _, payloads = imported_rows(ws, path)
    assert payloads[0]["options"] == ["rs . 1,500", "c . i . and 2", "3.75", "none of these"]
    assert payloads[1]["options"] == ["1 (a) x", "2", "3"]
    assert [payload["key"] for payload in payloads] == ["B", "C"]


def test_pairs_with_numbers_for_labels_are_no_inference(ws, tmp_path):
    path = tmp_path / "pairs.tsv"
    rows = [("1", "A lid keeps it dry.", "It stays dry.", "0"), ("2", "It rains.", "Rain.", "1")]
    text = ["id\tsentence1\tsentence2\tlabel", *("\t".join(row) for row in rows)]
    path.write_text("\n".join(text), "utf-8")
    with pytest.raises(InputError, match="instruction==Is this review"):
        import_items.import_file(ws, ImportOrder(path, "t", "b"))
    report, payloads = imported_rows(ws, path, mapping={"instruction": "=Same? 0 or 1."})
    assert (report.format, [p["output"] for p in payloads]) == ("csv", ["0", "1"])
    path = path.rename(tmp_path / "RTE_dev.tsv")
    report = import_items.import_file(ws, ImportOrder(path, "u", "b"))
    assert (report.format, report.kept["id"]) == ("glue", 2)
    path = path.rename(tmp_path / "paws.tsv")
    mapping = import_items.import_file(ws, ImportOrder(path, "v", "b")).mapping
    assert "mean the same? Answer 1 if so, else 0" in mapping["instruction"]


def test_a_passage_that_repeats_its_question_is_one_all_the_same(ws, tmp_path):
    qas = [{"id": "1", "question": "Where does it stand", "answers": [{"text": "under a lid"}]}]
    data = [{"paragraphs": [{"context": f"Where does it stand? {PASSAGE}", "qas": qas}]}]
    path = tmp_path / "robust.json"
    path.write_text(json.dumps({"data": data}), "utf-8")
    _, (payload,) = imported_rows(ws, path)
    assert payload["passage"] == f"Where does it stand? {PASSAGE}"


def test_several_spans_are_no_answers_of_which_one_is_enough(ws, tmp_path):
    spans = [["Bern", "Bern"], ["Bern", "Koblenz"], ["the Aare", "Aare"], ["3", "13"]]
    rows = [{"passage": PASSAGE, "question": f"Which {n}?",
             "answers_spans": {"spans": s, "types": ["span"] * 2}}
            for n, s in enumerate(spans)]  # fmt: skip
    path = tmp_path / "drop.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)), "utf-8")
    report, payloads = imported_rows(ws, path)
    assert [p["answers"] for p in payloads] == [["Bern"], ["the Aare", "Aare"]]
    assert [row.line for row in report.refused] == [2, 4]
    assert "Bern, Koblenz" in report.refused[0].reason
    mapping = {"answers": "answers_spans.spans"}
    report = import_items.import_file(ws, ImportOrder(path, "u", "b", mapping=mapping))
    assert report.taken == 4


@pytest.mark.parametrize(
    ("sections", "beside"), [(1, {}), (2, {}), (2, {"version": "1"})], ids=["one", "two", "beside"]
)
def test_sections_under_their_names_give_their_questions(ws, tmp_path, sections, beside):
    qa = {"question": "When?", "answer": {"number": "1990", "date": {}, "spans": []}}
    inside = {f"nfl_{n}": {"passage": f"{PASSAGE} ({n})", "qa_pairs": [qa]}
              for n in range(sections)}  # fmt: skip
    path = tmp_path / "drop.json"
    path.write_text(json.dumps(inside | beside), "utf-8")
    report, payloads = imported_rows(ws, path)
    assert [payload["answers"] for payload in payloads] == [["1990"]] * sections
    assert len(report.refused) == len(beside)


@pytest.mark.parametrize("about", [{}, {"version": "1"}], ids=["alone", "beside"])
def test_splits_in_one_document_are_all_read(ws, tmp_path, about):
    parts = {name: [{"question": f"{name} {n}?", "answer": f"{n}"} for n in range(2)]
             for name in ("train", "test")}  # fmt: skip
    path = tmp_path / "all.json"
    path.write_text(json.dumps({**about, "data": parts} if about else parts), "utf-8")
    report, payloads = imported_rows(ws, path)
    assert sorted(p["question"] for p in payloads) == ["test 0?", "test 1?", "train 0?", "train 1?"]
    assert report.kept == {"split": 4, **dict.fromkeys(about, 4)}


@pytest.mark.parametrize(("written", "key"), [("3, 1", "AC"), ("[1;2]", "AB"), ("2", "B")])
def test_several_right_options_may_be_numbers_in_one_cell(ws, tmp_path, written, key):
    path = tmp_path / "quiz.csv"
    rows = ['Who?,he,she,it,"3"', f'Whom?,him,her,it,"{written}"']
    path.write_text("\n".join(["Question,Option 1,Option 2,Option 3,Correct Options", *rows]))
    assert sorted(p["key"] for p in imported_rows(ws, path)[1]) == sorted(["C", key])


def test_premises_of_a_list_stand_before_their_conclusion(ws, tmp_path):
    row = {"premises": ["All gauges are wet.", "It is a gauge."], "conclusion": "It is wet.",
           "label": "True"}  # fmt: skip
    path = tmp_path / "folio.jsonl"
    path.write_text(json.dumps(row), "utf-8")
    _, (payload,) = imported_rows(ws, path, mapping={"instruction": "=Does it follow?"})
    assert payload["input"] == "All gauges are wet.\nIt is a gauge.\nIt is wet."


@pytest.mark.parametrize("row", [
    {"question": "夜に目盛りを読むのは誰ですか。", "answer": "粉屋"},
    {"premise": "สิ่งของถูกห่อไว้", "choice1": "มันบอบบาง", "choice2": "มันเล็ก", "question": "effect",
     "label": 0},
    {"messages": [{"role": "user", "content": "誰が読みますか。"},
                  {"role": "assistant", "content": "粉屋です。"}]},
])  # fmt: skip
def test_japanese_and_thai_are_not_taken_for_chinese_or_english(ws, tmp_path, row):
    path = tmp_path / "rows.jsonl"
    path.write_text(json.dumps(row, ensure_ascii=False), "utf-8")
    order = ImportOrder(path, "t", "b", mapping={"key": "label#0"} if "label" in row else {})
    import_items.import_file(ws, order)
    assert [item["payload"]["language"] for item in items_of(ws, tmp_path)] == [""]


@pytest.mark.parametrize(
    ("labels", "output"), [(["calm", "warm"], "calm, warm"), (["排比", "比喻"], "排比、比喻")]
)
def test_labels_of_a_list_stand_as_their_language_lists_them(ws, tmp_path, labels, output):
    path = tmp_path / "labels.jsonl"
    row = {"instruction": "Name all that apply.", "input": "It was a calm evening.",
           "output": labels}  # fmt: skip
    path.write_text(json.dumps(row), "utf-8")
    _, (payload,) = imported_rows(ws, path)
    assert payload["output"] == output


def test_french_questions_are_not_taken_for_english(ws, tmp_path):
    path = tmp_path / "questions.jsonl"
    rows = [{"question": "Quelle est la ville que la Seine traverse ?", "answer": "Paris"},
            {"question": "Qui a peint ce tableau ?", "answer": "Manet"}]  # fmt: skip
    path.write_text("\n".join(map(json.dumps, rows)), "utf-8")
    _, payloads = imported_rows(ws, path)
    assert [payload["language"] for payload in payloads] == ["", ""]


def test_a_list_of_numbers_is_one_answer_and_a_box_is_none_of_it(ws, tmp_path):
    rows = [{"Question": "Which roots?", "Answer": [1, 1, 3]}, {"Question": "Two?", "Answer": 2.0},
            {"Question": "Half?", "Answer": r"$\boxed{\frac{1}{2}}$"},
            {"Question": "Names?", "Answer": ["one", "eins"]}]  # fmt: skip
    path = tmp_path / "theorems.json"
    path.write_text(json.dumps(rows), "utf-8")
    _, payloads = imported_rows(ws, path)
    answers = [payload["answers"] for payload in payloads]
    assert answers == [["1, 1, 3"], ["2"], [r"\frac{1}{2}"], ["one", "eins"]]


def test_pairs_on_whose_label_nobody_agreed_are_refused_in_words(ws, tmp_path):
    path = tmp_path / "snli_1.0_dev.txt"
    rows = [("neutral", "Two women embrace.", "The sisters hug."), ("-", "He sells.", "He buys."),
            ("entailment", "He sleeps at home.", "He sleeps.")]  # fmt: skip
    text = ["gold_label\tsentence1\tsentence2", *("\t".join(row) for row in rows)]
    path.write_text("\n".join(text) + "\n", "utf-8")
    report, payloads = imported_rows(ws, path, mapping={"instruction": "=Does it follow?"})
    assert [payload["output"] for payload in payloads] == ["neutral", "entailment"]
    assert [row.line for row in report.refused] == [3]
    assert "“-”" in report.refused[0].reason


def test_a_table_without_names_of_columns_is_told_so(ws, tmp_path):
    path = tmp_path / "lcqmc.tsv"
    rows = [("谁有图", "图谁有", "0"), ("哪个好", "好的是哪个", "1"), ("是什么", "什么是", "0")]
    path.write_text("\n".join("\t".join(row) for row in rows), "utf-8")
    with pytest.raises(InputError, match="no line with the names of its columns"):
        import_items.import_file(ws, ImportOrder(path, "t", "b"))
    news = ["Unions of the workers at the mill say that they are disappointed after talks with him",
            "It is closed."]  # fmt: skip
    path.write_text("\n".join(f"{n}\t{text}" for n, text in enumerate(news, 3)), "utf-8")
    with pytest.raises(InputError, match="no line with the names of its columns"):
        import_items.import_file(ws, ImportOrder(path, "t", "b"))
    path.write_text("Item\t\tOptions\t\nid\tquestion\tA\tB\n1\tWho?\the\tshe\n", "utf-8")
    with pytest.raises(InputError, match="is empty in column 2, column 4"):
        import_items.import_file(ws, ImportOrder(path, "t", "b"))


def test_what_is_packed_is_read_and_a_database_is_called_so(ws, tmp_path):
    path = tmp_path / "BLiMP.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("one.jsonl", "{}")
    with pytest.raises(InputError, match="No column of the file"):  # that is in it
        import_items.import_file(ws, ImportOrder(path, "t", "b"))
    with closing(sqlite3.connect(tmp_path / "items.db")) as database:
        database.execute("CREATE TABLE items (question)")
    with pytest.raises(InputError, match="SQLite file"):
        import_items.import_file(ws, ImportOrder(tmp_path / "items.db", "t", "b"))


def test_truth_values_are_labels_as_json_writes_them(ws, tmp_path):
    rows = [{"word": "hold", "sentence1": f"Hold {n}.", "sentence2": "A hold.", "label": n > 0}
            for n in range(2)]  # fmt: skip
    path = tmp_path / "val.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)), "utf-8")
    _, payloads = imported_rows(ws, path, mapping={"instruction": "=The same sense?"})
    assert [payload["output"] for payload in payloads] == ["false", "true"]


def test_a_column_that_was_named_as_what_is_asked_is_not_asked_twice(ws, tmp_path):
    path = tmp_path / "mbpp.jsonl"
    path.write_text(json.dumps({"text": "Write a function that adds.", "code": "def add"}), "utf-8")
    mapping = {"instruction": "text", "output": "code"}
    _, (payload,) = imported_rows(ws, path, mapping=mapping)
    assert (payload["instruction"], payload["input"]) == ("Write a function that adds.", "")


def test_lists_that_are_joined_are_read_line_by_line(ws, tmp_path):
    row = {"before": ["The log of May.", "In metres."], "table": [["day", "height"], ["1", "2.5"]],
           "question": "How high?", "answer": "2.5"}  # fmt: skip
    path = tmp_path / "tables.jsonl"
    path.write_text(json.dumps(row), "utf-8")
    _, (payload,) = imported_rows(ws, path, mapping={"passage": "before+table"})
    assert payload["passage"] == "The log of May.\nIn metres.\nday | height\n1 | 2.5"
    turns = [f"{'Go on with the log. ' * 4}({n})" for n in range(2)]
    path.write_text(json.dumps({"turns": turns, "reference": "Done."}), "utf-8")
    mapping = {"instruction": "turns", "output": "reference"}
    report = import_items.import_file(ws, ImportOrder(path, "u", "b", mapping=mapping))
    assert report.taken == 1
    assert "\n".join(turns) in [
        item["payload"].get("instruction") for item in items_of(ws, tmp_path)
    ]


def test_long_texts_beside_questions_are_pointed_out(ws, tmp_path):
    rows = [{"contract": f"{PASSAGE} " * 6, "question": f"Is {n} due?", "answer": "no",
             "explanation": f"{PASSAGE} " * 6} for n in range(3)]  # fmt: skip
    path = tmp_path / "contracts.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)), "utf-8")
    report, _ = imported_rows(ws, path)
    assert "without the long texts in contract. Map a column to the passage" in report.note
    mapped = ImportOrder(path, "u", "b", mapping={"passage": "contract"})
    assert "long texts" not in import_items.import_file(ws, mapped).note


def test_texts_with_labels_are_told_how_to_give_their_label_space(ws, tmp_path):
    path = tmp_path / "labels.csv"
    lines = [f"It is wet on day {n}.,{('Wet', 'Dry')[n % 2]}" for n in range(3)]
    path.write_text("\n".join(["text,label", *lines]), "utf-8")
    mapping = {"instruction": "=How was the day?"}
    report, _ = imported_rows(ws, path, mapping=mapping)
    assert "such as “=Dry|Wet”" in report.note
    order = ImportOrder(path, "u", "b", mapping={**mapping, "labels": "=Dry|Wet"})
    assert "label space" not in import_items.import_file(ws, order).note
    item = ItemContent.from_json(items_of(ws, tmp_path)[-1])
    kind = family(item.family)
    assert kind.extract(f"{kind.key(item).lower()}.", kind.prompt(item)) == kind.key(item)
