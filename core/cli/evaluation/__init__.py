"""Evaluations of models, and every kind of run."""

from core.cli.evaluation import (
    answer,
    evaluate,
    import_results,
    judge,
    matrix,
    runs,
    score_records,
    track,
)
from core.i18n import tr_noop

TITLE = tr_noop("Evaluate models")
COMMANDS = (
    *evaluate.COMMANDS,
    *matrix.COMMANDS,
    *answer.COMMANDS,
    *judge.COMMANDS,
    *import_results.COMMANDS,
    *score_records.COMMANDS,
    *track.COMMANDS,
    *runs.COMMANDS,
)
