"""A data set for Hugging Face ``datasets``: a Parquet file for each task, and a data card."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml
from typing_extensions import override

from core.errors import InputError
from core.families.base import ItemContent
from core.files import open_regular, write_atomic
from core.i18n import tr
from core.release.formats.base import ExportFormat, Tasks, items_of_texts
from core.release.formats.harness_tasks import free_name, slug
from core.release.formats.plain_rows import ITEM, LISTS, plain_row
from core.release.manifest import SplitItem

FOLDER = "test"


class Parquet(ExportFormat):
    """``test/TASK.parquet`` with a row per item, and ``README.md`` as the card that names them."""

    name = "parquet"
    title = "Parquet with a data card"

    @override
    def write(self, items: Sequence[SplitItem], split_name: str, folder: Path, tasks: Tasks) -> str:
        """A file for each task, wordings among the items of theirs; returns the folder's name."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        groups: dict[str, list[dict[str, Any]]] = {}
        for item in items:
            row = plain_row(item, tasks)
            groups.setdefault(str(row["task"]), []).append(row)
        text, texts = pa.string(), pa.list_(pa.string())
        used: set[str] = set()
        names = {title: free_name(slug(title), used) for title in sorted(groups)}
        (folder / FOLDER).mkdir()
        for title, rows in groups.items():
            schema = pa.schema([(name, texts if name in LISTS else text) for name in rows[0]])
            table = pa.Table.from_pylist(rows, schema=schema)
            pq.write_table(table, folder / FOLDER / f"{names[title]}.parquet")
        counts = {title: len(groups[title]) for title in names}
        write_atomic(folder / "README.md", _card(split_name, names, counts))
        return FOLDER

    @override
    def read_back(self, folder: Path) -> list[ItemContent]:
        """The items of all files in the order of the split."""
        return items_of_texts(
            (path, text)
            for path in sorted((folder / FOLDER).glob("*.parquet"))
            for text in _texts(path)
        )


def _texts(path: Path) -> list[str]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with open_regular(path) as handle:
            column = pq.read_table(handle, columns=[ITEM])[ITEM].to_pylist()
    except (pa.ArrowException, OSError, KeyError, ValueError) as error:
        raise InputError(tr("“{path}” contains a line that is not an item.", path=path)) from error
    return [str(text) for text in column]


def _card(split_name: str, names: Mapping[str, str], counts: Mapping[str, int]) -> str:
    """The card: its head is what ``datasets`` reads, its text what people do."""
    configs = [
        {"config_name": name, "data_files": [{"split": "test", "path": f"{FOLDER}/{name}.parquet"}]}
        for name in names.values()
    ]
    head = {"pretty_name": split_name, "license": "other", "tags": ["private-benchmark"],
            "configs": configs}  # fmt: skip
    lines = [
        f"---\n{yaml.safe_dump(head, allow_unicode=True, sort_keys=False)}---",
        f"# {split_name}",
        tr("A private split with its answer keys. Do not upload it to a public place, and keep "
           "this folder as secret as the split itself."),
        tr("Each row has the prompt, its choices, the target and all references. The column "
           "`{name}` is the whole item as JSON.", name=ITEM),
        "\n".join(f"- `{names[title]}`: {title}, {count}" for title, count in counts.items()),
    ]  # fmt: skip
    return "\n\n".join(lines) + "\n"
