"""The roles of PostgreSQL that a workspace has on its server, named after its database.

Roles belong to the whole server, so each workspace has its own: one without a login that owns the
tables, one for each rung of the ladder (whoever stands higher is a member of those before), and
``login``, of which every login is a member that the workspace made and may therefore change.
"""

from dataclasses import dataclass

from sqlalchemy import Connection, text

from db.vocabulary import Role

LONGEST_DATABASE = 40  # characters: a role's name has at most 63 bytes


@dataclass(frozen=True, slots=True)
class Groups:
    """Names of the roles of one workspace; none of them can log in."""

    database: str

    @property
    def owner(self) -> str:
        """Who owns every table, and makes the logins."""
        return f"benchseal_{self.database}_owner"

    @property
    def login(self) -> str:
        """Of which all logins are members that this workspace made."""
        return f"benchseal_{self.database}_login"

    def of(self, role: str) -> str:
        """The group of a rung of the ladder."""
        return f"benchseal_{self.database}_{role}"

    @property
    def ladder(self) -> tuple[str, ...]:
        """The groups of all rungs, lowest first."""
        return tuple(self.of(role) for role in Role)

    @property
    def lowest(self) -> str:
        """The group that everybody who works here belongs to."""
        return self.of(Role.ANNOTATOR)

    @property
    def highest(self) -> str:
        """The group of leads."""
        return self.of(Role.LEAD)


def groups_of(connection: Connection) -> Groups:
    """The groups of the database that a connection is to; ValueError for too long a name."""
    name = str(connection.execute(text("SELECT current_database()")).scalar_one())
    if len(name.encode()) > LONGEST_DATABASE:
        raise ValueError(name)
    return Groups(name)


def quoted(name: str) -> str:
    """A name as an identifier of SQL."""
    escaped = name.replace('"', '""')
    return f'"{escaped}"'


def make_groups(connection: Connection, groups: Groups) -> None:
    """Make the roles that are not there yet, and become their owner for this transaction.

    The one who calls must be allowed to make roles. They are made as the owner, who may then put
    people into them.
    """
    run = connection.exec_driver_sql
    if not _exists(connection, groups.owner):
        run(f"CREATE ROLE {quoted(groups.owner)} NOLOGIN CREATEROLE")
    # from PostgreSQL 16 on, who makes a role may give it, but not yet become it
    newer = str(run("SHOW server_version_num").scalar_one()) >= "160000"
    become = "SET" if newer else "MEMBER"
    query = text("SELECT pg_has_role(current_user, :owner, :become)")
    if not connection.execute(query, {"owner": groups.owner, "become": become}).scalar():
        run(f"GRANT {quoted(groups.owner)} TO CURRENT_USER")
    run(f"GRANT CREATE ON DATABASE {quoted(groups.database)} TO {quoted(groups.owner)}")
    run(f"GRANT USAGE, CREATE ON SCHEMA public TO {quoted(groups.owner)}")
    run(f"SET LOCAL ROLE {quoted(groups.owner)}")
    for name in (*groups.ladder, groups.login):
        if not _exists(connection, name):
            run(f"CREATE ROLE {quoted(name)} NOLOGIN")
    for lower, higher in zip(groups.ladder, groups.ladder[1:], strict=False):
        run(f"GRANT {quoted(lower)} TO {quoted(higher)}")
    run("RESET ROLE")


def _exists(connection: Connection, name: str) -> bool:
    query = text("SELECT 1 FROM pg_catalog.pg_roles WHERE rolname = :name")
    return connection.execute(query, {"name": name}).first() is not None
