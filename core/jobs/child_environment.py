"""What a worker inherits from the program that starts it."""

import os

from core.i18n import language

_OF_THE_WORKSPACE = ("BENCHSEAL_WORKSPACE", "PGPASSWORD")


def worker_environment() -> dict[str, str]:
    """The environment without what opens the workspace: a worker sees only its run folder, and
    Slurm stores the environment of a job with it. What a worker says is in the language in use."""
    kept = {name: value for name, value in os.environ.items() if name not in _OF_THE_WORKSPACE}
    return {**kept, "BENCHSEAL_LANG": language()}
