"""A small team on a server that is stopped, with workstations that are killed and an import
meanwhile: the benchmark's show, with everything in it once."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.benchmarks.bench_team_troubles import SAFE, TroubleShow, run
from tests.hostile.conftest import Attack
from tests.postgres import own_server

pytestmark = pytest.mark.slow


def test_every_acknowledged_decision_is_there_once_after_all_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, attack: Callable[[str], Attack]
) -> None:
    row = attack("PostgreSQL: a team through stops, deaths and an import")
    monkeypatch.setenv("BENCHSEAL_FOLDER", str(tmp_path / "folder"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    with own_server(SAFE) as server:
        found = run(server, tmp_path, TroubleShow(4, 40, stops=2, kills=2, rows=50))
    row.tried("; ".join(found.faults))
    row.note = f"{found.acknowledged} acknowledged, {found.kept} first by the journal"
