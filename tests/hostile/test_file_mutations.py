"""Files of a workspace that somebody changed past the program: every change is found, and named."""

import random
import shutil
from collections.abc import Callable, Iterator
from fnmatch import fnmatch
from pathlib import Path

import pytest

from core.errors import InputError
from core.release.export_check import check_export
from core.workflow.runs.bound_files import UNBOUND as UNBOUND_IN_RUNS
from core.workflow.runs.bound_files import is_bound
from core.workflow.verify.checks import verify
from core.workflow.workspace import Workspace
from tests.used_split import read, use_split

Mutation = Callable[[Path, random.Random], None]
Namer = Callable[[], str]

# what lies in a workspace beside the files whose digests the ledger holds
_DATABASE = ("workspace.db", "workspace.db-wal", "workspace.db-shm")


def _flip(path: Path, rng: random.Random) -> None:
    content = bytearray(path.read_bytes())
    content[rng.randrange(len(content))] ^= 1 << rng.randrange(8)
    path.write_bytes(content)


def _truncate(path: Path, rng: random.Random) -> None:
    path.write_bytes(path.read_bytes()[: rng.randrange(path.stat().st_size)])


def _empty(path: Path, rng: random.Random) -> None:
    path.write_bytes(b"")


def _append(path: Path, rng: random.Random) -> None:
    path.write_bytes(path.read_bytes() + rng.choice((b"\n", b" ", b"{}\n", b"\0")))


def _lines(change: Callable[[list[bytes], random.Random], object]) -> Mutation:
    def mutate(path: Path, rng: random.Random) -> None:
        lines = path.read_bytes().splitlines(keepends=True)
        before = list(lines)
        change(lines, rng)
        if lines == before:  # a file of one line
            lines.append(b"{}\n")
        path.write_bytes(b"".join(lines))

    return mutate


def _swap(lines: list[bytes], rng: random.Random) -> None:
    place = rng.randrange(len(lines))
    lines[place], lines[place - 1] = lines[place - 1], lines[place]


def _number(path: Path, rng: random.Random) -> None:
    """Another digit in the place of one."""
    content = bytearray(path.read_bytes())
    places = [place for place, byte in enumerate(content) if 48 <= byte < 58]
    place = rng.choice(places or [0])
    content[place] = 48 + (content[place] - 47) % 10
    path.write_bytes(content)


def _remove(path: Path, rng: random.Random) -> None:
    path.unlink()


def _rename(path: Path, rng: random.Random) -> None:
    path.rename(path.with_name(path.name + ".old"))


def _link(path: Path, rng: random.Random) -> None:
    """A link to a copy with the very same bytes."""
    aside = path.parents[len(path.parents) - 4] / "aside"
    aside.mkdir(exist_ok=True)
    shutil.copyfile(path, aside / path.name)
    path.unlink()
    path.symlink_to(aside / path.name)


def _folder(path: Path, rng: random.Random) -> None:
    path.unlink()
    path.mkdir()


MUTATIONS: dict[str, Mutation] = {
    "a bit flipped": _flip,
    "another bit flipped": _flip,
    "truncated": _truncate,
    "emptied": _empty,
    "appended to": _append,
    "a line deleted": _lines(lambda lines, rng: lines.pop(rng.randrange(len(lines)))),
    "a line doubled": _lines(lambda lines, rng: lines.insert(0, rng.choice(lines))),
    "lines swapped": _lines(_swap),
    "a number edited": _number,
    "removed": _remove,
    "renamed": _rename,
    "replaced by a link": _link,
    "replaced by a folder": _folder,
}


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    folder = tmp_path / "outside"
    folder.mkdir()
    return folder


@pytest.fixture
def ws(tmp_path: Path, outside: Path) -> Iterator[Workspace]:
    opened = Workspace.create(tmp_path / "w")
    use_split(opened, outside)
    yield opened
    opened.close()


class Restored:
    """A folder that is put back as it was after every change."""

    def __init__(self, folder: Path, copy: Path) -> None:
        self.folder, self._copy = folder, copy
        shutil.copytree(folder, copy, symlinks=True)

    def put_back(self) -> None:
        if self.folder.is_symlink():
            self.folder.unlink()
        shutil.rmtree(self.folder, ignore_errors=True)
        shutil.copytree(self._copy, self.folder, symlinks=True)


def _files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file() and is_bound(path.name))


@pytest.mark.slow
def test_every_changed_file_of_a_workspace_is_named(ws: Workspace, tmp_path: Path, attack):
    assert verify(ws).findings == ()
    rng = random.Random(7)
    for place in ("releases", "runs", "receipts"):
        folder = ws.place.folder / place
        kept = Restored(folder, tmp_path / f"kept-{place}")
        row = attack(f"a file of {place} changed")
        for path in _files(folder):
            for title, mutate in MUTATIONS.items():
                mutate(path, rng)
                named = [f for f in verify(ws).findings if path.name in f.subject]
                row.tried("" if named else f"{path.relative_to(folder)}: {title}")
                kept.put_back()
        assert verify(ws).findings == ()


@pytest.mark.slow
def test_every_added_file_and_every_lost_folder_is_named(ws: Workspace, tmp_path: Path, attack):
    row = attack("a folder of a workspace lost, linked or added to")
    for place in ("releases", "runs", "receipts"):
        root = ws.place.folder / place
        kept = Restored(root, tmp_path / f"kept-{place}")
        folders = [path for path in root.iterdir() if path.is_dir()] or [root]
        for folder in folders:
            for title, change in (
                ("lost", shutil.rmtree),
                ("renamed", lambda path: path.rename(path.with_name("other"))),
                ("linked", _link_folder),
                ("a file added", lambda path: (path / "extra.jsonl").write_text("{}\n")),
                ("a link added", lambda path: (path / "extra.json").symlink_to("/dev/null")),
            ):
                change(folder)
                wanted = "extra" if "added" in title else folder.name
                found = [f.subject for f in verify(ws).findings]
                named = any(wanted in subject for subject in found)
                row.tried("" if named else f"{folder}: {title}: {found}")
                _drop(root.with_name("other"))
                kept.put_back()
    assert verify(ws).findings == ()


def _link_folder(folder: Path) -> None:
    elsewhere = folder.parents[len(folder.parents) - 4] / "elsewhere"
    _drop(elsewhere)
    shutil.copytree(folder, elsewhere)
    shutil.rmtree(folder)
    folder.symlink_to(elsewhere)


def _drop(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)


@pytest.mark.slow
def test_every_change_of_an_export_is_named(ws: Workspace, outside: Path, tmp_path: Path, attack):
    receipt = read(outside / "receipt.json")
    rng = random.Random(8)
    row = attack("a file of an export changed")
    for form in ("jsonl", "lm-eval", "inspect"):
        folder = outside / form
        kept = Restored(folder, tmp_path / f"kept-{form}")
        assert check_export(folder, receipt).differences == ()
        for path in _files(folder):
            for title, mutate in MUTATIONS.items():
                mutate(path, rng)
                row.tried("" if _is_named(folder, path, receipt) else f"{form} {path}: {title}")
                kept.put_back()
        (folder / "extra.py").write_text("print()\n")
        row.tried("" if _is_named(folder, folder / "extra.py", receipt) else f"{form}: added")
        kept.put_back()


def _is_named(folder: Path, path: Path, receipt: dict) -> bool:
    try:
        found = check_export(folder, receipt).differences
    except InputError:
        return path.name == "benchseal-export.json"  # without its marker it is no export
    return any(path.name in entry.subject for entry in found)


def test_every_field_of_a_receipt_is_verified(ws: Workspace, outside: Path, attack):
    receipt = read(outside / "receipt.json")
    assert verify(ws, receipt).findings == ()
    row = attack("a field of a receipt changed")
    for changed, field in _changed_receipts(receipt):
        try:
            named = any(field in f.subject for f in verify(ws, changed).findings)
        except InputError as error:  # it is no receipt at all any more
            named = "receipt" in str(error)
        row.tried("" if named else f"{field}: {changed.get(field, 'removed')}")


def _changed_receipts(receipt: dict) -> Iterator[tuple[dict, str]]:
    for field, value in receipt.items():
        changed: list[object] = [None, "", 0, -1, [], {}, "0" * 64, 10**30, True, "x"]
        if isinstance(value, int):
            changed += [value + 1, value - 1, float(value), str(value)]
        if isinstance(value, str):
            changed += [value + " ", value.upper() + "x", "0" + value[1:]]
        if isinstance(value, list) and value:
            changed += [value[1:], [*value, value[0]], [{**value[0], "digest": "0" * 64}]]
            changed += [[{**value[0], "by": "li"}, *value[1:]], list(reversed(value))]
        for other in changed:
            if other != value or type(other) is not type(value):
                yield {**receipt, field: other}, field
        yield {name: v for name, v in receipt.items() if name != field}, field
    yield {**receipt, "more": 1}, "more"


@pytest.mark.slow
def test_what_no_digest_binds_is_in_the_table(ws: Workspace):
    patterns = [pattern for pattern, _ in UNBOUND_IN_RUNS]
    loose = [
        path
        for path in ws.place.folder.rglob("*")
        if path.is_file()
        and path.parent != ws.place.folder
        and path.relative_to(ws.place.folder).parts[0] not in ("releases", "runs", "receipts")
    ]
    assert not [path for path in loose if not any(fnmatch(path.name, p) for p in patterns)]
    top = {path.name for path in ws.place.folder.iterdir() if path.is_file()}
    assert top <= set(_DATABASE)
    assert all(reason for _, reason in UNBOUND_IN_RUNS)
