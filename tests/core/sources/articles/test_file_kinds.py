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
    ],
)
def test_logs_comments_and_transcripts_hold_notes(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_text("The gauge was read by hand in each of the three years.")
    with pytest.raises(UnreadableSource, match="It contains notes"):
        kind_of(path, DEFAULT_LIMITS)


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
