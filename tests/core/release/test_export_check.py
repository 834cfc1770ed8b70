"""An export is checked without its workspace: by its marker, its manifest and a receipt."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.cli import main
from core.errors import InputError
from core.families.base import ItemContent
from core.files import file_digest, write_json
from core.release.export_check import check_export
from core.workflow.splits import exports, prompt_variants
from core.workflow.workspace import Workspace
from tests.splits import freeze_split
from tests.used_split import LEAD, SPLIT, read, use_split

FORMS = ("jsonl", "lm-eval", "inspect")


@pytest.fixture
def ws(tmp_path: Path) -> Iterator[Workspace]:
    opened = Workspace.create(tmp_path / "w")
    use_split(opened, tmp_path)
    yield opened
    opened.close()


@pytest.mark.parametrize("form", FORMS)
def test_a_sound_export_has_its_manifest_and_is_listed(ws: Workspace, tmp_path: Path, form: str):
    checked = check_export(tmp_path / form, read(tmp_path / "receipt.json"))
    assert (checked.differences, checked.notes) == ((), ())
    released = ws.releases / SPLIT / "manifest.json"
    assert (tmp_path / form / "manifest.json").read_bytes() == released.read_bytes()


def test_the_command_needs_no_workspace(ws: Workspace, tmp_path: Path, capsys):
    ws.place.folder.rename(tmp_path / "gone")
    words = ["verify", "--export", str(tmp_path / "jsonl"), "--receipt",
             str(tmp_path / "receipt.json"), "--json"]  # fmt: skip
    assert main(words) == 0
    assert json.loads(capsys.readouterr().out)["sound"] is True
    items = tmp_path / "jsonl" / "items.jsonl"
    items.write_text(items.read_text("utf-8").replace("item-1", "item-7", 1), "utf-8")
    assert main(words) == 1
    found = json.loads(capsys.readouterr().out)["differences"]
    assert found[0]["subject"] == "items.jsonl"


def test_an_export_rewritten_with_its_marker_is_shown_by_the_receipt(ws: Workspace, tmp_path: Path):
    folder = tmp_path / "jsonl"
    items = folder / "items.jsonl"
    items.write_text(items.read_text("utf-8").replace("article-0", "article-9", 1), "utf-8")
    marker = read(folder / "benchseal-export.json")
    marker["files"]["items.jsonl"] = file_digest(items)
    write_json(folder / "benchseal-export.json", marker)
    assert [d.kind for d in check_export(folder).differences] == ["item_altered"]
    kinds = [d.kind for d in check_export(folder, read(tmp_path / "receipt.json")).differences]
    assert kinds == ["item_altered", "receipt"]


def test_an_export_in_other_words_is_listed_but_not_compared(ws: Workspace, tmp_path: Path):

    triplet = ItemContent(
        "instruction",
        "triplet",
        {"instruction": "原话", "input": "句", "output": "答"},
        domain="zh",
    )
    wordings = [
        ItemContent("instruction", "instruction", {"text": f"说法{n}", "instruction_id": str(n)},
                    domain="zh")
        for n in (1, 2)
    ]  # fmt: skip
    freeze_split(ws, {"甲": [triplet, *wordings]}, "v", "c")
    members = prompt_variants.variant_items(ws, "v", "all")
    exports.export(ws, "v", "jsonl", tmp_path / "v", members, person=LEAD)
    checked = check_export(tmp_path / "v")
    assert checked.differences == ()
    assert "differently from the split" in checked.notes[0]


def test_a_receipt_of_another_split_or_an_earlier_state_does_not_fit(ws: Workspace, tmp_path: Path):
    folder, receipt = tmp_path / "jsonl", read(tmp_path / "receipt.json")
    earlier = {**receipt, "exports": receipt["exports"][1:]}
    assert [d.kind for d in check_export(folder, earlier).differences] == ["receipt"]
    other = {**receipt, "split": "t", "manifest_hash": "0" * 64}
    kinds = {d.kind for d in check_export(folder, other).differences}
    assert kinds == {"receipt", "manifest_changed"}


NAMES = ("../x", "/x", "a/../../x", "", ".", "./a", "a//b", "a/", "benchseal-export.json",
         "/".join("a" * 1500))  # fmt: skip


@pytest.mark.parametrize("files", [{name: "0" * 64} for name in NAMES] + [{"a": None}, {"a": [1]}])
def test_a_marker_with_odd_names_or_no_digests_is_none(tmp_path: Path, files: dict[str, object]):
    marker = {"files": files, "format": "jsonl", "split": "s"}
    (tmp_path / "benchseal-export.json").write_text(json.dumps(marker))
    with pytest.raises(InputError, match="not an export"):
        check_export(tmp_path)


@pytest.mark.parametrize("marker", [None, "{", "[]", '{"files": {"../x": ""}}', '{"files": 1}'])
def test_what_is_no_export_is_refused(tmp_path: Path, marker: str | None):
    if marker is not None:
        (tmp_path / "benchseal-export.json").write_text(marker)
    with pytest.raises(InputError, match="not an export"):
        check_export(tmp_path)
