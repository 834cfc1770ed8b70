"""Every written report of agreement names the package that computed its coefficients as well."""

import json
from contextlib import closing
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest

from core.accounts import login
from core.agreement.independent_check import REFERENCES
from core.agreement.statistic import Statistic
from core.cli import main
from core.workflow import people
from core.workflow.workspace import Workspace
from tests.workload import fill

REPORTS = (
    ("agreement", "--by", "task"),
    ("agreement", "--criterion", "accuracy", "--coefficient", "krippendorff_alpha_ordinal"),
    ("report", "coreeval-human"),
    ("report", "cif-human"),
    ("dashboard", "agreement"),
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("reports") / "w"
    fill(place, 60, tasks=2, decided=0.8, criteria=("fluency", "accuracy"), screened=True).close()
    return place


def checks_of(document: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """By name of the coefficient what ``checked_with`` says, of any of the reports."""
    if "checked_with" in document:
        return dict(document["checked_with"])
    results = list(document["coefficients"])
    for group in document.get("groups", ()):
        results += group["coefficients"]
    for result in results:
        checkable = result["name"] in REFERENCES and result["value"] is not None
        assert (result["checked_with"] is not None) == checkable, result["name"]
    return {one["name"]: one["checked_with"] for one in results if one["checked_with"]}


@pytest.mark.parametrize("words", REPORTS, ids=" ".join)
def test_a_report_names_the_package_and_the_difference(
    words: tuple[str, ...], folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command, *rest = words
    assert main([command, *rest, "--workspace", str(folder), "--json"]) == 0
    checks = checks_of(json.loads(capsys.readouterr().out))
    assert checks
    for name, check in checks.items():
        package = REFERENCES[name][0]
        assert (check["package"], check["version"]) == (package, version(package))
        assert 0 <= check["difference"] <= 1e-12
    assert main([command, *rest, "--workspace", str(folder)]) == 0
    printed = capsys.readouterr().out
    for package in {REFERENCES[name][0] for name in checks}:
        assert f"checked with {package} {version(package)}: equal to 1e-12." in printed


@pytest.mark.parametrize("words", REPORTS, ids=" ".join)
def test_a_report_whose_check_fails_is_not_written(
    words: tuple[str, ...], folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    def value(statistic: Statistic) -> float:
        return float(statistic.at(statistic.patterns.weights[None, :])[0]) + 1e-6

    monkeypatch.setattr(Statistic, "value", property(value))
    written = tmp_path / "report"
    form = {"report": ["--html", str(written)], "dashboard": ["--csv", f"{written}.csv"]}
    command, *rest = words
    arguments = [command, *rest, "--workspace", str(folder), *form.get(command, [])]
    assert main(arguments) == 4
    said = capsys.readouterr()
    assert "They differ by more than 1e-09" in said.err
    assert not list(tmp_path.iterdir())


def test_both_named_reports_check_each_coefficient_that_a_package_has(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    wanted = {
        "coreeval-human": {"fleiss_kappa"},
        "cif-human": {"cohen_kappa", "cohen_kappa_cost"},
    }
    for name, coefficients in wanted.items():
        assert main(["report", name, "--workspace", str(folder), "--json"]) == 0
        document = json.loads(capsys.readouterr().out)
        assert set(document["checked_with"]) == coefficients
        assert all(check["tables"] >= 2 for check in document["checked_with"].values())
        assert any("checked with statsmodels" in note for note in document["notes"])


SENTENCE = "This workspace is personal: names are not authenticated."


@pytest.mark.parametrize("name", ["coreeval-human", "cif-human"])
def test_a_named_report_says_once_that_names_are_not_authenticated(
    name: str, folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "page.html"
    words = ["report", name, "--workspace", str(folder)]
    assert main([*words, "--html", str(page)]) == 0
    assert capsys.readouterr().out.count(SENTENCE) == 1
    assert page.read_text(encoding="utf-8").count(SENTENCE) == 1
    assert main([*words, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["notes"].count(SENTENCE) == 1


def test_the_site_says_once_that_names_are_not_authenticated(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "site"
    assert main(["report", "site", "--out", str(out), "--workspace", str(folder)]) == 0
    capsys.readouterr()
    pages = [path.read_text(encoding="utf-8") for path in out.rglob("*.html")]
    assert sum(page.count(SENTENCE) for page in pages) == 1


def test_the_reports_of_a_shared_workspace_say_since_when_accounts_decide(tmp_path: Path) -> None:
    with closing(Workspace.create(tmp_path / "w", "王")) as ws:
        people.set_account(ws, "王", login(), "王")
        assert people.names_sentence(ws) == SENTENCE
        people.set_shared(ws, True, "王")
        assert people.names_sentence(ws).startswith(f"Since {datetime.now(UTC):%Y-%m-%d} ")
        people.set_shared(ws, False, "王")
        assert people.names_sentence(ws) == SENTENCE
