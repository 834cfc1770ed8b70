"""Model servers and Slurm, as ``doctor`` finds them."""

import os
import socket
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from core.health import machine
from core.llm import keys


def test_a_server_is_tried_and_its_missing_key_is_said(tmp_path: Path):
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        keys.allow_server(f"http://127.0.0.1:{port}/v1", name="near")
        (found,) = machine.server_checks({})
        assert (found.finding, found.remedy) == ("good", "")
    (gone,) = machine.server_checks({})
    assert gone.finding == "stop"
    assert gone.remedy
    keys.allow_server("https://models.example/v1", name="far", variable="FAR_AWAY_KEY")
    far = machine.server_checks({})[-1]
    assert "has no key" in far.says


def test_a_disk_without_inodes_is_full_whatever_room_it_has(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    there = os.statvfs(tmp_path)
    assert machine.disk_check(tmp_path).finding != "stop"
    for files, finding in ((100, "stop"), (0, "good")):
        fields = [*there[:5], files, 0, 0, *there[8:]]
        monkeypatch.setattr(os, "statvfs", lambda _path, now=fields: os.statvfs_result(now))
        monkeypatch.setattr(machine, "_LITTLE", 0)
        found = machine.disk_check(tmp_path)
        assert (found.finding, bool(found.remedy)) == (finding, finding == "stop")


def test_the_disk_of_a_file_is_that_of_its_folder(tmp_path: Path):
    (tmp_path / "notes.txt").write_text("no workspace", encoding="utf-8")
    assert machine.disk_check(tmp_path / "notes.txt").says.endswith(f"{tmp_path}.")


def test_folders_of_a_home_that_cannot_be_written_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    for name in ("CONFIG", "DATA", "STATE"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name / "new"))
    assert machine.own_folders_check().finding == "good"
    (tmp_path / "STATE").write_text("a file", encoding="utf-8")
    found = machine.own_folders_check()
    assert (found.finding, bool(found.remedy)) == ("stop", True)
    assert "STATE" in found.says
    assert "DATA" not in found.says


def test_slurm_that_does_not_answer_matters_only_where_a_profile_wants_it(
    no_slurm: Path, tmp_path: Path
):
    assert machine.slurm_check({}).finding == "note"
    for name in ("sbatch", "sinfo"):
        program = no_slurm / name
        program.write_text("#!/bin/sh\necho 'sinfo: fatal: no controller' >&2\nexit 1\n")
        program.chmod(0o755)
    assert machine.launcher_checks(tmp_path)[0].finding == "note"
    (tmp_path / "launchers.toml").write_text('[slurm.small]\npartition = "cpu"\n', "utf-8")
    (found,) = machine.launcher_checks(tmp_path)
    assert (found.finding, bool(found.remedy)) == ("stop", True)
    assert "no controller" in found.says
    (no_slurm / "sinfo").write_text("#!/bin/sh\necho cpu\n")
    assert "small" in machine.launcher_checks(tmp_path)[0].says
    assert os.access(no_slurm / "sinfo", os.X_OK)


def test_each_ray_profile_is_asked_and_what_is_wrong_has_a_remedy(tmp_path: Path):
    assert len(machine.launcher_checks(None)) == len(machine.launcher_checks(tmp_path)) == 1
    (tmp_path / "launchers.toml").write_text(
        '[ray.away]\naddress = "http://127.0.0.1:9"\n'
        '[ray.far]\naddress = "http://ray.example:8265"\n', "utf-8",
    )  # fmt: skip
    away, far = machine.launcher_checks(tmp_path)[1:]
    assert (away.finding, bool(away.remedy)) == ("stop", True)
    assert "127.0.0.1:9" in away.says
    assert "benchseal keys add http://ray.example:8265" in far.says
    (tmp_path / "launchers.toml").write_text("[ray.x]\n", "utf-8")
    assert "address" in machine.launcher_checks(tmp_path)[0].says


def test_a_card_without_a_driver_is_told_from_a_machine_without_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    assert "no NVIDIA GPU" in machine.gpu_check(tmp_path).says
    for name, vendor in (("0000:00:01.0", "0x8086"), ("0000:65:00.0", "0x10de")):
        device = tmp_path / name
        device.mkdir()
        (device / "vendor").write_text(f"{vendor}\n", "ascii")
        (device / "class").write_text("0x030200\n", "ascii")
    assert "nvidia-driver" in machine.gpu_check(tmp_path).remedy


def test_the_clock_of_a_server_is_compared_both_ways():
    now = datetime(2026, 3, 1, tzinfo=UTC)
    hour = timedelta(hours=1)
    assert machine.clock_check(now, now - hour, now).finding == "good"
    assert machine.clock_check(now, None, now - hour).finding == "stop"
    assert machine.clock_check(now, None, now + hour).finding == "stop"
    assert machine.clock_check(now, None).finding == "good"
