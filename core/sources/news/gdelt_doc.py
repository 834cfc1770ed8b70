"""Knowledge from GDELT's DOC 2.0 API (ArtList, JSON): polite, patient, with a cache on disk.

The API answers errors with status 200 and a sentence, asks for at most one request in five
seconds, and sometimes sends a web page. Only a good answer is ever kept.
"""

import json
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from core.errors import InputError, OutsideError
from core.files import digest, write_json
from core.i18n import tr
from core.llm.failures import retry_after
from core.llm.replies import clean
from core.redaction import one_line
from core.sources.news.events import NewsFact, RefusedQuery, Window, first_facts, moment_of
from core.web_hosts import is_loopback, web_host

ADDRESS = "https://api.gdeltproject.org/api/v2/doc/doc"
POLITE_S = 5.0  # between two requests, as the API asks
MOST_RECORDS = 250  # of one answer
_LONGEST_WAIT_S = 120.0
_RETRY_STATUS = (408, 425, 429, 500, 502, 503, 504)
_LIMITED = re.compile(r"limit requests|too many requests|rate limit", re.IGNORECASE)
_MARKUP = re.compile(r"<\s*(!doctype|html|head|body|title|div|p|h\d|script)\b", re.IGNORECASE)
_BAD_ESCAPE = re.compile(r'\\(?!["\\/bfnrt]|u[0-9a-fA-F]{4})')
_MARKS = re.compile(r'["“”„«»()]+')
_LONGEST_SENTENCE = 500  # an error of the API is one sentence


@dataclass(frozen=True, slots=True)
class _Trouble:
    """An answer that may be better next time."""

    said: str
    wait_s: float | None = None


class GdeltDoc:
    """The API as a ``KnowledgeSource``. ``address`` may name another server that speaks it.

    ``cache`` is a folder for good answers (none: nothing is kept); answers about a window that
    is not over yet are kept for a day. ``interval_s`` is the least time between two requests,
    ``retries`` how often a failing one is tried again.
    """

    def __init__(
        self,
        address: str = ADDRESS,
        *,
        cache: Path | None = None,
        interval_s: float | None = None,
        timeout_s: float = 30.0,
        retries: int = 5,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        host = web_host(address)
        if not host:
            raise InputError.tr("“{url}” is not a server address.", url=one_line(address)[:200])
        loopback = is_loopback(host)
        self._address = address
        self._cache = cache
        self._interval_s = (0.0 if loopback else POLITE_S) if interval_s is None else interval_s
        self._retries = retries
        self._sleep = sleep
        self._last = float("-inf")
        self._timeout_s = timeout_s
        self._trust_env = not loopback

    @property
    def identity(self) -> str:
        """The address that is asked."""
        return f"gdelt-doc:{self._address}"

    def search(
        self, query: str, window: Window, limit: int, *, exact: bool = False
    ) -> list[NewsFact]:
        """Articles about a name, in the API's order of relevance; ``exact`` quotes it."""
        name = " ".join(_MARKS.sub(" ", query).split())
        if not name:
            raise RefusedQuery.tr("“{query}” contains no words to search for.", query=query)
        phrase = f'"{name}"' if exact and " " in name else name
        parameters = {
            "query": phrase,
            "mode": "ArtList",
            "format": "json",
            "sort": "HybridRel",
            # more than asked for, because several articles may have one address
            "maxrecords": str(min(MOST_RECORDS, max(10, 2 * limit))),
            "startdatetime": f"{window.start:%Y%m%d%H%M%S}",
            "enddatetime": f"{window.end - timedelta(seconds=1):%Y%m%d%H%M%S}",
        }
        cached = self._kept(parameters, window)
        articles = self._read(cached) if cached is not None else None
        if articles is None:
            document = self._ask(parameters, query)
            articles = self._read(document)
            if articles is None:  # _ask gives only documents of the right shape
                raise OutsideError(self._no_use("?"))
            self._keep(parameters, window, document)
        return first_facts((_fact(article) for article in articles), window, limit)

    def close(self) -> None:
        """Nothing to close: each question has a connection of its own."""

    # -- asking -------------------------------------------------------------------------------

    def _ask(self, parameters: Mapping[str, str], query: str) -> dict[str, Any]:
        attempt = 0
        while True:
            answer = self._attempt(parameters, query)
            if not isinstance(answer, _Trouble):
                return answer
            if attempt == self._retries:
                raise OutsideError(self._no_use(answer.said))
            usual = max(self._interval_s, 0.2) * 2**attempt
            self._sleep(min(_LONGEST_WAIT_S, usual if answer.wait_s is None else answer.wait_s))
            attempt += 1

    def _no_use(self, reason: str) -> str:
        return tr(
            "GDELT at {address} gave no usable response ({said}). Try again later, or use a "
            "folder of downloaded files: --knowledge gdelt-files:DIR.",
            address=self._address,
            said=reason,
        )

    def _attempt(self, parameters: Mapping[str, str], query: str) -> dict[str, Any] | _Trouble:
        import httpx2

        from core.bounded_http import RefusedAnswer, fetch

        self._be_polite()
        try:
            answer = fetch(
                self._address,
                total_s=self._timeout_s,
                params=parameters,
                headers={"User-Agent": "benchseal"},
                trust_env=self._trust_env,
            )
        except httpx2.TimeoutException:
            return _Trouble(tr("no answer in time"))
        except RefusedAnswer as error:
            raise OutsideError(self._no_use(str(error))) from error
        except httpx2.HTTPError as error:
            return _Trouble(str(error)[:200] or type(error).__name__)
        if answer.status_code in _RETRY_STATUS:
            return _Trouble(
                f"HTTP {answer.status_code}", retry_after(answer.headers, datetime.now(UTC))
            )
        if answer.status_code != 200:
            raise OutsideError(self._no_use(f"HTTP {answer.status_code}"))
        return _read_answer(answer.content, query)

    def _be_polite(self) -> None:
        wait = self._last + self._interval_s - time.monotonic()
        if wait > 0:
            self._sleep(wait)
        self._last = time.monotonic()

    def _read(self, document: Any) -> list[dict[str, Any]] | None:
        """The articles of an answer; None where it has not the shape of one."""
        articles = document.get("articles", []) if isinstance(document, dict) else None
        if not isinstance(articles, list) or not all(isinstance(a, dict) for a in articles):
            return None
        return articles

    # -- cache --------------------------------------------------------------------------------

    def _place(self, parameters: Mapping[str, str], window: Window) -> Path | None:
        if self._cache is None:
            return None
        today = datetime.now(UTC).date()
        stamp = today.isoformat() if window.until >= today else ""
        return self._cache / f"{digest([self._address, dict(parameters), stamp])}.json"

    def _kept(self, parameters: Mapping[str, str], window: Window) -> Any:
        place = self._place(parameters, window)
        if place is None:
            return None
        try:
            return json.loads(place.read_text(encoding="utf-8"))
        except (FileNotFoundError, ValueError):
            return None

    def _keep(self, parameters: Mapping[str, str], window: Window, document: Any) -> None:
        place = self._place(parameters, window)
        if place is not None:
            place.parent.mkdir(parents=True, exist_ok=True)
            # half characters, which happen in titles, could not be written
            write_json(place, json.loads(clean(json.dumps(document, ensure_ascii=False))))


def _read_answer(body: bytes, query: str) -> dict[str, Any] | _Trouble:
    """The JSON object in a 200 answer. RefusedQuery for a sentence about the query."""
    text = body.decode("utf-8-sig", "replace").strip()
    if text.startswith("{"):
        document = _json(text)
        if document is None:
            return _Trouble(tr("broken JSON"))
        well_formed = not document or (
            isinstance(document.get("articles"), list)
            and all(isinstance(article, dict) for article in document["articles"])
        )
        return document if well_formed else _Trouble(tr("JSON without articles"))
    if not text:
        return _Trouble(tr("an empty answer"))
    if _LIMITED.search(text):
        return _Trouble(tr("too many requests"))
    if not _is_sentence(text):
        return _Trouble(tr("a web page instead of data"))
    raise RefusedQuery.tr("GDELT rejected the query “{query}”: {said}", query=query, said=text)


def _is_sentence(text: str) -> bool:
    """Whether an answer may be a word about the query: no page, no data, no packed bytes."""
    odd = text.count("\ufffd") + sum(not c.isprintable() and not c.isspace() for c in text)
    words = " " in text or not text.isascii()
    plain = not odd and words and len(text) <= _LONGEST_SENTENCE and text[0] not in '["<'
    return plain and not _MARKUP.search(text)


def _json(text: str) -> dict[str, Any] | None:
    """An object; titles with bare backslashes or control characters, which happen, are mended."""
    for candidate in (text, _BAD_ESCAPE.sub(r"\\\\", text)):
        try:
            value = json.loads(candidate, strict=False)
        except (ValueError, RecursionError):
            continue
        return value if isinstance(value, dict) else None
    return None


def _fact(article: Mapping[str, Any]) -> NewsFact | None:
    url, title = str(article.get("url") or ""), str(article.get("title") or "")
    seen = moment_of(str(article.get("seendate") or ""))
    if not url.startswith(("http://", "https://")) or not title.strip() or seen is None:
        return None
    about = [str(article.get(key) or "") for key in ("domain", "sourcecountry", "language")]
    return NewsFact(
        title=" ".join(clean(title).split()),
        url=clean(url),
        seen=seen,
        detail=clean(", ".join(part for part in about if part)),
        source="gdelt-doc",
        row=f"ArtList {url}",
    )
