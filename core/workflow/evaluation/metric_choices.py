"""Which metric measures free text: what can be chosen here, and how a report names its choice.

The server of embeddings is the one that near-duplicates are found with
(``BENCHSEAL_EMBEDDINGS_URL``, ``BENCHSEAL_EMBEDDINGS_MODEL``); ``BENCHSEAL_BLEURT`` is the folder
of BLEURT's checkpoint.
"""

import os
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from core.i18n import tr, trn
from core.llm import ModelServer
from core.workflow.evaluation.task_metrics import ChosenMetric
from core.workflow.production.duplicates import embedding_server

CHRF, BLEURT, EMBEDDINGS = "chrf", "bleurt", "embedding_similarity"


def configured(
    name: str, *, checkpoint: str = "", server: ModelServer | None = None
) -> ChosenMetric:
    """A metric with what it needs; what is not given is as the environment says.

    The server is asked with little patience: somebody waits for the report, and what was measured
    is kept, so it is better to ask again later.
    """
    asked = server or (embedding_server() if name == EMBEDDINGS else None)
    return ChosenMetric(
        name,
        checkpoint=checkpoint or os.environ.get("BENCHSEAL_BLEURT", "").strip(),
        server=asked and replace(asked, retries=2, patience_s=60.0),
    )


def choices() -> tuple[ChosenMetric, ...]:
    """The metrics of free text for which everything is configured here; chrF always is."""
    bleurt, embeddings = configured(BLEURT), configured(EMBEDDINGS)
    found = [configured(CHRF)]
    found += [bleurt] if bleurt.checkpoint else []
    found += [embeddings] if embeddings.server else []
    return tuple(found)


def measured_words(origin: Mapping[str, Any], run: str = "") -> str:
    """What measured a report's free text, in a sentence; "" where nobody chose a metric."""
    found = origin.get("metric")
    if found is None:
        return ""
    sentence = trn(
        "{metric} ({made_with}) measured 1 answer: {value} %.",
        "{metric} ({made_with}) measured {n} answers, mean {value} %.",
        found["n"],
        metric=tr(found["title"]),
        made_with=found["made_with"] or found["metric"],
        value="–" if found["value"] is None else f"{100 * found['value']:.1f}",
    )
    return tr("{run}: {sentence}", run=run, sentence=sentence) if run else sentence
