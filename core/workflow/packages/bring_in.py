"""Bringing back what was decided in a work package, with the checks of every decision."""

from dataclasses import dataclass
from pathlib import Path

from core.errors import BenchsealError, ConflictError
from core.workflow.check.outbox import KeptDecision, commit_once, is_final, is_known
from core.workflow.lookup import item_in
from core.workflow.packages.package_file import PackageDecision, ReturnedPackage, read_returned
from core.workflow.rights import acting_name, known_person
from core.workflow.workspace import Workspace


@dataclass(frozen=True, slots=True)
class BroughtIn:
    """What came of a file: what is in the ledger now, what was there before, what was refused."""

    person: str
    taken: tuple[KeptDecision, ...]
    known: tuple[KeptDecision, ...]
    refused: tuple[KeptDecision, ...]


def bring_in(ws: Workspace, path: Path, person: str = "") -> BroughtIn:
    """Write the decisions of a file in the name of who made them, each once.

    On a server and in a shared workspace that is who acts; in a personal one anybody may bring
    them, which the ledger says. What the review refuses is returned with why; a file can be brought
    again. Raises InputError for another file, RightsError where it is somebody else's.
    """
    returned = read_returned(path)
    with ws.reading() as session:
        owner = known_person(session, acting_name(session, returned.person)).name
        bringer = owner if ws.has_logins else acting_name(session, person)
    recorded_by = "" if bringer == owner else bringer
    taken, known, refused = [], [], []
    for decision in returned.decisions:
        kept = _kept(returned, decision)
        try:
            if _is_there(ws, owner, kept, decision):
                known.append(kept)
                continue
            commit_once(ws, owner, kept, recorded_by=recorded_by)
        except BenchsealError as error:
            if not is_final(error):
                raise
            refused.append(_with(kept, str(error)))
            continue
        taken.append(kept)
    return BroughtIn(owner, tuple(taken), tuple(known), tuple(refused))


def _kept(returned: ReturnedPackage, decision: PackageDecision) -> KeptDecision:
    return KeptDecision(
        returned.token_of(decision), "skip" if decision.kind == "skip" else "decide",
        decision.number, decision.verdict, decision.reason, decision.note, decision.seconds,
        decision.revision, decision.made,
    )  # fmt: skip


def _with(kept: KeptDecision, refusal: str) -> KeptDecision:
    from dataclasses import replace

    return replace(kept, refusal=refusal)


def _is_there(ws: Workspace, owner: str, kept: KeptDecision, decision: PackageDecision) -> bool:
    """Whether the ledger has it; ConflictError for an item of another workspace."""
    with ws.reading() as session:
        item = item_in(session, kept.number)
        if item.revision == decision.revision and item.content_hash != decision.content_hash:
            raise ConflictError.tr(
                "Item #{number} of the package is another one than in this workspace.",
                number=kept.number
            )  # fmt: skip
        return is_known(session, known_person(session, owner), kept)
