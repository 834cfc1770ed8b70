"""What sealing costs: an archive against age and SHA-256 over the same bytes, a locked run against
a plain one; processor seconds, for other work on the machine does not change them much.

Goals: a third of the speed of age with SHA-256, 3% more for an evaluation, 400 MB.
"""

import hashlib
import io
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pyrage

from core.evaluation.params import EvaluateParams
from core.files import canonical_bytes
from core.jobs.folder import RunFolder
from core.jobs.locked_rows import handed_over
from core.jobs.worker import run_worker
from core.sealing import archive
from core.sealing.archive import Locks, Unlocking
from core.sealing.commitments import CommittedRow
from core.sealing.signing import signer_at
from core.workflow.runs.kinds import run_kind
from tests.benchmarks.run import command_of
from tests.paths import ROOT
from tests.questions import work_rows
from tests.servers.model_server import LoopbackModel
from tests.splits import make_split

ITEMS, ASKED, TRIES = 20_000, 2_000, 5
KEY = bytes(range(32))
_IDENTITY = pyrage.x25519.Identity.generate()


def line(what: str, figure: str) -> None:
    print(f"{what:<58} {figure:>16}", flush=True)


def main() -> None:
    """Print one line per figure."""
    with tempfile.TemporaryDirectory(prefix="benchseal-bench-") as place:
        for size in (1, 4):
            for row in _archives(Path(place), size):
                line(*row)
        for row in _runs(Path(place)):
            line(*row)


def _cpu(work: Callable[[], object]) -> float:
    """The fewest processor seconds of some tries."""
    found = []
    for _ in range(TRIES):
        started = time.process_time()
        work()
        found.append(time.process_time() - started)
    return min(found)


def _archives(place: Path, size: int) -> Iterator[tuple[str, str]]:
    rows = [
        CommittedRow.of(
            item.uid,
            canonical_bytes({**item.as_json(), "more": f"“{'word ' * (size * 200 - 180)}”"}),
        )
        for item in make_split(ITEMS)
    ]
    plain = b"".join(row.line + b"\n" for row in rows)
    path, signer = place / "s.sealed", signer_at(place / "keys" / "signer.pem")
    locks, recipient = Locks((str(_IDENTITY.to_public()),)), _IDENTITY.to_public()

    def sealed() -> None:
        with path.open("w+b") as out:
            archive.write(out, rows, {"split": "s"}, locks, signer, bytes(32))

    def encrypted() -> None:
        hashlib.sha256(plain)
        with (place / "s.age").open("w+b") as out:
            pyrage.encrypt_io(io.BytesIO(plain), out, [recipient])

    def opened() -> None:
        with path.open("rb") as handle:
            archive.read_items(handle, Unlocking((str(_IDENTITY),)), lambda _item: None)

    writing, age, reading = _cpu(sealed), _cpu(encrypted), _cpu(opened)
    what = f"{len(plain) / ITEMS / 1000:.1f} kB an item"
    yield f"archive, {what}, items a CPU second", f"{ITEMS / writing:,.0f}"
    yield f"archive, {what}, speed of age with SHA-256", f"{age / writing:.0%}"
    yield f"archive checked and opened, {what}, items a CPU second", f"{ITEMS / reading:,.0f}"


def _runs(place: Path) -> Iterator[tuple[str, str]]:
    baseline = EvaluateParams(split="s", engine="baseline:random")
    yield from _compared(place, "baseline", baseline, ITEMS)
    with LoopbackModel(answer=lambda body: "A") as server:
        asked = EvaluateParams(split="s", engine="openai", model="m", base_url=server.url,
                               mode="chat", concurrency=64)  # fmt: skip
        yield from _compared(place, "server that answers at once", asked, ASKED)


def _compared(
    place: Path, what: str, params: EvaluateParams, count: int
) -> Iterator[tuple[str, str]]:
    """A run and the same run locked: written, done by a worker of its own, and read again."""
    tries: dict[bytes, list[tuple[float, float]]] = {b"": [], KEY: []}
    for attempt in range(TRIES):  # in turn, for what else the machine does comes and goes
        for key, found in tries.items():
            name = f"{what[:1]}{attempt}{bool(key)}"
            found.append(_of_run(place, name, params, count, key))
    (plain, _), (locked, memory) = map(min, tries.values())
    yield f"plain run, {what}, µs an item", f"{plain / count * 1e6:,.0f}"
    yield "  locked, µs an item more", f"{(locked - plain) / count * 1e6:,.0f}"
    yield "  locked, more in all", f"{locked / plain - 1:+.1%}"
    yield "  peak memory of the locked run's worker, MB", f"{memory:,.0f}"


def _of_run(
    place: Path, name: str, params: EvaluateParams, count: int, key: bytes
) -> tuple[float, float]:
    """(processor seconds of a run from its items to its records, peak MB of its worker)."""
    rows = work_rows(make_split(count))
    started = time.process_time()
    folder = RunFolder.create(place, "evaluate", params, rows, run_id=name, key=key or None)
    written, told = time.process_time() - started, place / f"{name}.txt"
    command = command_of(run_alone, str(folder.path), str(told))
    subprocess.run(command, cwd=ROOT, input=handed_over(key) if key else b"", check=True)
    worker, memory = map(float, told.read_text().split())
    started = time.process_time()
    assert len(RunFolder(folder.path, lambda: key).records()) == count
    return written + worker + time.process_time() - started, memory


def run_alone(path: str, told: str) -> None:
    """Do a run, and write the processor seconds that it took and the peak of memory in MB."""
    started = time.process_time()
    run_worker(Path(path), 0, 1, run_kind)
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    peak = int(status.partition("VmHWM:")[2].split()[0]) / 1024
    Path(told).write_text(f"{time.process_time() - started} {peak}", encoding="utf-8")


if __name__ == "__main__":
    main()
