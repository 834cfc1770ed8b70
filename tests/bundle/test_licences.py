"""The frozen program names every library that it brings, with its licence and its text."""

import importlib
import re
from email.message import Message
from importlib.metadata import Distribution, distribution
from pathlib import Path
from types import ModuleType

import pytest

from tests.paths import ROOT

LOCK = ROOT / "packaging" / "locks" / "app.txt"
# what may be combined with GPL-3.0-or-later, by the words that packages use
FITTING = re.compile(
    r"\b(0BSD|Apache|BSD|CC0|CNRI-Python|GPL-3|GPLv3|LGPL|MIT|MIT-0|MPL-2|Mozilla|PSF|Zlib)"
)


@pytest.fixture
def licences(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(ROOT / "packaging" / "bundle"))
    return importlib.import_module("licences")


class Package(Distribution):
    """A package that says this of itself."""

    def __init__(self, fields: dict[str, list[str]]) -> None:
        self.fields = Message()
        for name, values in fields.items():
            for value in values:
                self.fields[name] = value

    @property
    def metadata(self) -> Message:  # type: ignore[override]  # no more of it is asked here
        return self.fields

    def read_text(self, filename: str) -> None:
        return None

    def locate_file(self, path: object) -> Path:
        return Path(str(path))


def test_every_locked_package_names_a_licence_that_fits_and_nearly_all_bring_its_text(
    licences: ModuleType,
) -> None:
    parts = {part.name: part for part in licences.locked(LOCK)}
    assert {"numpy", "pyside6-essentials", "pyrage", "scipy", "sqlalchemy"} <= set(parts)
    assert [part.line for part in parts.values() if not FITTING.search(part.licence)] == []
    without = {part.name for part in parts.values() if not part.texts}
    assert without <= {"latex2mathml", "nvidia-ml-py", "pyside6-essentials", "shiboken6"}
    assert {*licences.WITHIN, *licences.IN_EXTRAS} <= set(parts)
    assert parts["numpy"].version == distribution("numpy").version


@pytest.mark.parametrize(
    ("fields", "licence"),
    [
        ({"License-Expression": ["MIT"], "License": ["something else"]}, "MIT"),
        ({"License": ["BSD-3-Clause"], "Classifier": ["License :: OSI Approved"]}, "BSD-3-Clause"),
        ({"License": ["Copyright of\n  many people"],
          "Classifier": ["License :: OSI Approved :: BSD License"]}, "BSD License"),
        ({"Classifier": ["Topic :: Text", "License :: OSI Approved :: A", "License :: B"]},
         "A OR B"),
        ({}, ""),
    ],
)  # fmt: skip
def test_a_package_is_taken_at_its_word(
    fields: dict[str, list[str]], licence: str, licences: ModuleType
) -> None:
    assert licences.licence_of(Package(fields)) == licence


def test_a_text_names_a_licence_where_nothing_else_does(
    licences: ModuleType, tmp_path: Path
) -> None:
    text = tmp_path / "LICENSE"
    text.write_text("\nMIT License\n\nCopyright", encoding="utf-8")
    assert licences.licence_of(Package({}), [text]) == "MIT"
    text.write_text("Do with it what you like", encoding="utf-8")
    assert licences.licence_of(Package({}), [text]) == ""


def test_the_table_and_the_texts_are_written_and_old_ones_go(
    licences: ModuleType, tmp_path: Path
) -> None:
    texts = []
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        texts.append(tmp_path / folder / "LICENSE")
        texts[-1].write_text(folder, encoding="utf-8")
    out = tmp_path / "out"
    (out / "licences" / "gone-1").mkdir(parents=True)
    licences.write([licences.Part("two", "1:2", "MIT", tuple(texts)),
                    licences.Part("One", "3", "BSD", (), "place")], out)  # fmt: skip
    lines = (out / "LICENCES.txt").read_text(encoding="utf-8").splitlines()
    assert lines[-2:] == ["One 3: BSD <place> (no text of its own)", "two 1:2: MIT"]
    assert [path.name for path in sorted((out / "licences").iterdir())] == ["two-1_2"]
    written = sorted((out / "licences" / "two-1_2").iterdir())
    assert [path.name for path in written] == ["LICENSE", "LICENSE.2"]
    assert [path.read_text(encoding="utf-8") for path in written] == ["a", "b"]


def test_libraries_of_a_system_without_dpkg_are_named(
    licences: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "_internal").mkdir()
    (tmp_path / "_internal" / "libz.so.1").touch()
    monkeypatch.setenv("PATH", str(tmp_path))
    (part,) = licences.of_system(tmp_path)
    assert part.line == "libz.so.1: that of the system this was built on"


def test_a_library_of_debian_has_its_package_and_its_paper(
    licences: ModuleType, tmp_path: Path
) -> None:
    (tmp_path / "_internal").mkdir()
    if not Path("/usr/bin/dpkg").exists():
        assert licences.of_system(tmp_path) == []
        return
    (tmp_path / "_internal" / "libz.so.1").touch()
    (part,) = licences.of_system(tmp_path)
    assert part.name == "zlib1g"
    assert part.licence == "Zlib (libz.so.1)"
    assert [text.name for text in part.texts] == ["copyright"]
