"""Agreement: the coefficient now and over time, raters against raters, tasks against criteria."""

from functools import partial

from PySide6.QtWidgets import QPushButton

from core.i18n import tr
from core.workflow.dashboards import alarms
from core.workflow.dashboards.agreement_query import DECISION, criteria_in
from core.workflow.dashboards.alarms import Alarm
from core.workflow.dashboards.figures import Dashboard
from core.workflow.labels import criterion_label
from core.workflow.rights import Action
from core.workflow.rubrics import Criterion, rubrics
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
        decision: list[Choice] = [(DECISION, criterion_label(DECISION))]
        self.criterion = self.add_choice(tr("Criterion"), "criterion", decision)
        self._offer_criteria(tuple(c for entry in rubrics() for c in entry.criteria))
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
        self.context.actions.bind("set-alarm", self, self.alarm.click, self.alarm.isVisible)
        first = self.page.alarms
        self.context.actions.bind("alarm-items", self, first.press_first, first.rings)

    def refresh(self) -> None:
        """Read again, the criteria of the benchmark's tasks too."""
        super().refresh()
        work = partial(criteria_in, self.context.workspace, self.context.benchmark)
        self.context.ask(self, work, self._offer_criteria, topic="criteria", lane="background")

    def _offer_criteria(self, criteria: tuple[Criterion, ...]) -> None:
        names = {DECISION: criterion_label(DECISION)}
        names |= {c.name: criterion_label(c.name) for c in criteria}
        known = [self.criterion.itemData(place) for place in range(self.criterion.count())]
        if known == list(names):
            return
        self.criterion.clear()
        for name, title in names.items():
            self.criterion.addItem(title, name)
        chosen = self.criterion.findData(self.request.criterion)
        if chosen < 0:  # another benchmark is in front
            self.choose(criterion=DECISION)
        self.criterion.setCurrentIndex(max(0, chosen))

    def on_shown(self, dashboard: Dashboard) -> None:
        """Alarms that began to ring moved the ledger; that is not news for this panel."""

    def _open_alarms(self) -> None:
        from gui.panels.dashboards.alarm_dialog import AlarmDialog

        work = partial(alarms.alarms, self.context.workspace)
        self._dialog_kind = AlarmDialog
        self.context.ask(self, work, self._show_alarms, self.context.complain, topic="alarms")

    def _show_alarms(self, known: tuple[Alarm, ...]) -> None:
        dialog = self._dialog_kind(self.context, known, self.request.coefficient, self)
        dialog.changed.connect(self.spoil)
        dialog.open()
