"""The recipes for containers and other systems, as far as they can be tried without those."""

import re
import subprocess

import yaml

from tests.paths import ROOT

RECIPES = ROOT / "packaging" / "containers"
QT = {"pyqtgraph", "pyside6-essentials", "shiboken6"}


def names(lock: str) -> set[str]:
    return set(re.findall(r"^([\w.-]+)==", lock, re.MULTILINE))


def test_the_worker_has_every_locked_package_but_qt() -> None:
    text = (RECIPES / "worker.Containerfile").read_text(encoding="utf-8")
    (program,) = re.findall(r"awk '([^']+)'", text)
    lock = ROOT / "packaging" / "locks" / "gpu.txt"
    kept = subprocess.run(
        ["awk", program, lock], capture_output=True, text=True, check=True
    ).stdout  # fmt: skip
    assert names(lock.read_text(encoding="utf-8")) - names(kept) == QT
    assert kept.count("--hash=") > len(names(kept))


def test_the_server_makes_the_roles_once_the_database_answers() -> None:
    document = yaml.safe_load((RECIPES / "server.yml").read_text(encoding="utf-8"))
    services = document["services"]
    assert services["set-up"]["command"][0] == "init"
    assert services["set-up"]["depends_on"]["database"]["condition"] == "service_healthy"
    # to this machine alone, until it has a certificate
    assert all(port.startswith("127.0.0.1:") for port in services["database"]["ports"])


def test_what_was_never_tried_says_so() -> None:
    for path in (*RECIPES.iterdir(), *(ROOT / "packaging" / "elsewhere").iterdir(),
                 ROOT / ".github" / "workflows" / "bundles.yml"):  # fmt: skip
        words = " ".join(path.read_text(encoding="utf-8")[:700].split()).lower()
        assert re.search(r"never (tried|run)|not been (built|started)|has never run", words), path
