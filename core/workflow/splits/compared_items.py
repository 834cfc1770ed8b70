"""The items that a freeze would take, and those of earlier splits, as the checks before it read
them: from the disk, so that a selection may be of any size."""

from array import array
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, closing
from typing import NamedTuple, overload

from typing_extensions import override

from core.families.base import ItemContent
from core.families.instruction_payload import VARIANT
from core.release.frozen_items import FrozenItems
from core.screening.compared_text import own_text
from core.screening.covered_texts import CoveredTexts
from core.screening.spooled_texts import SpooledTexts
from core.workflow.splits import split_states
from core.workflow.splits.selection import Selection
from db import ledger, splits
from db.engine import Session
from db.vocabulary import EventKind, SplitState


class SplitContents(Sequence[ItemContent]):
    """The contents of items that lie on the disk, of all or of those at some places."""

    def __init__(self, items: FrozenItems, places: Sequence[int] | None = None) -> None:
        self._items = items
        self._places = range(len(items)) if places is None else places

    @override
    def __len__(self) -> int:
        return len(self._places)

    @overload
    def __getitem__(self, place: int) -> ItemContent: ...

    @overload
    def __getitem__(self, place: slice) -> list[ItemContent]: ...

    @override
    def __getitem__(self, place: int | slice) -> ItemContent | list[ItemContent]:
        if isinstance(place, slice):
            return [self._items[one].content for one in self._places[place]]
        return self._items[self._places[place]].content

    @override
    def __iter__(self) -> Iterator[ItemContent]:
        wanted = iter(self._places)
        following = next(wanted, None)
        for item in self._items:
            if item.position == following:
                following = next(wanted, None)
                yield item.content


class ComparedItems:
    """The items of a selection without the wordings of instructions, those of one part after those
    of the other, and their texts. To be closed."""

    def __init__(self, session: Session, selection: Selection) -> None:
        parts = [
            array("q", (row.id for row in part.rows if row.format != VARIANT))
            for part in selection.parts
        ]
        self.numbers = array("q", (number for part in parts for number in part))
        self.first = len(parts[0])  # so many are of the first part
        self._places: dict[str, array[int]] = {}
        self._covered: CoveredTexts | None = None
        with ExitStack() as kept:
            self.items: FrozenItems | None = None
            if self.numbers:  # where none are, no file is made
                stored = (item for part in parts for item in splits.present_stored(session, part))
                frozen = FrozenItems(stored, selection.parts[0].name)
                self.items = kept.enter_context(closing(frozen))
            self.texts = kept.enter_context(closing(SpooledTexts(self._own_texts())))
            self._kept = kept.pop_all()

    def _own_texts(self) -> Iterator[str]:
        for place, content in enumerate(self.contents()):
            self._places.setdefault(content.family, array("Q")).append(place)
            yield own_text(content)

    def close(self) -> None:
        """Give back what it keeps on the disk."""
        self._kept.close()

    def contents(self) -> Sequence[ItemContent]:
        """The contents of all items."""
        return () if self.items is None else SplitContents(self.items)

    def of_family(self, family: str) -> tuple[Sequence[int], Sequence[ItemContent]]:
        """(places, contents) of the items of a family."""
        places = self._places.get(family)
        if places is None or self.items is None:
            return (), ()
        return places, SplitContents(self.items, places)

    def covered(self) -> CoveredTexts:
        """The texts, to be looked for in others."""
        if self._covered is None:
            self._covered = self._kept.enter_context(closing(CoveredTexts(self.texts)))
        return self._covered


class EarlierItem(NamedTuple):
    """An item of an earlier split: its name for people, and whether everybody may read it."""

    name: str
    is_public: bool


class EarlierItems:
    """The texts of the items of all splits, but for some items and for splits that are encrypted
    and whose key is not here. To be closed."""

    def __init__(self, session: Session, own: Iterable[int]) -> None:
        self._splits: list[EarlierItem] = []
        self._split_of = array("H")
        self._numbers = array("q")
        self.texts = SpooledTexts(self._read(session, own))

    def close(self) -> None:
        """Give back what it keeps on the disk."""
        self.texts.close()

    def at(self, place: int) -> EarlierItem:
        """The item that a text is of."""
        split = self._splits[self._split_of[place]]
        return EarlierItem(f"{split.name} #{self._numbers[place]}", split.is_public)

    def _read(self, session: Session, own: Iterable[int]) -> Iterator[str]:
        known: frozenset[int] | None = None
        for split in splits.all_splits(session):
            known = frozenset(own) if known is None else known
            if splits.is_locked_split(session, split.id):
                continue
            events = ledger.of_subject(session, EventKind.SPLIT, split.name)
            is_public = (
                split.manifest.get("half") == "public"
                or split.state == SplitState.EXPIRED
                or any(split_states.state_after(event) == SplitState.EXPIRED for event in events)
            )
            self._splits.append(EarlierItem(split.name, is_public))
            for item in splits.contents(session, split.id):
                if item.item_id not in known and item.format != VARIANT:
                    self._split_of.append(len(self._splits) - 1)
                    self._numbers.append(item.item_id)
                    yield own_text(item)
