"""Keys belong to servers that a person allowed; nobody else is sent one, or anything at all."""

import json
from collections.abc import Iterator

import keyring
import pytest
from keyring.backend import KeyringBackend

from core.errors import InputError, NotFoundError
from core.llm.keys import (
    SERVERS_VARIABLE,
    NamedServer,
    allow_server,
    allowed_servers,
    consent,
    find_key,
    for_jobs,
    forget_server,
    key_once_allowed,
    remember_named,
    servers_file,
    variable_of,
)
from core.llm.types import ModelServer

HOST = "https://models.example/v1"
OTHER = "https://other.example/v1"


def server(url: str) -> ModelServer:
    return ModelServer(url, "m")


ENTRIES = {HOST: "by-address", "https://other.example:443": "by-origin", "default": "common"}


class Ring(KeyringBackend):
    """A keyring of a few entries."""

    priority = 1  # type: ignore[assignment]  # a property in the base

    def get_password(self, service: str, username: str) -> str | None:
        return ENTRIES.get(username) if service == "benchseal" else None

    def set_password(self, service: str, username: str, password: str) -> None: ...

    def delete_password(self, service: str, username: str) -> None: ...


@pytest.fixture
def ring() -> Iterator[None]:
    before = keyring.get_keyring()
    keyring.set_keyring(Ring())
    yield
    keyring.set_keyring(before)


@pytest.mark.parametrize("variable", ["BENCHSEAL_API_KEY", "OPENAI_API_KEY", "AWS_SECRET"])
def test_a_server_that_nobody_allowed_gets_no_key_and_no_request(
    variable: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, "a-key-of-the-person")
    with pytest.raises(InputError, match=r"benchseal keys add https://evil\.example/v1") as refused:
        find_key(server("https://evil.example/v1"))
    assert "a-key-of-the-person" not in str(refused.value)


def test_a_server_of_this_machine_is_asked_without_set_up_and_without_a_key(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("BENCHSEAL_API_KEY", "a-key-of-the-person")
    for host in ("localhost", "127.0.0.1", "127.0.0.9", "[::1]"):
        assert find_key(server(f"http://{host}:8000")) == ""


@pytest.mark.parametrize("url", [
    "http://models.example/v1", "https://models.example:8443/v1", "https://models.example.evil.net",
    "https://evil.net/models.example", "https://models-example.net", "https://xmodels.example",
])  # fmt: skip
def test_a_key_belongs_to_scheme_host_and_port(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", "the-key")
    allow_server(HOST, variable="MY_KEY")
    assert find_key(server("https://MODELS.example:443/other/path")) == "the-key"
    with pytest.raises(InputError, match="have not allowed"):
        find_key(server(url))


def test_whoever_orders_something_of_a_server_allows_it_and_the_general_key_is_the_firsts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("BENCHSEAL_API_KEY", "general")
    assert key_once_allowed(server(HOST)) == "general"
    told: list[str] = []
    news = NamedServer("https://news.example", keyless=True)
    with consent(news, NamedServer(HOST), NamedServer(OTHER), NamedServer(""), tell=told.append):
        assert allowed_servers() == ()
        assert find_key(server(HOST)) == "general"
        assert [known.origin for known in allowed_servers()] == ["https://models.example:443"]
        assert find_key(server(OTHER)) == ""
        remember_named()
    assert "BENCHSEAL_API_KEY belongs to https://models.example:443" in told[0]
    assert ["without a key" in sentence for sentence in told] == [False, True, True]
    assert (find_key(server(HOST)), find_key(server(OTHER))) == ("general", "")
    with consent(NamedServer(HOST), NamedServer("http://127.0.0.1:8000"), tell=told.append):
        remember_named()
    assert (len(told), len(allowed_servers())) == (3, 3)


def test_what_was_ordered_of_a_server_and_refused_leaves_it_unknown() -> None:
    with pytest.raises(NotFoundError), consent(NamedServer(HOST)):
        raise NotFoundError("no such split")
    remember_named()
    with pytest.raises(InputError, match="have not allowed"):
        find_key(server(HOST))


def test_a_named_variable_replaces_what_was_known_of_the_server(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("MY_KEY", "mine")
    allow_server(HOST)
    assert find_key(server(HOST)) == ""
    with consent(NamedServer(HOST, "MY_KEY")):
        assert find_key(server(HOST)) == "mine"
    assert find_key(server(HOST)) == "mine"
    assert variable_of(HOST) == "MY_KEY"
    with (
        pytest.raises(InputError, match="store the key itself"),
        consent(NamedServer(HOST, "sk-abcdefghijklmnopqrstu")),
    ):
        pass


def test_openais_key_goes_to_openai_or_where_its_own_variable_says(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "openais")
    assert find_key(server("https://api.openai.com/v1")) == "openais"
    with pytest.raises(InputError):
        find_key(server("http://api.openai.com/v1"))
    monkeypatch.setenv("OPENAI_BASE_URL", "https://models.example/openai/v1")
    assert find_key(server(HOST)) == "openais"
    with pytest.raises(InputError):
        find_key(server("https://api.openai.com/v1"))


@pytest.mark.usefixtures("ring")
def test_the_keyring_is_asked_by_address_and_by_origin_and_never_for_a_stranger() -> None:
    assert find_key(server(HOST)) == "by-address"
    with pytest.raises(InputError):
        find_key(server("https://evil.example"))
    allow_server(OTHER)
    assert find_key(server(OTHER)) == "by-origin"
    allow_server("https://third.example", keyring_user="default")
    assert find_key(server("https://third.example")) == "common"


def test_a_job_elsewhere_is_told_of_its_servers_and_of_no_key(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("MY_KEY", "mine")
    allow_server(HOST, variable="MY_KEY")
    allow_server(OTHER)
    told = for_jobs([HOST, "http://localhost:1", "https://never.example"])
    assert "mine" not in told[SERVERS_VARIABLE]
    assert [one["origin"] for one in json.loads(told[SERVERS_VARIABLE])] == [
        "https://models.example:443"
    ]
    servers_file().unlink()
    monkeypatch.setenv(SERVERS_VARIABLE, told[SERVERS_VARIABLE])
    assert find_key(server(HOST)) == "mine"
    with pytest.raises(InputError):
        find_key(server(OTHER))


def test_a_server_is_taken_off_the_list_by_name_or_address() -> None:
    allow_server(HOST, name="big")
    allow_server(OTHER)
    assert forget_server("big").origin == "https://models.example:443"
    forget_server(OTHER)
    assert allowed_servers() == ()
    with pytest.raises(NotFoundError, match="no allowed server"):
        forget_server("big")


def test_the_list_holds_no_key_and_is_nobody_elses_to_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("MY_KEY", "the-key-itself")
    allow_server(HOST, variable="MY_KEY")
    assert b"the-key-itself" not in servers_file().read_bytes()
    assert servers_file().parent.stat().st_mode & 0o077 == 0
