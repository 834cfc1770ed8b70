"""Which files are parts of another one, and where a document finds its own."""

from pathlib import Path

from core.sources.articles.read_paths import read_paths

PROSE = "This is a sentence of an article, and it is long enough to count as a paragraph of prose."
OTHER = "The last part of it stands in a folder of its own, as the chapters of many theses do."


def whole(text: str) -> str:
    return f"\\documentclass{{article}}\\begin{{document}}{text}\\end{{document}}"


def written(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def reasons(skipped: tuple[tuple[str, str], ...]) -> dict[str, str]:
    return {Path(path).name: reason for path, reason in skipped}


def test_a_file_that_hands_a_document_on_does_not_hide_it(tmp_path: Path) -> None:
    main = written(tmp_path / "main.tex", whole("\\include{c-intro}"))
    written(tmp_path / "c-intro.tex", f"{PROSE}\n\n{OTHER}")
    written(tmp_path / "final.tex", "\\PassOptionsToClass{final}{book}\n\\input main\n\\endinput\n")
    report = read_paths([tmp_path])
    assert [article.path for article in report.articles] == [str(main)]
    assert reasons(report.skipped) == {
        "c-intro.tex": f"It is a part of {main}.",
        "final.tex": f"It is neither part of {main} nor a document.",
    }


def test_parts_above_a_document_are_read_within_the_folder_that_was_chosen(tmp_path: Path) -> None:
    chosen = tmp_path / "thesis"
    main = written(chosen / "build" / "main.tex", whole("\\input{../chapters/one}"))
    written(chosen / "chapters" / "one.tex", f"{PROSE}\n\n\\input{{../chapters/more/two}}")
    written(chosen / "chapters" / "more" / "two.tex", OTHER)
    report = read_paths([chosen])
    (article,) = report.articles
    assert [p.text for p in article.paragraphs] == [PROSE, OTHER]
    assert reasons(report.skipped) == dict.fromkeys(
        ("one.tex", "two.tex"), f"It is a part of {main}."
    )
    assert report.notes == ()


def test_nothing_above_the_chosen_folder_is_read(tmp_path: Path) -> None:
    written(tmp_path / "secret.tex", "The secret is a long sentence that nobody may read at all.")
    main = written(
        tmp_path / "thesis" / "main.tex",
        whole(f"{PROSE}\n\n\\input{{../secret}}\n\n\\input{{a/../../secret}}"),
    )
    (tmp_path / "thesis" / "a").mkdir()
    (tmp_path / "thesis" / "linked.tex").symlink_to(tmp_path / "secret.tex")
    for chosen in (tmp_path / "thesis", main):
        report = read_paths([chosen])
        assert [p.text for p in report.articles[0].paragraphs] == [PROSE]
        assert "lies outside the source's folder" in report.notes[0][1]
