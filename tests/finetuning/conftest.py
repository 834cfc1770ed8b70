"""Real fine-tuning: `make test-finetune` runs this where torch, transformers and peft are.

Anywhere else there is nothing to train with, and nothing here is collected.
"""

from importlib.util import find_spec

_NEEDED = ("torch", "transformers", "peft")
collect_ignore_glob = [] if all(find_spec(name) for name in _NEEDED) else ["test_*.py"]
