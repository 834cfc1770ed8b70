"""Knowledge from GDELT's public tables in BigQuery, with the cost known and capped beforehand.

``google-cloud-bigquery`` is an optional extra. Every query is first sent as a dry run, which is
free and says how many bytes the real one would read; nothing is sent that would pass the cap.
"""

from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from typing import Any, Protocol

from core.errors import InputError, OutsideError
from core.i18n import tr
from core.sources.news.events import NewsFact, RefusedQuery, Window, first_facts, headline_of

GIB = 2**30
USD_PER_TIB = 6.25  # on-demand price of the US region; shown, never charged by us
DEFAULT_CAP_BYTES = 50 * GIB

# The partitioned copy, so that the window limits what is read. One row for each article.
_SQL = """
SELECT GKGRECORDID, CAST(DATE AS STRING) AS DATE, DocumentIdentifier, V2Tone, AllNames, Quotations,
  REGEXP_EXTRACT(Extras, r'<PAGE_TITLE>(.*?)</PAGE_TITLE>') AS title
FROM `gdelt-bq.gdeltv2.gkg_partitioned`
WHERE _PARTITIONTIME >= @start AND _PARTITIONTIME < @end
  AND REGEXP_CONTAINS(LOWER(CONCAT(IFNULL(AllNames, ''), ';', IFNULL(Extras, ''))), @pattern)
ORDER BY DATE DESC, GKGRECORDID LIMIT @limit
"""


class _Job(Protocol):
    @property
    def total_bytes_processed(self) -> int: ...

    def result(self) -> Iterable[Mapping[str, Any]]: ...


class BigQueryClient(Protocol):
    """The part of ``google.cloud.bigquery.Client`` that is used."""

    def query(self, query: str, job_config: Any = None) -> _Job:
        """Start a query job."""


class GdeltBigQuery:
    """The public tables as a ``KnowledgeSource``.

    ``cap_bytes`` limits what all queries of this object read together. ``announce`` is told the
    cost of every query before it is sent. ``client`` and ``types`` (the ``bigquery`` module) are
    made from the installed package where they are not given.
    """

    def __init__(
        self,
        project: str = "",
        *,
        cap_bytes: int = DEFAULT_CAP_BYTES,
        announce: Callable[[str], None] | None = None,
        client: BigQueryClient | None = None,
        types: Any = None,
    ) -> None:
        if client is None or types is None:
            client, types = _connect(project)
        self._client = client
        self._types = types
        self._project = project
        self._cap = cap_bytes
        self._announce = announce or (lambda _: None)
        self.bytes_read = 0

    @property
    def identity(self) -> str:
        """The tables that are asked."""
        return "gdelt-bigquery:gdelt-bq.gdeltv2.gkg_partitioned"

    def search(
        self, query: str, window: Window, limit: int, *, exact: bool = False
    ) -> list[NewsFact]:
        """Articles whose names or title hold the query's words side by side, the newest first.

        Raises InputError, before anything that costs is sent, where the query would pass the cap.
        """
        del exact  # a phrase in any case: loose words would read as much and find less
        words = query.casefold().split()
        if not any(any(c.isalnum() for c in word) for word in words):
            raise RefusedQuery.tr("“{query}” contains no words to search for.", query=query)
        parameters = self._parameters(words, window, limit)
        self._check_cost(parameters, query)
        rows = self._send(self._config(parameters, maximum_bytes_billed=self._cap))
        return first_facts((_fact(row) for row in rows), window, limit)

    def close(self) -> None:
        """Nothing is held open."""

    def _parameters(self, words: list[str], window: Window, limit: int) -> list[Any]:
        scalar = self._types.ScalarQueryParameter
        return [
            scalar("start", "TIMESTAMP", window.start),
            scalar("end", "TIMESTAMP", window.end),
            scalar("pattern", "STRING", _pattern(words)),
            scalar("limit", "INT64", max(1, limit)),
        ]

    def _config(self, parameters: list[Any], **more: Any) -> Any:
        return self._types.QueryJobConfig(query_parameters=parameters, **more)

    def _check_cost(self, parameters: list[Any], query: str) -> None:
        dry = self._config(parameters, dry_run=True, use_query_cache=False)
        try:
            cost = int(self._client.query(_SQL, job_config=dry).total_bytes_processed)
        except Exception as error:
            raise _no_use(error) from error
        cost_facts = {
            "query": query,
            "gib": round(cost / GIB, 2),
            "usd": round(cost / 2**40 * USD_PER_TIB, 2),
        }
        if self.bytes_read + cost > self._cap:
            raise InputError.tr(
                "Querying BigQuery for “{query}” would read {gib} GiB (about {usd} "
                "USD). Together with the {read} GiB already read, this exceeds the cap "
                "of {cap} GiB, so the query was not sent. Shorten the period or raise "
                "the cap.",
                **cost_facts,
                read=round(self.bytes_read / GIB, 2),
                cap=round(self._cap / GIB, 2),
            )
        self._announce(
            tr("BigQuery will read {gib} GiB (about {usd} USD) for “{query}”.", **cost_facts)
        )
        self.bytes_read += cost

    def _send(self, config: Any) -> list[Mapping[str, Any]]:
        try:
            return list(self._client.query(_SQL, job_config=config).result())
        except Exception as error:
            raise _no_use(error) from error


def _connect(project: str) -> tuple[BigQueryClient, Any]:
    try:
        from google.cloud import bigquery
    except ImportError as error:
        raise OutsideError.tr(
            "BigQuery needs the package google-cloud-bigquery. Install it with: {command}",
            command="uv pip install google-cloud-bigquery",
        ) from error
    try:
        return bigquery.Client(project=project or None), bigquery
    except Exception as error:
        raise _no_use(error) from error


def _no_use(error: Exception) -> OutsideError:
    """Google's packages have no common base for their errors, so any of them ends up here."""
    return OutsideError.tr(
        "BigQuery did not respond ({said}). Check the project, its credentials and the network.",
        said=" ".join(str(error).split())[:300] or type(error).__name__,
    )


def _pattern(words: list[str]) -> str:
    """RE2 for the words side by side, as whole words; letters of any other kind lie between."""
    escaped = ["".join(c if c.isalnum() else f"\\x{{{ord(c):x}}}" for c in word) for word in words]
    return rf"(?:^|[^\pL\pN]){'[^;]{1,3}'.join(escaped)}(?:[^\pL\pN]|$)"


def _fact(row: Mapping[str, Any]) -> NewsFact | None:
    url = str(row["DocumentIdentifier"] or "")
    try:
        seen = datetime.strptime(str(row["DATE"]), "%Y%m%d%H%M%S").replace(tzinfo=UTC)
    except ValueError:
        return None
    tone, _, _ = str(row["V2Tone"] or "").partition(",")
    names = [part.rpartition(",")[0] for part in str(row["AllNames"] or "").split(";")]
    known = [name for name in dict.fromkeys(names) if name][:15]
    try:
        measured = round(float(tone), 2)
    except ValueError:
        measured = None
    return NewsFact(
        title=str(row["title"] or "") or headline_of(url) or ", ".join(known[:5]) or url,
        url=url,
        seen=seen,
        tone=measured,
        detail=f"Names: {', '.join(known)}" if known else "",
        kind="gkg",
        source="gdelt-bigquery",
        row=f"gkg_partitioned {row['GKGRECORDID']}",
        happened=seen.date().isoformat(),
    )
