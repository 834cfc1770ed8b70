"""``pack`` and ``evaluate-pack``: a locked split for a neutral evaluator, and running it there."""

import argparse
from dataclasses import asdict
from pathlib import Path
from typing import Any

from core.cli.commands import add_command, ask_passphrase, consenting, open_workspace, the_person
from core.cli.console import Console
from core.cli.options import add_concurrency, add_evaluator, add_user
from core.cli.splits.unlocking import add_keys, unlocking_of
from core.i18n import tr, trn


def _add_pack(commands: Any) -> None:
    text = tr("write a split as a locked pack that a neutral evaluator runs elsewhere")
    parser = add_command(commands, "pack", text, _pack)
    parser.add_argument("name", metavar="SPLIT", help=tr("name of the split"))
    parser.add_argument("--out", required=True, type=Path, metavar="FILE",
                        help=tr("the pack; a new file"))  # fmt: skip
    parser.add_argument("--engine", required=True, metavar="E", help=tr("see: benchseal engines"))
    parser.add_argument("--model", metavar="M", action="append", default=[],
                        help=tr("model that may be asked; can be repeated; default: any"),
                        )  # fmt: skip
    parser.add_argument("--mode", choices=("auto", "completion", "chat"), default="auto",
                        help=tr("auto: use chat if the server does not support "
                                "completion"))  # fmt: skip
    parser.add_argument("--answer-by", choices=("generation", "choice", "loglikelihood"),
                        default="generation", help=tr("how the model answers"))  # fmt: skip
    parser.add_argument("--param", action="append", default=[], metavar="K=V",
                        help=tr("additional parameter; unknown ones are passed to the "
                                "engine"))  # fmt: skip
    parser.add_argument("--any-server", action="store_true",
                        help=tr("let the evaluator ask servers of other computers"))  # fmt: skip
    parser.add_argument("--recipient", action="append", default=[], metavar="age1…",
                        help=tr("who can open it: an age recipient or a line of an SSH public "
                                "key; can be repeated"))  # fmt: skip
    parser.add_argument("--passphrase", action="store_true",
                        help=tr("a passphrase opens it; asked for, or the first line of the "
                                "input"))  # fmt: skip
    add_user(parser, tr("who packs it; recorded in the ledger"))


def _pack(arguments: argparse.Namespace, console: Console) -> None:
    from core.cli.evaluation.judge import as_usage
    from core.evaluation.parse_params import params_of
    from core.sealing.archive import Locks
    from core.workflow.sealing import packs

    values = {"split": arguments.name, "engine": arguments.engine, "mode": arguments.mode,
              "answer_by": arguments.answer_by}  # fmt: skip
    with as_usage():
        params = params_of(values, arguments.param)
    ws = open_workspace(arguments, console)
    passphrase = (
        ask_passphrase(tr("Passphrase of the archive:"), twice=True) if arguments.passphrase else ""
    )
    order = packs.PackOrder(
        arguments.out, Locks(tuple(arguments.recipient), passphrase), params,
        tuple(arguments.model), not arguments.any_server,
    )  # fmt: skip
    pack = packs.write(ws, arguments.name, the_person(ws), order)
    lines = [
        trn("Packed 1 item of “{name}” in {path}.", "Packed {n} items of “{name}” in {path}.",
            pack.items, name=pack.split, path=pack.path),
        tr("root {hash}", hash=pack.root),
        tr("signed by the key {key}", key=pack.key_id),
    ]  # fmt: skip
    console.emit(asdict(pack), "\n".join(lines))


def _add_evaluate_pack(commands: Any) -> None:
    text = tr("run a pack against a model, without a workspace, and sign the score")
    parser = add_command(commands, "evaluate-pack", text, _evaluate_pack)
    parser.add_argument("file", metavar="FILE", type=Path, help=tr("the pack"))
    parser.add_argument("--out", required=True, type=Path, metavar="FILE",
                        help=tr("the record; a new file"))  # fmt: skip
    parser.add_argument("--model", default="", metavar="M", help=tr("model to evaluate"))
    parser.add_argument("--base-url", metavar="U", default="", help=tr("address of the server"))
    add_concurrency(parser, 16)
    add_keys(parser)
    parser.add_argument("--key", default="", metavar="ID",
                        help=tr("id of the key that should have signed it"))  # fmt: skip
    parser.add_argument("--root", default="", metavar="HASH",
                        help=tr("root of the split's locked archive"))  # fmt: skip
    add_evaluator(parser, "third_party")


def _evaluate_pack(arguments: argparse.Namespace, console: Console) -> None:
    from core.sealing.archive import Unlocking
    from core.workflow.sealing import neutral_evaluation
    from core.workflow.sealing.score_records import Evaluator

    order = neutral_evaluation.NeutralOrder(
        arguments.out, arguments.model, arguments.base_url, arguments.concurrency, arguments.key,
        arguments.root, Evaluator(arguments.organization, arguments.relationship),
    )  # fmt: skip
    unlocking = unlocking_of(arguments) or Unlocking()
    with consenting(console, arguments.base_url):
        signed = neutral_evaluation.evaluate(arguments.file, unlocking, order)
    lines = [
        tr("Signed the score {score} of {model} on {split} in {path}.", score=f"{signed.score:.4f}",
           model=signed.model or "–", split=signed.split, path=signed.path),
        trn("1 result, {shown} shown", "{n} results, {shown} shown", signed.items, shown=0),
        tr("root of the results {hash}", hash=signed.results_root),
        tr("signed by the key {key}", key=signed.key_id),
    ]  # fmt: skip
    console.emit(asdict(signed), "\n".join(lines))


COMMANDS = (_add_pack, _add_evaluate_pack)
