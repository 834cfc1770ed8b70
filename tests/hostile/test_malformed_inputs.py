"""Files made to cost gigabytes, hours or a crash, through the real commands: each ends within ten
seconds of a processor and a gigabyte, with a sentence or with what could be read."""

import gzip
import io
import json
import mmap
import os
import random
import socket
import tarfile
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from core.workflow.people import benchmarks
from core.workflow.workspace import Workspace
from tests.hostile.attackers.forked_command import Ended, run_command
from tests.hostile.conftest import Attack

_ITEM = {"Input": "a text", "Output": "an answer", "Instruction": "say it"}
_TABLE = b"input,output,instruction\na,b,c\n"
_LATEX = r"\documentclass{article}\begin{document}%s\end{document}"
_IMPORT = "import {file} --task t --benchmark b"
_COMMANDS = (
    _IMPORT,
    "agreement --file {file}",
    "rewrite --task rte --data {file} --base-url http://127.0.0.1:9/v1 --model m --estimate"
    " --knowledge gdelt-doc --from 2026-01-01 --to 2026-01-02",
    "check {file}",
    "analyze cif --table {file}",
    "analyze cif --table {file} --human {file}",
)


def _parquet(path: Path) -> None:
    """Five kilobytes that are gigabytes."""
    import pyarrow as pa
    from pyarrow import parquet

    names = pa.DictionaryArray.from_arrays(pa.array([0] * 2_000_000, pa.int32()), ["x" * 3000])
    parquet.write_table(pa.table({"input": names, "output": names}), path, compression="zstd")


def _feather(path: Path) -> None:
    import pyarrow as pa
    from pyarrow import feather

    table = pa.table({f"c{n}": [n] for n in range(12_000)})
    feather.write_feather(table, path)


def _workbook(inside: bytes) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
        archive.writestr("xl/workbook.xml", inside)
        archive.writestr("../../outside.xml", b"x")
    return made.getvalue()


def _laughs() -> bytes:
    lines = ["<!ENTITY a0 'ha'>"]
    lines += [f"<!ENTITY a{n} '{f'&a{n - 1};' * 10}'>" for n in range(1, 12)]
    return f"<?xml version='1.0'?><!DOCTYPE w [{''.join(lines)}]><w>&a11;</w>".encode()


def _table_files() -> dict[str, bytes]:
    """Tables, rows and documents, by name."""
    drawn = random.Random(3)
    deep = b"[" * 200_000 + b"]" * 200_000
    return {
        "deep.json": deep,
        "deep.jsonl": deep + b"\n",
        "deep_object.json": b'{"a":' * 100_000 + b"1" + b"}" * 100_000,
        "lists.json": b"[" + b"[]," * 8_000_000 + b"[]]",
        "hz.csv": _TABLE + "我们可以阅读中文句子,是,回答\n".encode("hz") * 5,
        "number.json": b'[{"input": ' + b"9" * 100_000 + b"}]",
        "infinite.jsonl": json.dumps(_ITEM | {"Output": 0}).replace("0", "1e999").encode(),
        "keys.jsonl": b"\n".join(b'{"k%d": "v"}' % n for n in range(30_000)),
        "half.jsonl": b'{"Input": "\\ud800", "Output": "\\udfff", "Instruction": "x"}\n',
        "null.csv": _TABLE + b"\0" * 500,
        "quotes.csv": _TABLE + b'"a,b\n' * 40_000,
        "quotes_apart.csv": _TABLE + b'a"b,c"d,e"\n' * 20_000,
        "wide.csv": b",".join(b"c%d" % n for n in range(200_000)) + b"\n1\n",
        "one_line.csv": b"a" * 3_000_000,
        "commas.csv": b"," * 1_000_000 + b"\n" + b"," * 1_000_000,
        "ends.csv": b"\r" * 500_000,
        "noise.csv": drawn.randbytes(100_000),
        "noise.parquet": b"PAR1" + drawn.randbytes(50_000) + b"PAR1",
        "noise.feather": b"ARROW1\0\0" + drawn.randbytes(50_000) + b"ARROW1",
        "noise.xlsx": b"PK\x03\x04" + drawn.randbytes(50_000),
        "bomb.xlsx": _workbook(b"<w>" + b" " * 150_000_000 + b"</w>"),
        "laughs.xlsx": _workbook(_laughs()),
        "empty.csv": b"",
        "spaces.json": b" " * 1_000_000,
        "text_as.parquet": _TABLE,
        "shift_jis.csv": _TABLE + "これは日本語の文章です,はい,答えなさい\n".encode("cp932") * 5,
        "unknown.csv": _TABLE + bytes(range(0x80, 0x100)) * 20,
        "bomb.json": gzip.compress(b"[" * 5_000_000),
        "bomb.jsonl.gz": gzip.compress(b'{"Input": "' + b" " * 300_000_000 + b'"}'),
        **{f"{name}.yaml": text.encode() for name, text in _yaml_texts().items()},
    }


def _yaml_texts() -> dict[str, str]:
    aliases = ["a0: &a0 [x, x]"]
    aliases += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 10)]
    return {
        "aliases": "\n".join(aliases),
        "itself": "- &a {input: x, again: *a}",
        "deep": "[" * 100_000 + "]" * 100_000,
        "objects": "- !!python/object/apply:os.system ['touch pwned']",
        "number": f"- {{input: {'9' * 100_000}}}",
        "documents": "---\n" * 200_000,
    }


def _article_files() -> dict[str, bytes]:
    macros = "".join(
        f"\\newcommand{{\\x{chr(97 + n)}}}{{\\x{chr(98 + n)}\\x{chr(98 + n)}}}\n" for n in range(20)
    )
    attributes = " ".join(f'a{n}="1"' for n in range(200_000))
    return {
        "groups.tex": (_LATEX % ("{" * 100_000 + "x" + "}" * 100_000)).encode(),
        "macros.tex": (macros + r"\newcommand{\xu}{word }" + _LATEX % r"\xa").encode(),
        "itself.tex": (_LATEX % r"\input{itself}\input{itself}").encode(),
        "begins.tex": (_LATEX % (r"\begin{itemize}" * 50_000)).encode(),
        "brackets.tex": (_LATEX % (r"\cite[" * 50_000)).encode(),
        "dollars.tex": (_LATEX % ("$" * 100_001)).encode(),
        "percent.tex": (_LATEX % ("%" * 1_000_000)).encode(),
        "defs.tex": (r"\def" * 100_000).encode(),
        "attributes.html": f"<html><body><p {attributes}>Text.</p></body></html>".encode(),
        "deep.html": b"<html><body>" + b"<div>" * 100_000 + b"text",
        "tables.html": b"<html><body>" + b"<table><tr><td>" * 5_000 + b"text",
        "entities.xhtml": _laughs(),
        "comments.html": b"<html><body>" + b"<!--" * 200_000,
        "quotes.md": b">" * 20_000 + b" text",
        "brackets.md": b"[" * 50_000,
        "links.md": b"[a](" * 20_000,
        "stars.md": b"*a **b _c " * 20_000,
        "lists.md": b"\n".join(b" " * n + b"- a" for n in range(1_500)),
        "ticks.md": b"".join(b"`" * n + b"a" for n in range(1_500)),
        "notes.md": b"[^a]: x\n" * 50_000,
        "front.md": b"---\n" + b"a: &a [*a]\n" * 10_000 + b"---\ntext",
        "marks.txt": b"Some text. " + ("a" + "\u0301\u0323" * 200_000).encode(),
        "long.txt": b"word " * 400_000,
        "numbers.txt": b"1.1.1.1 " * 200_000,
        "deep.json": b'{"text":' + b"[" * 200_000 + b"]" * 200_000 + b"}",
        "noise.txt": random.Random(5).randbytes(100_000),
        "bomb.tar.gz": gzip.compress(bytes(200_000_000)),
        "links.tar": _archive(),
        "packed.gz": gzip.compress(gzip.compress(b"text")),
        "cut.tar.gz": gzip.compress(_archive())[:200],
        "euc.txt": ("これは日本語の文章です。" * 80).encode("euc_jp"),
    }


def _archive() -> bytes:
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w") as archive:
        for name, kind, target in (
            ("link.tex", tarfile.SYMTYPE, "/etc/passwd"),
            ("hard.tex", tarfile.LNKTYPE, "../../x.tex"),
            ("../out.tex", tarfile.REGTYPE, ""),
            ("/outside.tex", tarfile.REGTYPE, ""),
            ("pipe.tex", tarfile.FIFOTYPE, ""),
            ("device.tex", tarfile.CHRTYPE, ""),
        ):
            member = tarfile.TarInfo(name)
            member.type, member.linkname = kind, target
            archive.addfile(member)
    return made.getvalue()


def _doubled(folder: Path) -> Path:
    """A main file and twenty parts, each of which inputs the next one twice."""
    folder.mkdir()
    (folder / "main.tex").write_text(_LATEX % r"\input{p0}")
    for number in range(20):
        (folder / f"p{number}.tex").write_text(f"\\input{{p{number + 1}}}" * 2)
    (folder / "p20.tex").write_text("Some words of a text. ")
    return folder


def _no_files(folder: Path) -> Iterator[Path]:
    """What can be named and is no regular file."""
    pipe, link = folder / "pipe.csv", folder / "link.csv"
    os.mkfifo(pipe)
    link.symlink_to("/dev/zero")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(folder / "socket.csv"))
    (folder / "folder.csv").mkdir()
    yield from (pipe, link, folder / "socket.csv", folder / "folder.csv", folder / "none.csv")


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A folder for files, with a workspace beside them."""
    Workspace.create(tmp_path / "w").close()
    (tmp_path / "files").mkdir()
    return tmp_path


def _try(place: Path, command: str, file: Path, most: float = 10) -> str:
    return _judged(_run(place, command, file), command, file, most)


def _run(place: Path, command: str, file: Path) -> Ended:
    return run_command(["--workspace", str(place / "w"), *command.format(file=file).split()], place)


def _judged(ended: Ended, command: str, file: Path, most: float = 10) -> str:
    fault = ended.fault(most=most)
    fault = fault or ("not a command" if "unrecognized arguments" in ended.err else "")
    return f"{command.split()[0]} {file.name}: {fault}" if fault else ""


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_malformed_tables_cost_little_and_get_a_sentence(
    place: Path, attack: Callable[[str], Attack]
) -> None:
    row = attack("malformed tables and rows")
    files = place / "files"
    for name, data in _table_files().items():
        (files / name).write_bytes(data)
    _parquet(files / "bomb.parquet")
    _feather(files / "wide.feather")
    for number, file in enumerate(sorted(files.iterdir())):
        for command in (_COMMANDS * 2)[number % 6 : number % 6 + 4]:  # each four of the six
            row.tried(_try(place, command, file))


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_malformed_articles_cost_little_and_get_a_sentence(
    place: Path, attack: Callable[[str], Attack]
) -> None:
    """Ten seconds are one file's. A folder of them all takes their seconds together: about eight on
    a quiet machine, fifteen where others keep its cores busy, for the seconds of a processor too
    grow by then, each file's as the folder's. So it may take what its files took one by one just
    before, less the start of every further command."""
    row = attack("malformed articles")
    files = place / "files"
    command = "generate scp {file}"
    for name, data in _article_files().items():
        (files / name).write_bytes(data)
    seconds: list[float] = []
    for file in sorted(files.iterdir()):
        ended = _run(place, command, file)
        seconds.append(ended.seconds)
        row.tried(_judged(ended, command, file))
    row.tried(_try(place, command, _doubled(place / "doubled")))
    together = sum(seconds) - (len(seconds) - 1) * min(seconds)
    row.tried(_try(place, command, files, together))


def test_what_is_no_regular_file_is_refused_at_once(
    place: Path, attack: Callable[[str], Attack]
) -> None:
    row = attack("pipes, sockets, devices and folders as files")
    for file in _no_files(place / "files"):
        for command in (*_COMMANDS, "generate scp {file}"):
            row.tried(_try(place, command, file))


def test_a_command_has_its_own_limit_of_memory_in_a_large_process(place: Path) -> None:
    """A worker of the tests that has run for half an hour holds more addresses than the limit."""
    with mmap.mmap(-1, 5 * 2**30):
        ended = run_command(["--workspace", str(place / "w"), "items"], place)
    assert (ended.code, ended.err) == (0, "")


def test_an_import_that_refuses_every_row_leaves_nothing(place: Path) -> None:
    file = place / "files" / "rows.jsonl"
    file.write_text('{"input": 3}\n{"input": [\n')
    arguments = f"import {file} --task t --benchmark b --map input=input --map output==x"
    ended = run_command(["--workspace", str(place / "w"), *arguments.split()], place)
    assert ended.code == 1
    ws = Workspace.open(place / "w")
    assert benchmarks(ws) == ()
    ws.close()
