"""The exported data set, as Hugging Face ``datasets`` reads it."""

import json
import os
import subprocess
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from core.families import FAMILIES, family
from core.release.formats import export_format
from core.release.formats.base import ItemTask
from core.release.formats.plain_rows import LISTS, plain_row
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


def rows_of(folder: Path) -> dict[str, list[object]]:
    """The columns of the one file of an export."""
    (path,) = (folder / "test").glob("*.parquet")
    found: dict[str, list[object]] = pq.read_table(path).to_pydict()
    return found


def test_a_file_is_what_arrow_makes_of_the_same_rows(tmp_path: Path):
    contents = [kind.sample(form) for kind in FAMILIES for form in kind.formats]
    items = number_items((str(n), 1, content) for n, content in enumerate(contents))
    tasks = {item.uid: ItemTask("任务") for item in items}
    export_format("parquet").export(items, "s", tmp_path / "data", tasks=tasks)
    rows = [plain_row(item, tasks) for item in items]
    assert [] in [row["choices"] for row in rows]
    assert rows_of(tmp_path / "data") == {name: [row[name] for row in rows] for name in rows[0]}
    (path,) = (tmp_path / "data" / "test").glob("*.parquet")
    lists = pa.list_(pa.string())
    schema = pa.schema([(name, lists if name in LISTS else pa.string()) for name in rows[0]])
    plain = pa.Table.from_pydict(rows_of(tmp_path / "data"), schema=schema)
    pq.write_table(plain, tmp_path / "plain.parquet")
    assert path.read_bytes() == (tmp_path / "plain.parquet").read_bytes()


def test_long_items_are_written_in_more_parts(tmp_path: Path):
    long = FAMILIES[0].sample("prediction")
    items = number_items(
        (str(n), 1, replace(long, payload={**long.payload, "context": f"{n}" * 6_000_000}))
        for n in range(5)
    )
    export_format("parquet").export(items, "s", tmp_path / "data")
    (path,) = (tmp_path / "data" / "test").glob("*.parquet")
    groups = pq.ParquetFile(path).metadata
    assert [groups.row_group(n).num_rows for n in range(groups.num_row_groups)] == [3, 2]
    assert rows_of(tmp_path / "data")["item"] == [item.canonical() for item in items]


@pytest.mark.parametrize(
    "kind", [pa.string(), pa.large_string(), pa.dictionary(pa.int32(), pa.string())], ids=str
)
def test_items_are_read_from_any_column_of_texts(tmp_path: Path, kind: pa.DataType):
    contents = [replace(family("scp").sample("prediction"), domain=f"山{n}") for n in range(9)]
    items = number_items((str(n), 1, content) for n, content in enumerate(contents))
    form = export_format("parquet")
    form.export(items, "s", tmp_path / "data")
    (path,) = (tmp_path / "data" / "test").glob("*.parquet")
    column = pa.chunked_array([[item.canonical() for item in items]], pa.string()).cast(kind)
    pq.write_table(pa.table({"item": column.slice(2)}), path, row_group_size=4)
    written = [row if isinstance(row, bytes) else row.encode() for row in
               form.read_rows(tmp_path / "data")]  # fmt: skip
    assert written == [item.canonical_bytes() for item in items[2:]]
    assert [item.uid for item in form.read_items(tmp_path / "data")] == [i.uid for i in items[2:]]
