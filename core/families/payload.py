"""The typed content of an item revision."""

import json
from typing import Any

from pydantic import BaseModel, ConfigDict

from core.sources.cell_text import cell_text, in_a_row

_LONGEST_LABEL = 60  # characters; what is longer in a list is a text of its own


class Payload(BaseModel):
    """The content of one item revision. Frozen; its canonical JSON is what is hashed."""

    model_config = ConfigDict(frozen=True, extra="forbid")


def fitted(value: Any, info: Any) -> Any:
    """The cell of a table as a field of a payload takes it: numbers and truth values become text
    where text is wanted, one text a list where a list is wanted. ``info`` is the field's
    ``FieldInfo``."""
    wants_text = info.annotation is str
    if wants_text and isinstance(value, str):
        return value
    if wants_text and isinstance(value, bool):
        return str(value).lower()
    if wants_text and isinstance(value, int | float):
        return cell_text(value)
    if wants_text and isinstance(value, list) and all(isinstance(v, str | int) for v in value):
        parts = [str(part) for part in value]
        long = any(len(part) > _LONGEST_LABEL or "\n" in part for part in parts)
        return "\n".join(parts) if long else in_a_row(parts)
    if wants_text and isinstance(value, list) and all(isinstance(v, dict) for v in value):
        return json.dumps(value, ensure_ascii=False)  # what is to be found in a text, as it is
    if "tuple" in str(info.annotation) and isinstance(value, str):
        text = value.strip()
        separator = next((sign for sign in ("|", "、", ";", "；", ",", "，") if sign in text), None)
        return [part.strip() for part in text.split(separator) if part.strip()]
    return value
