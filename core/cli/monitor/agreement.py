"""Commands that measure: agreement."""

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.cli.commands import add_command, date_or_time, open_to_look, the_benchmark
from core.cli.console import Console, columns
from core.cli.options import (
    add_benchmark,
    add_judgements,
    add_resamples,
    add_seed,
    add_sheet,
    add_tables,
    add_task_choice,
    print_tables,
)
from core.errors import InputError
from core.i18n import printed, printed_bounds, tr

if TYPE_CHECKING:
    from core.agreement.statistic import CoefficientResult

_DATA_ENDINGS = (".csv", ".parquet", ".xlsx")


def _add_agreement(commands: Any) -> None:
    parser = add_command(commands, "agreement", tr("measure agreement between people"), _agreement)
    add_benchmark(parser)
    add_task_choice(parser)
    parser.add_argument("--by", metavar="CUT", help=tr("task, criterion, pair, week, reviewer, …"))
    parser.add_argument("--coefficient", metavar="C", action="append", help=tr("can be repeated"))
    add_judgements(parser)
    parser.add_argument(
        "--interval",
        choices=("bca", "bootstrap", "analytic", "none"),
        default="bca",
        help=tr("method for confidence intervals"),
    )
    add_resamples(parser, default=1000)
    add_seed(parser)
    parser.add_argument(
        "--as-of",
        type=date_or_time,
        metavar="DATE",
        help=tr("decisions and ratings up to this day"),
    )
    parser.add_argument(
        "--file", type=Path, metavar="RATINGS.csv", help=tr("read ratings from a file instead")
    )
    add_sheet(parser)
    parser.add_argument("--layout", metavar="raters|counts", help=tr("layout of the file"))
    parser.add_argument(
        "--source-column",
        metavar="NAME",
        default="",
        help=tr(
            "column of the file with each item's article or other source; default: one named so"
        ),
    )
    parser.add_argument(
        "--rater-columns",
        nargs="+",
        metavar="NAME",
        default=(),
        help=tr("columns of the file that hold ratings; default: all but those of items"),
    )
    add_tables(parser)


def _agreement(arguments: argparse.Namespace, console: Console) -> None:
    from core.agreement.serialise import results_data, results_table, results_to_json

    document: dict[str, Any] = {}
    if arguments.file is not None:
        _refuse_choices(arguments)
        advice, parts = "", [("", _of_file(arguments))]
        document["file"] = str(arguments.file)
    else:
        if arguments.layout is not None:
            raise InputError.tr("--layout describes the layout of a file; give --file too.")
        if arguments.source_column:
            raise InputError.tr("--source-column names a column of a file; give --file too.")
        if arguments.rater_columns:
            raise InputError.tr("--rater-columns names columns of a file; give --file too.")
        advice, parts = _of_workspace(arguments, console, document)
    rows = [(group, result) for group, results in parts for result in results]
    for_programs = arguments.csv or getattr(arguments.save, "suffix", "") in _DATA_ENDINGS
    if print_tables(arguments, console, (results_data if for_programs else results_table)(rows)):
        return
    (_, whole), *groups = parts
    document["coefficients"] = results_to_json(whole)
    if arguments.by:
        document["by"] = arguments.by
        document["groups"] = [
            {"group": name, "coefficients": results_to_json(results)} for name, results in groups
        ]
    text = agreement_text(rows)
    text += f"\n{advice}" if advice else ""
    if arguments.by and not groups:
        text += "\n" + tr("Nothing here can be grouped by “{cut}”.", cut=arguments.by)
    console.emit(document, text)


def _refuse_choices(arguments: argparse.Namespace) -> None:
    """A file has neither tasks nor weeks: what would be left out silently is refused."""
    choices = {
        "--benchmark": arguments.benchmark,
        "--task": arguments.task,
        "--by": arguments.by,
        "--as-of": arguments.as_of,
        "--criterion": arguments.criterion.casefold() != "decision",
        "--adjudicated": arguments.adjudicated != "before",
        "--gold": arguments.gold != "with",
    }
    for option, value in choices.items():
        if value:
            raise InputError.tr(
                "{option} selects decisions and ratings in a workspace, but a file "
                "contains only ratings. Omit {option} or --file.",
                option=option,
            )


def _of_file(arguments: argparse.Namespace) -> "list[CoefficientResult]":
    from core.agreement.reports import agreement_of_file

    return agreement_of_file(
        arguments.file,
        arguments.layout,
        arguments.coefficient,
        interval=arguments.interval,
        resamples=arguments.resamples,
        seed=arguments.seed,
        sheet=arguments.sheet,
        source_column=arguments.source_column,
        rater_columns=arguments.rater_columns,
    )


def _of_workspace(
    arguments: argparse.Namespace, console: Console, document: dict[str, Any]
) -> "tuple[str, list[tuple[str, list[CoefficientResult]]]]":
    """(what to ask for instead, where there is nothing to measure; all judgements first, then every
    group of the cut, each checked by other packages)."""
    from core.agreement.independent_check import checked_results
    from core.workflow.dashboards import agreement_query
    from core.workflow.dashboards.judgements import JudgementBook
    from core.workflow.rights import Action

    ws = open_to_look(arguments, console, Action.SEE_QUALITY)
    benchmark = arguments.benchmark or ("" if arguments.task else the_benchmark(ws, None))
    document["benchmark"] = benchmark
    scope = agreement_query.Scope(
        benchmark=benchmark,
        task=arguments.task,
        criterion=agreement_query.criterion_named(ws, arguments.criterion),
        as_of=arguments.as_of,
        adjudicated=arguments.adjudicated,
        gold=arguments.gold,
    )
    estimate = agreement_query.AgreementOptions(
        names=tuple(arguments.coefficient or agreement_query.DEFAULT_COEFFICIENTS),
        interval=arguments.interval,
        resamples=arguments.resamples,
        seed=arguments.seed,
    )
    book = JudgementBook(ws)
    parts = [agreement_query.agreement(ws, scope, estimate, book)]
    if arguments.by:
        parts += agreement_query.agreement_by(ws, scope, arguments.by, estimate, book)
    advice = ""
    if scope.criterion == agreement_query.DECISION and not parts[0].table.n_raters:
        names = " | ".join(one.name for one in agreement_query.criteria_in(ws))
        advice = tr("Nobody has decided on these items. Ratings of a rubric are measured by its "
                    "criteria: --criterion {names}.", names=names)  # fmt: skip
    return advice, [(part.group, checked_results(part.table, part.coefficients)) for part in parts]


def agreement_text(rows: "Sequence[tuple[str, CoefficientResult]]") -> str:
    """(group, coefficient) as a table for people, with the reason where one is undefined."""
    from core.agreement.interpretation import landis_koch_caution
    from core.agreement.serialise import attributed_notes, check_notes, interval_words, words_of

    lines = [
        (
            group,
            result.title,
            "–" if result.value is None else printed(result.value, 4),
            "" if result.low is None else printed_bounds(result.low, result.high or 0.0, 4),
            result.compared,
            result.raters,
            words_of(result),
        )
        for group, result in rows
    ]
    header = (
        "",
        tr("coefficient"),
        tr("value"),
        tr("interval"),
        tr("items compared"),
        tr("raters"),
        "",
    )
    notes = [*interval_words(rows), *attributed_notes(rows)]
    if not any(group for group, _ in rows):
        notes += [
            tr(
                "{title}: z = {z} against the hypothesis of chance agreement, if items are "
                "independent.",
                title=result.title,
                z=printed(result.details["z"], 2),
            )
            for _, result in rows
            if "z" in result.details
        ]
        notes += [
            tr(
                "{title}: t = {t} over the sources, {freedom} degrees of freedom, against the "
                "hypothesis of chance agreement.",
                title=result.title,
                t=printed(result.details["t"], 2),
                freedom=f"{result.details['freedom']:.1f}",
            )
            for _, result in rows
            if "t" in result.details
        ]
    if any(result.word for _, result in rows):
        notes.append(landis_koch_caution())
    notes += check_notes(rows)
    return "\n".join([columns(lines, header), *notes])


COMMANDS = (_add_agreement,)
