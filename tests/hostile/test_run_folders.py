"""Malformed run folders: whatever lies in one, people get a sentence and never a traceback."""

import io
import json
import os
import shutil
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

import pytest

from core.cli import main
from core.evaluation.run import EvaluateParams
from core.workflow.evaluation import start
from core.workflow.runs import runs
from core.workflow.workspace import Workspace
from tests.hostile.conftest import Attack
from tests.splits import freeze_split, varied

Begin = Callable[[str], Attack]
Spoil = Callable[[Path], None]
DEEP = "[" * 100_000 + "]" * 100_000
HUGE = "1" + "0" * 4000
NOW = 1_790_000_000


def put(name: str, content: str | bytes) -> Spoil:
    def spoil(folder: Path) -> None:
        data = content.encode("utf-8", "surrogatepass") if isinstance(content, str) else content
        (folder / name).write_bytes(data)

    return spoil


def change(name: str, **fields: Any) -> Spoil:
    def spoil(folder: Path) -> None:
        document = json.loads((folder / name).read_text(encoding="utf-8"))
        (folder / name).write_text(json.dumps({**document, **fields}), encoding="utf-8")

    return spoil


def change_lines(name: str, **fields: Any) -> Spoil:
    def spoil(folder: Path) -> None:
        rows = [json.loads(line) for line in (folder / name).read_text("utf-8").splitlines()]
        text = "".join(json.dumps({**row, **fields}) + "\n" for row in rows)
        (folder / name).write_text(text, encoding="utf-8")

    return spoil


def raw_field(name: str, field: str, value: str) -> Spoil:
    """A field whose value is written as it is, which no writer of JSON would do."""

    def spoil(folder: Path) -> None:
        change(name, **{field: "@@"})(folder)
        text = (folder / name).read_text(encoding="utf-8").replace('"@@"', value)
        (folder / name).write_text(text, encoding="utf-8")

    return spoil


def progress(**fields: Any) -> Spoil:
    figures = {"pid": 1, "host": "h", "since": NOW, "at": NOW, "done": 1, "share": 3,
               "before": 0, "notes": {}}  # fmt: skip
    return put("progress.json", json.dumps({"0/1": {**figures, **fields}}))


def renamed(name: str, new: bytes) -> Spoil:
    def spoil(folder: Path) -> None:
        (folder / name).rename(os.fsdecode(os.fsencode(folder) + b"/" + new))

    return spoil


def cut(name: str, size: int) -> Spoil:
    def spoil(folder: Path) -> None:
        os.truncate(folder / name, size)

    return spoil


def both(*spoils: Spoil) -> Spoil:
    def spoil(folder: Path) -> None:
        for one in spoils:
            one(folder)

    return spoil


def gone(name: str) -> Spoil:
    return lambda folder: (folder / name).unlink()


SHARD = "shard-000.jsonl"
FOLDERS: dict[str, Spoil] = {
    **{f"{name} gone": gone(name) for name in ("spec.json", "work.jsonl", "result.json", SHARD)},
    **{
        f"{name} {what}": put(name, content)
        for name in ("spec.json", "progress.json", "result.json", "launch.json", "error.json")
        for what, content in (
            ("empty", ""), ("binary", b"\x00\xff\xfe" * 50), ("deep", DEEP), ("a list", "[1]"),
            ("a word", '"x"'), ("a number", HUGE), ("cut", '{"a": 1, "b'),
        )
    },
    **{
        f"{name} {what}": put(name, content)
        for name in ("work.jsonl", SHARD)
        for what, content in (
            ("empty", ""), ("binary", b"\x00\xff\xfe\n" * 50), ("deep", DEEP + "\n"),
            ("of lists", "[1]\n[2]\n"), ("of numbers", f"{HUGE}\n1\n"), ("of null", "null\n"),
            ("without ids", '{"a": 1}\n'), ("with numbers as ids", '{"id": 7}\n'),
            ("with deep ids", '{"id": ' + DEEP + "}\n"), ("without an end", '{"id": "a'),
            ("with half a character", '{"id": "a\\ud800", "text": "\\ud800\\u0000"}\n'),
        )
    },
    "progress with odd names": put("progress.json", '{"": {}, "a/b": 1, "0/1/2": [], "0": null}'),
    "progress of texts": progress(done="x", before="y", pid="z", since="never"),
    "progress of huge numbers": progress(done=10**400, before=10**30, pid=10**30),
    "progress of NaN": put("progress.json", '{"0/1": {"pid": 1, "host": "h", "since": NaN, '
                           '"at": Infinity, "done": 1, "before": 0, "notes": {}}}'),
    "progress of negative numbers": progress(done=-5, before=-5, since=-1e300),
    "progress with odd notes": progress(notes={"tokens": "many", "a": DEEP, "b": [None]}),
    "progress with notes of text": progress(notes="x"),
    "a total of text": change("spec.json", total="all"),
    "a negative total": change("spec.json", total=-1),
    "a huge total": raw_field("spec.json", "total", HUGE),
    "a newer format": change("spec.json", format=10**6),
    "a kind of nobody": change("spec.json", kind="bake"),
    "a kind with lines": change("spec.json", kind="a\nb"),
    "an id that climbs": change("spec.json", id="../../x"),
    "an id of lines": change("spec.json", id="x\n#SBATCH --wrap=id"),
    "params of text": change("spec.json", params="x"),
    "params of nobody": change("spec.json", params={"what": 1}),
    "an origin of text": change("spec.json", origin="x"),
    "a launch of many shards": put("launch.json", '{"shards": 1000000000000, "tasks": {}}'),
    "a launch of odd jobs": put("launch.json", '{"launcher": "slurm:x", "job": "--help"}'),
    "a launch by nobody": put("launch.json", '{"launcher": "teleport", "job": "1", '
                              '"tasks": {"0": {"state": "running"}}}'),
    "a launch of processes": put("launch.json", json.dumps({"host": os.uname().nodename, "tasks": {
        "0": {"state": "running", "pid": 10**30, "created": 1e300}}})),
    "answers of other types": change_lines(SHARD, text=7, outcome=[], choice={"a": 1}),
    "answers of unknown outcome": change_lines(SHARD, outcome="great"),
    "answers with huge counts": change_lines(SHARD, prompt_tokens=10**30, completion_tokens=-1),
    "answers with counts of text": change_lines(SHARD, prompt_tokens="many"),
    "answers with odd notes": change_lines(SHARD, notes=[1], scores="x", latency_s="slow"),
    "answers to nothing asked": change_lines(SHARD, id="999999"),
    "answers with odd ids": change_lines(SHARD, id="x#y#z"),
    "results of other types": both(change("result.json", versions=7, resumed="x", items=[])),
    "results of half": put("result.json", '{"items": 1}'),
    "results of NaN": put("result.json", '{"latency_s": {"median": NaN}, "resumed": Infinity}'),
    "a shard cut short": cut(SHARD, 40),
    "work cut short": cut("work.jsonl", 40),
    "a spec cut short": cut("spec.json", 40),
    "a name of bytes": renamed(SHARD, b"shard-000\xff\xfe.jsonl"),
    "a shard beyond all numbers": renamed(SHARD, b"shard-" + b"9" * 100 + b".jsonl"),
    "an error of text": put("error.json", '{"message": {"a": [1]}, "exit_code": "x"}'),
    "an error with lines": put("error.json", '{"message": "a\\n\\u001b[2Jb\\ud800"}'),
    "a log of bytes": put("log.txt", b"\xff\xfe\x00\x1b[2J" * 999),
    "a result beside an error": put("error.json", '{"message": "x"}'),
    "a stop beside a result": put("stop", ""),
}  # fmt: skip


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A workspace with a finished evaluation."""
    place = tmp_path_factory.mktemp("folders") / "ws"
    ws = Workspace.create(place)
    freeze_split(ws, {"scp": [varied(number) for number in range(6)]})
    params = EvaluateParams(engine="baseline:random", split="s")
    run = start.start(ws, "s", params).spec().id
    assert runs.wait(ws, run, 120).state == "finished"
    ws.close()
    return place, run


def told(*arguments: str) -> str:
    """What got out of a command; empty for a result or one sentence."""
    out, errors = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(errors):
        try:
            code = main(list(arguments))
        except SystemExit as error:
            return f"{arguments[0]} ended with {error.code}"
        except BaseException as error:
            return f"{arguments[:2]}: {type(error).__name__}: {error}"
    out.getvalue().encode()  # what cannot be printed is no answer
    lines = errors.getvalue().strip().splitlines()
    if code not in (0, 1, 3) or (code and not lines) or len(lines) > 1:
        return f"{arguments[:2]}: {code}, {errors.getvalue()[-200:]}"
    return ""


@pytest.mark.slow
def test_sixty_malformed_run_folders_give_a_sentence(
    finished: tuple[Path, str], attack: Begin, tmp_path: Path
) -> None:
    place, run = finished
    folder, kept = place / "runs" / run, tmp_path / "kept"
    shutil.copytree(folder, kept)
    assert len(FOLDERS) >= 60
    asking = attack("malformed run folders, listed, scored and imported")
    working = attack("malformed run folders, worked in")
    try:
        for name, spoil in FOLDERS.items():
            shutil.rmtree(folder)
            shutil.copytree(kept, folder)
            spoil(folder)
            where = ("--workspace", str(place))
            for command in (
                ("runs", *where), ("runs", "--json", *where), ("report", run, *where),
                ("run", "logs", run, *where), ("report", run, "--partial", "--json", *where),
            ):  # fmt: skip
                failure = told(*command)
                asking.tried(f"{name}: {failure}" if failure else "")
            alone = tmp_path / "alone"
            shutil.rmtree(alone, ignore_errors=True)
            shutil.copytree(folder, alone)
            (alone / "result.json").unlink(missing_ok=True)
            failure = told("run", str(alone))
            working.tried(f"{name}: {failure}" if failure else "")
    finally:
        shutil.rmtree(folder)
        shutil.copytree(kept, folder)


@pytest.mark.parametrize("name", [b"run-\xff\xfe", "跑".encode(), b"run\nline", b"run \x1b[2J"])
def test_a_folder_with_an_odd_name_gives_a_sentence(
    finished: tuple[Path, str], attack: Begin, tmp_path: Path, name: bytes
) -> None:
    row = attack("run folders with odd names")
    place, run = finished
    folder = Path(os.fsdecode(os.fsencode(tmp_path) + b"/" + name))
    shutil.copytree(place / "runs" / run, folder)
    (folder / "result.json").unlink()
    row.tried(told("run", str(folder)))
    row.tried(told("run", "--json", str(folder)))
    (folder / "spec.json").write_text("{")
    row.tried(told("run", str(folder)))
