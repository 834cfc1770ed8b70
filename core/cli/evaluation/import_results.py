"""``import-results``: results of lm_eval or Inspect as a run."""

import argparse
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.cli.commands import add_command, open_workspace
from core.cli.console import Console
from core.i18n import tr, trn

if TYPE_CHECKING:
    pass


def _add_import_results(commands: Any) -> None:
    text = tr("take in results of lm_eval or Inspect as a run")
    parser = add_command(commands, "import-results", text, _import_results)
    parser.add_argument("path", metavar="FILE|DIR", type=Path, help=tr("what the harness wrote"))
    parser.add_argument("--split", required=True, metavar="S", help=tr("the split that was asked"))
    parser.add_argument("--model", metavar="M", default="", help=tr("where the file names none"))


def _import_results(arguments: argparse.Namespace, console: Console) -> None:
    from core.workflow.evaluation import import_results

    ws = open_workspace(arguments, console)
    taken = import_results.take_in(ws, arguments.path, arguments.split, model=arguments.model)
    lines = [
        trn(
            "The run {run} holds {count} of 1 answer of {model} ({harness}).",
            "The run {run} holds {count} of {n} answers of {model} ({harness}).",
            taken.items,
            count=taken.answers,
            model=taken.model,
            harness=taken.harness,
            run=taken.run,
        )
    ]
    for number, names, sentence in (
        (len(taken.missing), taken.missing, tr("Without an answer")),
        (len(taken.failed), taken.failed, tr("Failed there")),
        (taken.unmatched, taken.unmatched_names, tr("Of no item of the split")),
        (len(taken.mismatched), taken.mismatched, tr("Asked something else under an item's name")),
        (taken.repeated, (), tr("Answered a second time")),
        (taken.damaged, (), tr("Damaged")),
        (len(taken.differing), taken.differing, tr("Scored otherwise there")),
    ):
        if number:
            lines.append(f"{sentence}: {number}  {' '.join(names[:10])}".rstrip())
    console.emit(asdict(taken), "\n".join(lines))


COMMANDS = (_add_import_results,)
