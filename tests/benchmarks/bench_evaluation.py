"""What evaluation costs beside the model: asking, journalling, resuming, scoring, exporting."""

import json
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from core.evaluation.breakdown import TaskSummary, breakdown
from core.evaluation.engines import engine
from core.evaluation.run import EvaluateParams
from core.evaluation.scoring import AnswerKey, score
from core.evaluation.types import Answer, EngineContext, EngineParams, Question
from core.jobs.folder import RunFolder
from core.jobs.worker import run_worker
from core.release.formats import EXPORT_FORMATS
from core.workflow.runs.kinds import run_kind
from tests.benchmarks.run import command_of
from tests.paths import ROOT
from tests.questions import variant_keys, variant_rows, work_rows
from tests.servers.model_server import LoopbackModel
from tests.splits import make_split

ITEMS, VARIANTS = 20_000, 5
ASKED = 2_000


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    started = time.perf_counter()
    found = work()
    return time.perf_counter() - started, found


def line(what: str, figure: str) -> None:
    print(f"{what:<58} {figure:>16}")


def main() -> None:
    """Print one line per figure."""
    with tempfile.TemporaryDirectory(prefix="benchseal-bench-") as place:
        for row in (*_baselines(), *_server(Path(place)), *_worker(Path(place))):
            line(*row)
        for row in (*_report(Path(place)), *_exports(Path(place))):
            line(*row)


def _questions(count: int) -> list[Question]:
    return [Question.from_json(row) for row in work_rows(make_split(count))]


def _baselines() -> Iterator[tuple[str, str]]:
    asked = _questions(ASKED)
    for name in ("baseline:random", "baseline:tfidf"):
        context = EngineContext(EngineParams(engine=name), Path())
        seconds, _ = timed(lambda n=name, c=context: list(engine(n).answer(asked, c)))
        yield f"{name}, answers a second", f"{ASKED / seconds:,.0f}"


def _server(place: Path) -> Iterator[tuple[str, str]]:
    asked = _questions(ASKED)
    with LoopbackModel(answer=lambda body: "A") as server:
        given = EngineParams(engine="openai", model="m", base_url=server.url, concurrency=64)
        seconds, _ = timed(
            lambda: list(engine("openai").answer(asked, EngineContext(given, place)))
        )
    yield "openai, server that answers at once, answers a second", f"{ASKED / seconds:,.0f}"


def _worker(place: Path) -> Iterator[tuple[str, str]]:
    given = EvaluateParams(split="s", engine="baseline:random")
    folder = RunFolder.create(place, "evaluate", given, work_rows(make_split(ITEMS)))
    seconds, _ = timed(lambda: run_worker(folder.path, 0, 1, run_kind))
    yield "whole run with a baseline, items a second", f"{ITEMS / seconds:,.0f}"


def _report(place: Path) -> Iterator[tuple[str, str]]:
    """20,000 items by 5 instructions: below 2 s, below 500 MB, resume scan below 1 s."""
    items = make_split(ITEMS)
    names = [f"v{n}" for n in range(VARIANTS)]
    keys: Sequence[AnswerKey] = variant_keys(items, names)
    folder = RunFolder.create(
        place,
        "evaluate",
        EvaluateParams(split="s", engine="openai"),
        variant_rows(items, dict.fromkeys(names, "Choose.")),
    )
    with (folder.path / "shard-000.jsonl").open("w", encoding="utf-8") as shard:
        for n, key in enumerate(keys):
            text = f"The answer is {key.answer if n % 3 else 'unknown to me'}, I think"
            shard.write(json.dumps(Answer(key.id, text=text, prompt_tokens=300).as_json()) + "\n")
    seconds, finished = timed(folder.finished_ids)
    yield f"resume scan of {len(finished):,} answers, s", f"{seconds:.2f}"
    # a process of its own, so that its memory is that of a report and nothing else
    command = command_of(report_alone, str(folder.path))
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    seconds, cut, peak = map(float, done.stdout.split())
    yield f"report over {len(keys):,} answers, read and scored, CPU s", f"{seconds:.2f}"
    yield "the same, then cut by category of 140 tasks, CPU s", f"{cut:.2f}"
    yield "peak memory of the process that reports, MB", f"{peak:,.0f}"


def report_alone(path: str) -> None:
    """Print the processor seconds of a report from the folder and of a cut, and the peak in MB."""
    items = make_split(ITEMS)
    keys = variant_keys(items, [f"v{n}" for n in range(VARIANTS)])
    facts = {
        item.uid: TaskSummary(f"task {n % 140}", (f"category {n % 20}", f"category {n % 7}"))
        for n, item in enumerate(items)
    }
    started = time.process_time()
    report = score(keys, RunFolder(Path(path)).records().values())
    report.as_json()
    scored = time.process_time()
    breakdown(report, "category", facts).as_json()
    print(scored - started, time.process_time() - scored, _peak_mb())


def _peak_mb() -> float:
    """Peak memory of this process alone; what getrusage says includes the parent before exec."""
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    return int(status.partition("VmHWM:")[2].split()[0]) / 1024


def _exports(place: Path) -> Iterator[tuple[str, str]]:
    items = make_split(ASKED)
    for form in EXPORT_FORMATS:
        seconds, _ = timed(lambda f=form: f.export(items, "bench", place / f.name))
        yield f"export {form.name} with reading back, items a second", f"{ASKED / seconds:,.0f}"


if __name__ == "__main__":
    main()
