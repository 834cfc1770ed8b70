"""Text defects of items: what a reader stumbles over, in our own items and in anybody's."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import islice, pairwise
from operator import eq
from typing import Any

from core.families import family
from core.families.base import Defect, ItemContent
from core.families.scp_payload import CLOZE, HOLE, PREDICTION, SEQUENCING
from core.generation.chinese_damage import lost_commas, said_twice
from core.generation.gated_patterns import GatedPatterns
from core.generation.order_cues import order_cue
from core.generation.sentences import split_sentences
from core.generation.text_patterns import ANYWHERE, IN_PROSE, KINDS, LONGEST
from core.i18n import tr
from core.sources.articles.prose.joined_words import joined_words, words_in

OWN_KINDS = ("mixed_passages", "ordinal_cues", "sentence_fragment")
TEXT_DEFECTS = (*KINDS, *OWN_KINDS)
"""Every name that ``text_defects`` can give."""

_FOUND_AS = {  # what a family already calls by a name of its own
    "leftover_markup": "markup_left",
    "mojibake": "garbled_text",
    "invisible_characters": "garbled_text",
}
_LETTERS = {"orders", "assignments"}  # hold letters, not text
_PROSE_WORDS = 60  # so long a text of another family is running text
_PROSE_CHINESE = 120
_STOPS = ".,;:!?)"
_APART = "letters_apart"
_LETTERS_APART = GatedPatterns({_APART: (r"(?<!\S)(?:[a-z] ){4,}[a-z](?![\w’'])",)})
_SHOWN = 30  # characters on each side of what was found
_SHARED = 100  # characters; items hardly have a longer text in common
_ONE_GAP = 3  # characters between neighbouring pieces of one passage
_REPEATED = 8  # words from which a sentence that stands twice is not an accident
_STUTTERED = 3  # the same of one that stands right behind itself

_MATHS = re.compile(
    r"\$\$[^$]{1,2000}\$\$|\$(?!\s)[^$]{1,600}(?<!\s)\$(?!\d)|\\\((?:(?!\\\)).){0,600}\\\)"
    r"|\\\[(?:(?!\\\]).){0,2000}\\\]",
    re.DOTALL,
)
# a task about brackets, or a set of numbers or letters
_BRACKETS = re.compile(
    r"[\[\](){}<>](?:\s*[\[\](){}<>]){3,}|\{\s*[\w.-]{1,6}(?:\s*,\s*(?:[\w.-]{1,6}|…))+\s*\}"
)
_BLANK = re.compile(r"（\s*）|(?<=[\w.,:;?]\s)\(\s*\)(?!\s*[\[\](){}<>])")
_ASKING = ("question", "instruction", "input")  # fields in which an empty bracket is to be filled
_CODE = re.compile(
    r"\[asy\].{0,4000}?\[/asy\]|```.{0,20000}?```|`[^`\n]{1,200}`|(?<!\]\()https?://\S{1,300}|\b[\w-]+(?:/[\w.-]+){2,}",
    re.DOTALL,
)
# a table in Markdown, and lines of code, which a question of anybody's may be about
_LINES = re.compile(r"(?m)^\|.*\n\|[ :|-]+\|\n(?:\|.*(?:\n|\Z))*|(?:^(?: {4}|\t).*(?:\n|\Z)){2,}")
_CHINESE = re.compile(r"[\u3400-\u9fff]+")
_LATIN_WORD = re.compile(r"[A-Za-z]{2,}")
_RIGHT_TO_LEFT = re.compile(r"[\u0590-\u08ff]")
_STOP_SIGNS = "[,.;]"
_SPACED = re.compile(r"[^\W_]\s[,.;](?=\s|$)(?!\s\.)")  # not the dots of a pause: . . .
_SPACE_BEFORE = re.compile(r"[,.;](?<=\s.)")  # quicker to find
_TIGHT = re.compile(r"\w[,.;](?=\s|$)")
_STARTS_LOW = re.compile(r"(?!(?:e\.g|i\.e|de|von|van|der|p|iPhone|vs)\b)[a-z]{2,}(?![A-Z\d-])")
_STOPS_SHORT = re.compile(
    r"(?:[,;:(\[–—-]|\b(?:and|or|of|the|in|to|with|an?|by|that|which|from|for|is|are|as)"
    r"|\s(?:z|d|u|i|cf|vgl|sog|bspw|[Ff]igs?|Abb|Nr|Dr|Prof|Mrs?|e\.g|i\.e|p\. ?ej|p\. ?ex|resp)\."
    r"|\b(?:am|vom|zum|den|dem) \d{1,2}\.)\s*$"
)
# Of a text in which none of these stands nothing is taken out before it is looked at, and no space
# stands before a full stop: so what shows nothing to all expressions at once shows nothing at all.
_LOOKED_INTO = GatedPatterns({
    "": (r"[$\[{`/|\t]", r"<\|", r"\\[(\[]", r" {4}", rf"\s{_STOP_SIGNS}"),
})  # fmt: skip
_AT_ALL = _LOOKED_INTO.together(ANYWHERE).together(IN_PROSE)
_LONGEST_STOP = 12  # characters of the longest of these words, and some
_CLOSING = "”’\"')]）》"
_CLOSED, _ENDS = tuple(")]）$"), tuple(".?!:;。？！：；…")
"""How a piece of running text ends when it was cut behind a sentence, before what closes it."""
_OPEN_PIECES = 0.25
"""Of an item's pieces; where more have no full stop, the generator takes them all away."""
_OPENS_CHINESE = re.compile(r"[a-z](?=[\u4e00-\u9fff])")
_STARTS_WITHIN = re.compile(r"(?!的[确士话])[的们吗呢吧，。、；：！？）”]")
"""What no Chinese sentence begins with."""
_SENTENCE_IN_CHINESE = re.compile(r"(?:[A-Za-z][a-z]+ ){7,}[a-z]+[.。]")
_SENTENCE_IN_ENGLISH = re.compile(r"[\u4e00-\u9fff]{8,}[，。]")


def text_defects(item: ItemContent, *, every: bool = False) -> list[Defect]:
    """The text defects of an item, one of each kind, with the words where it shows.

    With ``every``, each place of each kind.
    """
    return _text_defects([item], every)[0]


def _text_defects(items: Sequence[ItemContent], every: bool) -> list[list[Defect]]:
    places = [place for place, item in enumerate(items) if _may_show(item)]
    shown = _shown_by([items[place] for place in places], every) if places else ()
    known = dict(zip(places, shown, strict=True))
    return [known.get(place, []) for place in range(len(items))]


def _may_show(item: ItemContent) -> bool:
    """False for an item whose texts show nothing to all expressions at once, as of most."""
    if item.family == "scp":  # there is more to be asked of running text
        return True
    for where, text in _texts(item.payload):
        shows = _short_may_show if len(text) <= _SHARED else _AT_ALL.may_match
        if shows(_asked(where, text[:LONGEST]) if where in _ASKING else text[:LONGEST]):
            return True
    return False


@lru_cache(maxsize=4096)
def _short_may_show(text: str) -> bool:
    """Of a text that many items share: an instruction, a label, a language."""
    return len(text) > 1 and _AT_ALL.may_match(text)


def _shown_by(items: Sequence[ItemContent], every: bool) -> list[list[Defect]]:
    texts = [
        [(where, (item.family == "scp", _asked(where, text[:LONGEST])))
         for where, text in _texts(item.payload) if len(text) > 1]
        for item in items
    ]  # fmt: skip
    # an instruction or a label that many items share is looked at once
    different = list(dict.fromkeys([asked for own in texts for _, asked in own]))
    in_texts = zip(different, _in_texts(different, every), strict=True)
    known = {asked: told for asked, told in in_texts if told}
    found_in: list[list[Defect]] = []
    for item, own in zip(items, texts, strict=True):
        found: dict[str, list[Defect]] = {}
        for where, asked in own:
            for kind, detail in known.get(asked, ()):
                found.setdefault(kind, []).append(_defect(kind, detail, where))
        if item.family == "scp":
            for kind, detail, where in _in_passage(item):
                found.setdefault(kind, []).append(_defect(kind, detail, where))
        kinds = TEXT_DEFECTS if found else ()
        most = None if every else 1
        found_in.append([defect for kind in kinds for defect in found.get(kind, [])[:most]])
    return found_in


def _asked(where: str, text: str) -> str:
    """A text whose empty brackets are no loss where a question asks to fill them."""
    if where not in _ASKING or not ("（" in text or "(" in text):
        return text
    return _BLANK.sub("…", text)


def _defect(kind: str, detail: str, where: str) -> Defect:
    return Defect(kind, tr("“{words}”", words=detail), where)


def joined_word_defects(items: Sequence[ItemContent]) -> dict[int, Defect]:
    """By index, the items in which two words lost the space between them.

    The words of the items of one article, else of all items together, tell which ones.
    """
    groups: dict[str, list[int]] = {}
    texts = [
        [t[:LONGEST] for _, t in _texts(item.payload) if item.family == "scp" or _is_prose(t)]
        for item in items
    ]
    for index, item in enumerate(items):
        groups.setdefault(str(item.provenance.get("article", "")), []).append(index)
    found: dict[int, Defect] = {}
    for group in groups.values():
        joined = joined_words(text for index in group for text in texts[index])
        for index in group if joined else ():
            for word in words_in(" ".join(texts[index])) & joined.keys():
                shown = f"{word}: {' '.join(joined[word])}"
                found[index] = Defect("broken_words", tr("“{words}”", words=shown))
    return found


def item_defects(
    item: ItemContent, source: str | None = None, *, every: bool = False
) -> list[Defect]:
    """The defects of one item: what its family finds, and what its texts show.

    Of the latter the first of each kind, or with ``every`` all. Raises NotFoundError for an unknown
    family.
    """
    return defects_of_items([item], [source], every=every)[0]


def defects_of_items(
    items: Sequence[ItemContent], sources: Sequence[str | None] = (), *, every: bool = False
) -> list[list[Defect]]:
    """``item_defects`` of each of many items, which together take half as long."""
    pairs = zip(items, sources or [None] * len(items), strict=True)
    known = [list(family(item.family).check(item, source)) for item, source in pairs]
    if not any(known):
        return _text_defects(items, every)
    names = [{defect.name for defect in own} for own in known]
    sound = [place for place, own in enumerate(names) if "invalid_payload" not in own]
    shown = _text_defects([items[place] for place in sound], every)
    told = dict(zip(sound, shown, strict=True))
    return [
        own + [d for d in told.get(place, ()) if _FOUND_AS.get(d.name) not in names[place]]
        for place, own in enumerate(known)
    ]


def _texts(payload: Any, name: str = "", where: str = "") -> list[tuple[str, str]]:
    """Every text of a payload and where it stands: ``parts[2]``, ``turns[0].text``."""
    if isinstance(payload, str):
        return [] if name in _LETTERS else [(where, payload)]
    parts: Iterable[tuple[str, str, Any]] = ()
    if type(payload) is dict or isinstance(payload, Mapping):
        names = [(key if type(key) is str else str(key), value) for key, value in payload.items()]
        parts = [(key, f"{where}.{key}" if where else key, value) for key, value in names]
    elif isinstance(payload, Sequence):
        parts = [(name, f"{where}[{number}]", value) for number, value in enumerate(payload)]
    found: list[tuple[str, str]] = []
    for inner, place, value in parts:
        if type(value) is str and inner not in _LETTERS:
            found.append((place, value))
        elif value:
            found += _texts(value, inner, place)
    return found


def in_text(text: str, prose: bool) -> list[tuple[str, str]]:
    """What one text shows: kinds of defects, each with the words around its first place.

    ``prose`` says that the text is running text; else its length decides.
    """
    return next(_in_texts([(prose, text)], every=False))


def _in_texts(texts: Sequence[tuple[bool, str]], every: bool) -> Iterator[list[tuple[str, str]]]:
    """Kinds and the words where each shows, of texts that are known to be prose or not."""
    running = [prose or _is_prose(text) for prose, text in texts]
    plain = [
        _without_code(text if prose or not _may_have_lines(text) else _LINES.sub("x\n", text))
        for (prose, text), runs in zip(texts, running, strict=True)
        if runs
    ]
    in_prose = zip(plain, IN_PROSE.first_matches(plain), strict=True)
    anywhere = ANYWHERE.first_matches([text for _, text in texts])
    for (prose, text), runs, matches in zip(texts, running, anywhere, strict=True):
        found = [*_shown(ANYWHERE, matches, text, every)] if matches else []
        if runs:
            bare, matches = next(in_prose)
            found += _shown(IN_PROSE, matches, bare, every)
            found += _in_running_text(bare, prose)
        yield found


def _shown(
    patterns: GatedPatterns, first: Mapping[str, re.Match[str]], text: str, every: bool
) -> Iterator[tuple[str, str]]:
    """The kinds of which a first match is known, and the words around each place."""
    for kind, match in first.items():
        marks = kind == "invisible_characters"
        for one in patterns.every_match(kind, text) if every or marks else (match,):
            if not marks or not _belongs(one[0], text):
                yield kind, _around(text, *one.span())


def _may_have_lines(text: str) -> bool:
    """Whether ``_LINES`` may match: to look for what it needs takes a hundredth of the time."""
    return "|" in text or "\t" in text or "    " in text


def _without_code(text: str) -> str:
    plain = HOLE.sub(" X ", text) if "<|" in text else text
    if "$" in plain or "\\(" in plain or "\\[" in plain:
        plain = _MATHS.sub("x", plain)
    if "[" in plain or "{" in plain:
        plain = _BRACKETS.sub("x", plain)
    if "`" in plain or "/" in plain:
        plain = _CODE.sub("x", plain)
    return plain


def _in_running_text(plain: str, prose: bool) -> Iterator[tuple[str, str]]:
    spaced = [*_SPACED.finditer(plain)] if _SPACE_BEFORE.search(plain) else []
    if spaced and len(spaced) <= len(_TIGHT.findall(plain)):
        for match in spaced:
            yield "lost_citation", _around(plain, *match.span())
    if not prose:
        return
    if words := _said_twice(plain) or _spaced_out(plain):
        yield "broken_words", words
    # asked first: to look for an English sentence in English takes as long as all the rest
    if _mostly_chinese(plain):
        if damaged := said_twice(plain):
            yield "broken_words", _around(plain, damaged.start(), damaged.start() + _SHOWN)
        elif rushed := lost_commas(plain):
            yield "broken_words", _around(rushed, 0, 0)
        if _OPENS_CHINESE.match(plain) or _SENTENCE_IN_CHINESE.search(plain):
            yield "mixed_passages", _around(plain, 0, 20)
    elif other := _SENTENCE_IN_ENGLISH.search(plain):
        yield "mixed_passages", _around(plain, *other.span())


def _said_twice(plain: str) -> str:
    """Two or three words that stand twice in a row: across the tasks the tasks."""
    words = plain.split()
    for many in (2, 3):
        alike = [*map(eq, words, words[many:])]
        # hardly a text has any; to look at each word would take as long as all the rest
        for start in [i for i, same in enumerate(alike) if same] if True in alike else ():
            once, again = words[start : start + many], words[start + many : start + 2 * many]
            if once == [*again[:-1], again[-1].rstrip(_STOPS)] and _are_words(once):
                return " ".join([*once, *again])
    return ""


def _are_words(words: Sequence[str]) -> bool:
    letters = "".join(words).replace("-", "").replace("’", "")
    return letters.isalpha() and letters.isascii() and len(set(words)) == len(words)


def _spaced_out(plain: str) -> str:
    """Letters of a word with spaces between them, and none in the order of the alphabet."""
    runs = (match[0] for match in _LETTERS_APART.every_match(_APART, plain))
    return next((run for run in runs if [*run.split()] != sorted(run.split())), "")


def _is_prose(text: str) -> bool:
    if text.count(" ") >= _PROSE_WORDS:
        return True
    return len(text) >= _PROSE_CHINESE and _count_chinese(text) >= _PROSE_CHINESE


def _count_chinese(text: str) -> int:
    """How many Chinese characters a text has: the runs are taken, which are fewer."""
    return sum(map(len, _CHINESE.findall(text)))


def _mostly_chinese(text: str) -> bool:
    chinese = 0 if text.isascii() else _count_chinese(text)
    if not chinese:
        return False
    most = (chinese - 1) // 3  # words: no more of them are looked for
    return next(islice(_LATIN_WORD.finditer(text), most, None), None) is None


def _belongs(character: str, text: str) -> bool:
    """Whether a mark of direction is at home: in a text that has letters from right to left."""
    return "\u202a" <= character <= "\u2069" and _RIGHT_TO_LEFT.search(text) is not None


def _around(text: str, start: int, end: int) -> str:
    begin, stop = max(0, start - _SHOWN), min(len(text), end + _SHOWN)
    shown = " ".join(text[begin:stop].split())
    visible = shown if shown.isprintable() else _spelled_out(shown)
    return f"{'…' * (begin > 0)}{visible}{'…' * (stop < len(text))}"


def _spelled_out(text: str) -> str:
    return "".join(c if c.isprintable() else f"U+{ord(c):04X}" for c in text)


def _in_passage(item: ItemContent) -> Iterator[tuple[str, str, str]]:
    """What the pieces of a sequencing, cloze or prediction item show: kind, words, field."""
    payload = item.payload
    name, pieces = _pieces(item)
    field = "text" if "text" in payload else "context"
    given = str(payload.get(field) or "")[:LONGEST]
    if item.format in (SEQUENCING, CLOZE):
        if cue := order_cue(pieces, _SHOWN):
            yield "ordinal_cues", cue, name
        if gap := _far_apart(item):
            yield "mixed_passages", gap, name
    for piece in _beside_the_text(item, pieces):
        if cue := order_cue([given, piece], _SHOWN):
            yield "ordinal_cues", cue, name
            break
    yield from (("mixed_passages", text, "") for text in _twice([given, *pieces], item.format))
    texts = {field: given} | {f"{name}[{number}]": piece for number, piece in enumerate(pieces)}
    for where, text in texts.items():
        bare = text.strip().lstrip("“\"'(‘[")
        if bare.startswith("<|"):
            continue
        low = _STARTS_LOW.match(bare)
        if low and not _CHINESE.search(bare[:40]):
            yield "sentence_fragment", _around(text, 0, _SHOWN), where
        short = _stopped_short(text)
        if short and text.strip():
            yield "sentence_fragment", _around(text, *short.span()), where
    yield from (("broken_words", rushed, name) for rushed in _rushed_chinese(texts.values()))
    yield from _cut_chinese(texts, name, joined=item.format in (SEQUENCING, CLOZE))
    for number in _cut_short(pieces):
        text = pieces[number]
        yield "sentence_fragment", _around(text, len(text), len(text)), f"{name}[{number}]"


def _rushed_chinese(texts: Iterable[str]) -> Iterator[str]:
    """What shows in a passage, and in none of its pieces alone, that it lost its commas."""
    passage = "".join(texts)
    if _mostly_chinese(passage) and (rushed := lost_commas(passage)):
        yield _around(rushed, 0, 0)


def _cut_chinese(
    texts: Mapping[str, str], name: str, *, joined: bool
) -> Iterator[tuple[str, str, str]]:
    """What begins within a Chinese sentence, or has one half of its quotation: kind, words, field.

    ``joined`` says that the texts make up one passage, in which a quotation may go on.
    """
    for where, text in texts.items():
        if _STARTS_WITHIN.match(text):
            yield "sentence_fragment", _around(text, 0, _SHOWN), where
    for text in ["".join(texts.values())] if joined else texts.values():
        if text.count("“") != text.count("”") and _mostly_chinese(text):
            place = max(text.rfind("“"), text.rfind("”"))
            yield "sentence_fragment", _around(text, place, place + 1), name


def _cut_short(pieces: Sequence[str]) -> Iterator[int]:
    """Which pieces end within a sentence where nearly all others end with one."""
    unclosed = [number for number, piece in enumerate(pieces) if not _is_closed(piece)]
    if len(unclosed) <= _OPEN_PIECES * len(pieces):
        yield from (
            number for number in unclosed
            if pieces[number].strip() and not _stopped_short(pieces[number])
        )  # fmt: skip


def _stopped_short(text: str) -> re.Match[str] | None:
    """Where a text stops within a sentence: looked for at its end only."""
    return _STOPS_SHORT.search(text, max(0, len(text.rstrip()) - _LONGEST_STOP))


def _is_closed(piece: str) -> bool:
    bare = piece.rstrip()
    return bare.endswith(_CLOSED) or bare.rstrip(_CLOSING).endswith(_ENDS)


def _pieces(item: ItemContent) -> tuple[str, list[str]]:
    """The name of the field that holds the pieces, and their texts."""
    name = {SEQUENCING: "parts", CLOZE: "candidates", PREDICTION: "options"}.get(item.format, "")
    pieces = item.payload.get(name, ())
    known = pieces if isinstance(pieces, list | tuple) else ()
    return name, [str(piece)[:LONGEST] for piece in known]


def _beside_the_text(item: ItemContent, pieces: Sequence[str]) -> Sequence[str]:
    """The pieces that truly belong to the text in sight: all of a cloze, a prediction's key."""
    if item.format != PREDICTION:
        return pieces if item.format == CLOZE else ()
    key = item.payload.get("key")
    return [pieces[key]] if isinstance(key, int) and 0 <= key < len(pieces) else ()


def ordinal_cues(pieces: Sequence[str]) -> bool:
    """Whether two pieces or more say by a number where they stand: First, … Second, …"""
    return bool(order_cue(pieces, _SHOWN))


def _far_apart(item: ItemContent) -> str:
    """Pieces of one passage that do not stand beside each other in their source."""
    spans = item.provenance.get("piece_spans")
    if (
        item.format != SEQUENCING
        or not isinstance(spans, list)
        or item.provenance.get("as_published")
    ):
        return ""
    try:
        ordered = sorted((int(start), int(end)) for start, end in spans)
    except (TypeError, ValueError):
        return ""
    for one, other in pairwise(ordered):
        if other[0] - one[1] > _ONE_GAP:
            return f"{one[1]} … {other[0]}"
    return ""


def _twice(texts: Sequence[str], format: str) -> Iterator[str]:
    """Sentences that stand twice in the passage that the pieces make up."""
    together = texts if format in (SEQUENCING, CLOZE) else texts[:1]
    seen: set[str] = set()
    for text in together:
        last = ""
        for start, end in split_sentences(text):
            sentence = text[start:end]
            least = _STUTTERED if sentence == last else _REPEATED
            if sentence in seen and sentence.count(" ") >= least:
                yield sentence[: 2 * _SHOWN]
                return
            seen.add(sentence)
            last = sentence
