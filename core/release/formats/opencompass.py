"""Data for OpenCompass: files in the layout of its custom data sets, and a configuration.

Questions with one right option of as many are its type ``mcq``, whose prompt and reading are its
own; all others are of its type ``qa``, asked in our words and compared as a whole.
"""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from typing_extensions import override

from core.families import family
from core.families.base import Prompt
from core.files import write_atomic
from core.i18n import tr
from core.release.formats.base import (
    DATA_FOLDER,
    WORDINGS_FILE,
    ExportFormat,
    Tasks,
    asked_apart,
    carried_rows,
    carried_texts,
    items_of_texts,
    wordings_line,
)
from core.release.formats.harness_tasks import HarnessTask, harness_tasks
from core.release.formats.plain_rows import ITEM, plain_row
from core.release.manifest import SplitItem

CONFIG_FILE = "datasets_config.py"
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


class OpenCompass(ExportFormat):
    """``data/TASK.jsonl`` with a row per item, and ``datasets_config.py`` that lists them."""

    name = "opencompass"
    title = "OpenCompass data sets"

    @override
    def write(self, items: Sequence[SplitItem], split_name: str, folder: Path, tasks: Tasks) -> str:
        """A data file for each task, the configuration and a README; returns the configuration."""
        questions, wordings = asked_apart(items)
        own = harness_tasks(questions, tasks)
        (folder / DATA_FOLDER).mkdir()
        kinds: dict[str, str] = {}
        for task in own:
            kind = "mcq" if _one_of_as_many(task.members) else "qa"
            kinds[task.name] = kind
            make = _choice_row if kind == "mcq" else _answer_row
            rows = (
                {**make(item, prompt), ITEM: self.carried(item)} for item, prompt in task.asked()
            )
            self.write_data(folder / DATA_FOLDER / f"{task.name}.jsonl", rows)
        write_atomic(folder / CONFIG_FILE, _config(kinds))
        if wordings:
            self.write_data(folder / WORDINGS_FILE, (
                {"id": item.uid, **plain_row(item, tasks)} for item in wordings
            ))  # fmt: skip
        write_atomic(folder / "README.md", _readme(split_name, own, kinds, wordings))
        return CONFIG_FILE

    @override
    def read_items(self, folder: Path) -> Iterator[SplitItem]:
        """The items of all data files."""
        return items_of_texts(carried_texts(folder))

    @override
    def read_rows(self, folder: Path) -> Iterator[bytes | str]:
        """The texts that carry the items."""
        return carried_rows(folder)


def _one_of_as_many(items: Sequence[SplitItem]) -> bool:
    """Whether all are questions with one right option of the same number of options: OpenCompass
    takes the options of all rows from the first."""
    contents = [item.content for item in items]
    return all(
        content.family == "choice"
        and len(str(content.payload.get("key"))) == 1
        and len(content.payload["options"]) == len(contents[0].payload.get("options", ()))
        for content in contents
    )


def _choice_row(item: SplitItem, _prompt: Prompt) -> dict[str, Any]:
    fields = item.content.payload
    question = "\n\n".join(str(fields[n]) for n in ("passage", "question") if fields.get(n))
    options = dict(zip(_LETTERS, map(str, fields["options"]), strict=False))
    return {"id": item.uid, "question": question, **options,
            "answer": family(item.content.family).key(item.content)}  # fmt: skip


def _answer_row(item: SplitItem, prompt: Prompt) -> dict[str, Any]:
    return {"id": item.uid, "question": prompt.text,
            "answer": family(item.content.family).key(item.content)}  # fmt: skip


def _config(kinds: dict[str, str]) -> str:
    entries = [
        {"abbr": name, "path": f"{DATA_FOLDER}/{name}.jsonl", "data_type": kind,
         "infer_method": "gen"}
        for name, kind in kinds.items()
    ]  # fmt: skip
    return f"datasets = {json.dumps(entries, ensure_ascii=False, indent=4)}\n"


def _readme(
    split_name: str, tasks: Sequence[HarnessTask], kinds: dict[str, str],
    wordings: Sequence[SplitItem],
) -> str:  # fmt: skip
    lines = [
        f"# {split_name}",
        tr("Items of a private split for OpenCompass, with their answer keys. Keep this folder as "
           "secret as the split itself."),
        tr("Name a data file on the command line, or use the list of `{file}` in a configuration "
           "of yours; paths are relative to this folder:", file=CONFIG_FILE),
        "    opencompass --models … --custom-dataset-path data/TASK.jsonl",
        "\n".join(f"- `{t.name}`: {t.title}, {len(t.members)}, {kinds[t.name]}" for t in tasks),
        *wordings_line(wordings),
    ]  # fmt: skip
    return "\n\n".join(lines) + "\n"
