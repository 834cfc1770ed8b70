"""The recipes for containers and other systems, as far as they can be tried without those."""

import re
import subprocess

import yaml

from tests.paths import ROOT

RECIPES = ROOT / "packaging" / "containers"
WORKFLOW = ROOT / ".github" / "workflows" / "bundles.yml"
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
                 WORKFLOW):  # fmt: skip
        words = " ".join(path.read_text(encoding="utf-8")[:700].split()).lower()
        assert re.search(r"never (tried|run)|not been (built|started)|has never run", words), path


def test_every_script_can_be_read_by_the_shell() -> None:
    """Those of the steps of the workflow too; nothing is carried out."""
    scripts = {
        str(path.relative_to(ROOT)): path.read_text(encoding="utf-8")
        for path in (ROOT / "packaging").rglob("*.sh")
    }
    assert "packaging/elsewhere/macos.sh" in scripts
    workflow = yaml.safe_load(WORKFLOW.read_text(encoding="utf-8"))
    for name, job in workflow["jobs"].items():
        for number, step in enumerate(job["steps"]):
            if "run" in step and step.get("shell", "bash") == "bash":
                scripts[f"{name} {number}"] = re.sub(r"\$\{\{.*?\}\}", "VALUE", step["run"])
    for name, text in scripts.items():
        done = subprocess.run(["bash", "-n"], input=text, capture_output=True, text=True)
        assert (done.returncode, done.stderr) == (0, ""), name


def test_the_recipes_name_files_that_are_there() -> None:
    for path in (*RECIPES.iterdir(), *(ROOT / "packaging" / "elsewhere").iterdir(), WORKFLOW):
        text = path.read_text(encoding="utf-8").replace("\\", "/")
        for name in re.findall(r"\bpackaging/[\w./-]*\w", text):
            assert (ROOT / name).exists(), f"{path.name}: {name}"


def test_the_container_file_has_known_instructions_alone() -> None:
    text = (RECIPES / "worker.Containerfile").read_text(encoding="utf-8")
    lines = re.sub(r"\\\n", " ", text).splitlines()
    kinds = {line.split()[0] for line in lines if line.strip() and not line.startswith("#")}
    assert kinds == {"FROM", "RUN", "COPY", "USER", "WORKDIR", "ENTRYPOINT"}


def test_the_installer_of_windows_has_known_sections_and_whole_entries() -> None:
    text = (ROOT / "packaging" / "elsewhere" / "windows.iss").read_text(encoding="utf-8")
    section = ""
    for line in text.splitlines():
        if line.startswith("["):
            section = line.strip("[]")
            assert section in {"Setup", "Languages", "Tasks", "Files", "Icons", "Registry", "Run"}
        elif line.strip() and not line.startswith((";", "#")):
            separator = "=" if section == "Setup" else ":"
            assert all(separator in part for part in line.split(";") if part.strip()), line
