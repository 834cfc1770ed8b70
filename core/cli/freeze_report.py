"""Commands for splits and their scores: freeze, export, report."""

import argparse
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.cli import named_reports, score_tables
from core.cli.commands import add_command, open_workspace, the_benchmark
from core.cli.console import Console
from core.cli.options import add_benchmark, add_seed, add_user
from core.cli.second_look import tell_of_doubted
from core.errors import UsageError
from core.i18n import tr, trn

if TYPE_CHECKING:
    from core.workflow.splits.freeze import SplitInfo


def _add_freeze(commands: Any) -> None:
    parser = add_command(commands, "freeze", tr("freeze approved items as a split"), _freeze)
    parser.add_argument("name", metavar="NAME", help=tr("name of the split"))
    add_benchmark(parser)
    add_user(parser, required=False)
    parser.add_argument(
        "--public-as",
        metavar="NAME",
        default="",
        help=tr("freeze the public half as a second split"),
    )
    add_seed(parser, default=None, help=tr("draws the public half"))


def _freeze(arguments: argparse.Namespace, console: Console) -> None:
    from core.workflow.splits import freeze

    if arguments.seed is not None and not arguments.public_as:
        raise UsageError(tr("A seed draws the public half: name it with --public-as."))
    ws = open_workspace(arguments, console)
    benchmark = the_benchmark(ws, arguments.benchmark)
    tell_of_doubted(ws, benchmark, console)
    found: tuple[SplitInfo, ...]
    if arguments.public_as:
        found = freeze.freeze_halves(
            ws, arguments.name, arguments.public_as, benchmark, arguments.user, seed=arguments.seed
        )
    else:
        found = (freeze.freeze(ws, arguments.name, benchmark, arguments.user),)
    ws.close()
    if unaudited := sum(split.unaudited for split in found):
        console.say(
            trn(
                "1 item was accepted but never audited; the ledger says so.",
                "{n} items were accepted but never audited; the ledger says so.",
                unaudited,
            )
        )
    document = {**asdict(found[0]), "items": found[0].size}
    if len(found) > 1:
        document["public"] = {**asdict(found[1]), "items": found[1].size}
    console.emit(document, "\n".join(_froze(split) for split in found))


def _froze(split: "SplitInfo") -> str:
    return trn(
        "Froze 1 item as “{name}” ({hash}).",
        "Froze {n} items as “{name}” ({hash}).",
        split.size,
        name=split.name,
        hash=split.manifest_hash[:12],
    )


def _add_export(commands: Any) -> None:
    parser = add_command(commands, "export", tr("write a frozen split to a folder"), _export)
    parser.add_argument("name", metavar="NAME", help=tr("name of the split"))
    parser.add_argument("--format", required=True, metavar="jsonl|lm-eval|inspect",
                        help=tr("for what it is written"))  # fmt: skip
    parser.add_argument("--out", required=True, type=Path, metavar="DIR",
                        help=tr("an empty or a new folder"))  # fmt: skip
    parser.add_argument("--variants", default="", metavar="all|public|N,…",
                        help=tr("every item by these instructions of its task"))  # fmt: skip


def _export(arguments: argparse.Namespace, console: Console) -> None:
    from core.workflow.splits import freeze, prompt_variants

    ws = open_workspace(arguments, console)
    asked = None
    if arguments.variants:
        asked = prompt_variants.variant_items(ws, arguments.name, arguments.variants)
    report = freeze.export(ws, arguments.name, arguments.format, arguments.out, asked)
    ws.close()
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


def _add_report(commands: Any) -> None:
    parser = add_command(
        commands,
        "report",
        tr("the scores of an evaluation run; report site: a page of all"),
        _report,
    )
    parser.add_argument("run", metavar="RUN|site|coreeval-human|cif-human",
                        help=tr("an evaluation, or what is reported"))  # fmt: skip
    named_reports.add_arguments(parser)
    score_tables.add_arguments(parser)
    parser.add_argument("--out", type=Path, metavar="DIR", help=tr("folder for the site"))
    parser.add_argument("--public", nargs="+", metavar="SOURCE", default=[],
                        help=tr("public scores for the site"))  # fmt: skip
    parser.add_argument(
        "--partial", action="store_true", help=tr("score what is there, though some is missing")
    )


def _report(arguments: argparse.Namespace, console: Console) -> None:
    if arguments.run == "site":
        _site(arguments, console)
        return
    if named_reports.is_named(arguments.run):
        named_reports.run_report(arguments, console)
        return
    score_tables.run_report(arguments, console)


def _site(arguments: argparse.Namespace, console: Console) -> None:
    from core.workflow.analysis import report_site

    if arguments.out is None:
        raise UsageError(tr("Say with --out where the site goes."))
    if arguments.more:
        raise UsageError(tr("The site is of all finished runs; name none of them."))
    ws = open_workspace(arguments, console)
    made = report_site.site(ws, arguments.out, public=arguments.public)
    ws.close()
    console.emit(
        {"page": str(made.page), "files": list(made.files)},
        trn(
            "Wrote 1 file; open {page}.",
            "Wrote {n} files; open {page}.",
            len(made.files),
            page=made.page,
        ),
    )


COMMANDS = (_add_freeze, _add_export, _add_report)
