"""What is wrong with an instruction item, as far as a program can tell."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, cached_property, lru_cache

from pydantic_core import SchemaValidator, core_schema

from core.families.base import COLUMNS, Defect, ItemContent
from core.families.instruction_payload import TripletPayload, VariantPayload
from core.files import text_key
from core.i18n import tr
from core.unicode_forms import comparable_text, normal_form

DEFECT_NAMES = (
    "invalid_payload",
    "empty_field",
    "unknown_label",
    "instruction_in_input",
    "input_is_output",
    "answer_leaked",
    "needs_picture",
    "markup_left",
    "garbled_text",
    "too_short",
    "too_long",
    "wrong_language",
    "duplicate_item",
    "answers_differ",
)
SHORTEST_INSTRUCTION = 4  # characters; 翻译这句话 is short and sound
LONGEST = {"instruction": 4_000, "input": 20_000, "output": 20_000}

_MANY_LABELS = 20
"""From so many labels on they name topics or intents, which the inputs themselves speak of."""
_SET_OFF = (
    r"\n\s*{name}\W*$|[:=：]\s*[\"'“【\[]?{name}\W*$|[\[【<]{name}[\]】>]|[(（]{name}[)）]\s*$"
)
_LABEL_SIGNS = re.compile(r"[、,，;；/|]")
_TAG = re.compile(
    r"</?(?:p|div|span|br|a|b|i|u|font|img|table|tr|td|li|ul|ol|script|style|h[1-6])\b[^<>]*>"
    r"|&(?:nbsp|lt|gt|amp|quot|ldquo|rdquo|#\d{2,6}|#x[0-9a-f]{2,5});",
    re.IGNORECASE,
)
# What UTF-8 becomes when it is read as GBK or Windows-1252, and the replacement character.
_GARBLED = re.compile("\ufffd|锟斤拷|烫烫烫|Ã[\x80-\xbf©¨ª§¤¼]|â€[™œ\x9d“”¦\x93\x94]|ï»¿|ï¼Œ")
_GARBLED_SIGNS = "\ufffd锟烫Ãâï"  # with one of which every match of it begins
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_CHINESE = re.compile(r"[\u3400-\u9fff\uf900-\ufaff]")
_WORD = re.compile(r"\w")
_SHOWN_IN = r"(?:figures?|diagrams?|pictures?|images?|photos?|photographs?|graphs?|charts?)"
_PICTURE = re.compile(
    rf"<image(?:_?\d+)?>|\[image\]|!\[[^\]\n]*\]\([^)\n]+\)|<img\b|\\includegraphics\b"
    rf"|\b(?:shown|depicted|illustrated|drawn|pictured|seen) (?:in|on) (?:the |this )?{_SHOWN_IN}\b"
    rf"|\b(?:the|this) (?:\w+ )?{_SHOWN_IN} (?:below|above|shown|on the (?:right|left))\b"
    rf"|\b(?:the )?(?:attached|accompanying) {_SHOWN_IN}\b"
    r"|\bthe following (?:figure|diagram|picture|image|photo|chart)\b"
    r"|\b(?:in|from|see|to) (?:the|this) (?:figure|diagram)[,.?;:]"
    r"|如[下右左上]?图|[下右左上]图(?:所示|中|是|为|，)|见[下右左上]?图|图所示",
    re.IGNORECASE,
)
_PICTURE_SIGNS = r"(?i:figure|diagram|picture|image|photo|graph|chart|<img|includegraphics)|图|!\["
"""One of which every match of it has."""
_DRAWN = re.compile(r"\[asy\]|\\begin\{(?:tikz|tabular|array)|```|\|\s*-{3}")
"""A picture that stands in the text itself, as code or as a table."""
_LONGEST_ASKED = 2_000  # characters; an article to be summed up speaks of its own figures
_OF_PICTURES = re.compile(
    r"(?:has)?(?:images?|pictures?|img|figures?|photos?|图片|图像|图)(?:\d|url|path|file)?"
)
_NO_PICTURE = frozenset({"none", "null", "nan", "false", "no", "0", "no image", "无"})
_BEGINNING = 40  # characters
PLAIN_LETTERS = r"0-9A-Za-z\x{3400}-\x{4dbf}\x{4e00}-\x{9fff}"
"""What ``comparable_text`` leaves as it is, but for the case; a class of Rust's engine."""
PLAIN_SIGNS = r"\x00-/:-@\[-`{-\x7f、。，．；：？！…—·“”‘’（）《》【】「」"
"""What it takes away."""
_PLAIN = re.compile("[0-9a-z\u3400-\u4dbf\u4e00-\u9fff]+")
_SOUGHT = 24  # characters of an instruction
_RARELY = 2  # items that share an instruction; for more, something is made to look for it


def _beginning(text: str) -> str:
    """How ``comparable_text`` begins: no character of ASCII changes one before it."""
    return comparable_text(text[: text.find(" ", _BEGINNING) + 1] or text)


class _Sought:
    """An instruction, as it is looked for in the inputs of the items that share it."""

    def __init__(self, instruction: str) -> None:
        self.comparable = comparable_text(instruction)
        self._times = 0

    def is_in(self, text: str) -> bool:
        """Whether ``comparable_text`` of a text has the instruction in it."""
        self._times += 1
        if self._times > _RARELY and _is_of_characters(text) and not self._may_be_in(text):
            return False
        return self.comparable in comparable_text(text)

    @cached_property
    def _may_be_in(self) -> Callable[[str], bool]:
        """Whether a text has the beginning of the instruction, with signs between its letters, or
        any character that becomes another one: seen in a tenth of the time. Made for an instruction
        that is looked for often."""
        beginning = self.comparable[:_SOUGHT]
        letters = (f"[{c}{c.upper()}]" if c.isascii() else c for c in beginning)
        pattern = rf"[^{PLAIN_LETTERS}{PLAIN_SIGNS}]|" + rf"[{PLAIN_SIGNS}]*".join(letters)
        if not _PLAIN.fullmatch(beginning):
            pattern = ""  # matches anything
        schema = core_schema.str_schema(pattern=pattern, regex_engine="rust-regex")
        return SchemaValidator(schema).isinstance_python


def _is_of_characters(text: str) -> bool:
    """Whether a text has no half of a surrogate pair, which Rust's texts cannot have."""
    try:
        return text.isascii() or bool(text.encode())
    except UnicodeEncodeError:
        return False


@lru_cache(maxsize=64)
def _sought(instruction: str) -> _Sought:
    return _Sought(instruction)


def parts_of_label(text: str, labels: Sequence[str]) -> tuple[str, ...]:
    """The labels that an output names: itself, or several with signs such as 、 between them."""
    written = normal_form("NFKC", text).strip().rstrip("。.")
    known = {normal_form("NFKC", label).strip(): label for label in labels}
    if written in known:
        return (known[written],)
    parts = [part.strip() for part in _LABEL_SIGNS.split(written) if part.strip()]
    return tuple(known.get(part, part) for part in parts)


def check_triplet(payload: TripletPayload) -> Iterator[Defect]:
    """Defects of one triplet."""
    fields = {
        "instruction": payload.instruction,
        "input": payload.input,
        "output": payload.output,
    }
    for name in ("instruction", "output"):
        if not fields[name].strip():
            yield _empty(name)
    yield from _labels(payload)
    yield from _repeats(payload)
    yield from _lengths(fields)
    for name, text in fields.items():
        yield from spelling(name, text)
    yield from _language(payload.instruction, payload.language)


def is_plainly_sound(payload: TripletPayload, item: ItemContent) -> bool:
    """Whether one look at each text of a triplet shows that neither ``check_triplet`` nor
    ``picture_defects`` finds anything; False where they have to be asked."""
    return (
        not payload.labels
        and COLUMNS not in item.provenance
        and _is_sound_instruction(payload.instruction, payload.language)
        and _is_plain(payload.input)
        and _is_plain(payload.output)
        and _begin_differently(payload.input, payload.output)
        and not _sought(payload.instruction).is_in(payload.input)
    )


@lru_cache(maxsize=64)
def _is_sound_instruction(instruction: str, language: str) -> bool:
    """``is_plainly_sound`` of an instruction by itself, which many triplets share."""
    alone = TripletPayload(instruction=instruction, output="-", language=language)
    long = len(_sought(instruction).comparable) >= SHORTEST_INSTRUCTION
    return long and _is_plain(instruction) and not any(check_triplet(alone))


def _is_plain(text: str) -> bool:
    """Whether a text has a word and no more characters than any may have, and nothing by which
    leftover markup, wrong characters or a picture begin."""
    return (
        len(text) <= _LONGEST_ASKED
        and bool(_WORD.search(text))
        and _is_of_characters(text)
        and not _has_odd_sign()(text)
    )


def _begin_differently(text: str, other: str) -> bool:
    """Whether two texts are surely not alike; False where their beginnings do not tell."""
    first, too = _first_letter(text), _first_letter(other)
    return bool(first and too) and first != too


def _first_letter(text: str) -> str:
    """The first character of ``comparable_text``, where one that begins a text stays as it is."""
    letter = text[:1]
    # a Chinese character never becomes one with the next, nor do two of ASCII
    plain = "\u4e00" <= letter <= "\u9fff" or (letter.isalnum() and text[:2].isascii())
    return letter.lower() if plain else ""


def check_variant(payload: VariantPayload) -> Iterator[Defect]:
    """Defects of one wording of an instruction."""
    if not payload.text.strip():
        yield _empty("instruction")
    yield from _lengths({"instruction": payload.text})
    yield from spelling("instruction", payload.text)
    yield from _language(payload.text, payload.language)


def check_many(items: Sequence[ItemContent]) -> Mapping[int, Sequence[Defect]]:
    """Items that occur twice, and inputs that have two different outputs."""
    defects: dict[int, list[Defect]] = defaultdict(list)
    first: dict[bytes, int] = {}
    answers: dict[bytes, tuple[int, bytes]] = {}
    for index, item in enumerate(items):
        fields = {name: str(value) for name, value in item.payload.items()}
        instruction, question = fields.get("instruction", ""), fields.get("input", "")
        output = fields.get("output", "")
        shown = tuple(comparable_text(part) for part in (instruction, question, output))
        key = text_key(item.format, *shown, comparable_text(fields.get("text", "")))
        earlier = first.setdefault(key, index)
        if earlier != index:
            detail = tr("It is identical to item {number}.", number=earlier + 1)
            defects[index].append(Defect("duplicate_item", detail))
        if not question.strip():
            continue
        given = text_key(shown[2])
        place, other = answers.setdefault(text_key(*shown[:2]), (index, given))
        if other != given:
            detail = tr(
                "Item {number} has the same input with a different output.", number=place + 1
            )
            defects[index].append(Defect("answers_differ", detail))
    return defects


def _empty(name: str) -> Defect:
    return Defect("empty_field", tr("The field “{field}” is empty.", field=name))


def _labels(payload: TripletPayload) -> Iterator[Defect]:
    if not payload.labels or not payload.output.strip():
        return
    named = parts_of_label(payload.label or payload.output, payload.labels)
    for label in named:
        if label not in payload.labels:
            detail = tr("“{label}” is not in the label space.", label=label[:60])
            yield Defect("unknown_label", detail)
            return
    many = len(payload.labels) >= _MANY_LABELS
    seen = [label for label in payload.labels if _gives_away(payload.input, label, many)]
    if len(payload.labels) > 1 and len(named) == 1 and seen == [named[0]] and len(named[0]) > 1:
        detail = tr("The input gives away its label, “{label}”.", label=named[0])
        yield Defect("answer_leaked", detail)


def _gives_away(text: str, label: str, many: bool) -> bool:
    """Whether the text names the label; of many labels, whether it is set off from what is said."""
    folded, wanted = text.casefold(), label.casefold()
    if wanted not in folded:
        return False
    name = re.escape(wanted)
    if many:
        return re.search(_SET_OFF.format(name=name), folded, re.MULTILINE) is not None
    return bool(_CHINESE.search(wanted)) or bool(re.search(rf"(?<!\w){name}(?!\w)", folded))


def _repeats(payload: TripletPayload) -> Iterator[Defect]:
    sought = _sought(payload.instruction)
    if len(sought.comparable) >= SHORTEST_INSTRUCTION and sought.is_in(payload.input):
        detail = tr("The input repeats the instruction.")
        yield Defect("instruction_in_input", detail)
    if _are_alike(payload.input, payload.output):
        yield Defect("input_is_output", tr("The output is the same as the input."))


def _are_alike(text: str, other: str) -> bool:
    """Whether two texts say something, and the same; most differ at their beginnings."""
    begins, too = _beginning(text), _beginning(other)
    if not (begins.startswith(too) or too.startswith(begins)):
        return False
    said = comparable_text(text)
    return bool(said) and said == comparable_text(other)


def _lengths(fields: Mapping[str, str]) -> Iterator[Defect]:
    for name, text in fields.items():
        shortest = SHORTEST_INSTRUCTION if name == "instruction" else 1
        if text.strip() and (len(text.strip()) < shortest or _says_nothing(name, text)):
            detail = tr("The field “{field}” is too short to be meaningful.", field=name)
            yield Defect("too_short", detail)
        if len(text) > LONGEST[name]:
            detail = tr(
                "The field “{field}” has {count} characters; the limit is {limit}.",
                field=name,
                count=len(text),
                limit=LONGEST[name],
            )
            yield Defect("too_long", detail)


def _says_nothing(name: str, text: str) -> bool:
    """Signs alone are no instruction and no input; an output may well be a sign."""
    return name != "output" and _WORD.search(text) is None


def _is_formula(tag: re.Match[str], text: str) -> bool:
    """Whether a letter in angles within a sentence is one of mathematics, as in “index of <p> in
    S_5”: it stands between words and is closed nowhere."""
    letter = tag[0][1:-1]
    within = text[: tag.start()].endswith(" ") and text[tag.end() :].startswith((" ", ".", ","))
    return len(letter) == 1 and within and f"</{letter}>".lower() not in text.lower()


def picture_defects(item: ItemContent) -> Iterator[Defect]:
    """That an item asks about a picture, which no item holds: told by its question, or by what
    stands in a column of pictures beside it."""
    texts = [str(item.payload.get(n) or "") for n in ("question", "instruction", "input")]
    asked = [text for text in texts if len(text) <= _LONGEST_ASKED]
    has_sign = _has_sign_of_picture()  # to look for these first is quicker than to match
    shown = _shown_in("\n".join(asked)) if any(map(has_sign, asked)) else ""
    beside = item.provenance.get(COLUMNS)
    columns = beside.items() if isinstance(beside, Mapping) else ()
    named = next((name for name, value in columns if _is_picture(name, value)), "")
    if shown or named:
        detail = tr("It needs a picture, which is not there (“{words}”).", words=named or shown)
        yield Defect("needs_picture", detail)


@cache
def _has_sign_of_picture() -> Callable[[str], bool]:
    """Whether a text has one of ``_PICTURE_SIGNS``: Rust looks for all of them at once."""
    schema = core_schema.str_schema(pattern=_PICTURE_SIGNS, regex_engine="rust-regex")
    return SchemaValidator(schema).isinstance_python


@cache
def _has_odd_sign() -> Callable[[str], bool]:
    """Whether a text has any sign without which ``spelling`` and ``picture_defects`` find
    nothing."""
    signs = rf"[<&\x00-\x08\x0b\x0c\x0e-\x1f\x7f{_GARBLED_SIGNS}]|{_PICTURE_SIGNS}"
    schema = core_schema.str_schema(pattern=signs, regex_engine="rust-regex")
    return SchemaValidator(schema).isinstance_python


def _shown_in(asked: str) -> str:
    """The words by which a question asks about a picture that is not in it; empty without any."""
    found = None if _DRAWN.search(asked) else _PICTURE.search(asked)
    return found[0] if found else ""


def _is_picture(column: str, value: object) -> bool:
    if not _names_picture(column) or value in (None, "", False, 0, [], {}):
        return False
    return not isinstance(value, str) or value.strip().casefold() not in _NO_PICTURE


@lru_cache(maxsize=1024)
def _names_picture(column: str) -> bool:
    """Whether a column is called as one of pictures: the rows of a file share their columns."""
    return _OF_PICTURES.fullmatch(re.sub(r"[\s_-]", "", column).casefold()) is not None


def spelling(name: str, text: str) -> Iterator[Defect]:
    """Leftover markup and wrongly decoded characters in a field."""
    tags = _TAG.finditer(text) if "<" in text or "&" in text else ()
    match = next((m for m in tags if not _is_formula(m, text)), None)
    if match:
        detail = tr(
            "The field “{field}” contains leftover markup: “{sign}”.",
            field=name,
            sign=match.group()[:40],
        )
        yield Defect("markup_left", detail)
    if _is_garbled(text):
        detail = tr("The field “{field}” contains wrongly decoded characters.", field=name)
        yield Defect("garbled_text", detail)


def _is_garbled(text: str) -> bool:
    # what can be printed has no control characters, and to look for signs is quicker than to match
    if not text.isprintable() and _CONTROL.search(text):
        return True
    if text.isascii():
        return False
    return any(sign in text for sign in _GARBLED_SIGNS) and _GARBLED.search(text) is not None


def _language(instruction: str, language: str) -> Iterator[Defect]:
    if language == "zh" and instruction.strip() and not _CHINESE.search(instruction):
        yield Defect("wrong_language", tr("The instruction should be in Chinese, but is not."))
