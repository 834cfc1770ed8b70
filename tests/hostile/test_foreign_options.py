"""A run folder that somebody else made: its options run no code, its names lead nowhere."""

import os
import subprocess
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from core.errors import InputError
from core.evaluation.judge_run import cache_beside
from core.evaluation.params import EvaluateParams
from core.jobs.engine_options import OPTIONS_VARIABLE
from core.jobs.folder import RunFolder
from core.jobs.launchers.slurm_profiles import SlurmProfile
from core.jobs.launchers.slurm_script import render
from core.jobs.worker import run_worker
from core.own_places import PLACES_VARIABLE, allow_place, model_place
from core.rewriting.params import RewriteParams
from core.sources.labelled.datasets import EMOTION
from core.workflow.runs.kinds import run_kind
from tests.hostile.conftest import Attack
from tests.questions import work_rows
from tests.splits import make_split

Begin = Callable[[str], Attack]
LOCAL = ("transformers", "vllm", "vllm-server")
UNSAFE: dict[str, Any] = {
    "trust_remote_code": True,
    "trust-remote-code": True,
    "hf_overrides": {"architectures": ["Evil"]},
    "config": "/tmp/evil.yaml",
    "chat_template": "/etc/passwd",
    "middleware": "evil.module.Class",
    "tool_parser_plugin": "/tmp/evil.py",
    "tokenizer": "evil/tokenizer",
    "download_dir": "/home/ann/.ssh",
    "load_format": "pt",
    "code_revision": "main",
    "distributed_executor_backend": "evil.module.Executor",
    "attn_implementation": "evil/kernel",
    "device_map": "../disk",
    "quantization": {"load": "evil"},
    "host=0.0.0.0": "x",
    "ssl_keyfile": "/etc/shadow",
    "speculative_config": {"model": "evil/draft"},
    "worker_extension_cls": "evil.Worker",
    "dtype": "os.system",
}


def ended(folder: Path) -> str:
    """The sentence with which the worker refused; empty where it did not."""
    try:
        run_worker(folder, 0, 1, run_kind)
    except InputError as error:
        return str(error)
    except Exception as error:
        return f"! {type(error).__name__}: {error}"
    return ""


def evaluation(root: Path, **fields: Any) -> RunFolder:
    params = EvaluateParams(**{"split": "s", "model": "m/m", **fields})
    return RunFolder.create(root, "evaluate", params, work_rows(make_split(2)))


@pytest.mark.parametrize("engine", LOCAL)
def test_options_that_can_run_code_are_refused(tmp_path: Path, attack: Begin, engine: str) -> None:
    row = attack("options of a foreign run that run code or open files")
    for name, value in UNSAFE.items():
        folder = evaluation(tmp_path, engine=engine, engine_args={name: value}).path
        said = ended(folder)
        row.tried("" if f"“{name}”" in said and OPTIONS_VARIABLE in said else f"{name}: {said}")
    for field in ("model", "revision", "adapter"):
        folder = evaluation(tmp_path, engine=engine, **{field: "--trust-remote-code"}).path
        said = ended(folder)
        row.tried("" if "cannot begin with" in said else f"{field}: {said}")


def test_an_option_that_this_person_allowed_and_plain_ones_are_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = {"dtype": "float16", "max_model_len": 512, "gpu_memory_utilization": 0.5,
             "tensor_parallel_size": 1, "enforce_eager": True, "device_map": "cuda:0"}  # fmt: skip
    assert OPTIONS_VARIABLE not in ended(
        evaluation(tmp_path, engine="vllm", engine_args=plain).path
    )
    monkeypatch.setenv(OPTIONS_VARIABLE, "x, trust-remote-code")
    trusted = {"trust_remote_code": True}
    folder = evaluation(tmp_path, engine="vllm", engine_args=trusted)
    assert OPTIONS_VARIABLE not in ended(folder.path)


def test_a_news_server_of_a_run_is_asked_only_where_this_person_allowed_it(
    tmp_path: Path, attack: Begin
) -> None:
    row = attack("a run that names a news server of its own")
    for address in ("http://news.invalid/api", "https://news.invalid:444/doc", "http://10.1.2.3/"):
        params = RewriteParams(
            task=EMOTION, base_url="http://127.0.0.1:9/v1", model="m",
            knowledge=f"gdelt-doc:{address}", since=date(2026, 1, 1), until=date(2026, 2, 1),
        )  # fmt: skip
        folder = RunFolder.create(tmp_path, "rewrite", params, [{"id": "a", "example": {}}])
        said = ended(folder.path)
        row.tried("" if "you have not allowed the server" in said else said or "it was asked")


def rewriting(root: Path, knowledge: str) -> Path:
    params = RewriteParams(
        task=EMOTION, base_url="http://127.0.0.1:9/v1", model="m", knowledge=knowledge,
        since=date(2026, 1, 1), until=date(2026, 2, 1), retries=0,
    )  # fmt: skip
    return RunFolder.create(root, "rewrite", params, [{"id": "a", "example": {}}]).path


def test_folders_and_accounts_of_the_person_are_used_only_where_the_person_named_them(
    tmp_path: Path, attack: Begin, monkeypatch: pytest.MonkeyPatch
) -> None:
    row = attack("a run that names folders, models or paid accounts of the person")
    private = tmp_path / "private"
    private.mkdir()
    (private / "config.json").write_text("{}")
    (private / "20260101000000.export.CSV").write_text("secret\n")
    link = tmp_path / "link"
    link.symlink_to(private)
    attempts = [
        *(
            rewriting(tmp_path / "runs", f"gdelt-files:{place}")
            for place in (private, link, "/etc")
        ),
        *(rewriting(tmp_path / "runs", f"gdelt-bigquery{end}") for end in ("", ":paid", ": ")),
        *(
            evaluation(tmp_path / "runs", engine=engine, **{field: str(place)}).path
            for engine in LOCAL
            for field in ("model", "adapter")
            for place in (private, link, "~/model", "./model", "/nowhere/model")
        ),
    ]
    for folder in attempts:
        said = ended(folder)
        row.tried("" if PLACES_VARIABLE in said else f"{RunFolder(folder).spec().params}: {said}")
    (tmp_path / "here" / "m" / "m").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "here")
    said = ended(evaluation(tmp_path / "runs", engine="transformers").path)
    row.tried("" if PLACES_VARIABLE in said else f"a folder called as a model is: {said}")


def test_a_place_that_this_person_named_is_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = tmp_path / "model"
    model.mkdir()
    folder = evaluation(tmp_path, engine="transformers", model=str(model)).path
    assert PLACES_VARIABLE in ended(folder)
    allow_place(model_place(str(model)))
    assert PLACES_VARIABLE not in ended(folder)
    news = rewriting(tmp_path, f"gdelt-files:{model}")
    assert PLACES_VARIABLE in ended(news)
    monkeypatch.setenv(PLACES_VARIABLE, f"model:/x; gdelt-files:{model}")
    assert PLACES_VARIABLE not in ended(news)


def test_a_foreign_judging_keeps_replies_nowhere_else(tmp_path: Path, attack: Begin) -> None:
    row = attack("a judging whose cache is a folder of the person")
    folder = tmp_path / "w" / "runs" / "r"
    folder.mkdir(parents=True)
    own = tmp_path / "w" / "cache" / "judge"
    assert cache_beside(folder, str(own)) == str(own)
    for named in (tmp_path, tmp_path / "home", own.parent, own / ".." / "..", Path("cache/judge")):
        row.tried(cache_beside(folder, str(named)))
    own.parent.mkdir()
    own.symlink_to(tmp_path / "home")
    row.tried(cache_beside(folder, str(own)))


def test_a_job_takes_no_modules_from_its_run_folder(tmp_path: Path, attack: Begin) -> None:
    row = attack("a run folder with modules of its own")
    folder = evaluation(tmp_path, engine="baseline:random", model="").path
    evil = "open('owned', 'w').close()\n"
    for name in ("core", "json", "argparse", "sitecustomize"):
        (folder / name).mkdir()
        (folder / name / "__init__.py").write_text(evil)
        (folder / f"{name}.py").write_text(evil)
    script = tmp_path / "job.sh"
    script.write_text(render(SlurmProfile(), "run", 1))
    for paths in (os.environ.get("PYTHONPATH", ""), "", ":", "::"):
        environment = {**os.environ, "SLURM_ARRAY_TASK_ID": "0", "PYTHONPATH": paths}
        done = subprocess.run(
            ["bash", str(script)], cwd=folder, env=environment, capture_output=True, text=True,
            timeout=120, check=False,
        )  # fmt: skip
        failed = "" if done.returncode == 0 else done.stderr[-300:]
        row.tried("they were run" if (folder / "owned").exists() else failed)
