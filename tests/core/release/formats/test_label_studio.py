"""The exported tasks and their labelling setup, as Label Studio reads them."""

from pathlib import Path

import pytest

from tests.core.release.formats.test_lm_eval import every_question
from tests.side_environments import read_by

LABEL_STUDIO = """
import json
from label_studio_sdk.label_interface import LabelInterface
setup = LabelInterface(open("labeling_config.xml", encoding="utf-8").read())
setup.validate()
tasks = json.load(open("tasks.json", encoding="utf-8"))
print(json.dumps([bool(setup.validate_task(task)) for task in tasks]))
"""


@pytest.mark.slow
def test_label_studio_takes_the_setup_and_every_task(tmp_path: Path, home: Path) -> None:
    found = read_by("label-studio", LABEL_STUDIO, every_question(), tmp_path / "ls", home)
    assert found == [True] * len(every_question())
