"""Which rows and columns each rung of the ladder may read and write: the table of rights.

A right belongs to a rung and to all above it. A condition is about one row; where there is none,
the right is to every row. What is not named is refused. Row security is forced, so that it holds
for the owner of the tables as well, whose own policy is all that the functions of ``functions``
lean on.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from db.server.functions import DEFINER
from db.server.groups import Groups, quoted
from db.tables import METADATA
from db.vocabulary import Role

A, S, R, L = Role

ME = "(SELECT benchseal.me())"
RANK = "(SELECT benchseal.rank())"
_OWN = f"person_id = {ME}"


@dataclass(frozen=True, slots=True)
class Right:
    """What a rung may do with the rows of a table. ``columns`` narrows an insert or an update; a
    right to lock rows alone is an update of a column that a trigger keeps as it is."""

    role: Role
    rows: str = "true"
    columns: tuple[str, ...] = ()
    check: str = ""
    """What must be true of a row afterwards, where that is something else."""


@dataclass(frozen=True, slots=True)
class TableRights:
    """All rights to one table."""

    select: tuple[Right, ...] = ()
    insert: tuple[Right, ...] = ()
    update: tuple[Right, ...] = ()
    delete: tuple[Right, ...] = ()


def _everybody_reads(*, insert: tuple[Right, ...] = (), update: tuple[Right, ...] = (),
                     delete: tuple[Right, ...] = ()) -> TableRights:  # fmt: skip
    return TableRights((Right(A),), insert, update, delete)


def _new(table: str, role: Role = A, rows: str = _OWN) -> Right:
    """New rows, in one's own name: their numbers are the server's, as one that somebody chose could
    be in the way of later ones."""
    columns = METADATA.tables[table].columns
    return Right(role, rows, tuple(column.name for column in columns if column.name != "id"))


_KNOWS = f"{_OWN} OR {RANK} = 4 OR benchseal.knows(item_id, revision)"
_READS = f"{RANK} = 4 OR benchseal.reads(item_id)"
_OWN_DRAFTS = TableRights(
    (Right(A, _OWN),), (Right(A, _OWN),), (Right(A, _OWN),), (Right(A, _OWN),)
)
_PUBLIC = "(state = 'expired' OR coalesce(manifest ->> 'half', '') = 'public')"
_OWN_OR_LEADING = f"{_OWN} OR {RANK} >= 3"

RIGHTS: Mapping[str, TableRights] = {
    "alembic_version": _everybody_reads(),
    "meta": _everybody_reads(insert=(Right(L),), update=(Right(L, columns=("value",)),)),
    "person": _everybody_reads(
        insert=(Right(L),),
        # a lock is all that others get: nobody can set a name again
        update=(
            Right(A, columns=("name",)),
            Right(L, columns=("role", "active", "account", "gold_from")),
        ),
    ),
    "benchmark": _everybody_reads(insert=(Right(R),), update=(Right(R, columns=("name",)),)),
    "task": _everybody_reads(
        insert=(Right(R),), update=(Right(R, columns=("round",)), Right(L, columns=("profile",)))
    ),
    "protocol": _everybody_reads(insert=(Right(R, f"version = 1 OR {RANK} = 4"),)),
    "item": _everybody_reads(
        insert=(Right(A),),
        update=(
            Right(A, columns=("state", "revision", "open_slots", "taken", "disputed",
                              "content_hash", "label", "changed_at")),
            Right(R, columns=("round", "lot_id", "barred", "run_id")),
        ),
    ),
    "pending_import": _everybody_reads(
        insert=(Right(R, _OWN),), update=(Right(R, _OWN, ("last",)),)
    ),
    "revision": TableRights((Right(A, _READS),), (Right(A),)),
    "search_text": TableRights((Right(A, _READS),), (Right(A, "benchseal.reads(item_id)"),)),
    "screening": TableRights(
        (Right(A, f"{RANK} = 4 OR benchseal.knows(item_id, revision)"),), (Right(R),)
    ),
    "assignment": TableRights(
        (Right(A, _OWN_OR_LEADING),),
        (_new("assignment"), _new("assignment", L, "reason = 'package'")),
        (Right(A, _OWN_OR_LEADING, ("state", "lease_until", "reason", "at")),),
    ),
    "decision": TableRights(
        (Right(A, _KNOWS),),
        (_new("decision"),),
        (Right(A, _OWN, ("withdrawn_event",)),),
    ),
    "rating": TableRights(
        (Right(A, f"{_OWN} OR {RANK} >= 3 AND NOT benchseal.holds_rating(item_id, revision) "
                  "OR benchseal.rated(item_id, revision)"),),
        (_new("rating"),),
        (Right(A, _OWN, ("withdrawn_event",)),),
    ),
    "comment": TableRights(
        (Right(A, f"{_OWN} OR {RANK} >= 3 OR benchseal.knows(item_id, revision) "
                  "OR kind = 'answer' AND benchseal.my_thread(thread)"),),
        (_new("comment"),),
        (Right(A, f"{_OWN} OR kind = 'answer' AND benchseal.my_thread(thread)",
               ("withdrawn_event", "seen_at")),),
    ),
    "draft": _OWN_DRAFTS,
    "note_draft": _OWN_DRAFTS,
    "task_share": _everybody_reads(
        insert=(Right(L),), update=(Right(L, columns=("most", "due")),), delete=(Right(L),)
    ),
    "pause": _everybody_reads(
        insert=(Right(L),), update=(Right(L, columns=("reason",)),), delete=(Right(L),)
    ),
    "rating_draw": _everybody_reads(insert=(Right(R, f"person_id IS NULL OR {_OWN}"),)),
    "rating_draw_item": _everybody_reads(insert=(Right(R),)),
    "gold": TableRights(
        (Right(A, f"{RANK} >= 3 AND NOT benchseal.holds(item_id, revision) OR {RANK} = 4 "
                  "OR benchseal.answered_gold(item_id)"),),
        (Right(R, _OWN),),
        (
            Right(R, columns=("revision", "task_id", "verdict", "active", "person_id", "at"),
                  check=f"person_id IS NULL OR {_OWN} OR NOT active"),
        ),
    ),
    "lot": TableRights(
        (Right(S),), (Right(R, _OWN),), (Right(R, columns=("state", "ended_at")),)
    ),
    "lot_item": TableRights((Right(S),), (Right(R),)),
    "split": TableRights(
        (Right(A, f"{RANK} >= 3 OR {_PUBLIC}"),),
        (Right(R, f"person_id IS NULL OR {_OWN}"),),
        (Right(R, columns=("state",)),),
    ),
    "split_item": TableRights(
        (Right(A, f"{RANK} = 4 OR {RANK} = 3 AND NOT benchseal.is_sealed(split_id) "
                  "OR benchseal.is_public(split_id)"),),
        (Right(R),),
    ),
    "split_key": TableRights(
        (Right(R, f"{RANK} = 4 OR NOT benchseal.is_sealed(split_id)"),), (Right(R),)
    ),
    "run": TableRights(
        (Right(A),), (Right(R),),
        (Right(R, columns=("params", "launcher", "shards", "taken_in_at", "summary")),),
    ),
    "answer": TableRights(
        (Right(A, f"{RANK} >= 3 OR benchseal.knows_item(item_id)"),), (Right(R),),
        (Right(R, columns=("outcome", "text", "extracted", "score")),)
    ),
    "saved_filter": TableRights(
        (Right(S),), (Right(S, f"person_id IS NULL OR {_OWN}"),),
        (Right(S, columns=("settings", "person_id", "at"), check=_OWN),), (Right(S),),
    ),
    "event": TableRights(
        # of items that they do not hold, researchers read all without a look at each
        (Right(A, f"actor = (SELECT benchseal.my_name()) OR {RANK} = 4 OR {RANK} = 3 "
                  "AND item_id <> ALL ((SELECT benchseal.held_items())) "
                  "OR benchseal.open_event(item_id, kind, data)"),),
        (Right(A, "actor = (SELECT benchseal.my_name())"),),
    ),
}  # fmt: skip
"""Every table of the schema."""

EXTRA_SIGHT = """
CREATE OR REPLACE FUNCTION benchseal.held_items() RETURNS bigint[]
  LANGUAGE plpgsql STABLE :definer: AS $$
  BEGIN RETURN ARRAY(SELECT a.item_id FROM assignment a
    WHERE a.person_id = benchseal.me() AND a.state = 'leased'); END $$;
CREATE OR REPLACE FUNCTION benchseal.holds_rating(item bigint, rev integer) RETURNS boolean
  LANGUAGE sql STABLE :definer: AS $$
  SELECT benchseal.rank() < 4 AND EXISTS (SELECT FROM assignment a WHERE a.item_id = item
    AND a.revision = rev AND a.stage = 4 AND a.person_id = benchseal.me()
    AND a.state = 'leased') $$;
CREATE OR REPLACE FUNCTION benchseal.knows_item(which bigint) RETURNS boolean
  LANGUAGE sql STABLE :definer: AS $$
  SELECT benchseal.knows(i.id, i.revision) FROM item i WHERE i.id = which $$;
CREATE OR REPLACE FUNCTION benchseal.is_sealed(which integer) RETURNS boolean
  LANGUAGE sql STABLE :definer: AS $$
  SELECT EXISTS (SELECT FROM split s WHERE s.id = which AND s.state = 'sealed') $$;
CREATE OR REPLACE FUNCTION benchseal.is_public(which integer) RETURNS boolean
  LANGUAGE sql STABLE :definer: AS $$
  SELECT EXISTS (SELECT FROM split s WHERE s.id = which AND (s.state = 'expired'
    OR coalesce(s.manifest ->> 'half', '') = 'public')) $$;
CREATE OR REPLACE FUNCTION benchseal.homes_of(numbers bigint[]) RETURNS TABLE (name text)
  LANGUAGE sql STABLE :definer: AS $$
  SELECT s.name::text FROM split s JOIN split_item p ON p.split_id = s.id
    WHERE p.item_id = ANY (numbers) AND benchseal.reads(p.item_id) $$;
CREATE OR REPLACE FUNCTION benchseal.participants(which integer) RETURNS TABLE (name text)
  LANGUAGE sql STABLE :definer: AS $$
  WITH own AS MATERIALIZED (SELECT item_id AS member FROM split_item WHERE split_id = which),
    people AS (SELECT author_id AS person FROM revision JOIN own ON member = item_id
      UNION SELECT person_id FROM assignment JOIN own ON member = item_id
      UNION SELECT person_id FROM decision JOIN own ON member = item_id
      UNION SELECT person_id FROM rating JOIN own ON member = item_id
      UNION SELECT person_id FROM comment JOIN own ON member = item_id)
  SELECT n.name::text FROM person n JOIN people ON n.id = person WHERE benchseal.rank() >= 3 $$;
CREATE OR REPLACE FUNCTION benchseal.open_event(item bigint, what text, told text) RETURNS boolean
  LANGUAGE plpgsql STABLE :definer: AS $$
DECLARE
  place integer := benchseal.rank();
  said jsonb;
BEGIN
  IF place = 0 THEN RETURN false; END IF;
  IF item IS NULL THEN
    RETURN place >= 3 OR what NOT IN ('rated', 'bulk', 'undone', 'bound');
  END IF;
  IF what = 'gold' THEN
    RETURN place >= 3 AND NOT EXISTS (SELECT FROM assignment a WHERE a.item_id = item AND a.gold
      AND a.person_id = benchseal.me() AND a.state = 'leased') OR benchseal.answered_gold(item);
  END IF;
  IF what IN ('created', 'submitted', 'revised', 'claimed', 'frozen', 'approved') THEN
    RETURN place >= 2 OR benchseal.wrote(item);
  END IF;
  said := told::jsonb;
  IF said ->> 'gold' IS NOT NULL AND place < 3 THEN RETURN false; END IF;
  IF what = 'rated' THEN
    RETURN place >= 3 OR benchseal.rated(item, coalesce((said ->> 'revision')::integer, 1));
  END IF;
  RETURN benchseal.knows(item, coalesce((said ->> 'revision')::integer, 1));
END $$;
"""


def table_statements(groups: Groups) -> Iterator[str]:
    """The statements that give exactly these rights, in the place of any others."""
    for table, rights in RIGHTS.items():
        yield f"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY"
        yield f"ALTER TABLE {table} FORCE ROW LEVEL SECURITY"
        yield f"REVOKE ALL ON {table} FROM PUBLIC"
        for group in groups.ladder:
            yield f"REVOKE ALL ON {table} FROM {quoted(group)}"
        yield (
            f"CREATE POLICY owns ON {table} TO {quoted(groups.owner)} "
            "USING (true) WITH CHECK (true)"
        )
        for operation in ("select", "insert", "update", "delete"):
            for place, right in enumerate(getattr(rights, operation)):
                yield from _statements(groups, table, operation, place, right)
    # whoever works here no longer still hears so, and nothing else
    left = quoted(groups.login)
    yield f"GRANT SELECT ON person, meta, alembic_version TO {left}"
    yield f"CREATE POLICY self ON person FOR SELECT TO {left} USING (account = session_user::text)"
    for table in ("meta", "alembic_version"):
        yield f"CREATE POLICY leaves ON {table} FOR SELECT TO {left} USING (true)"


def _statements(
    groups: Groups, table: str, operation: str, place: int, right: Right
) -> Iterator[str]:
    group = quoted(groups.of(right.role))
    columns = f" ({', '.join(right.columns)})" if right.columns else ""
    yield f"GRANT {operation.upper()}{columns} ON {table} TO {group}"
    if place and right.rows == "true" and not right.check:
        return  # more columns of the same rows
    rows = right.rows
    if operation == "select" and "benchseal." in _ASKED_ONCE.sub("", rows):
        function, rows = _first_of_all(table, rows)
        yield function
    using = "" if operation == "insert" else f" USING ({rows})"
    check = right.check or right.rows
    with_check = f" WITH CHECK ({check})" if operation in ("insert", "update") else ""
    yield (
        f"CREATE POLICY {operation}_{place} ON {table} FOR {operation.upper()} TO {group}"
        f"{using}{with_check}"
    )


_ASKED_ONCE = re.compile(r"\(SELECT benchseal\.(\w+)\(\)\)")
_TYPES = {"me": "integer", "rank": "integer", "my_name": "text", "held_items": "bigint[]"}
_OPERATOR = re.compile(r" (=|>=|<>) ")


def _first_of_all(table: str, rows: str) -> tuple[str, str]:
    """A condition as a function that costs next to nothing, and its call.

    The server asks conditions that tell nothing to others (such as ``verdict = 'reject'``) first
    where they are cheaper than a policy: whether the policy was then asked at all shows in what
    EXPLAIN counts and in the time it takes, and so what is in a row that nobody may see.
    """
    columns = [name for name in _columns(table) if re.search(rf"\b{name}\b", rows)]
    asked = list(dict.fromkeys(_ASKED_ONCE.findall(rows)))
    takes = [f"{name} {_TYPES[name]}" for name in asked]
    takes += [f"{name} {table}.{name}%TYPE" for name in columns]
    gives = [f"(SELECT benchseal.{name}())" for name in asked] + columns
    # it runs with the rights, and the search path, of who asks
    body = _OPERATOR.sub(r" OPERATOR(pg_catalog.\1) ", _ASKED_ONCE.sub(r"\1", rows))
    name = f"benchseal.shows_{table}"
    function = (
        f"CREATE FUNCTION {name}({', '.join(takes)}) RETURNS boolean LANGUAGE plpgsql STABLE "
        f"COST 0.0001 AS $$ BEGIN RETURN {body}; END $$"
    )
    return function, f"{name}({', '.join(gives)})"


def _columns(table: str) -> tuple[str, ...]:
    """The columns of a table; those of the index of texts, which the server alone has, by name."""
    known = METADATA.tables.get(table)
    return ("item_id",) if known is None else tuple(known.columns.keys())


_EVENTS_OF = """
CREATE FUNCTION benchseal.events_of(kinds text[]) RETURNS SETOF event
  LANGUAGE plpgsql STABLE ROWS 100 :definer: AS $$
BEGIN
  RETURN QUERY SELECT * FROM event WHERE lower(kind) = ANY (kinds) AND :may_read:;
END $$
"""
KINDS = (
    "CREATE INDEX IF NOT EXISTS ix_event_kind ON event (lower(kind))",
    _EVENTS_OF.replace(":definer:", DEFINER).replace(
        ":may_read:", _first_of_all("event", RIGHTS["event"].select[0].rows)[1]
    ),
)
"""Events of some kinds, those that the asker may read: a way past the policy, which looks at all.

An index of kinds that everybody's statements could use would tell by its counts, together with
that of the items, which item an event of a kind is about. ``lower`` may not be asked before the
policy, so that the function alone, which nobody can give another condition, goes by this index.
"""
