"""Audit in figures: the rounds of every task, why items failed, what the plans can find."""

from gui.panels.dashboards.panel import DashboardPanel


class AuditDashboardPanel(DashboardPanel):
    """Sentence, rounds, samples, reasons, operating characteristic, table of lots."""

    dashboard_id = "audit"
