"""Items across all stages: lists, history, undo and verification."""

from core.cli.items import items, ledger, second_look, show, suspect_keys, verify
from core.i18n import tr_noop

TITLE = tr_noop("Find items and trace decisions")
COMMANDS = (
    *items.COMMANDS,
    *show.COMMANDS,
    *ledger.COMMANDS,
    *verify.COMMANDS,
    *second_look.COMMANDS,
    *suspect_keys.COMMANDS,
)
