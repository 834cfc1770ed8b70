"""Ways of asking: variants, templates, worked examples; sets of runs and their reports."""

import json
from pathlib import Path

import pytest
from pyarrow import parquet
from sacrebleu.metrics import CHRF

from core.cli import main
from core.errors import InputError, StateError
from core.evaluation.run import EvaluateParams
from core.evaluation.templates import templates_for
from core.families import family
from core.families.base import ItemContent
from core.sources.labelled.datasets import TASKS
from core.workflow import people
from core.workflow.evaluation import start
from core.workflow.evaluation.take_in_answers import report_taken_in
from core.workflow.runs import runs
from core.workflow.splits import freeze, split_states
from core.workflow.splits.prompt_variants import PromptVariants, work_of
from core.workflow.workspace import Workspace
from db import benchmarks, splits
from db.vocabulary import SplitState
from tests.servers.model_server import LoopbackModel, asked_text
from tests.splits import freeze_split, varied


@pytest.fixture
def ws(sqlite_ws: Workspace) -> Workspace:
    """Only a file: workers and commands open it by its folder."""
    return sqlite_ws


def labelled(number: int, task: str = "irony") -> ItemContent:
    labels = next((one.labels for one in TASKS if one.name == task), ("yes", "no"))
    payload = {"base": f"b{number}", "task": task, "text": f"Text {number} {{{{labels}}}}.",
               "second": f"Second {number}", "label": labels[number % 2], "labels": labels,
               "target": "平台"}  # fmt: skip
    return ItemContent("rewrite", "original", payload)


def triplet(number: int, words: str = "原话") -> ItemContent:
    payload = {"instruction": words, "input": f"第{number}句", "output": f"答{number}"}
    return ItemContent("instruction", "triplet", payload, domain="zh")


def wording(name: str, text: str, *, public: bool = False) -> ItemContent:
    payload = {"text": text, "instruction_id": name, "public": public}
    return ItemContent("instruction", "instruction", payload, domain="zh")


def five(task: str, *, public: int = 0) -> list[ItemContent]:
    return [wording(f"{task}{n}", f"{task}的说法{n}", public=n == public) for n in range(1, 6)]


def asked(ws: Workspace, ways: PromptVariants, **more) -> dict[str, str]:
    return {row["id"]: row["prompt"] for row in work_of(ws, "s", ways, **more)}


def test_variants_are_chosen_by_name_by_number_or_as_the_public_one(ws: Workspace):
    freeze_split(ws, {"甲": [triplet(1), *five("甲", public=3)], "乙": [triplet(2), *five("乙")]})
    assert len(asked(ws, PromptVariants.of("all"))) == 10
    public = asked(ws, PromptVariants.of("public"))
    assert sorted(prompt.split("\n")[0] for prompt in public.values()) == ["乙的说法1", "甲的说法3"]
    assert len(asked(ws, PromptVariants.of("1, 5"))) == 4
    assert len(asked(ws, PromptVariants.of("one"))) == len(asked(ws, PromptVariants())) == 2
    for wrong in ("6", "0", "丙"):
        with pytest.raises(InputError, match=wrong):
            asked(ws, PromptVariants.of(wrong))


@pytest.mark.parametrize("task", [one.name for one in TASKS] + ["自己的任务"])
def test_every_task_has_three_templates_that_ask_differently_and_are_read_alike(task: str):
    content = labelled(0, task)
    known = templates_for(content)
    assert list(known) == ["1", "2", "3"]
    assert len(set(known.values())) == 3
    kind = family("rewrite")
    prompt = kind.prompt(content)
    for label in prompt.choices:
        for reply in (label, json.dumps({task: label}), f'```json\n{{"x": "{label}"}}\n```'):
            assert kind.extract(reply, prompt) == label


def test_templates_name_all_labels_and_leave_the_text_as_it_is(ws: Workspace):
    freeze_split(ws, {"t": [labelled(1, "stance")], "u": [triplet(5)]})
    found = asked(ws, PromptVariants.of(templates="all"))
    uid, other = (member.uid for member in freeze.members_of(ws, "s"))
    assert set(found) == {f"{uid}#@1", f"{uid}#@2", f"{uid}#@3", other}
    for id_, prompt in found.items():
        if id_ != other:
            assert "Text 1 {{labels}}." in prompt
            assert "平台" in prompt
            assert all(f'"{label}"' in prompt for label in ("favor", "against", "neutral"))
    assert len(asked(ws, PromptVariants.of(templates="2"))) == 2


def test_a_split_without_templates_says_so(ws: Workspace):
    freeze_split(ws, {"一": [triplet(1)]})
    with pytest.raises(StateError, match="has prompt templates"):
        asked(ws, PromptVariants.of(templates="all"))
    with pytest.raises(StateError, match="no instruction variants"):
        asked(ws, PromptVariants.of("all"))


def question(number: int, words: str, **more: str) -> ItemContent:
    payload = {"question": f"{words} {number}?", "options": ["x", "y", "z"], "key": "B",
               "right": "one", "passage": "", **more}  # fmt: skip
    return ItemContent("choice", "choice", payload)


def test_items_without_wordings_of_their_own_are_asked_in_three_others_and_three_layouts(
    ws: Workspace,
):
    items = [varied(1), question(1, "Which"), question(2, "哪一项"), triplet(5)]
    freeze_split(ws, {"t": items})
    members = {member.uid: member.content for member in freeze.members_of(ws, "s")}
    own = asked(ws, PromptVariants())
    for ways, names in (
        (PromptVariants.of("all"), [f"wording-{n}" for n in (1, 2, 3)]),
        (PromptVariants.of(templates="all"), [f"@layout-{n}" for n in (1, 2, 3)]),
    ):
        found = asked(ws, ways)
        for uid, content in members.items():
            if content.family == "instruction":
                assert found[uid] == own[uid]
                continue
            texts = [found[f"{uid}#{name}"] for name in names]
            assert len(set(texts)) == 3
            cue = "答案：" if "哪" in str(content.payload) else "Answer:"
            for text in texts:
                assert text.rstrip().endswith(cue)
                told, _, asked_of = own[uid].partition("\n\n")
                assert asked_of.rpartition("\n\n")[0] in text
                assert (told in text) == (names[0] == "@layout-1")
    both = asked(ws, PromptVariants.of("1,2", "all"))
    assert len(both) == 3 * 6 + 1


def test_the_layouts_leave_the_first_as_it_was_asked(ws: Workspace):
    freeze_split(ws, {"t": [varied(1), question(1, "Which", passage="A passage.\n\nOf two.")]})
    own, placed = asked(ws, PromptVariants()), asked(ws, PromptVariants.of(templates="1"))
    assert {f"{uid}#@layout-1": text for uid, text in own.items()} == placed


def test_examples_come_from_expired_splits_and_never_hold_a_private_item(ws: Workspace):
    freeze_split(ws, {"一": [triplet(n) for n in range(6)]}, "old")
    freeze_split(ws, {"一": [triplet(n, "别的话") for n in (0, 1, 20)]}, "s")
    with pytest.raises(StateError, match="expired"):
        asked(ws, PromptVariants.of(shots=2))
    with pytest.raises(StateError, match="old"):
        asked(ws, PromptVariants.of(shots=2, source="old"))
    expire(ws, "old")
    found = asked(ws, PromptVariants.of(shots=3))
    assert found == asked(ws, PromptVariants.of(shots=3))
    for prompt in found.values():
        *examples, question = prompt.split("\n\n")
        assert len(examples) == 3
        # 0 and 1 are in the split in other words: their outputs would give the keys away
        assert not any(part.endswith((" 答0", " 答1")) for part in examples)
        assert question.startswith("别的话")
        assert "答" not in question
    assert asked(ws, PromptVariants.of(shots=3), seed=1) != found
    with pytest.raises(InputError, match="4 examples"):
        asked(ws, PromptVariants.of(shots=5))


def expire(ws: Workspace, name: str) -> None:
    with ws.writing() as session:
        row = split_states.split_in(session, name)
        splits.set_state(session, row.id, SplitState.EXPIRED)


def test_examples_from_a_file_are_worded_as_the_question_is(ws: Workspace, tmp_path: Path):
    freeze_split(ws, {"一": [triplet(1), *five("甲")]})
    path = tmp_path / "public.jsonl"
    rows = [{"Input": f"公开{n}", "Output": f"答案{n}", "Instruction": "x"} for n in range(4)]
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8-sig")
    for prompt in asked(ws, PromptVariants.of("all", shots=2, source=str(path))).values():
        *examples, question = prompt.split("\n\n")
        words = question.split("\n")[0]
        assert all(part.startswith(words + "\n公开") for part in examples)
    path.write_text('{"Input": 1}\n', encoding="utf-8")
    with pytest.raises(InputError, match="Line 1"):
        asked(ws, PromptVariants.of(shots=1, source=str(path)))
    with pytest.raises(InputError, match="neither a file nor a split"):
        asked(ws, PromptVariants.of(shots=1, source="nowhere"))


def test_models_by_variants_become_a_set_of_runs_averaged_over_tasks(
    ws: Workspace, place: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    """Task 甲 has three items, 乙 one; the model knows 甲 by its wordings 1 to 4 and 乙 never."""

    def answer(body: dict) -> str:
        text = asked_text(body)
        if "甲的说法" not in text or "甲的说法5" in text:
            return "不知道"
        return "答" + text.split("第")[1].split("句")[0]

    freeze_split(
        ws, {"甲": [*(triplet(n) for n in (1, 2, 3)), *five("甲")], "乙": [triplet(9), *five("甲")]}
    )
    people.ensure_person(ws, "王", "lead")
    with LoopbackModel(answer=answer) as server:
        words = ["--workspace", str(place), "evaluate", "s", "--engine", "openai", "--base-url",
                 server.url, "--mode", "chat", "--model", "a", "--model", "b", "--variants", "all",
                 "--wait", "--json"]  # fmt: skip
        assert main(words) == 0
    first, second = json.loads(capsys.readouterr().out)["runs"]
    assert (first["model"], second["model"], first["items"]) == ("a", "b", 20)
    report = ["--workspace", str(place), "report", first["run"], "--by"]
    assert main([*report, "task", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["breakdown"]["a"]
    lines = {line["name"]: line for line in found["parts"]}
    assert (lines["甲"]["items"], lines["甲"]["asked"], lines["乙"]["asked"]) == (3, 15, 5)
    assert [line["score"] for line in found["parts"]] == pytest.approx([0.8, 0.8])
    assert (found["over"], found["total"]["score"]) == ("tasks", pytest.approx(0.8))
    assert main([*report, "instruction", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["breakdown"]["a"]
    assert [line["score"] for line in found["parts"]] == [1, 1, 1, 1, 0]
    assert (found["mean"], found["variance"]) == (pytest.approx(0.8), pytest.approx(0.2))
    assert (found["task_variance_one"], found["task_variance_all"]) == (0, pytest.approx(0))
    assert main([*report, "category"]) == 1
    assert "category" in capsys.readouterr().err
    assert main([*report, "template"]) == 1
    capsys.readouterr()
    file = tmp_path / "answers.parquet"
    assert main(["--workspace", str(place), "report", first["run"], "--parquet", str(file)]) == 0
    assert parquet.read_table(file).num_rows == 20
    assert main([*report[:3], second["run"], first["run"], "--by", "task", "--latex"]) == 0
    assert r"\toprule" in capsys.readouterr().out


def test_a_task_is_scored_by_its_own_metric(
    ws: Workspace, place: Path, capsys: pytest.CaptureFixture[str]
):
    similar, several, plain = (
        ItemContent("instruction", "triplet", payload, domain="zh")
        for payload in (
            {"instruction": "改写", "input": "一", "output": "春天来了，花都开了。"},
            {"instruction": "列出", "input": "二", "output": "红、黄、蓝"},
            {"instruction": "回答", "input": "三", "output": "北京", "alternatives": ["北京市"]},
        )
    )
    replies = {"一": "春天来了，草都绿了。", "二": "红,蓝", "三": "北京市"}
    freeze_split(ws, {"相似": [similar], "多选": [several], "问答": [plain]})
    with ws.writing() as session:
        for task in benchmarks.tasks(session):
            metric = {"相似": "similarity", "多选": "f1"}.get(task.name, "")
            benchmarks.set_profile(session, task.id, {"metric": metric, "categories": ["写作"]})
    with LoopbackModel(answer=lambda body: replies[asked_text(body)[-1]]) as server:
        params = EvaluateParams(
            split="s", engine="openai", model="m", base_url=server.url, mode="chat"
        )
        run = start.start(ws, "s", params).spec().id
        runs.wait(ws, run)
    report = report_taken_in(ws, run)
    alike, chosen, right = (entry.score for entry in report.scores)
    assert alike == pytest.approx(
        CHRF().sentence_score("春天来了，草都绿了。", ["春天来了，花都开了。"]).score / 100
    )
    assert (chosen, right) == (pytest.approx(0.8), 1.0)
    assert report.as_json()["measured_by"] == {"similarity": "chrf", "f1": "multilabel_f1"}
    # what the workspace keeps is the same, and is what the next report shows
    again = report_taken_in(ws, run)
    assert [entry.score for entry in again.scores] == [alike, chosen, right]
    assert main(["--workspace", str(place), "report", run, "--by", "category", "--json"]) == 0
    (line,) = json.loads(capsys.readouterr().out)["breakdown"]["m"]["parts"]
    assert (line["name"], line["tasks"]) == ("写作", 3)
    assert line["score"] == pytest.approx((alike + chosen + right) / 3)
    assert main(["--workspace", str(place), "report", run]) == 0
    assert "are scored with chrf." in capsys.readouterr().out


def test_results_of_lm_eval_become_a_run_that_can_be_compared(
    ws: Workspace, place: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    freeze_split(ws, {"scp": [varied(number) for number in range(9)]})
    params = EvaluateParams(split="s", engine="baseline:random")
    ours = start.start(ws, "s", params).spec().id
    runs.wait(ws, ours)
    prompts = asked(ws, PromptVariants())
    keys = {m.uid: family("scp").key(m.content) for m in freeze.members_of(ws, "s")}
    rows = [
        {"doc": {"id": uid}, "arguments": [[prompt, {}]], "resps": [[keys[uid]]], "exact_match": 0}
        for uid, prompt in prompts.items()
    ]
    strange = {"doc": {"id": next(iter(keys))}, "arguments": [["2 + 2 =", {}]], "resps": [["4"]]}
    foreign = {"doc": {"id": "other-7"}, "arguments": [["?", {}]], "resps": [["A"]]}
    path = tmp_path / "samples_s.jsonl"
    lines = [json.dumps(row) for row in (*rows[1:], strange, foreign)]
    path.write_text("\n".join([*lines, "{torn"]), encoding="utf-8")
    people.ensure_person(ws, "王", "lead")
    words = ["--workspace", str(place), "import-results", str(path), "--split", "s"]
    assert main(words) == 1
    assert "--model" in capsys.readouterr().err
    assert main([*words, "--model", "theirs", "--json"]) == 0
    taken = json.loads(capsys.readouterr().out)
    assert (taken["items"], taken["answers"], taken["missing"]) == (9, 8, [rows[0]["doc"]["id"]])
    assert (taken["unmatched_names"], taken["damaged"]) == (["other-7"], 1)
    assert taken["mismatched"] == [rows[0]["doc"]["id"]]
    assert len(taken["differing"]) == 8  # every one of them is right by our keys
    assert runs.info(ws, taken["run"]).state == "finished"
    said = ["--workspace", str(place), "report", taken["run"], ours, "--compare", "--json"]
    assert main(said) == 0
    (pair,) = json.loads(capsys.readouterr().out)["comparisons"]
    assert (pair["items"], pair["left_out"], pair["accuracy_a"]) == (8, 1, 1.0)


@pytest.mark.parametrize("form", ["lm-eval", "inspect", "jsonl"])
def test_an_export_with_variants_asks_what_we_ask_and_its_results_come_back(
    ws: Workspace, place: Path, tmp_path: Path, form: str, capsys: pytest.CaptureFixture[str]
):
    freeze_split(ws, {"甲": [triplet(1), triplet(2), *five("甲")], "乙": [triplet(3)]})
    people.ensure_person(ws, "王", "lead")
    out = tmp_path / "out"
    words = ["--workspace", str(place), "export", "s", "--format", form, "--out", str(out)]
    assert main([*words, "--variants", "1,2", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["items"] == 5
    ours = asked(ws, PromptVariants.of("1,2"))
    rows = [
        json.loads(line)
        for path in out.rglob("*.jsonl")
        for line in path.read_text(encoding="utf-8").splitlines()
    ]
    if form == "lm-eval":
        assert {row["id"]: row["prompt"] for row in rows} == ours
        samples = [{"doc": row, "arguments": [[row["prompt"]]], "resps": ["答1"]} for row in rows]
        path = tmp_path / "samples_x.jsonl"
        path.write_text("\n".join(map(json.dumps, samples)), encoding="utf-8")
        words = ["--workspace", str(place), "import-results", str(path), "--split", "s"]
        assert main([*words, "--model", "m", "--json"]) == 0
        taken = json.loads(capsys.readouterr().out)
        assert (taken["answers"], taken["items"]) == (5, 5)
    elif form == "inspect":
        assert {row["id"]: row["input"] for row in rows if "input" in row} == ours


def test_options_are_asked_in_other_orders_and_a_first_place_is_seen(ws: Workspace, capsys):
    people.ensure_person(ws, "李", "lead")
    freeze_split(ws, {"甲": [varied(number) for number in range(30)], "乙": [triplet(1)]})
    questions = asked(ws, PromptVariants.of(orders=4))
    assert len(questions) == 30 * 4 + 1
    assert len(set(questions.values())) == len(questions)
    params = EvaluateParams(engine="baseline:longest", split="s", orders=4)
    run = start.start(ws, "s", params).spec().id
    runs.wait(ws, run, 120)
    report = report_taken_in(ws, run)
    assert (report.items, set(report.by["template"])) == (
        121, {f"order-{n}-of-4" for n in range(1, 5)},
    )  # fmt: skip
    assert main(["--workspace", str(ws.place.folder), "analyze", "robustness", run, "--json"]) == 0
    (found,) = json.loads(capsys.readouterr().out)["runs"].values()
    assert found["items"] == 30
    assert len(found["places"]) == 4
    freeze_split(ws, {"丙": [triplet(2)]}, "free", "other")
    with pytest.raises(StateError, match="other orders"):
        list(work_of(ws, "free", PromptVariants.of(orders=2)))


def short_answer(number: int) -> ItemContent:
    payload = {"question": f"Which gauge is number {number}?", "answers": [f"gauge {number}"]}
    return ItemContent("answer", "answer", payload)


def test_short_answers_are_compared_with_each_other_by_log_likelihood(ws: Workspace):
    freeze_split(ws, {"甲": [short_answer(1), short_answer(2), short_answer(3)]})
    plain = list(work_of(ws, "s", PromptVariants()))
    assert [row["choices"] for row in plain] == [()] * 3
    compared = list(work_of(ws, "s", PromptVariants(), answer_by="loglikelihood"))
    assert {tuple(sorted(row["choices"])) for row in compared} == {
        ("gauge 1", "gauge 2", "gauge 3")
    }
    assert len({row["choices"] for row in compared}) == 1
    freeze_split(ws, {"乙": [short_answer(4)]}, name="alone")
    with pytest.raises(StateError, match="alone"):
        list(work_of(ws, "alone", PromptVariants(), answer_by="loglikelihood"))
