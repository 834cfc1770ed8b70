"""What is asked of a run on a cluster, whichever scheduler has it, and a model to ask there."""

from pathlib import Path

from core.evaluation.run import EvaluateParams
from core.jobs.folder import RunFolder
from core.jobs.launch_record import LaunchRecord, read_launch
from core.jobs.worker import run_worker
from core.workflow.runs.kinds import run_kind
from tests.questions import work_rows
from tests.servers.model_server import LoopbackModel, Policy, asked_text
from tests.splits import make_split

SHARDS = 4


def letter(body: dict) -> str:
    """A model that always says the same to the same question."""
    return "ABCD"[sum(asked_text(body).encode()) % 4]


def slow_model() -> LoopbackModel:
    """One that can be caught at work: a shard of 20 takes longer than a busy machine needs to
    begin the others."""
    return LoopbackModel(Policy(latency_s=2.0), answer=letter)


def prepare(root: Path, server: LoopbackModel, items: int = 80) -> RunFolder:
    given = EvaluateParams(
        split="s", engine="openai", model="m", base_url=server.url, mode="completion",
        concurrency=1,
    )  # fmt: skip
    return RunFolder.create(root, "evaluate", given, work_rows(make_split(items)))


def launch(folder: RunFolder) -> LaunchRecord:
    found = read_launch(folder.path)
    assert found is not None
    return found


def lines(folder: RunFolder, shard: int) -> int:
    path = folder.path / f"shard-{shard:03d}.jsonl"
    return path.read_bytes().count(b"\n") if path.exists() else 0


def worker_pid(folder: RunFolder, shard: int) -> int:
    return int(folder.read_progress()[f"{shard}/{launch(folder).shards}"]["pid"])


def answers(folder: RunFolder) -> dict[str, str]:
    return {name: record["text"] for name, record in folder.records().items()}


def single_run(root: Path, server: LoopbackModel) -> dict[str, str]:
    """The answers that one worker of this machine gets."""
    folder = prepare(root, server)
    spec = folder.path / "spec.json"
    spec.write_text(spec.read_text().replace('"concurrency": 1', '"concurrency": 64'))
    run_worker(folder.path, 0, 1, run_kind)
    return answers(folder)
