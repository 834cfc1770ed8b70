"""Errata declared, or taken back, for the items that a list shows; the split stays as it is."""

from collections import Counter
from collections.abc import Sequence

from core.errors import StateError
from core.i18n import listed, tr
from core.workflow.evaluation import errata
from core.workflow.items import search
from core.workflow.items.bulk import BulkAction, BulkDone, BulkPreview
from core.workflow.items.search import Filters
from core.workflow.workspace import Workspace
from db import items as item_rows
from db.vocabulary import ItemState

ACTIONS = ("declare_errata", "withdraw_errata")


def preview(ws: Workspace, filters: Filters, action: BulkAction, viewer: str) -> BulkPreview:
    """What ``run`` would do now; writes nothing."""
    able, cannot = _sorted_out(ws, search.numbers(ws, filters, viewer=viewer), action.name)
    before = {ItemState.FROZEN.value: len(able)} if able else {}
    return BulkPreview(len(able), before, "", cannot)


def run(ws: Workspace, filters: Filters, action: BulkAction, person: str) -> BulkDone:
    """Declare every matching frozen item an erratum with a reason, or take that back.

    Only leads may. Raises InputError without a reason, StateError where there is not one such item.
    """
    able, cannot = _sorted_out(ws, search.numbers(ws, filters, viewer=person), action.name)
    if not able:
        raise StateError.tr(
            "Nothing was written: {reasons}.", reasons=listed(cannot) or tr("no items")
        )
    write = errata.declare if action.name == ACTIONS[0] else errata.withdraw
    return BulkDone(write(ws, able, person, action.words), cannot, 0)


def _sorted_out(
    ws: Workspace, numbers: Sequence[int], action: str
) -> tuple[list[int], dict[str, int]]:
    """The numbers of items of which it can be said, and the reasons of the others with counts."""
    standing = {erratum.number for erratum in errata.errata(ws)}
    able: list[int] = []
    cannot: Counter[str] = Counter()
    with ws.reading() as session:
        items = item_rows.get_many(session, numbers)
    for item in items:
        why = ""
        if item.state != ItemState.FROZEN:
            why = tr("not frozen (change or reject it instead)")
        elif (item.id in standing) == (action == ACTIONS[0]):
            why = tr("an erratum already") if item.id in standing else tr("not an erratum")
        if why:
            cannot[why] += 1
        else:
            able.append(item.id)
    return able, dict(cannot.most_common())
