"""What a run came to: its figures in words, and the place where its result is shown."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from core.i18n import tr
from core.workflow.runs.runs import RunInfo
from gui import i18n

_FIGURES: Mapping[str, Callable[[], str]] = {
    "items": lambda: tr("items"),
    "total": lambda: tr("items"),
    "cells": lambda: tr("trainings"),
    "prompt_tokens": lambda: tr("prompt tokens"),
    "completion_tokens": lambda: tr("completion tokens"),
    "tokens": lambda: tr("tokens"),
    "cost": lambda: tr("cost"),
    "seconds": lambda: tr("seconds"),
    "requests": lambda: tr("requests"),
    "retries": lambda: tr("retries"),
    "waiting": lambda: tr("waiting"),
    "asked": lambda: tr("asked"),
    "passed": lambda: tr("passed"),
    "screened_out": lambda: tr("screened out"),
    "invalid": lambda: tr("without a usable reply"),
    "failed": lambda: tr("failed"),
    "truncated": lambda: tr("truncated"),
    "refused": lambda: tr("refused"),
    "not_asked": lambda: tr("not asked"),
    "asked_again": lambda: tr("asked again"),
    "too_long": lambda: tr("too long for the model"),
    "cut_prompts": lambda: tr("shortened prompts"),
    "server_waits_s": lambda: tr("seconds of waiting requested by the server"),
    "resumed": lambda: tr("already finished"),
    "mode": lambda: tr("mode"),
    "model": lambda: tr("model"),
}
"""What the single figures of a run are called, in the order in which they are said."""
_ALWAYS = ("items", "total", "asked", "passed", "screened_out", "prompt_tokens",
           "completion_tokens")  # fmt: skip
_LONGEST = 24


@dataclass(frozen=True, slots=True)
class RunOutcome:
    """Where the result of a run is: the words of a button, the panel, and what it is handed."""

    words: str
    panel: str
    argument: Any = None


def outcome_of(run: RunInfo) -> RunOutcome | None:
    """Where the result of a finished run is; None for one that is not, or has no place."""
    if run.state != "finished":
        return None
    from core.workflow.items.search import Filters  # the window starts without it

    places = {
        "evaluate": RunOutcome(tr("Show the scores"), "scores", run.id),
        "generate": RunOutcome(tr("Show the items"), "items", Filters(run=run.id)),
        "rewrite": RunOutcome(tr("Show the items"), "items", Filters(run=run.id)),
        "prescreen": RunOutcome(tr("Show the gate"), "gate"),
        "judge": RunOutcome(tr("Show the scores"), "scores"),
        "matrix": RunOutcome(tr("Show the leaderboard"), "leaderboard"),
        "adaptive": RunOutcome(tr("Show the leaderboard"), "leaderboard"),
        "pairwise": RunOutcome(tr("Show the leaderboard"), "leaderboard"),
    }
    return places.get(run.kind)


def figures(values: Mapping[str, Any]) -> str:
    """The single figures of a result in one line; nothing about what did not happen, and none that
    has no name in the window."""
    parts = []
    for name, words in _FIGURES.items():
        value = values.get(name)
        if isinstance(value, bool) or not isinstance(value, int | float | str):
            continue
        if not value and name not in _ALWAYS:
            continue
        if isinstance(value, str):
            text = value if len(value) <= _LONGEST else f"{value[:_LONGEST]}…"
        else:
            text = i18n.number(value, 3 if isinstance(value, float) else 0)
        parts.append(tr("{name} {value}", name=words(), value=text))
    return " · ".join(parts)
