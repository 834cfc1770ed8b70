"""``python -m core.cli`` is ``benchseal``."""

import sys

from core.cli import main

sys.exit(main())
