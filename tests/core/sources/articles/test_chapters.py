"""Chapters of one manuscript in files of their own are one article."""

from pathlib import Path

import pytest

from core.generation.article_items import generate_from_article
from core.generation.spec import ScpSpec
from core.sources.articles.chapters import chapters_of
from core.sources.articles.read_paths import read_paths
from tests.core.generation.conftest import sentence


def prose(paragraphs: int, first: int = 0) -> str:
    numbers = range(first, first + paragraphs)
    return "\n\n".join(" ".join(sentence(7 * n + k) for k in range(7)) for n in numbers)


MANUBOT = {
    "00.front-matter.md": "We thank nobody here, and these are the authors of it.",
    "01.abstract.md": "## Abstract\n\nThe river rose in the spring of that year.",
    "02.introduction.md": "## Introduction\n\n" + prose(8),
    "03.results.md": "## Results\n\nThe mills were flooded.\n\n### Mills\n\nAll of them were old.",
}


def written(folder: Path, files: dict[str, str]) -> Path:
    folder.mkdir(parents=True)
    for name, text in files.items():
        (folder / name).write_text(text)
    return folder


def test_the_chapters_of_manubot_are_one_article_in_their_order(tmp_path: Path) -> None:
    room = written(tmp_path / "flood" / "content", MANUBOT)
    (room / "metadata.yaml").write_text("---\ntitle: 'When the river rose'\nkeywords: [x]\n")
    report = read_paths([tmp_path])
    (article,) = report.articles
    assert (article.id, article.title) == ("flood", "When the river rose")
    heads = [p.text for p in article.paragraphs if p.kind == "heading"]
    assert heads == ["front matter", "abstract", "Abstract", "introduction", "Introduction",
                     "results", "Results", "Mills"]  # fmt: skip
    assert all(article.text[p.start : p.end] == p.text for p in article.paragraphs)
    named = {Path(path).name: reason for path, reason in report.skipped}
    assert named["03.results.md"] == f"It is a part of {room / '00.front-matter.md'}."
    items = generate_from_article(article, ScpSpec(formats=("sequencing",), per_article=1)).items
    assert [item.provenance["article"] for item in items] == ["flood"]


@pytest.mark.parametrize("plan", ["_quarto.yml", "_bookdown.yml"])
def test_a_book_has_the_order_of_its_plan(tmp_path: Path, plan: str) -> None:
    files = {f"{name}.qmd": f"# {name.title()}\n\nThe {name} is told here." for name in "cab"}
    room = written(tmp_path / "mills", {**files, "mill.qmd": "Nothing of the book."})
    (room / plan).write_text("book:\n  title: Mills\n  chapters:\n    - c.qmd\n    - b.qmd\n")
    found = {article.id: article for article in read_paths([tmp_path]).articles}
    assert set(found) == {"mills", "a", "mill"}
    assert [s.title for s in found["mills"].sections] == ["C", "B"]
    assert found["mills"].title == "Mills"


@pytest.mark.parametrize(
    ("plan", "contents", "titled"),
    [
        (
            "_toc.yml",
            "format: jb-book\nroot: intro\nparts:\n- caption: All\n  chapters:\n"
            "  - file: parts/wheels\n    sections:\n    - file: parts/dams.md\n",
            "_config.yml",
        ),
        ("_toc.yml", "- file: intro\n- file: parts/wheels\n- file: parts/dams\n", "_config.yml"),
        (
            "myst.yml",
            "version: 1\nproject:\n  title: Mills\n  toc:\n    - file: intro.md\n"
            "    - title: More\n      children:\n        - file: parts/wheels.md\n"
            "        - file: 'parts/dams.md'\n",
            "",
        ),
    ],
)
def test_the_pages_of_a_jupyter_book_are_one_article(
    tmp_path: Path, plan: str, contents: str, titled: str
) -> None:
    book = written(tmp_path / "mills", {"intro.md": "# Intro\n\n" + prose(2)})
    (book / plan).write_text(contents)
    if titled:
        (book / titled).write_text("title: Mills\nauthor: nobody\n")
    parts = {"dams.md": "# Dams\n\n" + prose(3, 20), "wheels.md": "# Wheels\n\n" + prose(4, 40)}
    written(book / "parts", {**parts, "other.md": "# Other\n\n" + prose(5, 60)})
    report = read_paths([tmp_path])
    found = {article.id: article for article in report.articles}
    assert set(found) == {"mills", "other"}
    assert found["mills"].title == "Mills"
    assert [s.title for s in found["mills"].sections if s.level == 1] == ["Intro", "Wheels", "Dams"]
    named = {Path(path).name: reason for path, reason in report.skipped}
    assert named["dams.md"] == named["wheels.md"] == f"It is a part of {book / 'intro.md'}."


def test_pages_of_one_title_are_one_work(tmp_path: Path) -> None:
    book = written(
        tmp_path / "mills",
        {
            f"{name}.html": f"<html><body><h1>Mills of a river</h1><h2>{name.title()}</h2>"
            f"<p>{prose(1, number)}</p></body></html>"
            for number, name in enumerate(("dams", "grain", "wheels"))
        },
    )
    (book / "other.html").write_text(f"<html><h1>Dams</h1><p>{prose(1, 9)}</p></html>")
    report = read_paths([tmp_path])
    found = {article.title: article for article in report.articles}
    assert set(found) == {"Mills of a river", "Dams"}
    assert found["Mills of a river"].id == "mills"
    texts = [p.text for p in found["Mills of a river"].paragraphs if p.kind == "text"]
    assert texts == [prose(1, number) for number in range(3)]
    named = {Path(path).name: reason for path, reason in report.skipped}
    assert named == dict.fromkeys(
        ("grain.html", "wheels.html"), f"It is a part of {book / 'dams.html'}."
    )


def test_two_pages_of_one_title_are_two(tmp_path: Path) -> None:
    for number, name in enumerate("ab"):
        page = f"<html><h1>Mills</h1><p>{prose(1, number)}</p></html>"
        (tmp_path / f"{name}.html").write_text(page)
    assert len(read_paths([tmp_path]).articles) == 2


def test_a_chapter_that_is_a_preface_gives_no_items(tmp_path: Path) -> None:
    book = written(tmp_path / "mills", {"preface.md": "# Mills\n\n" + prose(2)})
    written(book / "a", {"wheels.md": "# Wheels\n\n" + prose(2, 20)})
    (book / "_toc.yml").write_text("root: preface\nchapters:\n- file: a/wheels\n")
    (article,) = read_paths([tmp_path]).articles
    kinds = [p.kind for p in article.paragraphs if p.kind != "heading"]
    assert kinds == ["back_matter"] * 2 + ["text"] * 2


def test_numbered_files_without_a_plan_and_a_plan_without_chapters_join_nothing(
    tmp_path: Path,
) -> None:
    written(tmp_path / "posts", MANUBOT)
    room = written(
        tmp_path / "site", {"one.qmd": "The one is short.", "two.qmd": "So is the other."}
    )
    (room / "_quarto.yml").write_text("project:\n  type: website\n")
    articles = read_paths([tmp_path]).articles
    assert len(articles) == 6
    assert chapters_of(articles) == []


@pytest.mark.parametrize("copy", ["02.introduction-copy.md", "02.introduction copy.md"])
def test_the_copy_of_a_chapter_is_no_chapter(tmp_path: Path, copy: str) -> None:
    changed = MANUBOT["02.introduction.md"].replace("## Introduction", "## The introduction")
    room = written(tmp_path / "flood" / "content", {**MANUBOT, copy: changed})
    (room / "metadata.yaml").write_text("---\ntitle: 'When the river rose'\n")
    report = read_paths([tmp_path])
    (article,) = report.articles
    heads = [p.text for p in article.paragraphs if p.kind == "heading"]
    assert len([head for head in heads if "ntroduction" in head]) == 2
    texts = [p.text for p in article.paragraphs if p.kind == "text" and len(p.text) > 200]
    assert len(texts) == len(set(texts))
    named = {Path(path).name: reason for path, reason in report.skipped}
    assert named[copy] == f"It is a draft of {room / '02.introduction.md'}."


LATEX = {
    "abstract.tex": "\\chapter*{Abstract}\n\nThe river rose in the spring of that year.",
    "chapters/01-intro.tex": "\\chapter{Introduction}\n\n" + prose(2),
    "chapters/02-results.tex": "\\chapter{Results}\n\nThe mills were flooded, and all were old.",
    "appendices/A-proofs.tex": "\\chapter{Proofs}\n\nThe proof of it stands in the mill.",
    "letter.tex": "The keeper of the mill wrote of the flood to his brother in the town.",
}
TYPST = {
    "chapters/01-intro.typ": "= Introduction\n\nThe river rose in the spring of that year.",
    "chapters/02-results.typ": "= Results\n\nThe mills were flooded, and all of them were old.",
}


def in_folders(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


@pytest.mark.parametrize("files", [LATEX, TYPST], ids=["latex", "typst"])
def test_chapters_whose_main_file_is_missing_are_one_article(
    tmp_path: Path, files: dict[str, str]
) -> None:
    report = read_paths([in_folders(tmp_path / "thesis", files)])
    found = {article.id: article for article in report.articles}
    assert set(found) == {"thesis"} | ({"letter"} & {Path(name).stem for name in files})
    titles = [section.title for section in found["thesis"].sections]
    assert titles[-2:] == ["Introduction", "Results"] or "Proofs" in titles
    parts = [path for path, why in report.skipped if "part of" in why]
    assert len(parts) == len([name for name in files if name != "letter.tex"]) - 1


def test_articles_beside_each_other_that_stand_alone_are_no_chapters(tmp_path: Path) -> None:
    body = "\\documentclass{article}\\begin{document}%s\\end{document}"
    files = {
        f"{name}.tex": body % f"The {name} of the mill is told." for name in ("intro", "method")
    }
    assert len(read_paths([in_folders(tmp_path / "papers", files)]).articles) == 2


TYPST_WITH_A_MAIN_FILE = {
    "paper.typ": (
        '#import "/lib/acmart/template.typ"\n#show: template.acmart.with(\n  title: [Old mills],\n'
        '  abstract: include "sections/abstract.typ",\n)\n\n#include "/sections/introduction.typ"\n'
        '// #include "/sections/dropped.typ"\n'
    ),
    "sections/abstract.typ": "The river rose in the spring of that year.",
    "sections/introduction.typ": (
        '= Introduction\n\nThe mills were flooded.\n\n#include "/sections/mills/first.typ"\n'
    ),
    "sections/mills/first.typ": "The first of the mills was old.",
    "sections/dropped.typ": "= Dropped\n\nNobody wanted\n\nthe keeper's words in the paper.",
    "other.typ": "= Letters of the miller\n\nThe keeper of the mill wrote of the flood.",
}


def test_what_a_typst_document_includes_is_a_part_of_it(tmp_path: Path) -> None:
    folder = in_folders(tmp_path / "mills", TYPST_WITH_A_MAIN_FILE)
    report = read_paths([folder])
    assert {Path(article.path).name for article in report.articles} == {"paper.typ", "other.typ"}
    (paper,) = (article for article in report.articles if article.path.endswith("paper.typ"))
    text = " ".join(paragraph.text for paragraph in paper.paragraphs)
    for told in ("rose in the spring", "mills were flooded", "first of the mills"):
        assert told in text
    assert "keeper" not in text
    part, no_part = (
        f"It is a part of {folder / 'paper.typ'}.",
        f"It is neither part of {folder / 'paper.typ'} nor a document.",
    )
    assert {Path(path).name: why for path, why in report.skipped} == {
        "abstract.typ": part,
        "introduction.typ": part,
        "first.typ": part,
        "dropped.typ": no_part,
    }
