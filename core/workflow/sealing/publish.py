"""Publishing a split whose evaluation period is over, with what proves that it is the same one."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from core.errors import InputError, StateError
from core.files import file_digest, write_atomic, write_json
from core.release.datasheet import SplitFacts, croissant, datasheet
from core.release.public_folder import PROOF, PublishedErratum, PublishedSplit, parquet_files
from core.sealing.commitments import committed, salt_secret
from core.sealing.merkle import MerkleRoot
from core.workflow.evaluation.errata import errata
from core.workflow.labels import state_label
from core.workflow.rights import Action, refuse_early
from core.workflow.sealing.locked_archives import rows_of, signing_key
from core.workflow.splits import datasheets, exports, freeze, lifecycle, split_states
from core.workflow.workspace import Workspace
from db import splits
from db.vocabulary import SplitState
from resources import resource

ITEMS, ROOT, SCRIPT = "items.jsonl", "root.json", "check_root.py"


@dataclass(frozen=True, slots=True)
class PublishedFolder:
    """A folder that was published: its files, and the Merkle root of the locked archive that they
    prove, empty where the split had none."""

    split: str
    path: str
    files: tuple[str, ...]
    items: int
    root: str


def publish(
    ws: Workspace, name: str, out: Path, *, person: str = "", license: str, address: str = ""
) -> PublishedFolder:
    """Write an expired split as a folder for the Hugging Face Hub, with salts and a check.

    ``license`` is an identifier of the Hub such as ``cc-by-4.0``, or an address; ``address`` is
    where the benchmark is described. Raises StateError for a split that has not expired, and for
    one whose archives were all written with another key than that of who works here, whose secret
    makes the salts; InputError without a license; RightsError for who may not expire splits.
    """
    refuse_early(ws, person, Action.EXPIRE_SPLIT)
    info = freeze.info(ws, name)
    if info.state != SplitState.EXPIRED:
        raise StateError.tr(
            "Split “{name}” is {state}; only a split that has expired is published.",
            name=name, state=state_label(info.state)
        )  # fmt: skip
    if not license.strip():
        raise InputError.tr("Name a license, such as cc-by-4.0, or its address.")
    facts = datasheets.facts_of(ws, name)
    proof = _proof_of(ws, name, facts.digest)
    form = PublishedSplit(
        facts, license.strip(), proof.roots,
        partial(_beside, ws, facts=facts, proof=proof, license=license.strip(), address=address),
        _errata_of(ws, name),
    )  # fmt: skip
    with freeze.unchanged_items(ws, name) as own:
        report = exports.export_as(ws, name, form, out, own, person, own, {})
    return PublishedFolder(name, str(out), report.files, report.items, proof.root)


@dataclass(frozen=True, slots=True)
class _Proof:
    """What makes the salts, empty for a split without an archive, and its archive's root."""

    secret: bytes
    root: str

    @property
    def roots(self) -> tuple[str, ...]:
        """The root, if there is one."""
        return (self.root,) if self.root else ()


def _errata_of(ws: Workspace, name: str) -> tuple[PublishedErratum, ...]:
    with ws.reading() as session:
        split_id = split_states.split_in(session, name).id
        own = {item_id for item_id, _, _ in splits.members(session, split_id)}
    return tuple(
        PublishedErratum(str(one.number), one.reason, one.at)
        for one in errata(ws)
        if one.number in own
    )


def _proof_of(ws: Workspace, name: str, digest: str) -> _Proof:
    notes = lifecycle.split_life(ws, name).archives
    if not notes:
        return _Proof(b"", "")
    signer = signing_key(ws)
    own = [note for note in notes if note.key_id == signer.key_id]
    if not own:
        raise StateError.tr(
            "No locked archive of split “{name}” was written with your key, whose secret makes "
            "the salts of its items. Whoever sealed it can publish it.", name=name
        )  # fmt: skip
    return _Proof(salt_secret(signer.secret(), digest), own[-1].root)


def _beside(
    ws: Workspace, folder: Path, *, facts: SplitFacts, proof: _Proof, license: str, address: str
) -> None:
    """Write descriptions and proof into a folder that has the data files."""
    files = {
        path.relative_to(folder).as_posix(): file_digest(path) for path in parquet_files(folder)
    }
    document = croissant(facts, license, address, parquet=files)
    write_json(folder / datasheets.CROISSANT_FILE, document)
    write_atomic(folder / datasheets.DATASHEET_FILE, datasheet(facts))
    (folder / PROOF).mkdir()
    tree = MerkleRoot()
    write_atomic(folder / PROOF / ITEMS, _lines(ws, facts.name, proof.secret, tree))
    if proof.root and tree.root() != proof.root:
        raise StateError.tr(
            "The items of split “{name}” do not give the root of its archive.", name=facts.name
        )
    about = {"split": facts.name, "split_digest": facts.digest, "items": facts.items}
    write_json(folder / PROOF / ROOT, {**about, "root": proof.root})
    script = resource("standalone", SCRIPT).read_text("utf-8")
    write_atomic(folder / PROOF / SCRIPT, script)


def _lines(ws: Workspace, name: str, secret: bytes, tree: MerkleRoot) -> Iterator[bytes]:
    """The items with their salts, as they come; without an archive there are no salts."""
    with ws.reading() as session:
        for entries, lines in committed(rows_of(ws, session, name), secret):
            tree.extend(entries)
            yield lines
