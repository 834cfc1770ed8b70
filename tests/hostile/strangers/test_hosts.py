"""Addresses whose host two programs could take for two hosts, and hosts that look like this
machine: neither a text nor a key goes there unasked."""

from collections.abc import Callable

import pytest

from core.bounded_http import origin_of
from core.errors import InputError
from core.llm.keys import find_key
from core.llm.types import ModelServer
from core.sources.news.gdelt_doc import GdeltDoc
from tests.hostile.conftest import Attack

Begin = Callable[[str], Attack]
ELSEWHERE = (
    "127.0.0.1.evil.example", "127.evil.example", "127.1.evil.example", "localhost.evil.example",
    "127.1", "0", "0x7f000001", "2130706433", "LOCALHOST.", "[::ffff:127.0.0.1]",
)  # fmt: skip
"""Names that begin like this machine, or that only some programs take for it."""
UNCLEAR = (
    "127.0.0.1@evil.example", "evil.example\\@127.0.0.1", "evil.example%2f@127.0.0.1",
    "[::1%25eth0]:80", "[::1]evil.example", "①②⑦.0.0.1", "ⓛocalhost", "localhost\t.evil.example",
    "local\nhost", "127.0.0.1%2eevil.example", "127.0.0.1 .evil.example", "evil:80\\.localhost",
    "loc%61lhost", "localhost;evil.example", "a:b@localhost:80:90", "localhost#@evil.example",
    "localhost?@evil.example", "localhost:99999", "",
)  # fmt: skip


def test_a_host_that_looks_like_this_machine_is_not_asked_unallowed(attack: Begin) -> None:
    row = attack("hosts that look like this machine")
    for host in ELSEWHERE:
        server = ModelServer(f"http://{host}/v1", "m")
        row.tried(f"{host} counts as this machine" if server.on_loopback else "")
        with pytest.raises(InputError, match="Nothing was sent"):
            find_key(server)
        row.tried()


def test_a_host_of_two_readings_is_no_address(attack: Begin) -> None:
    row = attack("hosts that two programs read as two")
    for host in UNCLEAR:
        for make in (lambda url: ModelServer(url, "m"), GdeltDoc):
            try:
                make(f"http://{host}/v1")
                # what is after ? or # is none of the host, and both readers agree
                row.tried("" if host[9:10] in ("#", "?") else f"{host!r} was taken")
            except InputError as error:
                row.tried("" if len(str(error).splitlines()) == 1 else repr(str(error)))


@pytest.mark.parametrize(
    "host", ["localhost", "127.0.0.1", "127.8.9.1:80", "[::1]:8000", "LOCALHOST"]
)
def test_this_machine_is_asked_without_a_word(host: str) -> None:
    server = ModelServer(f"http://{host}/v1", "m")
    assert server.on_loopback
    assert find_key(server) == ""


@pytest.mark.parametrize("host", ["models.example.org", "müller.example", "10.0.0.3:8000"])
def test_other_hosts_stay_usable(host: str) -> None:
    server = ModelServer(f"https://{host}/v1", "m")
    assert not server.on_loopback
    assert origin_of(server.base_url).startswith("https://")
