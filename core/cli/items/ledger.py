"""Commands about the ledger: undo, history, reveal."""

import argparse
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from core.cli.commands import add_command, date_or_time, open_workspace, whole_number
from core.cli.console import Console, columns
from core.cli.options import add_benchmark, add_item, add_user
from core.errors import UsageError
from core.i18n import printed_time, sentences, tr, trn

if TYPE_CHECKING:
    from core.workflow.items.history import ItemHistory


def _add_undo(commands: Any) -> None:
    parser = add_command(commands, "undo", tr("undo your latest action"), _undo)
    parser.add_argument(
        "--event", type=whole_number, metavar="E", help=tr("number of a particular event")
    )
    parser.add_argument(
        "--user",
        "--reviewer",
        metavar="U",
        dest="user",
        default="",
        help=tr("who undoes one of their own actions"),
    )


def _undo(arguments: argparse.Namespace, console: Console) -> None:
    from core.workflow.items import undo
    from core.workflow.labels import EVENT_KINDS, ITEM_STATES, word

    ws = open_workspace(arguments, console)
    done = undo.undo(ws, arguments.user, arguments.event)
    state = _state(ws, done.number)
    text = (
        tr(
            "Undone: {kind} #{number}, now {state}.",
            kind=word(EVENT_KINDS, done.kind),
            number=done.number,
            state=word(ITEM_STATES, state),
        )
        if done.number
        else trn(
            "Undone: {kind} on 1 item.",
            "Undone: {kind} on {n} items.",
            done.changed,
            kind=done.kind,
        )
    )
    if done.stands:
        again = tr("Your earlier decision stands again: {verdict}.", verdict=done.stands)
        text = sentences((text, again))
    document = {"item": done.number, "kind": done.kind, "verdict": done.verdict,
                "event": done.event, "changed": done.changed, "state": state,
                "stands": done.stands}  # fmt: skip
    console.emit(document, text)


def _state(ws: Any, number: int) -> str:
    from core.workflow.items.history import state_of

    return state_of(ws, number) if number else ""


def _add_history(commands: Any) -> None:
    parser = add_command(commands, "history", tr("show the history of an item"), _history)
    add_item(parser)
    add_user(parser, tr("who is looking"))
    parser.add_argument(
        "--as-of", type=date_or_time, metavar="DATE", help=tr("show only events up to this day")
    )


def _history(arguments: argparse.Namespace, console: Console) -> None:
    from core.workflow.items import history

    ws = open_workspace(arguments, console)
    if arguments.as_of is None:
        life = history.item_history(ws, arguments.item, arguments.user)
    else:
        life = history.item_history_at(ws, arguments.item, arguments.as_of, arguments.user)
    document = {
        "item": life.number,
        "benchmark": life.benchmark,
        "task": life.task,
        "state": life.state,
        "disputed": life.disputed,
        "hidden": life.hidden,
        "revisions": [{**asdict(r), "content": r.content.as_json()} for r in life.revisions],
        "decisions": [asdict(row) for row in life.decisions],
        "screenings": [asdict(row) for row in life.screenings],
        "ratings": [asdict(row) for row in life.ratings],
        "answers": _answers(life),
        "events": [asdict(event) for event in life.events],
    }
    rows = [
        (event.number, printed_time(event.at), event.actor or "–", event.kind,
         _change(event.data))
        for event in life.events
    ]  # fmt: skip
    text = columns(rows, ("#", tr("time"), tr("who"), tr("what"), ""))
    if life.answers:
        answers = [
            (one["model"], one["variant"], one["read"] or tr("no readable answer"), one["outcome"],
             "–" if one["score"] is None else f"{one['score']:g}")
            for one in _answers(life)
        ]  # fmt: skip
        heads = (tr("model"), tr("answer mode"), tr("answered"), tr("outcome"), tr("score"))
        text += "\n\n" + columns(answers, heads)
    if life.hidden:
        text += "\n" + tr(
            "The item is still in review; the decisions and the model's score stay hidden."
        )
    console.emit(document, text)


def _answers(life: "ItemHistory") -> list[dict[str, Any]]:
    """How every evaluated model did on the item."""
    return [
        {
            "run": one.run_id,
            "model": life.models.get(one.run_id, one.run_id),
            "variant": one.variant,
            "outcome": one.outcome,
            "read": one.extracted,
            "score": one.score,
            "text": one.text,
        }
        for one in life.answers
    ]


def _change(data: dict[str, Any]) -> str:
    after = data.get("after", {})
    parts = [f"{name}={value}" for name, value in after.items() if name in ("state", "revision")]
    parts += [str(data[name]) for name in ("verdict", "reason", "note") if data.get(name)]
    return " ".join(parts)


def _add_reveal(commands: Any) -> None:
    parser = add_command(
        commands,
        "reveal",
        tr(
            "show what is hidden about an item; recorded in the ledger, and you can then neither "
            "review, adjudicate nor rate it"
        ),
        _reveal,
    )
    add_item(parser, "?")
    parser.add_argument(
        "--all", action="store_true", help=tr("look at every item instead, to analyse them")
    )
    add_benchmark(parser)
    add_user(parser, tr("who is looking"))


def _reveal(arguments: argparse.Namespace, console: Console) -> None:
    from core.workflow.check import blinding

    if arguments.all == (arguments.item is not None):
        raise UsageError.tr("Name one item, or look at all of them with --all.")
    ws = open_workspace(arguments, console)
    if arguments.all:
        count = blinding.reveal_all(ws, arguments.user, arguments.benchmark)
        message = trn("Shown what was hidden about 1 item.",
                   "Shown what was hidden about {n} items.", count)  # fmt: skip
        console.emit({"items": count}, message)
        return
    revealed = blinding.reveal(ws, arguments.user, arguments.item)
    score = "–" if revealed.score is None else f"{revealed.score:g}"
    rows = [(o.verdict, o.reason or o.note) for o in revealed.others]
    text = tr("score {score}", score=score) + "\n" + columns(rows)
    console.emit({"item": arguments.item, **asdict(revealed)}, text.strip())


COMMANDS = (_add_undo, _add_history, _add_reveal)
