CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);

CREATE TABLE benchmark (
	id INTEGER NOT NULL, 
	name VARCHAR NOT NULL, 
	at DATETIME NOT NULL, 
	PRIMARY KEY (id), 
	UNIQUE (name)
);

CREATE TABLE event (
	id INTEGER NOT NULL, 
	at VARCHAR NOT NULL, 
	actor VARCHAR NOT NULL, 
	kind VARCHAR NOT NULL, 
	item_id BIGINT, 
	subject VARCHAR NOT NULL, 
	data VARCHAR NOT NULL, 
	previous VARCHAR NOT NULL, 
	hash VARCHAR NOT NULL, 
	PRIMARY KEY (id)
);

CREATE INDEX ix_event_actor ON event (actor, id);

CREATE INDEX ix_event_item ON event (item_id, id);

CREATE TABLE meta (
	"key" VARCHAR NOT NULL, 
	value VARCHAR NOT NULL, 
	PRIMARY KEY ("key")
);

CREATE TABLE person (
	id INTEGER NOT NULL, 
	name VARCHAR NOT NULL, 
	role VARCHAR NOT NULL, 
	active BOOLEAN NOT NULL, 
	gold_from INTEGER NOT NULL, 
	at DATETIME NOT NULL, account VARCHAR, 
	PRIMARY KEY (id), 
	UNIQUE (name)
);

CREATE TABLE split (
	id INTEGER NOT NULL, 
	benchmark_id INTEGER NOT NULL, 
	name VARCHAR NOT NULL, 
	state VARCHAR NOT NULL, 
	manifest_hash VARCHAR NOT NULL, 
	manifest JSON NOT NULL, 
	size INTEGER NOT NULL, 
	person_id INTEGER, 
	at DATETIME NOT NULL, 
	PRIMARY KEY (id), 
	FOREIGN KEY(benchmark_id) REFERENCES benchmark (id), 
	FOREIGN KEY(person_id) REFERENCES person (id), 
	UNIQUE (name)
);

CREATE TABLE task (
	id INTEGER NOT NULL, 
	benchmark_id INTEGER NOT NULL, 
	name VARCHAR NOT NULL, 
	family VARCHAR NOT NULL, 
	format VARCHAR NOT NULL, 
	domain VARCHAR NOT NULL, 
	round INTEGER NOT NULL, 
	profile JSON NOT NULL, 
	at DATETIME NOT NULL, 
	PRIMARY KEY (id), 
	FOREIGN KEY(benchmark_id) REFERENCES benchmark (id), 
	UNIQUE (benchmark_id, name)
);

CREATE TABLE gold (
	item_id INTEGER NOT NULL, 
	revision INTEGER NOT NULL, 
	task_id INTEGER NOT NULL, 
	verdict VARCHAR NOT NULL, 
	active BOOLEAN NOT NULL, 
	person_id INTEGER, 
	at DATETIME NOT NULL, 
	PRIMARY KEY (item_id), 
	FOREIGN KEY(person_id) REFERENCES person (id), 
	FOREIGN KEY(task_id) REFERENCES task (id)
);

CREATE INDEX ix_gold_task_id ON gold (task_id);

CREATE TABLE lot (
	id INTEGER NOT NULL, 
	task_id INTEGER NOT NULL, 
	round INTEGER NOT NULL, 
	attempt INTEGER NOT NULL, 
	state VARCHAR NOT NULL, 
	seed BIGINT NOT NULL, 
	size INTEGER NOT NULL, 
	sample INTEGER NOT NULL, 
	allowed INTEGER NOT NULL, 
	person_id INTEGER NOT NULL, 
	at DATETIME NOT NULL, 
	ended_at DATETIME, 
	PRIMARY KEY (id), 
	FOREIGN KEY(person_id) REFERENCES person (id), 
	FOREIGN KEY(task_id) REFERENCES task (id), 
	UNIQUE (task_id, round, attempt)
);

CREATE TABLE protocol (
	id INTEGER NOT NULL, 
	task_id INTEGER NOT NULL, 
	version INTEGER NOT NULL, 
	settings JSON NOT NULL, 
	person_id INTEGER, 
	at DATETIME NOT NULL, 
	PRIMARY KEY (id), 
	FOREIGN KEY(person_id) REFERENCES person (id), 
	FOREIGN KEY(task_id) REFERENCES task (id), 
	UNIQUE (task_id, version)
);

CREATE TABLE rating_draw (
	id INTEGER NOT NULL, 
	task_id INTEGER NOT NULL, 
	seed BIGINT NOT NULL, 
	person_id INTEGER, 
	at DATETIME NOT NULL, 
	PRIMARY KEY (id), 
	FOREIGN KEY(person_id) REFERENCES person (id), 
	FOREIGN KEY(task_id) REFERENCES task (id)
);

CREATE INDEX ix_rating_draw_task_id ON rating_draw (task_id);

CREATE TABLE run (
	id VARCHAR NOT NULL, 
	kind VARCHAR NOT NULL, 
	benchmark_id INTEGER, 
	split_id INTEGER, 
	title VARCHAR NOT NULL, 
	params JSON NOT NULL, 
	launcher VARCHAR NOT NULL, 
	shards INTEGER NOT NULL, 
	taken_in_at DATETIME, 
	summary JSON NOT NULL, 
	at DATETIME NOT NULL, 
	PRIMARY KEY (id), 
	FOREIGN KEY(benchmark_id) REFERENCES benchmark (id), 
	FOREIGN KEY(split_id) REFERENCES split (id)
);

CREATE TABLE answer (
	run_id VARCHAR NOT NULL, 
	item_id INTEGER NOT NULL, 
	variant VARCHAR NOT NULL, 
	outcome VARCHAR NOT NULL, 
	text VARCHAR NOT NULL, 
	extracted VARCHAR, 
	score FLOAT, 
	PRIMARY KEY (run_id, item_id, variant), 
	FOREIGN KEY(run_id) REFERENCES run (id)
);

CREATE INDEX ix_answer_item ON answer (item_id);

CREATE TABLE item (
	id INTEGER NOT NULL, 
	benchmark_id INTEGER NOT NULL, 
	task_id INTEGER NOT NULL, 
	family VARCHAR NOT NULL, 
	format VARCHAR NOT NULL, 
	domain VARCHAR NOT NULL, 
	label VARCHAR NOT NULL, 
	state VARCHAR NOT NULL, 
	revision INTEGER NOT NULL, 
	content_hash VARCHAR(64) NOT NULL, 
	open_slots INTEGER NOT NULL, 
	taken INTEGER NOT NULL, 
	disputed BOOLEAN NOT NULL, 
	barred VARCHAR NOT NULL, 
	round INTEGER NOT NULL, 
	author_id INTEGER, 
	run_id VARCHAR, 
	lot_id INTEGER, 
	at DATETIME NOT NULL, 
	changed_at DATETIME NOT NULL, 
	PRIMARY KEY (id), 
	FOREIGN KEY(author_id) REFERENCES person (id), 
	FOREIGN KEY(benchmark_id) REFERENCES benchmark (id), 
	FOREIGN KEY(lot_id) REFERENCES lot (id), 
	FOREIGN KEY(run_id) REFERENCES run (id), 
	FOREIGN KEY(task_id) REFERENCES task (id), 
	CONSTRAINT uq_item_content UNIQUE (task_id, content_hash)
);

CREATE INDEX ix_item_disputed ON item (benchmark_id, id) WHERE disputed;

CREATE INDEX ix_item_open ON item (benchmark_id, id) WHERE taken < open_slots;

CREATE INDEX ix_item_state ON item (benchmark_id, state, id);

CREATE INDEX ix_item_task_state ON item (task_id, state, id);

CREATE TABLE lot_item (
	lot_id INTEGER NOT NULL, 
	item_id INTEGER NOT NULL, 
	revision INTEGER NOT NULL, 
	position INTEGER, 
	PRIMARY KEY (lot_id, item_id), 
	FOREIGN KEY(lot_id) REFERENCES lot (id)
);

CREATE TABLE rating_draw_item (
	draw_id INTEGER NOT NULL, 
	item_id INTEGER NOT NULL, 
	revision INTEGER NOT NULL, 
	position INTEGER NOT NULL, 
	PRIMARY KEY (draw_id, item_id), 
	FOREIGN KEY(draw_id) REFERENCES rating_draw (id)
);

CREATE TABLE assignment (
	id INTEGER NOT NULL, 
	item_id INTEGER NOT NULL, 
	revision INTEGER NOT NULL, 
	stage INTEGER NOT NULL, 
	person_id INTEGER NOT NULL, 
	state VARCHAR NOT NULL, 
	lease_until DATETIME, 
	reason VARCHAR NOT NULL, 
	gold BOOLEAN NOT NULL, 
	at DATETIME NOT NULL, 
	PRIMARY KEY (id), 
	FOREIGN KEY(item_id) REFERENCES item (id), 
	FOREIGN KEY(person_id) REFERENCES person (id), 
	CONSTRAINT uq_assignment UNIQUE (item_id, revision, stage, person_id)
);

CREATE INDEX ix_assignment_lease ON assignment (lease_until) WHERE state = 'leased';

CREATE INDEX ix_assignment_person ON assignment (person_id, stage, id);

CREATE TABLE decision (
	id INTEGER NOT NULL, 
	item_id INTEGER NOT NULL, 
	revision INTEGER NOT NULL, 
	stage INTEGER NOT NULL, 
	kind VARCHAR NOT NULL, 
	person_id INTEGER NOT NULL, 
	verdict VARCHAR NOT NULL, 
	reason VARCHAR NOT NULL, 
	note VARCHAR NOT NULL, 
	seconds FLOAT NOT NULL, 
	lot_id INTEGER, 
	withdrawn_event BIGINT, 
	at DATETIME NOT NULL, 
	PRIMARY KEY (id), 
	FOREIGN KEY(item_id) REFERENCES item (id), 
	FOREIGN KEY(lot_id) REFERENCES lot (id), 
	FOREIGN KEY(person_id) REFERENCES person (id)
);

CREATE INDEX ix_decision_item ON decision (item_id, revision);

CREATE INDEX ix_decision_person ON decision (person_id, id);

CREATE UNIQUE INDEX uq_decision_live ON decision (item_id, revision, kind, person_id) WHERE withdrawn_event IS NULL;

CREATE TABLE draft (
	id INTEGER NOT NULL, 
	task_id INTEGER NOT NULL, 
	person_id INTEGER NOT NULL, 
	item_id INTEGER, 
	payload JSON NOT NULL, 
	at DATETIME NOT NULL, 
	PRIMARY KEY (id), 
	FOREIGN KEY(item_id) REFERENCES item (id), 
	FOREIGN KEY(person_id) REFERENCES person (id), 
	FOREIGN KEY(task_id) REFERENCES task (id)
);

CREATE INDEX ix_draft_person ON draft (person_id, task_id, id);

CREATE TABLE rating (
	id INTEGER NOT NULL, 
	item_id INTEGER NOT NULL, 
	revision INTEGER NOT NULL, 
	person_id INTEGER NOT NULL, 
	criterion VARCHAR NOT NULL, 
	value FLOAT NOT NULL, 
	seconds FLOAT NOT NULL, 
	withdrawn_event BIGINT, 
	at DATETIME NOT NULL, 
	PRIMARY KEY (id), 
	FOREIGN KEY(item_id) REFERENCES item (id), 
	FOREIGN KEY(person_id) REFERENCES person (id)
);

CREATE INDEX ix_rating_item ON rating (item_id, revision, criterion);

CREATE INDEX ix_rating_person ON rating (person_id, id);

CREATE TABLE revision (
	id INTEGER NOT NULL, 
	item_id INTEGER NOT NULL, 
	number INTEGER NOT NULL, 
	content_hash VARCHAR NOT NULL, 
	payload JSON NOT NULL, 
	provenance JSON NOT NULL, 
	defects JSON NOT NULL, 
	author_id INTEGER, 
	note VARCHAR NOT NULL, 
	at DATETIME NOT NULL, 
	PRIMARY KEY (id), 
	FOREIGN KEY(author_id) REFERENCES person (id), 
	FOREIGN KEY(item_id) REFERENCES item (id), 
	UNIQUE (item_id, number)
);

CREATE INDEX ix_revision_author ON revision (author_id) WHERE author_id IS NOT NULL;

CREATE TABLE screening (
	id INTEGER NOT NULL, 
	item_id INTEGER NOT NULL, 
	revision INTEGER NOT NULL, 
	run_id VARCHAR NOT NULL, 
	outcome VARCHAR NOT NULL, 
	score FLOAT, 
	threshold FLOAT NOT NULL, 
	rationale VARCHAR NOT NULL, 
	model VARCHAR NOT NULL, 
	prompt_version VARCHAR NOT NULL, 
	audited BOOLEAN NOT NULL, 
	tokens INTEGER NOT NULL, 
	at DATETIME NOT NULL, 
	PRIMARY KEY (id), 
	FOREIGN KEY(item_id) REFERENCES item (id), 
	FOREIGN KEY(run_id) REFERENCES run (id), 
	UNIQUE (run_id, item_id)
);

CREATE INDEX ix_screening_item ON screening (item_id, revision);

CREATE TABLE split_item (
	split_id INTEGER NOT NULL, 
	position INTEGER NOT NULL, 
	item_id INTEGER NOT NULL, 
	revision INTEGER NOT NULL, 
	content_hash VARCHAR NOT NULL, 
	PRIMARY KEY (split_id, position), 
	FOREIGN KEY(item_id) REFERENCES item (id), 
	FOREIGN KEY(split_id) REFERENCES split (id), 
	UNIQUE (split_id, item_id)
);

CREATE TABLE saved_filter (
	id INTEGER NOT NULL, 
	name VARCHAR NOT NULL, 
	person_id INTEGER, 
	settings JSON NOT NULL, 
	at DATETIME NOT NULL, 
	PRIMARY KEY (id), 
	FOREIGN KEY(person_id) REFERENCES person (id), 
	CONSTRAINT uq_saved_filter UNIQUE (name)
);

CREATE INDEX ix_item_label ON item (label, id);

CREATE INDEX ix_item_author ON item (author_id, id);

CREATE VIRTUAL TABLE search_long USING fts5(body, content='', columnsize=0, tokenize='trigram case_sensitive 1');

CREATE VIRTUAL TABLE search_short USING fts5(grams, content='', columnsize=0, detail=none, tokenize='ascii');

CREATE TRIGGER event_no_delete BEFORE DELETE ON event BEGIN SELECT RAISE(ABORT, 'table event is append-only'); END;

CREATE TRIGGER event_no_update BEFORE UPDATE ON event BEGIN SELECT RAISE(ABORT, 'table event is append-only'); END;

CREATE TRIGGER event_no_replace BEFORE INSERT ON event WHEN (EXISTS (SELECT 1 FROM event WHERE "id" = NEW."id")) BEGIN SELECT RAISE(ABORT, 'table event is append-only'); END;

CREATE TRIGGER revision_no_delete BEFORE DELETE ON revision BEGIN SELECT RAISE(ABORT, 'table revision is append-only'); END;

CREATE TRIGGER revision_no_update BEFORE UPDATE ON revision BEGIN SELECT RAISE(ABORT, 'table revision is append-only'); END;

CREATE TRIGGER revision_no_replace BEFORE INSERT ON revision WHEN (EXISTS (SELECT 1 FROM revision WHERE "id" = NEW."id") OR EXISTS (SELECT 1 FROM revision WHERE "item_id" = NEW."item_id" AND "number" = NEW."number")) BEGIN SELECT RAISE(ABORT, 'table revision is append-only'); END;

CREATE TRIGGER screening_no_delete BEFORE DELETE ON screening BEGIN SELECT RAISE(ABORT, 'table screening is append-only'); END;

CREATE TRIGGER screening_no_update BEFORE UPDATE ON screening BEGIN SELECT RAISE(ABORT, 'table screening is append-only'); END;

CREATE TRIGGER screening_no_replace BEFORE INSERT ON screening WHEN (EXISTS (SELECT 1 FROM screening WHERE "id" = NEW."id") OR EXISTS (SELECT 1 FROM screening WHERE "run_id" = NEW."run_id" AND "item_id" = NEW."item_id")) BEGIN SELECT RAISE(ABORT, 'table screening is append-only'); END;

CREATE TRIGGER benchmark_no_delete BEFORE DELETE ON benchmark BEGIN SELECT RAISE(ABORT, 'table benchmark is append-only'); END;

CREATE TRIGGER benchmark_no_update BEFORE UPDATE ON benchmark BEGIN SELECT RAISE(ABORT, 'table benchmark is append-only'); END;

CREATE TRIGGER benchmark_no_replace BEFORE INSERT ON benchmark WHEN (EXISTS (SELECT 1 FROM benchmark WHERE "id" = NEW."id") OR EXISTS (SELECT 1 FROM benchmark WHERE "name" = NEW."name")) BEGIN SELECT RAISE(ABORT, 'table benchmark is append-only'); END;

CREATE TRIGGER protocol_no_delete BEFORE DELETE ON protocol BEGIN SELECT RAISE(ABORT, 'table protocol is append-only'); END;

CREATE TRIGGER protocol_no_update BEFORE UPDATE ON protocol BEGIN SELECT RAISE(ABORT, 'table protocol is append-only'); END;

CREATE TRIGGER protocol_no_replace BEFORE INSERT ON protocol WHEN (EXISTS (SELECT 1 FROM protocol WHERE "id" = NEW."id") OR EXISTS (SELECT 1 FROM protocol WHERE "task_id" = NEW."task_id" AND "version" = NEW."version")) BEGIN SELECT RAISE(ABORT, 'table protocol is append-only'); END;

CREATE TRIGGER rating_draw_no_delete BEFORE DELETE ON rating_draw BEGIN SELECT RAISE(ABORT, 'table rating_draw is append-only'); END;

CREATE TRIGGER rating_draw_no_update BEFORE UPDATE ON rating_draw BEGIN SELECT RAISE(ABORT, 'table rating_draw is append-only'); END;

CREATE TRIGGER rating_draw_no_replace BEFORE INSERT ON rating_draw WHEN (EXISTS (SELECT 1 FROM rating_draw WHERE "id" = NEW."id")) BEGIN SELECT RAISE(ABORT, 'table rating_draw is append-only'); END;

CREATE TRIGGER rating_draw_item_no_delete BEFORE DELETE ON rating_draw_item BEGIN SELECT RAISE(ABORT, 'table rating_draw_item is append-only'); END;

CREATE TRIGGER rating_draw_item_no_update BEFORE UPDATE ON rating_draw_item BEGIN SELECT RAISE(ABORT, 'table rating_draw_item is append-only'); END;

CREATE TRIGGER rating_draw_item_no_replace BEFORE INSERT ON rating_draw_item WHEN (EXISTS (SELECT 1 FROM rating_draw_item WHERE "draw_id" = NEW."draw_id" AND "item_id" = NEW."item_id")) BEGIN SELECT RAISE(ABORT, 'table rating_draw_item is append-only'); END;

CREATE TRIGGER lot_item_no_delete BEFORE DELETE ON lot_item BEGIN SELECT RAISE(ABORT, 'table lot_item is append-only'); END;

CREATE TRIGGER lot_item_no_update BEFORE UPDATE ON lot_item BEGIN SELECT RAISE(ABORT, 'table lot_item is append-only'); END;

CREATE TRIGGER lot_item_no_replace BEFORE INSERT ON lot_item WHEN (EXISTS (SELECT 1 FROM lot_item WHERE "lot_id" = NEW."lot_id" AND "item_id" = NEW."item_id")) BEGIN SELECT RAISE(ABORT, 'table lot_item is append-only'); END;

CREATE TRIGGER split_item_no_delete BEFORE DELETE ON split_item BEGIN SELECT RAISE(ABORT, 'table split_item is append-only'); END;

CREATE TRIGGER split_item_no_update BEFORE UPDATE ON split_item BEGIN SELECT RAISE(ABORT, 'table split_item is append-only'); END;

CREATE TRIGGER split_item_no_replace BEFORE INSERT ON split_item WHEN (EXISTS (SELECT 1 FROM split_item WHERE "split_id" = NEW."split_id" AND "position" = NEW."position") OR EXISTS (SELECT 1 FROM split_item WHERE "split_id" = NEW."split_id" AND "item_id" = NEW."item_id")) BEGIN SELECT RAISE(ABORT, 'table split_item is append-only'); END;

CREATE TRIGGER decision_no_delete BEFORE DELETE ON decision BEGIN SELECT RAISE(ABORT, 'table decision is append-only'); END;

CREATE TRIGGER decision_no_update BEFORE UPDATE OF "id", "item_id", "revision", "stage", "kind", "person_id", "verdict", "reason", "note", "seconds", "lot_id", "at" ON decision BEGIN SELECT RAISE(ABORT, 'table decision is append-only'); END;

CREATE TRIGGER decision_no_second BEFORE UPDATE OF "withdrawn_event" ON decision WHEN (OLD."withdrawn_event" IS NOT NULL) BEGIN SELECT RAISE(ABORT, 'table decision is append-only'); END;

CREATE TRIGGER decision_no_replace BEFORE INSERT ON decision WHEN (EXISTS (SELECT 1 FROM decision WHERE "id" = NEW."id")) BEGIN SELECT RAISE(ABORT, 'table decision is append-only'); END;

CREATE TRIGGER rating_no_delete BEFORE DELETE ON rating BEGIN SELECT RAISE(ABORT, 'table rating is append-only'); END;

CREATE TRIGGER rating_no_update BEFORE UPDATE OF "id", "item_id", "revision", "person_id", "criterion", "value", "seconds", "at" ON rating BEGIN SELECT RAISE(ABORT, 'table rating is append-only'); END;

CREATE TRIGGER rating_no_replace BEFORE INSERT ON rating WHEN (EXISTS (SELECT 1 FROM rating WHERE "id" = NEW."id")) BEGIN SELECT RAISE(ABORT, 'table rating is append-only'); END;

CREATE TRIGGER item_no_delete BEFORE DELETE ON item BEGIN SELECT RAISE(ABORT, 'table item is append-only'); END;

CREATE TRIGGER item_no_update BEFORE UPDATE OF "id", "benchmark_id", "task_id", "family", "format", "domain", "run_id", "author_id", "barred", "at" ON item BEGIN SELECT RAISE(ABORT, 'table item is append-only'); END;

CREATE TRIGGER item_no_replace BEFORE INSERT ON item WHEN (EXISTS (SELECT 1 FROM item WHERE "id" = NEW."id") OR EXISTS (SELECT 1 FROM item WHERE "task_id" = NEW."task_id" AND "content_hash" = NEW."content_hash")) BEGIN SELECT RAISE(ABORT, 'table item is append-only'); END;

CREATE TRIGGER assignment_no_delete BEFORE DELETE ON assignment BEGIN SELECT RAISE(ABORT, 'table assignment is append-only'); END;

CREATE TRIGGER assignment_no_update BEFORE UPDATE OF "id", "item_id", "revision", "stage", "person_id", "gold" ON assignment BEGIN SELECT RAISE(ABORT, 'table assignment is append-only'); END;

CREATE TRIGGER assignment_no_replace BEFORE INSERT ON assignment WHEN (EXISTS (SELECT 1 FROM assignment WHERE "id" = NEW."id") OR EXISTS (SELECT 1 FROM assignment WHERE "item_id" = NEW."item_id" AND "revision" = NEW."revision" AND "stage" = NEW."stage" AND "person_id" = NEW."person_id")) BEGIN SELECT RAISE(ABORT, 'table assignment is append-only'); END;

CREATE TRIGGER gold_no_delete BEFORE DELETE ON gold BEGIN SELECT RAISE(ABORT, 'table gold is append-only'); END;

CREATE TRIGGER gold_no_update BEFORE UPDATE OF "item_id", "task_id" ON gold BEGIN SELECT RAISE(ABORT, 'table gold is append-only'); END;

CREATE TRIGGER gold_no_replace BEFORE INSERT ON gold WHEN (EXISTS (SELECT 1 FROM gold WHERE "item_id" = NEW."item_id")) BEGIN SELECT RAISE(ABORT, 'table gold is append-only'); END;

CREATE TRIGGER lot_no_delete BEFORE DELETE ON lot BEGIN SELECT RAISE(ABORT, 'table lot is append-only'); END;

CREATE TRIGGER lot_no_update BEFORE UPDATE OF "id", "task_id", "round", "attempt", "seed", "size", "sample", "allowed", "person_id", "at" ON lot BEGIN SELECT RAISE(ABORT, 'table lot is append-only'); END;

CREATE TRIGGER lot_no_replace BEFORE INSERT ON lot WHEN (EXISTS (SELECT 1 FROM lot WHERE "id" = NEW."id") OR EXISTS (SELECT 1 FROM lot WHERE "task_id" = NEW."task_id" AND "round" = NEW."round" AND "attempt" = NEW."attempt")) BEGIN SELECT RAISE(ABORT, 'table lot is append-only'); END;

CREATE TRIGGER split_no_delete BEFORE DELETE ON split BEGIN SELECT RAISE(ABORT, 'table split is append-only'); END;

CREATE TRIGGER split_no_update BEFORE UPDATE OF "id", "benchmark_id", "name", "manifest_hash", "manifest", "size", "person_id", "at" ON split BEGIN SELECT RAISE(ABORT, 'table split is append-only'); END;

CREATE TRIGGER split_no_replace BEFORE INSERT ON split WHEN (EXISTS (SELECT 1 FROM split WHERE "id" = NEW."id") OR EXISTS (SELECT 1 FROM split WHERE "name" = NEW."name")) BEGIN SELECT RAISE(ABORT, 'table split is append-only'); END;

CREATE TRIGGER run_no_delete BEFORE DELETE ON run BEGIN SELECT RAISE(ABORT, 'table run is append-only'); END;

CREATE TRIGGER run_no_update BEFORE UPDATE OF "id", "kind", "benchmark_id", "split_id", "title", "at" ON run BEGIN SELECT RAISE(ABORT, 'table run is append-only'); END;

CREATE TRIGGER run_no_replace BEFORE INSERT ON run WHEN (EXISTS (SELECT 1 FROM run WHERE "id" = NEW."id")) BEGIN SELECT RAISE(ABORT, 'table run is append-only'); END;

CREATE TRIGGER answer_no_delete BEFORE DELETE ON answer BEGIN SELECT RAISE(ABORT, 'table answer is append-only'); END;

CREATE TRIGGER answer_no_update BEFORE UPDATE OF "run_id", "item_id", "variant" ON answer BEGIN SELECT RAISE(ABORT, 'table answer is append-only'); END;

CREATE TRIGGER answer_no_replace BEFORE INSERT ON answer WHEN (EXISTS (SELECT 1 FROM answer WHERE "run_id" = NEW."run_id" AND "item_id" = NEW."item_id" AND "variant" = NEW."variant")) BEGIN SELECT RAISE(ABORT, 'table answer is append-only'); END;

CREATE TRIGGER person_no_delete BEFORE DELETE ON person BEGIN SELECT RAISE(ABORT, 'table person is append-only'); END;

CREATE TRIGGER person_no_update BEFORE UPDATE OF "id", "name", "at" ON person BEGIN SELECT RAISE(ABORT, 'table person is append-only'); END;

CREATE TRIGGER person_no_replace BEFORE INSERT ON person WHEN (EXISTS (SELECT 1 FROM person WHERE "id" = NEW."id") OR EXISTS (SELECT 1 FROM person WHERE "name" = NEW."name")) BEGIN SELECT RAISE(ABORT, 'table person is append-only'); END;

CREATE TRIGGER task_no_delete BEFORE DELETE ON task BEGIN SELECT RAISE(ABORT, 'table task is append-only'); END;

CREATE TRIGGER task_no_update BEFORE UPDATE OF "id", "benchmark_id", "name", "family", "format", "domain", "at" ON task BEGIN SELECT RAISE(ABORT, 'table task is append-only'); END;

CREATE TRIGGER task_no_replace BEFORE INSERT ON task WHEN (EXISTS (SELECT 1 FROM task WHERE "id" = NEW."id") OR EXISTS (SELECT 1 FROM task WHERE "benchmark_id" = NEW."benchmark_id" AND "name" = NEW."name")) BEGIN SELECT RAISE(ABORT, 'table task is append-only'); END;

CREATE TRIGGER meta_no_delete BEFORE DELETE ON meta BEGIN SELECT RAISE(ABORT, 'table meta is append-only'); END;

CREATE TRIGGER meta_no_update BEFORE UPDATE OF "key" ON meta BEGIN SELECT RAISE(ABORT, 'table meta is append-only'); END;

CREATE TRIGGER meta_no_replace BEFORE INSERT ON meta WHEN (EXISTS (SELECT 1 FROM meta WHERE "key" = NEW."key")) BEGIN SELECT RAISE(ABORT, 'table meta is append-only'); END;

CREATE UNIQUE INDEX uq_person_account ON person (account);

CREATE TABLE comment (
	id INTEGER NOT NULL, 
	item_id BIGINT NOT NULL, 
	revision INTEGER NOT NULL, 
	person_id INTEGER NOT NULL, 
	kind VARCHAR NOT NULL, 
	thread BIGINT, 
	text VARCHAR NOT NULL, 
	withdrawn_event BIGINT, 
	seen_at DATETIME, 
	at DATETIME NOT NULL, 
	PRIMARY KEY (id), 
	FOREIGN KEY(item_id) REFERENCES item (id), 
	FOREIGN KEY(person_id) REFERENCES person (id)
);

CREATE INDEX ix_comment_item ON comment (item_id, id);

CREATE INDEX ix_comment_person ON comment (person_id, kind, id);

CREATE INDEX ix_comment_thread ON comment (thread);

CREATE INDEX ix_comment_kind ON comment (kind, id);

CREATE TABLE note_draft (
	person_id INTEGER NOT NULL, 
	item_id BIGINT NOT NULL, 
	place VARCHAR NOT NULL, 
	text VARCHAR NOT NULL, 
	at DATETIME NOT NULL, 
	PRIMARY KEY (person_id, item_id, place), 
	FOREIGN KEY(item_id) REFERENCES item (id), 
	FOREIGN KEY(person_id) REFERENCES person (id)
);

CREATE TRIGGER comment_no_delete BEFORE DELETE ON comment BEGIN SELECT RAISE(ABORT, 'table comment is append-only'); END;

CREATE TRIGGER comment_no_update BEFORE UPDATE OF "id", "item_id", "revision", "person_id", "kind", "thread", "text", "at" ON comment BEGIN SELECT RAISE(ABORT, 'table comment is append-only'); END;

CREATE TRIGGER comment_no_second BEFORE UPDATE OF "withdrawn_event" ON comment WHEN (OLD."withdrawn_event" IS NOT NULL) BEGIN SELECT RAISE(ABORT, 'table comment is append-only'); END;

CREATE TRIGGER comment_no_replace BEFORE INSERT ON comment WHEN (EXISTS (SELECT 1 FROM comment WHERE "id" = NEW."id")) BEGIN SELECT RAISE(ABORT, 'table comment is append-only'); END;

CREATE TABLE task_share (
	task_id INTEGER NOT NULL, 
	person_id INTEGER NOT NULL, 
	most INTEGER, 
	due VARCHAR NOT NULL, 
	at DATETIME NOT NULL, 
	PRIMARY KEY (task_id, person_id), 
	FOREIGN KEY(task_id) REFERENCES task (id), 
	FOREIGN KEY(person_id) REFERENCES person (id)
);

CREATE TABLE pause (
	person_id INTEGER NOT NULL, 
	reason VARCHAR NOT NULL, 
	at DATETIME NOT NULL, 
	PRIMARY KEY (person_id), 
	FOREIGN KEY(person_id) REFERENCES person (id)
);

CREATE TABLE search_pending (place INTEGER NOT NULL PRIMARY KEY);

CREATE TABLE split_key (
	event_id INTEGER NOT NULL, 
	split_id INTEGER NOT NULL, 
	secret VARCHAR NOT NULL, 
	PRIMARY KEY (event_id), 
	FOREIGN KEY(split_id) REFERENCES split (id)
);

CREATE TABLE pending_import (
	id INTEGER NOT NULL, 
	import_id VARCHAR NOT NULL, 
	task_id INTEGER NOT NULL, 
	file VARCHAR NOT NULL, 
	first BIGINT NOT NULL, 
	last BIGINT NOT NULL, 
	person_id INTEGER, 
	at DATETIME NOT NULL, 
	PRIMARY KEY (id), 
	FOREIGN KEY(person_id) REFERENCES person (id), 
	FOREIGN KEY(task_id) REFERENCES task (id)
);

CREATE INDEX ix_pending_import_range ON pending_import (first, last);

CREATE TRIGGER pending_import_no_update BEFORE UPDATE OF "id", "import_id", "task_id", "file", "first", "person_id", "at" ON pending_import BEGIN SELECT RAISE(ABORT, 'table pending_import is append-only'); END;

CREATE TRIGGER pending_import_no_replace BEFORE INSERT ON pending_import WHEN (EXISTS (SELECT 1 FROM pending_import WHERE "id" = NEW."id")) BEGIN SELECT RAISE(ABORT, 'table pending_import is append-only'); END;

CREATE TRIGGER run_within_openings BEFORE INSERT ON run WHEN (EXISTS (SELECT 1 FROM split s WHERE (s.id = NEW.split_id OR s.name = json_extract(NEW.params, '$.split')) AND EXISTS (SELECT 1 FROM event p WHERE p.item_id IS NULL AND p.kind = 'split' AND p.subject = s.name AND json_extract(p.data, '$.policy') = 'once') AND NOT EXISTS (SELECT 1 FROM event x WHERE x.item_id IS NULL AND x.kind = 'split' AND x.subject = s.name AND json_extract(x.data, '$.state') = 'expired'))) BEGIN SELECT RAISE(ABORT, 'a split of this policy is used by evaluations and their judges alone') WHERE EXISTS (SELECT 1 FROM split s WHERE (s.id = NEW.split_id OR s.name = json_extract(NEW.params, '$.split')) AND EXISTS (SELECT 1 FROM event p WHERE p.item_id IS NULL AND p.kind = 'split' AND p.subject = s.name AND json_extract(p.data, '$.policy') = 'once') AND NOT EXISTS (SELECT 1 FROM event x WHERE x.item_id IS NULL AND x.kind = 'split' AND x.subject = s.name AND json_extract(x.data, '$.state') = 'expired') AND s.id IS NOT NEW.split_id) OR NEW.kind NOT IN ('evaluate', 'adaptive') AND NOT (NEW.kind IN ('judge', 'pairwise') AND EXISTS (SELECT 1 FROM run r WHERE r.id = json_extract(NEW.params, '$.of') AND r.split_id = NEW.split_id AND r.kind IN ('evaluate', 'adaptive'))); SELECT RAISE(ABORT, 'a split of this policy is evaluated once for each opening') WHERE NEW.kind IN ('evaluate', 'adaptive') AND (SELECT count(*) FROM run r WHERE r.kind IN ('evaluate', 'adaptive') AND r.split_id = NEW.split_id AND coalesce(nullif(json_extract(r.params, '$.model'), ''), json_extract(r.params, '$.engine')) = coalesce(nullif(json_extract(NEW.params, '$.model'), ''), json_extract(NEW.params, '$.engine'))) >= (SELECT count(*) FROM event e WHERE e.item_id IS NULL AND e.kind = 'split' AND e.subject = (SELECT s.name FROM split s WHERE s.id = NEW.split_id) AND json_extract(e.data, '$.state') = 'opened' AND json_extract(e.data, '$.model') = coalesce(nullif(json_extract(NEW.params, '$.model'), ''), json_extract(NEW.params, '$.engine'))); END;

CREATE TRIGGER run_keeps_its_model BEFORE UPDATE OF params ON run WHEN ((coalesce(nullif(json_extract(NEW.params, '$.model'), ''), json_extract(NEW.params, '$.engine')) IS NOT coalesce(nullif(json_extract(OLD.params, '$.model'), ''), json_extract(OLD.params, '$.engine')) OR json_extract(NEW.params, '$.split') IS NOT json_extract(OLD.params, '$.split') OR json_extract(NEW.params, '$.of') IS NOT json_extract(OLD.params, '$.of')) AND EXISTS (SELECT 1 FROM split s WHERE (s.id = NEW.split_id OR s.name = json_extract(NEW.params, '$.split')) AND EXISTS (SELECT 1 FROM event p WHERE p.item_id IS NULL AND p.kind = 'split' AND p.subject = s.name AND json_extract(p.data, '$.policy') = 'once') AND NOT EXISTS (SELECT 1 FROM event x WHERE x.item_id IS NULL AND x.kind = 'split' AND x.subject = s.name AND json_extract(x.data, '$.state') = 'expired'))) BEGIN SELECT RAISE(ABORT, 'a run under this policy stays one of its model') WHERE 1; END;

CREATE TRIGGER event_by_another_lead BEFORE INSERT ON event WHEN (NEW.kind IN ('split', 'run', 'reading') AND EXISTS (SELECT 1 FROM event p WHERE p.item_id IS NULL AND p.kind = 'split' AND p.subject = CASE NEW.kind WHEN 'split' THEN NEW.subject ELSE json_extract(NEW.data, '$.split') END AND json_extract(p.data, '$.policy') = 'once') AND NOT EXISTS (SELECT 1 FROM event x WHERE x.item_id IS NULL AND x.kind = 'split' AND x.subject = CASE NEW.kind WHEN 'split' THEN NEW.subject ELSE json_extract(NEW.data, '$.split') END AND json_extract(x.data, '$.state') = 'expired')) BEGIN SELECT RAISE(ABORT, 'a split of this policy is used by evaluations and their judges alone') WHERE NEW.kind = 'run' AND NOT EXISTS (SELECT 1 FROM run r JOIN split s ON s.id = r.split_id WHERE r.id = NEW.subject AND s.name = CASE NEW.kind WHEN 'split' THEN NEW.subject ELSE json_extract(NEW.data, '$.split') END) OR NEW.kind = 'split' AND json_extract(NEW.data, '$.exported') IS NOT NULL; SELECT RAISE(ABORT, 'a split of this policy is tried out once for each opening') WHERE NEW.kind = 'reading' AND json_extract(NEW.data, '$.act') = 'trial' AND (SELECT count(*) FROM event t WHERE t.item_id IS NULL AND t.kind = 'reading' AND json_extract(t.data, '$.act') = 'trial' AND json_extract(t.data, '$.split') = CASE NEW.kind WHEN 'split' THEN NEW.subject ELSE json_extract(NEW.data, '$.split') END AND json_extract(t.data, '$.for') IS json_extract(NEW.data, '$.for')) >= (SELECT count(*) FROM event e WHERE e.item_id IS NULL AND e.kind = 'split' AND e.subject = CASE NEW.kind WHEN 'split' THEN NEW.subject ELSE json_extract(NEW.data, '$.split') END AND json_extract(e.data, '$.state') = 'opened' AND json_extract(e.data, '$.model') = json_extract(NEW.data, '$.for')); SELECT RAISE(ABORT, 'an opening under this policy names a model') WHERE NEW.kind = 'split' AND json_extract(NEW.data, '$.state') = 'opened' AND coalesce(json_extract(NEW.data, '$.model'), '') = ''; SELECT RAISE(ABORT, 'a second opening for a model needs a second lead') WHERE NEW.kind = 'split' AND json_extract(NEW.data, '$.state') = 'opened' AND EXISTS (SELECT 1 FROM event e WHERE e.item_id IS NULL AND e.kind = 'split' AND e.subject = NEW.subject AND e.actor = NEW.actor AND json_extract(e.data, '$.state') = 'opened' AND lower(trim(json_extract(e.data, '$.model'), ' ./')) = lower(trim(json_extract(NEW.data, '$.model'), ' ./'))); END;

CREATE INDEX ix_event_second_look ON event (item_id, id) WHERE kind IN ('second_look', 'looked_again');

CREATE TABLE item_count (
    benchmark_id INTEGER NOT NULL,
    task_id INTEGER NOT NULL,
    state VARCHAR NOT NULL,
    format VARCHAR NOT NULL,
    domain VARCHAR NOT NULL,
    label VARCHAR NOT NULL,
    is_open INTEGER NOT NULL,
    is_free INTEGER NOT NULL,
    items INTEGER NOT NULL,
    PRIMARY KEY (benchmark_id, task_id, state, format, domain, label, is_open, is_free)
) WITHOUT ROWID;

CREATE TRIGGER item_counted_in AFTER INSERT ON item BEGIN INSERT INTO item_count VALUES ((NEW.benchmark_id), (NEW.task_id), (NEW.state), (NEW.format), (NEW.domain), (NEW.label), (NEW.taken < NEW.open_slots), (NEW.lot_id IS NULL AND NEW.barred = ''), 1) ON CONFLICT DO UPDATE SET items = items + 1; END;

CREATE TRIGGER item_counted_on AFTER UPDATE OF benchmark_id, task_id, state, format, domain, label, open_slots, taken, lot_id, barred ON item WHEN ((OLD.benchmark_id), (OLD.task_id), (OLD.state), (OLD.format), (OLD.domain), (OLD.label), (OLD.taken < OLD.open_slots), (OLD.lot_id IS NULL AND OLD.barred = '')) IS NOT ((NEW.benchmark_id), (NEW.task_id), (NEW.state), (NEW.format), (NEW.domain), (NEW.label), (NEW.taken < NEW.open_slots), (NEW.lot_id IS NULL AND NEW.barred = '')) BEGIN UPDATE item_count SET items = items - 1 WHERE benchmark_id = (OLD.benchmark_id) AND task_id = (OLD.task_id) AND state = (OLD.state) AND format = (OLD.format) AND domain = (OLD.domain) AND label = (OLD.label) AND is_open = (OLD.taken < OLD.open_slots) AND is_free = (OLD.lot_id IS NULL AND OLD.barred = ''); DELETE FROM item_count WHERE benchmark_id = (OLD.benchmark_id) AND task_id = (OLD.task_id) AND state = (OLD.state) AND format = (OLD.format) AND domain = (OLD.domain) AND label = (OLD.label) AND is_open = (OLD.taken < OLD.open_slots) AND is_free = (OLD.lot_id IS NULL AND OLD.barred = '') AND items = 0; INSERT INTO item_count VALUES ((NEW.benchmark_id), (NEW.task_id), (NEW.state), (NEW.format), (NEW.domain), (NEW.label), (NEW.taken < NEW.open_slots), (NEW.lot_id IS NULL AND NEW.barred = ''), 1) ON CONFLICT DO UPDATE SET items = items + 1; END;

CREATE TRIGGER item_counted_out AFTER DELETE ON item BEGIN UPDATE item_count SET items = items - 1 WHERE benchmark_id = (OLD.benchmark_id) AND task_id = (OLD.task_id) AND state = (OLD.state) AND format = (OLD.format) AND domain = (OLD.domain) AND label = (OLD.label) AND is_open = (OLD.taken < OLD.open_slots) AND is_free = (OLD.lot_id IS NULL AND OLD.barred = ''); DELETE FROM item_count WHERE benchmark_id = (OLD.benchmark_id) AND task_id = (OLD.task_id) AND state = (OLD.state) AND format = (OLD.format) AND domain = (OLD.domain) AND label = (OLD.label) AND is_open = (OLD.taken < OLD.open_slots) AND is_free = (OLD.lot_id IS NULL AND OLD.barred = '') AND items = 0; END;

INSERT INTO search_long (search_long, rank) VALUES ('hashsize', 16777216);

INSERT INTO search_short (search_short, rank) VALUES ('hashsize', 16777216);

INSERT INTO alembic_version VALUES ('0012');

