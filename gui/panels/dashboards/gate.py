"""Gate: the language model's score against what people decided, and what it costs."""

from functools import partial

from PySide6.QtWidgets import QPushButton

from core.i18n import tr
from core.workflow.dashboards.figures import Dashboard
from core.workflow.rights import Action
from gui.panels.dashboards.panel import DashboardPanel
from gui.widgets.action_button import ActionButton


class GatePanel(DashboardPanel):
    """Sentence, scores, ROC, calibration, thresholds, and the figures of the gate."""

    dashboard_id = "gate"

    def build_head(self) -> None:
        """The ways to a screening and to another threshold, for those who may."""
        if self._screens():
            self.page.add_choice(ActionButton(self.context.actions.action("screen")))
        self.threshold_button = QPushButton(tr("Set the threshold…"))
        self.threshold_button.setToolTip(
            tr("For the protocols of one or more tasks; begins with the threshold chosen below")
        )
        self.threshold_button.clicked.connect(self.open_threshold)
        self.page.add_choice(self.threshold_button)
        self.threshold_button.setVisible(self.context.may(Action.EDIT_PROTOCOL))
        may = partial(self.context.may, Action.EDIT_PROTOCOL)
        self.context.actions.bind("set-threshold", self, self.open_threshold, may)

    def open_threshold(self) -> None:
        """Set the threshold of tasks; the row chosen in the table of thresholds is offered."""
        from gui.dialogs.protocols import ProtocolsDialog

        thresholds = self.page.parts.get("thresholds")
        dialog = ProtocolsDialog(self.context, self)
        dialog.prefer("threshold", thresholds.chosen() if thresholds else "")
        dialog.open()

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
