"""``freeze`` and ``export``: making a split, and writing it to a folder."""

import argparse
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.cli.commands import add_command, open_workspace, the_benchmark, the_person
from core.cli.console import Console
from core.cli.items.second_look import tell_of_doubted
from core.cli.options import RegisteredNames, add_benchmark, add_seed, add_user
from core.errors import UsageError
from core.i18n import tr, trn

if TYPE_CHECKING:
    from core.workflow.splits.freeze import FreezePreview, SplitInfo


def _add_freeze(commands: Any) -> None:
    parser = add_command(commands, "freeze", tr("freeze approved items as a split"), _freeze)
    parser.add_argument("name", metavar="NAME", help=tr("name of the split"))
    add_benchmark(parser)
    parser.add_argument(
        "--public-as",
        metavar="NAME",
        default="",
        help=tr("freeze the public part as a second split"),
    )
    parser.add_argument(
        "--task",
        action="append",
        default=[],
        metavar="NAME[=N]",
        help=tr("freeze this task alone, or N items of it drawn at random; can be repeated"),
    )
    add_seed(parser, default=None, help=tr("seed for drawing the public part or the items"))


def _freeze(arguments: argparse.Namespace, console: Console) -> None:
    from core.workflow.splits import freeze

    if arguments.seed is not None and not (arguments.public_as or arguments.task):
        raise UsageError(
            tr("--seed draws the public part (--public-as) or so many items of a task (--task).")
        )
    ws = open_workspace(arguments, console)
    benchmark = the_benchmark(ws, arguments.benchmark)
    tell_of_doubted(ws, benchmark, console)
    sizes = _sizes(arguments.task, freeze.freezable(ws, benchmark)) if arguments.task else None
    splits: tuple[SplitInfo, ...]
    if arguments.public_as:
        splits = freeze.freeze_halves(
            ws, arguments.name, arguments.public_as, benchmark, arguments.user,
            seed=arguments.seed, sizes=sizes,
        )  # fmt: skip
    else:
        splits = (
            freeze.freeze(
                ws, arguments.name, benchmark, arguments.user, sizes=sizes, seed=arguments.seed
            ),
        )
    if unaudited := sum(split.unaudited for split in splits):
        console.say(
            trn(
                "1 item was accepted but not audited; this is recorded in the ledger.",
                "{n} items were accepted but not audited; this is recorded in the ledger.",
                unaudited,
            )
        )
    document = {**asdict(splits[0]), "items": splits[0].size}
    if len(splits) > 1:
        document["public"] = {**asdict(splits[1]), "items": splits[1].size}
    console.emit(document, "\n".join(_froze(split) for split in splits))


def _sizes(wanted: list[str], ready: "FreezePreview") -> dict[str, int]:
    """``NAME=N`` or ``NAME`` for all of it; a task without items keeps a size that is refused."""
    all_of = {task.name: task.items for task in ready.tasks}
    sizes = {}
    for words in wanted:
        name, given, number = words.rpartition("=")
        if words in all_of or not given:
            sizes[words] = all_of.get(words, 1)
        elif number.isdecimal():
            sizes[name] = int(number)
        else:
            raise UsageError(tr("--task takes NAME or NAME=N, not “{words}”.", words=words))
    return sizes


def _froze(split: "SplitInfo") -> str:
    return trn(
        "Froze 1 item as “{name}” ({hash}).",
        "Froze {n} items as “{name}” ({hash}).",
        split.size,
        name=split.name,
        hash=split.manifest_hash[:12],
    )


def _add_export(commands: Any) -> None:
    parser = add_command(commands, "export", tr("export a frozen split to a folder"), _export)
    parser.add_argument("name", metavar="NAME", help=tr("name of the split"))
    parser.add_argument("--format", required=True, metavar="FORMAT",
                        choices=RegisteredNames("core.release.formats", "EXPORT_FORMATS"),
                        help=tr("output format: %(choices)s"))  # fmt: skip
    parser.add_argument("--out", required=True, type=Path, metavar="DIR",
                        help=tr("output folder; must be new or empty"))  # fmt: skip
    parser.add_argument("--variants", default="", metavar="all|public|N,…",
                        help=tr("these instruction variants of each task"))  # fmt: skip
    add_user(parser, tr("who exports it; recorded in the ledger"))


def _export(arguments: argparse.Namespace, console: Console) -> None:
    from core.workflow.splits import exports, prompt_variants

    ws = open_workspace(arguments, console)
    items = None
    if arguments.variants:
        items = prompt_variants.variant_items(ws, arguments.name, arguments.variants)
    person = the_person(ws)
    report = exports.export(
        ws, arguments.name, arguments.format, arguments.out, items, person=person
    )
    document = {
        "split": arguments.name,
        "format": arguments.format,
        "out": str(arguments.out),
        "items": report.items,
        "files": list(report.files),
        "entry": report.entry,
        "counts": report.counts,
    }
    text = trn(
        "Wrote 1 item to {out}.", "Wrote {n} items to {out}.", report.items, out=arguments.out
    )
    console.emit(document, "\n".join([text, *(f"  {name}" for name in report.files)]))


COMMANDS = (
    _add_freeze,
    _add_export,
)
