"""The kinds of events of the ledger, as people read them."""

from types import MappingProxyType

from core.i18n import tr
from gui.labels import Words

EVENTS: Words = MappingProxyType(
    {
        "created": lambda: tr("made"),
        "revised": lambda: tr("written anew"),
        "submitted": lambda: tr("handed in"),
        "screening_started": lambda: tr("screening began"),
        "screened": lambda: tr("screened"),
        "claimed": lambda: tr("taken for review"),
        "skipped": lambda: tr("skipped"),
        "decided": lambda: tr("decided"),
        "rated": lambda: tr("rated"),
        "adjudicated": lambda: tr("settled"),
        "audit_started": lambda: tr("put in a lot"),
        "audit_decided": lambda: tr("looked at in the audit"),
        "audit_ended": lambda: tr("audit ended"),
        "approved": lambda: tr("approved with its lot"),
        "returned": lambda: tr("returned with its lot"),
        "frozen": lambda: tr("frozen in a split"),
        "undone": lambda: tr("taken back"),
        "revealed": lambda: tr("looked at what is hidden"),
        "gold": lambda: tr("gold item"),
        "bulk": lambda: tr("changed with many others"),
        "second_look": lambda: tr("second look asked for"),
        "looked_again": lambda: tr("looked at again"),
    }
)
