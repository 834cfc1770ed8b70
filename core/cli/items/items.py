"""``items``: searching, counting and writing items."""

import argparse
from collections.abc import Iterable
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.cli.commands import add_command, count, date_or_time, number, open_workspace, the_person
from core.cli.console import Console, columns
from core.cli.options import (
    add_benchmark,
    add_stage,
    add_task_choice,
    add_user,
)
from core.errors import UsageError
from core.i18n import listed, tr, trn

if TYPE_CHECKING:
    from core.workflow.items.search import Filters, ItemLine, ItemPageRows
    from core.workflow.items.search_index import SearchCoverage
    from core.workflow.workspace import Workspace

_NARROWING = (
    "benchmark", "task", "state", "stage", "family", "label", "disputed", "second_look", "person",
    "score_from", "score_to", "since", "until", "search",
)  # fmt: skip
"""The options that make up the filters."""
_WAITS_FOR_INDEX = 10.0
"""Processor seconds for which a search goes on with texts that an import left to be indexed."""


def _add_items(commands: Any) -> None:
    parser = add_command(commands, "items", tr("list items and count them by state"), _items)
    add_benchmark(parser)
    parser.add_argument("--state", metavar="S", action="append", default=[],
                        help=tr("only items in this state; can be repeated"))  # fmt: skip
    add_task_choice(parser)
    parser.add_argument("--limit", type=count, default=100_000, metavar="N",
                        help=tr("maximum number of items listed"))  # fmt: skip
    parser.add_argument(
        "--as-of", type=date_or_time, metavar="DATE", help=tr("state at the end of this day")
    )
    parser.add_argument("--missed-alike", metavar="SPLIT", default="",
                        help=tr("items on which strong models give the same wrong "
                                "answer"))  # fmt: skip
    parser.add_argument("--model", metavar="M", action="append", default=[],
                        help=tr("models that count as strong"))  # fmt: skip
    _add_filters(parser)
    add_user(parser, tr("who is looking; recorded with --out"))


def _add_filters(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--search", metavar="WORDS", default="", help=tr("text in the items"))
    parser.add_argument("--family", metavar="F", default="",
                        help=tr("scp, instruction, rewrite, choice or answer"))  # fmt: skip
    parser.add_argument("--label", metavar="L", default="", help=tr("only items with this label"))
    add_stage(parser)
    parser.add_argument(
        "--person", metavar="P", default="", help=tr("author or reviewer of the items")
    )
    parser.add_argument(
        "--since", metavar="DATE", default="", help=tr("changed on this date or later")
    )
    parser.add_argument(
        "--until", metavar="DATE", default="", help=tr("changed on this date or earlier")
    )
    parser.add_argument("--score-from", type=number, metavar="X", help=tr("lowest score"))
    parser.add_argument("--score-to", type=number, metavar="X", help=tr("highest score"))
    parser.add_argument(
        "--disputed", action="store_true", help=tr("only items on which reviewers disagree")
    )
    parser.add_argument("--second-look", action="store_true",
                        help=tr("only items waiting for a second look"))  # fmt: skip
    parser.add_argument(
        "--out",
        type=Path,
        metavar="FILE",
        help=tr("export the items as JSON lines that import can read"),
    )


_KNOWN_THEN = frozenset({"benchmark", "task", "state", "disputed"})
"""Options that an item's past can be asked by: its events say nothing of the others."""


def _is_given(value: object) -> bool:
    return value is not False and value not in (None, "", [])  # a score of zero is given


def _refuse_unknown_then(arguments: argparse.Namespace) -> None:
    """UsageError where ``--as-of`` would leave another filter out without a word."""
    with_others = [
        f"--{name.replace('_', '-')}"
        for name in (*_NARROWING, "out", "missed_alike", "model")
        if name not in _KNOWN_THEN and _is_given(getattr(arguments, name))
    ]
    if with_others:
        raise UsageError.tr(
            "--as-of cannot be combined with {options}: the ledger tells of the past by state, "
            "task, benchmark and dispute alone.",
            options=listed(with_others)
        )  # fmt: skip


def _refuse_unknown_states(arguments: argparse.Namespace, states: Iterable[str]) -> None:
    known = tuple(states)
    for state in arguments.state:
        if state not in known:
            raise UsageError.tr(
                "There is no state “{state}”. Available: {known}.",
                state=state,
                known=listed(known),
            )


def _items_as_of(arguments: argparse.Namespace, console: Console) -> None:
    from core.workflow.items import history

    _refuse_unknown_then(arguments)
    ws = open_workspace(arguments, console)
    view = history.as_of(ws, arguments.as_of, arguments.benchmark, viewer=arguments.user)
    _refuse_unknown_states(arguments, view.states)
    selected = [
        item
        for item in view.items
        if (not arguments.state or item.state in arguments.state)
        and (not arguments.task or item.task == arguments.task)
        and (not arguments.disputed or item.disputed)
    ]
    document = {
        "as_of": view.at,
        "count": len(selected),
        "states": view.states,
        "items": [{"id": item.number, **asdict(item)} for item in selected[: arguments.limit]],
    }
    summary = listed(f"{state} {count}" for state, count in view.states.items() if count)
    console.emit(document, summary or tr("no items"))


def _missed_alike(arguments: argparse.Namespace, console: Console) -> None:
    from core.workflow.evaluation import item_results

    ws = open_workspace(arguments, console)
    missed = item_results.missed_alike(
        ws, arguments.missed_alike, viewer=arguments.user, models=arguments.model
    )
    filters = replace(_filters(arguments), numbers=tuple(item.number for item in missed))
    found = {row.id for row in _searched(ws, filters, arguments, console).rows} if missed else set()
    missed = tuple(item for item in missed if item.number in found)
    document: dict[str, Any] = {
        "count": len(missed), "items": [asdict(item) for item in missed[: arguments.limit]]
    }  # fmt: skip
    if arguments.out:
        filters = replace(filters, numbers=tuple(item.number for item in missed))
        document |= _write_items(ws, filters, arguments, console)
    rows = [
        (item.number, item.expected, item.answer, ", ".join(item.models))
        for item in missed[: arguments.limit]
    ]
    text = columns(rows, ("#", tr("key"), tr("answered"), tr("by")))
    console.emit(document, text)


def _searched(
    ws: "Workspace", filters: "Filters", arguments: argparse.Namespace, console: Console
) -> "ItemPageRows":
    """The items that match, with words that an import left to be indexed."""
    from core.workflow.items import search, search_index
    from db.vocabulary import ItemState

    _refuse_unknown_states(arguments, ItemState)
    if filters.words:
        search_index.index_waiting(ws, partial(_tell_reach, console), _WAITS_FOR_INDEX)
    limit = len(filters.numbers) or arguments.limit
    page = search.page(ws, filters, limit=limit, exact=True, viewer=arguments.user)
    if page.coverage is not None:
        console.say(tr("Not all texts are indexed yet: {reach}. Search again to continue.",
                       reach=page.coverage.sentence))  # fmt: skip
    return page


def _tell_reach(console: Console, coverage: "SearchCoverage") -> None:
    console.say(tr("Indexing texts: {reach}.", reach=coverage.sentence))


def _items(arguments: argparse.Namespace, console: Console) -> None:
    from core.workflow.items import state_counts

    if arguments.as_of is not None:
        _items_as_of(arguments, console)
        return
    if arguments.missed_alike:
        _missed_alike(arguments, console)
        return
    if arguments.model:
        raise UsageError.tr("--model needs --missed-alike.")
    ws = open_workspace(arguments, console)
    filters = _filters(arguments)
    page = _searched(ws, filters, arguments, console)
    states = state_counts.counts(ws, arguments.benchmark)
    document = {
        "count": page.total,
        "states": states,
        "items": [_document(row) for row in page.rows],
        **({} if page.coverage is None else {"covered": asdict(page.coverage)}),
    }
    if arguments.out:
        document |= _write_items(ws, filters, arguments, console)
    rows = [(row.id, row.task, row.state, row.revision) for row in page.rows[:50]]
    text = columns(rows, ("#", tr("task"), tr("state"), tr("revision")))
    more = page.total - len(rows)
    if more > 0:
        text += "\n" + tr("… and {count} more", count=more)
    summary = listed(f"{state} {count}" for state, count in states.items() if count)
    console.emit(document, f"{text}\n{summary or tr('no items')}".lstrip("\n"))


def _document(row: "ItemLine") -> dict[str, Any]:
    """A row without its text: texts leave the workspace by ``--out`` alone."""
    document = asdict(row)
    del document["text"]
    return {**document, "changed_at": row.changed_at.isoformat()}


def _write_items(
    ws: "Workspace", filters: "Filters", arguments: argparse.Namespace, console: Console
) -> dict[str, Any]:
    """Write the items to the file of ``--out``; what the document says of it."""
    from core.workflow.items import search

    file = search.export_items(ws, filters, arguments.out, viewer=the_person(ws))
    console.say(
        trn("1 item written to {path}.", "{n} items written to {path}.", file.written,
            path=arguments.out)
    )  # fmt: skip
    if file.sealed:
        console.say(
            trn(
                "1 item was left out because its split is sealed.",
                "{n} items were left out because their splits are sealed.",
                file.sealed,
            )
        )
    if file.bare:
        console.say(
            trn(
                "The columns beside 1 item were left out: it may still be reviewed, and you have "
                "not decided on it.",
                "The columns beside {n} items were left out: they may still be reviewed, and you "
                "have not decided on them.",
                file.bare,
            )
        )
    document = {"file": str(arguments.out), "written": file.written, "sealed": file.sealed}
    return document | {"without_columns": file.bare}


def _filters(arguments: argparse.Namespace) -> "Filters":
    from core.workflow.items.search import Filters

    return Filters(
        benchmark=arguments.benchmark,
        task=arguments.task,
        states=tuple(arguments.state),
        stage=arguments.stage,
        family=arguments.family,
        label=arguments.label,
        disputed=True if arguments.disputed else None,
        second_look=True if arguments.second_look else None,
        person=arguments.person,
        score_from=arguments.score_from,
        score_to=arguments.score_to,
        since=arguments.since,
        until=arguments.until,
        words=arguments.search,
    )


COMMANDS = (_add_items,)
