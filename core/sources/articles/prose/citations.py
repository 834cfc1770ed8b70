"""Citations and references in running text: marked by a reader, put into words or out here.

A reader that meets a citation leaves a mark, which says how the author cited and what could be said
in its place. Only when the paragraph is whole is it clear whether the sentence needs the citation
as a word. Numbers are never used: they would give the order of passages away.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


CitationForm = Literal["textual", "parenthetical", "either", "unknown"]
"""``\\citet`` is textual, ``\\citep`` parenthetical; a bare ``\\cite`` may be either."""

PLACEHOLDER = "[ref]"
"""Stands in text that is kept for reading only; a paragraph with one gives no items."""

_OPEN, _BAR, _CLOSE = "\ue000", "\ue001", "\ue002"
_REFERENCE, _REFERENCE_END, _LOST = "\ue003", "\ue004", "\ue005"
MARKS = dict.fromkeys(map(ord, _OPEN + _BAR + _CLOSE + _REFERENCE + _REFERENCE_END + _LOST))
"""For ``str.translate``: a source must not contain the characters that marks are made of."""

_ONE = rf"{_OPEN}[^{_CLOSE}]*{_CLOSE}"
_MARK = re.compile(rf"{_OPEN}(\w+){_BAR}([^{_BAR}{_CLOSE}]*){_BAR}([^{_BAR}{_CLOSE}]*){_CLOSE}")
_GROUP = re.compile(rf"{_ONE}(?:(?:\s*[,;–-]\s*(?:and\s+|or\s+)?|\s*(?:and|or|&)\s+|\s*){_ONE})*")
_BESIDE = re.compile(rf"{_CLOSE}\s*{_OPEN}")
_LEAD = (
    r"(?:e\.\s?g\.|i\.\s?e\.|cf\.?|see,?(?: also)?|also|for (?:a )?(?:recent )?(?:review|example|"
    r"instance|details)s?|and|or|in|by|from|refs?\.?|and references therein|references therein|"
    r"among others|[,;.~\s])"
)
_ASIDE = re.compile(rf"\s*[(\[]{_LEAD}*{_ONE}(?:{_LEAD}|{_ONE})*[)\]]", re.IGNORECASE)
_ASIDE_END = re.compile(rf"\s*[;,—–-]\s*{_LEAD}*{_ONE}(?:{_LEAD}|{_ONE})*(?=[)\]])", re.IGNORECASE)
_NUMBERS_ALONE = re.compile(rf"[(\[]\s*({_ONE}(?:[\s,;–-]|and|{_ONE})*)[)\]]")
"""Brackets with nothing in them but citations, as those around numbers are."""
_AUTHOR_AND_WORK = re.compile(
    rf"{_OPEN}textual{_BAR}([^{_BAR}{_CLOSE}]+){_BAR}{_CLOSE}[\s~]*"
    rf"{_OPEN}\w+{_BAR}(?=\1 \()"
)
"""The names of those who are cited, and beside it the citation: they are said once."""
_WANTS_A_WORK = re.compile(r"(?:follow|adopt|extend|consult|see)(?:s|ed|ing)?")
_REFERENCES = re.compile(rf"{_REFERENCE}([^{_REFERENCE_END}]*){_REFERENCE_END}")
_ALL = re.compile(rf"{_ONE}|{_REFERENCE}[^{_REFERENCE_END}]*{_REFERENCE_END}|{_LOST}")
_LAST_WORD = re.compile(r"([^\W\d_][\w.'’-]*)[\s~“\"'(]*$")
_SENTENCE_START = re.compile(r"(?:^|[.?!:;][\"'”’)]*)\s*$")

_AND_SO_ON = re.compile(r"\bthe like[\s~]*$")
_FUNCTION_WORDS = _words(
    "a see about above according after against all along also although among an analogous and "
    "are as "
    "at be because been before being below between both but by can cf cited compared "
    "contrary despite did do does due during e.g each either especially et.al example except few "
    "for from had has have he hence how however i.e if in instance into is it its "
    "least let like many may might mostly my near namely neither nor not of off on only onto "
    "or other our over particularly per prior recently ref reference references refs "
    "shall she should similar since so some such than that the their then there these "
    "they this those though through thus till to toward towards under unlike until upon "
    "used using via was we were what when where whereas whether which while who whom whose "
    "why will with within without would you your"
) | _words(
    # French, German, Spanish, Portuguese and Italian
    "à au aux avec ce ces cette chez comme contre d’ d' dans de des du en entre et l’ l' la le "
    "les ou  par pour qu’ que selon sous sur un une vers voir  als am auf aus bei beim das dem "
    "den der durch ein eine einem einen einer für ist laut mit nach  oder seit siehe sind über "
    "um und unter vom von vor wie zu zum zur zwischen  con como del el es los las para según "
    "sobre su una y da das dos em na nas os pela pelo segundo  dal dalla dei della delle di e "
    "ed gli il nel nella secondo tra"
)
"""After one of these a sentence waits for a word: the citation is one."""
_VERB = re.compile(
    r"(?:follow|adopt|extend|us|cit|appl|consider|modif|generali[sz]|reproduc|replicat|compar|"
    r"contrast|consult|read|see|adapt|employ|improv|includ|describ|call|nam|discuss|review|cover|"
    r"contain|present|report|show|study|studi|find|found|present|propos|introduc|develop|need|"
    r"examin|investigat|analy[sz]|exten|mention|resembl|motivat|refer|complement|updat|supersed)"
    r"(?:s|es|e|ed|ing|ies|y|ied|en)?",
    re.IGNORECASE,
)

_REPORTS = re.compile(
    r"\s+(?:has|have|had|is|was|were|are|can|may|could|will|also)\b"
    r"|\s+(?:then |first |later |recently )?(?:show|produc|releas|construct|defin|propos"
    r"|demonstrat|introduc"
    r"|describ|present|report|suggest|argu|develop|extend|estimat|use|using|adopt|appl|find|found"
    r"|studi|study|investigat|analy[sz]|consider|prov|observ|conclud|obtain|creat|address|combin"
    r"|comput|deriv|discuss|evaluat|examin|generali[sz]|implement|improv|measur|not|stat|claim"
    r"|perform|provid|review|train|achiev|reparametri[sz])(?:es|ed|e|s|d|ied|ies|n|)\b"
    r"(?! (?:by|in|for|to|from|with|on|at|as|here|above|below)\b)"
)
"""What who is cited does: before it a sentence needs a name."""
_NAMES_A_WORK = re.compile(
    r"\b(?:the|a|an|this|that|our)(?: [\w’'-]+){0,2} (?:result|theorem|lemma|paper|book|article"
    r"|monograph|textbook|survey|preprint|thesis|dissertation|report|manuscript|essay)[\s~]*$"
    r"|(?:\bl[’']|\b(?:le|la|cet|cette|un|une|el|los?|este|esta|una|o|a|um|uma|il|lo|uno|del|al|do"
    r"|der|die|das|dem|des|den|diese[mnrs]?|eine[mnrs]?|ein|im) )(?:article|ouvrage|livre|thèse"
    r"|mémoire|rapport|artículo|trabajo|libro|tesis|informe|artigo|trabalho|livro|tese|articolo"
    r"|lavoro|Artikels?|Aufsatz(?:es)?|Papers?|Buch(?:es)?|Dissertation|Studie)[\s~]*$"
    r"|\b(?:in|from|see) (?:paper|article|study|thesis|book)[\s~]*$"
    r"|(?:文献|论文|文章|参考|参见|由|据)\s*$",
    re.IGNORECASE,
)
"""What a citation tells apart: without it nobody knows which paper is meant."""
_NO_NOUN_YET = re.compile(
    r"\b(?:the|a|an|this|that|their|his|her)(?: \w+)? (?:seminal|pioneering|classic|landmark|recent"
    r"|influential|celebrated|original|foundational|groundbreaking|ground-breaking|excellent"
    r"|aforementioned|very recent)[\s~]*$",
    re.IGNORECASE,
)
"""An adjective that only a citation can follow as its noun: *in the seminal [3]*."""
_LINE_OF_CHINESE = re.compile(r"(?<=[，。；：、！？）”》]) (?=[\u3400-\u9fff（“《])")
"""The end of a line of the source, behind a mark: Chinese has no space there."""
_BETWEEN_CHINESE = re.compile(r"(?<=[\u3400-\u9fff，。；：、）]) (?=[\u3400-\u9fff，。；：、（])")
_POINTED = re.compile(
    r"\b(?:as|described|discussed|mentioned|shown|seen|given|defined|introduced|outlined|explained"
    r"|noted|presented|stated|listed|detailed|derived|used) (?:above|below)[\s~]*$",
    re.IGNORECASE,
)
"""Where the text is pointed to, nothing is waited for: *as described above* [3]."""
_PRONOUNS = _words("it its that them these they this those")
_AUXILIARIES = _words("are can could did do does had has have is may might was were will would")
_LABELLED = _words(
    "fig figs figure figures tab tabs table tables sec secs section sections eq eqs eqn eqns "
    "equation equations chapter chapters appendix appendices algorithm algorithms listing listings"
)
"""What is told apart by a number: a mark behind it is not a citation."""
_TITLE_OF_WORK = re.compile(r"\b[A-Z]\w+ References?\s*$")
_CLAUSE_ENDS = re.compile(r"\s*(?:[.,;:)?!]|$)")
_ET_AL = re.compile(r"\bet\.? al\.?[\s~]*$")
_NUMBERS = r"\[\d{1,3}(?:\s*[,;–-]\s*\d{1,3})*\]"
_NUMBERED = re.compile(
    rf"(?:(?<=[\w.,;:)”’%\u4e00-\u9fff])\s|(?<=\()){_NUMBERS}(?:\s*(?:[,;]\s*)?{_NUMBERS})*"
)
_INTERVAL = re.compile(
    r"\b(?:intervals?|ranges?|between|within|bounds?|in|from|over|on|∈|区间|范围)\s*$",
    re.IGNORECASE,
)
_BEFORE_NAME = re.compile(r"\brefs?\.?\s*$", re.IGNORECASE)


def citation_mark(role: CitationForm, textual: str = "", parenthetical: str = "") -> str:
    """A citation; ``textual`` is what it reads as in a sentence, ``parenthetical`` in brackets."""
    return f"{_OPEN}{role}{_BAR}{textual}{_BAR}{parenthetical}{_CLOSE}"


def reference(printed: str) -> str:
    """A reference to a figure, section or formula, which prints as that; empty when unknown."""
    return f"{_REFERENCE}{printed}{_REFERENCE_END}"


_SIGHT = 200  # characters on each side that tell what becomes of a citation


def loss_mark() -> str:
    """The place of something that the reader does not know, so that its paragraph is not sure."""
    return _LOST


def has_marks(text: str) -> bool:
    """Whether a reader marked a citation in the text."""
    return _OPEN in text


def without_marks(text: str) -> str:
    """The text without citations and references: what two readers must agree on."""
    return _ALL.sub(" ", text)


def spelled_out(text: str) -> tuple[str, bool]:
    """The text with every mark as a word, or gone; and whether nothing was lost by that."""
    sound = _LOST not in text
    text = text.replace(_LOST, "")
    for match in _REFERENCES.finditer(text):
        sound = sound and bool(match[1].strip()) and PLACEHOLDER not in match[1]
    text = _REFERENCES.sub(lambda match: match[1].strip() or PLACEHOLDER, text)
    if "[" in text:
        text = _NUMBERED.sub(_number_marked, text)
    text = _LINE_OF_CHINESE.sub("", text)
    if _OPEN not in text:
        return text, sound
    text = _AUTHOR_AND_WORK.sub(f"{_OPEN}textual{_BAR}", text)
    text = _NUMBERS_ALONE.sub(_without_brackets, text)
    text = _ASIDE_END.sub("", _ASIDE.sub("", text))
    position, out, counted, depth = 0, "", 0, 0
    for group in _GROUP.finditer(text):
        out += text[position : group.start()]
        position = group.end()
        # only what was added since the last group: counting all again costs the square
        depth += out.count("(", counted) - out.count(")", counted)
        counted = len(out)
        around = out[-_SIGHT:], text[position : position + _SIGHT]
        words = _said(group[0], *around, inside=depth > 0)
        if words and _BEFORE_NAME.search(out[-8:]):
            out = _BEFORE_NAME.sub("", out)
        sound = sound and words is not None
        if words == "":
            out = out.rstrip()
            counted = min(counted, len(out))
            following = text[position : position + 1]
            out += " " if following.isalnum() or following in "(“‘" else ""
        else:
            named = _MARK.sub(lambda match: match[2] or PLACEHOLDER, group[0])
            out += named if words is None else words
    whole = " ".join((out + text[position:]).split())
    return _BETWEEN_CHINESE.sub("", whole), sound


def _number_marked(match: re.Match[str]) -> str:
    """A number between brackets as the citation that it is, unless it bounds an interval."""
    numbers = re.findall(r"\d+", match[0])
    before = match.string[max(0, match.start() - 20) : match.start()]
    is_pair = len(numbers) == 2 and match[0].count("[") == 1
    if "0" in numbers or (is_pair and _INTERVAL.search(before)):
        return match[0]
    return f" {citation_mark('parenthetical')}"


def _without_brackets(match: re.Match[str]) -> str:
    """Citations in brackets of their own; without them where the sentence waits for a word."""
    before = match.string[max(0, match.start() - _SIGHT) : match.start()]
    after = match.string[match.end() : match.end() + _SIGHT]
    word = _last_word(before)
    roles = {role for role, _, _ in _MARK.findall(match[1])}
    needed = _waits(word, before, after, roles) or _WANTS_A_WORK.fullmatch(word)
    return match[1] if needed else match[0]


def _said(group: str, before: str, after: str, *, inside: bool) -> str | None:
    """What a group of citations becomes; empty when it may go, None when the sentence needs it.

    ``inside`` says that it stands between parentheses.
    """
    marks = [match.groups() for match in _MARK.finditer(group)]
    roles = {role for role, _, _ in marks}
    if "unknown" in roles:
        return None
    word = _last_word(before)
    if word in _LABELLED:
        return None  # a figure, which has its number elsewhere
    waits = _waits(word, before, after, roles)
    touches = before[-1:] in (".", "!", "?", "”") and not inside and "textual" not in roles
    if touches and word not in _FUNCTION_WORDS and re.match(r"\s+[A-Z“]|\s*$", after):
        return ""  # like a note, behind the stop of its sentence
    if _ET_AL.search(before[-12:]):
        return ""  # whoever is cited has been named
    subject = before.rstrip().endswith((",", "，")) and bool(_REPORTS.match(after))
    beside = before.rstrip().endswith(")") and not after.startswith(("'s", "’s"))
    if subject or (not beside and "textual" in roles) or waits or after.startswith(("'s", "’s")):
        if not all(text for _, text, _ in marks):
            return None
        if named := _named_twice(before, marks):
            return named if "textual" in roles else ""
        said = _BESIDE.sub(f"{_CLOSE} and {_OPEN}", group)
        said = _MARK.sub(lambda match: match[2], said)
        return f"{_gap(before)}{said}{' ' if after[:1].isalnum() else ''}"
    verb = bool(_VERB.fullmatch(word)) or bool(_NAMES_A_WORK.search(before[-60:]))
    goes_on = not re.match(r"\s*(?:[.,;:)?!\]—–(]|$)", after)
    is_aside = not inside or before[-1:].isalnum() or before[-1:] == " "
    if not verb and is_aside and ("either" not in roles or not goes_on):
        return ""
    bracketed = [text for _, _, text in marks]
    if not all(bracketed):
        return None
    if _named_twice(before, marks):
        return ""
    joined = "; ".join(dict.fromkeys(bracketed))
    following = " " if after[:1].isalnum() else ""
    return _gap(before) + (joined if inside else f"({joined})") + following


def _last_word(before: str) -> str:
    """The last word in small letters; empty for a short form: *LA* is not an article, *US* no
    verb."""
    last = _LAST_WORD.search(before[-60:])
    if last is None:
        return ""
    word = last[1].lower().rstrip(".")
    is_short_form = len(word) > 1 and last[1].isupper() and word not in _LABELLED
    return "" if is_short_form else word


def _waits(word: str, before: str, after: str, roles: Iterable[str]) -> bool:
    """Whether the words before a citation wait for another one; ``word`` is the last of them."""
    if _AND_SO_ON.search(before[-12:]):
        return False
    if _POINTED.search(before[-40:]) and not _REPORTS.match(after):
        return False
    waits = word in _FUNCTION_WORDS or bool(_SENTENCE_START.search(before[-10:]))
    if not waits and not _NO_NOUN_YET.search(before[-60:]):
        return False
    return not (_CLAUSE_ENDS.match(after) and _ends_a_clause(word, before, roles))


def _ends_a_clause(word: str, before: str, roles: Iterable[str]) -> bool:
    """Whether a clause can end with a word that mostly waits for another: could test this."""
    if word in _PRONOUNS:
        return "parenthetical" in roles
    return word == "used" or word in _AUXILIARIES or bool(_TITLE_OF_WORK.search(before[-40:]))


def _named_twice(before: str, marks: Sequence[tuple[str, ...]]) -> str:
    """The year alone, where the words before a single citation are its authors; else empty."""
    names, _, rest = marks[0][1].partition(" (")
    if len(marks) > 1 or not rest:
        return ""
    first = re.split(r" (?:and|et al)\b", names)[0]
    others = r"(?: (?:and|&) [A-Z][\w’'-]{1,30})?" if first != names else ""
    is_named = re.search(rf"\b{re.escape(first)}{others}[\s~]*$", before[-100:])
    return f" ({rest}" if is_named else ""


def _gap(before: str) -> str:
    return " " if before and (before[-1].isalnum() or before[-1] in ".,;:)") else ""


def _listed(words: Iterable[str], last: str, between: str) -> str:
    unique = list(dict.fromkeys(words))
    return last.join([between.join(unique[:-1]), unique[-1]] if len(unique) > 1 else unique)


def textual_words(names: Iterable[tuple[str, str]], note: str = "") -> str:
    """``Goodman & Weare (2010) and Hou et al. (2011)``; empty when a name is missing."""
    pairs = list(names)
    if not pairs or not all(who for who, _ in pairs):
        return ""
    added = f", {note}" if note else ""
    said = [f"{who} ({year}{added})" if year else who for who, year in pairs]
    return _listed(said, " and ", ", ")


def bracketed_words(names: Iterable[tuple[str, str]]) -> str:
    """``Goodman & Weare, 2010; Hou et al., 2011``; empty when a name is missing."""
    pairs = list(names)
    if not pairs or not all(who for who, _ in pairs):
        return ""
    return "; ".join(f"{who}, {year}" if year else who for who, year in pairs)


def names_of(keys: Iterable[str], known: Mapping[str, tuple[str, str]]) -> list[tuple[str, str]]:
    """Who is cited by each key, empty where the bibliography does not say."""
    return [known.get(key.strip(), ("", "")) for key in keys if key.strip()]
