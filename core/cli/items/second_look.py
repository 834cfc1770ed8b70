"""The command for items that deserve a second look: asking for one, listing, ending."""

import argparse
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from core.cli.commands import add_command, open_workspace, the_person
from core.cli.console import Console, columns
from core.cli.options import add_benchmark, add_given, is_given, item_number
from core.errors import UsageError
from core.i18n import printed_day, tr, trn

if TYPE_CHECKING:
    from core.workflow.analysis.blind_looks import BlindQuestion
    from core.workflow.analysis.second_look import SecondLookRequest
    from core.workflow.evaluation.item_results import MissedItem
    from core.workflow.workspace import Workspace

_SHOWN = 10


def _add_second_look(commands: Any) -> None:
    text = tr("request a second look at decided items, or list the items waiting for one")
    parser = add_command(commands, "second-look", text, _second_look)
    parser.add_argument("items", metavar="ITEM", nargs="*", type=item_number,
                        help=tr("item numbers; if omitted, list the items waiting"))  # fmt: skip
    parser.add_argument("--missed-alike", metavar="SPLIT", default="",
                        help=tr("items on which strong models give the same wrong "
                                "answer"))  # fmt: skip
    parser.add_argument("--model", metavar="M", action="append", default=[],
                        help=tr("models that count as strong"))  # fmt: skip
    parser.add_argument("--note", metavar="WORDS", default="",
                        help=tr("what to look at, or the result"))  # fmt: skip
    parser.add_argument("--done", action="store_true", help=tr("the second look is done"))
    parser.add_argument("--blind", action="store_true",
                        help=tr("take a second look: the question alone is shown, key and models' "
                                "answers once you have answered"))  # fmt: skip
    add_given(parser)
    add_benchmark(parser)


def _second_look(arguments: argparse.Namespace, console: Console) -> None:
    from core.workflow.analysis import second_look

    if arguments.blind or is_given(arguments):
        _look(arguments, console)
        return
    requesting = bool(arguments.items or arguments.missed_alike)
    if arguments.done and (arguments.missed_alike or not arguments.items):
        raise UsageError.tr("Give the items whose second look is done.")
    ws = open_workspace(arguments, console)
    if not requesting:
        viewer = arguments.user  # nobody who is not named is told more than everybody
        _list(console, second_look.requests(ws, arguments.benchmark, viewer=viewer), viewer)
        return
    missed = _missed(ws, arguments)
    done = second_look.run_for_numbers(
        ws,
        "looked_again" if arguments.done else "second_look",
        [*arguments.items, *(one.number for one in missed)],
        arguments.user,
        arguments.note or (tr("Strong models agree on another answer.") if missed else ""),
        missed,
    )
    named = " ".join(f"#{number}" for number in done.changed)
    lines = [
        tr("Second look done: {items}.", items=named)
        if arguments.done
        else tr("Waiting for a second look: {items}.", items=named)
    ]
    lines += [f"  {count} · {why}" for why, count in done.cannot.items()]
    console.emit(asdict(done), "\n".join(lines))


def _missed(ws: "Workspace", arguments: argparse.Namespace) -> "Sequence[MissedItem]":
    from core.workflow.evaluation import item_results

    if not arguments.missed_alike:
        return ()
    return item_results.missed_alike(
        ws, arguments.missed_alike, viewer=arguments.user, models=arguments.model
    )


def _look(arguments: argparse.Namespace, console: Console) -> None:
    """Show the question of a request, or record the answer and tell what is right."""
    from core.workflow.analysis import blind_looks

    many = len(arguments.items) > 1 or arguments.missed_alike or arguments.done or arguments.note
    given = is_given(arguments)
    if many or not arguments.blind or (given and not arguments.items):
        raise UsageError.tr(
            "Use: second-look --blind, second-look ITEM --blind, or second-look ITEM --blind "
            "with --choice, --text or --unknown."
        )  # fmt: skip
    ws = open_workspace(arguments, console)
    if not given:
        number = arguments.items[0] if arguments.items else 0
        question = blind_looks.next_look(ws, the_person(ws), arguments.benchmark or "", number)
        text = _question(question) if question else tr("No items are waiting for a second look.")
        console.emit({"question": asdict(question) if question else None}, text)
        return
    found = blind_looks.look(ws, arguments.items[0], the_person(ws), text=arguments.text,
                             choice=arguments.choice, unknown=arguments.unknown)  # fmt: skip
    console.emit(asdict(found), "\n".join(blind_looks.told(found)))


def _question(question: "BlindQuestion") -> str:
    """A question without its key: its words, and how to answer."""
    lines = [
        trn(
            "Item #{number}; 1 item waits for your second look.",
            "Item #{number}; {n} items wait for your second look.",
            question.left,
            number=question.number,
        ),
        question.prompt,
        "",
    ]
    if question.knows:
        lines.insert(1, tr("Your look is not blind: {why}.", why=question.knows))
    if question.choices:
        lines.append(tr("Choices: {choices}", choices=" · ".join(question.choices)))
    how = "--choice …" if question.choices else "--text …"
    lines.append(tr("benchseal second-look #{number} --blind {how}", number=question.number,
                    how=how))  # fmt: skip
    return "\n".join(lines)


def _list(console: Console, requests: "Sequence[SecondLookRequest]", viewer: str) -> None:
    rows = [
        (one.number, one.benchmark, one.task, one.by, printed_day(one.at), one.note, one.answer,
         ", ".join(one.models), " ".join(f"#{number}" for number in one.again))
        for one in requests
    ]  # fmt: skip
    heads = ("#", tr("benchmark"), tr("task"), tr("who"), tr("when"), tr("note"), tr("answered"),
             tr("by"), tr("reappears as"))  # fmt: skip
    text = columns(rows, heads) if rows else tr("No items are waiting for a second look.")
    if any(one.by != viewer for one in requests):
        text += "\n" + tr("You will learn why others requested it, and what models answered, "
                          "after your own look: benchseal second-look --blind")  # fmt: skip
    console.emit({"count": len(requests), "items": [asdict(one) for one in requests]}, text)


def tell_of_doubted(ws: "Workspace", benchmark: str, console: Console) -> None:
    """Say which items of a benchmark have the text of one that waits for a second look."""
    from core.workflow.analysis import second_look

    doubted = second_look.repeated_texts(ws, benchmark)
    if doubted:
        named = " ".join(f"#{number}" for number in list(doubted)[:_SHOWN])
        console.say(
            trn(
                "1 item has the same text as an item waiting for a second look: {items}. "
                "Both are listed by benchseal second-look.",
                "{n} items have the same text as an item waiting for a second look: "
                "{items}. Both are listed by benchseal second-look.",
                len(doubted),
                items=named,
            )
        )


COMMANDS = (_add_second_look,)
