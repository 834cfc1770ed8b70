"""The frozen folder as a package of Debian: program, menu entry, icon, kinds of files, manual page
and completion.

    debian.py FOLDER OUT    make OUT/benchseal_VERSION_ARCHITECTURE.deb of the frozen FOLDER

Run with the interpreter of the environment that froze it (``packaging/bundle.sh``).
"""

import gzip
import hashlib
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "packaging")]
os.environ["COLUMNS"] = "88"  # of the usage lines

import pypandoc  # noqa: E402 (after the path is set)
import shtab  # noqa: E402 (after the path is set)
from documents import commands  # noqa: E402 (after the path is set)

from core.cli.parser import build_parser  # noqa: E402 (after the path is set)
from core.health.libraries import OFFSCREEN, X11  # noqa: E402 (after the path is set)

_PROGRAM = "usr/lib/benchseal"
_CONTROL = """\
Package: benchseal
Version: {version}
Architecture: {architecture}
Maintainer: Benchseal <benchseal@localhost>
Installed-Size: {kilobytes}
Depends: {depends}
Recommends: fonts-noto-cjk
Suggests: postgresql-client
Section: science
Priority: optional
Description: private benchmarks for language models, kept honest
 People write or generate items, check them in three stages with a language
 model as pre-screener, agree on them, freeze and seal splits, and evaluate
 models on what no model has seen. A window for annotators and leads, and the
 same on the command line.
"""
_COPYRIGHT = """\
Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: benchseal

Files: *
Copyright: the authors of Benchseal
License: GPL-3.0-or-later
 On Debian systems the text is in /usr/share/common-licenses/GPL-3.
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


def main(frozen: str, out: str) -> int:
    """Build the package; what dpkg says goes to the terminal."""
    architecture = _said("dpkg", "--print-architecture")
    name = f"benchseal_{version('benchseal')}_{architecture}.deb"
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder)
        tree.chmod(0o755)
        shutil.copytree(frozen, tree / _PROGRAM, symlinks=True)
        (tree / "usr/bin").mkdir()
        (tree / "usr/bin/benchseal").symlink_to("../lib/benchseal/benchseal")
        for path, content in _files().items():
            (tree / path).parent.mkdir(parents=True, exist_ok=True)
            (tree / path).write_bytes(content)
        kilobytes = sum(f.stat().st_size for f in tree.rglob("*") if not f.is_symlink()) >> 10
        library = f"libc6 (>= {platform.libc_ver()[1]})"
        control = _CONTROL.format(
            version=version("benchseal"),
            architecture=architecture,
            kilobytes=kilobytes,
            depends=", ".join([library, *sorted([*OFFSCREEN, *X11])]),
        )
        (tree / "DEBIAN").mkdir()
        (tree / "DEBIAN/control").write_text(control, encoding="utf-8")
        (tree / "DEBIAN/md5sums").write_text(_sums(tree), encoding="utf-8")
        _plain_modes(tree)
        command = ["dpkg-deb", "--root-owner-group", "-Zxz", "--build", folder]
        return subprocess.run([*command, str(Path(out) / name)], check=False).returncode


def _files() -> dict[str, bytes]:
    """What lies beside the program, by its place."""
    manual = _MANUAL.format(version=version("benchseal"), commands=commands("en"))
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
        "usr/share/doc/benchseal/copyright": _COPYRIGHT.encode(),
        "usr/share/doc/benchseal/changelog.gz": _packed(
            (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
        ),
        "usr/share/lintian/overrides/benchseal": (HERE / "lintian-overrides").read_bytes(),
    }


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
            runs = path.is_dir() or path.name in ("benchseal", "pandoc")
            path.chmod(0o755 if runs else 0o644)


def _said(*command: str) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
