"""One attempt on a team's server, and the statements that several attempts share."""

from dataclasses import dataclass

ANNOTATOR, SPECIALIST, RESEARCHER, LEAD = "annotator", "specialist", "researcher", "lead"
EVERYBODY = (ANNOTATOR, SPECIALIST, RESEARCHER, LEAD)
FROM_SPECIALIST, FROM_RESEARCHER, LEADS = EVERYBODY[1:], EVERYBODY[2:], (LEAD,)
NOBODY: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Probe:
    """One thing to try: on which table, what (as the help shows it), the statement, who may."""

    table: str
    action: str
    sql: str
    allowed: tuple[str, ...] = NOBODY


_DECISION = (
    "INSERT INTO decision (item_id, revision, stage, kind, person_id, verdict, reason, note, "
    "seconds, at) VALUES ({item}, 1, 2, '{kind}', {person}, 'accept', '', '', 1, {at})"
)
_EVENT = (
    "INSERT INTO event (id, at, actor, kind, item_id, subject, data, previous, hash) "
    "SELECT t.id + {step}, {at}, '{actor}', '{kind}', NULL, '', '{{}}', t.hash, {hash} "
    "FROM benchseal.ledger_tip() t"
)
_NOW = "to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.US') || '+00:00'"


def event_row(actor: str = "{my_name}", kind: str = "unsure", at: str = _NOW, step: int = 1) -> str:
    return _EVENT.replace("{actor}", actor).replace("{kind}", kind).replace("{at}", at).replace(
        "{step}", str(step)).replace("{hash}", "repeat('a', 64)")  # fmt: skip


def decision_row(item: str, person: str = "{me}", kind: str = "review", at: str = "now()") -> str:
    return _DECISION.replace("{item}", item).replace("{person}", person).replace(
        "{kind}", kind).replace("{at}", at)  # fmt: skip
