"""Utterances with their intents: CLINC150, Rasa's training data in JSON and YAML, and Snips'."""

import json
import re
from collections.abc import Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import Any

from core.i18n import tr
from core.sources.imports.base import ImportRow, RefusedRow, Rows
from core.sources.text_files import json_document
from core.sources.text_tables import foreign_pieces

_PAIRS = re.compile(r'\s*\{\s*"[^"]*"\s*:\s*\[\s*\[\s*"(?:[^"\\]|\\.)*"\s*,\s*"[^"]*"\s*\]')
_PIECES = re.compile(r'"data"\s*:\s*\[\s*\{\s*"(?:text|entity|slot_name)"')
_RASA = re.compile(r"^nlu\s*:", re.MULTILINE)
_INTENT = re.compile(r"^[ \t]*-[ \t]+intent[ \t]*:", re.MULTILINE)
_ENTITY = re.compile(r"\[([^\[\]\n]{1,300})\](?:\(([^()\n]{1,300})\)|(\{[^{}\n]{0,999}\}))")
_Found = Iterator[Mapping[str, Any] | str]


def is_intents(path: Path, head: bytes) -> bool:
    """Lists of pairs of a text and its intent, or what Rasa and Snips train with."""
    text = head.decode("utf-8-sig", errors="ignore")
    if path.suffix.lower() in (".yml", ".yaml"):
        return bool(_RASA.search(text) and _INTENT.search(text))
    is_document = text.lstrip().startswith("{")
    return is_document and (
        '"rasa_nlu_data"' in text or bool(_PAIRS.match(text)) or bool(_PIECES.search(text))
    )


def intent_rows(path: Path) -> Rows:
    """A row an utterance: ``text``, ``intent``, and the entities or the split where it has some."""
    found: _Found
    if path.suffix.lower() in (".yml", ".yaml"):
        documents = [piece["document"] for piece in foreign_pieces(path, kind="yaml")]
        found = chain.from_iterable(map(_rasa_yaml, documents))
    else:
        found = _of_json(json_document(path))
    for number, row in enumerate(found, start=1):
        yield RefusedRow(number, row) if isinstance(row, str) else ImportRow(number, row)


def _of_json(document: Any) -> _Found:
    if not isinstance(document, dict):
        yield tr("It is not a JSON object.")
    elif isinstance(document.get("rasa_nlu_data"), dict):
        yield from _rasa_json(document["rasa_nlu_data"])
    elif isinstance(document.get("intents"), dict):
        about = {n: v for n, v in document.items() if n not in ("intents", "entities")}
        for intent, value in document["intents"].items():
            given = value.get("utterances") if isinstance(value, dict) else value
            yield from _snips(intent, given, about)
    else:
        for name, given in document.items():
            if isinstance(given, list) and given and isinstance(given[0], dict):
                yield from _snips(name, given, {})
            else:
                yield from _pairs(name, given)


def _pairs(split: str, given: Any) -> _Found:
    for pair in given if isinstance(given, list) else [given]:
        if isinstance(pair, list) and len(pair) == 2 and all(isinstance(t, str) for t in pair):
            yield {"text": pair[0], "intent": pair[1], "split": split}
        else:
            yield tr("It is not a text with its intent.")


def _snips(intent: str, given: Any, about: Mapping[str, Any]) -> _Found:
    for utterance in given if isinstance(given, list) else [given]:
        pieces = utterance.get("data") if isinstance(utterance, dict) else None
        if not isinstance(pieces, list) or not all(isinstance(p, dict) for p in pieces):
            yield tr("It is not a text with its intent.")
            continue
        text = "".join(str(piece.get("text", "")) for piece in pieces)
        named = [piece for piece in pieces if piece.keys() - {"text"}]
        yield {**about, "text": text.strip(), "intent": intent, **_entities(named)}


def _rasa_json(data: Mapping[str, Any]) -> _Found:
    for name, entries in data.items():
        for entry in entries if isinstance(entries, list) else [entries]:
            if name.endswith("examples") and isinstance(entry, dict) and entry.get("intent"):
                yield {n: v for n, v in entry.items() if n != "entities"} | _entities(
                    entry.get("entities") or []
                )
            else:
                yield _no_example(name)


def _rasa_yaml(document: Any) -> _Found:
    entries = document.get("nlu") if isinstance(document, dict) else None
    for entry in entries if isinstance(entries, list) else []:
        intent = entry.get("intent") if isinstance(entry, dict) else None
        if not intent:
            yield _no_example(str(next(iter(entry), "")) if isinstance(entry, dict) else "")
            continue
        given = entry.get("examples")
        for example in given if isinstance(given, list) else _bulleted(str(given or "")):
            more = dict(example) if isinstance(example, dict) else {}
            said = more.pop("text", "") if more else example
            text = str(said).strip().removeprefix("- ")
            named = [_annotated(match) for match in _ENTITY.finditer(text)]
            spoken = _ENTITY.sub(r"\1", text)
            yield {"text": spoken, "intent": str(intent), **_entities(named), **more}


def _bulleted(text: str) -> Iterator[str]:
    for line in text.splitlines():
        if line.strip():
            yield re.sub(r"^\s*-\s*", "", line)


def _annotated(match: re.Match[str]) -> dict[str, Any]:
    if match[2]:
        return {"text": match[1], "entity": match[2]}
    try:
        return {"text": match[1], **json.loads(match[3])}
    except ValueError:
        return {"text": match[1], "entity": match[3]}


def _entities(named: list[Any]) -> dict[str, Any]:
    return {"entities": named} if named else {}


def _no_example(name: str) -> str:
    return tr("It is not a text with its intent, but {name}.", name=name)
