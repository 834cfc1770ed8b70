"""``simulate``: contaminate a model on purpose, and see how far its scores rise."""

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.cli.commands import add_command, count, open_workspace, the_person
from core.cli.console import Console
from core.cli.options import add_seed, add_user, add_workers
from core.errors import OutsideError, UsageError
from core.i18n import field_problem, listed, tr, trn

if TYPE_CHECKING:
    from core.finetuning.params import FinetuneParams
    from core.sources.labelled.datasets import LabelledTask


def _add_simulate(commands: Any) -> None:
    parser = add_command(
        commands, "simulate", tr("simulate contamination by fine-tuning (LoRA)"), _simulate
    )
    parser.add_argument("--task", required=True, metavar="T",
                        help=tr("emotion, irony, stance, mrpc, rte or a task of your "
                                "own"))  # fmt: skip
    parser.add_argument("--labels", default="", metavar="A,B", help=tr("for a task of your own"))
    parser.add_argument("--base-model", required=True, metavar="DIR",
                        help=tr("folder of the model to fine-tune"))  # fmt: skip
    parser.add_argument("--sets", default="orig,semt,ours", metavar="orig,semt,ours",
                        help=tr("originals, semantic rewrites, knowledge rewrites"))  # fmt: skip
    parser.add_argument("--modes", default="test,train,train+test", metavar="test,train,train+test",
                        help=tr("data used for training"))  # fmt: skip
    parser.add_argument("--proportions", default="20,40,60,80,100", metavar="20,…,100",
                        help=tr("percentage of the data seen in training"))  # fmt: skip
    parser.add_argument(
        "--text-only", action="store_true", help=tr("only test texts, without labels")
    )
    parser.add_argument(
        "--split", default="", metavar="SPLIT", help=tr("split that contains the sets")
    )
    parser.add_argument("--test", action="append", default=[], metavar="SET=PATH",
                        help=tr("set from a file or folder of labelled data"))  # fmt: skip
    parser.add_argument("--train", action="append", default=[], metavar="[SET=]PATH",
                        help=tr("training data, for all sets or for one"))  # fmt: skip
    parser.add_argument("--size", choices=("small", "medium", "large"), default="small",
                        help=tr("size of the model; determines the paper's batch "
                                "size"))  # fmt: skip
    parser.add_argument("--param", action="append", default=[], metavar="NAME=VALUE",
                        help=tr("rank, alpha, dropout, learning_rate, epochs, …"))  # fmt: skip
    parser.add_argument("--evaluate-on", choices=("own", "all"), default="own",
                        help=tr("evaluate on the set used for training, or on all "
                                "sets"))  # fmt: skip
    parser.add_argument("--answer-by", choices=("generation", "choice"), default="generation",
                        help=tr("how the model answers"))  # fmt: skip
    parser.add_argument("--chat", action="store_true", help=tr("use the model's chat template"))
    add_seed(parser, count)
    add_workers(parser)
    add_user(parser, tr("who simulates; recorded in the ledger"))
    parser.add_argument("--wait", action="store_true", help=tr("wait for the scores"))


def _simulate(arguments: argparse.Namespace, console: Console) -> None:
    from core.workflow.analysis import simulations

    names = _words(arguments.sets)
    labels = _words(arguments.labels)
    task = simulations.task_named(arguments.task, labels)
    params = _params(arguments, task)
    data = simulations.SimulationData(
        arguments.split, _places(arguments.test, False), _places(arguments.train, True)
    )
    proportions = _numbers(arguments.proportions)
    ws = open_workspace(arguments, console)
    sets = simulations.read_sets(ws, task, names, data)
    planned = simulations.start(
        ws,
        params,
        sets,
        _words(arguments.modes),
        proportions,
        shards=arguments.shards,
        launcher=arguments.launcher,
        gpus=arguments.gpus,
        person=the_person(ws) if simulations.split_read(ws, sets) else arguments.user,
    )
    run = planned.folder.spec().id
    document: dict[str, Any] = {
        "run": run,
        "cells": len(planned.cells),
        "known": planned.known,
        "continued": planned.resumed,
    }
    summary = trn(
        "Run {run}: 1 cell, {known} of which already has results.",
        "Run {run}: {n} cells, {known} of which already have results.",
        len(planned.cells),
        run=run,
        known=planned.known,
    )
    if not arguments.wait:
        console.emit({**document, "state": planned.folder.state()}, summary)
        return
    console.say(summary)
    _wait(ws, run)
    _emit(console, document, planned.folder.result() or {})


def _wait(ws: Any, run: str) -> None:
    from core.workflow.runs import runs, take_in

    info = runs.wait(ws, run)
    if info.state != "finished":
        raise OutsideError(
            info.error
            or tr("Run {run} stopped before it was finished: {state}.", run=run, state=info.state)
        )
    take_in.take_in(ws, run)


def _emit(console: Console, document: dict[str, Any], result: dict[str, Any]) -> None:
    from core.analysis.contamination import Delta, DeltaSpread
    from core.analysis.ranking_tables import delta_table, spread_table
    from core.cli.options import table_text

    rows = [Delta.from_json(row) for row in result.get("deltas", [])]
    over = [DeltaSpread.from_json(row) for row in result.get("spreads", [])]
    tables = (delta_table(rows), spread_table(over))
    text = "\n\n".join(table_text(table) for table in tables)
    console.emit({**document, "state": "finished", **result}, text)


def _params(arguments: argparse.Namespace, task: "LabelledTask") -> "FinetuneParams":
    import json

    from pydantic import ValidationError

    from core.finetuning.params import FinetuneParams, TrainingParams, published_training

    training = published_training(task.name, text_only=arguments.text_only, size=arguments.size)
    values = training.model_dump()
    outer: dict[str, Any] = {}
    for text in arguments.param:
        name, equals, written = text.partition("=")
        name = name.strip().replace("-", "_")
        defaults_apart = name in ("max_new_tokens", "answer_batch", "templates")
        if not equals or (name not in values and not defaults_apart):
            known = listed(sorted(TrainingParams.model_fields))
            raise UsageError.tr("Write --param as name=value. Available: {known}.", known=known)
        try:
            value: Any = json.loads(written)
        except ValueError:
            value = written.split(",") if name.startswith(("modules", "target")) else written
        (outer if defaults_apart else values)[name] = value
    try:
        return FinetuneParams.model_validate(
            {
                "base_model": str(Path(arguments.base_model).absolute()),
                "task": task,
                "text_only": arguments.text_only,
                "training": values,
                "evaluate_on": arguments.evaluate_on,
                "answer_by": arguments.answer_by,
                "chat": arguments.chat,
                "seed": arguments.seed,
                **outer,
            }
        )
    except ValidationError as error:
        field, problem = field_problem(error)
        raise UsageError.tr(
            "The parameter “{name}” is not valid: {why}.", name=field, why=problem
        ) from error


def _words(text: str) -> list[str]:
    return list(dict.fromkeys(word.strip() for word in text.split(",") if word.strip()))


def _numbers(text: str) -> list[int]:
    try:
        return [int(word) for word in _words(text)]
    except ValueError as error:
        raise UsageError.tr(
            "--proportions must be a list of percentages, such as 20,100."
        ) from error


def _places(texts: Sequence[str], unnamed: bool) -> dict[str, Path]:
    folders: dict[str, Path] = {}
    for text in texts:
        name, equals, place = text.partition("=")
        if not equals and unnamed:
            name, place = "", text
        elif not equals or not name:
            raise UsageError.tr("Write a set and its data as SET=PATH, not “{given}”.", given=text)
        folders[name.strip()] = Path(place)
    return folders


COMMANDS = (_add_simulate,)
