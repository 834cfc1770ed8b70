"""The catalogue holds what was published, and says what was not."""

import pytest

from core.errors import NotFoundError
from core.families.catalogue import cif_bench


def test_it_has_150_tasks_without_84_and_95():
    numbers = [task.id for task in cif_bench().tasks]
    assert len(numbers) == 150
    assert set(numbers) == set(range(152)) - {84, 95}


def test_every_category_has_its_published_number_of_tasks():
    catalogue = cif_bench()
    assert len(catalogue.categories) == 20
    for category in catalogue.categories:
        assert len(catalogue.in_category(category.id)) == category.tasks, category.id
    known = {category.id for category in catalogue.categories}
    assert all(task.categories and set(task.categories) <= known for task in catalogue.tasks)


def test_what_was_not_published_is_marked_as_ours():
    catalogue = cif_bench()
    assert catalogue.ours
    assert all({"categories", "metric"} <= set(task.ours) for task in catalogue.tasks)


def test_the_first_70_tasks_come_from_super_natural_instructions():
    tasks = cif_bench().tasks
    assert all(task.source.startswith("SNI") for task in tasks if task.id <= 69)
    assert cif_bench().task(87).source == ""


def test_a_missing_number_is_named():
    with pytest.raises(NotFoundError, match="84"):
        cif_bench().task(84)


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("45_Sentiment_Analysis_public.jsonl", 45),
        ("120_Rhyme_Aligned_Generationn_public.jsonl", 120),
        ("cif-45", 45),
        ("87 Chinese Figurative Detection", 87),
        ("Sentiment Analysis", 45),
        ("93_Sentence_Level_Uncertainty_Judgement", 93),
        ("101_MultiLabel_Chinese_Humor_Categorization_public", 101),
    ],
)
def test_a_file_or_task_name_finds_its_task(text: str, number: int):
    task = cif_bench().match(text)
    assert task is not None
    assert task.id == number


@pytest.mark.parametrize("text", ["Dialogue State Tracking", "2026_items.jsonl", "84", "poems", ""])
def test_a_name_that_is_not_sure_finds_nothing(text: str):
    assert cif_bench().match(text) is None


@pytest.mark.shared
def test_the_file_names_are_those_of_the_release(shared_data):
    lines = (shared_data / "cif_bench" / "INDEX_all_150.tsv").read_text("utf-8").splitlines()[1:]
    rows = {int(line.split("\t")[0]): line.split("\t")[1] for line in lines}
    assert {task.id: task.file for task in cif_bench().tasks} == rows
