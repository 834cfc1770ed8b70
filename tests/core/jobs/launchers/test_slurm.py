"""Profiles, batch scripts and the reading of what Slurm's commands print."""

import subprocess
import sys
from pathlib import Path

import pytest

from core.errors import InputError, NotFoundError, OutsideError
from core.jobs.folder import RunFolder
from core.jobs.launch_record import LaunchedShard, LaunchRecord, read_launch
from core.jobs.launchers import launcher_named
from core.jobs.launchers.cluster import Cluster
from core.jobs.launchers.slurm import SlurmLauncher
from core.jobs.launchers.slurm_profiles import SlurmProfile, slurm_profiles
from core.jobs.launchers.slurm_script import render
from core.jobs.launchers.slurm_states import ask_states, read_sacct, read_scontrol, read_squeue
from core.workflow.runs.kinds import run_kind

PROFILE = """
[slurm.big]
partition = "gpu"
account = "nlp"
gpus = "a100:4"
cpus = 8
memory = "64G"
time = "1-12:00:00"
modules = ["cuda/12.4", "python/3.11"]
options = ["--constraint=nvlink"]
at_once = 2

[slurm.big.environment]
HF_HOME = "/data/it's here"
"""


def write(folder: Path, text: str) -> Path:
    (folder / "launchers.toml").write_text(text, encoding="utf-8")
    return folder


def test_a_profile_becomes_a_script_that_bash_understands(tmp_path: Path):
    profile = slurm_profiles(write(tmp_path, PROFILE))["big"]
    script = render(profile, "20260102-run", 4)
    wanted = [
        "--array=0-3%2", "--partition=gpu", "--account=nlp", "--gres=gpu:a100:4", "--mem=64G",
        "--cpus-per-task=8", "--time=1-12:00:00", "--constraint=nvlink", "--requeue",
        "--job-name=20260102-run",
    ]  # fmt: skip
    assert {f"#SBATCH {option}" for option in wanted} <= set(script.splitlines())
    assert "module load cuda/12.4\nmodule load python/3.11\n" in script
    assert script.splitlines()[-1].startswith(f"exec {sys.executable} -P -m core.cli run . --shard")
    bash(script)
    shown = script[: script.index("type module")] + script[script.index("export HF_HOME") :]
    shown = shown[: shown.index("exec ")] + 'printf %s "$HF_HOME"\n'
    done = subprocess.run(["bash", "-c", shown], capture_output=True, text=True, check=True)
    assert done.stdout == "/data/it's here"


def test_the_interpreter_may_lie_in_somebodys_home():
    script = render(SlurmProfile(python="~/my env/bin/python"), "run", 1)
    assert script.splitlines()[-1].startswith("exec ~/'my env/bin/python' -P -m core.cli run")


def bash(script: str) -> None:
    subprocess.run(["bash", "-n"], input=script, text=True, check=True)


def test_several_machines_are_joined_by_ray_before_the_worker_starts():
    script = render(SlurmProfile(nodes=2, gpus=8, partition="gpu"), "run", 1)
    assert "#SBATCH --nodes=2" in script
    assert script.index("ray start --head") < script.index("ray start --address")
    assert script.index("ray start --address") < script.index("exec ")
    bash(script)


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("[slurm.big]\npartitions = 'x'", "partitions"),
        ("[slurm.big]\npartition = 'x\\n#SBATCH --uid=0'", "partition"),
        ("[slurm.big]\noptions = ['rm -rf']", "options"),
        ("[slurm.big]\nhost = '-oProxyCommand=x'\nfolder = '/d'", "host"),
        ("[slurm.big]\nhost = 'login'", "folder"),
        ("[slurm.big]\ngpus = -1", "gpus"),
        ("[slurm.big]\noptions = ['--array=0-99']", "--array"),
        ("[slurm.big]\noptions = ['--wrap=ls']", "--wrap"),
        ("[slurm.big.environment]\nSSH_KEY = 'x'", "SSH_KEY"),
        ("[slurm.big.environment]\nHTTP_COOKIE = 'x'", "HTTP_COOKIE"),
        ("[slurm.big.environment]\nHTTPS_PROXY = 'http://me:x@proxy'", "user:password@"),
        ("[slurm.big]\noptions = ['--export=ALL,HF_TOKEN=x']", "HF_TOKEN"),
        ("[slurm.big.environment]\n'变量' = 'x'", "environment"),
        ("[slurm.big]\ntime = 'soon'", "time"),
        ("[slurm.big.environment]\nOPENAI_API_KEY = 'k'", "OPENAI_API_KEY"),
        ("[slurm.big.environment]\n'A;B' = 'k'", "environment"),
        ("[slurm]\nbig = 3", "big"),
        ("slurm = 3", "slurm"),
        ("[slurm.big", "launchers.toml"),
    ],
)
def test_what_is_wrong_in_the_file_is_named(tmp_path: Path, text: str, named: str):
    with pytest.raises(InputError, match=named):
        slurm_profiles(write(tmp_path, text))


def test_an_unreadable_file_and_an_unknown_profile_are_said(tmp_path: Path):
    assert slurm_profiles(tmp_path) == {}
    with pytest.raises(NotFoundError, match=r"“大”.*big"):
        launcher_named("slurm:大", write(tmp_path, "[slurm.big]"))
    (tmp_path / "launchers.toml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match=r"Could not read “.*launchers\.toml”"):
        slurm_profiles(tmp_path)
    for name in ("slurm", "slurm:", "local:x", "cloud", ""):
        with pytest.raises(InputError, match="local, slurm"):
            launcher_named(name, tmp_path)


SQUEUE = """\
0|RUNNING|0|None|
1|PENDING|0|Resources|
2|PENDING|1|BeginTime|
3|PENDING|1|Priority|
4|COMPLETING|0|None|
"""


def test_the_queue_tells_waiting_from_preempted():
    last = {3: LaunchedShard(state="queued", requeues=1)}
    assert {shard: task.state for shard, task in read_squeue(SQUEUE, last)} == {
        0: "running", 1: "queued", 2: "preempted", 3: "queued", 4: "running",
    }  # fmt: skip


SACCT = """\
77_0|COMPLETED|0:0
77_1|TIMEOUT|0:0
77_2|CANCELLED by 1000|0:15
77_3|PREEMPTED|0:0
77_4|FAILED|0:9
77_5|FAILED|3:0
77_6|OUT_OF_MEMORY|0:125
77_7|NODE_FAIL|0:0
77_[8-9]|PENDING|0:0
"""
ENDS = {
    0: "done", 1: "timeout", 2: "cancelled", 3: "killed", 4: "killed", 5: "failed", 6: "failed",
    7: "killed",
}  # fmt: skip


def test_accounting_tells_every_end_apart():
    found = dict(read_sacct(SACCT))
    assert {shard: task.state for shard, task in found.items()} == ENDS
    assert found[3].lost
    assert "exit code 3" in found[5].reason
    assert LaunchRecord(tasks=found).ended() == "preempted"


def test_the_controller_tells_the_same_as_accounting():
    lines = []
    for shard, row in enumerate(SACCT.splitlines()[:8]):
        _, state, code = row.split("|")
        lines.append(
            f"JobId=8{shard} ArrayJobId=77 ArrayTaskId={shard} JobName=x "
            f"JobState={state.split()[0]} Reason=None Restarts=0 ExitCode={code} RunTime=00:00:01"
        )
    lines.append("JobId=77 ArrayJobId=77 ArrayTaskId=8-9 JobState=PENDING ExitCode=0:0")
    assert {shard: task.state for shard, task in read_scontrol("\n".join(lines))} == ENDS


def programs(folder: Path, monkeypatch: pytest.MonkeyPatch, **texts: str) -> None:
    """Stand-ins for Slurm's commands, first on the path."""
    folder.mkdir()
    for name, text in texts.items():
        (folder / name).write_text(f"#!/bin/sh\n{text}\n")
        (folder / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")


def test_with_accounting_the_controller_is_not_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    programs(
        tmp_path / "bin", monkeypatch,
        squeue="echo 'slurm_load_jobs error: Invalid job id specified' >&2; exit 1",
        sacct=f"cat <<'E'\n{SACCT}E",
        scontrol="exit 9",
    )  # fmt: skip
    found = ask_states(Cluster(SlurmProfile()), "77", 8, {})
    assert {shard: task.state for shard, task in found.items()} == ENDS


def test_once_slurm_has_forgotten_a_job_its_last_known_end_stands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    gone = "echo 'slurm_load_jobs error: Invalid job id specified' >&2; exit 1"
    programs(tmp_path / "bin", monkeypatch, squeue=gone, sacct="exit 1", scontrol=gone)
    last = {0: LaunchedShard(state="timeout"), 1: LaunchedShard(state="running")}
    found = ask_states(Cluster(SlurmProfile()), "77", 3, last)
    assert [task.state for task in found.values()] == ["timeout", "gone", "gone"]
    assert LaunchRecord(tasks=found).ended() == "timeout"


def test_a_controller_that_cannot_be_asked_is_an_error_not_an_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    down = "echo 'Unable to contact slurm controller' >&2; exit 1"
    programs(tmp_path / "bin", monkeypatch, squeue=down, sacct=down, scontrol=down)
    with pytest.raises(OutsideError, match="Unable to contact"):
        ask_states(Cluster(SlurmProfile()), "77", 1, {0: LaunchedShard(state="running")})


def test_a_controller_that_is_away_for_a_moment_does_not_end_the_waiting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    from core.evaluation.run import EvaluateParams

    folder = RunFolder.create(
        tmp_path, "evaluate", EvaluateParams(split="s", engine="baseline:random"), [{"id": "1"}]
    )
    launch = LaunchRecord(launcher="slurm:big", job="77", tasks={0: LaunchedShard(state="running")})
    launch.write(folder.path)
    away = f"[ -e {tmp_path}/asked ] && exit 0; touch {tmp_path}/asked; echo away >&2; exit 1"
    programs(tmp_path / "bin", monkeypatch, squeue=away, sacct="echo '77_0|TIMEOUT|0:0'")
    way = launcher_named("slurm:big", write(tmp_path, "[slurm.big]"))
    assert way.wait(folder, 30)
    assert folder.state() == "timeout"


def test_without_slurm_the_missing_program_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    from core.evaluation.run import EvaluateParams

    folder = RunFolder.create(
        tmp_path, "evaluate", EvaluateParams(split="s", engine="baseline:random"), [{"id": "1"}]
    )
    way = launcher_named("slurm:big", write(tmp_path, "[slurm.big]"))
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(OutsideError, match="sbatch"):
        way.start(folder, 2)
    assert folder.state() == "prepared"
    assert run_kind("evaluate")


def test_the_state_of_a_run_is_what_its_launcher_last_knew(tmp_path: Path):
    from core.evaluation.run import EvaluateParams

    folder = RunFolder.create(
        tmp_path, "evaluate", EvaluateParams(split="s", engine="baseline:random"), [{"id": "1"}]
    )
    cases = [
        (["running", "queued"], "running"), (["done", "queued"], "queued"),
        (["preempted", "done"], "preempted"), (["timeout", "done"], "timeout"),
        (["failed", "done"], "failed"), (["killed", "gone"], "interrupted"),
        (["cancelled", "done"], "interrupted"),
    ]  # fmt: skip
    for states, expected in cases:
        tasks = {
            n: LaunchedShard.model_validate({"state": state}) for n, state in enumerate(states)
        }
        LaunchRecord(launcher="slurm:x", shards=2, job="1", tasks=tasks).write(folder.path)
        assert folder.state() == expected
    (folder.path / "stop").touch()
    assert folder.state() == "stopped"


def test_a_host_that_is_not_there_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    programs(
        tmp_path / "bin", monkeypatch, ssh="echo 'Host key verification failed.' >&2; exit 255"
    )
    cluster = Cluster(SlurmProfile(host="login", folder="/scratch"))
    with pytest.raises(OutsideError, match="Host key verification failed"):
        cluster.ask(["squeue"])


def test_a_folder_below_the_home_of_the_cluster_is_found_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    far = tmp_path / "远方"
    far.mkdir()
    programs(
        tmp_path / "bin", monkeypatch,
        ssh=f'while [ "$1" != -- ]; do shift; done; shift 2; HOME="{far}" exec sh -c "$*"',
        rsync=f'while [ "$1" != -- ]; do shift; done; cp -R "$2." "{far}/${{3#*~/}}"',
        sbatch=f'for each; do echo "$each"; done > "{far}/args"; echo 77',
        squeue="", sacct="", scontrol="",
    )  # fmt: skip
    kind = run_kind("evaluate")
    params = kind.params_model.model_validate({"engine": "baseline:random", "split": "s"})
    folder = RunFolder.create(tmp_path / "runs", "evaluate", params, [{"id": "1"}])
    profile = SlurmProfile(host="login", folder="~/my runs")
    SlurmLauncher("far", profile).start(folder, 2)
    place = far / "my runs" / folder.path.name
    said = (far / "args").read_text().splitlines()
    assert said == ["--parsable", "--chdir", str(place), str(place / "job.sh")]
    assert (place / "work.jsonl").is_file()
    launch = read_launch(folder.path)
    assert launch is not None
    assert (launch.job, launch.host, launch.shards) == ("77", "login", 2)
