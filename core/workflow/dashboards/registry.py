"""What a board is asked for, the registry of boards, and drawing one by its name."""

from dataclasses import dataclass, replace
from importlib import import_module
from typing import TYPE_CHECKING, Literal

from core.errors import NotFoundError
from core.i18n import tr
from core.workflow.dashboards.agreement_query import DECISION, Scope
from core.workflow.dashboards.judgements import JudgementBook
from core.workflow.workspace import Workspace

if TYPE_CHECKING:
    from core.workflow.dashboards.figures import Dashboard

BOARDS = ("progress", "agreement", "gate", "people", "audit")
"""Panels with a board; each is the module of that name beside this one."""


@dataclass(frozen=True)
class DashboardRequest:
    """What a board is drawn from, and the choices of the person who looks at it.

    ``detail`` chooses the fourth figure of Agreement. ``named`` shows people by their names;
    ``today`` is an ISO date, empty for the present one.
    """

    ws: Workspace
    book: JudgementBook
    benchmark: str
    coefficient: str = "fleiss_kappa"
    criterion: str = DECISION
    adjudicated: Literal["before", "after"] = "before"
    gold: Literal["with", "without"] = "with"
    detail: Literal["tasks", "confusion", "both"] = "tasks"
    named: bool = False
    today: str = ""

    @property
    def scope(self) -> Scope:
        """The judgements that are measured."""
        return Scope(
            benchmark=self.benchmark,
            criterion=self.criterion,
            adjudicated=self.adjudicated,
            gold=self.gold,
        )


def draw(panel: str, asked: DashboardRequest) -> "Dashboard":
    """The board of a panel, with the alarms that ring; NotFoundError for an unknown panel."""
    from core.workflow.dashboards import alarms

    if panel not in BOARDS:
        raise NotFoundError(
            tr("There is no dashboard “{panel}”. Known: {known}.", panel=panel,
               known=", ".join(BOARDS))
        )  # fmt: skip
    module = import_module(f"core.workflow.dashboards.{panel}")
    made: Dashboard = module.board(asked)
    if panel != "agreement":
        return made
    ringing = alarms.check(asked.ws, asked.book, asked.benchmark)
    return replace(made, alarms=tuple(one.sentence for one in ringing))
