"""Sealing a split beside encrypting and hashing the same bytes, and what follows a sealing.

Every step is the command that people type, in a process of its own, with its processor and wall
time and its peak memory. ``--items N`` sets the size (45,000), ``--letters N`` how long an item's
text is at most. Goals: freezing and sealing a million items within 400 MB, at a third of the speed
of age with SHA-256 at least; exposures within a second.
"""

import hashlib
import json
import os
import sys
import tempfile
import time
from pathlib import Path

import pyrage

from core.workflow import people
from core.workflow.workspace import Workspace
from tests.benchmarks.bench_bulk import ITEMS, Step, as_row, run
from tests.benchmarks.bench_million import approve, print_steps
from tests.workload import BENCHMARK, content

LEAD, SPLIT = "Lead", "s"
LETTERS = 4000


def write_rows(path: Path, count: int, letters: int) -> None:
    """A file of so many rows, no text of which is longer."""
    with path.open("w", encoding="utf-8") as handle:
        for number in range(count):
            row = as_row(content(number))
            row |= {name: row[name][:letters] for name in ("input", "output")}
            row["input"] += f" ({number})"
            handle.write(json.dumps(row, ensure_ascii=False) + "\n")


def encrypted(source: Path, target: Path) -> float:
    """Processor seconds that age and SHA-256 take for the bytes of a file."""
    began = time.process_time()
    key = pyrage.x25519.Identity.generate().to_public()
    pyrage.encrypt_file(str(source), str(target), [key])
    with source.open("rb") as handle:
        hashlib.file_digest(handle, "sha256")
    return time.process_time() - began


def measure(folder: Path, count: int, letters: int) -> None:
    """Print what each step takes at a number of items."""
    place, rows = folder / "workspace", folder / "rows.jsonl"
    write_rows(rows, count, letters)
    print(f"{count:,} items, {rows.stat().st_size / 2**20:,.0f} MB, load {os.getloadavg()[0]:.1f}")
    home, by = ("--benchmark", BENCHMARK), ("--user", LEAD)
    print_steps({"import": run(place, "import", str(rows), "--task", "t", *home)})
    people.ensure_person(Workspace.open(place), LEAD, "lead")
    approve(place)
    print_steps({"freeze": run(place, "freeze", SPLIT, *home, "--unchecked", "a benchmark")})
    items = place / "releases" / SPLIT / "items.jsonl"
    bare = encrypted(items, folder / "bare.age")
    identity = pyrage.x25519.Identity.generate()
    (folder / "key").write_text(str(identity), encoding="utf-8")
    asked = ("evaluate", SPLIT, "--engine", "baseline:tfidf", "--model", "m", "--wait", *by)
    plain = _asked(place, asked, count)
    out = folder / "s.sealed"
    to = ("--recipient", str(identity.to_public()))
    sealing = run(place, "seal", SPLIT, "--out", str(out), *to, *by)
    print_steps({"seal": sealing})
    print(f"age and SHA-256 {bare:.2f} s: sealing takes {sealing.cpu / bare:.1f} times that")
    key = ("--identity", str(folder / "key"))
    print_steps({"open": run(place, "split", "open", SPLIT, "--reason", "a benchmark", *key, *by)})
    sealed = _asked(place, asked, count)
    if plain and sealed:
        print_steps({"evaluate": plain, "sealed": sealed})
    print_steps(
        {
            "exposures": run(place, "exposures", *by),
            "archive": run(place, "verify", "--archive", str(out)),
            "expire": run(place, "split", "expire", SPLIT, *by),
        }
    )


def _asked(place: Path, words: tuple[str, ...], count: int) -> Step | None:
    """What an evaluation takes; of so many items that it takes minutes, none is made."""
    return run(place, *words) if count <= ITEMS else None


def main() -> None:
    """Print the table."""
    words = sys.argv[1:]
    named = {
        name: int(words[words.index(name) + 1]) if name in words else usual
        for name, usual in (("--items", ITEMS), ("--letters", LETTERS))
    }
    with tempfile.TemporaryDirectory(prefix="benchseal-bench-") as folder:
        os.environ["XDG_DATA_HOME"] = folder
        measure(Path(folder), named["--items"], named["--letters"])


if __name__ == "__main__":
    main()
