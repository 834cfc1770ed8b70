"""The typed content of an item revision."""

from pydantic import BaseModel, ConfigDict


class Payload(BaseModel):
    """The content of one item revision. Frozen; its canonical JSON is what is hashed."""

    model_config = ConfigDict(frozen=True, extra="forbid")
