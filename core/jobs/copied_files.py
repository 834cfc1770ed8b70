"""Which files of a run folder are copied to another machine, and which of there come back."""

from fnmatch import fnmatchcase

STAYS_HERE = ("launch.json", "*.lock", "*.queued", "*.spare", ".*.tmp")
"""Patterns of what tells of the workers of this machine."""

COMES_BACK = (
    "shard-[0-9]*.jsonl", "calls-[0-9]*.jsonl", "engine-[0-9]*.json", "slurm-[0-9]*.txt",
    "progress.json", "result.json", "error.json", "log.txt", "server.log",
)  # fmt: skip
"""Patterns of all that a worker writes; whatever else lies in a folder over there stays there."""

MOST_BYTES = 8 * 2**30  # of one file that comes back


def stays_here(name: str) -> bool:
    """Whether a file of a run folder is never copied to another machine."""
    return any(fnmatchcase(name, pattern) for pattern in STAYS_HERE)


def comes_back(name: str) -> bool:
    """Whether a file of a run folder on another machine is copied back from there."""
    return any(fnmatchcase(name, pattern) for pattern in COMES_BACK)
