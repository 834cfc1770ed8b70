"""A sentence splitter for scientific prose, English and Chinese.

Own rules rather than a trained model: they keep exact character spans, know inline maths,
citations and the abbreviations of papers, need no download, and split an article of 56 kB in a few
milliseconds. Punkt and blingfire split inside ``$…$`` and after "Fig."; the slower libraries cost
more than the whole generation.
"""

import re
from bisect import bisect_right

Span = tuple[int, int]


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# A full stop after one of these never ends a sentence.
_NEVER = _words(
    "e.g i.e v cf fig figs eq eqs eqn eqns sec secs sect ref refs tab tabs thm lem prop cor def "
    "defs ch chap app suppl vs viz resp approx ca dr prof mr mrs ms st vol vols pp p art "
    "arts ex exs alg obs assump rem conj ineq ed eds univ dept gen col sgt rev hon gov sen "
    "rep nos no nr "
    "zb bzw bspw vgl abb ggf sog bzgl inkl insb evtl kap dh "
    "jan feb mar apr jun jul aug sept sep oct nov dec phys lett proc trans j"
)
# These may end one: they do when a common first word follows.
_MAYBE = _words("al etc inc ltd co corp jr sr ph.d m.d b.sc m.sc u.s u.k a.m p.m et")
# Behind a number with a stop: the eleventh of a month, in German and its neighbours.
_MONTHS = _words(
    "januar jänner februar märz april mai juni juli august september oktober november dezember"
)
_BEFORE_AN_ORDINAL = re.compile(
    r"(?:^|[\s(])(?:[Aa]m|[Ii]m|[Vv]om|[Zz]um|[Bb]eim|[Dd]er|[Dd]em|[Dd]en|[Dd]es|[Dd]as"
    r"|[Ss]eit dem|[Aa]b dem|[Bb]is zum) $"
)
# Words that people also write as plain words: an abbreviation only before a number.
_NUMBERED = _words("no p art ex app ch col gen rep rem def prop mar jun jul dec sep")
_STARTERS = _words(
    "the this these those that there then thus they their a an and as at all although after "
    "another both but by because before each every finally first for from further furthermore "
    "given he her here hence his how however i if in indeed instead it its later let like many "
    "more moreover most next no nevertheless not note now on once one only or other our overall "
    "recall recently secondly second several she similarly since so some such specifically "
    "therefore third to today together under unlike until using we what when whenever where "
    "whereas whether which while who why with without yet you"
)

_BRANDS = ("Play", "Yahoo", "Jeopardy", "Joomla", "Kahoot")
"""Names that are written with an exclamation mark: it ends no sentence before a capital."""
_CHINESE = "。！？｡．"
# One class of terminators comes first, so that the search between them is quick. A full stop may
# stand inside closing maths, and a citation mark may follow.
_END = re.compile(rf"[.!?…{_CHINESE}]+\$?[\"'”’»)\]}}」』）】》]*(?:\ ?\[\d[\d,;:–\-\ ]*\])*")
_MATHS = re.compile(
    r"\$\$.+?\$\$|(?<!\\)\$(?![\s$])(?:[^$\\]|\\.){0,600}?(?<![\s\\])\$(?!\d)"
    r"|\\\(.{0,600}?\\\)|\\\[.{0,2000}?\\\]",
    re.DOTALL,
)
_ASIDE = re.compile(r"\([^()]{0,400}\)|（[^（）]{0,200}）")
_SAID = re.compile(r"“[^“”]{0,300}”")
"""What is quoted: in Chinese one of its stops, or its dots, ends no sentence around it."""
_JOINTS = re.compile(r"[(\[{\"'“‘~/–—]")
_OPENERS = "\"'“‘«([{`"
_TERMINAL = re.compile(r"(?:[.!?。！？｡．…][\"'”’»)\]}」』）】》$]*)(?:\s?\[\d[\d,;:–\- ]*\])*\s*$")
_RANGE_ENDS = re.compile(r"[A-Z](?![\w’'])(?! [a-z])|\$")
_LABEL = re.compile(r"[A-Z]{1,3}\d{1,2}[a-z]?")
_LETTER_AND_STOP = re.compile(r"[^\W\d_]\.")
_BEHIND_ONE = re.compile(r"(?<![^\W_])[^\W\d_]\.\s$")
_HAN = re.compile(r"[\u3400-\u9fff]")
_FIRST_WORD = re.compile(r"[^\W\d_]+")
_ANNOUNCES = re.compile(
    r"(?:\b(?:as follows|following(?: [^\s.!?]+){0,4}"
    r"|the following (?!(?:sub-?)?(?:section|chapter|paragraph|part|page|day|week|month|year"
    r"|decade|season|morning|article|example)s?\b)(?:[\w-]+ ){0,2}[\w-]+s\b[^.!?:]{0,100}"
    r"|wie folgt|folgende[mnrs]?(?: [^\s.!?]+){0,3}"
    r"|comme suit|(?:ci-dessous|suivante?s?)"
    r"|como (?:sigue|segue)|come segue|(?:siguientes?|seguint?[ei]s?)(?: [^\s.!?]+){0,3}"
    r"|a continuaci[óo]n|a seguir)\.|(?:如下|下式|下列|以下)[^。，；！？]{0,8}。)[\s\"”’)\]」』]*$",
    re.IGNORECASE,
)
"""A last sentence whose point is a formula, a list or a table below it."""
_ANNOUNCEMENT = 180  # characters of an announcement that are looked at


def split_sentences(text: str) -> list[Span]:
    """Spans ``(start, end)`` of the sentences of one paragraph, without outer white space.

    ``text[start:end]`` is the sentence; the spans are in order, do not overlap, and leave out only
    white space. A boundary is never inside inline maths, a parenthesis or a Chinese quotation.
    """
    shields = _shields(text)
    starts = [start for start, _ in shields]
    spans: list[Span] = []
    begin = 0
    length = len(text)
    for match in _END.finditer(text):
        end = match.end()
        if end < length and not text[end].isspace() and not _is_chinese(match.group()):
            continue
        place = bisect_right(starts, end - 1) - 1
        if place >= 0 and end < shields[place][1]:
            continue
        if not _ends_here(text, begin, match.start(), match.group(), end):
            continue
        _keep(spans, text, begin, end)
        begin = end
    _keep(spans, text, begin, len(text))
    return spans


def is_complete(text: str) -> bool:
    """Whether the text closes like a sentence, with a terminator and perhaps closing marks.

    One that announces what stands below it (“as follows.”, “如下。”) is not complete without that.
    """
    end = max(0, len(text) - 40)
    if _TERMINAL.search(text, end) is None:
        return False
    return _ANNOUNCES.search(text, max(0, len(text) - _ANNOUNCEMENT)) is None


def _is_chinese(mark: str) -> bool:
    """Whether the terminator needs no space behind it."""
    return mark[0] in _CHINESE or mark.startswith("……")


def _shields(text: str) -> list[Span]:
    """Spans in which no sentence ends: maths, parentheses and Chinese quotations, merged."""
    spans: list[Span] = []
    if "$" in text or "\\" in text:
        spans += (match.span() for match in _MATHS.finditer(text))
    if "(" in text or "（" in text:
        spans += (match.span() for match in _ASIDE.finditer(text))
    if "“" in text and any(mark in text for mark in "。……？！"):
        spans += (match.span() for match in _SAID.finditer(text) if _HAN.search(match[0]))
    spans.sort()
    merged: list[Span] = []
    for start, end in spans:
        if merged and start < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def _keep(spans: list[Span], text: str, start: int, end: int) -> None:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    if start < end:
        spans.append((start, end))


def _ends_here(text: str, begin: int, stop: int, mark: str, end: int) -> bool:
    """Whether the terminator ``mark``, standing from ``stop`` to ``end``, closes a sentence."""
    if _is_chinese(mark):
        more = end < len(text) and text[end] in _CHINESE + "，、；：,;:"
        return not more and bool(text[begin:stop].strip())
    rest = end
    length = len(text)
    while rest < length and (text[rest].isspace() or text[rest] in _OPENERS):
        rest += 1
    if rest >= length:
        return True
    following = text[rest]
    if following.islower() or following in ",;:.)]!?%&*+-–—/=<>":
        return False
    if mark.startswith("..") and _RANGE_ENDS.match(text, rest):
        return False  # 1 ... N
    if mark == "!" and text[begin:stop].endswith(_BRANDS):
        return False
    if mark[0] != "." or mark.startswith(".."):
        return True
    return _stop_ends(text, begin, stop, rest)


def _stop_ends(text: str, begin: int, stop: int, rest: int) -> bool:
    """Whether a single full stop at ``stop`` ends a sentence before the word at ``rest``."""
    if not text[begin:stop].strip():
        return False
    if text[stop - 1].isspace():
        return True  # a full stop that lost its word, such as a citation
    word = _JOINTS.split(text[max(begin, stop - 40) : stop].rsplit(None, 1)[-1])[-1]
    lower = word.lower().rstrip(".")
    digit = text[rest].isdigit()
    if lower in _NEVER and (digit or lower not in _NUMBERED or word[:1].isupper()):
        return lower in _NUMBERED and not digit and _is_starter(text, rest)
    if len(word) == 1 and word.islower() and _of_letters(text, stop, rest):
        return False  # z. B., i. d. R., u. a.
    initial = len(word) == 1 and word.isupper()
    if initial or lower in _MAYBE or ("." in word and word.replace(".", "").isalpha()):
        return _is_starter(text, rest)
    if _LABEL.fullmatch(word) and text[begin:stop].strip() == word:
        return False  # the label of a hypothesis or a question
    if word.isdigit() and not text[begin:stop].strip().removesuffix(word).strip():
        return False  # the number of a list entry
    if word.isdigit() and len(word) < 3 and _is_ordinal(text, stop - len(word), rest):
        return False
    if digit:
        return len(word) > 2 and not word[-1:].isdigit()
    return True


def _of_letters(text: str, stop: int, rest: int) -> bool:
    """Whether the letter before ``stop`` stands in a row of letters with stops."""
    behind = _BEHIND_ONE.search(text, max(0, stop - 5), stop - 1)
    return behind is not None or _LETTER_AND_STOP.match(text, rest) is not None


def _is_ordinal(text: str, number: int, rest: int) -> bool:
    """Whether a number that stands at ``number``, with a stop, counts the German word behind it."""
    match = _FIRST_WORD.match(text, rest)
    if match is None or match[0].islower():
        return False
    if _BEFORE_AN_ORDINAL.search(text, max(0, number - 12), number):
        return True
    return match[0].lower() in _MONTHS and text[match.end() : match.end() + 3].strip()[:2].isdigit()


def _is_starter(text: str, rest: int) -> bool:
    match = _FIRST_WORD.match(text, rest)
    return match is not None and match.group().lower() in _STARTERS
