"""Triggers that hold up a split's policy, in the database itself: each model once for an opening.

A split whose sealing says ``"policy": "once"`` takes no evaluation of a model beyond the openings
for that model, no opening that names no model, and no second opening for a model by the same lead.
A split that the ledger calls expired is public and free.
"""

from collections.abc import Iterator

_REFUSED = "a split of this policy is evaluated once for each opening"
_SECOND = "a second opening for a model needs a second lead"
_UNNAMED = "an opening under this policy names a model"

_SQLITE_MODEL = (
    "coalesce(nullif(json_extract({0}.params, '$.model'), ''), "
    "json_extract({0}.params, '$.engine'))"
)
_SQLITE_POLICY = """EXISTS (SELECT 1 FROM event p JOIN split s ON s.name = p.subject
  WHERE {where} AND p.kind = 'split' AND json_extract(p.data, '$.policy') = 'once'
    AND NOT EXISTS (SELECT 1 FROM event x WHERE x.kind = 'split' AND x.subject = s.name
      AND json_extract(x.data, '$.state') = 'expired'))"""

_POSTGRESQL = f"""
CREATE OR REPLACE FUNCTION keep_openings() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  asked text;
  told jsonb;
BEGIN
  IF TG_TABLE_NAME = 'run' THEN
    IF NEW.kind <> 'evaluate' OR NOT EXISTS (SELECT FROM event p JOIN split s ON s.name = p.subject
        WHERE s.id = NEW.split_id AND p.kind = 'split' AND p.data::jsonb ->> 'policy' = 'once'
          AND NOT EXISTS (SELECT FROM event x WHERE x.kind = 'split' AND x.subject = s.name
            AND x.data::jsonb ->> 'state' = 'expired')) THEN
      RETURN NEW;
    END IF;
    asked := coalesce(nullif(NEW.params ->> 'model', ''), NEW.params ->> 'engine');
    IF (SELECT count(*) FROM run r WHERE r.kind = 'evaluate' AND r.split_id = NEW.split_id
          AND coalesce(nullif(r.params ->> 'model', ''), r.params ->> 'engine') = asked)
        >= (SELECT count(*) FROM event e JOIN split s ON s.name = e.subject
          WHERE s.id = NEW.split_id AND e.kind = 'split' AND e.data::jsonb ->> 'state' = 'opened'
            AND e.data::jsonb ->> 'model' = asked) THEN
      RAISE EXCEPTION '{_REFUSED}' USING ERRCODE = '42501';
    END IF;
    RETURN NEW;
  END IF;
  IF NEW.kind <> 'split' THEN RETURN NEW; END IF;
  told := NEW.data::jsonb;
  IF told ->> 'state' IS DISTINCT FROM 'opened' OR NOT EXISTS (SELECT FROM event p
      WHERE p.subject = NEW.subject AND p.kind = 'split' AND p.data::jsonb ->> 'policy' = 'once')
      OR EXISTS (SELECT FROM event x WHERE x.kind = 'split' AND x.subject = NEW.subject
        AND x.data::jsonb ->> 'state' = 'expired') THEN
    RETURN NEW;
  END IF;
  IF coalesce(told ->> 'model', '') = '' THEN
    RAISE EXCEPTION '{_UNNAMED}' USING ERRCODE = '42501';
  END IF;
  IF EXISTS (SELECT FROM event e WHERE e.kind = 'split' AND e.subject = NEW.subject
      AND e.actor = NEW.actor AND e.data::jsonb ->> 'state' = 'opened'
      AND e.data::jsonb ->> 'model' = told ->> 'model') THEN
    RAISE EXCEPTION '{_SECOND}' USING ERRCODE = '42501';
  END IF;
  RETURN NEW;
END $$
"""  # noqa: S608 (sentences of our own)
_TRIGGERS = (("run_within_openings", "run"), ("event_by_another_lead", "event"))


def keep_openings(dialect: str) -> Iterator[str]:
    """The statements that make the triggers, for ``sqlite`` or ``postgresql``."""
    if dialect == "postgresql":
        yield _POSTGRESQL
        for name, table in _TRIGGERS:
            yield (
                f"CREATE TRIGGER {name} BEFORE INSERT ON {table} FOR EACH ROW "
                "EXECUTE FUNCTION keep_openings()"
            )
        return
    new, old = _SQLITE_MODEL.format("NEW"), _SQLITE_MODEL.format("r")
    of_run = _SQLITE_POLICY.format(where="s.id = NEW.split_id")
    of_event = _SQLITE_POLICY.format(where="s.name = NEW.subject")
    opened = "json_extract(NEW.data, '$.state') = 'opened'"
    model = "json_extract(NEW.data, '$.model')"
    yield f"""CREATE TRIGGER run_within_openings BEFORE INSERT ON run
WHEN (NEW.kind = 'evaluate' AND NEW.split_id IS NOT NULL AND {of_run}
  AND (SELECT count(*) FROM run r WHERE r.kind = 'evaluate' AND r.split_id = NEW.split_id
    AND {old} = {new})
  >= (SELECT count(*) FROM event e JOIN split t ON t.name = e.subject
    WHERE t.id = NEW.split_id AND e.kind = 'split'
      AND json_extract(e.data, '$.state') = 'opened'
      AND json_extract(e.data, '$.model') = {new}))
BEGIN SELECT RAISE(ABORT, '{_REFUSED}'); END"""  # noqa: S608 (names of our own)
    yield f"""CREATE TRIGGER event_of_a_named_model BEFORE INSERT ON event
WHEN (NEW.kind = 'split' AND {opened} AND coalesce({model}, '') = '' AND {of_event})
BEGIN SELECT RAISE(ABORT, '{_UNNAMED}'); END"""
    yield f"""CREATE TRIGGER event_by_another_lead BEFORE INSERT ON event
WHEN (NEW.kind = 'split' AND {opened} AND {of_event}
  AND EXISTS (SELECT 1 FROM event e WHERE e.kind = 'split' AND e.subject = NEW.subject
    AND e.actor = NEW.actor AND json_extract(e.data, '$.state') = 'opened'
    AND json_extract(e.data, '$.model') = {model}))
BEGIN SELECT RAISE(ABORT, '{_SECOND}'); END"""  # noqa: S608 (names of our own)
