"""Profiles of Ray clusters, and what is made of a job server's answers, also of wrong ones."""

import json
import shlex
import subprocess
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from core.errors import ConflictError, InputError, OutsideError, StateError
from core.evaluation.run import EvaluateParams
from core.jobs.folder import RunFolder
from core.jobs.launch_record import LaunchedShard, LaunchRecord, read_launch
from core.jobs.launchers import launcher_named
from core.jobs.launchers.ray import RayLauncher, RayProfile, ray_profiles
from core.llm import keys
from tests.servers.cluster_runs import launch


class JobServer(ThreadingHTTPServer):
    """Answers as a Ray cluster's job server does, from a table of jobs."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.jobs: dict[str, dict[str, Any]] = {}
        self.stopped: list[str] = []
        self.seen: list[str] = []
        self.says: tuple[int, str] | None = None  # to whatever is asked

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class _Handler(BaseHTTPRequestHandler):
    server: JobServer

    def _answer(self, code: int, text: str) -> None:
        body = text.encode()
        self.send_response(code)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self) -> None:
        self.server.seen.append(self.headers.get("authorization", ""))
        job = self.path.rpartition("/")[2]
        if self.server.says:
            self._answer(*self.server.says)
        elif job == "version":
            self._answer(200, '{"version": "4", "ray_version": "2.60.0"}')
        elif job in self.server.jobs:
            self._answer(200, json.dumps(self.server.jobs[job]))
        else:
            self._answer(404, f"Job {job} does not exist")

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])) or b"{}")
        if self.server.says:
            self._answer(*self.server.says)
        elif self.path.endswith("/stop"):
            job = self.path.split("/")[-2]
            self.server.stopped.append(job)
            self.server.jobs[job]["status"] = "STOPPED"
            self._answer(200, '{"stopped": true}')
        else:
            self.server.jobs[body["submission_id"]] = {"status": "PENDING", **body}
            self._answer(200, json.dumps({"submission_id": body["submission_id"]}))

    def log_message(self, format: str, *args: object) -> None:
        del format, args


@pytest.fixture
def server() -> Iterator[JobServer]:
    with JobServer() as running:
        thread = threading.Thread(target=running.serve_forever)
        thread.start()
        yield running
        running.shutdown()
        thread.join()


def prepare(root: Path, items: int = 4) -> RunFolder:
    given = EvaluateParams(split="s", engine="baseline:random")
    return RunFolder.create(root, "evaluate", given, [{"id": str(n)} for n in range(items)])


def launcher(server: JobServer, **more: Any) -> RayLauncher:
    return RayLauncher("lab", RayProfile.model_validate({"address": server.address, **more}))


def states(way: RayLauncher, folder: RunFolder) -> list[str]:
    way.refresh(folder, force=True)
    return [task.state for task in launch(folder).tasks.values()]


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("[ray.lab]", "address"),
        ("[ray.lab]\naddress = 'head:8265'", "address"),
        ("[ray.lab]\naddress = 'http://h'\ngpus = -1", "gpus"),
        ("[ray.lab]\naddress = 'http://h'\ncpus = inf", "cpus"),
        ("[ray.lab]\naddress = 'http://h'\npartition = 'x'", "partition"),
        ("[ray.lab]\naddress = 'http://h'\n[ray.lab.environment]\nHF_TOKEN = 'x'", "HF_TOKEN"),
        ("[ray]\nlab = 3", "lab"),
        ("ray = 3", "ray"),
    ],
)
def test_what_is_wrong_in_a_profile_is_named(tmp_path: Path, text: str, named: str):
    (tmp_path / "launchers.toml").write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=named):
        ray_profiles(tmp_path)


def test_each_shard_is_a_job_that_takes_what_the_profile_says(server: JobServer, tmp_path: Path):
    (tmp_path / "launchers.toml").write_text(
        f'[ray.lab]\naddress = "{server.address}/"\ncpus = 2\ngpus = 0.5\nmemory = 1.5\n'
        'python = "/opt/bench seal/python"\n[ray.lab.resources]\na100 = 1\n'
        '[ray.lab.environment]\nHF_HOME = "/data/it\'s here"\n'
    )
    way = launcher_named("ray:lab", tmp_path)
    folder = prepare(tmp_path / "a folder")
    way.require()
    way.start(folder, 2)
    assert folder.state() == "queued"
    first, second = server.jobs.values()
    assert first["submission_id"] != second["submission_id"]
    assert (first["entrypoint_num_cpus"], first["entrypoint_num_gpus"]) == (2, 0.5)
    assert (first["entrypoint_memory"], first["entrypoint_resources"]) == (3 * 2**29, {"a100": 1})
    assert first["entrypoint"] == f"cd {shlex.quote(str(folder.path))} && exec bash job.sh 0/2"
    assert second["entrypoint"].endswith(" 1/2")
    script = (folder.path / "job.sh").read_text()
    subprocess.run(["bash", "-n"], input=script, text=True, check=True)
    assert "export HF_HOME='/data/it'\"'\"'s here'" in script
    assert "exec '/opt/bench seal/python' -P -m core.cli run . --shard \"$1\" >>" in script
    with pytest.raises(ConflictError):
        way.start(folder, 2)


def test_every_end_of_a_job_is_told_apart(server: JobServer, tmp_path: Path):
    way, folder = launcher(server), prepare(tmp_path, 7)
    way.start(folder, 7)
    ends: list[dict[str, Any]] = [
        {"status": "RUNNING"},
        {"status": "SUCCEEDED", "driver_exit_code": 0},
        {"status": "STOPPED"},
        {"status": "FAILED", "driver_exit_code": 3},
        {"status": "FAILED", "driver_exit_code": 137},
        {"status": "FAILED", "error_type": "JOB_SUPERVISOR_ACTOR_DIED", "message": "node died"},
        {"status": "FAILED", "error_type": "RUNTIME_ENV_SETUP_FAILURE", "message": "no\x1b env"},
    ]
    for job, end in zip(server.jobs.values(), ends, strict=True):
        job.update(end)
    known = ["running", "done", "cancelled", "failed", "killed", "killed", "failed"]
    assert states(way, folder) == known
    reasons = [task.reason for task in launch(folder).tasks.values() if task.reason]
    assert "exit code 3" in reasons[0]
    assert r"no\x1b env" in reasons[1]
    assert folder.state() == "running"


def test_what_ended_unfinished_is_submitted_again_under_a_name_of_its_own(
    server: JobServer, tmp_path: Path
):
    way, folder = launcher(server), prepare(tmp_path)
    way.start(folder, 2)
    first, second = list(server.jobs)
    server.jobs[first].update(status="FAILED", driver_exit_code=137)
    server.jobs[second].update(status="RUNNING")
    assert way.requeue(folder) == 1
    assert way.requeue(folder) == 0
    assert len(server.jobs) == 3
    assert states(way, folder) == ["queued", "running"]
    assert launch(folder).tasks[0].requeues == 1


def test_a_stop_ends_what_waits_at_once_and_what_does_not_listen_after_the_grace(
    server: JobServer, tmp_path: Path
):
    way, folder = launcher(server), prepare(tmp_path)
    way.start(folder, 2)
    first, second = list(server.jobs)
    server.jobs[second].update(status="RUNNING")
    way.stop(folder, grace=0.1)
    assert server.stopped == [first, second]
    assert folder.state() == "stopped"
    assert way.wait(folder, 10)


def test_a_cluster_that_was_started_again_has_lost_its_jobs(server: JobServer, tmp_path: Path):
    way, folder = launcher(server), prepare(tmp_path)
    way.start(folder, 2)
    server.jobs.clear()
    assert states(way, folder) == ["gone", "gone"]
    assert folder.state() == "interrupted"


@pytest.mark.parametrize(
    ("says", "named"),
    [
        ((500, "a traceback"), "500 a traceback"),
        ((401, "no token"), "401"),
        ((200, "<html>"), "cannot be used"),
        ((200, '{"status": "DREAMING"}'), "not its job server"),
        ((200, "[]"), "not its job server"),
        ((302, ""), "cannot be used"),
        ((200, "x" * 2**21), "larger than"),
    ],
)
def test_an_answer_that_is_none_is_an_error_and_ends_no_shard(
    server: JobServer, tmp_path: Path, says: tuple[int, str], named: str
):
    way, folder = launcher(server), prepare(tmp_path)
    way.start(folder, 1)
    server.says = says
    with pytest.raises(OutsideError, match=named):
        way.refresh(folder, force=True)
    assert launch(folder).tasks[0].state == "queued"


def test_a_server_that_is_none_or_away_is_said_before_anything_is_written(
    server: JobServer, tmp_path: Path
):
    way = launcher(server)
    server.says = (404, "nothing")
    with pytest.raises(OutsideError, match="not its job server"):
        way.require()
    away = RayLauncher("lab", RayProfile(address="http://127.0.0.1:9"))
    folder = prepare(tmp_path)
    with pytest.raises(OutsideError, match=r"http://127\.0\.0\.1:9 cannot be used"):
        away.require()
    assert folder.state() == "prepared"


def test_a_cluster_elsewhere_is_asked_only_where_this_person_allowed_it(tmp_path: Path):
    far = RayLauncher("far", RayProfile(address="http://ray.example:8265"))
    with pytest.raises(InputError, match=r"benchseal keys add http://ray\.example:8265"):
        far.require()
    assert read_launch(prepare(tmp_path).path) is None


def test_the_token_of_a_cluster_is_the_key_of_its_server(
    server: JobServer, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("LAB_TOKEN", "token-of-the-lab")
    keys.allow_server(server.address, variable="LAB_TOKEN")
    launcher(server).require()
    assert server.seen == ["Bearer token-of-the-lab"]


def test_a_locked_run_is_not_handed_to_a_cluster(server: JobServer, tmp_path: Path):
    given = EvaluateParams(split="s", engine="baseline:random")
    folder = RunFolder.create(tmp_path, "evaluate", given, [{"id": "1"}], key=b"k" * 32)
    with pytest.raises(StateError, match="local"):
        launcher(server).start(folder)
    assert server.jobs == {}


def test_what_its_jobs_printed_is_in_the_log(server: JobServer, tmp_path: Path):
    folder = prepare(tmp_path)
    (folder.path / "ray-0.txt").write_text("no such module\n")
    assert "== ray-0.txt\nno such module" in launcher(server).logs(folder)


def test_the_record_of_a_launch_is_read_by_its_own_launcher_alone(
    server: JobServer, tmp_path: Path
):
    folder = prepare(tmp_path)
    other = LaunchRecord(launcher="slurm:big", job="7", tasks={0: LaunchedShard(state="running")})
    other.write(folder.path)
    way = launcher(server)
    way.refresh(folder, force=True)
    assert launch(folder) == other
    assert way.requeue(folder) == 0
