"""Objects below an address: what is no such address, what is missing, and what a storage says."""

import sys
from pathlib import Path

import pytest

from core.errors import InputError, NotFoundError, OutsideError
from core.jobs.object_store import ObjectStore
from tests.servers.object_storage import have_fsspec


@pytest.mark.parametrize(("address", "package"), [("s3://b/p", "s3fs"), ("file:///p", "fsspec")])
def test_without_the_package_one_sentence_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, address: str, package: str
) -> None:
    monkeypatch.setitem(sys.modules, "fsspec", None)
    with pytest.raises(OutsideError, match=f"{address}” needs {package}. Install the package"):
        ObjectStore(address)


def test_the_program_in_one_folder_says_that_it_cannot(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    with pytest.raises(OutsideError, match=r"s3fs, which is not in this program.*with pip"):
        ObjectStore("s3://b/p")


@pytest.mark.parametrize(
    "address", ["runs", "/runs", "s3://", "", "zip://a::s3://b/c", "s3://b/\x1b[31m"]
)
def test_what_is_no_address_is_refused(address: str) -> None:
    with pytest.raises(InputError, match="is no address of a storage"):
        ObjectStore(address)


@pytest.mark.parametrize("address", ["s3://key:word@b/p", "s3://b/p?secret=word", "sftp://u@b/p"])
def test_an_address_with_a_password_is_refused_and_not_repeated(address: str) -> None:
    with pytest.raises(InputError, match="no user, password or key") as refused:
        ObjectStore(address)
    assert "word" not in str(refused.value).replace("password", "")


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["memory", "file"])
def test_objects_are_written_read_listed_and_replaced(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, kind: str
) -> None:
    have_fsspec(monkeypatch)
    store = ObjectStore(f"{kind}://{tmp_path}/place/")
    assert store.host == ""
    assert store.names("a") == []
    assert store.size("a/b") is None
    with pytest.raises(NotFoundError, match=f"{tmp_path}/place/a/b"):
        store.read("a/b", 10)
    store.write("a/b", "一".encode())
    store.write("a/c", b"")
    store.write("a/b", b"other")
    assert store.names("a") == ["b", "c"]
    assert (store.size("a/b"), store.size("a/c")) == (5, 0)
    assert store.read("a/b", 10) == b"other"
    assert store.read("a/b", 3) == b"othe"


@pytest.mark.slow
def test_what_a_storage_refuses_is_one_line(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    have_fsspec(monkeypatch)
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(OutsideError, match="did not do as asked") as refused:
        ObjectStore(f"file://{tmp_path}/file").write("a/b", b"x")
    assert "\n" not in str(refused.value)
    with pytest.raises(InputError, match="is no address"):
        ObjectStore("nosuch://b/p")
