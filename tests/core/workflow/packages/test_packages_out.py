"""What is out in work packages, how far each is, and calling one off."""

import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from core.errors import NotFoundError, RightsError, StateError
from core.workflow import people
from core.workflow.check import review
from core.workflow.packages.bring_in import bring_in
from core.workflow.packages.hand_out import PackageOrder, hand_out
from core.workflow.packages.offline_work import give_back, open_package
from core.workflow.packages.package_file import own_key
from core.workflow.packages.packages_out import call_off, packages_out
from core.workflow.verify.checks import verify
from core.workflow.workspace import Workspace
from db.assignments import expire_leases
from tests.core.workflow.packages.test_bring_in import (
    Sit,
    accept_offline,
    bringer,
    made,
    sit_down,
)
from tests.workspaces import BENCHMARK, make_task, write_items

__all__ = ["sit_down"]


def test_what_is_out_counts_what_came_back_and_what_is_still_held(sit_down: Sit, tmp_path: Path):
    boss = sit_down("boss")
    assert packages_out(boss, "boss") == ()
    handed = made(sit_down, tmp_path)
    (out,) = packages_out(boss, "boss")
    assert (out.package, out.person, out.lead, out.until) == (
        handed.package, "bob", "boss", handed.until,
    )  # fmt: skip
    assert (out.items, out.decided, out.skipped, out.held) == (3, 0, 0, 3)
    open_package(tmp_path / "bob.package", tmp_path / "offline")
    offline = Workspace.open(tmp_path / "offline")
    review.decide(offline, "bob", 1, "accept")
    review.next_card(offline, "bob", BENCHMARK)
    review.skip(offline, "bob", 2, "not my field")
    give_back(offline, tmp_path / "back", "bob")
    offline.close()
    bring_in(bringer(sit_down), tmp_path / "back", "boss")
    (out,) = packages_out(boss, "boss")
    assert (out.items, out.decided, out.skipped, out.held) == (3, 1, 1, 1)


def test_days_of_packages_are_those_of_this_machine(
    sit_down: Sit, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    boss = sit_down("boss")
    try:
        for zone in ("Pacific/Kiritimati", "Pacific/Pago_Pago"):  # 25 hours apart
            monkeypatch.setenv("TZ", zone)
            time.tzset()
            today = datetime.now(ZoneInfo(zone))
            (folder := tmp_path / zone[8:]).mkdir()
            handed = made(sit_down, folder, 1)
            assert handed.until == (today + timedelta(days=30)).date().isoformat()
            assert packages_out(boss, "boss")[0].made == today.date().isoformat()
    finally:
        monkeypatch.undo()
        time.tzset()


def test_a_package_that_is_called_off_frees_its_items_for_others(sit_down: Sit, tmp_path: Path):
    boss, cy = sit_down("boss"), sit_down("cy")
    handed = made(sit_down, tmp_path)
    for number in handed.items:
        review.decide(cy, "cy", number, "accept")
    assert call_off(boss, handed.package, "boss") == 3
    (out,) = packages_out(boss, "boss")
    assert (out.items, out.held) == (3, 0)
    card = review.claim_item(
        boss, "boss", handed.items[0]
    )  # the place is free for a second reviewer
    assert card.number == handed.items[0]
    with pytest.raises(StateError, match="Nothing of this work package"):
        call_off(boss, handed.package, "boss")
    (tmp_path / "again").mkdir()
    again = made(sit_down, tmp_path / "again", 2)
    newest, before = packages_out(boss, "boss")
    assert (newest.package, newest.held) == (again.package, 2)
    assert (before.package, before.held) == (handed.package, 0)


def test_who_no_longer_works_here_holds_nothing_of_a_package(sit_down: Sit, tmp_path: Path):
    boss, cy = sit_down("boss"), sit_down("cy")
    handed = made(sit_down, tmp_path)
    for number in handed.items:
        review.decide(cy, "cy", number, "accept")
    people.set_active(boss, "bob", False, "boss")
    (out,) = packages_out(boss, "boss")
    assert (out.items, out.held) == (3, 0)
    assert review.claim_item(boss, "boss", handed.items[0]).number == handed.items[0]
    assert verify(boss).findings == ()


def test_what_comes_back_of_a_package_that_was_called_off_is_taken_while_there_is_a_place(
    sit_down: Sit, tmp_path: Path
):
    first, second, _ = made(sit_down, tmp_path).items
    accept_offline(tmp_path, 1, 2)
    boss, cy = sit_down("boss"), sit_down("cy")
    (out,) = packages_out(boss, "boss")
    call_off(boss, out.package, "boss")
    review.decide(cy, "cy", first, "accept")
    review.decide(boss, "boss", first, "accept")
    came = bring_in(bringer(sit_down), tmp_path / "back", "boss")
    assert [kept.number for kept in came.taken] == [second]
    assert [kept.number for kept in came.refused] == [first]


def test_packages_are_the_business_of_leads(sit_down: Sit, tmp_path: Path):
    handed = made(sit_down, tmp_path)
    with pytest.raises(RightsError):
        packages_out(sit_down("cy"), "cy")
    with pytest.raises(RightsError):
        call_off(sit_down("cy"), handed.package, "cy")
    with pytest.raises(NotFoundError, match="no work package"):
        call_off(sit_down("boss"), "0123", "boss")


def test_items_of_a_package_that_ran_out_can_be_reviewed_and_handed_out_again(
    sit_down: Sit, tmp_path: Path
):
    boss, bob = sit_down("boss"), sit_down("bob")
    first = made(sit_down, tmp_path, 6)
    call_off(boss, first.package, "boss")
    card = review.next_card(bob, "bob", BENCHMARK)
    assert card is not None
    assert card.number == first.items[0]
    assert review.next_card(bob, "bob", BENCHMARK) == card  # and stays in their hands
    review.decide(bob, "bob", card.number, "accept")
    (tmp_path / "again").mkdir()
    again = made(sit_down, tmp_path / "again", 6)
    assert again.items == first.items[1:]
    newest, before = packages_out(boss, "boss")
    assert (newest.package, newest.held, before.held) == (again.package, 5, 0)
    assert review.next_card(bob, "bob", BENCHMARK) is None


def test_a_claim_of_a_package_that_expired_by_itself_is_an_ordinary_one_afterwards(
    tmp_path: Path,
):
    ws = Workspace.create(tmp_path / "home", "boss")
    people.ensure_person(ws, "bob", "annotator", actor="boss")
    make_task(ws)
    write_items(ws, 1)
    order = PackageOrder("bob", 1, own_key(), benchmark=BENCHMARK, days=1)
    hand_out(ws, order, tmp_path / "bob.package", "boss")
    with ws.writing() as session:
        assert expire_leases(session, datetime.now(UTC) + timedelta(days=2)) == 1
    (out,) = packages_out(ws, "boss")
    assert (out.items, out.held) == (1, 0)
    assert review.next_card(ws, "bob", BENCHMARK) is not None
    (out,) = packages_out(ws, "boss")
    assert out.held == 0  # what they hold now, they hold in Review
    ws.close()
