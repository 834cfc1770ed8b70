"""A report of a failure says where and after what, and holds nothing that a person wrote."""

import ast
import asyncio
import gc
import logging
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from core import crash_reports, redaction
from core.own_process import own_version
from tests.paths import ROOT

SECRET, ITEM = "sk-verysecretkey-0123456789", "The girl was found in Drummondville."


@pytest.fixture
def recorder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[crash_reports.CrashRecorder]:
    monkeypatch.setattr(sys, "excepthook", sys.__excepthook__)  # pytest-qt has one of its own
    redaction.guard_secret(SECRET)
    made = crash_reports.start(tmp_path / "crashes")
    assert made is not None
    yield made
    crash_reports.stop()


def fail(text: str) -> None:
    try:
        raise KeyError(text)
    except KeyError as error:
        raise RuntimeError(f"no such item: {text}") from error


def test_a_report_has_the_places_and_the_commands_and_neither_items_nor_secrets(
    recorder: crash_reports.CrashRecorder,
):
    crash_reports.note("command accept")
    crash_reports.note(f"server {SECRET}")
    logging.getLogger("gui.tasks").warning("the item %s of %s is late", ITEM, "Li")
    try:
        fail(ITEM)
    except RuntimeError as error:
        path = recorder.report(error)
    assert path is not None
    text = path.read_text("utf-8")
    assert "command accept" in text
    assert "the item %s of %s is late" in text
    assert "builtins.KeyError" in text
    assert "builtins.RuntimeError" in text
    assert "tests/core/test_crash_reports.py" in text
    assert ITEM not in text
    assert SECRET not in text
    assert str(Path.home()) not in text
    assert path.stat().st_mode & 0o077 == 0


def test_a_log_that_is_not_ours_and_a_file_of_the_person_tell_nothing(
    recorder: crash_reports.CrashRecorder, logged_errors: object
):
    """asyncio writes the error of a forgotten task into its sentence, others what they read."""

    async def forget() -> None:
        await asyncio.wait([asyncio.create_task(lost(), name=ITEM)])

    async def lost() -> None:
        raise ValueError(ITEM)

    asyncio.run(forget())
    gc.collect()
    logging.getLogger("urllib3").warning(f"retrying {ITEM}")
    logging.getLogger("core.llm").warning(ValueError(ITEM))
    names: dict[str, Any] = {}
    place = str(Path.home() / "anna-meier" / "elections.py")
    exec(compile("def poll_of_anna():\n    raise KeyError(1)", place, "exec"), names)
    try:
        names["poll_of_anna"]()
    except KeyError as error:
        recorder.report(error)
    texts = [path.read_text("utf-8") for path in crash_reports.waiting(recorder.folder)]
    assert "error asyncio: asyncio/" in "".join(texts)
    assert "a file outside the program" in "".join(texts)
    for text in texts:
        for secret in (ITEM, "anna", "elections"):
            assert secret not in text


def test_a_place_in_a_frozen_program_is_named_whole_and_the_program_with_its_version(
    recorder: crash_reports.CrashRecorder,
):
    """There the files of code have no folder before the package."""
    place = "core/workflow/splits/freeze.py"
    try:
        exec(compile("def held():\n    raise KeyError('a text')\nheld()", place, "exec"), {})
    except KeyError as error:
        path = recorder.report(error)
    assert path is not None
    lines = path.read_text("utf-8").splitlines()
    assert f"  {place}:2 held" in lines
    assert lines[0].startswith(f"Benchseal {own_version()}, ")


def test_a_fault_in_a_frozen_program_names_its_places_whole(tmp_path: Path):
    (tmp_path / "running-1.log").write_text("10:00:00 command freeze\n", encoding="utf-8")
    line = 'File "core/cli/workspace/start.py", line 133 in _gui'
    (tmp_path / "fault-1.txt").write_text(f"Fatal Python error\n  {line}\n", encoding="utf-8")
    crash_reports.collect(tmp_path)
    (report,) = crash_reports.waiting(tmp_path)
    assert line in report.read_text("utf-8")


def test_every_error_of_a_group_is_named_with_its_cause(recorder: crash_reports.CrashRecorder):
    inner: list[Exception] = [ValueError(ITEM)]
    try:
        fail(ITEM)
    except RuntimeError as error:
        inner.append(error)
    try:
        raise ExceptionGroup(ITEM, inner)
    except ExceptionGroup as group:
        path = recorder.report(group)
    assert path is not None
    text = path.read_text("utf-8")
    for kind in ("ExceptionGroup", "ValueError", "RuntimeError", "KeyError"):
        assert f"builtins.{kind}\n" in text
    assert ITEM not in text


def test_an_error_that_nobody_catches_becomes_a_report_and_a_flood_does_not(
    recorder: crash_reports.CrashRecorder, capsys: pytest.CaptureFixture[str]
):
    for _ in range(20):
        try:
            fail(ITEM)
        except RuntimeError as error:
            sys.excepthook(type(error), error, error.__traceback__)
    assert len(crash_reports.waiting(recorder.folder)) == 5
    assert "RuntimeError" in capsys.readouterr().err


def test_a_process_that_a_library_ended_is_reported_at_the_next_start(tmp_path: Path):
    folder = tmp_path / "crashes"
    code = (
        "import sys, faulthandler; from pathlib import Path; from core import crash_reports;"
        "crash_reports.start(Path(sys.argv[1])); crash_reports.note('command freeze');"
        "faulthandler._sigabrt()"
    )
    done = subprocess.run([sys.executable, "-c", code, str(folder)], check=False, timeout=60,
                          env={**os.environ, "PYTHONPATH": str(Path.cwd())})  # fmt: skip
    assert done.returncode < 0
    assert crash_reports.waiting(folder) == []
    crash_reports.collect(folder)
    (report,) = crash_reports.waiting(folder)
    text = report.read_text("utf-8")
    assert "Aborted" in text
    assert "command freeze" in text
    crash_reports.put_away(report)
    assert crash_reports.waiting(folder) == []


def test_a_window_that_lives_and_one_that_was_closed_leave_no_report(
    recorder: crash_reports.CrashRecorder,
):
    crash_reports.collect(recorder.folder)
    assert list(recorder.folder.glob("running-*.log"))
    crash_reports.stop()
    assert list(recorder.folder.iterdir()) == []


def test_where_nothing_can_be_written_the_program_starts_all_the_same(tmp_path: Path):
    (tmp_path / "file").write_text("in the way")
    assert crash_reports.start(tmp_path / "file" / "crashes") is None


def test_every_sentence_that_we_log_is_a_constant():
    """A report repeats it; what is put into it is an argument, which no report holds."""
    levels = {"debug", "info", "warning", "error", "exception", "critical"}
    found = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for folder in ("core", "db", "gui")
        for path in (ROOT / folder).rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in levels
        and isinstance(node.func.value, ast.Name)
        and node.func.value.id.lower().strip("_") in ("log", "logger", "logging")
        and not (node.args and isinstance(node.args[0], ast.Constant))
    ]
    assert found == []
