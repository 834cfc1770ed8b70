"""Gate: the language model's score against what people decided, and what it costs."""

from PySide6.QtWidgets import QToolButton

from core.workflow.dashboards.figures import Dashboard
from gui.panels.dashboards.panel import DashboardPanel


class GatePanel(DashboardPanel):
    """Sentence, scores, ROC, calibration, thresholds, and the figures of the gate."""

    dashboard_id = "gate"

    def build_head(self) -> None:
        """The way to a screening, for those who may start one."""
        if self._screens():
            button = QToolButton()
            button.setDefaultAction(self.context.actions.action("screen"))
            self.page.add_choice(button)

    def _on_dashboard(self, dashboard: Dashboard) -> None:
        """Where nothing was screened, the button that begins a screening stands in the middle."""
        super()._on_dashboard(dashboard)
        if dashboard.missing is not None and self._screens():
            begin = self.context.actions.action("screen").text()
            self.empty.say(dashboard.missing.title, dashboard.missing.text, begin)

    def _on_empty_pressed(self) -> None:
        if self._screens():
            self.context.actions.action("screen").trigger()
        else:
            super()._on_empty_pressed()

    def _screens(self) -> bool:
        return "screen" in self.context.actions.bound()
