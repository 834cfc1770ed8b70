"""``import-results``: results of lm_eval or Inspect as a run."""

import argparse
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.cli.commands import add_command, open_workspace, the_person
from core.cli.console import Console
from core.cli.options import add_user
from core.i18n import labelled, tr, trn

if TYPE_CHECKING:
    pass


def _add_import_results(commands: Any) -> None:
    text = tr("import results of lm_eval or Inspect as a run")
    parser = add_command(commands, "import-results", text, _import_results)
    parser.add_argument(
        "path", metavar="FILE|DIR", type=Path, help=tr("results written by the harness")
    )
    parser.add_argument("--split", required=True, metavar="S", help=tr("split that was evaluated"))
    parser.add_argument(
        "--model", metavar="M", default="", help=tr("model, if the file names none")
    )
    add_user(parser, tr("who evaluated; recorded in the ledger"))


def _import_results(arguments: argparse.Namespace, console: Console) -> None:
    from core.workflow.evaluation import import_results

    ws = open_workspace(arguments, console)
    imported = import_results.take_in(
        ws,
        arguments.path,
        arguments.split,
        model=arguments.model,
        person=the_person(ws),
    )
    lines = [
        trn(
            "Imported {count} of 1 answer of {model} ({harness}) as run {run}.",
            "Imported {count} of {n} answers of {model} ({harness}) as run {run}.",
            imported.items,
            count=imported.answers,
            model=imported.model,
            harness=imported.harness,
            run=imported.run,
        )
    ]
    for number, names, sentence in (
        (len(imported.missing), imported.missing, tr("No answer")),
        (len(imported.failed), imported.failed, tr("Failed in the harness")),
        (imported.unmatched, imported.unmatched_names, tr("Not an item of the split")),
        (
            len(imported.mismatched),
            imported.mismatched,
            tr("Different question under the name of an item"),
        ),
        (imported.repeated, (), tr("Answered more than once")),
        (imported.damaged, (), tr("Damaged")),
        (len(imported.differing), imported.differing, tr("Scored differently there")),
    ):
        if number:
            lines.append(f"{labelled(sentence, number)}  {' '.join(names[:10])}".rstrip())
    console.emit(asdict(imported), "\n".join(lines))


COMMANDS = (_add_import_results,)
