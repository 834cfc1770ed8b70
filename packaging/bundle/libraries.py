"""What the shared libraries of a frozen folder need, by ``objdump``, which PyInstaller needs too.

libraries.py part FOLDER BESIDE     move the heavy libraries that few people need into BESIDE
libraries.py trim FOLDER [BESIDE]   remove libraries that nothing there needs, and the symbols
                                    of the interpreter; BESIDE are folders that need some too
libraries.py oldest FOLDER…         print the C library whose symbols they need; ends with 1 and
                                    names the files that need a newer one than SYMBOLS
"""

import re
import subprocess
import sys
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from functools import cache
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from core.health.libraries import OFFSCREEN, WAYLAND, X11

_NEEDED = re.compile(r"^\s+NEEDED\s+(\S+)", re.MULTILINE)
_VERSION = re.compile(r"\s(GLIBC|GLIBCXX)_([0-9.]+|ABI_DT_RELR)$", re.MULTILINE)
# relative relocations came with this version of the loader (NEWS of glibc 2.36)
_RELATIVE = (2, 36)
# what README and the help for administrators name: the newest symbols of the C library that any
# file needs, and the oldest system that the packages were tried on, with its C library
SYMBOLS = "2.35"
TRIED = ("Debian 12", "2.36")
# see core.optional_packages; the program says so where one of them is lacking
EXTRAS = ("_duckdb*", "duckdb", "libarrow*", "libparquet*", "pyarrow", "pypandoc/files")
_ELF = b"\x7fELF"


@dataclass(frozen=True)
class Needs:
    """Libraries by their names, and the newest version of the symbols of libc and libstdc++."""

    libraries: frozenset[str]
    versions: dict[str, tuple[int, ...]]


def binaries(folder: Path) -> Iterator[Path]:
    """Programs and shared libraries below a folder; links are not followed."""
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not path.is_symlink():
            with path.open("rb") as handle:
                if handle.read(4) == _ELF:
                    yield path


@cache
def needs(path: Path) -> Needs:
    """What one of them says that it needs."""
    said = subprocess.run(
        ["objdump", "-p", path], capture_output=True, text=True, check=True
    ).stdout
    return Needs(frozenset(_NEEDED.findall(said)), versions(said))


def versions(said: str) -> dict[str, tuple[int, ...]]:
    """The newest version of each kind of symbols in what ``objdump -p`` says of a file."""
    newest: dict[str, tuple[int, ...]] = {}
    for kind, version in _VERSION.findall(said):
        number = _RELATIVE if version == "ABI_DT_RELR" else _number(version)
        newest[kind] = max(newest.get(kind, ()), number)
    return newest


def newest(folders: Sequence[Path], kind: str = "GLIBC") -> str:
    """The newest version of ``GLIBC`` or ``GLIBCXX`` that anything in the folders needs."""
    found = max(
        needs(path).versions.get(kind, (0,)) for folder in folders for path in binaries(folder)
    )
    return _text(found)


def beyond(folders: Sequence[Path], version: str) -> list[str]:
    """The files that need symbols of a newer C library than this, each with the one it needs."""
    return [
        f"{path.relative_to(folder)}: {_text(found)}"
        for folder in folders
        for path in binaries(folder)
        if (found := needs(path).versions.get("GLIBC", (0,))) > _number(version)
    ]


def _number(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")))


def _text(number: tuple[int, ...]) -> str:
    return ".".join(map(str, number))


def part(folder: Path, beside: Path) -> None:
    """Move the extras; unpacked over the folder they are in their places again."""
    inside = folder / "_internal"
    for pattern in EXTRAS:
        found = list(inside.glob(pattern))
        if not found:
            raise SystemExit(f"libraries: there is no {pattern} in {inside}")
        for path in found:
            target = beside / path.relative_to(folder)
            target.parent.mkdir(parents=True, exist_ok=True)
            path.rename(target)


def trim(folder: Path, beside: Sequence[Path] = ()) -> list[str]:
    """Remove libraries that nothing needs any more; their names.

    Only those in the top folder and of Qt: what a package of Python has loads itself.
    """
    inside, removed = folder / "_internal", []
    places = (inside, inside / "PySide6" / "Qt" / "lib")
    while True:
        used = {
            name for root in (folder, *beside) for path in binaries(root)
            for name in needs(path).libraries
        }  # fmt: skip
        loose = [
            path for place in places for path in sorted(place.glob("lib*.so*"))
            if path.name not in used and not path.name.startswith("libpython")
        ]  # fmt: skip
        for path in loose:
            path.unlink()
            removed.append(path.name)
        if not loose:
            return removed


def lacking(roots: Sequence[Path], here: Set[str]) -> list[str]:
    """Libraries that something needs and that lie neither in the folders nor on this system
    (``here``), and that the packages of Debian do not bring either (``core.health.libraries``)."""
    brought = {path.name for root in roots for path in root.rglob("*.so*")}
    known = {*brought, *here, *OFFSCREEN.values(), *X11.values(), *WAYLAND.values()}
    return sorted(
        {
            f"{name} for {path.relative_to(root)}" for root in roots for path in binaries(root)
            for name in needs(path).libraries if name not in known and not name.startswith("ld-")
        }
    )  # fmt: skip


def of_this_system() -> Set[str]:
    """The names of the libraries that the loader finds here."""
    said = subprocess.run(["/sbin/ldconfig", "-p"], capture_output=True, text=True, check=True)
    return frozenset(said.stdout.split())


def strip_interpreter(folder: Path) -> None:
    """Take the symbols out of what was built with the interpreter here; wheels come as their
    projects made them."""
    inside = folder / "_internal"
    built = [*inside.glob("libpython*.so*"), *inside.glob("python3*/lib-dynload/*.so")]
    subprocess.run(["strip", "--strip-unneeded", *built], check=True)


def main(action: str, folder: str, *beside: str) -> int:
    """See the module's docstring."""
    if action == "part":
        part(Path(folder), Path(beside[0]))
    elif action == "trim":
        others = [Path(one) for one in beside]
        removed = trim(Path(folder), others)
        strip_interpreter(Path(folder))
        print("libraries: nothing needs", *dict.fromkeys(removed))
        absent = lacking([Path(folder), *others], of_this_system())
        if absent:
            print("libraries: lacking", *absent, sep="\n  ", file=sys.stderr)
            return 1
    else:
        folders = [Path(one) for one in (folder, *beside)]
        print(newest(folders))
        newer = beyond(folders, SYMBOLS)
        if newer:
            print(f"libraries: need more than glibc {SYMBOLS}", *newer, sep="\n  ", file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    if len(sys.argv) < 3 or sys.argv[1] not in ("part", "trim", "oldest"):
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
