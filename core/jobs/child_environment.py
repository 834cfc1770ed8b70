"""What a worker inherits from the program that starts it."""

import os

_OF_THE_WORKSPACE = ("BENCHSEAL_WORKSPACE", "PGPASSWORD")


def worker_environment() -> dict[str, str]:
    """The environment without what opens the workspace: a worker sees only its run folder, and
    Slurm stores the environment of a job with it."""
    return {name: value for name, value in os.environ.items() if name not in _OF_THE_WORKSPACE}
