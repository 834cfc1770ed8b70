"""A Slurm that takes every job and never starts one: what is queued, and with which script."""

from pathlib import Path

import pytest

PROFILE = "slurm:big"
JOB = "4711"


def queue_only(workspace: Path, programs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The profile ``slurm:big`` in the workspace's folder, and its ``sbatch`` and ``squeue``, for
    which ``programs`` is a new folder."""
    (workspace / "launchers.toml").write_text("[slurm.big]\n", encoding="utf-8")
    programs.mkdir()
    (programs / "sbatch").write_text(f"#!/bin/sh\necho {JOB}\n")
    (programs / "squeue").write_text("#!/bin/sh\necho no controller here >&2\nexit 1\n")
    for program in programs.iterdir():
        program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}:/usr/bin:/bin")
