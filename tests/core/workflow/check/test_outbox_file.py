"""The journal of what could not be sent: private, encrypted where it can be, never half read."""

import stat

import keyring
import pytest
from keyring.backend import KeyringBackend

from core.workflow.check import outbox_file
from core.workflow.check.outbox_file import OutboxFile, journal_key
from tests.tampering import base64_respelled

KEY = bytes(range(32))


class MemoryKeyring(KeyringBackend):
    """A keyring that lasts as long as the test."""

    priority = 1  # type: ignore[assignment]  # a property of the class there

    def __init__(self) -> None:
        super().__init__()
        self.kept: dict[tuple[str, str], str] = {}

    def get_password(self, service, username):
        return self.kept.get((service, username))

    def set_password(self, service, username, password):
        self.kept[service, username] = password


@pytest.fixture(autouse=True)
def _no_key_known():
    journal_key.cache_clear()
    yield
    journal_key.cache_clear()


@pytest.mark.parametrize("key", [KEY, None], ids=["encrypted", "plain"])
def test_what_was_added_is_there_in_its_order_and_private(tmp_path, key):
    journal = OutboxFile(tmp_path / "deep" / "box.jsonl", key)
    with journal.held():
        journal.add({"note": "ambiguous 题目"})
        journal.add({"note": "second"})
        journal.sync()
    with OutboxFile(journal.path, key).held():
        found, unread = journal.records()
    assert [record["note"] for record in found] == ["ambiguous 题目", "second"]
    assert unread == 0
    assert stat.S_IMODE(journal.path.stat().st_mode) == 0o600
    assert stat.S_IMODE(journal.path.parent.stat().st_mode) == 0o700
    assert (b"second" in journal.path.read_bytes()) == (key is None)


def test_a_line_that_was_left_half_written_spoils_no_other(tmp_path):
    journal = OutboxFile(tmp_path / "box.jsonl", None)
    with journal.held():
        journal.add({"n": 1})
        whole = journal.path.read_bytes()
        for cut in range(1, len(whole)):
            journal.path.write_bytes(whole + whole[:cut])
            journal.add({"n": 2})
            assert [r["n"] for r in journal.records()[0] if r.get("n") == 2] == [2]
            assert journal.records()[0][0] == {"n": 1}


def test_a_line_of_another_key_or_file_is_counted_and_never_taken_for_ours(tmp_path):
    journal = OutboxFile(tmp_path / "box.jsonl", KEY)
    with journal.held():
        journal.add({"n": 1})
    moved = OutboxFile(tmp_path / "other.jsonl", KEY)
    moved.path.write_bytes(journal.path.read_bytes())
    assert moved.records() == ([], 1)
    assert OutboxFile(journal.path, KEY[::-1]).records() == ([], 1)
    assert OutboxFile(journal.path, None).records() == ([], 1)


def test_a_line_has_one_spelling(tmp_path):
    journal = OutboxFile(tmp_path / "box.jsonl", KEY)
    for padding in range(3):
        journal.path.unlink(missing_ok=True)
        with journal.held():
            journal.add({"text": "x" * padding})
        line = journal.path.read_text(encoding="ascii").rstrip("\n")
        for other in base64_respelled(line):
            journal.path.write_text(other + "\n", encoding="ascii")
            assert journal.records() == ([], 1)


@pytest.fixture
def own():
    """A keyring of this test alone."""
    before = keyring.get_keyring()
    keyring.set_keyring(MemoryKeyring())
    yield keyring.get_keyring()
    keyring.set_keyring(before)


def test_the_key_is_made_once_and_kept_by_the_keyring(own):
    first = journal_key()
    journal_key.cache_clear()
    assert first is not None
    assert len(first) == 32
    assert journal_key() == first
    assert len(own.kept) == 1


def test_without_a_keyring_there_is_no_key():
    assert outbox_file.journal_key() is None
