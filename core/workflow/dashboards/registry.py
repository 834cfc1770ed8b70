"""What a dashboard is asked for, the registry of dashboards, and drawing one by its name."""

from dataclasses import dataclass, replace
from importlib import import_module
from typing import TYPE_CHECKING, Literal

from core.errors import NotFoundError
from core.i18n import listed
from core.workflow.check.visibility import open_items
from core.workflow.dashboards.agreement_query import DECISION, Scope
from core.workflow.dashboards.judgements import JudgementBook
from core.workflow.workspace import Workspace
from db.benchmarks import benchmark_named

if TYPE_CHECKING:
    from core.workflow.dashboards.figures import Dashboard, Pick

DASHBOARDS = ("progress", "agreement", "gate", "people", "audit")
"""Each is the module of that name beside this one."""


@dataclass(frozen=True)
class DashboardRequest:
    """What a dashboard is drawn from, and the choices of the person who looks at it.

    ``viewer`` is who looks, empty for nobody in particular: lists of items leave out what is hidden
    from them. ``detail`` chooses the fourth figure of Agreement. ``named`` shows people by their
    names; ``today`` is an ISO date, empty for the present one.
    """

    ws: Workspace
    book: JudgementBook
    benchmark: str
    viewer: str
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

    @property
    def benchmark_id(self) -> int | None:
        """The id of the benchmark, None where there is none of that name."""
        with self.ws.reading() as session:
            row = benchmark_named(session, self.benchmark)
        return row.id if row else None


def items_behind(request: DashboardRequest, pick: "Pick") -> tuple[int, ...]:
    """The items behind a mark, by number, without those about which something is hidden from the
    viewer: a mark may tell what was said of the items behind it."""
    numbers = sorted({int(number) for number in pick()})
    with request.ws.reading() as session:
        return tuple(open_items(session, request.viewer, numbers))


def draw(panel: str, request: DashboardRequest) -> "Dashboard":
    """The dashboard of that name, with the alarms that ring; NotFoundError for an unknown one."""
    from core.workflow.dashboards import alarms

    if panel not in DASHBOARDS:
        raise NotFoundError.tr("There is no dashboard “{panel}”. Available: {known}.", panel=panel,
                               known=listed(DASHBOARDS))  # fmt: skip
    module = import_module(f"core.workflow.dashboards.{panel}")
    drawn: Dashboard = module.dashboard(request)
    if panel != "agreement":
        return drawn
    ringing = alarms.ringing_now(request.ws, request.book, request.benchmark)
    sentences, tasks = [alarm.sentence for alarm in ringing], [alarm.task for alarm in ringing]
    return replace(drawn, alarms=tuple(sentences), alarm_tasks=tuple(tasks))
