"""Tasks for Label Studio: a file to import into a project, and the project's labelling setup."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

from typing_extensions import override

from core.errors import InputError
from core.files import open_regular, write_atomic
from core.release.formats.base import ExportFormat, Tasks, items_of_texts
from core.release.formats.plain_rows import ITEM, plain_row
from core.release.manifest import SplitItem

TASKS_FILE, SETUP_FILE = "tasks.json", "labeling_config.xml"

_SETUP = """\
<View>
  <Header name="task" value="$task"/>
  <Text name="prompt" value="$prompt"/>
  <Text name="target" value="$target"/>
  <Choices name="verdict" toName="prompt" required="true">
    <Choice value="accept"/>
    <Choice value="reject"/>
    <Choice value="return"/>
  </Choices>
  <TextArea name="note" toName="prompt" rows="3"/>
</View>
"""


class LabelStudio(ExportFormat):
    """``tasks.json`` with a task per item, and ``labeling_config.xml`` in which it is judged."""

    name = "label-studio"
    title = "Label Studio tasks"

    @override
    def write(self, items: Sequence[SplitItem], split_name: str, folder: Path, tasks: Tasks) -> str:
        """The tasks in the order of the split; returns the name of their file."""
        rows = [{"data": plain_row(item, tasks)} for item in items]
        text = json.dumps(rows, ensure_ascii=False, indent=1)
        write_atomic(folder / TASKS_FILE, text + "\n")
        write_atomic(folder / SETUP_FILE, _SETUP)
        return TASKS_FILE

    @override
    def read_items(self, folder: Path) -> Iterator[SplitItem]:
        """The items of the tasks."""
        path = folder / TASKS_FILE
        try:
            with open_regular(path) as handle:
                texts = [str(task["data"][ITEM]) for task in json.load(handle)]
        except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
            raise InputError.tr(
                "“{path}” contains a line that is not an item.", path=path
            ) from error
        return items_of_texts((path, text) for text in texts)
