"""Scores of evaluation runs by the tasks of CIF-Bench that their items belong to."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from core.analysis.cif import PRIVATE, PUBLIC, TaskScore
from core.errors import InputError
from core.evaluation.scoring import Report
from core.families.base import ItemContent
from core.families.catalogue import cif_bench
from core.release.manifest import SplitItem
from core.release.question_ids import parts_of
from core.workflow.analysis.analyze import reports_of
from core.workflow.splits import freeze
from core.workflow.workspace import Workspace
from db import benchmarks as task_rows
from db import items


def cif_scores(ws: Workspace, private: Sequence[str], public: Sequence[str]) -> list[TaskScore]:
    """Scores by task of instruction runs; the two lists say which half each run asked."""
    scores = []
    for half, names in ((PRIVATE, private), (PUBLIC, public)):
        for report in reports_of(ws, names):
            scores += cif_scores_of(ws, report, half)
    if not scores:
        raise InputError.tr(
            "None of the runs contains an item of a CIF-Bench task. Items belong to one by the "
            "name of their task or file, such as {name}. For tasks of your own: benchseal "
            "report RUN --by task", name=cif_bench().task(45).file
        )  # fmt: skip
    return scores


def cif_scores_of(ws: Workspace, report: Report, half: str = PRIVATE) -> list[TaskScore]:
    """Scores by task of one report; empty where no item belongs to a task of CIF-Bench."""
    members = freeze.members_of(ws, report.split)
    return _task_scores(report, half, members, _cif_tasks(ws, members))


def _cif_tasks(ws: Workspace, members: Sequence[SplitItem]) -> dict[str, int]:
    """The CIF-Bench task of every item that has one: by its task's profile or name, or its own."""
    with ws.reading() as session:
        tasks = {task.id: task for task in task_rows.tasks(session)}
        rows = {
            str(row.id): tasks[row.task_id]
            for row in items.get_many(session, [int(m.uid) for m in members])
        }
    ids: dict[str, int] = {}
    for member in members:
        task = rows[member.uid]
        named = cif_bench().match(task.name)
        known = task.profile.get("catalogue_id", named.id if named else None)
        known = cif_task(member.content) if known is None else int(known)
        if known is not None:
            ids[member.uid] = known
    return ids


def _task_scores(
    report: Report, half: str, members: Sequence[SplitItem], tasks: Mapping[str, int]
) -> list[TaskScore]:
    contents = {member.uid: member.content for member in members}
    scores = []
    for entry in report.scores:
        uid, variant = parts_of(entry.id)
        if uid not in tasks or entry.score is None:
            continue
        wording = variant or str(contents[uid].payload.get("instruction_id") or "")
        scores.append(
            TaskScore(
                report.model or report.engine,
                tasks[uid],
                half,
                entry.score,
                wording,
                uid,
                str(report.origin.get("run", "")),
                entry.cluster,
            )
        )
    return scores


def cif_task(content: ItemContent) -> int | None:
    """The id of the CIF-Bench task that an item belongs to, by its provenance or domain."""
    names = [content.provenance.get(n) for n in ("cif_task", "task", "file", "path", "source")]
    for text in (*names, content.domain):
        if text is not None and text != "":
            task = cif_bench().match(Path(str(text)).name)
            if task is not None:
                return task.id
    return None
