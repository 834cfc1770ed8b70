"""Triggers that hold up a split's policy, in the database itself: each model once for an opening.

A split whose sealing says ``"policy": "once"`` is used by runs alone, and each use is counted:

- a run that asks a model (an evaluation, of people as well, or an adaptive one) needs an opening
  for that model which no other such run has used, and its model stays as it was entered;
- a judge's run belongs to a run on the split; no other kind of run uses it, and no event of a run
  or an export tells of it otherwise;
- a trial needs an opening that no other trial has used;
- an opening names a model, and nobody opens it twice for one, also written in other letters or as
  another path.

A split that the ledger calls expired is public and free. Events that are about no item are found by
an index, so that no number of them makes an import or a run slower.
"""

from collections.abc import Iterator

ASKING = ("evaluate", "adaptive")
"""The kinds of runs that ask a model the items of a split, each of which uses an opening."""
_JUDGING = ("judge", "pairwise")  # whose params name the run that they are of

_REFUSED = "a split of this policy is evaluated once for each opening"
_SECOND = "a second opening for a model needs a second lead"
_UNNAMED = "an opening under this policy names a model"
_OTHER = "a split of this policy is used by evaluations and their judges alone"
_RENAMED = "a run under this policy stays one of its model"
_TRIED = "a split of this policy is tried out once for each opening"
_STALE = "a run under this policy is entered in a transaction that sees all others (READ COMMITTED)"

_LISTS = {"asking": ", ".join(map(repr, ASKING)), "judging": ", ".join(map(repr, _JUDGING))}

_PATH = "SET search_path = pg_catalog, public, pg_temp"
"""No table of somebody's own stands in the place of ours."""

_POSTGRESQL = (
    f"""
CREATE OR REPLACE FUNCTION is_used_once(named text) RETURNS boolean
  LANGUAGE plpgsql STABLE {_PATH} AS $$
BEGIN
  RETURN EXISTS (SELECT FROM event p WHERE p.item_id IS NULL AND p.kind = 'split'
      AND p.subject = named AND p.data::jsonb ->> 'policy' = 'once')
    AND NOT EXISTS (SELECT FROM event x WHERE x.item_id IS NULL AND x.kind = 'split'
      AND x.subject = named AND x.data::jsonb ->> 'state' = 'expired');
END $$
""",  # noqa: S608 (a path of our own)
    f"""
CREATE OR REPLACE FUNCTION openings_for(named text, asked text) RETURNS bigint
  LANGUAGE plpgsql STABLE {_PATH} AS $$
BEGIN
  RETURN (SELECT count(*) FROM event e WHERE e.item_id IS NULL AND e.kind = 'split'
    AND e.subject = named AND e.data::jsonb ->> 'state' = 'opened'
    AND e.data::jsonb ->> 'model' = asked);
END $$
""",  # noqa: S608 (as above)
    """
CREATE OR REPLACE FUNCTION model_asked(params jsonb) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT coalesce(nullif(params ->> 'model', ''), params ->> 'engine') $$
""",
    f"""
CREATE OR REPLACE FUNCTION keep_openings() RETURNS trigger
  LANGUAGE plpgsql {_PATH} AS $$
DECLARE
  told jsonb;
  named text;
  home integer;
BEGIN
  IF TG_TABLE_NAME = 'run' THEN
    SELECT s.id, s.name INTO home, named FROM split s
      WHERE s.id = NEW.split_id OR s.name = NEW.params ->> 'split'
      ORDER BY is_used_once(s.name) DESC, s.id IS NOT DISTINCT FROM NEW.split_id LIMIT 1;
    IF home IS NULL OR NOT is_used_once(named) THEN RETURN NEW; END IF;
    IF TG_OP = 'UPDATE' THEN
      IF (model_asked(NEW.params), NEW.params ->> 'split', NEW.params ->> 'of') IS DISTINCT FROM
          (model_asked(OLD.params), OLD.params ->> 'split', OLD.params ->> 'of') THEN
        RAISE EXCEPTION '{_RENAMED}' USING ERRCODE = '42501';
      END IF;
      RETURN NEW;
    END IF;
    IF current_setting('transaction_isolation') <> 'read committed' THEN
      RAISE EXCEPTION '{_STALE}' USING ERRCODE = '42501';
    END IF;
    PERFORM pg_advisory_xact_lock(hashtext('benchseal openings'), home);
    IF NEW.split_id IS DISTINCT FROM home OR NEW.kind NOT IN ({_LISTS["asking"]})
        AND NOT (NEW.kind IN ({_LISTS["judging"]}) AND EXISTS (SELECT FROM run r
          WHERE r.id = NEW.params ->> 'of' AND r.split_id = home
            AND r.kind IN ({_LISTS["asking"]}))) THEN
      RAISE EXCEPTION '{_OTHER}' USING ERRCODE = '42501';
    END IF;
    IF NEW.kind IN ({_LISTS["asking"]}) AND (SELECT count(*) FROM run r
          WHERE r.kind IN ({_LISTS["asking"]}) AND r.split_id = home
            AND model_asked(r.params) = model_asked(NEW.params))
        >= openings_for(named, model_asked(NEW.params)) THEN
      RAISE EXCEPTION '{_REFUSED}' USING ERRCODE = '42501';
    END IF;
    RETURN NEW;
  END IF;
  IF NEW.kind NOT IN ('split', 'run', 'reading') THEN RETURN NEW; END IF;
  told := NEW.data::jsonb;
  named := CASE NEW.kind WHEN 'split' THEN NEW.subject ELSE told ->> 'split' END;
  IF named IS NULL OR NOT is_used_once(named) THEN RETURN NEW; END IF;
  IF NEW.kind = 'run' AND NOT EXISTS (SELECT FROM run r JOIN split s ON s.id = r.split_id
      WHERE r.id = NEW.subject AND s.name = named)
      OR NEW.kind = 'split' AND told ? 'exported' THEN
    RAISE EXCEPTION '{_OTHER}' USING ERRCODE = '42501';
  END IF;
  IF NEW.kind = 'reading' AND told ->> 'act' = 'trial' AND (SELECT count(*) FROM event e
        WHERE e.item_id IS NULL AND e.kind = 'reading' AND e.data::jsonb ->> 'act' = 'trial'
          AND e.data::jsonb ->> 'split' = named
          AND e.data::jsonb ->> 'for' IS NOT DISTINCT FROM told ->> 'for')
      >= openings_for(named, told ->> 'for') THEN
    RAISE EXCEPTION '{_TRIED}' USING ERRCODE = '42501';
  END IF;
  IF NEW.kind <> 'split' OR told ->> 'state' IS DISTINCT FROM 'opened' THEN RETURN NEW; END IF;
  IF coalesce(told ->> 'model', '') = '' THEN
    RAISE EXCEPTION '{_UNNAMED}' USING ERRCODE = '42501';
  END IF;
  IF EXISTS (SELECT FROM event e WHERE e.item_id IS NULL AND e.kind = 'split'
      AND e.subject = named AND e.actor = NEW.actor AND e.data::jsonb ->> 'state' = 'opened'
      AND lower(btrim(e.data::jsonb ->> 'model', ' ./')) = lower(btrim(told ->> 'model', ' ./'))
      ) THEN
    RAISE EXCEPTION '{_SECOND}' USING ERRCODE = '42501';
  END IF;
  RETURN NEW;
END $$
""",  # noqa: S608 (sentences and kinds of our own)
)
_FUNCTIONS = ("keep_openings()", "is_used_once(text)", "openings_for(text, text)",
              "model_asked(jsonb)")  # fmt: skip
_TRIGGERS = (
    ("run_within_openings", "INSERT", "run"),
    ("run_keeps_its_model", "UPDATE OF params", "run"),
    ("event_by_another_lead", "INSERT", "event"),
)


def keep_openings(dialect: str) -> Iterator[str]:
    """The statements that make the triggers, in the place of earlier ones, for ``sqlite`` or
    ``postgresql``."""
    yield from _without_triggers(dialect)
    if dialect == "sqlite":
        yield from _sqlite()
        return
    yield from _POSTGRESQL
    for name, operation, table in _TRIGGERS:
        yield (
            f"CREATE TRIGGER {name} BEFORE {operation} ON {table} FOR EACH ROW "
            "EXECUTE FUNCTION keep_openings()"
        )


def free_openings(dialect: str) -> Iterator[str]:
    """The statements that take the triggers away, those of earlier versions as well."""
    yield from _without_triggers(dialect)
    for function in _FUNCTIONS if dialect == "postgresql" else ():
        yield f"DROP FUNCTION IF EXISTS {function}"


def _without_triggers(dialect: str) -> Iterator[str]:
    for name, _, table in (*_TRIGGERS, ("event_of_a_named_model", "", "event")):
        on = f" ON {table}" if dialect == "postgresql" else ""
        yield f"DROP TRIGGER IF EXISTS {name}{on}"


def _told(field: str, of: str = "e") -> str:
    return f"json_extract({of}.data, '$.{field}')"


def _under_policy(name: str) -> str:
    """Whether a split of a name is under the policy."""
    return (
        "EXISTS (SELECT 1 FROM event p WHERE p.item_id IS NULL AND p.kind = 'split' "  # noqa: S608 (names of our own)
        f"AND p.subject = {name} AND {_told('policy', 'p')} = 'once') "
        "AND NOT EXISTS (SELECT 1 FROM event x WHERE x.item_id IS NULL AND x.kind = 'split' "
        f"AND x.subject = {name} AND {_told('state', 'x')} = 'expired')"
    )


def _asked(of: str) -> str:
    model, engine = (f"json_extract({of}.params, '$.{one}')" for one in ("model", "engine"))
    return f"coalesce(nullif({model}, ''), {engine})"


def _openings_for(name: str, model: str) -> str:
    return (
        "(SELECT count(*) FROM event e WHERE e.item_id IS NULL AND e.kind = 'split' "  # noqa: S608 (names of our own)
        f"AND e.subject = {name} AND {_told('state')} = 'opened' AND {_told('model')} = {model})"
    )


def _trigger(name: str, operation: str, table: str, when: str, refused: dict[str, str]) -> str:
    """A trigger that refuses a row, with a sentence, for each condition that is true of it."""
    body = " ".join(
        f"SELECT RAISE(ABORT, '{sentence}') WHERE {condition};"
        for sentence, condition in refused.items()
    )
    return f"CREATE TRIGGER {name} BEFORE {operation} ON {table} WHEN ({when}) BEGIN {body} END"


def _sqlite() -> Iterator[str]:
    asking, judging = _LISTS["asking"], _LISTS["judging"]
    named = "json_extract(NEW.params, '$.split')"
    homes = (
        f"FROM split s WHERE (s.id = NEW.split_id OR s.name = {named}) "
        f"AND {_under_policy('s.name')}"
    )
    is_of = (
        "EXISTS (SELECT 1 FROM run r WHERE r.id = json_extract(NEW.params, '$.of') "  # noqa: S608 (names of our own)
        f"AND r.split_id = NEW.split_id AND r.kind IN ({asking}))"
    )
    used = (
        f"(SELECT count(*) FROM run r WHERE r.kind IN ({asking}) "  # noqa: S608 (names of our own)
        f"AND r.split_id = NEW.split_id AND {_asked('r')} = {_asked('NEW')})"
    )
    own_name = "(SELECT s.name FROM split s WHERE s.id = NEW.split_id)"
    yield _trigger(
        "run_within_openings", "INSERT", "run", f"EXISTS (SELECT 1 {homes})",
        {
            _OTHER: f"EXISTS (SELECT 1 {homes} AND s.id IS NOT NEW.split_id) "
                    f"OR NEW.kind NOT IN ({asking}) AND NOT (NEW.kind IN ({judging}) AND {is_of})",
            _REFUSED: f"NEW.kind IN ({asking}) "
                      f"AND {used} >= {_openings_for(own_name, _asked('NEW'))}",
        },
    )  # fmt: skip
    changed = (f"json_extract(NEW.params, '$.{one}') IS NOT json_extract(OLD.params, '$.{one}')"
               for one in ("split", "of"))  # fmt: skip
    yield _trigger(
        "run_keeps_its_model", "UPDATE OF params", "run",
        f"({_asked('NEW')} IS NOT {_asked('OLD')} OR {' OR '.join(changed)}) "
        f"AND EXISTS (SELECT 1 {homes})",
        {_RENAMED: "1"},
    )  # fmt: skip
    name = f"CASE NEW.kind WHEN 'split' THEN NEW.subject ELSE {_told('split', 'NEW')} END"
    entered = (
        "EXISTS (SELECT 1 FROM run r JOIN split s ON s.id = r.split_id "  # noqa: S608 (names of our own)
        f"WHERE r.id = NEW.subject AND s.name = {name})"
    )
    tried = (
        "(SELECT count(*) FROM event t WHERE t.item_id IS NULL AND t.kind = 'reading' "  # noqa: S608 (names of our own)
        f"AND {_told('act', 't')} = 'trial' AND {_told('split', 't')} = {name} "
        f"AND {_told('for', 't')} IS {_told('for', 'NEW')})"
    )
    opens = f"NEW.kind = 'split' AND {_told('state', 'NEW')} = 'opened'"
    plain = "lower(trim({}, ' ./'))"
    again = (
        "EXISTS (SELECT 1 FROM event e WHERE e.item_id IS NULL AND e.kind = 'split' "  # noqa: S608 (names of our own)
        f"AND e.subject = NEW.subject AND e.actor = NEW.actor AND {_told('state')} = 'opened' "
        f"AND {plain.format(_told('model'))} = {plain.format(_told('model', 'NEW'))})"
    )
    yield _trigger(
        "event_by_another_lead", "INSERT", "event",
        f"NEW.kind IN ('split', 'run', 'reading') AND {_under_policy(name)}",
        {
            _OTHER: f"NEW.kind = 'run' AND NOT {entered} "
                    f"OR NEW.kind = 'split' AND {_told('exported', 'NEW')} IS NOT NULL",
            _TRIED: f"NEW.kind = 'reading' AND {_told('act', 'NEW')} = 'trial' "
                    f"AND {tried} >= {_openings_for(name, _told('for', 'NEW'))}",
            _UNNAMED: f"{opens} AND coalesce({_told('model', 'NEW')}, '') = ''",
            _SECOND: f"{opens} AND {again}",
        },
    )  # fmt: skip
