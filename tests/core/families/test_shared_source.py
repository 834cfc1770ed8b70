"""What items share is said by one function, whatever brought them in."""

import pytest

from core.families.base import ItemContent
from core.families.shared_source import (
    LONGEST_NAME,
    in_the_clear,
    named_source,
    recognised,
    source_by,
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


SHARING = [
    asked(article="2401.1"),
    asked(article="An article whose title is longer than is ever kept readable by a sealing"),
    asked(source="a.csv", run="r", row=7),
    asked("The mill.", source="a.csv", run="r", row=7),
    asked("The mill.", example_id="e7"),
    asked("The mill.", columns={"doc_id": "wsj-7"}),
    asked("The mill.", source="Doc ID = wsj-7"),
    asked("The mill.", source="Why the mill = 7"),
    asked("The mill."),
    asked("Another mill."),
    asked(),
]


def test_what_stays_in_the_clear_of_sealed_items_tells_the_same_ones_apart_and_nothing_else():
    def stand_in(name: str) -> str:
        return f"{hash(name):x}"

    kept = [in_the_clear(one.provenance, one.payload["passage"], stand_in) for one in SHARING]
    sealed = [source_by(one, None) for one in kept]
    plain = [source_of(one) for one in SHARING]
    assert [plain.index(one) for one in plain] == [sealed.index(one) for one in sealed]
    assert sorted(recognised(sealed).split(", ")) == sorted(recognised(plain).split(", "))
    told = " ".join(str(value) for one in kept for value in one.values())
    assert "mill" not in told.replace("Why the mill = 7", "")
    assert "title" not in told


def test_ways_as_frequent_as_each_other_stand_in_one_order() -> None:
    sources = ["passage a", "doc = 7", "b", "passage c", "b2", "doc = 8"]
    assert recognised(reversed(sources)) == recognised(sources)
    assert recognised(sources).index("article") < recognised(sources).index("passage")
