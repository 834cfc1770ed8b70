"""The folder and the package that ``make bundle`` makes: no Python, no source, an empty home."""

import gzip
import json
import re
import shutil
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from core.optional_packages import EXTRAS
from core.own_process import own_version
from tests.bundle.conftest import DIST, PROGRAM
from tests.contracts.test_commands import COMMANDS
from tests.paths import ROOT
from tests.polling import until

pytestmark = pytest.mark.slow
Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Run the frozen program with an environment that has neither ours nor a Python."""
    home = tmp_path / "home"
    home.mkdir()
    environment = {"HOME": str(home), "PATH": str(tmp_path), "LANG": "C.UTF-8",
                   "QT_QPA_PLATFORM": "offscreen"}  # fmt: skip

    def started(*arguments: str, program: Path = PROGRAM) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [program, *arguments], cwd=home, env=environment, capture_output=True, text=True,
            timeout=600, check=False,
        )  # fmt: skip

    return started


def test_it_says_its_version(run: Run) -> None:
    assert run("--version").stdout == f"benchseal {own_version()}\n"


@pytest.mark.timeout(900)
def test_the_demonstration_runs_with_workers_pictures_and_every_export(
    run: Run, tmp_path: Path
) -> None:
    place = tmp_path / "demo"
    done = run("demo", "--headless", "--dir", str(place))
    assert done.returncode == 0, done.stderr
    assert len(list(place.rglob("*.png"))) >= 30
    verified = run("--workspace", str(place), "verify", "--json")
    assert verified.returncode == 0
    assert json.loads(verified.stdout)["sound"]
    states = json.loads(run("--workspace", str(place), "runs", "--json").stdout)
    assert {one["state"] for one in states["runs"]} == {"finished"}


def test_every_file_that_the_source_brings_is_there(run: Run, tmp_path: Path) -> None:
    """Scripts too, which people and trackers run with a Python of their own."""
    listed = subprocess.run(
        ["git", "ls-files", "resources", "core", "db", "gui"], cwd=ROOT, capture_output=True,
        text=True, check=True,
    ).stdout.splitlines()  # fmt: skip
    inside = PROGRAM.parent / "_internal"
    assert [name for name in listed if not (inside / name).is_file()] == []
    assert "check_root.py" in run("verify", "--scripts", str(tmp_path / "scripts")).stdout


def test_a_wrong_module_is_not_run(run: Run) -> None:
    assert run("--own-module", "http.server").returncode == 2


def test_tables_are_read_and_articles_where_the_extras_lie_beside(run: Run, tmp_path: Path) -> None:
    """pandas and the workers of the readers are in the folder, pandoc is in the extras."""
    place = tmp_path / "w"
    assert run("init", "--workspace", str(place)).returncode == 0
    table = tmp_path / "items.csv"
    table.write_text("Input,Output,Instruction\na text,an answer,say it\n", encoding="utf-8")
    done = run("--workspace", str(place), "import", str(table), "--task", "t", "--benchmark", "b")
    assert done.returncode == 0, done.stderr
    article = tmp_path / "article.rst"
    article.write_text("Title\n=====\n\nA sentence of an article stands here.\n", encoding="utf-8")
    generate = ("--workspace", str(place), "generate", "scp", str(article))
    assert EXTRAS in run(*generate).stderr
    whole = tmp_path / "whole"
    for part in (PROGRAM.parent, DIST / EXTRAS):
        shutil.copytree(part, whole, symlinks=True, dirs_exist_ok=True)
    said = run(*generate, program=whole / "benchseal").stderr
    assert EXTRAS not in said
    assert "Traceback" not in said
    shutil.rmtree(whole)


def test_a_window_that_was_aborted_leaves_a_report_without_texts_names_and_keys(
    run: Run, tmp_path: Path
) -> None:
    home, place = tmp_path / "home", tmp_path / "w"
    text, key = "The lake froze in a single night.", "sk-verysecretkey-0123456789"
    assert run("init", "--lead", "Ann", "--workspace", str(place)).returncode == 0
    table = tmp_path / "items.csv"
    table.write_text(f"Input,Output,Instruction\n{text},yes,say it\n", encoding="utf-8")
    done = run("--workspace", str(place), "import", str(table), "--task", "t", "--benchmark", "b")
    assert done.returncode == 0, done.stderr
    folder = home / ".local/state/benchseal/crashes"
    for ended in (signal.SIGABRT, signal.SIGTERM):
        window = subprocess.Popen(
            [PROGRAM, "gui", "--user", "Ann", str(place)], cwd=home, stderr=subprocess.DEVNULL,
            env={"HOME": str(home), "PATH": str(tmp_path), "LANG": "C.UTF-8",
                 "QT_QPA_PLATFORM": "offscreen", "OPENAI_API_KEY": key},
        )  # fmt: skip
        log = folder / f"running-{window.pid}.log"
        try:
            until(lambda log=log: log.is_file() and "place " in log.read_text("utf-8"), 60)
        finally:
            window.send_signal(ended)
            window.wait(30)
    (report,) = folder.glob("*crash-*.txt")
    said = report.read_text("utf-8")
    for part in (
        f"Benchseal {own_version()}, ",
        "Aborted",
        "core/cli/workspace/start.py",
        "place ",
    ):
        assert part in said
    for part in (text, "Ann", key, str(tmp_path)):
        assert part not in said
    assert report.stat().st_mode & 0o077 == 0


def test_the_manual_page_and_the_completion_know_every_command(tmp_path: Path) -> None:
    (package,) = DIST.glob("benchseal_*.deb")
    subprocess.run(["dpkg-deb", "--extract", package, tmp_path], check=True)
    share = tmp_path / "usr/share"
    page = gzip.decompress((share / "man/man1/benchseal.1.gz").read_bytes()).decode()
    manual = page.replace("\\-", "-")
    bash = (share / "bash-completion/completions/benchseal").read_text(encoding="utf-8")
    zsh = (share / "zsh/vendor-completions/_benchseal").read_text(encoding="utf-8")
    for name in COMMANDS:
        assert f"usage: benchseal {name}" in manual, name
        words = "_".join(re.sub(r"\W", "_", word) for word in name.split())
        assert f"_shtab_benchseal_{words}" in bash, name
        assert all(f'"{word}:' in zsh or f"{word})" in zsh for word in name.split()), name


def test_the_sizes_that_are_written_are_those_that_were_built() -> None:
    """In README and for administrators, within a twentieth."""
    said = {
        ROOT / "resources/help/administrators.en.md": {
            "benchseal_VERSION_amd64.deb": "benchseal_*.deb",
            "benchseal-VERSION-linux-x86_64.tar.xz": "benchseal-[0-9]*.tar.xz",
            "benchseal-extras_VERSION_amd64.deb": "benchseal-extras_*.deb",
        },
        ROOT / "README.md": {
            "a tarball": "benchseal-[0-9]*.tar.xz",
            "benchseal-extras": "benchseal-extras-[0-9]*.tar.xz",
        },
    }
    for page, files in said.items():
        text = page.read_text(encoding="utf-8")
        for words, pattern in files.items():
            (built,) = DIST.glob(pattern)
            (size,) = set(re.findall(rf"{re.escape(words)}`? \((\d+) MB", text))
            assert int(size) == pytest.approx(built.stat().st_size / 1e6, rel=0.05), words


def test_the_package_of_debian_holds_what_a_desktop_needs(tmp_path: Path) -> None:
    (package,) = DIST.glob("benchseal_*.deb")
    subprocess.run(["dpkg-deb", "--extract", package, tmp_path], check=True)
    link = tmp_path / "usr/bin/benchseal"
    assert link.readlink() == Path("../lib/benchseal/benchseal")
    for path in (
        "usr/lib/benchseal/benchseal", "usr/share/applications/benchseal.desktop",
        "usr/share/icons/hicolor/scalable/apps/benchseal.svg",
        "usr/share/mime/packages/benchseal.xml", "usr/share/man/man1/benchseal.1.gz",
        "usr/share/bash-completion/completions/benchseal",
        "usr/share/zsh/vendor-completions/_benchseal", "usr/share/doc/benchseal/copyright",
    ):  # fmt: skip
        assert (tmp_path / path).is_file(), path
    paper = (tmp_path / "usr/share/doc/benchseal/copyright").read_text(encoding="utf-8")
    inside = tmp_path / "usr/lib/benchseal/_internal"
    texts = inside.parent / "licences"
    for brought in inside.glob("*.dist-info"):
        name, version = brought.name.removesuffix(".dist-info").split("-")
        if name not in ("benchseal", "duckdb"):  # the second is in the extras but for this folder
            assert f"\n {name.replace('_', '-')} {version}: " in paper
    for library in ("libcrypto.so.3", "libsqlite3.so.0"):
        assert (inside / library).is_file()
        assert library in paper
    assert "\n python 3." in paper
    assert all(any(folder.iterdir()) for folder in texts.iterdir())
    assert len(list(texts.iterdir())) > 80
    files = [file for file in (tmp_path / "usr").rglob("*") if not file.is_symlink()]
    assert [file for file in files if file.stat().st_mode & 0o022] == []
