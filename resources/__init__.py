"""Prompts, rubrics, catalogues, translations, help pages and demo articles, as package data."""

from importlib.resources import files
from pathlib import Path


def resource(*parts: str) -> Path:
    """Path of one resource file or folder, e.g. ``resource("prompts", "screen.md")``."""
    return Path(str(files(__package__))).joinpath(*parts)
