"""The headless entry: every use case without a window.

To add a command: a function in one of the modules beside this one, and an entry in its
``COMMANDS``. Modules import the workflow inside their functions, so that a worker starts quickly.
"""

import atexit
import gc
import io
import os
import sys
from collections.abc import Sequence
from contextlib import ExitStack

from core.accounts import has_home
from core.cli.console import Console, has_display
from core.cli.parser import build_parser
from core.errors import BenchsealError
from core.i18n import language_from_environment, set_language, system_refusal, tr
from core.own_process import become_module

__all__ = ["main"]

_NEW_OBJECTS = 150_000  # made before Python looks for garbage


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit code, 0 when it is done: see ``core.errors``.

    Without a command the window opens, where there is a display.
    """
    # Python looks through all that was imported twice more before it ends, for nothing
    atexit.register(gc.freeze)
    set_language(language_from_environment())
    if isinstance(sys.stdout, io.TextIOWrapper):
        # a character that the terminal does not have is written out, as on standard error
        sys.stdout.reconfigure(errors="backslashreplace")
    argv = sys.argv[1:] if argv is None else argv
    if become_module(argv):
        return 0
    if not argv:
        if not has_display():
            Console(json=False).complain(
                tr("There is no display here, so the window cannot be opened. benchseal --help "
                   "lists the commands; begin with: benchseal init --lead NAME")
            )  # fmt: skip
            return 2
        argv = ("gui",)
    if "gui" not in argv:
        # a seventh of a short command's time is looking through what it has just imported
        gc.set_threshold(_NEW_OBJECTS, *gc.get_threshold()[1:])
    arguments = build_parser(argv).parse_args(argv)
    console = Console(json=bool(getattr(arguments, "json", False)))
    try:
        with ExitStack() as arguments.resources:
            code: int | None = arguments.handler(arguments, console)
    except BenchsealError as error:
        console.complain(error.on_command_line)
        return error.exit_code
    except KeyboardInterrupt:
        console.complain(tr("Interrupted."))
        return 130
    except BrokenPipeError:
        # The reader of our output went away; that is its right.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        console.complain(system_refusal(error))
        return 3
    except RuntimeError:
        if has_home():
            raise
        console.complain(
            tr("This account has no home folder, where settings, keys and crash reports are kept. "
               "Set HOME to a folder that is yours.")
        )  # fmt: skip
        return 3
    return code or 0
