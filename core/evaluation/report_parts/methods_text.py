"""A methods paragraph of a report, from the run's own settings and counts, for a paper.

Every sentence says what was done and nothing that was not; it is written in the language in use.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from core.evaluation.params import IMPORTED
from core.evaluation.report_parts.other_judges import other_judges_sentence
from core.evaluation.scoring import AccuracyEstimate, Report
from core.i18n import language, listed, tr, trn
from core.proportion import ASSUMED_CORRELATION

_SHORT = 12  # digits of a digest that people compare
_BASELINE = "baseline:"


def methods_paragraph(report: Report) -> str:
    """The paragraph; sentences that do not apply to the run are left out."""
    between = "" if language() == "zh" else " "
    return between.join(_sentences(report))


def _sentences(report: Report) -> Iterator[str]:
    origin = report.origin
    sources = len({entry.cluster for entry in report.scores if entry.cluster})
    yield trn(
        "{model} was evaluated on the split “{split}” of 1 item with Benchseal.",
        "{model} was evaluated on the split “{split}” of {n} items with Benchseal.",
        report.distinct_items,
        model=report.model or report.engine,
        split=report.split,
    )
    if digest := str(origin.get("split_digest") or "")[:_SHORT]:
        yield tr("The SHA-256 of the split's manifest begins with {digest}.", digest=digest)
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
    yield from _not_right(report)
    yield from _measured(origin)
    yield from _interval(report)


def _asking(report: Report) -> Iterator[str]:
    """Who answered, by what and with which settings."""
    if report.engine == "people":
        yield tr("People answered the same prompts without the keys and without items that they "
                 "had worked on; each score is a person's answer.")  # fmt: skip
        return
    if report.engine.startswith(IMPORTED):
        yield tr("The answers were imported from {harness} and scored again.",
                 harness=report.engine.partition(":")[2])  # fmt: skip
        return
    versions = report.origin.get("versions") or {}
    named = listed(f"{name} {version}" for name, version in versions.items()
                      if isinstance(version, str) and version)  # fmt: skip
    yield (
        tr("Answers were produced by the engine {engine} ({versions}).", engine=report.engine,
           versions=named)
        if named
        else tr("Answers were produced by the engine {engine}.", engine=report.engine)
    )  # fmt: skip
    asking = report.origin.get("asking") or {}
    yield from _variant_of_model(asking)
    yield from _loaded(asking)
    settings = dict(report.origin.get("settings") or {})
    if settings and not report.engine.startswith(_BASELINE):
        if asking.get("answer_by") == "loglikelihood":  # nothing is drawn, so nothing else holds
            settings = {name: value for name, value in settings.items() if name == "mode"}
        elif "max_tokens" in asking:
            settings["max_tokens"] = asking["max_tokens"]
        said = listed(f"{name} {value}" for name, value in settings.items())
        if said:
            yield tr("Settings of the engine: {settings}.", settings=said)
    yield from _reading(report, asking)


def _variant_of_model(asking: Mapping[str, Any]) -> Iterator[str]:
    """What was asked of the model's repository, and what stood before each question."""
    if asking.get("revision"):
        yield tr("The revision of the model is {revision}.", revision=asking["revision"])
    if asking.get("adapter"):
        yield tr("The model was loaded with the LoRA adapter “{adapter}”.",
                 adapter=asking["adapter"])  # fmt: skip
    if asking.get("system"):
        yield tr("A system prompt was given.")
    if asking.get("shots"):
        yield trn("1 worked example preceded each question.",
                  "{n} worked examples preceded each question.", asking["shots"])  # fmt: skip
    if "thinking" in asking:
        yield (
            tr("Thinking was switched on in the chat template.")
            if asking["thinking"]
            else tr("Thinking was switched off in the chat template.")
        )


def _loaded(asking: Mapping[str, Any]) -> Iterator[str]:
    """How the engine was told to load the model, and what it did with prompts that are too long."""
    loaded = asking.get("loaded")
    if loaded is not None:
        said = listed(f"{name} {value}" for name, value in loaded.items())
        yield (
            tr("The model was loaded with {settings}.", settings=said)
            if said
            else tr("No precision or quantization was set; the engine chose them by the model's "
                    "files.")
        )  # fmt: skip
    if asking.get("cut_prompts"):
        yield trn("1 prompt was longer than the model takes and was cut from the left.",
                  "{n} prompts were longer than the model takes and were cut from the left.",
                  asking["cut_prompts"])  # fmt: skip
    if asking.get("too_long"):
        yield trn("1 prompt was longer than the model takes and was not answered.",
                  "{n} prompts were longer than the model takes and were not answered.",
                  asking["too_long"])  # fmt: skip


def _reading(report: Report, asking: Mapping[str, Any]) -> Iterator[str]:
    """What was taken for the answer."""
    way = asking.get("answer_by")
    if way == "loglikelihood":
        yield tr("The option with the highest log-likelihood was taken for the answer; options of "
                 "free text were compared per byte.")  # fmt: skip
    elif way == "choice":
        yield tr("Where a question has options, the model could only answer with one of them.")
    elif way and report.strict is not None:
        yield trn(
            "Answers were read leniently from the generated text; by the strict reading of "
            "lm-evaluation-harness 1 is correct.",
            "Answers were read leniently from the generated text; by the strict reading of "
            "lm-evaluation-harness {n} are correct.",
            round(report.strict.correct),
        )


def _ways(report: Report) -> Iterator[str]:
    if report.ways > 1 and report.engine != "people":
        yield trn(
            "Each item was asked in 1 way.",
            "Items were asked in {n} ways (instructions, templates or orders of options), whose "
            "scores are averaged.",
            report.ways,
        )


def _not_right(report: Report) -> Iterator[str]:
    """Answers of which the count before says nothing."""
    if report.unjudged:
        yield trn("1 answer has no verdict and is excluded.",
                  "{n} answers have no verdict and are excluded.", report.unjudged)  # fmt: skip
    refused, empty, cut = (
        report.outcomes.get(name, 0) for name in ("refused", "empty", "thinking_truncated")
    )
    if refused or empty or cut:
        yield tr("Answers without a text to read: {refused} refused, {empty} empty, {cut} cut off "
                 "while thinking.", refused=refused, empty=empty, cut=cut)  # fmt: skip


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
        if others := other_judges_sentence(judge):
            yield others


def _interval(report: Report) -> Iterator[str]:
    if report.total.n:
        yield _interval_of(report.total)


def _interval_of(total: AccuracyEstimate) -> str:
    if total.accuracy in (0.0, 1.0) and total.clusters < total.n:
        return tr(
            "All scores are alike; the 95% interval is Wilson's over as many independent answers "
            "as they would be worth with a correlation within sources of {correlation}, which is "
            "assumed.",
            correlation=ASSUMED_CORRELATION,
        )
    if total.clustered and total.sums is not None and total.sums.skew():
        return tr(
            "The 95% interval is Wilson's over as many independent answers as the scores are "
            "worth, with errors that are cluster-robust over {shared} and never below those of "
            "independent answers, Student's quantile (Korn and Graubard 1998; Bell and McCaffrey "
            "2002) and, on the longer side, Hall's correction for skewness (1992) where it reaches "
            "further.",
            shared=total.shared,
        )
    if total.clustered is not None:
        return tr(
            "The 95% interval is Wilson's over as many independent answers as the scores are "
            "worth, with errors that are cluster-robust over {shared} and never below those of "
            "independent answers, and Student's quantile (Korn and Graubard 1998; Bell and "
            "McCaffrey 2002).",
            shared=total.shared,
        )
    if not total.binary:
        return tr(
            "The 95% interval is Wilson's over as many right-or-wrong answers as the scores are "
            "worth, with Student's quantile."
        )
    return tr("The 95% interval is Wilson's.")
