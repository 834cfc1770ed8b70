"""The exported task folder, as lm-evaluation-harness will read it."""

import json
import os
import random
import subprocess
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from core.evaluation.engines import engine
from core.evaluation.harness_results import import_results
from core.evaluation.run import work_rows
from core.evaluation.scoring import AccuracyEstimate, keys_of, score
from core.evaluation.types import EngineContext, EngineParams, Question
from core.families import family
from core.release.formats import export_format
from core.release.manifest import number_items
from tests.paths import ROOT
from tests.servers.model_server import LoopbackModel, Policy, asked_text
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


ITEMS = make_split(60)


WIDE = {"A": "Ａ", "B": "Ｂ", "C": "Ｃ", "D": "Ｄ"}


def moody_model(body: dict) -> dict:
    """Right, otherwise spelled, wrong, wordy, unreadable, cut off and empty replies, fixed by the
    question."""
    drawn = random.Random(asked_text(body))
    letter = drawn.choice("ABCD")
    plain = letter if "Texts:" in asked_text(body) else f"Selection {'ABCD'.index(letter) + 1}"
    content = drawn.choice([plain, plain, f" **{plain}** ", f"答案：{plain}", "I don't know", "",
                            f"答案是{plain.lower()}", WIDE.get(letter, plain)])  # fmt: skip
    return {"content": content, "finish_reason": drawn.choice(["stop", "length"])}


def run_lm_eval(folder: Path, group: str, url: str, out: Path, home: Path) -> None:
    arguments = f"model=test-model,base_url={url}/completions,tokenizer_backend=none"
    command = [str(ROOT / ".envs/lm-eval/bin/lm_eval"), "run", "--model", "local-completions"]
    command += ["--model_args", arguments + ",tokenized_requests=False,num_concurrent=8"]
    command += ["--include_path", str(folder), "--tasks", group]
    command += ["--log_samples", "--output_path", str(out)]
    offline = {"HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1", "HOME": str(home)}
    done = subprocess.run(
        command, env={**os.environ, **offline}, capture_output=True, text=True, cwd=out.parent
    )
    assert done.returncode == 0, done.stderr[-3000:]


def samples(out: Path) -> dict[str, tuple[str, float]]:
    """Extracted answer and score by item."""
    found = {}
    for path in out.rglob("samples_*.jsonl"):
        for line in path.read_text(encoding="utf-8").split("\n"):
            if line:
                row = json.loads(line)
                found[row["doc"]["id"]] = (row["filtered_resps"][0], row["exact_match"])
    return found


@pytest.fixture
def harness() -> None:
    subprocess.run(["bash", str(ROOT / "packaging/side_env.sh"), "lm-eval"], check=True)


@pytest.mark.slow
@pytest.mark.usefixtures("harness")
def test_lm_eval_runs_the_moved_folder_unchanged_and_agrees_item_by_item(
    tmp_path: Path, home: Path
):
    first, moved, out = tmp_path / "first", tmp_path / "搬 moved", tmp_path / "out"
    report = export_format("lm-eval").export(ITEMS, "arxiv-2026b", first)
    first.rename(moved)
    with LoopbackModel(Policy(), answer=moody_model) as server:
        run_lm_eval(moved, report.entry, server.url, out, home)
        theirs_asked = {asked_text(seen.body) for seen in server.seen}
        given = EngineParams(engine="openai", model="test-model", base_url=server.url)
        asked = [Question.from_json(row) for row in work_rows(ITEMS)]
        answers = engine("openai").answer(asked, EngineContext(given, tmp_path))
        ours = score(keys_of(ITEMS), [answer.as_json() for answer in answers])
    theirs = samples(out)
    assert theirs_asked == {question.prompt for question in asked}
    assert len(theirs) == len(ITEMS)
    for entry in ours.scores:
        answer, exact = theirs[entry.id]
        assert float(entry.strict) == exact, entry
        if entry.strict:
            assert entry.predicted == answer
    assert ours.strict is not None
    assert 0.05 < ours.strict.accuracy < ours.total.accuracy < 0.95
    (results,) = out.rglob("results_*.json")
    document = json.loads(results.read_text(encoding="utf-8"))
    group = document["groups"]["arxiv-2026b"]
    assert group["exact_match,answer"] == pytest.approx(ours.strict.accuracy)
    for part in ours.by["format_domain"]:
        task = document["results"][f"arxiv-2026b_{part.replace('/', '_')}"]
        own = [e.strict for e in ours.scores if f"{e.format}/{e.domain}" == part]
        found = AccuracyEstimate(len(own), sum(own))
        assert task["exact_match,answer"] == pytest.approx(found.accuracy)
        assert task["exact_match_stderr,answer"] == pytest.approx(found.plain_stderr)
    taken = import_results(out, asked)
    assert (taken.model, taken.unmatched, taken.damaged) == ("test-model", 0, 0)
    again = score(keys_of(ITEMS), [answer.as_json() for answer in taken.answers])
    assert [e.predicted for e in again.scores] == [e.predicted for e in ours.scores]
    assert taken.verdicts == {entry.id: entry.strict for entry in ours.scores}
