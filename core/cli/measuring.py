"""The metric that ``benchseal report`` is asked for, and how the report names it."""

import argparse
import os
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from core.errors import UsageError
from core.text import tr

if TYPE_CHECKING:
    from core.evaluation.scoring import Report
    from core.llm import ModelServer
    from core.workflow.grading import ChosenMetric

_BLEURT, _EMBEDDINGS = "bleurt", "embedding_similarity"


def add_arguments(parser: Any) -> None:
    """What chooses a metric, and what the metrics that need something need."""
    parser.add_argument("--metric", metavar="NAME", default="",
                        help=tr("measures answers in free text; chrf by default"))  # fmt: skip
    parser.add_argument("--bleurt", metavar="DIR", default="",
                        help=tr("measure with BLEURT and this checkpoint"))  # fmt: skip
    parser.add_argument("--embeddings", metavar="MODEL[@URL]", default="",
                        help=tr("measure by the likeness of embeddings of a server"))  # fmt: skip


def chosen_metric(arguments: argparse.Namespace) -> "ChosenMetric | None":
    """The metric that was asked for; None for the one that each task has.

    Raises UsageError where the arguments contradict each other.
    """
    meant = {_BLEURT: arguments.bleurt, _EMBEDDINGS: arguments.embeddings}
    asked = {
        name for name in (arguments.metric, *(n for n, given in meant.items() if given)) if name
    }
    if not asked:
        return None
    if len(asked) > 1:
        raise UsageError(tr("Ask for one metric, not for {names}.", names=", ".join(sorted(asked))))
    from core.workflow.grading import ChosenMetric

    (name,) = asked
    return ChosenMetric(
        name,
        checkpoint=arguments.bleurt or os.environ.get("BENCHSEAL_BLEURT", "").strip(),
        server=_server(arguments.embeddings) if name == _EMBEDDINGS else None,
    )


def _server(given: str) -> "ModelServer | None":
    """The server of ``MODEL@URL``; what is not given is as for near-duplicates."""
    from core.llm import ModelServer
    from core.workflow.duplicates import embedding_server

    known = embedding_server()
    if given:
        model, at, rest = given.partition("@http")
        url = f"http{rest}" if at else os.environ.get("BENCHSEAL_EMBEDDINGS_URL", "").strip()
        if not url:
            raise UsageError(tr("Say where the embeddings are from: --embeddings MODEL@URL."))
        known = ModelServer(url, model)
    # somebody waits for the report, and what was measured is kept: rather ask again later
    return known and replace(known, retries=2, patience_s=60.0)


def metric_lines(reports: "Mapping[str, Report]") -> list[str]:
    """What measured the answers of each run, where somebody chose it; "" names no run."""
    lines = []
    for name, one in reports.items():
        found = one.origin.get("metric")
        if found is None:
            continue
        value = "–" if found["value"] is None else f"{100 * found['value']:.1f}"
        given = {"metric": tr(found["title"]), "made_with": found["made_with"] or found["metric"],
                 "count": found["n"], "value": value}  # fmt: skip
        lines.append(
            tr("{run}: {metric} ({made_with}) measured {count} answers, mean {value} %.",
               run=name, **given)
            if name
            else tr("{metric} ({made_with}) measured {count} answers, mean {value} %.", **given)
        )  # fmt: skip
    return lines
