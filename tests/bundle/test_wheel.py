"""The wheel in an environment of its own, beside packages of others that have the same names."""

import os
import subprocess
import sysconfig
import zipfile
from pathlib import Path

import pytest

from core.own_process import own_version

pytestmark = pytest.mark.slow
ROOT = Path(__file__).resolve().parents[2]
UV = ROOT / ".tools" / "bin" / "uv"
OTHERS = ("core", "db", "gui", "resources")


def said(*command: str | Path, cwd: Path = ROOT, **variables: str) -> str:
    # where packages come from is the user's own setting
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    environment |= {"QT_QPA_PLATFORM": "offscreen", "UV_PYTHON_DOWNLOADS": "never", **variables}
    done = subprocess.run(
        command, cwd=cwd, env=environment, capture_output=True, text=True, timeout=250, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("wheel")
    said(UV, "build", "--quiet", "--wheel", "--python", ROOT / ".venv/bin/python",
         "--build-constraints", "packaging/locks/build.txt", "--out-dir", out)  # fmt: skip
    (made,) = out.glob("*.whl")
    return made


@pytest.fixture
def site(wheel: Path, tmp_path: Path) -> Path:
    """The packages of an environment with the wheel; what it depends on is that of the tests."""
    place = tmp_path / "environment"
    said(UV, "venv", "--quiet", "--python", ROOT / ".venv/bin/python", place)
    said(UV, "pip", "install", "--quiet", "--no-deps", "--python", place / "bin/python", wheel)
    packages = Path(sysconfig.get_path("purelib", vars={"base": str(place)}))
    # the path alone: the .pth there, which names the source tree, is not read
    (packages / "dependencies.pth").write_text(sysconfig.get_path("purelib"), encoding="utf-8")
    return packages


def program(site: Path) -> Path:
    return site.parents[2] / "bin"


def test_it_brings_one_package(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = {name.split("/")[0] for name in archive.namelist()}
        files = set(archive.namelist())
    assert {name for name in names if not name.endswith(".dist-info")} == {
        "benchseal", "benchseal.pth",
    }  # fmt: skip
    assert "benchseal/resources/translations/zh/LC_MESSAGES/benchseal.mo" in files
    assert "benchseal/db/migrations/env.py" in files


def test_modules_are_found_where_nobody_else_has_their_names(site: Path, tmp_path: Path) -> None:
    python = program(site) / "python"
    version = f"benchseal {own_version()}\n"
    for start in (["-P", "-m", "core.cli"], ["-m", "benchseal"]):
        assert said(python, *start, "--version", cwd=tmp_path) == version
    found = "import core.frames; print(core.frames.__file__)"
    assert Path(said(python, "-c", found, cwd=tmp_path).strip()).is_relative_to(site / "benchseal")


def test_it_works_beside_packages_of_the_same_names(site: Path, tmp_path: Path) -> None:
    """The program, its workers and its window run its own modules."""
    for name in OTHERS:
        (site / name).mkdir()
        (site / name / "__init__.py").write_text("raise SystemExit('not ours')", encoding="utf-8")
    own = program(site) / "benchseal"
    assert said(own, "--version", cwd=tmp_path) == f"benchseal {own_version()}\n"
    place = str(tmp_path / "w")
    said(own, "--workspace", place, "init", "--lead", "Li", cwd=tmp_path, HOME=str(tmp_path))
    articles = site / "benchseal" / "resources" / "demo"
    said(own, "--workspace", place, "generate", "scp", "--benchmark", "b", "--per-article", "1",
         articles, cwd=tmp_path, HOME=str(tmp_path))  # fmt: skip
    runs = said(own, "--workspace", place, "runs", "--json", cwd=tmp_path, HOME=str(tmp_path))
    assert '"finished"' in runs
    checked = said(own, "doctor", "--json", cwd=tmp_path, HOME=str(tmp_path))
    assert "Qt cannot start" not in checked
    said(UV, "pip", "uninstall", "--quiet", "--python", program(site) / "python", "benchseal")
    assert all((site / name / "__init__.py").is_file() for name in OTHERS)
    assert not (site / "benchseal.pth").exists()
