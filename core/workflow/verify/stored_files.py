"""Whether the files of a workspace are what the ledger tells of: releases, run folders, receipts.

A file that was edited, removed, added, or replaced by a link is named. What no digest binds is in
``UNBOUND`` here and in ``core.workflow.runs.bound_files``, each with the reason. Of what an earlier
version of the program wrote, the digests that it did not record yet are said, not failed.
"""

from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from core.i18n import listed, tr, tr_noop
from core.workflow.runs import bound_files
from core.workflow.runs.bound_files import BoundFiles
from core.workflow.splits import freeze, receipts, split_states
from core.workflow.verify.findings import VerifyFinding, VerifyRun
from db import ledger, splits
from db.ledger import LedgerEvent
from db.splits import SplitRow
from db.vocabulary import EventKind, SplitState

UNBOUND: tuple[tuple[str, str], ...] = (
    ("cache/", tr_noop("replies that are requested again if they are missing; what a run used "
                       "is in its run folder")),
    ("keys/", tr_noop("signing keys: what they signed refers to them")),
    ("trials/", tr_noop("answers of trial runs, which are discarded")),
    ("releases/*.uncommitted-*", tr_noop("what a freeze left that was never committed")),
    ("runs/*", tr_noop("a folder that belongs to no run in the ledger: no figure depends on it")),
)  # fmt: skip
"""Places of a workspace whose files are not bound, each with the reason."""


def given_receipt(verification: VerifyRun) -> Iterator[VerifyFinding]:
    """Every field of the receipt that was given, against the ledger."""
    if verification.receipt is None:
        return
    check = receipts.check(verification.session, verification.receipt)
    for field, detail in check.wrong:
        yield VerifyFinding("receipt", field, detail)
    if check.absent:
        verification.notes.append(
            tr(
                "The receipt was issued by an earlier version of Benchseal and does not state: "
                "{fields}.",
                fields=listed(check.absent),
            )
        )


def kept_receipts(verification: VerifyRun) -> Iterator[VerifyFinding]:
    """Every receipt in the workspace that is missing, is not what it was, or was never issued."""
    folder = verification.ws.receipts
    expected = dict(receipts.promised(verification.session))
    if not folder.is_dir() and verification.ws.is_server:
        if expected:
            verification.notes.append(_elsewhere(folder))
        return
    if folder.is_symlink():
        yield VerifyFinding("receipt", "receipts", _replaced())
    for name, text in expected.items():
        if (detail := _receipt_difference(folder / name, text)) is not None:
            yield VerifyFinding("receipt", f"receipts/{name}", detail)
    for path in sorted(folder.iterdir()) if folder.is_dir() else ():
        if path.name not in expected and bound_files.is_bound(path.name):
            detail = tr("The ledger issued no such receipt.")
            yield VerifyFinding("receipt", f"receipts/{path.name}", detail)


def _receipt_difference(path: Path, text: str) -> str | None:
    if path.is_symlink() or (path.exists() and not path.is_file()):
        return _replaced()
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        return tr("The receipt is missing. Issue it again: benchseal split receipt NAME")
    except OSError as error:
        return tr("The file cannot be read: {reason}.", reason=error.strerror or error)
    return None if content == text.encode() else tr("The receipt is not what the ledger gives.")


def releases(verification: VerifyRun) -> Iterator[VerifyFinding]:
    """Every difference of a frozen split's folder; one that is missing as well."""
    for row in splits.all_splits(verification.session):
        folder = verification.ws.releases / row.name
        if not folder.is_dir():
            if verification.ws.is_server:
                verification.notes.append(_elsewhere(folder))
            else:
                detail = tr("The folder of the frozen split is missing.")
                yield VerifyFinding("split", f"releases/{row.name}", detail)
            continue
        verification.splits += 1
        yield from _release(verification, row, folder)


def _release(verification: VerifyRun, row: SplitRow, folder: Path) -> Iterator[VerifyFinding]:
    if folder.is_symlink():
        yield VerifyFinding("split", f"releases/{row.name}", _replaced())
    events = ledger.of_subject(verification.session, EventKind.SPLIT, row.name)
    frozen = [e for e in events if split_states.state_after(e) == SplitState.FROZEN]
    digests = frozen[-1].data.get("files", {}) if frozen else {}
    named = set()
    gone = split_states.withdrawn(verification.session, row.name)
    for name, digest in digests.items():
        if name in gone:
            if not (folder / name).exists():
                continue
            verification.notes.append(
                tr("{file} is still there in plain text, though the split was sealed: the sealing "
                   "was interrupted. Opening the split removes it.",
                   file=f"releases/{row.name}/{name}")
            )  # fmt: skip
        if (detail := bound_files.difference(folder / name, digest)) is not None:
            named.add(name)
            yield VerifyFinding("split", f"{row.name}: {name}", detail)
    try:
        entries = freeze.check(verification.ws, row.name)
    except OSError as error:
        detail = tr("The file cannot be read: {reason}.", reason=error.strerror or error)
        yield VerifyFinding("split", row.name, detail)
        entries = []
    for entry in entries:
        if entry.subject not in named:
            yield VerifyFinding("split", f"{row.name}: {entry.subject}", entry.detail)
    for path in sorted(folder.iterdir()) if digests else ():
        if path.name not in digests and bound_files.is_bound(path.name):
            detail = tr("The file does not belong to the frozen split.")
            yield VerifyFinding("split", f"{row.name}: {path.name}", detail)


def run_folders(verification: VerifyRun) -> Iterator[VerifyFinding]:
    """Every file of a run folder that is not as it was when the run started or was taken in."""
    events: dict[str, list[LedgerEvent]] = defaultdict(list)
    for event in ledger.of_kind(verification.session, EventKind.RUN):
        events[event.subject].append(event)
    for run, of_run in events.items():
        files = bound_files.bound_by(run, of_run)
        folder = verification.ws.runs / run
        if files.removed:
            continue
        if files.taken_in and not files.whole:
            verification.notes.append(
                tr("Run {run} was taken in by an earlier version of Benchseal, which recorded no "
                   "digests of its files.", run=run)
            )  # fmt: skip
        if folder.is_dir():
            yield from _run(run, folder, files)
        elif files.named and verification.ws.is_server:
            verification.notes.append(_elsewhere(folder))
        elif files.named:
            detail = tr("The run folder is missing, and nobody removed it.")
            yield VerifyFinding("run", f"runs/{run}", detail)


def _run(run: str, folder: Path, files: BoundFiles) -> Iterator[VerifyFinding]:
    if folder.is_symlink():
        yield VerifyFinding("run", f"runs/{run}", _replaced())
    for name, detail in bound_files.differences(folder, files):
        yield VerifyFinding("run", f"runs/{run}/{name}", detail)


def _replaced() -> str:
    return tr("It was replaced by a link or another kind of file.")


def _elsewhere(path: Path) -> str:
    return tr("Not checked, because it is not on this machine: {path}", path=path)
