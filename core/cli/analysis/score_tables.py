"""Scores of several runs as one table, or compared pair by pair: ``benchseal report RUN RUN …``."""

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.cli.analysis import metric_option
from core.cli.commands import consenting, open_workspace
from core.cli.console import Console, columns
from core.cli.options import add_sheet, add_user, print_tables, table_text
from core.errors import StateError, UsageError
from core.gc_pause import few_collections
from core.i18n import listed, tr, trn, with_note

if TYPE_CHECKING:
    from core.evaluation.breakdown import Breakdown
    from core.evaluation.scoring import Report
    from core.report_table import ReportTable
    from core.workflow.evaluation.task_metrics import ChosenMetric
    from core.workflow.workspace import Workspace


BY = ("category", "task", "domain", "instruction", "template", "format", "format_domain")


def add_arguments(parser: Any) -> None:
    """What a table of runs takes beside the first run."""
    parser.add_argument("more", metavar="RUN", nargs="*", default=[], help=tr("more runs"))
    parser.add_argument(
        "--by", choices=BY, default="", help=tr("break the scores down, one column per value")
    )
    parser.add_argument(
        "--compare", action="store_true", help=tr("compare every pair of runs item by item")
    )
    parser.add_argument("--parquet", type=Path, metavar="FILE",
                        help=tr("write all answers with their scores"))  # fmt: skip
    metric_option.add_arguments(parser)
    parser.add_argument("--people", type=Path, metavar="FILE",
                        help=tr("human ratings of the judged answers"))  # fmt: skip
    add_sheet(parser)
    add_user(parser, tr("who imports the ratings"))


def run_report(arguments: argparse.Namespace, console: Console) -> None:
    """Print the scores; UsageError for a comparison of fewer than two runs."""
    with few_collections(), consenting(console, metric_option.named_server(arguments)):
        _run_report(arguments, console)


def _run_report(arguments: argparse.Namespace, console: Console) -> None:
    from core.workflow.runs import runs

    names = list(dict.fromkeys([arguments.run, *arguments.more]))
    if arguments.compare and len(names) < 2:
        raise UsageError.tr("A comparison needs at least two runs.")
    metric = metric_option.chosen_metric(arguments)
    ws = open_workspace(arguments, console)
    for name in names:
        runs.find_evaluation(ws, name)
    metric_option.tell_of_server(metric, console)
    if arguments.people is not None:
        _keep_people(ws, arguments, names)
    report_list = [
        finished_report(ws, name, partial=arguments.partial, metric=metric) for name in names
    ]
    cuts = _cuts(ws, report_list, arguments.by) if arguments.by else []
    reports = dict(zip(_titles(report_list), report_list, strict=True))
    if arguments.parquet is not None:
        _write_items(ws, arguments.parquet, reports, console)
    tabular = (arguments.by, arguments.compare, arguments.csv, arguments.latex, arguments.save)
    plain = not any(tabular)
    if plain and len(report_list) == 1:
        console.emit(report_list[0].as_json(), report_text(report_list[0]))
        return
    document: dict[str, Any] = {"runs": {name: one.as_json() for name, one in reports.items()}}
    table = _table(arguments, reports, cuts, document)
    ceilings = [one.origin.get("human_ceiling") or {} for one in reports.values()]
    people = [line for one in ceilings for line in one.get("sentences", ())]
    notes = (*metric_option.metric_lines(reports), *_errata_lines(reports), *people,
             *_seen_lines(reports))  # fmt: skip
    surface = _surface_lines(reports)
    table = replace(table, notes=(*table.notes, *notes, *surface))
    if not print_tables(arguments, console, table):
        console.emit(document, "\n".join([*_warnings(reports), table_text(table)]))


def _keep_people(ws: "Workspace", arguments: argparse.Namespace, names: Sequence[str]) -> None:
    from core.workflow.evaluation import answer_ratings

    if len(names) > 1:
        raise UsageError.tr("Human ratings belong to the answers of one run; name only one.")
    answer_ratings.take_in_ratings(
        ws, names[0], arguments.people, arguments.user, sheet=arguments.sheet
    )


def _cuts(ws: "Workspace", reports: "Sequence[Report]", by: str) -> "list[Breakdown]":
    from core.evaluation.breakdown import breakdown
    from core.workflow.evaluation.task_info import facts_of

    facts = {split: facts_of(ws, split) for split in {report.split for report in reports}}
    return [breakdown(report, by, facts[report.split]) for report in reports]


def _table(
    arguments: argparse.Namespace,
    reports: "Mapping[str, Report]",
    cuts: "Sequence[Breakdown]",
    document: dict[str, Any],
) -> "ReportTable":
    """The table that is asked for; what is behind it goes into the document."""
    from core.evaluation.report_tables import breakdown_table, comparison_table, score_table

    if arguments.compare:
        from core.evaluation.compare import compare_many

        comparison = compare_many(reports)
        document["comparisons"] = [one.as_json() for one in comparison]
        return comparison_table(comparison)
    if cuts:
        named = dict(zip(reports, cuts, strict=True))
        document["breakdown"] = {name: one.as_json() for name, one in named.items()}
        return breakdown_table(named)
    return score_table(reports, "format")


def _write_items(
    ws: "Workspace", path: Path, reports: "Mapping[str, Report]", console: Console
) -> None:
    from core.evaluation.report_tables import item_table, items_with_keys
    from core.table_writer import write_table
    from core.workflow.splits import readings

    table = item_table(reports)
    readings.record_before_sending(ws, readings.Act.ITEMS, path.name, items_with_keys(table))
    write_table(path, table)
    console.say(
        trn("Wrote 1 answer to {path}.", "Wrote {n} answers to {path}.", len(table.rows), path=path)
    )


def finished_report(
    ws: "Workspace", name: str, *, partial: bool = False, metric: "ChosenMetric | None" = None
) -> "Report":
    """Take a finished run in, then report it; StateError while its judge is not done, unless
    ``partial``."""
    from core.workflow.evaluation.take_in_answers import report_taken_in

    scored = report_taken_in(ws, name, partial=partial, metric=metric)
    judge = scored.origin.get("judge")
    if judge is not None and judge["state"] != "finished" and not partial:
        raise StateError.trn(
            "{done} of 1 answer judged so far (run {run}: {state}). Wait for it, resume "
            "it with run resume {run}, or request a partial report.",
            "{done} of {n} answers judged so far (run {run}: {state}). Wait for it, "
            "resume it with run resume {run}, or request a partial report.",
            judge["answers"],
            done=judge["judged"],
            run=judge["run"],
            state=judge["state"],
        )
    return _beside_surface(ws, scored)


def _beside_surface(ws: "Workspace", scored: "Report") -> "Report":
    """The report with what shallow solvers reach on its split, and of people their ceiling."""
    from core.evaluation.report_parts.any_look import any_look
    from core.evaluation.report_parts.methods_text import methods_paragraph
    from core.evaluation.report_parts.seen_before import with_seen
    from core.workflow.analysis.sent_items import seen_before
    from core.workflow.splits.surface_gate import surface_gate

    scored = with_seen(scored, seen_before(ws, (str(scored.origin["run"]),)))
    more: dict[str, Any] = {
        "surface": surface_gate(ws, scored.split).as_json(),
        "methods": methods_paragraph(scored),
    }
    if scored.missing and (look := any_look(scored.total, scored.items)) is not None:
        more["any_look"] = asdict(look)
    if scored.engine == "people":
        from core.evaluation.report_parts.human_ceiling import human_ceiling

        ceiling = human_ceiling(scored)
        more["human_ceiling"] = ceiling.as_json() if ceiling else None
    return replace(scored, origin={**scored.origin, **more})


def _surface_lines(reports: "Mapping[str, Report]") -> list[str]:
    """The warnings and sentences of the splits' surface gates, each split once."""
    gates = {one.split: one.origin.get("surface") or {} for one in reports.values()}
    said = [line for gate in gates.values() for line in gate.get("sentences", ())]
    return [*_warnings(reports), *said]


def _errata_lines(reports: "Mapping[str, Report]") -> list[str]:
    from core.workflow.evaluation import errata

    told = {name: errata.errata_sentence(report) for name, report in reports.items()}
    return [tr("{run}: {note}", run=name, note=line) for name, line in told.items() if line]


def _seen_lines(reports: "Mapping[str, Report]") -> list[str]:
    """What each run's provider had been sent of its split before."""
    told = {name: report.origin.get("seen_before") for name, report in reports.items()}
    return [tr("{run}: {note}", run=n, note=seen["sentence"]) for n, seen in told.items() if seen]


def _titles(reports: "Sequence[Report]") -> list[str]:
    """The models, or model and run where a model ran more than once."""
    models = [one.model for one in reports]
    if len(set(models)) == len(models):
        return models
    return [f"{one.model} · {one.origin['run']}" for one in reports]


def _warnings(reports: "Mapping[str, Report]") -> list[str]:
    """What a report begins with: the warning of each split's surface gate."""
    gates = [one.origin.get("surface") or {} for one in reports.values()]
    return list(dict.fromkeys(gate["warning"] for gate in gates if gate.get("warning")))


def report_text(scored: Any) -> str:
    """A report as a table for people; accuracies in percent."""
    from core.evaluation.usage import usage_lines
    from core.workflow.evaluation import errata

    surface = scored.origin.get("surface") or {}
    lines = [line for line in (surface.get("warning"),) if line] + [
        tr(
            "{model} on “{split}”: {answered} of {items} answered, {missing} missing, "
            "{unparsed} unparsed.",
            model=scored.model,
            split=scored.split,
            answered=scored.answered,
            items=scored.items,
            missing=scored.missing,
            unparsed=scored.unparsed,
        )
    ]
    if scored.origin.get("resumed"):
        lines.append(
            trn(
                "Resumed at {done} of 1 item.",
                "Resumed at {done} of {n} items.",
                scored.items,
                done=scored.origin["resumed"],
            )
        )
    if seen := scored.origin.get("seen_before"):
        lines.append(seen["sentence"])
    lines += (scored.origin.get("human_ceiling") or {}).get("sentences", ())
    lines += usage_lines(scored)
    for kind, name in (scored.origin.get("measured_by") or {}).items():
        lines.append(tr("Tasks of type {kind} are scored with {metric}.", kind=kind, metric=name))
    lines += metric_option.metric_lines({"": scored})
    lines += _judge_lines(scored.origin.get("judge"))
    lines += [line for line in (errata.errata_sentence(scored),) if line]
    rows = [_row(tr("all"), scored.total)]
    for parts in scored.by.values():
        # where items have no domain there is nothing to tell apart by it
        named = {name: part for name, part in parts.items() if name and not name.endswith("/")}
        rows += [_row(name, part) for name, part in named.items()]
    heads = (tr("items"), "n", tr("accuracy %"), tr("standard error"), tr("95% interval"), "")
    lines.append(columns(rows, heads))
    lines += surface.get("sentences", ())
    if look := scored.origin.get("any_look"):
        lines.append(
            with_note(
                tr("Looked at before the end, as often as you like: {low} to {high}% holds at all "
                   "looks together, if the order of the answers is random.",
                   low=_share(look["low"]), high=_share(look["high"])),
                look["caution"],
            )
        )  # fmt: skip
    if methods := scored.origin.get("methods"):
        lines += ["", tr("Methods: {text}", text=methods)]
    return "\n".join(lines)


def _row(name: str, part: Any) -> tuple[str, int, str, str, str, str]:
    interval = part.interval
    span = "–" if interval.low is None else f"[{_share(interval.low)}, {_share(interval.high)}]"
    return name, part.n, _share(part.accuracy), _share(part.stderr), span, part.caution


def _judge_lines(judge: Any) -> list[str]:
    """What the judge made of the answers, how far people agree with it, and its means as their
    ratings correct them."""
    from core.evaluation.judge_agreement import agreement_figures
    from core.evaluation.judge_correction import correction_sentences
    from core.evaluation.report_parts.other_judges import other_judges_sentence

    lines = []
    for one in judge["judges"] if judge else ():
        counts = listed(f"{name} {count}" for name, count in one["outcomes"].items())
        lines.append(tr("Judge {judge}: {counts}.", judge=one["judge"], counts=counts))
        rows = [(name, _share(value)) for name, value in one["means"].items()]
        lines.append(columns(rows, (tr("judged"), "%")))
        for name, agreement in one["agreement"].items():
            lines.append(
                trn(
                    "Agreement with people on 1 answer, {criterion}: {figures}.",
                    "Agreement with people on {n} answers, {criterion}: {figures}.",
                    agreement["answers"],
                    criterion=name,
                    figures=agreement_figures(agreement["coefficients"]),
                )
            )
        lines += correction_sentences(one.get("corrected", {}))
    return lines + [line for line in (other_judges_sentence(judge),) if line]


def _share(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.1f}"
