"""Rewriting: the pipeline's own cost, and how near it comes to the server's ideal; news search.

Run by hand or from ``make bench``: ``python -m tests.benchmarks.bench_rewriting [--quick]``.
"""

import multiprocessing
import os
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from typing import Any

from core.jobs.folder import RunFolder
from core.jobs.worker import run_worker
from core.own_places import PLACES_VARIABLE
from core.rewriting.params import RewriteParams, work_of
from core.rewriting.run_progress import RewriteProgressReader
from core.sources.labelled.datasets import EMOTION, LabelledExample
from core.sources.news.events import Window
from core.sources.news.gdelt_columns import EVENTS
from core.sources.news.gdelt_files import GdeltFiles
from core.workflow.runs.kinds import run_kind
from tests.core.rewriting.scripted_model import Part, ScriptedModel, write_news
from tests.servers.model_server import LoopbackModel, Policy

CONCURRENCY = 64
WINDOW = (date(2026, 1, 1), date(2026, 6, 30))


def _parts(count: int) -> list[Part]:
    """Items of our own words, each with a name that no other one has."""
    letters = "bcdfghjklm"
    parts = []
    for number in range(count):
        name = "Mira" + "".join(letters[int(digit)] for digit in f"{number:04d}")
        text = f"So glad that {name} came to see us by the sea, what a day it was for everyone"
        example = LabelledExample(id=f"own-{number}", text=text, label="joy")
        parts.append(Part(number, example, "good", name))
    return parts


def _serve(parts: list[Part], latency_s: float, pipe: Any) -> None:
    with LoopbackModel(Policy(latency_s=latency_s), answer=ScriptedModel(EMOTION, parts)) as server:
        pipe.send(server.url)
        pipe.recv()
        pipe.send(len(server.seen))


@contextmanager
def _scripted_server(parts: list[Part], latency_s: float) -> Iterator[tuple[str, list[int]]]:
    """The model as a process of its own; the list has its number of calls afterwards."""
    ours, theirs = multiprocessing.Pipe()
    calls: list[int] = []
    process = multiprocessing.get_context("spawn").Process(
        target=_serve, args=(parts, latency_s, theirs)
    )
    process.start()
    try:
        yield ours.recv(), calls
        ours.send(None)
        calls.append(ours.recv())
    finally:
        process.kill()
        process.join()


def rewriting(items: int, latency_s: float) -> None:
    """A whole run; every item is good at once and takes seven calls."""
    parts = _parts(items)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        os.environ[PLACES_VARIABLE] = f"gdelt-files:{folder / 'news'}"
        with _scripted_server(parts, latency_s) as (url, calls):
            params = RewriteParams(
                task=EMOTION,
                base_url=url,
                model="writer",
                knowledge=f"gdelt-files:{write_news(folder / 'news', parts)}",
                since=WINDOW[0],
                until=WINDOW[1],
                concurrency=CONCURRENCY,
            )
            run = RunFolder.create(
                folder / "runs", "rewrite", params, work_of(part.example for part in parts)
            )
            started, cpu = time.perf_counter(), time.process_time()
            run_worker(run.path, 0, 1, run_kind)
            took, cpu = time.perf_counter() - started, time.process_time() - cpu
        result = run.result() or {}
        ideal = calls[0] * latency_s / CONCURRENCY
        told = f"ratio {took / ideal:.2f}" if latency_s else "no latency"
        print(
            f"rewriting {items} items, {calls[0]} calls of {latency_s * 1000:.0f} ms, "
            f"{CONCURRENCY} at once: {took:.1f} s, ideal {ideal:.1f} s, {told}; own cost "
            f"{cpu / items * 1000:.1f} ms an item, {cpu / calls[0] * 1000:.2f} ms a call; "
            f"accepted {result['funnel']['accepted']}"
        )
        _look(run.path)


def _look(folder: Path) -> None:
    """What the panel of the run reads: everything once, then only what was added."""
    reader = RewriteProgressReader(folder)
    times = []
    for _ in range(2):
        started = time.perf_counter()
        reader.read()
        times.append(time.perf_counter() - started)
    started = time.perf_counter()
    reader.trace("own-7")
    times.append(time.perf_counter() - started)
    first, again, journey = (f"{took * 1000:.1f} ms" for took in times)
    print(f"  its funnel: first look {first}, next look {again}, one journey {journey}")


def news(rows: int) -> None:
    """Entity queries over one file of event rows."""
    names = ["EASTBY", "UNITED STATES", *(f"ACTOR {n}" for n in range(998))]
    cells = dict.fromkeys(EVENTS, "") | {
        "SQLDATE": "20260310", "EventRootCode": "04", "NumArticles": "3", "AvgTone": "1.25",
        "DATEADDED": "20260310101500",
    }  # fmt: skip
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "news"
        folder.mkdir()
        with (folder / "big.export.CSV").open("w", encoding="utf-8") as file:
            for number in range(rows):
                cells["GLOBALEVENTID"] = str(number)
                cells["Actor1Name"] = names[number % 1000] if number % 3 else names[1]
                cells["SOURCEURL"] = f"https://news.example.org/a/{number}"
                file.write("\t".join(cells[column] for column in EVENTS) + "\n")
        started = time.perf_counter()
        source = GdeltFiles(folder, cache=Path(name) / "cache")
        print(f"index of {rows} event rows: {time.perf_counter() - started:.1f} s, once")
        for query in ("Eastby", "actor 77", "united states", "nobody at all"):
            times = []
            for _ in range(5):
                started = time.perf_counter()
                source.search(query, Window(*WINDOW), 20, exact=True)
                times.append(time.perf_counter() - started)
            print(f"  {query}: median {sorted(times)[2] * 1000:.0f} ms, worst {max(times):.2f} s")
        source.close()


def main() -> None:
    quick = "--quick" in sys.argv
    rewriting(100 if quick else 500, 0.0)
    rewriting(200 if quick else 1000, 0.5)
    news(100_000 if quick else 1_000_000)
    assert threading.active_count() == 1


if __name__ == "__main__":
    main()
