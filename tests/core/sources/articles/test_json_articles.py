"""JSON: the published code's columns and every other plausible shape."""

import json
from datetime import date
from typing import Any

import pytest

from core.sources.articles.json_articles import read_json
from core.sources.limits import UnreadableSource

TEXT = "A sentence that stands for the text of an article. It goes on for a while.\nAnd on."


def texts(value: Any) -> list[str]:
    return [draft.blocks[-1].text for draft in read_json(json.dumps(value))]


def test_parallel_lists_of_the_published_code_give_one_article_each() -> None:
    drafts = read_json(
        json.dumps(
            {
                "title": ["One", "Two"],
                "abstract": ["Abs one.", "Abs two."],
                "keywords": [["k"], []],
                "text": [TEXT, TEXT + " Two."],
            }
        )
    )
    assert [d.title for d in drafts] == ["One", "Two"]
    assert [b.text for b in drafts[1].blocks] == [
        "Abstract",
        "Abs two.",
        *TEXT.split("\n")[:1],
        "And on. Two.",
    ]


def test_a_list_of_texts_is_a_list_of_articles_and_latex_is_recognised() -> None:
    latex = (
        "\\documentclass{article}\\begin{document}\\section{S}From \\emph{LaTeX}.\\end{document}"
    )
    assert texts([TEXT, latex]) == ["And on.", "From LaTeX."]


@pytest.mark.parametrize(
    "value",
    [
        {"text": TEXT},
        {"content": TEXT},
        {"paragraphs": ["First.", "And on."]},
        {"sections": [{"heading": "H", "text": TEXT}]},
        {"sections": [{"title": "H", "paragraphs": ["x y.", "And on."]}]},
        {"body": {"Introduction": "Hm.", "Methods": ["x.", "And on."]}},
        {"papers": [{"full_text": TEXT}]},
        {"text": ["First.", "And on."], "title": "One article"},
    ],
)
def test_objects_with_text_in_some_field_are_articles(value: dict[str, Any]) -> None:
    assert texts(value) == ["And on."]
    assert texts([value, value]) == ["And on."] * 2


def test_json_lines_with_identifiers_categories_and_days() -> None:
    row = {"id": "2607.01234v2", "categories": "cs.CL stat.ML", "text": TEXT, "date": "2026-07-03"}
    drafts = read_json(f"{json.dumps(row)}\n{json.dumps({'text': TEXT})}\n")
    assert (drafts[0].article_id, drafts[0].version) == ("2607.01234", "v2")
    assert drafts[0].categories == ("cs.CL", "stat.ML")
    assert drafts[0].submitted == date(2026, 7, 3)
    assert drafts[1].article_id == ""


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('{"a": 1}', "contains no article"),
        ("[]", "contains no article"),
        ('{"text": ""}', "contains no article"),
        ('{"text": "cut off', "not valid JSON"),
        ('{"text": "a b"}\n{"text": ', "Line 2 is not valid JSON"),
        ("[" * 100_000, "nested too deeply"),
    ],
)
def test_what_is_no_article_is_named(text: str, reason: str) -> None:
    with pytest.raises(UnreadableSource, match=reason):
        read_json(text)


def test_rows_that_name_one_paper_are_its_passages() -> None:
    rows = [
        {"paper_id": "p1", "title": "Nests", "section": "Methods", "text": "One. It is read."},
        {"paper_id": "p2", "title": "Mills", "section": "Methods", "text": "Two. It is read."},
        {"paper_id": "p1", "title": "Nests", "section": "Methods", "text": "Three. It is read."},
        {"paper_id": "p1", "title": "Nests", "section": "Results", "text": "Four. It is read."},
    ]
    lines = "\n".join(map(json.dumps, rows))
    for drafts in (read_json(lines), read_json(json.dumps(rows))):
        assert [(d.title, d.article_id) for d in drafts] == [("Nests", "p1"), ("Mills", "p2")]
        assert [(b.kind, b.text.split(".")[0]) for b in drafts[0].blocks] == [
            ("heading", "Methods"),
            ("text", "One"),
            ("text", "Three"),
            ("heading", "Results"),
            ("text", "Four"),
        ]
