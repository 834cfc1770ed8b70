"""Folders of articles: what is read, in which order, and what is said about the rest."""

import gzip
import io
import json
import shutil
import tarfile
from datetime import date
from pathlib import Path

import pytest

from core.errors import InputError
from core.sources.articles.article import Article
from core.sources.articles.metadata import Metadata, read_metadata
from core.sources.articles.read_paths import ReadReport, read_paths
from resources import resource
from tests.paths import ROOT

PROSE = "This is a sentence of an article, and it is long enough to count as a paragraph of prose."


def latex(text: str = PROSE) -> str:
    return f"\\documentclass{{article}}\\begin{{document}}{text}\\end{{document}}"


def pack(members: dict[str, str]) -> bytes:
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w:gz") as archive:
        for name, text in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(text.encode())
            archive.addfile(info, io.BytesIO(text.encode()))
    return raw.getvalue()


def read(folder: Path, **options: object) -> ReadReport:
    return read_paths([folder], **options)  # type: ignore[arg-type]  # keyword pass-through


def ids(report: ReadReport) -> list[str]:
    return [article.id for article in report.articles]


def reasons(report: ReadReport) -> dict[str, str]:
    return {Path(path).name: reason for path, reason in report.skipped}


def record(identifier: str, day: str, categories: str = "cs.CL", versions: int = 1) -> str:
    created = [{"version": f"v{n + 1}", "created": day} for n in range(versions)]
    row = {"id": identifier, "title": "From\n  metadata", "categories": categories}
    return json.dumps({**row, "abstract": "A", "versions": created}) + "\n"


def test_every_kind_is_read_in_the_order_of_names(tmp_path: Path) -> None:
    (tmp_path / "a.tex").write_text(latex("A " + PROSE))
    (tmp_path / "b.tar.gz").write_bytes(pack({"x.tex": latex("B " + PROSE), "fig.png": "no"}))
    (tmp_path / "c.gz").write_bytes(gzip.compress(latex("C " + PROSE).encode()))
    (tmp_path / "d.html").write_text(f"<html><body><p>D {PROSE}</p></body></html>")
    (tmp_path / "e.md").write_text(f"# E\n\nE {PROSE}")
    (tmp_path / "f.txt").write_text(f"F {PROSE}")
    (tmp_path / "g.json").write_text(json.dumps({"title": ["G", "H"], "text": ["G x.", "H x."]}))
    (tmp_path / "i.tar").write_bytes(gzip.decompress(pack({"m.html": f"<html><p>I {PROSE}</p>"})))
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "9901001").write_text(latex("J " + PROSE))
    report = read(tmp_path)
    assert [a.text[:1] for a in report.articles] == list("ABCDEFGHIJ")
    assert report.skipped == ()
    assert report == read(tmp_path)


def test_one_article_in_two_forms_is_read_once_from_the_structured_one(tmp_path: Path) -> None:
    (tmp_path / "physics__x.tex").write_text(latex())
    (tmp_path / "physics__x.txt").write_text(PROSE)
    (tmp_path / "y.md").write_text(PROSE + " y")
    (tmp_path / "y.txt").write_text(PROSE + " y!")
    report = read(tmp_path)
    assert [Path(a.path).name for a in report.articles] == ["physics__x.tex", "y.md"]
    assert "same article as" in reasons(report)["physics__x.txt"]
    assert reasons(report)["y.txt"].endswith("y.md.")


def test_documentation_and_companions_are_named(tmp_path: Path) -> None:
    for name in ("README.md", "SOURCES.md", "USAGE.md", "LICENSE", "x.bib", "x.csv", "CONDUCT.md"):
        (tmp_path / name).write_text("a,b\n" + PROSE)
    report = read(tmp_path)
    assert report.articles == ()
    assert reasons(report)["SOURCES.md"] == "It is documentation, not an article."
    assert reasons(report)["USAGE.md"] == "It is documentation, not an article."
    assert reasons(report)["CONDUCT.md"] == "It is documentation, not an article."
    assert reasons(report)["x.bib"] == "It is an auxiliary file of a LaTeX source, not an article."
    assert reasons(report)["x.csv"] == "Files ending in .csv are not supported."
    assert len(report.skipped) == 7


@pytest.mark.parametrize(
    ("name", "called"),
    [("manuscript.Rmd", "rivers"), ("index.qmd", "rivers"), ("flood.qmd", "flood")],
)
def test_a_source_to_be_knitted_is_called_like_its_article(
    tmp_path: Path, name: str, called: str
) -> None:
    (tmp_path / "rivers").mkdir()
    (tmp_path / "rivers" / name).write_text(PROSE)
    assert [article.id for article in read(tmp_path).articles] == [called]


@pytest.mark.parametrize(
    "name", ["Makefile", "NAMESPACE", "DESCRIPTION", "river.Rd", "requirements.txt"]
)
def test_files_of_a_package_are_no_articles(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("\\name{river}\\title{River}\\description{It rose.}\n" + PROSE)
    report = read(tmp_path)
    assert report.articles == ()
    assert reasons(report)[name] == "It belongs to a program or a package, not an article."


@pytest.mark.parametrize("name", ["sce_multiqc_report.html", "one_fastqc.html", "elsdoc.tex"])
def test_the_report_or_guide_of_a_program_is_no_article(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text(f"<html><body><p>{PROSE}</p></body></html>")
    report = read(tmp_path)
    assert report.articles == ()
    assert reasons(report)[name] == "It belongs to a program or a package, not an article."


def test_the_test_files_of_a_class_for_theses_are_no_articles(tmp_path: Path) -> None:
    (tmp_path / "testfiles").mkdir()
    (tmp_path / "testfiles" / "04-abstract.tex").write_text(latex(PROSE))
    reason = "It belongs to a program or a package, not an article."
    assert reasons(read(tmp_path)) == {"04-abstract.tex": reason}


@pytest.mark.parametrize("folder", ["tests/corpora", "reader/test-data/novels", "src/fixtures"])
def test_what_a_program_keeps_for_its_tests_is_no_article_unless_it_is_chosen(
    tmp_path: Path, folder: str
) -> None:
    (tmp_path / "setup.py").write_text("")
    (tmp_path / "paper").mkdir()
    (tmp_path / "paper" / "paper.md").write_text(f"Gauges. {PROSE}")
    (tmp_path / folder).mkdir(parents=True)
    (tmp_path / folder / "novel.txt").write_text(PROSE)
    report = read(tmp_path)
    assert ids(report) == ["paper"]
    reason = "It belongs to a program or a package, not an article."
    assert reasons(report)["novel.txt"] == reason
    assert ids(read(tmp_path / folder)) == ["novel"]
    both = read_paths([tmp_path, tmp_path / folder])
    assert sorted(ids(both)) == ["novel", "paper"]
    (tmp_path / "setup.py").unlink()
    assert sorted(ids(read(tmp_path))) == ["novel", "paper"]


def test_a_document_of_lyx_is_named_as_such(tmp_path: Path) -> None:
    text = f"\\begin_document\n\\begin_body\n\\begin_layout Standard\n{PROSE}"
    (tmp_path / "thesis.lyx").write_text(f"#LyX 2.1 created this file.\n{text}")
    assert reasons(read(tmp_path)) == {"thesis.lyx": "It is a LyX document. Export it as LaTeX."}


@pytest.mark.parametrize("name", ["User_Manual.md", "user-guide.txt", "UserManual.md"])
def test_a_manual_is_documentation(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text(PROSE)
    assert reasons(read(tmp_path))[name] == "It is documentation, not an article."


def test_what_describes_a_data_set_is_documentation(tmp_path: Path) -> None:
    (tmp_path / "ne_rivers.README.html").write_text(f"<html><body><p>{PROSE}</p></body></html>")
    assert list(reasons(read(tmp_path)).values()) == ["It is documentation, not an article."]


def test_pages_of_a_site_that_documents_a_program_are_documentation(tmp_path: Path) -> None:
    sites = {
        "program/docs/_quarto.yml": "project:\n  type: website\nquartodoc:\n  package: mill\n",
        "package/_pkgdown.yml": "url: https://example.org\n",
        "study/_quarto.yml": "project:\n  type: website\n",
    }
    pages = ("program/docs/guide/terms.qmd", "package/index.md", "study/river.qmd", "package/p.md")
    for name in (*sites, *pages):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(sites.get(name, f"In {name} it is so. {PROSE}"))
    report = read(tmp_path)
    told = {Path(path).name for path, why in report.skipped if "documentation" in why}
    assert told == {"terms.qmd", "index.md"}


@pytest.mark.parametrize(
    ("plan", "page"),
    [
        ("mkdocs.yml", "docs/guide/count.md"), ("docs/make.jl", "docs/src/start/count.md"),
        ("docs/conf.py", "docs/count.md"), ("book.toml", "src/count.md"),
        ("docusaurus.config.js", "docs/intro/count.md"),
    ],
)  # fmt: skip
def test_pages_by_the_plan_of_a_program_are_documentation_and_its_paper_is_not(
    tmp_path: Path, plan: str, page: str
) -> None:
    for name in (plan, page, "paper/paper.md", f"{Path(page).parent}/paper.md"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(f"In {name} it is so. {PROSE}")
    report = read(tmp_path)
    assert [Path(p).name for p, why in report.skipped if "documentation" in why] == ["count.md"]
    assert {Path(article.path).name for article in report.articles} <= {"paper.md"}
    assert report.articles


def test_notices_in_capitals_beside_a_readme_are_documentation(tmp_path: Path) -> None:
    names = ("DATASET.md", "FIELD_WORK.md", "METHODS.md", "SLAM.md", "Rivers.md")
    for name in ("README.md", *names):
        (tmp_path / name).write_text(f"In {name} it is so. {PROSE}")
    report = read(tmp_path)
    told = {Path(path).name for path, why in report.skipped if "documentation" in why}
    assert told == {"README.md", "DATASET.md", "FIELD_WORK.md"}
    (tmp_path / "README.md").unlink()
    assert read(tmp_path).skipped == ()


def test_a_page_among_the_docs_of_a_project_must_have_sections_of_an_article(
    tmp_path: Path,
) -> None:
    pages = {
        "docs/validation-plan.md": PROSE,
        "docs/river.md": f"# Introduction\n\n{PROSE}\n\n# Results\n\nThey rose. {PROSE}",
        "docs/01-start.md": f"First. {PROSE}",
        "docs/manuscript.md": f"Last. {PROSE}",
    }
    for name, text in {"README.md": PROSE, **pages}.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    assert {Path(a.path).name for a in read(tmp_path).articles} == {
        "river.md", "01-start.md", "manuscript.md",
    }  # fmt: skip
    assert len(read(tmp_path / "docs").articles) == len(pages)


@pytest.mark.parametrize("name", ["#nests.tex#", "nests.tex~", "nests.tex.bak1", "nests.md.orig"])
def test_a_backup_copy_is_no_article(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text(latex(PROSE))
    (tmp_path / "nests.tex").write_text(latex(f"Others. {PROSE}"))
    report = read(tmp_path)
    assert ids(report) == ["nests"]
    assert reasons(report)[name] == "It is a backup copy of another file, not an article."


def test_a_folder_of_notes_holds_no_articles_unless_it_is_chosen(tmp_path: Path) -> None:
    notes = tmp_path / "reading_notes" / "2019"
    notes.mkdir(parents=True)
    (notes / "keeper2019.org").write_text(f"* Nests\n\n{PROSE}")
    (tmp_path / "nests.md").write_text(f"Others. {PROSE}")
    report = read(tmp_path)
    assert ids(report) == ["nests"]
    assert list(reasons(report).values()) == ["It contains notes, not an article."]
    assert ids(read(tmp_path / "reading_notes")) == ["keeper2019"]


@pytest.mark.parametrize(
    ("name", "text", "reason"),
    [
        ("talk.Rmd", "---\noutput: ioslides_presentation\n---\n\n", "slides"),
        ("talk.md", "---\nmarp: true\n---\n\n", "slides"),
        ("talk.qmd", "---\nformat:\n  revealjs:\n    theme: dark\n---\n\n", "slides"),
        ("both.qmd", "---\nformat:\n  html: default\n  revealjs: default\n---\n\n", ""),
        ("talk.html", "<html><body><div class='reveal'><p>", "slides"),
        ("count.html", "<html><head><meta name='generator' content='pdoc 12'></head><p>", "docum"),
        ("count.html", "<html><head><link href='genindex.html'></head><body><p>", "docum"),
        ("count.html", "<html><head><meta name='generator' content='pandoc'></head><p>", ""),
    ],
)
def test_slides_and_pages_of_a_program_say_what_they_are(
    tmp_path: Path, name: str, text: str, reason: str
) -> None:
    (tmp_path / name).write_text(text + PROSE)
    report = read(tmp_path)
    assert len(report.articles) == (not reason)
    assert all(reason in why for _, why in report.skipped)


def test_material_of_a_course_and_pages_about_a_paper_are_named(tmp_path: Path) -> None:
    (tmp_path / "lecture3.tex").write_text(latex(PROSE))
    (tmp_path / "week-07.Rmd").write_text(f"Modest. {PROSE}")
    (tmp_path / "index.md").write_text(
        f"# Abstract\n\nWe count. {PROSE}\n\n# BibTeX\n\n```\n@misc{{x,\n}}\n```\n"
    )
    report = read(tmp_path)
    assert reasons(report) == {
        "lecture3.tex": "It is material of a course, not an article.",
        "week-07.Rmd": "It is material of a course, not an article.",
        "index.md": "It is a page about an article, not an article.",
    }


def test_a_guide_to_a_package_of_r_is_documentation_and_a_paper_beside_it_is_not(
    tmp_path: Path,
) -> None:
    for folder in ("vignettes", "paper"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / f"{folder}-river.Rmd").write_text(f"{folder} {PROSE}")
    report = read(tmp_path)
    assert ids(report) == ["paper-river"]
    assert list(reasons(report).values()) == ["It is documentation, not an article."]


@pytest.mark.parametrize("name", ["chap1_sidenotes.txt", "notes.md", "meeting-notes.org"])
def test_notes_are_no_article(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text(PROSE)
    (tmp_path / "keynotes.md").write_text(f"Others. {PROSE}")
    report = read(tmp_path)
    assert ids(report) == ["keynotes"]
    assert list(reasons(report).values()) == ["It contains notes, not an article."]


def test_a_file_of_thanks_is_no_article(tmp_path: Path) -> None:
    (tmp_path / "acknowledgements.md").write_text(PROSE)
    (why,) = reasons(report := read(tmp_path)).values()
    assert report.articles == ()
    assert why == "It contains an article's acknowledgements, not an article."


def test_parts_of_a_latex_project_are_no_articles_and_its_folder_names_it(tmp_path: Path) -> None:
    project = tmp_path / "thesis"
    (project / "parts").mkdir(parents=True)
    (project / "main.tex").write_text(latex("Start. \\input{parts/one}\\input{parts/none}"))
    (project / "parts" / "one.tex").write_text("One. \\input{parts/two}")
    (project / "parts" / "two.tex").write_text("Two.")
    report = read(tmp_path)
    assert ids(report) == ["thesis"]
    assert report.articles[0].text == "Start. One. Two."
    assert list(reasons(report).values()) == [f"It is a part of {project}/main.tex."] * 2
    assert report.notes == (
        (f"{project}/main.tex", "The part parts/none is missing and was left out."),
    )


def test_chapters_that_a_document_leaves_out_are_no_articles(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "main.tex").write_text(latex("Start. \\input{data/one}%\\input{data/old}"))
    for name in ("one", "old"):
        (tmp_path / "data" / f"{name}.tex").write_text(f"{name} {PROSE}")
    (tmp_path / "other.tex").write_text(latex(f"other {PROSE}"))
    report = read(tmp_path)
    assert len(report.articles) == 2
    assert not any("old " in article.text for article in report.articles)
    assert f"neither part of {tmp_path}/main.tex nor a doc" in reasons(report)["old.tex"]


def test_several_latex_articles_in_one_folder_are_all_read(tmp_path: Path) -> None:
    for name in ("cs__a", "math__b", "hep-th__c"):
        (tmp_path / f"{name}.tex").write_text(latex(f"{name} {PROSE}"))
    report = read(tmp_path)
    assert [(a.id, a.domain) for a in report.articles] == [
        ("cs__a", "CS"),
        ("hep-th__c", "Phy"),
        ("math__b", "Math"),
    ]


def test_metadata_beside_the_articles_is_joined_by_identifier(tmp_path: Path) -> None:
    (tmp_path / "2607.01234v2.tar.gz").write_bytes(pack({"m.tex": latex()}))
    (tmp_path / "metadata.jsonl").write_text(
        record("2607.01234", "Fri, 3 Jul 2026 23:59:59 GMT", "q-bio.PE cs.CL", 2)
    )
    report = read(tmp_path, domain="math")
    article = report.articles[0]
    assert (article.id, article.version, article.domain) == ("2607.01234", "v2", "Bio")
    assert article.submitted == date(2026, 7, 3)
    assert article.title == "From metadata"
    assert article.categories == ("q-bio.PE", "cs.CL")
    assert report.skipped == ()


def test_old_identifiers_and_given_metadata_are_joined_too(tmp_path: Path) -> None:
    (tmp_path / "hep-th_9901001.tex").write_text(latex())
    records = {"hep-th/9901001": Metadata("hep-th/9901001", "T", ("hep-th",), date(1999, 1, 2))}
    article = read(tmp_path, metadata=records).articles[0]
    assert (article.id, article.domain, article.submitted) == (
        "hep-th/9901001",
        "Phy",
        date(1999, 1, 2),
    )


def test_the_domain_of_the_name_comes_before_metadata_before_the_argument(tmp_path: Path) -> None:
    (tmp_path / "econ__2607.00001.tex").write_text(latex("1 " + PROSE))
    (tmp_path / "2607.00002.tex").write_text(latex("2 " + PROSE))
    (tmp_path / "other.tex").write_text(latex("3 " + PROSE))
    lines = record("2607.00001", "2026-07-01") + record("2607.00002", "2026-07-01")
    (tmp_path / "meta.jsonl").write_text(lines)
    domains = {a.id: a.domain for a in read(tmp_path, domain="stat").articles}
    assert domains == {"2607.00001": "Econ", "2607.00002": "CS", "other": "Stat"}
    assert read(tmp_path / "other.tex").articles[0].domain == ""


def test_a_window_keeps_its_two_days_and_names_what_is_outside_or_unknown(tmp_path: Path) -> None:
    days = {"2606.00001": "2026-06-30", "2607.00001": "2026-07-01", "2607.00002": "2026-07-31"}
    days["2608.00001"] = "2026-08-01"
    for name in (*days, "undated"):
        (tmp_path / f"{name}.tex").write_text(latex(f"{name} {PROSE}"))
    (tmp_path / "meta.jsonl").write_text("".join(record(i, d) for i, d in days.items()))
    report = read(tmp_path, since=date(2026, 7, 1), until=date(2026, 7, 31))
    assert ids(report) == ["2607.00001", "2607.00002"]
    assert reasons(report) == {
        "2606.00001.tex": "It was submitted on 2026-06-30, before 2026-07-01.",
        "2608.00001.tex": "It was submitted on 2026-08-01, after 2026-07-31.",
        "undated.tex": "Its submission date is unknown. Provide arXiv metadata that has it.",
    }
    assert len(read(tmp_path).articles) == 5


def test_only_the_newest_version_and_only_one_copy_is_kept(tmp_path: Path) -> None:
    (tmp_path / "2607.01234v1.tex").write_text(latex("Old. " + PROSE))
    (tmp_path / "2607.01234v10.tex").write_text(latex("New. " + PROSE))
    (tmp_path / "copy.txt").write_text("New. " + PROSE)
    report = read(tmp_path)
    assert [(a.id, a.version) for a in report.articles] == [("2607.01234", "v10")]
    assert "another version" in reasons(report)["2607.01234v1.tex"]
    assert "same text" in reasons(report)["copy.txt"]


def test_identifiers_are_unique_even_for_equal_names(tmp_path: Path) -> None:
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "text.txt").write_text(f"{folder} {PROSE}")
    assert ids(read(tmp_path)) == ["text", "two/text"]


def test_the_same_path_twice_is_one_article_and_names_may_be_chinese(tmp_path: Path) -> None:
    path = tmp_path / "分散 投资.md"
    path.write_text(f"# 标题\n\n{'分散投资的道理并不复杂。' * 9}", encoding="utf-8")
    report = read_paths([path, tmp_path, path])
    assert ids(report) == ["分散 投资"]


def test_a_path_that_is_missing_and_an_unknown_domain_are_errors_of_the_user(
    tmp_path: Path,
) -> None:
    with pytest.raises(InputError, match=r"Could not open .*/nowhere: "):
        read(tmp_path / "nowhere")
    with pytest.raises(InputError, match=r"no domain astrology\. Available: CS, Q-Fin"):
        read(tmp_path, domain="astrology")
    (tmp_path / "a.txt").write_text(PROSE)
    with pytest.raises(InputError, match="metadata file"):
        read(tmp_path, metadata=tmp_path / "none.jsonl")


def test_an_empty_folder_is_named(tmp_path: Path) -> None:
    assert read(tmp_path).skipped == ((str(tmp_path), "The folder contains no files."),)


def test_progress_counts_up_to_the_number_of_sources(tmp_path: Path) -> None:
    for name in "abc":
        (tmp_path / f"{name}.txt").write_text(f"{name} {PROSE}")
    seen: list[tuple[int, int]] = []
    read(tmp_path, on_progress=lambda done, total: seen.append((done, total)))
    assert seen == [(1, 3), (2, 3), (3, 3)]


def test_a_report_can_be_stored(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(PROSE)
    article = read(tmp_path).articles[0]
    assert Article.from_row(json.loads(json.dumps(article.to_row()))) == article


def test_bad_lines_of_metadata_are_counted_and_good_ones_kept(tmp_path: Path) -> None:
    path = tmp_path / "meta.jsonl"
    path.write_text(
        record("2607.00001", "Wed, 1 Jul 2026 00:00:00 GMT") + "no json\n\n[1]\n"
        '{"id": "2607.00002", "versions": [{"version": "v1", "created": "no day"}]}\n'
    )
    bad: list[int] = []
    records = read_metadata(path, on_bad=bad.append)
    assert bad == [2, 4]
    assert records["2607.00001"].submitted == date(2026, 7, 1)
    assert records["2607.00002"].submitted is None
    assert list(read_metadata(path, ["2607.00002v3"])) == ["2607.00002"]


def test_seven_articles_of_seven_domains_have_paragraphs_long_enough_for_items() -> None:
    report = read_paths([resource("demo")])
    assert report.skipped == ()
    assert {a.domain for a in report.articles} == {
        "CS", "Econ", "Math", "Phy", "Bio", "Q-Fin", "Stat",
    }  # fmt: skip
    assert len(report.articles) == 7
    for article in report.articles:
        prose = [p for p in article.paragraphs if p.kind == "text"]
        chinese = article.domain == "Q-Fin"
        sizes = [len(p.text) if chinese else len(p.text.split()) for p in prose]
        assert article.title
        assert len(prose) >= 10
        assert min(sizes) >= (150 if chinese else 80), article.id
        assert len({p.text.split()[0] for p in prose}) >= len(prose) - 4


DATA = ROOT.parent / "shared" / "data"


@pytest.fixture
def data() -> Path:
    if not (DATA / "articles").is_dir():
        pytest.skip("the example data is not beside the project")
    return DATA


@pytest.mark.shared
def test_seven_articles_are_read_from_their_sources(data: Path) -> None:
    report = read_paths([data / "articles"])
    assert {a.id: a.domain for a in report.articles} == {
        "cs__sympy-paper": "CS",
        "physics__celerite": "Phy",
        "physics__emcee": "Phy",
        "q-bio__deep-review": "Bio",
        "q-bio__plague_growth": "Bio",
        "stat__emcee-joss": "Stat",
        "stat__preCCProbPaper": "Stat",
    }
    assert len(report.skipped) == 8
    assert report.articles[2].title == "emcee: The MCMC Hammer"


@pytest.mark.shared
def test_their_prose_is_readable_and_their_spans_are_right(data: Path) -> None:
    for article in read_paths([data / "articles"]).articles:
        prose = [p for p in article.paragraphs if p.kind == "text"]
        assert sum(len(p.text.split()) for p in prose) > 300, article.id
        for paragraph in article.paragraphs:
            assert article.text[paragraph.start : paragraph.end] == paragraph.text
        outside_maths = " ".join(" ".join(p.text.split("$")[::2]) for p in prose)
        for markup in ("\\cite", "\\label", "\\ref", "\\footnote", "\\begin", "\\emph", "~\\"):
            assert markup not in outside_maths, (article.id, markup)


@pytest.mark.shared
def test_the_plain_texts_alone_give_the_same_seven(data: Path, tmp_path: Path) -> None:
    for path in (data / "articles").glob("*.txt"):
        shutil.copy(path, tmp_path)
    report = read_paths([tmp_path])
    assert len(report.articles) == 7
    for article in report.articles:
        assert sum(p.kind == "text" for p in article.paragraphs) >= 4
        assert len(article.sections) >= 5


@pytest.mark.shared
def test_all_records_of_the_metadata_have_a_day_and_a_domain(data: Path) -> None:
    path = data / "arxiv_metadata" / "arxiv-metadata-oai-snapshot.200.jsonl"
    records = read_metadata(path)
    assert len(records) == 200
    assert all(r.submitted and r.categories and r.title for r in records.values())
    assert records["0704.0001"].submitted is not None
    assert str(records["0704.0001"].submitted) == "2007-04-02"
    assert list(read_metadata(path, ["0704.0003v2"])) == ["0704.0003"]


def test_texts_that_are_no_articles_are_read_where_any_text_is_wanted(tmp_path: Path) -> None:
    for name in ("README.md", "reading-notes.md", "week-03.md"):
        (tmp_path / name).write_text(f"# {name}\n\n{name} has gauges. {PROSE}")
    (tmp_path / "slides.md").write_text(f"# Slides\n\n{PROSE}")
    (tmp_path / "old.md~").write_text(PROSE)
    (tmp_path / "paper.md").write_text(f"# Gauges\n\nGauges. {PROSE}")
    report = read(tmp_path)
    assert [Path(article.path).name for article in report.articles] == ["paper.md"]
    assert report.no_articles == 3
    every = read(tmp_path, any_text=True)
    names = {Path(article.path).name for article in every.articles}
    assert names == {"README.md", "reading-notes.md", "week-03.md", "paper.md"}
    assert sorted(reasons(every)) == ["old.md~", "slides.md"]
    assert every.no_articles == 0


def test_short_rows_of_a_data_set_are_no_articles_but_long_ones_are(tmp_path: Path) -> None:
    short = [f"Answer {n}: {PROSE}" for n in range(5)]
    long = [" ".join(f"Text {n} has line {k} of many." for k in range(99)) for n in range(3)]
    (tmp_path / "answers.json").write_text(json.dumps(short))
    (tmp_path / "papers.json").write_text(json.dumps(long))
    report = read(tmp_path)
    assert [Path(a.path).name for a in report.articles] == ["papers.json"] * 3
    assert reasons(report) == {"answers.json": "It contains rows of a data set, not articles."}
    assert report.no_articles == 1
    assert len(read(tmp_path, any_text=True).articles) == 8


def test_what_latex_packs_beside_an_article_is_none(tmp_path: Path) -> None:
    (tmp_path / "x.synctex.gz").write_bytes(gzip.compress(b"SyncTeX Version:1"))
    assert "auxiliary file" in reasons(read(tmp_path))["x.synctex.gz"]


@pytest.mark.parametrize(
    ("name", "taken"),
    [
        ("GATE_A_V2_FINAL_AUDIT.md", False),
        ("PAPER_REVIEW_2026-08-19.md", False),
        ("RESEARCH_CONTEXT.md", False),
        ("ROUTE_DECISION.md", False),
        ("AUDIT.md", True),
        ("clinical_audit.md", True),
        ("LITERATURE_REVIEW.md", True),
        ("PAPER_FINAL.md", True),
    ],
)
def test_notes_in_capitals_are_no_articles(tmp_path: Path, name: str, taken: bool) -> None:
    (tmp_path / name).write_text(f"# Gauges\n\n{PROSE}", encoding="utf-8")
    assert bool(read(tmp_path).articles) is taken
