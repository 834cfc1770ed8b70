"""A comparison as tables: the list of pairs, and what is exported."""

from collections.abc import Callable
from pathlib import Path

from core.evaluation.compare import Comparison
from core.evaluation.report_tables import items_with_keys
from core.report_table import ReportTable
from core.table_writer import write_table
from core.workflow.evaluation import compare_runs
from core.workflow.evaluation.compare_runs import Kind, RunChoice, RunComparison
from core.workflow.evaluation.report_cache import ReportCache
from core.workflow.splits import readings
from core.workflow.workspace import Workspace
from gui.panels.compare.sentences import p_words, signed


def pair_row(pair: Comparison) -> tuple[str, ...]:
    """The cells of one pair of runs in the list of pairs."""
    low, high = pair.interval.low, pair.interval.high
    return (
        pair.a,
        pair.b,
        "–" if pair.difference is None else signed(100 * pair.difference),
        "–" if low is None or high is None else f"{signed(100 * low)} … {signed(100 * high)}",
        str(len(pair.a_only)),
        str(len(pair.b_only)),
        p_words(pair.p_mcnemar).removeprefix("= "),
        p_words(pair.p_holm).removeprefix("= "),
    )


def export_table(
    what: str, reports: ReportCache, chosen: list[RunChoice], comparison: RunComparison, kind: Kind
) -> ReportTable:
    """``pairs``, ``items`` (those of one kind) or ``answers`` as a table."""
    if what == "pairs":
        return compare_runs.differences(compare_runs.every_pair(reports, chosen))
    if what == "items":
        return compare_runs.side_by_side(comparison, kind)
    return compare_runs.answers(reports, chosen)


def save_table(ws: Workspace, make_table: Callable[[], ReportTable], path: Path) -> Path:
    """Write a table to a file, in the format of its ending; one with keys of private items is told
    to the ledger before."""
    table = make_table()
    readings.record_before_sending(ws, readings.Act.ITEMS, path.name, items_with_keys(table))
    write_table(path, table)
    return path
