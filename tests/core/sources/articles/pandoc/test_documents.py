"""Documents of many formats, made by pandoc and read by the program."""

import io
import json
import subprocess
import tarfile
import zipfile
from pathlib import Path

import pytest

from core.sources.articles.article import normalise
from core.sources.articles.pandoc.documents import read_document
from core.sources.articles.pandoc.process import pandoc_command
from core.sources.articles.prose.sifting import sift
from core.sources.articles.read_paths import read_paths

SENTENCE = "The gauge on the northern bank was read by hand for a whole week."
SOURCE = f"""---
title: Readings of a river
---

# Readings

{SENTENCE} It rose to 10^60^ units of CO~2~.^[A note.]

- one thing
- another thing

| a | b |
|---|---|
| 1 | 2 |

# Acknowledgements

Many people helped on the bank.
"""


def written(folder: Path, name: str, writer: str, source: str = SOURCE) -> Path:
    path = folder / name
    command = [pandoc_command(), "-f", "markdown", "-t", writer, "-s", "-o", str(path)]
    subprocess.run(command, input=source.encode(), check=True)
    return path


@pytest.mark.parametrize(
    ("name", "writer"),
    [
        ("river.docx", "docx"),
        ("river.odt", "odt"),
        ("river.epub", "epub"),
        ("river.rst", "rst"),
        ("river.adoc", "asciidoc"),
        ("river.asc", "asciidoc"),
        ("river.org", "org"),
        ("river.typ", "typst"),
        ("river.xml", "jats"),
        ("river.nxml", "jats"),
    ],
)
def test_a_document_gives_its_running_text(tmp_path: Path, name: str, writer: str) -> None:
    report = read_paths([written(tmp_path, name, writer)])
    assert report.skipped == ()
    (article,) = report.articles
    text = [p.text for p in article.paragraphs if p.kind == "text" and "Readings of" not in p.text]
    assert text == [f"{SENTENCE} It rose to 10⁶⁰ units of CO₂."]
    assert article.id == "river"


def test_the_letters_of_referees_behind_an_article_are_no_part_of_it(tmp_path: Path) -> None:
    path = written(tmp_path, "river.xml", "jats")
    letter = (
        '<sub-article article-type="decision-letter"><front-stub/><body><p>Dear Dr Bank, thank you '
        "for your manuscript, which is suitable for publication after minor revisions. Reviewer 1: "
        "specific comments follow.</p></body></sub-article>"
    )
    answer = (
        '<response response-type="reply"><body><p>We thank the reviewers for your manuscript '
        "reports, and have now revised it.</p></body></response>"
    )
    text = path.read_text()
    assert text.count("</article>") == 1
    path.write_text(text.replace("</article>", f"{letter}{letter}{answer}</article>"))
    report = read_paths([path])
    assert report.skipped == ()
    (article,) = report.articles
    assert SENTENCE in article.text
    assert "Dear" not in article.text
    assert "thank the reviewers" not in article.text


def test_a_notebook_gives_its_text_and_not_its_code(tmp_path: Path) -> None:
    source = f"{SENTENCE}\n\nRaised 10^60^ stays out.\n\n``` {{.code}}\nx = 1\n```\n"
    (article,) = read_paths([written(tmp_path, "river.ipynb", "ipynb", source)]).articles
    assert [(p.kind, p.text) for p in article.paragraphs if p.kind == "text"] == [
        ("text", SENTENCE)
    ]


def notebook(folder: Path, kind: str, *cells: str) -> Path:
    path = folder / "river.ipynb"
    made = [{"cell_type": kind, "metadata": {}, "source": cell.splitlines(True)} for cell in cells]
    if kind == "code":
        made = [{**cell, "outputs": [], "execution_count": None} for cell in made]
    path.write_text(json.dumps({"cells": made, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}))
    return path


def test_a_notebook_of_raw_latex_cells_is_read_as_latex(tmp_path: Path) -> None:
    cells = (
        "\\documentclass{article}\\begin{document}\\section{River}",
        f"{SENTENCE} It rose \\cite{{hogg}}.",
        "\\end{document}",
    )
    (article,) = read_paths([notebook(tmp_path, "raw", *cells)]).articles
    assert [p.text for p in article.paragraphs if p.kind == "text"] == [f"{SENTENCE} It rose."]


def test_a_notebook_that_holds_a_page_is_read_as_a_page(tmp_path: Path) -> None:
    page = f"<html><head><title>River</title></head><body><p>{SENTENCE}</p></body></html>"
    (article,) = read_paths([notebook(tmp_path, "markdown", page)]).articles
    assert [p.text for p in article.paragraphs if p.kind == "text"] == [SENTENCE]


def test_a_notebook_of_code_alone_is_refused_as_that(tmp_path: Path) -> None:
    report = read_paths([notebook(tmp_path, "code", "x = 1", "print(x)")])
    assert [reason for _, reason in report.skipped] == ["It contains code, but no text."]


def test_links_of_org_to_literature_and_to_lines_of_code_leave_no_label() -> None:
    source = (
        f"* River\n\n{SENTENCE} It was seen by night [[cite:Nau-85][Nau-85]].\n\n"
        "It is told in line [[(river-ex8)]] of the listing.\n"
    )
    blocks = sift(read_document(source.encode(), "org").blocks).blocks
    assert [(block.kind, block.text) for block in blocks if block.kind != "heading"] == [
        ("text", f"{SENTENCE} It was seen by night."),
        ("doubtful", "It is told in line [ref] of the listing."),
    ]


def test_archives_of_documents_give_an_article_each(tmp_path: Path) -> None:
    written(tmp_path, "one.docx", "docx")
    written(tmp_path, "two.org", "org", SOURCE.replace("northern", "southern"))
    with zipfile.ZipFile(tmp_path / "both.zip", "w") as archive:
        archive.write(tmp_path / "one.docx", "papers/one.docx")
        archive.write(tmp_path / "two.org", "papers/two.org")
    with tarfile.open(tmp_path / "tape.tar.gz", "w:gz") as tape:
        tape.add(tmp_path / "one.docx", "one.docx")
    assert [a.id for a in read_paths([tmp_path / "both.zip"]).articles] == ["one", "two"]
    assert [a.id for a in read_paths([tmp_path / "tape.tar.gz"]).articles] == ["one"]


def test_a_zip_of_a_latex_project_is_one_article(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "paper.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(
            "paper/main.tex",
            f"\\documentclass{{article}}\\begin{{document}}{SENTENCE} \\input{{part}}"
            "\\end{document}",
        )
        archive.writestr("paper/part.tex", "It rose.")
        archive.writestr("../outside.tex", "No.")
    report = read_paths([tmp_path / "paper.zip"])
    assert report.articles[0].text == f"{SENTENCE} It rose."
    assert "outside.tex" in report.notes[0][1]


def test_a_zip_that_unpacks_to_too_much_is_refused(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "bomb.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("main.tex", b"a" * (30 * 2**20))
    report = read_paths([tmp_path / "bomb.zip"])
    assert not report.articles
    assert "too much for one article" in report.skipped[0][1]


@pytest.mark.parametrize("damage", [b"", b"PK\x03\x04 and no more", b"not a document at all"])
def test_a_damaged_document_is_named(tmp_path: Path, damage: bytes) -> None:
    (tmp_path / "broken.docx").write_bytes(damage)
    report = read_paths([tmp_path])
    assert not report.articles
    assert len(report.skipped) == 1


@pytest.mark.parametrize(
    ("name", "source", "kind"),
    [
        ("paper.docx", b"PK\x03\x04 and no more", "Word"),
        ("paper.nxml", b'<article article-type="research"><body><p>It rains', "JATS"),
        ("paper.epub", b"PK\x03\x04 and no more", "EPUB"),
    ],
)
def test_a_document_that_was_cut_off_is_refused_in_our_words(
    tmp_path: Path, name: str, source: bytes, kind: str
) -> None:
    (tmp_path / name).write_bytes(source)
    ((_, reason),) = read_paths([tmp_path / name]).skipped
    assert reason in (f"It is damaged, or its format is not {kind}.", "The ZIP is damaged.")


def test_an_encrypted_zip_is_refused(tmp_path: Path) -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("main.tex", "x")
    data = bytearray(buffer.getvalue())
    data[6] |= 1
    (tmp_path / "secret.zip").write_bytes(data)
    assert "encrypted ZIP" in read_paths([tmp_path]).skipped[0][1]


@pytest.mark.parametrize("role", [":eq:`phihat`", ":ref:`gauges`", ":cite:t:`hogg`"])
def test_a_role_of_rst_that_names_a_label_makes_its_paragraph_doubtful(role: str) -> None:
    source = f"Gauges\n======\n\n{SENTENCE}\n\nIt follows from Equation {role} and holds.\n"
    blocks = sift(read_document(source.encode(), "rst").blocks).blocks
    assert [block.kind for block in blocks if block.kind != "heading"] == ["text", "doubtful"]


def test_a_role_of_rst_that_names_a_thing_reads_as_it() -> None:
    source = (
        "Gauges\n======\n\nThe class :class:`~rain.Gauge` is read -- by :func:`read <x.read>`.\n"
    )
    blocks = read_document(source.encode(), "rst").blocks
    assert normalise(blocks[-1].text) == "The class Gauge is read – by read."


TYPST = """#import "template.typ": article, remark
#import "@preview/chem:0.3.0": ce
#let tool = "gauge-reader"
#let water = ce("H2O")
#show: article.with(
  title: "Readings [of] a river",
  abstract: [The bank of the #emph[river] is wet for a whole week in each year.],
)
#set text(size: 10pt)
#show heading.where(level: 1): it => block(above: 1em)[#it.body]

= Readings

The #tool on the northern bank was read by hand for a whole week.#cite(<hogg>) It rose. // often
#include "more.typ"

The value of $x in [0, alpha)$ is as large as #water is here for the rest of the day.

#figure(image("a.png"), caption: [A picture of the bank.]) <fig>

Nobody knew why, as @fig shows to whoever sees the river rise in the night.

#remark[A remark on the river stands in a box of its own, and it is text.]

The rule $f(x, q: [a #times b])$ is more than pandoc reads, and its paragraph goes alone.

The unit of $eV$ is unknown to anybody who reads the gauge of the river.
"""


def test_a_typst_article_with_a_template_and_parts_is_read_by_its_markup(tmp_path: Path) -> None:
    (tmp_path / "paper.typ").write_text(TYPST, encoding="utf-8")
    (tmp_path / "more.typ").write_text("#let odd = 3\nIt fell in the week after that.\n")
    report = read_paths([tmp_path / "paper.typ"])
    assert report.articles, report.skipped
    texts = [(p.kind, p.text) for p in report.articles[0].paragraphs if p.kind != "heading"]
    assert texts[:3] == [
        ("text", "The bank of the river is wet for a whole week in each year."),
        ("text", "The gauge-reader on the northern bank was read by hand for a whole week. "
                 "It rose."),
        ("text", "It fell in the week after that."),
    ]  # fmt: skip
    assert [kind for kind, text in texts if "as large as" in text] == ["doubtful"]
    assert [kind for kind, text in texts if "Nobody knew" in text] == ["doubtful"]
    assert [kind for kind, text in texts if "unit of" in text] == ["doubtful"]
    assert not any("goes alone" in text and kind == "text" for kind, text in texts)
    assert ("text", "A remark on the river stands in a box of its own, and it is text.") in texts


def test_a_typst_part_may_be_included_between_parentheses(tmp_path: Path) -> None:
    (tmp_path / "paper.typ").write_text(f'#set document(title: "R")\n#include("a.typ")\n{SENTENCE}')
    (tmp_path / "a.typ").write_text("It fell in the week after that.\n")
    report = read_paths([tmp_path])
    (article,) = report.articles
    assert [p.text for p in article.paragraphs] == ["It fell in the week after that.", SENTENCE]
    assert [Path(path).name for path, _ in report.skipped] == ["a.typ"]


def test_what_an_org_document_includes_is_part_of_it(tmp_path: Path) -> None:
    folder = tmp_path / "paper"
    folder.mkdir()
    (folder / "setup.org").write_text("#+OPTIONS: toc:nil\n#+LATEX_HEADER: \\usepackage{x}\n")
    (folder / "week.org").write_text("* The week\n\nIt fell in the week after that.\n")
    (folder / "code.py").write_text("print(1)\n")
    (tmp_path / "secret.org").write_text("The secret is a long sentence that nobody may read.")
    paper = folder / "paper.org"
    paper.write_text(
        "#+TITLE: Readings\n#+INCLUDE: setup.org\n\n"
        f'{SENTENCE}\n\n#+include: "week.org" :minlevel 1\n#+INCLUDE: "code.py" src python\n'
        "#+INCLUDE: week.org :lines 1-2\n#+INCLUDE: ../secret.org\n#+INCLUDE: /etc/passwd\n"
        "#+INCLUDE: missing.org\n"
    )
    report = read_paths([folder])
    (article,) = report.articles
    texts = [p.text for p in article.paragraphs if p.kind == "text"]
    assert texts == [SENTENCE, "It fell in the week after that."]
    named = {Path(path).name: reason for path, reason in report.skipped}
    assert named["week.org"] == f"It is a part of {paper}."


def test_a_typst_part_outside_its_folder_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "secret.typ").write_text("The secret is a long sentence that nobody may read.")
    folder = tmp_path / "paper"
    folder.mkdir()
    (folder / "paper.typ").write_text(
        f'#include "../secret.typ"\n#include "/etc/passwd"\n#read("/etc/passwd")\n{SENTENCE}\n'
    )
    report = read_paths([folder / "paper.typ"])
    assert [p.text for p in report.articles[0].paragraphs] == [SENTENCE]


def test_the_styles_of_a_word_processor_say_what_a_paragraph_is(tmp_path: Path) -> None:
    styles = {
        "MDPI_1.2_title": "Readings of a river",
        "MDPI_2.1_heading1": "Results",
        "MDPI_3.1_text": f"{SENTENCE} It rose.",
        "MDPI_5.1_figure_caption": f"{SENTENCE} It is shown in blue.",
        "MDPI_6.2_back_matter": f"{SENTENCE} It was paid for.",
        "Bibliography": f"{SENTENCE} In a book.",
    }
    parts = (f'::: {{custom-style="{name}"}}\n{text}\n:::\n' for name, text in styles.items())
    written(tmp_path, "river.docx", "docx", "\n".join(parts))
    (read,) = read_paths([tmp_path]).articles
    assert read.title == "Readings of a river"
    assert [p.kind for p in read.paragraphs] == [
        "heading", "text", "caption", "back_matter", "reference",
    ]  # fmt: skip


def test_a_line_of_chinese_that_goes_on_leaves_no_space_in_a_document() -> None:
    draft = read_document("近些\n年来兴起的方法。\n".encode(), "rst")
    assert [block.text for block in draft.blocks] == ["近些年来兴起的方法。"]


def test_bold_lines_are_headings_where_a_word_processor_has_no_style_for_them(
    tmp_path: Path,
) -> None:
    source = f"""# Author

A. Keeper

# Keywords

mills, rivers

**Introduction**

**The bank**

{SENTENCE} It rose.

***The mills***

{SENTENCE} It fell.

**Acknowledgements**

{SENTENCE} It was paid for.
"""
    (read,) = read_paths([written(tmp_path, "river.docx", "docx", source)]).articles
    kinds = [(p.kind, p.text[:12]) for p in read.paragraphs]
    assert kinds[-8:] == [
        ("back_matter", "mills, river"), ("heading", "Introduction"), ("heading", "The bank"),
        ("text", SENTENCE[:12]), ("heading", "The mills"), ("text", SENTENCE[:12]),
        ("heading", "Acknowledgem"), ("back_matter", SENTENCE[:12]),
    ]  # fmt: skip


def test_commands_of_a_journal_that_pandoc_cannot_take_leave_the_text_of_an_org_file() -> None:
    source = """:frontmatter:
\\title[Short]{A title
\\author[\\first ]{\\All}
:end:
* Counting

The keeper of the mill counted the nests of the northern bank by hand.
"""
    draft = read_document(source.encode(), "org")
    assert draft.title == "Counting"
    assert [block.text[:22] for block in draft.blocks] == ["The keeper of the mill"]


def test_titles_of_asciidoc_with_a_line_below_them_are_headings_and_other_lines_are_not() -> None:
    source = f"""Gauges
======
The Keeper

The bank
--------
{SENTENCE}

[source,scala]
----
def code = 1
----

Readings
~~~~~~~~
.A listing
-----
more code
-----

{SENTENCE.replace("northern", "southern")}
"""
    found = read_document(source.encode(), "asciidoc")
    told = [(b.kind, b.level) for b in found.blocks if b.text in ("The bank", "Readings")]
    assert found.title == "Gauges"
    assert [kind for kind, _ in told] == ["heading", "heading"]
    assert told[0][1] < told[1][1]
    texts = [b.text for b in found.blocks if b.kind == "text"]
    assert SENTENCE in texts
    assert not any("code" in text or "===" in text or "---" in text for text in texts)


def test_a_signature_and_pages_of_a_manual_are_no_articles_in_asciidoc(tmp_path: Path) -> None:
    (tmp_path / "key.asc").write_text("-----BEGIN PGP SIGNATURE-----\n\niQIz\n=abcd\n")
    pages = tmp_path / "modules" / "ROOT" / "pages"
    pages.mkdir(parents=True)
    (pages / "gauges.adoc").write_text(f"= Gauges\n\n{SENTENCE}\n")
    (tmp_path / "river.adoc").write_text(f"= River\n\n== Readings\n\n{SENTENCE}\n")
    report = read_paths([tmp_path])
    assert [article.title for article in report.articles] == ["River"]
    reasons = {Path(path).name: reason for path, reason in report.skipped}
    assert reasons["key.asc"] == "Files ending in .asc are not supported."
    assert reasons["gauges.adoc"] == "It is documentation, not an article."
