"""How a part of this program starts in a process of its own. The only place that knows.

In the source tree and in a wheel the interpreter runs one of our modules (``-m``). A frozen program
is not an interpreter: it starts itself, and ``become_module`` runs the module instead of a command.
"""

import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePath

_ROOT = Path(__file__).resolve().parent.parent
_MODULE = "--own-module"
_CLI = "core.cli"
CHILDREN = frozenset(
    {
        "core.evaluation.engines.supervise",
        "core.formulas.formula_child",
        "core.jobs.earlier_run",
        "core.jobs.gpus",
        "core.sources.bounded_worker",
        "gui.window_probe",
    }
)
"""What a frozen program starts beside its commands; it runs nothing else under that name."""


def is_frozen() -> bool:
    """Whether this program was put into one folder with its interpreter (PyInstaller)."""
    return bool(getattr(sys, "frozen", False))


def program_files() -> tuple[Path, ...]:
    """Files that came with this program, or with its interpreter; a frozen one has no modules."""
    return tuple(path for path in (Path(__file__), Path(sys.executable)) if path.exists())


def module_command(module: str, *arguments: str, python: str = "") -> list[str]:
    """The command that runs one of our modules; ``python`` is that of another machine.

    ``python`` may be its ``benchseal`` as well, frozen or installed, which is not an interpreter.
    The folder in which somebody happens to stand is not searched for modules: a run folder that
    comes from elsewhere may hold some.
    """
    program = python or sys.executable
    ours = PurePath(python).name.startswith("benchseal") if python else is_frozen()
    if not ours:
        return [program, "-P", "-m", module, *arguments]
    named = [] if module == _CLI else [_MODULE, module]
    return [program, *named, *arguments]


def leave_libraries_behind() -> None:
    """In a frozen program: what it starts finds the system's libraries, not those that came with
    the program, and another one of ours sets out as if it were the first.

    The loader of libraries has read the variable when the process started, so this one keeps what
    it needs (PyInstaller, "LD_LIBRARY_PATH / LIBPATH considerations").
    """
    before = os.environ.pop("LD_LIBRARY_PATH_ORIG", None)
    os.environ.pop("LD_LIBRARY_PATH", None)
    if before is not None:
        os.environ["LD_LIBRARY_PATH"] = before
    os.environ["PYINSTALLER_RESET_ENVIRONMENT"] = "1"


def become_module(arguments: Sequence[str]) -> bool:
    """In a frozen program: run the module that ``module_command`` asked for, and say that it was.

    Raises SystemExit with the module's own code, or for a module that is not one of these.
    """
    if not is_frozen() or list(arguments[:1]) != [_MODULE]:
        return False
    import runpy

    module = arguments[1] if len(arguments) > 1 else ""
    if module not in CHILDREN:
        raise SystemExit(2)
    sys.argv = [module, *arguments[2:]]
    runpy.run_module(module, run_name="__main__", alter_sys=True)
    return True


def module_paths() -> str:
    """``PYTHONPATH`` with which ``module_command`` finds this very program's modules, wherever the
    process starts."""
    others = filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))
    paths = [str(_ROOT), *map(os.path.abspath, others)]
    return os.pathsep.join(dict.fromkeys(paths))


def module_environment(environment: Mapping[str, str] | None = None) -> dict[str, str]:
    """An environment, that of this process without one, in which ``module_command`` works."""
    return {**(os.environ if environment is None else environment), "PYTHONPATH": module_paths()}


def own_version() -> str:
    """The version of the installed program; empty in a source tree that nobody installed."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("benchseal")
    except PackageNotFoundError:
        return ""
