"""``analyze overlap`` and ``analyze exposure``: evidence that items were known to a model."""

import argparse
from pathlib import Path
from typing import Any

from core.cli.commands import add_command, count, open_workspace, positive
from core.cli.console import Console
from core.cli.options import add_seed, add_tables, print_tables, table_text
from core.errors import InputError, unreadable
from core.i18n import tr, trn


def add_overlap(kinds: Any) -> None:
    """``analyze overlap SPLIT --corpus PATH…``."""
    text = tr("n-gram overlap of the items of a split with files of a corpus")
    parser = add_command(kinds, "overlap", text, _overlap)
    parser.add_argument("split", metavar="SPLIT", help=tr("name of the split"))
    parser.add_argument("--corpus", nargs="+", type=Path, required=True, metavar="PATH",
                        help=tr("text and JSON files, or folders of them"))  # fmt: skip
    parser.add_argument("--control", default="", metavar="SPLIT",
                        help=tr("a split that cannot be in the corpus"))  # fmt: skip
    parser.add_argument("--window", type=positive, default=13, metavar="N",
                        help=tr("words of an n-gram; default 13"))  # fmt: skip
    add_seed(parser, count)
    add_tables(parser.add_mutually_exclusive_group())


def _overlap(arguments: argparse.Namespace, console: Console) -> None:
    from core.workflow.analysis import corpus_files

    ws = open_workspace(arguments, console)
    found = corpus_files.overlap_with_files(
        ws, arguments.split, arguments.corpus, control=arguments.control,
        window=arguments.window, seed=arguments.seed,
    )  # fmt: skip
    table = corpus_files.overlap_table(found, arguments.split)
    if not print_tables(arguments, console, table):
        console.emit({"split": arguments.split, **found.as_json()}, table_text(table))


def add_exposure(kinds: Any) -> None:
    """``analyze exposure FILE.jsonl``, or ``analyze exposure ITEMS --model DIR``."""
    text = tr("min-k%, min-k%++, order and canary tests, of log-probabilities or of a local model")
    parser = add_command(kinds, "exposure", text, _exposure)
    parser.add_argument(
        "file", type=Path, metavar="FILE",
        help=tr("rows with group (item or control) and logprobs (means, deviations, source), own "
                "and shuffled, own and canaries, or canary and completions; with --model the "
                "items, one per line"),
    )  # fmt: skip
    parser.add_argument("--model", type=Path, metavar="DIR",
                        help=tr("folder of a model that is asked here (needs torch)"))  # fmt: skip
    parser.add_argument("--control", type=Path, metavar="FILE",
                        help=tr("texts that the model cannot have seen, one per line"))  # fmt: skip
    parser.add_argument("--canary", default="", metavar="TEXT",
                        help=tr("the canary that the published file carries"))  # fmt: skip
    parser.add_argument("--rows", type=Path, metavar="FILE.jsonl",
                        help=tr("also write the rows here"))  # fmt: skip
    add_seed(parser, count)
    add_tables(parser.add_mutually_exclusive_group())


def _exposure(arguments: argparse.Namespace, console: Console) -> None:
    from core.analysis.exposure import exposures
    from core.report_table import ReportTable

    rows, more = _asked(arguments) if arguments.model else (_rows(arguments.file), ())
    found = exposures(rows)
    lines = tuple((one.test, one.statistic, one.p, one.n, one.control) for one in found)
    notes = (*(tr("{test}: {limit}", test=one.test, limit=one.limit) for one in found), *more)
    heads = (tr("test"), tr("statistic"), tr("p (nothing was seen)"), tr("items or shards"),
             tr("controls or orders"))  # fmt: skip
    table = ReportTable(tr("Evidence of exposure"), heads, lines, notes, digits=4)
    if not print_tables(arguments, console, table):
        document = {"tests": [one.as_json() for one in found], "notes": list(more)}
        console.emit(document, table_text(table))


def _asked(arguments: argparse.Namespace) -> tuple[list[Any], tuple[str, ...]]:
    """The rows of a local model on the items of a file, and why a test is missing."""
    from core.analysis.model_traces import (
        FEWEST_PARTS,
        ModelTraces,
        exposure_rows,
        order_blocks,
        texts_of,
    )
    from core.files import write_jsonl

    items = texts_of(_lines(arguments.file))
    control = texts_of(_lines(arguments.control)) if arguments.control else []
    rows = list(
        exposure_rows(ModelTraces(arguments.model), items, control, arguments.canary,
                      seed=arguments.seed)
    )  # fmt: skip
    if arguments.rows:
        write_jsonl(arguments.rows, rows)
    blocks = len(order_blocks([item.source for item in items]))
    if blocks >= FEWEST_PARTS:
        return rows, ()
    return rows, (
        trn("No order test: the items come from 1 source, and it shuffles ten or more.",
            "No order test: the items come from {n} sources, and it shuffles ten or more.",
            blocks),
    )  # fmt: skip


def _rows(path: Path) -> list[Any]:
    """The JSON of every line; InputError for a file that cannot be read or a line that is none."""
    from core.bounded_json import parse_json

    rows = []
    for number, line in enumerate(_lines(path), 1):
        if line.strip():
            try:
                rows.append(parse_json(line))
            except ValueError as error:
                raise InputError.tr(
                    "Line {number} of “{path}” is not JSON.", number=number, path=path
                ) from error
    return rows


def _lines(path: Path) -> list[str]:
    from core.files import read_regular
    from core.sources.encodings import decode

    try:
        return decode(read_regular(path)).splitlines()
    except OSError as error:
        raise unreadable(path, error) from error
