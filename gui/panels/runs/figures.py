"""What a run came to: its figures in words, and the place where its result is shown."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from core.i18n import tr
from core.workflow.labels import RUN_FIGURES
from core.workflow.runs.runs import RunInfo
from gui import i18n

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
    for name, words in RUN_FIGURES.items():
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
