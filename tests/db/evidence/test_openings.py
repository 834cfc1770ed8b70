"""The triggers that hold up a policy are taken away whichever version of the program made them."""

import pytest

from core.workflow.workspace import Workspace
from db.evidence.openings import free_openings, keep_openings

OURS = {"run_within_openings", "run_keeps_its_model", "event_by_another_lead",
        "event_of_a_named_model"}  # fmt: skip
TRIGGERS = {"sqlite": "SELECT name FROM sqlite_master WHERE type = 'trigger'",
            "postgresql": "SELECT tgname FROM pg_trigger WHERE NOT tgisinternal"}  # fmt: skip
# before uses of every kind were counted, one was lacking and one was another
EARLIER = {
    "sqlite": ("DROP TRIGGER run_keeps_its_model",
               "CREATE TRIGGER event_of_a_named_model BEFORE INSERT ON event BEGIN SELECT 1; END"),
    "postgresql": ("DROP TRIGGER run_keeps_its_model ON run",
                   "CREATE TRIGGER event_of_a_named_model BEFORE INSERT ON event FOR EACH ROW "
                   "EXECUTE FUNCTION keep_openings()"),
}  # fmt: skip


def named(ws: Workspace) -> set[str]:
    with ws.reading() as session:
        rows = session.connection().exec_driver_sql(TRIGGERS[session.dialect.name])
        return OURS & set(rows.scalars())


def carry_out(ws: Workspace, *statements: str) -> None:
    with ws.writing() as session:
        for statement in statements:
            session.connection().exec_driver_sql(statement)


@pytest.mark.parametrize("earlier", [False, True])
def test_no_trigger_is_left(ws: Workspace, earlier: bool):
    dialect = "postgresql" if ws.is_server else "sqlite"
    whole = named(ws)
    assert whole
    if earlier:
        carry_out(ws, *EARLIER[dialect])
    carry_out(ws, *free_openings(dialect))
    assert named(ws) == set()
    carry_out(ws, *keep_openings(dialect))
    assert named(ws) == whole
