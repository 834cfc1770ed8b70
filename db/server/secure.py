"""Putting the rights into a database, and putting them there again after an upgrade."""

from collections.abc import Iterator

from sqlalchemy import Connection, text

from db.server import (
    functions,
    guards,
    import_guards,
    many_rows,
    policies,
    review_steps,
    row_sealing,
    split_guards,
)
from db.server.calls import CHAIN_LOCK
from db.server.groups import Groups, groups_of, make_groups, quoted

_PATIENCE = (
    ("lock_timeout", "30s"),
    ("idle_in_transaction_session_timeout", "10min"),
    ("tcp_keepalives_idle", "30s"),
    ("tcp_keepalives_interval", "10s"),
    ("tcp_keepalives_count", "3"),
)
"""Nobody waits for a lock for ever, and a computer that went away holds none for long."""


def secure(connection: Connection) -> Groups:
    """Make the roles, hand every table to their owner, and give each role its rights.

    May be run again, and leaves the same. The one who calls must own the tables and be allowed to
    make roles.
    """
    groups = groups_of(connection)
    run = connection.exec_driver_sql
    make_groups(connection, groups)
    _hand_over(connection, groups)
    run(f"SET LOCAL ROLE {quoted(groups.owner)}")
    run("DROP SCHEMA IF EXISTS benchseal CASCADE")
    _drop_policies(connection)
    run("CREATE SCHEMA benchseal")
    for statement in _functions(groups):
        run(statement.replace("%", "%%"))
    for statement in (*policies.table_statements(groups), *policies.KINDS, *_rest(groups)):
        run(statement.replace("%", "%%"))
    # a program of before the statistics were looked at has sealed, and left them
    run("SELECT benchseal.renew_statistics()")
    run("RESET ROLE")
    database = quoted(groups.database)
    for group in groups.ladder:
        run(f"GRANT CONNECT ON DATABASE {database} TO {quoted(group)}")
    for group in (groups.lowest, groups.login):
        run(f"GRANT USAGE ON SCHEMA public TO {quoted(group)}")
    run(f"REVOKE ALL ON DATABASE {database} FROM PUBLIC")
    # compiling a policy takes a second, and running it a millisecond
    run(f"ALTER DATABASE {database} SET jit = off")
    for name, value in _PATIENCE:
        run(f"ALTER DATABASE {database} SET {name} = '{value}'")
    run("REVOKE ALL ON SCHEMA public FROM PUBLIC")
    return groups


def _hand_over(connection: Connection, groups: Groups) -> None:
    owner = quoted(groups.owner)
    kinds = {"r": "TABLE", "v": "VIEW", "p": "TABLE"}
    query = text(
        "SELECT c.relkind, c.relname FROM pg_class c JOIN pg_roles r ON r.oid = c.relowner "
        "WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'v', 'p') "
        "AND r.rolname <> :owner"
    )
    for kind, name in connection.execute(query, {"owner": groups.owner}).all():
        connection.exec_driver_sql(f"ALTER {kinds[kind]} {quoted(name)} OWNER TO {owner}")
    connection.exec_driver_sql(f"ALTER FUNCTION refuse_change() OWNER TO {owner}")


def _drop_policies(connection: Connection) -> None:
    query = text("SELECT policyname, tablename FROM pg_policies WHERE schemaname = 'public'")
    for policy, table in connection.execute(query).all():
        connection.exec_driver_sql(f"DROP POLICY {quoted(policy)} ON {quoted(table)}")


def _functions(groups: Groups) -> Iterator[str]:
    ladder = ", ".join(_text(name) for name in groups.ladder)
    values = {
        ":chain:": str(CHAIN_LOCK),
        ":definer:": functions.DEFINER,
        **{f":kinds_{role}:": guards.kinds_of(role) for role in guards.EVENTS_FROM},
        ":ladder:": f"ARRAY[{ladder}]",
        ":login:": quoted(groups.login),
        ":login_text:": _text(groups.login),
        ":owner_text:": _text(groups.owner),
        ":prefix:": _text(groups.of("")),
    }
    for source in (functions.IDENTITY, functions.SIGHT, policies.EXTRA_SIGHT, functions.SERVICES,
                   functions.TELLING, functions.LOGINS, row_sealing.CHECK_BOUND,
                   row_sealing.SEALING, import_guards.FUNCTIONS, *guards.FUNCTIONS,
                   review_steps.FUNCTIONS, many_rows.FUNCTIONS):  # fmt: skip
        for word, value in values.items():
            source = source.replace(word, value)
        yield source


TRIGGERS = frozenset({"a_guard", "b_shown", "b_not_sealed", "is_told", "show_imported", "tell",
                      "follow_person"})  # fmt: skip
"""What ``_rest`` makes on the tables, by functions of the schema ``benchseal``."""


def _rest(groups: Groups) -> Iterator[str]:
    lowest = quoted(groups.lowest)
    yield "REVOKE ALL ON ALL ROUTINES IN SCHEMA benchseal FROM PUBLIC"
    yield f"GRANT USAGE ON SCHEMA benchseal TO {lowest}"
    yield f"GRANT EXECUTE ON ALL ROUTINES IN SCHEMA benchseal TO {lowest}"
    for function in (*row_sealing.FOR_LEADS, *row_sealing.INSIDE, *split_guards.INSIDE,
                     *review_steps.INSIDE, *guards.INSIDE, *many_rows.INSIDE):  # fmt: skip
        yield f"REVOKE ALL ON FUNCTION benchseal.{function} FROM {lowest}"
    for function in row_sealing.FOR_LEADS:
        yield f"GRANT EXECUTE ON FUNCTION benchseal.{function} TO {quoted(groups.highest)}"
    for table in row_sealing.UNCHANGED:
        yield f"DROP TRIGGER IF EXISTS {table}_no_update ON {table}"
        yield row_sealing.only_sealing(table, _text(groups.owner))
    yield f"GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO {lowest}"
    # what waits to be indexed is indexed by whoever writes the text too many: a quarter of a second
    yield "ALTER INDEX ix_search_grams SET (gin_pending_list_limit = 1024)"
    for table, operations, function in guards.GUARDS:
        # the first by name: what it sets is what the others see
        yield f"DROP TRIGGER IF EXISTS a_guard ON {table}"
        yield (
            f"CREATE TRIGGER a_guard BEFORE {operations} ON {table} FOR EACH ROW "
            f"WHEN (current_user <> {_text(groups.owner)}) EXECUTE FUNCTION benchseal.{function}"
        )
    for table in import_guards.BUILT_ON_ITEMS:
        yield f"DROP TRIGGER IF EXISTS b_shown ON {table}"
        yield (
            f"CREATE TRIGGER b_shown BEFORE INSERT ON {table} FOR EACH ROW "
            f"WHEN (current_user <> {_text(groups.owner)}) "
            "EXECUTE FUNCTION benchseal.refuse_hidden()"
        )
    yield "DROP TRIGGER IF EXISTS show_imported ON event"
    yield import_guards.SHOWING
    yield from _of_splits(_text(groups.owner))
    yield "DROP TRIGGER IF EXISTS tell ON event"
    yield (
        "CREATE TRIGGER tell AFTER INSERT ON event REFERENCING NEW TABLE AS fresh "
        "FOR EACH STATEMENT EXECUTE FUNCTION benchseal.tell()"
    )
    yield "DROP TRIGGER IF EXISTS follow_person ON person"
    yield (
        "CREATE TRIGGER follow_person AFTER INSERT OR UPDATE OF role, active, account ON person "
        "FOR EACH ROW EXECUTE FUNCTION benchseal.follow_person()"
    )


def _of_splits(owner: str) -> Iterator[str]:
    for table, operations, columns in split_guards.TEXTS:
        yield f"DROP TRIGGER IF EXISTS b_not_sealed ON {table}"
        yield (
            f"CREATE TRIGGER b_not_sealed BEFORE {operations} ON {table} FOR EACH ROW WHEN "
            f"(current_user <> {owner}) "
            f"EXECUTE FUNCTION benchseal.refuse_sealed({', '.join(map(_text, columns))})"
        )
    yield "DROP TRIGGER IF EXISTS is_told ON split"
    yield (
        "CREATE CONSTRAINT TRIGGER is_told AFTER INSERT OR UPDATE OF state ON split "
        "DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION benchseal.split_is_told()"
    )


def _text(value: str) -> str:
    escaped = value.replace("'", "''")
    return f"'{escaped}'"
