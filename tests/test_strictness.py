"""The strict fixtures catch what they promise: each leak fails the test that leaks, by name."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


def outcome(folder: Path, place: str, source: str, *options: str) -> tuple[str, str]:
    """Run tests under copies of the project's fixtures; (the closing line, all of the output)."""
    tests = folder / "tests"
    for part in ("db", "gui", "servers"):
        (tests / part).mkdir(parents=True)
    for name in (
        "conftest.py",
        "postgres.py",
        "messages.py",
        "paths.py",
        "polling.py",
        "splits.py",
        "workspaces.py",
        "gui/conftest.py",
        "gui/scene.py",
        "gui/stages_workspace.py",
        "servers/strict_server.py",
    ):
        shutil.copy(ROOT / "tests" / name, tests / name)
    shutil.copy(ROOT / "pyproject.toml", folder)
    (folder / "packaging").symlink_to(ROOT / "packaging")
    (tests / place).write_text(source, encoding="utf-8")
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-p",
            "no:cacheprovider",
            *options,
            f"tests/{place}",
        ],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=240,
    )
    lines = [line for line in done.stdout.splitlines() if re.search(r" in [\d.]+s", line)]
    assert lines, done.stdout + done.stderr
    return lines[-1], done.stdout


def test_a_test_that_leaves_the_machine_fails(tmp_path: Path) -> None:
    source = """
import socket
import pytest

def test_swallows_the_refusal():
    try:
        socket.create_connection(("192.0.2.1", 80), timeout=1)
    except OSError:
        pass

def test_looks_up_a_name():
    with pytest.raises(socket.gaierror):
        socket.getaddrinfo("somewhere.invalid", 80)

def test_is_about_a_missing_network(outside_attempts):
    with pytest.raises(OSError):
        socket.create_connection(("192.0.2.1", 80), timeout=1)
    assert outside_attempts == ["192.0.2.1:80"]

def test_stays_on_loopback():
    with socket.create_server(("127.0.0.1", 0)) as server:
        socket.create_connection(server.getsockname()).close()
"""
    closing, output = outcome(tmp_path, "test_network.py", source)
    assert "4 passed, 2 errors" in closing
    assert "tried to reach the network: 192.0.2.1:80" in output
    assert "tried to reach the network: somewhere.invalid" in output


def test_an_error_in_the_log_fails_the_test(tmp_path: Path) -> None:
    source = """
import logging

def test_logs_an_error():
    logging.getLogger("part").error("lost %s", "it")

def test_logs_a_warning():
    logging.getLogger("part").warning("slow")

def test_expects_the_error(logged_errors):
    logging.getLogger("part").error("lost it")
    assert [record.getMessage() for record in logged_errors] == ["lost it"]
"""
    closing, output = outcome(tmp_path, "test_log.py", source)
    assert "1 failed, 2 passed" in closing
    assert "part: lost it" in output


def test_a_test_finds_an_empty_home_and_english(tmp_path: Path) -> None:
    source = """
from pathlib import Path
from core.i18n import language, set_language

def test_writes_to_its_home_and_changes_the_language():
    assert not list(Path.home().iterdir())
    (Path.home() / "left").write_text("x")
    set_language("zh")

def test_sees_nothing_of_it():
    assert not list(Path.home().iterdir())
    assert language() == "en"
"""
    assert "2 passed" in outcome(tmp_path, "test_home.py", source)[0]


def test_a_crash_of_python_is_one_failure_and_the_run_ends(tmp_path: Path) -> None:
    # a replaced worker and whole files do not go together: the run would wait for ever
    source = """
import os
import signal
import pytest

@pytest.mark.parametrize("number", range(12))
def test_crashes_once(number):
    if number == 4:
        os.kill(os.getpid(), signal.SIGSEGV)
"""
    closing, output = outcome(tmp_path, "test_crash.py", source, "-n", "2", "--dist", "loadfile")
    assert "1 failed, 4 passed" in closing
    assert "crashed while running 'tests/test_crash.py::test_crashes_once[4]'" in output


LEAKS = {
    "a thread": ("threading.Thread(target=time.sleep, args=(6,)).start()", "thread Thread-"),
    "a timer": ("KEEP.append(QTimer()); KEEP[0].start(60_000)", "timer of 60000 ms"),
    "a single shot": ("QTimer.singleShot(50_000, KEEP.clear)", "timer of 50000 ms"),
    "a window": ("KEEP.append(QWidget())", "window "),
    "work in a pool": ("QThreadPool.globalInstance().start(lambda: time.sleep(6))", "QThreadPool"),
}


@pytest.mark.slow
@pytest.mark.parametrize("leak", LEAKS)
def test_a_window_test_that_leaks_fails(tmp_path: Path, leak: str) -> None:
    statement, complaint = LEAKS[leak]
    source = f"""
import threading, time
from PySide6.QtCore import QThreadPool, QTimer
from PySide6.QtWidgets import QWidget
KEEP = []

def test_leaks(qapp):
    {statement}
"""
    closing, output = outcome(tmp_path, "gui/test_leak.py", source)
    assert "1 error" in closing
    assert "test_leaks left behind:" in output
    assert complaint in output


@pytest.mark.slow
def test_a_window_test_that_tidies_up_passes(tmp_path: Path) -> None:
    source = """
import threading
from PySide6.QtCore import QThread, QThreadPool, QTimer
from PySide6.QtWidgets import QLabel

def test_tidies_up(qtbot):
    label = QLabel("审核")
    qtbot.addWidget(label)
    label.show()
    seen = []
    QTimer.singleShot(5, label, lambda: seen.append("shot"))
    QThreadPool.globalInstance().start(lambda: seen.append("pool"))
    thread = threading.Thread(target=seen.append, args=("thread",))
    thread.start()
    thread.join()
    worker = QThread()
    worker.start()
    worker.quit()
    worker.wait()
    qtbot.waitUntil(lambda: len(seen) == 3)

def test_is_cancelled_with_its_owner(qtbot):
    label = QLabel("x")
    qtbot.addWidget(label)
    QTimer.singleShot(60_000, label, label.close)
"""
    assert "2 passed" in outcome(tmp_path, "gui/test_tidy.py", source)[0]


@pytest.mark.slow
def test_a_slower_test_has_more_time_than_others(request: pytest.FixtureRequest) -> None:
    node = request.node
    assert node.get_closest_marker("timeout").args[0] > float(request.config.getini("timeout"))
