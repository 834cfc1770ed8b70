"""Labelled data: the real sets with their true counts, and anybody's files, good and bad."""

import csv
import json
from pathlib import Path

import pytest

from core.errors import InputError, NotFoundError
from core.sources.labelled.dataset_files import Columns, read_labelled
from core.sources.labelled.datasets import (
    EMOTION,
    IRONY,
    MRPC,
    RTE,
    STANCE,
    TASKS,
    labelled_task,
    own_task,
)

MOOD = own_task("mood", ("good", "bad"), aliases={"1": "good", "0": "bad", "积极": "good"})


def written(path: Path, text: str, encoding: str = "utf-8") -> Path:
    path.write_bytes(text.encode(encoding))
    return path


def texts(found) -> list[tuple[str, str]]:
    return [(example.text, example.label) for example in found.examples]


@pytest.mark.shared
@pytest.mark.parametrize(
    ("task", "place", "split", "count"),
    [
        (EMOTION, "tweeteval/emotion", "train", 3257),
        (EMOTION, "tweeteval/emotion", "test", 1421),
        (IRONY, "tweeteval/irony", "train", 2862),
        (IRONY, "tweeteval/irony", "test", 784),
        (STANCE, "tweeteval/stance", "train", 2620),
        (STANCE, "tweeteval/stance", "test", 1249),
        (MRPC, "mrpc/dev.tsv", "", 408),
        (RTE, "rte/dev.tsv", "", 277),
        (RTE, "rte/train_head300.tsv", "", 300),
    ],
    ids=lambda value: getattr(value, "name", str(value)),
)
def test_the_real_sets_have_the_sizes_of_table_1(task, place, split, count, shared_data: Path):
    found = read_labelled(shared_data / place, task, split=split or "test")
    assert len(found.examples) == count
    assert found.skipped == {}
    assert len({example.id for example in found.examples}) == count
    assert all(n > 0 for n in found.label_counts.values())
    assert tuple(found.label_counts) == task.labels


@pytest.mark.shared
def test_the_real_rows_are_read_as_they_are_meant(shared_data: Path):
    irony = read_labelled(shared_data / "tweeteval/irony", IRONY).examples[1]
    assert (irony.label, irony.row) == ("irony", 2)
    assert irony.text.endswith("Hahahaha #irony")
    stance = read_labelled(shared_data / "tweeteval/stance", STANCE).examples
    assert {example.target for example in stance} == {
        "legalization of abortion", "atheism", "climate change is a real concern",
        "feminist movement", "Hillary Clinton",
    }  # fmt: skip
    mrpc = read_labelled(shared_data / "mrpc/dev.tsv", MRPC).examples[0]
    assert mrpc.label == "equivalent"
    assert mrpc.second.startswith('"The foodservice')  # a lone mark is part of the text
    rte = read_labelled(shared_data / "rte/dev.tsv", RTE).examples
    assert [example.label for example in rte[:2]] == ["not entailment", "entailment"]
    assert rte[3].text.startswith("The Amish community")  # this copy of GLUE has quoting
    assert '""' not in rte[3].text


def test_rte_labels_follow_glue(tmp_path: Path):
    path = written(
        tmp_path / "dev.tsv",
        "index\tsentence1\tsentence2\tlabel\n0\tA cat sat.\tAn animal sat.\tentailment\n"
        "1\tA cat sat.\tA dog sat.\tnot_entailment\n",
    )
    assert [e.label for e in read_labelled(path, RTE).examples] == ["entailment", "not entailment"]


def test_csv_columns_are_found_by_their_usual_names_or_as_told(tmp_path: Path):
    path = written(tmp_path / "a.csv", 'Text,Label\nfine day,good\n"rain, again",bad\n')
    assert texts(read_labelled(path, MOOD)) == [("fine day", "good"), ("rain, again", "bad")]
    path = written(tmp_path / "b.csv", "wording;mood\nfine day;1\nrain;0\n")
    found = read_labelled(path, MOOD, columns=Columns(text="wording", label="mood"))
    assert texts(found) == [("fine day", "good"), ("rain", "bad")]


def test_json_lines_json_and_parquet_give_the_same(tmp_path: Path):
    import pyarrow as pa
    import pyarrow.parquet as pq

    rows = [{"text": "晴天真好", "label": "积极"}, {"text": "rain", "label": "bad"}]
    lines = "\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "a.parquet")
    expected = [("晴天真好", "good"), ("rain", "bad")]
    for path in (
        written(tmp_path / "a.jsonl", lines),
        written(tmp_path / "a.json", json.dumps(rows)),
        written(tmp_path / "b.json", lines),
        tmp_path / "a.parquet",
    ):
        assert texts(read_labelled(path, MOOD)) == expected


def test_number_labels_are_mapped_in_every_format(tmp_path: Path):
    import pyarrow as pa
    import pyarrow.parquet as pq

    pq.write_table(pa.table({"text": ["a b", "c"], "label": [1, 0]}), tmp_path / "i.parquet")
    pq.write_table(pa.table({"text": ["a b", "c"], "label": [1.0, 0.0]}), tmp_path / "f.parquet")
    written(tmp_path / "n.jsonl", '{"text": "a b", "label": 1}\n{"text": "c", "label": 0}')
    for name in ("i.parquet", "f.parquet", "n.jsonl"):
        assert texts(read_labelled(tmp_path / name, MOOD)) == [("a b", "good"), ("c", "bad")]


def test_rows_that_cannot_be_used_are_counted_by_reason(tmp_path: Path):
    path = written(
        tmp_path / "a.jsonl",
        '{"text": "ok", "label": "good"}\n{"text": " ", "label": "good"}\n'
        '{"text": "x", "label": ""}\n{"text": "x", "label": "ugly"}\nnot json\n[1]\n'
        '{"label": "good"}\n{"text": null, "label": "bad"}\n',
    )
    found = read_labelled(path, MOOD)
    assert len(found.examples) == 1
    assert found.skipped == {
        "empty_text": 3, "no_label": 1, "unknown_label": 1, "unreadable": 2,
    }  # fmt: skip
    assert found.left_out["empty_text"] == (2, 7, 8)
    uneven = written(tmp_path / "b.csv", "text,label\nok,good\nonly\na, comma,bad\n")
    assert read_labelled(uneven, MOOD).left_out == {"unreadable": (3, 4)}


def test_encodings_marks_and_line_ends_of_other_systems(tmp_path: Path):
    table = "text,label\r\n今天天气很好适合出去散步,good\r\n昨天下了一整天的雨真烦人,bad\r\n"
    for encoding in ("utf-8", "utf-8-sig", "gb18030", "utf-16"):
        path = written(tmp_path / f"{encoding}.csv", table, encoding)
        assert texts(read_labelled(path, MOOD))[0] == ("今天天气很好适合出去散步", "good")


def test_the_same_id_twice_stays_two_examples(tmp_path: Path):
    path = written(tmp_path / "a.csv", "id,text,label\n7,one,good\n7,two,bad\n")
    assert [e.id for e in read_labelled(path, MOOD).examples] == ["mood-a-7", "mood-a-7-2"]


def test_a_tweet_with_odd_line_breaks_is_one_line(tmp_path: Path):
    folder = tmp_path / "emotion"
    folder.mkdir()
    written(folder / "test_text.txt", "one\u2028still one\x85and on\ntwo\n")
    written(folder / "test_labels.txt", "0\n3\n")
    written(folder / "mapping.txt", "0\tanger\n1\tjoy\n2\toptimism\n3\tsadness\n")
    assert [e.label for e in read_labelled(folder, EMOTION).examples] == ["anger", "sadness"]


def test_texts_and_labels_of_different_length_are_refused(tmp_path: Path):
    written(tmp_path / "test_text.txt", "one\ntwo\n")
    written(tmp_path / "test_labels.txt", "0\n")
    with pytest.raises(InputError, match="2 texts but 1 label;"):
        read_labelled(tmp_path, EMOTION)


def test_wrong_files_are_named_with_what_is_wrong(tmp_path: Path):
    cases = {
        "empty.csv": ("", "is empty"),
        "one.csv": ("text\nhello\n", "no column for “label”"),
        "other.csv": ("a,b\n1,2\n", "no column for “text”"),
        "labels.csv": ("text,label\nx,7\n", "labels such as “7”"),
        "none.jsonl": ("", "no labelled text|is empty"),
        "picture.png": ("x\ny\n", "no column for “text”"),
        "names.csv": ("text,label\n", "has no rows"),
        "no.parquet": ("PAR1 no", "cannot be read as Parquet"),
    }
    for name, (content, message) in cases.items():
        with pytest.raises(InputError, match=message):
            read_labelled(written(tmp_path / name, content), MOOD)
    (tmp_path / "binary.csv").write_bytes(bytes(range(256)) * 40)
    with pytest.raises(InputError, match="binary"):
        read_labelled(tmp_path / "binary.csv", MOOD)
    with pytest.raises(NotFoundError, match="no file or folder"):
        read_labelled(tmp_path / "absent.csv", MOOD)
    (tmp_path / "folder").mkdir()
    with pytest.raises(InputError, match="is not a TweetEval folder"):
        read_labelled(tmp_path / "folder", MOOD)


def test_a_named_column_that_is_not_there_is_refused(tmp_path: Path):
    path = written(tmp_path / "a.csv", "text,label\nx,good\n")
    with pytest.raises(InputError, match=r"no column “wording”.*text, label"):
        read_labelled(path, MOOD, columns=Columns(text="wording"))


def test_a_targeted_task_needs_its_target(tmp_path: Path):
    path = written(tmp_path / "a.csv", "text,label\nx,favor\n")
    with pytest.raises(InputError, match="no column for “target”"):
        read_labelled(path, STANCE)


def test_a_pair_task_needs_both_texts(tmp_path: Path):
    path = written(tmp_path / "a.csv", "sentence1,sentence2,label\na,b,1\na,,0\n")
    found = read_labelled(path, MRPC)
    assert [(e.text, e.second) for e in found.examples] == [("a", "b")]
    assert found.skipped == {"empty_text": 1}


def test_a_table_of_another_program_comes_back_whole(tmp_path: Path):
    rows = [('He said "go", twice', "good"), ("two\nlines", "bad"), ("a\ttab", "good")]
    with (tmp_path / "a.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([("text", "label"), *rows])
    assert [e.text for e in read_labelled(tmp_path / "a.csv", MOOD).examples] == [
        'He said "go", twice', "two lines", "a tab",
    ]  # fmt: skip


def test_own_tasks_need_labels_that_can_be_told_apart():
    for labels in ((), ("one",), ("a", "A"), ("a", " ")):
        with pytest.raises(InputError, match="two or more different labels"):
            own_task("x", labels)
    with pytest.raises(InputError, match="“c”, which is not a label of the task"):
        own_task("x", ("a", "b"), aliases={"1": "c"})


def test_tasks_are_found_by_name():
    assert [labelled_task(task.name) for task in TASKS] == list(TASKS)
    with pytest.raises(InputError, match="emotion, irony, stance, mrpc, rte"):
        labelled_task("sarcasm")


def test_a_column_that_the_first_object_lacks_is_found(tmp_path: Path):
    rows = '{"id": 1, "label": "good"}\n{"id": 2, "label": "bad", "text": "now"}\n'
    found = read_labelled(written(tmp_path / "a.jsonl", rows), MOOD)
    assert texts(found) == [("now", "bad")]
    assert found.skipped == {"empty_text": 1}


@pytest.mark.parametrize(
    "document",
    [
        '{"data": [{"text": "a", "label": "good"}, {"text": "b", "label": "bad"}], "version": 2}',
        '{"text": ["a", "b"], "label": ["good", "bad"]}',
    ],
)
def test_rows_are_found_inside_one_json_object(document: str, tmp_path: Path):
    found = read_labelled(written(tmp_path / "a.json", document), MOOD)
    assert texts(found) == [("a", "good"), ("b", "bad")]


def test_values_that_are_no_text_are_counted_and_odd_characters_can_be_written(tmp_path: Path):
    rows = (
        '{"text": ["a"], "label": "good"}\n{"text": "x", "label": {"y": 1}}\n'
        '{"text": "half \\ud83d of it\\u0000", "label": "good"}\n'
    )
    found = read_labelled(written(tmp_path / "a.jsonl", rows), MOOD)
    assert texts(found) == [("half ? of it", "good")]
    assert found.skipped == {"not_text": 2}
    assert found.model_dump_json().encode()


def test_a_quotation_mark_that_is_never_closed_costs_its_own_row_only(tmp_path: Path):
    table = 'text,label\nfine,good\n"open,bad\nkept,good\nkept too,bad\n'
    found = read_labelled(written(tmp_path / "a.csv", table), MOOD)
    assert texts(found) == [("fine", "good"), ("kept", "good"), ("kept too", "bad")]
    assert [example.id for example in found.examples][1] == "mood-a-000003"
    assert found.skipped == {"unreadable": 1}


def test_long_cells_bars_and_repeated_column_names_are_read(tmp_path: Path):
    long = "word " * 50_000
    assert len(read_labelled(
        written(tmp_path / "long.csv", f"text,label\n{long},good\n"), MOOD
    ).examples[0].text) > 200_000  # fmt: skip
    barred = written(tmp_path / "bars.csv", "Text|Label|text\na, b|good|other\n")
    assert texts(read_labelled(barred, MOOD)) == [("a, b", "good")]


def test_ids_of_any_kind_become_one_short_line(tmp_path: Path):
    name = "x" * 300
    rows = [{"id": "a\nb\tc", "text": "one", "label": "good"},
            {"id": name, "text": "two", "label": "good"},
            {"id": name, "text": "three", "label": "bad"}]  # fmt: skip
    path = written(tmp_path / "a.jsonl", "\n".join(json.dumps(row) for row in rows))
    ids = [example.id for example in read_labelled(path, MOOD).examples]
    assert ids[0] == "mood-a-a b c"
    assert len(set(ids)) == 3
    assert max(map(len, ids)) < 100
