"""Functions of a team's database by which a lead's program seals the rows of a split, and nothing
else: plain text becomes ciphertext under the key that the ledger names, and ciphertext becomes the
very row again that the ledger bound before.

They run as the owner of the tables, for leads alone. The database has no key, so it cannot look
into a ciphertext: it compares form, key and length, and lets nothing but the bound row come back.
An event can bind a revision only as it is (``CHECK_BOUND``), so that nobody prepares another one.
"""

CHECK_BOUND = """
CREATE OR REPLACE FUNCTION benchseal.revision_digest(r revision) RETURNS text
  LANGUAGE plpgsql STABLE STRICT :definer: AS $$
  BEGIN RETURN encode(sha256(convert_to('{' || concat_ws(',',
    '"id":' || r.id, '"item_id":' || r.item_id, '"number":' || r.number,
    '"content_hash":' || to_json(r.content_hash::text)::text,
    '"payload":' || to_json(r.payload::text)::text,
    '"provenance":' || to_json(r.provenance::text)::text,
    '"defects":' || to_json(r.defects::text)::text,
    '"author_id":' || r.author_id, '"note":' || to_json(r.note::text)::text,
    '"at":"' || to_char(r.at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US') || '+00:00"')
    || '}', 'UTF8')), 'hex'); END $$;
CREATE OR REPLACE FUNCTION benchseal.check_bound(told jsonb[]) RETURNS void
  LANGUAGE plpgsql STABLE :definer: AS $$
DECLARE wrong text;
BEGIN
  SELECT string_agg(key, ', ') INTO wrong
    FROM unnest(told) t, jsonb_each_text(t -> 'bound' -> 'revision') AS b (key, digest)
    WHERE digest IS DISTINCT FROM  -- no join, which would read the whole table for each event
      (SELECT benchseal.revision_digest(r) FROM revision r WHERE r.id = key::bigint);
  IF wrong IS NOT NULL THEN
    RAISE EXCEPTION 'a revision is bound as it is: %', wrong USING ERRCODE = '42501';
  END IF;
END $$;
"""
"""What an event says of revisions is true of them: the digest of ``db.evidence.bindings``."""

_REFUSED = "only the texts of a sealed split are replaced, and only by their ciphertext"
BUSY = "texts of these items are being written by: "
_NOT_BACK = "only what the ledger bound comes back, once the split has expired"

STORED_IN = ("revision", "screening", "note_draft", "answer", "draft",
             "search_text", "split_key")  # fmt: skip
"""The tables in which texts of items lie."""
_TABLES = f"'{{{','.join(STORED_IN)}}}'::text[]"

RENEW_STATISTICS = f"""
DECLARE
  title text;
  field text;
  kind text;
  is_empty boolean;
BEGIN
  FOREACH title IN ARRAY {_TABLES} LOOP
    -- the planner's statistics hold values of the columns, those from before among them
    EXECUTE format('ANALYZE public.%I', title);
    EXECUTE format('SELECT NOT EXISTS (SELECT FROM public.%I)', title) INTO is_empty;
    -- ANALYZE keeps those of a table without rows, and only these lose any; a type takes them along
    IF is_empty AND title IN ('draft', 'note_draft', 'search_text') THEN
      FOR field, kind IN SELECT attname, format_type(atttypid, atttypmod) FROM pg_attribute
          WHERE attrelid = ('public.' || title)::regclass AND attnum > 0 AND NOT attisdropped
            AND atttypid IN ('text'::regtype, 'varchar'::regtype, 'json'::regtype, 'jsonb'::regtype)
      LOOP
        EXECUTE format('ALTER TABLE public.%I ALTER COLUMN %I TYPE %s', title, field, kind);
      END LOOP;
    END IF;
  END LOOP;
END
"""  # noqa: S608 (names of our own)
"""What makes the planner's statistics of these tables again, for their owner: a function's body."""
REWRITE_STATISTICS = "VACUUM (FULL) pg_statistic"
"""What takes the statistics of before out of the server's files; nothing but a warning to whoever
does not own the database. Outside of a transaction."""

SEALING = f"""
CREATE OR REPLACE FUNCTION benchseal.is_cipher(value text, named text, plain text)
  RETURNS boolean LANGUAGE sql IMMUTABLE :definer: AS $$
  SELECT coalesce(value ~ ('^benchseal-sealed:' || named || ':[A-Za-z0-9+/]+={{0,2}}$')
    AND (plain IS NULL OR length(value) = 34 + 4 * ((octet_length(plain) + 30) / 3)), false) $$;
CREATE OR REPLACE FUNCTION benchseal.sealing_of(title text, named text,
  OUT id bigint, OUT plain bigint) LANGUAGE plpgsql STABLE :definer: AS $$
BEGIN
  SELECT e.id, (e.data::jsonb ->> 'plain')::bigint INTO id, plain FROM event e
    WHERE e.kind = 'split' AND e.subject = title AND e.item_id IS NULL
      AND e.data::jsonb ? 'archive' AND e.data::jsonb -> 'item_key' ->> 'name' = named
    ORDER BY e.id LIMIT 1;
END $$;
CREATE OR REPLACE FUNCTION benchseal.key_of_rows(which integer) RETURNS text
  LANGUAGE plpgsql STABLE :definer: AS $$
DECLARE
  title text;
  key text;
BEGIN
  SELECT s.name, substring(r.payload ->> 'sealed' FROM '^benchseal-sealed:([0-9a-f]{{16}}):')
    INTO title, key FROM split s JOIN split_item p ON p.split_id = s.id
    JOIN revision r ON r.item_id = p.item_id AND r.number = p.revision
    WHERE s.id = which ORDER BY p.position LIMIT 1;
  RETURN CASE WHEN key IS NOT NULL AND (SELECT t.id FROM benchseal.sealing_of(title, key) t)
    IS NOT NULL THEN key END;
END $$;
CREATE OR REPLACE FUNCTION benchseal.split_told(which integer, OUT state text, OUT key text)
  LANGUAGE plpgsql STABLE :definer: AS $$
DECLARE title text;
BEGIN
  SELECT s.name INTO title FROM split s WHERE s.id = which;
  SELECT coalesce(e.data::jsonb ->> 'state', 'frozen') INTO state FROM event e
    WHERE e.kind = 'split' AND e.subject = title AND e.item_id IS NULL
      AND (e.data::jsonb ? 'state' OR e.data::jsonb ? 'digest' AND NOT e.data::jsonb ? 'exported')
      AND (coalesce(e.data::jsonb ->> 'state', '') NOT IN ('opened', 'expired')
        OR benchseal.led(e.actor, e.id))
    ORDER BY e.id DESC LIMIT 1;
  key := benchseal.key_of_rows(which);
  IF key IS NULL THEN
    SELECT e.data::jsonb -> 'item_key' ->> 'name' INTO key FROM event e WHERE e.kind = 'split'
      AND e.subject = title AND e.item_id IS NULL AND e.data::jsonb ? 'archive'
      AND e.data::jsonb ? 'item_key' ORDER BY e.id DESC LIMIT 1;
  END IF;
END $$;
CREATE OR REPLACE FUNCTION benchseal.check_key(which integer, named text, sealing boolean)
  RETURNS void LANGUAGE plpgsql STABLE :definer: AS $$
DECLARE told record;
BEGIN
  IF benchseal.rank() < 4 THEN
    RAISE EXCEPTION 'only a lead seals the rows of items' USING ERRCODE = '42501';
  END IF;
  SELECT * INTO told FROM benchseal.split_told(which);
  IF (sealing AND told.key = named AND told.state IN ('sealed', 'opened')
      OR NOT sealing AND told.state = 'expired' AND (SELECT t.id IS NOT NULL FROM split s,
        benchseal.sealing_of(s.name, named) t WHERE s.id = which)) IS NOT TRUE THEN
    RAISE EXCEPTION '%', CASE WHEN sealing THEN '{_REFUSED}' ELSE '{_NOT_BACK}' END
      USING ERRCODE = '42501';
  END IF;
END $$;
CREATE OR REPLACE FUNCTION benchseal.is_sealed_document(value jsonb, named text, plain jsonb)
  RETURNS boolean LANGUAGE sql IMMUTABLE :definer: AS $$
  SELECT coalesce(jsonb_typeof(value) = 'object'
    AND benchseal.is_cipher(value ->> 'sealed', named, plain::text)
    AND (value - 'sealed' = '{{}}' OR jsonb_typeof(plain) = 'object'
      AND (value - 'sealed') <@ plain), false) $$;
CREATE OR REPLACE FUNCTION benchseal.is_kept(value jsonb, named text, plain jsonb)
  RETURNS boolean LANGUAGE sql IMMUTABLE :definer: AS $$
  SELECT benchseal.is_sealed_document(value - 'sealed_source', named, plain)
    AND value - 'sealed' - ARRAY['article', 'article_id', 'source', 'instruction_id',
      'sealed_source'] = '{{}}'
    AND coalesce(value ->> 'sealed_source', '')
      ~ '^$|^(passage |[^=]{{1,40}} = )?[0-9a-f]{{32}}$' $$;
CREATE OR REPLACE FUNCTION benchseal.seal_revisions(which integer, named text, given jsonb)
  RETURNS void LANGUAGE plpgsql :definer: AS $$
DECLARE changed integer;
BEGIN
  PERFORM benchseal.check_key(which, named, true);
  UPDATE revision r
    SET payload = g.payload, provenance = g.provenance, defects = g.defects, note = g.note
    FROM jsonb_to_recordset(given) AS g (id bigint, payload jsonb, provenance jsonb,
      defects jsonb, note text)
    WHERE r.id = g.id
      AND EXISTS (SELECT FROM split_item p JOIN item i ON i.id = p.item_id AND i.state = 'frozen'
        WHERE p.split_id = which AND p.item_id = r.item_id)
      AND NOT benchseal.is_cipher(r.payload ->> 'sealed', named, NULL)
      AND g.payload - 'sealed' = '{{}}'
      AND benchseal.is_sealed_document(g.payload, named, r.payload)
      AND benchseal.is_kept(g.provenance, named, r.provenance)
      AND (g.defects = r.defects AND r.defects IN ('[]', '{{}}', 'null')
        OR g.defects - 'sealed' = '{{}}'
          AND benchseal.is_sealed_document(g.defects, named, r.defects))
      AND (g.note = r.note AND r.note = '' OR benchseal.is_cipher(g.note, named, r.note));
  GET DIAGNOSTICS changed = ROW_COUNT;
  IF changed <> jsonb_array_length(given) THEN
    RAISE EXCEPTION '{_REFUSED}' USING ERRCODE = '42501';
  END IF;
  DELETE FROM search_text t USING revision r WHERE t.item_id = r.item_id AND t.revision = r.number
    AND r.id IN (SELECT (g ->> 'id')::bigint FROM jsonb_array_elements(given) g);
END $$;
CREATE OR REPLACE FUNCTION benchseal.open_revisions(which integer, named text, given jsonb)
  RETURNS void LANGUAGE plpgsql :definer: AS $$
DECLARE
  events bigint[] := (SELECT array_agg(DISTINCT (g ->> 'event')::bigint)
    FROM jsonb_array_elements(given) g);
  sealing record;
  changed integer;
BEGIN
  PERFORM benchseal.check_key(which, named, false);
  SELECT t.* INTO sealing FROM split s, benchseal.sealing_of(s.name, named) t WHERE s.id = which;
  IF sealing.plain IS NULL AND EXISTS (
      SELECT FROM event e, jsonb_object_keys(e.data::jsonb -> 'bound' -> 'revision') AS unit,
        jsonb_to_recordset(given) AS g (line text, event bigint)
      WHERE e.id > (SELECT min(n) FROM unnest(events) n) AND e.id < sealing.id
        AND e.data LIKE '%"revision":%' AND unit = g.line::jsonb ->> 'id' AND e.id > g.event) THEN
    RAISE EXCEPTION '{_NOT_BACK}' USING ERRCODE = '42501';
  END IF;
  WITH said AS MATERIALIZED (
    SELECT g.event, g.line::jsonb AS was, g.line::jsonb ->> 'id' AS unit,
      encode(sha256(convert_to(g.line, 'UTF8')), 'hex') AS digest
    FROM jsonb_to_recordset(given) AS g (line text, event bigint)
  ), told AS MATERIALIZED (
    SELECT e.id, b.key, b.value FROM event e,
      jsonb_each_text(e.data::jsonb -> 'bound' -> 'revision') AS b WHERE e.id = ANY (events)
      AND e.id >= coalesce(sealing.plain, 0) AND e.id < sealing.id
  ), bound AS MATERIALIZED (
    SELECT unit::bigint AS revision_id, was FROM said
    WHERE (event, unit, digest) IN (SELECT t.id, t.key, t.value FROM told t)
  )
  UPDATE revision r SET payload = (was ->> 'payload')::jsonb,
    provenance = (was ->> 'provenance')::jsonb, defects = (was ->> 'defects')::jsonb,
    note = was ->> 'note'
    FROM bound WHERE r.id = revision_id AND r.item_id = (was ->> 'item_id')::bigint
      AND r.number = (was ->> 'number')::integer AND r.content_hash = was ->> 'content_hash'
      AND benchseal.is_cipher(r.payload ->> 'sealed', named, NULL)
      AND EXISTS (SELECT FROM split_item p WHERE p.split_id = which AND p.item_id = r.item_id);
  GET DIAGNOSTICS changed = ROW_COUNT;
  IF changed <> jsonb_array_length(given) THEN
    RAISE EXCEPTION '{_NOT_BACK}' USING ERRCODE = '42501';
  END IF;
  DELETE FROM search_text t USING revision r WHERE t.item_id = r.item_id AND t.revision = r.number
    AND r.id IN (SELECT ((g ->> 'line')::jsonb ->> 'id')::bigint
      FROM jsonb_array_elements(given) g);
END $$;
CREATE OR REPLACE FUNCTION benchseal.hold_texts(which integer) RETURNS void
  LANGUAGE plpgsql :definer: SET lock_timeout = '5s' AS $$
DECLARE
  numbers bigint[];
  busy text;
BEGIN
  IF benchseal.rank() < 4 THEN
    RAISE EXCEPTION 'only a lead seals the rows of items' USING ERRCODE = '42501';
  END IF;
  numbers := (SELECT array_agg(p.item_id) FROM split_item p JOIN item i ON i.id = p.item_id
    AND i.state = 'frozen' WHERE p.split_id = which);
  PERFORM FROM screening WHERE item_id = ANY (numbers) ORDER BY id FOR UPDATE;
  PERFORM FROM note_draft WHERE item_id = ANY (numbers) ORDER BY person_id, item_id, place
    FOR UPDATE;
  PERFORM FROM draft WHERE item_id = ANY (numbers) ORDER BY id FOR UPDATE;
  PERFORM FROM split_key WHERE split_id = which ORDER BY event_id FOR UPDATE;
EXCEPTION WHEN lock_not_available THEN
  WITH free_notes AS MATERIALIZED (SELECT n.person_id, n.item_id, n.place FROM note_draft n
      WHERE n.item_id = ANY (numbers) FOR UPDATE SKIP LOCKED),
    free_drafts AS MATERIALIZED (SELECT d.id FROM draft d
      WHERE d.item_id = ANY (numbers) FOR UPDATE SKIP LOCKED)
  SELECT string_agg(p.name, ', ' ORDER BY p.name) INTO busy FROM person p
    WHERE EXISTS (SELECT FROM note_draft n WHERE n.person_id = p.id AND n.item_id = ANY (numbers)
        AND (n.person_id, n.item_id, n.place) NOT IN (SELECT * FROM free_notes))
      OR EXISTS (SELECT FROM draft d WHERE d.person_id = p.id AND d.item_id = ANY (numbers)
        AND d.id NOT IN (SELECT id FROM free_drafts));
  RAISE EXCEPTION '{BUSY}%', busy USING ERRCODE = '55P03';
END $$;
CREATE OR REPLACE FUNCTION benchseal.loose_texts(which integer, named text, sealing boolean)
  RETURNS TABLE (kind text, place text, words text) LANGUAGE plpgsql :definer: AS $$
BEGIN
  PERFORM benchseal.check_key(which, named, sealing);
  PERFORM benchseal.hold_texts(which);
  RETURN QUERY WITH own AS MATERIALIZED (SELECT p.item_id AS number FROM split_item p
      JOIN item i ON i.id = p.item_id AND i.state = 'frozen' WHERE p.split_id = which)
    SELECT 'screening', s.id::text, s.rationale::text FROM screening s
      JOIN own ON number = s.item_id
    UNION ALL SELECT 'note_draft', n.person_id || '/' || n.item_id || '/' || n.place, n.text::text
      FROM note_draft n JOIN own ON number = n.item_id
    UNION ALL SELECT 'draft', d.id::text, CASE WHEN benchseal.is_cipher(d.payload ->> 'sealed',
        named, NULL) THEN d.payload ->> 'sealed' ELSE d.payload::text END
      FROM draft d JOIN own ON number = d.item_id
    UNION ALL SELECT 'split_key', k.event_id::text, k.secret::text FROM split_key k
      WHERE k.split_id = which;
END $$;
CREATE OR REPLACE FUNCTION benchseal.change_loose(which integer, named text, sealing boolean,
  given jsonb) RETURNS void LANGUAGE plpgsql :definer: AS $$
DECLARE wrong text;
BEGIN
  PERFORM benchseal.check_key(which, named, sealing);
  SELECT string_agg(g.kind || ' ' || g.place, ', ') INTO wrong
    FROM jsonb_to_recordset(given) AS g (kind text, place text, words text)
    LEFT JOIN benchseal.loose_texts(which, named, sealing) t
      ON t.kind = g.kind AND t.place = g.place
    WHERE CASE WHEN sealing
        THEN benchseal.is_cipher(g.words, named, t.words)
          AND NOT benchseal.is_cipher(t.words, named, NULL)
        ELSE benchseal.is_cipher(t.words, named, g.words) END IS NOT TRUE;
  IF wrong IS NOT NULL THEN
    RAISE EXCEPTION '{_REFUSED}: %', wrong USING ERRCODE = '42501';
  END IF;
  UPDATE screening s SET rationale = g.words
    FROM jsonb_to_recordset(given) AS g (kind text, place text, words text)
    WHERE g.kind = 'screening' AND s.id::text = g.place;
  UPDATE note_draft n SET text = g.words
    FROM jsonb_to_recordset(given) AS g (kind text, place text, words text)
    WHERE g.kind = 'note_draft' AND n.person_id || '/' || n.item_id || '/' || n.place = g.place;
  UPDATE draft d SET payload = CASE WHEN sealing THEN jsonb_build_object('sealed', g.words)
      ELSE g.words::jsonb END
    FROM jsonb_to_recordset(given) AS g (kind text, place text, words text)
    WHERE g.kind = 'draft' AND d.id::text = g.place;
  UPDATE split_key k SET secret = g.words
    FROM jsonb_to_recordset(given) AS g (kind text, place text, words text)
    WHERE g.kind = 'split_key' AND k.event_id::text = g.place;
END $$;
CREATE OR REPLACE FUNCTION benchseal.renew_statistics() RETURNS void
  LANGUAGE plpgsql :definer: AS $$ {RENEW_STATISTICS} $$;
CREATE OR REPLACE FUNCTION benchseal.compact_sealed() RETURNS void
  LANGUAGE plpgsql :definer: SET lock_timeout = '10s' AS $$
DECLARE
  title text;
  key_index text;
BEGIN
  IF benchseal.rank() < 4 THEN
    RAISE EXCEPTION 'only a lead seals the rows of items' USING ERRCODE = '42501';
  END IF;
  FOREACH title IN ARRAY {_TABLES} LOOP
    SELECT i.relname INTO STRICT key_index FROM pg_index x JOIN pg_class i ON i.oid = x.indexrelid
      WHERE x.indrelid = ('public.' || title)::regclass AND x.indisprimary;
    EXECUTE format('CLUSTER public.%I USING %I', title, key_index);
    EXECUTE format('ALTER TABLE public.%I SET WITHOUT CLUSTER', title);
  END LOOP;
  PERFORM benchseal.renew_statistics();
END $$;
"""  # noqa: S608 (sentences of our own)
"""Sealing revisions and what else was written about items, opening them again, and writing the
tables and their statistics again so that neither keeps what was replaced."""

FOR_LEADS = (
    "seal_revisions(integer, text, jsonb)",
    "open_revisions(integer, text, jsonb)",
    "hold_texts(integer)",
    "loose_texts(integer, text, boolean)",
    "change_loose(integer, text, boolean, jsonb)",
    "compact_sealed()",
)
"""The functions that leads alone may call."""
INSIDE = (
    "sealing_of(text, text)",
    "key_of_rows(integer)",
    "split_told(integer)",
    "check_key(integer, text, boolean)",
    "revision_digest(revision)",
    "check_bound(jsonb[])",
    "is_kept(jsonb, text, jsonb)",
    "renew_statistics()",
)
"""Those that nobody calls but the functions."""

UNCHANGED = {
    "revision": ("payload", "provenance", "defects", "note"),
    "screening": ("rationale",),
}
"""Tables that are only ever appended to, and the columns that sealing replaces in them."""


def only_sealing(table: str, owner: str) -> str:
    """The trigger that refuses every change of a row, but that of its texts by the functions; the
    name of the owner's role as a text of SQL."""
    columns = UNCHANGED[table]
    rest = f"- '{{{','.join(columns)}}}'::text[]"
    value = f"{{}}.{columns[0]}" + (" ->> 'sealed'" if table == "revision" else "")
    key = f"substring({value} FROM '^benchseal-sealed:[0-9a-f]{{{{16}}}}:')"
    return (
        f"CREATE TRIGGER {table}_no_update BEFORE UPDATE ON {table} FOR EACH ROW "
        f"WHEN (current_user <> {owner} "
        f"OR (to_jsonb(OLD) {rest}) IS DISTINCT FROM (to_jsonb(NEW) {rest}) "
        f"OR {key.format('OLD')} IS NOT DISTINCT FROM {key.format('NEW')}) "
        "EXECUTE FUNCTION refuse_change()"
    )
