"""What evaluations are called where one model may have been asked more than once."""

from collections import Counter
from collections.abc import Sequence

from core.i18n import tr


def run_titles(named: Sequence[tuple[str, str, str]]) -> tuple[str, ...]:
    """What to call each (run, model, split): the model, with the run's time where the model was
    asked more than once on the split."""
    times = Counter((model, split) for _, model, split in named)
    return tuple(
        model if times[model, split] == 1
        else tr("{model}, {when}", model=model, when=_when(run))
        for run, model, split in named
    )  # fmt: skip


def _when(run: str) -> str:
    """The day, the time and the tail of a run's name, which tell it from any other."""
    parts = run.split("-")
    day, clock = parts[0], parts[1] if len(parts) > 1 else ""
    return f"{day[4:6]}-{day[6:]} {clock[:2]}:{clock[2:4]} {parts[-1][:4]}"
