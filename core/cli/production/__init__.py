"""Stage 1: items generated, rewritten, imported or written."""

from core.cli.production import check, duplicates, fetch, generate, import_items, rewrite, submit
from core.i18n import tr_noop

TITLE = tr_noop("Write, import and generate items")
COMMANDS = (
    *fetch.COMMANDS,
    *generate.COMMANDS,
    *rewrite.COMMANDS,
    *import_items.COMMANDS,
    *submit.COMMANDS,
    *check.COMMANDS,
    *duplicates.COMMANDS,
)
