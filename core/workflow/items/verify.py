"""Verifying: walking the ledger's chain, and recomputing every item from its events."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.errors import InputError
from core.families.base import ItemContent
from core.i18n import tr, trn
from core.workflow.evaluation import public_score_files
from core.workflow.items import verify_rows
from core.workflow.transitions import TRACKED, is_legal
from core.workflow.workspace import Workspace
from db import ledger, splits
from db.engine import Session
from db.queries import judgements
from db.queries import replay as rows
from db.vocabulary import EventKind

Columns = dict[str, Any]


@dataclass(frozen=True, slots=True)
class VerifyFinding:
    """One thing that does not fit. ``kind`` is stable; ``subject`` names the item or event."""

    kind: str
    subject: str
    detail: str


@dataclass(frozen=True, slots=True)
class Verified:
    """The outcome; sound when there are no findings."""

    events: int
    items: int
    revisions: int
    splits: int
    findings: tuple[VerifyFinding, ...]

    @property
    def sound(self) -> bool:
        """Whether everything fits."""
        return not self.findings


def replay(session: Session, until: str = "") -> tuple[dict[int, Columns], list[VerifyFinding]]:
    """Every item's tracked columns from its events alone, and what does not fit on the way."""
    findings: list[VerifyFinding] = []
    state: dict[int, Columns] = {}
    for number, kind, item_id, data in rows.item_events(session, until):
        before, after = data.get("before", {}), data.get("after", {})
        known = state.setdefault(item_id, {})
        for name, value in before.items():
            if name in known and known[name] != value:
                findings.append(
                    VerifyFinding(
                        "gap",
                        f"#{item_id}",
                        tr(
                            "event {number} changes {column} from {claimed}, but its value "
                            "was {known}",
                            number=number,
                            column=name,
                            claimed=value,
                            known=known[name],
                        ),
                    )
                )
        step = known.get("state"), after.get("state")
        if kind != EventKind.UNDONE and None not in step and not is_legal(*map(str, step)):
            findings.append(
                VerifyFinding(
                    "step",
                    f"#{item_id}",
                    tr(
                        "event {number} goes from {before} to {after}, which is not a "
                        "possible transition",
                        number=number,
                        before=step[0],
                        after=step[1],
                    ),
                )
            )
        known.update({name: value for name, value in after.items() if name in TRACKED})
    return state, findings


def verify(ws: Workspace, receipt: Mapping[str, Any] | None = None) -> Verified:
    """Walk the chain, recompute every item and every content hash, hold what people said against
    the ledger, and check frozen splits.

    What nobody can see from inside is that the newest events were cut off together with all that
    they changed; the receipt of a sealed split, given as its
    JSON object, shows it.
    """
    with ws.reading() as session:
        findings = [
            VerifyFinding(
                "chain",
                tr("event {number}", number=number),
                tr("its hash does not match: this event or the previous one was changed"),
            )
            for number in ledger.broken_links(session)
        ]
        computed, gaps = replay(session)
        findings += gaps
        findings += _compare(session, computed)
        revisions, wrong = _contents(session)
        findings += wrong
        findings += _receipt(session, receipt) if receipt is not None else ()
        findings += (
            VerifyFinding(f.kind, f.subject, f.detail) for f in verify_rows.mismatches(session)
        )
        tip = judgements.tip(session)
    splits = _splits(ws, findings)
    findings += (
        VerifyFinding("public", name, detail) for name, detail in public_score_files.unfounded(ws)
    )
    return Verified(tip, len(computed), revisions, splits, tuple(findings))


def _receipt(session: Session, receipt: Mapping[str, Any]) -> Iterator[VerifyFinding]:
    """Whether the ledger still has the event which the receipt of a split names."""
    try:
        number, digest = int(receipt["event"]), str(receipt["ledger_hash"])
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(tr("This is not the receipt of a sealed split.")) from error
    event = ledger.event(session, number)
    if event is None or event.hash != digest:
        subject = tr("event {number}", number=number)
        yield VerifyFinding("receipt", subject, tr("the ledger does not match the receipt"))


def _compare(session: Session, computed: dict[int, Columns]) -> Iterator[VerifyFinding]:
    seen = set()
    for row in rows.items(session, TRACKED):
        item_id, values = row[0], dict(zip(TRACKED, row[1:], strict=True))
        seen.add(item_id)
        if item_id not in computed:
            yield VerifyFinding("item", f"#{item_id}", tr("it appears in no event"))
            continue
        for name, value in computed[item_id].items():
            if values[name] != value:
                yield VerifyFinding(
                    "item",
                    f"#{item_id}",
                    tr(
                        "{column} is {value}, but its events give {computed}",
                        column=name,
                        value=values[name],
                        computed=value,
                    ),
                )
    for item_id in sorted(set(computed) - seen):
        yield VerifyFinding("item", f"#{item_id}", tr("it appears in events but no longer exists"))
    for item_id, taken, live in rows.miscounted(session):
        yield VerifyFinding(
            "places",
            f"#{item_id}",
            trn(
                "1 review slot is marked as taken instead of {live}",
                "{n} review slots are marked as taken instead of {live}",
                taken,
                live=live,
            ),
        )
    for item_id in rows.wrong_hashes(session):
        yield VerifyFinding(
            "content", f"#{item_id}", tr("its content hash does not match its revision")
        )


def _contents(session: Session) -> tuple[int, list[VerifyFinding]]:
    findings, count = [], 0
    for item_id, number, digest, family, format, payload in rows.revisions(session):
        count += 1
        if ItemContent(family, format, payload).content_hash != digest:
            findings.append(
                VerifyFinding(
                    "content",
                    f"#{item_id}",
                    tr("the content of revision {number} was changed", number=number),
                )
            )
    return count, findings


def _splits(ws: Workspace, findings: list[VerifyFinding]) -> int:
    """Check every frozen split whose folder is on this machine; returns how many those are."""
    from core.workflow.splits import freeze, lifecycle

    with ws.reading() as session:
        for row in splits.all_splits(session):
            details = lifecycle.mismatches(session, row)
            findings += [VerifyFinding("split", row.name, detail) for detail in details]
    count = 0
    for split in freeze.all_splits(ws):
        if Path(split.folder).is_dir():
            count += 1
            findings += [
                VerifyFinding("split", f"{split.name}: {entry.subject}", entry.detail)
                for entry in freeze.check(ws, split.name)
            ]
    return count
