"""Which libraries the frozen program brings, and under which licences, from what they say of
themselves: the metadata and licence files of the locked packages, and for libraries of the system
the papers that Debian installs with them.

    licences.py LOCK FOLDER EXTRAS    write LICENCES.txt and the folder ``licences`` into FOLDER,
                                      and those of the extras into EXTRAS, which may be unpacked
                                      over it

Run with the interpreter of the environment that was frozen (``packaging/bundle.sh``).
"""

import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path, PurePath

TABLE, EXTRAS_TABLE, TEXTS = "LICENCES.txt", "LICENCES-extras.txt", "licences"
IN_EXTRAS = ("duckdb", "pyarrow", "pypandoc-binary")
"""Packages whose libraries lie in the second folder (``libraries.EXTRAS``)."""
WITHIN = {
    "psycopg-binary": "with libpq (PostgreSQL), OpenSSL (Apache-2.0), MIT Kerberos (MIT), OpenLDAP "
    "(OLDAP-2.8), Cyrus SASL (BSD-3-Clause-Attribution), keyutils and libcrypt (LGPL-2.1-or-later)",
    "pypandoc-binary": "with pandoc (GPL-2.0-or-later)",
    "pyside6-essentials": "with Qt 6 (LGPL-3.0-only) and ICU (Unicode-3.0)",
}
"""What a package holds of others without saying so in its metadata."""
_LOCKED = re.compile(r"^([\w.-]+)==", re.MULTILINE)
_PAPER = re.compile(r"licen[cs]e|copying|notice|authors", re.IGNORECASE)
_KNOWN_FIRST_LINES = {"The MIT License (MIT)": "MIT", "MIT License": "MIT"}
_HEAD = f"""\
Benchseal: GPL-3.0-or-later. What it brings of others, each with the licence that it names itself;
the texts are in the folder {TEXTS}. Qt comes under the LGPL-3.0, whose terms are those of the
GPL-3.0 with more permissions. Of a library of Debian all licences are named that the paper of its
source package has.

"""


@dataclass(frozen=True)
class Part:
    """Something of others in the bundle: its licence as it names it, and its texts."""

    name: str
    version: str
    licence: str
    texts: tuple[Path, ...]
    home: str = ""

    @property
    def line(self) -> str:
        """Its row of the table."""
        name = f"{self.name} {self.version}".strip()
        return f"{name}: {self.licence}{f' <{self.home}>' if self.home else ''}"


def locked(lock: Path) -> list[Part]:
    """The packages of a lock that are installed here; those for other systems are not.

    Raises SystemExit for one that names no licence at all.
    """
    parts = []
    # one may be there twice, for several Pythons
    for name in dict.fromkeys(_LOCKED.findall(lock.read_text(encoding="utf-8"))):
        try:
            parts.append(_of_package(name, distribution(name)))
        except PackageNotFoundError:
            continue
    return parts


def _of_package(name: str, found: Distribution) -> Part:
    texts = tuple(
        Path(str(found.locate_file(file))) for file in found.files or () if _is_paper(file)
    )
    texts = tuple(text for text in texts if text.is_file())
    licence = licence_of(found, texts)
    if not licence:
        raise SystemExit(f"licences: {name} {found.version} names no licence")
    if name in WITHIN:
        licence = f"{licence}; {WITHIN[name]}"
    return Part(name, found.version, licence, texts, found.metadata.get("Home-page") or "")


def _is_paper(file: PurePath) -> bool:
    if ".dist-info" in file.parts[0]:
        return bool(_PAPER.search(file.name)) or file.parts[1] == "licenses"
    return file.name.startswith("copyright.")


def licence_of(found: Distribution, texts: Iterable[Path] = ()) -> str:
    """The licence that a package names: its expression, a short word for it, its classifiers, or
    the first line of its text where that is one we know; empty for none."""
    words = found.metadata
    if expression := words.get("License-Expression"):
        return str(expression)
    short = str(words.get("License") or "").strip()
    if short and "\n" not in short and len(short) < 200:
        return short
    classifiers = [
        line.rpartition(" :: ")[2] for line in words.get_all("Classifier") or ()
        if line.startswith("License ::")
    ]  # fmt: skip
    if classifiers:
        return " OR ".join(classifiers)
    firsts = (text.read_text(encoding="utf-8").strip().partition("\n")[0] for text in texts)
    return next((_KNOWN_FIRST_LINES[line] for line in firsts if line in _KNOWN_FIRST_LINES), "")


def of_system(folder: Path) -> list[Part]:
    """Libraries beside the packages that come from the system on which this is built."""
    owned = {file.name for file in _wheel_files()}
    loose = sorted(
        path.name for path in (folder / "_internal").glob("lib*.so*")
        if not path.is_symlink() and path.name not in owned and "python" not in path.name
    )  # fmt: skip
    if not shutil.which("dpkg"):
        return [Part(name, "", "that of the system this was built on", ()) for name in loose]
    packages: dict[str, list[str]] = {}
    for name in loose:
        packages.setdefault(_debian_package(name), []).append(name)
    return [_of_debian(package, names) for package, names in sorted(packages.items())]


def _wheel_files() -> Iterator[Path]:
    for folder in map(Path, sys.path):
        if folder.name == "site-packages":
            yield from folder.rglob("*.so*")


def _debian_package(library: str) -> str:
    said = subprocess.run(
        ["/sbin/ldconfig", "-p"], capture_output=True, text=True, check=True
    ).stdout
    places = [Path(line.split()[-1]) for line in said.splitlines() if f"\t{library} " in line]
    for place in (name for one in places[:1] for name in (one, one.resolve())):
        for path in (place, Path("/usr", *place.parts[1:])):
            command = ["dpkg", "-S", str(path)]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode == 0:
                return done.stdout.partition(":")[0]
    return ""


def _of_debian(package: str, libraries: list[str]) -> Part:
    if not package:
        raise SystemExit(f"licences: nothing says where {', '.join(libraries)} came from")
    said = subprocess.run(
        ["dpkg-query", "-W", "-f", "${Version}", package],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    paper = Path("/usr/share/doc", package, "copyright").resolve()
    named = re.findall(r"^License: *(\S.*)$", paper.read_text(encoding="utf-8"), re.MULTILINE)
    licence = ", ".join(dict.fromkeys(named)) or "as its text says"
    return Part(package, said, f"{licence} ({', '.join(libraries)})", (paper,))


def of_interpreter() -> list[Part]:
    """Python itself, and what PyInstaller puts before it."""
    library = Path(sys.base_prefix, "lib", f"python{sys.version_info[0]}.{sys.version_info[1]}")
    version = ".".join(map(str, sys.version_info[:3]))
    text = tuple(path for path in (library / "LICENSE.txt",) if path.is_file())
    python = Part("python", version, "PSF-2.0", text, "https://www.python.org")
    return [python, _of_package("pyinstaller", distribution("pyinstaller"))]


def write(parts: Iterable[Part], folder: Path, table: str = TABLE) -> None:
    """The table and the texts into a folder."""
    texts = folder / TEXTS
    shutil.rmtree(texts, ignore_errors=True)
    lines = []
    for part in sorted(parts, key=lambda part: part.name.lower()):
        lines.append(part.line + ("" if part.texts else " (no text of its own)"))
        for text in part.texts:
            _copy(text, texts / f"{part.name}-{part.version}".replace(":", "_"))
    (folder / table).write_text(_HEAD + "\n".join(lines) + "\n", encoding="utf-8")


def _copy(text: Path, folder: Path) -> None:
    """Under its own name, numbered where another text of the package has the same."""
    folder.mkdir(parents=True, exist_ok=True)
    name, number = text.name, 1
    while (folder / name).exists():
        number += 1
        name = f"{text.name}.{number}"
    shutil.copyfile(text, folder / name)


def main(lock: str, folder: str, extras: str) -> int:
    """See the module's docstring."""
    parts = locked(Path(lock))
    heavy = [part for part in parts if part.name in IN_EXTRAS]
    if len(heavy) != len(IN_EXTRAS):
        raise SystemExit(f"licences: the lock has not all of {', '.join(IN_EXTRAS)}")
    light = [part for part in parts if part not in heavy]
    write([*light, *of_interpreter(), *of_system(Path(folder))], Path(folder))
    _copy(Path(__file__).resolve().parents[2] / "LICENSE", Path(folder) / TEXTS / "benchseal")
    write(heavy, Path(extras), EXTRAS_TABLE)
    return 0


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
