"""``packaging/messages.py`` for tests; its folder is no package."""

import importlib.util
from functools import cache
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).resolve().parent.parent


@cache
def messages() -> ModuleType:
    spec = importlib.util.spec_from_file_location("messages", ROOT / "packaging" / "messages.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@cache
def translated(language: str) -> frozenset[str]:
    """The English of every message of a language's catalogue."""
    po = messages().TRANSLATIONS / language / "LC_MESSAGES" / "benchseal.po"
    return frozenset(messages().forms(one.id)[0] for one in messages().entries(messages().read(po)))
