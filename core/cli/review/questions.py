"""``my-work``, ``question`` and ``unsure``: one's own work, and what people ask about items."""

import argparse
from contextlib import suppress
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from core.cli.commands import add_command, add_group, open_workspace, whole_number
from core.cli.console import Console, columns
from core.cli.options import add_benchmark, add_item, add_user
from core.i18n import tr
from core.workflow.labels import label_of

if TYPE_CHECKING:
    from core.workflow.check.questions import Thread


def _add_my_work(commands: Any) -> None:
    parser = add_command(
        commands, "my-work", tr("list what somebody wrote, decided, skipped and got back"), _my_work
    )
    add_benchmark(parser)
    add_user(parser, tr("whose work"))


def _my_work(arguments: argparse.Namespace, console: Console) -> None:
    from core.workflow.items import my_work
    from core.workflow.team import share_sentence

    ws = open_workspace(arguments, console)
    work = my_work.my_work(ws, arguments.user, arguments.benchmark)
    rows = [
        (entry.kind, f"#{entry.number}" if entry.number else "–", entry.task,
         label_of(entry.verdict) if entry.verdict else "", label_of(entry.state),
         " ".join((entry.reason + " " + entry.note).split())[:80])
        for entry in work.entries
    ]  # fmt: skip
    heads = (tr("what"), "#", tr("task"), tr("decision"), tr("state"), tr("words"))
    document = {
        "entries": [{**asdict(entry), "at": entry.at and entry.at.isoformat()}
                    for entry in work.entries],
        "capped": list(work.capped),
        "shares": [{**asdict(share), "due": share.due and share.due.isoformat(),
                    "late": share.is_late()} for share in work.shares],
    }  # fmt: skip
    for share in work.shares:
        console.say(share_sentence(share))
    console.emit(document, columns(rows, heads) if rows else tr("Nothing yet."))


def _add_question(commands: Any) -> None:
    verbs = add_group(commands, "question", tr("ask about items and answer"), tr("WHAT"))
    listed = add_command(
        verbs, "list", tr("list your questions and those that wait for an answer"), _list
    )
    add_benchmark(listed)
    add_user(listed, tr("who is looking"))
    asked = add_command(verbs, "ask", tr("ask about an item"), _ask)
    add_item(asked)
    asked.add_argument("text", metavar="TEXT", help=tr("the question"))
    asked.add_argument("--thread", type=whole_number, default=0, metavar="N",
                       help=tr("ask a follow-up question in this thread"))  # fmt: skip
    add_user(asked, tr("who asks"))
    answered = add_command(verbs, "answer", tr("answer a question"), _answer)
    answered.add_argument(
        "thread", type=whole_number, metavar="N", help=tr("number of the question")
    )
    answered.add_argument("text", metavar="TEXT", help=tr("the answer"))
    add_user(answered, tr("who answers"))


def _list(arguments: argparse.Namespace, console: Console) -> None:
    from core.errors import RightsError
    from core.workflow.check import questions

    ws = open_workspace(arguments, console)
    threads = list(questions.own_threads(ws, arguments.user, arguments.benchmark))
    with suppress(RightsError):  # those who may not answer have their own alone
        known = {thread.id for thread in threads}
        waiting = questions.waiting_threads(ws, arguments.user, arguments.benchmark)
        threads += [thread for thread in waiting if thread.id not in known]
    text = "\n".join(_thread_text(thread) for thread in threads)
    console.emit({"threads": [_document(thread) for thread in threads]}, text or tr("no questions"))


def _document(thread: "Thread") -> dict[str, Any]:
    document = asdict(thread)
    for message in document["messages"]:
        message["at"] = message["at"].isoformat()
    return document


def _thread_text(thread: "Thread") -> str:
    from core.workflow.check.questions import hidden_words

    head = tr("{thread}  #{number} {task}", thread=thread.id, number=thread.number,
              task=thread.task)  # fmt: skip
    if thread.hidden:
        return head + "\n  " + hidden_words(thread)
    lines = [
        tr("{who}: {text}", who=message.author or "–", text=" ".join(message.text.split()))
        for message in thread.messages
    ]
    return "\n  ".join([head, *lines])


def _ask(arguments: argparse.Namespace, console: Console) -> None:
    from core.workflow.check import questions

    ws = open_workspace(arguments, console)
    thread = questions.ask_question(
        ws, arguments.user, arguments.item, arguments.text, thread=arguments.thread
    )
    console.emit(
        {"item": arguments.item, "thread": thread},
        tr("Asked about #{number}: question {thread}.", number=arguments.item, thread=thread),
    )


def _answer(arguments: argparse.Namespace, console: Console) -> None:
    from core.workflow.check import questions

    ws = open_workspace(arguments, console)
    number = questions.answer_question(ws, arguments.user, arguments.thread, arguments.text)
    console.emit(
        {"item": number, "thread": arguments.thread},
        tr("Answered the question about #{number}.", number=number),
    )


def _add_unsure(commands: Any) -> None:
    parser = add_command(
        commands, "unsure", tr("mark an item as unsure, or take the mark away; or list them"),
        _unsure,
    )  # fmt: skip
    add_item(parser, "?")
    parser.add_argument("--note", default="", metavar="TEXT", help=tr("what you are unsure about"))
    add_benchmark(parser)
    add_user(parser, tr("who is unsure"))


def _unsure(arguments: argparse.Namespace, console: Console) -> None:
    from core.workflow.check import questions

    ws = open_workspace(arguments, console)
    if arguments.item is None:
        marked = questions.unsure_items(ws, arguments.user, arguments.benchmark)
        rows = [(f"#{m.number}", m.task, label_of(m.state), m.person or "–", m.text)
                for m in marked]  # fmt: skip
        document = [{**asdict(entry), "at": entry.at.isoformat()} for entry in marked]
        console.emit({"items": document}, columns(rows) if rows else tr("no items"))
        return
    on = questions.mark_unsure(ws, arguments.user, arguments.item, arguments.note)
    text = (
        tr("#{number} is marked as unsure.", number=arguments.item)
        if on
        else tr("#{number} is no longer marked as unsure.", number=arguments.item)
    )
    console.emit({"item": arguments.item, "unsure": on}, text)


COMMANDS = (_add_my_work, _add_question, _add_unsure)
