"""Fetching e-prints by category and day through the arXiv API, politely and resumably.

The folder that is fetched into holds one HTML page or archive per e-print, ``metadata.jsonl`` with
one line in the Kaggle snapshot's form for each finished one, and ``.fetch.json`` with the query and
its answer.
arXiv asks for one request every three seconds and one connection.
"""

import gzip
import json
import re
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from email.utils import format_datetime
from pathlib import Path
from typing import Any

from core.errors import InputError, OutsideError
from core.files import read_jsonl, write_json, write_jsonl
from core.i18n import tr
from core.sources.articles.archives import visible_name
from core.sources.articles.arxiv_html import looks_like_html
from core.sources.limits import DEFAULT_LIMITS, Limits
from core.sources.rate_limited_client import RateLimitedSession, RateLimits, RequestRefused
from core.sources.signatures import GZIP, TAR_MAGIC, TAR_MAGIC_AT

BASE_URL = "https://export.arxiv.org"
METADATA = "metadata.jsonl"
STATE = ".fetch.json"
_LICENCE = re.compile(rb"<license>([^<]+)</license>")
_TAG = re.compile(rb"<(?:script|style)\b.*?</(?:script|style)>|<[^>]*>", re.DOTALL | re.IGNORECASE)
_FEW_WORDS = 300
"""Words that a page of an article has; a page that says there is none has fewer."""
_WITHDRAWN = re.compile(
    rb"\b(?:paper|submission|article|manuscript|preprint|work)\b[^.]{0,80}\bwithdrawn\b",
    re.IGNORECASE,
)
_NOTICE = 4_000
"""Bytes that a source has at most which only says that the article was withdrawn."""
_IN_A_ROW = 3
"""After so many e-prints in a row that could not be reached, the network is taken to be gone."""


@dataclass(frozen=True)
class FetchReport:
    """``found`` e-prints matched; each was ``fetched`` now, ``already`` there, or ``failed``."""

    folder: Path
    found: int
    fetched: tuple[str, ...] = ()
    already: tuple[str, ...] = ()
    failed: tuple[tuple[str, str], ...] = ()
    stopped: bool = False
    unlicensed: tuple[str, ...] = ()
    """Those of ``fetched`` and ``already`` whose licence is unknown."""


@dataclass(frozen=True)
class FetchQuery:
    """E-prints of a category (``cs.CL`` or ``cs.*``) first submitted from ``since`` to ``until``.

    Both days are inclusive, in UTC.
    """

    category: str
    since: date
    until: date
    limit: int | None = None

    def __post_init__(self) -> None:
        if self.since > self.until:
            raise InputError.tr(
                "The period is empty: {since} is after {until}.",
                since=self.since,
                until=self.until,
            )
        if not self.category or not all(c.isalnum() or c in ".-*" for c in self.category):
            raise InputError.tr(
                "There is no arXiv category {category}. Use one such as cs.CL or hep-th.",
                category=self.category,
            )

    @property
    def search(self) -> str:
        """The query in arXiv's language."""
        since, until = self.since.strftime("%Y%m%d"), self.until.strftime("%Y%m%d")
        return f"cat:{self.category} AND submittedDate:[{since}0000 TO {until}2359]"


def fetch(
    query: FetchQuery,
    folder: Path,
    *,
    base_url: str = BASE_URL,
    politeness: RateLimits | None = None,
    limits: Limits = DEFAULT_LIMITS,
    on_progress: Callable[[int, int, str], None] | None = None,
    on_wait: Callable[[str, float], None] = lambda *_: None,
    should_stop: Callable[[], bool] = lambda: False,
) -> FetchReport:
    """List the matching e-prints, then fetch each one that is not there yet.

    Stopped at any moment and called again, it goes on after the last finished e-print. One e-print
    that cannot be had (withdrawn, PDF only, damaged) is named in the report and tried again the
    next time. ``on_wait`` is told why arXiv is asked again, and after how many seconds. Raises
    ``OutsideError`` when arXiv cannot be reached or does not answer sensibly.
    """
    folder.mkdir(parents=True, exist_ok=True)
    job = _Fetch(folder, base_url.rstrip("/"), politeness or RateLimits(), limits, on_wait)
    with job.session:
        rows = job.listing(query)
        return job.fetch_all(rows, on_progress or (lambda *_: None), should_stop)


@dataclass
class _Fetch:
    folder: Path
    base_url: str
    politeness: RateLimits
    limits: Limits
    on_wait: Callable[[str, float], None]
    session: RateLimitedSession = field(init=False)
    finished: dict[str, dict[str, Any]] = field(init=False)

    def __post_init__(self) -> None:
        self.session = RateLimitedSession(self.politeness, self.on_wait)
        self.finished = self._finished()

    def _finished(self) -> dict[str, dict[str, Any]]:
        """Rows of e-prints whose file is there in full; a torn last line is dropped."""
        path = self.folder / METADATA
        if not path.exists():
            return {}
        try:
            rows = {row["versioned_id"]: row for row in read_jsonl(path)}
        except (ValueError, KeyError, TypeError) as error:
            raise InputError.tr(
                "{path} is damaged ({error}). Move it away and download again.",
                path=path,
                error=error,
            ) from error
        finished = {key: row for key, row in rows.items() if self._is_there(row)}
        write_jsonl(path, finished.values())
        return finished

    def _is_there(self, row: dict[str, Any]) -> bool:
        file = self.folder / Path(str(row.get("file"))).name
        return file.is_file() and file.stat().st_size == row.get("bytes")

    def listing(self, query: FetchQuery) -> list[dict[str, Any]]:
        """Rows of all matching e-prints; asked once for a window that has passed."""
        path = self.folder / STATE
        key = {"search": query.search, "limit": query.limit, "base_url": self.base_url}
        if path.exists():
            try:
                state = json.loads(path.read_text(encoding="utf-8"))
                if state["query"] == key and state["asked"] > query.until.isoformat():
                    return list(state["rows"])
            except (ValueError, KeyError, TypeError):
                path.unlink()  # half-written by another program: the listing is asked again
        rows = list(self._ask(query))
        today = datetime.now(UTC).date().isoformat()
        write_json(path, {"query": key, "asked": today, "rows": rows})
        return rows

    def _ask(self, query: FetchQuery) -> Iterator[dict[str, Any]]:
        import arxiv

        client = arxiv.Client(page_size=100, delay_seconds=0, num_retries=self.politeness.retries)
        client.query_url_format = f"{self.base_url}/api/query?{{}}"
        client._session = self.session  # its own session knows neither limits nor Retry-After
        search = arxiv.Search(
            query=query.search,
            max_results=query.limit,
            sort_by=arxiv.SortCriterion.SubmittedDate,
            sort_order=arxiv.SortOrder.Ascending,
        )
        try:
            for result in client.results(search):
                yield _row(result)
        except RequestRefused as error:
            raise OutsideError.tr(
                "arXiv did not answer the search at {url}: {reason}. Try again later; "
                "what was downloaded so far stays.",
                url=self.base_url,
                reason=error,
            ) from error
        except (arxiv.ArxivError, ValueError) as error:
            raise OutsideError.tr(
                "Could not understand arXiv's response at {url}: {reason}. Try again later.",
                url=self.base_url,
                reason=str(error).rstrip("."),
            ) from error

    def fetch_all(
        self,
        rows: list[dict[str, Any]],
        on_progress: Callable[[int, int, str], None],
        should_stop: Callable[[], bool],
    ) -> FetchReport:
        """Every row's source, in the listing's order."""
        fetched: list[str] = []
        already: list[str] = []
        failed: list[tuple[str, str]] = []
        unreachable = 0
        for index, row in enumerate(rows):
            name = row["versioned_id"]
            if should_stop():
                return self._report(rows, fetched, already, failed, stopped=True)
            if name in self.finished:
                already.append(name)
            else:
                try:
                    self._fetch_one(row)
                    fetched.append(name)
                    unreachable = 0
                except RequestRefused as error:
                    failed.append((name, str(error)))
                    unreachable = unreachable + 1 if error.unreachable else 0
            if unreachable >= _IN_A_ROW:
                raise OutsideError.trn(
                    "The connection to arXiv at {url} was lost: {reason}. 1 e-print was "
                    "downloaded; start again to continue.",
                    "The connection to arXiv at {url} was lost: {reason}. {n} e-prints "
                    "were downloaded; start again to continue.",
                    len(self.finished),
                    url=self.base_url,
                    reason=failed[-1][1],
                )
            on_progress(index + 1, len(rows), name)
        return self._report(rows, fetched, already, failed, stopped=False)

    def _report(
        self,
        rows: list[dict[str, Any]],
        fetched: list[str],
        already: list[str],
        failed: list[tuple[str, str]],
        *,
        stopped: bool,
    ) -> FetchReport:
        there = [*fetched, *already]
        unlicensed = tuple(n for n in there if not self.finished[n].get("license"))
        return FetchReport(
            self.folder,
            len(rows),
            tuple(fetched),
            tuple(already),
            tuple(failed),
            stopped,
            unlicensed,
        )

    def _fetch_one(self, row: dict[str, Any]) -> None:
        name = row["versioned_id"]
        part = self.folder / f".{name.replace('/', '_')}.part"
        try:
            ending, size = self._download(name, part)
            file = self.folder / (name.replace("/", "_") + ending)
            part.replace(file)
            licence = self._licence(row["id"], part)
        finally:
            part.unlink(missing_ok=True)
        finished = {**row, "license": licence, "file": file.name, "bytes": size}
        # the file is complete before its line exists, so a line always tells the truth
        with (self.folder / METADATA).open("a", encoding="utf-8", newline="\n") as handle:
            handle.write(json.dumps(finished, ensure_ascii=False) + "\n")
            handle.flush()
        self.finished[name] = finished

    def _download(self, name: str, part: Path) -> tuple[str, int]:
        """The article's HTML where arXiv has it, else its source; the ending of its file, bytes."""
        most = self.limits.file_bytes
        try:
            return ".html", self.session.download(
                f"{self.base_url}/html/{name}", part, most, _check_html
            )
        except RequestRefused as error:
            if not error.final:
                raise
        try:
            url = f"{self.base_url}/e-print/{name}"
            size = self.session.download(url, part, most, _check_source)
        except RequestRefused as error:
            if not error.missing:
                raise
            reason = tr("arXiv has neither HTML nor a source for it; it may have been withdrawn")
            raise RequestRefused(reason, final=True, missing=True) from error
        return (".tar.gz" if _is_tar(part) else ".gz"), size

    def _licence(self, identifier: str, part: Path) -> str:
        """The address of the licence that the authors chose; empty when arXiv does not say."""
        url = (
            f"{self.base_url}/oai2?verb=GetRecord&metadataPrefix=arXiv"
            f"&identifier=oai:arXiv.org:{identifier}"
        )
        try:
            self.session.download(url, part, 2**20, _check_record)
        except RequestRefused:
            return ""  # the article is there; that its licence is unknown is said in the report
        match = _LICENCE.search(part.read_bytes())
        return match[1].decode("utf-8", "replace").strip() if match else ""


def _row(result: Any) -> dict[str, Any]:
    """One line in the Kaggle snapshot's form, with the fetched version's name beside it."""
    versioned = visible_name(result.get_short_id())
    if "/api/errors" in result.entry_id:
        raise ValueError(" ".join(str(result.summary).split()))
    identifier, _, version = versioned.rpartition("v")
    if not identifier or not version.isdigit() or ".." in identifier or identifier.count("/") > 1:
        raise ValueError(versioned)
    versions = [{"version": "v1", "created": format_datetime(result.published)}]
    if version != "1":
        versions.append({"version": f"v{version}", "created": format_datetime(result.updated)})
    return {
        "id": identifier,
        "versioned_id": versioned,
        "title": " ".join(result.title.split()),
        "abstract": result.summary,
        "categories": " ".join(
            dict.fromkeys(filter(None, [result.primary_category, *result.categories]))
        ),
        "versions": versions,
        "update_date": result.updated.date().isoformat(),
    }


def _check_html(path: Path) -> None:
    """Raise ``RequestRefused`` unless the file is the HTML of an article up to its end."""
    data = _unpacked(path)
    if not looks_like_html(data[:20_000].decode("utf-8", "replace")):
        raise RequestRefused(tr("the download is not HTML"), final=True)
    if b"</html>" not in data[-2000:].lower():
        raise RequestRefused(tr("the download is incomplete"), final=False)
    if b"ltx_" not in data and len(_TAG.sub(b" ", data).split()) < _FEW_WORDS:
        raise RequestRefused(tr("the page contains no article"), final=True)


def _unpacked(path: Path) -> bytes:
    """The bytes of a page, which some servers compress unasked; the file holds them plain then."""
    data = path.read_bytes()
    if not data.startswith(GZIP):
        return data
    unpacker = zlib.decompressobj(wbits=31)
    try:
        data = unpacker.decompress(data, DEFAULT_LIMITS.file_bytes)
    except zlib.error as error:
        raise RequestRefused(
            tr("the download is damaged ({error})", error=error), final=False
        ) from error
    if unpacker.unconsumed_tail or not unpacker.eof:
        raise RequestRefused(tr("the download is incomplete"), final=False)
    path.write_bytes(data)
    return data


def _check_record(path: Path) -> None:
    """Raise ``RequestRefused`` unless the file is an answer of arXiv's OAI server."""
    if b"<OAI-PMH" not in _unpacked(path)[:2000]:
        raise RequestRefused(tr("the download is not a record"), final=True)


def _check_source(path: Path) -> None:
    """Raise ``RequestRefused`` unless the file is a gzip that unpacks to its end."""
    with path.open("rb") as handle:
        head = handle.read(1024)
    if head.startswith(b"%PDF"):
        raise RequestRefused(tr("arXiv has only a PDF of it, no source"), final=True)
    if looks_like_html(head.decode("utf-8", "replace")):
        raise RequestRefused(tr("arXiv answered with a web page instead"), final=False)
    if not head.startswith(GZIP):
        raise RequestRefused(tr("the download is not an e-print"), final=False)
    try:
        with gzip.open(path) as stream:
            start = stream.read(2**20)
            while stream.read(2**20):
                pass
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise RequestRefused(
            tr("the download is damaged ({error})", error=error), final=False
        ) from error
    if len(start.replace(b"\0", b"")) <= _NOTICE and _WITHDRAWN.search(start):
        raise RequestRefused(tr("it was withdrawn"), final=True)


def _is_tar(path: Path) -> bool:
    with gzip.open(path) as stream:
        return stream.read(TAR_MAGIC_AT + 5)[TAR_MAGIC_AT:] == TAR_MAGIC
