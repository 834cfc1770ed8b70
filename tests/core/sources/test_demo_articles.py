"""The demonstration articles are fit for items."""

from core.sources.articles.read_paths import read_paths
from resources import resource


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
