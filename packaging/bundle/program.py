"""What the frozen program starts with: the command line, which knows the window and the workers."""

import sys

from core.cli import main

sys.exit(main())
