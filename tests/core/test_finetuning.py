"""What a simulation trains on, asks and reuses; the training itself is in tests/finetuning."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from core.errors import InputError, NotFoundError, OutsideError
from core.finetuning.cells import TrainingCell, plan, share, training_examples
from core.finetuning.grid import prepare
from core.finetuning.params import FinetuneParams, TrainingParams, published_training
from core.finetuning.run import FINETUNE, DatasetInput
from core.finetuning.training_prompts import answer, prompt, read_label
from core.jobs.worker import run_worker
from core.sources.labelled.datasets import IRONY, RTE, STANCE, TASKS, LabelledExample
from core.workflow.runs.kinds import run_kind


def examples(count: int, start: int = 0) -> tuple[LabelledExample, ...]:
    return tuple(
        LabelledExample(id=str(n), text=f"text {n} 讽刺", label=IRONY.labels[n % 2])
        for n in range(start, start + count)
    )


@pytest.fixture
def base(tmp_path: Path) -> Path:
    folder = tmp_path / "model"
    folder.mkdir()
    (folder / "config.json").write_text("{}", encoding="utf-8")
    return folder


@pytest.fixture
def params(base: Path) -> FinetuneParams:
    return FinetuneParams(base_model=str(base), task=IRONY)


def test_the_plan_holds_the_untrained_model_and_every_cell_once() -> None:
    cells = plan(["orig", "ours"], ["train+test", "test", "test"], [100, 20, 20])
    assert [cell.id for cell in cells] == [
        "orig/zero/0", "ours/zero/0",
        "orig/test/20", "orig/test/100", "orig/train+test/20", "orig/train+test/100",
        "ours/test/20", "ours/test/100", "ours/train+test/20", "ours/train+test/100",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("sets", "modes", "proportions"),
    [([], ["test"], [20]), (["a"], [], [20]), (["a"], ["test"], []), (["a"], ["dev"], [20]),
     (["a"], ["test"], [0]), (["a"], ["test"], [101])],
)  # fmt: skip
def test_a_grid_that_makes_no_sense_is_refused(
    sets: Sequence[str], modes: Sequence[str], proportions: Sequence[int]
) -> None:
    with pytest.raises(InputError):
        plan(sets, modes, proportions)


def test_shares_are_nested_linked_by_position_and_never_empty() -> None:
    one, two = examples(50), examples(50, start=100)
    small, large = share(one, 20, 3, "test"), share(one, 60, 3, "test")
    assert len(small) == 10
    assert {e.id for e in small} < {e.id for e in large}
    linked = [str(int(e.id) + 100) for e in small]
    assert [e.id for e in share(two, 20, 3, "test")] == linked
    assert len(share(one[:2], 1, 3, "test")) == 1
    assert share(one, 20, 4, "test") != small


def test_each_mode_trains_on_what_the_paper_says() -> None:
    test, train = examples(10), examples(20, start=100)

    def count(mode: str, **more: bool) -> tuple[int, int, int]:
        found = training_examples(TrainingCell("orig", mode, 50), test, train, seed=1,
                        text_only=more.get("text_only", False))  # fmt: skip
        from_test = [one for one in found if int(one.example.id) < 100]
        return len(from_test), len(found) - len(from_test), sum(one.bare for one in found)

    assert count("test") == (5, 0, 0)
    assert count("train") == (0, 10, 0)
    assert count("train+test") == (10, 10, 0)
    assert count("train+test", text_only=True) == (10, 10, 10)
    with pytest.raises(InputError, match="training"):
        training_examples(TrainingCell("orig", "train", 50), test, (), seed=1, text_only=False)


def test_the_settings_of_the_paper_are_at_hand() -> None:
    usual = TrainingParams()
    assert (usual.rank, usual.alpha, usual.dropout, usual.learning_rate, usual.epochs) == (
        16, 32, 0.1, 1e-4, 3,
    )  # fmt: skip
    assert (published_training("rte").batch_size, published_training("rte").max_length) == (2, 512)
    sizes = [published_training("irony", size=s).batch_size for s in ("small", "medium", "large")]
    assert sizes == [8, 3, 2]
    bare = published_training("rte", text_only=True)
    assert (bare.batch_size, bare.max_length, bare.learning_rate) == (1, 1024, 1e-3)
    assert published_training("mrpc", text_only=True).learning_rate == 1e-5


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.name)
@pytest.mark.parametrize("template", [1, 2, 3])
def test_every_template_shows_the_example_and_its_answer_is_read_back(task, template) -> None:
    example = LabelledExample(id="1", text="一段文字", second="second", label=task.labels[0],
                              target="atheism")  # fmt: skip
    shown = prompt(task, example, template)
    assert example.text in shown
    assert example.second in shown
    assert all(label in shown for label in task.labels)
    assert (example.target in shown) or not task.targeted
    for label in task.labels:
        assert read_label(task, answer(task, label, template)) == label


def test_labels_are_read_as_whole_words_the_longest_first() -> None:
    assert read_label(IRONY, "It is NOT  irony.") == "not irony"
    assert read_label(RTE, "not_entailment") == "not entailment"
    assert read_label(STANCE, "favorable") is None
    assert read_label(STANCE, "") is None
    with pytest.raises(InputError, match="template"):
        prompt(IRONY, examples(1)[0], 9)


def finish(folder: Path, ids: Sequence[str], sets: Sequence[str] = ("orig",)) -> None:
    rows = [
        {"id": name, "dataset": name.split("/")[0], "mode": name.split("/")[1],
         "proportion": int(name.split("/")[2]), "seconds": 1.0,
         "scores": {one: {"f1": 0.5} for one in sets}}
        for name in ids
    ]  # fmt: skip
    text = "".join(json.dumps(row) + "\n" for row in rows)
    (folder / "shard-000.jsonl").write_text(text, encoding="utf-8")


def test_the_same_grid_is_the_same_folder_and_a_larger_one_takes_what_is_known(
    tmp_path: Path, params: FinetuneParams
) -> None:
    sets = {"orig": DatasetInput(examples(4), examples(4, 50))}
    root = tmp_path / "runs"
    first = prepare(root, params, sets, ["test"], [20])
    finish(first.folder.path, ["orig/zero/0", "orig/test/20"])
    again = prepare(root, params, sets, ["test"], [20])
    assert (again.folder.path, again.resumed, again.known) == (first.folder.path, True, 2)
    larger = prepare(root, params, sets, ["test", "train"], [20, 40])
    assert (larger.resumed, larger.known, len(larger.cells)) == (False, 2, 5)
    taken = larger.folder.records()["orig/test/20"]
    assert taken["taken_from"] == first.folder.spec().id


def test_other_data_settings_or_models_take_nothing(
    tmp_path: Path, params: FinetuneParams, base: Path
) -> None:
    sets = {"orig": DatasetInput(examples(4))}
    root = tmp_path / "runs"
    finish(prepare(root, params, sets, ["test"], [20]).folder.path, ["orig/zero/0"])
    other = {"orig": DatasetInput(examples(5))}
    assert prepare(root, params, other, ["test"], [20]).known == 0
    changed = params.model_copy(update={"seed": 1})
    assert prepare(root, changed, sets, ["test"], [20]).known == 0
    (base / "config.json").write_text('{"a": 1}', encoding="utf-8")
    assert prepare(root, params, sets, ["test"], [20]).known == 0


def test_sets_that_cannot_be_used_are_named(tmp_path: Path, params: FinetuneParams) -> None:
    root = tmp_path / "runs"
    odd = LabelledExample(id="1", text="t", label="sarcasm")
    for sets, modes, word in (
        ({"orig": DatasetInput(())}, ["test"], "no examples"),
        ({"orig": DatasetInput(examples(2))}, ["train"], "training"),
        ({"../x": DatasetInput(examples(2))}, ["test"], "letters"),
        ({"orig": DatasetInput((odd,))}, ["test"], "sarcasm"),
    ):
        with pytest.raises(InputError, match=word):
            prepare(root, params, sets, modes, [20])
    missing = params.model_copy(update={"base_model": str(tmp_path / "none")})
    with pytest.raises(NotFoundError, match="base model"):
        prepare(root, missing, {"orig": DatasetInput(examples(2))}, ["test"], [20])
    assert not list(root.glob("*"))


def test_without_the_packages_a_worker_says_what_to_install(
    tmp_path: Path, params: FinetuneParams, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "core.evaluation.engines.hardware.is_installed", lambda name: name != "peft"
    )
    planned = prepare(tmp_path, params, {"orig": DatasetInput(examples(2))}, ["test"], [20])
    with pytest.raises(OutsideError, match=r"peft.*make gpu"):
        run_worker(planned.folder.path, 0, 1, run_kind)
    assert "peft" in (planned.folder.error() or "")


def test_the_result_holds_deltas_and_spreads(tmp_path: Path, params: FinetuneParams) -> None:
    planned = prepare(tmp_path, params, {"orig": DatasetInput(examples(2))}, ["test"], [20, 40])
    finish(planned.folder.path, [cell.id for cell in planned.cells])
    result = FINETUNE.summarise(planned.folder, planned.folder.ordered_records())
    assert result["cells"] == 3
    assert [row["delta1"] for row in result["deltas"]] == [0, 0]
    assert result["spreads"][0]["deviation1"] == 0
