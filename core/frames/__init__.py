"""The workspace in pandas: items, decisions, ratings, screenings, runs and answers as DataFrames.

    from core.frames import open_workspace

    with open_workspace("demo", user="demo lead") as ws:
        decisions = ws.decisions()

Everybody sees what the window would show them: about an item on which they still have to decide,
neither its author nor what others and models said. Nothing is written but one thing: that somebody
read the texts of private items as a table is an event of the ledger. ``core.frames.schema`` has the
columns with their dtypes.
"""

from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from core.frames.schema import FRAMES, FrameColumn
from core.workflow.dashboards.columns import moments_of
from core.workflow.notebooks import visible_rows
from core.workflow.workspace import Workspace, default_location

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["WorkspaceFrames", "open_workspace"]


class WorkspaceFrames:
    """An open workspace, read as one person. Every method reads the current state."""

    def __init__(self, ws: Workspace, user: str) -> None:
        self.user = user
        self._ws = ws
        self._told: set[frozenset[int]] = set()

    def items(self, benchmark: str = "", task: str = "", *, texts: bool = True) -> "pd.DataFrame":
        """One row per item in its present revision, by number; of one benchmark or task if named.

        Annotators get the items that they wrote, claimed or judged, others all. ``author`` is NA
        where ``hidden``, ``gold`` for all but researchers and leads; ``payload``, ``provenance``
        and ``label`` for the items of a sealed split.

        The ledger records that this person read the texts of items that are no secret yet, once
        for the same items; with ``texts`` false ``payload`` and ``provenance`` are NA, and nothing
        is recorded. Raises NotFoundError for an unknown name, WorkspaceError where the texts are
        wanted and the workspace cannot be written to.
        """
        table = visible_rows.items(self._ws, self.user, benchmark, task)
        return _frame("items", self._told_of(table, "id", ("payload", "provenance"), texts))

    def _told_of(
        self, table: Mapping[str, Any], item: str, names: tuple[str, ...], texts: bool
    ) -> Mapping[str, Any]:
        """A table, recorded whose texts are in it, unless it was recorded for the same ones; or
        without what could say them: the columns ``names``."""
        if not texts:
            return {**table, **{name: [None] * len(table[item]) for name in names}}
        rows = zip(map(int, table[item]), table[names[0]], strict=True)
        numbers = frozenset(number for number, text in rows if text)
        if numbers and numbers not in self._told:
            visible_rows.record_texts_read(self._ws, self.user, sorted(numbers))
            self._told.add(numbers)
        return table

    def decisions(self) -> "pd.DataFrame":
        """One row per decision that was not undone, in the order in which they were made."""
        return _frame("decisions", visible_rows.decisions(self._ws, self.user))

    def ratings(self) -> "pd.DataFrame":
        """One row per rater, item revision and criterion, the newest value of each.

        Only of item revisions that this person has rated, or asked to see what is hidden.
        """
        return _frame("ratings", visible_rows.ratings(self._ws, self.user))

    def screenings(self, *, texts: bool = True) -> "pd.DataFrame":
        """One row per verdict of the gate; an item revision may have been screened twice."""
        table = visible_rows.screenings(self._ws, self.user)
        return _frame("screenings", self._told_of(table, "item_id", ("rationale",), texts))

    def runs(self) -> "pd.DataFrame":
        """One row per run, the newest first. RightsError for annotators and specialists."""
        return _frame("runs", visible_rows.runs(self._ws, self.user))

    def answers(self, run: str, *, texts: bool = True) -> "pd.DataFrame":
        """One row per item and variant that an evaluation answered.

        ``run`` is the id or the beginning of it. Raises NotFoundError for an unknown run,
        StateError for one whose answers are not in the workspace, RightsError for annotators and
        specialists. An answer may repeat its question, so ``texts`` are recorded as those of items.
        """
        table = visible_rows.answers(self._ws, self.user, run)
        return _frame("answers", self._told_of(table, "item_id", ("text", "extracted"), texts))

    def close(self) -> None:
        """Give the database connections back."""
        self._ws.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<{self._ws.title}, read as {self.user}>"


def open_workspace(place: str | Path | None = None, *, user: str) -> WorkspaceFrames:
    """Open a workspace for reading, as a person of its team.

    ``place`` is what ``benchseal --workspace`` takes: a folder, a database file or a
    ``postgresql://`` address; without one it is ``BENCHSEAL_WORKSPACE``, or the default folder.
    Opening writes nothing, neither a new person nor a newer schema. Raises NotFoundError for a
    workspace or a person that is not there, RightsError for somebody who works there no longer,
    WorkspaceError for an older workspace, which the program brings up to date when it opens it.
    """
    ws = Workspace.open_read_only(place or default_location())
    try:
        return WorkspaceFrames(ws, visible_rows.person_of(ws, user).name)
    except BaseException:
        ws.close()
        raise


def _frame(name: str, table: Mapping[str, Any]) -> "pd.DataFrame":
    import pandas as pd

    return pd.DataFrame({one.name: _column(table[one.field], one) for one in FRAMES[name]()})


def _column(values: Any, column: FrameColumn) -> "pd.Series[Any]":
    """The values as a column of its dtype."""
    import pandas as pd

    dtype = column.dtype
    if dtype == "datetime64[us, UTC]":
        moments: pd.Series[Any] = pd.Series(moments_of(values)).dt.tz_localize("UTC")
        return moments
    if dtype in ("string", "category") and not column.blank:
        values = [value or None for value in values]
    if dtype == "category":
        # only what is in the rows: the names of others may be hidden
        present = sorted({value for value in values if value is not None})
        return pd.Series(pd.Categorical(values, categories=pd.Index(present, dtype="string")))
    return pd.Series(values if dtype == "object" else pd.array(values, dtype=dtype), dtype=dtype)
