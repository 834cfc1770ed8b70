"""Evaluations of models, and every kind of run."""

from core.cli.evaluation import answer, evaluate, import_results, judge, runs
from core.i18n import tr_noop

TITLE = tr_noop("Evaluate models")
COMMANDS = (
    *evaluate.COMMANDS,
    *answer.COMMANDS,
    *judge.COMMANDS,
    *import_results.COMMANDS,
    *runs.COMMANDS,
)
