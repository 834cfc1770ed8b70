"""BigQuery behind its client's interface: the cost is known, told and capped before it is paid."""

import re
from dataclasses import dataclass, field
from datetime import date
from typing import Any

import pytest

from core.errors import InputError, OutsideError
from core.sources.news.events import RefusedQuery, Window
from core.sources.news.gdelt_bigquery import GIB, GdeltBigQuery

WINDOW = Window(date(2026, 3, 1), date(2026, 3, 2))
ROW = {
    "GKGRECORDID": "20260301101500-7",
    "DATE": "20260301101500",
    "DocumentIdentifier": "https://news.example.org/1",
    "V2Tone": "-1.25,2,3",
    "AllNames": "Eastby Council,10;Eastby Council,90;Mira Holm,40",
    "Quotations": "",
    "title": "Council meets",
}


@dataclass
class Config:
    query_parameters: list[Any]
    dry_run: bool = False
    use_query_cache: bool = True
    maximum_bytes_billed: int | None = None


@dataclass
class Parameter:
    name: str
    type: str
    value: Any


class Types:
    QueryJobConfig = Config
    ScalarQueryParameter = Parameter


@dataclass
class Job:
    total_bytes_processed: int
    rows: list[dict[str, Any]]

    def result(self) -> list[dict[str, Any]]:
        return self.rows


@dataclass
class Client:
    """Has the part of the real client's interface that is used."""

    bytes_read: int = 3 * GIB
    rows: list[dict[str, Any]] = field(default_factory=lambda: [ROW])
    error: Exception | None = None
    sent: list[Config] = field(default_factory=list)

    def query(self, query: str, job_config: Config) -> Job:
        if self.error:
            raise self.error
        self.sent.append(job_config)
        return Job(self.bytes_read, [] if job_config.dry_run else self.rows)


def source(client: Client, **more: Any) -> GdeltBigQuery:
    return GdeltBigQuery(client=client, types=Types, **more)


def test_the_cost_is_told_before_the_query_is_sent():
    client = Client()
    told: list[tuple[str, int]] = []
    opened = source(client, announce=lambda line: told.append((line, len(client.sent))))
    (fact,) = opened.search("Eastby Council", WINDOW, 5)
    assert [config.dry_run for config in client.sent] == [True, False]
    assert told == [("BigQuery will read 3.0 GiB (about 0.02 USD) for “Eastby Council”.", 1)]
    assert client.sent[0].use_query_cache is False
    assert client.sent[1].maximum_bytes_billed == 50 * GIB
    assert (fact.title, fact.url, fact.tone) == ("Council meets", ROW["DocumentIdentifier"], -1.25)
    assert fact.row == "gkg_partitioned 20260301101500-7"
    assert fact.detail == "Names: Eastby Council, Mira Holm"


def test_a_query_over_the_cap_is_never_sent():
    client = Client(bytes_read=60 * GIB)
    with pytest.raises(InputError, match=r"60.0 GiB.*cap of 50.0 GiB"):
        source(client).search("eastby", WINDOW, 5)
    assert [config.dry_run for config in client.sent] == [True]


def test_the_cap_holds_for_all_queries_together():
    client = Client(bytes_read=4 * GIB)
    opened = source(client, cap_bytes=9 * GIB)
    opened.search("one", WINDOW, 5)
    opened.search("two", WINDOW, 5)
    with pytest.raises(InputError, match=r"8.0 GiB already read.*cap of 9.0 GiB"):
        opened.search("three", WINDOW, 5)
    assert sum(not config.dry_run for config in client.sent) == 2


def test_the_window_and_the_name_are_parameters_never_text():
    client = Client()
    source(client).search("O'Hara (x) \\ y", WINDOW, 5)
    values = {p.name: p.value for p in client.sent[1].query_parameters}
    assert values["start"].isoformat() == "2026-03-01T00:00:00+00:00"
    assert values["end"].isoformat() == "2026-03-03T00:00:00+00:00"
    assert values["limit"] == 5
    pattern = re.sub(r"\\x\{([0-9a-f]+)\}", lambda m: re.escape(chr(int(m.group(1), 16))),
                     values["pattern"]).replace(r"\pL\pN", r"\w")  # fmt: skip
    assert re.search(pattern, "names: o'hara (x) \\ y, others")
    assert not re.search(pattern, "ohara x y")


def test_rows_outside_the_window_or_twice_are_left_out():
    rows = [ROW, ROW, {**ROW, "DATE": "20260401000000", "DocumentIdentifier": "https://x/2"},
            {**ROW, "DATE": "soon"}]  # fmt: skip
    assert len(source(Client(rows=rows)).search("eastby", WINDOW, 5)) == 1


def test_what_the_service_says_is_passed_on_as_one_error():
    with pytest.raises(OutsideError, match="403 Access denied"):
        source(Client(error=RuntimeError("403 Access denied"))).search("eastby", WINDOW, 5)


def test_a_query_without_a_word_costs_nothing():
    client = Client()
    with pytest.raises(RefusedQuery):
        source(client).search(" … ", WINDOW, 5)
    assert client.sent == []


def test_a_missing_package_says_what_to_install():
    try:
        import google.cloud.bigquery  # noqa: F401  only whether it is there
    except ImportError:
        with pytest.raises(OutsideError, match=r"uv pip install google-cloud-bigquery"):
            GdeltBigQuery()
