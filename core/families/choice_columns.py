"""Multiple-choice rows of foreign files: where their options are, and how they write their keys.

MMLU, CMMLU, C-Eval, ARC, AGIEval, CosmosQA, RACE, HellaSwag, MedQA and others differ in both. How
keys are written is a property of a whole file: it is what makes sense for most of its rows.
"""

import ast
import hashlib
import json
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from warnings import catch_warnings, simplefilter

from core.errors import InputError
from core.i18n import tr
from core.sources.counted_columns import counted_columns, numbered_run
from core.sources.lettered_options import LETTERED, lettered_parts, split_question, without_letters
from core.sources.question_columns import (
    CALLED_OPTIONS,
    CALLED_QUESTION,
    KEYS,
    LISTS,
    PASSAGES,
    QUESTIONS,
    RATIONALES,
    is_called_key,
    plain_name,
)
from core.unicode_forms import normal_form

_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
FROM_ZERO, FROM_ONE = "#0", "#1"
"""What is written behind the key's column where a file does not tell how its numbers count."""

_NUMBERED = re.compile(r"(.*?)([a-z]|\d)$")
_RIGHT = ("correctanswer", "correct", "bestanswer", "chosen")
_WRONG = re.compile(r"(?:distractors?|(?:incorrect|wrong)answers?|rejected)\d*$")
_NEARLY_ALL = 0.9
_WHICH_IS_GOOD = "=Which of these sentences is well-formed?"
_PARTED = re.compile(r"\s*[,;，；、/&|]\s*")
_VERDICT = re.compile(r"([AB])\s*>{1,2}\s*([AB])")
_SHORT_NUMBER = re.compile(r"\d{1,2}")
_TOLD = re.compile(
    r"^\s*(?:correct\s+)?(?:answer|答案)(?:\s+is\b|是|为)?\s*[:：]?\s*", re.IGNORECASE
)
_SEVERAL_WRONG = ("distractors", "incorrectanswers", "wronganswers")


def suggested_columns(columns: Mapping[str, Any]) -> dict[str, str]:
    """Columns for question, options, key, passage and rationale; without options nothing."""
    known = _addressable(columns)
    found = _found_options(known, columns)
    if not found:
        return {}
    options = found["options"] if "question" not in found else ""
    taken = {*options.split("+"), *found.values()}
    marked = _example_options(options, columns)
    if marked and marked.right:
        labelled = (n for n in KEYS if n in known and _by_label(known[n][1], marked))
        # the options say themselves which is right
        found["key"] = next((known[name][0] for name in labelled), options)
    for name, usual in (
        ("question", QUESTIONS),
        ("key", KEYS),
        ("passage", PASSAGES),
        ("rationale", RATIONALES),
        ("language", ("language", "lang")),
    ):
        if name in found:
            continue
        free = [known[n] for n in usual if n in known and known[n][0] not in taken]
        filled = [c for c in free if c[1] not in (None, "", [])]
        if name == "key":
            column = _key_column(filled, known, taken, options, columns)
        elif name == "passage":
            asked = columns.get(found.get("question", ""))
            column = next((c for c in filled if is_passage(c[1])
                           and not contains_question(c[0], c[1], asked)), None)  # fmt: skip
        else:
            column = next(iter(filled), None)
        if column is not None:
            found[name] = column[0]
            taken.add(column[0])
    if (
        plain_name(options) == "answers"
        and found.get("key") != options
        and not _names_one(found.get("key", ""), options, columns)
    ):
        return {}  # any of them is right
    if _counts_from_zero(found.get("key", ""), options, columns):
        found["key"] += FROM_ZERO
    if "question" not in found and (asking := _asking_column(columns, taken)):
        found["question"] = asking
    if "question" not in found and "passage" in found:
        found["question"] = found.pop("passage")  # a text that goes on with one of the options
    return found


def _found_options(
    known: Mapping[str, tuple[str, Any]], columns: Mapping[str, Any]
) -> dict[str, str]:
    """The columns of the options, or those of questions that have their options in their text."""
    if options := _option_source(known):
        return {"options": options}
    if known.keys() >= {"sentencegood", "sentencebad"}:  # BLiMP and other minimal pairs
        good, bad = known["sentencegood"][0], known["sentencebad"][0]
        return {"question": _WHICH_IS_GOOD, "options": f"{good}+{bad}", "key": good}
    if found := _options_in_question(known):
        return found
    return {"options": counted} if (counted := _counted_options(columns)) else {}


def _counted_options(columns: Mapping[str, Any]) -> str:
    """Columns that are counted in words of any name (“Opt one”, “Opt two”), where something else
    names one of their texts: else they may be anything, as authors are."""
    for run in counted_columns(columns):
        options, source = _parsed_options([columns[name] for name in run]), "+".join(run)
        others = {name: columns[name] for name in columns if name not in run}
        free = [(name, value) for name, value in others.items() if isinstance(value, str)]
        usual = [c for c in free if plain_name(c[0]) in KEYS]
        key = _key_column(usual, _addressable(dict(free)), run, source, columns)
        if options is not None and key is not None and _names_one(key[0], source, columns):
            return source
    return ""


def _asking_column(columns: Mapping[str, Any], taken: Collection[str]) -> str:
    """The column of a question under no usual name: one that is called so in a longer name, else
    the only one whose text ends as questions do."""
    free = {name: text for name, text in columns.items()
            if name not in taken and isinstance(text, str) and text.strip()}  # fmt: skip
    called = [name for name in free if CALLED_QUESTION.search(name.casefold())]
    asking = [name for name in called or free if free[name].rstrip()[-1] in "?？؟"]
    return asking[0] if len(asking) == 1 else called[0] if len(called) == 1 else ""


def _options_in_question(known: Mapping[str, tuple[str, Any]]) -> dict[str, str]:
    """Columns of questions that have their options in their text and of keys that name one of them
    (BIG-Bench Hard, HalluQA)."""
    usual = [known[n] for n in QUESTIONS if n in known]
    called = [known[n] for n in known if n not in QUESTIONS and CALLED_QUESTION.search(n)]
    texts = [(name, text) for name, text in usual if isinstance(text, str) and text.strip()]
    for question, text in [*texts[:1], *(c for c in called if isinstance(c[1], str))]:
        options = _Options(split_question(text)[1])
        keys = (known[n] for n in KEYS if n in known)
        naming = (name for name, value in keys if options.texts and name != question
                  and (_by_letter(value, options) or _by_text(value, options)))  # fmt: skip
        if key := next(naming, ""):
            return {"options": question, "question": question, "key": key}
    return {}


def is_passage(text: Any) -> bool:
    """Whether a cell may be a passage: not a name of one word, as of a scenario."""
    return not isinstance(text, str) or not text.isascii() or len(text.split()) > 1


def contains_question(column: str, text: Any, question: Any) -> bool:
    """Whether a text under a name that says nothing has a question in it, so that it may have the
    answer as well."""
    if plain_name(column) not in ("text", "content", "文本"):
        return False
    return isinstance(text, str) and isinstance(question, str) and question.strip() in text


def _example_options(source: str, columns: Mapping[str, Any]) -> "_Options | None":
    parts = source.split("+")
    if len(parts) > 1:
        return _parsed_options([columns.get(part) for part in parts])
    column, _, field = source.partition(".")
    value = columns.get(source, columns.get(column))
    return _parsed_options(value.get(field) if field and isinstance(value, Mapping) else value)


def _naming_first(
    keys: Sequence[tuple[str, Any]], options: "_Options | None"
) -> list[tuple[str, Any]]:
    """The columns of which the example names one of its options, before the others."""
    if options is None:
        return list(keys)
    return sorted(keys, key=lambda key: not any(style(key[1], options) for style in _STYLES))


def _names_one(key: str, source: str, columns: Mapping[str, Any]) -> bool:
    options = _example_options(source, columns)
    given = columns.get(key)
    return options is not None and any(style(given, options) for style in _STYLES)


def _key_column(
    filled: Sequence[tuple[str, Any]],
    known: Mapping[str, tuple[str, Any]],
    taken: Collection[str],
    source: str,
    columns: Mapping[str, Any],
) -> tuple[str, Any] | None:
    """The column of the keys: of those with a usual name one whose example names an option, else
    that of the right texts, else the only one that names an option, whatever it is called."""
    options = _example_options(source, columns)
    if filled:
        return _naming_first(filled, options)[0]
    if right := next((known[n] for n in (*_first_right(known), "correctanswers") if n in known),
                     None):  # fmt: skip
        return right
    called = [known[n] for n in known if is_called_key(n) and known[n][0] not in taken]
    if named := [c for c in called if options and any(style(c[1], options) for style in _STYLES)]:
        return named[0]
    naming = [
        (name, value)
        for name, value in columns.items()
        if name not in taken
        and options is not None
        and isinstance(value, str)
        and (_by_letter(value, options) or _by_text(value, options))
    ]
    return naming[0] if len(naming) == 1 else None


def _first_right(known: Collection[str]) -> list[str]:
    """Columns of the right option, the first of several (``Best Answer1``: HalluQA)."""
    return [name for usual in _RIGHT for name in (usual, f"{usual}1") if name in known]


def _is_told_apart(stem: str, known: Collection[str]) -> bool:
    """Whether numbered columns are wrong options, also those of an earlier wording (GPQA), or right
    ones with the wrong beside them."""
    return bool(_WRONG.search(stem)) or (stem in _RIGHT and any(map(_WRONG.match, known)))


def _counts_from_zero(key: str, source: str, columns: Mapping[str, Any]) -> bool:
    """Whether keys are numbers, and the columns of the options are themselves counted from 0."""
    options = _example_options(source, columns)
    first, *more = source.split("+")
    if options is None or not more or not first.endswith("0") or key not in columns:
        return False
    by_name = (_by_label, _by_letter, _by_text)
    return bool(_from_zero(columns[key], options)) and not any(
        style(columns[key], options) for style in by_name
    )


def _addressable(columns: Mapping[str, Any]) -> dict[str, tuple[str, Any]]:
    """By its name in lower case every column, and every field of columns that are objects."""
    known: dict[str, tuple[str, Any]] = {}
    for name, value in columns.items():
        known.setdefault(plain_name(name), (name, value))
        if isinstance(value, Mapping):
            for inner, part in value.items():
                place = f"{name}.{inner}"
                known.setdefault(plain_name(place), (place, part))
    return known


def _lists_options(column: str, value: Any) -> bool:
    """Whether a cell of a column lists options. A text under ``answers`` may be one answer with
    signs in it."""
    if plain_name(column) == "answers" and isinstance(value, str):
        return value.lstrip()[:1] in ("[", "{") and _parsed_options(value) is not None
    return _parsed_options(value) is not None


def _is_list(value: Any) -> bool:
    """Whether a cell lists options and is not running text."""
    is_text = isinstance(value, str) and _literal(value.strip()) is None
    return not is_text and _parsed_options(value) is not None


def _option_source(known: Mapping[str, tuple[str, Any]]) -> str:
    for name in LISTS:
        if name in known and _lists_options(name, known[name][1]):
            return known[name][0]
    called = (known[n] for n in known if CALLED_OPTIONS.fullmatch(n))
    if listing := next((name for name, value in called if _is_list(value)), ""):
        return listing
    groups: dict[str, dict[str, str]] = {}
    for name, (column, _) in known.items():
        if (match := _NUMBERED.fullmatch(name)) and "." not in column:
            groups.setdefault(match[1], {})[match[2]] = column
    if lettered := numbered_run(groups.get("", {}), ("a",)):
        return lettered
    wrong = [column for name, (column, _) in known.items() if _WRONG.match(name)]
    right = next((known[name][0] for name in _first_right(known)), "")
    if right and wrong:
        return "+".join([right, *wrong])
    counted = (numbered_run(members, ("a", "0", "1")) for stem, members in groups.items()
               if stem and not _is_told_apart(stem, known))  # fmt: skip
    return next(filter(None, counted), "")


# --- the rows --------------------------------------------------------------------------------


@dataclass(slots=True)
class _Options:
    """The options of a row; ``labels`` are the file's own marks of them, ``right`` those that it
    marks as right itself."""

    texts: list[str]
    labels: list[str] = field(default_factory=list)
    right: list[int] = field(default_factory=list)


def choice_rows(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any] | str]:
    """Payload fields of every row, or in words why it gives no item.

    Raises InputError where numbers are keys and nothing tells whether they count from 0 or 1.
    """
    rows = [_parted(row) for row in rows]
    parsed = [_parsed_options(row.get("options")) for row in rows]
    style = _style_of(rows, parsed)
    made: list[dict[str, Any] | str] = []
    for row, options in zip(rows, parsed, strict=True):
        made.append(_made(row, options, style))
    sound = [row for row in made if isinstance(row, dict)]
    several = any(len(row["key"]) > 1 for row in sound)
    marked = all(options is None or options.right for options in parsed)
    ordered = style is _by_text or marked  # letters say that the order is the file's own
    first = sum(row["key"] == "A" for row in sound)
    for row in sound:
        if several:
            row.setdefault("right", "several")
        if ordered and len(sound) > 3 and first >= _NEARLY_ALL * len(sound):
            _mix(row)
    return made


def _parted(row: Mapping[str, Any]) -> Mapping[str, Any]:
    """A row with its question and its options apart, where both come from one column."""
    text = row.get("question")
    if not isinstance(text, str) or row.get("options") != text:
        return row
    question, options = split_question(text)
    return {**row, "question": question, "options": options}


def _made(
    row: Mapping[str, Any], options: _Options | None, style: "_Style"
) -> dict[str, Any] | str:
    if options is None or len(options.texts) < 2:
        return tr("It has no options to choose from.")
    if len(options.texts) > len(_LETTERS):
        return tr("It has more than 26 options.")
    raw = row.get("key")
    places = _by_label(raw, options) or options.right or style(raw, options)
    if not places and (raw is None or not str(raw).strip("[] ")):
        return tr("It has no key: nothing says which option is right.")
    if not places:
        return tr("Its key, “{key}”, does not name any of its options.", key=str(raw)[:60])
    letters = "".join(_LETTERS[place] for place in sorted(set(places)))
    return {**row, "options": options.texts, "key": letters}


def _mix(row: dict[str, Any]) -> None:
    """Put the options in an order that their own texts give: the file had the right ones first."""
    given = row["options"]
    right = [given[_LETTERS.index(letter)] for letter in row["key"]]
    row["options"] = sorted(
        given, key=lambda text: hashlib.sha256(f"{right[0]}\n{text}".encode()).digest()
    )
    row["key"] = "".join(sorted(_LETTERS[row["options"].index(text)] for text in right))


def _parsed_options(value: Any) -> _Options | None:
    """Options of a list, of an object (BIG-bench's of scores too), or of a text that lists them."""
    if isinstance(value, str):
        value = _listed(value)
    if isinstance(value, Mapping):
        return _options_of_object(value)
    if not isinstance(value, list | tuple) or len(value) < 2:
        return None
    if all(isinstance(part, Mapping) for part in value):
        return _options_of_objects(value)
    if any(isinstance(part, Mapping | list | tuple) for part in value):
        return None
    texts = [_text(part) for part in value]
    while texts and not texts[-1].strip():  # questions with fewer options leave the last empty
        texts.pop()
    return _Options(without_letters(texts)) if len(texts) > 1 else None


def _options_of_object(value: Mapping[str, Any]) -> _Options | None:
    texts = next((value[n] for n in ("text", "texts", "choices") if n in value), None)
    labels = next((value[n] for n in ("label", "labels") if n in value), None)
    if isinstance(texts, list) and len(texts) > 1:
        marks = [_text(mark) for mark in labels] if isinstance(labels, list) else []
        flags = _flags(value)
        return _Options([_text(t) for t in texts], [] if flags else marks, flags)
    if scored := _scored(value):
        return _Options([str(name).strip() for name in value], [], scored)
    if len(value) > 1 and all(re.fullmatch(r"[A-Za-z]|\d", str(name)) for name in value):
        filled = {str(name): _text(part) for name, part in value.items() if _text(part).strip()}
        ordered = sorted(filled)
        return _Options([filled[name] for name in ordered], ordered)
    return None


def _scored(value: Mapping[str, Any]) -> list[int]:
    """Places of the options with the highest score, where an object gives each one from 0 to 1
    (BIG-bench)."""
    scores = list(value.values())
    if len(scores) < 2 or any(
        isinstance(score, bool) or not isinstance(score, int | float) or not 0 <= score <= 1
        for score in scores
    ):
        return []
    return [n for n, score in enumerate(scores) if score == max(scores) > min(scores)]


def _flags(value: Any) -> list[int]:
    """Places of the right options where an object marks each with 0 or 1."""
    if isinstance(value, Mapping) and (scored := _scored(value)):
        return scored
    labels = value.get("labels", value.get("label")) if isinstance(value, Mapping) else None
    if not isinstance(labels, list) or not all(mark in (0, 1) for mark in labels):
        return []
    if any(isinstance(mark, str) for mark in labels):
        return []
    return [place for place, mark in enumerate(labels) if mark]


def _options_of_objects(value: Sequence[Mapping[str, Any]]) -> _Options | None:
    names = ("text", "content", "option", "value", "choice", "answer")
    name = next((n for n in names if all(n in part for part in value)), None)
    if name is None:
        return None
    mark = next((n for n in ("label", "key", "id", "letter") if all(n in p for p in value)), None)
    flag = next((n for n in ("is_correct", "correct", "is_right") if n in value[0]), None)
    if mark == "label" and {str(part[mark]) for part in value} <= {"0", "1", "True", "False"}:
        flag = mark  # whether it is right (MultiRC), unless a key names one of two by it
    return _Options(
        [_text(part[name]) for part in value],
        [_text(part[mark]) for part in value] if mark else [],
        [place for place, part in enumerate(value) if flag and part.get(flag) in (True, 1)],
    )


def _listed(text: str) -> Any:
    """A list that is written as text: as JSON, as Python, with letters, or a line each."""
    if (value := _literal(text)) is not None:
        return value
    if lettered := lettered_parts(text):
        return lettered
    lines = [line.strip() for line in _unquoted(text).splitlines() if line.strip()]
    if len(lines) > 1:
        return lines
    split = [_parts(text, sign) for sign in "|;；"] + [p for sign in ",，、"
             if len(p := _parts(text, sign)) > 2]  # fmt: skip
    return next((parts for parts in split if len(parts) > 1), [text.strip()])


def _literal(text: str) -> list[Any] | dict[str, Any] | None:
    """The list or object that JSON or Python writes so."""
    if not text.startswith(("[", "{")):
        return None
    for read in (json.loads, ast.literal_eval):
        try:
            with catch_warnings():
                simplefilter("ignore")  # what Python thinks of a text that is not a literal
                value = read(text)
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            continue
        if isinstance(value, list | dict):
            return value
    return None


def listed_texts(text: str) -> list[str]:
    """The texts of a list that is written as JSON or Python has it; empty for anything else."""
    value = _literal(text)
    sound = isinstance(value, list) and all(isinstance(part, str) for part in value)
    return list(value or ()) if sound else []


def _unquoted(text: str) -> str:
    """A text without the one quotation mark that a badly written table left at its end."""
    bare = text.rstrip()
    return bare[:-1] if bare.endswith('"') and bare.count('"') == 1 else text


def _parts(text: str, sign: str) -> list[str]:
    return [part for part in map(str.strip, text.split(sign)) if part]


def listed_cell(column: str, value: Any) -> Any:
    """The wrong options that one cell lists, of a column that is called so (TruthfulQA)."""
    if plain_name(column) not in _SEVERAL_WRONG or not isinstance(value, str):
        return value
    return _listed(value)


def _text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value).strip()


# --- how keys are written --------------------------------------------------------------------

_Style = Callable[[Any, _Options], list[int]]


def _style_of(rows: Sequence[Mapping[str, Any]], parsed: Sequence[_Options | None]) -> _Style:
    """The way of writing keys that makes sense for most rows; of equals the first."""
    pairs = [
        (row.get("key"), options)
        for row, options in zip(rows, parsed, strict=True)
        if options is not None and not options.right and row.get("key") not in (None, "", [])
    ]
    counts = {style: sum(bool(style(raw, o)) for raw, o in pairs) for style in _STYLES}
    best = max(_STYLES, key=lambda style: counts[style])
    fits = [(bool(_from_zero(*pair)), bool(_from_one(*pair))) for pair in pairs]
    # in two options 2 may be a tie, or the second
    both = {(True, False), (False, True)} <= set(fits)
    equal = best is _from_zero and counts[_from_one] == counts[_from_zero] > 0
    if equal or (both and best in (_from_zero, _from_one)):
        raise InputError(
            tr("The keys are numbers, and nothing in the file tells whether the first option is 0 "
               "or 1. Write {zero} or {one} after the name of the column.",
               zero=FROM_ZERO, one=FROM_ONE),
            command=tr("For example: --map key=COLUMN{one}", one=FROM_ONE),
        )  # fmt: skip
    return best


def _by_label(raw: Any, options: _Options) -> list[int]:
    names = [str(name) for name in options.labels]
    parts = [_text(part) for part in _several(raw)]
    return [names.index(p) for p in parts] if parts and set(parts) <= set(names) else []


def _by_letter(raw: Any, options: _Options) -> list[int]:
    places: list[int] = []
    known = _LETTERS[: len(options.texts)]
    for part in _several(raw):
        if not isinstance(part, str):
            return []
        bare = _TOLD.sub("", normal_form("NFKC", part)).strip().strip("()[].:、 ").upper()
        letters = [c for c in bare if c not in " ,;、/&|"]
        if not letters or not all(c in known for c in letters):
            return []
        places += [known.index(c) for c in letters]
    return places


def _by_verdict(raw: Any, options: _Options) -> list[int]:
    """The letter before the sign in ``A>B`` or ``B>>A``, of two options."""
    verdict = _VERDICT.fullmatch(_text(raw).strip("[]")) if len(options.texts) == 2 else None
    return ["AB".index(verdict[1])] if verdict and verdict[1] != verdict[2] else []


def _by_text(raw: Any, options: _Options) -> list[int]:
    parts = _several(raw)
    if not all(isinstance(part, str) for part in parts):
        return []
    texts = [" ".join(text.split()) for text in options.texts]
    bare = [" ".join(LETTERED.sub("", part).split()) for part in parts]
    names = [part if part in texts else found for part, found in
             zip((" ".join(p.split()) for p in parts), bare, strict=True)]  # fmt: skip
    return [texts.index(name) for name in names] if names and set(names) <= set(texts) else []


def _from_zero(raw: Any, options: _Options) -> list[int]:
    return _numbered(raw, options, 0)


def _from_one(raw: Any, options: _Options) -> list[int]:
    return _numbered(raw, options, 1)


def _numbered(raw: Any, options: _Options, start: int) -> list[int]:
    stated = {FROM_ZERO: 0, FROM_ONE: 1}
    if isinstance(raw, tuple) and raw[0] in stated:  # somebody said how the numbers count
        if stated[raw[0]] != start:
            return []
        raw = raw[1]
    places = []
    for part in _several(raw):
        numbers = _PARTED.split(_text(part).strip("[]() "))
        if isinstance(part, bool) or not all(_SHORT_NUMBER.fullmatch(n) for n in numbers):
            return []
        places += [int(number) - start for number in numbers]
    return places if all(0 <= place < len(options.texts) for place in places) else []


def _several(raw: Any) -> list[Any]:
    return list(raw) if isinstance(raw, list) else [raw]


_STYLES: Sequence[_Style] = (
    _by_label, _by_letter, _by_text, _by_verdict, _from_zero, _from_one,
)  # fmt: skip
