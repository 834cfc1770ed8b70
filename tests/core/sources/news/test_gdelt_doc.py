"""The DOC 2.0 API: right answers or one clear error, and nothing wrong in the cache."""

from datetime import UTC, date, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path

import pytest

from core.errors import InputError, OutsideError
from core.sources.news.events import RefusedQuery, Window
from core.sources.news.gdelt_doc import POLITE_S, GdeltDoc
from tests.servers.gdelt_server import GdeltServer

WINDOW = Window(date(2026, 3, 1), date(2026, 3, 31))


def article(number: int, day: str = "20260310", title: str = "") -> dict:
    return {
        "url": f"https://news.example.org/{number}",
        "url_mobile": "",
        "title": title or f"Ferry {number} returns to Eastby",
        "seendate": f"{day}T101500Z",
        "socialimage": "",
        "domain": "news.example.org",
        "language": "English",
        "sourcecountry": "Norway",
    }


ARTICLES = [article(1), article(2, "20260331"), article(3, "20260401"), article(4, "20260228")]


def ask(server: GdeltServer, query: str = "ferry", limit: int = 10, **more):
    waits: list[float] = []
    more.setdefault("timeout_s", 0.3)
    source = GdeltDoc(server.url, sleep=waits.append, **more)
    try:
        return source.search(query, WINDOW, limit, exact=True), waits
    finally:
        source.close()


def files(folder: Path) -> int:
    return len(list(folder.glob("*.json")))


def test_articles_come_with_title_address_and_day_and_the_window_is_kept():
    with GdeltServer(ARTICLES) as server:
        facts, _ = ask(server)
    assert [fact.url for fact in facts] == [a["url"] for a in ARTICLES[:2]]
    assert facts[0].title == "Ferry 1 returns to Eastby"
    assert facts[1].seen.date() == date(2026, 3, 31)
    assert facts[0].tone is None
    assert server.asked[0]["startdatetime"] == "20260301000000"
    assert server.asked[0]["enddatetime"] == "20260331235959"
    assert (server.asked[0]["mode"], server.asked[0]["format"]) == ("ArtList", "json")


def test_a_name_of_several_words_is_asked_as_a_phrase():
    with GdeltServer(ARTICLES) as server:
        ask(server, 'Ferry "1" (returns)')
    assert server.asked[0]["query"] == '"Ferry 1 returns"'


def test_an_empty_object_means_nothing_was_found(tmp_path: Path):
    with GdeltServer() as server:
        assert ask(server, cache=tmp_path)[0] == []
        assert ask(server, cache=tmp_path)[0] == []
    assert len(server.asked) == 1


@pytest.mark.parametrize("fault", ["429", "503", "500", "limited", "page", "cut", "list", "empty",
                                   "odd", "hang", "null", "xml", "packed"])  # fmt: skip
def test_a_passing_fault_is_waited_out_and_only_the_good_answer_is_kept(fault: str, tmp_path: Path):
    with GdeltServer(ARTICLES, faults=[fault, fault]) as server:
        facts, waits = ask(server, cache=tmp_path)
        assert len(facts) == 2
        assert len(server.asked) == 3
        assert waits == sorted(waits)
        assert ask(server, cache=tmp_path)[0] == facts
        assert len(server.asked) == 3
    assert files(tmp_path) == 1


@pytest.mark.parametrize("fault", ["429", "limited", "page", "cut", "odd", "hang"])
def test_a_lasting_fault_is_one_clear_error_and_nothing_is_kept(fault: str, tmp_path: Path):
    with GdeltServer(ARTICLES, faults=[fault] * 9) as server:
        with pytest.raises(OutsideError, match="gave no usable response"):
            ask(server, cache=tmp_path, retries=2)
        assert len(server.asked) == 3
    assert files(tmp_path) == 0


def test_a_refused_query_is_told_in_the_words_of_the_api(tmp_path: Path):
    with GdeltServer(ARTICLES, faults=["too_short"]) as server:
        with pytest.raises(RefusedQuery, match="phrase is too short"):
            ask(server, "a", cache=tmp_path)
        assert len(server.asked) == 1
    assert files(tmp_path) == 0


def test_the_wait_that_the_server_asks_for_is_kept():
    with GdeltServer(ARTICLES, faults=["429:7"]) as server:
        _, waits = ask(server)
    assert waits == [7.0]


def test_a_wait_until_a_moment_is_kept_and_nonsense_is_not_waited_for():
    moment = format_datetime(datetime.now(UTC) + timedelta(seconds=30), usegmt=True)
    with GdeltServer(ARTICLES, faults=[f"429:{moment}", "429:soon"]) as server:
        _, waits = ask(server)
    assert 25 < waits[0] <= 30
    assert waits[1] < 1


def test_a_mark_at_the_beginning_of_an_answer_is_no_fault():
    with GdeltServer(ARTICLES, faults=["marked"]) as server:
        assert len(ask(server)[0]) == 2
    assert len(server.asked) == 1


def test_titles_with_half_characters_are_kept_and_can_be_written(tmp_path: Path):
    odd = [article(1, title="Ferry \ud83d back\x00 home")]
    with GdeltServer(odd) as server:
        (fact,) = ask(server, cache=tmp_path)[0]
        assert ask(server, cache=tmp_path)[0] == [fact]
    assert fact.title == "Ferry ? back home"
    assert len(server.asked) == 1


def test_requests_keep_the_distance_that_the_api_asks_for():
    with GdeltServer(ARTICLES) as server:
        waits: list[float] = []
        source = GdeltDoc(server.url, interval_s=POLITE_S, sleep=waits.append)
        source.search("ferry", WINDOW, 5)
        source.search("eastby", WINDOW, 5)
        source.close()
    assert len(waits) == 1
    assert 4.0 < waits[0] <= POLITE_S


def test_a_bare_backslash_in_a_title_is_mended():
    with GdeltServer(ARTICLES, faults=["escapes"]) as server:
        facts, _ = ask(server)
    assert facts[0].title == "Fer\\'ry 1 returns to Eastby"


def test_articles_without_title_address_or_day_are_left_out():
    broken = [
        article(5) | {"seendate": "yesterday"},
        article(6) | {"url": "javascript:alert(1)"},
        article(7),
        article(7),
    ]
    with GdeltServer(broken) as server:
        assert [fact.url for fact in ask(server)[0]] == ["https://news.example.org/7"]


def test_another_window_is_another_question(tmp_path: Path):
    with GdeltServer(ARTICLES) as server:
        source = GdeltDoc(server.url, cache=tmp_path)
        assert len(source.search("ferry", WINDOW, 10)) == 2
        assert len(source.search("ferry", Window(date(2026, 4, 1), date(2026, 4, 2)), 10)) == 1
        source.close()
    assert len(server.asked) == 2


def test_a_damaged_cache_file_is_asked_for_again(tmp_path: Path):
    with GdeltServer(ARTICLES) as server:
        facts, _ = ask(server, cache=tmp_path)
        (kept,) = tmp_path.glob("*.json")
        kept.write_text('{"articles": [{"title', encoding="utf-8")
        assert ask(server, cache=tmp_path)[0] == facts
        kept.write_text("[]", encoding="utf-8")
        assert ask(server, cache=tmp_path)[0] == facts


def test_no_network_is_one_clear_error(outside_attempts: list[str]):
    source = GdeltDoc(retries=1, interval_s=0.0, sleep=lambda _: None)
    with pytest.raises(OutsideError, match="gdelt-files"):
        source.search("ferry", WINDOW, 5)
    source.close()
    assert outside_attempts


def test_an_address_that_is_none_is_refused():
    with pytest.raises(InputError, match="is not a server address"):
        GdeltDoc("ftp://news.example.org")


def test_a_window_must_not_end_before_it_begins():
    with pytest.raises(InputError, match="ends before it starts"):
        Window(date(2026, 4, 2), date(2026, 4, 1))
