"""How a part of this program starts in a process of its own. The only place that knows."""

import os
import sys
from collections.abc import Mapping
from pathlib import Path

_ROOT = Path(__file__).resolve().parent.parent


def module_command(module: str, *arguments: str, python: str = "") -> list[str]:
    """The command that runs one of our modules; ``python`` is that of another machine.

    The folder in which somebody happens to stand is not searched for modules: a run folder that
    comes from elsewhere may hold some.
    """
    return [python or sys.executable, "-P", "-m", module, *arguments]


def module_paths() -> str:
    """``PYTHONPATH`` with which ``module_command`` finds this very program's modules, wherever the
    process starts."""
    others = filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))
    paths = [str(_ROOT), *map(os.path.abspath, others)]
    return os.pathsep.join(dict.fromkeys(paths))


def module_environment(environment: Mapping[str, str] | None = None) -> dict[str, str]:
    """An environment, that of this process without one, in which ``module_command`` works."""
    return {**(os.environ if environment is None else environment), "PYTHONPATH": module_paths()}
