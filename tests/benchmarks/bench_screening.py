"""Screening against a loopback server of 100 ms, the door's own speed, and near-duplicates.

Run by hand or from ``make bench``: ``python -m tests.benchmarks.bench_screening``.
"""

import json
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from core.families import family
from core.jobs.folder import RunFolder
from core.jobs.worker import run_worker
from core.llm.batch import ask_all
from core.llm.types import ChatRequest, ModelServer
from core.screening.near_duplicates import DuplicateIndex, near_duplicates
from core.screening.run import PrescreenParams
from core.workflow.runs.kinds import run_kind
from tests.paths import ROOT

ITEMS = 200
LATENCY_S = 0.1


@contextmanager
def model_server(folder: Path, **policy: Any) -> Iterator[str]:
    """The model server as a process of its own."""
    (folder / "policy.json").write_text(json.dumps(policy))
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.servers", "--policy", str(folder / "policy.json")],
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    )
    assert process.stdout is not None
    try:
        yield process.stdout.readline().strip()
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def screening(concurrency: int) -> None:
    """200 items, 5% 429 and 500, 3% broken JSON, as a run."""
    sample = family("scp").sample("prediction").as_json()
    work = [
        {"id": str(i), "item": {**sample, "payload": {**sample["payload"], "context": f"item-{i}"}}}
        for i in range(ITEMS)
    ]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        log = folder / "requests.jsonl"
        faults = {"rate_429": 0.025, "rate_500": 0.025, "rate_broken_json": 0.03}
        with model_server(folder, latency_s=LATENCY_S, log=str(log), **faults) as url:
            params = PrescreenParams(base_url=url, model="judge", concurrency=concurrency)
            run = RunFolder.create(folder / "runs", "prescreen", params, work)
            run_worker(run.path, 0, 1, run_kind)
        result = run.result() or {}
        times = [json.loads(line)["at"] for line in log.read_text().splitlines()]
    took = times[-1] + LATENCY_S - times[0]
    ideal = ITEMS / concurrency * LATENCY_S
    print(
        f"screening {ITEMS} items, {concurrency} at once: {took:.2f} s, ideal {ideal:.2f} s, "
        f"ratio {took / ideal:.2f}, requests {len(times)}, asked {result.get('asked')}"
    )


def door() -> None:
    """Requests a second through the client at no latency."""
    with tempfile.TemporaryDirectory() as name, model_server(Path(name)) as url:
        requests = [ChatRequest.of(str(i), f"item-{i}") for i in range(3000)]
        started = time.perf_counter()
        for _ in ask_all(ModelServer(url, "m"), requests, concurrency=16):
            pass
        print(f"door: {len(requests) / (time.perf_counter() - started):.0f} requests/s")


def duplicates(count: int) -> None:
    """Near-duplicates over mixed texts of about 1,000 characters, one in a hundred planted."""
    draw = random.Random(1)
    words = ["".join(draw.choices("abcdefghijklmnop", k=draw.randint(2, 9))) for _ in range(5000)]
    texts = [
        (f"i{i}", " ".join(draw.choices(words, k=90)) + "".join(
            chr(0x4E00 + draw.randrange(3000)) for _ in range(400)))
        for i in range(count)
    ]  # fmt: skip
    for place in range(0, count - 1, 100):
        texts[place] = (texts[place][0], texts[place + 1][1].replace("a", "o", 3))
    started = time.perf_counter()
    pairs = near_duplicates(texts)
    took = time.perf_counter() - started
    index = DuplicateIndex(texts[:5000])
    times = []
    for _, text in texts[:100]:
        at = time.perf_counter()
        index.query(text)
        times.append(time.perf_counter() - at)
    print(
        f"near-duplicates of {count} texts: {took:.1f} s, {len(pairs)} pairs of "
        f"{(count + 98) // 100} planted; one text among 5,000: median "
        f"{sorted(times)[50] * 1000:.1f} ms, p95 {sorted(times)[95] * 1000:.1f} ms"
    )


def main() -> None:
    for concurrency in (4, 8, 16):
        screening(concurrency)
    door()
    duplicates(45_000 if "--full" in sys.argv else 10_000)


if __name__ == "__main__":
    main()
