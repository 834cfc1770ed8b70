"""Stages 2 and 3: the gate, review, ratings, adjudication, gold items and the audit."""

from core.cli.review import (
    adjudicate,
    audit,
    decide,
    gate,
    gold,
    outbox,
    packages,
    questions,
    queue,
    rate,
    screen,
)
from core.i18n import tr_noop

TITLE = tr_noop("Review and audit items")
COMMANDS = (
    *screen.COMMANDS,
    *gate.COMMANDS,
    *queue.COMMANDS,
    *decide.COMMANDS,
    *rate.COMMANDS,
    *adjudicate.COMMANDS,
    *gold.COMMANDS,
    *audit.COMMANDS,
    *questions.COMMANDS,
    *outbox.COMMANDS,
    *packages.COMMANDS,
)
