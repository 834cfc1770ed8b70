"""What a person has to know before comparing rugged scores: what is not alike among the models."""

from collections import Counter
from collections.abc import Iterable, Sequence

from core.analysis.accuracies import AccuracyRow, Side
from core.analysis.benchmark_pairs import comparable_name
from core.i18n import listed, tr, trn

_SHOWN = 8


def rugged_notes(rows: Sequence[AccuracyRow]) -> list[str]:
    """Notes on rows that were averaged, and on models that lack what others have.

    A model's scores are over what it has: a private domain whose public partner it lacks counts
    among its unmatched ones, and a rank on a benchmark is among the models that have it.
    """
    notes = []
    cells = Counter((row.model, row.set, comparable_name(row.domain)) for row in rows)
    several = sum(count > 1 for count in cells.values())
    if several:
        notes.append(
            trn(
                "1 domain or benchmark of a model has several rows; their mean is used.",
                "{n} domains or benchmarks of a model have several rows; their mean is used.",
                several,
            )
        )
    return [*notes, *uneven_accuracies(rows)]


def uneven_accuracies(rows: Sequence[AccuracyRow]) -> list[str]:
    """Notes on the sides on which the models do not all have the same benchmarks."""
    return [*_gaps(rows, "private"), *_gaps(rows, "public")]


def some_of(names: Iterable[str]) -> str:
    """Names, the first eight of many."""
    known = list(names)
    return listed(known[:_SHOWN]) + ("…" if known[_SHOWN:] else "")


def _gaps(rows: Sequence[AccuracyRow], side: Side) -> list[str]:
    """One note for a side on which the models do not all have the same benchmarks."""
    names = {comparable_name(row.domain): row.domain for row in reversed(rows) if row.set == side}
    has: dict[str, set[str]] = {}
    for row in rows:
        if row.set == side:
            has.setdefault(row.model, set()).add(comparable_name(row.domain))
    short = [model for model, benchmarks in has.items() if len(benchmarks) < len(names)]
    if not short:
        return []
    common = [
        name for key, name in names.items() if all(key in benchmarks for benchmarks in has.values())
    ]
    shown = some_of(short)
    words = {
        "private": tr(
            "Some models lack private domains (only {n} of {all} are common to all models). "
            "Compare {models} with care.",
            n=len(common),
            all=len(names),
            models=shown,
        ),
        "public": tr(
            "Some models lack public benchmarks (only {n} of {all} are common to all "
            "models). Compare {models} with care.",
            n=len(common),
            all=len(names),
            models=shown,
        ),
    }
    return [words[side]]
