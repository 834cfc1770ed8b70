"""Calling the functions that the database of a team's server has for everybody."""

from collections.abc import Sequence

from sqlalchemy import text

from db import clock
from db.server import logins
from db.session import Session

# Any number will do: it names the one lock that all writers of the chain share.
CHAIN_LOCK = 0x6C656467
_DISK_LATER = text("SET LOCAL synchronous_commit = off")
_ON_DISK = text("SELECT benchseal.on_disk()")
WAITS_LATER = "disk later"  # in ``Session.info``, until the disk was waited for
_EXPIRE = text("SELECT benchseal.expire_leases(), clock_timestamp()")


def expire_leases(session: Session) -> int:
    """End the leases that ran out, whoever holds them; returns how many."""
    expired, server = session.connection().execute(_EXPIRE).one()
    clock.was_told(session, server)
    return int(expired)


def release_leases(session: Session, item_ids: Sequence[int], stage: int, keep: int | None) -> bool:
    """End the leases on items that left a stage, but those of one person; whether any were."""
    query = text("SELECT benchseal.release_leases(:items, :stage, CAST(:keep AS integer))")
    values = {"items": list(item_ids), "stage": stage, "keep": keep}
    return bool(session.execute(query, values).scalar_one())


def end_leases(session: Session, split_id: int) -> None:
    """End what anybody holds of a sealed split."""
    session.execute(text("SELECT benchseal.end_leases(:split)"), {"split": split_id})


def recount(session: Session, item_ids: Sequence[int], stage: int) -> None:
    """Set how many places of some items are taken."""
    values = {"items": list(item_ids), "stage": stage}
    session.execute(text("SELECT benchseal.recount(:items, :stage)"), values)


def holders(session: Session, item_id: int, revision: int, stage: int) -> set[int]:
    """Who holds one item revision at a stage now."""
    query = text("SELECT benchseal.holders(:item, :revision, :stage)")
    values = {"item": item_id, "revision": revision, "stage": stage}
    return {int(number) for number in session.execute(query, values).scalars()}


def frees_early(session: Session) -> None:
    """Let others go on as soon as the transaction has committed: the disk is waited for after it,
    by ``wait_for_disk``, and not with the chain in hand."""
    login = logins.login_in(session)
    if login is not None and login.steps:
        session.execute(_DISK_LATER)
        session.info[WAITS_LATER] = True


def wait_for_disk(session: Session) -> None:
    """After a commit, wait for the disk where that was put off. On the same connection: one to a
    server that started meanwhile would answer for what that server has lost."""
    if session.info.pop(WAITS_LATER, False):
        session.execute(_ON_DISK)
        session.commit()
