"""Reports and comparisons as tables."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from core.evaluation.breakdown import Breakdown
from core.evaluation.mean_interval import score_intervals_note
from core.evaluation.report_parts.seen_before import seen_before_of, seen_items
from core.evaluation.scoring import AccuracyEstimate, Report
from core.i18n import joined_clauses, listed, tr, tr_noop, trn
from core.known_names import refuse_unknown
from core.release.question_ids import uid_of
from core.report_table import Cell, PValue, ReportTable

if TYPE_CHECKING:
    from core.evaluation.compare import Comparison

CUTS = ("format", "domain", "format_domain", "instruction")
_MOST_NAMED = 6  # pairs of runs that a note names


def score_table(reports: Mapping[str, Report], by: str = "format") -> ReportTable:
    """A row per run, a column per part, and the total with its standard error and its 95%
    interval; in percent."""
    refuse_unknown(
        by, CUTS, tr_noop("A report cannot be broken down by “{name}”. Available: {known}.")
    )
    parts = sorted({part for report in reports.values() for part in report.by.get(by, {})})
    rows: list[tuple[Cell, ...]] = []
    for name, report in reports.items():
        cells = [_percent(report.by.get(by, {}).get(part)) for part in parts]
        interval = report.total.interval
        rows.append(
            (
                name,
                *cells,
                _percent(report.total),
                _percent(report.strict),
                _hundred(report.total.stderr),
                _hundred(interval.low),
                _hundred(interval.high),
                report.answered,
                report.missing,
                seen_items(seen_before_of(report)),
                report.total.clusters,
                report.total.caution,
            )
        )
    heads = (tr("Run"), *parts, tr("All"), tr("All, strict"), tr("Standard error"), tr("Low"),
             tr("High"), tr("Answered"), tr("Missing"), tr("Seen before"), tr("Sources"),
             tr("Remark"))  # fmt: skip
    counts = {part: [r.by[by][part].n for r in reports.values() if part in r.by.get(by, {})]
              for part in parts}  # fmt: skip
    notes = (*_missing_notes(reports), *_unjudged_notes(reports), *ways_notes(reports),
             *_cluster_notes(reports), *_caution_notes(reports), *counts_notes(counts),
             *_interval_notes(report.total for report in reports.values()))  # fmt: skip
    return ReportTable(tr("Accuracy (%)"), heads, tuple(rows), notes, 1)


def breakdown_table(breakdowns: Mapping[str, Breakdown]) -> ReportTable:
    """Of one run a row per part, of several a row per run and part; scores in percent."""
    several = len(breakdowns) > 1
    with_f1 = any(line.macro_f1 is not None for cut in breakdowns.values() for line in cut.lines)
    rows: list[tuple[Cell, ...]] = []
    for name, cut in breakdowns.items():
        for line in (*cut.lines, cut.total):
            cells: list[Cell] = [name] if several else []
            cells += [line.name, _hundred(line.score), _hundred(line.stderr), _hundred(line.low),
                      _hundred(line.high)]  # fmt: skip
            if with_f1:
                cells += [_hundred(line.macro_f1), _hundred(line.macro_f1_low),
                          _hundred(line.macro_f1_high)]  # fmt: skip
            cells += [line.tasks, line.items, line.scored, line.missing, line.refused,
                      line.truncated, line.thinking_truncated, line.empty, line.unparsed,
                      line.unjudged, line.sources, line.caution]  # fmt: skip
            rows.append(tuple(cells))
    heads = [tr("Run")] if several else []
    heads += [tr("Part"), tr("Score"), tr("Standard error"), tr("Low"), tr("High")]
    heads += [tr("Macro F1"), tr("Macro F1, low"), tr("Macro F1, high")] if with_f1 else []
    heads += [tr("Tasks"), tr("Items"), tr("Scored"), tr("Missing"), tr("Refused"),
              tr("Truncated"), tr("Cut off while thinking"), tr("Empty"), tr("Unreadable"),
              tr("Not judged"), tr("Sources"), tr("Remark")]  # fmt: skip
    remarks = [note for name, cut in breakdowns.items() for note in _breakdown_notes(name, cut)]
    if any(line.low is not None for cut in breakdowns.values() for line in (*cut.lines, cut.total)):
        remarks.append(score_intervals_note())
    return ReportTable(tr("Scores (%)"), tuple(heads), tuple(rows), tuple(remarks), 1)


def _breakdown_notes(name: str, cut: Breakdown) -> list[str]:
    notes = []
    if cut.over == "tasks":
        notes.append(tr("{run}: means are over tasks, not items.", run=name))
    if any(line.clustered for line in (*cut.lines, cut.total)):
        notes.append(tr("{run}: standard errors allow for sources that items share.", run=name))
    cautions = [cut.total.caution, *(line.macro_f1_caution for line in cut.lines)]
    notes += [_rough(name, why) for why in dict.fromkeys(cautions) if why]
    rough: dict[str, list[str]] = {}
    for line in cut.lines:
        if line.caution and line.low is not None:
            rough.setdefault(line.caution, []).append(line.name or "–")
    notes += [
        trn("{run}: the interval of 1 part is rough ({why}): {parts}.",
            "{run}: the intervals of {n} parts are rough ({why}): {parts}.",
            len(parts), run=name, why=why, parts=listed(parts))
        for why, parts in rough.items()
    ]  # fmt: skip
    if cut.variance is not None and cut.mean is not None:
        notes.append(
            tr("{run}: mean over prompt variants {mean}, variance {variance}.", run=name,
               mean=f"{100 * cut.mean:.2f}", variance=f"{cut.variance:.6f}")
        )  # fmt: skip
    if cut.task_variance_one is not None and cut.task_variance_all is not None:
        notes.append(
            tr("{run}: variance of task scores {one} with one prompt variant, {every} with all.",
               run=name, one=f"{cut.task_variance_one:.6f}", every=f"{cut.task_variance_all:.6f}")
        )  # fmt: skip
    return notes


def _hundred(value: float | None) -> float | None:
    return None if value is None else 100 * value


def comparison_table(comparisons: "Sequence[Comparison]") -> ReportTable:
    """A row per pair of runs: difference in points, interval, discordant items and p-values."""
    rows: list[tuple[Cell, ...]] = [
        (
            comparison.a,
            comparison.b,
            comparison.n,
            _hundred(comparison.difference),
            _hundred(comparison.interval.low),
            _hundred(comparison.interval.high),
            len(comparison.a_only),
            len(comparison.b_only),
            PValue.of(comparison.p_mcnemar),
            PValue.of(comparison.p_holm),
            PValue.of(comparison.p_bootstrap),
            comparison.sources or None,
            comparison.caution,
        )
        for comparison in comparisons
    ]
    heads = (
        tr("Run A"),
        tr("Run B"),
        tr("Items"),
        tr("A − B, points"),
        tr("Low"),
        tr("High"),
        tr("Only A correct"),
        tr("Only B correct"),
        tr("p (McNemar)"),
        tr("p (Holm)"),
        tr("p (bootstrap)"),
        tr("Sources"),
        tr("Remark"),
    )
    notes = _pair_notes(comparisons)
    if any(comparison.interval.low is not None for comparison in comparisons):
        notes.append(_differences_note())
    return ReportTable(tr("Paired differences"), heads, tuple(rows), tuple(notes), 1)


def _differences_note() -> str:
    return tr(
        "Intervals are at 95%: Student's of the paired differences, with cluster-robust errors "
        "where answers share a source or an item. Holm's p is over all pairs of the table."
    )


def _pair_notes(comparisons: Sequence["Comparison"]) -> list[str]:
    """What is said of the pairs, each sentence once, with the pairs that it is said of."""
    said: dict[str, list[str]] = {}
    for comparison in comparisons:
        pair = tr("{a} and {b}", a=comparison.a, b=comparison.b)
        for sentence in _said_of(comparison):
            said.setdefault(sentence, []).append(pair)
    return [
        tr("{pairs}: {sentence}", pairs=_named_pairs(pairs, len(comparisons)), sentence=sentence)
        for sentence, pairs in said.items()
    ]


def _named_pairs(pairs: Sequence[str], of: int) -> str:
    if len(pairs) == of > 1:
        return tr("all pairs")
    if len(pairs) > _MOST_NAMED:
        return trn("1 pair", "{n} pairs", len(pairs))
    return joined_clauses(pairs)


def _said_of(comparison: "Comparison") -> list[str]:
    notes = [comparison.undefined] if comparison.undefined else []
    if comparison.clusters:
        notes.append(
            tr("errors, intervals and p-values allow for what the answers share: {shared}.",
               shared=comparison.shared)
        )  # fmt: skip
    if comparison.caution:
        notes.append(tr("intervals and p-values are rough ({why}).", why=comparison.caution))
    return notes + [tr("{note}.", note=note) for note in comparison.p_notes]


def item_table(reports: Mapping[str, Report]) -> ReportTable:
    """A row per item and run, with expected and predicted answer side by side."""
    rows: list[tuple[Cell, ...]] = [
        (
            name,
            entry.id,
            entry.format,
            entry.domain,
            entry.expected,
            entry.predicted,
            int(entry.correct) if entry.answered else None,
            int(entry.strict) if entry.answered else None,
            entry.outcome,
            entry.score,
            entry.text,
        )
        for name, report in reports.items()
        for entry in report.scores
    ]
    columns = ("run", "item", "format", "domain", "expected", "predicted", "correct", "strict",
               "outcome", "score")  # fmt: skip
    return ReportTable(tr("Answers item by item"), (*columns, "text"), tuple(rows))


def items_with_keys(table: ReportTable) -> list[int]:
    """The numbers of the items whose keys stand in a table of answers; none for other tables."""
    if "expected" not in table.columns:
        return []
    at = table.columns.index("item")
    return sorted({int(uid_of(str(row[at]))) for row in table.rows})


def _percent(part: AccuracyEstimate | None) -> float | None:
    accuracy = part.accuracy if part else None
    return None if accuracy is None else 100 * accuracy


def _missing_notes(reports: Mapping[str, Report]) -> tuple[str, ...]:
    return tuple(
        trn(
            "{run}: {missing} of 1 item without an answer, excluded.",
            "{run}: {missing} of {n} items without an answer, excluded.",
            report.items,
            run=name,
            missing=report.missing,
        )
        for name, report in reports.items()
        if report.missing
    )


def _unjudged_notes(reports: Mapping[str, Report]) -> list[str]:
    return [
        trn("{run}: 1 answer has no verdict and is excluded.",
            "{run}: {n} answers have no verdict and are excluded.", report.unjudged, run=name)
        for name, report in reports.items()
        if report.unjudged
    ]  # fmt: skip


def ways_notes(reports: Mapping[str, Report]) -> list[str]:
    """Which runs asked their items in several ways, so that their answers are more than these."""
    return [
        trn("{run}: the answers are to 1 item, asked in {ways} ways whose scores are averaged.",
            "{run}: the answers are to {n} items, asked in {ways} ways whose scores are averaged.",
            report.distinct_items, run=name, ways=report.ways)
        for name, report in reports.items()
        if report.ways > 1 and report.engine != "people"
    ]  # fmt: skip


def counts_notes(counts: Mapping[str, Sequence[int]]) -> list[str]:
    """How many answers are behind each column, of which there are several; rows may differ."""
    said = [
        f"{name or '–'} {min(own)}" + (f"–{max(own)}" if max(own) > min(own) else "")
        for name, own in counts.items()
        if own
    ]
    if len(said) < 2:
        return []
    return [tr("Scored answers in each column: {counts}.", counts=listed(said))]


def _interval_notes(totals: Iterable[AccuracyEstimate]) -> tuple[str, ...]:
    return (score_intervals_note(),) if any(total.n for total in totals) else ()


def _cluster_notes(reports: Mapping[str, Report]) -> tuple[str, ...]:
    return tuple(
        _clustered(name, report.total) for name, report in reports.items() if report.total.clustered
    )


def _caution_notes(reports: Mapping[str, Report]) -> tuple[str, ...]:
    return tuple(
        _rough(name, report.total.caution)
        for name, report in reports.items()
        if report.total.caution
    )


def _rough(run: str, why: str) -> str:
    return tr("{run}: the interval is rough ({why}).", run=run, why=why)


def _clustered(run: str, total: AccuracyEstimate) -> str:
    return tr("{run}: standard errors allow for what answers share: {shared}.", run=run,
              shared=total.shared)  # fmt: skip
