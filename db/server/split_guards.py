"""Triggers that keep splits as the ledger tells them, and sealed texts what the functions made.

A split's state goes step by step, each told by an event of the same transaction whose writer may
take it; an event says of a split only what is so. What looks like a sealed text is written by the
functions of ``row_sealing`` alone, or under the key of the split that it belongs to.
"""

SPLITS = """
CREATE OR REPLACE FUNCTION benchseal.may_become(before_ text, after_ text) RETURNS boolean
  LANGUAGE sql STABLE :definer: AS $$
  SELECT (before_, after_) IN (('frozen', 'sealed'), ('sealed', 'opened'), ('opened', 'opened'),
    ('frozen', 'expired'), ('sealed', 'expired'), ('opened', 'expired'))
    AND benchseal.rank() >= CASE after_ WHEN 'sealed' THEN 3 ELSE 4 END $$;
CREATE OR REPLACE FUNCTION benchseal.guard_split() RETURNS trigger
  LANGUAGE plpgsql :definer: AS $$
BEGIN
  IF benchseal.me() IS NULL THEN RETURN NEW; END IF;
  IF TG_OP = 'INSERT' THEN
    IF coalesce(NEW.person_id, benchseal.me()) <> benchseal.me() OR NEW.state <> 'frozen' THEN
      RAISE EXCEPTION 'a split is frozen in one''s own name' USING ERRCODE = '42501';
    END IF;
    NEW.at := clock_timestamp();
  ELSIF NEW.state <> OLD.state AND NOT benchseal.may_become(OLD.state, NEW.state) THEN
    RAISE EXCEPTION 'a split does not go from % to % so', OLD.state, NEW.state
      USING ERRCODE = '42501';
  END IF;
  RETURN NEW;
END $$;
CREATE OR REPLACE FUNCTION benchseal.split_is_told() RETURNS trigger
  LANGUAGE plpgsql :definer: AS $$
BEGIN
  IF benchseal.me() IS NOT NULL AND (SELECT s.state FROM split s WHERE s.id = NEW.id)
      IS DISTINCT FROM (SELECT t.state FROM benchseal.split_told(NEW.id) t) THEN
    RAISE EXCEPTION 'the state of a split is what the ledger tells' USING ERRCODE = '42501';
  END IF;
  RETURN NULL;
END $$;
CREATE OR REPLACE FUNCTION benchseal.guard_split_item() RETURNS trigger
  LANGUAGE plpgsql :definer: AS $$
BEGIN
  IF benchseal.me() IS NOT NULL AND (NOT EXISTS (SELECT FROM item i WHERE i.id = NEW.item_id
        AND i.state = 'frozen')
      OR EXISTS (SELECT FROM split s WHERE s.id = NEW.split_id AND s.state <> 'frozen')
      OR EXISTS (SELECT FROM split s JOIN split_item p ON p.split_id = s.id
        AND p.item_id = NEW.item_id)) THEN
    RAISE EXCEPTION 'a split is of items that were frozen for it' USING ERRCODE = '42501';
  END IF;
  RETURN NEW;
END $$;
CREATE OR REPLACE FUNCTION benchseal.has_form(value jsonb, form jsonb) RETURNS boolean
  LANGUAGE sql IMMUTABLE :definer: AS $$
  SELECT CASE WHEN jsonb_typeof(value) = 'object' THEN NOT EXISTS (SELECT
    FROM jsonb_each(value) AS v (key, part) FULL JOIN jsonb_each_text(form) AS f (key, kind)
      USING (key) WHERE jsonb_typeof(part) IS DISTINCT FROM kind) ELSE false END $$;
CREATE OR REPLACE FUNCTION benchseal.is_of_split(told jsonb) RETURNS boolean
  LANGUAGE sql IMMUTABLE :definer: AS $$
  SELECT (NOT told ? 'archive' OR benchseal.has_form(told -> 'archive', '{"sha256": "string",
      "root": "string", "key_id": "string", "recipients": "number", "passphrase": "boolean",
      "custodians": "string"}'))
    AND (NOT told ? 'item_key' OR told ? 'archive' AND told -> 'item_key' ->> 'name'
        ~ '^[0-9a-f]{16}$' AND benchseal.has_form(told -> 'item_key', '{"name": "string",
      "content": "string", "by_passphrase": "string", "by_custodians": "string",
      "custodians": "object"}'))
    AND (NOT told ?| ARRAY['policy', 'withdrawn'] OR told ->> 'state' = 'sealed')
    AND (NOT told ? 'withdrawn' OR jsonb_typeof(told -> 'withdrawn') = 'array'
      AND NOT jsonb_path_exists(told, '$.withdrawn[*] ? (@.type() != "string")'))
    AND NOT EXISTS (SELECT FROM jsonb_each(told) AS t (key, part)
      WHERE key = ANY (ARRAY['state', 'before', 'digest', 'reason', 'model', 'policy', 'exported',
        'export', 'unlocked', 'split']) AND jsonb_typeof(part) <> 'string'
      OR key = ANY (ARRAY['items', 'receipt']) AND jsonb_typeof(part) <> 'number') $$;
CREATE OR REPLACE FUNCTION benchseal.check_split(e event, told jsonb) RETURNS void
  LANGUAGE plpgsql STABLE :definer: AS $$
DECLARE
  s split%ROWTYPE;
  last text;
BEGIN
  SELECT * INTO s FROM split WHERE name = e.subject;
  IF FOUND AND e.item_id IS NULL AND benchseal.is_of_split(told)
      AND benchseal.rank() >= 3 + (told ? 'item_key')::integer THEN
    SELECT t.state INTO last FROM benchseal.split_told(s.id) t;
    IF told ? 'state' THEN
      IF told ->> 'state' = s.state AND told ->> 'digest' = s.manifest_hash
          AND benchseal.may_become(coalesce(last, 'frozen'), s.state)
          AND benchseal.is_bound_before(s.id, e, told) THEN RETURN; END IF;
    ELSIF told ?| ARRAY['archive', 'exported', 'unlocked'] THEN
      IF (NOT told ? 'unlocked' OR s.state = 'opened')
          AND benchseal.is_bound_before(s.id, e, told) THEN RETURN; END IF;
    ELSIF last IS NULL AND s.state = 'frozen' AND told ->> 'digest' = s.manifest_hash THEN
      RETURN;
    END IF;
  END IF;
  RAISE EXCEPTION 'an event says of a split what is so' USING ERRCODE = '42501';
END $$;
CREATE OR REPLACE FUNCTION benchseal.is_bound_before(which integer, e event, told jsonb)
  RETURNS boolean LANGUAGE plpgsql STABLE :definer: AS $$
DECLARE
  first bigint;
BEGIN
  IF NOT told ?| ARRAY['item_key', 'plain']
      OR NOT told ? 'plain' AND benchseal.key_of_rows(which) IS NOT NULL THEN RETURN true; END IF;
  IF jsonb_typeof(told -> 'plain') IS DISTINCT FROM 'number' THEN RETURN false; END IF;
  first := (told ->> 'plain')::bigint;
  RETURN first < e.id AND (SELECT count(*) FROM event b WHERE b.id >= first AND b.id < e.id
    AND b.kind = 'bound' AND b.xmin = pg_current_xact_id()::xid) = e.id - first;
END $$;
"""
"""States, members and events of splits. Where an event hands out the key of rows that are plain,
``plain`` is the first of the events of its transaction, up to itself, that bind those rows."""

LOOKS = """
CREATE OR REPLACE FUNCTION benchseal.refuse_sealed() RETURNS trigger
  LANGUAGE plpgsql :definer: AS $$
DECLARE
  row_ jsonb := to_jsonb(NEW);
  name text;
  found text;
  keys text[];
BEGIN
  IF benchseal.me() IS NULL THEN RETURN NEW; END IF;
  FOREACH name IN ARRAY TG_ARGV LOOP
    found := CASE jsonb_typeof(row_ -> name) WHEN 'object' THEN row_ -> name ->> 'sealed'
      WHEN 'string' THEN row_ ->> name END;
    CONTINUE WHEN found IS NULL OR found NOT LIKE 'benchseal-sealed:%';
    -- an answer belongs to its item's splits, whichever run it names; a ledger is read once for all
    IF keys IS NULL THEN
      keys := ARRAY(SELECT coalesce(benchseal.key_of_rows(one.id),
          (SELECT t.key FROM benchseal.split_told(one.id) t))
        FROM (SELECT (row_ ->> 'split_id')::integer AS id WHERE TG_TABLE_NAME = 'split_key'
          UNION SELECT p.split_id FROM split_item p
            WHERE TG_TABLE_NAME = 'answer' AND p.item_id = (row_ ->> 'item_id')::bigint) one);
    END IF;
    CONTINUE WHEN EXISTS (SELECT FROM unnest(keys) k WHERE benchseal.is_cipher(found, k, NULL));
    RAISE EXCEPTION 'what looks sealed is written by the sealing alone' USING ERRCODE = '42501';
  END LOOP;
  RETURN NEW;
END $$;
"""

FUNCTIONS = (SPLITS, LOOKS)
INSIDE = (
    "split_is_told()",
    "check_split(event, jsonb)",
    "is_bound_before(integer, event, jsonb)",
)
"""Functions that nobody calls."""

GUARDS: tuple[tuple[str, str, str], ...] = (
    ("split", "INSERT OR UPDATE", "guard_split()"),
    ("split_item", "INSERT", "guard_split_item()"),
)
"""Table, operations and the function that checks them."""
TEXTS: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("revision", "INSERT", ("payload", "provenance", "defects", "note")),
    ("screening", "INSERT", ("rationale",)),
    ("draft", "INSERT OR UPDATE", ("payload",)),
    ("note_draft", "INSERT OR UPDATE", ("text",)),
    ("answer", "INSERT OR UPDATE", ("text", "extracted")),
    ("split_key", "INSERT", ("secret",)),
)
"""Table, operations and the columns in which nobody writes what looks sealed."""
