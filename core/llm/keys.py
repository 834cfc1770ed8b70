"""Which servers this person allowed, and the key that belongs to each.

A run may come from anybody, so nothing in it says where a key is or whose server may have one.
That stands in ``servers.json`` of the person's own configuration: a server is an origin (scheme,
host and port), and its key is named there, never kept there. A server on this machine needs no
entry to be asked without a key. ``BENCHSEAL_SERVERS`` holds further entries, for jobs on clusters.
"""

import fcntl
import json
import os
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, TypeAdapter

from core import system_keyring
from core.bounded_json import parse_json
from core.errors import InputError, NotFoundError
from core.files import write_json
from core.i18n import listed, tr
from core.llm.types import ModelServer
from core.redaction import (
    HIDDEN,
    guard_secret,
    one_line,
    redacted_url,
    refuse_stored_key,
    without_known_secrets,
    without_secret,
)

KEY_VARIABLES = ("BENCHSEAL_API_KEY", "OPENAI_API_KEY")
SERVERS_VARIABLE = "BENCHSEAL_SERVERS"
_OPENAI = "https://api.openai.com/v1"
_MOST_BYTES = 2**20
_LOOKS_LIKE_KEY = re.compile(r"\b(?:sk|pk|hf|gsk|xai)[-_][A-Za-z0-9_\-*]{8,}|(?i:bearer\s+)\S{8,}")

_Named = tuple["AllowedServer", Callable[[str], None]]
_named: ContextVar[list[_Named]] = ContextVar("named servers")

_Text = Annotated[str, StringConstraints(min_length=1, max_length=500, pattern=r"^[^\x00-\x1f]*$")]


class AllowedServer(BaseModel):
    """A server that this person allowed, by its origin (``https://host:443``).

    ``key`` says where its key is: ``variable`` (of the environment, called ``place``), ``keyring``
    (there kept for the user ``place``), or ``none``.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: _Text
    origin: _Text
    key: Literal["none", "variable", "keyring"] = "none"
    place: Annotated[str, Field(max_length=500)] = ""


_SERVERS = TypeAdapter(tuple[AllowedServer, ...])


@dataclass(frozen=True, slots=True)
class ServerKey:
    """An allowed server as people see it: where its key is, and whether there is one now."""

    server: AllowedServer
    has_key: bool


def servers_file() -> Path:
    """Where the allowed servers of this person stand."""
    from platformdirs import user_config_path

    return user_config_path("benchseal") / "servers.json"


def origin_of_server(base_url: str) -> str:
    """The origin of a server's address; InputError for an unusable one."""
    from core.bounded_http import origin_of

    return origin_of(ModelServer(base_url, "-").base_url)


# -- what is allowed --------------------------------------------------------------------------


def allowed_servers() -> tuple[AllowedServer, ...]:
    """Every allowed server; InputError where the list is damaged."""
    return (*_in_file(), *_in_variable())


def _allowed_now() -> tuple[AllowedServer, ...]:
    """Those, and before them what was named with the order that is carried out."""
    return (*(entry for entry, _ in _named.get([])), *allowed_servers())


def server_keys() -> list[ServerKey]:
    """Every allowed server, and whether its key can be had now."""
    return [ServerKey(server, bool(_key_of(server, ""))) for server in allowed_servers()]


def allow_server(
    base_url: str, *, variable: str = "", keyring_user: str = "", name: str = ""
) -> AllowedServer:
    """Allow a server, with the variable or the keyring's user that its key is under; without
    either, no key is sent. An entry of the same origin is replaced.

    Raises InputError for an unusable address, or a key in the place of a variable's name.
    """
    added = _entry(base_url, variable=variable, keyring_user=keyring_user, name=name)
    _remember(added)
    return added


def _entry(
    base_url: str, *, variable: str = "", keyring_user: str = "", name: str = ""
) -> AllowedServer:
    refuse_stored_key(base_url, variable)
    origin = origin_of_server(base_url)
    kind: Literal["none", "variable", "keyring"] = "none"
    if variable or keyring_user:
        kind = "variable" if variable else "keyring"
    place = variable or keyring_user
    return AllowedServer(name=name or origin.split("//")[1], origin=origin, key=kind, place=place)


def _remember(added: AllowedServer) -> None:
    with _changing():
        known = _in_file()
        others = [one for one in known if added.origin != one.origin and added.name != one.name]
        _write([*others, added])


def allow_with_key(base_url: str, key: str, name: str = "") -> AllowedServer:
    """Allow a server and put its key into the keyring of the system; an empty key: none is sent.

    Raises InputError for an unusable address, OutsideError where there is no keyring.
    """
    user = origin_of_server(base_url) if key.strip() else ""
    if user:
        keep_key(user, key)
    return allow_server(base_url, keyring_user=user, name=name)


def keep_key(user: str, key: str) -> None:
    """Put a key into the keyring of the system; OutsideError where there is none."""
    system_keyring.keep(user, key.strip())


def forget_server(name: str) -> AllowedServer:
    """Take a server off the list, by its name or address; NotFoundError where it is not on it."""
    with _changing():
        known = _in_file()
        try:
            origin = origin_of_server(name)
        except InputError:
            origin = ""
        for server in known:
            if name == server.name or origin == server.origin:
                _write(one for one in known if one != server)
                return server
    names = listed(server.name for server in known)
    raise NotFoundError(
        tr("There is no allowed server “{name}”. Available: {known}.", name=name, known=names)
        if names
        else tr("There is no allowed server “{name}”; no server is allowed yet.", name=name)
    )


@dataclass(frozen=True, slots=True)
class NamedServer:
    """A server whose address this person has just given, with the variable of its key.

    Without a variable the key in ``BENCHSEAL_API_KEY`` belongs to the first server of another
    machine that is named while it is set; ``keyless`` servers are never sent one.
    """

    base_url: str
    variable: str = ""
    keyless: bool = False


@contextmanager
def consent(*servers: NamedServer, tell: Callable[[str], None] = lambda _: None) -> Iterator[None]:
    """What this person orders of servers that they name with the order; no address names none.

    Each that is not allowed yet is allowed inside, and remembered, with a sentence to ``tell``,
    once it is asked or workers start (``remember_named``), so not for an order that is refused
    before. To be used where a person gave the address, never where a run, a workspace or a server
    did.
    """
    named: list[_Named] = []
    token = _named.set(named)
    try:
        for server in servers:
            if server.base_url and (entry := _new_entry(server)) is not None:
                named.append((entry, tell))
        yield
    finally:
        _named.reset(token)


def remember_named(origin: str = "") -> None:
    """Allow what was named with the order that is carried out now, or of it only this origin."""
    named = _named.get([])
    for entry, tell in [one for one in named if origin in ("", one[0].origin)]:
        named.remove((entry, tell))
        _remember(entry)
        tell(_remembered(entry))


def _new_entry(named: NamedServer) -> AllowedServer | None:
    """What there is to remember of a server that was named; None where that is known already."""
    server = ModelServer(named.base_url, "-")
    known = _entry_for(server)
    if known is not None and (named.keyless or named.variable in ("", known.place)):
        return None
    if not named.variable and server.on_loopback:
        return None
    place = named.variable or ("" if named.keyless else _unbound_variable(server))
    return _entry(named.base_url, variable=place)


def _remembered(entry: AllowedServer) -> str:
    if entry.key == "none":
        return tr("Remembered that {origin} may be asked, without a key.", origin=entry.origin)
    return tr(
        "Remembered that the key in {variable} belongs to {origin}.",
        variable=entry.place,
        origin=entry.origin,
    )


def key_once_allowed(server: ModelServer, variable: str = "") -> str:
    """The key that the server would be sent if this person named it now; see ``NamedServer``."""
    entry = _entry_for(server)
    if entry is None or variable not in ("", entry.place):
        variable = variable or _unbound_variable(server)
        entry = AllowedServer(
            name="-",
            origin=origin_of_server(server.base_url),
            key="variable" if variable else "none",
            place=variable,
        )
    return _key_of(entry, server.base_url)


def _unbound_variable(server: ModelServer) -> str:
    """The general variable, where it holds a key that belongs to no other server yet."""
    general = KEY_VARIABLES[0]
    if server.on_loopback or not os.environ.get(general, "").strip():
        return ""
    return "" if any(one.place == general for one in _allowed_now()) else general


def variable_of(base_url: str) -> str:
    """The variable of a server's key; empty where it has none, or its address is unusable."""
    try:
        known = _entry_for(ModelServer(base_url, "-"))
    except InputError:
        return ""
    return known.place if known is not None and known.key == "variable" else ""


def for_jobs(base_urls: Iterable[str]) -> dict[str, str]:
    """The variables that tell a job on another machine which of these servers are allowed."""
    entries = (_entry_for(ModelServer(url, "-")) for url in base_urls)
    known = {entry.origin: entry.model_dump() for entry in entries if entry is not None}
    text = json.dumps(list(known.values()), ensure_ascii=False)
    return {SERVERS_VARIABLE: text} if known else {}


# -- keys -------------------------------------------------------------------------------------


def require_allowed(base_url: str) -> None:
    """InputError for a server that this person did not allow, as for a model server."""
    find_key(ModelServer(base_url, "-"))


def find_key(server: ModelServer) -> str:
    """The key for a server that is about to be asked; empty for one that needs none.

    Raises InputError for a server that this person did not allow, and for an unusable key.
    """
    entry = _entry_for(server)
    key = _key_of(entry, server.base_url) if entry else _from_keyring(server.base_url)
    if entry is None and not key and not server.on_loopback:
        raise InputError.tr(
            "Nothing was sent: you have not allowed the server {origin}. If it may see these "
            "items, allow it with “benchseal keys add {url}”.",
            origin=origin_of_server(server.base_url),
            url=redacted_url(server.base_url),
        )
    guard_secret(key)
    if entry is not None:
        remember_named(entry.origin)
    return key


def redact(text: str, *keys: str) -> str:
    """``text`` without the given keys, without those of this process and of the environment, and
    without anything that looks like one (``sk-…``, ``Bearer …``)."""
    known = [*keys, *(os.environ.get(name, "").strip() for name in KEY_VARIABLES)]
    for key in known:
        if len(key) >= 4:
            text = without_secret(text, key)
    return _LOOKS_LIKE_KEY.sub(HIDDEN, without_known_secrets(text))


def _entry_for(server: ModelServer) -> AllowedServer | None:
    """The entry of a server. Those that the person's environment names are there of themselves:
    that of ``BENCHSEAL_EMBEDDINGS_URL``, and OpenAI's or that of ``OPENAI_BASE_URL`` while the key
    meant for it is set."""
    origin = origin_of_server(server.base_url)
    for entry in _allowed_now():
        if entry.origin == origin:
            return entry
    openais = KEY_VARIABLES[1]
    if os.environ.get(openais, "").strip():
        usual = os.environ.get("OPENAI_BASE_URL", "").strip() or _OPENAI
        if origin == origin_of_server(usual):
            return AllowedServer(name="openai", origin=origin, key="variable", place=openais)
    embeddings = os.environ.get("BENCHSEAL_EMBEDDINGS_URL", "").strip()
    if embeddings and not server.on_loopback and origin == origin_of_server(embeddings):
        place = _unbound_variable(server)
        kind: Literal["none", "variable"] = "variable" if place else "none"
        return AllowedServer(name="embeddings", origin=origin, key=kind, place=place)
    return None


def _key_of(entry: AllowedServer, base_url: str) -> str:
    if entry.key == "variable":
        return _usable(os.environ.get(entry.place, "").strip(), entry.place)
    users = (entry.place,) if entry.key == "keyring" else (base_url, entry.origin)
    return _from_keyring(*users)


def _usable(key: str, origin: str) -> str:
    if not (key.isascii() and (key.isprintable() or not key)):
        raise InputError.tr(
            "The key from {origin} contains characters that are not allowed in a key. "
            "Set it again.",
            origin=origin,
        )
    return key


def _from_keyring(*users: str) -> str:
    found = filter(None, map(system_keyring.kept, filter(None, users)))
    return _usable(next(found, "").strip(), "keyring")


# -- the list ---------------------------------------------------------------------------------


def _in_file() -> tuple[AllowedServer, ...]:
    path = servers_file()
    if not path.exists():
        return ()
    if path.is_file():
        with path.open("rb") as handle:
            content = handle.read(_MOST_BYTES + 1)
        if len(content) <= _MOST_BYTES and (known := _read(content)) is not None:
            return known
    raise InputError.tr(
        "The list of allowed servers in “{path}” is damaged. Correct it, or remove it and add "
        "the servers again with “benchseal keys add”.", path=path
    )  # fmt: skip


def _in_variable() -> tuple[AllowedServer, ...]:
    text = os.environ.get(SERVERS_VARIABLE, "")
    known = _read(text.encode("utf-8", "replace")) if text else ()
    if known is None:
        raise InputError.tr("The environment variable {name} is damaged.", name=SERVERS_VARIABLE)
    return known


def _read(content: bytes) -> tuple[AllowedServer, ...] | None:
    try:
        return _SERVERS.validate_python(parse_json(content))
    except ValueError:
        return None


def _write(servers: Iterable[AllowedServer]) -> None:
    write_json(servers_file(), [server.model_dump() for server in servers], durable=True)


@contextmanager
def _changing() -> Iterator[None]:
    """The list of keys, locked for one process at a time and readable by its owner alone."""
    folder = servers_file().parent
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    with (folder / "servers.lock").open("a", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def shown_place(server: AllowedServer) -> str:
    """Where a server's key is, as people read it."""
    if server.key == "none":
        return tr("no key")
    if server.key == "variable":
        return tr("variable {name}", name=one_line(server.place))
    return tr("keyring, {name}", name=one_line(server.place))
