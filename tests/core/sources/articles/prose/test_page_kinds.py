"""Pages of programs, courses and web sites are told by their headings; articles are not."""

from collections.abc import Sequence

import pytest

from core.sources.articles.prose.page_kinds import kind_of_page

ARTICLE = ("1 Introduction", "2 Materials and methods", "3 Results", "4 Discussion")
TEXTS = tuple(f"The keeper of mill {n} counted the nests by hand in both years." for n in range(9))


@pytest.mark.parametrize(
    ("title", "headings"),
    [
        ("millcount", ("Installation", "Usage", "Contributing", "License")),
        ("millcount", ("🚀 Quick start", "✨ Features", "Project structure", "FAQ")),
        ("Plan of counts", ("Phase 1: nests", "Dependencies", "Open questions", "CLI")),
        ("河边计数", ("安装与运行", "使用说明", "项目结构", "常见问题")),
        ("What is new", ("1.2.0 - 2021-03-01", "1.1.4 (2020-11-30)", "v1.1.3", "Unreleased")),
        ("mill.nests", ("count(nests, year)", "Parameters", "Returns", "class Keeper", "Raises")),
        ("Contributor Code of Conduct", ()),
        ("Contributing to millcount", ("Mills",)),
        ("Roadmap", ("Nests", "Mills")),
        ("Millcount API", ("Nests",)),
        ("Millcount documentation", ("Nests",)),
        ("Counting — millcount 0.5 documentation", ("Nests",)),
    ],
)  # fmt: skip
def test_pages_of_programs_are_documentation(title: str, headings: Sequence[str]) -> None:
    assert kind_of_page("main", title, headings, TEXTS) == "documentation"


@pytest.mark.parametrize(
    ("name", "title", "headings"),
    [
        ("lecture12", "Nests of the northern bank", ("Nests",)),
        ("hw3-solutions", "", ()),
        ("BIOL-201-syllabus", "", ("Nests",)),
        ("week-three-nests", "", ("Nests",)),
        ("nests", "BIOL 201: Nests", ("Nests",)),
        ("lecture_notes", "Nests", ("Nests",)),
        ("week-01", "Nests", ARTICLE),
        ("main", "Lecture 4: nests of the northern bank", ("Nests",)),
        ("main", "Counting", ("Lecture 1. Nests", "Lecture 2. Mills", "Lecture 3")),
        ("main", "BIOL 201", ("Office hours", "Grading", "Required textbooks", "Attendance")),
    ],
)  # fmt: skip
def test_material_of_courses_is_told(name: str, title: str, headings: Sequence[str]) -> None:
    assert kind_of_page(name, title, headings, TEXTS, typeset=True) == "course"


def test_a_life_in_sections_is_none_either() -> None:
    headings = ("Education", "Research experience", "Awards and grants", "Publications", "Skills")
    assert kind_of_page("main", "A. Keeper", headings, TEXTS, typeset=True) == "slides"
    assert kind_of_page("main", "Curriculum Vitae", (), TEXTS, typeset=True) == "slides"


def test_a_page_about_a_paper_says_how_to_cite_it() -> None:
    code = ["@inproceedings{keeper2020,\n title={Nests}\n}"]
    headings = ("Abstract", "Method", "BibTeX")
    assert kind_of_page("index", "Nests", headings, TEXTS, code) == "page"
    assert kind_of_page("index", "Nests", headings, [*TEXTS, *code]) == "page"
    assert kind_of_page("index", "Nests", headings, TEXTS) == ""
    assert kind_of_page("index", "Nests", headings[:2], TEXTS, code) == ""
    assert kind_of_page("index", "Nests", headings, TEXTS * 60, code) == ""


@pytest.mark.parametrize(
    ("name", "title", "headings"),
    [
        ("main", "Nests", ARTICLE),
        ("paper", "millcount", ("Summary", "Statement of need", "Installation", "Usage", "FAQ")),
        ("main", "A new API", (*ARTICLE, "Installation", "Usage", "Configuration", "Command line")),
        ("main", "A roadmap for the counting of nests in mills", ("Nests",)),
        ("main", "Assignment problems of keepers", ("Nests",)),
        ("main", "Week-long counts of nests", ("Nests", "1.2 Mills", "1.3 Keepers", "1.4 Years")),
        ("main", "Skills of keepers", ("Education", "Experience", "Skills", *ARTICLE)),
        ("syllables", "Syllables", ("Requirements", "Nests")),
        ("lectures-on-nests", "Lectures on the nests of mills", ("Nests", "Mills")),
        ("chapter", "", ()),
        ("main", "NGC 1052: a galaxy of nests", ("Nests",)),
        ("weekly-counts", "Weekly counts", ("Nests",)),
    ],
)  # fmt: skip
def test_articles_stay(name: str, title: str, headings: Sequence[str]) -> None:
    assert kind_of_page(name, title, headings, TEXTS) == ""


def test_a_chapter_of_a_thesis_may_have_the_sections_of_a_readme() -> None:
    headings = ("Requirements", "Configuration", "Command-line interface", "Deployment")
    assert kind_of_page("chapter4", "", headings, TEXTS, typeset=True) == ""
    assert kind_of_page("chapter4", "", headings, TEXTS) == "documentation"
