"""A tracker's script is run in another Python, and told what it may know."""

import json
import sys
from pathlib import Path

import pytest

from core.errors import InputError, OutsideError
from core.evaluation.trackers import TrackedRun, Tracker, place_of, require, send

RUN = TrackedRun("r1", "b", "finished", 2, {"engine": "e"}, {"score": 0.5}, {"split": "s"})


def tracker(folder: Path, script: str) -> Tracker:
    path = folder / "to_somewhere.py"
    path.write_text(script, encoding="utf-8")
    return Tracker("somewhere", "Somewhere", "", str(path), ("SOMEWHERE_",))


def test_the_script_gets_the_run_and_the_place_and_its_last_line_is_the_answer(
    tmp_path: Path,
) -> None:
    script = """import json, os, sys
print("a word to people")
document = {"run": json.load(sys.stdin), "place": sys.argv[1], "folder": os.listdir()}
print(json.dumps(document))
print()
"""
    said = json.loads(send(tracker(tmp_path, script), RUN, "/a/place", sys.executable))
    assert said["place"] == "/a/place"
    assert said["run"]["figures"] == {"score": 0.5}
    assert said["run"]["id"] == "r1"
    assert set(said["folder"]) == {"said", "failed"}  # nobody's repository, nobody's .env


def test_of_secrets_it_gets_its_own_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("SOMEWHERE_API_KEY", "OPENAI_API_KEY", "BENCHSEAL_WORKSPACE", "SOMEWHERE_ELSE"):
        monkeypatch.setenv(name, "value-of-" + name)
    script = "import os\nprint(sorted(v for v in os.environ.values() if v.startswith('value-of')))"
    said = send(tracker(tmp_path, script), RUN, "/a/place", sys.executable)
    assert said == "['value-of-SOMEWHERE_API_KEY', 'value-of-SOMEWHERE_ELSE']"


def test_what_it_complains_of_is_told_without_its_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOMEWHERE_TOKEN", "a-token-of-some-length")
    script = "import os\nraise SystemExit('refused ' + os.environ['SOMEWHERE_TOKEN'])"
    with pytest.raises(OutsideError, match=r"Somewhere did not take the run: refused \[key\]"):
        send(tracker(tmp_path, script), RUN, "/a/place", sys.executable)


def test_a_python_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(OutsideError, match=r"nowhere/python.*could not be started"):
        require(tracker(tmp_path, ""), "nowhere/python")


def test_a_python_is_named_from_where_one_stands_and_stays_the_environment_that_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "python").symlink_to(sys.executable)
    monkeypatch.chdir(tmp_path)
    assert require(tracker(tmp_path, ""), "./python") == str(tmp_path / "python")


@pytest.mark.parametrize(
    ("where", "host"),
    [("https://Tracker.example.org/x", "tracker.example.org"),
     ("http://127.0.0.1:5000", "127.0.0.1")],
)  # fmt: skip
def test_a_server_is_recorded_by_its_host(where: str, host: str) -> None:
    assert place_of(where) == (where, host)


def test_a_folder_is_recorded_by_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert place_of("runs") == (str(tmp_path / "runs"), "")


@pytest.mark.parametrize(
    "where", ["https://ann:pass@example.org", "https://example.org/?write_token=abc",
              "sqlite:///runs.db", "https://", "https://a%2eb/"],
)  # fmt: skip
def test_an_address_with_a_key_or_without_a_host_is_refused(where: str) -> None:
    with pytest.raises(InputError, match=r"password or key|neither a folder nor"):
        place_of(where)
