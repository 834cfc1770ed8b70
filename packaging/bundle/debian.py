"""The frozen folders as packages of Debian: the program with menu entry, icon, kinds of files,
manual page and completion, and ``benchseal-extras`` with the heavy libraries.

    debian.py DIST VERSION OUT    make OUT/benchseal_VERSION_ARCHITECTURE.deb of DIST/benchseal and
                                  OUT/benchseal-extras_VERSION_… of DIST/benchseal-extras

Run with the interpreter of the environment that froze it (``packaging/bundle.sh``).
"""

import gzip
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from email.utils import formatdate
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "packaging"), str(HERE)]
os.environ["COLUMNS"] = "88"  # of the usage lines

import pypandoc  # noqa: E402 (after the path is set)
import shtab  # noqa: E402 (after the path is set)
from documents import commands  # noqa: E402 (after the path is set)
from libraries import newest  # noqa: E402 (after the path is set)
from licences import EXTRAS_TABLE, TABLE, TEXTS  # noqa: E402 (after the path is set)

from core.cli.parser import build_parser  # noqa: E402 (after the path is set)
from core.health.libraries import OFFSCREEN, WAYLAND, X11  # noqa: E402 (after the path is set)

LEVEL = os.environ.get("XZ_LEVEL", "6")
_PROGRAM = "usr/lib/benchseal"
_CONTROL = """\
Package: {package}
Version: {version}
Architecture: {architecture}
Maintainer: Benchseal <benchseal@localhost>
Installed-Size: {kilobytes}
Depends: {depends}
{more}Section: science
Priority: optional
Description: {description}
"""
_DESCRIPTION = """\
private benchmarks for language models, kept honest
 People write or generate items, check them in three stages with a language
 model as pre-screener, agree on them, freeze and seal splits, and evaluate
 models on what no model has seen. A window for annotators and leads, and the
 same on the command line."""
_EXTRAS_DESCRIPTION = """\
readers for Benchseal that few people need
 Parquet, Feather and Arrow files (pyarrow), GDELT files (DuckDB), and articles
 in LaTeX, Word, EPUB and other markup (pandoc). Without it Benchseal says which
 of them is lacking."""
# of the compiler that libstdc++6 comes from, by the newest symbols that are needed
_COMPILERS = {"3.4.28": "9", "3.4.29": "11", "3.4.30": "12", "3.4.31": "13", "3.4.32": "13.2"}
_COPYRIGHT = """\
Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: benchseal

Files: *
Copyright: the authors of Benchseal
License: GPL-3.0-or-later
 On Debian systems the text is in /usr/share/common-licenses/GPL-3.

Files: usr/lib/benchseal/*
Copyright: the authors of each library, as its own text says
License: of-each-library
 The texts are in /usr/lib/benchseal/{texts}; those of the GNU licences also in
 /usr/share/common-licenses.
 .
{table}
"""


_VERSIONS = """\
{name} ({version}) unstable; urgency=medium

  * See CHANGELOG.md.

 -- Benchseal <benchseal@localhost>  {date}
"""

_MANUAL = """\
---
title: BENCHSEAL
section: 1
footer: "Benchseal {version}"
---

# NAME

benchseal - private benchmarks for language models, kept honest

{commands}
"""


def main(dist: str, version: str, out: str) -> int:
    """Build both packages; what dpkg says goes to the terminal."""
    built = Path(dist)
    frozen, extras = built / "benchseal", built / "benchseal-extras"
    libraries = [
        f"libc6 (>= {newest([built])})",
        f"libstdc++6 (>= {_COMPILERS[newest([built], 'GLIBCXX')]})",
        *sorted(["libexpat1", "libgcc-s1", *OFFSCREEN, *X11]),
    ]
    desktop = (
        f"Recommends: {', '.join(['fonts-noto-cjk', *sorted(WAYLAND)])}\n"
        "Suggests: benchseal-extras, postgresql-client\n"
    )
    files = _files(version, (frozen / TABLE).read_text(encoding="utf-8"))
    program = _Package("benchseal", _DESCRIPTION, ", ".join(libraries), desktop, files)
    beside = _Package(
        "benchseal-extras", _EXTRAS_DESCRIPTION,
        f"benchseal (= {version}), libc6 (>= {newest([extras])}), libgcc-s1, libstdc++6", "",
        _papers(version, (extras / EXTRAS_TABLE).read_text(encoding="utf-8")),
    )  # fmt: skip
    for package, folder in ((program, frozen), (beside, extras)):
        code = _built(package, folder, version, Path(out))
        if code:
            return code
    return 0


@dataclass(frozen=True)
class _Package:
    """A package: its name and description, what it depends on, further fields, and its files
    beside the frozen ones, by their places."""

    name: str
    description: str
    depends: str
    more: str
    files: dict[str, bytes]


def _built(package: _Package, frozen: Path, version: str, out: Path) -> int:
    """Build one package; the code of dpkg-deb."""
    architecture = _said("dpkg", "--print-architecture")
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder)
        tree.chmod(0o755)
        shutil.copytree(frozen, tree / _PROGRAM, symlinks=True)
        if package.name == "benchseal":
            (tree / "usr/bin").mkdir()
            (tree / "usr/bin/benchseal").symlink_to("../lib/benchseal/benchseal")
        for path, content in package.files.items():
            (tree / path).parent.mkdir(parents=True, exist_ok=True)
            (tree / path).write_bytes(content)
        kilobytes = sum(f.stat().st_size for f in tree.rglob("*") if not f.is_symlink()) >> 10
        control = _CONTROL.format(
            package=package.name, version=version, architecture=architecture, kilobytes=kilobytes,
            depends=package.depends, more=package.more, description=package.description,
        )  # fmt: skip
        (tree / "DEBIAN").mkdir()
        (tree / "DEBIAN/control").write_text(control, encoding="utf-8")
        (tree / "DEBIAN/md5sums").write_text(_sums(tree), encoding="utf-8")
        _plain_modes(tree)
        target = out / f"{package.name}_{version}_{architecture}.deb"
        command = ["dpkg-deb", "--root-owner-group", "-Zxz", f"-z{LEVEL}", "--build"]
        code = subprocess.run([*command, folder, str(target)], check=False).returncode
    if code == 0:
        print(f"bundle: {target} ({target.stat().st_size / 1e6:.0f} MB)", flush=True)
    return code


def _files(version: str, licences: str) -> dict[str, bytes]:
    """What lies beside the program, by its place."""
    manual = _MANUAL.format(version=version, commands=commands("en"))
    pages = pypandoc.convert_text(manual, "man", format="markdown", extra_args=["--standalone"])
    parser = build_parser()
    return {
        "usr/share/applications/benchseal.desktop": (HERE / "benchseal.desktop").read_bytes(),
        "usr/share/icons/hicolor/scalable/apps/benchseal.svg": (
            HERE / "benchseal.svg"
        ).read_bytes(),
        "usr/share/mime/packages/benchseal.xml": (HERE / "benchseal.xml").read_bytes(),
        "usr/share/man/man1/benchseal.1.gz": _packed(pages),
        "usr/share/bash-completion/completions/benchseal": shtab.complete(parser).encode(),
        "usr/share/zsh/vendor-completions/_benchseal": shtab.complete(parser, "zsh").encode(),
        **_papers(version, licences, "benchseal"),
    }


def _papers(version: str, licences: str, name: str = "benchseal-extras") -> dict[str, bytes]:
    """What every package of Debian has: its licences, its versions, what its checker is told."""
    table = "\n".join(f" {line}" if line else " ." for line in licences.splitlines())
    overrides = (HERE / "lintian-overrides").read_text(encoding="utf-8")
    log = _VERSIONS.format(name=name, version=version, date=formatdate(_built_at()))
    return {
        f"usr/share/doc/{name}/copyright": _COPYRIGHT.format(texts=TEXTS, table=table).encode(),
        f"usr/share/doc/{name}/changelog.gz": _packed(log),
        f"usr/share/doc/{name}/CHANGELOG.md.gz": _packed(
            (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
        ),
        f"usr/share/lintian/overrides/{name}": overrides.replace("PACKAGE", name).encode(),
    }


def _built_at() -> float:
    """When the last version was committed, so that the same source makes the same package."""
    said = subprocess.run(
        ["git", "log", "-1", "--format=%ct"], cwd=ROOT, capture_output=True, text=True, check=False
    ).stdout.strip()
    return float(said or 0)


def _packed(text: str) -> bytes:
    return gzip.compress(text.encode(), 9, mtime=0)


def _sums(tree: Path) -> str:
    """The digests that ``dpkg --verify`` reads; md5 is its format."""
    return "".join(
        f"{hashlib.md5(path.read_bytes(), usedforsecurity=False).hexdigest()}"
        f"  {path.relative_to(tree)}\n"
        for path in sorted((tree / "usr").rglob("*"))
        if path.is_file() and not path.is_symlink()
    )


def _plain_modes(tree: Path) -> None:
    """Nobody but root may write, everybody may read; programs and folders are entered."""
    for path in tree.rglob("*"):
        if not path.is_symlink():
            program = path.name in ("benchseal", "pandoc") and tree / _PROGRAM in path.parents
            runs = path.is_dir() or program
            path.chmod(0o755 if runs else 0o644)


def _said(*command: str) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
