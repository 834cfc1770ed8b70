"""Text defects of items: what a reader stumbles over, in our own items and in anybody's."""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice, pairwise
from typing import Any

from core.families import family
from core.families.base import Defect, ItemContent
from core.families.scp_payload import CLOZE, HOLE, PREDICTION, SEQUENCING
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
_SHOWN = 30  # characters on each side of what was found
_ONE_GAP = 3  # characters between neighbouring pieces of one passage
_REPEATED = 8  # words from which a sentence that stands twice is no accident

_MATHS = re.compile(r"\$\$[^$]{1,2000}\$\$|\$(?!\s)[^$]{1,600}(?<!\s)\$(?!\d)|\\\([^\\]{0,600}\\\)")
_CODE = re.compile(r"`[^`\n]{1,200}`|https?://\S{1,300}|\b[\w-]+(?:/[\w.-]+){2,}")
_CHINESE = re.compile(r"[\u3400-\u9fff]")
_LATIN_WORD = re.compile(r"[A-Za-z]{2,}")
_RIGHT_TO_LEFT = re.compile(r"[\u0590-\u08ff]")
_SPACED = re.compile(r"\w\s[,.;](?=\s|$)")
_SPACE_BEFORE = re.compile(r"[,.;](?<=\s.)")  # quicker to find
_TIGHT = re.compile(r"\w[,.;](?=\s|$)")
_ORDINAL = re.compile(
    r"\W*(?:(first|firstly)|(second|secondly)|(third|thirdly)|(fourth|fourthly)|(fifth|fifthly)"
    r"|(?:and )?(finally|lastly)|step (\d)|(\(?(?:i{1,3}|iv|v|[1-9]|[a-e])\)))(?=[\s,:.])"
    r"|\W*(?:(首先|第一|其一)|(其次|第二|其二)|(再次|第三|其三)|(最后))[，,、：]",
    re.IGNORECASE,
)
_COUNTED = (6, 7)  # groups of the pattern above that hold the number itself
_LISTED = re.compile(r"(?<=[.;:,] )\(?(?:i{1,3}|iv|v|[1-9]|[a-e])\)(?=\s)")
_STARTS_LOW = re.compile(r"(?!(?:e\.g|i\.e|de|von|van|der|p|iPhone|vs)\b)[a-z]{2,}(?![A-Z\d-])")
_STOPS_SHORT = re.compile(
    r"(?:[,;:(\[–—-]|\b(?:and|or|of|the|in|to|with|an?|by|that|which|from|for|is|are|as))\s*$"
)
_OPENS_CHINESE = re.compile(r"[a-z](?=[\u4e00-\u9fff])")
_SENTENCE_IN_CHINESE = re.compile(r"(?:[A-Za-z][a-z]+ ){7,}[a-z]+[.。]")
_SENTENCE_IN_ENGLISH = re.compile(r"[\u4e00-\u9fff]{8,}[，。]")


def text_defects(item: ItemContent) -> list[Defect]:
    """The text defects of an item, one of each kind, with the words where it shows."""
    return _text_defects([item])[0]


def _text_defects(items: Sequence[ItemContent]) -> list[list[Defect]]:
    texts = [[text[:LONGEST] for text in _texts(item.payload) if len(text) > 1] for item in items]
    prose = [(item.family == "scp", text) for item, own in zip(items, texts, strict=True)
             for text in own]  # fmt: skip
    shown = _in_texts(prose)
    found_in: list[list[Defect]] = []
    for item, own in zip(items, texts, strict=True):
        found: dict[str, str] = {}
        for kind, detail in (pair for told in islice(shown, len(own)) for pair in told):
            found.setdefault(kind, detail)
        if item.family == "scp":
            for kind, detail in _in_passage(item):
                found.setdefault(kind, detail)
        found_in.append([
            Defect(kind, tr("“{words}”", words=found[kind]))
            for kind in TEXT_DEFECTS if kind in found
        ])  # fmt: skip
    return found_in


def joined_word_defects(items: Sequence[ItemContent]) -> dict[int, Defect]:
    """By index, the items in which two words lost the space between them.

    The words of the items of one article, else of all items together, tell which ones.
    """
    groups: dict[str, list[int]] = {}
    texts = [
        [t[:LONGEST] for t in _texts(item.payload) if item.family == "scp" or _is_prose(t)]
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


def item_defects(item: ItemContent, source: str | None = None) -> list[Defect]:
    """Every defect of one item: what its family finds, and what its texts show.

    Raises NotFoundError for an unknown family.
    """
    return _with_those_of_texts([item], [list(family(item.family).check(item, source))])[0]


def defects_of_items(
    items: Sequence[ItemContent], sources: Sequence[str | None] = ()
) -> list[list[Defect]]:
    """``item_defects`` of each of many items, which together take half as long."""
    pairs = zip(items, sources or [None] * len(items), strict=True)
    return _with_those_of_texts(
        items, [list(family(item.family).check(item, source)) for item, source in pairs]
    )


def _with_those_of_texts(
    items: Sequence[ItemContent], known: Sequence[list[Defect]]
) -> list[list[Defect]]:
    names = [{defect.name for defect in own} for own in known]
    sound = [place for place, own in enumerate(names) if "invalid_payload" not in own]
    told = dict(zip(sound, _text_defects([items[place] for place in sound]), strict=True))
    return [
        own + [d for d in told.get(place, ()) if _FOUND_AS.get(d.name) not in names[place]]
        for place, own in enumerate(known)
    ]


def _texts(payload: Any, name: str = "") -> Iterator[str]:
    if isinstance(payload, str):
        if name not in _LETTERS:
            yield payload
    elif isinstance(payload, Mapping):
        for key, value in payload.items():
            yield from _texts(value, str(key))
    elif isinstance(payload, Sequence):
        for value in payload:
            yield from _texts(value, name)


def _in_texts(texts: Sequence[tuple[bool, str]]) -> Iterator[list[tuple[str, str]]]:
    """Kinds and the words where each shows, of texts that are known to be prose or not."""
    running = [prose or _is_prose(text) for prose, text in texts]
    plain = [_without_code(text) for (_, text), runs in zip(texts, running, strict=True) if runs]
    in_prose = zip(plain, IN_PROSE.first_matches(plain), strict=True)
    anywhere = ANYWHERE.first_matches([text for _, text in texts])
    for (prose, text), runs, matches in zip(texts, running, anywhere, strict=True):
        found = [
            (kind, _around(text, *match.span()))
            for kind, match in matches.items()
            if kind != "invisible_characters" or not _belongs(match[0], text)
        ]
        if runs:
            bare, matches = next(in_prose)
            found += [(kind, _around(bare, *match.span())) for kind, match in matches.items()]
            found += _in_running_text(bare, prose)
        yield found


def _without_code(text: str) -> str:
    plain = HOLE.sub(" X ", text) if "<|" in text else text
    if "$" in plain or "\\(" in plain:
        plain = _MATHS.sub("x", plain)
    if "`" in plain or "/" in plain:
        plain = _CODE.sub("x", plain)
    return plain


def _in_running_text(plain: str, prose: bool) -> Iterator[tuple[str, str]]:
    spaced = _SPACED.search(plain) if _SPACE_BEFORE.search(plain) else None
    if spaced and len(_SPACED.findall(plain)) < len(_TIGHT.findall(plain)):
        yield "lost_citation", _around(plain, *spaced.span())
    if not prose:
        return
    if (_OPENS_CHINESE.match(plain) or _SENTENCE_IN_CHINESE.search(plain)) and _mostly_chinese(
        plain
    ):
        yield "mixed_passages", _around(plain, 0, 20)
    elif (other := _SENTENCE_IN_ENGLISH.search(plain)) and not _mostly_chinese(plain):
        yield "mixed_passages", _around(plain, *other.span())


def _is_prose(text: str) -> bool:
    if text.count(" ") >= _PROSE_WORDS:
        return True
    return len(text) >= _PROSE_CHINESE and len(_CHINESE.findall(text)) >= _PROSE_CHINESE


def _mostly_chinese(text: str) -> bool:
    return len(_CHINESE.findall(text)) > 3 * len(_LATIN_WORD.findall(text))


def _belongs(character: str, text: str) -> bool:
    """Whether a mark of direction is at home: in a text that has letters from right to left."""
    return "\u202a" <= character <= "\u2069" and _RIGHT_TO_LEFT.search(text) is not None


def _around(text: str, start: int, end: int) -> str:
    begin, stop = max(0, start - _SHOWN), min(len(text), end + _SHOWN)
    shown = " ".join(text[begin:stop].split())
    visible = "".join(c if c.isprintable() else f"U+{ord(c):04X}" for c in shown)
    return f"{'…' * (begin > 0)}{visible}{'…' * (stop < len(text))}"


def _in_passage(item: ItemContent) -> Iterator[tuple[str, str]]:
    """What the pieces of a sequencing, cloze or prediction item show together."""
    payload = item.payload
    pieces = [str(piece)[:LONGEST] for piece in _pieces(item)]
    given = str(payload.get("text") or payload.get("context") or "")[:LONGEST]
    if item.format in (SEQUENCING, CLOZE):
        if cue := _ordinals(pieces):
            yield "ordinal_cues", cue
        if gap := _far_apart(item):
            yield "mixed_passages", gap
    yield from (("mixed_passages", text) for text in _twice([given, *pieces], item.format))
    for text in (given, *pieces):
        bare = text.strip().lstrip("“\"'(‘[")
        if bare.startswith("<|"):
            continue
        low = _STARTS_LOW.match(bare)
        if low and not _CHINESE.search(bare[:40]):
            yield "sentence_fragment", _around(text, 0, _SHOWN)
        short = _STOPS_SHORT.search(text)
        if short and text.strip():
            yield "sentence_fragment", _around(text, *short.span())


def _pieces(item: ItemContent) -> Sequence[Any]:
    name = {SEQUENCING: "parts", CLOZE: "candidates", PREDICTION: "options"}.get(item.format, "")
    pieces = item.payload.get(name, ())
    return pieces if isinstance(pieces, list | tuple) else ()


def ordinal_cues(pieces: Sequence[str]) -> bool:
    """Whether two pieces or more say by a number where they stand: First, … Second, …"""
    return bool(_ordinals(pieces))


def _ordinals(pieces: Sequence[str]) -> str:
    cues: dict[str, tuple[int, str]] = {}
    for number, piece in enumerate(pieces):
        starts = [start for start, _ in split_sentences(piece)]
        starts += [match.start() for match in _LISTED.finditer(piece)]
        for start in starts:
            if match := _ORDINAL.match(piece, start):
                which, said = next((i, group) for i, group in enumerate(match.groups()) if group)
                cue = said.strip("()").lower() if which in _COUNTED else str(which)
                cues.setdefault(cue, (number, piece[start:]))
    if len(cues) > 1 and len({number for number, _ in cues.values()}) > 1:
        return " … ".join(sentence[:_SHOWN] for _, sentence in cues.values())
    return ""


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
        for start, end in split_sentences(text):
            sentence = text[start:end]
            if sentence in seen and sentence.count(" ") >= _REPEATED:
                yield sentence[: 2 * _SHOWN]
                return
            seen.add(sentence)
