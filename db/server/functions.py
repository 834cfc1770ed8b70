"""What everybody may ask of the database although they cannot read the rows behind it.

Each function runs as the owner of the tables with a fixed search path, so that no table or operator
of a person's own can stand in the place of ours. ``session_user`` is the login, whatever role the
session took since. What is asked for every row or statement is PL/pgSQL, whose plan a session
keeps; a function of SQL is planned again for each statement that calls it.
"""

DEFINER = "SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp"

IDENTITY = """
CREATE OR REPLACE FUNCTION benchseal.me() RETURNS integer LANGUAGE plpgsql STABLE :definer: AS $$
  BEGIN RETURN (
  SELECT id FROM person WHERE account = session_user::text AND active); END $$;
CREATE OR REPLACE FUNCTION benchseal.my_name() RETURNS text LANGUAGE plpgsql STABLE :definer: AS $$
  BEGIN RETURN (
  SELECT name FROM person WHERE account = session_user::text AND active); END $$;
CREATE OR REPLACE FUNCTION benchseal.rank() RETURNS integer LANGUAGE plpgsql STABLE :definer: AS $$
  BEGIN RETURN (
  SELECT coalesce((SELECT array_position(ARRAY['annotator','specialist','researcher','lead'],
    role::text) FROM person WHERE account = session_user::text AND active), 0)); END $$;
CREATE OR REPLACE FUNCTION benchseal.led(who text, upto bigint) RETURNS boolean
  LANGUAGE plpgsql STABLE :definer: AS $$
  BEGIN RETURN coalesce((
  SELECT e.data::jsonb ->> 'role' = 'lead' FROM event e WHERE e.kind = 'person'
    AND e.subject = who AND e.item_id IS NULL AND e.id < upto AND e.data::jsonb ? 'role'
    ORDER BY e.id DESC LIMIT 1), true); END $$;
"""
"""Who acts: the person of the login, their name, and their rung from 1 (annotator) to 4 (lead); and
who led when an event was written."""

SIGHT = """
CREATE OR REPLACE FUNCTION benchseal.holds(item bigint, rev integer) RETURNS boolean
  LANGUAGE plpgsql STABLE :definer: AS $$
  BEGIN RETURN (
  SELECT EXISTS (SELECT FROM assignment a WHERE a.item_id = item AND a.revision = rev
    AND a.stage = 2 AND a.person_id = benchseal.me() AND a.state = 'leased')); END $$;
CREATE OR REPLACE FUNCTION benchseal.wrote(item bigint) RETURNS boolean
  LANGUAGE plpgsql STABLE :definer: AS $$
  BEGIN RETURN (
  SELECT EXISTS (SELECT FROM item i WHERE i.id = item AND i.author_id = benchseal.me())
      OR EXISTS (SELECT FROM revision r WHERE r.item_id = item AND r.author_id = benchseal.me()));
  END $$;
CREATE OR REPLACE FUNCTION benchseal.decided(item bigint, rev integer) RETURNS boolean
  LANGUAGE plpgsql STABLE :definer: AS $$
  BEGIN RETURN (
  SELECT EXISTS (SELECT FROM decision d WHERE d.item_id = item AND d.revision = rev
    AND d.person_id = benchseal.me() AND d.withdrawn_event IS NULL AND d.kind <> 'gold')); END $$;
CREATE OR REPLACE FUNCTION benchseal.answered_gold(item bigint) RETURNS boolean
  LANGUAGE plpgsql STABLE :definer: AS $$
  BEGIN RETURN (
  SELECT EXISTS (SELECT FROM decision d WHERE d.item_id = item AND d.kind = 'gold'
    AND d.person_id = benchseal.me() AND d.withdrawn_event IS NULL)); END $$;
CREATE OR REPLACE FUNCTION benchseal.knows(item bigint, rev integer) RETURNS boolean
  LANGUAGE plpgsql STABLE :definer: AS $$
DECLARE
  place integer := benchseal.rank();
  closed boolean;
  quarrel boolean;
BEGIN
  IF place = 4 THEN RETURN true; END IF;
  IF place = 0 OR benchseal.holds(item, rev) THEN RETURN false; END IF;
  IF place = 3 OR benchseal.decided(item, rev) THEN RETURN true; END IF;
  SELECT i.state NOT IN ('draft', 'screening', 'in_review') OR i.revision > rev, i.disputed
    INTO closed, quarrel FROM item i WHERE i.id = item;
  IF place = 2 THEN
    RETURN NOT benchseal.answers_open(item, rev) AND (closed OR quarrel);
  END IF;
  RETURN closed AND benchseal.wrote(item);
END $$;
CREATE OR REPLACE FUNCTION benchseal.answers_open(item bigint, rev integer) RETURNS boolean
  LANGUAGE plpgsql STABLE :definer: AS $$
  BEGIN RETURN (
  SELECT EXISTS (SELECT FROM assignment a WHERE a.item_id = item AND a.revision = rev AND a.gold
    AND a.person_id = benchseal.me() AND a.state <> 'done')); END $$;
CREATE OR REPLACE FUNCTION benchseal.rated(item bigint, rev integer) RETURNS boolean
  LANGUAGE plpgsql STABLE :definer: AS $$
  BEGIN RETURN (
  SELECT EXISTS (SELECT FROM rating r WHERE r.item_id = item AND r.revision = rev
    AND r.person_id = benchseal.me() AND r.withdrawn_event IS NULL)); END $$;
CREATE OR REPLACE FUNCTION benchseal.is_private(item bigint) RETURNS boolean
  LANGUAGE plpgsql STABLE :definer: AS $$
  BEGIN RETURN (
  SELECT EXISTS (SELECT FROM split s JOIN split_item p ON p.split_id = s.id AND p.item_id = item
    WHERE s.state = 'sealed' OR s.state IN ('frozen', 'opened') AND benchseal.rank() < 3
      AND coalesce(s.manifest ->> 'half', '') <> 'public')); END $$;
CREATE OR REPLACE FUNCTION benchseal.sealed_among(numbers bigint[]) RETURNS SETOF bigint
  LANGUAGE sql STABLE :definer: AS $$
  SELECT DISTINCT p.item_id::bigint FROM split s JOIN split_item p ON p.split_id = s.id
    WHERE s.state = 'sealed' AND p.item_id = ANY (numbers) $$;
CREATE OR REPLACE FUNCTION benchseal.reads(item bigint) RETURNS boolean
  LANGUAGE plpgsql STABLE :definer: AS $$
DECLARE place integer := benchseal.rank();
BEGIN
  IF place = 4 THEN RETURN true; END IF;
  IF place = 0 OR benchseal.is_private(item) AND NOT EXISTS (SELECT FROM assignment a
      WHERE a.item_id = item AND a.person_id = benchseal.me() AND a.state = 'leased') THEN
    RETURN place > 0 AND benchseal.wrote(item) AND NOT EXISTS (SELECT FROM split s
      JOIN split_item p ON p.split_id = s.id AND p.item_id = item WHERE s.state = 'sealed');
  END IF;
  RETURN place >= 2 OR benchseal.wrote(item) OR EXISTS (SELECT FROM assignment a
    WHERE a.item_id = item AND a.person_id = benchseal.me())
    OR EXISTS (SELECT FROM rating r WHERE r.item_id = item AND r.person_id = benchseal.me());
END $$;
CREATE OR REPLACE FUNCTION benchseal.my_thread(comment bigint) RETURNS boolean
  LANGUAGE sql STABLE :definer: AS $$
  SELECT EXISTS (SELECT FROM comment c WHERE c.id = comment AND c.person_id = benchseal.me()) $$;
"""
"""What is open to a login's person: the rule of ``core.workflow.check.visibility`` in SQL."""

SERVICES = """
CREATE OR REPLACE FUNCTION benchseal.ledger_tip(OUT id bigint, OUT hash text, OUT at text,
  OUT clock timestamptz) LANGUAGE plpgsql :definer: AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(:chain:);
  SELECT e.id, e.hash, e.at INTO id, hash, at FROM event e ORDER BY e.id DESC LIMIT 1;
  clock := clock_timestamp();
END $$;
CREATE OR REPLACE FUNCTION benchseal.ledger_head() RETURNS bigint
  LANGUAGE sql STABLE :definer: AS $$
  SELECT coalesce(max(id), 0) FROM event $$;
CREATE OR REPLACE FUNCTION benchseal.ledger_kinds(after bigint, upto bigint)
  RETURNS TABLE (id bigint, kind text) LANGUAGE sql STABLE :definer: AS $$
  SELECT e.id, e.kind::text FROM event e WHERE e.id > after AND e.id <= upto
    AND benchseal.rank() > 0 $$;
CREATE OR REPLACE FUNCTION benchseal.expire_leases() RETURNS integer
  LANGUAGE plpgsql :definer: AS $$
DECLARE
  stale record;
  ended assignment%ROWTYPE;
  expired integer := 0;
  moment timestamptz := clock_timestamp();
BEGIN
  IF benchseal.rank() = 0 THEN RETURN 0; END IF;
  FOR stale IN SELECT a.id, a.item_id FROM assignment a WHERE a.state = 'leased'
      AND (a.lease_until < moment OR a.at > moment + interval '1 minute') ORDER BY a.item_id LOOP
    PERFORM FROM item i WHERE i.id = stale.item_id FOR UPDATE SKIP LOCKED;
    CONTINUE WHEN NOT FOUND;
    UPDATE assignment a SET state = 'expired', lease_until = NULL WHERE a.id = stale.id
      AND a.state = 'leased' AND (a.lease_until < moment OR a.at > moment + interval '1 minute')
      RETURNING a.* INTO ended;
    CONTINUE WHEN NOT FOUND;
    expired := expired + 1;
    IF NOT ended.gold AND ended.stage = 2 THEN
      UPDATE item i SET taken = i.taken - 1 WHERE i.id = ended.item_id
        AND i.revision = ended.revision AND i.taken > 0;
    END IF;
  END LOOP;
  RETURN expired;
END $$;
CREATE OR REPLACE FUNCTION benchseal.release_leases(numbers bigint[], at_stage integer,
  keep integer) RETURNS integer LANGUAGE plpgsql :definer: AS $$
DECLARE released integer;
BEGIN
  UPDATE assignment a SET state = 'released', lease_until = NULL FROM item i
    WHERE a.item_id = ANY (numbers) AND i.id = a.item_id AND a.stage = at_stage AND NOT a.gold
      AND a.state = 'leased' AND (keep IS NULL OR a.person_id <> keep)
      AND (benchseal.rank() >= 3 OR benchseal.rank() > 0 AND i.open_slots = 0);
  GET DIAGNOSTICS released = ROW_COUNT;
  RETURN released;
END $$;
CREATE OR REPLACE FUNCTION benchseal.end_leases(split integer) RETURNS void
  LANGUAGE sql :definer: AS $$
  UPDATE assignment a SET state = 'expired', lease_until = NULL FROM split s
    JOIN split_item p ON p.split_id = s.id WHERE s.id = split AND s.state = 'sealed'
    AND a.item_id = p.item_id AND a.state = 'leased' AND benchseal.rank() >= 3 $$;
CREATE OR REPLACE FUNCTION benchseal.recount(numbers bigint[], at_stage integer) RETURNS void
  LANGUAGE sql :definer: AS $$
  UPDATE item i SET taken = (SELECT count(*) FROM assignment a WHERE a.item_id = i.id
      AND a.revision = i.revision AND a.stage = at_stage AND NOT a.gold
      AND a.state IN ('leased', 'done'))
    WHERE i.id = ANY (numbers) AND benchseal.rank() > 0 $$;
CREATE OR REPLACE FUNCTION benchseal.holders(item bigint, rev integer, at_stage integer)
  RETURNS SETOF integer LANGUAGE sql STABLE :definer: AS $$
  SELECT a.person_id FROM assignment a WHERE a.item_id = item AND a.revision = rev
    AND a.stage = at_stage AND a.state = 'leased' AND a.lease_until >= clock_timestamp()
    AND a.at <= clock_timestamp() + interval '1 minute' AND benchseal.rank() > 0 $$;
CREATE OR REPLACE FUNCTION benchseal.raters(numbers bigint[])
  RETURNS TABLE (item_id bigint, revision integer, person_id integer)
  LANGUAGE sql STABLE :definer: AS $$
  SELECT DISTINCT r.item_id, r.revision, r.person_id FROM rating r
    WHERE r.item_id = ANY (numbers) AND r.withdrawn_event IS NULL AND benchseal.rank() > 0 $$;
CREATE OR REPLACE FUNCTION benchseal.draw_gold(task integer) RETURNS bigint
  LANGUAGE plpgsql STABLE :definer: AS $$
DECLARE
  person integer := benchseal.me();
  had integer;
  drawn bigint;
BEGIN
  SELECT count(*) INTO had FROM assignment a JOIN item i ON i.id = a.item_id
    WHERE a.person_id = person AND a.stage = 2 AND a.gold AND i.task_id = task;
  SELECT g.item_id INTO drawn FROM gold g JOIN item i ON i.id = g.item_id
    WHERE g.task_id = task AND g.active AND g.revision = i.revision AND i.taken >= i.open_slots
      AND NOT benchseal.wrote(g.item_id)
      AND NOT EXISTS (SELECT FROM benchseal.sealed_among(ARRAY[g.item_id::bigint]))
      AND NOT EXISTS (SELECT FROM assignment a WHERE a.item_id = g.item_id AND a.person_id = person)
      AND NOT EXISTS (SELECT FROM decision d WHERE d.item_id = g.item_id AND d.person_id = person)
    ORDER BY md5(person || '/' || task || '/' || had || '/' || g.item_id) LIMIT 1;
  RETURN drawn;
END $$;
"""
"""What a step needs that touches rows of others: the end of the chain, leases that ran out, who
rates an item already, and the gold item that is next."""

TELLING = """
CREATE OR REPLACE FUNCTION benchseal.tell() RETURNS trigger
  LANGUAGE plpgsql :definer: AS $$
BEGIN
  PERFORM pg_notify('benchseal_ledger', (SELECT max(f.id)::text FROM fresh f));
  RETURN NULL;
END $$;
"""
"""Whoever listens is told the number of the newest event, and has to read what it is."""

LOGINS = """
CREATE OR REPLACE FUNCTION benchseal.is_own_login(login text) RETURNS boolean
  LANGUAGE sql STABLE :definer: AS $$
  SELECT EXISTS (SELECT FROM pg_roles r JOIN pg_auth_members m ON m.member = r.oid
    JOIN pg_roles g ON g.oid = m.roleid WHERE r.rolname = login AND g.rolname = :login_text:
    AND NOT r.rolsuper AND NOT r.rolcreaterole AND NOT r.rolbypassrls) $$;
CREATE OR REPLACE FUNCTION benchseal.follow_person() RETURNS trigger
  LANGUAGE plpgsql :definer: AS $$
DECLARE rung text;
BEGIN
  IF TG_OP = 'UPDATE' AND OLD.account IS NOT NULL AND OLD.account IS DISTINCT FROM NEW.account THEN
    FOREACH rung IN ARRAY :ladder: LOOP
      IF EXISTS (SELECT FROM pg_roles WHERE rolname = OLD.account) THEN
        EXECUTE format('REVOKE %I FROM %I', rung, OLD.account);
      END IF;
    END LOOP;
  END IF;
  IF NEW.account IS NULL THEN RETURN NULL; END IF;
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = NEW.account) THEN
    EXECUTE format('CREATE ROLE %I LOGIN', NEW.account);
    EXECUTE format('GRANT :login: TO %I', NEW.account);
  END IF;
  FOREACH rung IN ARRAY :ladder: LOOP
    EXECUTE format('REVOKE %I FROM %I', rung, NEW.account);
  END LOOP;
  IF NEW.active THEN
    EXECUTE format('GRANT %I TO %I', :prefix: || NEW.role, NEW.account);
  END IF;
  IF benchseal.is_own_login(NEW.account) THEN
    EXECUTE format('ALTER ROLE %I ' || CASE WHEN NEW.active THEN 'LOGIN' ELSE 'NOLOGIN' END,
      NEW.account);
  END IF;
  RETURN NULL;
END $$;
CREATE OR REPLACE FUNCTION benchseal.set_password(login text, verifier text) RETURNS boolean
  LANGUAGE plpgsql :definer: AS $$
BEGIN
  IF benchseal.rank() < 4 AND NOT pg_has_role(session_user, :owner_text:, 'MEMBER') THEN
    RAISE EXCEPTION 'only a lead sets passwords' USING ERRCODE = '42501';
  END IF;
  IF verifier !~ '^SCRAM-SHA-256\\$[0-9]+:[A-Za-z0-9+/=]+\\$[A-Za-z0-9+/=]+:[A-Za-z0-9+/=]+$' THEN
    RAISE EXCEPTION 'not a SCRAM verifier' USING ERRCODE = '22023';
  END IF;
  IF NOT benchseal.is_own_login(login) THEN RETURN false; END IF;
  EXECUTE format('ALTER ROLE %I PASSWORD %L', login, verifier);
  RETURN true;
END $$;
"""
"""The logins follow the people: whoever gets an account, a role or a leave gets it on the server in
the same transaction. A login that the workspace did not make keeps its password and its door."""
