"""Where the parts of a document are looked for."""

from pathlib import Path

from core.sources.articles.read_paths import read_paths

PROSE = "This is a sentence of an article, and it is long enough to count as a paragraph of prose."


def whole(text: str) -> str:
    return f"\\documentclass{{article}}\\begin{{document}}{text}\\end{{document}}"


def test_parts_are_named_from_the_folder_that_a_document_is_compiled_in(tmp_path: Path) -> None:
    folder = tmp_path / "manuscript"
    (folder / "sections").mkdir(parents=True)
    (folder / "main.tex").write_text(
        whole("\\input{manuscript/sections/intro}\n\n\\input{manuscript/end}\n\n\\input{a/rest}")
    )
    (folder / "sections" / "intro.tex").write_text(PROSE)
    (folder / "end.tex").write_text("The last part of it stands beside the document itself here.")
    (folder / "a").mkdir()
    (folder / "a" / "rest.tex").write_text("This part is where its name says that it can be found.")
    (folder / "rest.tex").write_text(whole("A document of its own is no part of the other one."))
    report = read_paths([tmp_path])
    assert [article.id for article in report.articles] == ["manuscript", "rest"]
    assert [p.text for p in report.articles[0].paragraphs] == [
        PROSE,
        "The last part of it stands beside the document itself here.",
        "This part is where its name says that it can be found.",
    ]
    assert {Path(path).name for path, _ in report.skipped} == {"end.tex", "intro.tex"} | {
        "rest.tex"
    }
