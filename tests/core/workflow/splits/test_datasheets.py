"""A datasheet and a Croissant description tell of a split and give nothing of its items away."""

import hashlib
import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from core.cli import main
from core.errors import InputError, NotFoundError
from core.families import family
from core.release.datasheet import datasheet
from core.workflow import people
from core.workflow.splits import datasheets, freeze, lifecycle
from core.workflow.workspace import Workspace
from tests.splits import freeze_split, varied

PERSON = "王芳"


@pytest.fixture
def ws(sqlite_ws: Workspace) -> Workspace:
    freeze_split(sqlite_ws, {"阅读": [varied(n) for n in range(9)], "b": [varied(20)]})
    return sqlite_ws


def test_it_says_what_the_split_is_and_nothing_of_its_items(ws: Workspace, tmp_path: Path):
    sheet, description = datasheets.write(ws, "s", tmp_path / "out", license_url="https://x.org/l")
    text, document = sheet.read_text("utf-8"), json.loads(description.read_text("utf-8"))
    digest = freeze.info(ws, "s").manifest_hash
    assert "10 items." in text
    assert "阅读 (9), b (1)" in text
    assert digest in text
    assert text.count("\n## ") == 7
    written = ws.releases / "s" / "items.jsonl"
    (file,) = document["distribution"]
    assert file["sha256"] == hashlib.sha256(written.read_bytes()).hexdigest()
    assert document["conformsTo"][0] == "http://mlcommons.org/croissant/1.0"
    assert document["license"] == "https://x.org/l"
    assert document["isAccessibleForFree"] is False
    names = [field["name"] for field in document["recordSet"][0]["field"]]
    row = json.loads(written.read_text("utf-8").splitlines()[0])
    assert set(names) <= row.keys()
    for member in freeze.members_of(ws, "s"):
        for value in member.content.payload.values():
            if isinstance(value, str) and len(value) > 12:
                assert value not in text + description.read_text("utf-8")


def test_items_of_one_article_share_a_source_and_others_are_their_own(sqlite_ws: Workspace):
    contents = [
        replace(varied(n), provenance={"article": f"a{n % 2}"} if n < 6 else {}) for n in range(9)
    ]
    freeze_split(sqlite_ws, {"a": contents[:5], "b": contents[5:]})
    facts = datasheets.facts_of(sqlite_ws, "s")
    assert (facts.sources, facts.tasks) == (2 + 3, {"a": 5, "b": 4})


def test_a_passage_is_a_source_where_the_provenance_names_none(sqlite_ws: Workspace):
    asked = family("answer").sample("answer")
    passages = ("One.", "One. ", "Two.", "Two.", "", "")
    contents = [
        replace(
            asked,
            payload={**asked.payload, "question": f"Question {n}?", "passage": passage},
            provenance={"article": "a"} if n % 2 else {},
        )
        for n, passage in enumerate(passages)
    ]
    freeze_split(sqlite_ws, {"a": contents})
    # the article, the passages of items 0 and 2, and item 4 by itself
    assert datasheets.facts_of(sqlite_ws, "s").sources == 1 + 2 + 1


def test_both_carry_the_canary_that_the_digest_gives(ws: Workspace, tmp_path: Path):
    facts = datasheets.facts_of(ws, "s")
    guid = re.search(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", datasheet(facts))
    assert guid is not None
    assert guid[0] in facts.canary
    _, description = datasheets.write(ws, "s", tmp_path)
    assert guid[0] in description.read_text("utf-8")


def test_the_command_writes_them_and_an_expired_split_is_public(
    ws: Workspace, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    people.ensure_person(ws, PERSON, "lead")
    lifecycle.expire(ws, "s", PERSON, "over")
    said = ["--workspace", str(ws.place.folder), "split", "datasheet", "s", "--out", str(tmp_path)]
    assert main(said) == 0
    assert "croissant.json" in capsys.readouterr().out
    assert "items are public" in (tmp_path / "datasheet.md").read_text("utf-8")
    with pytest.raises(NotFoundError):
        datasheets.facts_of(ws, "nothing")
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="Could not write"):
        datasheets.write(ws, "s", tmp_path / "file")


def test_it_counts_the_items_that_were_made_of_no_article(sqlite_ws: Workspace):
    kinds = ["notes", "notes", "letter", "", "something else"]
    contents = [
        replace(varied(n), provenance={"article": f"a{n}"} | ({"no_article": kind} if kind else {}))
        for n, kind in enumerate(kinds)
    ]
    freeze_split(sqlite_ws, {"a": contents})
    facts = datasheets.facts_of(sqlite_ws, "s")
    assert facts.no_articles == {"notes": 2, "letters to or from reviewers": 1}
    sheet = datasheet(facts)
    assert "3 items were made from texts that are not articles" in sheet
    assert "notes (2)" in sheet
    assert "no articles" not in datasheet(replace(facts, no_articles={}))
