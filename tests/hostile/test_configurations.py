"""Malformed files of a person's own configuration, and of a workspace's launchers: defaults with a
line in the log, or one sentence; never a traceback."""

import io
import json
import os
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import pytest

from core.cli import main
from core.llm.keys import SERVERS_VARIABLE, servers_file
from core.settings import settings_path
from core.workflow.workspace import Workspace
from gui import preferences
from tests.hostile.conftest import Attack

Begin = Callable[[str], Attack]
DEEP = "[" * 100_000 + "]" * 100_000
HUGE = "9" * 4000
SERVER = {"name": "n", "origin": "https://a.example:443", "key": "none", "place": ""}

ANY_JSON: tuple[str | bytes, ...] = (
    "", " ", "\x00", b"\xff\xfe\x00\x00", DEEP, '{"a":' * 50_000, "[", "{", "nul", '"', "1", "true",
    "[1]", "[[]]", "[null]", '{"a": 1}', HUGE, f"[{HUGE}]", '"\\ud800"', "NaN", "[NaN]", "\ufeff[]",
    b"\x1f\x8b\x08\x00", "x" * (5 * 2**20), "[" + "{}," * 999 + "{}]", "{}{}",
)  # fmt: skip
SERVERS = (
    *ANY_JSON,
    *(json.dumps([{**SERVER, **odd}]) for odd in (
        {"origin": 7}, {"origin": ""}, {"origin": "x\ny"}, {"key": "password"}, {"key": None},
        {"place": ["a"]}, {"name": {"a": 1}}, {"more": 1}, {"name": "x" * 10**5},
    )),
)  # fmt: skip
PREFERENCES = (
    *ANY_JSON,
    *(json.dumps(odd) for odd in (
        {"language": 7}, {"theme": ["a"]}, {"person": [1]}, {"keys": {"a": "Ctrl+A"}},
        {"keys": {"a": [1]}}, {"recent": {"a": 1}}, {"columns": "x"}, {"size": [10**30, 1]},
        {"size": [-5, -5]}, {"size": "big"}, {"size": [1]}, {"benchmark": {"a": {}}},
    )),
)  # fmt: skip
LAUNCHERS = (
    "", "\x00", b"\xff\xfe", "x", "[", "[slurm", "[slurm.x]\nport = 99999", "slurm = 1",
    "slurm = [1]", "[[slurm]]", "[slurm]\nx = 1", "[slurm.x]\ngpus = -1", "[slurm.x]\ngpus = nan",
    "[slurm.x]\ntime = 5", f"[slurm.x]\ncpus = {HUGE}", "a = " + DEEP, "a." * 50_000 + "b = 1",
    "[slurm.x]\noptions = ['--wrap=x']", "[slurm.x]\nhost = '-oProxyCommand=x'",
    "[slurm.x]\nhost = 'h'", "[slurm.x.environment]\nA = 1", "[other]\n", "[slurm.x]\nwhat = 1",
    "[slurm.x]\npartition = \"a\\nb\"", "[slurm.x]\npython = 'a\x1b[2Jb'", "{" * 999,
)  # fmt: skip


def told(*arguments: str) -> str:
    """What got out of a command; empty for a result or one sentence."""
    out, errors = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(errors):
        try:
            code = main(list(arguments))
        except BaseException as error:
            return f"{type(error).__name__}: {error}"[:300]
    lines = errors.getvalue().strip().splitlines()
    control = any(mark in errors.getvalue() for mark in "\x00\x1b")
    if code not in (0, 1, 3) or (code and not lines) or len(lines) > 1 or control:
        return f"{code}, {errors.getvalue()[-300:]}"
    return ""


def written(path: Path, content: str | bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    data = content.encode("utf-8", "surrogatepass") if isinstance(content, str) else content
    path.write_bytes(data)


@pytest.mark.slow
def test_sixty_malformed_configurations_give_a_sentence_or_defaults(
    tmp_path: Path, attack: Begin, monkeypatch: pytest.MonkeyPatch
) -> None:
    servers = attack("malformed lists of allowed servers")
    for content in SERVERS:
        written(servers_file(), content)
        servers.tried(told("keys", "list"))
        servers.tried(told("keys", "remove", "x"))
    servers_file().unlink()
    for content in SERVERS:
        if isinstance(content, str) and "\x00" not in content and len(content) < 10**5:
            monkeypatch.setenv(SERVERS_VARIABLE, content)
            servers.tried(told("keys", "list"))
    monkeypatch.delenv(SERVERS_VARIABLE)
    launchers = attack("malformed launchers.toml")
    ws = Workspace.create(tmp_path / "ws")
    place = ws.place.folder
    ws.close()
    for content in LAUNCHERS:
        written(place / "launchers.toml", content)
        launchers.tried(told("engines", "--workspace", str(place)))
    remembered = attack("malformed preferences of the window")
    for content in PREFERENCES:
        written(settings_path(), content)
        try:
            loaded = preferences.load()
            remembered.tried("" if loaded.size[0] >= 100 else f"{content[:40]!r}")
        except Exception as error:
            remembered.tried(f"{content[:40]!r}: {error!r}"[:300])
    assert len(SERVERS) + len(LAUNCHERS) + len(PREFERENCES) >= 60


def test_configuration_that_is_a_pipe_or_a_folder_is_not_waited_for(
    tmp_path: Path, attack: Begin
) -> None:
    row = attack("pipes and folders in the place of configuration")
    ws = Workspace.create(tmp_path / "ws")
    place = ws.place.folder
    ws.close()
    for path, command in (
        (servers_file(), ("keys", "list")),
        (place / "launchers.toml", ("engines", "--workspace", str(place))),
    ):
        path.parent.mkdir(parents=True, exist_ok=True)
        os.mkfifo(path)
        row.tried(told(*command))
        path.unlink()
        path.mkdir()
        row.tried(told(*command))
    path = settings_path()
    os.mkfifo(path)
    row.tried("" if preferences.load() == preferences.Preferences() else "it was read")
