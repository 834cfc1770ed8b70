"""The whole command ``benchseal report`` on 20,000 items asked by 5 instructions each.

A process of its own from the start of Python to the printed report, as people see it: wall time,
processor time in brackets, and peak memory. Below 2 s and 500 MB. ``BENCHSEAL_BENCH_ITEMS`` sets
another number of items, ``BENCHSEAL_BENCH_PLACE`` keeps the workspace.
"""

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from core.evaluation.run import EvaluateParams
from core.evaluation.types import Answer
from core.families.base import ItemContent
from core.jobs.folder import RunFolder
from core.jobs.worker import run_worker
from core.workflow.evaluation import start
from core.workflow.people import ensure_benchmark_in, ensure_task_in
from core.workflow.production.new_items import new_item
from core.workflow.runs.kinds import run_kind
from core.workflow.splits import freeze
from core.workflow.splits.prompt_variants import PromptVariants, work_of
from core.workflow.workspace import Workspace
from db import items
from db.vocabulary import ItemState

ITEMS, TASKS, VARIANTS = 20_000, 150, 5
REPEATS = 3
COMPILE_IT = """
import core.cli.parser, core.workflow.workspace, core.workflow.evaluation.score_run
import core.evaluation.usage
import core.workflow.evaluation.task_info, core.evaluation.score_intervals
import core.evaluation.report_tables
"""
# the command, and then its peak memory: what wait4 says includes the parent before exec
RUN_IT = """
import sys
from core.cli import main
code = main()
status = open("/proc/self/status", encoding="utf-8").read()
print(status.partition("VmHWM:")[2].split()[0], file=sys.stderr)
sys.exit(code)
"""
GOAL_S, GOAL_MB = 2.0, 500
LABELS = ("支持", "反对", "中立")
COMMANDS: tuple[tuple[str, ...], ...] = (
    (),
    ("--json",),
    ("--by", "category"),
    ("--by", "instruction"),
    ("--by", "task", "--csv"),
    ("--csv",),
)


def make(place: Path, count: int = ITEMS) -> str:
    """A workspace with a finished run that nobody has taken in; the run's id."""
    ws = Workspace.create(place)
    with ws.writing() as session:
        home = ensure_benchmark_in(session, "b")
        ids: list[int] = []
        for number in range(TASKS):
            profile = {"categories": [f"kind {number % 20}", f"area {number % 7}"]}
            task = ensure_task_in(session, home, f"task {number}", "instruction", profile=profile)
            made = [*_wordings(number), *_triplets(number, count // TASKS + 1)]
            left = count + TASKS * VARIANTS - len(ids)
            made = made[: left if number == TASKS - 1 else len(made)]
            ids += items.add(session, [new_item(one, task, None) for one in made])
        items.change(session, ids, state=ItemState.ACCEPTED)
    freeze.freeze(ws, "s", "b")
    folder = _asked(ws)
    _answer(folder)
    ws.close()
    return folder.spec().id


def _wordings(task: int) -> Iterator[ItemContent]:
    for n in range(VARIANTS):
        payload = {"text": f"第{task}个任务的第{n}种说法", "instruction_id": f"v{n}"}
        yield ItemContent("instruction", "instruction", payload, domain="zh")


def _triplets(task: int, count: int) -> Iterator[ItemContent]:
    """Every second task is a classification; the others are answered in free text."""
    for n in range(count):
        labels = LABELS if task % 2 else ()
        payload = {
            "instruction": "判断下面一句话的立场。",
            "input": f"第{task}个任务的第{n}句话：我们认为这个方案应当再讨论一次。" * 3,
            "output": labels[n % 3] if labels else f"答{n}",
            "labels": list(labels),
        }
        yield ItemContent("instruction", "triplet", payload, {"source": f"s{n % 40}"}, "zh")


def _asked(ws: Workspace) -> RunFolder:
    params = EvaluateParams(split="s", engine="openai", model="m", variants="all")
    info = freeze.info(ws, "s")
    params = params.model_copy(update={"split_digest": info.manifest_hash})
    work = work_of(ws, "s", PromptVariants(("all",)))
    folder = RunFolder.create(ws.runs, "evaluate", params, work, origin={"split": "s"})
    start.remember(ws, folder, params, info, "local", 1)
    return folder


def _answer(folder: RunFolder) -> None:
    """Answers as a model would write them, and the result that a worker makes of them."""
    with (folder.path / "shard-000.jsonl").open("w", encoding="utf-8") as shard:
        for n, id_ in enumerate(folder.work_ids()):
            text = f"我认为答案是{LABELS[n % 3]}。" if n % 7 else f"答{n // VARIANTS % 40}"
            answer = Answer(
                id_, text=text, finish_reason="stop", prompt_tokens=300, completion_tokens=12,
                latency_s=0.8125,
            )  # fmt: skip
            shard.write(json.dumps(answer.as_json(), ensure_ascii=False) + "\n")
    run_worker(folder.path, 0, 1, run_kind)


@dataclass(frozen=True, slots=True)
class Cost:
    """Wall and processor seconds and the peak memory in MB of a command."""

    wall: float
    cpu: float
    peak: float


def cost(place: Path, run: str, options: tuple[str, ...], around: dict[str, str]) -> Cost:
    """What one ``benchseal report`` costs, from the start of Python on."""
    words = ["--workspace", str(place), "report", run, *options]
    before, started = _children_cpu(), time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", RUN_IT, *words],
        check=True, env=around, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
    )  # fmt: skip
    wall = time.perf_counter() - started
    return Cost(wall, _children_cpu() - before, int(done.stderr.split()[-1]) / 1024)


def _children_cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def measure(place: Path, run: str, cache: Path) -> None:
    """Print the cost of every command."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    around = {**kept, "PYTHONPYCACHEPREFIX": str(cache)}
    # as after an installation, modules are compiled before anybody measures
    subprocess.run([sys.executable, "-c", COMPILE_IT], check=True, env=around)
    print(f"{'report':<24}{'s':>7}{'CPU s':>8}{'MB':>7}")
    first = cost(place, run, (), around)
    _line("the first time", first)
    for options in COMMANDS:
        found = [cost(place, run, options, around) for _ in range(REPEATS)]
        _line(" ".join(options) or "again", min(found, key=lambda one: one.wall))


def _line(name: str, one: Cost) -> None:
    print(f"{name:<24}{one.wall:7.2f}{one.cpu:8.2f}{one.peak:7.0f}", flush=True)


def main() -> None:
    """Print wall time, processor time and memory of each command."""
    count = int(os.environ.get("BENCHSEAL_BENCH_ITEMS", str(ITEMS)))
    with tempfile.TemporaryDirectory(prefix="benchseal-bench-") as folder:
        place = Path(os.environ.get("BENCHSEAL_BENCH_PLACE", "") or Path(folder) / "workspace")
        if Workspace.exists(place):
            run = next(path.name for path in (place / "runs").iterdir())
        else:
            run = make(place, count)
        print(f"{count:,} items by {VARIANTS} instructions, load {os.getloadavg()[0]:.1f}")
        print(f"goals: below {GOAL_S:g} s and {GOAL_MB} MB")
        measure(place, run, Path(folder) / "compiled")


if __name__ == "__main__":
    main()
