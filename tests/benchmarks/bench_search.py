"""Search over 45,000 mixed items, filters over 1,000,000, live duplicate warnings over 5,000."""

import random
import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from core.families.base import ItemContent
from core.workflow.items import search
from core.workflow.items.search import Filters
from core.workflow.people import ensure_benchmark_in, ensure_task_in
from core.workflow.production import duplicates, new_items
from core.workflow.workspace import DATABASE, Workspace
from db import items
from db.benchmarks import TaskRow
from db.vocabulary import ItemState

SEARCHED, FILTERED, COMPARED = 45_000, 1_000_000, 5_000
SEARCH_LIMIT_MS, FILTER_LIMIT_MS, WARN_LIMIT_MS = 50.0, 100.0, 50.0
ENGLISH = (
    *("the", "model", "signal", "theory", "harbour", "matrix", "answer", "of", "question"),
    *("glacier", "method", "ledger", "and", "sample", "river", "orchard", "evidence", "kernel"),
    *("mirror", "is", "archive", "gradient", "to", "vessel", "census", "lattice"),
)
CHINESE = (
    "山水风云春秋日月江河湖海花草树木鸟兽虫鱼天地人和金石土火东西南北古今远近高低大小的一是不了"
)
RARE = ("旋律", "zebrafish", '"', "量子纠缠")
WORDS = (
    "旋律",
    "the",
    '"',
    "not there at all",
    "没有这个词",
    "水",
    "of",
    "zebrafish",
    "theory",
    "江河",
)
Loaded = tuple[Workspace, TaskRow]


def payload(number: int, seed: int = 7) -> dict[str, str]:
    """About 900 bytes, half English and half Chinese; one in a hundred has a rare word."""
    rng = random.Random(seed * 1_000_003 + number)
    english = " ".join(rng.choices(ENGLISH, k=34))
    chinese = "".join(rng.choices(CHINESE, k=190))
    rare = rng.choice(RARE) if rng.random() < 0.01 else ""
    output = "".join(rng.choices(CHINESE, k=30))
    return {"instruction": "回答。", "input": f"{english}{rare}{chinese}。", "output": output}


def milliseconds(call: Callable[[], object], times: int) -> list[float]:
    """The durations of several runs, ascending."""
    found = []
    for _ in range(times):
        start = time.perf_counter()
        call()
        found.append((time.perf_counter() - start) * 1e3)
    return sorted(found)


def p95(durations: list[float]) -> float:
    """The 95th percentile of sorted durations."""
    return durations[min(len(durations) - 1, int(len(durations) * 0.95))]


def load(folder: Path, count: int) -> Loaded:
    """A workspace of ``count`` items in one task, with their search index."""
    ws = Workspace.create(folder)
    with ws.writing() as session:
        benchmark = ensure_benchmark_in(session, "b")
        task = ensure_task_in(session, benchmark, "t", "instruction")
        for start in range(0, count, 1000):
            contents = [
                ItemContent("instruction", "triplet", payload(number))
                for number in range(start, min(count, start + 1000))
            ]
            new = [new_items.new_item(c, task, None) for c in contents]
            items.add(session, new)
    return ws, task


def multiply(folder: Path, count: int) -> None:
    """Copy the first item's row to ``count`` rows of mixed states and labels, without texts."""
    states = [str(state) for state in ItemState]
    connection = sqlite3.connect(folder / DATABASE)
    cursor = connection.execute("SELECT * FROM item LIMIT 1")
    names = [column[0] for column in cursor.description]
    first = dict(zip(names, cursor.fetchone(), strict=True))
    rng = random.Random(3)

    def rows():
        for number in range(10_000_000, 10_000_000 + count):
            first.update(id=number, content_hash=f"{number:064d}", state=rng.choice(states))
            first.update(label="rare" if number % 9973 == 0 else "common")
            first.update(disputed=int(number % 1009 == 0))
            yield tuple(first.values())

    places = ",".join("?" * len(names))
    connection.executemany(f"INSERT INTO item ({','.join(names)}) VALUES ({places})", rows())
    connection.commit()
    connection.close()


def search_rows(ws: Workspace) -> bool:
    """Times of a page with its count; whether all are within the limit."""
    kept = True
    for words in WORDS:
        found = search.page(ws, Filters(words=words), viewer="")
        times = milliseconds(
            lambda words=words: search.page(ws, Filters(words=words), viewer=""), 40
        )
        total = f"{found.total}{'+' if found.capped else ''}"
        print(f"  {words:20} {total:>8} found {times[20]:8.1f} {p95(times):8.1f}")
        kept &= p95(times) <= SEARCH_LIMIT_MS
    return kept


def filter_rows(ws: Workspace) -> bool:
    """The same for filters over many rows."""
    chosen = {
        "nothing": Filters(),
        "a benchmark": Filters(benchmark="b"),
        "one state of a task": Filters(benchmark="b", task="t", states=("accepted",)),
        "four states": Filters(benchmark="b", stage=2),
        "a rare label": Filters(benchmark="b", label="rare"),
        "disputed": Filters(benchmark="b", disputed=True),
        "a family": Filters(benchmark="b", family="instruction"),
    }
    kept = True
    for name, filters in chosen.items():
        times = milliseconds(lambda filters=filters: search.page(ws, filters, viewer=""), 20)
        print(f"  {name:36} {times[10]:8.1f} {p95(times):8.1f}")
        kept &= p95(times) <= FILTER_LIMIT_MS
    exact = milliseconds(lambda: search.page(ws, Filters(benchmark="b"), exact=True, viewer=""), 3)
    print(f"  {'a benchmark, counted to the end':36} {exact[1]:8.1f}")
    return kept


def warn_rows(ws: Workspace) -> bool:
    """The live warning after its first call."""
    watch = duplicates.DuplicateWatch(ws, "t", "b")
    text = f"{payload(17)['input']}\n{payload(17)['output']}"
    first = milliseconds(lambda: watch.similar_to(text), 1)[0]
    times = milliseconds(lambda: watch.similar_to(text), 40)
    print(f"  first call {first:.0f} ms, then {times[20]:8.1f} {p95(times):8.1f}")
    return p95(times) <= WARN_LIMIT_MS


def main() -> None:
    """Print the tables; status 1 where a promise is not kept."""
    with tempfile.TemporaryDirectory() as folder:
        start = time.perf_counter()
        ws, _ = load(Path(folder) / "search", SEARCHED)
        took = time.perf_counter() - start
        print(f"{SEARCHED:,} items with their search index written in {took:.1f} s")
        print(f"search, first page and count{'':18} median ms      p95")
        kept = search_rows(ws)
        multiply(Path(folder) / "search", FILTERED)
        print(f"filters over {FILTERED:,} items, first page and count to 10,000")
        kept &= filter_rows(ws)
        ws.close()
        ws, _ = load(Path(folder) / "warn", COMPARED)
        print(f"duplicate warning over {COMPARED:,} texts")
        kept &= warn_rows(ws)
        ws.close()
    if not kept:
        print("a limit was not kept")
        sys.exit(1)


if __name__ == "__main__":
    main()
