"""Triggers that check what a login writes: in whose name, at what time, and whether it may be.

They run for every statement of a person's own; the functions in ``functions`` run as the owner and
are not checked again, and whoever administers the database (a login that is not a person's) may
move rows. ``at`` is always the server's moment, whatever was sent.
"""

from db.server import split_guards
from db.vocabulary import EventKind, Role

EVENTS_FROM: dict[Role, tuple[EventKind, ...]] = {
    Role.ANNOTATOR: (
        EventKind.SUBMITTED, EventKind.REVISED, EventKind.CLAIMED, EventKind.SKIPPED,
        EventKind.DECIDED, EventKind.RATED, EventKind.UNDONE, EventKind.ASKED, EventKind.UNSURE,
        EventKind.READING, EventKind.BOUND,
    ),
    Role.SPECIALIST: (EventKind.ADJUDICATED,),
    Role.RESEARCHER: (
        EventKind.CREATED, EventKind.BENCHMARK, EventKind.TASK, EventKind.SCREENING_STARTED,
        EventKind.SCREENED, EventKind.AUDIT_STARTED, EventKind.AUDIT_DECIDED,
        EventKind.AUDIT_ENDED, EventKind.APPROVED, EventKind.FROZEN, EventKind.SPLIT,
        EventKind.REVEALED, EventKind.GOLD, EventKind.RETURNED, EventKind.RUN, EventKind.BULK,
        EventKind.PUBLIC_SCORES, EventKind.SECOND_LOOK, EventKind.LOOKED_AGAIN, EventKind.ANSWERED,
        EventKind.ALARM, EventKind.ERRATUM, EventKind.IMPORTED,
    ),
    Role.LEAD: (
        EventKind.WORKSPACE_MADE, EventKind.WORKSPACE, EventKind.PERSON, EventKind.PROTOCOL,
        EventKind.STATE_FOUND,
    ),
}  # fmt: skip
"""The kinds of events that a rung of the ladder may write beyond those before it."""


def kinds_of(role: Role) -> str:
    """The kinds that a rung may write beyond those before it, as an array of SQL."""
    return "ARRAY[" + ", ".join(f"'{kind}'" for kind in EVENTS_FROM[role]) + "]"


EVENT = """
CREATE OR REPLACE FUNCTION benchseal.guard_event() RETURNS trigger
  LANGUAGE plpgsql :definer: AS $$
DECLARE
  moment timestamptz := clock_timestamp();
  tip record;
  told jsonb;
BEGIN
  IF benchseal.me() IS NULL THEN RETURN NEW; END IF;
  PERFORM pg_advisory_xact_lock(:chain:);
  SELECT e.id, e.hash, e.at INTO tip FROM event e ORDER BY e.id DESC LIMIT 1;
  IF NEW.id <> coalesce(tip.id, 0) + 1
      OR NEW.previous <> coalesce(tip.hash, repeat('0', 64)) THEN
    RAISE EXCEPTION 'an event follows the newest one' USING ERRCODE = '42501';
  END IF;
  IF NEW.at !~ '^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]{8}\\.[0-9]{6}\\+00:00$'
      OR NEW.at <= coalesce(tip.at, '') AND NEW.at::timestamptz < tip.at::timestamptz
      OR NEW.at::timestamptz > greatest(moment, tip.at::timestamptz) + interval '1 second'
      OR NEW.at::timestamptz < moment - interval '10 minutes' THEN
    RAISE EXCEPTION 'an event has the time at which it is written' USING ERRCODE = '42501';
  END IF;
  IF NEW.hash <> encode(sha256(convert_to('[' || concat_ws(',', NEW.id::text,
      to_json(NEW.at::text)::text, to_json(NEW.actor::text)::text, to_json(NEW.kind::text)::text,
      coalesce(NEW.item_id::text, 'null'), to_json(NEW.subject::text)::text,
      to_json(NEW.data::text)::text, to_json(NEW.previous::text)::text) || ']', 'UTF8')),
      'hex') THEN
    RAISE EXCEPTION 'the hash of an event is that of its fields' USING ERRCODE = '42501';
  END IF;
  told := NEW.data::jsonb;
  PERFORM benchseal.check_events(ARRAY[NEW.actor::text], ARRAY[NEW.kind::text],
    ARRAY[NEW.item_id], ARRAY[told]);
  IF NEW.kind = 'split' THEN PERFORM benchseal.check_split(NEW, told); END IF;
  IF NEW.kind = 'imported' THEN PERFORM benchseal.check_shown(told); END IF;
  RETURN NEW;
END $$;
CREATE OR REPLACE FUNCTION benchseal.check_events(actors text[], kinds text[], items bigint[],
  told jsonb[]) RETURNS void LANGUAGE plpgsql STABLE :definer: AS $$
DECLARE
  place integer := benchseal.rank();
  lowest integer;
  kind text;
  who text := benchseal.my_name();
BEGIN
  IF array_remove(actors, who) <> '{}' OR who IS NULL THEN
    RAISE EXCEPTION 'an event is written in one''s own name' USING ERRCODE = '42501';
  END IF;
  FOR kind IN SELECT DISTINCT k FROM unnest(kinds) k LOOP
    lowest := CASE WHEN kind = ANY (:kinds_annotator:) THEN 1
                   WHEN kind = ANY (:kinds_specialist:) THEN 2
                   WHEN kind = ANY (:kinds_researcher:) THEN 3 ELSE 4 END;
    IF place < lowest THEN
      RAISE EXCEPTION 'events of the kind % are for others', kind USING ERRCODE = '42501';
    END IF;
  END LOOP;
  IF EXISTS (SELECT FROM unnest(told) t WHERE jsonb_typeof(t) IS DISTINCT FROM 'object'
      OR t ? 'bound' AND (jsonb_typeof(t -> 'bound') <> 'object'
        OR jsonb_path_exists(t, 'strict $.bound.* ? (@.type() != "object")'))) THEN
    RAISE EXCEPTION 'an event is an object' USING ERRCODE = '42501';
  END IF;
  IF place < 3 THEN
    PERFORM benchseal.check_told(i, t) FROM unnest(items, told) e (i, t);
  END IF;
  PERFORM benchseal.check_bound(told);
END $$;
CREATE OR REPLACE FUNCTION benchseal.check_told(item bigint, told jsonb) RETURNS void
  LANGUAGE plpgsql STABLE :definer: AS $$
DECLARE
  now_there jsonb;
  wrong text;
  person integer := benchseal.me();
BEGIN
  IF item IS NOT NULL AND told ? 'after' THEN
    SELECT to_jsonb(i) INTO now_there FROM item i WHERE i.id = item;
    SELECT string_agg(key, ', ') INTO wrong FROM jsonb_each(told -> 'after') AS change (key, value)
      WHERE now_there -> key IS DISTINCT FROM value;
    IF wrong IS NOT NULL THEN
      RAISE EXCEPTION 'the item is not what the event says: %', wrong USING ERRCODE = '42501';
    END IF;
  END IF;
  SELECT string_agg(key, ', ') INTO wrong FROM jsonb_object_keys(coalesce(told -> 'bound', '{}'))
    AS key WHERE key NOT IN ('decision', 'rating', 'comment', 'assignment', 'revision', 'item');
  IF wrong IS NULL THEN
    SELECT string_agg(name || ' ' || unit, ', ') INTO wrong
    FROM jsonb_each(coalesce(told -> 'bound', '{}')) AS part (name, units),
      jsonb_object_keys(units) AS unit
    WHERE CASE name
      WHEN 'decision' THEN NOT EXISTS (SELECT FROM decision WHERE id = unit::bigint
        AND person_id = person)
      WHEN 'rating' THEN NOT EXISTS (SELECT FROM rating WHERE id = unit::bigint
        AND person_id = person)
      WHEN 'comment' THEN NOT EXISTS (SELECT FROM comment WHERE id = unit::bigint
        AND person_id = person)
      WHEN 'assignment' THEN NOT EXISTS (SELECT FROM assignment WHERE id = unit::bigint
        AND person_id = person)
      WHEN 'revision' THEN NOT EXISTS (SELECT FROM revision r JOIN item i ON i.id = r.item_id
        WHERE r.id = unit::bigint AND (r.author_id = person OR i.author_id IS NULL))
      ELSE NOT EXISTS (SELECT FROM item WHERE id = unit::bigint
        AND (author_id = person OR author_id IS NULL)) END;
  END IF;
  IF wrong IS NOT NULL THEN
    RAISE EXCEPTION 'only one''s own rows are bound: %', wrong USING ERRCODE = '42501';
  END IF;
END $$;
"""

JUDGEMENTS = """
CREATE OR REPLACE FUNCTION benchseal.check_judge(item bigint, rev integer) RETURNS void
  LANGUAGE plpgsql STABLE :definer: AS $$
BEGIN
  IF benchseal.wrote(item) THEN
    RAISE EXCEPTION 'nobody judges their own item' USING ERRCODE = '42501';
  END IF;
  IF NOT EXISTS (SELECT FROM item i WHERE i.id = item AND i.revision = rev) THEN
    RAISE EXCEPTION 'only the present revision is judged' USING ERRCODE = '42501';
  END IF;
  IF EXISTS (SELECT FROM assignment a WHERE a.item_id = item AND a.revision = rev
      AND a.person_id = benchseal.me() AND a.reason = 'revealed') THEN
    RAISE EXCEPTION 'whoever saw what is hidden does not judge' USING ERRCODE = '42501';
  END IF;
END $$;
CREATE OR REPLACE FUNCTION benchseal.guard_decision() RETURNS trigger
  LANGUAGE plpgsql :definer: AS $$
DECLARE
  person integer := benchseal.me();
  place integer := benchseal.rank();
  i item%ROWTYPE;
BEGIN
  IF person IS NULL THEN RETURN NEW; END IF;
  IF NEW.person_id IS DISTINCT FROM person THEN
    RAISE EXCEPTION 'a decision is written in one''s own name' USING ERRCODE = '42501';
  END IF;
  IF TG_OP = 'UPDATE' THEN
    IF NEW.withdrawn_event IS NULL OR NOT EXISTS (SELECT FROM event e
        WHERE e.id = NEW.withdrawn_event AND e.actor = benchseal.my_name()
          AND e.kind = 'undone') THEN
      RAISE EXCEPTION 'a decision is withdrawn by undoing it' USING ERRCODE = '42501';
    END IF;
    RETURN NEW;
  END IF;
  NEW.at := clock_timestamp();
  NEW.withdrawn_event := NULL;
  SELECT * INTO i FROM item WHERE id = NEW.item_id;
  IF NEW.stage NOT IN (2, 3) OR (NEW.stage = 3) <> (NEW.kind = 'audit') THEN
    RAISE EXCEPTION 'no such decision is made at this stage' USING ERRCODE = '42501';
  END IF;
  IF NEW.kind = 'audit' THEN
    IF place < 3 OR NOT EXISTS (SELECT FROM lot_item l WHERE l.lot_id = NEW.lot_id
        AND l.item_id = NEW.item_id) OR benchseal.wrote(NEW.item_id) THEN
      RAISE EXCEPTION 'the audit is not yours' USING ERRCODE = '42501';
    END IF;
    RETURN NEW;
  END IF;
  PERFORM benchseal.check_judge(NEW.item_id, NEW.revision);
  IF NEW.kind = 'adjudication' THEN
    IF place < 2 OR NOT i.disputed OR benchseal.decided(NEW.item_id, NEW.revision) THEN
      RAISE EXCEPTION 'this disagreement is not yours to settle' USING ERRCODE = '42501';
    END IF;
  ELSIF NEW.kind IN ('review', 'gold') THEN
    IF NOT EXISTS (SELECT FROM assignment a WHERE a.item_id = NEW.item_id AND a.stage = 2
        AND a.revision = NEW.revision AND a.person_id = person AND a.state IN ('leased', 'done')
        AND a.gold = (NEW.kind = 'gold')) THEN
      RAISE EXCEPTION 'only who holds an item decides on it' USING ERRCODE = '42501';
    END IF;
    IF NEW.kind = 'review' AND (i.state NOT IN ('draft', 'in_review') OR i.open_slots = 0) THEN
      RAISE EXCEPTION 'the item is not under review' USING ERRCODE = '42501';
    END IF;
    IF i.barred <> '' AND NEW.verdict = 'accept' AND NEW.kind = 'review' THEN
      RAISE EXCEPTION 'the item cannot be accepted' USING ERRCODE = '42501';
    END IF;
  ELSE
    RAISE EXCEPTION 'there is no such decision' USING ERRCODE = '42501';
  END IF;
  RETURN NEW;
END $$;
CREATE OR REPLACE FUNCTION benchseal.is_rated(item bigint, rev integer) RETURNS boolean
  LANGUAGE sql STABLE :definer: AS $$
  SELECT i.state NOT IN ('returned', 'rejected', 'screened_out')
    AND NOT EXISTS (SELECT FROM benchseal.sealed_among(ARRAY[item]))
    AND (n.draw IS NULL OR EXISTS (SELECT FROM rating_draw_item d WHERE d.draw_id = n.draw
      AND d.item_id = i.id AND d.revision = rev))
  FROM item i, LATERAL (SELECT max(r.id) AS draw FROM rating_draw r WHERE r.task_id = i.task_id) n
  WHERE i.id = item $$;
CREATE OR REPLACE FUNCTION benchseal.guard_rating() RETURNS trigger
  LANGUAGE plpgsql :definer: AS $$
BEGIN
  IF benchseal.me() IS NULL THEN RETURN NEW; END IF;
  IF NEW.person_id IS DISTINCT FROM benchseal.me() THEN
    RAISE EXCEPTION 'a rating is written in one''s own name' USING ERRCODE = '42501';
  END IF;
  IF TG_OP = 'INSERT' THEN
    NEW.at := clock_timestamp();
    NEW.withdrawn_event := NULL;
    PERFORM benchseal.check_judge(NEW.item_id, NEW.revision);
    IF benchseal.is_rated(NEW.item_id, NEW.revision) IS NOT TRUE THEN
      RAISE EXCEPTION 'the item is not there to be rated' USING ERRCODE = '42501';
    END IF;
  END IF;
  RETURN NEW;
END $$;
CREATE OR REPLACE FUNCTION benchseal.guard_comment() RETURNS trigger
  LANGUAGE plpgsql :definer: AS $$
DECLARE person integer := benchseal.me();
BEGIN
  IF person IS NULL THEN RETURN NEW; END IF;
  IF TG_OP = 'INSERT' THEN
    IF NEW.person_id IS DISTINCT FROM person OR NEW.kind = 'answer' AND benchseal.rank() < 3 THEN
      RAISE EXCEPTION 'a comment is written in one''s own name' USING ERRCODE = '42501';
    END IF;
    NEW.at := clock_timestamp();
    NEW.withdrawn_event := NULL;
  ELSIF NEW.person_id IS DISTINCT FROM person
      AND NEW.withdrawn_event IS DISTINCT FROM OLD.withdrawn_event THEN
    RAISE EXCEPTION 'only who wrote a comment takes it back' USING ERRCODE = '42501';
  END IF;
  RETURN NEW;
END $$;
"""

CLAIMS = """
CREATE OR REPLACE FUNCTION benchseal.check_package(claim assignment) RETURNS void
  LANGUAGE plpgsql STABLE :definer: AS $$
DECLARE i item%ROWTYPE;
BEGIN
  SELECT * INTO i FROM item WHERE id = claim.item_id;
  IF claim.state <> 'leased' OR claim.stage <> 2 OR claim.gold
      OR claim.revision IS DISTINCT FROM i.revision OR i.state NOT IN ('draft', 'in_review')
      OR i.taken >= i.open_slots OR claim.at > clock_timestamp() + interval '1 minute'
      OR claim.lease_until > clock_timestamp() + interval '93 days'
      OR NOT EXISTS (SELECT FROM person p WHERE p.id = claim.person_id AND p.active) THEN
    RAISE EXCEPTION 'the item cannot be handed out' USING ERRCODE = '42501';
  END IF;
  IF i.author_id = claim.person_id OR EXISTS (SELECT FROM revision r WHERE r.item_id = i.id
      AND r.author_id = claim.person_id) THEN
    RAISE EXCEPTION 'nobody judges their own item' USING ERRCODE = '42501';
  END IF;
END $$;
CREATE OR REPLACE FUNCTION benchseal.guard_assignment() RETURNS trigger
  LANGUAGE plpgsql :definer: AS $$
DECLARE
  person integer := benchseal.me();
  place integer := benchseal.rank();
  i item%ROWTYPE;
BEGIN
  IF person IS NULL THEN RETURN NEW; END IF;
  IF TG_OP = 'UPDATE' AND NEW.person_id <> person THEN
    IF place = 4 AND NEW.reason = 'package' AND NEW.person_id = OLD.person_id
        AND OLD.state IN ('expired', 'released') THEN
      PERFORM benchseal.check_package(NEW);
      RETURN NEW;
    END IF;
    IF place < 3 OR NEW.state NOT IN ('released', 'expired', 'skipped') THEN
      RAISE EXCEPTION 'an item is claimed in one''s own name' USING ERRCODE = '42501';
    END IF;
    RETURN NEW;
  END IF;
  IF NEW.person_id IS DISTINCT FROM person THEN
    IF TG_OP = 'INSERT' AND place = 4 AND NEW.reason = 'package' THEN
      PERFORM benchseal.check_package(NEW);
      RETURN NEW;
    END IF;
    RAISE EXCEPTION 'an item is claimed in one''s own name' USING ERRCODE = '42501';
  END IF;
  IF NEW.lease_until > clock_timestamp() + interval '8 days'
      OR NEW.at > clock_timestamp() + interval '1 minute' THEN
    RAISE EXCEPTION 'a claim has the time at which it is made' USING ERRCODE = '42501';
  END IF;
  IF TG_OP = 'UPDATE' AND (OLD.reason = 'revealed' AND (NEW.state = 'leased'
      OR NEW.reason <> 'revealed')) THEN
    RAISE EXCEPTION 'whoever saw what is hidden does not judge' USING ERRCODE = '42501';
  END IF;
  IF NEW.state <> 'leased' THEN
    IF TG_OP = 'INSERT' AND NOT (NEW.state = 'skipped' AND place >= 3)
        OR TG_OP = 'UPDATE' AND NEW.state = 'done' AND OLD.state NOT IN ('leased', 'done') THEN
      RAISE EXCEPTION 'a claim begins with a lease' USING ERRCODE = '42501';
    END IF;
    RETURN NEW;
  END IF;
  IF TG_OP = 'UPDATE' AND OLD.state = 'leased' THEN RETURN NEW; END IF;
  SELECT * INTO i FROM item WHERE id = NEW.item_id;
  IF i.revision IS DISTINCT FROM NEW.revision THEN
    RAISE EXCEPTION 'only the present revision is claimed' USING ERRCODE = '42501';
  END IF;
  IF benchseal.wrote(NEW.item_id) THEN
    RAISE EXCEPTION 'nobody judges their own item' USING ERRCODE = '42501';
  END IF;
  IF EXISTS (SELECT FROM benchseal.sealed_among(ARRAY[NEW.item_id])) THEN
    RAISE EXCEPTION 'the item is in a sealed split' USING ERRCODE = '42501';
  END IF;
  IF TG_OP = 'UPDATE' AND OLD.state = 'done' THEN
    IF NEW.stage = 2 AND EXISTS (SELECT FROM decision d WHERE d.item_id = NEW.item_id
        AND d.revision = NEW.revision AND d.person_id = person AND d.kind IN ('review', 'gold')
        AND d.withdrawn_event IS NULL) THEN
      RAISE EXCEPTION 'the decision stands' USING ERRCODE = '42501';
    END IF;
  ELSIF NEW.gold THEN
    IF TG_OP = 'INSERT' AND NEW.item_id IS DISTINCT FROM benchseal.draw_gold(i.task_id) THEN
      RAISE EXCEPTION 'the item is not the next one' USING ERRCODE = '42501';
    END IF;
  ELSIF NEW.stage = 2 AND i.taken >= i.open_slots THEN
    RAISE EXCEPTION 'the item has all its reviewers' USING ERRCODE = '42501';
  ELSIF NEW.stage = 4 AND (benchseal.is_rated(NEW.item_id, NEW.revision) IS NOT TRUE
      OR NOT EXISTS (SELECT FROM rating_draw n WHERE n.task_id = i.task_id)) THEN
    RAISE EXCEPTION 'the item is not there to be rated' USING ERRCODE = '42501';
  ELSIF NEW.stage NOT IN (2, 4) THEN
    RAISE EXCEPTION 'there is nothing to claim at this stage' USING ERRCODE = '42501';
  END IF;
  RETURN NEW;
END $$;
"""

ITEMS = """
CREATE OR REPLACE FUNCTION benchseal.review_outcome(item bigint, rev integer, places integer,
  OUT state text, OUT open_slots integer, OUT disputed boolean)
  LANGUAGE plpgsql STABLE :definer: AS $$
DECLARE verdicts text[];
BEGIN
  SELECT array_agg(d.verdict::text) INTO verdicts FROM decision d WHERE d.item_id = item
    AND d.revision = rev AND d.kind = 'review' AND d.withdrawn_event IS NULL;
  state := 'in_review'; open_slots := places; disputed := false;
  IF 'return' = ANY (verdicts) THEN state := 'returned'; open_slots := 0;
  ELSIF coalesce(cardinality(verdicts), 0) < places THEN NULL;
  ELSIF (SELECT count(DISTINCT v) FROM unnest(verdicts) v) > 1 THEN
    open_slots := 0; disputed := true;
  ELSE
    state := CASE verdicts[1] WHEN 'accept' THEN 'accepted' ELSE 'rejected' END;
    open_slots := 0;
  END IF;
END $$;
CREATE OR REPLACE FUNCTION benchseal.takes_back(before_ item, after_ item) RETURNS boolean
  LANGUAGE plpgsql STABLE :definer: AS $$
DECLARE
  e record;
  wanted jsonb;
BEGIN
  SELECT v.id, v.kind, v.data::jsonb AS data INTO e FROM event v WHERE v.item_id = before_.id
    AND v.actor = benchseal.my_name()
    AND v.kind IN ('decided', 'adjudicated', 'submitted', 'revised', 'skipped')
    AND NOT EXISTS (SELECT FROM event u WHERE u.item_id = before_.id AND u.kind = 'undone'
      AND u.id > v.id AND (u.data::jsonb ->> 'undone')::bigint = v.id)
    ORDER BY v.id DESC LIMIT 1;
  IF NOT FOUND OR EXISTS (SELECT FROM event o WHERE o.item_id = before_.id AND o.id > e.id
      AND o.actor <> benchseal.my_name() AND o.kind <> 'undone'
      AND o.data::jsonb -> 'after' NOT IN ('{}', 'null')) THEN
    RETURN false;
  END IF;
  wanted := CASE e.kind WHEN 'submitted' THEN '{"state": "returned", "open_slots": 0}'::jsonb
    ELSE '{}' END || coalesce(e.data -> 'before', '{}');
  RETURN jsonb_build_object('state', after_.state, 'revision', after_.revision, 'open_slots',
      after_.open_slots, 'disputed', after_.disputed) =
    jsonb_build_object('state', before_.state, 'revision', before_.revision, 'open_slots',
      before_.open_slots, 'disputed', before_.disputed) || (wanted - 'lot_id' - 'round');
END $$;
CREATE OR REPLACE FUNCTION benchseal.guard_item() RETURNS trigger
  LANGUAGE plpgsql :definer: AS $$
DECLARE
  person integer := benchseal.me();
  place integer := benchseal.rank();
  wanted record;
  verdict text;
BEGIN
  IF person IS NULL THEN RETURN NEW; END IF;
  IF TG_OP = 'INSERT' THEN
    NEW.at := clock_timestamp();
    IF NEW.author_id IS DISTINCT FROM person AND NOT (place >= 3 AND NEW.author_id IS NULL) THEN
      RAISE EXCEPTION 'an item is written in one''s own name' USING ERRCODE = '42501';
    END IF;
    IF NEW.taken <> 0 OR NEW.disputed OR NEW.revision <> 1 OR NEW.lot_id IS NOT NULL
        OR NEW.state IN ('accepted', 'approved', 'frozen') THEN
      RAISE EXCEPTION 'a new item waits for its review' USING ERRCODE = '42501';
    END IF;
    IF place < 3 AND (NEW.run_id IS NOT NULL OR NEW.barred <> ''
        OR NEW.state NOT IN ('draft', 'in_review')
        OR NEW.open_slots <> benchseal.first_slots(NEW.task_id)) THEN
      RAISE EXCEPTION 'a new item waits for its review' USING ERRCODE = '42501';
    END IF;
    RETURN NEW;
  END IF;
  IF benchseal.is_hidden(NEW.id) THEN
    RAISE EXCEPTION 'the import of item % has not ended', NEW.id USING ERRCODE = '42501';
  END IF;
  IF place >= 3 THEN RETURN NEW; END IF;
  SELECT count(*) INTO NEW.taken FROM assignment a WHERE a.item_id = NEW.id
    AND a.revision = NEW.revision AND a.stage = 2 AND NOT a.gold AND a.state IN ('leased', 'done');
  IF NEW.lot_id IS DISTINCT FROM OLD.lot_id OR NEW.round <> OLD.round THEN
    RAISE EXCEPTION 'lots and rounds belong to the audit' USING ERRCODE = '42501';
  END IF;
  IF (NEW.content_hash, NEW.label) IS DISTINCT FROM (OLD.content_hash, OLD.label)
      AND NOT EXISTS (SELECT FROM revision r WHERE r.item_id = NEW.id AND r.number = NEW.revision
        AND r.content_hash = NEW.content_hash AND (NEW.label = OLD.label
          OR NEW.label = coalesce(r.payload ->> 'label', ''))) THEN
    RAISE EXCEPTION 'an item is what its revision says' USING ERRCODE = '42501';
  END IF;
  IF (NEW.state, NEW.revision, NEW.open_slots, NEW.disputed)
      = (OLD.state, OLD.revision, OLD.open_slots, OLD.disputed) THEN
    RETURN NEW;
  END IF;
  IF NEW.revision = OLD.revision AND OLD.state = 'draft' AND NEW.state = 'in_review'
      AND (NEW.open_slots, NEW.disputed) = (OLD.open_slots, OLD.disputed)
      AND benchseal.holds(NEW.id, NEW.revision) THEN
    RETURN NEW;
  END IF;
  IF NEW.revision = OLD.revision AND OLD.disputed AND NOT NEW.disputed AND place >= 2 THEN
    SELECT d.verdict INTO verdict FROM decision d WHERE d.item_id = NEW.id
      AND d.revision = NEW.revision AND d.kind = 'adjudication' AND d.person_id = person
      AND d.withdrawn_event IS NULL;
    IF FOUND AND NEW.open_slots = 0 AND NEW.state = (CASE verdict WHEN 'accept' THEN 'accepted'
        WHEN 'reject' THEN 'rejected' ELSE 'returned' END) THEN
      RETURN NEW;
    END IF;
  END IF;
  IF NEW.revision = OLD.revision AND OLD.state IN ('draft', 'in_review') AND NOT OLD.disputed
      AND benchseal.decided(NEW.id, NEW.revision) THEN
    wanted := benchseal.review_outcome(NEW.id, NEW.revision, OLD.open_slots);
    IF (NEW.state, NEW.open_slots, NEW.disputed)
        = (wanted.state, wanted.open_slots, wanted.disputed) THEN
      RETURN NEW;
    END IF;
  END IF;
  IF OLD.state = 'returned' AND NEW.state = 'draft' AND coalesce(OLD.author_id, person) = person
      AND NEW.revision = (SELECT max(r.number) FROM revision r WHERE r.item_id = NEW.id)
      AND NEW.revision > OLD.revision AND NEW.disputed = OLD.disputed
      AND NEW.open_slots = benchseal.first_slots(NEW.task_id) THEN
    RETURN NEW;
  END IF;
  IF benchseal.takes_back(OLD, NEW) THEN RETURN NEW; END IF;
  RAISE EXCEPTION 'item % does not go from % to % so', NEW.id, OLD.state, NEW.state
    USING ERRCODE = '42501';
END $$;
CREATE OR REPLACE FUNCTION benchseal.first_slots(task integer) RETURNS integer
  LANGUAGE sql STABLE :definer: AS $$
  SELECT CASE WHEN p.settings ->> 'gate' = 'required' THEN 0
    ELSE (p.settings ->> 'overlap')::integer END
  FROM protocol p WHERE p.task_id = task ORDER BY p.version DESC LIMIT 1 $$;
CREATE OR REPLACE FUNCTION benchseal.guard_revision() RETURNS trigger
  LANGUAGE plpgsql :definer: AS $$
DECLARE
  person integer := benchseal.me();
  i item%ROWTYPE;
BEGIN
  IF person IS NULL THEN RETURN NEW; END IF;
  NEW.at := clock_timestamp();
  SELECT * INTO i FROM item WHERE id = NEW.item_id;
  IF NEW.number <> 1 + coalesce((SELECT max(r.number) FROM revision r
      WHERE r.item_id = NEW.item_id), 0) THEN
    RAISE EXCEPTION 'a revision follows the newest one' USING ERRCODE = '42501';
  END IF;
  IF NEW.author_id IS DISTINCT FROM person AND NOT (NEW.author_id IS NOT DISTINCT FROM i.author_id
      AND (NEW.number = 1 OR NEW.content_hash = i.content_hash)) THEN
    RAISE EXCEPTION 'a revision is written in one''s own name' USING ERRCODE = '42501';
  END IF;
  IF NEW.number > 1 AND (i.state <> 'returned' OR benchseal.rank() < 4
      AND coalesce(i.author_id, person) <> person) THEN
    RAISE EXCEPTION 'the item is not with its author' USING ERRCODE = '42501';
  END IF;
  RETURN NEW;
END $$;
"""

STAMP = """
CREATE OR REPLACE FUNCTION benchseal.stamp() RETURNS trigger
  LANGUAGE plpgsql :definer: AS $$
DECLARE
  person integer := benchseal.me();
  named jsonb := to_jsonb(NEW);
BEGIN
  IF person IS NULL THEN RETURN NEW; END IF;
  IF TG_ARGV[0] = 'own' AND named ->> 'person_id' IS NOT NULL
      AND (named ->> 'person_id')::integer <> person THEN
    RAISE EXCEPTION '% is written in one''s own name', TG_TABLE_NAME USING ERRCODE = '42501';
  END IF;
  RETURN jsonb_populate_record(NEW, jsonb_build_object('at', clock_timestamp()));
END $$;
"""

INSIDE = ("check_events(text[], text[], bigint[], jsonb[])", "is_rated(bigint, integer)")
"""Functions that nobody calls."""
FUNCTIONS = (*split_guards.FUNCTIONS, EVENT, JUDGEMENTS, CLAIMS, ITEMS, STAMP)

GUARDS: tuple[tuple[str, str, str], ...] = (
    ("event", "INSERT", "guard_event()"),
    ("decision", "INSERT OR UPDATE", "guard_decision()"),
    ("rating", "INSERT OR UPDATE", "guard_rating()"),
    ("comment", "INSERT OR UPDATE", "guard_comment()"),
    ("assignment", "INSERT OR UPDATE", "guard_assignment()"),
    ("item", "INSERT OR UPDATE", "guard_item()"),
    ("revision", "INSERT", "guard_revision()"),
    ("pending_import", "INSERT OR UPDATE", "guard_pending()"),
    *split_guards.GUARDS,
    *((table, "INSERT", "stamp('own')") for table in ("gold", "lot", "protocol", "rating_draw",
                                                      "saved_filter")),
    *((table, "INSERT", "stamp('any')") for table in ("screening", "benchmark", "task", "run",
                                                      "person", "task_share", "pause")),
)  # fmt: skip
"""Table, operations and the function that checks them."""
