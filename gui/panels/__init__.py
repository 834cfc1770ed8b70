"""The registry of panels. To add one: a file beside this one and an entry in the tuple.

A panel's module is imported when the panel is first shown.
"""

from core.i18n import tr
from core.workflow.rights import Action
from gui.context import WindowContext
from gui.panels.base import Panel, PanelSpec


def _write(context: WindowContext) -> Panel:
    from gui.panels.write.panel import WritePanel

    return WritePanel(context)


def _adjudicate(context: WindowContext) -> Panel:
    from gui.panels.adjudicate.panel import AdjudicatePanel

    return AdjudicatePanel(context)


def _rate(context: WindowContext) -> Panel:
    from gui.panels.rate.panel import RatePanel

    return RatePanel(context)


def _answer(context: WindowContext) -> Panel:
    from gui.panels.answer.panel import AnswerPanel

    return AnswerPanel(context)


def _audit(context: WindowContext) -> Panel:
    from gui.panels.audit.panel import AuditPanel

    return AuditPanel(context)


def _review(context: WindowContext) -> Panel:
    from gui.panels.review.panel import ReviewPanel

    return ReviewPanel(context)


def _my_work(context: WindowContext) -> Panel:
    from gui.panels.my_work.panel import MyWorkPanel

    return MyWorkPanel(context)


def _items(context: WindowContext) -> Panel:
    from gui.panels.items.panel import ItemsPanel

    return ItemsPanel(context)


def _progress(context: WindowContext) -> Panel:
    from gui.panels.dashboards.progress import ProgressPanel

    return ProgressPanel(context)


def _agreement(context: WindowContext) -> Panel:
    from gui.panels.dashboards.agreement import AgreementPanel

    return AgreementPanel(context)


def _gate(context: WindowContext) -> Panel:
    from gui.panels.dashboards.gate import GatePanel

    return GatePanel(context)


def _people(context: WindowContext) -> Panel:
    from gui.panels.dashboards.people import PeoplePanel

    return PeoplePanel(context)


def _audit_dashboard(context: WindowContext) -> Panel:
    from gui.panels.dashboards.audit import AuditDashboardPanel

    return AuditDashboardPanel(context)


def _team(context: WindowContext) -> Panel:
    from gui.panels.team.panel import TeamPanel

    return TeamPanel(context)


def _sources(context: WindowContext) -> Panel:
    from gui.panels.sources.panel import SourcesPanel

    return SourcesPanel(context)


def _splits(context: WindowContext) -> Panel:
    from gui.panels.splits.panel import SplitsPanel

    return SplitsPanel(context)


def _runs(context: WindowContext) -> Panel:
    from gui.panels.runs.panel import RunsPanel

    return RunsPanel(context)


def _scores(context: WindowContext) -> Panel:
    from gui.panels.scores.panel import ScoresPanel

    return ScoresPanel(context)


def _evaluate(context: WindowContext) -> Panel:
    from gui.panels.evaluate.panel import EvaluatePanel

    return EvaluatePanel(context)


def _compare(context: WindowContext) -> Panel:
    from gui.panels.compare.panel import ComparePanel

    return ComparePanel(context)


def _leaderboard(context: WindowContext) -> Panel:
    from gui.panels.leaderboard.panel import LeaderboardPanel

    return LeaderboardPanel(context)


def _annotate() -> str:
    return tr("Annotate")


def _monitor() -> str:
    return tr("Monitor")


def _build() -> str:
    return tr("Build")


def _evaluation() -> str:
    return tr("Evaluate")


PANELS: tuple[PanelSpec, ...] = (
    PanelSpec("write", lambda: tr("Write"), _annotate, _write, Action.WRITE),
    PanelSpec("review", lambda: tr("Review"), _annotate, _review, Action.REVIEW),
    PanelSpec("adjudicate", lambda: tr("Adjudicate"), _annotate, _adjudicate, Action.ADJUDICATE),
    PanelSpec("rate", lambda: tr("Rate"), _annotate, _rate, Action.RATE),
    PanelSpec("answer", lambda: tr("Answer"), _annotate, _answer, Action.RATE),
    PanelSpec("audit", lambda: tr("Audit"), _annotate, _audit, Action.AUDIT),
    PanelSpec("my_work", lambda: tr("My work"), _annotate, _my_work, Action.WRITE),
    PanelSpec("items", lambda: tr("Items"), _monitor, _items, Action.SEE_ITEMS),
    PanelSpec("progress", lambda: tr("Progress"), _monitor, _progress, Action.SEE_PROGRESS),
    PanelSpec("agreement", lambda: tr("Agreement"), _monitor, _agreement, Action.SEE_QUALITY),
    PanelSpec("gate", lambda: tr("Gate"), _monitor, _gate, Action.SEE_QUALITY),
    PanelSpec("people", lambda: tr("People"), _monitor, _people, Action.SEE_PEOPLE),
    PanelSpec(
        "audit_dashboard",
        lambda: tr("Audit dashboard"),
        _monitor,
        _audit_dashboard,
        Action.SEE_PEOPLE,
    ),
    PanelSpec("team", lambda: tr("Team"), _build, _team, Action.CHANGE_PEOPLE),
    PanelSpec("sources", lambda: tr("Sources"), _build, _sources, Action.MAKE_ITEMS),
    PanelSpec("splits", lambda: tr("Splits"), _build, _splits, Action.FREEZE),
    PanelSpec("evaluate", lambda: tr("Evaluate"), _evaluation, _evaluate, Action.EVALUATE),
    PanelSpec("runs", lambda: tr("Runs"), _evaluation, _runs, Action.EVALUATE),
    PanelSpec("scores", lambda: tr("Scores"), _evaluation, _scores, Action.EVALUATE),
    PanelSpec("compare", lambda: tr("Compare"), _evaluation, _compare, Action.EVALUATE),
    PanelSpec("leaderboard", lambda: tr("Leaderboard"), _evaluation, _leaderboard, Action.EVALUATE),
)
