"""Workspaces with something in them, for tests of the workflow."""

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from core.workflow import tasks
from core.workflow.check import review
from core.workflow.items import history
from core.workflow.production import import_items, write
from core.workflow.production.import_items import ImportOrder
from core.workflow.workspace import Workspace
from db import gold, ledger, runs, screenings
from db.engine import Session
from db.vocabulary import EventKind

BENCHMARK = "bench"
TASK = "titles"


def payload(text: str, **more: Any) -> dict[str, Any]:
    """A sound instruction triplet."""
    return {
        "instruction": "为下面的文章写一个标题。",
        "input": f"文章：{text}，讲的是春天里的一次远足。",
        "output": f"{text}的春天",
        "language": "zh",
        **more,
    }


def make_task(
    ws: Workspace, name: str = TASK, *, family: str = "instruction", **settings: object
) -> str:
    """An instruction task without a gate, unless the settings say otherwise."""
    values = {"gate": "off", **{key: str(value) for key, value in settings.items()}}
    tasks.add(ws, name, family, benchmark=BENCHMARK, format="triplet", protocol=values)
    return name


def write_items(
    ws: Workspace, count: int, *, author: str = "ann", task: str = TASK, start: int = 0
) -> list[int]:
    """Items that somebody wrote and handed in."""
    return [
        write.submit(ws, author, task, payload(f"第{start + place}次")).number
        for place in range(count)
    ]


def import_from_sources(ws: Workspace, folder: Path, sources: Iterable[object]) -> None:
    """Import one item for each source into TASK, by the person ann."""
    rows = [
        {"Instruction": "判断。", "Input": f"第{n}次", "Output": "好", "doc_id": f"d{source}"}
        for n, source in enumerate(sources)
    ]
    path = folder / "rows.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    import_items.import_file(ws, ImportOrder(path, TASK, BENCHMARK, person="ann"))


def screened(ws: Workspace, number: int, score: float) -> None:
    """A run of the gate gave an item this score."""
    screened_all(ws, {number: score})


def screened_all(ws: Workspace, scores: Mapping[int, float]) -> None:
    """A run of the gate gave items these scores, and let them pass."""
    with ws.writing() as session:
        runs.add(session, "r1", "prescreen")
        screenings.add(session, [
            {
                "item_id": number, "revision": 1, "run_id": "r1", "outcome": "passed",
                "score": score, "threshold": 6.0, "rationale": "通顺", "model": "m",
                "prompt_version": "1", "audited": False, "tokens": 9,
            }
            for number, score in scores.items()
        ])  # fmt: skip


def accept_all(ws: Workspace, numbers: Sequence[int], *reviewers: str) -> None:
    """Every reviewer accepts every item."""
    for number in numbers:
        for reviewer in reviewers:
            review.decide(ws, reviewer, number, "accept")


def gold_answers(ws: Workspace) -> list[tuple[str, bool]]:
    """Who answered each gold item and whether rightly, in the order of the answers."""
    with ws.reading() as session:
        return [(row[0], row[3] == row[4]) for row in gold.answers(session)]


def ratings_of(ws: Workspace, viewer: str, number: int) -> dict[str, dict[str, float]]:
    """The ratings that somebody sees of an item: by rater, then criterion."""
    table: dict[str, dict[str, float]] = {}
    for rating in history.item_history(ws, number, viewer).ratings:
        table.setdefault(rating.person, {})[rating.criterion] = rating.value
    return table


def all_events(session: Session) -> list[ledger.LedgerEvent]:
    """The whole ledger, oldest first."""
    return list(ledger.newest(session, tuple(EventKind)))[::-1]


def new_workspace(folder: Path) -> Workspace:
    """An empty workspace in a SQLite file."""
    return Workspace.create(folder / "workspace")


def freeze_command(place: str, name: str = "p") -> list[str]:
    """The words that freeze the test benchmark, with a reason for whatever the checks find."""
    order = ["freeze", name, "--benchmark", BENCHMARK, "--reason", "a test", "--json"]
    return ["--workspace", place, *order]
