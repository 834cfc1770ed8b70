"""A clock that is set back, or ten years ahead, in the process of a real command."""

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from pathlib import Path

import pyrage
import pytest

from core.workflow import people
from core.workflow.check import review
from core.workflow.runs import runs
from core.workflow.splits import freeze
from core.workflow.verify.checks import verify
from core.workflow.workspace import Workspace
from tests.hostile.conftest import Attack
from tests.paths import ROOT
from tests.workspaces import (
    BENCHMARK,
    accept_all,
    all_events,
    make_task,
    new_workspace,
    write_items,
)

YEARS, YEAR = timedelta(days=3652), timedelta(days=365)
# the clock of the whole program is ``now`` of ``db.schema.column_types``, which asks ``datetime``
_PROGRAM = """
import datetime as real, sys
import db.schema.column_types
shift = real.timedelta(seconds=float(sys.argv.pop(1)))
class Shifted(real.datetime):
    @classmethod
    def now(cls, tz=None):
        return real.datetime.now(tz) + shift
db.schema.column_types.datetime = Shifted
from core.cli import main
sys.exit(main(sys.argv[1:]))
"""
_CLAIM = """
import datetime as real, sys
import db.schema.column_types
shift = real.timedelta(seconds=float(sys.argv[1]))
class Shifted(real.datetime):
    @classmethod
    def now(cls, tz=None):
        return real.datetime.now(tz) + shift
db.schema.column_types.datetime = Shifted
from core.workflow.check import review
from core.workflow.workspace import Workspace
ws = Workspace.open(sys.argv[2])
card = review.next_card(ws, sys.argv[3], sys.argv[4])
print(card.number if card else 0)
"""


def command(folder: Path, shift: timedelta, *words: str) -> dict[str, object]:
    """What a command prints whose clock is wrong."""
    argv = [sys.executable, "-c", _PROGRAM, str(shift.total_seconds()), "--workspace", str(folder)]
    done = subprocess.run([*argv, *words, "--json"], cwd=ROOT, capture_output=True, timeout=120)
    assert done.returncode == 0, done.stderr.decode()
    document: dict[str, object] = json.loads(done.stdout)
    return document


def claim(folder: Path, shift: timedelta, person: str) -> int:
    """The item that a person is given by a program whose clock is wrong."""
    argv = [sys.executable, "-c", _CLAIM, str(shift.total_seconds()), str(folder), person]
    done = subprocess.run([*argv, BENCHMARK], cwd=ROOT, capture_output=True, timeout=120)
    assert done.returncode == 0, done.stderr.decode()
    return int(done.stdout)


@pytest.fixture
def empty_ws(tmp_path: Path) -> Iterator[Workspace]:
    ws = new_workspace(tmp_path)
    yield ws
    ws.close()


def times(ws: Workspace) -> list[datetime]:
    with ws.reading() as session:
        return [datetime.fromisoformat(event.at) for event in all_events(session)]


def test_the_ledgers_time_never_goes_back(empty_ws: Workspace, attack: Callable[[str], Attack]):
    row = attack("a clock set back or ahead, ledger")
    folder = empty_ws.place.folder
    make_task(empty_ws)
    people.ensure_person(empty_ws, "boss", "lead")
    accept_all(empty_ws, write_items(empty_ws, 1), "li")
    for shift in (YEARS, timedelta(), -YEARS):
        command(folder, shift, "people", f"p{shift.days + 9999}")
    command(folder, YEARS, "freeze", "july", "--benchmark", BENCHMARK, "--reason", "a test")
    sealed = command(folder, -YEARS, "split", "seal", "july", "--user", "boss")
    moments = times(empty_ws)
    row.tried("" if moments == sorted(moments) else "an event is before the one before it")
    with empty_ws.reading() as session:
        steps = list(all_events(session))
    frozen = next(event for event in steps if event.subject == "july")
    seal = datetime.fromisoformat(str(sealed["sealed_at"]))
    row.tried("" if seal > datetime.fromisoformat(frozen.at) else "sealed before it was frozen")
    behind = [event.data["clock"] for event in steps if "clock" in event.data]
    wrong = [seconds for seconds in behind if not seconds < 0]
    row.tried("" if len(behind) >= 3 and not wrong else f"offsets: {behind}")
    expected = -2 * YEARS.total_seconds()
    row.tried("" if abs(behind[-1] - expected) < 600 else f"the last offset is {behind[-1]}")
    found = verify(empty_ws).findings
    row.tried("" if not found else str(found))
    assert freeze.info(empty_ws, "july").state == "sealed"


def test_a_claim_of_a_wrong_clock_does_not_last(
    empty_ws: Workspace, attack: Callable[[str], Attack]
):
    """Ten years ahead for a minute: the item is free again, and claims of now are not lost."""
    row = attack("a clock set back or ahead, claims")
    folder = empty_ws.place.folder
    make_task(empty_ws)
    (number,) = write_items(empty_ws, 1)
    row.tried("" if claim(folder, YEARS, "li") == number else "nothing was claimed")
    card = review.next_card(empty_ws, "wu", BENCHMARK)
    row.tried("" if card is not None and card.number == number else "claimed until 2036")
    row.tried("" if claim(folder, timedelta(seconds=-20), "zoe") == 0 else "given to two people")
    row.tried("" if claim(folder, timedelta(minutes=10), "zoe") == 0 else "given to two people")
    row.tried("" if claim(folder, timedelta(minutes=40), "zoe") == number else "never free")
    review.decide(empty_ws, "wu", number, "accept")
    row.tried("" if verify(empty_ws).sound else str(verify(empty_ws).findings))


@pytest.mark.parametrize("first", [-YEAR, YEAR])
def test_a_split_is_sealed_used_and_expires_by_clocks_a_year_off(
    empty_ws: Workspace, attack: Callable[[str], Attack], tmp_path: Path, first: timedelta
):
    """Each step by a clock that is off the other way than the one before."""
    row = attack(f"a clock {first.days} days off, the life of a split")
    folder, key = empty_ws.place.folder, tmp_path / "identity"
    make_task(empty_ws)
    people.ensure_person(empty_ws, "boss", "lead")
    accept_all(empty_ws, write_items(empty_ws, 3), "li")
    secret = pyrage.x25519.Identity.generate()
    key.write_text(str(secret))
    archive, score, anchors = (tmp_path / name for name in ("s.sealed", "score.json", "anchors"))
    boss, opens = ("--user", "boss"), ("--identity", str(key))
    command(folder, timedelta(), "freeze", "s", "--benchmark", BENCHMARK, "--reason", "a test")
    locked = command(folder, first, "seal", "s", "--out", str(archive), "--recipient",
                     str(secret.to_public()), *boss)  # fmt: skip
    row.tried("" if locked["encrypted"] else "the items are said to be plain")
    command(folder, -first, "anchor", "--to", str(anchors), *boss)
    command(folder, first, "split", "open", "s", "--reason", "July", *opens, *boss)
    command(folder, -first, "evaluate", "s", "--engine", "baseline:random", "--wait", *boss)
    (run,) = [run.id for run in runs.runs(empty_ws)]
    command(folder, first, "sign-score", run, "--out", str(score), *boss)
    command(folder, -first, "anchor", "--to", str(anchors), *boss)
    command(folder, first, "split", "expire", "s", *opens, *boss)
    for shift in (timedelta(), first, -first):
        command(folder, shift, "verify-score", str(score))
        command(folder, shift, "verify", "--archive", str(archive))
        command(folder, shift, "verify", "--anchors", str(anchors), *boss)
        for receipt in sorted(empty_ws.receipts.iterdir()):
            command(folder, shift, "verify", "--receipt", str(receipt), *boss)
    row.tried("" if len(list(empty_ws.receipts.iterdir())) >= 3 else "a receipt is missing")
    row.tried("" if len(freeze.members_of(empty_ws, "s")) == 3 else "the items are not back")
    row.tried("" if verify(empty_ws).sound else str(verify(empty_ws).findings))
