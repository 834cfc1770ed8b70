"""What became of the rows of an imported file."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from core.families.base import COLUMNS, ItemContent
from core.families.intake import AcceptedRow
from core.i18n import trn
from core.sources.imports import RefusedRow
from core.workflow.production.import_check import ImportFinding
from core.workflow.production.repeated_rows import REPEATED

if TYPE_CHECKING:
    from core.workflow.production.annotators import RecordedDecisions


@dataclass(frozen=True, slots=True)
class ImportReport:
    """What became of every row: ``total`` = ``taken`` + ``known`` + the refused ones.

    ``known`` are rows whose content the task, or an earlier row, has already; ``known_rows`` says
    for each which. ``defects`` counts the taken items that have each defect. ``kept`` counts for
    each column the rows whose value is kept in the item's provenance, ``dropped`` those whose value
    was left out as asked for.
    """

    file: str
    format: str
    task: str
    benchmark: str
    total: int
    taken: int
    refused: tuple[RefusedRow, ...]
    known_rows: tuple[RefusedRow, ...]
    mapping: Mapping[str, str]
    defects: Mapping[str, int]
    dry_run: bool
    note: str = ""
    """What is unusual about a task that was made, in a sentence."""
    advises: bool = False
    """Whether the note says what should be mapped as well."""
    findings: tuple[ImportFinding, ...] = ()
    """Of a dry run: what the rows that can be taken have wrong or leave empty, by line."""
    family: str = ""
    kept: Mapping[str, int] = field(default_factory=dict)
    dropped: Mapping[str, int] = field(default_factory=dict)
    decisions: "RecordedDecisions | None" = None
    """Those of the file's annotators, where they were asked for."""
    repeated: int = 0
    """Of the known rows those whose content an earlier row of the file has."""
    waiting: int = 0
    """Of the known rows those whose content an import has that has not ended: nobody sees it."""
    first: int = 0
    """The number of the first item that was taken; 0 where none was, and of a dry run."""

    @property
    def known(self) -> int:
        """Rows that brought nothing new."""
        return len(self.known_rows)

    @property
    def existed(self) -> int:
        """Rows whose content the task had already, for everybody to see."""
        return self.known - self.repeated - self.waiting

    @property
    def waiting_text(self) -> str:
        """What is to be said of ``waiting`` rows; empty where there are none."""
        if not self.waiting:
            return ""
        return trn(
            "1 row has the content of a hidden item of an import that is not finished.",
            "{n} rows have the contents of hidden items of an import that is not finished.",
            self.waiting,
        )

    @property
    def repeated_text(self) -> str:
        """What is to be said of ``repeated`` rows; empty where there are none."""
        if not self.repeated:
            return ""
        return trn(
            "1 row repeats an earlier row: check that every column of its text is chosen.",
            "{n} rows repeat an earlier row: check that every column of their text is chosen.",
            self.repeated,
        )

    @property
    def beside(self) -> Mapping[str, int]:
        """The kept and the dropped columns that no field takes, with their rows.

        A text that a field took and cleaned is kept as well, and so is what repeated rows say,
        which their lines name.
        """
        parts = "+".join(self.mapping.values()).split("+")
        taken = {REPEATED, *(part.partition(".")[0] for part in parts)}
        every = {**self.kept, **self.dropped}
        return {name: count for name, count in every.items() if name not in taken}

    @property
    def nothing_readable(self) -> bool:
        """Whether every row was refused; then nothing was written, and no task was made."""
        return not self.taken and not self.known_rows


class RowCount:
    """What was counted so far."""

    def __init__(self) -> None:
        self.total = 0
        self.taken = 0
        self.first = 0
        self.refused: list[RefusedRow] = []
        self.known: list[RefusedRow] = []
        self.repeated = 0
        self.waiting = 0
        self.defects: Counter[str] = Counter()
        self.kept: Counter[str] = Counter()
        self.dropped: Counter[str] = Counter()
        self.written: list[tuple[int, ItemContent]] = []
        self.in_words = 0
        """Of the new answers those that are measured by the words that they share (F1)."""

    def take(self, row: AcceptedRow, number: int = 0) -> None:
        """Count a row that was taken, as the item of this number where it has one already."""
        self.taken += 1
        self.first = self.first or number
        if row.defects:
            self.defects.update({defect.name for defect in row.defects})

    def content(self, row: AcceptedRow, sign: int = 1) -> None:
        """Count what a new row keeps, drops and is measured by; with -1 take it back."""
        for name in row.content.provenance.get(COLUMNS) or ():
            self.kept[name] += sign
        for name in row.dropped:
            self.dropped[name] += sign
        self.in_words += sign * (row.content.payload.get("metric") == "f1")
