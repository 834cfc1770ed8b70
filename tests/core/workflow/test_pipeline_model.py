"""Random sequences of every action against a plain model of the pipeline.

The model knows nothing of databases: per item who wrote it, who said what of the present revision,
and where it therefore must stand. Whatever the program refuses must leave no trace.
"""

import shutil
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from core.errors import BenchsealError, ConflictError, RightsError, StateError
from core.workflow import people
from core.workflow.audit import lots as audit
from core.workflow.check import adjudicate, leases, review
from core.workflow.items import history, search, state_counts, undo
from core.workflow.production import write
from core.workflow.verify.checks import verify
from core.workflow.workspace import Workspace
from tests.workspaces import BENCHMARK, TASK, make_task, payload

PEOPLE = ("ann", "li", "wu", "zoe", "ruth")
OVERLAP = 2


@dataclass
class ModelItem:
    """What the model knows of an item. ``said`` maps reviewers of this revision to verdicts."""

    writers: set[str]
    said: dict[str, str] = field(default_factory=dict)
    settled: str = ""
    adjudicator: str = ""
    lot: bool = False
    approved: bool = False
    returned: bool = False
    begun: bool = False
    faulted: bool = False

    @property
    def disputed(self) -> bool:
        """All have decided, none returned it, and they differ."""
        full = len(self.said) == OVERLAP and "return" not in self.said.values()
        return full and len(set(self.said.values())) > 1 and not self.settled

    @property
    def state(self) -> str:
        """Where it must stand."""
        if self.returned:
            return "returned"
        if self.approved:
            return "approved"
        if self.settled:
            return self.settled
        if "return" in self.said.values():
            return "returned"
        if len(self.said) == OVERLAP and len(set(self.said.values())) == 1:
            return "accepted" if "accept" in self.said.values() else "rejected"
        return "in_review" if self.said or self.begun else "draft"

    def fresh(self) -> None:
        """A new revision: nobody has said anything of it."""
        self.said, self.settled, self.adjudicator = {}, "", ""
        self.lot = self.approved = self.returned = self.begun = self.faulted = False


class Pipeline(RuleBasedStateMachine):
    """The actions of a team of five on one task."""

    template: Path

    @initialize()
    def begin(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="pipeline-"))
        (self.folder / "ws").mkdir()
        shutil.copy(self.template, self.folder / "ws" / "workspace.db")
        self.ws = Workspace.open(self.folder / "ws")
        roles = ("annotator", "specialist", "specialist", "specialist", "researcher")
        for name, role in zip(PEOPLE, roles, strict=True):
            people.ensure_person(self.ws, name, role)
        make_task(self.ws, overlap=OVERLAP, audit_sample=2)
        self.items: dict[int, ModelItem] = {}
        self.texts = 0
        self.done: dict[str, list[tuple[int, str]]] = {name: [] for name in PEOPLE}

    def teardown(self) -> None:
        if hasattr(self, "ws"):
            found = verify(self.ws)
            self.ws.close()
            shutil.rmtree(self.folder, ignore_errors=True)
            assert found.sound, found.findings

    def text(self) -> dict:
        self.texts += 1
        return payload(f"第{self.texts}篇")

    def some(self, place: int) -> int:
        numbers = sorted(self.items)
        return numbers[place % len(numbers)] if numbers else 1

    @rule(author=st.sampled_from(PEOPLE[:3]))
    def hand_in(self, author: str) -> None:
        number = write.submit(self.ws, author, TASK, self.text()).number
        self.items[number] = ModelItem({author})

    @rule(
        who=st.sampled_from(PEOPLE),
        place=st.integers(0, 20),
        verdict=st.sampled_from(["accept", "accept", "reject", "return"]),
    )
    def decide(self, who: str, place: int, verdict: str) -> None:
        number = self.some(place)
        item = self.items.get(number)
        allowed = (
            item is not None
            and item.state in ("draft", "in_review")
            and who not in item.writers
            and who not in item.said
            and len(item.said) < OVERLAP
        )
        try:
            review.decide(self.ws, who, number, verdict, reason="r", note="n")
        except BenchsealError:
            # A place may be held by a lease, which the model does not follow.
            assert not allowed or self.leased(number)
            return
        assert allowed
        item.said[who] = verdict
        item.faulted = item.faulted or verdict != "accept"

    def leased(self, number: int) -> bool:
        """Whether somebody holds the item; asking is claiming, so the model learns of claims."""
        held = False
        for who in PEOPLE:
            card = review.next_card(self.ws, who, BENCHMARK)
            if card is not None:
                self.items[card.number].begun = True
                held = held or card.number == number
        return held

    @rule(who=st.sampled_from(PEOPLE))
    def claim_and_let_go(self, who: str) -> None:
        card = review.next_card(self.ws, who, BENCHMARK)
        if card is not None:
            item = self.items[card.number]
            assert who not in item.writers
            assert who not in item.said
            assert item.state in ("draft", "in_review")
            item.begun = True
            leases.release(self.ws, who)

    @rule(
        who=st.sampled_from(PEOPLE[1:]),
        place=st.integers(0, 20),
        verdict=st.sampled_from(["accept", "reject", "return"]),
    )
    def settle(self, who: str, place: int, verdict: str) -> None:
        number = self.some(place)
        item = self.items.get(number)
        try:
            adjudicate.settle(self.ws, who, number, verdict, reason="r", note="n")
        except BenchsealError:
            assert item is None or not item.disputed or who in {*item.said, *item.writers}
            return
        assert item is not None
        assert item.disputed
        assert who not in item.said
        item.settled = {"accept": "accepted", "reject": "rejected", "return": "returned"}[verdict]

    @rule(place=st.integers(0, 20), changed=st.booleans())
    def revise(self, place: int, changed: bool) -> None:
        number = self.some(place)
        item = self.items.get(number)
        author = next(iter(item.writers)) if item else "ann"
        try:
            write.revise(self.ws, author, number, self.text() if changed else None)
        except BenchsealError:
            assert item is None or item.state != "returned" or (not changed and item.faulted)
            return
        assert item.state == "returned"
        item.fresh()

    @rule(seed=st.integers(0, 99))
    def start_audit(self, seed: int) -> None:
        ready = [i for i in self.items.values() if i.state == "accepted" and not i.lot]
        is_open = any(i.lot and i.state == "accepted" for i in self.items.values())
        try:
            audit.start(self.ws, TASK, "ruth", seed=seed)
        except StateError:
            assert is_open or not ready
            return
        assert ready
        assert not is_open
        for item in ready:
            item.lot = True

    @rule(place=st.integers(0, 1), passes=st.booleans())
    def audit_one(self, place: int, passes: bool) -> None:
        lots = audit.status(self.ws, TASK).lots
        if not lots or lots[-1].state != "open":
            return
        lot = lots[-1]
        waiting = [entry.number for entry in lot.drawn if not entry.verdict]
        number = waiting[place % len(waiting)]
        try:
            done = audit.decide(
                self.ws, "ruth", number, "accept" if passes else "reject", reason="r"
            )
        except RightsError:
            return
        if not passes:
            self.items[number].faulted = True
            for item in self.items.values():
                if item.lot and item.state == "accepted":
                    item.returned, item.lot = True, False
        elif done.lot_state == "passed":
            for item in self.items.values():
                if item.lot and item.state == "accepted":
                    item.approved = True

    @rule(who=st.sampled_from(PEOPLE))
    def take_back(self, who: str) -> None:
        before = self.seen()
        try:
            done = undo.undo(self.ws, who)
        except (StateError, ConflictError):
            assert self.seen() == before
            return
        self.learn(done)

    def seen(self) -> dict[int, tuple[str, int]]:
        rows = search.page(self.ws, search.Filters(), limit=500, viewer="").rows
        return {row.id: (row.state, row.revision) for row in rows}

    def learn(self, done: undo.Undone) -> None:
        """Undo is checked by what must hold afterwards: the item is as if it had not been done."""
        for number, item in self.items.items():
            life = history.item_history(self.ws, number, "")
            state = history.state_of(self.ws, number)
            present = life.revisions and self.seen()[number][1]
            with self.ws.reading() as session:
                from db import items as rows
                from db import reviews

                row = rows.get(session, number)
                said = reviews.decisions_on(session, number, present)
                every = reviews.decisions_on(session, number, present, "audit")
            item.said = {d.person: d.verdict for d in said if d.kind == "review"}
            ruled = [d.verdict for d in said if d.kind == "adjudication"]
            words = {"accept": "accepted", "reject": "rejected", "return": "returned"}
            item.settled = words[ruled[-1]] if ruled else ""
            item.lot = row.lot_id is not None
            item.approved = state == "approved"
            item.faulted = any(d.verdict != "accept" for d in [*said, *every])
            judged = bool(item.said) or bool(ruled)
            item.returned = state == "returned" and (
                not judged or ("return" not in item.said.values() and item.settled != "returned")
            )
            item.begun = state == "in_review" and not item.said
        if done.kind == "decided" and done.number:
            assert history.state_of(self.ws, done.number) in ("draft", "in_review")

    @invariant()
    def the_states_are_those_of_the_model(self) -> None:
        if not hasattr(self, "items"):
            return
        seen = {number: state for number, (state, _) in self.seen().items()}
        assert seen == {number: item.state for number, item in self.items.items()}
        counts = state_counts.counts(self.ws, BENCHMARK)
        assert sum(counts.values()) == len(self.items)


def drive(sqlite_template: Path, examples: int, steps: int) -> None:
    Pipeline.template = sqlite_template
    case = Pipeline.TestCase
    case.settings = settings(
        max_examples=examples,
        stateful_step_count=steps,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    case().runTest()


def test_short_random_sequences(sqlite_template):
    drive(sqlite_template, examples=6, steps=25)


@pytest.mark.slow
def test_long_random_sequences(sqlite_template):
    drive(sqlite_template, examples=60, steps=50)
