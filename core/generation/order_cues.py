"""Pieces that say by a number where they stand: First … Second, Section 2 … Section 3, 第二章."""

import re
from collections.abc import Iterator, Sequence

from core.generation.sentences import split_sentences

_ORDINAL = re.compile(
    r"\W*(?:(?:in|for|at|during|as) (?=the (?:first|second|third|fourth|fifth)\b))?"
    r"(?:(?:the|an?|our|another|as a|el|la|le|der|die|das|il|o|a) )?(?:"
    r"(first|firstly|premi[eè]re?|premièrement|en premier lieu|(?:tout )?d[’']abord|primer[oa]?"
    r"|en primer lugar|primeir[oa]|em primeiro lugar|prim[oa]|in primo luogo|erstens|erste[nrs]?)"
    r"|(second|secondly|seconde?|deuxième(?:ment)?|en (?:second|deuxième) lieu|segund[oa]"
    r"|e[nm] segundo lugar|second[oa]|in secondo luogo|zweitens|zweite[nrs]?)"
    r"|(third|thirdly|troisième(?:ment)?|en troisième lieu|tercer[oa]?|en tercer lugar|terceir[oa]"
    r"|terz[oa]|drittens|dritte[nrs]?)|(fourth|fourthly)|(fifth|fifthly)"
    r"|(?:and |y |et |und |e )?(finally|lastly|last|final|enfin|finalement|en dernier lieu"
    r"|por último|finalmente|infine|schließlich|zuletzt)|step (\d)"
    r"|(\(?(?:i{1,3}|iv|v|[1-9]|[a-e])\)))"
    r"(?=[\s,:.])"
    r"|\W*(?:(首先|其一|第一(?=[，,、：是]))|(其次|其二|第二(?=[，,、：是]))"
    r"|(再次|其三|第三(?=[，,、：是]))|(最后)(?=[，,、：是]|[一二三四五六七八九十两几]?[个步点类种条项层]))"
    r"|\s*(（[一二三四五六七八九十1-9]）|\([一二三四五六七八九十]\)|[一二三四五六七八九十]、)"
    r"|\W*((?:H|RQ|Q|Hypothesis |Study |Experiment |Phase |Task |Case |Theorem |Lemma )"
    r"\d{1,2}[a-z]?)(?=[.:)])"
    r"|\W*第\s?([一二三四五六七八九十\d]{1,3})\s?[个步点类种条项层方]"
    r"|\W*(?:(?:and|y|et|und) )?(?:(?:the|our|le|la|der|die|das|el|il) )?("
    r"(?:six|seven|eigh|nin|ten)th|(?:quatri|cinqui|sixi|septi)ème|cuart[oa]|quint[oa]|sext[oa]"
    r"|(?:vier|fünf|sechs|sieb)tens)(?:ly|ment)?(?=[\s,:.])"
    r"|\W*[第其]([四五六七八九十])(?=[，,、：是])",
    re.IGNORECASE,
)
_COUNTED = (6, 7, 12, 13, 14, 15, 16)
"""Groups of the pattern above that hold the number itself; the others are one number each."""
_PLACE = re.compile(
    r"\W*(?:(?:first|then|next|finally|lastly),? )?(?:(?:in|from|as) )?(?:the )?"
    r"(?:last |final |next |following )?"
    r"(?:(?P<unit>sec|chap|app|fig|tab|eq|part|stage|stud|experiment|phase|wave|trial|scenario)"
    r"(?:tions?|ters?|endix|ures?|les?|uations?|y|ies|s)?)\.?\s"
    r"(?P<at>\d{1,3}(?:\.\d{1,2})*[a-z]?|(?-i:[IVX]{1,5}|[A-H]))\b"
    r"|\W*(?:(?:首先|其次|再次|然后|接着|随后|最后|此外)，?\s?)?(?:在)?第\s?(?P<nth>[一二三四五六七八九十\d]{1,3})\s?(?P<counted>[章节部阶篇])",
    re.IGNORECASE,
)
"""The number of a place in the article: two places of a kind tell their order."""
_NUMBERED_THING = re.compile(
    r"\W*(?:(?:the|la|le|el|der|die|das|il|o|a) )?(?P<thing>[^\W\d_]{3,}) "
    r"(?:number|num[ée]ro|número|nummer) (?P<at>\d{1,2}|one|two|three|four|five|six|une?|deux|trois"
    r"|quatre|cinq|uno|dos|tres|cuatro|cinco|uma?|dois|três|due|tre|quattro|cinque|eins|zwei|drei"
    r"|vier|fünf|sechs)\b",
    re.IGNORECASE,
)
"""One of several things, by its number: *Branch number two leads to the mill.*"""
_FIRST_INSIDE = re.compile(
    r"[,;:] (?=[Ff]irst(?:ly)?(?:,| (?:at|by|for|from|in|on|that|to|we|with)\b)"
    r"|(?:(?:[Tt]out )?[Dd][’']abord|[Pp]remièrement|[Ee]n premier lieu|[Ee]rstens"
    r"|[Ee]n primer lugar|[Ee]m primeiro lugar|[Ii]n primo luogo)\b)"
    r"|[，；：](?=(?:首先|其一|第一)[，,、：是])"
)
"""*First* within a sentence, in the languages of the ordinals: it tells its place where another one
begins with *Second*."""
_SECOND_OR_THIRD = (1, 2, 9, 10)
"""The groups of ``_ORDINAL`` that say so."""
_LISTED = re.compile(r"(?<=[.;:,] )\(?(?:i{1,3}|iv|v|[1-9]|[a-e])\)(?=\s)")


def order_cue(pieces: Sequence[str], shown: int) -> str:
    """The beginnings, of ``shown`` characters, of sentences that number two pieces or more."""
    kinds: dict[str, dict[str, tuple[int, str]]] = {}
    for number, piece in enumerate(pieces):
        starts = [start for start, _ in split_sentences(piece)]
        starts += [match.start() for match in _LISTED.finditer(piece)]
        for start in starts:
            for kind, cue in _cues(piece, start):
                kinds.setdefault(kind, {}).setdefault(cue, (number, piece[start:]))
        if inside := _FIRST_INSIDE.search(piece):
            kinds.setdefault("inside", {})["0"] = (number, piece[inside.end() :])
    for cues in kinds.values():
        if len(cues) > 1 and len({number for number, _ in cues.values()}) > 1:
            return " … ".join(sentence[:shown] for _, sentence in cues.values())
    return ""


def _cues(piece: str, start: int) -> Iterator[tuple[str, str]]:
    """What a sentence that begins there counts, and its number."""
    if match := _ORDINAL.match(piece, start):
        which, said = next((i, group) for i, group in enumerate(match.groups()) if group)
        yield "order", said.strip("()").lower() if which in _COUNTED else str(which)
        if which in _SECOND_OR_THIRD:
            yield "inside", str(which)
    if match := _PLACE.match(piece, start):
        kind = match["unit"] or match["counted"]
        yield kind.lower(), (match["at"] or match["nth"]).lower()
    if match := _NUMBERED_THING.match(piece, start):
        yield match["thing"].lower(), match["at"].lower()
