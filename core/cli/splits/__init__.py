"""Frozen splits: freezing, sealing, opening, exporting."""

from core.cli.splits import freeze, splits
from core.i18n import tr_noop

TITLE = tr_noop("Freeze and export splits")
COMMANDS = (
    *freeze.COMMANDS,
    *splits.COMMANDS,
)
