"""The exported data set, as Hugging Face ``datasets`` reads it."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from core.families import FAMILIES, family
from core.release.formats import export_format
from core.release.formats.base import ItemTask
from core.release.manifest import number_items
from tests.paths import ROOT

READ = """
import json, sys, datasets
found = {}
for name in datasets.get_dataset_config_names(sys.argv[1]):
    rows = datasets.load_dataset(sys.argv[1], name)["test"]
    found[name] = [{n: row[n] for n in ("uid", "target", "choices")} for row in rows]
print(json.dumps(found))
"""


@pytest.mark.slow
def test_datasets_loads_every_task_by_the_card(tmp_path: Path, home: Path):
    subprocess.run(["bash", str(ROOT / "packaging/side_env.sh"), "lm-eval"], check=True)
    contents = [kind.sample(form) for kind in FAMILIES for form in kind.formats]
    items = number_items((str(n), 1, content) for n, content in enumerate(contents))
    tasks = {item.uid: ItemTask(f"任务 {item.content.family}") for item in items}
    export_format("parquet").export(items, "s", tmp_path / "data", tasks=tasks)
    command = [str(ROOT / ".envs/lm-eval/bin/python"), "-c", READ, str(tmp_path / "data")]
    environment = {**os.environ, "HOME": str(home), "HF_HUB_OFFLINE": "1"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stderr[-2000:]
    found = json.loads(done.stdout.splitlines()[-1])
    assert sorted(found) == sorted(f"任务_{kind.name}" for kind in FAMILIES)
    by_uid = {row["uid"]: row for rows in found.values() for row in rows}
    for item in items:
        kind = family(item.content.family)
        asked = kind.is_question(item.content)
        assert by_uid[item.uid]["target"] == (kind.key(item.content) if asked else "")
