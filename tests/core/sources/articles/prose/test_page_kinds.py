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


@pytest.mark.parametrize("name", ["help", "help_gui", "millcount-user-guide", "User Manual"])
def test_the_help_of_a_program_is_told_by_its_name(name: str) -> None:
    assert kind_of_page(name, "Counting", ("Nests",), TEXTS) == "documentation"
    assert kind_of_page("help-seeking", "Counting", ("Nests",), TEXTS) == ""
    assert kind_of_page("self-help", "Counting", ("Nests",), TEXTS) == ""


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


@pytest.mark.parametrize(
    ("name", "title", "headings"),
    [
        ("preregistration", "Nests and mills", ("Introduction", "Methods", "Hypotheses")),
        ("PreReg_word_version", "Nests and mills", ("Introduction", "Method")),
        ("prereg-annotated", "", ()),
        ("project-plan", "Nests", ("Background", "Methods")),
        ("paper-plan", "Nests", ("Working Title", "Main Idea")),
        ("OSF_UPLOAD_PLAN", "Nests", ()),
        ("validation_protocol", "Nests of the northern bank", ("Background", "Methods")),
        (
            "main",
            "Nests of the northern bank",
            ("Objectives", "Study Setting", "Sample Size", "Timeline", "Budget"),
        ),
        ("grant_proposal", "Nests", ("Background",)),
        ("main", "Preregistration: nests of the northern bank", ("Background",)),
        ("main", "Nests of the northern bank: a pre-analysis plan", ()),
        ("main", "(Pre-)registration template for studies of nests", ("Introduction",)),
        (
            "osf",
            "Nests",
            ("Study Information", "Hypotheses", "Design Plan", "Sampling Plan", "Variables"),
        ),
    ],
)
def test_the_plan_of_a_study_is_told_by_its_name_its_title_or_its_form(
    name: str, title: str, headings: Sequence[str]
) -> None:
    assert kind_of_page(name, title, headings, TEXTS) == "plan"
    assert kind_of_page(name, title, (*headings, "Results", "Discussion"), TEXTS) == ""


@pytest.mark.parametrize(
    ("name", "title", "headings"),
    [
        ("preregistered-report", "Nests", ("Introduction", "Methods")),
        ("preregistration", "Does preregistration help?", ("Introduction", "Results")),
        ("main", "Preregistration: what it costs", ("Introduction", "Method", "Discussion")),
        ("main", "Nests", ("Hypotheses", "Study design", "Variables", "Sample size", "Results")),
        ("main", "Planning the analysis of nests", ()),
    ],
)
def test_a_study_that_was_carried_out_is_no_plan(
    name: str, title: str, headings: Sequence[str]
) -> None:
    assert kind_of_page(name, title, headings, TEXTS) == ""


LISTING = "nests <- read.csv('nests.csv')"


@pytest.mark.parametrize(
    ("name", "title", "headings"),
    [
        ("nest-slides", "Slides of nests under the microscope", ARTICLE),
        ("slides_of_nests", "Slides of nests", ARTICLE),
        ("region-proposal-networks", "Nests", ("Introduction", "Experiments", "Summary")),
        ("preregularised", "Counts regularised before", ("Introduction", "Evaluation")),
        ("stage2", "Nests", ("Hypotheses", "Sample size", "Variables", "Missing data",
                             "Analysis plan", "Confirmatory results")),
        ("main", "Preregistration does not prevent bad counts", ("Why", "How")),
    ],
)  # fmt: skip
def test_articles_with_a_word_of_slides_or_plans_stay(
    name: str, title: str, headings: Sequence[str]
) -> None:
    assert kind_of_page(name, title, headings, TEXTS * 30) == ""


@pytest.mark.parametrize("heading", ["Expected results", "Interpretation of results"])
def test_results_that_are_hoped_for_make_no_study_of_a_plan(heading: str) -> None:
    assert kind_of_page("research-proposal", "Nests", ("Aims", heading), TEXTS) == "plan"


def test_a_text_of_listings_is_the_notebook_of_an_analysis() -> None:
    few = TEXTS[:5]
    assert kind_of_page("nests", "Nests", ("Data", "Plots"), few, [LISTING] * 5) == "notebook"
    assert kind_of_page("nests", "Nests", ("Data", "Plots"), few, [LISTING] * 3) == ""
    assert kind_of_page("nests", "Nests", ARTICLE, few, [LISTING] * 9) == ""
    assert kind_of_page("nests", "Nests", ("Nests",), few, [LISTING] * 9, typeset=True) == ""


def test_a_text_that_teaches_its_reader_is_told_by_saying_you() -> None:
    taught = tuple(f"Now you count the nests of mill {n} and write them down." for n in range(4))
    many = (*TEXTS[:8], *taught)
    assert kind_of_page("nests", "Nests", ("Nests",), many) == "documentation"
    assert kind_of_page("nests", "Nests", ("Nests",), (*TEXTS, TEXTS[0], *taught[:3])) == ""
    assert kind_of_page("nests", "Nests", ARTICLE, many) == ""
    lesson = (*many, "This course has homework.", "The exercises of this course are long.")
    assert kind_of_page("nests", "Nests", ("Nests",), lesson) == "course"


@pytest.mark.parametrize(
    ("taught", "told"),
    [
        ("Chaque année, vous comptez les nids du moulin {n} et vous notez vos nombres.", True),
        ("In jedem Jahr zählen Sie die Nester der Mühle {n} und schreiben Ihre Zahlen auf.", True),
        ("Die Müllerin zählt die Nester der Mühle {n}. Sie schreibt ihre Zahlen auf.", False),
        ("Le meunier compte les nids du moulin {n}, et il note ses nombres à chaque fois.", False),
    ],
)
def test_a_guide_in_french_or_german_teaches_by_its_polite_form(taught: str, told: bool) -> None:
    many = (*TEXTS[:8], *(taught.format(n=n) for n in range(4)))
    kind = kind_of_page("nests", "Nests", ("Nests",), many)
    assert kind == ("documentation" if told else "")


@pytest.mark.parametrize(
    ("kind", "name", "title", "headings"),
    [
        ("course", "textbook", "Nests", ("Mills",)),
        ("documentation", "main", "Handbook for Graduate Students of Nests", ("Mills",)),
        ("documentation", "main", "2025/26 Extended Essay Guidance", ()),
        ("documentation", "card", "Nests", ("Dataset summary", "Data fields", "License")),
        ("template", "main", "Manuscript title here", ("Mills",)),
        ("template", "formatting", "Instructions for ACL Proceedings", ("Mills",)),
        ("slides", "posters", "Nests", ARTICLE),
        ("", "main", "Handbooks of nests in schools", ("Mills",)),
        ("", "main", "Nests of the mill and its requirements", ("Mills",)),
        ("", "main", "Nests", ("Data", "License", "Mills")),
        ("documentation", "terms_of_use", "Nests", ("Access",)),
        ("documentation", "bird-data-access-agreement", "Nests", ()),
        ("", "poster-abstract", "Nests", ("Mills",)),
    ],
)
def test_what_calls_itself_something_else_is_that(
    kind: str, name: str, title: str, headings: Sequence[str]
) -> None:
    assert kind_of_page(name, title, headings, TEXTS) == kind


@pytest.mark.parametrize(
    ("name", "title"),
    [
        ("preregistration-stage-1", "Nests of the northern bank"),
        ("prereg", "Nests of the northern bank: A Registered Report"),
    ],
)
def test_the_first_stage_of_a_registered_report_is_an_article(name: str, title: str) -> None:
    headings = ("Introduction", "Hypotheses", "Sampling plan", "Analysis plan", "Study design")
    assert kind_of_page(name, title, headings, TEXTS) == ""
    assert kind_of_page("prereg", "Nests", headings, TEXTS) == "plan"


def test_a_text_that_speaks_of_its_lectures_is_the_notes_of_a_course() -> None:
    spoken = tuple(f"In the last lecture we counted the nests of mill {n}." for n in range(5))
    headings = ("1 Introduction", "2 Nests", "References")
    assert kind_of_page("main", "Nests", headings, [*TEXTS, *spoken], typeset=True) == "course"
    assert kind_of_page("main", "Nests", headings, [*TEXTS, *spoken[:4]], typeset=True) == ""


@pytest.mark.parametrize(
    ("name", "title", "expected"),
    [
        ("models", "Gauges + rivers - Notes", "notes"),
        ("实习报告", "", "course"),
        ("01-开题报告", "", "course"),
        ("models", "Notes on gauges", ""),
        ("毕业论文", "实习生培养的研究", ""),
    ],
)
def test_notes_and_what_students_write_beside_a_thesis(
    name: str, title: str, expected: str
) -> None:
    assert kind_of_page(name, title, [], ["The gauge was read by hand."]) == expected


@pytest.mark.parametrize(
    "heading",
    [
        "5 Intellectual Merit",
        "8 Results from Prior NSF Support",
        "NSF Current and Pending Support",
        "Proposal Preparation and Submission Instructions",
    ],
)
def test_an_application_for_a_grant_and_its_call_are_no_articles(heading: str) -> None:
    sections = ["1 Introduction", "4 Results", heading, "References"]
    assert kind_of_page("fmitf20", "Gauges", sections, ["The gauge was read."]) == "plan"
    others = ["1 Introduction", "4 Results", "Broader Impact", "References"]
    assert kind_of_page("fmitf20", "Gauges", others, ["The gauge was read."]) == ""


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("Eidesstattliche Erklärung", "page"),
        ("Versicherung zur selbständigen Leistungserbringung", "page"),
        ("学位论文独创性声明", "page"),
        ("Declaration of Authorship", "page"),
        ("A Simplified Introduction to LATEX", "documentation"),
        ("전기공학부 논문 LaTeX템플릿 매뉴얼", "documentation"),
        ("The LaTeX Template for swmcm", ""),
        ("The declaration of originality in art", ""),
    ],
)
def test_declarations_of_authorship_and_manuals_of_latex(title: str, expected: str) -> None:
    sections = ["Introduction", "Results"]
    assert kind_of_page("x", title, sections, ["The gauge was read by hand."]) == expected


@pytest.mark.parametrize(
    ("name", "title", "expected"),
    [
        ("CV_Brown_Spanish", "Kim Brown", "slides"),
        ("x", "Lebenslauf", "slides"),
        ("x", "Master-Thesis – Monatsbericht", "notes"),
        ("x", "Weekly report 3", "notes"),
        ("x", "Proyecto de Tesis de Licenciatura en Física", "plan"),
        ("cv-study-of-gauges", "Gauges", ""),
        ("x", "Propuesta de Tesina para la obtención del grado", "plan"),
        ("discorso_laurea", "", "slides"),
        ("x", "Cómo redactar las conclusiones de tesis", "template"),
        ("x", "Dashboards for gauges: Getting started", "documentation"),
        ("speech-recognition", "Gauges", ""),
        ("x", "Weekly readings of gauges", ""),
        ("x", "The monthly report of gauges", ""),
    ],
)
def test_lives_reports_of_a_month_and_plans_of_a_thesis(
    name: str, title: str, expected: str
) -> None:
    assert kind_of_page(name, title, [], ["The gauge was read by hand."]) == expected
