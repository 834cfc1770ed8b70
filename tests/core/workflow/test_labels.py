"""People read words, never the names under which something is stored."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.errors import InputError
from core.i18n import set_language
from core.workflow import labels
from core.workflow.check.reasons import REASONS
from core.workflow.protocols import ProtocolSettings, changed
from core.workflow.runs.kinds import RUN_KINDS
from core.workflow.tasks import TASK_METRICS
from db.vocabulary import (
    EventKind,
    ItemState,
    LotState,
    Role,
    ScreeningOutcome,
    SplitState,
    Verdict,
)

ROOT = Path(__file__).resolve().parents[3]
_STORED = {"state", "verdict", "outcome", "kind", "family", "role"}
"""Fields of rows and cards that hold a stored name."""
_OF_ITEMS = set(EventKind) & set(labels.EVENT_KINDS)


def _named_raw(path: Path) -> Iterator[str]:
    """Where a sentence takes such a field as it is stored."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.Call):
            continue
        called = node.func  # tr(…) or InputError.tr(…)
        name = called.id if isinstance(called, ast.Name) else getattr(called, "attr", "")
        if name in ("tr", "trn"):
            for keyword in node.keywords:
                value = keyword.value
                if isinstance(value, ast.Attribute) and value.attr in _STORED:
                    yield f"{path.relative_to(ROOT)}:{value.lineno} {ast.unparse(value)}"


def test_no_sentence_of_a_use_case_or_of_the_window_takes_a_stored_name():
    folders = (ROOT / "core" / "workflow", ROOT / "gui")
    found = [
        line for folder in folders for path in folder.rglob("*.py") for line in _named_raw(path)
    ]
    assert found == []


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_stored_name_has_a_word_in_both_languages(language: str):
    stored: list[tuple[labels.Words, list[str]]] = [
        (labels.ITEM_STATES, list(ItemState)),
        (labels.SPLIT_STATES, list(SplitState)),
        (labels.VERDICT_NAMES, list(Verdict)),
        (labels.ROLES, list(Role)),
        (labels.STORED, [*LotState, *ScreeningOutcome]),
        (labels.SETTING_TITLES, list(ProtocolSettings.model_fields)),
        (labels.REASONS, list(REASONS)),
        (labels.RUN_KINDS, [kind.name for kind in RUN_KINDS]),
        (labels.EVENT_KINDS, sorted(_OF_ITEMS)),
    ]
    set_language(language)
    try:
        for words, names in stored:
            for name in names:
                said = words[name]()
                assert "_" not in said
                if language == "zh":
                    assert any("\u4e00" <= character <= "\u9fff" for character in said), said
    finally:
        set_language("en")


def test_a_wrong_setting_is_named_as_the_form_names_it():
    with pytest.raises(InputError, match="protocol setting “Target number of items”"):
        changed(ProtocolSettings(), {"target": "many"})


def test_the_states_of_items_splits_and_runs_are_words():
    assert labels.state_label("in_review") == "in review"
    assert labels.state_label("expired") == "expired"
    assert labels.state_label("preempted").startswith("preempted by")


def test_every_metric_of_tasks_has_a_name_that_people_read():
    assert set(labels.METRICS) == set(TASK_METRICS)
    assert labels.word(labels.METRICS, "judge") != "judge"
