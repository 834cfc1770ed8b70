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


def test_each_ray_profile_is_asked_and_what_is_wrong_has_a_remedy(tmp_path: Path):
    assert machine.ray_checks(None) == machine.ray_checks(tmp_path) == []
    (tmp_path / "launchers.toml").write_text(
        '[ray.away]\naddress = "http://127.0.0.1:9"\n'
        '[ray.far]\naddress = "http://ray.example:8265"\n', "utf-8",
    )  # fmt: skip
    away, far = machine.ray_checks(tmp_path)
    assert (away.finding, bool(away.remedy)) == ("stop", True)
    assert "127.0.0.1:9" in away.says
    assert "benchseal keys add http://ray.example:8265" in far.says
    (tmp_path / "launchers.toml").write_text("[ray.x]\n", "utf-8")
    assert "address" in machine.ray_checks(tmp_path)[0].says
