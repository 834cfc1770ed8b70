"""What every export format promises, asked of the whole registry."""

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path

import pytest

from core.errors import InputError, NotFoundError, StateError
from core.families import FAMILIES, family
from core.families.payload import Payload
from core.files import canonical_json, file_digest
from core.release.canary import FILE as CANARY_FILE
from core.release.canary import canary_of
from core.release.formats import EXPORT_FORMATS, ExportFormat, export_format
from core.release.formats.base import MARKER
from core.release.manifest import SplitItem, number_items, read_manifest
from core.workflow.splits.exports import export
from core.workflow.workspace import Workspace
from tests.splits import freeze_split, make_split, varied

EVERY = pytest.mark.parametrize("form", EXPORT_FORMATS, ids=lambda form: form.name)


def every_sample() -> tuple[SplitItem, ...]:
    samples = [kind.sample(form) for kind in FAMILIES for form in kind.formats or ("",)]
    return number_items((f"sample-{n}", 1, item) for n, item in enumerate(samples))


def contents(items: tuple[SplitItem, ...]) -> list[str]:
    return [canonical_json(item.content.as_json()) for item in items]


@EVERY
def test_a_format_is_found_by_its_name_and_documented(form: ExportFormat):
    assert export_format(form.name) is form
    assert [other.name for other in EXPORT_FORMATS].count(form.name) == 1
    assert form.title
    assert type(form).__doc__


@EVERY
def test_the_command_line_offers_the_format(form: ExportFormat):
    from core.cli.parser import build_parser

    asked = build_parser().parse_args(["export", "s", "--format", form.name, "--out", "o"])
    assert asked.format == form.name


@EVERY
def test_every_program_of_an_export_has_all_that_it_names(form: ExportFormat, tmp_path: Path):
    """A name that is not there is an error in the harness alone, on who runs it."""
    form.export(every_sample(), "s", tmp_path / "out")
    programs = sorted((tmp_path / "out").rglob("*.py"))
    assert bool(programs) == (form.name in ("lm-eval", "inspect", "opencompass"))
    lint = (sys.executable, "-m", "ruff", "check", "--isolated", "--no-cache", "--select", "F821")
    found = subprocess.run([*lint, tmp_path / "out"], capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stdout


MOST_READINGS = {"jsonl": 0, "lm-eval": 3, "inspect": 3, "opencompass": 3}
"""How often a format reads a payload: for the prompt and the key, and first for the task."""


@EVERY
def test_a_format_reads_a_payload_no_oftener_than_it_must(
    form: ExportFormat, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    read = 0
    model_validate = Payload.model_validate.__func__

    def counted(cls, *given, **options):
        nonlocal read
        read += 1
        return model_validate(cls, *given, **options)

    monkeypatch.setattr(Payload, "model_validate", classmethod(counted))
    few, many = (_readings(form, n, tmp_path / str(n), lambda: read) for n in (24, 48))
    assert many - few <= 24 * MOST_READINGS.get(form.name, 2)


def _readings(form: ExportFormat, size: int, folder: Path, count: Callable[[], int]) -> int:
    items = make_split(size)
    before = count()
    form.export(items, "s", folder)
    return count() - before


def test_an_unknown_format_is_named_in_the_error():
    with pytest.raises(NotFoundError, match="parquetry"):
        export_format("parquetry")


@EVERY
@pytest.mark.parametrize("items", [make_split(24), every_sample()], ids=["scp", "samples"])
def test_export_then_import_gives_the_same_items(
    form: ExportFormat, items: tuple[SplitItem, ...], tmp_path: Path
):
    out = tmp_path / "深" / "out"
    form.export(items, "测试 split/1", out)
    back = form.read_back(out)
    assert [canonical_json(item.as_json()) for item in back] == contents(items)


@EVERY
def test_wordings_travel_along_and_are_not_asked(form: ExportFormat, tmp_path: Path):
    kind = family("instruction")
    members = [kind.sample(name) for name in ("triplet", "instruction", "triplet", "instruction")]
    items = number_items((f"item-{n}", 1, item) for n, item in enumerate(members))
    form.export(items, "cif", tmp_path)
    assert [canonical_json(one.as_json()) for one in form.read_back(tmp_path)] == contents(items)
    if not (tmp_path / "data").is_dir():
        return  # a format that asks nothing: it has no tasks, only items
    ids = {
        path.stem: [json.loads(line)["id"] for line in path.read_text("utf-8").split("\n") if line]
        for path in (tmp_path / "data").glob("*.jsonl")
    }
    assert ids.pop("wordings") == ["item-1", "item-3"]
    (asked,) = ids.values()
    assert asked == ["item-0", "item-2"]
    tasks = [path for path in tmp_path.iterdir() if path.suffix in (".py", ".yaml")]
    assert not any("wordings.jsonl" in path.read_text("utf-8") for path in tasks)
    assert "wordings" in (tmp_path / "README.md").read_text("utf-8")


@EVERY
def test_the_counts_balance(form: ExportFormat, tmp_path: Path):
    items = make_split(24)
    report = form.export(items, "counts", tmp_path / "out")
    assert report.items == 24
    for counts in report.counts.values():
        assert sum(counts.values()) == 24
    assert sorted(report.files) == sorted(
        str(path.relative_to(tmp_path / "out"))
        for path in (tmp_path / "out").rglob("*")
        if path.is_file()
    )


@EVERY
def test_the_same_split_may_be_exported_again(form: ExportFormat, tmp_path: Path):
    form.export(make_split(24), "again", tmp_path)
    (tmp_path / "notes.txt").write_text("mine", encoding="utf-8")
    form.export(make_split(3), "again", tmp_path)
    assert len(form.read_back(tmp_path)) == 3
    assert (tmp_path / "notes.txt").read_text(encoding="utf-8") == "mine"


@EVERY
def test_a_folder_of_something_else_is_left_alone(form: ExportFormat, tmp_path: Path):
    (tmp_path / "thesis.tex").write_text("words", encoding="utf-8")
    with pytest.raises(StateError, match="not empty"):
        form.export(make_split(3), "mine", tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]


@EVERY
def test_an_export_of_another_split_is_left_alone(form: ExportFormat, tmp_path: Path):
    form.export(make_split(3), "one", tmp_path)
    before = sorted(path.name for path in tmp_path.rglob("*"))
    with pytest.raises(StateError, match="no earlier"):
        form.export(make_split(6), "two", tmp_path)
    assert sorted(path.name for path in tmp_path.rglob("*")) == before


@EVERY
def test_a_marker_that_points_outside_is_not_believed(form: ExportFormat, tmp_path: Path):
    out = tmp_path / "out"
    form.export(make_split(3), "one", out)
    victim = tmp_path / "victim.txt"
    victim.write_text("keep", encoding="utf-8")
    marker = json.loads((out / MARKER).read_text(encoding="utf-8"))
    marker["files"]["../victim.txt"] = "0"
    (out / MARKER).write_text(json.dumps(marker), encoding="utf-8")
    with pytest.raises(StateError):
        form.export(make_split(3), "one", out)
    assert victim.exists()


@EVERY
def test_a_split_without_items_is_not_exported(form: ExportFormat, tmp_path: Path):
    with pytest.raises(InputError, match="no items"):
        form.export((), "empty", tmp_path / "out")
    assert not (tmp_path / "out").exists()


@EVERY
def test_an_export_that_would_come_back_different_is_not_written(
    form: ExportFormat, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    read_rows = type(form).read_rows

    def forgetful(self: ExportFormat, folder: Path) -> Iterator[bytes | str]:
        return islice(read_rows(self, folder), 1, None)

    def careless(self: ExportFormat, folder: Path) -> Iterator[bytes | str]:
        for text in read_rows(self, folder):
            row = json.loads(text)
            yield canonical_json(row | ({"domain": "elsewhere"} if row["position"] == 0 else {}))

    def repeating(self: ExportFormat, folder: Path) -> Iterator[bytes | str]:
        first, _, third = read_rows(self, folder)
        yield from (first, first, third)

    monkeypatch.setattr(type(form), "read_rows", repeating)
    with pytest.raises(StateError, match="so nothing was written"):
        form.export(make_split(3), "odd", tmp_path / "out")
    monkeypatch.setattr(type(form), "read_rows", forgetful)
    with pytest.raises(StateError, match="2 of 3"):
        form.export(make_split(3), "odd", tmp_path / "out")
    monkeypatch.setattr(type(form), "read_rows", careless)
    with pytest.raises(StateError, match="item-0"):
        form.export(make_split(3), "odd", tmp_path / "out")
    assert list(tmp_path.iterdir()) == []


@EVERY
def test_text_that_no_file_can_hold_is_named_by_its_item(form: ExportFormat, tmp_path: Path):
    (item,) = make_split(1)
    odd = replace(item, content=replace(item.content, provenance={"title": "\ud800"}))
    with pytest.raises(InputError, match="item-0"):
        form.export((odd,), "odd", tmp_path / "out")
    assert list(tmp_path.iterdir()) == []


@EVERY
def test_a_file_in_the_way_is_named(form: ExportFormat, tmp_path: Path):
    (tmp_path / "file").write_text("x", encoding="utf-8")
    with pytest.raises(StateError, match="is a file"):
        form.export(make_split(1), "one", tmp_path / "file")
    with pytest.raises(InputError, match=r"Could not write the export to “.*below”"):
        form.export(make_split(1), "one", tmp_path / "file" / "below")


@EVERY
def test_a_damaged_export_is_named_when_it_is_read(form: ExportFormat, tmp_path: Path):
    form.export(make_split(3), "one", tmp_path)
    for path in tmp_path.rglob("*"):
        if path.suffix in (".jsonl", ".json", ".parquet", ".xlsx") and path.name != MARKER:
            path.write_bytes(path.read_bytes()[:-20] + b"\xff\xff\n")
    with pytest.raises(InputError, match=r"Line \d+|not an item"):
        form.read_back(tmp_path)


@pytest.fixture(scope="module")
def frozen(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    """A workspace with a frozen split of six items."""
    made = Workspace.create(tmp_path_factory.mktemp("frozen") / "w", "Li")
    freeze_split(made, {"t": [varied(number) for number in range(6)]})
    yield made
    made.close()


@EVERY
def test_an_export_of_a_frozen_split_has_its_canary(
    form: ExportFormat, frozen: Workspace, tmp_path: Path
):
    out = tmp_path / "out"
    export(frozen, "s", form.name, out, person="Li")
    digest = read_manifest(frozen.releases / "s").digest
    assert (out / CANARY_FILE).read_text(encoding="utf-8").startswith(canary_of(digest))
    assert CANARY_FILE in json.loads((out / MARKER).read_text(encoding="utf-8"))["files"]
    assert len(form.read_back(out)) == 6
    described = out / "croissant.json"
    assert described.is_file() == (form.name == "parquet")
    if described.is_file():
        document = json.loads(described.read_text(encoding="utf-8"))
        for file in document["distribution"]:
            assert file_digest(out / file["contentUrl"]) == file["sha256"]
        assert {"uid", "prompt", "target", "item"} <= {
            field["name"] for field in document["recordSet"][0]["field"]
        }
        assert canary_of(digest) in document["description"]
