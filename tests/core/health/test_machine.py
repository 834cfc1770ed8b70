"""Model servers and Slurm, as ``doctor`` finds them."""

import os
import socket
from pathlib import Path

from core.health import machine
from core.llm import keys


def test_a_server_is_tried_and_its_missing_key_is_said(tmp_path: Path):
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        keys.allow(f"http://127.0.0.1:{port}/v1", name="near")
        (found,) = machine.server_checks({})
        assert (found.finding, found.remedy) == ("good", "")
    (gone,) = machine.server_checks({})
    assert gone.finding == "stop"
    assert gone.remedy
    keys.allow("https://models.example/v1", name="far", variable="FAR_AWAY_KEY")
    far = machine.server_checks({})[-1]
    assert "has no key" in far.says


def test_slurm_that_does_not_answer_matters_only_where_a_profile_wants_it(
    no_slurm: Path, tmp_path: Path
):
    assert machine.slurm_check(None).finding == "note"
    for name in ("sbatch", "sinfo"):
        program = no_slurm / name
        program.write_text("#!/bin/sh\necho 'sinfo: fatal: no controller' >&2\nexit 1\n")
        program.chmod(0o755)
    assert machine.slurm_check(tmp_path).finding == "note"
    (tmp_path / "launchers.toml").write_text('[slurm.small]\npartition = "cpu"\n', "utf-8")
    found = machine.slurm_check(tmp_path)
    assert (found.finding, bool(found.remedy)) == ("stop", True)
    assert "no controller" in found.says
    (no_slurm / "sinfo").write_text("#!/bin/sh\necho cpu\n")
    assert "small" in machine.slurm_check(tmp_path).says
    assert os.access(no_slurm / "sinfo", os.X_OK)
