"""Anchors: what whoever owns the database rewrote is found with one person's receipt."""

import base64
import hashlib
import json
import subprocess
from collections.abc import Iterator
from dataclasses import asdict, replace
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from core import settings
from core.cli import main
from core.errors import OutsideError, StateError, WorkspaceError
from core.sealing import time_stamps
from core.sealing.signing import signer_at
from core.workflow import people
from core.workflow.anchors import anchors
from core.workflow.check import review
from core.workflow.verify.checks import verify
from core.workflow.workspace import Workspace
from tests.postgres import PostgresServer
from tests.servers.time_stamp_server import TimeStampServer, time_stamp_server
from tests.tampering import base64_respelled, meddle
from tests.workspaces import make_task, new_workspace, write_items


@pytest.fixture
def ws(tmp_path: Path) -> Iterator[Workspace]:
    ws = new_workspace(tmp_path)
    make_task(ws)
    yield ws
    ws.close()


def rewrite(ws: Workspace, first: int, actor: str = "somebody") -> None:
    """Let another actor have written an event, and make the whole chain fit again, as only who
    owns the database can."""
    with ws.reading() as session:
        query = "SELECT id, at, actor, kind, item_id, subject, data FROM event ORDER BY id"
        rows = [tuple(row) for row in session.connection().exec_driver_sql(query)]
    previous, statements = "0" * 64, []
    for row in rows:
        values = [*row]
        if values[0] == first:
            values[2] = actor
        line = json.dumps([*values, previous], ensure_ascii=False, separators=(",", ":"))
        seal = hashlib.sha256(line.encode()).hexdigest()
        statements.append(
            f"UPDATE event SET actor = '{values[2]}', previous = '{previous}', hash = '{seal}' "
            f"WHERE id = {values[0]}"
        )
        previous = seal
    meddle(ws, *statements)


def kinds(ws: Workspace, *places: Path) -> list[tuple[str, str]]:
    return [(one.kind, one.subject) for one in verify(ws, anchors=places).findings]


def test_a_ledger_that_only_grew_agrees_with_every_anchor(ws):
    first, path = anchors.make(ws)
    assert path.stat().st_mode & 0o777 == 0o600
    write_items(ws, 2)
    second, _ = anchors.make(ws)
    assert second.after == first.event
    assert len(second.trail) == second.event - first.event
    assert kinds(ws) == []
    assert "Compared with 2 anchors" in " ".join(verify(ws).notes)
    again, same = anchors.make(ws)
    assert (again.event, same.name) == (second.event, f"{second.event:09d}.json")


def test_a_chain_that_was_rewritten_consistently_is_found_with_one_anchor_and_named(ws):
    write_items(ws, 3)
    before = kinds(ws)
    assert before == []
    rewrite(ws, 3)
    assert kinds(ws) == []  # without an anchor nobody can see it
    rewrite(ws, 3, "王")
    anchor, _ = anchors.make(ws)
    rewrite(ws, 4)
    assert kinds(ws) == [("anchor", "event 4")]
    assert anchor.person in verify(ws).findings[0].detail


def test_the_first_event_is_named_though_many_anchors_disagree(ws):
    anchors.make(ws)
    for start in range(3):
        write_items(ws, 1, start=start)
        anchors.make(ws)
    newest = anchors.known_anchors(ws)[-1].event
    rewrite(ws, newest - 1)
    assert kinds(ws)[0] == ("anchor", f"event {newest - 1}")


def test_events_that_were_cut_off_are_found_and_the_next_anchor_refuses(ws):
    write_items(ws, 2)
    anchor, _ = anchors.make(ws)
    meddle(ws, f"DELETE FROM event WHERE id = {anchor.event}")
    assert ("anchor", f"event {anchor.event}") in kinds(ws)
    with pytest.raises(WorkspaceError, match="events were removed"):
        anchors.make(ws)


def test_an_anchor_that_was_changed_is_no_proof_of_anything(ws, tmp_path):
    _, path = anchors.make(ws)
    document = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps({**document, "person": "li"}), encoding="utf-8")
    (finding,) = verify(ws).findings
    assert "signature" in finding.detail


@pytest.mark.parametrize("respell", [str.upper, " ".join, lambda text: text[:2] + " " + text[2:]])
def test_a_signature_has_one_spelling(ws, respell):
    made, path = anchors.make(ws)
    document = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(
        json.dumps({**document, "signature": respell(made.signature)}), encoding="utf-8"
    )
    (finding,) = verify(ws).findings
    assert "signature" in finding.detail


@pytest.mark.parametrize("text", ["", "{}", "[1]", "\x00", '{"anchor": 1}', "{" * 4000])
def test_files_that_are_no_anchors_are_left_out(ws, text):
    anchors.make(ws)
    (anchors.own_folder(ws) / "other.json").write_text(text, encoding="utf-8")
    assert kinds(ws) == []


def test_anchors_of_others_are_compared_where_they_are_named(ws, tmp_path, monkeypatch):
    file = tmp_path / "theirs" / "anchors.txt"
    with monkeypatch.context() as patch:
        patch.setenv("XDG_DATA_HOME", str(tmp_path / "li"))
        anchors.make(ws, to=file)
        write_items(ws, 1)
        anchors.make(ws, to=file)
    assert len(file.read_text(encoding="utf-8").splitlines()) == 2
    assert kinds(ws, file) == []
    rewrite(ws, 2)
    assert kinds(ws) == []
    assert kinds(ws, file)[0] == ("anchor", "event 2")


def test_a_git_repository_gets_a_commit_each(ws, tmp_path, monkeypatch):
    place = tmp_path / "repository"
    for name in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{name}_NAME", "li")
        monkeypatch.setenv(f"GIT_{name}_EMAIL", "li@example.org")
    subprocess.run(["git", "init", "-q", str(place)], check=True)
    settings.change({"anchor_to": str(place)})
    anchors.make(ws)
    write_items(ws, 1)
    anchors.make(ws)
    anchors.make(ws)
    log = ["git", "-C", str(place), "log", "--format=%s"]
    said = subprocess.run(log, capture_output=True, text=True, check=True).stdout.splitlines()
    assert len(said) == 2
    assert all(line.startswith("Anchor of event ") for line in said)
    assert kinds(ws) == []


def test_a_place_that_cannot_be_written_is_named(ws, tmp_path):
    (tmp_path / "file").write_text("x", encoding="utf-8")
    with pytest.raises(OutsideError, match="could not be written"):
        anchors.make(ws, to=tmp_path / "file" / "below")


def test_the_commands(ws, tmp_path, capsys):
    place = str(ws.place.folder)
    assert main(["--workspace", place, "anchor", "--to", str(tmp_path / "a.txt")]) == 0
    said = capsys.readouterr().out
    assert "Anchored event" in said
    assert str(tmp_path / "a.txt") in said
    rewrite(ws, 2)
    assert main(["--workspace", place, "verify", "--anchors", str(tmp_path / "a.txt")]) == 1
    assert "anchor  event 2" in capsys.readouterr().out


def test_an_annotator_of_a_server_anchors_and_the_lead_finds_the_rewrite(
    pg_server: PostgresServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("BENCHSEAL_FOLDER", str(tmp_path / "folder"))
    name = pg_server.create()
    admin = Workspace.create(pg_server.url(name), "ruth", "ruth_anchors")
    ruth = Workspace.open(pg_server.url(name, "ruth_anchors"))
    people.ensure_person(ruth, "wu_anchors", "annotator")
    make_task(ruth)
    numbers = write_items(ruth, 2, author="ruth")
    wu = Workspace.open(pg_server.url(name, "wu_anchors"))
    file = tmp_path / "wu.txt"
    first, _ = anchors.make(wu, to=file)
    review.claim_item(wu, "wu_anchors", numbers[0])
    review.decide(wu, "wu_anchors", numbers[0], "accept")
    second, _ = anchors.make(wu, to=file)
    assert second.trail == ()
    assert second.event > first.event
    assert kinds(ruth, file) == []
    rewrite(admin, second.event, "ruth")
    expected = f"events {first.event + 1} to {second.event}"
    assert kinds(ruth, file)[0] == ("anchor", expected)
    for opened in (wu, ruth, admin):
        opened.close()
    pg_server.drop(name)


def test_an_empty_ledger_has_nothing_to_anchor(ws):
    meddle(ws, "DELETE FROM event")
    with pytest.raises(StateError):
        anchors.make(ws)


@pytest.fixture
def stamping(tmp_path: Path) -> Iterator[TimeStampServer]:
    """A time-stamp server that the settings name and trust."""
    (tmp_path / "tsa").mkdir()
    with time_stamp_server(tmp_path / "tsa") as server:
        settings.change({"anchor_stamp": server.url, "anchor_roots": str(server.roots)})
        yield server


def test_an_anchor_is_stamped_by_the_server_of_the_settings_and_verify_checks_it(
    ws, stamping, tmp_path
):
    (tmp_path / "place").mkdir()
    made, path = anchors.make(ws, to=tmp_path / "place")
    assert made.stamp
    assert made.is_signed()
    found = verify(ws, anchors=[tmp_path / "place"])
    assert found.findings == ()
    assert any("was stamped at" in note for note in found.notes)
    assert anchors.make(ws)[0] == made  # nothing is asked again
    assert stamping.asked == 1
    document = json.loads(path.read_text(encoding="utf-8"))
    (tmp_path / "other").mkdir()
    with time_stamp_server(tmp_path / "other") as other:
        settings.change({"anchor_roots": str(other.roots)})
        (finding,) = verify(ws).findings
        assert "time stamp" in finding.detail
        settings.change({"anchor_roots": ""})
        assert any("says that it was stamped" in note for note in verify(ws).notes)
    settings.change({"anchor_roots": str(stamping.roots)})
    write_items(ws, 1)
    later, _ = anchors.make(ws)
    path.write_text(json.dumps({**document, "stamp": later.stamp}), encoding="utf-8")
    assert [one.kind for one in verify(ws).findings] == ["anchor"]


def test_a_stamp_has_one_spelling(ws, stamping, monkeypatch):
    asked = time_stamps.stamp

    def with_idle_bits(content: bytes, server: str) -> bytes:
        while True:  # a stamp is longer by a byte where its random number begins with a one
            answer = asked(content, server)
            if len(answer) % 3:
                return answer

    monkeypatch.setattr(time_stamps, "stamp", with_idle_bits)
    made, path = anchors.make(ws)
    assert verify(ws).findings == ()
    document = json.loads(path.read_text(encoding="utf-8"))
    for other in base64_respelled(made.stamp):
        path.write_text(json.dumps({**document, "stamp": other}), encoding="utf-8")
        (finding,) = verify(ws).findings
        assert "time stamp" in finding.detail


def test_an_anchor_is_kept_without_a_stamp_where_the_server_is_away_and_stamped_later(ws, stamping):
    settings.change({"anchor_stamp": "http://127.0.0.1:9"})
    with pytest.raises(OutsideError, match="kept without"):
        anchors.make(ws)
    (kept,) = anchors.known_anchors(ws)
    assert kept.stamp == ""
    settings.change({"anchor_stamp": stamping.url})
    made, _ = anchors.make(ws)
    assert (made.event, bool(made.stamp)) == (kept.event, True)
    assert anchors.known_anchors(ws) == (made,)


def test_a_ledger_that_says_a_later_time_than_the_stamp_is_found(ws, stamping):
    made, path = anchors.make(ws)
    later = (datetime.fromisoformat(made.at) + timedelta(days=1)).isoformat()
    forged = replace(made, at=later, signature="", stamp="")
    signer = signer_at(anchors.own_folder(ws).parent / "key.pem")
    forged = replace(forged, signature=signer.sign(forged.signed_part()).hex())
    stamp = base64.b64encode(time_stamps.stamp(forged.stamped_part(), stamping.url)).decode()
    document = {**asdict(forged), "trail": list(forged.trail), "stamp": stamp}
    path.write_text(json.dumps(document), encoding="utf-8")
    (finding,) = verify(ws).findings
    assert "before the time" in finding.detail
