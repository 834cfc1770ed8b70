"""Real fine-tuning: `make test-finetune` runs this where torch, transformers and peft are.

Anywhere else there is nothing to train with, and nothing here is collected. What needs a Slurm of
its own as well is collected only for root with slurm-wlm and munge; the head of the run says so.
"""

import os
import shutil
from importlib.util import find_spec

from tests.slurm.conftest import PROGRAMS
from tests.vllm.conftest import no_settings_of_a_person

__all__ = ["no_settings_of_a_person"]

_NEEDED = ("torch", "transformers", "peft")
_SLURM = "test_on_slurm.py"

collect_ignore_glob = [] if all(find_spec(name) for name in _NEEDED) else ["test_*.py"]
_lacking = [name for name in PROGRAMS if not shutil.which(name)]
if os.geteuid() != 0 or _lacking:
    collect_ignore_glob.append(_SLURM)


def pytest_report_header() -> str:
    """Say it where the test on Slurm is left out."""
    if _SLURM not in collect_ignore_glob:
        return "simulation on Slurm: tested"
    return f"simulation on Slurm: NOT tested; needs root and the programs: {_lacking or 'root'}"
