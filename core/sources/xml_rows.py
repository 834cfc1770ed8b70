"""Rows of an XML file: the elements that come again and again and have texts in them."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NoReturn
from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers.expat import ExpatError, ParserCreate

from core.errors import InputError
from core.files import open_regular
from core.sources.json_tables import with_surroundings

_QUESTIONS = {"quiz": "question", "assessmentItem": "", "qti-assessment-item": ""}
"""The elements that are rows by what is around them all; without a name it is itself the row."""
_FEEDBACK = re.compile(r"(?:qti-)?(?:feedback-?(?:inline|block)|rubric-?block)$", re.IGNORECASE)


def xml_rows(path: Path) -> Iterator[dict[str, Any]]:
    """One row for each such element: its attributes and what its children hold, lists of them as
    lists, and beside it the same of the elements around it.

    To be called in the child process, within its limits. Raises InputError for a file that is not
    sound XML, that has entities of its own, or in which nothing comes again.
    """
    root = _root(path)
    if _name(root) in _QUESTIONS:
        _take_away_feedback(root)
    if not (tag := _row_tag(root)):
        raise InputError.tr("“{path}” has no elements that could be rows.", path=path)
    yield from _rows(root, tag, ())


def _root(path: Path) -> Element:
    def refuse(*_about: object) -> NoReturn:
        raise InputError.tr("“{path}” has entities of its own, which are not read.", path=path)

    tree, parser = TreeBuilder(), ParserCreate(namespace_separator="}")
    parser.buffer_text = True
    parser.StartElementHandler, parser.EndElementHandler = tree.start, tree.end
    parser.CharacterDataHandler = tree.data
    parser.EntityDeclHandler = parser.SkippedEntityHandler = refuse
    try:
        with open_regular(path) as handle:
            parser.ParseFile(handle)
        return tree.close()
    except (ExpatError, AssertionError) as error:
        line = parser.ErrorLineNumber or parser.CurrentLineNumber
        raise InputError.tr(
            "“{path}” is not valid XML: error in line {line}.", path=path, line=line
        ) from error


def _take_away_feedback(element: Element) -> None:
    """Without what an item of QTI says to answers, which would be read as a part of its texts."""
    for child in list(element):
        _take_away_feedback(child)
        if _FEEDBACK.match(_name(child)):
            if child.tail and child.tail.strip():  # what comes behind it stays where it is
                behind = Element("span")
                behind.text = child.tail
                element.insert(list(element).index(child), behind)
            element.remove(child)


def _row_tag(root: Element) -> str:
    """The most frequent of the elements that come again; those that hold an element with nothing
    but a text go before others. Of question banks that of a question."""
    if (outermost := _name(root)) in _QUESTIONS:
        return _QUESTIONS[outermost] or str(root.tag)
    counts = Counter(element.tag for element in root.iter())
    repeated = {tag for tag, count in counts.items() if count > 1 and tag != root.tag}
    holding = {e.tag for e in root.iter() if e.tag in repeated and any(map(_is_plain, e))}
    return max(holding or repeated, key=lambda tag: counts[tag], default="")


def _is_plain(element: Element) -> bool:
    return not len(element) and not element.attrib and bool((element.text or "").strip())


def _rows(element: Element, tag: str, around: Sequence[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    if element.tag == tag:
        found = _value(element)
        row = found if isinstance(found, dict) else {_name(element): found}
        yield with_surroundings(row, *around)
        return
    inner = [child for child in element if next(child.iter(tag), None) is not None]
    beside = {**_named(element.attrib), **_parts(c for c in element if c not in inner)}
    for child in inner:
        yield from _rows(child, tag, (beside, *around))


def _value(element: Element) -> Any:
    """A text, of an element that only lists others the list, else an object."""
    children = list(element)
    own = _named(element.attrib)
    mixed = any((child.tail or "").strip() for child in children)
    text = " ".join("".join(element.itertext()).split()) if mixed else (element.text or "").strip()
    if mixed or not children:
        return {**own, "text": text} if own and text else own or text
    if not own and not text and len({child.tag for child in children}) == 1:
        values = [_value(child) for child in children]
        return values if len(values) > 1 or isinstance(values[0], dict) else values[0]
    parts = _parts(children)
    return with_surroundings(parts, own, {"text": text} if text else {})


def _parts(children: Iterator[Element] | Sequence[Element]) -> dict[str, Any]:
    """The values of elements by name; of those of one name a list."""
    found: dict[str, list[Any]] = {}
    for child in children:
        found.setdefault(_name(child), []).append(_value(child))
    return {name: values if len(values) > 1 else values[0] for name, values in found.items()}


def _name(element: Element) -> str:
    return str(element.tag).rpartition("}")[2]


def _named(attributes: dict[str, str]) -> dict[str, str]:
    return {name.rpartition("}")[2]: value for name, value in attributes.items()}
