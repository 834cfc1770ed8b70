"""What every run kind promises, asked of the whole registry."""

from pathlib import Path

import pytest
from pydantic import BaseModel

from core.errors import NotFoundError
from core.jobs.folder import RunFolder
from core.workflow.runs.kinds import RUN_KINDS, RegisteredKind, run_kind, use_case_of
from gui import labels

EVERY = pytest.mark.parametrize("entry", RUN_KINDS, ids=lambda entry: entry.name)


@EVERY
def test_a_kind_is_found_by_its_name_and_works_under_it(entry: RegisteredKind) -> None:
    assert [other.name for other in RUN_KINDS].count(entry.name) == 1
    kind = run_kind(entry.name)
    assert kind.name == entry.name
    assert issubclass(kind.params_model, BaseModel)


def test_an_unknown_kind_is_named_in_the_error() -> None:
    with pytest.raises(NotFoundError, match="knitting"):
        run_kind("knitting")


@EVERY
def test_what_takes_its_results_in_is_there_or_nothing_is_named(entry: RegisteredKind) -> None:
    use_case = use_case_of(entry.name)
    assert callable(use_case) if entry.take_in else use_case is None


@EVERY
def test_a_kind_has_a_name_for_people(entry: RegisteredKind) -> None:
    assert labels.word(labels.RUN_KINDS, entry.name) != entry.name


@EVERY
def test_parameters_are_not_taken_on_trust(entry: RegisteredKind) -> None:
    model = run_kind(entry.name).params_model
    with pytest.raises(ValueError, match="no_such_parameter"):
        model.model_validate({"no_such_parameter": 1})


@EVERY
def test_a_folder_of_the_kind_says_what_it_is(entry: RegisteredKind, tmp_path: Path) -> None:
    params = run_kind(entry.name).params_model.model_construct()
    folder = RunFolder.create(tmp_path, entry.name, params, ())
    assert folder.spec().kind == entry.name
    assert folder.state() == "prepared"
