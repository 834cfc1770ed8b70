"""The exported task folder, as lm-evaluation-harness will read it."""

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

import yaml

from core.families import family
from core.release.formats import export_format
from core.release.manifest import number_items
from tests.splits import make_split

EXPORT = export_format("lm-eval")


def tasks(folder: Path) -> dict[str, dict]:
    found = [yaml.safe_load(path.read_text(encoding="utf-8")) for path in folder.glob("*.yaml")]
    return {config["task"]: config for config in found if "group" not in config}


def test_there_is_a_task_for_every_format_and_domain_and_a_group_over_them(tmp_path: Path):
    report = EXPORT.export(make_split(24), "arxiv-2026b", tmp_path)
    group = yaml.safe_load((tmp_path / "arxiv-2026b.yaml").read_text(encoding="utf-8"))
    assert report.entry == group["group"] == "arxiv-2026b"
    assert sorted(group["task"]) == sorted(tasks(tmp_path))
    assert "arxiv-2026b_cloze_math" in group["task"]
    rows = Counter()
    for name, config in tasks(tmp_path).items():
        text = (tmp_path / config["dataset_kwargs"]["file"]).read_text(encoding="utf-8")
        rows[name] = text.count("\n")
    assert sum(rows.values()) == 24


def test_replies_are_cut_and_read_as_in_the_paper(tmp_path: Path):
    EXPORT.export(make_split(3), "p", tmp_path)
    for name, config in tasks(tmp_path).items():
        generation = config["generation_kwargs"]
        assert generation["until"] == [".", ",", "\n"]
        assert generation["max_gen_toks"] == 50
        assert generation["temperature"] == 0.0
        pattern = config["filter_list"][0]["filter"][0]["regex_pattern"]
        assert pattern == (r"(\b[ABCD]\b)" if "prediction" in name else r"(Selection [0-9])")


def test_prompts_and_targets_are_those_of_the_family_with_chinese_intact(tmp_path: Path):
    items = make_split(6)
    EXPORT.export(items, "p", tmp_path)
    text = "".join(path.read_text(encoding="utf-8") for path in tmp_path.glob("data/*.jsonl"))
    assert "这是第" in text
    rows = {row["id"]: row for row in map(json.loads, text.split("\n")[:-1])}
    scp = family("scp")
    for item in items:
        assert rows[item.uid]["prompt"] == scp.prompt(item.content).text
        assert rows[item.uid]["target"] == scp.key(item.content)


def test_no_path_of_this_machine_is_in_the_folder(tmp_path: Path):
    EXPORT.export(make_split(6), "p", tmp_path)
    for path in tmp_path.rglob("*"):
        if path.is_file():
            assert str(tmp_path) not in path.read_text(encoding="utf-8")


def test_names_that_no_file_or_task_list_can_hold_are_spelled_safely(tmp_path: Path):
    first, second, _ = (item.content for item in make_split(3))
    items = number_items(
        [
            ("a", 1, replace(first, format="sequencing", domain="q bio, 生物/*")),
            ("b", 1, replace(first, format="sequencing", domain="Q_bio_生物_")),
            ("c", 1, replace(second, domain="")),
        ]
    )
    report = EXPORT.export(items, "../春, 2026*", tmp_path / "out")
    names = set(tasks(tmp_path / "out"))
    assert report.entry == "春_2026"
    assert len(names) == len({name.casefold() for name in names}) == 3
    assert not any(set(name) & set(" ,*/") for name in names)
    assert {path.name for path in tmp_path.iterdir()} == {"out"}


def test_tasks_of_one_format_that_are_read_differently_have_names_of_their_own(tmp_path: Path):
    kind = family("rewrite")
    first = kind.sample(kind.formats[0])
    labels = tuple(first.payload["labels"])
    more = {"labels": (*labels, "other")}
    second = replace(first, payload={**first.payload, **more})
    items = number_items([("a", 1, first), ("b", 1, second)])
    EXPORT.export(items, "p", tmp_path)
    shown = [config["task_alias"] for config in tasks(tmp_path).values()]
    assert len(set(shown)) == len(shown) == 2
