"""Who acts: names that look alike, whose account is whose, and whether accounts decide."""

from collections.abc import Iterator, Sequence

from core.confusables import look_alike
from core.i18n import tr
from core.workflow.verify.findings import VerifyFinding, VerifyRun
from db import benchmarks, ledger, people, splits
from db.queries import facts
from db.vocabulary import EventKind


def look_alikes(verification: VerifyRun) -> Iterator[VerifyFinding]:
    """Every name that people take for another; new ones are refused, older ones stay."""
    session = verification.session
    groups: list[list[str]] = [
        [row.name for row in people.everybody(session)],
        [row.name for row in benchmarks.benchmarks(session)],
        [row.name for row in splits.all_splits(session)],
    ]
    groups += [
        [task.name for task in benchmarks.tasks(session, home.id)]
        for home in benchmarks.benchmarks(session)
    ]
    for names in groups:
        yield from _alike(names)


def _alike(names: Sequence[str]) -> Iterator[VerifyFinding]:
    for place, name in enumerate(names):
        if (other := look_alike(name, names[:place])) is not None:
            yield VerifyFinding("name", name, tr("it looks like “{other}”", other=other))


def accounts(verification: VerifyRun) -> Iterator[VerifyFinding]:
    """Every account, and the workspace being shared, that no event tells of."""
    session = verification.session
    recorded: dict[str, str] = {}
    for event in ledger.newest(session, (EventKind.PERSON,)):
        if "account" in event.data:
            recorded.setdefault(event.subject, str(event.data["account"]))
    for row in people.everybody(session):
        known, stored = recorded.get(row.name, ""), row.account or ""
        if known != stored:
            detail = tr(
                "its account is “{stored}”, but the ledger says “{known}”",
                stored=stored,
                known=known,
            )
            yield VerifyFinding("account", row.name, detail)
    newest = next(iter(ledger.newest(session, (EventKind.WORKSPACE,))), None)
    if facts.is_shared(session) != bool(newest and newest.data.get("shared")):
        detail = tr("whether it is shared differs from what the ledger says")
        yield VerifyFinding("account", tr("the workspace"), detail)
