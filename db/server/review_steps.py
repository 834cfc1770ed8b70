"""The steps of a reviewer as functions of the server: the next item, a decision on it, a skip.

They do what ``core.workflow.check.review`` does for a plain item, each in one statement that is a
transaction of its own: nothing waits for a network between its locks. They run as the owner, which
takes half the time, and so ask themselves all that policies and guards ask of a reviewer. Whatever
is not plain (a draw of gold items, somebody who is paused, an item that changed) they leave as it
is and return no row (or raise ``BS001``, with nothing written): then the long way is taken, which
has the rules and says why something is refused.

The chain is held from the reading of its end to the commit and not, as elsewhere, until the disk
has it: other writers go on, and ``on_disk`` waits for all of them at once. Until then a decision is
not acknowledged, and nobody signs what they read of the ledger (``Workspace.settle``).
"""

FUNCTIONS = """
CREATE OR REPLACE FUNCTION benchseal.moment_text(moment timestamptz) RETURNS text
  LANGUAGE plpgsql IMMUTABLE :definer: AS $$
  BEGIN RETURN to_char(moment AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"+00:00"'); END $$;
CREATE OR REPLACE FUNCTION benchseal.digest(parts text) RETURNS text
  LANGUAGE plpgsql IMMUTABLE :definer: AS $$
  BEGIN RETURN encode(sha256(convert_to(parts, 'UTF8')), 'hex'); END $$;
CREATE OR REPLACE FUNCTION benchseal.decision_digest(d decision) RETURNS text
  LANGUAGE plpgsql IMMUTABLE :definer: AS $$
DECLARE seconds text := d.seconds::text;
BEGIN
  IF seconds !~ '[.e]' THEN seconds := seconds || '.0'; END IF;
  RETURN benchseal.digest('{' || concat_ws(',', '"id":' || d.id, '"item_id":' || d.item_id,
    '"revision":' || d.revision, '"stage":' || d.stage, '"kind":' || to_json(d.kind::text),
    '"person_id":' || d.person_id, '"verdict":' || to_json(d.verdict::text),
    '"reason":' || to_json(d.reason::text), '"note":' || to_json(d.note::text),
    '"seconds":' || seconds, '"lot_id":' || d.lot_id,
    '"withdrawn_event":' || d.withdrawn_event, '"at":"' || benchseal.moment_text(d.at) || '"')
    || '}');
END $$;
CREATE OR REPLACE FUNCTION benchseal.assignment_digest(a assignment) RETURNS text
  LANGUAGE plpgsql IMMUTABLE :definer: AS $$
BEGIN
  RETURN benchseal.digest('{' || concat_ws(',', '"id":' || a.id, '"item_id":' || a.item_id,
    '"revision":' || a.revision, '"stage":' || a.stage, '"person_id":' || a.person_id,
    '"state":' || to_json(a.state::text), '"reason":' || to_json(a.reason::text),
    '"gold":' || a.gold) || '}');
END $$;
CREATE OR REPLACE FUNCTION benchseal.append_event(what text, about bigint, told text)
  RETURNS bigint LANGUAGE plpgsql :definer: AS $$
DECLARE
  tip record;
  who text := benchseal.my_name();
  number bigint;
  before text;
  moment text;
BEGIN
  SELECT t.* INTO tip FROM benchseal.ledger_tip() t;
  number := coalesce(tip.id, 0) + 1;
  before := coalesce(tip.hash, repeat('0', 64));
  moment := benchseal.moment_text(tip.clock);
  IF moment COLLATE "C" < tip.at COLLATE "C" THEN
    RAISE EXCEPTION 'the clock was set back' USING ERRCODE = 'BS001';
  END IF;
  INSERT INTO event (id, at, actor, kind, item_id, subject, data, previous, hash) VALUES (number,
    moment, who, what, about, '', told, before, benchseal.digest('[' || concat_ws(',',
      number::text, to_json(moment)::text, to_json(who)::text, to_json(what)::text,
      coalesce(about::text, 'null'), '""', to_json(told)::text, to_json(before)::text) || ']'));
  RETURN number;
END $$;
CREATE OR REPLACE FUNCTION benchseal.closed_tasks(person integer) RETURNS integer[]
  LANGUAGE plpgsql STABLE :definer: AS $$
  BEGIN RETURN ARRAY(SELECT s.task_id FROM task_share s GROUP BY s.task_id
    HAVING NOT bool_or(s.person_id = person)
      OR coalesce(max(s.most) FILTER (WHERE s.person_id = person) <= (
        SELECT count(DISTINCT a.item_id) FROM assignment a JOIN item i ON i.id = a.item_id
        WHERE a.person_id = person AND a.stage = 2 AND NOT a.gold
          AND a.state IN ('leased', 'done') AND i.task_id = s.task_id), false));
  END $$;
CREATE OR REPLACE FUNCTION benchseal.rules_of(task integer) RETURNS jsonb
  LANGUAGE plpgsql STABLE :definer: AS $$
  BEGIN RETURN (SELECT p.settings FROM protocol p WHERE p.task_id = task
    ORDER BY p.version DESC LIMIT 1); END $$;
CREATE OR REPLACE FUNCTION benchseal.lease_in(rules jsonb) RETURNS interval
  LANGUAGE plpgsql IMMUTABLE :definer: AS $$
  BEGIN RETURN coalesce((rules ->> 'lease_minutes')::float8, 30) * interval '1 minute'; END $$;
CREATE OR REPLACE FUNCTION benchseal.may_go_on(me person, task integer, rules jsonb)
  RETURNS boolean LANGUAGE plpgsql STABLE :definer: AS $$
DECLARE
  least float8 := coalesce((rules ->> 'gold_limit')::float8, 0);
  wanted integer := coalesce((rules ->> 'qualification')::integer, 0);
  answers bigint[];  -- gold answers, oldest first: the decision's number, negative for a wrong one
BEGIN
  IF least <= 0 AND (wanted <= 0 OR benchseal.rank() >= 3) THEN RETURN true; END IF;
  answers := ARRAY(SELECT CASE WHEN d.verdict = g.verdict THEN d.id ELSE -d.id END
    FROM decision d JOIN gold g ON g.item_id = d.item_id AND g.task_id = task
    WHERE d.person_id = me.id AND d.kind = 'gold' AND d.withdrawn_event IS NULL ORDER BY d.id);
  IF least > 0 AND (SELECT avg((a > 0)::integer) < least FROM unnest(answers) a
      WHERE abs(a) > me.gold_from) THEN
    RETURN false;
  END IF;
  RETURN wanted <= 0 OR benchseal.rank() >= 3 OR EXISTS (
    SELECT FROM unnest(answers) WITH ORDINALITY a (number, place) GROUP BY (place - 1) / wanted
    HAVING count(*) = wanted AND count(*) FILTER (WHERE number > 0)
      >= coalesce((rules ->> 'qualification_pass')::float8, 0.8) * wanted - 1e-9);
END $$;
CREATE OR REPLACE FUNCTION benchseal.next_to_review(who text, home text, seen bigint[])
  RETURNS TABLE (number bigint, revision_ integer, task_ text, family_ text, format_ text,
    domain_ text, barred_ text, payload_ jsonb, provenance_ jsonb, defects_ jsonb, profile_ jsonb,
    gold_rate_ float8, draw_ bigint[], event_ bigint) LANGUAGE plpgsql :definer: AS $$
DECLARE
  me person%ROWTYPE;
  place integer;
  rules jsonb;
  held record;
  i item%ROWTYPE;
  closed integer[];
  moment timestamptz;
BEGIN
  SET LOCAL synchronous_commit = off;  -- a lease, which nobody was promised
  SELECT p.* INTO me FROM person p WHERE p.name = who FOR SHARE;
  SELECT b.id INTO place FROM benchmark b WHERE b.name = home;
  IF me.account IS DISTINCT FROM session_user::text OR NOT me.active OR place IS NULL THEN
    RETURN;
  END IF;
  PERFORM benchseal.expire_leases();
  moment := clock_timestamp();
  FOR held IN SELECT a.item_id, a.lease_until, a.gold, x.state, x.task_id
      FROM assignment a JOIN item x ON x.id = a.item_id AND x.revision = a.revision
      WHERE a.person_id = me.id AND a.stage = 2 AND a.state = 'leased' AND a.lease_until >= moment
        AND a.at <= moment + interval '1 minute' AND a.reason <> 'package'
        AND x.benchmark_id = place ORDER BY a.at, a.id LOOP
    IF held.gold AND held.item_id <> ALL (seen)
        OR NOT held.gold AND held.state <> 'in_review' THEN
      RETURN;
    END IF;
    rules := benchseal.rules_of(held.task_id);
    IF held.lease_until < moment + 0.9 * benchseal.lease_in(rules) THEN RETURN; END IF;
    IF i.id IS NULL AND held.item_id <> ALL (seen) THEN
      SELECT x.* INTO i FROM item x WHERE x.id = held.item_id;
    END IF;
  END LOOP;
  IF i.id IS NULL THEN
    IF EXISTS (SELECT FROM pause p WHERE p.person_id = me.id) THEN RETURN; END IF;
    closed := benchseal.closed_tasks(me.id);
    SELECT x.* INTO i FROM item x WHERE x.taken < x.open_slots AND x.benchmark_id = place
        AND (x.author_id IS NULL OR x.author_id <> me.id)
        AND NOT EXISTS (SELECT FROM revision r WHERE r.item_id = x.id AND r.author_id = me.id)
        AND NOT EXISTS (SELECT FROM assignment a WHERE a.item_id = x.id AND a.revision = x.revision
          AND a.stage = 2 AND a.person_id = me.id
          AND a.state IN ('leased', 'done', 'skipped', 'postponed'))
        AND x.id < coalesce((SELECT min(p.first) FROM pending_import p), 9223372036854775807)
        AND x.task_id <> ALL (closed)
        AND x.id > coalesce((SELECT a.item_id FROM assignment a JOIN item c ON c.id = a.item_id
          WHERE a.person_id = me.id AND a.stage = 2 AND NOT a.gold AND a.state <> 'expired'
            AND c.benchmark_id = place ORDER BY a.id DESC LIMIT 1), 0)
      ORDER BY x.id LIMIT 1 FOR UPDATE SKIP LOCKED;
    IF NOT FOUND OR i.state NOT IN ('draft', 'in_review') THEN RETURN; END IF;
    rules := benchseal.rules_of(i.task_id);
    IF NOT benchseal.may_go_on(me, i.task_id, rules)
        OR benchseal.lease_in(rules) > interval '8 days'
        OR EXISTS (SELECT FROM assignment a WHERE a.item_id = i.id AND a.revision = i.revision
          AND a.stage = 2 AND a.person_id = me.id) THEN
      RETURN;
    END IF;
    INSERT INTO assignment (item_id, revision, stage, person_id, state, lease_until, reason, gold,
        at) VALUES (i.id, i.revision, 2, me.id, 'leased', moment + benchseal.lease_in(rules), '',
        false, moment);
    UPDATE item x SET taken = x.taken + 1, state = 'in_review',
        changed_at = CASE x.state WHEN 'draft' THEN moment ELSE x.changed_at END
      WHERE x.id = i.id;
    gold_rate_ := coalesce((rules ->> 'gold_rate')::float8, 0);
    IF gold_rate_ > 0 THEN
      draw_ := ARRAY[me.id, i.task_id, (SELECT count(*) FROM assignment a JOIN item x
        ON x.id = a.item_id AND x.task_id = i.task_id
        WHERE a.person_id = me.id AND a.stage = 2 AND a.state <> 'expired')];
    END IF;
  END IF;
  SELECT i.id, i.revision, t.name, i.family, i.format, i.domain, i.barred, r.payload, r.provenance,
      r.defects, t.profile
    INTO number, revision_, task_, family_, format_, domain_, barred_, payload_,
      provenance_, defects_, profile_
    FROM task t, revision r WHERE t.id = i.task_id AND r.item_id = i.id AND r.number = i.revision;
  IF NOT FOUND THEN RAISE EXCEPTION 'the item is private' USING ERRCODE = 'BS001'; END IF;
  IF i.state = 'draft' THEN
    event_ := benchseal.append_event('claimed', i.id, '{"after":{"state":"in_review"},'
      '"before":{"state":"draft"},"revision":' || i.revision || '}');
  END IF;
  RETURN NEXT;
END $$;
CREATE OR REPLACE FUNCTION benchseal.decide_on(who text, number bigint, seen integer,
  said text, why text, words text, took float8, token text)
  RETURNS TABLE (event_ bigint, state_ text, disputed_ boolean, score_ float8, threshold_ float8,
    rationale_ text, others_ jsonb) LANGUAGE plpgsql :definer: AS $$
DECLARE
  me person%ROWTYPE;
  i item%ROWTYPE;
  claim assignment%ROWTYPE;
  d decision%ROWTYPE;
  now_ record;
  before text;
  after text;
BEGIN
  SET LOCAL synchronous_commit = off;  -- see on_disk
  SELECT p.* INTO me FROM person p WHERE p.name = who FOR SHARE;
  IF me.account IS DISTINCT FROM session_user::text OR NOT me.active THEN RETURN; END IF;
  SELECT x.* INTO i FROM item x WHERE x.id = number AND NOT benchseal.is_hidden(x.id) FOR UPDATE;
  SELECT a.* INTO claim FROM assignment a WHERE a.item_id = number AND a.revision = i.revision
    AND a.stage = 2 AND a.person_id = me.id;
  IF (claim.state = 'leased' AND i.revision = coalesce(seen, i.revision)
      AND said IN ('accept', 'reject', 'return') AND NOT benchseal.wrote(number)
      AND NOT EXISTS (SELECT FROM assignment a WHERE a.item_id = number
        AND a.revision = i.revision AND a.person_id = me.id AND a.reason = 'revealed')
      AND CASE WHEN claim.gold THEN i.state <> 'frozen'
          AND coalesce((benchseal.rules_of(i.task_id) ->> 'qualification')::integer, 0) <= 0
        ELSE i.state IN ('draft', 'in_review') AND i.open_slots > 0 AND NOT i.disputed
          AND (i.barred = '' OR said <> 'accept') END) IS NOT TRUE THEN
    RETURN;
  END IF;
  DELETE FROM note_draft n WHERE n.person_id = me.id AND n.item_id = number
    AND n.place = 'review';
  UPDATE assignment a SET state = 'done', lease_until = NULL, reason = '', at = clock_timestamp()
    WHERE a.id = claim.id RETURNING a.* INTO claim;
  INSERT INTO decision (item_id, revision, stage, kind, person_id, verdict, reason, note, seconds,
      at) VALUES (number, i.revision, 2, CASE WHEN claim.gold THEN 'gold' ELSE 'review' END,
      me.id, said, why, words, least(greatest(took, 0), 86400), clock_timestamp())
    RETURNING * INTO d;
  SELECT s.score, s.threshold, s.rationale INTO score_, threshold_, rationale_ FROM screening s
    WHERE s.item_id = number AND s.revision = i.revision ORDER BY s.id DESC LIMIT 1;
  disputed_ := false;
  IF claim.gold THEN  -- the item stays as it is, and says of itself what it always says
    state_ := CASE said WHEN 'accept' THEN 'accepted' WHEN 'reject' THEN 'rejected'
      ELSE 'returned' END;
  ELSE
    now_ := benchseal.review_outcome(number, i.revision, i.open_slots);
    UPDATE item x SET state = now_.state, open_slots = now_.open_slots, disputed = now_.disputed,
      changed_at = d.at WHERE x.id = number;
    IF now_.open_slots = 0 AND benchseal.release_leases(ARRAY[number], 2, me.id) > 0 THEN
      PERFORM benchseal.recount(ARRAY[number], 2);
    END IF;
    SELECT jsonb_agg(jsonb_build_array(o.verdict, o.reason, o.note) ORDER BY o.id) INTO others_
      FROM decision o WHERE o.item_id = number AND o.revision = i.revision AND o.kind = 'review'
        AND o.withdrawn_event IS NULL AND o.person_id <> me.id;
    SELECT string_agg(c.name || c.later, ',' ORDER BY c.name), string_agg(c.name || c.earlier, ','
        ORDER BY c.name) INTO after, before FROM (VALUES
        ('"disputed":', now_.disputed::text, i.disputed::text),
        ('"open_slots":', now_.open_slots::text, i.open_slots::text),
        ('"state":', to_json(now_.state)::text, to_json(i.state::text)::text))
        c (name, later, earlier) WHERE c.later <> c.earlier;
    state_ := now_.state;
    disputed_ := now_.disputed;
  END IF;
  event_ := benchseal.append_event('decided', number, '{' || concat_ws(',',
    '"after":{' || coalesce(after, '') || '}', '"before":{' || coalesce(before, '') || '}',
    '"bound":{"assignment":{"' || claim.id || '":"' || benchseal.assignment_digest(claim)
      || '"},"decision":{"' || d.id || '":"' || benchseal.decision_digest(d) || '"}}',
    '"decision":' || d.id, CASE WHEN claim.gold THEN '"gold":true' ELSE
      '"note":' || to_json(words) || ',"reason":' || to_json(why) END,
    '"revision":' || i.revision, '"token":' || to_json(nullif(token, '')),
    '"verdict":' || to_json(said)) || '}');
  RETURN NEXT;
END $$;
CREATE OR REPLACE FUNCTION benchseal.skip_on(who text, number bigint, why text, token text)
  RETURNS bigint LANGUAGE plpgsql :definer: AS $$
DECLARE
  me person%ROWTYPE;
  i item%ROWTYPE;
  claim assignment%ROWTYPE;
  policy text;
BEGIN
  SET LOCAL synchronous_commit = off;  -- see on_disk
  SELECT p.* INTO me FROM person p WHERE p.name = who FOR SHARE;
  IF me.account IS DISTINCT FROM session_user::text OR NOT me.active THEN RETURN NULL; END IF;
  SELECT x.* INTO i FROM item x WHERE x.id = number AND NOT benchseal.is_hidden(x.id) FOR UPDATE;
  SELECT a.* INTO claim FROM assignment a WHERE a.item_id = number AND a.revision = i.revision
    AND a.stage = 2 AND a.person_id = me.id;
  policy := coalesce(benchseal.rules_of(i.task_id) ->> 'skip', 'to_others');
  IF (claim.state = 'leased' AND claim.reason <> 'revealed' AND i.state <> 'frozen'
      AND (policy <> 'with_reason' OR why ~ '[[:alnum:]]')) IS NOT TRUE THEN
    RETURN NULL;
  END IF;
  UPDATE assignment a SET state = CASE policy WHEN 'to_end' THEN 'postponed' ELSE 'skipped' END,
    lease_until = NULL, reason = why, at = clock_timestamp()
    WHERE a.id = claim.id RETURNING a.* INTO claim;
  UPDATE item x SET taken = x.taken - 1 WHERE x.id = number AND x.taken > 0 AND NOT claim.gold;
  RETURN benchseal.append_event('skipped', number, '{' || concat_ws(',', '"after":{}',
    '"before":{}', '"bound":{"assignment":{"' || claim.id || '":"'
      || benchseal.assignment_digest(claim) || '"}}', '"reason":' || to_json(why),
    '"revision":' || i.revision, '"token":' || to_json(nullif(token, ''))) || '}');
END $$;
CREATE OR REPLACE FUNCTION benchseal.on_disk() RETURNS void LANGUAGE plpgsql :definer: AS $$
BEGIN
  PERFORM pg_logical_emit_message(true, 'benchseal', '');  -- a commit waits for all before it
END $$;
CREATE OR REPLACE PROCEDURE benchseal.decide(who text, number bigint, seen integer, said text,
  why text, words text, took float8, token text, OUT event_ bigint, OUT state_ text,
  OUT disputed_ boolean, OUT score_ float8, OUT threshold_ float8, OUT rationale_ text,
  OUT others_ jsonb) LANGUAGE plpgsql AS $$
BEGIN
  SELECT d.* INTO event_, state_, disputed_, score_, threshold_, rationale_, others_
    FROM benchseal.decide_on(who, number, seen, said, why, words, took, token) d;
  IF event_ IS NULL THEN RETURN; END IF;
  COMMIT;
  PERFORM benchseal.on_disk();
END $$;
CREATE OR REPLACE PROCEDURE benchseal.skip(who text, number bigint, why text, token text,
  OUT event_ bigint) LANGUAGE plpgsql AS $$
BEGIN
  event_ := benchseal.skip_on(who, number, why, token);
  IF event_ IS NULL THEN RETURN; END IF;
  COMMIT;
  PERFORM benchseal.on_disk();
END $$;
"""
INSIDE = (
    "moment_text(timestamptz)", "digest(text)", "decision_digest(decision)",
    "assignment_digest(assignment)", "append_event(text, bigint, text)", "closed_tasks(integer)",
    "rules_of(integer)", "lease_in(jsonb)", "may_go_on(person, integer, jsonb)",
)  # fmt: skip
"""What only the steps themselves call."""
