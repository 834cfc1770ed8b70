"""Workspaces, the people in them, and tasks."""

from core.cli.workspace import backup, config, doctor, keys, people, start, tasks
from core.i18n import tr_noop

TITLE = tr_noop("Set up")
COMMANDS = (
    *start.COMMANDS,
    *people.COMMANDS,
    *tasks.COMMANDS,
    *keys.COMMANDS,
    *config.COMMANDS,
    *doctor.COMMANDS,
    *backup.COMMANDS,
)
