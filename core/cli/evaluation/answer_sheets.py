"""People's ratings of judged answers: ``benchseal judge sample RUN`` and ``judge ratings RUN``."""

import argparse
from pathlib import Path
from typing import Any

from core.cli.commands import open_workspace, positive
from core.cli.console import Console
from core.cli.options import add_seed, add_sheet, add_user
from core.errors import UsageError
from core.i18n import listed, tr, trn

VERBS = ("sample", "ratings")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What drawing and taking in take beside the run."""
    parser.add_argument("--n", type=positive, default=50, metavar="N",
                        help=tr("sample: number of answers"))  # fmt: skip
    add_seed(parser, help=tr("seed for the sample"))
    parser.add_argument("--out", type=Path, metavar="FILE", help=tr("sample: file to fill in"))
    add_sheet(parser)
    add_user(parser, tr("sample, ratings: who does this"))


def run(arguments: argparse.Namespace, console: Console) -> None:
    """Draw a sheet, or take one in."""
    verb, *rest = arguments.what
    if verb == "sample" and len(rest) == 1 and arguments.out is not None:
        _sample(arguments, console, rest[0])
    elif verb == "ratings" and len(rest) == 2:
        _ratings(arguments, console, *rest)
    else:
        raise UsageError.tr("Use: judge sample RUN --out FILE.csv, or judge ratings RUN FILE.csv.")


def _sample(arguments: argparse.Namespace, console: Console, name: str) -> None:
    from core.workflow.evaluation import answer_ratings

    ws = open_workspace(arguments, console)
    sheet = answer_ratings.draw_sheet(
        ws, name, arguments.out, arguments.user, count=arguments.n, seed=arguments.seed
    )
    document: dict[str, Any] = {"run": sheet.run, "answers": sheet.answers, "of": sheet.of,
                                "rows": sheet.rows, "file": str(sheet.path)}  # fmt: skip
    text = trn(
        "Wrote {answers} of 1 answer to {path}. Fill in the columns rater and value, then "
        "run: benchseal judge ratings {run} {path}",
        "Wrote {answers} of {n} answers to {path}. Fill in the columns rater and value, "
        "then run: benchseal judge ratings {run} {path}",
        sheet.of,
        answers=sheet.answers,
        path=sheet.path,
        run=sheet.run,
    )
    console.emit(document, text)


def _ratings(arguments: argparse.Namespace, console: Console, name: str, file: str) -> None:
    from dataclasses import asdict

    from core.workflow.evaluation import answer_ratings

    ws = open_workspace(arguments, console)
    imported = answer_ratings.take_in_ratings(
        ws, name, Path(file), arguments.user, sheet=arguments.sheet
    )
    lines = [
        tr(
            "{new} and {changed} of {answers} by {raters}.",
            new=trn("1 new rating", "{n} new ratings", imported.new),
            changed=trn("1 changed rating", "{n} changed ratings", imported.changed),
            answers=trn("1 answer", "{n} answers", imported.answers),
            raters=listed(rater or "–" for rater in imported.raters),
        )
    ]
    if imported.unknown:
        lines.append(
            trn(
                "1 rating does not belong to an answer of the run and was left out.",
                "{n} ratings do not belong to an answer of the run and were left out.",
                imported.unknown,
            )
        )
    console.emit(asdict(imported), "\n".join(lines))
