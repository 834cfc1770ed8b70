"""Records of Every Eval Ever (evaluatingevaluations.org, schema 0.2 and 0.3): one model's scores.

A record holds scores without answers, each on a scale of its own. What is read is every score that
has a scale and grows with the quality; it is brought to 0…1 by that scale.
"""

import math
from collections import Counter
from collections.abc import Mapping
from typing import Any

from core.analysis.accuracies import MOST_ITEMS, AccuracyRow

PRIVATE = "private"  # in a result's source: its benchmark is kept from the public


def record_in(document: Any) -> dict[str, Any] | None:
    """The record that a JSON value is, or that a signed score holds; None where it is none."""
    if isinstance(document, dict) and isinstance(document.get("body"), dict):
        document = document["body"].get("evaluation")
    known = isinstance(document, dict) and {"schema_version", "evaluation_results"} <= set(document)
    return document if known else None


def is_private(document: Mapping[str, Any]) -> bool:
    """Whether a record says of any of its benchmarks that it is private."""
    details = [
        result["source_data"].get("additional_details") or {}
        for result in document["evaluation_results"]
    ]
    return any(str(one.get(PRIVATE)).lower() == "true" for one in details)


def accuracies_of(document: Mapping[str, Any], run: str) -> list[AccuracyRow]:
    """The scores of a record as public accuracies; ``run`` names where it comes from.

    A domain is named by the data set, or by the evaluation where several are on one data set; the
    first score of each name counts. KeyError, TypeError, ValueError or AttributeError where the
    document is not a record.
    """
    info = document["model_info"]
    model = str(info.get("id") or info["name"])
    results = document["evaluation_results"]
    data_sets = Counter(str(result["source_data"].get("dataset_name", "")) for result in results)
    rows: dict[str, AccuracyRow] = {}
    for result in results:
        name = str(result["source_data"].get("dataset_name", ""))
        domain = name if name and data_sets[name] == 1 else str(result["evaluation_name"])
        accuracy = _share_of_scale(result)
        if accuracy is not None and domain not in rows:
            rows[domain] = AccuracyRow(
                model, "public", domain, accuracy, n=_items(result["score_details"]), run=run
            )
    return list(rows.values())


def _share_of_scale(result: Mapping[str, Any]) -> float | None:
    """A score as a share of its scale; None without one, for a level, and where less is better."""
    metric = result["metric_config"]
    kind = metric.get("score_type", "continuous")
    low, high = metric.get("min_score"), metric.get("max_score")
    if kind == "binary" and low is None and high is None:
        low, high = 0.0, 1.0
    if kind == "levels" or metric["lower_is_better"] or low is None or high is None:
        return None
    score = float(result["score_details"]["score"])
    if not (math.isfinite(score) and low < high and low <= score <= high):
        return None
    return (score - float(low)) / (float(high) - float(low))


def _items(details: Mapping[str, Any]) -> int | None:
    count = (details.get("uncertainty") or {}).get("num_samples")
    return int(count) if isinstance(count, int | float) and 1 <= count <= MOST_ITEMS else None
