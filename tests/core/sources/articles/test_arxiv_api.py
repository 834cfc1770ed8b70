"""Fetching from the arXiv API, against a server on loopback that also fails."""

import gzip
import json
import threading
from collections.abc import Iterator
from datetime import date
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlparse

import pytest

from core.cli import main
from core.errors import InputError, OutsideError
from core.sources.articles.arxiv_api import FetchQuery, FetchReport, fetch
from core.sources.articles.read_paths import read_paths
from core.sources.limits import Limits
from core.sources.rate_limited_client import RateLimits

QUERY = FetchQuery("cs.CL", date(2026, 7, 1), date(2026, 7, 31))
SOURCE = gzip.compress(
    b"\\documentclass{article}\\begin{document}A sentence long enough.\\end{document}"
)
ENTRY = """<entry><id>http://arxiv.org/abs/{id}</id><updated>2026-07-{day:02}T10:00:00Z</updated>
<published>2026-07-{day:02}T09:00:00Z</published><title>Paper
 {day}</title><summary>About.</summary><author><name>N</name></author>
<arxiv:primary_category xmlns:arxiv="http://arxiv.org/schemas/atom" term="cs.CL"/>
<category term="cs.CL"/><category term="stat.ML"/></entry>"""
FEED = """<?xml version="1.0"?><feed xmlns="http://www.w3.org/2005/Atom"
 xmlns:opensearch="http://a9.com/-/spec/opensearch/1.1/">
<opensearch:totalResults>{total}</opensearch:totalResults>{entries}</feed>"""


RECORD = (
    b'<?xml version="1.0"?><OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/"><GetRecord><record>'
    b"<license>http://creativecommons.org/licenses/by/4.0/</license></record></GetRecord></OAI-PMH>"
)
PAGE = (
    b"<!DOCTYPE html><html><body><p class='ltx_p'>A sentence long enough for a page.</p>"
    b"</body></html>"
)


class ArxivServer(ThreadingHTTPServer):
    """Answers as arXiv does; ``plan`` holds failures, each used once, by the start of a path."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.ids = [f"2607.0000{n}v1" for n in range(1, 4)]
        self.plan: dict[str, list[Any]] = {}
        self.asked: list[str] = []
        self.always: dict[str, Any] = {}
        self.pages: dict[str, bytes] = {}

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class Handler(BaseHTTPRequestHandler):
    server: ArxivServer

    def log_message(self, *_: object) -> None:
        """Quiet."""

    def do_GET(self) -> None:
        path = urlparse(self.path).path
        self.server.asked.append(path)
        for start, failure in self.server.always.items():
            if path.startswith(start):
                return self.fail(failure)
        for start, failures in self.server.plan.items():
            if path.startswith(start) and failures:
                return self.fail(failures.pop(0))
        if path in self.server.pages:
            return self.send(200, self.server.pages[path], {})
        if path == "/oai2":
            return self.send(200, RECORD, {"content-type": "text/xml"})
        if path.startswith("/html/"):
            return self.fail((404, {}))
        if path == "/api/query":
            return self.send(200, self.feed().encode(), {"content-type": "application/atom+xml"})
        return self.send(200, SOURCE, {"content-type": "application/gzip"})

    def feed(self) -> str:
        asked = parse_qs(urlparse(self.path).query)
        start, most = int(asked["start"][0]), int(asked["max_results"][0])
        ids = self.server.ids[start : start + min(most, 2)]
        entries = "".join(ENTRY.format(id=i, day=start + n + 1) for n, i in enumerate(ids))
        return FEED.format(total=len(self.server.ids), entries=entries)

    def fail(self, failure: Any) -> None:
        if isinstance(failure, bytes):
            return self.send(200, failure, {})
        if failure == "cut":
            return self.send(200, SOURCE[:20], {"content-length": str(len(SOURCE))})
        if failure == "hang":
            threading.Event().wait(1.5)
            return None
        status, headers = failure
        return self.send(status, b"no", headers)

    def send(self, status: int, body: bytes, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in {"content-length": str(len(body)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)
        self.close_connection = True


@pytest.fixture
def server() -> Iterator[ArxivServer]:
    made = ArxivServer()
    thread = threading.Thread(target=made.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield made
    made.shutdown()
    thread.join()
    made.server_close()


class Waits:
    """Stands in for the clock's sleep and remembers what was asked of it."""

    def __init__(self) -> None:
        self.seconds: list[float] = []

    def __call__(self, seconds: float) -> None:
        self.seconds.append(seconds)


def get(server: ArxivServer, folder: Path, **options: Any) -> FetchReport:
    waits = options.pop("waits", Waits())
    timeout = options.pop("timeout", 5.0)
    retries = options.pop("retries", 2)
    polite = RateLimits(delay=0, retries=retries, backoff=1, timeout=timeout, sleep=waits)
    query = options.pop("query", QUERY)
    return fetch(query, folder, base_url=server.url, politeness=polite, **options)


def e_prints(server: ArxivServer) -> list[str]:
    return [path for path in server.asked if path.startswith("/e-print/")]


def test_all_pages_are_listed_and_every_source_is_fetched_and_readable(
    server: ArxivServer, tmp_path: Path
) -> None:
    seen: list[tuple[int, int, str]] = []
    report = get(server, tmp_path / "new", on_progress=lambda *step: seen.append(step))
    assert (report.found, len(report.fetched), report.failed) == (3, 3, ())
    assert seen[-1] == (3, 3, "2607.00003v1")
    read = read_paths([tmp_path / "new"])
    first = read.articles[0]
    assert (first.id, first.version, first.domain) == ("2607.00001", "v1", "CS")
    assert (first.title, first.submitted) == ("Paper 1", date(2026, 7, 1))
    assert first.categories == ("cs.CL", "stat.ML")


def test_a_second_run_asks_for_nothing_that_is_there(server: ArxivServer, tmp_path: Path) -> None:
    get(server, tmp_path)
    server.asked.clear()
    report = get(server, tmp_path)
    assert (report.fetched, len(report.already)) == ((), 3)
    assert e_prints(server) == []


def test_a_stopped_run_goes_on_where_it_stopped_even_after_a_torn_line(
    server: ArxivServer, tmp_path: Path
) -> None:
    done: list[str] = []
    report = get(
        server,
        tmp_path,
        on_progress=lambda *step: done.append(step[2]),
        should_stop=lambda: len(done) == 2,
    )
    assert report.stopped
    with (tmp_path / "metadata.jsonl").open("a") as handle:
        handle.write('{"id": "torn')
    (tmp_path / ".2607.00003v1.part").write_bytes(b"half")
    (tmp_path / "2607.00001v1.gz").write_bytes(b"shortened")
    server.asked.clear()
    report = get(server, tmp_path)
    assert e_prints(server) == ["/e-print/2607.00001v1", "/e-print/2607.00003v1"]
    rows = [json.loads(line) for line in (tmp_path / "metadata.jsonl").read_text().splitlines()]
    assert sorted(row["id"] for row in rows) == ["2607.00001", "2607.00002", "2607.00003"]
    assert not list(tmp_path.glob("*.part"))


@pytest.mark.parametrize(
    "failure",
    [(503, {}), (500, {}), "cut", "hang", b"<html>Rate exceeded</html>", b"\x1f\x8bbroken"],
    ids=str,
)
def test_a_source_that_fails_once_is_asked_for_again(
    server: ArxivServer, tmp_path: Path, failure: Any
) -> None:
    server.plan["/e-print/2607.00002"] = [failure]
    report = get(server, tmp_path, timeout=0.5)
    assert (len(report.fetched), report.failed) == (3, ())
    assert gzip.decompress((tmp_path / "2607.00002v1.gz").read_bytes())


@pytest.mark.parametrize(
    "failure",
    [(503, {}), b"<html>Sorry</html>", FEED.format(total=3, entries="")[:-7].encode(), b""],
    ids=["503", "html", "cut feed", "nothing"],
)
def test_a_search_that_fails_once_is_asked_again(
    server: ArxivServer, tmp_path: Path, failure: Any
) -> None:
    server.plan["/api/query"] = [failure]
    assert get(server, tmp_path).found == 3


def test_the_server_says_how_long_to_wait(server: ArxivServer, tmp_path: Path) -> None:
    later = formatdate(usegmt=True, timeval=None)
    server.plan["/api/query"] = [(429, {"retry-after": "17"})]
    server.plan["/e-print/"] = [(503, {"retry-after": later}), (503, {"retry-after": "soon"})]
    waits = Waits()
    told: list[tuple[str, float]] = []
    report = get(server, tmp_path, waits=waits, on_wait=lambda *wait: told.append(wait))
    assert len(report.fetched) == 3
    assert waits.seconds == [seconds for _, seconds in told] == [17, 1, 2]
    assert [reason[-3:] for reason, _ in told] == ["429", "503", "503"]


def test_requests_keep_their_distance(server: ArxivServer, tmp_path: Path) -> None:
    waits = Waits()
    polite = RateLimits(delay=3, sleep=waits, timeout=5)
    fetch(QUERY, tmp_path, base_url=server.url, politeness=polite)
    assert len(waits.seconds) == len(server.asked) - 1
    assert all(2 < seconds <= 3 for seconds in waits.seconds)


def test_what_cannot_be_had_is_named_and_the_rest_is_fetched(
    server: ArxivServer, tmp_path: Path
) -> None:
    server.always = {
        "/e-print/2607.00001": b"%PDF-1.5",
        "/e-print/2607.00002": (404, {}),
    }
    report = get(server, tmp_path)
    assert report.fetched == ("2607.00003v1",)
    assert dict(report.failed) == {
        "2607.00001v1": "arXiv has only a PDF of it, no source",
        "2607.00002v1": "arXiv has neither HTML nor a source for it; it may have been withdrawn",
    }
    assert len(e_prints(server)) == 3
    server.always = {}
    assert len(get(server, tmp_path).fetched) == 2


def test_a_source_that_is_too_large_is_not_kept(server: ArxivServer, tmp_path: Path) -> None:
    report = get(server, tmp_path, limits=Limits(file_bytes=20))
    assert (len(report.failed), report.fetched) == (3, ())
    assert [p.name for p in tmp_path.glob("*.gz")] == []


def test_html_instead_of_a_feed_is_no_empty_answer(server: ArxivServer, tmp_path: Path) -> None:
    server.always = {"/api/query": b"<html><body>maintenance</body></html>"}
    with pytest.raises(OutsideError, match="the response is not an Atom feed"):
        get(server, tmp_path)


def test_an_error_of_the_api_is_said_as_one(server: ArxivServer, tmp_path: Path) -> None:
    entry = ENTRY.format(id="x", day=1).replace(
        "http://arxiv.org/abs/x", "http://arxiv.org/api/errors#bad"
    )
    server.always = {"/api/query": FEED.format(total=1, entries=entry).encode()}
    with pytest.raises(OutsideError, match=r"understand arXiv's response at .*: About"):
        get(server, tmp_path)


def test_a_hostile_identifier_cannot_choose_a_path(server: ArxivServer, tmp_path: Path) -> None:
    server.ids = ["../../../etc/passwdv1"]
    with pytest.raises(OutsideError, match=r"understand arXiv's response at .*passwdv1"):
        get(server, tmp_path)


def test_without_a_network_it_says_so(tmp_path: Path) -> None:
    made = ArxivServer()
    url = made.url
    made.server_close()
    polite = RateLimits(delay=0, retries=1, sleep=Waits())
    with pytest.raises(OutsideError, match="did not answer the search"):
        fetch(QUERY, tmp_path, base_url=url, politeness=polite)


def test_a_network_that_goes_away_stops_the_run_and_keeps_what_is_there(
    server: ArxivServer, tmp_path: Path
) -> None:
    server.ids = [f"2607.0000{n}v1" for n in range(1, 7)]
    for number in range(2, 7):
        server.always[f"/e-print/2607.0000{number}"] = "hang"
    with pytest.raises(OutsideError, match=r"was lost: .* 1 e-print was downloaded"):
        get(server, tmp_path, timeout=0.2, retries=0)
    server.always = {}
    assert len(get(server, tmp_path).already) == 1


def test_no_result_is_no_error(server: ArxivServer, tmp_path: Path) -> None:
    server.ids = []
    assert get(server, tmp_path).found == 0


def test_windows_and_categories_are_checked_before_anything_is_asked() -> None:
    with pytest.raises(InputError, match="after"):
        FetchQuery("cs.CL", date(2026, 8, 1), date(2026, 7, 1))
    with pytest.raises(InputError, match="no arXiv category"):
        FetchQuery("cs.CL OR all:x", date(2026, 7, 1), date(2026, 7, 1))
    assert QUERY.search == "cat:cs.CL AND submittedDate:[202607010000 TO 202607312359]"


def test_a_damaged_record_of_what_is_there_is_named(server: ArxivServer, tmp_path: Path) -> None:
    (tmp_path / "metadata.jsonl").write_text("{broken}\n")
    with pytest.raises(InputError, match="is damaged"):
        get(server, tmp_path)


def test_html_is_taken_where_there_is_some_and_the_licence_is_kept(
    server: ArxivServer, tmp_path: Path
) -> None:
    server.pages["/html/2607.00001v1"] = PAGE
    server.plan["/html/2607.00001"] = [(503, {"retry-after": "1"}), PAGE[:-10]]
    report = get(server, tmp_path)
    assert len(report.fetched) == 3
    assert report.unlicensed == ()
    assert (tmp_path / "2607.00001v1.html").read_bytes() == PAGE
    assert "/e-print/2607.00001v1" not in server.asked
    rows = [json.loads(line) for line in (tmp_path / "metadata.jsonl").read_text().splitlines()]
    assert {row["license"] for row in rows} == {"http://creativecommons.org/licenses/by/4.0/"}
    assert next(a.id for a in read_paths([tmp_path]).articles) == "2607.00001"


def test_a_page_that_is_compressed_unasked_is_kept_plain(
    server: ArxivServer, tmp_path: Path
) -> None:
    server.pages["/html/2607.00001v1"] = gzip.compress(PAGE)
    server.plan = {"/oai2": [gzip.compress(RECORD)], "/html/2607": [gzip.compress(PAGE)[:-20]]}
    report = get(server, tmp_path)
    assert (len(report.fetched), report.unlicensed) == (3, ())
    assert (tmp_path / "2607.00001v1.html").read_bytes() == PAGE


def test_a_page_that_says_there_is_no_html_is_no_article(
    server: ArxivServer, tmp_path: Path
) -> None:
    none = b"<!DOCTYPE html><html><body><h1>No HTML for this paper</h1></body></html>"
    server.pages = {"/html/2607.00001v1": none}
    report = get(server, tmp_path)
    assert (len(report.fetched), report.failed) == (3, ())
    assert {path.suffix for path in tmp_path.glob("2607*")} == {".gz"}


def test_a_web_page_in_place_of_an_e_print_is_asked_again_and_said(
    server: ArxivServer, tmp_path: Path
) -> None:
    page = b"<!DOCTYPE html><html><body>Our servers are busy.</body></html>"
    server.plan["/e-print/2607.00001"] = [page]
    server.always["/e-print/2607.00002"] = page
    report = get(server, tmp_path)
    assert report.fetched == ("2607.00001v1", "2607.00003v1")
    assert report.failed == (("2607.00002v1", "arXiv answered with a web page instead"),)


def test_a_withdrawn_paper_is_named(server: ArxivServer, tmp_path: Path) -> None:
    notice = b"%auto-ignore\nThis paper has been withdrawn by the author due to an error."
    server.pages["/e-print/2607.00002v1"] = gzip.compress(notice)
    report = get(server, tmp_path)
    assert report.failed == (("2607.00002v1", "it was withdrawn"),)
    assert not [*tmp_path.glob("2607.00002*")]


def test_an_unknown_licence_is_said(server: ArxivServer, tmp_path: Path) -> None:
    server.always = {"/oai2": (404, {})}
    assert len(get(server, tmp_path).unlicensed) == 3


def test_the_command_downloads_what_is_later_than_the_cutoff(
    server: ArxivServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    server.ids = server.ids[:1]
    out = tmp_path / "new"
    command = ["fetch", "arxiv", "--category", "cs.CL", "--to", "2026-07-31", "--out", str(out)]
    period = ["--from", "2026-07-01", "--cutoff", "2026-07-09", "--server", server.url]
    assert main([*command, *period]) == 0
    said = capsys.readouterr()
    assert "the period starts at 2026-07-10" in said.out + said.err
    assert "1 article found; 1 downloaded now" in said.out
    assert main([*command, "--from", "2026-07-01", "--cutoff", "2026-08-01"]) != 0
    assert "Choose a later period" in capsys.readouterr().err
