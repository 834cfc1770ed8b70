"""The metric that ``benchseal report`` is asked for, and how the report names it."""

import argparse
import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from core.cli.console import Console
from core.errors import UsageError
from core.i18n import listed, tr

if TYPE_CHECKING:
    from core.evaluation.scoring import Report
    from core.llm.types import ModelServer
    from core.workflow.evaluation.task_metrics import ChosenMetric


def add_arguments(parser: Any) -> None:
    """What chooses a metric, and what the metrics that need something need."""
    parser.add_argument("--metric", metavar="NAME", default="",
                        help=tr("metric for free-text answers; default: chrf"))  # fmt: skip
    parser.add_argument("--bleurt", metavar="DIR", default="",
                        help=tr("score with BLEURT and this checkpoint"))  # fmt: skip
    parser.add_argument("--embeddings", metavar="MODEL[@URL]", default="",
                        help=tr("score by similarity of embeddings from a server"))  # fmt: skip


def chosen_metric(arguments: argparse.Namespace) -> "ChosenMetric | None":
    """The metric that was asked for; None for the one that each task has.

    Raises UsageError where the arguments contradict each other.
    """
    if not (arguments.metric or arguments.bleurt or arguments.embeddings):
        return None
    from core.workflow.evaluation import task_metrics

    metrics = {arguments.metric} if arguments.metric else set()
    metrics |= {task_metrics.BLEURT} if arguments.bleurt else set()
    metrics |= {task_metrics.EMBEDDINGS} if arguments.embeddings else set()
    if len(metrics) > 1:
        raise UsageError.tr("Choose only one metric, not {names}.", names=listed(sorted(metrics)))
    server = _server(arguments.embeddings) if arguments.embeddings else None
    return task_metrics.configured(metrics.pop(), checkpoint=arguments.bleurt, server=server)


def named_server(arguments: argparse.Namespace) -> str:
    """The address that ``--embeddings`` gives itself; empty for none."""
    _, at, rest = arguments.embeddings.partition("@http")
    return f"http{rest}" if at else ""


def _server(address: str) -> "ModelServer":
    """The server of ``MODEL@URL``, or of a model at the configured address."""
    from core.llm.types import ModelServer

    model, at, rest = address.partition("@http")
    url = f"http{rest}" if at else os.environ.get("BENCHSEAL_EMBEDDINGS_URL", "").strip()
    if not url:
        raise UsageError.tr("Give the source of the embeddings: --embeddings MODEL@URL.")
    return ModelServer(url, model)


def tell_of_server(metric: "ChosenMetric | None", console: Console) -> None:
    """Say that answers and references leave this machine, where they do."""
    if metric is not None and metric.server is not None and not metric.server.on_loopback:
        console.say(tr("Answers and references are sent to {url}.", url=metric.server.base_url))


def metric_lines(reports: "Mapping[str, Report]") -> list[str]:
    """What measured the answers of each run, where somebody chose it; "" names no run."""
    origins = {name: one.origin for name, one in reports.items() if "metric" in one.origin}
    if not origins:
        return []
    from core.workflow.evaluation.task_metrics import measured_text

    return [measured_text(origin, name) for name, origin in origins.items()]
