"""What somebody with a login and ``psql`` may try on a team's server, and who may do it.

The statements run as each rung of the ladder; ``{me}`` is the one who tries, ``{other}`` somebody
else, ``{held}`` an item in the hands of the one who tries, on which another has decided, ``{own}``
an item that they wrote, ``{item}`` one that others wrote, ``{gold}`` a gold item, ``{sealed}`` one
of a sealed split, ``{hidden}`` one of an import that has not ended, ``{database}``
the name of the database.
"""

from tests.hostile.server_rights.further_probes import FURTHER_PROBES
from tests.hostile.server_rights.probe import (
    EVERYBODY,
    FROM_RESEARCHER,
    FROM_SPECIALIST,
    LEADS,
    Probe,
    decision_row,
    event_row,
)

_HIDE_NEW = (
    "INSERT INTO item (benchmark_id, task_id, family, format, domain, label, state, revision, "
    "content_hash, open_slots, taken, disputed, barred, round, author_id, at, changed_at) "
    "SELECT benchmark_id, task_id, family, format, domain, '', 'draft', 1, 'new', 3, 0, false, "
    "'', 1, {me}, now(), now() FROM item WHERE id = {item}; "
    "INSERT INTO pending_import (import_id, task_id, file, first, last, person_id, at) "
    "SELECT 'x', 1, '', id, id, {person}, now() FROM item WHERE content_hash = 'new'"
)

_ADDED = (
    "SELECT FROM benchseal.add_items(jsonb_build_array(jsonb_build_array(1, 1, 'scp', "
    "'prediction', '', '{state}', repeat('b', 64), 3, '', 1, {author}, NULL, "
    "'{payload}'::jsonb, '{{}}'::jsonb, '[]'::jsonb, '', 'text', '{{te}}')))"
)


def _added(author: str = "{me}", state: str = "draft", payload: str = "{{}}") -> str:
    return _ADDED.replace("{author}", author).replace("{state}", state).replace(
        "{payload}", payload)  # fmt: skip


_STEP = "SELECT * FROM benchseal.decide_on({who}, {item}, 1, '{verdict}', 'other', 'x', 1, 't')"


_SKIP = "SELECT FROM benchseal.skip_on({who}, {item}, 'x', 't') AS told WHERE told IS NOT NULL"


def _skip(item: str, who: str = "'{my_name}'") -> str:
    return _SKIP.replace("{who}", who).replace("{item}", item)


def _step(item: str, verdict: str = "accept", who: str = "'{my_name}'") -> str:
    return _STEP.replace("{who}", who).replace("{item}", item).replace("{verdict}", verdict)


PROBES: tuple[Probe, ...] = (
    # -- what was said stays as it was said
    Probe("decision", "UPDATE verdict", "UPDATE decision SET verdict = 'reject'"),
    Probe("decision", "UPDATE person_id", "UPDATE decision SET person_id = {me}"),
    Probe("decision", "UPDATE withdrawn_event of another's",
          "UPDATE decision SET withdrawn_event = 1 WHERE person_id <> {me}"),
    Probe("decision", "UPDATE withdrawn_event without undoing",
          "UPDATE decision SET withdrawn_event = 1 WHERE person_id = {me}"),
    Probe("decision", "DELETE", "DELETE FROM decision"),
    Probe("decision", "TRUNCATE", "TRUNCATE decision CASCADE"),
    Probe("decision", "INSERT in another's name", decision_row("{held}", "{other}")),
    Probe("decision", "INSERT on an own item", decision_row("{own}")),
    Probe("decision", "INSERT on an item not held", decision_row("{item}")),
    Probe("decision", "INSERT with a former time, which is kept",
          decision_row("{held}", at="'2001-01-01'") + " RETURNING 1 / (at < '2002-01-01')::int"),
    Probe("decision", "INSERT on a held item", decision_row("{held}"), EVERYBODY),
    Probe("decision", "INSERT an adjudication of what is not disputed",
          decision_row("{item}", kind="adjudication")),
    Probe("decision", "INSERT as of an audit", decision_row("{item}", kind="audit")),
    Probe("decision", "INSERT a bulk change", decision_row("{item}", kind="bulk")),
    Probe("decision", "a step in another's name", _step("{held}", who="'{other_name}'")),
    Probe("decision", "a step on an own item", _step("{own}")),
    Probe("decision", "a step on an item not held", _step("{item}")),
    Probe("decision", "a step on an item of an import that has not ended", _step("{hidden}")),
    Probe("decision", "a step on a gold item", _step("{gold}")),
    Probe("decision", "a step with a verdict that there is not", _step("{held}", "approved")),
    Probe("decision", "a step on a held item", _step("{held}"), EVERYBODY),
    Probe("assignment", "a skip in another's name", _skip("{held}", "'{other_name}'")),
    Probe("assignment", "a skip of an item not held", _skip("{item}")),
    Probe("assignment", "a skip of an own item", _skip("{own}")),
    Probe("assignment", "a skip of a gold item", _skip("{gold}")),
    Probe("assignment", "a skip of an item of an import that has not ended", _skip("{hidden}")),
    Probe("assignment", "a skip of a held item", _skip("{held}"), EVERYBODY),
    Probe("rating", "UPDATE value", "UPDATE rating SET value = 1"),
    Probe("rating", "DELETE", "DELETE FROM rating"),
    Probe("rating", "TRUNCATE", "TRUNCATE rating"),
    Probe("rating", "INSERT in another's name",
          "INSERT INTO rating (item_id, revision, person_id, criterion, value, seconds, at) "
          "VALUES ({item}, 1, {other}, 'fluency', 3, 1, now())"),
    Probe("rating", "INSERT on an own item",
          "INSERT INTO rating (item_id, revision, person_id, criterion, value, seconds, at) "
          "VALUES ({own}, 1, {me}, 'fluency', 3, 1, now())"),
    Probe("rating", "INSERT in one's own name",
          "INSERT INTO rating (item_id, revision, person_id, criterion, value, seconds, at) "
          "VALUES ({item}, 1, {me}, 'fluency', 3, 1, now())", EVERYBODY),
    Probe("comment", "INSERT in another's name",
          "INSERT INTO comment (item_id, revision, person_id, kind, text, at) "
          "VALUES ({item}, 1, {other}, 'question', 'x', now())"),
    # -- the ledger
    Probe("event", "UPDATE", "UPDATE event SET data = '{{}}'"),
    Probe("event", "DELETE", "DELETE FROM event"),
    Probe("event", "TRUNCATE", "TRUNCATE event"),
    Probe("event", "INSERT in another's name", event_row(actor="{other_name}")),
    Probe("event", "INSERT in nobody's name", event_row(actor="")),
    Probe("event", "INSERT with a former time", event_row(at="'2001-01-01T00:00:00.000000+00:00'")),
    Probe("event", "INSERT with a later time", event_row(at="'2101-01-01T00:00:00.000000+00:00'")),
    Probe("event", "INSERT with a gap", event_row(step=5)),
    Probe("event", "INSERT with a wrong hash", event_row()),
    Probe("event", "INSERT a change of a role", event_row(kind="person")),
    Probe("event", "benchseal.append_events in another's name",
          "SELECT benchseal.append_events('[[\"{other_name}\", \"unsure\", null, \"\", "
          "\"{{}}\"]]')"),
    Probe("event", "benchseal.append_events of a change of a role",
          "SELECT benchseal.append_events('[[\"{my_name}\", \"sealed\", null, \"\", "
          "\"{{}}\"]]')", LEADS),
    Probe("event", "benchseal.append_events of an event that is no object",
          "SELECT benchseal.append_events('[[\"{my_name}\", \"bound\", null, \"\", "
          "\"[]\"]]')"),
    Probe("event", "benchseal.append_events of another text of a revision",
          "SELECT benchseal.append_events(jsonb_build_array(jsonb_build_array('{my_name}', "
          "'bound', NULL, '', jsonb_build_object('bound', jsonb_build_object('revision', "
          "jsonb_build_object((SELECT max(id) FROM revision)::text, 'x')))::text)))"),
    Probe("event", "by the function of a step",
          "SELECT benchseal.append_event('person', NULL, '{{}}')"),
    # -- people and their roles
    Probe("person", "UPDATE name", "UPDATE person SET name = 'x' WHERE id = {me}"),
    Probe("person", "UPDATE role", "UPDATE person SET role = 'lead' WHERE id = {me}", LEADS),
    Probe("person", "UPDATE account", "UPDATE person SET account = NULL WHERE id = {other}",
          LEADS),
    Probe("person", "UPDATE active", "UPDATE person SET active = false WHERE id = {other}",
          LEADS),
    Probe("person", "UPDATE gold_from", "UPDATE person SET gold_from = 9 WHERE id = {me}", LEADS),
    Probe("person", "INSERT", "INSERT INTO person (name, role, active, gold_from, at) "
          "VALUES ('new', 'lead', true, 0, now())", LEADS),
    Probe("person", "DELETE", "DELETE FROM person"),
    Probe("pause", "INSERT", "INSERT INTO pause (person_id, reason, at) "
          "VALUES ({other}, '', now())", LEADS),
    Probe("task_share", "DELETE", "DELETE FROM task_share", LEADS),
    Probe("pause", "DELETE", "DELETE FROM pause", LEADS),
    Probe("task_share", "INSERT", "INSERT INTO task_share (task_id, person_id, due, at) "
          "VALUES (1, {other}, '', now())", LEADS),
    # -- tasks and protocols
    Probe("benchmark", "INSERT", "INSERT INTO benchmark (name, at) VALUES ('new', now())",
          FROM_RESEARCHER),
    Probe("task", "UPDATE profile", "UPDATE task SET profile = '{{}}'", LEADS),
    Probe("protocol", "UPDATE", "UPDATE protocol SET settings = '{{}}'"),
    Probe("protocol", "INSERT a next version", "INSERT INTO protocol (task_id, version, settings, "
          "at) VALUES (1, 99, '{{}}', now())", LEADS),
    Probe("protocol", "INSERT in another's name", "INSERT INTO protocol (task_id, version, "
          "settings, person_id, at) VALUES (1, 98, '{{}}', {other}, now())"),
    Probe("meta", "UPDATE", "UPDATE meta SET value = 'x'", LEADS),
    # -- items, texts, claims
    Probe("item", "UPDATE state", "UPDATE item SET state = 'approved' WHERE id = {item}",
          FROM_RESEARCHER),
    Probe("item", "UPDATE author_id", "UPDATE item SET author_id = {me} WHERE id = {item}"),
    Probe("item", "UPDATE open_slots", "UPDATE item SET open_slots = 9 WHERE id = {item}",
          FROM_RESEARCHER),
    Probe("item", "INSERT in another's name",
          "INSERT INTO item (benchmark_id, task_id, family, format, domain, label, state, "
          "revision, content_hash, open_slots, taken, disputed, barred, round, author_id, at, "
          "changed_at) VALUES (1, 1, 'instruction', '', '', '', 'draft', 1, 'h', 2, 0, false, '', "
          "1, {other}, now(), now())"),
    Probe("item", "DELETE", "DELETE FROM item"),
    Probe("assignment", "a step to the next item in another's name",
          "SELECT * FROM benchseal.next_to_review('{other_name}', 'bench', '{{}}')"),
    Probe("item", "benchseal.add_items", _added(), FROM_RESEARCHER),
    Probe("item", "benchseal.add_items in another's name", _added(author="{other}")),
    Probe("item", "benchseal.add_items that are accepted", _added(state="accepted")),
    Probe("item", "benchseal.add_items with a text that looks sealed",
          _added(payload='{{"sealed": "benchseal-sealed:0123456789abcdef:AAAA"}}')),
    Probe("revision", "UPDATE", "UPDATE revision SET payload = '{{}}'"),
    Probe("revision", "INSERT of another's item",
          "INSERT INTO revision (item_id, number, content_hash, payload, provenance, defects, "
          "author_id, note, at) VALUES ({item}, 2, 'h', '{{}}', '{{}}', '[]', {me}, '', now())"),
    Probe("revision", "SELECT of items of others", "SELECT payload FROM revision "
          "WHERE item_id = {item}", FROM_SPECIALIST),
    Probe("revision", "SELECT of a held item", "SELECT payload FROM revision "
          "WHERE item_id = {held}", EVERYBODY),
    Probe("revision", "SELECT of a sealed split", "SELECT payload FROM revision "
          "WHERE item_id = {sealed}", LEADS),
    Probe("revision", "benchseal.seal_revisions of a split that no archive sealed",
          "SELECT benchseal.seal_revisions(1, 'k', '[]')"),
    Probe("revision", "benchseal.open_revisions of a split that has not expired",
          "SELECT benchseal.open_revisions(1, 'k', '[]')"),
    Probe("draft", "benchseal.loose_texts of a split that no archive sealed",
          "SELECT benchseal.loose_texts(1, 'k', true)"),
    Probe("draft", "benchseal.change_loose of a split that no archive sealed",
          "SELECT benchseal.change_loose(1, 'k', true, '[]')"),
    Probe("revision", "benchseal.compact_sealed, which rewrites the tables",
          "SELECT benchseal.compact_sealed()", LEADS),
    Probe("search_text", "SELECT of a sealed split", "SELECT body FROM search_text "
          "WHERE item_id = {sealed}", LEADS),
    Probe("assignment", "INSERT in another's name",
          "INSERT INTO assignment (item_id, revision, stage, person_id, state, reason, gold, at) "
          "VALUES ({item}, 1, 2, {other}, 'leased', '', false, now())"),
    Probe("assignment", "INSERT in another's name, for a package",
          "INSERT INTO assignment (item_id, revision, stage, person_id, state, reason, gold, at, "
          "lease_until) VALUES ({held}, 1, 2, {third}, 'leased', 'package', false, now(), now() "
          "+ interval '30 days')", LEADS),
    Probe("assignment", "INSERT of their own item in another's name, for a package",
          "INSERT INTO assignment (item_id, revision, stage, person_id, state, reason, gold, at) "
          "VALUES ({held}, 1, 2, {author}, 'leased', 'package', false, now())"),
    Probe("assignment", "INSERT of a settled item in another's name, for a package",
          "INSERT INTO assignment (item_id, revision, stage, person_id, state, reason, gold, at) "
          "VALUES ({sealed}, 1, 2, {third}, 'leased', 'package', false, now())"),
    Probe("assignment", "INSERT on an own item",
          "INSERT INTO assignment (item_id, revision, stage, person_id, state, reason, gold, at) "
          "VALUES ({own}, 1, 2, {me}, 'leased', '', false, now())"),
    Probe("assignment", "INSERT as done",
          "INSERT INTO assignment (item_id, revision, stage, person_id, state, reason, gold, at) "
          "VALUES ({item}, 1, 2, {me}, 'done', '', false, now())"),
    Probe("assignment", "INSERT on a settled item",
          "INSERT INTO assignment (item_id, revision, stage, person_id, state, reason, gold, at) "
          "VALUES ({sealed}, 1, 2, {me}, 'leased', '', false, now())"),
    Probe("assignment", "UPDATE of another's",
          "UPDATE assignment SET state = 'done' WHERE person_id <> {me}"),
    Probe("assignment", "UPDATE of another's, to take it from them",
          "UPDATE assignment SET state = 'released' WHERE person_id <> {me}", FROM_RESEARCHER),
    Probe("assignment", "SELECT of others'", "SELECT * FROM assignment WHERE person_id <> {me}",
          FROM_RESEARCHER),
    # -- what is hidden before one's own decision
    Probe("decision", "SELECT of others' on a held item",
          "SELECT verdict FROM decision WHERE item_id = {held}", LEADS),
    Probe("decision", "SELECT of one's own", "SELECT verdict FROM decision "
          "WHERE person_id = {me}", EVERYBODY),
    Probe("decision", "SELECT count over others' on a held item",
          "SELECT 1 FROM decision WHERE item_id = {held} GROUP BY verdict", LEADS),
    Probe("decision", "COPY of others' on a held item",
          "COPY (SELECT verdict FROM decision WHERE item_id = {held}) TO STDOUT", LEADS),
    Probe("screening", "SELECT of a held item", "SELECT score FROM screening "
          "WHERE item_id = {held}", LEADS),
    Probe("rating", "SELECT of others' before one's own",
          "SELECT value FROM rating WHERE item_id = {held}", FROM_RESEARCHER),
    Probe("gold", "SELECT", "SELECT verdict FROM gold", FROM_RESEARCHER),
    Probe("gold", "UPDATE", "UPDATE gold SET verdict = 'reject', person_id = {me}",
          FROM_RESEARCHER),
    Probe("event", "SELECT of a decision on a held item",
          "SELECT data FROM event WHERE item_id = {held} AND kind = 'decided'", LEADS),
    Probe("event", "SELECT of one's own", "SELECT data FROM event WHERE actor = '{my_name}'",
          EVERYBODY),
    # -- splits
    Probe("split", "UPDATE manifest", "UPDATE split SET manifest = '{{}}'"),
    Probe("split", "UPDATE state: open", "UPDATE split SET state = 'opened'", LEADS),
    Probe("split", "UPDATE state without telling the ledger",
          "UPDATE split SET state = 'opened'; SET CONSTRAINTS ALL IMMEDIATE"),
    Probe("split", "UPDATE state: freeze a sealed one again",
          "UPDATE split SET state = 'frozen' WHERE id = 1"),
    Probe("split", "INSERT in another's name",
          "INSERT INTO split (benchmark_id, name, state, manifest_hash, manifest, size, "
          "person_id, at) VALUES (1, 'forged', 'frozen', 'h', '{{}}', 0, {other}, now())"),
    Probe("split", "INSERT a sealed one",
          "INSERT INTO split (benchmark_id, name, state, manifest_hash, manifest, size, "
          "person_id, at) VALUES (1, 'forged', 'sealed', 'h', '{{}}', 0, {me}, now())"),
    Probe("split_item", "INSERT of an item that is not frozen", "INSERT INTO split_item (split_id, "
          "position, item_id, revision, content_hash) VALUES (2, 99, {item}, 1, 'h')"),
    Probe("split_item", "INSERT of another split's item", "INSERT INTO split_item (split_id, "
          "position, item_id, revision, content_hash) VALUES (2, 99, {sealed}, 1, 'h')"),
    Probe("draft", "INSERT of what looks sealed", "INSERT INTO draft (task_id, person_id, item_id, "
          "payload, at) VALUES (1, {me}, {item}, "
          "'{{\"sealed\": \"benchseal-sealed:0000000000000000:QUJD\"}}', now())"),
    Probe("note_draft", "INSERT of what looks sealed", "INSERT INTO note_draft (person_id, "
          "item_id, place, text, at) VALUES ({me}, {item}, '', "
          "'benchseal-sealed:0000000000000000:QUJD', now())"),
    Probe("note_draft", "INSERT", "INSERT INTO note_draft (person_id, item_id, place, text, at) "
          "VALUES ({me}, {item}, '', 'x', now())", EVERYBODY),
    Probe("draft", "benchseal.hold_texts, which keeps writers waiting",
          "SELECT benchseal.hold_texts(1)", LEADS),
    Probe("split_item", "DELETE", "DELETE FROM split_item"),
    Probe("split_item", "SELECT of a sealed split",
          "SELECT item_id FROM split_item WHERE split_id = 1", LEADS),
    Probe("split_item", "SELECT of an opened split",
          "SELECT item_id FROM split_item WHERE split_id = 2", FROM_RESEARCHER),
    Probe("revision", "SELECT of an opened split",
          "SELECT payload FROM revision WHERE item_id = {opened}", FROM_RESEARCHER),
    Probe("revision", "SELECT of one's own item in an opened split",
          "SELECT payload FROM revision WHERE item_id = {own_opened}", EVERYBODY),
    Probe("revision", "SELECT of one's own item in a sealed split",
          "SELECT payload FROM revision WHERE item_id = {own_sealed}", LEADS),
    Probe("search_text", "SELECT of one's own item in an opened split",
          "SELECT body FROM search_text WHERE item_id = {own_opened}", EVERYBODY),
    Probe("split_key", "SELECT of a sealed split", "SELECT * FROM split_key", LEADS),
    Probe("split_key", "INSERT", "INSERT INTO split_key (split_id, event_id, secret) "
          "VALUES (2, 2, 's')", FROM_RESEARCHER),
    Probe("pending_import", "INSERT: hide items that are there",
          "INSERT INTO pending_import (import_id, task_id, file, first, last, person_id, at) "
          "VALUES ('x', 1, '', {item}, {item}, {me}, now())"),
    Probe("pending_import", "INSERT: hide a new item", _HIDE_NEW.replace("{person}", "{me}"),
          FROM_RESEARCHER),
    Probe("pending_import", "INSERT: hide a new item in another's name",
          _HIDE_NEW.replace("{person}", "{other}")),
    Probe("pending_import", "INSERT: hide what is not there yet",
          "INSERT INTO pending_import (import_id, task_id, file, first, last, person_id, at) "
          "VALUES ('x', 1, '', 700000, 700001, {me}, now())"),
    Probe("pending_import", "UPDATE last: hide more",
          "UPDATE pending_import SET last = last + 1"),
    Probe("pending_import", "UPDATE first", "UPDATE pending_import SET first = 1"),
    Probe("pending_import", "DELETE: show items", "DELETE FROM pending_import"),
    Probe("assignment", "INSERT a claim on a hidden item",
          "INSERT INTO assignment (item_id, revision, stage, person_id, state, lease_until, "
          "reason, gold, at) VALUES ({hidden}, 1, 2, {me}, 'leased', "
          "now() + interval '1 hour', '', false, now())"),
    Probe("item", "UPDATE of a hidden item",
          "UPDATE item SET state = 'accepted', open_slots = 0 WHERE id = {hidden}"),
    Probe("decision", "INSERT a bulk change of a hidden item",
          decision_row("{hidden}", kind="bulk")),
    Probe("rating", "INSERT on a hidden item",
          "INSERT INTO rating (item_id, revision, person_id, criterion, value, seconds, at) "
          "VALUES ({hidden}, 1, {me}, 'fluency', 3, 1, now())"),
    Probe("comment", "INSERT on a hidden item",
          "INSERT INTO comment (item_id, revision, person_id, kind, text, at) "
          "VALUES ({hidden}, 1, {me}, 'question', 'x', now())"),
    Probe("gold", "INSERT a hidden item",
          "INSERT INTO gold (item_id, revision, task_id, verdict, active, person_id, at) "
          "VALUES ({hidden}, 1, 1, 'accept', true, {me}, now())"),
    Probe("split_item", "INSERT a hidden item", "INSERT INTO split_item (split_id, position, "
          "item_id, revision, content_hash) VALUES (2, 99, {hidden}, 1, 'h')"),
    Probe("screening", "INSERT on a hidden item",
          "INSERT INTO screening (item_id, revision, run_id, outcome, score, threshold, rationale, "
          "model, prompt_version, audited, tokens, at) VALUES ({hidden}, 1, 'r', 'passed', 9, 6, "
          "'', 'm', '1', false, 1, now())"),
    Probe("draft", "SELECT of others'", "SELECT payload FROM draft WHERE person_id <> {me}"),
    # -- side doors
    Probe("–", "SET ROLE of the owner", 'SET ROLE "benchseal_{database}_owner"'),
    Probe("–", "SET SESSION AUTHORIZATION", "SET SESSION AUTHORIZATION '{other_login}'"),
    Probe("–", "SET session_replication_role", "SET session_replication_role = replica"),
    Probe("–", "SET row_security, then SELECT",
          "SET row_security = off; SELECT verdict FROM decision WHERE item_id = {held}"),
    Probe("–", "ALTER TABLE … DISABLE TRIGGER", "ALTER TABLE decision DISABLE TRIGGER ALL"),
    Probe("–", "ALTER TABLE … DISABLE ROW LEVEL SECURITY",
          "ALTER TABLE decision DISABLE ROW LEVEL SECURITY"),
    Probe("–", "DROP POLICY", "DROP POLICY select_0 ON decision"),
    Probe("–", "CREATE OR REPLACE a function of ours",
          "CREATE OR REPLACE FUNCTION benchseal.me() RETURNS integer LANGUAGE sql AS 'SELECT 1'"),
    Probe("–", "CREATE TABLE in public", "CREATE TABLE public.person2 (id integer)"),
    Probe("–", "CREATE SCHEMA", "CREATE SCHEMA own"),
    Probe("–", "a table of one's own in front of ours",
          "CREATE TEMP TABLE person AS SELECT {me} AS id, session_user::text AS account, "
          "'lead' AS role, true AS active; "
          "INSERT INTO public.pause (person_id, reason, at) VALUES ({me}, '', now())"),
    Probe("–", "GRANT a group to oneself",
          'GRANT "benchseal_{database}_researcher" TO "{my_login}"'),
    Probe("–", "CREATE ROLE", "CREATE ROLE intruder LOGIN"),
    Probe("–", "ALTER another's password", "ALTER ROLE \"{other_login}\" PASSWORD 'x'"),
    Probe("–", "benchseal.set_password of another",
          "SELECT benchseal.set_password('{other_login}', 'SCRAM-SHA-256$4096:QQ==$QQ==:QQ==')",
          LEADS),
    Probe("–", "COPY … TO PROGRAM", "COPY meta TO PROGRAM 'cat'"),
    Probe("–", "COPY … FROM a file of the server", "COPY meta FROM '/etc/passwd'"),
    Probe("–", "pg_read_file", "SELECT pg_read_file('/etc/passwd')"),
    Probe("–", "lo_import", "SELECT lo_import('/etc/passwd')"),
    Probe("–", "DO … as the owner of nothing", "DO $$ BEGIN DELETE FROM event; END $$"),
    Probe("–", "a function of one's own in front of ours",
          "CREATE FUNCTION pg_temp.rank() RETURNS integer LANGUAGE sql AS 'SELECT 4'; "
          "SET search_path = pg_temp, public; "
          "INSERT INTO public.pause (person_id, reason, at) VALUES ({me}, '', now())"),
    Probe("–", "an operator of one's own in a policy's comparison",
          "CREATE FUNCTION pg_temp.yes(integer, integer) RETURNS boolean LANGUAGE sql "
          "AS 'SELECT true'; CREATE OPERATOR pg_temp.>= (LEFTARG = integer, RIGHTARG = integer, "
          "FUNCTION = pg_temp.yes); SET search_path = pg_temp, public, pg_catalog; "
          "INSERT INTO public.pause (person_id, reason, at) VALUES ({me}, '', now())"),
    Probe("–", "pg_stats of what others decided",
          "SELECT 1 / count(*) FROM pg_stats WHERE tablename = 'decision'"),
    Probe("–", "pg_statistic", "SELECT stavalues1 FROM pg_statistic"),
    Probe("–", "last_value of a sequence", "SELECT last_value FROM decision_id_seq"),
    Probe("–", "setval", "SELECT setval('decision_id_seq', 1)"),
    Probe("–", "LOCK TABLE of the ledger", "LOCK TABLE event IN ACCESS EXCLUSIVE MODE"),
    Probe("–", "LOCK TABLE of decisions", "LOCK TABLE decision IN SHARE MODE"),
    Probe("–", "CREATE EVENT TRIGGER",
          "CREATE EVENT TRIGGER own ON ddl_command_start "
          "EXECUTE FUNCTION benchseal.guard_decision()"),
    Probe("–", "CREATE TRIGGER",
          "CREATE TRIGGER own BEFORE INSERT ON decision FOR EACH ROW "
          "EXECUTE FUNCTION suppress_redundant_updates_trigger()"),
    Probe("–", "CREATE RULE", "CREATE RULE own AS ON INSERT TO decision DO INSTEAD NOTHING"),
    Probe("–", "CREATE EXTENSION", "CREATE EXTENSION hstore"),
    Probe("–", "CREATE PUBLICATION", "CREATE PUBLICATION own FOR TABLE decision"),
    Probe("–", "CREATE STATISTICS", "CREATE STATISTICS own ON item_id, verdict FROM decision"),
    Probe("–", "a replication slot",
          "SELECT pg_create_logical_replication_slot('own', 'test_decoding')"),
    Probe("–", "ALTER DEFAULT PRIVILEGES of the owner",
          'ALTER DEFAULT PRIVILEGES FOR ROLE "benchseal_{database}_owner" '
          "GRANT ALL ON TABLES TO PUBLIC"),
    Probe("–", "ALTER ROLE … BYPASSRLS", 'ALTER ROLE "{my_login}" BYPASSRLS'),
    Probe("–", "SET ROLE pg_read_all_data", "SET ROLE pg_read_all_data"),
    Probe("–", "REINDEX", "REINDEX TABLE decision"),
    Probe("–", "ALTER DATABASE … SET", 'ALTER DATABASE "{database}" SET row_security = off'),
    Probe("–", "lo_export", "SELECT lo_export(lo_from_bytea(0, 'x'), '/tmp/x')"),
    Probe("–", "pg_stat_activity: statements of others",
          "SELECT query FROM pg_stat_activity WHERE usename <> session_user "
          "AND query NOT LIKE '<insufficient%' AND query <> ''"),
    Probe("–", "pg_terminate_backend of others",
          "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
          "WHERE usename = '{other_login}'"),
    Probe("–", "pg_authid", "SELECT rolpassword FROM pg_authid"),
    Probe("–", "a foreign key to an item that is hidden",
          "INSERT INTO gold (item_id, revision, task_id, verdict, active, person_id, at) "
          "VALUES ({opened}, 1, 1, 'accept', true, {me}, now())", FROM_RESEARCHER),
    Probe("–", "the row's place of a decision on a held item",
          "SELECT ctid FROM decision WHERE item_id = {held} AND person_id <> {me}", LEADS),
    Probe("–", "UPDATE … RETURNING what others decided",
          "UPDATE decision SET withdrawn_event = withdrawn_event WHERE item_id = {held} "
          "AND person_id <> {me} RETURNING verdict"),
    Probe("–", "pg_cancel_backend of others",
          "SELECT pg_cancel_backend(pid) FROM pg_stat_activity "
          "WHERE usename = '{other_login}'"),
    Probe("–", "ALTER FUNCTION of ours", "ALTER FUNCTION benchseal.me() SECURITY INVOKER"),
    Probe("–", "COMMENT ON a table of ours", "COMMENT ON TABLE decision IS 'x'"),
    Probe("–", "DROP OWNED BY the owner", 'DROP OWNED BY "benchseal_{database}_owner"'),
    Probe("–", "CREATE FOREIGN DATA WRAPPER", "CREATE FOREIGN DATA WRAPPER own"),
    Probe("–", "pg_ls_dir", "SELECT pg_ls_dir('.')"),
    Probe("–", "pg_hba_file_rules", "SELECT * FROM pg_hba_file_rules"),
    Probe("–", "SET log_statement", "SET log_statement = 'none'"),
    Probe("–", "ALTER ROLE of another … SET", "ALTER ROLE {other_login} SET search_path = ''"),
    Probe("–", "ALTER ROLE of oneself … SET session_replication_role",
          "ALTER ROLE {my_login} SET session_replication_role = replica"),
    Probe("–", "CREATE POLICY", "CREATE POLICY own ON decision USING (true)"),
    Probe("–", "ALTER TABLE … OWNER TO oneself", "ALTER TABLE decision OWNER TO {my_login}"),
    Probe("–", "REASSIGN OWNED BY another", "REASSIGN OWNED BY {other_login} TO {my_login}"),
    Probe("–", "CREATE CAST", "CREATE CAST (text AS bigint) WITH INOUT AS IMPLICIT"),
    Probe("–", "CREATE COLLATION", "CREATE COLLATION public.own FROM \"C\""),
    Probe("–", "CREATE FUNCTION … LEAKPROOF",
          "CREATE FUNCTION pg_temp.own(text) RETURNS boolean LEAKPROOF IMMUTABLE LANGUAGE sql "
          "AS 'SELECT true'"),
    Probe("–", "SET track_functions, which counts how often a policy is asked",
          "SET track_functions = 'all'"),
    Probe("–", "SET log_min_duration_statement", "SET log_min_duration_statement = 0"),
    Probe("–", "pg_stat_reset", "SELECT pg_stat_reset()"),
    Probe("–", "pg_reload_conf", "SELECT pg_reload_conf()"),
    Probe("–", "pg_switch_wal", "SELECT pg_switch_wal()"),
    Probe("–", "CLUSTER", "CLUSTER decision USING decision_pkey"),
    Probe("–", "CREATE SUBSCRIPTION",
          "CREATE SUBSCRIPTION own CONNECTION '' PUBLICATION own WITH (connect = false)"),
    Probe("–", "COPY … FROM PROGRAM", "COPY draft FROM PROGRAM 'true'"),
    Probe("–", "COPY of a table into a file of the server", "COPY meta TO '/tmp/x'"),
    Probe("–", "pg_stats_ext", "SELECT 1 / count(*) FROM pg_stats_ext"),
    Probe("–", "pg_statistic_ext_data", "SELECT stxdmcv FROM pg_statistic_ext_data"),
    Probe("–", "histogram_bounds of the ledger",
          "SELECT 1 / count(*) FROM pg_stats WHERE tablename = 'event' "
          "AND attname IN ('data', 'actor', 'kind', 'lower')"),
    Probe("–", "pg_largeobject of others", "SELECT data FROM pg_largeobject"),
    Probe("–", "CREATE SERVER of another database",
          "CREATE SERVER own FOREIGN DATA WRAPPER postgres_fdw"),
    Probe("–", "CREATE EXTENSION dblink", "CREATE EXTENSION dblink"),
    Probe("–", "CREATE LANGUAGE", "CREATE LANGUAGE plpython3u"),
    Probe("–", "CREATE FUNCTION in C",
          "CREATE FUNCTION pg_temp.own() RETURNS integer LANGUAGE c AS 'libc', 'getpid'"),
    Probe("–", "CREATE OPERATOR CLASS",
          "CREATE OPERATOR CLASS pg_temp.own FOR TYPE integer USING btree AS STORAGE integer"),
    Probe("–", "CREATE TYPE in public", "CREATE TYPE public.own AS ENUM ('x')"),
    Probe("–", "CREATE DOMAIN in benchseal", "CREATE DOMAIN benchseal.own AS integer"),
    Probe("–", "CREATE MATERIALIZED VIEW", "CREATE MATERIALIZED VIEW public.own AS SELECT 1"),
    Probe("–", "ALTER INDEX of ours", "ALTER INDEX ix_event_kind RENAME TO own"),
    Probe("–", "DROP INDEX of ours", "DROP INDEX ix_event_kind"),
    Probe("–", "VACUUM FULL's way, ALTER TABLE … SET UNLOGGED",
          "ALTER TABLE decision SET UNLOGGED"),
    Probe("–", "ALTER TABLE … INHERIT from ours",
          "CREATE TEMP TABLE own (LIKE decision); ALTER TABLE own INHERIT decision"),
    Probe("–", "CREATE TABLE … PARTITION OF ours",
          "CREATE TEMP TABLE own PARTITION OF decision DEFAULT"),
    Probe("–", "a foreign key of one's own to ours",
          "CREATE TEMP TABLE own (id bigint REFERENCES decision)"),
    Probe("–", "DECLARE … WITH HOLD, which reads no more",
          "DECLARE own CURSOR WITH HOLD FOR SELECT verdict FROM decision "
          "WHERE item_id = {held} AND person_id <> {me}; FETCH ALL FROM own", LEADS),
    Probe("–", "MERGE into what others said",
          "MERGE INTO decision d USING (SELECT 1) s ON d.item_id = {held} "
          "WHEN MATCHED THEN UPDATE SET verdict = 'reject'"),
    Probe("–", "INSERT … ON CONFLICT that tells what is there",
          decision_row("{held}", "{other}") + " ON CONFLICT DO NOTHING"),
    Probe("–", "TABLESAMPLE of what is hidden",
          "SELECT verdict FROM decision TABLESAMPLE SYSTEM (100) "
          "WHERE item_id = {held} AND person_id <> {me}", LEADS),
    Probe("–", "query_to_xml of what is hidden",
          "SELECT query_to_xml('SELECT verdict FROM decision WHERE item_id = {held} "
          "AND person_id <> {me}', true, false, '')::text LIKE '%accept%' OR NULL "
          "FROM meta WHERE 1 / (query_to_xml('SELECT verdict FROM decision WHERE item_id = {held} "
          "AND person_id <> {me}', true, false, '')::text LIKE '%accept%')::int = 1", LEADS),
    Probe("–", "SET ignore_checksum_failure", "SET ignore_checksum_failure = on"),
    Probe("–", "SET log_lock_waits", "SET log_lock_waits = on"),
    Probe("–", "LOAD of a library", "LOAD 'auto_explain'"),
    Probe("–", "pg_stat_file", "SELECT pg_stat_file('PG_VERSION')"),
    Probe("–", "pg_ls_waldir", "SELECT pg_ls_waldir()"),
    Probe("–", "pg_current_logfile", "SELECT pg_current_logfile()"),
    Probe("–", "pg_read_binary_file", "SELECT pg_read_binary_file('PG_VERSION')"),
    Probe("–", "pg_backup_start", "SELECT pg_backup_start('x')"),
    Probe("–", "pg_promote", "SELECT pg_promote()"),
    Probe("–", "pg_rotate_logfile", "SELECT pg_rotate_logfile()"),
    Probe("–", "pg_log_backend_memory_contexts",
          "SELECT pg_log_backend_memory_contexts(pg_backend_pid())"),
    Probe("–", "LOCK TABLE of items", "LOCK TABLE item IN ROW EXCLUSIVE MODE", EVERYBODY),
    Probe("–", "LOCK TABLE of items in a mode that keeps others waiting",
          "LOCK TABLE item IN SHARE ROW EXCLUSIVE MODE"),
    Probe("event", "benchseal.events_of a kind: of others on a held item",
          "SELECT FROM benchseal.events_of('{{decided}}') WHERE item_id = {held} "
          "AND actor <> '{my_name}'", LEADS),
    Probe("event", "benchseal.events_of a kind: one's own",
          "SELECT FROM benchseal.events_of('{{created,submitted}}') WHERE actor = '{my_name}'",
          EVERYBODY),
    Probe("–", "pg_logical_emit_message", "SELECT pg_logical_emit_message(true, 'x', 'x')",
          EVERYBODY),
    Probe("–", "statistics: how many rows of the gold items were ever read",
          "SELECT pg_stat_get_tuples_fetched('gold'::regclass)", EVERYBODY),
    Probe("–", "EXPLAIN ANALYZE: that there are rows which one may not read",
          "EXPLAIN (ANALYZE, COSTS OFF) SELECT FROM gold WHERE item_id = {gold}", EVERYBODY),
    Probe("–", "SELECT the hash of a sealed content",
          "SELECT content_hash FROM item WHERE id = {sealed}", EVERYBODY),
    Probe("–", "pg_advisory_lock", "SELECT pg_advisory_lock(4242)", EVERYBODY),
    Probe("–", "SELECT … FOR UPDATE of an item",
          "SELECT FROM item WHERE id = {item} FOR UPDATE", EVERYBODY),
    Probe("–", "lo_from_bytea", "SELECT lo_from_bytea(0, 'x')", EVERYBODY),
    Probe("–", "NOTIFY of a number that there is not", "NOTIFY benchseal_ledger, '999999999'",
          EVERYBODY),
    Probe("–", "benchseal.ledger_tip, which keeps who writes waiting until one's transaction ends",
          "SELECT benchseal.ledger_tip()", EVERYBODY),
    Probe("–", "SET of one's own timeouts, without which one waits for ever",
          "SET lock_timeout = 0; SET statement_timeout = 0; "
          "SET idle_in_transaction_session_timeout = 0", EVERYBODY),
    Probe("–", "LISTEN, which tells the number of the newest event", "LISTEN benchseal_ledger",
          EVERYBODY),
    *FURTHER_PROBES,
)  # fmt: skip


def table_of_verdicts() -> str:
    """The table of the help: what each rung may do, by table and action."""
    head = (
        "| table | action | annotator | specialist | researcher | lead |\n|---|---|---|---|---|---|"
    )
    lines = [
        f"| {probe.table} | {probe.action} | "
        + " | ".join("✓" if role in probe.allowed else "–" for role in EVERYBODY) + " |"
        for probe in sorted(PROBES, key=lambda probe: (probe.table == "–", probe.table))
    ]  # fmt: skip
    return "\n".join([head, *lines])
