"""Articles: offsets that are right, one normal form of text, rows that give the article back."""

import json
from pathlib import Path
from typing import get_args

from hypothesis import given
from hypothesis import strategies as st

from core.sources.articles.article import Article, Block, Kind, compose, normalise
from core.sources.articles.read_paths import read_paths

blocks = st.lists(
    st.builds(
        Block,
        text=st.text(max_size=60),
        kind=st.sampled_from(get_args(Kind)),
        level=st.integers(min_value=1, max_value=5),
    ),
    max_size=12,
)


@given(blocks)
def test_every_span_cuts_its_own_paragraph_out_of_the_text(made: list[Block]) -> None:
    article = compose(made, path="p", article_id="a")
    for paragraph in article.paragraphs:
        assert article.text[paragraph.start : paragraph.end] == paragraph.text
        assert paragraph.text.strip()
        section = article.sections[paragraph.section]
        assert section.start <= paragraph.start <= paragraph.end <= section.end


@given(blocks)
def test_a_row_is_json_and_gives_the_same_article_back(made: list[Block]) -> None:
    article = compose(made, path="p", article_id="a", title="A title")
    assert Article.from_row(json.loads(json.dumps(article.to_row()))) == article


def test_headings_open_sections_and_text_before_them_has_a_section_of_its_own() -> None:
    article = compose(
        [Block("Before."), Block("Methods", "heading", 2), Block("We did."), Block("Then.")],
        path="p",
        article_id="a",
    )
    assert [(s.title, s.level) for s in article.sections] == [("", 0), ("Methods", 2)]
    assert [p.section for p in article.paragraphs] == [0, 1, 1, 1]
    last = article.sections[1]
    assert article.text[last.start : last.end] == "Methods\n\nWe did.\n\nThen."


def test_the_version_of_a_local_article_follows_its_text() -> None:
    one, same, other = (
        compose([Block(text)], path="p", article_id="a") for text in ("x y", "x  y", "x z")
    )
    assert one.version == same.version != other.version
    assert one.version.startswith("text-")


def test_chinese_lines_are_joined_without_a_space_and_english_ones_with_one() -> None:
    assert normalise("分散投资的\n道理，\n其实") == "分散投资的道理，其实"
    assert normalise("a  line\nand another") == "a line and another"
    assert normalise("a speci\ufb01c line -- and another---with --option") == (
        "a specific line – and another—with --option"
    )


def test_control_and_invisible_characters_go_and_accents_are_composed() -> None:
    assert normalise("a\x00b\u200bc\ue000 e\u0301") == "abc \u00e9"


def test_code_keeps_its_lines() -> None:
    article = compose([Block("for x in y:\n\tpass\r\n", "code")], path="p", article_id="a")
    assert article.text == "for x in y:\n    pass"


def test_a_text_that_is_no_article_says_what_it_is(tmp_path: Path) -> None:
    prose = "This is a sentence of an article, and long enough to count as a paragraph of prose."
    names = {"reading-notes.md": "notes", "week-03.md": "course", "paper.md": ""}
    for name in names:
        (tmp_path / name).write_text(f"# {name}\n\nThe {name} has gauges. {prose}")
    found = read_paths([tmp_path], any_text=True).articles
    assert {Path(article.path).name: article.no_article for article in found} == names
    assert [Article.from_row(article.to_row()) for article in found] == list(found)
