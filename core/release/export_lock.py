"""The lock of one export: its key, and what the heads of its files say in the clear."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from core.errors import InputError
from core.release import locked_export


@dataclass(frozen=True, slots=True)
class ExportLock:
    """``name`` is the export's own, from which its key is derived under ``opening`` (an event of
    the ledger); ``canary`` stands in the head of every file."""

    key: bytes = field(repr=False)
    name: str
    opening: int
    canary: str

    @property
    def head(self) -> dict[str, Any]:
        """What every file of the export says in the clear."""
        return {"export": self.name, "opening": self.opening, "canary": self.canary}

    def lines(self, file: str, rows: Iterable[Mapping[str, Any]]) -> Iterator[bytes]:
        """The lines of a locked file."""
        return locked_export.locked_lines(rows, self.key, {**self.head, "file": file})

    def rows(self, path: Path) -> Iterator[dict[str, Any]]:
        """The rows of a locked file; InputError where it was changed."""
        try:
            yield from locked_export.opened_rows(path, self.key)
        except (OSError, ValueError) as error:
            raise InputError.tr(
                "“{path}” cannot be opened: {reason}.", path=path, reason=error
            ) \
                from error  # fmt: skip
