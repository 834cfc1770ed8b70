"""The forms in which a model answers each step; strict, and bounded so that they always end."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from core.families.rewrite_payload import Triple

MOST_ENTITIES = 8
MOST_TRIPLES = 12
LONGEST_TEXT = 8000  # characters, of an original as of every text that is written

Name = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=200)]
_Words = Annotated[str, StringConstraints(strip_whitespace=True, max_length=1000)]
_Text = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=LONGEST_TEXT)
]
_Reason = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=4000)]


class Form(BaseModel):
    """One JSON object of a model's reply."""

    model_config = ConfigDict(frozen=True)


class NamedEntity(Form):
    """An entity and its kind, as the model says it."""

    entity: Name
    type: _Words = ""


class EntitiesForm(Form):
    """Step 1, equation 1."""

    entities: Annotated[list[NamedEntity], Field(max_length=4 * MOST_ENTITIES)]


class SummaryForm(Form):
    """Step 3, the second line of equation 2. ``facts`` are the numbers of the reports used."""

    summary: Annotated[str, StringConstraints(strip_whitespace=True, max_length=6000)]
    facts: Annotated[list[int], Field(max_length=64)]


class TripleForm(Form):
    """One relation."""

    head: Name
    relation: Name
    tail: Name

    @property
    def triple(self) -> Triple:
        """As head, relation, tail."""
        return self.head, self.relation, self.tail


class TriplesForm(Form):
    """Step 4, equation 3, of a single text."""

    before: Annotated[list[TripleForm], Field(min_length=1, max_length=MOST_TRIPLES)]
    after: Annotated[list[TripleForm], Field(min_length=1, max_length=MOST_TRIPLES)]
    text: _Text

    @property
    def texts(self) -> tuple[str, str]:
        """The substituted text and an empty second one."""
        return self.text, ""


class PairTriplesForm(Form):
    """Step 4 of a pair of texts."""

    before: Annotated[list[TripleForm], Field(min_length=1, max_length=MOST_TRIPLES)]
    after: Annotated[list[TripleForm], Field(min_length=1, max_length=MOST_TRIPLES)]
    first: _Text
    second: _Text

    @property
    def texts(self) -> tuple[str, str]:
        """Both substituted texts."""
        return self.first, self.second


class TextForm(Form):
    """Steps 5 and 6: one text and why its label stays."""

    text: _Text
    reason: _Words = ""


class FactsForm(Form):
    """Step 7: the first criterion of the reflection, figure 13."""

    rationale: _Reason
    supported: bool


class LabelForm(Form):
    """Step 8: the second criterion of the reflection, figure 12."""

    rationale: _Reason
    agrees: bool
