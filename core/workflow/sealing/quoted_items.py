"""Items that somebody quoted: words about them which stay readable when they are sealed.

What people wrote of an item is in the ledger for good, as the record of who judged what. So a
sealing cannot take it back; it names the items, and who wrote it is told by their history.
"""

from collections.abc import Iterator

from core.screening.covered_texts import tokens_of
from core.sources.corpus_pieces import strings_in
from core.workflow.sealing.plain_remains import QUOTED, PlainRemains
from core.workflow.splits import split_states
from core.workflow.workspace import Workspace
from db import items
from db.queries import sealing

_WINDOW = 8  # words, or Chinese characters, in a row


def quoted_items(ws: Workspace, split: str) -> tuple[PlainRemains, ...]:
    """The items of a split of which somebody wrote eight words in a row; none that can be told
    where they are sealed and their key is not here."""
    grams: dict[int, set[tuple[str, ...]]] = {}
    with ws.reading() as session:
        split_id = split_states.split_in(session, split).id
        for number, words in sealing.said_of(session, split_id):
            if found := set(_grams(words)):
                grams.setdefault(number, set()).update(found)
        contents = items.contents(session, sorted(grams))
        return tuple(
            PlainRemains(QUOTED, f"#{number}")
            for number, row in sorted(contents.items())
            if any(not grams[number].isdisjoint(_grams(text)) for text in strings_in(row.payload))
        )


def _grams(text: str) -> Iterator[tuple[str, ...]]:
    tokens = tokens_of(text)
    return zip(*(tokens[start:] for start in range(_WINDOW)), strict=False)
