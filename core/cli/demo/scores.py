"""The demonstration's earlier evaluation period: a split that was evaluated and has expired.

What the baselines reached on it counts as public now, so that a leaderboard has two sides.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from core.errors import OutsideError
from core.i18n import tr
from resources import resource

if TYPE_CHECKING:
    from core.workflow.workspace import Workspace

PERIOD = "demo-earlier"
ENGINES = ("baseline:tfidf", "baseline:random")
NOTE = "demonstration data"


def earlier_period(ws: "Workspace", lead: str, reviewers: Sequence[str], seed: int) -> None:
    """Generate items of a benchmark of its own, let the scripts accept them, evaluate, expire."""
    from core.generation.spec import ScpSpec
    from core.sources.articles.read_paths import read_paths
    from core.workflow.check import review
    from core.workflow.items import search
    from core.workflow.production import take_in_items
    from core.workflow.runs import runs, take_in
    from core.workflow.splits import freeze, lifecycle

    report = read_paths([resource("demo")])
    spec = ScpSpec(per_article=3, seed=seed)
    folder = take_in_items.start_generation(ws, report, PERIOD, spec)
    runs.wait(ws, folder.spec().id)
    take_in.take_in(ws, folder.spec().id)
    states = ("draft", "in_review")
    for number in search.numbers(ws, search.Filters(benchmark=PERIOD, states=states), viewer=""):
        for reviewer in reviewers:
            review.decide(ws, reviewer, number, "accept", note=NOTE)
    freeze.freeze(ws, PERIOD, PERIOD, lead)
    for engine in ENGINES:
        evaluated(ws, PERIOD, engine, seed)
    lifecycle.expire(ws, PERIOD, lead, tr("The next period has started."))


def evaluated(ws: "Workspace", split: str, engine: str, seed: int) -> str:
    """Evaluate a baseline and take its answers in; the id of the run."""
    from core.evaluation.params import EvaluateParams
    from core.workflow.evaluation import start
    from core.workflow.runs import runs, take_in

    folder = start.start(ws, split, EvaluateParams(split=split, engine=engine, seed=seed))
    info = runs.wait(ws, folder.spec().id)
    if info.error:
        raise OutsideError(info.error)
    take_in.take_in(ws, info.id)
    return info.id
