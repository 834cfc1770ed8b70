"""Knowledge: sources by name, searches within the window, and look-ups that fail."""

import asyncio
from datetime import date
from pathlib import Path

import pytest

from core.errors import InputError, NotFoundError, OutsideError
from core.rewriting.call_log import CallLog, read_calls
from core.rewriting.knowledge import KnowledgeLookup, open_source, search_knowledge
from core.sources.labelled.datasets import LabelledExample
from core.sources.news.events import Window
from tests.core.rewriting.scripted_model import cast, write_news
from tests.servers.gdelt_server import GdeltServer

WINDOW = Window(date(2026, 1, 1), date(2026, 12, 31))


def test_sources_are_opened_by_name(tmp_path: Path):
    with GdeltServer() as server:
        for spec in (f"gdelt-doc:{server.url}", "gdelt-doc"):
            source = open_source(spec, cache=tmp_path)
            assert source.identity.startswith("gdelt-doc:http")
            source.close()
    for spec in ("", "gdelt-files", "gdelt-files:", "wikipedia", "/some/dir"):
        with pytest.raises(InputError, match="gdelt-doc, gdelt-bigquery, gdelt-files:DIR"):
            open_source(spec)
    with pytest.raises(NotFoundError, match="no folder"):
        open_source(f"gdelt-files:{tmp_path / 'absent'}")


def test_search_gives_facts_of_the_window(tmp_path: Path):
    examples = [LabelledExample(id="1", text="the violin is back", label="joy")]
    news = write_news(tmp_path / "news", cast(examples, 1))
    spec = f"gdelt-files:{news}"
    days = (date(2026, 3, 1), date(2026, 3, 1))
    (found,) = search_knowledge(spec, "Zorvia council", *days, cache=tmp_path)
    assert (found.tone, found.seen.date()) == (-1.5, days[0])
    assert (
        search_knowledge(spec, "zorvia", date(2026, 3, 2), date(2026, 4, 1), cache=tmp_path) == []
    )
    assert search_knowledge(spec, "zorvia", *days, 0, cache=tmp_path) == []


def test_a_refused_name_is_noted_and_the_others_are_looked_up(tmp_path: Path):
    with GdeltServer(faults=["too_short"]) as server, CallLog(tmp_path, 0) as log:
        source = open_source(f"gdelt-doc:{server.url}", cache=tmp_path / "k")
        with KnowledgeLookup(source, WINDOW, log, 5) as library:
            answer = asyncio.run(library.look_up("i", ["a", "ferry"]))
            again = asyncio.run(library.look_up("j", ["a", "ferry"]))
    assert list(answer["refused"]) == ["a"]
    assert answer["found"] == {"ferry": []}
    assert again == answer
    assert len(server.asked) == 2


def test_a_source_that_fails_ends_the_look_up(tmp_path: Path):
    with GdeltServer(faults=["404"]) as server, CallLog(tmp_path, 0) as log:
        source = open_source(f"gdelt-doc:{server.url}", cache=tmp_path / "k")
        with KnowledgeLookup(source, WINDOW, log, 5) as library, pytest.raises(OutsideError):
            asyncio.run(library.look_up("i", ["ferry"]))
    assert list(read_calls(tmp_path)) == []
