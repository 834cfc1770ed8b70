"""``python -m tests.servers`` plays the model server by hand."""

import sys

from tests.servers.model_server import main

sys.exit(main(sys.argv[1:]))
