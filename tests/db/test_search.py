"""Search finds the same on SQLite and PostgreSQL, for words of one character and of many."""

import re
import sqlite3
import sys
import unicodedata
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from db import benchmarks, items, search
from db.engine import Store, sqlite_url, upgrade
from db.items import NewItem
from db.queries import item_search as found
from db.queries.item_search import ItemQuery
from db.vocabulary import ItemState
from tests.old_workspaces import first_schema

TEXTS = (
    "他说：“旋律很美。”",
    'The theory of everything, said "Ada".',
    "ＡＢＣ公司的３月报告",
    "naïve Café — 50% off",
    "量子纠缠 and zebrafish",
    "it's 2026",
    "a\nb   c",
    '\\d{7}, NULL, \\"',
)


def add(store: Store, texts, **fields) -> list[int]:
    with store.writing() as session:
        row = benchmarks.benchmark_named(session, "b") or benchmarks.add_benchmark(session, "b")
        task = benchmarks.task_named(session, row.id, "t") or benchmarks.add_task(
            session, row.id, "t", "instruction"
        )
        new = [
            NewItem(
                task_id=task.id,
                benchmark_id=row.id,
                family="instruction",
                format="triplet",
                domain="",
                content_hash=f"{abs(hash((text, place))):064x}"[-64:],
                payload={"input": text, "output": "好", "labels": ["正面"]},
                provenance={},
                open_slots=1,
                **{"state": "draft", **fields},
            )
            for place, text in enumerate(texts)
        ]
        return items.add(session, new)


def hits(store: Store, words: str, **fields) -> list[int]:
    with store.reading() as session:
        wanted = ItemQuery(words=words, **fields)
        numbers = found.ids(session, wanted, limit=None)
        assert found.count(session, wanted, most=None)[0] == len(numbers)
        return numbers


FOUND = (
    ("旋律", [0]),
    ("律", [0]),
    ("“", [0]),
    ("：“", [0]),
    ('"', [1, 7]),
    ('"Ada"', [1]),
    ("\\", [7]),
    ("\\d{", [7]),
    ("{", [7]),
    ("},", [7]),
    ("null", [7]),
    ('\\"', [7]),
    ("the", [1]),
    ("HEO", [1]),
    ("THEORY  of", [1]),
    ("th", [1]),
    ("eo", []),
    ("of", [1, 3]),
    ("abc公司", [2]),
    ("3月", [2]),
    ("３月报", [2]),
    ("CAFÉ", [3]),
    ("%", [3]),
    ("—", [3]),
    ("纠缠 and", [4]),
    ("t's", [5]),
    ("'", [5]),
    ("2", [5]),
    ("a b c", [6]),
    ("b", [6]),
    ("正面", [0, 1, 2, 3, 4, 5, 6, 7]),
    ("没有这个词", []),
    ("nowhere at all", []),
    ("好 正", []),
    ("*", []),
    ("NEAR(a b)", []),
    ("body: the OR 1", []),
    ("   ", []),
)


def test_the_right_items_are_found(store: Store):
    numbers = add(store, TEXTS)
    answers = {words: [numbers.index(n) for n in hits(store, words)] for words, _ in FOUND}
    assert answers == dict(FOUND)


def test_every_text_of_a_payload_is_indexed_in_the_order_of_its_names():
    long = "Ｌong  text, " * 20
    payload = {
        "z": ItemState.DRAFT, "b": ["Two\nLines", {"y": "Groß", "x": ["①", 3, None, True]}],
        "a": long, "c": "  ", "d": {}, "e": 2.5,
    }  # fmt: skip
    parts = [search.normal(long), "two lines", "1", "gross", "draft"]
    assert search.searchable(payload) == "\ue000".join(parts)


def test_an_earlier_revision_is_not_found_any_more(store: Store):
    (number,) = add(store, ["旋律"])
    with store.writing() as session:
        items.add_revision(
            session, number, 2, content_hash="2", payload={"input": "节奏"}, provenance={}
        )
    assert hits(store, "旋律") == [number]
    with store.writing() as session:
        items.change(session, [number], revision=2, content_hash="2")
    assert hits(store, "旋律") == []
    assert hits(store, "节奏") == [number]
    with store.writing() as session:
        items.change(session, [number], revision=1)
    assert hits(store, "旋律") == [number]


def test_what_is_rolled_back_is_not_found(store: Store):
    def half() -> None:
        with store.writing() as session:
            row = benchmarks.add_benchmark(session, "x")
            task = benchmarks.add_task(session, row.id, "t", "instruction")
            fields = ("instruction", "", "", "0" * 64, {"input": "旋律"}, {}, "draft", 0)
            items.add(session, [NewItem(task.id, row.id, *fields)])
            raise RuntimeError

    with pytest.raises(RuntimeError):
        half()
    assert hits(store, "旋律") == []


def test_a_search_is_narrowed_by_filters_and_paged_in_order(store: Store):
    numbers = add(store, [f"{i} 旋律 melody" for i in range(25)])
    others = add(store, [f"{i} 旋律 other" for i in range(5)], state="accepted", label="好")
    assert hits(store, "旋律", states=("accepted",)) == others
    assert hits(store, "旋律", label="好") == others
    with store.reading() as session:
        page = found.ids(session, ItemQuery(words="melody"), offset=10, limit=10)
        after = found.ids(session, ItemQuery(words="melody"), after=numbers[19], limit=10)
        assert found.count(session, ItemQuery(words="melody"), most=10) == (10, True)
    assert page == numbers[10:20]
    assert after == numbers[20:]


def elements(literal: str) -> list[str]:
    """The elements of an array's literal, as they are spelled between their quotes."""
    return re.findall(r'"((?:[^"\\]|\\.)*)"', literal)


letters = st.text(alphabet="ab旋律 \"'%3é。“_\\\n", min_size=1, max_size=12)


@settings(max_examples=60)
@given(texts=st.lists(letters, min_size=1, max_size=6, unique=True), words=letters)
def test_three_characters_and_more_match_anywhere(texts, words):
    """Against plain ``in``, on SQLite's index in memory and on PostgreSQL's grams."""
    wanted = search.normal(words)
    bodies = [search.searchable({"a": text}) for text in texts]
    for body, literal in zip(bodies, search.array_literals(bodies), strict=True):
        grams = {sign.replace("\\\\", "\\").replace('\\"', '"') for sign in elements(literal)}
        if wanted and wanted in body and len(wanted) >= 3:
            assert search._needed_grams(wanted) <= grams
        if 1 <= len(wanted) < 3 and not wanted.isalnum():
            assert (wanted in grams) == (wanted in body)
    if len(wanted) < 3:
        return
    with sqlite3.connect(":memory:") as index:
        index.execute(
            "CREATE VIRTUAL TABLE t USING fts5(body, content='', columnsize=0, "
            "tokenize='trigram case_sensitive 1')"
        )
        index.executemany("INSERT INTO t (rowid, body) VALUES (?, ?)", enumerate(bodies))
        quoted = '"' + wanted.replace('"', '""') + '"'
        rows = index.execute("SELECT rowid FROM t WHERE t MATCH ? ORDER BY rowid", (quoted,))
        assert [row[0] for row in rows] == [i for i, body in enumerate(bodies) if wanted in body]
    index.close()


def test_a_workspace_of_the_first_schema_can_be_searched_after_opening(tmp_path):
    path = tmp_path / "workspace.db"
    first_schema(path)
    store = Store(sqlite_url(path))
    upgrade(store.engine)
    assert hits(store, "旋律") == [1]
    store.close()


def test_the_normal_form_of_every_character_is_as_it_is_defined():
    for number in range(sys.maxunicode + 1):
        for words in (chr(number), f" aB{chr(number)} 水"):
            composed = unicodedata.normalize("NFKC", words)
            assert search.normal(words) == " ".join(composed.casefold().split()), hex(number)


def short_grams(body: str) -> set[str]:
    """By the definition: single characters, pairs, and the beginnings of words."""
    letter = [sign.isalnum() and not "\u2e80" <= sign <= "\u9fff" for sign in body]
    gap = [sign in " \ue000" for sign in body]
    begins = [here and not before for before, here in pairwise([False, *letter])]
    ones = {s for s, b, here, g in zip(body, begins, letter, gap, strict=True)
            if b or not (here or g)}  # fmt: skip
    twos = {
        body[place : place + 2]
        for place in range(len(body) - 1)
        if not (gap[place] or gap[place + 1])
        and (begins[place] or not (letter[place] and letter[place + 1]))
    }
    return ones | twos


def test_no_text_of_many_loses_a_short_gram_to_another():
    # more different pairs in one part than there are slots in which they look for each other
    signs = [chr(number) for number in range(0x4E00, 0x9F00)]
    texts = ["".join(signs[(place * 7 + n * n) % len(signs)] for n in range(2500)) + " it's ab ab 1"
             for place in range(300)]  # fmt: skip
    indexed = search.indexed([(place, 1, {"a": text}) for place, text in enumerate(texts, 1)])
    for text, entry in zip(texts, indexed, strict=True):
        wanted = {"".join(f"{ord(sign):05x}" for sign in gram) for gram in short_grams(text)}
        assert set(entry.grams.split()) == wanted
