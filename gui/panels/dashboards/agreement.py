"""Agreement: the coefficient now and over time, raters against raters, tasks against criteria."""

from functools import partial

from PySide6.QtWidgets import QPushButton

from core.i18n import tr
from core.workflow.dashboards import alarms
from core.workflow.dashboards.agreement_query import DECISION
from core.workflow.dashboards.alarms import Alarm
from core.workflow.dashboards.figures import Dashboard
from core.workflow.labels import criterion_label
from core.workflow.rights import Action
from core.workflow.rubrics import rubrics
from gui.panels.dashboards.panel import Choice, DashboardPanel

COEFFICIENTS = (
    "fleiss_kappa",
    "cohen_kappa",
    "krippendorff_alpha_nominal",
    "krippendorff_alpha_ordinal",
    "gwet_ac1",
    "percent",
)


class AgreementPanel(DashboardPanel):
    """How far people agree on what they decided or rated."""

    dashboard_id = "agreement"

    def build_head(self) -> None:
        """Coefficient, criterion, adjudication, gold, and the fourth figure."""
        from core.agreement import coefficient

        titles = [(name, coefficient(name).title) for name in COEFFICIENTS]
        self.coefficient = self.add_choice(tr("Coefficient"), "coefficient", titles)
        criteria: list[Choice] = [(DECISION, criterion_label(DECISION))]
        criteria += [(c.name, criterion_label(c.name)) for r in rubrics() for c in r.criteria]
        self.criterion = self.add_choice(tr("Criterion"), "criterion", criteria)
        self.adjudicated = self.add_choice(
            tr("Adjudication"),
            "adjudicated",
            [("before", tr("unadjudicated")), ("after", tr("adjudicated"))],
        )
        self.gold = self.add_choice(
            tr("Gold items"),
            "gold",
            [("with", tr("with gold")), ("without", tr("without gold"))],
        )
        self.detail = self.add_choice(
            tr("Fourth chart"),
            "detail",
            [("tasks", tr("tasks × criteria")), ("confusion", tr("confusion matrix"))],
        )
        self.alarm = QPushButton(tr("Alarm…"))
        self.alarm.clicked.connect(self._open_alarms)
        self.page.add_choice(self.alarm)
        self.alarm.setVisible(self.context.may(Action.SET_ALARM))

    def on_shown(self, dashboard: Dashboard) -> None:
        """Alarms that began to ring moved the ledger; that is no news for this panel."""

    def _open_alarms(self) -> None:
        from gui.panels.dashboards.alarm_dialog import AlarmDialog

        work = partial(alarms.alarms, self.context.workspace)
        self._dialog_kind = AlarmDialog
        self.context.ask(self, work, self._show_alarms, self.context.complain, topic="alarms")

    def _show_alarms(self, known: tuple[Alarm, ...]) -> None:
        dialog = self._dialog_kind(self.context, known, self.request.coefficient, self)
        dialog.changed.connect(self.spoil)
        dialog.open()
