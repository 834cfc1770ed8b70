"""Exports, published splits and archives for people elsewhere, through a storage."""

import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from core.cli import main
from core.errors import ConflictError, InputError, OutsideError, RightsError, StateError
from core.jobs.object_store import ObjectStore
from core.release.formats.base import MARKER
from core.workflow.analysis.exposures import exposures
from core.workflow.sealing import release_storage
from core.workflow.sealing.publish import publish
from core.workflow.splits import exports, lifecycle
from core.workflow.verify.checks import verify
from core.workflow.workspace import Workspace
from tests.servers.object_storage import files_of, fill_for_storage, have_fsspec

pytestmark = pytest.mark.slow
COUNT, LEAD = 12, "王"


@pytest.fixture
def ws(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Workspace]:
    have_fsspec(monkeypatch)
    with closing(Workspace.create(tmp_path / "ws", LEAD)) as opened:
        fill_for_storage(opened, COUNT)
        opened.person = LEAD
        yield opened


@pytest.fixture
def address(tmp_path: Path) -> str:
    return f"file://{tmp_path}/place"


def exported(ws: Workspace, folder: Path, form: str = "lm-eval") -> Path:
    exports.export(ws, "s", form, folder, person=LEAD)
    return folder


@pytest.mark.parametrize("form", ["jsonl", "lm-eval", "parquet"])
def test_an_export_lies_there_as_in_its_folder_and_comes_back_checked(
    ws: Workspace, address: str, tmp_path: Path, form: str, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = exported(ws, tmp_path / "out", form)
    at = ["--workspace", str(ws.place.folder), "split", "push", str(folder), address]
    assert main([*at, "--user", LEAD, "--json"]) == 0
    sent = json.loads(capsys.readouterr().out)
    assert sent["bytes"] == sum(map(len, files_of(folder).values())) - len(
        (folder / MARKER).read_bytes()
    )
    assert files_of(tmp_path / "place") == files_of(folder)
    assert main([*at, "--user", LEAD]) == 0
    assert "Sent 0 new files" in capsys.readouterr().out
    assert main(["split", "pull", address, "--out", str(tmp_path / "there"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["differences"] == []
    assert files_of(tmp_path / "there") == files_of(folder)
    assert (tmp_path / "there").stat().st_mode & 0o77 == 0
    assert main(["verify", "--export", str(tmp_path / "there")]) == 0
    assert verify(ws).findings == ()


def test_the_exposures_tell_it_before_anything_is_sent(
    ws: Workspace, address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[int] = []

    def send(*_given: object) -> None:
        told.append(sum(one.where == address for one in exposures(ws, "s")))
        raise KeyboardInterrupt

    monkeypatch.setattr(ObjectStore, "send", send)
    folder = exported(ws, tmp_path / "out")
    with pytest.raises(KeyboardInterrupt):
        release_storage.push(ws, folder, address, LEAD)
    assert told == [1]
    (one,) = [one for one in exposures(ws, "s") if one.way == "put into a storage"]
    assert (one.who, one.where, one.items, one.certain) == (LEAD, address, COUNT, True)


def test_what_is_refused_before_anything_is_sent_is_no_exposure(
    ws: Workspace, address: str, tmp_path: Path
) -> None:
    folder, other = exported(ws, tmp_path / "out"), exported(ws, tmp_path / "other", "jsonl")
    release_storage.push(ws, folder, address, LEAD)
    before = exposures(ws, "s")
    with pytest.raises(ConflictError, match="Another export"):
        release_storage.push(ws, other, address, LEAD)
    (other / "items.jsonl").write_text("{}", encoding="utf-8")
    with pytest.raises(InputError, match="is not as it was exported"):
        release_storage.push(ws, other, f"{address}/elsewhere", LEAD)
    assert exposures(ws, "s") == before


def test_a_place_that_takes_nothing_is_said(ws: Workspace, tmp_path: Path) -> None:
    folder = exported(ws, tmp_path / "out")
    with pytest.raises(OutsideError, match="did not do as asked"):
        release_storage.push(ws, folder, "file:///proc/none/place", LEAD)


def test_only_who_may_export_pushes(ws: Workspace, address: str, tmp_path: Path) -> None:
    with pytest.raises(RightsError, match="ann has the role"):
        release_storage.push(ws, exported(ws, tmp_path / "out"), address, "ann")
    assert not (tmp_path / "place").exists()


def test_only_what_the_workspace_wrote_is_pushed(
    ws: Workspace, address: str, tmp_path: Path
) -> None:
    folder = exported(ws, tmp_path / "out")
    marker = folder / MARKER
    marker.write_text(marker.read_text("utf-8").replace('"whole": true', '"whole": false'), "utf-8")
    (tmp_path / "any.txt").write_text("any", encoding="utf-8")
    for path in (folder, tmp_path / "any.txt"):
        with pytest.raises(StateError, match="its ledger does not know it"):
            release_storage.push(ws, path, address, LEAD)
    assert not (tmp_path / "place").exists()


def test_plain_text_of_a_split_that_was_sealed_stays_here_until_it_expires(
    ws: Workspace, address: str, tmp_path: Path
) -> None:
    folder = exported(ws, tmp_path / "out")
    lifecycle.seal(ws, "s", LEAD)
    with pytest.raises(StateError, match="is sealed"):
        release_storage.push(ws, folder, address, LEAD)
    lifecycle.open_split(ws, "s", LEAD, "July")
    with pytest.raises(StateError, match="only a locked export"):
        release_storage.push(ws, folder, address, LEAD)
    assert not (tmp_path / "place").exists()
    lifecycle.expire(ws, "s", LEAD)
    release_storage.push(ws, folder, address, LEAD)
    assert files_of(tmp_path / "place") == files_of(folder)


def test_a_published_split_is_there_for_everybody(
    ws: Workspace, address: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lifecycle.expire(ws, "s", LEAD)
    publish(ws, "s", tmp_path / "public", person=LEAD, license="cc-by-4.0")
    release_storage.push(ws, tmp_path / "public", address, LEAD)
    assert files_of(tmp_path / "place") == files_of(tmp_path / "public")
    assert main(["split", "pull", address, "--out", str(tmp_path / "there")]) == 0
    assert files_of(tmp_path / "there") == files_of(tmp_path / "public")


def test_what_is_nowhere_or_no_archive_is_said(
    address: str, ws: Workspace, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "place/folder").mkdir(parents=True)
    assert main(["split", "pull", f"{address}/folder", "--out", str(tmp_path / "there")]) == 1
    assert f"There is no export or archive at “{address}/folder”" in capsys.readouterr().err
    (tmp_path / "place/any").write_text("any", encoding="utf-8")
    assert main(["split", "pull", f"{address}/none", "--out", str(tmp_path / "there")]) == 1
    assert f"There is no export or archive at “{address}/none”" in capsys.readouterr().err
    assert main(["split", "pull", f"{address}/any", "--out", str(tmp_path / "there")]) == 1
    assert "is not a locked archive as it was signed" in capsys.readouterr().err
    assert not (tmp_path / "there").exists()
