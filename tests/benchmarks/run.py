"""Run the benchmarks, each in a process of its own: ``python -m tests.benchmarks.run [NAME…]``.

A benchmark is a module ``bench_NAME`` in this folder whose ``main()`` prints one table, and one
entry in ``BENCHMARKS``. The status is 1 when one of them failed; the others are run all the same.
"""

import os
import subprocess
import sys
from collections.abc import Callable

from tests.paths import ROOT

BENCHMARKS: tuple[str, ...] = (
    "agreement",
    "analysis",
    "bulk",
    "compare",
    "coverage",
    "dashboards",
    "evaluation",
    "evidence",
    "generation",
    "import_wait",
    "item_bank",
    "million",
    "plans",
    "ratings",
    "review",
    "report",
    "rewriting",
    "screening",
    "sealing",
    "search",
    "start",
    "team",
    "team_troubles",
    "window",
)


def command_of(function: Callable[..., None], *words: str) -> list[str]:
    """What runs a function of a benchmark in a process of its own, however the benchmark itself
    was started: one that is the main module of its process is not imported by that name."""
    module = sys.modules[function.__module__]
    name = module.__spec__.name if module.__spec__ else module.__name__
    code = f"import sys; from {name} import {function.__name__}; {function.__name__}(*sys.argv[1:])"
    return [sys.executable, "-c", code, *words]


def run(name: str) -> bool:
    """Print the table of one benchmark; whether it ended well."""
    print(f"== {name}", flush=True)
    command = [sys.executable, "-c", f"from tests.benchmarks.bench_{name} import main; main()"]
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
    return subprocess.run(command, cwd=ROOT, env=environment).returncode == 0


def main(names: list[str]) -> int:
    """Run the named benchmarks, or all of them; the exit status."""
    if unknown := [name for name in names if name not in BENCHMARKS]:
        print(f"no such benchmark: {', '.join(unknown)}; there are {', '.join(BENCHMARKS)}")
        return 2
    failed = [name for name in names or BENCHMARKS if not run(name)]
    if failed:
        print(f"failed: {', '.join(failed)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
