"""A workspace with many evaluated models, for the leaderboard: answers planted in run folders."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from core.evaluation.run import EvaluateParams
from core.evaluation.scoring import keys_of
from core.families.base import ItemContent
from core.finetuning.params import FinetuneParams
from core.sources.labelled.datasets import EMOTION
from core.workflow import people
from core.workflow.splits import freeze
from core.workflow.workspace import Workspace
from tests.finished_runs import Cell, finished_run, finished_simulation
from tests.splits import freeze_split, varied

LEAD = "Li"


def spread(count: int, domains: Sequence[str], start: int = 0) -> list[ItemContent]:
    """Items that differ, their domains in turn."""
    return [
        replace(varied(n), domain=domains[n % len(domains)]) for n in range(start, start + count)
    ]


def answered(ws: Workspace, split: str, model: str, skill: Mapping[str, float] | float) -> str:
    """A finished evaluation: right with a probability, by domain or everywhere."""
    draw = random.Random(f"{split} {model}")
    rows = []
    for key in keys_of(freeze.members_of(ws, split)):
        wanted = skill if isinstance(skill, float) else skill[key.domain]
        text = key.answer if draw.random() < wanted else "–"
        rows.append({"id": key.id, "text": text})
    params = EvaluateParams(engine="openai", model=model, split=split)
    return finished_run(ws, "evaluate", params, rows)


def simulated(ws: Workspace, base: Path) -> str:
    """A finished simulation of contamination, its F1 rising with what was seen."""
    cells: dict[str, list[Cell]] = {}
    for name, slope in (("orig", 0.5), ("semt", 0.4), ("ours", 0.3)):
        known: list[Cell] = [("zero", 0, 0.3)]
        for share in (20, 40, 60, 80, 100):
            seen = slope * share / 100
            known += [("test", share, 0.3 + seen), ("train", share, 0.42)]
            known.append(("train+test", share, 0.42 + seen / 1.6))
        cells[name] = known
    return finished_simulation(ws, FinetuneParams(base_model=str(base), task=EMOTION), cells)


def make_leaders(
    place: Path, models: int = 6, domains: Sequence[str] = ("cs", "math", "physics", "q-bio"),
    items: int = 120,
) -> Path:  # fmt: skip
    """Two periods, many models, public scores in a file, and a simulation."""
    ws = Workspace.create(place)
    people.ensure_person(ws, LEAD, "lead")
    draw = random.Random(4)
    for period, start in (("2026a", 0), ("2026b", 1000)):
        freeze_split(ws, {"all": spread(items, domains, start)}, period, f"arxiv-{period}")
        for number in range(models):
            base = 0.25 + 0.5 * number / max(1, models - 1)
            skill = {d: min(0.95, base + draw.uniform(-0.12, 0.12)) for d in domains}
            answered(ws, period, model_name(number), skill)
    public = place / "public"
    public.mkdir()
    lines = ["model,domain,accuracy,n"]
    for number in range(models - 1):
        for domain in domains:
            accuracy = min(0.97, 0.45 + 0.5 * number / max(1, models - 1) + draw.uniform(0, 0.1))
            lines.append(f"{model_name(number)},{domain},{accuracy:.3f},400")
    (public / "openly.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    simulated(ws, place)
    ws.close()
    return place


def model_name(number: int) -> str:
    """Names as models have them, one of them Chinese."""
    return "示例模型-7B" if number == 1 else f"model-{number}-instruct"
