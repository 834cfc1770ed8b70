"""What the sources of news have in common."""

from datetime import UTC, date, datetime

from core.sources.news.events import NewsFact, Window, first_facts

WINDOW = Window(date(2026, 3, 1), date(2026, 3, 2))


def fact(url: str, title: str, day: int = 1) -> NewsFact:
    """A report that was seen on a day of March."""
    return NewsFact(title=title, url=url, seen=datetime(2026, 3, day, 12, tzinfo=UTC))


def test_the_first_report_of_an_address_counts_and_none_from_outside_the_window():
    found = [
        fact("a", "too late", 3),
        None,
        fact("a", "first"),
        fact("b", "second", 2),
        fact("a", "again"),
        fact("c", "third"),
    ]
    assert [one.title for one in first_facts(found, WINDOW, 2)] == ["first", "second"]
    assert [one.title for one in first_facts(found, WINDOW, 9)] == ["first", "second", "third"]
    assert first_facts(found, WINDOW, -1) == []
