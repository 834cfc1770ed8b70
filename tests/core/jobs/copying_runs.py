"""A run kind that copies its work, for tests of workers and run folders."""

import errno
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from core.jobs.folder import RunFolder
from core.jobs.run_kind import RunContext


class Nothing(BaseModel):
    """No parameters."""


class Copies:
    """A run kind that copies its work, until ``full_after`` items are done."""

    name = "copies"
    params_model = Nothing

    def __init__(self, full_after: int = 10**9, code: int = errno.ENOSPC) -> None:
        self.full_after, self.code = full_after, code
        self.spare = -1

    def process(
        self, context: RunContext, pending: Sequence[dict[str, Any]]
    ) -> Iterator[dict[str, Any]]:
        (spare, *_) = context.folder.glob("*.spare")
        self.spare = spare.stat().st_size
        for count, row in enumerate(pending):
            if count == self.full_after:
                raise OSError(self.code, os.strerror(self.code))
            yield row

    def summarise(self, folder: Path, records: Sequence[dict[str, Any]]) -> dict[str, Any]:
        return {"items": len(records)}


def prepare(root: Path, count: int = 12) -> RunFolder:
    """A run folder below ``root`` with that many items to copy."""
    rows = ({"id": f"项{n}"} for n in range(count))
    return RunFolder.create(root, "copies", Nothing(), rows)
