"""Items go to somebody without a connection in a file, and what they decided comes back, once."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from core.errors import ConflictError, InputError, RightsError, StateError
from core.workflow import people, team
from core.workflow.check import leases, review
from core.workflow.items import history, undo
from core.workflow.packages.bring_in import bring_in
from core.workflow.packages.hand_out import HandedOut, PackageOrder, hand_out
from core.workflow.packages.offline_work import give_back, open_package
from core.workflow.packages.package_file import own_key, read_package
from core.workflow.production import write
from core.workflow.verify.checks import verify
from core.workflow.workspace import Workspace
from tests.postgres import PostgresServer
from tests.workspaces import BENCHMARK, make_task, payload, write_items

Sit = Callable[[str], Workspace]


@pytest.fixture(params=["sqlite", "postgresql"])
def sit_down(
    request: pytest.FixtureRequest, pg_server: PostgresServer, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[Sit]:  # fmt: skip
    """Open the workspace as somebody: the lead ``boss``, the annotators ``bob`` and ``cy``, or
    ``ann``, who wrote its six items; two people review each."""
    opened: dict[str, Workspace] = {}
    monkeypatch.setenv("BENCHSEAL_FOLDER", str(tmp_path / "folder"))
    database = pg_server.create() if request.param == "postgresql" else ""

    def place(who: str) -> str:
        return pg_server.url(database, who) if database else str(tmp_path / "home")

    Workspace.create(place("postgres"), "boss", "boss" if database else "").close()

    def sit(who: str) -> Workspace:
        if who not in opened:
            opened[who] = Workspace.open(place(who))
            opened[who].person = who
        return opened[who]

    for name in ("ann", "bob", "cy"):
        people.ensure_person(sit("boss"), name, "annotator", actor="boss")
    make_task(sit("boss"), overlap=2)
    write_items(sit("ann"), 6)
    yield sit
    assert verify(sit("boss")).findings == ()
    for ws in opened.values():
        ws.close()
    if database:
        pg_server.drop(database)


def made(sit_down: Sit, folder: Path, count: int = 3) -> HandedOut:
    order = PackageOrder("bob", count, own_key(), benchmark=BENCHMARK)
    return hand_out(sit_down("boss"), order, folder / "bob.package", "boss")


def accept_offline(folder: Path, *numbers: int) -> None:
    """As bob, accept items of the package in the folder, by their numbers there, and give back."""
    open_package(folder / "bob.package", folder / "offline")
    offline = Workspace.open(folder / "offline")
    for number in numbers:
        review.decide(offline, "bob", number, "accept")
    give_back(offline, folder / "back", "bob")
    offline.close()


def bringer(sit_down: Sit) -> Workspace:
    """As whom the file is brought back: the person's own login, or the lead of a personal one."""
    boss = sit_down("boss")
    return sit_down("bob") if boss.has_logins else boss


def test_the_whole_way_there_and_back(sit_down: Sit, tmp_path: Path):
    handed = made(sit_down, tmp_path)
    first, second, third = handed.items
    assert b"fluency" not in (tmp_path / "bob.package").read_bytes()
    opened = open_package(tmp_path / "bob.package", tmp_path / "offline")
    assert (opened.person, len(opened.items)) == ("bob", 3)
    offline = Workspace.open(tmp_path / "offline")
    card = review.next_card(offline, "bob", BENCHMARK)
    assert card is not None
    home = history.item_history(sit_down("boss"), first, "boss").revisions[0].content
    assert card.content.content_hash == home.content_hash
    review.decide(offline, "bob", 1, "accept", note="fine", seconds=7.0)
    review.decide(offline, "bob", 2, "reject", reason="formula")
    undo.undo(offline, "bob")
    review.decide(offline, "bob", 2, "return", note="the title is wrong")
    review.next_card(offline, "bob", BENCHMARK)
    review.skip(offline, "bob", 3, "not my field")
    assert len(give_back(offline, tmp_path / "back", "bob").decisions) == 3
    offline.close()
    came = bring_in(bringer(sit_down), tmp_path / "back", "boss")
    assert [kept.number for kept in came.taken] == [first, second, third]
    assert (came.known, came.refused) == ((), ())
    assert history.state_of(sit_down("boss"), second) == "returned"
    review.decide(sit_down("cy"), "cy", first, "accept")
    (own, _) = history.item_history(sit_down("boss"), first, "boss").decisions
    assert (own.person, own.verdict, own.note, own.seconds) == ("bob", "accept", "fine", 7.0)
    again = bring_in(bringer(sit_down), tmp_path / "back", "boss")
    assert len(again.known) == 3
    assert (again.taken, again.refused) == ((), ())
    decided = [e for e in history.item_history(sit_down("boss"), first, "boss").events
               if e.kind == "decided"]  # fmt: skip
    assert len(decided) == 2
    if not sit_down("boss").has_logins:
        assert decided[0].data["recorded_by"] == "boss"


def test_what_lies_in_a_package_is_held_and_not_shown_in_review(sit_down: Sit, tmp_path: Path):
    handed = made(sit_down, tmp_path, 5)
    bob = sit_down("bob")
    card = review.next_card(bob, "bob", BENCHMARK)
    assert card is not None
    assert card.number not in handed.items
    assert leases.release(bob, "bob") == 1  # what was claimed here, and nothing of the package
    review.decide(sit_down("cy"), "cy", handed.items[0], "accept")
    with pytest.raises(ConflictError, match="all its reviewers"):
        review.claim_item(sit_down("boss"), "boss", handed.items[0])


def test_what_changed_meanwhile_is_a_conflict_and_the_rest_is_taken(sit_down: Sit, tmp_path: Path):
    first, second, _ = made(sit_down, tmp_path).items
    accept_offline(tmp_path, 1, 2)
    cy = sit_down("cy")
    review.decide(cy, "cy", first, "return", note="the title is wrong")
    write.revise(sit_down("ann"), "ann", first, payload("改过的"), note="a new title")
    came = bring_in(bringer(sit_down), tmp_path / "back", "boss")
    assert [kept.number for kept in came.taken] == [second]
    (refused,) = came.refused
    assert refused.number == first
    assert "revision 2" in refused.refusal


def test_who_may_hand_out_and_who_may_bring_back(sit_down: Sit, tmp_path: Path):
    order = PackageOrder("bob", 2, own_key())
    with pytest.raises(RightsError):
        hand_out(sit_down("cy"), order, tmp_path / "x", "cy")
    with pytest.raises(InputError, match="recipient"):
        hand_out(sit_down("boss"), PackageOrder("bob", 2, "age1nobody"), tmp_path / "x", "boss")
    assert not (tmp_path / "x").exists()
    made(sit_down, tmp_path, 2)
    with pytest.raises(InputError, match="there already"):
        made(sit_down, tmp_path, 2)
    team.pause(sit_down("boss"), "bob", "a rest", "boss")
    with pytest.raises(RightsError, match="paused"):
        hand_out(sit_down("boss"), order, tmp_path / "y", "boss")
    with pytest.raises(StateError, match="No item waits"):
        hand_out(sit_down("boss"), PackageOrder("ann", 2, own_key()), tmp_path / "z", "boss")
    accept_offline(tmp_path)
    if sit_down("boss").has_logins:
        with pytest.raises(RightsError, match="nobody else can act"):
            bring_in(sit_down("boss"), tmp_path / "back", "boss")


def test_a_package_opens_for_nobody_else(sit_down: Sit, tmp_path: Path, monkeypatch):
    made(sit_down, tmp_path)
    monkeypatch.setattr(
        "core.workflow.packages.package_file.identity_path", lambda: tmp_path / "other" / "key"
    )
    with pytest.raises(InputError, match="not encrypted to the key"):
        read_package(tmp_path / "bob.package")
    own_key()
    with pytest.raises(InputError, match="not encrypted to the key"):
        read_package(tmp_path / "bob.package")
