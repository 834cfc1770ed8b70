"""Answers to the questions of a form give no items; the questions of an article do no harm."""

from core.sources.articles.article import Block
from core.sources.articles.prose.sifting import sift

ANSWER = Block("The gauges were read by trained observers, and every reading was checked twice.")
QUESTIONS = (
    "What mechanisms were used to collect the data (e.g., hardware, software)?",
    "Is there a label or target associated with each instance?",
    "Has the dataset been used for any tasks already?",
    "If the dataset is a sample, what was the sampling strategy?",
)


def kinds(*blocks: Block) -> list[str]:
    return [block.kind for block in sift(blocks).blocks]


def form(*questions: Block) -> list[Block]:
    return [block for question in questions for block in (question, ANSWER)]


def test_the_paragraphs_of_a_data_sheet_are_doubtful() -> None:
    found = kinds(ANSWER, *form(*(Block(q) for q in QUESTIONS)))
    assert found == ["text", *["doubtful"] * 8]


def test_a_data_sheet_may_ask_in_its_headings() -> None:
    found = kinds(*form(*(Block(q, "heading", 3) for q in QUESTIONS)), Block("Results", "heading"))
    assert found == [*["heading", "doubtful"] * 4, "heading"]


def test_what_follows_under_a_heading_of_the_article_is_text_again() -> None:
    found = kinds(*form(*(Block(q) for q in QUESTIONS)), Block("Methods", "heading"), ANSWER)
    assert found[-1] == "text"


def test_questions_that_an_article_asks_leave_its_text_alone() -> None:
    few = form(Block("Why does the water rise at night, when hardly any rain falls?"))
    headings = form(
        *(
            Block(f"Why do {x} rise?", "heading")
            for x in ("rivers", "lakes", "wells", "tides", "springs")
        )
    )
    assert "doubtful" not in kinds(*few, *headings)
    asked = Block("It rises at night. Why does it rise, when hardly any rain falls?")
    assert "doubtful" not in kinds(asked, ANSWER, asked, asked, asked)
