"""Finding items in people's words, saved filters, bulk actions and near-duplicates."""

import json

import pytest

from core.errors import InputError, NotFoundError, RightsError, StateError
from core.workflow import people, tasks
from core.workflow.items import bulk, search, state_counts
from core.workflow.items.bulk import BulkAction
from core.workflow.items.search import Filters
from core.workflow.production import duplicates, import_items
from core.workflow.production.import_items import ImportOrder

SENTENCES = (
    "他哼着一段熟悉的旋律走进了教室，大家都抬起头来看他。",
    "他哼着一段熟悉的旋律走进了教室，大家都抬头来看他。",
    "The weather station on the hill was repaired last week.",
    "图书馆周一闭馆，其余时间照常开放。",
)


def fill(ws, tmp_path, *, benchmark="b", sentences=SENTENCES, person="ann"):
    path = tmp_path / f"{benchmark}.jsonl"
    rows = [
        {"Input": text, "Output": "好" if n % 2 else "坏", "Instruction": "判断情感。"}
        for n, text in enumerate(sentences)
    ]
    path.write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    if ("t", benchmark) not in [(task.name, task.benchmark) for task in tasks.tasks(ws)]:
        tasks.add(ws, "t", "instruction", benchmark=benchmark, format="triplet")
    order = ImportOrder(path, task="t", benchmark=benchmark, person=person, wrote=True)
    return import_items.import_file(ws, order)


def numbers(ws, **fields):
    return search.numbers(ws, Filters(**fields), viewer="")


def test_every_filter_narrows(ws, tmp_path):
    fill(ws, tmp_path)
    fill(ws, tmp_path, benchmark="c", sentences=("另一个基准里的题目。",), person="bo")
    assert numbers(ws, benchmark="b") == [1, 2, 3, 4]
    assert numbers(ws, benchmark="c", task="t") == [5]
    assert numbers(ws, words="旋律") == [1, 2]
    assert numbers(ws, words="weather STATION") == [3]
    assert numbers(ws, person="bo") == [], "who wrote an item is hidden while it is judged"
    people.set_role(ws, "bo", "specialist")
    assert search.numbers(ws, Filters(person="bo"), viewer="bo") == [5]
    assert numbers(ws, stage=1) == [1, 2, 3, 4, 5]
    assert numbers(ws, stage=3) == []
    assert numbers(ws, stage=3, states=("draft",)) == []
    assert numbers(ws, since="2999-01-01") == []
    assert numbers(ws, until="2999-01-01", benchmark="c") == [5]
    assert numbers(ws, disputed=True) == []
    assert numbers(ws, family="scp") == []


def test_a_page_is_counted_to_a_limit_unless_it_must_be_exact(ws, tmp_path, monkeypatch):
    fill(ws, tmp_path)
    monkeypatch.setattr("db.queries.item_search.COUNTED", 3)
    changed = Filters(since="2000-01-01")
    page = search.page(ws, changed, offset=1, limit=2, viewer="")
    assert [row.id for row in page.rows] == [2, 3]
    assert (page.total, page.capped) == (3, True)
    exact = search.page(ws, changed, exact=True, viewer="")
    assert (exact.total, exact.capped) == (4, False)


def test_a_page_is_counted_by_the_numbers_that_a_file_keeps(ws, tmp_path, monkeypatch):
    fill(ws, tmp_path)
    monkeypatch.setattr("db.queries.item_search.COUNTED", 1)
    kept = not ws.is_server
    for chosen, total in (
        (Filters(), 4),
        (Filters(benchmark="b"), 4),
        (Filters(states=("draft",)), 4),
        (Filters(states=("rejected",)), 0),
        (Filters(format="no such format"), 0),
        (Filters(domain="no such domain", words="旋律"), 0),
    ):
        page = search.page(ws, chosen, viewer="")
        capped = not kept and total > 1
        assert (page.total, page.capped) == (1 if capped else total, capped), chosen
        assert len(page.rows) == total
    assert search.page(ws, Filters(words="旋律"), viewer="").capped


def test_a_reviewer_cannot_find_out_authors_and_scores_by_narrowing(ws, tmp_path):
    fill(ws, tmp_path)
    people.ensure_person(ws, "li", "specialist")
    people.ensure_person(ws, "boss", "lead")
    for chosen in (Filters(person="ann"), Filters(score_from=6)):
        with pytest.raises(RightsError):
            search.page(ws, chosen, viewer="li")
        search.page(ws, chosen, viewer="boss")
    assert search.page(ws, Filters(person="li"), viewer="li").total == 0


@pytest.mark.parametrize("fields", [{"since": "yesterday"}, {"stage": 4}])
def test_a_wrong_filter_is_named(ws, fields):
    with pytest.raises(InputError):
        numbers(ws, **fields)


def test_a_filter_is_saved_replaced_and_forgotten(ws):
    search.save_filter(ws, "mine", Filters(states=("draft",), words="旋律"))
    search.save_filter(ws, "mine", Filters(states=("draft", "accepted"), stage=1))
    (saved,) = search.filters_saved(ws)
    assert saved.filters == Filters(states=("draft", "accepted"), stage=1)
    search.forget_filter(ws, "mine")
    assert search.filters_saved(ws) == ()
    with pytest.raises(NotFoundError, match="mine"):
        search.forget_filter(ws, "mine")


def test_a_bulk_action_says_what_it_will_change_and_then_does_just_that(ws, tmp_path):
    fill(ws, tmp_path)
    people.ensure_person(ws, "boss", "lead")
    people.ensure_person(ws, "li", "specialist")
    chosen, action = Filters(words="旋律"), BulkAction("reject", "重复")
    plan = bulk.preview(ws, chosen, action, "")
    assert (plan.will_change, plan.before, plan.cannot) == (2, {"draft": 2}, {})
    with pytest.raises(RightsError):
        bulk.run(ws, chosen, action, "li")
    done = bulk.run(ws, chosen, action, "boss")
    assert done.changed == (1, 2)
    assert state_counts.counts(ws)["rejected"] == 2
    everything = bulk.preview(ws, Filters(), action, "")
    assert everything.will_change == 2
    assert sum(everything.cannot.values()) == 2
    with pytest.raises(StateError):
        bulk.run(ws, chosen, action, "boss")


def test_near_duplicates_are_found_within_a_task_and_against_an_earlier_period(ws, tmp_path):
    fill(ws, tmp_path)
    fill(ws, tmp_path, benchmark="old", sentences=(f"{SENTENCES[3]}谢谢。",))
    report = duplicates.find(ws, "t", "b", threshold=0.6)
    assert (report.compared, report.against) == (4, 1)
    assert [(pair.left, pair.right) for pair in report.within] == [("1", "2")]
    assert [(pair.left, pair.right) for pair in report.published] == [("5", "4")]


def test_a_published_file_is_compared_too(ws, tmp_path):
    fill(ws, tmp_path)
    public = tmp_path / "public.jsonl"
    row = {"Input": SENTENCES[2], "Output": "坏", "Instruction": "另一种说法。"}
    public.write_text(json.dumps(row), encoding="utf-8")
    report = duplicates.find(ws, "t", "b", public=public)
    assert [(pair.left, pair.right) for pair in report.published] == [("public.jsonl:1", "3")]


def test_a_writer_is_warned_of_what_is_there_and_of_what_was_added_since(ws, tmp_path):
    fill(ws, tmp_path)
    watch = duplicates.DuplicateWatch(ws, "t", "b")
    found = watch.similar_to(f"{SENTENCES[0]}\n坏")
    assert [similar.number for similar in found] == [1, 2]
    assert watch.similar_to("完全不同的一句话，没有人写过。") == []
    assert watch.similar_to(f"{SENTENCES[0]}\n坏", but=1)[0].number == 2
    new = "河边的风车整夜都在转动，没有人去管它。"
    fill(ws, tmp_path, sentences=(new,))
    assert [similar.number for similar in watch.similar_to(new, threshold=0.6)] == [5]
    people.ensure_person(ws, "boss", "lead")
    bulk.run(ws, Filters(words="风车"), BulkAction("reject", "重复"), "boss")
    assert watch.similar_to(new, threshold=0.6) == []


def test_certain_items_are_found_however_many_are_asked_for(ws, tmp_path):
    fill(ws, tmp_path)
    assert numbers(ws, numbers=(4, 2)) == [2, 4]
    assert numbers(ws, numbers=tuple(range(3, 200_000))) == [3, 4]
    assert numbers(ws, numbers=(2, 3), words="旋律") == [2]
    search.save_filter(ws, "these", Filters(numbers=(1, 3)))
    (saved,) = search.filters_saved(ws)
    assert saved.filters == Filters(numbers=(1, 3))


def test_a_row_names_its_benchmark_and_task(ws, tmp_path):
    fill(ws, tmp_path)
    fill(ws, tmp_path, benchmark="c", sentences=("另一个基准里的题目。",))
    rows = search.page(ws, Filters(), offset=3, viewer="").rows
    assert [(row.benchmark, row.task) for row in rows] == [("b", "t"), ("c", "t")]
