"""Every interval, error and p-value of the program has a table that shows how often it holds."""

import ast
import re

import pytest

from tests.benchmarks import bench_coverage, bench_evidence, bench_plans, bench_ratings
from tests.paths import ROOT

_FIGURE = re.compile(
    r"(p|p_\w+|\w+_p|low\d?|high\d?|\w+_low|\w+_high|lower|upper|stderr|error|\w+_error|half_width"
    r"|proves\w*|\w*intervals?)"
)
_NUMBER = re.compile(r"float|Floats|date|Interval|Proportion")
_MADE_OF = re.compile(r"ScoreInterval|Proportion|ScoreWithInterval")

BY_TABLE = {
    "shares exact_shares": ("core.proportion.Proportion",),
    "accuracies graded f1_scores": (
        "core.evaluation.mean_interval.ScoreInterval",
        "core.evaluation.breakdown.BreakdownRow",
        "core.evaluation.robustness.Robustness.low",
        "core.evaluation.robustness.Robustness.high",
        "core.workflow.evaluation.matrix.MatrixCell",
        "core.evaluation.report_parts.calibration.Calibration.normalised",
        "core.evaluation.report_parts.calibration.ReliabilityBin",
        "core.workflow.analysis.plan_size.Pilot",
    ),
    "differences pairs families": ("core.evaluation.compare.Comparison",),
    "rugged rugged_ranks rare_rugged": (
        "core.analysis.rugged_table",
        "core.workflow.analysis.leaderboard_figures.LeaderRow",
    ),
    "agreement coefficients analytic agreement_by_article mean_agreement": (
        "core.agreement.intervals.Interval",
        "core.agreement.statistic.CoefficientResult",
    ),
    "gate gate_of_articles": (
        "core.screening.gate_curve",
        "core.workflow.dashboards.gate.GateNumbers",
        "core.workflow.dashboards.people",
    ),
    "judges judges_of_articles": ("core.evaluation.judge_correction.CorrectedMean",),
    "correlations": ("core.analysis.score_correlation.Correlation",),
    "verifications": ("core.analysis.cif.Verification",),
    "elo": ("core.evaluation.preference.bradley_terry.ModelStrength",),
    "contamination": ("core.analysis.contamination",),
    "evidence overlaps dependent": (
        "core.analysis.corpus_overlap.Overlap",
        "core.analysis.exposure.Exposure",
        "core.evaluation.robustness.Robustness.place_p",
    ),
    "likelihoods": (
        "core.evaluation.report_parts.calibration.Calibration.low",
        "core.evaluation.report_parts.calibration.Calibration.high",
        "core.evaluation.report_parts.calibration.Calibration.p",
    ),
    "looks": ("core.evaluation.report_parts.any_look.AnyLook",),
    "adaptive": ("core.analysis.item_bank.AdaptiveScore",),
    "ceilings people_like_these": ("core.evaluation.report_parts.human_ceiling",),
    "solvers": (
        "core.analysis.artifacts.artifact_audit.SolverResult",
        "core.workflow.splits.surface_gate.SurfaceSolver",
    ),
    "categories means_over_tasks": (
        "core.analysis.cif.CifScores",
        "core.workflow.analysis.coreeval_scores.ZeroShot",
        "core.workflow.analysis.leaderboard_figures.ScoreShare",
    ),
    "item_analysis linking": (
        "core.analysis.item_analysis.ItemStatistics",
        "core.analysis.item_bank.ScaleLink",
        "core.analysis.response_model.ResponseModel",
    ),
    "forecasts": ("core.workflow.dashboards.forecast.Forecast",),
    "lots": ("core.audit.sampling.PlanMeaning", "core.workflow.dashboards.audit"),
}
NO_FIGURE = {
    "core.analysis.svg._Scale": "the ends of an axis",
    "core.evaluation.metrics.base.Metric": "the range of a metric",
    "core.evaluation.types.EngineParams": "a setting of sampling",
    "core.report_table.Bounds": "how an interval is printed",
    "core.screening.gate_curve.ScoreBin": "the ends of a bin",
    "core.workflow.dashboards.figures": "what a chart draws",
}

PRINTED = {
    table.__name__
    for benchmark in (bench_coverage, bench_evidence, bench_plans, bench_ratings)
    for table in benchmark.TABLES
}


def figures() -> list[str]:
    """``module.Class.field`` of every field that holds a bound, an error or a p-value."""
    found = []
    for path in sorted((ROOT / "core").rglob("*.py")):
        module = ".".join(path.relative_to(ROOT).with_suffix("").parts)
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef):
                found += [f"{module}.{node.name}.{name}" for name in _figures_of(node)]
    return found


def _figures_of(node: ast.ClassDef) -> list[str]:
    fields = [
        (line.target.id, ast.unparse(line.annotation))
        for line in node.body
        if isinstance(line, ast.AnnAssign) and isinstance(line.target, ast.Name)
    ]
    return [
        name
        for name, kind in fields
        if (_FIGURE.fullmatch(name) and _NUMBER.search(kind)) or _MADE_OF.search(kind)
    ]


def _names(prefix: str, figure: str) -> bool:
    """Whether a module, a class, or a class with the first letters of a field, names a figure."""
    return figure == prefix or figure.startswith((f"{prefix}.", f"{prefix}_"))


def test_every_interval_error_and_p_value_has_a_table_of_the_benchmarks() -> None:
    known = [*NO_FIGURE, *(name for names in BY_TABLE.values() for name in names)]
    every = figures()
    assert len(every) > 60
    assert [one for one in every if not any(_names(name, one) for name in known)] == []
    assert [name for name in known if not any(_names(name, one) for one in every)] == []


@pytest.mark.parametrize("tables", BY_TABLE)
def test_the_tables_are_printed(tables: str) -> None:
    assert set(tables.split()) <= PRINTED


def test_an_interval_without_a_table_is_seen() -> None:
    source = "class New:\n    share_low: float | None\n    words: str\n    error: float\n"
    (node,) = ast.parse(source).body
    assert isinstance(node, ast.ClassDef)
    assert _figures_of(node) == ["share_low", "error"]
