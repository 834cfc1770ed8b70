"""JSON files that somebody else wrote, made to cost memory or time: each reader refuses them in one
sentence, whatever it reads."""

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from core.analysis.benchmark_pairs import read_pairs
from core.analysis.public_scores import read_public
from core.cli.commands import json_object
from core.errors import BenchsealError
from core.evaluation.engines.vllm_offline import adapter_rank
from core.evaluation.few_shot import read_examples
from core.evaluation.harness_results import import_results
from core.generation.checking import check_file
from core.release.export_check import check_export
from core.release.formats.base import MARKER, read_rows
from core.sources.text_files import json_document
from tests.hostile.conftest import Attack

Begin = Callable[[str], Attack]
SECONDS = 10  # of a processor


def _adapter(path: Path) -> int:
    (path.parent / "adapter_config.json").symlink_to(path)
    return adapter_rank(path.parent)


def _export(path: Path) -> Any:
    (path.parent / MARKER).symlink_to(path)
    return check_export(path.parent)


READERS: dict[str, Callable[[Path], Any]] = {
    "results of a harness": lambda path: import_results(path, ()),
    "public scores": read_public,
    "catalogue of pairs": read_pairs,
    "few-shot examples": read_examples,
    "items to check": check_file,
    "rows of an export": lambda path: list(read_rows(path)),
    "marker of an export": _export,
    "model adapter": _adapter,
    "document of a command": json_object,
    "table of JSON": json_document,
}


def _sparse(path: Path) -> None:
    with path.open("wb") as handle:
        handle.truncate(2**40)


BAD: dict[str, Callable[[Path], object]] = {
    "a terabyte of nothing": _sparse,
    "deep lists": lambda path: path.write_bytes(b"[" * 10**6 + b"]" * 10**6),
    "deep objects": lambda path: path.write_bytes(b'{"results":' * 10**6 + b"1" + b"}" * 10**6),
    "millions of lists": lambda path: path.write_bytes(b"[" + b"[]," * 9_000_000 + b"[]]"),
    "millions of objects": lambda path: path.write_bytes(b"[" + b"{}," * 9_000_000 + b"{}]"),
    "a number of many digits": lambda path: path.write_bytes(b'{"r": ' + b"9" * 10**6 + b"}"),
    "a number that no column holds": lambda path: path.write_text('{"r": 1' + "0" * 30 + "}"),
    "a pipe": os.mkfifo,
}


@pytest.mark.parametrize("reader", READERS)
def test_a_costly_document_is_refused_soon(reader: str, tmp_path: Path, attack: Begin) -> None:
    row = attack("JSON of others that costs memory or time")
    for number, (name, make) in enumerate(BAD.items()):
        path = tmp_path / str(number) / "samples_file.json"
        path.parent.mkdir()
        make(path)
        started = time.process_time()
        try:
            READERS[reader](path)
            row.tried(f"{reader}: {name} was read")
        except (BenchsealError, OSError) as error:
            one_line = len(str(error).splitlines()) == 1
            row.tried("" if one_line else f"{reader}: {name}: {error!r}")
        seconds = time.process_time() - started
        row.tried("" if seconds < SECONDS else f"{reader}: {name}: {seconds:.0f} s")
        path.unlink()


def test_costly_lines_are_left_out_one_by_one(tmp_path: Path, attack: Begin) -> None:
    row = attack("JSON of others that costs memory or time")
    path = tmp_path / "samples_m.jsonl"
    with path.open("wb") as handle:
        handle.writelines([b"[" * 200_000 + b"\n"] * 3)
        handle.write(b"[" + b"[]," * 9_000_000 + b"[]]\n")
    for name in (
        "results of a harness",
        "few-shot examples",
        "items to check",
        "rows of an export",
    ):
        with pytest.raises((BenchsealError, OSError)):
            READERS[name](path)
        row.tried()
