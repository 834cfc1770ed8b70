"""A methods paragraph of a report, from the run's own settings and counts, for a paper.

Every sentence says what was done and nothing that was not; it is written in the language in use.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from core.evaluation.scoring import Report
from core.i18n import language, tr, trn

_SHORT = 12  # digits of a digest that people compare
_BASELINE = "baseline:"


def methods_paragraph(report: Report) -> str:
    """The paragraph; sentences that do not apply to the run are left out."""
    between = "" if language() == "zh" else " "
    return between.join(_sentences(report))


def _sentences(report: Report) -> Iterator[str]:
    origin = report.origin
    items = len({entry.id.partition("#")[0] for entry in report.scores})
    sources = len({entry.cluster for entry in report.scores if entry.cluster})
    yield trn(
        "{model} was evaluated on the split “{split}” of 1 item (SHA-256 of its manifest "
        "{digest}…) with Benchseal.",
        "{model} was evaluated on the split “{split}” of {n} items (SHA-256 of its manifest "
        "{digest}…) with Benchseal.",
        items,
        model=report.model or report.engine,
        split=report.split,
        digest=str(origin.get("split_digest", ""))[:_SHORT] or "–",
    )
    if sources:
        yield trn("The items come from 1 source.", "The items come from {n} sources.", sources)
    yield from _asking(report)
    yield from _ways(report)
    yield trn(
        "1 answer was scored; {missing} were missing and excluded; {unparsed} had no readable "
        "answer and counted as incorrect.",
        "{n} answers were scored; {missing} were missing and excluded; {unparsed} had no "
        "readable answer and counted as incorrect.",
        report.total.n,
        missing=report.missing,
        unparsed=report.unparsed,
    )
    yield from _measured(origin)
    yield _interval(report)


def _asking(report: Report) -> Iterator[str]:
    """Who answered, by what and with which settings."""
    if report.engine == "people":
        yield tr("People answered the same prompts without the keys and without items that they "
                 "had worked on; each score is a person's answer.")  # fmt: skip
        return
    if report.engine.startswith("import:"):
        yield tr("The answers were imported from {harness} and scored again.",
                 harness=report.engine.partition(":")[2])  # fmt: skip
        return
    versions = report.origin.get("versions") or {}
    named = ", ".join(f"{name} {version}" for name, version in versions.items()
                      if isinstance(version, str) and version)  # fmt: skip
    yield (
        tr("Answers were produced by the engine {engine} ({versions}).", engine=report.engine,
           versions=named)
        if named
        else tr("Answers were produced by the engine {engine}.", engine=report.engine)
    )  # fmt: skip
    settings = report.origin.get("settings") or {}
    if settings and not report.engine.startswith(_BASELINE):
        said = ", ".join(f"{name} {value}" for name, value in settings.items())
        yield tr("Settings of generation: {settings}.", settings=said)


def _ways(report: Report) -> Iterator[str]:
    ways = {entry.variant for entry in report.scores if entry.variant}
    if len(ways) > 1 and report.engine != "people":
        yield trn(
            "Each item was asked in 1 way.",
            "Items were asked in {n} ways (instructions, templates or orders of options), whose "
            "scores are averaged.",
            len(ways),
        )


def _measured(origin: Mapping[str, Any]) -> Iterator[str]:
    for kind, name in (origin.get("measured_by") or {}).items():
        yield tr("Tasks of type {kind} are scored with {metric}.", kind=kind, metric=name)
    judge = origin.get("judge")
    if judge:
        yield trn(
            "1 answer was judged by {judge}; agreement with people is reported where people rated.",
            "{n} answers were judged by {judge}; agreement with people is reported where people "
            "rated.",
            judge["judged"],
            judge=judge["model"],
        )


def _interval(report: Report) -> str:
    if report.total.clustered is not None:
        return trn(
            "The 95% interval is Wilson's over as many independent answers as the scores are "
            "worth, with cluster-robust errors over 1 source or item and Student's quantile (Korn "
            "and Graubard 1998; Bell and McCaffrey 2002).",
            "The 95% interval is Wilson's over as many independent answers as the scores are "
            "worth, with cluster-robust errors over {n} sources or items and Student's quantile "
            "(Korn and Graubard 1998; Bell and McCaffrey 2002).",
            report.total.clusters,
        )
    return tr("The 95% interval is Wilson's.")
