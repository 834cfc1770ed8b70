"""What *Verify an archive…* says of an archive, by who signed it."""

from pathlib import Path

from core.sealing.archive import ArchiveCheck, Locks
from core.workflow import people
from core.workflow.sealing import locked_archives
from core.workflow.sealing.locked_archives import SealOrder
from core.workflow.workspace import Workspace
from gui.panels.splits.archive_box import verdict
from gui.panels.splits.panel import checked_archive
from tests.splits import freeze_split, varied


def _sealed(folder: Path) -> tuple[Workspace, Path]:
    ws, out = Workspace.create(folder), folder / "s.sealed"
    people.ensure_person(ws, "li", "lead")
    freeze_split(ws, {"t": [varied(1), varied(2)]}, "s")
    locked_archives.seal(ws, "s", "li", SealOrder(out, Locks(passphrase="correct horse battery")))
    return ws, out


def test_only_an_archive_whose_key_is_known_has_a_tick(tmp_path: Path) -> None:
    (ws, own), (other, foreign) = _sealed(tmp_path / "own"), _sealed(tmp_path / "other")
    try:
        sentence, ink = verdict(*checked_archive(ws, own))
        assert ("as this workspace wrote it" in sentence, ink) == (True, "accept")
        sentence, ink = verdict(*checked_archive(ws, foreign))
        assert "does not know" in sentence
        assert "✓" not in sentence
        assert ink != "accept"
        assert (
            locked_archives.known_signers(ws).keys() != locked_archives.known_signers(other).keys()
        )
    finally:
        ws.close()
        other.close()


def test_who_signed_others_with_the_same_key_is_named() -> None:
    checked = ArchiveCheck({"split": "s", "items": 2}, {}, "5" * 64, ())
    sentence, ink = verdict(checked, "", "li")
    assert ("li has used for other archives" in sentence, ink) == (True, "accept")
