"""Verifying a workspace: the list of checks, and running them all.

A check is one function that is handed the run and gives its findings; adding one is one
line in ``CHECKS``.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from core.errors import StateError, WorkspaceError
from core.i18n import tr
from core.workflow.evaluation import public_score_files
from core.workflow.rights import Action, require
from core.workflow.splits import lifecycle
from core.workflow.verify import (
    anchored,
    database,
    identities,
    ledger_match,
    replay,
    row_digests,
    stored_files,
)
from core.workflow.verify.findings import Verified, VerifyFinding, VerifyRun
from core.workflow.workspace import Workspace
from db import ledger, splits
from db.copies.rows import reads_everything
from db.engine import one_state
from db.errors import UnreadableError
from db.queries import exposures, judgements

Check = Callable[[VerifyRun], Iterator[VerifyFinding]]


def verify(
    ws: Workspace, receipt: Mapping[str, Any] | None = None, anchors: Sequence[Path] = ()
) -> Verified:
    """Walk the chain, recompute every item and every content hash, hold what people said against
    the ledger, and check frozen splits, run folders and receipts.

    What nobody can see from inside is that the newest events were cut off together with all that
    they changed, or that the whole chain was rewritten; the receipt of a split that was kept
    elsewhere, given as its JSON object, shows it, and so do anchors: the person's own, and those
    in ``anchors``. On a server with logins a lead verifies; RightsError for others. WorkspaceError
    for a workspace of a newer program, whose events this one cannot judge.
    """
    ws.refuse_newer()
    with ws.reading() as session:
        one_state(session)
        if ws.has_logins and not reads_everything(session):
            require(session, "", Action.VERIFY)
        run = VerifyRun(ws, session, receipt, anchors)
        findings = tuple(finding for check in CHECKS for finding in _finished(check, run))
        tip = judgements.tip(session)
    return Verified(
        tip,
        run.items,
        run.revisions,
        run.splits,
        findings,
        max(1, run.bound_from),
        tuple(run.notes),
    )


def _finished(check: Check, run: VerifyRun) -> Iterator[VerifyFinding]:
    """The findings of a check, and one more where what is stored lets it go no further."""
    try:
        yield from check(run)
    except (LookupError, ValueError, TypeError, AttributeError, UnreadableError,
            StateError, WorkspaceError) as error:  # fmt: skip
        yield VerifyFinding(
            "unreadable",
            check.__module__.rpartition(".")[2],
            tr("what is stored cannot be read: {reason}", reason=error),
        )


def _chain(run: VerifyRun) -> Iterator[VerifyFinding]:
    """Every event whose hash does not fit."""
    for number in ledger.broken_links(run.session):
        yield VerifyFinding(
            "chain",
            tr("event {number}", number=number),
            tr("its hash does not match: this event or the previous one was changed"),
        )


def _split_rows(run: VerifyRun) -> Iterator[VerifyFinding]:
    """Every split whose row is not what its events say."""
    for row in splits.all_splits(run.session):
        for detail in lifecycle.mismatches(run.session, row):
            yield VerifyFinding("split", row.name, detail)
        if not exposures.is_kept_rightly(run.session, row.id):
            detail = tr("who touched its items before it was frozen is not what the ledger counted")
            yield VerifyFinding("split", row.name, detail)


def _public_scores(run: VerifyRun) -> Iterator[VerifyFinding]:
    """Every kept file of public scores that is not what its event says."""
    for name, detail in public_score_files.changed_files(run.ws):
        yield VerifyFinding("public", name, detail)


CHECKS: tuple[Check, ...] = (
    _chain,
    anchored.disagreements,
    replay.items,
    replay.contents,
    stored_files.given_receipt,
    stored_files.kept_receipts,
    ledger_match.mismatches,
    row_digests.mismatches,
    database.differences,
    database.counts,
    _split_rows,
    stored_files.releases,
    stored_files.run_folders,
    _public_scores,
    identities.look_alikes,
    identities.accounts,
)
