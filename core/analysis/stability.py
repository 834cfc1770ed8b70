"""Stability over re-generation: the same articles, many seeds (ArxivRoll §3.1, figure 3)."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from core.errors import InputError
from core.evaluation.engines import engine
from core.evaluation.scoring import key_of, score
from core.evaluation.types import EngineContext, EngineParams, question_of
from core.generation.article_items import generate_from_article
from core.generation.run import distinct
from core.generation.spec import ScpSpec
from core.sources.articles.article import Article

SEEDS = 32


@dataclass(frozen=True, slots=True)
class FormatStability:
    """Accuracies in 0…1 of one format, one per seed that gave items of it.

    ``deviation`` is the sample deviation (n−1) over seeds; ``sampling_error`` the mean standard
    error of one accuracy, which alone would let them vary by as much. None where undefined.
    """

    format: str
    accuracies: tuple[float, ...]
    items: tuple[int, ...]

    @property
    def mean(self) -> float | None:
        """Mean over seeds."""
        return sum(self.accuracies) / len(self.accuracies) if self.accuracies else None

    @property
    def deviation(self) -> float | None:
        """Sample deviation over seeds."""
        return _deviation(self.accuracies)

    @property
    def sampling_error(self) -> float | None:
        """Mean of √(p(1−p)/(n−1)) over seeds."""
        errors = [
            math.sqrt(p * (1 - p) / (n - 1))
            for p, n in zip(self.accuracies, self.items, strict=True)
            if n > 1
        ]
        return sum(errors) / len(errors) if errors else None

    def as_json(self) -> dict[str, Any]:
        """One flat object."""
        return {
            "format": self.format,
            "seeds": len(self.accuracies),
            "mean": self.mean,
            "deviation": self.deviation,
            "low": min(self.accuracies, default=None),
            "high": max(self.accuracies, default=None),
            "sampling_error": self.sampling_error,
            "items": sum(self.items) / len(self.items) if self.items else None,
            "accuracies": list(self.accuracies),
        }


def _deviation(values: Sequence[float]) -> float | None:
    if len(values) < 2:
        return None
    mean = sum(values) / len(values)
    return math.sqrt(sum((v - mean) ** 2 for v in values) / (len(values) - 1))


def stability(
    articles: Iterable[Article],
    spec: ScpSpec,
    params: EngineParams,
    context: EngineContext,
    *,
    seeds: Sequence[int] = tuple(range(SEEDS)),
) -> list[FormatStability]:
    """Generate and evaluate once per seed; one entry per format, then one over all formats.

    Raises InputError for fewer than two seeds or where the articles give no items.
    """
    if len(seeds) < 2:
        raise InputError.tr("A stability analysis needs two or more seeds.")
    sources, _ = distinct(articles)
    runner = engine(params.engine)
    runner.require(params)
    accuracies: dict[str, list[tuple[float, int]]] = {name: [] for name in (*spec.formats, "")}
    for seed in seeds:
        seeded = spec.model_copy(update={"seed": seed})
        items = [
            item for article in sources for item in generate_from_article(article, seeded).items
        ]
        named = [(str(place), item) for place, item in enumerate(items)]
        questions = [question_of(uid, item) for uid, item in named]
        seeded_context = replace(context, params=params)
        records = [answer.as_json() for answer in runner.answer(questions, seeded_context)]
        report = score([key_of(uid, item) for uid, item in named], records, partial=True)
        for name, part in (*report.by["format"].items(), ("", report.total)):
            if part.accuracy is not None:
                accuracies[name].append((part.accuracy, part.n))
    if not accuracies[""]:
        raise InputError.tr(
            "No items were generated from the articles, so there is nothing to compare."
        )
    return [
        FormatStability(name, tuple(p for p, _ in pairs), tuple(n for _, n in pairs))
        for name, pairs in accuracies.items()
    ]
