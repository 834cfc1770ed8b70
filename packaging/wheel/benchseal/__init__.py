"""Benchseal as a wheel installs it: ``core``, ``db``, ``gui`` and ``resources`` lie in its folder.

Those names are common, so the wheel puts none of them beside the packages of others.
``benchseal.pth`` names this folder last in the search for modules, for ``python -m core.cli`` and
``core.frames``; the program names it first, so that it runs its own ``core`` where somebody else
installed one.
"""

import sys
from pathlib import Path


def main() -> int:
    """Run the command line; what it ends with."""
    own = Path(__file__).resolve().parent
    if (own / "core").is_dir():  # not in the source tree
        sys.path.insert(0, str(own))
    from core.cli import main as command_line

    return command_line()
