"""The exported data in the layout of OpenCompass's custom data sets."""

import json
import runpy
from dataclasses import replace
from pathlib import Path

import pytest

from core.families import FAMILIES, family
from core.release.formats import export_format
from core.release.formats.base import ItemTask
from core.release.manifest import number_items
from tests.core.release.formats.test_lm_eval import every_question
from tests.side_environments import read_by


def exported(folder: Path, *payloads: dict) -> tuple[list[dict], list[list[dict]]]:
    sample = family("choice").sample("choice")
    contents = [replace(sample, payload={**sample.payload, **more}) for more in payloads]
    items = number_items((str(n), 1, content) for n, content in enumerate(contents))
    tasks = {item.uid: ItemTask("law") for item in items}
    export_format("opencompass").export(items, "s", folder, tasks=tasks)
    listed = runpy.run_path(str(folder / "datasets_config.py"))["datasets"]
    rows = [
        [json.loads(line) for line in (folder / entry["path"]).read_text("utf-8").splitlines()]
        for entry in listed
    ]
    return listed, rows


def test_questions_with_one_right_option_are_its_multiple_choice(tmp_path: Path):
    (entry,), (rows,) = exported(tmp_path, {}, {"key": "C"})
    assert (entry["abbr"], entry["data_type"], entry["infer_method"]) == ("law", "mcq", "gen")
    assert [row["answer"] for row in rows] == ["B", "C"]
    assert all({"question", "A", "B", "C", "D", "answer"} <= row.keys() for row in rows)
    assert rows[0]["question"].startswith("The first month of readings")


def test_questions_that_its_multiple_choice_cannot_hold_are_asked_in_our_words(tmp_path: Path):
    (entry,), (rows,) = exported(tmp_path, {}, {"options": ["yes", "no"], "key": "A"})
    assert entry["data_type"] == "qa"
    assert "B. no" in rows[1]["question"]
    (entry,), (rows,) = exported(tmp_path / "2", {"right": "several", "key": "AC"})
    assert (entry["data_type"], rows[0]["answer"]) == ("qa", "AC")


# Its reader of data sets as it is; torch, transformers and other packages that the modules beside
# it import, and that reading needs nothing of, are stood in for.
OPENCOMPASS = """
import importlib.abc, importlib.machinery, importlib.util, json, os, runpy, sys, types
from unittest.mock import MagicMock
import datasets, mmengine.config, mmengine.registry

class StandIns(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    names = set()
    def find_spec(self, name, path=None, target=None):
        if name.startswith("opencompass"):
            return None
        self.names.add(name.partition(".")[0])
        return importlib.machinery.ModuleSpec(name, self, is_package=True)
    def create_module(self, spec):
        module = types.ModuleType(spec.name)
        module.__getattr__ = self.part
        return module
    def exec_module(self, module):
        pass
    def part(self, name):
        if name == "__version__":
            return "0"
        if name.startswith("__"):
            raise AttributeError(name)
        return MagicMock(name=name)

sys.meta_path.append(StandIns())
folder = os.path.dirname(importlib.util.find_spec("opencompass").origin)
package = types.ModuleType("opencompass.datasets")
package.__path__ = [os.path.join(folder, "datasets")]
sys.modules["opencompass.datasets"] = package
from opencompass.datasets.custom import CustomDataset, make_custom_dataset_config
sys.meta_path.pop()
for name in [name for name in sys.modules if name.partition(".")[0] in StandIns.names]:
    del sys.modules[name]
found = {}
for entry in runpy.run_path("datasets_config.py")["datasets"]:
    config = make_custom_dataset_config(dict(entry))
    rows = CustomDataset.load(path=entry["path"], local_mode=True)
    found[entry["abbr"]] = {
        "answers": [row[config["reader_cfg"]["output_column"]] for row in rows],
        "inputs": list(config["reader_cfg"]["input_columns"]),
    }
print(json.dumps(found))
"""


@pytest.mark.slow
def test_opencompass_reads_every_task_with_its_answers(tmp_path: Path, home: Path) -> None:
    found = read_by("opencompass", OPENCOMPASS, every_question(), tmp_path / "oc", home)
    assert isinstance(found, dict)
    assert sorted(found) == sorted(kind.name for kind in FAMILIES)
    for item in every_question():
        task = found[item.content.family]
        assert family(item.content.family).key(item.content) in task["answers"]
        assert "question" in task["inputs"]
