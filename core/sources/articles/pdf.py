"""Born-digital PDF: lines in reading order, put together to paragraphs. The least sure source."""

import re
from collections import Counter
from collections.abc import Iterator
from ctypes import create_string_buffer
from dataclasses import dataclass
from itertools import pairwise
from statistics import median
from typing import Any

from core.i18n import tr
from core.sources.articles import line_numbers
from core.sources.articles.article import Block, ParsedSource, in_one_line
from core.sources.articles.identifiers import identifier_in_stamp
from core.sources.articles.line_numbers import Box, Sign
from core.sources.articles.prose.citations import MARKS, citation_mark, loss_mark
from core.sources.articles.prose.dictionary import english_words
from core.sources.limits import UnreadableSource

_PAGES = 300
_MARGIN = 0.08
"""Share of a page's height, above and below, in which running heads and page numbers stand."""
_SMALL = 0.9
"""Lines lower than this share of the usual line are footnotes, captions or tables."""
_SCRIPT = 0.85
_NOTE_SIGNS = frozenset("0123456789*†‡§¶")
_NOTED = re.compile(r"[^\W\d_]{3}[.,;:!?)”’]{0,2}$")
_BEFORE_NOTE = 6
_RAISED = 0.2
"""Of a line's height: so much higher does the mark of a note begin than what it stands behind."""
_EDGE = 3
"""Characters at the beginning and at the end of a line that tell how high it stands."""
_FONT_NAME = 128
_STRONG = re.compile(r"bold|black|heavy|semi|medi|[-_,]B(?:$|[A-Z])|BX\d|CMB", re.IGNORECASE)
_LONGEST_HEADING = 160
_MATHS = re.compile(
    r"[\u0370-\u03ff\u2032-\u2034\u2070-\u209f\u2190-\u22ff\u27c0-\u27ef\u2a00-\u2aff]"
)
_NUMBERED_LINE = re.compile(r"^\d{1,4}\s|\s\d{1,4}$")
_NUMBERS = re.compile(r"\s?\[\s?\d{1,3}(?:\s?[,;–-]\s?\d{1,3})*\]")
_HYPHENS = "-\u2010\u00ad\u0002\ufffe"
_COMPOUND_BREAKS = re.compile(r"[^\W\d_]{2}[-\u2010–]$")
_LINE_BREAK = re.compile(r"([^\W\d_]+)[\u0002\ufffe]([^\W\d_]+)")
"""A hyphen at the end of a line, where the next line was drawn with it."""
_BESIDE = re.compile(r"(?=\b([^\W\d_]{2,}) ([^\W\d_]{2,})\b)")
_KNOWN = 2
"""Times that a document has a word of which two others may be the halves."""
_SPACED_DASH = re.compile(r"\s[–—]\s?\w|\w[–—]\s")
_LOPSIDED = re.compile(r"\w\s[–—]\w|\w[–—]\s\w")
"""A dash with a blank on one side: kerning draws the blanks of such a document at random."""
_ENDS = re.compile(r"[.!?:。！？][\"'”’)\]]*$")
_HEADING = re.compile(r"^(?:\d{1,2}(?:\.\d{1,2})*\.?|[IVX]{1,5}\.|[A-H]\.)\s+\S.{1,80}$")
_REFERENCES = re.compile(
    r"^(?:\d{1,2}\.?\s+)?(?:references|bibliography|bibliographie|références|literatur(?:verzeichnis)?|referencias|参考文献)$",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class _Line:
    """One line of a page; coordinates in points, the page's lower left corner is 0, 0.

    ``faces`` are the names of the fonts of its letters, in their order. Where the last word of a
    line is broken, the next one is drawn with it: ``begins`` and ``ends`` are the lower edges of
    the first line and of the last.
    """

    text: str
    faces: tuple[str, ...]
    page: int
    left: float
    bottom: float
    right: float
    top: float
    page_height: float
    begins: float
    ends: float

    @property
    def height(self) -> float:
        return self.top - self.bottom

    @property
    def in_margin(self) -> bool:
        middle = (self.top + self.bottom) / 2
        return not _MARGIN < middle / self.page_height < 1 - _MARGIN


def read_pdf(data: bytes) -> ParsedSource:
    """The running text of a PDF, strictly checked: what could not be put together stays out.

    Raises ``UnreadableSource`` for a damaged file, a scan, and a file with hardly any text.
    """
    lines = _body(list(_lines(data)))
    if sum(len(line.text) for line in lines) < 500:
        raise UnreadableSource.tr("The PDF contains hardly any text. A scan cannot be read.")
    if sum(bool(_NUMBERED_LINE.search(line.text)) for line in lines) > 0.3 * len(lines):
        raise UnreadableSource.tr("The lines of the PDF are numbered, so its text is not whole.")
    words = Counter(re.findall(r"[^\W\d_]+(?:-[^\W\d_]+)*", " ".join(line.text for line in lines)))
    blocks = tuple(_blocks(lines, words))
    start = " ".join(line.text for line in lines[:60])
    identifier, version = identifier_in_stamp(start)
    title = max(lines[:12], key=lambda line: line.height).text
    note = tr("It was read from a PDF, which is less reliable than its source.")
    return ParsedSource(title, blocks, identifier, version, notes=(note,), strict=True)


def _lines(data: bytes) -> Iterator[_Line]:
    import pypdfium2

    try:
        document = pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as error:
        raise UnreadableSource.tr(
            "Could not open the PDF: {error}.", error=str(error).rstrip(".")
        ) from error
    for number in range(min(len(document), _PAGES)):
        page = document[number]
        text = page.get_textpage()
        yield from _page_lines(text, number, page.get_height() or 1.0)
        text.close()
        page.close()
    document.close()


def _page_lines(text: Any, number: int, page_height: float) -> Iterator[_Line]:
    """Lines of one page, in the order in which the page draws them."""
    from pypdfium2 import raw

    drawn: list[Sign] = []
    for index in range(text.count_chars()):
        sign = chr(raw.FPDFText_GetUnicode(text, index))
        drawn.append((sign, None if sign.isspace() else text.get_charbox(index, loose=True)))
    numbers = line_numbers.of_lines(drawn)
    signs: list[Sign] = []
    faces: dict[str, None] = {}
    name = create_string_buffer(_FONT_NAME)
    for index, (sign, box) in enumerate((*drawn, ("\n", None))):
        if index in numbers:
            continue
        if sign not in "\r\n":
            signs.append((sign, box))
            if sign.isalpha():
                raw.FPDFText_GetFontInfo(text, index, name, _FONT_NAME, None)
                faces[name.value.decode("utf-8", "replace")] = None
            continue
        words, boxes = _line_of(signs)
        if words and boxes:
            yield _Line(
                words, tuple(faces), number, boxes[0][0], median(box[1] for box in boxes),
                boxes[-1][2], median(box[3] for box in boxes), page_height,
                median(box[1] for box in boxes[:_EDGE]), median(box[1] for box in boxes[-_EDGE:]),
            )  # fmt: skip
        signs, faces = [], {}


def _line_of(signs: list[Sign]) -> tuple[str, list[Box]]:
    """The words of a line and the boxes of its characters, without the marks of its notes.

    Other raised or lowered characters would be read as if they stood in line: they are marked.
    """
    boxes = [box for _, box in signs if box]
    if not boxes:
        return "", []
    usual = median(box[3] - box[1] for box in boxes)
    floor = median(box[1] for box in boxes)
    kept: list[Sign] = []
    lost = False
    for sign, box in signs:
        if box and box[3] - box[1] < _SCRIPT * usual:
            before = "".join(sign for sign, _ in kept[-_BEFORE_NOTE:])
            if sign in _NOTE_SIGNS and box[1] > floor + _RAISED * usual and _NOTED.search(before):
                continue
            lost = True
        kept.append((sign, box))
    words = " ".join("".join(sign for sign, _ in kept).translate(MARKS).split())
    return words + (loss_mark() if lost else ""), [box for _, box in kept if box]


def _body(lines: list[_Line]) -> list[_Line]:
    """Lines without running heads, page numbers, footnotes and other small print."""
    long = [line.height for line in lines if len(line.text) > 30]
    usual = median(long) if long else 0.0
    shapes = Counter(_shape(line) for line in lines if line.in_margin)

    def is_furniture(line: _Line) -> bool:
        wordless = not re.search(r"[^\W\d_]{3}", line.text)
        return line.in_margin and (shapes[_shape(line)] > 1 or wordless)

    return [line for line in lines if line.height >= _SMALL * usual and not is_furniture(line)]


def _shape(line: _Line) -> str:
    return re.sub(r"\d+", "0", line.text)


def _usual_face(lines: list[_Line]) -> str:
    """The font in which most lines begin; empty where no letter has one."""
    faces = Counter(line.faces[0] for line in lines if line.faces and len(line.text) > 30)
    return faces.most_common(1)[0][0] if faces else ""


def _is_display(line: _Line, usual: str) -> bool:
    """Whether a line is set in bold type, and the running text is not."""
    strong = [face for face in line.faces if _STRONG.search(face)]
    return bool(strong) and strong == [*line.faces] and not _STRONG.search(usual)


def _runs_in(line: _Line, usual: str) -> bool:
    """Whether a paragraph begins with a heading in bold type, or with one in its line."""
    first = line.faces[:1]
    return bool(first) and bool(_STRONG.search(first[0])) and not _STRONG.search(usual)


def _blocks(lines: list[_Line], words: Counter[str]) -> Iterator[Block]:
    kind_after, whole = False, True
    usual = _usual_face(lines)
    document = "\n".join(line.text for line in lines)
    for group in _paragraphs(lines, usual):
        text = _NUMBERS.sub(lambda _: citation_mark("either"), _text(group, words))
        is_display = all(_is_display(line, usual) for line in group)
        if _REFERENCES.match(text):
            kind_after = True
            yield Block(text, "heading")
        elif kind_after:
            yield Block(text, "reference")
        elif (is_display and len(text) < _LONGEST_HEADING) or (
            len(group) == 1 and _HEADING.match(text) and not _ENDS.search(text)
        ):
            yield Block(text, "heading")
        else:
            # what follows a broken sentence may be its other half
            sure = whole and not _MATHS.search(text)
            sure = sure and not any(_runs_in(line, usual) for line in group)
            sure = sure and not has_split_word(text, words)
            sure = sure and not has_loose_dash(text, document)
            yield Block(text, sure=sure)
        whole = is_display or bool(_ENDS.search(text)) or len(text) < 40


def _paragraphs(lines: list[_Line], face: str) -> Iterator[list[_Line]]:
    steps = [a.ends - b.begins for a, b in pairwise(lines) if a.ends - b.begins > 1]
    usual = median(steps) if steps else 0.0
    group: list[_Line] = []
    for line in lines:
        turns = bool(group) and _is_display(group[-1], face) != _is_display(line, face)
        turns |= bool(group) and _runs_in(line, face) and bool(_ENDS.search(group[-1].text))
        if group and (turns or _starts_paragraph(group, line, usual)):
            yield group
            group = []
        group.append(line)
    if group:
        yield group


def _starts_paragraph(group: list[_Line], line: _Line, usual: float) -> bool:
    """Whether a line begins a paragraph: a gap, an indent, or a full stop before a new column."""
    last = group[-1]
    if _HEADING.match(line.text) or (len(group) == 1 and _HEADING.match(last.text)):
        return True
    if abs(line.height - last.height) > 0.25 * last.height:
        return True
    step = last.ends - line.begins
    if line.page != last.page or step < 0:  # a new column or page
        return bool(_ENDS.search(last.text)) or not line.text[:1].islower()
    if step > 1.4 * usual or step < 0.5 * usual:
        return True
    left = min(member.left for member in group)
    if line.left - left > 0.7 * line.height and _ENDS.search(last.text):
        return True
    right = max(member.right for member in group)
    return right - last.right > 4 * line.height and bool(_ENDS.search(last.text))


def _text(group: list[_Line], words: Counter[str]) -> str:
    text = group[0].text
    for line in group[1:]:
        if _COMPOUND_BREAKS.search(text) and line.text[:1].isupper():
            text += line.text  # a name or a compound keeps its hyphen
            continue
        if text[-1:] not in _HYPHENS or not line.text[:1].islower():
            text = in_one_line(f"{text}\n{line.text}")
            continue
        head = re.search(r"[^\W\d_]*$", text[:-1])
        tail = re.match(r"[^\W\d_]+", line.text)
        first, second = head[0] if head else "", tail[0] if tail else ""
        text = text[: len(text) - 1 - len(first)] + _joined(first, second, words)
        text += line.text[len(second) :]
    return whole_words(text, words)


def whole_words(text: str, words: Counter[str]) -> str:
    """The text with the words that a hyphen at a line's end broke, by ``words`` of the document;
    where those do not tell, the place is marked as lost."""
    return _LINE_BREAK.sub(lambda match: _joined(match[1], match[2], words), text)


def has_loose_dash(text: str, document: str) -> bool:
    """Whether a blank beside a dash may not be the author's: ``Ross – Macdonald`` in a ``document``
    that elsewhere has ``Ross –Macdonald``."""
    return _SPACED_DASH.search(text) is not None and _LOPSIDED.search(document) is not None


def has_split_word(text: str, words: Counter[str]) -> bool:
    """Whether a word is in two, as wide kerning draws it: ``Pla taforma``.

    Told by ``words`` of the document, which has the whole word far more often than one of the two.
    """
    for match in _BESIDE.finditer(text):
        first, second = match.groups()
        whole = words[first + second] + words[(first + second).lower()] * first.istitle()
        if whole >= _KNOWN and min(words[first], words[second]) <= max(1, whole // 4):
            return True
    return False


def _joined(first: str, second: str, words: Counter[str]) -> str:
    """The halves of a word that a line broke, as the document, or else English, writes it."""
    if words[first + second] or (
        not words[f"{first}-{second}"] and (first + second).lower() in english_words()
    ):
        return first + second
    hyphenated = f"{first}-{second}"
    is_compound = second[:1].isupper() and not first.isupper()
    return hyphenated if is_compound or words[hyphenated] else first + loss_mark() + second
