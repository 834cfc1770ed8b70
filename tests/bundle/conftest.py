"""What people install: the wheel, and the frozen program of ``make bundle``, run as somebody does
who has nothing else; see ``make test-bundle``. Without dist/benchseal only the wheel is tried."""

from pathlib import Path

DIST = Path(__file__).resolve().parents[2] / "dist"
PROGRAM = DIST / "benchseal" / "benchseal"

collect_ignore_glob = [] if PROGRAM.is_file() else ["test_frozen*.py"]
