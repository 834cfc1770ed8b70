"""``freeze`` and ``export``: making a split, and writing it to a folder."""

import argparse
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.cli.commands import add_command, open_workspace, the_benchmark, the_person
from core.cli.console import Console, columns
from core.cli.items.second_look import tell_of_doubted
from core.cli.options import RegisteredNames, add_benchmark, add_seed, add_user
from core.errors import StateError, UsageError
from core.i18n import joined_clauses, labelled, listed, tr, trn, with_note

if TYPE_CHECKING:
    from core.workflow.splits.freeze import FreezePreview, SplitInfo
    from core.workflow.splits.freeze_checks import CheckedSelection, FreezeFinding


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
    parser.add_argument("--check", action="store_true",
                        help=tr("only check what would be frozen; exit 1 on findings"))  # fmt: skip
    parser.add_argument("--against", action="append", default=[], type=Path, metavar="PATH",
                        help=tr("public file or folder that must not contain any item; can be "
                                "repeated"))  # fmt: skip
    parser.add_argument("--without", action="append", default=[], metavar="ITEM|CHECK",
                        help=tr("leave out this item, or those that a check finds; can be "
                                "repeated"))  # fmt: skip
    parser.add_argument("--accept", action="append", default=[], metavar="CHECK=REASON",
                        help=tr("freeze in spite of what this check finds; the reason is recorded "
                                "in the ledger"))  # fmt: skip
    parser.add_argument("--reason", default="", metavar="REASON",
                        help=tr("one reason for everything that the checks find"))  # fmt: skip
    parser.add_argument("--unchecked", default="", metavar="REASON",
                        help=tr("freeze without the checks, for this reason"))  # fmt: skip
    parser.add_argument("--give-up", action="store_true",
                        help=tr("freeze nothing: give back what an unfinished freeze under this "
                                "name holds"))  # fmt: skip


def _freeze(arguments: argparse.Namespace, console: Console) -> int:
    from core.workflow.rights import Action
    from core.workflow.splits import freeze
    from core.workflow.splits.selection import FreezeOrder

    if arguments.give_up:
        return _give_up(arguments, console)
    if arguments.seed is not None and not (arguments.public_as or arguments.task):
        raise UsageError.tr("--seed can only be used with --public-as or --task.")
    accepted = _accepted(arguments.accept)
    numbers, checks = _without(arguments.without)
    ws = open_workspace(arguments, console)
    benchmark = the_benchmark(ws, arguments.benchmark, Action.FREEZE)
    tell_of_doubted(ws, benchmark, console)
    sizes = _sizes(arguments.task, freeze.freezable(ws, benchmark)) if arguments.task else None
    order = FreezeOrder(
        arguments.name, benchmark, arguments.public_as, sizes, arguments.seed, frozenset(numbers)
    )
    if arguments.unchecked:
        frozen = freeze.freeze_unchecked(ws, order, arguments.user, arguments.unchecked)
        _told(frozen, console, {})
        return 0
    from core.workflow.splits import freeze_checks  # which import numpy

    checked = freeze_checks.check_without(ws, order, checks, arguments.user, arguments.against)
    if arguments.check:
        console.emit(checked.as_json(), _checked_text(checked))
        return 1 if checked.findings else 0
    reasons = {finding.check: arguments.reason for finding in checked.findings} | accepted
    if checked.blocked or any(not reasons.get(f.check) for f in checked.findings):
        raise StateError(_refusal(checked, reasons))
    _told(
        freeze_checks.freeze_checked(ws, checked, arguments.user, reasons), console,
        {"findings": checked.as_json()["findings"]},
    )  # fmt: skip
    return 0


def _give_up(arguments: argparse.Namespace, console: Console) -> int:
    from core.workflow.splits import freeze_steps

    name = arguments.name
    count = freeze_steps.give_up(open_workspace(arguments, console), arguments.user, name)
    line = trn("“{name}” is given up: 1 item can be frozen again.",
               "“{name}” is given up: {n} items can be frozen again.",
               count, name=name)  # fmt: skip
    console.emit({"given_up": {name: count}}, line)
    return 0


def _accepted(wanted: list[str]) -> dict[str, str]:
    if not wanted:
        return {}
    from core.workflow.splits.freeze_checks import FreezeCheck

    reasons = {}
    for words in wanted:
        name, _, reason = words.partition("=")
        if name not in set(FreezeCheck) or not reason.strip():
            raise UsageError.tr(
                "--accept takes CHECK=REASON, not “{words}”. Checks: {known}.", words=words,
                known=listed(FreezeCheck)
            )  # fmt: skip
        reasons[name] = reason.strip()
    return reasons


def _without(wanted: list[str]) -> tuple[list[int], list[str]]:
    if not wanted:
        return [], []
    from core.workflow.splits.freeze_checks import FreezeCheck

    numbers = [int(words.removeprefix("#")) for words in wanted
               if words.removeprefix("#").isdecimal()]  # fmt: skip
    checks = [words for words in wanted if not words.removeprefix("#").isdecimal()]
    for words in checks:
        if words not in set(FreezeCheck):
            raise UsageError.tr(
                "--without takes the number of an item or a check, not “{words}”. Checks: "
                "{known}.", words=words, known=listed(FreezeCheck)
            )  # fmt: skip
    return numbers, checks


def _told(frozen: "tuple[SplitInfo, ...]", console: Console, more: dict[str, Any]) -> None:
    if unaudited := sum(split.unaudited for split in frozen):
        console.say(
            trn(
                "1 item was accepted but not audited; this is recorded in the ledger.",
                "{n} items were accepted but not audited; this is recorded in the ledger.",
                unaudited,
            )
        )
    document = {**asdict(frozen[0]), "items": frozen[0].size, **more}
    if len(frozen) > 1:
        document["public"] = {**asdict(frozen[1]), "items": frozen[1].size}
    console.emit(document, "\n".join(_froze(split) for split in frozen))


def _refusal(checked: "CheckedSelection", reasons: dict[str, str]) -> str:
    from core.workflow.splits.freeze_checks import FreezeCheck

    open_ones = [finding for finding in checked.findings
                 if finding.blocks or not reasons.get(finding.check)]  # fmt: skip
    lines = [tr("Nothing was frozen:"), *(_finding_line(finding) for finding in open_ones)]
    if any(not finding.blocks for finding in open_ones):
        lines.append(tr("Leave the items out (--without CHECK) or give a reason that the ledger "
                        "keeps (--accept CHECK=REASON, or --reason REASON for all)."))  # fmt: skip
    else:
        lines.append(tr("Leave these items out: --without CHECK."))
    if any(finding.check == FreezeCheck.UNAUDITED for finding in open_ones):
        lines.append(tr("Or have them audited first: benchseal audit start TASK."))
    if checked.order.sizes is not None or checked.order.public:
        lines.append(tr("The same draw: --seed {seed}.", seed=checked.order.seed))
    return "\n".join(lines)


def _finding_line(finding: "FreezeFinding") -> str:
    from core.workflow.splits.freeze_checks import numbers_of

    line = f"  ✕ {labelled(finding.check, finding.sentence)}"
    line = with_note(line, numbers_of(finding.items))
    return with_note(line, joined_clauses(finding.examples))


def _checked_text(checked: "CheckedSelection") -> str:
    from core.workflow.splits import freeze_checks

    by_check = {finding.check: finding for finding in checked.findings}
    lines = [trn("1 item would be frozen.", "{n} items would be frozen.", checked.items)]
    if checked.order.sizes is not None or checked.order.public:
        lines.append(tr("The same draw: --seed {seed}.", seed=checked.order.seed))
    for check, title in freeze_checks.titles().items():
        if found := by_check.get(freeze_checks.FreezeCheck(check)):
            lines.append(_finding_line(found))
        elif check in checked.sound:
            lines.append(f"  ✓ {title}")
    names = [checked.order.name, *filter(None, (checked.order.public,))]
    heads = (tr("task"), tr("label"), tr("domain"), tr("format"), tr("ready"), *names)
    rows = [(row.task, row.label, row.domain, row.format, row.ready, *row.taken)
            for row in checked.balance]  # fmt: skip
    return "\n".join([*lines, columns(rows, heads)])


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
            raise UsageError.tr("--task takes NAME or NAME=N, not “{words}”.", words=words)
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
    parser.add_argument("--locked", action="store_true",
                        help=tr("encrypt the data files (lm-eval, inspect); prints the key, which "
                                "is kept in no file"))  # fmt: skip
    parser.add_argument("--plain", default="", metavar="REASON",
                        help=tr("why a private split is exported in plain text; recorded in the "
                                "ledger"))  # fmt: skip
    add_user(parser, tr("who exports it; recorded in the ledger"))


def _export(arguments: argparse.Namespace, console: Console) -> None:
    from core.workflow.splits import exports

    ws = open_workspace(arguments, console)
    items = None
    if arguments.variants:
        from core.workflow.splits import prompt_variants

        items = prompt_variants.variant_items(ws, arguments.name, arguments.variants)
    person = the_person(ws)
    report = exports.export(
        ws, arguments.name, arguments.format, arguments.out, items, person=person,
        locked=arguments.locked, plain=arguments.plain,
    )  # fmt: skip
    document = {
        "split": arguments.name,
        "format": arguments.format,
        "out": str(arguments.out),
        "items": report.items,
        "files": list(report.files),
        "entry": report.entry,
        "counts": report.counts,
        **({"key": report.key} if report.key else {}),
    }
    text = trn(
        "Wrote 1 item to {out}.", "Wrote {n} items to {out}.", report.items, out=arguments.out
    )
    lines = [text, *(f"  {name}" for name in report.files)]
    if report.key:
        lines.append(tr("Key, in no file: {key}", key=report.key))
    console.emit(document, "\n".join(lines))


COMMANDS = (
    _add_freeze,
    _add_export,
)
