"""Engines that need an environment of their own: ``make test-vllm`` makes it and runs these.

Anywhere else there is no vLLM to import, and nothing here is collected.
"""

from importlib.util import find_spec

collect_ignore_glob = [] if find_spec("vllm") else ["test_*.py"]
