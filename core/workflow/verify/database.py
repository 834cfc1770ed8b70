"""Whether the database itself is as the program's migrations make it: tables, indices, triggers,
views; and what SQLite finds damaged in its own file."""

from collections.abc import Iterator

from core.i18n import tr
from core.workflow.verify.findings import VerifyFinding, VerifyRun
from db.counting import item_counts
from db.queries import catalogue


def differences(run: VerifyRun) -> Iterator[VerifyFinding]:
    """Every part that is foreign, missing or altered, and every damage."""
    details = {
        "foreign": tr("the program did not make it"),
        "missing": tr("it is missing from the database"),
        "changed": tr("it is not as the program made it"),
    }
    for kind, name, what in catalogue.differences(run.session):
        yield VerifyFinding("schema", f"{kind} {name}", details[what])
    for damage in catalogue.damages(run.session):
        yield VerifyFinding("damage", tr("database"), damage)


def counts(run: VerifyRun) -> Iterator[VerifyFinding]:
    """Where the numbers of items that the database keeps are not those that it has."""
    for found in item_counts.differences(run.session):
        task, state = (found.key[item_counts.KEY.index(name)] for name in ("task_id", "state"))
        detail = tr(
            "items of task {task} in state {state}: the file says {kept}, it has {there}",
            task=task, state=state, kept=found.kept, there=found.there,
        )  # fmt: skip
        yield VerifyFinding("schema", "item_count", detail)
