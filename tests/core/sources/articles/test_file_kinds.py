"""What the name of a file tells of its text."""

from pathlib import Path

import pytest

from core.sources.articles.file_kinds import kind_of
from core.sources.limits import DEFAULT_LIMITS, UnreadableSource


@pytest.mark.parametrize(
    "name",
    [
        "research-log.md",
        "log-02-06-2020.md",
        "comments-Kim.md",
        "talk_script.docx",
        "transcript.tex",
        "script.md",
        "notes.tex",
        "reading_notes-2.docx",
        "EHRI-Meeting.pdf",
        "log.pdf",
        "writing_plan.tex",
        "汇报逐字稿.md",
        "答辩稿.docx",
        "专家数据生成记录.md",
        "thesis_speech.md",
        "00_Themenbeschreibung.tex",
        "02_Bearbeitungsstand.tex",
        "demo_prompt.txt",
        "system-prompts.md",
        "lit_review_notes_2.docx",
    ],
)
def test_logs_comments_and_transcripts_hold_notes(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_text("The gauge was read by hand in each of the three years.")
    with pytest.raises(UnreadableSource, match="It contains notes"):
        kind_of(path, DEFAULT_LIMITS)


@pytest.mark.parametrize(
    "place",
    [
        "openspec/changes/thesis/spec.md", ".cursor/rules/style.md", "memory-bank/progress.md",
        "prompts/writer.md", "agents/critic.md", "paper/reviews/round-1.md",
        "lit_review/agent_2.md", "internal/draft_2.md", "analysis/cost-model.md",
    ],
)  # fmt: skip
def test_what_is_written_about_the_work_on_a_paper_holds_notes(tmp_path: Path, place: str) -> None:
    path = tmp_path / place
    path.parent.mkdir(parents=True)
    path.write_text("The gauge was read by hand in each of the three years.")
    with pytest.raises(UnreadableSource, match="It contains notes"):
        kind_of(path, DEFAULT_LIMITS, tmp_path)
    assert kind_of(path, DEFAULT_LIMITS, path.parent) == "markdown"


@pytest.mark.parametrize(
    "name",
    [
        "comments.tex", "log-normal.md", "log-2.md", "scripts.md", "worklog-study.md",
        "journal.tex", "notes-on-mills.tex", "log-likelihood.tex", "meeting-minds.tex",
        "footnotes.tex", "catalog.tex",
    ],
)  # fmt: skip
def test_names_that_only_begin_so_do_not(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_text("The gauge was read by hand in each of the three years.")
    assert kind_of(path, DEFAULT_LIMITS) in ("markdown", "latex")


@pytest.mark.parametrize("name", ["AGENTS.md", "CLAUDE.md", "copilot-instructions.md"])
def test_instructions_to_programs_are_documentation(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_text("Run the tests before each commit, and write in plain English.")
    with pytest.raises(UnreadableSource, match="It is documentation"):
        kind_of(path, DEFAULT_LIMITS)
    path = path.rename(tmp_path / "agents-in-markets.md")
    assert kind_of(path, DEFAULT_LIMITS) == "markdown"


@pytest.mark.parametrize(("name", "text"), [
    ("convert.py", "r'\\documentclass{article}'\n'\\begin{document}'\n"),
    ("page.xsl", "<html><body><p>The gauge was read by hand.</p></body></html>"),
])  # fmt: skip
def test_a_program_that_writes_latex_or_pages_is_no_source(
    tmp_path: Path, name: str, text: str
) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(UnreadableSource, match="are not supported"):
        kind_of(tmp_path / name, DEFAULT_LIMITS)


@pytest.mark.parametrize(
    "place",
    [
        "vignettes/mills.md", "vignettes/articles/mills.md", "inst/doc/mills.html",
        "inst/doc/mills.tex", "guides/mills.md", "docs/user_guide/mills.md",
        "tutorials/mills.ipynb", "docs/how-to/more/mills.md", "examples/mills.md",
    ],
)  # fmt: skip
def test_the_guides_of_a_package_are_documentation(tmp_path: Path, place: str) -> None:
    (tmp_path / "DESCRIPTION").write_text("Package: mills\n")
    path = tmp_path / place
    path.parent.mkdir(parents=True)
    path.write_text("<p>The gauge was read by hand in each of the three years.</p>")
    with pytest.raises(UnreadableSource, match="It is documentation"):
        kind_of(path, DEFAULT_LIMITS, tmp_path)


@pytest.mark.parametrize(
    "place", ["paper/mills.md", "inst/mills.md", "paper/doc/mills.tex", "guidestar/mills.md"]
)
def test_a_paper_that_lies_in_a_package_is_none(tmp_path: Path, place: str) -> None:
    (tmp_path / "DESCRIPTION").write_text("Package: mills\n")
    path = tmp_path / place
    path.parent.mkdir(parents=True)
    path.write_text("The gauge was read by hand in each of the three years.")
    assert kind_of(path, DEFAULT_LIMITS, tmp_path) in ("markdown", "latex")


def test_a_name_in_capitals_below_a_readme_is_a_notice(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("A program.")
    path = tmp_path / "analysis" / "ARCHITECTURE.md"
    path.parent.mkdir()
    path.write_text("The gauge was read by hand in each of the three years.")
    with pytest.raises(UnreadableSource, match="It is documentation"):
        kind_of(path, DEFAULT_LIMITS, tmp_path)


def test_a_paper_among_analyses_is_an_article(tmp_path: Path) -> None:
    path = tmp_path / "analysis" / "paper.md"
    path.parent.mkdir()
    path.write_text("The gauge was read by hand in each of the three years.")
    assert kind_of(path, DEFAULT_LIMITS, tmp_path) == "markdown"


def test_a_folder_of_guides_that_no_package_holds_may_hold_articles(tmp_path: Path) -> None:
    path = tmp_path / "guides" / "mills.md"
    path.parent.mkdir()
    path.write_text("The gauge was read by hand in each of the three years.")
    assert kind_of(path, DEFAULT_LIMITS, tmp_path) == "markdown"
