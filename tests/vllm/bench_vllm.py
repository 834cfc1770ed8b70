"""What our run costs beside vLLM itself, and beside lm-evaluation-harness: ``make bench-vllm``.

Two ratios, each the best of three turns that take turns, on a tiny random Llama and a CPU:
our wall time from the start of a process to the scores over that of ``lm_eval`` (at most 1), and
the time of a whole run outside the engine over a bare ``LLM.generate`` of the same prompts (below
3%).
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from core.evaluation.engines import vllm_offline
from core.evaluation.run import EvaluateParams
from core.evaluation.scoring import keys_of, score
from core.jobs.folder import RunFolder
from core.jobs.worker import run_worker
from core.own_places import allow_place, model_place
from core.release.formats import export_format
from core.workflow.runs.kinds import run_kind
from tests.questions import work_rows
from tests.splits import make_split
from tests.vllm.tiny_llama import make_model

ROOT = Path(__file__).resolve().parents[2]
ARGS: dict[str, Any] = {
    "max_model_len": 1024, "enforce_eager": True, "dtype": "float32", "max_num_seqs": 256,
    "enable_prefix_caching": False, "gpu_memory_utilization": 0.1,
}  # fmt: skip
TURNS = 3
Costs = tuple[float, float]


def prepare(place: Path, model: Path, items: int) -> RunFolder:
    given = EvaluateParams(
        split="s", engine="vllm", model=str(model), engine_args=ARGS, mode="completion"
    )
    allow_place(model_place(str(model)))
    return RunFolder.create(place, "evaluate", given, work_rows(make_split(items)))


def whole_run(path: str, items: int) -> None:
    """A process of its own: the worker, then the scores."""
    folder = run_worker(Path(path), 0, 1, run_kind)
    report = score(keys_of(make_split(items)), folder.records().values(), split="s")
    print(json.dumps({"accuracy": report.total.accuracy, "answered": report.answered}))


def ours_from_start(place: Path, model: Path, items: int) -> float:
    folder = prepare(place, model, items)
    code = f"from {__name__} import whole_run; whole_run({str(folder.path)!r}, {items})"
    return _timed([sys.executable, "-c", code.replace("__main__", "tests.vllm.bench_vllm")])


def theirs_from_start(place: Path, model: Path, export: Path, group: str) -> float:
    given = ",".join(f"{name}={value}" for name, value in ARGS.items())
    return _timed([
        str(Path(sys.executable).with_name("lm_eval")), "run", "--model", "vllm", "--model_args",
        f"pretrained={model},{given}", "--batch_size", "auto", "--include_path", str(export),
        "--tasks", group, "--log_samples", "--output_path", str(place / f"out-{time.time_ns()}"),
    ])  # fmt: skip


def _timed(command: list[str]) -> float:
    started = time.perf_counter()
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    if done.returncode:
        sys.exit(done.stderr[-3000:])
    return time.perf_counter() - started


def outside_the_engine(place: Path, model: Path, items: int) -> tuple[Costs, Costs]:
    """Seconds of (a bare generate, a whole run with the same engine in memory); best of turns.

    Each as (wall, processor time of this process): the engine computes in another process, so that
    the second is what asking and keeping costs here, whatever else the machine does.
    """
    from vllm import LLM, SamplingParams

    llm = LLM(model=str(model), seed=0, **ARGS)
    vllm_offline.__dict__.update(_load=lambda _: llm, _shut_down=lambda _: None)
    rows = work_rows(make_split(items))
    prompts = [row["prompt"] for row in rows]
    settings = [
        SamplingParams(
            temperature=0.0, max_tokens=row["max_tokens"], stop=list(row["stop"]), seed=0
        )
        for row in rows
    ]
    llm.generate(prompts[:200], settings[:200], use_tqdm=False)
    bare, whole = [], []
    for _ in range(TURNS):
        bare.append(_costs(lambda: llm.generate(prompts, settings, use_tqdm=False)))
        path = prepare(place, model, items).path
        whole.append(_costs(lambda p=path: run_worker(p, 0, 1, run_kind)))
    llm.llm_engine.engine_core.shutdown()
    print("each turn, in s: bare", *[f"{wall:.1f}" for wall, _ in bare],
          "our run", *[f"{wall:.1f}" for wall, _ in whole])  # fmt: skip
    return min(bare), min(whole)


def _costs(work: Callable[[], Any]) -> Costs:
    wall, processor = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - wall, time.process_time() - processor


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--items", type=int, default=5000)
    parser.add_argument("--only", choices=("start", "outside"))
    given = parser.parse_args()
    print(f"load of this machine: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores", flush=True)
    with tempfile.TemporaryDirectory(prefix="benchseal-bench-") as name:
        place = Path(name)
        model = make_model(place / "llama")
        if given.only != "start":
            bare, whole = outside_the_engine(place / "runs", model, given.items)
            share, own = (whole[0] - bare[0]) / bare[0], (whole[1] - bare[1]) / bare[0]
            print(f"{given.items} prompts: bare LLM.generate {bare[0]:.1f} s (processor here "
                  f"{bare[1]:.1f} s), our run {whole[0]:.1f} s ({whole[1]:.1f} s)")  # fmt: skip
            print(f"outside the engine: {100 * share:+.1f}% by the clock, {100 * own:+.1f}% by "
                  "processor time (wanted: below 3%)", flush=True)  # fmt: skip
        if given.only != "outside":
            items = make_split(given.items)
            group = export_format("lm-eval").export(items, "bench", place / "export").entry
            ours, theirs = [], []
            for _ in range(TURNS):
                ours.append(ours_from_start(place / "runs", model, given.items))
                theirs.append(theirs_from_start(place, model, place / "export", group))
            print(f"from start to scores: ours {min(ours):.1f} s, lm_eval {min(theirs):.1f} s, "
                  f"ratio {min(ours) / min(theirs):.2f}", flush=True)  # fmt: skip


if __name__ == "__main__":
    main()
