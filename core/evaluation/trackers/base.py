"""Experiment trackers: each is a script of its own, which gets a run as JSON."""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import NamedTuple

from core.errors import InputError, OutsideError
from core.own_process import is_frozen
from core.redaction import (
    guard_secret,
    names_secret_variable,
    one_line,
    secret_in_address,
    without_known_secrets,
)
from core.web_hosts import web_host
from resources import resource

_SECONDS = 300
_LONGEST_REASON = 300


@dataclass(frozen=True, slots=True)
class TrackedRun:
    """Everything about a run that is sent to a tracker.

    ``state`` is a run's (``finished``, ``running`` …), ``step`` the number of answers so far.
    ``figures`` are numbers: scores in 0…1 and counts. ``settings`` say how the model was asked,
    ``marks`` which split it was: its name, the digest of its manifest, the roots of its archives.
    """

    id: str
    project: str
    state: str
    step: int
    settings: dict[str, str | float | bool]
    figures: dict[str, float]
    marks: dict[str, str]


@dataclass(frozen=True, slots=True)
class Tracker:
    """An entry of the registry.

    ``script`` is a file in ``resources/trackers``: given a run as JSON on its input and a place as
    its argument, it puts the run there and prints where it is. It runs in a Python that has
    ``package`` (empty where it needs none), which need not be that of this program. Of variables
    with secrets it is given those whose names begin with one of ``variables``.
    """

    name: str
    title: str
    package: str
    script: str
    variables: tuple[str, ...] = ()


def place_of(where: str) -> tuple[str, str]:
    """A server's address or a folder as a script is given it, and what is recorded of it: the
    server's host, empty for a folder. InputError for an address with a key or without a host."""
    if "://" not in where:
        return str(Path(where).resolve()), ""
    if name := secret_in_address(where):
        raise InputError.tr(
            "The address of the tracker contains a password or key (“{name}”). Put it into the "
            "environment variable that the tracker reads.", name=name
        )  # fmt: skip
    host = web_host(where)
    if not host:
        raise InputError.tr("“{where}” is neither a folder nor the address of a server, such as "
                            "https://tracker.example.org.", where=where)  # fmt: skip
    return where, host


def require(tracker: Tracker, python: str = "") -> str:
    """The interpreter that is to run a tracker's script, once it has the tracker's package;
    ``python`` where it is named. OutsideError where it has not, or cannot be started."""
    interpreter = python or ("python3" if is_frozen() else sys.executable)
    if os.sep in interpreter:
        # as it is named: an environment's link to another interpreter is that environment
        interpreter = str(Path(interpreter).absolute())
    looked = "import sys, importlib.util; sys.exit(not importlib.util.find_spec(sys.argv[1]))"
    done = _run([interpreter, "-c", looked, tracker.package or "json"], tracker)
    if done.code:
        raise OutsideError.tr(
            "{tracker} needs the package {package} in {python}. Install it there, or name a "
            "Python that has it with {option}.", tracker=tracker.title,
            package=tracker.package, python=interpreter, option="--python"
        )  # fmt: skip
    return interpreter


def send(tracker: Tracker, run: TrackedRun, place: str, interpreter: str) -> str:
    """Put a run into a tracker; returns what the tracker says of where it is.

    ``place`` is from ``place_of``, ``interpreter`` from ``require``. OutsideError where the tracker
    fails or takes more than five minutes.
    """
    command = [interpreter, str(resource("trackers", tracker.script)), place]
    done = _run(command, tracker, json.dumps(asdict(run)).encode())
    if done.code:
        raise OutsideError.tr(
            "{tracker} did not take the run: {reason}", tracker=tracker.title,
            reason=one_line(without_known_secrets(_last(done.errors)))[:_LONGEST_REASON]
        )  # fmt: skip
    return one_line(_last(done.output))


class _Done(NamedTuple):
    """How a script ended: its code, 0 where it went well, and what it wrote."""

    code: int
    output: str
    errors: str


def _run(command: Sequence[str], tracker: Tracker, given: bytes = b"") -> _Done:
    with tempfile.TemporaryDirectory() as scratch:
        # files, not pipes: what a tracker leaves behind would hold a pipe open
        said, failed = Path(scratch, "said"), Path(scratch, "failed")
        with said.open("wb") as out, failed.open("wb") as errors:
            try:
                done = subprocess.run(
                    command, input=given, stdout=out, stderr=errors, cwd=scratch,
                    env=_environment(tracker), timeout=_SECONDS, check=False,
                )  # fmt: skip
            except OSError as error:
                raise OutsideError.tr(
                    "“{python}” could not be started: {reason}.", python=command[0],
                    reason=error.strerror or error
                ) from error  # fmt: skip
            except subprocess.TimeoutExpired as error:
                raise OutsideError.tr(
                    "{tracker} did not answer within five minutes.", tracker=tracker.title
                ) from error
        texts = (path.read_text("utf-8", "replace") for path in (said, failed))
        return _Done(done.returncode, *texts)


def _last(text: str) -> str:
    return next((line for line in reversed(text.split("\n")) if line.strip()), "").strip()


def _environment(tracker: Tracker) -> dict[str, str]:
    """This process's, without the secrets that are not the tracker's own and without reports to
    the tracker's makers."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if name.startswith(tracker.variables)
        or not (name.startswith("BENCHSEAL_") or names_secret_variable(name))
    }
    for name, value in kept.items():
        if names_secret_variable(name):
            guard_secret(value)
    return kept | {"DO_NOT_TRACK": "true", "PYTHONIOENCODING": "utf-8"}
