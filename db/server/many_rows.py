"""Functions of a team's server that write many rows at once: new items, and events of the ledger.

They run as the owner, so that policies and guards are not asked of each row, and so ask all of it
themselves, of all rows at once. What is not plain they leave: they write nothing and say so, and
the rows are written by statements of the login's own, whose guards say why something is refused.
"""

FUNCTIONS = """
CREATE OR REPLACE FUNCTION benchseal.append_events(given jsonb) RETURNS bigint
  LANGUAGE plpgsql :definer: AS $$
DECLARE
  tip record;
  e record;
  number bigint;
  seal text;
  moment text;
  actors text[];
  kinds text[];
  items bigint[];
  told jsonb[];
  earlier text[] := '{}';
  seals text[] := '{}';
BEGIN  -- whatever takes time comes before the chain is held
  IF benchseal.me() IS NULL THEN RETURN NULL; END IF;
  SELECT array_agg(l.e ->> 0), array_agg(l.e ->> 1), array_agg((l.e ->> 2)::bigint),
      array_agg((l.e ->> 4)::jsonb) INTO actors, kinds, items, told
    FROM jsonb_array_elements(given) l (e);
  IF kinds && ARRAY['split', 'imported'] THEN RETURN NULL; END IF;
  PERFORM benchseal.check_events(actors, kinds, items, told);
  SELECT t.* INTO tip FROM benchseal.ledger_tip() t;
  number := coalesce(tip.id, 0);
  seal := coalesce(tip.hash, repeat('0', 64));
  moment := benchseal.moment_text(tip.clock);
  IF moment COLLATE "C" < tip.at COLLATE "C" THEN RETURN NULL; END IF;
  FOR e IN SELECT ',' || concat_ws(',', to_json(moment)::text, to_json(l.event ->> 0)::text,
        to_json(l.event ->> 1)::text, coalesce(l.event ->> 2, 'null'),
        to_json(l.event ->> 3)::text, to_json(l.event ->> 4)::text, '"') AS line
      FROM jsonb_array_elements(given) WITH ORDINALITY l (event, place) ORDER BY l.place LOOP
    earlier := earlier || seal;
    number := number + 1;
    seal := encode(sha256(convert_to('[' || number || e.line || seal || '"]', 'UTF8')), 'hex');
    seals := seals || seal;
  END LOOP;
  INSERT INTO event (id, at, actor, kind, item_id, subject, data, previous, hash)
    SELECT coalesce(tip.id, 0) + l.place, moment, l.event ->> 0, l.event ->> 1,
      (l.event ->> 2)::bigint, l.event ->> 3, l.event ->> 4, l.previous, l.hash
    FROM ROWS FROM (jsonb_array_elements(given), unnest(earlier), unnest(seals))
      WITH ORDINALITY l (event, previous, hash, place) ORDER BY l.place;
  RETURN number;
END $$;
CREATE OR REPLACE FUNCTION benchseal.item_digest(i item) RETURNS text
  LANGUAGE plpgsql STABLE STRICT :definer: AS $$
  BEGIN RETURN benchseal.digest('{' || concat_ws(',', '"id":' || i.id,
    '"benchmark_id":' || i.benchmark_id, '"task_id":' || i.task_id,
    '"family":' || to_json(i.family::text), '"format":' || to_json(i.format::text),
    '"domain":' || to_json(i.domain::text), '"label":' || to_json(i.label::text),
    '"barred":' || to_json(i.barred::text), '"author_id":' || i.author_id,
    '"run_id":' || to_json(i.run_id::text), '"at":"' || benchseal.moment_text(i.at) || '"')
    || '}'); END $$;
CREATE OR REPLACE FUNCTION benchseal.seems_sealed(value jsonb) RETURNS boolean
  LANGUAGE plpgsql IMMUTABLE :definer: AS $$
  BEGIN RETURN coalesce(CASE jsonb_typeof(value) WHEN 'object' THEN value ->> 'sealed'
    WHEN 'string' THEN value #>> '{}' END LIKE 'benchseal-sealed:%', false); END $$;
CREATE OR REPLACE FUNCTION benchseal.add_items(given jsonb)
  RETURNS TABLE (item_ bigint, revision_ bigint, item_digest text, revision_digest text)
  LANGUAGE plpgsql :definer: AS $$
DECLARE
  person integer := benchseal.me();
  moment timestamptz := clock_timestamp();
  rows_ integer := jsonb_array_length(given);
  items bigint[];
  texts bigint[];
BEGIN
  IF person IS NULL OR benchseal.rank() < 3 OR EXISTS (SELECT FROM jsonb_array_elements(given) g (v)
      WHERE (v ->> 10)::integer <> person OR v ->> 5 NOT IN ('draft', 'screening', 'in_review',
          'screened_out', 'rejected', 'returned')
        OR benchseal.seems_sealed(v -> 12) OR benchseal.seems_sealed(v -> 13)
        OR benchseal.seems_sealed(v -> 14)) THEN
    RETURN;
  END IF;
  items := ARRAY(SELECT nextval(pg_get_serial_sequence('item', 'id'))
    FROM generate_series(1, rows_));
  texts := ARRAY(SELECT nextval(pg_get_serial_sequence('revision', 'id'))
    FROM generate_series(1, rows_));
  INSERT INTO item (id, benchmark_id, task_id, family, format, domain, label, state, revision,
      content_hash, open_slots, taken, disputed, barred, round, author_id, run_id, at, changed_at)
    SELECT g.id, (v ->> 0)::integer, (v ->> 1)::integer, v ->> 2, v ->> 3, v ->> 4, v ->> 15,
      v ->> 5, 1, v ->> 6, (v ->> 7)::integer, 0, false, v ->> 8, (v ->> 9)::integer,
      (v ->> 10)::integer, v ->> 11, moment, moment
    FROM ROWS FROM (jsonb_array_elements(given), unnest(items)) g (v, id);
  INSERT INTO revision (id, item_id, number, content_hash, payload, provenance, defects, author_id,
      note, at)
    SELECT g.text_, g.id, 1, v ->> 6, v -> 12, v -> 13, v -> 14, (v ->> 10)::integer, '', moment
    FROM ROWS FROM (jsonb_array_elements(given), unnest(items), unnest(texts)) g (v, id, text_);
  INSERT INTO search_text (item_id, revision, body, grams)
    SELECT g.id, 1, v ->> 16, (v ->> 17)::text[]
    FROM ROWS FROM (jsonb_array_elements(given), unnest(items)) g (v, id);
  RETURN QUERY SELECT i.id::bigint, r.id::bigint, benchseal.item_digest(i),
      benchseal.revision_digest(r)
    FROM item i JOIN revision r ON r.item_id = i.id WHERE i.id = ANY (items) ORDER BY i.id;
END $$;
"""

INSIDE = ("item_digest(item)", "seems_sealed(jsonb)")
"""Functions that nobody calls."""
