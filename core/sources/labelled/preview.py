"""A look at labelled data before anything is done with it: columns, first rows, what is usable."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from core.errors import BenchsealError
from core.sources.labelled.dataset_files import (
    SPLITS,
    Columns,
    find_columns,
    line_of,
    read_labelled,
)
from core.sources.labelled.datasets import LabelledExample, LabelledTask, counted
from core.sources.tables import read_table

FIRST_ROWS = 50


@dataclass(frozen=True, slots=True)
class LabelledPreview:
    """``columns`` and ``rows`` are the file's beginning as it is; of a TweetEval folder, of its
    examples. ``splits`` are those that a folder has (empty for a file). ``guessed`` is the mapping
    in use. ``examples`` are all usable ones; without any, ``problem`` says why.
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    splits: tuple[str, ...]
    guessed: Columns
    examples: tuple[LabelledExample, ...]
    label_counts: Mapping[str, int]
    left_out: Mapping[str, Sequence[int]]
    problem: str = ""

    @property
    def skipped(self) -> dict[str, int]:
        """How many rows were left out, by reason."""
        return counted(self.left_out)


def preview_labelled(
    path: Path,
    task: LabelledTask,
    *,
    columns: Columns | None = None,
    split: str = "test",
    sheet: str = "",
) -> LabelledPreview:
    """What ``read_labelled`` would make of a file or folder; what is wrong is said, not raised."""
    path = Path(path)
    header: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    guessed, splits = columns or Columns(), splits_in(path)
    try:
        if path.is_file():
            table = read_table(path, sheet=sheet)
            header = table.columns
            rows = tuple(
                tuple(line_of(value) or "" for value in row.values())
                for _, row in islice(table.rows(), FIRST_ROWS)
            )
            guessed = find_columns(path, header, guessed, task)
        found = read_labelled(path, task, columns=columns, split=split, sheet=sheet)
    except BenchsealError as error:
        return LabelledPreview(header, rows, splits, guessed, (), {}, {}, str(error))
    if not header:
        header, rows = _as_table(found.examples[:FIRST_ROWS], task)
    return LabelledPreview(
        header, rows, splits, guessed, found.examples, found.label_counts, found.left_out
    )


def splits_in(path: Path) -> tuple[str, ...]:
    """The splits of a TweetEval folder, or of the folders in it."""
    if not path.is_dir():
        return ()
    return tuple(
        split
        for split in SPLITS
        if (path / f"{split}_text.txt").is_file() or any(path.glob(f"*/{split}_text.txt"))
    )


def _as_table(
    examples: Sequence[LabelledExample], task: LabelledTask
) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]:
    names = ("text", "label", "target") if task.targeted else ("text", "label")
    rows = (tuple(str(getattr(example, name)) for name in names) for example in examples)
    return names, tuple(rows)
