"""Plans, logs and audits that lie beside a paper are told by what they say; papers are not."""

from collections.abc import Sequence

import pytest

from core.sources.articles.prose.page_kinds import kind_of_page

TEXTS = tuple(f"The keeper of mill {n} counted the nests by hand in both years." for n in range(9))
ARTICLE = ("Introduction", "Methods", "Results", "Discussion")


@pytest.mark.parametrize(
    ("title", "headings"),
    [
        ("Counting nests", ("Current stage", "Milestones", "Nests", "Pending tasks")),
        ("Nests at two mills", ("Original user prompt", "Required work", "Stop conditions")),
        ("", ("1. Audited object", "2. Checklist", "3. Nests", "4. Consequence for drafting")),
        ("Counting nests", ("Working title", "Main idea", "Evidence plan", "What is missing")),
        ("M40 Nest Ratio Audit", ("Nests", "Mills")),
        ("Review log", ()),
        ("Project dashboard", ("Nests",)),
        ("Handoff — the count of nests", ("Nests", "Mills")),
        ("Prompt for Claude: rewrite the paper on nests", ("Nests",)),
        ("", ("Prompt for Claude: rewrite the paper", "Nests", "Appendix A: main.tex")),
        ("河边计数", ("当前状态", "待办事项", "下一步计划")),
    ],
)
def test_notes_are_told_by_their_titles_and_headings(title: str, headings: Sequence[str]) -> None:
    assert kind_of_page("nests", title, headings, TEXTS) == "notes"


def test_notes_are_told_by_the_files_and_drafts_that_they_speak_of() -> None:
    notes = (
        "The counts are made by scripts/count_nests.py from the raw table of the keepers.",
        "The draft should say that the nests of the second mill were counted twice.",
        "Do not describe the second mill as a control: the keepers changed in that year.",
        "The figure comes from figures/nests.png, which is older than the table beside it.",
    )
    assert kind_of_page("nests", "Counting nests", ("Nests",), (*notes, *TEXTS[:3])) == "notes"
    assert kind_of_page("nests", "Counting nests", ("Nests",), (*notes[:3], *TEXTS)) == ""
    assert kind_of_page("nests", "Counting nests", ARTICLE, notes) == ""


def test_a_study_that_is_still_to_be_carried_out_is_a_plan() -> None:
    plan = (
        "We will count the nests of both mills by hand, once before and once after the flood.",
        "The counts of both keepers will be compared, and their mean will be taken.",
        "Nests at the northern mill are expected to be fewer than those at the southern one.",
        "We hypothesize that the wheel keeps the birds from the bank for most of the year.",
        "The mills stand on both sides of the river, half a day's walk from one another.",
    )
    assert kind_of_page("nests", "Counting nests", ("Nests", "Mills"), plan) == "plan"
    assert kind_of_page("nests", "Counting nests", ("Nests", "Results"), plan) == ""
    assert kind_of_page("nests-registered-report", "Nests", ("Nests",), plan) == ""
    assert kind_of_page("nests", "Counting nests", ("Nests", "Mills"), (*plan, *TEXTS)) == ""


def test_the_phases_of_a_plan_make_it_one_although_it_speaks_of_results() -> None:
    phases = ("Phase 0: mills", "Phase 1: nests", "Results by keeper", "Phase 2: birds")
    assert kind_of_page("research-plan", "Counting nests", phases, TEXTS) == "plan"
    assert kind_of_page("research-plan", "Counting nests", ARTICLE, TEXTS) == ""


@pytest.mark.parametrize(
    "name", ["research-interest", "Teaching_Statement", "statement of purpose"]
)
def test_what_one_says_of_oneself_in_an_application_is_a_plan(name: str) -> None:
    assert kind_of_page(name, "Counting nests", ("Nests",), TEXTS) == "plan"
    assert kind_of_page(name, "Counting nests", ARTICLE, TEXTS) == ""


@pytest.mark.parametrize(
    "headings",
    [
        ("Preparing your manuscript", "Title page", "Background", "Methods", "Results"),
        ("About the journal", "Aims and scope", "Article types", "Peer review"),
    ],
)
def test_a_guide_of_a_journal_is_a_template(headings: Sequence[str]) -> None:
    guide = ("You can send your manuscript as one file. It should have a title of your own.",) * 3
    assert kind_of_page("journal", "Birds of the river", headings, (*guide, *TEXTS)) == "template"


@pytest.mark.parametrize(
    ("title", "headings"),
    [
        ("An audit of nest counts", ("Nests", "Mills", "Conclusion")),
        ("Who counts nests: an algorithmic audit", ARTICLE),
        ("Counting nests", ("Introduction", "Open questions", "Checklist", "Conclusion")),
        ("Open access to nests", ("Peer review", "Open access", "Article types")),
        ("Milestones in the counting of nests", ("Nests", "Milestones", "Mills")),
    ],
)
def test_papers_stay(title: str, headings: Sequence[str]) -> None:
    assert kind_of_page("nests", title, headings, TEXTS) == ""


def test_a_notebook_that_loads_its_libraries_is_one() -> None:
    headings = ("Loading the necessary libraries", "The model", "Convergence")
    code = ("library(nests)", "model <- fit(nests)", "plot(model)", "summary(model)")
    assert kind_of_page("nests", "Nests", headings, TEXTS, code) == "notebook"
    assert kind_of_page("nests", "Nests", headings[1:], TEXTS, code) == ""
