"""``python -m benchseal`` is ``benchseal``."""

import sys

from benchseal import main

sys.exit(main())
