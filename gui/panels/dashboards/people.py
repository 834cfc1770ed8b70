"""People: pace, time, how work is received, drift; without names until a lead asks for them."""

from functools import partial

from PySide6.QtCore import QSignalBlocker
from PySide6.QtWidgets import QCheckBox

from core.i18n import tr
from core.workflow.dashboards.people import reveal_names
from gui.panels.dashboards.panel import DashboardPanel


class PeoplePanel(DashboardPanel):
    """Anonymous by default; showing the names is written to the ledger."""

    dashboard_id = "people"

    def build_head(self) -> None:
        """The box that shows names."""
        self.names = QCheckBox(tr("Show names (recorded in the ledger)"))
        self.names.toggled.connect(self._on_names)
        self.page.add_choice(self.names)

    def _on_names(self, wanted: bool) -> None:
        if not wanted:
            self.choose(named=False)
            return
        context = self.context
        self.names.setEnabled(False)
        work = partial(reveal_names, context.workspace, context.person.name, context.benchmark)
        context.write(self, work, self._on_revealed, self._on_refused)

    def _on_revealed(self, _nothing: None) -> None:
        self.names.setEnabled(True)
        self.choose(named=True)

    def _on_refused(self, sentence: str) -> None:
        self.names.setEnabled(True)
        with QSignalBlocker(self.names):
            self.names.setChecked(False)
        self.context.complain(sentence)
