"""The demonstration's earlier evaluation period: a split that was evaluated and has expired.

What the baselines reached on it counts as public now, so that a leaderboard has two sides.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from core.errors import OutsideError
from core.text import tr
from resources import resource

if TYPE_CHECKING:
    from core.workflow.workspace import Workspace

PERIOD = "demo-earlier"
ENGINES = ("baseline:tfidf", "baseline:random")
NOTE = "demonstration data"


def earlier_period(ws: "Workspace", lead: str, reviewers: Sequence[str], seed: int) -> None:
    """Generate items of a benchmark of its own, let the scripts accept them, evaluate, expire."""
    from core.generation.spec import ScpSpec
    from core.sources.reading import read_paths
    from core.workflow import finding, freeze, produce, review, runs, sealing

    report = read_paths([resource("demo")])
    spec = ScpSpec(per_article=3, seed=seed)
    folder = produce.start_generation(ws, report, PERIOD, spec)
    runs.wait(ws, folder.spec().id)
    produce.generated(ws, folder.spec().id)
    states = ("draft", "in_review")
    for number in finding.numbers(ws, finding.Filters(benchmark=PERIOD, states=states)):
        for reviewer in reviewers:
            review.decide(ws, reviewer, number, "accept", note=NOTE)
    freeze.freeze(ws, PERIOD, PERIOD, lead)
    for engine in ENGINES:
        evaluated(ws, PERIOD, engine, seed)
    sealing.expire(ws, PERIOD, lead, tr("The next period has begun."))


def evaluated(ws: "Workspace", split: str, engine: str, seed: int) -> str:
    """Evaluate a baseline and take its answers in; the id of the run."""
    from core.evaluation.params import EvaluateParams
    from core.workflow import evaluate, runs

    folder = evaluate.start(ws, split, EvaluateParams(split=split, engine=engine, seed=seed))
    info = runs.wait(ws, folder.spec().id)
    if info.error:
        raise OutsideError(info.error)
    evaluate.report(ws, info.id)
    return info.id
