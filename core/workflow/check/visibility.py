"""What is open to a person about items, by what they themselves have done with them.

One rule for one item and for all of them: every function that reads takes the viewer and asks it.

| fact about an item | annotator | specialist | researcher, lead |
|---|---|---|---|
| text, task, state | items they wrote, hold or judged | all | all |
| author, score, verdicts, reasons, skips | once closed | once closed | once closed |
| that its reviewers disagree | never | always | always |
| ratings of others | after their own | after their own | after their own |
| what models answered | once closed | once closed | once closed |
| questions of others | once closed | once closed | once closed |
| what its row had beside the item (``columns``) | once closed | once closed | once closed |
| that it is gold, and the known verdict | never | never | unless they hold it |

The score comes with its rationale, and a reason with the note. *Closed* is an item revision to a
person who decided on it or asked to see what is hidden (which bars them from judging it), and to
everybody when nobody judges it any more; what was said of its former revisions is as open as the
present one, one's own words aside. While somebody holds an item it is not closed to them,
and a gold item looks as if it were under review. An adjudicator reads verdicts and reasons without
names, on the disputed item's card alone.

An empty viewer is nobody in particular: all items, and about each what is open to everybody.

Above all of this stands the seal: the text of an item in a split that is sealed, and what models
answered to it, is open to nobody until a lead opens the split (``closed_among``).
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from core.errors import RightsError, StateError
from core.families.base import COLUMNS
from core.workflow.rights import Action, is_allowed, require
from core.workflow.store_sentences import closed_sentence
from db import items, splits
from db.engine import Session
from db.items import ItemRow
from db.people import PersonRow
from db.queries import own_work
from db.queries.own_work import Claim, Keys, OpenTo
from db.vocabulary import REVEALED, AssignmentState, ItemState, Stage

# While an item is in one of these states, people may still have to judge it.
OPEN_STATES = (ItemState.DRAFT, ItemState.SCREENING, ItemState.IN_REVIEW)


@dataclass(frozen=True, slots=True)
class Visibility:
    """What one person holds, has decided, rated and asked to see: each as (item, revision).

    ``gold`` are those that were shown to them as gold items, ``wrote`` the items of which they
    wrote a revision and which they never judge, ``worked_on`` the items that they wrote, claimed or
    judged. Without a ``role`` it is nobody's in particular: what anybody holds as a gold item is
    hidden.
    """

    role: str = ""
    holds: Keys = frozenset()
    decided: Keys = frozenset()
    rated: Keys = frozenset()
    revealed: Keys = frozenset()
    gold: Keys = frozenset()
    wrote: frozenset[int] = frozenset()
    worked_on: frozenset[int] = frozenset()

    @property
    def knows_gold(self) -> bool:
        """Whether this person may know which items are gold, but for those they hold."""
        return is_allowed(self.role, Action.SEE_GOLD)

    @property
    def lists_all(self) -> bool:
        """Whether this person has the list of all items."""
        return not self.role or is_allowed(self.role, Action.SEE_ITEMS)

    def shows(self, item_id: int, revision: int, state: str) -> bool:
        """Whether author, score and what others said about an item is open, given its present
        revision: what was said of an earlier one is as telling."""
        key = (item_id, revision)
        if key in self.holds:
            return False
        return state not in OPEN_STATES or key in self.revealed or key in self.decided

    def shows_ratings(self, item_id: int, revision: int) -> bool:
        """Whether the ratings of an item revision are open: to who rated it or asked to see."""
        key = (item_id, revision)
        return key in self.rated or key in self.revealed

    def shows_question(self, item_id: int, revision: int, state: str, *, own: bool) -> bool:
        """Whether a question on an item is open: what it says may give its author's view away."""
        return own or self.shows(item_id, revision, state)

    def shows_whole(self, item_id: int, revision: int, state: str) -> bool:
        """Whether nothing about an item's present revision is hidden."""
        return self.shows(item_id, revision, state) and self.shows_ratings(item_id, revision)

    def shows_gold(self, item_id: int, revision: int) -> bool:
        """Whether this person may know that an item is gold, if it is."""
        return self.knows_gold and (item_id, revision) not in self.holds

    def lists(self, item_id: int) -> bool:
        """Whether this person knows of an item at all."""
        return self.lists_all or item_id in self.worked_on

    def takes_for_review(self, item_id: int, revision: int) -> bool:
        """Whether an item is gold to this person and must look as if it were under review."""
        return (item_id, revision) in self.gold and not self.shows_gold(item_id, revision)

    def state_of(self, item_id: int, revision: int, state: str) -> str:
        """The state of an item as this person sees it."""
        return ItemState.IN_REVIEW if self.takes_for_review(item_id, revision) else state


def viewer_in(session: Session, name: str) -> PersonRow | None:
    """Who looks, None for the empty name: NotFoundError for an unknown one, RightsError for one
    who works here no longer."""
    return require(session, name, Action.READ_TABLES) if name else None


def visibility_of(
    session: Session, person: PersonRow | None, item_id: int | None = None
) -> Visibility:
    """What is open to a person, about one item or all; to nobody in particular with None."""
    if person is None:
        held = _keys(own_work.gold_leases(session, item_id))
        return Visibility(holds=held, gold=held)
    claims = own_work.claims(session, person.id, item_id)
    checks = [claim for claim in claims if claim.stage == Stage.CHECK]
    decided = own_work.decided(session, person.id, item_id)
    rated = own_work.rated(session, person.id, item_id)
    wrote = own_work.written(session, person.id, item_id)
    worked_on = {claim.item_id for claim in claims} | {key[0] for key in decided | rated}
    return Visibility(
        role=person.role,
        holds=_keys(claim for claim in checks if claim.state == AssignmentState.LEASED),
        decided=decided,
        rated=rated,
        revealed=_keys(claim for claim in checks if claim.reason == REVEALED),
        gold=_keys(claim for claim in checks if claim.gold),
        wrote=wrote,
        worked_on=wrote | worked_on,
    )


def open_provenance(provenance: Mapping[str, Any], *, shown: bool) -> Mapping[str, Any]:
    """Where an item is from, for somebody to whom it is ``shown`` or not: what was imported beside
    it may be what people elsewhere said of it."""
    if shown or COLUMNS not in provenance:
        return provenance
    return {name: value for name, value in provenance.items() if name != COLUMNS}


def open_to(person: PersonRow | None) -> OpenTo:
    """What ``Visibility.shows`` says of all items, as a condition for the database."""
    return OpenTo(person.id if person else None, OPEN_STATES, REVEALED)


def open_items(session: Session, viewer: str, numbers: Sequence[int]) -> list[int]:
    """Those of the items about which nothing but ratings is hidden from the viewer, in order."""
    visibility = visibility_of(session, viewer_in(session, viewer))
    found = {row.id: row for row in items.get_many(session, sorted(set(numbers)))}
    return [
        number
        for number in numbers
        if (row := found.get(number)) is not None
        and visibility.shows(number, row.revision, row.state)
    ]


def closed_among(session: Session, rows: Iterable[ItemRow]) -> set[int]:
    """Those of the items that nobody reads, for their split is sealed."""
    frozen = [row.id for row in rows if row.state == ItemState.FROZEN]
    return splits.sealed_among(session, frozen) if frozen else set()


def refuse_closed(session: Session, item: ItemRow) -> None:
    """StateError for an item that nobody reads, for its split is sealed."""
    if closed_among(session, [item]):
        raise StateError(closed_sentence())


def refuse_revealed(session: Session, person: PersonRow, item_id: int, revision: int) -> None:
    """RightsError when this person asked to see what is hidden about an item revision."""
    if (item_id, revision) in visibility_of(session, person, item_id).revealed:
        raise RightsError.tr(
            "{name} has seen the hidden details of item #{number}; someone else must judge it.",
            name=person.name,
            number=item_id,
        )


def _keys(claims: Iterable[Claim]) -> Keys:
    return frozenset((claim.item_id, claim.revision) for claim in claims)
