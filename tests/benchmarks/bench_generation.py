"""SCP items per second, one process per format, and what a second process adds.

Everything counts but reading the articles from disk: filtering, sentences, TF-IDF, building,
the family's own checks of every item, hashing. The published generator made 497–567 (S), 19–25
(C) and 122–141 (P) items a second on such a machine.
"""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from core.generation.article_items import generate_from_article
from core.generation.run import prepare
from core.generation.spec import ScpFormat, ScpSpec
from core.sources.articles.article import Article
from core.sources.articles.read_paths import read_paths

ARTICLES = Path(__file__).parents[3] / "shared" / "data" / "articles"
PUBLISHED: tuple[tuple[ScpFormat, int], ...] = (
    ("sequencing", 567),
    ("cloze", 25),
    ("prediction", 141),
)
SEEDS = 5
COPIES = 60
TRIES = 2  # the better of each: other work on the machine slows two processes more than one
WORKER = """
import sys
from pathlib import Path
from core.jobs.worker import run_worker
from core.workflow.runs.kinds import run_kind
run_worker(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), run_kind)
"""


def generate(articles: Sequence[Article], format: ScpFormat, seed: int) -> int:
    """Twenty items per article of one format, from nothing but the articles."""
    spec = ScpSpec(formats=(format,), seed=seed)
    made = [generate_from_article(article, spec) for article in articles]
    return sum(len([item.content_hash for item in one.items]) for one in made)


def items_per_second(articles: Sequence[Article], format: ScpFormat) -> tuple[float, float]:
    """Median and best over the seeds."""
    generate(articles, format, 99)  # imports
    speeds = []
    for seed in range(SEEDS):
        start = time.perf_counter()
        count = generate(articles, format, seed)
        speeds.append(count / (time.perf_counter() - start))
    return sorted(speeds)[SEEDS // 2], max(speeds)


def wall(articles: Sequence[Article], processes: int) -> float:
    """Seconds for a whole run by that many fresh processes, their start included."""
    with tempfile.TemporaryDirectory() as root:
        folder = prepare(Path(root), articles, ScpSpec()).path
        start = time.perf_counter()
        workers = [
            subprocess.Popen([sys.executable, "-c", WORKER, str(folder), str(n), str(processes)])
            for n in range(processes)
        ]
        failed = [worker.wait() for worker in workers if worker.wait()]
        seconds = time.perf_counter() - start
        if failed or not (folder / "result.json").is_file():
            raise SystemExit("a worker failed")
    return seconds


def main() -> None:
    """Print the tables."""
    if not ARTICLES.is_dir():
        print("the example articles beside the project are absent: nothing to measure")
        return
    load = os.getloadavg()[0]
    start = time.perf_counter()
    articles = read_paths([ARTICLES]).articles
    reading = time.perf_counter() - start
    characters = sum(len(article.text) for article in articles)
    print(f"{len(articles)} articles, {characters:,} characters, read in {reading:.2f} s")
    print(
        f"{'format':<12}{'items/s':>9}{'best':>8}{'published':>11}{'times':>7}{'with reading':>14}"
    )
    for format, published in PUBLISHED:
        median, best = items_per_second(articles, format)
        count = generate(articles, format, 0)
        with_reading = count / (reading + count / median)
        print(
            f"{format:<12}{median:>9,.0f}{best:>8,.0f}{published:>11}{median / published:>7.1f}"
            f"{with_reading:>14,.0f}"
        )
    many = [replace(a, id=f"{a.id}-{n:03d}") for n in range(COPIES) for a in articles]
    tries = [(wall(many, 1), wall(many, 2)) for _ in range(TRIES)]
    one, two = (min(times) for times in zip(*tries, strict=True))
    print(f"{len(many)} articles: one process {one:.1f} s, two {two:.1f} s, {one / two:.2f} times")
    print(f"load of the machine before: {load:.1f} (other work on two cores takes from the second)")


if __name__ == "__main__":
    sys.exit(main())
