"""News facts ranked by entities, words and freshness."""

from datetime import UTC, date, datetime, timedelta

from core.rewriting.ranking import rank_facts
from core.sources.news.events import NewsFact, Window

WINDOW = Window(date(2026, 1, 1), date(2026, 12, 31))


def fact(number: int, title: str, day: int = 100, articles: int = 1) -> NewsFact:
    seen = datetime(2026, 1, 1, tzinfo=UTC) + timedelta(days=day)
    return NewsFact(title, f"https://x/{number}", seen, articles=articles)


def test_a_report_on_two_entities_and_the_texts_words_comes_first():
    both = fact(1, "Eastby and Mira Holm open the harbour")
    one = fact(2, "Eastby has rain")
    found = {"Eastby": [one, both], "Mira Holm": [both]}
    ranked = rank_facts(found, "Mira Holm saw the harbour of Eastby", WINDOW, 5)
    assert [r.fact.url for r in ranked] == [both.url, one.url]
    assert ranked[0].entities == ("Eastby", "Mira Holm")


def test_of_equal_reports_the_fresh_one_wins_and_order_of_finding_does_not_matter():
    old, new = fact(1, "Eastby council meets", 1), fact(2, "Storm over Eastby tonight", 300)
    first = rank_facts({"Eastby": [old, new]}, "", WINDOW, 5)
    assert [r.fact for r in first] == [new, old]
    assert rank_facts({"Eastby": [new, old]}, "", WINDOW, 5) == first


def test_the_same_headline_counts_once():
    facts = [fact(n, f"Ferry returns to Eastby after {n} years") for n in range(5)]
    assert len(rank_facts({"Eastby": facts}, "", WINDOW, 5)) == 1
