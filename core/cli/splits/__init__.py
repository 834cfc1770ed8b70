"""Frozen splits: freezing, sealing, opening, exporting."""

from core.cli.splits import exposures, freeze, packs, plan_size, seal, splits
from core.i18n import tr_noop

TITLE = tr_noop("Freeze and export splits")
COMMANDS = (
    *plan_size.COMMANDS,
    *freeze.COMMANDS,
    *splits.COMMANDS,
    *seal.COMMANDS,
    *packs.COMMANDS,
    *exposures.COMMANDS,
)
