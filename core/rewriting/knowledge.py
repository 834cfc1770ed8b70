"""Looking up what is new about entities: the named sources, and the look-up of a run."""

import asyncio
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import date
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from platformdirs import user_cache_path

from core.errors import InputError, NotFoundError
from core.files import digest
from core.llm.concurrency import StoppedError
from core.llm.keys import NamedServer, require_allowed
from core.redaction import refuse_stored_key
from core.rewriting.call_log import CallLog
from core.sources.news.events import KnowledgeSource, NewsFact, RefusedQuery, Window
from core.sources.news.gdelt_bigquery import DEFAULT_CAP_BYTES, GdeltBigQuery
from core.sources.news.gdelt_doc import ADDRESS, GdeltDoc
from core.sources.news.gdelt_files import GdeltFiles

_LOOK_S = 0.2  # seconds between two looks at whether a stop is asked for
_KINDS = ("gdelt-doc", "gdelt-bigquery", "gdelt-files")
FORMS = "gdelt-doc, gdelt-bigquery, gdelt-files:DIR"


def open_source(
    spec: str,
    *,
    cache: Path | None = None,
    announce: Callable[[str], None] | None = None,
    cap_bytes: int = DEFAULT_CAP_BYTES,
    sleep: Callable[[float], None] = time.sleep,
) -> KnowledgeSource:
    """The source that ``spec`` names: ``gdelt-doc[:URL]``, ``gdelt-bigquery[:PROJECT]`` or
    ``gdelt-files:DIR``.

    ``cache`` is where answers of the API and indexes of folders are kept (the user's cache folder
    otherwise). ``announce`` is told what a BigQuery query will cost before it is sent, and what of
    a folder could not be used; ``sleep`` waits out the API's pauses. Raises InputError or
    NotFoundError for a source that cannot be used, or whose server this person did not allow.
    """
    check_source(spec)
    if address := other_server(spec):
        require_allowed(address)
    kind, _, rest = spec.strip().partition(":")
    cache = cache or user_cache_path("benchseal")
    if kind == "gdelt-doc":
        return GdeltDoc(rest or ADDRESS, cache=cache / "gdelt-doc", sleep=sleep)
    if kind == "gdelt-bigquery":
        return GdeltBigQuery(rest, cap_bytes=cap_bytes, announce=announce)
    source = GdeltFiles(Path(rest).expanduser(), cache=cache / "gdelt")
    if announce is not None and (notice := source.left_out()):
        announce(notice)
    return source


def other_server(spec: str) -> str:
    """The address that ``gdelt-doc:URL`` names; empty for a source that names none."""
    kind, _, rest = spec.strip().partition(":")
    return rest if kind == "gdelt-doc" and rest != ADDRESS else ""


def named_server(spec: str) -> NamedServer:
    """The server that ``spec`` names, as whoever wrote it consents to it; it is sent no key."""
    return NamedServer(other_server(spec), keyless=True)


def check_source(spec: str) -> None:
    """Raise, before a run is made for it, where ``open_source`` could not open ``spec`` at all:
    InputError for one of no known form, or with a key in its address; NotFoundError for a folder
    that is not there."""
    kind, _, rest = spec.strip().partition(":")
    refuse_stored_key(rest)
    if kind not in _KINDS or (kind == "gdelt-files" and not rest):
        raise InputError.tr(
            "“{spec}” is not a knowledge source. Use one of: {forms}.", spec=spec, forms=FORMS
        )
    if kind == "gdelt-files" and not Path(rest).expanduser().is_dir():
        raise NotFoundError.tr("There is no folder “{path}”.", path=rest)


def search_knowledge(
    spec: str,
    query: str,
    since: date,
    until: date,
    limit: int = 20,
    *,
    cache: Path | None = None,
    announce: Callable[[str], None] | None = None,
) -> list[NewsFact]:
    """At most ``limit`` facts about ``query``, seen from ``since`` to ``until`` (inclusive).

    Raises a BenchsealError where the source cannot answer; an empty list means nothing was found.
    """
    window = Window(since, until)
    source = open_source(spec, cache=cache, announce=announce)
    try:
        return source.search(query, window, limit)
    finally:
        source.close()


def sleep_unless(stopping: Callable[[], bool]) -> Callable[[float], None]:
    """A sleep that ends the work it stands in as soon as a stop is asked for."""

    def sleep(seconds: float) -> None:
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            if stopping():
                raise StoppedError
            time.sleep(min(_LOOK_S, left))

    return sleep


class KnowledgeLookup:
    """The look-ups of a run: one thread, every name asked once, every answer in the call log."""

    def __init__(
        self, source: KnowledgeSource, window: Window, log: CallLog, per_entity: int
    ) -> None:
        self._source = source
        self._window = window
        self._log = log
        self._limit = per_entity
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="knowledge")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._pool.shutdown(cancel_futures=True)
        self._source.close()

    async def look_up(self, item: str, names: Sequence[str]) -> dict[str, Any]:
        """What is known about each name, as ``{"key", "found": {name: [facts as JSON]},
        "refused": {name: why}}``; kept in the call log, so a resumed run asks nothing again."""
        window = [self._window.since.isoformat(), self._window.until.isoformat()]
        facts: dict[str, list[dict[str, Any]]] = {}
        refused: dict[str, str] = {}
        keys = []
        for name in names:
            key = digest([self._source.identity, name, *window, self._limit])
            keys.append(key)
            async with self._log.alone(key):
                entry = self._log.find(key)
                if entry is None:
                    entry = {"key": key, "item": item, "step": "knowledge", "query": name}
                    entry |= await self._ask(name)
                    self._log.append(entry)
            if entry["refused"]:
                refused[name] = entry["refused"]
            else:
                facts[name] = entry["facts"]
        return {"keys": keys, "found": facts, "refused": refused}

    async def _ask(self, name: str) -> dict[str, Any]:
        loop = asyncio.get_running_loop()
        try:
            facts = await loop.run_in_executor(self._pool, self._search, name)
        except RefusedQuery as error:
            return {"facts": [], "refused": str(error)}
        return {"facts": [fact.as_json() for fact in facts], "refused": ""}

    def _search(self, name: str) -> list[NewsFact]:
        return self._source.search(name, self._window, self._limit, exact=True)
