"""What keeps the items of imports hidden, and shows them, in the database of a team's server.

``pending_import`` has the numbers of items that nobody is to see yet. Only items that are new in
the same transaction get there, by whose import they are, and they leave it by an event of the end
of an import alone, which names them: so nobody hides what others have seen, and whoever shows
something is in the ledger. Meanwhile nothing may be built on a hidden item.
"""

BUILT_ON_ITEMS = (
    "assignment", "decision", "rating", "comment", "gold", "screening", "lot_item", "split_item",
    "rating_draw_item",
)  # fmt: skip
"""The tables whose rows say something of an item, in their column ``item_id``."""

FUNCTIONS = """
CREATE OR REPLACE FUNCTION benchseal.is_hidden(item bigint) RETURNS boolean
  LANGUAGE plpgsql STABLE :definer: AS $$
  BEGIN RETURN coalesce((SELECT p.last >= item FROM pending_import p WHERE p.first <= item
    ORDER BY p.first DESC LIMIT 1), false); END $$;
CREATE OR REPLACE FUNCTION benchseal.refuse_hidden() RETURNS trigger
  LANGUAGE plpgsql :definer: AS $$
BEGIN
  IF benchseal.is_hidden(NEW.item_id) THEN
    RAISE EXCEPTION 'the import of item % has not ended', NEW.item_id USING ERRCODE = '42501';
  END IF;
  RETURN NEW;
END $$;
CREATE OR REPLACE FUNCTION benchseal.guard_pending() RETURNS trigger
  LANGUAGE plpgsql :definer: AS $$
DECLARE
  person integer := benchseal.me();
  start bigint := NEW.first;
BEGIN
  IF person IS NULL THEN RETURN NEW; END IF;
  IF TG_OP = 'INSERT' THEN
    NEW.at := clock_timestamp();
  ELSE
    start := OLD.last + 1;
  END IF;
  IF NEW.person_id IS DISTINCT FROM person OR EXISTS (SELECT FROM pending_import p
      WHERE p.import_id = NEW.import_id AND p.person_id IS DISTINCT FROM person) THEN
    RAISE EXCEPTION 'items are hidden by whose import they are' USING ERRCODE = '42501';
  END IF;
  IF NEW.last < start OR EXISTS (SELECT FROM pending_import p WHERE p.id <> NEW.id
      AND p.first <= NEW.last AND p.last >= start) OR NEW.last - start + 1 <> (SELECT count(*)
      FROM item i WHERE i.id BETWEEN start AND NEW.last AND i.task_id = NEW.task_id
      AND i.revision = 1 AND i.taken = 0 AND NOT i.disputed
      AND NOT EXISTS (SELECT FROM event e WHERE e.item_id = i.id)) THEN
    RAISE EXCEPTION 'only new items are hidden' USING ERRCODE = '42501';
  END IF;
  RETURN NEW;
END $$;
CREATE OR REPLACE FUNCTION benchseal.ranges_of(told jsonb)
  RETURNS TABLE (first bigint, last bigint) LANGUAGE sql IMMUTABLE :definer: AS $$
  SELECT (r.pair ->> 0)::bigint, (r.pair ->> 1)::bigint
  FROM jsonb_array_elements(coalesce(told -> 'ranges', '[]')) AS r (pair) $$;
CREATE OR REPLACE FUNCTION benchseal.check_shown(told jsonb) RETURNS void
  LANGUAGE plpgsql STABLE :definer: AS $$
DECLARE
  hidden int8multirange := (SELECT range_agg(int8range(p.first, p.last, '[]'))
    FROM pending_import p);
BEGIN
  IF EXISTS (SELECT FROM (SELECT r.*, lag(r.last) OVER (ORDER BY r.first) AS before
        FROM benchseal.ranges_of(told) r) s
      WHERE CASE WHEN s.first > coalesce(s.before, 0) AND s.last >= s.first
        THEN int8range(s.first, s.last, '[]') <@ hidden END IS NOT TRUE) THEN
    RAISE EXCEPTION 'an import shows what was hidden' USING ERRCODE = '42501';
  END IF;
END $$;
CREATE OR REPLACE FUNCTION benchseal.show_imported() RETURNS trigger
  LANGUAGE plpgsql :definer: AS $$
DECLARE
  shown int8multirange := (SELECT range_agg(int8range(r.first, r.last, '[]'))
    FROM benchseal.ranges_of(NEW.data::jsonb) r);
BEGIN
  WITH held AS (
    DELETE FROM pending_import p WHERE int8range(p.first, p.last, '[]') && shown RETURNING *
  ), cut AS (SELECT * FROM held h WHERE NOT int8range(h.first, h.last, '[]') <@ shown)
  INSERT INTO pending_import (import_id, task_id, file, first, last, person_id, at)
    SELECT c.import_id, c.task_id, c.file, lower(part), upper(part) - 1, c.person_id, c.at
    FROM cut c, unnest(int8multirange(int8range(c.first, c.last, '[]')) - shown) AS part;
  RETURN NULL;
END $$;
"""

SHOWING = (
    "CREATE TRIGGER show_imported AFTER INSERT ON event FOR EACH ROW "
    "WHEN (NEW.kind = 'imported') EXECUTE FUNCTION benchseal.show_imported()"
)
"""The event that ends an import takes what it names out of ``pending_import``."""
