"""The real articles and metadata beside the project."""

import shutil
import time
from pathlib import Path

import pytest

from core.sources.articles.metadata import read_metadata
from core.sources.articles.read_paths import read_paths

DATA = Path(__file__).resolve().parents[4] / "shared" / "data"


@pytest.fixture
def data() -> Path:
    if not (DATA / "articles").is_dir():
        pytest.skip("the example data is not beside the project")
    return DATA


@pytest.mark.shared
def test_seven_articles_are_read_from_their_sources_in_well_under_two_seconds(data: Path) -> None:
    started = time.monotonic()
    report = read_paths([data / "articles"])
    assert time.monotonic() - started < 2
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
        assert sum(len(p.text.split()) for p in prose) > 400, article.id
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
        assert sum(p.kind == "text" for p in article.paragraphs) >= 10
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
