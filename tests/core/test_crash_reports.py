"""A report of a failure says where and after what, and holds nothing that a person wrote."""

import logging
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from core import crash_reports, redaction

SECRET, ITEM = "sk-verysecretkey-0123456789", "The girl was found in Drummondville."


@pytest.fixture
def recorder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[crash_reports.CrashRecorder]:
    monkeypatch.setattr(sys, "excepthook", sys.__excepthook__)  # pytest-qt has one of its own
    redaction.remember_secret(SECRET)
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
