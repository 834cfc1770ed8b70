"""What is open to a person about items, by what they themselves have done with them.

One rule for one item and for all of them: windows and tables ask it, each for what it shows.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from core.workflow.check.review import REVEALED
from core.workflow.rights import Action, may
from db.engine import Session
from db.people import PersonRow
from db.queries import own_work
from db.queries.own_work import Claim, Keys
from db.vocabulary import AssignmentState, ItemState, Stage

# While an item is in one of these states, people may still have to judge it.
OPEN_STATES = (ItemState.DRAFT, ItemState.SCREENING, ItemState.IN_REVIEW)


@dataclass(frozen=True, slots=True)
class Sight:
    """What one person holds, has decided, rated and asked to see: each as (item, revision).

    ``gold`` are those that were shown to them as gold items, ``worked_on`` the items that they
    wrote, claimed or judged.
    """

    role: str = ""
    holds: Keys = frozenset()
    decided: Keys = frozenset()
    rated: Keys = frozenset()
    revealed: Keys = frozenset()
    gold: Keys = frozenset()
    worked_on: frozenset[int] = frozenset()

    @property
    def knows_gold(self) -> bool:
        """Whether this person may know which items are gold."""
        return may(self.role, Action.SEE_GOLD)

    @property
    def lists_all(self) -> bool:
        """Whether this person has the list of all items."""
        return may(self.role, Action.SEE_ITEMS)

    def shows(self, item_id: int, revision: int, state: str) -> bool:
        """Whether author, score and what others said about an item's present revision is open."""
        key = (item_id, revision)
        if key in self.holds:
            return False
        return state not in OPEN_STATES or key in self.revealed or key in self.decided

    def shows_ratings(self, item_id: int, revision: int) -> bool:
        """Whether the ratings of an item revision are open: to who rated it or asked to see."""
        key = (item_id, revision)
        return key in self.rated or key in self.revealed

    def shows_whole(self, item_id: int, revision: int, state: str) -> bool:
        """Whether nothing about an item's present revision is hidden."""
        return self.shows(item_id, revision, state) and self.shows_ratings(item_id, revision)

    def lists(self, item_id: int) -> bool:
        """Whether this person knows of an item at all."""
        return self.lists_all or item_id in self.worked_on


def sight_of(session: Session, person: PersonRow | None, item_id: int | None = None) -> Sight:
    """What is open to a person, about one item or all; to nobody in particular with None."""
    if person is None:
        return Sight()
    claims = own_work.claims(session, person.id, item_id)
    checks = [claim for claim in claims if claim.stage == Stage.CHECK]
    decided = own_work.decided(session, person.id, item_id)
    rated = own_work.rated(session, person.id, item_id)
    worked_on = {claim.item_id for claim in claims} | {key[0] for key in decided | rated}
    return Sight(
        role=person.role,
        holds=_keys(claim for claim in checks if claim.state == AssignmentState.LEASED),
        decided=decided,
        rated=rated,
        revealed=_keys(claim for claim in checks if claim.reason == REVEALED),
        gold=_keys(claim for claim in checks if claim.gold),
        worked_on=own_work.written(session, person.id, item_id) | worked_on,
    )


def _keys(claims: Iterable[Claim]) -> Keys:
    return frozenset((claim.item_id, claim.revision) for claim in claims)
