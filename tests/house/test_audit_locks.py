"""``make audit-locks`` never calls packages sound that could not be looked up."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.paths import ROOT

SOUND = {"name": "a", "version": "1", "vulns": []}
FAULTY = {"name": "b", "version": "2", "vulns": [{"id": "PYSEC-1"}, {"id": "PYSEC-2"}]}
UNKNOWN = {"name": "c", "skip_reason": "not found on PyPI"}


def audited(folder: Path, printed: str) -> tuple[int, str]:
    """Exit code and words, where pip-audit prints this."""
    program = folder / "pip-audit"
    program.write_text(f"#!{sys.executable}\nprint({printed!r})\n", encoding="utf-8")
    program.chmod(0o700)
    script = ROOT / "packaging" / "audit_locks.py"
    done = subprocess.run(
        [sys.executable, str(script), str(program)], capture_output=True, text=True, check=False
    )
    return done.returncode, done.stdout


@pytest.mark.parametrize(
    ("packages", "code", "words"),
    [
        ([SOUND], 0, "1 of 1 packages of app.txt looked up, 0 with known vulnerabilities"),
        ([SOUND, FAULTY], 1, "b 2: PYSEC-1, PYSEC-2"),
        ([SOUND, UNKNOWN], 3, "the others were not checked"),
        ([UNKNOWN, FAULTY], 1, "1 of 2 packages"),
        ([], 3, "0 of 0 packages"),
    ],
)
def test_what_was_not_looked_up_is_not_called_sound(tmp_path, packages, code, words):
    ended, told = audited(tmp_path, json.dumps({"dependencies": packages}))
    assert ended == code
    assert words in told


def test_no_answer_at_all_is_one_sentence(tmp_path):
    ended, told = audited(tmp_path, "")
    assert ended == 3
    assert told.count("\n") == 1
    assert "nothing was checked" in told
