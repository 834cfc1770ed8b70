"""The exported task folder, as lm-evaluation-harness will read it."""

import json
import os
import random
import subprocess
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from core.evaluation.engines import engine
from core.evaluation.harness_results import import_results
from core.evaluation.scoring import keys_of, score
from core.evaluation.types import EngineContext, EngineParams, Question
from core.families import FAMILIES, family
from core.release.formats import export_format
from core.release.formats.base import ItemTask
from core.release.manifest import number_items
from tests.paths import ROOT
from tests.questions import work_rows
from tests.servers.model_server import LoopbackModel, Policy, asked_text
from tests.splits import make_split

EXPORT = export_format("lm-eval")


class HarnessYaml(yaml.SafeLoader):
    """YAML in which functions are named, as the harness reads it."""


HarnessYaml.add_constructor("!function", lambda loader, node: loader.construct_scalar(node))


def tasks(folder: Path) -> dict[str, dict]:
    found = [yaml.load(path.read_text(encoding="utf-8"), HarnessYaml)
             for path in folder.glob("*.yaml")]  # fmt: skip
    written = [config for config in found if config.get("output_type") == "generate_until"]
    return {config["task"]: config for config in written}


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


def test_replies_are_cut_and_read_as_in_the_paper_but_for_a_first_line_without_words(
    tmp_path: Path,
):
    EXPORT.export(make_split(3), "p", tmp_path)
    for name, config in tasks(tmp_path).items():
        generation = config["generation_kwargs"]
        assert generation["until"] == [".", ","]
        assert generation["max_gen_toks"] == 50
        assert generation["temperature"] == 0.0
        for line in (tmp_path / config["dataset_kwargs"]["file"]).read_text("utf-8").splitlines():
            told = json.loads(json.loads(line)["read"])
            assert told["stops"] == [".", ",", "\n"]
            expected = r"(\b[ABCD]\b)" if "prediction" in name else r"(Selection [0-9])"
            assert told["pattern"] == expected


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


def test_items_of_one_task_are_each_read_by_their_own_labels(tmp_path: Path):
    kind = family("rewrite")
    first = kind.sample(kind.formats[0])
    labels = tuple(first.payload["labels"])
    second = replace(first, payload={**first.payload, "labels": (*labels, "other")})
    items = number_items([("a", 1, first), ("b", 1, second)])
    EXPORT.export(items, "p", tmp_path)
    (config,) = tasks(tmp_path).values()
    text = (tmp_path / config["dataset_kwargs"]["file"]).read_text("utf-8")
    told = [json.loads(json.loads(line)["read"]) for line in text.splitlines()]
    assert [row["choices"] for row in told] == [list(labels), [*labels, "other"]]


ITEMS = make_split(60)


def test_a_task_of_the_workspace_is_a_task_of_the_harness(tmp_path: Path):
    named = {
        item.uid: ItemTask("情感 分析" if n % 2 else "law", "similarity")
        for n, item in enumerate(ITEMS)
    }
    EXPORT.export(ITEMS, "p", tmp_path, tasks=named)
    found = tasks(tmp_path)
    assert sorted(found) == ["p_law", "p_情感_分析"]
    assert {config["metadata"]["task"] for config in found.values()} == {"law", "情感 分析"}


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
    command = [str(ROOT / ".envs/lm-eval/bin/python"), "-m", "lm_eval", "run"]
    command += ["--model", "local-completions"]
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
                found[row["doc"]["id"]] = (row["filtered_resps"][0], row["score"])
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
        assert theirs[entry.id][1] == float(entry.correct), entry
    assert ours.strict is not None
    assert 0.05 < ours.strict.accuracy < ours.total.accuracy < 0.95
    (results,) = out.rglob("results_*.json")
    document = json.loads(results.read_text(encoding="utf-8"))
    shares = []
    for part, estimate in ours.by["format_domain"].items():
        task = document["results"][f"arxiv-2026b_{part.replace('/', '_')}"]
        assert task["score,answer"] == task["accuracy,answer"]
        assert task["score,answer"] == pytest.approx(estimate.accuracy)
        assert task["score_stderr,answer"] == pytest.approx(estimate.plain_stderr)
        shares.append(estimate.accuracy)
    group = document["groups"]["arxiv-2026b"]
    assert group["score,answer"] == pytest.approx(sum(shares) / len(shares))
    taken = import_results(out, asked)
    assert (taken.model, taken.unmatched, taken.damaged) == ("test-model", 0, 0)
    again = score(keys_of(ITEMS), [answer.as_json() for answer in taken.answers])
    assert [e.predicted for e in again.scores] == [e.predicted for e in ours.scores]
    assert taken.verdicts == {entry.id: entry.correct for entry in ours.scores}


def told_the_answers(items, spelled) -> Callable[[dict], dict]:
    """A model that knows every answer and spells it in its own way; of others it knows none."""
    keys = {
        family(item.content.family).prompt(item.content).text: family(item.content.family).key(
            item.content
        )
        for item in items
    }
    assert len(keys) == len(items)

    def answer(body: dict) -> dict:
        return {"content": spelled(keys[asked_text(body)])}

    return answer


def every_question() -> tuple:
    samples = [kind.sample(form) for kind in FAMILIES for form in kind.formats]
    asked = [item for item in samples if family(item.family).is_question(item)]
    several = {"right": "several", "key": "AC"}
    choice = family("choice").sample("choice")
    fields = {**choice.payload, "question": "Which ones are read?", **several}
    asked.append(replace(choice, payload=fields))
    answer = family("answer").sample("answer")
    asked += [
        replace(answer, payload={**answer.payload, "metric": metric, "answers": [text],
                                 "question": f"What was it then: {metric}, {number}?"})
        for number, texts in enumerate((("42", "At Dawn", "In the Rain", "Once a day"),
                                        ("17", "by night", "under snow", "twice a week"),
                                        ("3", "at noon", "in the fog", "A")))
        for metric, text in zip(("number", "f1", "chrf", "exact"), texts, strict=True)
    ]  # fmt: skip
    return number_items((f"sample-{n}", 1, item) for n, item in enumerate(asked))


ORACLES = {
    "as it is": lambda key: key,
    "behind a newline": lambda key: f"\n\n {key}",
    "with a dot": lambda key: f"{key}.",
    "in lower case": str.lower,
}


@pytest.mark.slow
@pytest.mark.usefixtures("harness")
def test_a_model_that_knows_scores_1_and_one_that_says_nothing_0_in_every_family(
    tmp_path: Path, home: Path
):
    items = every_question()
    folder = tmp_path / "tasks"
    tasks_of = {item.uid: ItemTask(item.content.family) for item in items}
    report = EXPORT.export(items, "every", folder, tasks=tasks_of)
    for number, (name, spelled) in enumerate([*ORACLES.items(), ("nothing", lambda _: "")]):
        out = tmp_path / str(number)
        with LoopbackModel(Policy(), answer=told_the_answers(items, spelled)) as server:
            run_lm_eval(folder, report.entry, server.url, out, home)
        (results,) = out.rglob("results_*.json")
        document = json.loads(results.read_text(encoding="utf-8"))
        wanted = 0.0 if name == "nothing" else 1.0
        scores = {task: row["score,answer"] for task, row in document["results"].items()}
        assert len(scores) >= len(FAMILIES), scores
        assert set(scores.values()) == {wanted}, (name, scores)
        assert document["groups"]["every"]["score,answer"] == wanted


LIKELIHOOD_MODEL = """
import json, pathlib, sys
from lm_eval import simple_evaluate
from lm_eval.api.model import LM
from lm_eval.tasks import TaskManager

folder, group, knows = sys.argv[1], sys.argv[2], sys.argv[3] == "knows"
rows = [json.loads(line) for path in pathlib.Path(folder, "data").glob("*.jsonl")
        for line in path.read_text(encoding="utf-8").splitlines()]
right = {row["prompt"]: row["target"] for row in rows}


class Oracle(LM):
    def loglikelihood(self, requests):
        pairs = [request.args for request in requests]
        return [(-1.0 if (right[asked] == said.strip()) == knows else -900.0, False)
                for asked, said in pairs]

    def loglikelihood_rolling(self, requests):
        raise AssertionError("only log-likelihoods are asked for")

    def generate_until(self, requests):
        raise AssertionError("only log-likelihoods are asked for")


manager = TaskManager(include_path=folder)
done = simple_evaluate(model=Oracle(), tasks=[group], task_manager=manager, bootstrap_iters=0)
print(json.dumps({"tasks": done["results"], "groups": done["groups"]}, default=str))
"""


@pytest.mark.slow
@pytest.mark.usefixtures("harness")
@pytest.mark.parametrize(("knowing", "wanted"), [("knows", 1.0), ("never", 0.0)])
def test_every_family_is_answered_by_likelihood_in_the_harness_too(
    tmp_path: Path, home: Path, knowing: str, wanted: float
):
    folder, script = tmp_path / "tasks", tmp_path / "model.py"
    items = every_question()
    report = EXPORT.export(
        items, "every", folder, tasks={item.uid: ItemTask(item.content.family) for item in items}
    )
    script.write_text(LIKELIHOOD_MODEL)
    offline = {"HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1", "HOME": str(home)}
    done = subprocess.run(
        [str(ROOT / ".envs/lm-eval/bin/python"), str(script), str(folder),
         f"{report.entry}_likelihood", knowing],
        env={**os.environ, **offline}, capture_output=True, text=True, cwd=tmp_path,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    found = json.loads(done.stdout.splitlines()[-1])
    scores = {
        name: row["score,none"] for name, row in found["tasks"].items() if "score,none" in row
    }
    assert {f"every_likelihood_{name}" for name in ("answer", "choice", "scp", "rewrite")} <= set(
        scores
    )
    assert set(scores.values()) == {wanted}, scores
