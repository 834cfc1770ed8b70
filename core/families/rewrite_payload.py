"""Payloads of the rewrite family: an original, its semantic rewrite, its update (CoreEval §3.3).

All three formats share the first fields, so that an evaluation reads them alike; a semantic or
updated item also carries what a reviewer must see beside it. ``base`` is the id of the original
example and links the three sets. The models are lenient: ``core.families.rewrite_checks`` says
what is wrong with an item.
"""

from collections.abc import Iterator, Sequence

from pydantic import BaseModel, ConfigDict

from core.families.payload import Payload

ORIGINAL = "original"
SEMANTIC = "semantic"
UPDATED = "updated"
FORMATS = (ORIGINAL, SEMANTIC, UPDATED)

UNCHANGED = "unchanged"
"""In the provenance of an item that stays in the sets as its original was: why."""

Triple = tuple[str, str, str]
"""Head entity, relation, tail entity."""


class SourceFact(BaseModel):
    """One piece of knowledge and where it was found. ``date`` is ISO, of its publication."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    title: str
    url: str = ""
    date: str = ""
    tone: float | None = None
    detail: str = ""
    source: str = ""
    row: str = ""


class OriginalPayload(Payload):
    """A labelled text, or pair of texts, as the data set has it.

    ``second`` is empty for single texts, ``target`` where the task has none; ``labels`` is the
    label space and ``label`` one of it.
    """

    base: str
    task: str = ""
    text: str
    second: str = ""
    label: str
    labels: tuple[str, ...]
    target: str = ""


class SemanticPayload(OriginalPayload):
    """The same facts in another form (equation 4). ``triples_before`` are those of the original."""

    original: str
    original_second: str = ""
    triples_before: tuple[Triple, ...] = ()


class UpdatedPayload(SemanticPayload):
    """New facts in the style of the semantic rewrite, under the same label (equation 5)."""

    semantic: str = ""
    semantic_second: str = ""
    triples_after: tuple[Triple, ...] = ()
    summary: str = ""
    facts: tuple[SourceFact, ...] = ()


AnyPayload = OriginalPayload | SemanticPayload | UpdatedPayload


def names_in(triples: Sequence[Triple]) -> Iterator[str]:
    """The entities of triples, in order, heads before tails, repeated ones once."""
    seen: set[str] = set()
    for head, _, tail in triples:
        for name in (head, tail):
            if name.casefold() not in seen:
                seen.add(name.casefold())
                yield name
