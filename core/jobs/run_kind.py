"""What a run kind is: the pure work behind a run folder, free of workspace and window."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from pydantic import BaseModel

from core.jobs.folder import RunFolder
from core.jobs.model_in_memory import ModelInMemory


@dataclass(frozen=True)
class RunContext:
    """What a worker hands to a run kind.

    ``params`` is an instance of the kind's ``params_model``. ``stopping()`` turns true when the
    run was asked to stop: finish what is in flight and return. ``log`` appends one line to
    ``log.txt``; ``note`` adds named figures to ``progress.json`` (they replace earlier ones).
    ``run`` reads the rows of the folder, locked ones as well. ``loaded`` keeps a model in memory
    for the run that comes next, where the worker has one.
    """

    folder: Path
    params: Any
    shard: int
    shards: int
    stopping: Callable[[], bool]
    log: Callable[[str], None]
    note: Callable[..., None]
    run: RunFolder
    loaded: ModelInMemory | None = None


class RunKind(Protocol):
    """One kind of run. ``process`` and ``summarise`` see nothing but the run folder."""

    @property
    def name(self) -> str:
        """Name in ``spec.json``."""

    @property
    def params_model(self) -> type[BaseModel]:
        """Model of ``params`` in ``spec.json``."""

    def process(
        self, context: RunContext, pending: Sequence[dict[str, Any]]
    ) -> Iterator[dict[str, Any]]:
        """Yield one finished record for each pending work item, in any order.

        A work item is one line of ``work.jsonl`` and has an ``id``; its record carries the same
        ``id``. Each record is on disk before the next is asked for. Ending early (on
        ``stopping()`` or an empty budget) leaves the rest pending.
        """

    def summarise(self, run: RunFolder, records: Sequence[dict[str, Any]]) -> dict[str, Any]:
        """The content of ``result.json``; ``records`` are all finished ones in work order."""
