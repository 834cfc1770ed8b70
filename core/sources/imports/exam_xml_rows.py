"""Question banks of learning platforms in XML: Moodle's, and items of QTI 2 and 3."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from string import ascii_uppercase
from typing import Any

from core.errors import InputError
from core.i18n import listed, tr
from core.sources.html_text import html_text
from core.sources.imports.base import ImportRow, RefusedRow, Rows
from core.sources.imports.exam_rows import graded_answers, other_kind, share_in
from core.sources.text_tables import foreign_pieces

_CHOICES = ("multichoice", "truefalse")
_ANSWERED = (*_CHOICES, "shortanswer", "numerical")
_ATTRIBUTES = frozenset({"dir", "class", "lang", "id", "label", "style"})


def is_moodle(_path: Path, head: bytes) -> bool:
    """XML whose outermost element is a quiz with questions of some type."""
    return b"<quiz" in head and b"<question" in head and b"type=" in head


def moodle_rows(path: Path) -> Rows:
    """A row a question, with ``options`` and letters under ``key``, or with its ``answers``."""
    category = ""
    number = 0
    for values in _objects(path):
        kind = str(values.get("type", ""))
        if kind == "category":
            category = _text(values.get("category"))[0]
            continue
        number += 1
        found = _moodle(values, kind)
        if isinstance(found, str):
            yield RefusedRow(number, found)
        else:
            yield ImportRow(number, found | ({"category": category} if category else {}))


def _moodle(values: Mapping[str, Any], kind: str) -> dict[str, Any] | str:
    given = values.get("answer")
    entries = [e if isinstance(e, dict) else {"text": e} for e in _each(given)]
    if kind not in _ANSWERED:
        return other_kind(kind)
    if not entries:
        return tr("It has no answer.")
    question, pictures = _text(values.get("questiontext"))
    answers = [(_text(e)[0], share_in(str(e.get("fraction"))), _text(e.get("feedback"))[0])
               for e in entries]  # fmt: skip
    if kind not in _CHOICES:
        answers = [entry for entry in answers if entry[1] > 0]
    said = graded_answers(answers, given=str(given)) if answers else {}
    numbers = [f"{_text(e)[0]}:{e['tolerance']}" for e in entries if e.get("tolerance")]
    told_numbers = {"numerical": numbers} if kind == "numerical" and numbers else {}
    explained = _text(values.get("generalfeedback"))[0]
    done = {"type", "questiontext", "answer", "generalfeedback", "name"}
    kept = {name: _flat(value) for name, value in values.items() if name not in done}
    named = {"name": _text(values.get("name"))[0], "type": kind}
    shown = {"image": pictures} if pictures else {}
    told = {"explanation": explained} if explained else {}
    return {**kept, **named, "question": question, **shown, **said, **told,
            **told_numbers}  # fmt: skip


def _flat(value: Any) -> Any:
    """A text with its format as the text alone."""
    is_text = isinstance(value, dict) and value.keys() <= {"format", "text"}
    return _text(value)[0] if is_text else value


def _text(value: Any) -> tuple[str, list[str]]:
    if isinstance(value, dict):
        inner = value.get("text", "")
        return html_text(inner) if isinstance(inner, str) else _text(inner)
    return html_text(value) if isinstance(value, str) else ("", [])


def _each(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [] if value in (None, "") else [value]


# --- QTI -------------------------------------------------------------------------------------


def is_qti(_path: Path, head: bytes) -> bool:
    """XML with an item of QTI, whatever version."""
    return any(mark in head for mark in (b"assessmentItem", b"assessment-item", b"questestinterop"))


def qti_rows(path: Path) -> Rows:
    """The row of the item; InputError for QTI 1, and for what names items without holding them."""
    found = _objects(path)
    if not found or not any(_named(values, "itemBody") for values in found):
        raise InputError.tr("“{path}”: only items of QTI versions 2 and 3 are read, one per file. "
                            "Export others as Moodle XML, GIFT or a table.", path=path)  # fmt: skip
    for number, values in enumerate(found, 1):
        row = _qti(values)
        yield RefusedRow(number, row) if isinstance(row, str) else ImportRow(number, row)


def _qti(values: Mapping[str, Any]) -> dict[str, Any] | str:
    body = _named(values, "itemBody")
    body = body[0] if isinstance(body, list) and len(body) == 1 else body
    if isinstance(body, dict) and _named(body, "simpleChoice"):  # nothing else is in it
        body = {"choiceInteraction": body}
    asked = _named(body, "choiceInteraction")
    kinds = [str(n) for n in body if "nteraction" in str(n)] if isinstance(body, dict) else []
    if not isinstance(body, dict) or not isinstance(asked, dict) or len(kinds) > 1:
        return other_kind(listed(kinds) if kinds else "QTI")
    options = [(str(c.get("identifier", "")), _flat_text(c)) for c in
               _each(_named(asked, "simpleChoice")) if isinstance(c, dict)]  # fmt: skip
    if not all(text for _, text in options):
        return tr("An option is empty: it may be a picture.")
    right, names = _right(values, asked), [name for name, _ in options]
    if len(options) < 2 or not right or not set(right) <= set(names):
        return tr("Its key, “{key}”, does not name any of its options.",
                  key=listed(right)[:60] or "–")  # fmt: skip
    if _has_formula(body):
        return tr("It has a formula (MathML), which is not read.")
    before = [_flat_text(v) for n, v in body.items() if v is not asked and n not in _ATTRIBUTES]
    pictures = list(_sources(body))
    return {
        "name": str(values.get("identifier", "")),
        "title": str(values.get("title", "")),
        "question": "\n".join(filter(None, [*before, _flat_text(_named(asked, "prompt"))])),
        "options": [text for _, text in options],
        "key": "".join(sorted(ascii_uppercase[names.index(name)] for name in right)),
        **({"image": pictures} if pictures else {}),
    }


def _right(values: Mapping[str, Any], asked: Mapping[str, Any]) -> list[str]:
    """The identifiers of the right options, of the declaration that an interaction names."""
    wanted = _named(asked, "responseIdentifier") or asked.get("response-identifier")
    for declared in _each(_named(values, "responseDeclaration")):
        if isinstance(declared, dict) and declared.get("identifier") == wanted:
            response = _named(declared, "correctResponse")
            found = _named(response, "value") if isinstance(response, dict) else response
            return [_flat_text(value) for value in _each(found)]
    return []


def _has_formula(value: Any) -> bool:
    if isinstance(value, list):
        return any(map(_has_formula, value))
    return isinstance(value, dict) and ("math" in value or any(map(_has_formula, value.values())))


def _sources(value: Any) -> Iterator[str]:
    """The addresses of pictures and the like, wherever they are."""
    if isinstance(value, list):
        for part in value:
            yield from _sources(part)
    elif isinstance(value, dict):
        yield from (str(v) for n, v in value.items() if n in ("src", "data") and isinstance(v, str))
        for part in value.values():
            yield from _sources(part)


def _named(values: Any, name: str) -> Any:
    """The part of a name, as QTI 2 or QTI 3 spells it (``itemBody``, ``qti-item-body``)."""
    if not isinstance(values, dict):
        return None
    dashed = "qti-" + "".join(f"-{c.lower()}" if c.isupper() else c for c in name)
    return values.get(name, values.get(dashed))


def _flat_text(value: Any) -> str:
    """What can be read in a part: its text and those of its parts, without their attributes."""
    if isinstance(value, list):
        return "\n".join(filter(None, map(_flat_text, value)))
    if isinstance(value, dict):
        parts = (v for v in value.values() if isinstance(v, dict | list))
        whole = value.get("text")
        inner = (value.get(n) for n in ("p", "div", "span"))
        texts = [_flat_text(text) for text in (whole, *inner) if isinstance(text, str)]
        return "\n".join(filter(None, [*texts, *map(_flat_text, parts)]))
    return " ".join(value.split()) if isinstance(value, str) else ""


def _objects(path: Path) -> list[dict[str, Any]]:
    return [v for piece in foreign_pieces(path, kind="xml") for v in piece["objects"]]
