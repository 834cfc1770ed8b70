"""The one catalogue of words that people read: ``tr("Sentence with {name}", name=…)``.

The English sentence is the key. A translation is one JSON object per area in
``resources/translations/<language>/*.json`` that maps the English sentence to the translated one.
Placeholders are named, so no sentence is ever glued from pieces.
"""

import json
import os
from functools import cache
from types import MappingProxyType
from typing import Any

from resources import resource

LANGUAGES = MappingProxyType({"en": "English", "zh": "简体中文"})

_current = "en"


def set_language(code: str) -> None:
    """Choose the language of all later ``tr`` calls; an unknown code falls back to English."""
    global _current
    _current = code if code in LANGUAGES else "en"


def language() -> str:
    """Code of the language in use, a key of ``LANGUAGES``."""
    return _current


def language_from_environment() -> str:
    """``BENCHSEAL_LANG``, else the locale's language when we have it, else English."""
    for name in ("BENCHSEAL_LANG", "LC_ALL", "LC_MESSAGES", "LANG"):
        if value := os.environ.get(name):
            code = value[:2].lower()
            return code if code in LANGUAGES else "en"
    return "en"


@cache
def catalogue(code: str) -> dict[str, str]:
    """All translated sentences of a language, merged over its area files."""
    merged: dict[str, str] = {}
    for path in sorted(resource("translations", code).glob("*.json")):
        merged.update(json.loads(path.read_text(encoding="utf-8")))
    return merged


def tr(sentence: str, /, **values: Any) -> str:
    """The sentence in the language in use, with its named placeholders filled in."""
    if _current != "en":
        sentence = catalogue(_current).get(sentence, sentence)
    return sentence.format(**values) if values else sentence
