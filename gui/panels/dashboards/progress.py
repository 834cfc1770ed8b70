"""Progress: how far each task is on its way to the target, and when the target is reached."""

from gui.panels.dashboards.panel import DashboardPanel


class ProgressPanel(DashboardPanel):
    """Sentence, bars per task, burn-up with forecast, table of tasks."""

    dashboard_id = "progress"
