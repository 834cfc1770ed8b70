"""Time stamps by an RFC 3161 server: what OpenSSL signs is taken, and nothing else."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from core.errors import InputError, OutsideError
from core.sealing import time_stamps
from tests.servers.time_stamp_server import TimeStampServer, time_stamp_server

CONTENT = b"what was there"


@pytest.fixture
def server(tmp_path: Path) -> Iterator[TimeStampServer]:
    (tmp_path / "tsa").mkdir()
    with time_stamp_server(tmp_path / "tsa") as running:
        yield running


def test_a_stamp_says_when_and_is_checked_by_its_root(server: TimeStampServer):
    before = datetime.now(UTC) - timedelta(seconds=2)
    stamp = time_stamps.stamp(CONTENT, server.url)
    at = time_stamps.checked(stamp, CONTENT, server.roots)
    assert before <= at <= datetime.now(UTC) + timedelta(seconds=2)
    assert time_stamps.checked(stamp, CONTENT, None) == at
    assert b"what was" not in stamp


def test_a_stamp_of_something_else_or_by_somebody_else_is_none(server: TimeStampServer, tmp_path):
    stamp = time_stamps.stamp(CONTENT, server.url)
    with pytest.raises(ValueError, match="another content"):
        time_stamps.checked(stamp, b"another", server.roots)
    (tmp_path / "other").mkdir()
    with time_stamp_server(tmp_path / "other") as other, pytest.raises(ValueError):
        time_stamps.checked(stamp, CONTENT, other.roots)
    spoilt = bytearray(stamp)
    spoilt[-20] ^= 1
    with pytest.raises(ValueError):
        time_stamps.checked(bytes(spoilt), CONTENT, server.roots)
    with pytest.raises(InputError, match="no readable certificates"):
        time_stamps.checked(stamp, CONTENT, tmp_path / "nowhere.pem")


def test_a_server_that_stamps_something_else_or_does_not_answer_is_refused(server: TimeStampServer):
    time_stamps.stamp(CONTENT, server.url)
    server.faulty = True
    with pytest.raises(OutsideError, match="another request"):
        time_stamps.stamp(CONTENT, server.url)
    for address in ("http://127.0.0.1:9", "no address"):
        with pytest.raises(OutsideError, match="did not stamp"):
            time_stamps.stamp(CONTENT, address)
