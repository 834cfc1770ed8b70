"""Ids of questions: the uid of an item and, behind ``#``, the way in which it is asked, if any."""

_BEHIND = "#"


def question_id(uid: str, variant: str = "") -> str:
    """The id of an item's question, asked as it is or in some way."""
    return f"{uid}{_BEHIND}{variant}" if variant else uid


def parts_of(id_: str) -> tuple[str, str]:
    """The uid of the item and the way of asking, empty for the item as it is."""
    uid, _, variant = id_.partition(_BEHIND)
    return uid, variant


def uid_of(id_: str) -> str:
    """The item's uid in the id of a question."""
    return parts_of(id_)[0]
