"""What tests of dashboards share: a request, finding figures, plain SQL beside them."""

from typing import Any

import pandas as pd
from sqlalchemy import text

from core.workflow.audit import lots
from core.workflow.dashboards import DashboardRequest
from core.workflow.dashboards.figures import Chart, Dashboard, Grid, Series
from core.workflow.dashboards.judgements import JudgementBook
from core.workflow.workspace import Workspace
from tests.workload import BENCHMARK

TODAY = "2026-08-28"


def request_for(ws: Workspace, **fields: Any) -> DashboardRequest:
    return DashboardRequest(ws, JudgementBook(ws), BENCHMARK, "", today=TODAY, **fields)


def frame(ws: Workspace, query: str) -> pd.DataFrame:
    with ws.reading() as session:
        found = session.execute(text(query))
        return pd.DataFrame(found.all(), columns=list(found.keys()))


def chart(dashboard: Dashboard, figure_id: str) -> Chart:
    found = next(one for one in dashboard.figures if one.id == figure_id)
    assert isinstance(found, Chart)
    return found


def grid(dashboard: Dashboard, figure_id: str) -> Grid:
    found = next(one for one in dashboard.figures if one.id == figure_id)
    assert isinstance(found, Grid)
    return found


def series(one: Chart, name: str) -> Series:
    return next(found for found in one.series if found.name == name)


def audited(ws: Workspace, fails: int) -> None:
    """Audit the whole sample of the first task; some items fail."""
    lot = lots.start(ws, "task-000", "Lead", seed=3).lots[-1]
    for place, one in enumerate(lot.drawn):
        bad = place < fails
        done = lots.decide(
            ws, "Lead", one.number, "reject" if bad else "accept", reason="formula" if bad else ""
        )
        if done.lot_state != "open":
            return
