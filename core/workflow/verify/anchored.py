"""Whether the ledger still is the one that people anchored elsewhere."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

from core.i18n import printed_day, printed_time, tr, trn
from core.sealing import time_stamps
from core.sealing.spelled_bytes import base64_bytes
from core.settings import settings
from core.workflow.anchors import anchors
from core.workflow.anchors.anchors import Anchor
from core.workflow.verify.findings import VerifyFinding, VerifyRun
from db import ledger


def disagreements(run: VerifyRun) -> Iterator[VerifyFinding]:
    """Every anchor that is found and does not agree, earliest event first; each names the first
    event that is another one now."""
    found = sorted(
        anchors.known_anchors(run.ws, *run.anchors), key=lambda one: (one.event, one.made_at)
    )
    if not found:
        return
    count = ledger.tip(run.session)
    agreed = 0
    for anchor in found:
        if not anchor.is_signed():
            detail = tr("The signature of the anchor by {name} does not match.", name=anchor.person)
            yield VerifyFinding("anchor", tr("event {number}", number=anchor.event), detail)
            continue
        if anchor.stamp and (wrong := _stamp_fault(run, anchor)):
            yield VerifyFinding("anchor", tr("event {number}", number=anchor.event), wrong)
            continue
        finding = _difference(run, anchor, agreed, count)
        if finding is None:
            agreed = anchor.event
        else:
            yield finding
    run.notes.append(
        trn("Compared with 1 anchor; the newest is of event {event}.",
            "Compared with {n} anchors; the newest is of event {event}.",
            len(found), event=found[-1].event)
    )  # fmt: skip


def _stamp_fault(run: VerifyRun, anchor: Anchor) -> str:
    """What is wrong with the time stamp of an anchor; empty for nothing, or where nobody named the
    certificates by which it can be told."""
    roots = settings().anchor_roots
    try:
        stamp = base64_bytes(anchor.stamp)
        if stamp is None:
            raise ValueError("not as it was written")
        at = time_stamps.checked(stamp, anchor.stamped_part(), Path(roots) if roots else None)
    except ValueError:
        return tr("The time stamp of the anchor by {name} does not match.", name=anchor.person)
    when = printed_time(at.isoformat())
    if at < datetime.fromisoformat(anchor.at) - _CLOCKS_DIFFER:
        return tr("The anchor by {name} was stamped at {time}, before the time that the "
                  "ledger gives for its event.", name=anchor.person, time=when)  # fmt: skip
    words = {"event": anchor.event, "time": when}
    run.notes.append(
        tr("Event {event} was stamped at {time}.", **words)
        if roots
        else tr("Event {event} says that it was stamped at {time}; name the certificates of the "
                "time-stamp server in the setting anchor_roots, and it is checked.", **words)
    )  # fmt: skip
    return ""


_CLOCKS_DIFFER = timedelta(minutes=10)


def _difference(run: VerifyRun, anchor: Anchor, agreed: int, count: int) -> VerifyFinding | None:
    present = ledger.event(run.session, anchor.event)
    if present is not None and present.hash == anchor.hash:
        return None
    words = {"name": anchor.person, "day": printed_day(anchor.made_at), "event": anchor.event}
    first = _first(run, anchor, agreed)
    if first is not None:
        subject = tr("event {number}", number=first)
        if first > count:
            return VerifyFinding("anchor", subject, tr("It was removed since {name} anchored event "
                                                       "{event} on {day}.", **words))  # fmt: skip
        return VerifyFinding("anchor", subject, tr("It is not the event that was there when {name} "
                                                   "anchored event {event} on {day}; all before "
                                                   "it are.", **words))  # fmt: skip
    subject = tr("events {first} to {last}", first=agreed + 1, last=anchor.event)
    return VerifyFinding("anchor", subject, tr("One of them is not the event that was there when "
                                               "{name} anchored event {event} on {day}.",
                                               **words))  # fmt: skip


def _first(run: VerifyRun, anchor: Anchor, agreed: int) -> int | None:
    """The first event that is not as in the anchor's trail; None where it is before the trail."""
    if not anchor.trail:
        return None
    before = anchor.after
    present = ledger.hashes(run.session, before, anchor.event)
    for place, part in enumerate(anchor.trail):
        if place >= len(present) or not present[place].startswith(part):
            return None if place == 0 and before > agreed else before + place + 1
    return None
