"""What the frozen program starts with: the command line, which knows the window and the workers."""

import sys

from core.own_process import leave_libraries_behind

leave_libraries_behind()

from core.cli import main  # noqa: E402 (it may start others)

sys.exit(main())
