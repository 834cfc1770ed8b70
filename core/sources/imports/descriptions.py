"""Files that say where items are, or how they are asked, and hold none: what to import instead."""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from core.errors import InputError
from core.i18n import tr
from core.sources.imports.json_rows import first_object

_HARNESS = re.compile(r"^(dataset_path|doc_to_text|output_type)\s*:", re.MULTILINE)
_EVALS = re.compile(r"^[ \t]+class:[ \t]*evals\.", re.MULTILINE)
_PROMPTFOO = re.compile(r"^(prompts|providers|tests|defaultTest)\s*:", re.MULTILINE)


def refuse_description(path: Path, head: bytes) -> None:
    """InputError for a file that only describes items, by its first bytes ``head``."""
    suffix = path.suffix.lower()
    text = head.decode("utf-8-sig", errors="ignore")
    reason = ""
    if suffix == ".json":
        reason = _of_json(first_object(head), text)
    elif suffix in (".yaml", ".yml"):
        reason = _of_yaml(text)
    if reason:
        raise InputError.tr("“{path}”: {reason}", path=path, reason=reason)


def _of_json(found: Mapping[str, Any], text: str) -> str:
    about = [found, *found.values()]
    if any(isinstance(part, dict) and {"features", "splits"} <= set(part) for part in about):
        return tr("It describes a data set of Hugging Face and contains no rows. Import the files "
                  "of its splits.")  # fmt: skip
    if "mlcommons.org/croissant" in text and '"recordSet"' in json.dumps(list(found)):
        return tr("It describes a data set (Croissant) and contains no rows. Import the files "
                  "that it names under distribution.")  # fmt: skip
    return ""


def _of_yaml(text: str) -> str:
    if len(set(_HARNESS.findall(text))) > 1:
        return tr("It describes a task of lm-evaluation-harness and contains no rows. Import the "
                  "data that it names (dataset_path, data_files).")  # fmt: skip
    if _EVALS.search(text):
        return tr("It describes evaluations of OpenAI Evals and contains no rows. Import the file "
                  "that it names (samples_jsonl).")  # fmt: skip
    if len(set(_PROMPTFOO.findall(text))) > 1:
        return tr("It is a configuration of promptfoo, whose tests have no questions of their own. "
                  "Write a table with a question and its answer for each test.")  # fmt: skip
    return ""
