"""``doctor``: every line says what there is, and what to do where something is missing."""

import json
from dataclasses import replace
from pathlib import Path

import keyring
import pytest
from keyring.backends import fail

from core.cli import main
from core.health import machine, workstation
from core.health.workstation import WindowProbe
from core.workflow.workspace import Workspace

NAMES = ("environment", "display", "fonts", "input method", "keyring", "clock", "disk",
         "own folders", "servers", "GPUs", "Slurm")  # fmt: skip
SCRIPTS = {"Arabic", "Bengali", "Cyrillic", "Devanagari", "Hebrew", "Japanese", "Korean", "Tamil",
           "Thai"}  # fmt: skip
SEEN = WindowProbe("xcb", True, ("compose", "ibus"))


def checks(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, dict[str, str]]:
    code = main([*arguments, "doctor", "--json"])
    document = json.loads(capsys.readouterr().out)
    return code, {check["name"]: check["finding"] for check in document["checks"]}


def test_without_a_workspace_the_machine_is_checked(
    capsys: pytest.CaptureFixture[str], no_slurm: Path
):
    code, found = checks(capsys)
    assert tuple(found) == NAMES
    assert found["fonts"] == "good"
    assert found["display"] == "note"
    assert code == 0


def test_a_workspace_is_opened_and_one_that_is_not_there_is_a_fault_with_a_remedy(
    capsys: pytest.CaptureFixture[str], no_slurm: Path, tmp_path: Path
):
    Workspace.create(tmp_path / "ws", "Li").close()
    code, found = checks(capsys, "--workspace", str(tmp_path / "ws"))
    assert (code, found["database"]) == (0, "good")
    assert main(["--workspace", str(tmp_path / "nowhere"), "doctor"]) == 1
    lines = capsys.readouterr().out.splitlines()
    at = next(place for place, line in enumerate(lines) if line.startswith("✕ database"))
    assert lines[at + 1].startswith("    → ")


def test_every_fault_says_what_to_do(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, no_slurm: Path
):
    monkeypatch.setenv("DISPLAY", ":4711")
    monkeypatch.setenv("QT_QPA_PLATFORM", "xcb")
    unseen = workstation.probe_window(display=True)
    assert "could not connect to display :4711" in unseen.trouble
    monkeypatch.setenv("QT_IM_MODULE", "fcitx")
    monkeypatch.setattr(keyring, "get_keyring", fail.Keyring)
    faults = [
        workstation.display_check(unseen, display=True),
        workstation.display_check(WindowProbe("offscreen", True), display=False),
        workstation.fonts_check(WindowProbe("xcb", chinese=False)),
        workstation.input_method_check(SEEN, display=True),
        workstation.keyring_check(),
        *machine.server_checks(),
        machine.gpu_check(),
    ]
    assert [fault.name for fault in faults if fault.finding == "good" or not fault.remedy] == []
    assert "QT_IM_MODULE=ibus" in faults[3].remedy
    monkeypatch.setenv("QT_IM_MODULE", "ibus")
    assert workstation.input_method_check(SEEN, display=True).finding == "good"


def test_scripts_that_no_font_has_are_named():
    assert workstation.fonts_check(SEEN).says == "Latin and Chinese are painted."
    says = workstation.fonts_check(replace(SEEN, boxes=("Thai", "Devanagari"))).says
    assert says.endswith("show as boxes: Thai, Devanagari (Hindi).")
    assert set(workstation.probe_window(display=False).boxes) <= SCRIPTS


def test_a_platform_that_is_set_is_asked_for_its_libraries_and_named(
    monkeypatch: pytest.MonkeyPatch,
):
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.setenv("QT_QPA_PLATFORM", "xcb")
    unseen = WindowProbe(trouble="could not load the plug-in")
    monkeypatch.setattr(workstation, "missing", list)
    assert "libxcb-cursor0" in workstation.display_check(unseen, display=True).remedy
    monkeypatch.setattr(workstation, "missing", lambda _libraries: [])
    assert "QT_QPA_PLATFORM" in workstation.display_check(unseen, display=True).remedy
