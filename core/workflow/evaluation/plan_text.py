"""A plan in words: the same in the window and on the command line."""

from collections.abc import Mapping, Sequence

from core.i18n import tr, trn
from core.workflow.evaluation.plan import EvaluationPlan, PlanCheck, Severity

MARKS: Mapping[Severity, str] = {"stop": "✕", "warn": "!", "note": "·", "good": "✓"}
"""The sign before a finding; the worst first."""


def worst_first(findings: Sequence[PlanCheck]) -> list[PlanCheck]:
    """Findings in the order in which a person should read them."""
    order = list(MARKS)
    return sorted(findings, key=lambda check: order.index(check.severity))


def number(value: float, digits: int = 0) -> str:
    """A number with thousands separators."""
    return f"{value:,.{digits}f}"


def prompts_text(plan: EvaluationPlan) -> str:
    """How many prompts, and what they are made of."""
    prompts = trn("1 prompt", "{n} prompts", plan.prompts)
    items = trn("1 item", "{n} items", plan.load.items)
    models = trn("1 model", "{n} models", plan.models)
    if plan.load.wordings > 1:
        return tr("{prompts}: {items} with up to {wordings} instruction variants, for {models}.",
                  prompts=prompts, items=items, wordings=plan.load.wordings,
                  models=models)  # fmt: skip
    if plan.models > 1:
        return tr("{prompts}: {items}, for {models}.", prompts=prompts, items=items, models=models)
    return trn("1 prompt, for the only item.", "{n} prompts, one for each item.", plan.prompts)


def time_of(plan: EvaluationPlan) -> str:
    """How long it takes, as far as a trial has shown."""
    if plan.seconds is None or plan.trial is None:
        return tr("unknown before a trial run")
    return tr(
        "about {time}: {startup} to start, then {each} ms per prompt",
        time=duration(plan.seconds),
        startup=duration(plan.trial.startup_s),
        each=number(1000 * plan.trial.each_s, 1 if plan.trial.each_s < 0.1 else 0),
    )


def tokens_of(plan: EvaluationPlan) -> str:
    """How many tokens go in and come out."""
    if not plan.prompt_tokens and not plan.completion_tokens:
        return tr("none")
    prompts = number(plan.prompt_tokens)
    answered = number(plan.completion_tokens)
    if plan.measured:
        return tr("about {asked} in and {answered} out, according to the trial run", asked=prompts,
                  answered=answered)  # fmt: skip
    return tr("about {asked} in, estimated from characters; at most {answered} out", asked=prompts,
              answered=answered)  # fmt: skip


def cost_of(plan: EvaluationPlan) -> str:
    """What it costs by the prices that were given."""
    if plan.request.prices is None:
        return tr("no price given")
    cost = number(plan.cost or 0.0, 2)
    if plan.measured:
        return tr("about {cost}, in the currency of the prices", cost=cost)
    return tr("at most {cost}, in the currency of the prices", cost=cost)


def duration(seconds: float) -> str:
    """How long something takes, to the precision a person cares about."""
    if seconds < 10:
        return tr("{count} s", count=number(seconds, 1))
    if seconds < 90:
        return tr("{count} s", count=round(seconds))
    if seconds < 5400:
        return tr("{count} min", count=round(seconds / 60))
    return tr("{count} h", count=number(seconds / 3600, 1))


def plan_text(plan: EvaluationPlan) -> str:
    """The whole plan, line by line."""
    lines = [prompts_text(plan)]
    found = worst_first(plan.findings)
    lines += [f"  {MARKS[check.severity]} {check.on_command_line}" for check in found]
    lines += [
        tr("Time: {time}.", time=time_of(plan)),
        tr("Tokens: {tokens}.", tokens=tokens_of(plan)),
        tr("Cost: {cost}.", cost=cost_of(plan)),
    ]
    return "\n".join(lines)
