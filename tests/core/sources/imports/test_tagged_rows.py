"""Tagged words and places: each sentence or document a row, and every tag of it kept."""

import json

import pytest

from core.sources.imports import ImportRow, RefusedRow, import_format
from core.sources.imports.tagged_rows import is_conll

PERSON = "Hii O\nni O\nYoweri B-PER\nMuseveni I-PER\n. O\n"


def rows_of(path) -> tuple[str, list]:
    found = import_format(path)
    return found.name, list(found.rows(path))


def tagged(row: ImportRow) -> tuple[str, dict]:
    return row.values["text"], json.loads(row.values["output"])


@pytest.fixture
def write(tmp_path):
    def written(name: str, text: str):
        (tmp_path / name).write_text(text, "utf-8")
        return tmp_path / name

    return written


def test_sentences_have_the_texts_of_their_tags(write):
    name, rows = rows_of(write("test.txt", f"-DOCSTART- -X- O O\n\n{PERSON}\nLeo O\n"))
    assert name == "conll"
    assert [tagged(row) for row in rows] == [
        ("Hii ni Yoweri Museveni .", {"PER": ["Yoweri Museveni"]}),
        ("Leo", {}),
    ]
    assert [row.line for row in rows] == [3, 9]
    assert rows[0].values["tags"] == ["O", "O", "B-PER", "I-PER", "O"]


def test_chinese_characters_stand_without_spaces(write):
    _, rows = rows_of(write("msra.bio", "中\tB-ORG\n共\tI-ORG\n在\tO\n京\tB-LOC\n\n好\tO\n"))
    assert tagged(rows[0]) == ("中共在京", {"ORG": ["中共"], "LOC": ["京"]})


def test_of_numbered_words_the_outer_tags_count_and_the_inner_ones_are_kept(write):
    text = "#\thttp://a.b\t[2010]\n1\tUni\tB-ORG\tO\n2\tBern\tI-ORG\tB-LOC\n3\truht\tO\tO\n\n"
    _, (row,) = rows_of(write("NER-de-dev.tsv", text))
    assert tagged(row) == ("Uni Bern ruht", {"ORG": ["Uni Bern"]})
    assert row.values["column 4"] == ["O", "B-LOC", "O"]


def test_of_words_without_numbers_the_last_tags_count(write):
    text = "EU NNP B-NP B-ORG\nrejects VBZ B-VP O\n\nPeter NNP B-NP B-PER\n"
    _, rows = rows_of(write("eng.testa", text))
    assert [tagged(row)[1] for row in rows] == [{"ORG": ["EU"]}, {"PER": ["Peter"]}]
    assert rows[0].values["column 3"] == ["B-NP", "B-VP"]


def test_two_of_a_kind_side_by_side_are_two(write):
    _, (row,) = rows_of(write("a.conll", "Ali B-PER\nBo B-PER\nLi I-PER\nUri I-LOC\n\n"))
    assert tagged(row)[1] == {"PER": ["Ali", "Bo Li"], "LOC": ["Uri"]}


def test_a_word_without_its_tag_refuses_its_sentence_alone(write):
    _, rows = rows_of(write("a.txt", f"{PERSON}\nLeo O\njumanne\n\n{PERSON}\n{PERSON}"))
    assert [type(row) for row in rows] == [ImportRow, RefusedRow, ImportRow, ImportRow]
    assert (rows[1].line, rows[1].reason) == (7, "Not every word of it has as many tags.")


def test_webanno_marks_spans_by_their_numbers(write):
    text = ("#FORMAT=WebAnno TSV 3.2\n#T_SP=NamedEntity|value\n\n\n#Text=Rain fell on New Bern.\n"
            "1-1\t0-4\tRain\t_\t\n1-2\t5-9\tfell\t_\t\n1-3\t13-16\tNew\tLOC[1]|X\t\n"
            "1-4\t17-21\tBern\tLOC[1]\t\n\n#Text=No.\n2-1\t23-26\tNo.\t*\t\n")  # fmt: skip
    name, rows = rows_of(write("admin.tsv", text))
    assert name == "webanno"
    assert tagged(rows[0]) == ("Rain fell on New Bern.", {"LOC": ["New Bern"], "X": ["New"]})
    assert tagged(rows[1]) == ("No.", {})
    assert rows[0].values["annotations"][2] == ["1-3", "13-16", "New", "LOC[1]|X"]


def test_a_folder_of_brat_gives_its_documents_with_all_annotations(write, tmp_path):
    write("b.txt", "Bern is wet.\nAli knows.\n")
    write("b.ann", "T2\tPER 13 16\tAli\nT1\tLOC 0 4\tBern\nR1\tIn Arg1:T2 Arg2:T1\n")
    write("a.txt", "Nothing.")
    write("a.ann", "")
    write("c.ann", "T1\tLOC 0 4\tBern\n")
    write("annotation.conf", "[entities]\nLOC\n")
    name, rows = rows_of(tmp_path)
    assert name == "brat"
    assert tagged(rows[0]) == ("Nothing.", {})
    assert tagged(rows[1]) == ("Bern is wet.\nAli knows.", {"LOC": ["Bern"], "PER": ["Ali"]})
    assert (rows[1].values["id"], len(rows[1].values["annotations"])) == ("b", 3)
    assert isinstance(rows[2], RefusedRow)


@pytest.mark.parametrize("text", ["A plain text.\n\nAnother.\n", "one O\ntwo O\n", "a b\n\nc O\n"])
def test_other_texts_are_not_taken_for_tagged_words(write, text):
    path = write("a.txt", text)
    assert not is_conll(path, path.read_bytes())
