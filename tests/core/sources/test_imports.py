"""Reading people's files row by row: what is taken, what is refused and why, and nothing lost."""

import json
import tarfile
from pathlib import Path

import pytest

from core.errors import InputError, NotFoundError
from core.sources.imports import ImportRow, RefusedRow, import_format, sample


def read(path: Path, format: str = "") -> tuple[str, list[ImportRow], list[RefusedRow]]:
    chosen = import_format(path, format)
    rows = list(chosen.rows(path))
    return (
        chosen.name,
        [row for row in rows if isinstance(row, ImportRow)],
        [row for row in rows if isinstance(row, RefusedRow)],
    )


def written(folder: Path, name: str, data: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    return path


CIF = {"Input": "他说“你好”", "Output": "正面", "Instruction": "判断情感。"}


def test_cif_bench_lines_are_known_by_their_fields(tmp_path):
    path = written(tmp_path, "45.jsonl", json.dumps(CIF, ensure_ascii=False) + "\n")
    name, rows, refused = read(path)
    assert (name, refused) == ("cif", [])
    assert rows[0].values == CIF


def test_a_bad_line_never_blocks_the_rest(tmp_path):
    lines = [json.dumps(CIF), "{", "[1]", "", '"text"', json.dumps(CIF), "\ufeff"]
    path = written(tmp_path, "a.jsonl", "\n".join(lines))
    _, rows, refused = read(path)
    assert [row.line for row in rows] == [1, 6]
    assert [row.line for row in refused] == [2, 3, 5, 7]
    assert all(row.reason for row in refused)


def test_a_line_with_damaged_bytes_is_refused_alone(tmp_path):
    good = json.dumps({"text": "旋律优美"}, ensure_ascii=False).encode()
    lines = [good] * 30 + [b'{"text": "\xe6\x97"}'] + [good]
    _, rows, refused = read(written(tmp_path, "a.jsonl", b"\n".join(lines)))
    assert len(rows) == 31
    assert [row.line for row in refused] == [31]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "gb18030", "utf-16"])
@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_a_table_is_read_in_its_own_encoding_and_delimiter(tmp_path, encoding, delimiter):
    rows = [["文本", "标签"], ["旋律很美，真的", "正面"], ["太吵了", "负面"]]
    text = "\r\n".join(delimiter.join(row) for row in rows)
    _, found, refused = read(written(tmp_path, "数据.csv", text.encode(encoding)))
    assert refused == []
    assert [dict(row.values) for row in found] == [
        {"文本": "旋律很美，真的", "标签": "正面"},
        {"文本": "太吵了", "标签": "负面"},
    ]


def test_quoted_cells_keep_delimiters_line_ends_and_marks(tmp_path):
    path = written(tmp_path, "a.csv", 'text,label\n"a, ""b""\nc",x\nd,y\n')
    _, rows, refused = read(path)
    assert [dict(row.values) for row in rows] == [
        {"text": 'a, "b"\nc', "label": "x"},
        {"text": "d", "label": "y"},
    ]
    assert [row.line for row in rows] == [2, 4]
    assert refused == []


def test_an_open_quotation_mark_costs_one_row_only(tmp_path):
    lines = ["text,label", '"never closed,x', *(f"row {i},y" for i in range(5000)), 'a "b" c,z']
    _, rows, refused = read(written(tmp_path, "a.csv", "\n".join(lines)))
    assert [row.line for row in refused] == [2]
    assert len(rows) == 5001
    assert rows[-1].values["text"] == 'a "b" c'


def test_a_row_of_another_width_is_refused(tmp_path):
    path = written(tmp_path, "a.csv", "a,b\n1,2\n1\n1,2,3\n\n4,5\n")
    _, rows, refused = read(path)
    assert [row.line for row in rows] == [2, 6]
    assert [row.line for row in refused] == [3, 4]


def test_marks_in_a_glue_table_are_text(tmp_path):
    lines = [
        "Quality\t#1 ID\t#2 ID\t#1 String\t#2 String",
        '1\t1\t2\tHe left.\t"He left, she said.',
        '0\t3\t4\t"We stay.\tThey stay.',
        "7\t3\t4\tWe stay.\tThey stay.",
        "1\t3\t4\tWe stay.\t ",
    ]
    name, rows, refused = read(written(tmp_path, "dev.tsv", "\ufeff" + "\n".join(lines)))
    assert name == "glue"
    assert [row.values["label"] for row in rows] == ["equivalent", "not equivalent"]
    assert rows[0].values["second"] == '"He left, she said.'
    assert [row.line for row in refused] == [4, 5]


def test_label_studio_gives_data_and_the_newest_annotation(tmp_path):
    choice = {"from_name": "label", "type": "choices"}
    tasks = [
        {
            "data": {"text": "好"},
            "annotations": [
                {"updated_at": "2", "result": [{**choice, "value": {"choices": ["正面"]}}]},
                {"updated_at": "1", "result": [{**choice, "value": {"choices": ["负面"]}}]},
            ],
        },
        {"data": {"text": "坏"}, "annotations": [{"was_cancelled": True, "result": []}]},
        {"id": 3},
        7,
    ]
    name, rows, refused = read(written(tmp_path, "ls.json", json.dumps(tasks)))
    assert name == "label-studio"
    annotations = tasks[0]["annotations"]
    assert [dict(row.values) for row in rows] == [
        {"text": "好", "label": "正面", "annotations": annotations}
    ]
    assert [row.line for row in refused] == [2, 3, 4]


def test_what_most_annotations_say_is_the_label_whatever_their_dates(tmp_path):
    choice = {"from_name": "label", "type": "choices"}
    said = ["正面", "负面", "正面"]
    annotations = [
        {"updated_at": str(n), "result": [{**choice, "value": {"choices": [word]}}]}
        for n, word in enumerate(said)
    ]
    tasks = [{"id": 7, "data": {"text": "好", "label": "?"}, "annotations": annotations}]
    _, (row,), _ = read(written(tmp_path, "ls.json", json.dumps(tasks)))
    assert row.values["label"] == "正面"
    assert row.values["data.label"] == "?"
    assert (row.values["id"], len(row.values["annotations"])) == (7, 3)


def test_doccano_labels_of_a_text_are_taken_and_spans_refused(tmp_path):
    lines = [
        {"id": 1, "text": "好", "label": ["正面"]},
        {"id": 2, "text": "巴黎", "label": [[0, 2, "LOC"]]},
        {"id": 3, "text": "又好又坏", "label": ["正面", "负面"]},
    ]
    text = "\n".join(json.dumps(line) for line in lines)
    name, rows, refused = read(written(tmp_path, "d.jsonl", text))
    assert name == "doccano"
    assert [row.values["label"] for row in rows] == ["正面", "正面、负面"]
    assert [row.line for row in refused] == [2]


def test_sni_instances_carry_their_definition_and_other_outputs(tmp_path):
    task = {
        "Definition": ["Say the opposite."],
        "Instruction_language": ["English"],
        "Instances": [{"id": "a", "input": "hot", "output": ["cold", "chilly", "cold"]}, "x"],
    }
    name, rows, refused = read(written(tmp_path, "task1.json", json.dumps(task)))
    assert name == "sni"
    assert rows[0].values["output"] == "cold"
    assert rows[0].values["alternatives"] == ["chilly"]
    assert rows[0].values["language"] == "en"
    assert len(refused) == 1


def test_parquet_is_read_in_batches(tmp_path):
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pa.table({"text": [f"第{i}句" for i in range(2500)], "label": [1] * 2500})
    pq.write_table(table, tmp_path / "a.parquet")
    name, rows, refused = read(tmp_path / "a.parquet")
    assert (name, len(rows), refused) == ("parquet", 2500, [])


def test_tweeteval_folders_are_read_with_all_their_splits(tmp_path):
    folder = tmp_path / "emotion"
    folder.mkdir()
    (folder / "mapping.txt").write_text("0\tanger\n1\tjoy")
    for split in ("train", "test"):
        (folder / f"{split}_text.txt").write_text("one\u2028line\n \nthree\n", encoding="utf-8")
        (folder / f"{split}_labels.txt").write_text("0\n1\n1\n")
    name, rows, refused = read(folder)
    assert name == "tweeteval"
    assert [row.values["label"] for row in rows] == ["anger", "joy"] * 2
    assert len(refused) == 2
    assert len({row.line for row in [*rows, *refused]}) == 6


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("empty.jsonl", b""),
        ("picture.png", b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 40),
        ("book.docx", b"PK\x03\x04" + bytes(2000)),
        ("broken.parquet", b"PAR1 nothing more"),
        ("noheader.csv", b"a,a\n1,2\n"),
        ("task.json", b'{"Definition": ["x"], "Instances": 7}'),
        ("broken.json", b'[{"data": {"text": 1}, "annotations": ['),
        ("binary.csv", bytes(range(256)) * 40),
    ],
)
def test_a_wrong_file_is_named_in_the_error(tmp_path, name, data):
    with pytest.raises(InputError, match=name):
        read(written(tmp_path, name, data))


def test_an_archive_is_called_one_also_where_it_is_packed(tmp_path):
    (tmp_path / "rows.jsonl").write_text('{"question": "Who?", "answer": "she"}', "utf-8")
    path = tmp_path / "test.jsonl.tar"
    with tarfile.open(path, "w") as archive:
        archive.add(tmp_path / "rows.jsonl", "rows.jsonl")
    with pytest.raises(InputError, match="Unpack it first"):
        read(path)


def test_a_missing_file_and_an_empty_folder_are_named(tmp_path):
    with pytest.raises(NotFoundError, match="nowhere"):
        import_format(tmp_path / "nowhere.csv")
    (tmp_path / "folder").mkdir()
    with pytest.raises(InputError, match="has no file in it that can be imported"):
        import_format(tmp_path / "folder")  # it asked for the files in it


def test_an_unknown_format_is_named(tmp_path):
    with pytest.raises(InputError, match="rtf"):
        import_format(written(tmp_path, "a.csv", "a\n1"), "rtf")


@pytest.mark.parametrize("indent", [None, 2])
def test_a_list_of_objects_is_known_by_its_first_however_it_is_laid_out(tmp_path, indent):
    text = json.dumps([CIF, CIF], ensure_ascii=False, indent=indent)
    name, rows, _ = read(written(tmp_path, "45.json", text))
    assert (name, [row.values for row in rows]) == ("cif", [CIF, CIF])


def test_a_tab_table_whose_cells_hold_line_ends_is_read_as_quoted(tmp_path):
    text = 'input\toutput\n"第一行，“引号”\n第二行"\t题\n文\t题\n'
    _, rows, refused = read(written(tmp_path, "a.tsv", text))
    assert [row.values["input"] for row in rows] == ["第一行，“引号”\n第二行", "文"]
    assert refused == []


def test_a_folder_is_no_file_also_when_its_format_is_named(tmp_path):
    (tmp_path / "folder.csv").mkdir()
    for format in ("", "csv"):
        with pytest.raises(InputError, match="is a folder"):
            import_format(tmp_path / "folder.csv", format)


def test_many_broken_lines_at_the_beginning_do_not_hide_the_rows_behind_them(tmp_path):
    path = written(tmp_path, "a.jsonl", "{broken\n" * 50 + json.dumps(CIF) + "\n")
    found = sample(path, import_format(path))
    assert isinstance(found[-1], ImportRow)
    with pytest.raises(InputError, match="Line 1: It is not valid JSON"):
        sample(written(tmp_path, "b.jsonl", "{broken\n" * 50), import_format(path))
    with pytest.raises(InputError, match="no rows"):
        sample(written(tmp_path, "c.jsonl", "\n\n"), import_format(path))


def test_a_long_document_with_its_rows_under_a_name_is_read_and_loses_nothing_beside_them(
    tmp_path,
):
    path = tmp_path / "task.json"
    examples = [{"input": f"Frage {n} " + "x" * 900, "target": str(n)} for n in range(100)]
    path.write_text(json.dumps({"canary": "GUID 26", "examples": examples}), "utf-8")
    chosen = import_format(path)
    assert chosen.name == "jsonl"
    rows = [row.values for row in chosen.rows(path)]
    assert rows == [{"canary": "GUID 26", **example} for example in examples]


def test_what_stands_beside_the_rows_never_overwrites_a_column(tmp_path):
    path = tmp_path / "task.json"
    path.write_text(json.dumps({"name": "outer", "data": [{"name": "inner", "text": "a"}]}))
    (row,) = import_format(path).rows(path)
    assert row.values == {"name": "inner", "text": "a", "document.name": "outer"}


def test_what_has_one_name_at_several_levels_of_a_document_is_kept_of_each(tmp_path):
    asked = {"id": "q", "question": "Where?", "answers": [{"text": "here", "answer_start": 0}]}
    paragraph = {"id": "p", "context": "It is here.", "qas": [asked]}
    data = [{"id": "a", "title": "T", "paragraphs": [paragraph]}]
    path = written(tmp_path, "dev.json", json.dumps({"id": "d", "data": data}))
    _, [row], _ = read(path)
    assert {name: value for name, value in row.values.items() if name.endswith("id")} == {
        "id": "q", "document.id": "p", "document.document.id": "a",
        "document.document.document.id": "d",
    }  # fmt: skip


@pytest.mark.parametrize("indent", [None, 1])
def test_tasks_that_label_studio_has_not_seen_yet_are_its_tasks_too(tmp_path, indent):
    tasks = [{"data": {"text": "Wet.", "shop": 7}}, {"data": {"text": "Dry.", "shop": 8}}]
    name, rows, refused = read(written(tmp_path, "tasks.json", json.dumps(tasks, indent=indent)))
    assert (name, [row.values["text"] for row in rows], refused) == (
        "label-studio", ["Wet.", "Dry."], []
    )  # fmt: skip


def test_what_prodigys_annotators_did_not_accept_is_refused_with_its_answer(tmp_path):
    rows = [{"text": "Wet.", "label": "rain", "answer": answer, "_input_hash": 1, "_task_hash": 2}
            for answer in ("accept", "reject", "ignore")]  # fmt: skip
    path = written(tmp_path, "rows.jsonl", "\n".join(map(json.dumps, rows)))
    name, [taken], refused = read(path)
    assert (name, taken.values["output"]) == ("prodigy", "rain")
    assert [("reject" in r.reason, "ignore" in r.reason) for r in refused] == [
        (True, False), (False, True)
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("annotations", "label"),
    [
        ([{"label": 15, "user": 1}], 15),
        ([{"text": "谁先到？", "user": 1}], "谁先到？"),
        ([{"label": 15, "user": 1}, {"label": 3, "user": 2}], "15, 3"),
    ],
)
def test_older_exports_of_doccano_keep_labels_under_their_users(tmp_path, annotations, label):
    row = {"id": 1, "text": "Great.", "annotations": annotations, "meta": {}}
    name, rows, refused = read(written(tmp_path, "a.jsonl", json.dumps(row) + "\n"))
    assert (name, refused) == ("doccano", [])
    assert rows[0].values["label"] == label
    assert rows[0].values["annotations"] == annotations


def test_spans_of_older_exports_of_doccano_are_refused_in_words(tmp_path):
    spans = [{"label": 12, "start_offset": 0, "end_offset": 3, "user": 1}]
    row = {"id": 1, "text": "Great.", "annotations": spans}
    _, rows, refused = read(written(tmp_path, "a.jsonl", json.dumps(row) + "\n"))
    assert rows == []
    assert "spans" in refused[0].reason
