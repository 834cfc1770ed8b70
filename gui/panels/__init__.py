"""The registry of panels. To add one: a file beside this one and an entry in the tuple.

A panel's module is imported when the panel is first shown.
"""

from core.i18n import tr
from gui.context import Desk
from gui.panels.base import Panel, PanelSpec


def _write(desk: Desk) -> Panel:
    from gui.panels.write.panel import WritePanel

    return WritePanel(desk)


def _adjudicate(desk: Desk) -> Panel:
    from gui.panels.adjudicate.panel import AdjudicatePanel

    return AdjudicatePanel(desk)


def _rate(desk: Desk) -> Panel:
    from gui.panels.rate.panel import RatePanel

    return RatePanel(desk)


def _audit(desk: Desk) -> Panel:
    from gui.panels.audit.panel import AuditPanel

    return AuditPanel(desk)


def _review(desk: Desk) -> Panel:
    from gui.panels.review.panel import ReviewPanel

    return ReviewPanel(desk)


def _items(desk: Desk) -> Panel:
    from gui.panels.items.panel import ItemsPanel

    return ItemsPanel(desk)


def _progress(desk: Desk) -> Panel:
    from gui.panels.dashboards.progress import ProgressPanel

    return ProgressPanel(desk)


def _agreement(desk: Desk) -> Panel:
    from gui.panels.dashboards.agreement import AgreementPanel

    return AgreementPanel(desk)


def _gate(desk: Desk) -> Panel:
    from gui.panels.dashboards.gate import GatePanel

    return GatePanel(desk)


def _people(desk: Desk) -> Panel:
    from gui.panels.dashboards.people import PeoplePanel

    return PeoplePanel(desk)


def _audit_board(desk: Desk) -> Panel:
    from gui.panels.dashboards.audit import AuditBoardPanel

    return AuditBoardPanel(desk)


def _sources(desk: Desk) -> Panel:
    from gui.panels.sources.panel import SourcesPanel

    return SourcesPanel(desk)


def _splits(desk: Desk) -> Panel:
    from gui.panels.splits.panel import SplitsPanel

    return SplitsPanel(desk)


def _runs(desk: Desk) -> Panel:
    from gui.panels.runs.panel import RunsPanel

    return RunsPanel(desk)


def _scores(desk: Desk) -> Panel:
    from gui.panels.scores.panel import ScoresPanel

    return ScoresPanel(desk)


def _evaluate(desk: Desk) -> Panel:
    from gui.panels.evaluate.panel import EvaluatePanel

    return EvaluatePanel(desk)


def _compare(desk: Desk) -> Panel:
    from gui.panels.compare.panel import ComparePanel

    return ComparePanel(desk)


def _leaderboard(desk: Desk) -> Panel:
    from gui.panels.leaderboard.panel import LeaderboardPanel

    return LeaderboardPanel(desk)


def _work() -> str:
    return tr("Work")


def _look() -> str:
    return tr("Look")


def _make() -> str:
    return tr("Make")


_MAKERS = frozenset({"researcher", "lead"})
_OVERSEERS = frozenset({"specialist", "researcher", "lead"})

PANELS: tuple[PanelSpec, ...] = (
    PanelSpec("write", lambda: tr("Write"), _work, _write),
    PanelSpec("review", lambda: tr("Review"), _work, _review),
    PanelSpec("adjudicate", lambda: tr("Settle"), _work, _adjudicate, _OVERSEERS),
    PanelSpec("rate", lambda: tr("Rate"), _work, _rate),
    PanelSpec("audit", lambda: tr("Audit"), _work, _audit, _MAKERS),
    PanelSpec("items", lambda: tr("Items"), _look, _items, _OVERSEERS),
    PanelSpec("progress", lambda: tr("Progress"), _look, _progress),
    PanelSpec("agreement", lambda: tr("Agreement"), _look, _agreement, _OVERSEERS),
    PanelSpec("gate", lambda: tr("Gate"), _look, _gate, _OVERSEERS),
    PanelSpec("people", lambda: tr("People"), _look, _people, _MAKERS),
    PanelSpec("audit_board", lambda: tr("Audit board"), _look, _audit_board, _MAKERS),
    PanelSpec("sources", lambda: tr("Sources"), _make, _sources, _MAKERS),
    PanelSpec("splits", lambda: tr("Splits"), _make, _splits, _MAKERS),
    PanelSpec("evaluate", lambda: tr("Evaluate"), _make, _evaluate, _MAKERS),
    PanelSpec("runs", lambda: tr("Runs"), _make, _runs, _MAKERS),
    PanelSpec("scores", lambda: tr("Scores"), _make, _scores, _MAKERS),
    PanelSpec("compare", lambda: tr("Compare"), _make, _compare, _MAKERS),
    PanelSpec("leaderboard", lambda: tr("Leaderboard"), _make, _leaderboard, _MAKERS),
)
