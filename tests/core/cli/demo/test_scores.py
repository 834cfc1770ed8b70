"""The demonstration's earlier period: there is something on the leaderboard from the start."""

from pathlib import Path

from core.cli.demo import scores
from core.cli.demo.demo import LEAD, REVIEWERS, SEED
from core.workflow.analysis.leaderboard import LeaderboardRequest, read
from core.workflow.people import ensure_person
from core.workflow.splits import freeze
from core.workflow.workspace import Workspace


def test_the_baselines_stand_on_the_leaderboard_and_the_period_has_expired(tmp_path: Path) -> None:
    ws = Workspace.create(tmp_path / "demo")
    ensure_person(ws, LEAD, "lead")
    scores.earlier_period(ws, LEAD, REVIEWERS, SEED + 1)
    leaderboard = read(ws, LeaderboardRequest())
    assert leaderboard.request.split == scores.PERIOD
    assert {row.model for row in leaderboard.rows} == set(scores.ENGINES)
    assert len(leaderboard.columns) > 2
    assert freeze.info(ws, scores.PERIOD).state == "expired"
    assert any("expired" in note for note in leaderboard.dashboard.remarks)
    ws.close()
