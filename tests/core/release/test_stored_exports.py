"""Exports in an object store: what is sent, what is left there, and what is not believed."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import IO

import pytest

from core.errors import ConflictError, InputError, NotFoundError, StateError
from core.files import file_digest
from core.jobs.object_store import ObjectStore
from core.release import stored_exports
from core.release.export_check import check_export
from core.release.formats.base import MARKER
from core.release.formats.lm_eval import LmEval
from tests.servers.object_storage import files_of, have_fsspec
from tests.splits import make_split

pytestmark = pytest.mark.slow


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder that is the storage."""
    have_fsspec(monkeypatch)
    return tmp_path / "place"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """An export."""
    LmEval().export(make_split(30), "s", tmp_path / "out")
    return tmp_path / "out"


def at(place: Path) -> ObjectStore:
    return ObjectStore(f"file://{place}")


class Killed(BaseException):
    """The end of a process."""


def killed_after(monkeypatch: pytest.MonkeyPatch, name: str, count: int) -> Callable[[], None]:
    """Let a method of the store end everything when it has been called so often; undo by a call."""
    own, left = getattr(ObjectStore, name), count

    def until(*given: object) -> object:
        nonlocal left
        if not left:
            raise Killed
        left -= 1
        return own(*given)

    monkeypatch.setattr(ObjectStore, name, until)
    return lambda: monkeypatch.setattr(ObjectStore, name, own)


def test_a_push_that_was_killed_sends_the_rest_and_no_export_is_there_before(
    place: Path, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    again = killed_after(monkeypatch, "send", 3)
    with pytest.raises(Killed):
        stored_exports.push_export(at(place), folder)
    again()
    kept = files_of(place)
    assert len(kept) == 3
    assert not stored_exports.has_export(at(place))
    with pytest.raises(NotFoundError, match="There is no export"):
        stored_exports.pull_export(at(place), tmp_path / "there")
    sent = stored_exports.push_export(at(place), folder)
    assert (sent.files, files_of(place)) == (len(files_of(folder)) - 1 - 3, files_of(folder))


def test_a_file_is_seen_when_the_whole_of_it_is_there(
    place: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def torn(source: IO[bytes], target: IO[bytes], _size: int) -> None:
        target.write(source.read(10))
        raise Killed

    with monkeypatch.context() as patched:
        patched.setattr("shutil.copyfileobj", torn)
        with pytest.raises(Killed):
            stored_exports.push_export(at(place), folder)
    assert not files_of(folder).keys() & files_of(place).keys()
    stored_exports.push_export(at(place), folder)
    assert files_of(place) == files_of(folder)


def test_a_pull_that_was_killed_brings_the_rest(
    place: Path, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stored_exports.push_export(at(place), folder)
    again = killed_after(monkeypatch, "parts", 4)
    with pytest.raises(Killed):
        stored_exports.pull_export(at(place), tmp_path / "there")
    again()
    assert not (tmp_path / "there").exists()
    done = stored_exports.pull_export(at(place), tmp_path / "there")
    assert done.files == len(files_of(folder)) - 1 - 4
    assert files_of(tmp_path / "there") == files_of(folder)
    assert stored_exports.pull_export(at(place), tmp_path / "there").files == 0
    assert [p.name for p in tmp_path.iterdir() if p.name.startswith(".")] == []


def test_what_is_left_of_another_pull_is_not_taken_for_the_exports(
    place: Path, folder: Path, tmp_path: Path
) -> None:
    stored_exports.push_export(at(place), folder)
    (tmp_path / ".there.pulled/data").mkdir(parents=True)
    for name in ("data/other.jsonl", "README.md"):
        (tmp_path / ".there.pulled" / name).write_text("of another", encoding="utf-8")
    stored_exports.pull_export(at(place), tmp_path / "there")
    assert files_of(tmp_path / "there") == files_of(folder)


@pytest.mark.parametrize("harm", ["changed", "cut", "grown", "lost"])
def test_an_object_that_is_not_as_it_was_sent_is_named_and_a_push_mends_it(
    place: Path, folder: Path, tmp_path: Path, harm: str
) -> None:
    stored_exports.push_export(at(place), folder)
    for number, (name, content) in enumerate(files_of(folder).items()):
        out = tmp_path / f"there-{number}"
        if name == MARKER:
            continue
        harmed = {
            "changed": bytes([content[0] ^ 1]) + content[1:], "cut": content[:-1],
            "grown": content + b" ",
        }  # fmt: skip
        if harm == "lost":
            (place / name).unlink()
        else:
            (place / name).write_bytes(harmed[harm])
        with pytest.raises((InputError, NotFoundError), match=f"{place}/{name}”"):
            stored_exports.pull_export(at(place), out)
        assert not out.exists()
        assert stored_exports.push_export(at(place), folder).files == 1
        stored_exports.pull_export(at(place), out)
        assert check_export(out).differences == ()


def test_a_storage_that_loses_what_is_sent_is_found_out(
    place: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def loses(store: ObjectStore, name: str, source: IO[bytes]) -> None:
        store.write(name, source.read()[:-1])

    monkeypatch.setattr(ObjectStore, "send", loses)
    with pytest.raises(InputError, match="was changed or cut"):
        stored_exports.push_export(at(place), folder)
    assert not stored_exports.has_export(at(place))


def test_another_export_is_never_written_over(place: Path, folder: Path, tmp_path: Path) -> None:
    stored_exports.push_export(at(place), folder)
    there = files_of(place)
    LmEval().export(make_split(31), "s", tmp_path / "other")
    with pytest.raises(ConflictError, match="Another export is already at"):
        stored_exports.push_export(at(place), tmp_path / "other")
    assert files_of(place) == there
    with pytest.raises(StateError, match="is there already"):
        stored_exports.pull_export(at(place), tmp_path / "other")
    archive = tmp_path / "README.md"
    archive.write_text("other", encoding="utf-8")
    with pytest.raises(ConflictError, match="Another file is already at"):
        stored_exports.push_file(at(place), archive, file_digest(archive))


def test_a_folder_that_was_changed_since_is_not_sent(place: Path, folder: Path) -> None:
    (folder / "more.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(InputError, match="does not belong to the export"):
        stored_exports.push_export(at(place), folder)
    assert not place.exists()


@pytest.mark.parametrize("name", ["../up.txt", "/tmp/up.txt", "a/../../up.txt"])
def test_names_that_lead_out_are_refused(
    place: Path, folder: Path, tmp_path: Path, name: str
) -> None:
    stored_exports.push_export(at(place), folder)
    marker = json.loads((place / MARKER).read_text("utf-8"))
    marker["files"][name] = "0" * 64
    (place / MARKER).write_text(json.dumps(marker), encoding="utf-8")
    with pytest.raises(InputError, match="is not an export"):
        stored_exports.pull_export(at(place), tmp_path / "there")
    assert not (tmp_path / "there").exists()
    assert not (tmp_path / ".there.pulled").exists()


def test_a_file_has_its_name_once_it_was_let_pass(
    place: Path, folder: Path, tmp_path: Path
) -> None:
    sound, out = folder / MARKER, tmp_path / "new" / "here"
    stored_exports.push_file(at(place), sound, file_digest(sound))

    def refuse(path: Path) -> None:
        assert path.read_bytes() == sound.read_bytes()
        assert not out.exists()
        raise InputError("not this one")

    out.parent.mkdir()
    with pytest.raises(InputError, match="not this one"):
        stored_exports.pull_file(at(place), MARKER, out, refuse)
    assert list(out.parent.iterdir()) == []
    done = stored_exports.pull_file(at(place), MARKER, out, lambda path: None)
    assert (done.place, done.files, out.read_bytes()) == (str(out), 1, sound.read_bytes())
    assert list(out.parent.iterdir()) == [out]
