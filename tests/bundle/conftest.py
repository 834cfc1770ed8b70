"""The frozen program of ``make bundle``, run as somebody does who has nothing else; see
``make test-bundle``. Without dist/benchseal there is nothing to collect here."""

from pathlib import Path

DIST = Path(__file__).resolve().parents[2] / "dist"
PROGRAM = DIST / "benchseal" / "benchseal"

collect_ignore_glob = [] if PROGRAM.is_file() else ["test_*.py"]
