"""More attempts: around SELECT, on every table, and by what the server itself offers."""

from tests.hostile.server_rights.probe import (
    EVERYBODY,
    FROM_RESEARCHER,
    FROM_SPECIALIST,
    LEADS,
    Probe,
)

FURTHER_PROBES: tuple[Probe, ...] = (
    Probe("decision", "SELECT by a correlated subquery",
          "SELECT (SELECT verdict FROM decision d WHERE d.item_id = i.id AND person_id <>"
          " {me} LIMIT 1) v FROM item i WHERE i.id = {held} AND EXISTS (SELECT FROM "
          "decision d WHERE d.item_id = i.id AND person_id <> {me})", LEADS),
    Probe("decision", "SELECT by a join with the items",
          "SELECT d.verdict FROM item i JOIN decision d ON d.item_id = i.id WHERE i.id = "
          "{held} AND d.person_id <> {me}", LEADS),
    Probe("decision", "SELECT by row_to_json",
          "SELECT row_to_json(d) FROM decision d WHERE item_id = {held} AND person_id <> "
          "{me}", LEADS),
    Probe("decision", "UPDATE note", "UPDATE decision SET note = 'x'"),
    Probe("decision", "UPDATE at", "UPDATE decision SET at = now()"),
    Probe("decision", "UPDATE item_id",
          "UPDATE decision SET item_id = {item} WHERE person_id = {me}"),
    Probe("decision", "INSERT of a later revision",
          "INSERT INTO decision (item_id, revision, stage, kind, person_id, verdict, "
          "reason, note, seconds, at) VALUES ({held}, 2, 2, 'review', {me}, 'accept', '',"
          " '', 1, now())"),
    Probe("decision", "INSERT … SELECT for all items",
          "INSERT INTO decision (item_id, revision, stage, kind, person_id, verdict, "
          "reason, note, seconds, at) SELECT id, 1, 2, 'review', {me}, 'accept', '', '', "
          "1, now() FROM item"),
    Probe("decision", "INSERT at another stage, on the item one holds",
          "INSERT INTO decision (item_id, revision, stage, kind, person_id, verdict, "
          "reason, note, seconds, at) VALUES ({held}, 1, 3, 'review', {me}, 'accept', '',"
          " '', 1, now())"),
    Probe("decision", "INSERT with a number of one's own choice",
          "INSERT INTO decision (id, item_id, revision, stage, kind, person_id, verdict, "
          "reason, note, seconds, at) VALUES (900, {held}, 1, 2, 'review', {me}, "
          "'accept', '', '', 1, now())"),
    Probe("rating", "INSERT with a number of one's own choice",
          "INSERT INTO rating (id, item_id, revision, person_id, criterion, value, "
          "seconds, at) VALUES (900, {item}, 1, {me}, 'fluency', 3, 1, now())"),
    Probe("rating", "INSERT for an item of a sealed split",
          "INSERT INTO rating (item_id, revision, person_id, criterion, value, seconds, "
          "at) VALUES ({sealed}, 1, {me}, 'fluency', 3, 1, now())"),
    Probe("assignment", "INSERT to rate an item of a sealed split",
          "INSERT INTO assignment (item_id, revision, stage, person_id, state, "
          "lease_until, reason, gold, at) VALUES ({sealed}, 1, 4, {me}, 'leased', now() "
          "+ interval '1 hour', '', false, now())"),
    Probe("assignment", "INSERT to review an item of a sealed split as gold",
          "INSERT INTO assignment (item_id, revision, stage, person_id, state, "
          "lease_until, reason, gold, at) VALUES ({sealed}, 1, 2, {me}, 'leased', "
          "now() + interval '1 hour', '', true, now())"),
    Probe("comment", "INSERT with a number of one's own choice",
          "INSERT INTO comment (id, item_id, revision, person_id, kind, text, at) VALUES "
          "(900, {held}, 1, {me}, 'question', 'x', now())"),
    Probe("assignment", "INSERT with a number of one's own choice",
          "INSERT INTO assignment (id, item_id, revision, stage, person_id, state, "
          "lease_until, reason, gold, at) VALUES (900, {item}, 1, 2, {me}, 'leased', "
          "now(), '', false, now())"),
    Probe("rating", "UPDATE of one's own", "UPDATE rating SET value = 1 WHERE person_id = {me}"),
    Probe("rating", "INSERT with a former time, which is kept",
          "INSERT INTO rating (item_id, revision, person_id, criterion, value, seconds, "
          "at) VALUES ({item}, 1, {me}, 'fluency', 3, 1, '2001-01-01') RETURNING 1 / (at "
          "< '2002-01-01')::int"),
    Probe("comment", "UPDATE", "UPDATE comment SET text = 'x'"),
    Probe("comment", "DELETE", "DELETE FROM comment"),
    Probe("comment", "INSERT with a former time, which is kept",
          "INSERT INTO comment (item_id, revision, person_id, kind, text, at) VALUES "
          "({item}, 1, {me}, 'question', 'x', '2001-01-01') RETURNING 1 / (at < "
          "'2002-01-01')::int"),
    Probe("event", "INSERT of a decision that there is not",
          "INSERT INTO event (id, at, actor, kind, item_id, subject, data, previous, "
          "hash) SELECT t.id + 1, to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-"
          "DD\"T\"HH24:MI:SS.US') || '+00:00', '{my_name}', 'decided', NULL, '', '{{}}', "
          "t.hash, repeat('a', 64) FROM benchseal.ledger_tip() t"),
    Probe("event", "INSERT as the first",
          "INSERT INTO event (id, at, actor, kind, item_id, subject, data, previous, "
          "hash) VALUES (0, '2001', '{my_name}', 'unsure', NULL, '', '{{}}', '', 'x')"),
    Probe("event", "COPY into the ledger", "COPY event FROM '/dev/null'"),
    Probe("event", "benchseal.append_events of a gold item",
          "SELECT benchseal.append_events('[[\"{my_name}\", \"gold\", null, \"\", \"{{}}\"]]')",
          FROM_RESEARCHER),
    Probe("event", "benchseal.events_of nothing", "SELECT FROM benchseal.events_of(NULL)"),
    Probe("person", "UPDATE role of another",
          "UPDATE person SET role = 'annotator' WHERE id = {other}", LEADS),
    Probe("person", "UPDATE id", "UPDATE person SET id = 9999 WHERE id = {me}"),
    Probe("person", "TRUNCATE", "TRUNCATE person CASCADE"),
    Probe("person", "INSERT … ON CONFLICT that changes a role",
          "INSERT INTO person (id, name, role, active, gold_from, at) VALUES ({me}, 'x', "
          "'lead', true, 0, now()) ON CONFLICT (id) DO UPDATE SET role = 'lead'", LEADS),
    Probe("gold", "DELETE", "DELETE FROM gold"),
    Probe("gold", "TRUNCATE", "TRUNCATE gold"),
    Probe("gold", "EXISTS",
          "SELECT 1 WHERE EXISTS (SELECT FROM gold WHERE item_id = {gold})", FROM_RESEARCHER),
    Probe("gold", "INSERT of a second for one item",
          "INSERT INTO gold (item_id, revision, task_id, verdict, active, person_id, at) "
          "VALUES ({held}, 1, 1, 'accept', true, {other}, now())"),
    Probe("screening", "UPDATE score", "UPDATE screening SET score = 9"),
    Probe("screening", "DELETE", "DELETE FROM screening"),
    Probe("assignment", "DELETE", "DELETE FROM assignment"),
    Probe("assignment", "TRUNCATE", "TRUNCATE assignment"),
    Probe("assignment", "UPDATE gold of one's own",
          "UPDATE assignment SET gold = true WHERE person_id = {me}"),
    Probe("assignment", "SELECT gold of one's own",
          "SELECT gold FROM assignment WHERE person_id = {me} AND gold"),
    Probe("assignment", "UPDATE item of one's own",
          "UPDATE assignment SET item_id = {item} WHERE person_id = {me}"),
    Probe("item", "UPDATE content_hash",
          "UPDATE item SET content_hash = 'x' WHERE id = {own}", FROM_RESEARCHER),
    Probe("item", "UPDATE revision of one's own",
          "UPDATE item SET revision = 7 WHERE id = {own}", FROM_RESEARCHER),
    Probe("item", "UPDATE disputed",
          "UPDATE item SET disputed = true WHERE id = {item}", FROM_RESEARCHER),
    Probe("item", "TRUNCATE", "TRUNCATE item CASCADE"),
    Probe("item", "benchseal.add_items of a NULL", "SELECT benchseal.add_items(NULL)"),
    Probe("revision", "DELETE", "DELETE FROM revision"),
    Probe("revision", "TRUNCATE", "TRUNCATE revision"),
    Probe("revision", "COPY of a sealed split",
          "COPY (SELECT payload FROM revision WHERE item_id = {sealed}) TO STDOUT", LEADS),
    Probe("revision", "SELECT by row_to_json of a sealed split",
          "SELECT row_to_json(r) FROM revision r WHERE item_id = {sealed}", LEADS),
    Probe("search_text", "SELECT of items of others",
          "SELECT item_id FROM search_text WHERE item_id = {item}", FROM_SPECIALIST),
    Probe("search_text", "UPDATE", "UPDATE search_text SET body = 'x'"),
    Probe("search_text", "DELETE", "DELETE FROM search_text"),
    Probe("split", "DELETE", "DELETE FROM split"),
    Probe("split", "TRUNCATE", "TRUNCATE split CASCADE"),
    Probe("split_item", "UPDATE position", "UPDATE split_item SET position = 5"),
    Probe("split_key", "UPDATE", "UPDATE split_key SET secret = 'x'"),
    Probe("split_key", "DELETE", "DELETE FROM split_key"),
    Probe("split_key", "COPY",
          "COPY (SELECT secret FROM split_key WHERE split_id = 1) TO STDOUT", LEADS),
    Probe("task", "DELETE", "DELETE FROM task"),
    Probe("protocol", "DELETE", "DELETE FROM protocol"),
    Probe("protocol", "INSERT of an earlier version",
          "INSERT INTO protocol (task_id, version, settings, at) VALUES (1, 0, '{{}}', "
          "now())", LEADS),
    Probe("meta", "DELETE", "DELETE FROM meta"),
    Probe("run", "UPDATE", "UPDATE run SET params = '{{}}'", FROM_RESEARCHER),
    Probe("run", "DELETE", "DELETE FROM run"),
    Probe("answer", "SELECT", "SELECT * FROM answer"),
    Probe("answer", "DELETE", "DELETE FROM answer"),
    Probe("draft", "UPDATE of others'",
          "UPDATE draft SET payload = '{{}}' WHERE person_id <> {me}"),
    Probe("draft", "DELETE of others'", "DELETE FROM draft WHERE person_id <> {me}"),
    Probe("draft", "INSERT in another's name",
          "INSERT INTO draft (task_id, person_id, payload, at) VALUES (1, {other}, "
          "'{{}}', now())"),
    Probe("note_draft", "INSERT in another's name",
          "INSERT INTO note_draft (person_id, item_id, place, text, at) VALUES ({other}, "
          "{item}, '', 'x', now())"),
    Probe("note_draft", "SELECT of others'", "SELECT text FROM note_draft WHERE person_id <> {me}"),
    Probe("alembic_version", "UPDATE", "UPDATE alembic_version SET version_num = 'x'"),
    Probe("pause", "UPDATE", "UPDATE pause SET person_id = {me}"),
    Probe("–", "a view of one's own over what is hidden",
          "CREATE TEMP VIEW own AS SELECT verdict FROM public.decision WHERE item_id = "
          "{held} AND person_id <> {me}; SELECT * FROM own"),
    Probe("–", "a view with a barrier of one's own",
          "CREATE TEMP VIEW own WITH (security_barrier) AS SELECT verdict FROM "
          "public.decision WHERE item_id = {held} AND person_id <> {me}; SELECT * FROM "
          "own"),
    Probe("–", "CREATE VIEW in public", "CREATE VIEW public.own AS SELECT 1"),
    Probe("–", "SET ROLE of a rung above", 'SET ROLE "benchseal_{database}_lead"', LEADS),
    Probe("–", "SET LOCAL ROLE of another login", 'SET LOCAL ROLE "{other_login}"'),
    Probe("–", "SET search_path, then SELECT of what is hidden",
          "SET search_path = pg_temp; SELECT verdict FROM public.decision WHERE item_id ="
          " {held} AND person_id <> {me}", LEADS),
    Probe("–", "PREPARE and EXECUTE of what is hidden",
          "PREPARE own AS SELECT verdict FROM decision WHERE item_id = {held} AND "
          "person_id <> {me}; EXECUTE own", LEADS),
    Probe("–", "DO that counts what is hidden",
          "DO $$ DECLARE n integer; BEGIN SELECT count(*) INTO n FROM decision WHERE "
          "item_id = {held} AND person_id <> {me}; IF n = 0 THEN RAISE "
          "insufficient_privilege; END IF; END $$; SELECT 1", LEADS),
    Probe("–", "pg_stat_activity: addresses of others",
          "SELECT client_addr FROM pg_stat_activity WHERE usename <> session_user AND "
          "client_addr IS NOT NULL"),
    Probe("–", "pg_stat_activity: what others wait for",
          "SELECT wait_event FROM pg_stat_activity WHERE usename <> session_user AND "
          "wait_event IS NOT NULL AND backend_type = 'client backend'"),
    Probe("–", "pg_stat_statements", "SELECT query FROM pg_stat_statements"),
    Probe("–", "hba_file", "SELECT current_setting('hba_file')"),
    Probe("–", "data_directory", "SELECT current_setting('data_directory')"),
    Probe("–", "pg_settings that only who administers reads",
          "SELECT 1 / count(*) FROM pg_settings WHERE name = 'hba_file'"),
    Probe("–", "pg_shadow", "SELECT passwd FROM pg_shadow"),
    Probe("–", "ALTER ROLE of oneself … SUPERUSER", 'ALTER ROLE "{my_login}" SUPERUSER'),
    Probe("–", "ALTER ROLE of oneself … CREATEROLE", 'ALTER ROLE "{my_login}" CREATEROLE'),
    Probe("–", "ALTER ROLE of oneself … RENAME", 'ALTER ROLE "{my_login}" RENAME TO own'),
    Probe("–", "DROP ROLE of another", 'DROP ROLE "{other_login}"'),
    Probe("–", "GRANT of a table to oneself, then SELECT",
          'GRANT SELECT ON gold TO "{my_login}"; SELECT verdict FROM gold', FROM_RESEARCHER),
    Probe("–", "REVOKE from others, which changes nothing",
          'REVOKE ALL ON decision FROM "benchseal_{database}_annotator"; SELECT 1 WHERE '
          "NOT has_table_privilege('benchseal_{database}_annotator', 'decision', "
          "'SELECT')"),
    Probe("–", "UNLISTEN, which silences nobody else", "UNLISTEN *", EVERYBODY),
)  # fmt: skip
