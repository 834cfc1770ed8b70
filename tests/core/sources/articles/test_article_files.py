"""What one file gives, and what is said of a file that gives nothing."""

from pathlib import Path

from core.sources.articles.read_paths import read_paths


def test_a_document_of_commands_that_nobody_knows_contains_no_text(tmp_path: Path) -> None:
    for name, command in (("spine", "\\spine"), ("cover", "\\makecover\\label{here}")):
        body = f"\\documentclass{{article}}\\begin{{document}}\n{command}\n\\end{{document}}\n"
        (tmp_path / f"{name}.tex").write_text(body)
    report = read_paths([tmp_path])
    assert report.articles == ()
    assert [reason for _, reason in report.skipped] == ["It contains no text."] * 2
