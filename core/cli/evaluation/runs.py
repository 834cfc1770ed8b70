"""Commands for runs: the worker itself, the list, stop, resume, logs."""

import argparse
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

from core.cli.commands import add_command, count, open_workspace, positive, the_person, workers
from core.cli.console import Console, columns
from core.cli.evaluation import storage
from core.cli.options import add_user
from core.errors import UsageError
from core.i18n import tr, trn

_VERBS = ("stop", "resume", "logs", "remove")


def _add_run(commands: Any) -> None:
    parser = add_command(
        commands,
        "run",
        tr("execute a run folder, or: run stop|resume|logs|remove RUN, run push|pull RUN ADDRESS"),
        _run,
    )
    parser.add_argument("what", metavar="FOLDER", nargs="+",
                        help=tr("run folder, or an action and a run"))  # fmt: skip
    parser.add_argument(
        "--shards", type=workers, metavar="N", help=tr("resume with this many shards")
    )
    parser.add_argument("--launcher", metavar="L", default="", help=tr("resume with this launcher"))
    parser.add_argument("--gpus", type=count, metavar="N", help=tr("GPUs per shard"))
    parser.add_argument(
        "--budget-tokens",
        type=positive,
        metavar="N",
        help=tr("total token budget when resuming, tokens already used included"),
    )
    parser.add_argument("--failed", action="store_true",
                        help=tr("when resuming, retry what failed"))  # fmt: skip
    parser.add_argument("--reason", metavar="REASON", default="",
                        help=tr("when removing: why; recorded in the ledger"))  # fmt: skip
    parser.add_argument("--out", metavar="DIR", default="",
                        help=tr("when pulling: below which folder, on a machine without the "
                                "workspace"))  # fmt: skip
    add_user(parser, tr("when removing, pushing or pulling: who does it"))
    parser.add_argument("--shard", default="0/1", metavar="i/n", help=tr("shard to work on"))


def _shard(text: str) -> tuple[int, int]:
    try:
        shard, shards = (int(part) for part in text.split("/"))
    except ValueError as error:
        raise UsageError.tr("Write --shard as i/n, such as 0/4.") from error
    if not 0 <= shard < shards:
        raise UsageError.tr("There is no shard {shard} of {shards}.", shard=shard, shards=shards)
    return shard, shards


def _run(arguments: argparse.Namespace, console: Console) -> int:
    if arguments.what[0] in _VERBS and len(arguments.what) == 2:
        return _steer(arguments, console)
    if arguments.what[0] in storage.VERBS and len(arguments.what) == 3:
        return storage.transfer(arguments, console)
    if len(arguments.what) != 1:
        raise UsageError.tr(
            "run takes a run folder, or one of stop, resume, logs, remove followed by a run, or "
            "push or pull followed by a run and the address of a storage."
        )
    from core.jobs.worker import run_worker
    from core.workflow.runs.kinds import run_kind

    shard, shards = _shard(arguments.shard)
    folder = run_worker(Path(arguments.what[0]), shard, shards, run_kind)
    progress = folder.progress()
    console.emit(
        {"run": folder.spec().id, "done": progress.done, "total": progress.total},
        trn(
            "{done} of 1 item done.",
            "{done} of {n} items done.",
            progress.total,
            done=progress.done,
        ),
    )
    return 0


def _steer(arguments: argparse.Namespace, console: Console) -> int:
    from core.workflow.runs import runs

    verb, name = arguments.what
    ws = open_workspace(arguments, console)
    if verb == "logs":
        text = runs.log_tail(ws, name, 2000)
        if not text:
            console.say(tr("Run “{run}” has no log.", run=name))
        console.emit({"run": name, "log": text}, text)
    elif verb == "remove":
        person = the_person(ws)
        removed = runs.remove(ws, name, person, arguments.reason)
        console.emit({"run": removed}, tr("The folder of run {run} was removed.", run=removed))
    else:
        if verb == "stop":
            info = runs.stop(ws, name)
        else:
            if arguments.failed:
                from core.workflow.evaluation import start

                start.forget_failed(ws, name)
            if arguments.budget_tokens:
                runs.set_budget(ws, name, arguments.budget_tokens)
            info = runs.resume(
                ws, name, arguments.shards, launcher=arguments.launcher, gpus=arguments.gpus
            )
        text = tr(
            "{run}: {state}, {done} of {total}",
            run=info.id,
            state=info.state,
            done=info.done,
            total=info.total,
        )
        console.emit(asdict(info), text)
    return 0


def _add_runs(commands: Any) -> None:
    parser = add_command(commands, "runs", tr("list the runs of the workspace"), _runs)
    parser.add_argument(
        "--watch", action="store_true", help=tr("keep watching until no run is active")
    )


def _runs(arguments: argparse.Namespace, console: Console) -> None:
    from core.workflow.runs import runs

    ws = open_workspace(arguments, console)
    while True:
        infos = runs.runs(ws)
        rows = [
            (i.id, i.title, i.launcher, i.state, f"{i.done}/{i.total}", i.error or "")
            for i in infos
        ]
        heads = (tr("run"), tr("what"), tr("launcher"), tr("state"), tr("done"), "")
        text = columns(rows, heads)
        more = arguments.watch and any(info.state in ("queued", "running") for info in infos)
        # With --json there is one document, so only the last look is printed.
        if not (more and console.json):
            console.emit({"runs": [asdict(info) for info in infos]}, text)
        if not more:
            break
        time.sleep(1)


COMMANDS = (_add_run, _add_runs)
