"""``task``: tasks, their versions and protocols."""

import argparse
import re
from collections.abc import Iterable
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from core.cli.commands import (
    add_command,
    add_group,
    date_or_time,
    open_workspace,
    positive,
    the_benchmark,
)
from core.cli.console import Console, columns
from core.cli.options import add_benchmark, add_task, add_user
from core.errors import UsageError, unreadable
from core.i18n import listed, printed_time, tr, trn

if TYPE_CHECKING:
    from core.workflow.protocol_changes import ProtocolChange
    from core.workflow.protocols import ProtocolSettings
    from core.workflow.tasks import TaskChange, TaskInfo, TaskVersion


def _add_task(commands: Any) -> None:
    verbs = add_group(commands, "task", tr("manage tasks and their protocols"), tr("WHAT"))
    listed = add_command(verbs, "list", tr("list the tasks"), _list)
    add_benchmark(listed)
    shown = add_command(verbs, "show", tr("show a task and its protocol"), _show)
    add_task(shown)
    shown.add_argument(
        "--as-of", type=date_or_time, metavar="DATE", help=tr("texts as of this day")
    )
    added = add_command(verbs, "add", tr("add a task"), _add)
    add_task(added)
    added.add_argument("--family", default="instruction", metavar="F",
                       help=tr("scp, instruction, rewrite, choice or answer"))  # fmt: skip
    added.add_argument("--format", default="", metavar="FORMAT", help=tr("format of the items"))
    added.add_argument("--domain", default="", metavar="D", help=tr("domain of the items"))
    added.add_argument("--language", default="", metavar="L",
                       help=tr("code of the items' language, such as zh or en"))  # fmt: skip
    _add_settings(added)
    edited = add_command(
        verbs, "protocol", tr("show the protocol of a task, or edit those of several"), _protocol
    )
    edited.add_argument("task", metavar="TASK", nargs="+", help=tr("name of a task"))
    add_benchmark(edited)
    _add_settings(edited)
    _add_change(verbs)


def _add_change(verbs: Any) -> None:
    parser = add_command(
        verbs,
        "change",
        tr("change the texts of a task; without changes, list its versions"),
        _change,
    )
    add_task(parser)
    parser.add_argument(
        "--guideline", metavar="FILE|TEXT", help=tr("text file, or the text itself")
    )
    parser.add_argument(
        "--instruction", metavar="FILE|TEXT", help=tr("text file, or the text itself")
    )
    parser.add_argument(
        "--labels",
        nargs="*",
        metavar="LABEL",
        help=tr("the complete label space; give none for no labels"),
    )
    parser.add_argument(
        "--reasons",
        nargs="*",
        metavar="REASON",
        help=tr("the task's own reasons for a rejection; give none for the usual ones"),
    )
    parser.add_argument(
        "--rubric",
        metavar="FILE|TEXT",
        help=tr("the task's own rubric as a text file or text; empty for the one in the protocol"),
    )
    parser.add_argument(
        "--judge",
        metavar="FILE|TEXT",
        help=tr("what a model that judges the task's answers is told, as a text file or text"),
    )
    parser.add_argument(
        "--metric",
        metavar="METRIC",
        help=tr("how answers in free text are scored: accuracy, f1, similarity or judge; empty "
                "for the metric of the catalogue or of each item"),
    )  # fmt: skip
    parser.add_argument("--target", type=positive, metavar="N", help=tr("target number of items"))
    parser.add_argument(
        "--restore", type=positive, metavar="V", help=tr("restore an earlier version")
    )
    add_user(parser, tr("the lead who does this"))
    parser.add_argument(
        "--dry-run", action="store_true", help=tr("show what would be done; write nothing")
    )


def _add_settings(parser: argparse.ArgumentParser) -> None:
    add_user(parser, tr("the lead who does this"))
    parser.add_argument(
        "--set",
        metavar="key=value",
        dest="settings",
        action="extend",
        nargs="+",
        default=[],
        help=tr("protocol settings; “task protocol TASK” lists them with what they mean"),
    )


def pairs(texts: list[str]) -> dict[str, str]:
    """``key=value`` arguments as a mapping; UsageError for one without an equals sign."""
    values: dict[str, str] = {}
    for text in texts:
        key, sign, value = text.partition("=")
        if not sign or not key.strip():
            raise UsageError.tr("“{text}” must have the form key=value.", text=text)
        values[key.strip()] = value.strip()
    return values


def _list(arguments: argparse.Namespace, console: Console) -> None:
    from core.workflow import tasks

    ws = open_workspace(arguments, console)
    task_rows = tasks.tasks(ws, arguments.benchmark)
    rows = [
        (info.name, info.benchmark, info.family, info.round, info.kept, info.protocol.target)
        for info in task_rows
    ]
    header = (tr("task"), tr("benchmark"), tr("family"), tr("round"), tr("done"), tr("target"))
    console.emit(
        {"tasks": [task_document(info) for info in task_rows]},
        columns(rows, header) if rows else tr("no tasks"),
    )


def task_document(info: "TaskInfo") -> dict[str, Any]:
    """A task as JSON."""
    return {
        **asdict(info),
        "protocol": info.protocol.model_dump(),
        "items": info.items,
        "kept": info.kept,
    }


def _show(arguments: argparse.Namespace, console: Console) -> None:
    from core.workflow import tasks

    ws = open_workspace(arguments, console)
    info = tasks.show(ws, arguments.task, arguments.benchmark)
    document, text = task_document(info), _task_text(info)
    if arguments.as_of is not None:
        then = tasks.described_at(ws, arguments.task, arguments.as_of, arguments.benchmark)
        document["asked"], text = _version_document(then), _version_text(then)
    console.emit(document, text)


def _version_document(version: "TaskVersion") -> dict[str, Any]:
    from core.workflow.rubrics import rubric_text

    return {**asdict(version), "rubric": rubric_text(version.rubric)}


def _part_names(changed: Iterable[str]) -> str:
    from core.workflow.labels import TASK_PARTS, word

    return listed(word(TASK_PARTS, name) for name in changed)


def _version_text(version: "TaskVersion") -> str:
    head = tr(
        "version {version}, {at}, {person}",
        version=version.version,
        at=printed_time(version.at),
        person=version.person or "–",
    )
    rows = [
        (tr("changes"), _part_names(version.changed) or "–"),
        (tr("guideline"), " ".join(version.guideline.split())[:200] or "–"),
        (tr("instruction"), " ".join(version.instruction.split())[:200] or "–"),
        (tr("labels"), listed(version.labels) or "–"),
        (tr("reasons for a rejection"), listed(version.reasons) or "–"),
        (tr("rubric"), listed(criterion.title for criterion in version.rubric) or "–"),
        (tr("instructions for judges"), " ".join(version.judge.split())[:200] or "–"),
        (tr("metric"), version.metric or "–"),
    ]
    return head + "\n" + columns(rows)


def _change(arguments: argparse.Namespace, console: Console) -> None:
    from core.workflow import tasks

    names = (
        "guideline", "instruction", "labels", "reasons", "rubric", "judge", "metric", "target",
        "restore",
    )  # fmt: skip
    changing = any(getattr(arguments, name) is not None for name in names)
    settings = None if arguments.target is None else {"target": str(arguments.target)}
    ws = open_workspace(arguments, console)
    if changing:
        done = tasks.change(
            ws,
            arguments.task,
            arguments.user,
            guideline=_text_or_file(arguments.guideline),
            labels=_labels(arguments.labels),
            reasons=_labels(arguments.reasons),
            rubric=_text_or_file(arguments.rubric),
            judge=_text_or_file(arguments.judge),
            metric=arguments.metric,
            instruction=_text_or_file(arguments.instruction),
            settings=settings,
            restore=arguments.restore,
            benchmark=arguments.benchmark,
            dry_run=arguments.dry_run,
        )
        console.emit(_change_document(done, arguments.dry_run), _change_text(done, arguments))
    else:
        versions = tasks.descriptions(ws, arguments.task, arguments.benchmark)
        document = {"task": arguments.task, "versions": [_version_document(v) for v in versions]}
        console.emit(document, "\n".join(_version_text(entry) for entry in versions))


def _text_or_file(argument: str | None) -> str | None:
    """The text of a file where the argument names one, else the argument."""
    from pathlib import Path

    from core.files import read_regular
    from core.sources.encodings import decode

    if (
        argument is None
        or "\n" in argument
        or len(argument.encode()) > 1000
        or not Path(argument).is_file()
    ):
        return argument
    try:
        return decode(read_regular(argument))
    except OSError as error:
        raise unreadable(argument, error) from error


def _labels(labels: list[str] | None) -> list[str] | None:
    """One argument may hold all labels, with commas between them."""
    if labels is None or len(labels) != 1:
        return labels
    listed = re.split("[,，、;；]", labels[0])
    return [label for label in listed if label.strip()]


def _change_document(done: "TaskChange", dry_run: bool) -> dict[str, Any]:
    document = {**asdict(done), "dry_run": dry_run}
    if done.protocol is not None:
        document["protocol"] = {**asdict(done.protocol), "settings": dict(done.protocol.settings)}
    return document


def _change_text(done: "TaskChange", arguments: argparse.Namespace) -> str:
    lines = [
        trn(
            "{task}, version {version}: {changed}. 1 existing item stays as it is.",
            "{task}, version {version}: {changed}. {n} existing items stay as they are.",
            sum(done.affected.values()),
            task=done.task,
            version=done.version,
            changed=_part_names(done.changed) or tr("no changes"),
        )
    ]
    if done.outside:
        shown = listed(f"#{number}" for number in done.outside[:20])
        lines.append(
            trn(
                "1 item has a label outside the label space: {items}",
                "{n} items have a label outside the label space: {items}",
                len(done.outside),
                items=shown + (" …" if len(done.outside) > 20 else ""),
            )
        )
    if done.protocol is not None:
        target = done.protocol.settings.target
        lines.append(trn("The target is now 1 item.", "The target is now {n} items.", target))
    if arguments.dry_run:
        lines.append(tr("This was a dry run; nothing was written."))
    elif done.changed:
        lines.append(
            tr(
                "To undo: benchseal task change {task} --restore {version} --user {user}",
                task=done.task,
                version=done.version - 1,
                user=arguments.user or "NAME",
            )
        )
    return "\n".join(lines)


def _task_text(info: "TaskInfo") -> str:
    from core.workflow.rubrics import own_criteria, rubric_text

    rubric = rubric_text(own_criteria(info.profile))
    states = listed(f"{state} {count}" for state, count in info.states.items() if count)
    metric = _metric_text(info)
    return "\n".join(
        [
            tr(
                "{task} ({family}) in “{benchmark}”, round {round}: {kept} of {target}",
                task=info.name,
                family=info.family,
                benchmark=info.benchmark,
                round=info.round,
                kept=info.kept,
                target=info.protocol.target,
            ),
            states or tr("no items"),
            *([metric] if metric else ()),
            tr("Protocol, version {version}:", version=info.protocol_version),
            protocol_text(info.protocol),
            *((tr("Own rubric:"), rubric) if rubric else ()),
        ]
    )


def _metric_text(info: "TaskInfo") -> str:
    """What measures answers in free text, and how that is changed; empty where none are."""
    from core.workflow.labels import METRICS, word
    from core.workflow.tasks import IN_FREE_TEXT

    if info.family not in IN_FREE_TEXT:
        return ""
    metric = str(info.profile.get("metric") or "")
    said = word(METRICS, metric) if metric else tr("the metric of the catalogue or of each item")
    return tr("Metric of answers in free text: {metric} (task change TASK --metric)", metric=said)


def protocol_text(settings: "ProtocolSettings") -> str:
    """A protocol as a table: setting, value, what it means."""
    from core.workflow.labels import SETTING_TITLES, word

    return columns([(name, str(value), word(SETTING_TITLES, name)) for name, value in settings])


def _add(arguments: argparse.Namespace, console: Console) -> None:
    from core.workflow import tasks
    from core.workflow.model_servers import gate_sentence
    from core.workflow.people import benchmarks, own_benchmark
    from core.workflow.rights import Action

    ws = open_workspace(arguments, console, make=True)
    if not arguments.benchmark and benchmarks(ws):
        arguments.benchmark = the_benchmark(ws, None, Action.ADD_TASK)
    info = tasks.add(
        ws,
        arguments.task,
        arguments.family,
        benchmark=arguments.benchmark or own_benchmark(),
        format=arguments.format,
        domain=arguments.domain,
        protocol=pairs(arguments.settings),
        person=arguments.user,
        language=arguments.language,
    )
    if "gate" not in pairs(arguments.settings) and (
        note := gate_sentence(info.family, info.protocol)
    ):
        console.say(note)
    console.emit(task_document(info), _task_text(info))


def _protocol(arguments: argparse.Namespace, console: Console) -> None:
    from core.workflow import tasks

    ws = open_workspace(arguments, console)
    if arguments.settings:
        done = tasks.set_protocols(
            ws,
            arguments.task,
            pairs(arguments.settings),
            person=arguments.user,
            benchmark=arguments.benchmark,
        )
        for task, change in done.items():
            console.say(_protocol_sentence(task, change))
        if not console.json:
            return  # of 150 tasks nobody reads every setting
    documents, texts = [], []
    for task in arguments.task:
        history = tasks.versions(ws, task, arguments.benchmark)
        newest = history[-1]
        documents.append(
            {
                "task": task,
                "version": newest.version,
                "protocol": newest.settings.model_dump(),
                "versions": [
                    {"version": v.version, "person": v.person, "at": v.at,
                     "protocol": v.settings.model_dump()}
                    for v in history
                ],
            }
        )  # fmt: skip
        texts.append(protocol_text(newest.settings))
    if len(documents) == 1:
        console.emit(documents[0], texts[0])
    else:
        named = [f"{task}\n{text}" for task, text in zip(arguments.task, texts, strict=True)]
        console.emit({"tasks": documents}, "\n\n".join(named))


def _protocol_sentence(task: str, done: "ProtocolChange") -> str:
    return tr(
        "Protocol of {task}, version {version}: {applied}; {kept}.",
        task=task,
        version=done.version,
        applied=trn("applies to 1 waiting item", "applies to {n} waiting items", done.applied),
        kept=trn(
            "1 item finishes under the previous version",
            "{n} items finish under the previous version",
            done.kept,
        ),
    )


COMMANDS = (_add_task,)
