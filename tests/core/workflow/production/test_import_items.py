"""Importing into a task: every row accounted for, nothing half written, mappings remembered."""

import gc
import json

import pytest

from core.errors import InputError, RightsError
from core.families.base import ItemContent
from core.llm import keys
from core.workflow import people, tasks
from core.workflow.check import blinding, review
from core.workflow.items import history, search, state_counts
from core.workflow.items.search import Filters
from core.workflow.production import import_items
from core.workflow.production.import_items import ImportOrder
from core.workflow.workspace import Workspace
from db import items


@pytest.fixture
def lines(tmp_path):
    def write(rows, name="rows.jsonl"):
        path = tmp_path / name
        path.write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
        return path

    return write


def order(path, **fields) -> ImportOrder:
    return ImportOrder(path, **{"task": "情感", "benchmark": "b", **fields})


def row(number: int, **fields):
    return {"Input": f"第{number}句", "Output": "好", "Instruction": "判断情感。", **fields}


def balanced(report: import_items.ImportReport) -> bool:
    return report.total == report.taken + report.known + len(report.refused)


def test_rows_are_taken_known_or_refused_and_the_counts_balance(ws, lines):
    rows = [
        row(1),
        row(2),
        row(1),
        row(3, Output=""),
        row(4, Output=None),
        row(5, Output={"a": 1}),
        row(6, Input="NUL \x00"),
        row(7, Input="half \ud800"),
        row(8, Output=7),
    ]
    people.ensure_person(ws, "安", "lead")
    report = import_items.import_file(ws, order(lines(rows), person="安", wrote=True))
    assert (report.total, report.taken, report.known) == (9, 3, 1)
    assert balanced(report)
    assert [refused.line for refused in report.refused] == [4, 5, 6, 7, 8]
    assert "line 1" in report.known_rows[0].reason
    assert state_counts.counts(ws)["draft"] == 3
    life = history.item_history(ws, 1, "")
    assert life.events[0].kind == "created"
    assert search.numbers(ws, Filters(person="安"), viewer="安") == [1, 2, 3]
    assert life.revisions[0].content.provenance == {"file": "rows.jsonl", "line": 1}


def test_importing_again_changes_nothing(ws, lines):
    path = lines([row(1), row(2)])
    import_items.import_file(ws, order(path))
    report = import_items.import_file(ws, order(path))
    assert (report.taken, report.known) == (0, 2)
    assert balanced(report)


def test_a_dry_run_tells_the_same_and_writes_nothing(ws, lines):
    path = lines([row(1), row(1), "x", row(2, Input="<br>第二句")])
    dry = import_items.import_file(ws, order(path, dry_run=True))
    assert state_counts.counts(ws)["draft"] == 0
    wet = import_items.import_file(ws, order(path))
    assert (dry.taken, dry.known, dry.refused) == (wet.taken, wet.known, wet.refused)
    assert dry.defects == wet.defects == {"markup_left": 1}


def test_a_file_without_the_needed_columns_names_them_and_leaves_no_task(ws, lines):
    path = lines([{"文": "x", "id": 1}])
    with pytest.raises(InputError, match="instruction=COLUMN --map output=COLUMN"):
        import_items.import_file(ws, order(path))
    with ws.reading() as session:
        from db import benchmarks

        assert benchmarks.benchmark_named(session, "b") is None


def test_a_mapping_joins_columns_gives_constants_and_is_remembered(ws, lines):
    mapping = {"instruction": "=是否蕴含？", "input": "前提+假设", "output": "答"}
    path = lines([{"前提": "甲", "假设": "乙", "答": "是"}])
    import_items.import_file(ws, order(path, mapping=mapping))
    payload = history.item_history(ws, 1, "").revisions[0].content.payload
    assert (payload["instruction"], payload["input"]) == ("是否蕴含？", "甲\n乙")
    again = lines([{"前提": "丙", "假设": "丁", "答": "否"}], "more.jsonl")
    report = import_items.import_file(ws, order(again))
    assert report.taken == 1
    assert report.mapping["input"] == "前提+假设"


@pytest.mark.parametrize(
    ("mapping", "named"), [({"colour": "Input"}, "colour"), ({"input": "Colour"}, "Colour")]
)
def test_a_wrong_mapping_is_named(ws, lines, mapping, named):
    with pytest.raises(InputError, match=named):
        import_items.import_file(ws, order(lines([row(1)]), mapping=mapping))


def test_a_file_of_cif_bench_brings_its_catalogue_facts(ws, lines):
    path = lines([row(1)], "45_Sentiment_Analysis_public.jsonl")
    import_items.import_file(ws, order(path))
    with ws.reading() as session:
        from core.workflow.lookup import task_in

        profile = task_in(session, "情感").profile
    assert (profile["catalogue_id"], profile["metric"]) == (45, "accuracy")
    assert "metric" in profile["ours"]


def test_what_is_written_out_comes_back_with_the_same_hashes(ws, lines, tmp_path):
    import_items.import_file(ws, order(lines([row(1), row(2, Input="行\u2028分隔 “引号”\n新行")])))
    out = tmp_path / "out.jsonl"
    assert search.export_items(ws, Filters(), out, viewer="").written == 2
    other = Workspace.create(tmp_path / "other")
    report = import_items.import_file(other, order(out))
    assert (report.format, report.taken, report.refused) == ("items", 2, ())
    hashes = [
        [r.content_hash for r in search.page(w, Filters(), viewer="").rows] for w in (ws, other)
    ]
    assert hashes[0] == hashes[1]
    other.close()


def test_a_changed_or_foreign_item_is_refused(ws, lines):
    sound = ItemContent("instruction", "triplet", {"instruction": "判断", "output": "好"}).as_json()
    rows = [
        {**sound, "payload": {"instruction": "判断", "output": "坏"}},
        {**sound, "family": "scp"},
        {"family": "instruction", "payload": {"output": 7}},
        sound,
    ]
    report = import_items.import_file(ws, order(lines(rows)))
    assert [refused.line for refused in report.refused] == [1, 2, 3]
    assert report.taken == 1


def test_the_preview_shows_rows_and_the_mapping_before_anything_is_written(ws, lines):
    seen = import_items.preview(ws, order(lines([row(n) for n in range(50)])))
    assert seen.format == "cif"
    assert len(seen.rows) == 20
    assert seen.mapping == {"instruction": "Instruction", "input": "Input", "output": "Output"}
    assert seen.missing == ()


def test_a_task_of_another_family_or_without_a_name_is_refused(ws, lines):
    path = lines([row(1)])
    import_items.import_file(ws, order(path))
    with pytest.raises(InputError, match="not rewrite"):
        import_items.import_file(ws, order(path, family="rewrite"))
    for name in ("", " ", "a\nb"):
        with pytest.raises(InputError, match="name"):
            import_items.import_file(ws, order(path, task=name))


ENGLISH = {"Input": "The film was dull.", "Output": "negative", "Instruction": "Name the mood."}


def test_english_rows_are_not_called_chinese(ws, lines):
    report = import_items.import_file(ws, order(lines([ENGLISH])))
    assert report.defects == {}
    assert history.item_history(ws, 1, "").revisions[0].content.payload["language"] == "en"
    assert tasks.show(ws, "情感").profile["languages"] == ["en"]


def test_the_tasks_language_decides_where_a_row_says_none(ws, lines):
    tasks.add(ws, "情感", "instruction", benchmark="b", format="triplet", language="zh")
    report = import_items.import_file(ws, order(lines([ENGLISH, {**ENGLISH, "language": "en"}])))
    assert report.taken == 2
    assert report.defects == {"wrong_language": 1}


def test_who_imports_may_review_unless_they_wrote_the_items(ws, lines):
    people.ensure_person(ws, "安", "lead")
    import_items.import_file(ws, order(lines([row(1)]), person="安"))
    import_items.import_file(ws, order(lines([row(2)], "own.jsonl"), person="安", wrote=True))
    assert review.queue(ws, "安", "b").left == 1
    with pytest.raises(RightsError):
        review.decide(ws, "安", 2, "accept")


def test_a_task_that_an_import_makes_has_no_gate_without_a_model_server(ws, lines):
    report = import_items.import_file(ws, order(lines([row(1)])))
    assert "The gate is off" in report.note
    assert tasks.show(ws, "情感").protocol.gate == "off"
    assert import_items.import_file(ws, order(lines([row(2)], "more.jsonl"))).note == ""


def test_a_task_has_a_gate_where_a_model_server_is_configured(ws, lines):
    keys.allow_server("http://models.example:8000/v1")
    report = import_items.import_file(ws, order(lines([row(1)])))
    assert report.note == ""
    assert tasks.show(ws, "情感").protocol.gate == "required"


def test_the_one_text_of_a_file_without_instructions_is_the_input(ws, tmp_path):
    path = tmp_path / "reviews.csv"
    rows = ["id,review,sentiment,source"]
    rows += [f"{n},The film number {n} was a dull one.,{'good' if n % 2 else 'bad'},web"
             for n in range(6)]  # fmt: skip
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    told = {"instruction": "=Name the mood of the review."}
    report = import_items.import_file(ws, order(path, mapping=told, dry_run=True))
    assert report.mapping["input"] == "review"
    assert (report.taken, report.repeated, set(report.kept)) == (6, 0, {"id", "source"})
    alone = import_items.import_file(ws, order(path, mapping={**told, "input": ""}, dry_run=True))
    assert (alone.taken, alone.known, alone.repeated) == (2, 4, 4)
    assert alone.repeated_text.startswith("4 rows repeat an earlier row")


def test_a_row_for_each_rater_gives_one_item_with_what_all_of_them_said(ws, tmp_path):
    path = tmp_path / "ratings.csv"
    said = ["An,4", "Bo,2", "An,4"]
    path.write_text(
        "instruction,output,rater,score\n" + "".join(f"Say it.,Yes.,{s}\n" for s in said)
    )
    people.ensure_person(ws, "Li", "lead")
    report = import_items.import_file(ws, order(path, person="Li"))
    assert (report.total, report.taken, report.repeated) == (3, 1, 2)
    assert ["kept" in known.reason for known in report.known_rows] == [True, False]
    out = tmp_path / "out.jsonl"
    blinding.reveal_all(ws, "Li", "b")
    search.export_items(ws, Filters(), out, viewer="Li")
    (item,) = map(json.loads, out.read_text("utf-8").splitlines())
    columns = {
        "rater": "An",
        "score": "4",
        "repeated_rows": [{"line": 3, "rater": "Bo", "score": "2"}],
    }
    assert item["provenance"]["columns"] == columns
    again = import_items.import_file(ws, ImportOrder(out, "again", "b", person="Li"))
    assert (again.taken, again.refused) == (1, ())


@pytest.mark.parametrize("header", ["title,body,answer", "topic,explanation,answer"])
def test_no_text_is_guessed_among_several_or_where_it_may_tell_the_answer(ws, tmp_path, header):
    path = tmp_path / "rows.csv"
    first = "A title of some seven words here" if header.startswith("title") else "films"
    text = "The film was a dull one and nobody laughed."
    path.write_text(f"{header}\n{first},{text},bad\n", encoding="utf-8")
    told = {"instruction": "=Name the mood."}
    with pytest.raises(InputError, match="Every item would ask the same"):
        import_items.import_file(ws, order(path, mapping=told, dry_run=True))
    chosen = {**told, "input": header.split(",")[1]}
    assert import_items.import_file(ws, order(path, mapping=chosen, dry_run=True)).taken == 1


def test_the_collector_does_not_look_through_the_rows_while_others_wait(ws, lines, monkeypatch):
    seen = []
    add = items.add

    def added(*args, **options):
        seen.append(gc.get_threshold()[0])
        return add(*args, **options)

    monkeypatch.setattr(items, "add", added)
    assert import_items.import_file(ws, order(lines([row(1)]))).taken == 1
    assert seen == [1_000_000]


def test_long_answers_and_options_in_some_questions_are_told(ws, lines):
    long = "The radios in the gauges report the height of the water every ten minutes."
    rows = [{"question": "How? A. by radio B. by hand", "answer": "A"},
            {"question": "How often?", "answer": long}]  # fmt: skip
    for dry_run in (True, False):
        report = import_items.import_file(ws, order(lines(rows), dry_run=dry_run))
        assert (report.taken, report.family) == (2, "answer")
        assert "1 answer is long" in report.note
        assert "options in their text (1 of 2 looked at)" in report.note
    given = {"metric": "=f1"}
    again = import_items.import_file(ws, order(lines(rows), task="u", mapping=given))
    assert "long" not in again.note
