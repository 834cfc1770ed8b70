"""Where the project lies, for tests that start its programs or read its files."""

from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
