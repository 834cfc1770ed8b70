"""The frozen program says which C library it needs, and its build holds that true."""

import importlib
import re
import shutil
import sys
from pathlib import Path
from types import ModuleType

import pytest

from core.health.libraries import OFFSCREEN, WAYLAND, X11
from tests.paths import ROOT

PAGES = ("README.md", "resources/help/administrators.en.md", "resources/help/administrators.zh.md")
VERSIONS = """\
Version References:
  required from libc.so.6:
    0x09691a75 0x00 05 GLIBC_2.2.5
    0x069691b4 0x00 03 GLIBC_2.34
  required from libstdc++.so.6:
    0x08922974 0x00 02 GLIBCXX_3.4
"""


@pytest.fixture
def libraries(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(ROOT / "packaging" / "bundle"))
    return importlib.import_module("libraries")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with one program, that of the interpreter here, which needs some C library."""
    if shutil.which("objdump") is None:
        pytest.skip("needs objdump (Debian: binutils)")
    shutil.copy(Path(sys.executable).resolve(), tmp_path / "program")
    (tmp_path / "notes.txt").write_text("not a program", encoding="utf-8")
    return tmp_path


def test_a_file_that_needs_more_than_is_named_is_named(libraries: ModuleType, folder: Path) -> None:
    said = libraries.newest([folder])
    assert libraries.beyond([folder], said) == []
    assert libraries.beyond([folder], "2.1") == [f"program: {said}"]


def test_the_build_ends_where_a_file_needs_more(
    libraries: ModuleType, folder: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    monkeypatch.setattr(libraries, "SYMBOLS", libraries.newest([folder]))
    assert libraries.main("oldest", str(folder)) == 0
    monkeypatch.setattr(libraries, "SYMBOLS", "2.1")
    assert libraries.main("oldest", str(folder)) == 1
    assert "program: " in capsys.readouterr().err


def test_relative_relocations_need_the_loader_that_first_knew_them(libraries: ModuleType) -> None:
    """They have no number of their own: glibc 2.36 brought them (its NEWS, "DT_RELR")."""
    assert libraries.versions(VERSIONS) == {"GLIBC": (2, 34), "GLIBCXX": (3, 4)}
    relocated = f"{VERSIONS}    0x0fd0e42f 0x00 04 GLIBC_ABI_DT_RELR\n"
    assert libraries.versions(relocated)["GLIBC"] == (2, 36)


def test_what_the_packages_depend_on_need_not_be_where_they_are_made(
    libraries: ModuleType, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A machine without Wayland, say: the frozen program brings Qt's part for it all the same."""
    system = {*OFFSCREEN.values(), *X11.values(), *WAYLAND.values()}
    needs = libraries.Needs(frozenset({*system, "libnowhere.so.9"}), {})
    monkeypatch.setattr(libraries, "needs", lambda _: needs)
    assert libraries.lacking([folder], here=frozenset()) == ["libnowhere.so.9 for program"]


@pytest.mark.parametrize("page", PAGES)
def test_the_pages_name_the_c_library_that_was_tried_and_the_one_of_the_symbols(
    page: str, libraries: ModuleType
) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    named = set(re.findall(r"glibc (\d\.\d+)", text))
    assert named == {libraries.SYMBOLS, libraries.TRIED[1]}
    assert libraries.TRIED[0] in text
    assert "Ubuntu 22.04" not in text
