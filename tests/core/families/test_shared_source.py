"""What items share is said by one function, whatever brought them in."""

import pytest

from core.families.base import ItemContent
from core.families.shared_source import (
    LONGEST_NAME,
    named_source,
    recognised,
    source_field,
    source_of,
)


def asked(passage: str = "", **provenance: object) -> ItemContent:
    payload = {"question": "Which?", "passage": passage, "answers": ["this"]}
    return ItemContent("answer", "", payload, provenance)


def test_what_names_a_source_stands_before_a_column_and_a_column_before_the_passage():
    columns = {"doc_id": "wsj-7", "title": "Mills"}
    assert source_of(asked("The mill.", article="2401.1", columns=columns)) == "2401.1"
    assert source_of(asked("The mill.", columns=columns)) == "doc_id = wsj-7"
    assert source_of(asked("The mill.")) == source_of(asked(" The mill.\n")) != ""
    assert source_of(asked()) == ""


def test_a_number_names_an_article_of_its_file_alone():
    def numbered(file: str, number: int | str) -> str:
        return named_source({"file": file, "columns": {"article_id": number}})

    assert numbered("a.csv", 0) == numbered("a.csv", "0") != ""
    assert numbered("a.csv", 7) != numbered("b.csv", 7)
    assert numbered("a.csv", "Mills") == numbered("b.csv", "Mills")


@pytest.mark.parametrize("value", [None, "", True, False, "A whole story. " * LONGEST_NAME])
def test_what_is_no_name_names_nothing(value):
    assert named_source({"columns": {"article": value}}) == ""


@pytest.mark.parametrize(
    "column", ["docId", "Doc ID", "DOC_ID", "article-id", "Passage ID", "文章编号", "Story_ID"]
)
def test_usual_spellings_of_a_column_are_known_when_it_comes_in(column):
    assert source_field({}, {"n": 1, column: "wsj-7"}, "a.csv") == {"source": f"{column} = wsj-7"}


@pytest.mark.parametrize("column", ["source", "id", "title", "example_id", "domain"])
def test_columns_that_name_other_things_name_a_source_only_where_somebody_says_so(column):
    row = {column: "wsj-7"}
    assert source_field(row, row, "a.csv") == {}
    assert source_field(row, {}, "a.csv", column) == {"source": f"{column} = wsj-7"}


def test_a_report_says_by_what_sources_were_recognised():
    passages = [source_of(asked(f"The mill {n}.")) for n in range(3)]
    assert recognised(passages * 2) == "the passage"
    said = recognised([*passages, "doc_id = 1 (a.csv)", "doc_id = 2 (a.csv)", "2401.1", ""])
    assert said == "the passage: 3, the column “doc_id”: 2, the article or example: 1"
    assert recognised(["", ""]) == ""
