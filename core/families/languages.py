"""The language of what is written in a task: as the task says, else as its texts show."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from core.families.payload import Payload
from core.sources.articles.prose.damage import grammar_of
from core.sources.chinese_text import is_chinese

LANGUAGES = ("zh", "en")
"""Codes that are offered; any other code may be given."""

_WRITTEN_IN_HAN = ("ja", "yue", "wuu", "lzh")
_LATIN = re.compile(r"[A-Za-z]")


def language_of_texts(texts: Iterable[str]) -> str:
    """``zh`` where most of the texts are Chinese, ``en`` where they are written in
    plain Latin letters and no other language's small words are more than the English ones, else
    empty: another language is not guessed."""
    told = [text for text in texts if text.strip()]
    if not told:
        return ""
    if 2 * sum(map(is_chinese, told)) >= len(told):
        return "zh"
    letters = [letter for text in told for letter in text if letter.isalpha()]
    latin = sum(1 for letter in letters if _LATIN.match(letter))
    if not letters or latin < 0.97 * len(letters):
        return ""
    return "en" if grammar_of("\n".join(told)) in ("", "en") else ""


def is_in_another(language: str, texts: Iterable[str]) -> bool:
    """Whether texts are evidently not in a language: in doubt, and for an empty code, False."""
    told = [text for text in texts if text.strip()]
    base = language.partition("-")[0].lower()
    if not base or not any(letter.isalpha() for text in told for letter in text):
        return False
    is_chinese_text = language_of_texts(told) == "zh"
    if base == "zh" or is_chinese_text:
        return is_chinese_text != (base == "zh") and base not in _WRITTEN_IN_HAN
    return grammar_of("\n".join(told)) not in ("", base)


def language_of_task(profile: Mapping[str, Any]) -> str:
    """The language that a task's profile names first; empty where it names none."""
    languages = profile.get("languages") or ()
    return str(languages[0]) if isinstance(languages, list | tuple) and languages else ""


def with_language(
    model: type[Payload], payload: Mapping[str, Any], profile: Mapping[str, Any]
) -> dict[str, Any]:
    """A written payload that says its language, where its model has a field for it: its own word,
    else the task's, else what its instruction is written in."""
    whole = dict(payload)
    if "language" not in model.model_fields or whole.get("language"):
        return whole
    told = (str(whole.get(name) or "") for name in ("instruction", "text"))
    return {**whole, "language": language_of_task(profile) or language_of_texts(told)}
