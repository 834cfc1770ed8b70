"""What to generate: the parameters of a generation, as they stand in ``spec.json``."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from core.families.scp_payload import CLOZE, PREDICTION, SEQUENCING

GENERATOR = "benchseal-scp"
GENERATOR_VERSION = "3"

ScpFormat = Literal["sequencing", "cloze", "prediction"]

# The letters of the command line: ``--formats s,c,p``.
FORMAT_LETTERS = {"s": SEQUENCING, "c": CLOZE, "p": PREDICTION}


class ScpSpec(BaseModel):
    """Parameters of an SCP generation.

    ``per_article`` is the most items of one format that one article gives. ``min_words`` is the
    least size of a fragment; an option of a prediction has half of it at least. A Chinese
    character counts as 1/1.75 word, so that 80 words are 140 characters. ``as_published``
    reproduces the choices of the published code, defects included, and marks the items.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    formats: tuple[ScpFormat, ...] = ("sequencing", "cloze", "prediction")
    per_article: int = Field(default=20, ge=1, le=100_000)
    seed: int = 0
    min_words: int = Field(default=80, ge=20, le=2000)
    as_published: bool = False
