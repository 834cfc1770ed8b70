"""The grammar of an English paragraph: sentences, spacing, words, numbers and brackets.

It knows what clean running text is made of and refuses the rest. Each reason is a stable name, for
the report of a generation.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from core.generation.plain_prose.brackets import (
    CLOSING,
    OPENING,
    WITHOUT_TIMES,
    brackets_stand_well,
    number_stands_well,
)
from core.generation.plain_prose.vocabulary import FORMULA, LETTER, Vocabulary
from core.generation.plain_prose.words import ABBREVIATIONS, FUNCTION, VERBS, words_of
from core.generation.sentences import split_sentences

_COMPARES = re.compile("[=<>≤≥≈∈∉⊆⊂≠]")
_RELATION = re.compile(
    r"(?<![=<>≤≥+*/^] )(?<![\w=<>])[A-Za-zα-ωΑ-Ω²]{1,3}₀? ?[=<>≤≥≈] ?[−-]?\d*[.,]?\d+(?:,\d{3})*%?"
    r"(?=[,;.)]?(?:\s|$))(?! [=<>≤≥+*/×^…±·−])"
)
_MEMBER = re.compile(
    r"(?<![=<>≤≥∈⊆⊂≠+*/^,] )(?<![\w(])[A-Za-zα-ωΑ-Ω](?:, [A-Za-zα-ωΑ-Ω]){0,3} [∈∉⊆⊂≠=<>≤≥]"
    r" [A-Za-zα-ωΑ-Ω](?:\([A-Za-zα-ω](?:, [A-Za-zα-ω])?\))?(?=[,;.)]?(?:\s|$))"
    r"(?! [=<>≤≥∈⊆⊂≠+*/^·−])"
)
"""Letters in a relation: *u, v ∈ E*, *k ⊆ F*."""
_CALL = re.compile(r"(?<![\w)])[A-Za-z]\([A-Za-z](?:, [A-Za-z]){0,2}\)(?=[,;.)]?(?:\s|$))")
"""A function of letters: *O(n)*, *d(u, v)*."""
_MATHS = re.compile(r"(?<![\w$])\$(?! )[^$]{1,160}(?<! )\$(?=[\s,.;:)’'?!–—-]|$)")
_LOST_SIGN = re.compile(r"(?<![A-Za-z\\])[A-Za-z]+\{\w")
"""A letter before braces in a formula: a raised number of which the sign is gone."""
_SIGNS = re.compile(
    rf"[^{LETTER}Α-Ωα-ωϵϕ0-9 .,;:?!'’‘“”\"()\-–—−%/°×±≈µ²³⁻¹⁰⁴⁵⁶⁷⁸⁹₀₁₂₃₄₅₆₇₈₉€£$&{FORMULA}]"
    r"|\.\.|\$(?!\d)|--"
)
_SPACING = re.compile(
    r" [,.;:?!)’”](?!\d)|[(“‘] |[,;:][,;:.?!]|[.?!][,;:](?<!\b(?:al|.g|.e|tc|vs|Jr)\.,)|[?!]{2}"
    rf"|[,;][^\s”’\"')\d]|[?!:][{LETTER}]|,\d{{1,2}}(?!\d)(?<!\d,\d)(?<!\d,\d\d)"
    rf"|[{LETTER}\d,.;:]\((?!s\)|es\))|\)[{LETTER}\d(“]|[^\s(—–“‘\"]“|”[{LETTER}\d]"
    r"|[–—][–—-]|-[–—]|\w[–—] |[\w,;.] ?[–—] ?[,.;:)]| [–—−]\w(?<! −\d)|[.,;:] ?[–—](?<!\.[–—])"
    r"|[.?!][–—]"
    r"|\w- (?!(?:and|or|to|nor|but|versus|vs|than|through|rather|as)\b)| -(?!\d)|^[-–—]|- -"
)
_STOPPED = re.compile(r"([^\s(“\"]+)(?:\.[”\"’)]?|[?!]) (?=[a-z])")
_BALANCED = (("(", ")"), ("“", "”"))
_UNFINISHED = re.compile(r"\b(?:i\.e|e\.g|cf|viz)\.$")
_LOST = re.compile(
    r"\b(?:of|the|an|our|its|their|from|into|between|per|via|than|whose|every)[,.;:)?]"
    r"|\b(?:the|an|our|its|their|your|my) (?:of|in(?! (?:vitro|vivo|situ|silico)\b)|is|are|was|were"
    r"|and|or|to|for(?! loop)|with|by|at|from|that|which|has|have|can|than|be|it|we|they)(?![\w-])"
    r"|\b(?:of|from|into|between|via|with|by|for|at) "
    r"(?:is|are|was|were|has|have|of|can|may|should)(?![\w-])"
    r"|\b(?:of|into|via|by|between) (?:and|or)(?![\w-])(?! (?:within|for|by|about|through|from))"
    r"|(?<!-)\bin (?:and|or|is|are|was|were|has|have|of|by)(?![\w-])(?! (?:of|around|out)\b)"
    r"|\b[Tt]he (?:seminal|pioneering|landmark|foundational|groundbreaking)[,.;:)]"
    r"|\b(?:in|by|from|see) (?:the )?[Rr]ef(?:erence|s)s?[.,;)]"
    r"|\b(?:[Ii]n|[Ff]rom|[Ss]ee) (?:paper|article|study|thesis|book|reference)"
    r"(?:[,;:)]| (?:the|an?|we|they|authors)\b)"
    r"|\bas[.;:)]|\b(?:given|defined|described|expressed|written|denoted) (?:by|as|in)[,.;:)]"
    # a reference of which only its letter is left, and a value that was never filled in
    r"|\b(?:[Ss]ee|in|from|by) [A-HJ-Z](?:[,;)]|\.(?! [a-z]))|\bof X\b(?! chromosome)"
    r"|\b(?:of|to|is|was) XX+\b"
    r"|\b(?:[Ss]ee|(?:described|discussed|shown|explained|given|presented|defined|detailed"
    r"|introduced|outlined|seen|reported|listed|mentioned|stated|noted|specified|covered"
    r"|indicated|summari[sz]ed) in) \d{1,2}(?:\.\d{1,2})*(?=[,.;)]| (?:we|the|is|and)\b)"
    r"|\b(?:and|or|but) (?:of|is|are|was|were)? ?[,.;)](?!\d)|\b([A-Za-z]{2,}) (?!that\b|had\b)\1\b"
    r"|\b[Ss]ee,? (?:e\.g\.|for example),? (?:and|or|which|but|is|are)\b"
    r"|\be\.g\.,? (?:and|or|which|but|is|are|was|were)\b"
    # words that stand twice: across the tasks the tasks
    r"|\b([^\W\d_][\w’-]*(?: [^\W\d_][\w’-]*){1,4}) \2\b"
)
_STARTS = re.compile(rf"[“\"‘(]?[A-ZÀ-Þ](?![\w’]*\d)[{LETTER}’'-]*")
_ENDS = re.compile(r"[.?!][”\"’)]?$|\.[)”]\.?$")
_RUN_IN = re.compile(r"^((?:[^\s:]+ ){0,8}[^\s:]+): [A-Z“]")
_SMALL_IN_TITLES = re.compile(r"an?|and|as|at|by|for|from|in|of|on|or|the|to|vs|with|&")
_DASHED = re.compile(r"^((?:[^\s–—]+ ){0,8}[^\s–—]+) [–—] [A-Z“][^–—]*$")
"""A heading in the line, with a dash behind it: ``Limits – These counts have them.``"""
_GLUED = re.compile(
    r"(?:[a-z\d)]|\w [–—]) (?:The|This|These|Those|We|Our|It|In|As|For|While|When|Although|However"
    r"|Therefore|Moreover|Thus|Since|Because|There|They|If|To|At|On|By|From|With|Here|Then|Such|An|Are|Is"
    r"|How|What|Why|Its|Their|His|Her|He|She|You|Your|Some|Most|Many|Each|Both|All|One|Another|Other"
    r"|Yet|But|And|So|Also|After|Before|During|Until|Once|Despite|Using|Given|Following|Recent"
    r"|Recently|Several|Finally|First|Second|Similarly|Furthermore|Additionally|Instead)"
    r"(?= [a-z])"
    r"|[.?!] [–—] [A-Z“]"
)
_HEADED = re.compile(
    r"^(?:Figure|Fig|Table|Panel|Caption|Legend|Left|Right|Top|Bottom|Notes?|Sources?|Keywords?"
    r"|Abstract|Proof|Definition|Theorem|Lemma|Corollary|Remark|Example|Proposition|Step|Question"
    r"|Answer|Hypothesis|Significance|Importance|Motivation|Overview|Highlights|Purpose|Aims?|Context"
    r"|Setting|Design|Participants|Findings|Interpretation|Limitations|Introduction|Discussion"
    r"|Summary|Objectives?|Background|Methods?|Results?|Conclusions?)"
    r"(?: ?\d[\d.]*[a-z]?)?(?:[.:]| ?\(| [A-Z])"
    r"|^(?:A )?(?:[Nn]otes?|[Rr]emarks?|[Cc]omments?) (?:on|about) [^.:]{1,60}: [A-Z]"
)
_DASH_AS_E = re.compile(
    r"[a-z]{3} e (?!(?:is|are|was|were|has|denotes?|and|or|of|in|for|with|to|from|at|by|as|on|that"
    r"|which|such|can|may|will|then|when|if|we|does)\b)[a-z]"
)
"""A dash of a page whose font has it where others have an *e*."""
_ADDRESSED = re.compile(
    r"\b(?:[Rr]eviewers?|[Rr]eferees?|resubmi\w+|rebuttal|(?:[Tt]his|[Oo]ur|revised) manuscript"
    r"|camera-ready|the (?:associate )?editors? (?:and|for|of (?:this|the)) "
    r"|[Tt]his (?:template|document (?:is|was|contains|describes))|style files?|word limit"
    r"|page limit|[Yy]our (?:paper|text|article|name|abstract)|[Pp]lease|funded by"
    r"|[Ff]unding (?:from|by|was|for this|sources?|statements?|agenc\w+)"
    r"|(?:am|is|are) grateful to|[Ww]e thank|[Tt]hanks? (?!to\b)|Thanks to [^.;:]{1,80}, for"
    r"|acknowledge?ments?"
    r"|acknowledges? (?:support|funding|the (?:help|support|contributions?|reviewers?))"
    r"|(?:all|the|these|both) authors? (?:contributed|read|approved|declare|wrote)"
    r"|(?:You (?:are|must|will|should)|Your (?:task|role|job|goal|aim|output|answer|response|tool"
    r"|instrument|measurement|notebook|instruction)s?)"
    r"|(?:add|insert|need|find|give) (?:more |some |the |a )?(?:citation|ref|reference|cite)s?"
    r"|I am (?:(?:very|really|extremely|quite|so|truly) )?(?:proud|glad|happy|thankful|honou?red"
    r"|lucky|fortunate|deeply interested|passionate|indebted)"
    r"|I (?:have |had )?(?:(?:really|truly|thoroughly|greatly) )?(?:enjoyed|learn(?:ed|t) (?:a"
    r"|much|how|that|many)|had the (?:opportunity|chance|pleasure))"
    r"|[Mm]y (?:internship|traineeship|supervisors?|tutors?|advisors?|personal growth)"
    r"|[Tt]he (?:paper|manuscript|draft|thesis|write-?up) (?:should|must|ought to|needs? to)"
    r"|I dedicate|the result of my own work|(?:does not|must not) exceed [\d,]+ words"
    r"|(?:[Aa]n|[Tt]he|[Ee]very) (?:(?:Chinese|English) )?(?:abstract|dissertation)s?"
    r"(?: (?:of|in|for) (?:an?|the)(?: \w+){1,3})? (?:should|must|may contain|may not)"
    r"|submitted for (?:any|another) (?:such )?(?:other )?(?:degree|diploma)"
    r"|sole author|contributed (?:to (?:it|this \w+) )?equally|I acknowledge"
    r"|(?:my|our) (?:\w+ )?(?:gratitude|thanks)|love and support"
    r"|(?:supported|encouraged|stood by) me\b|without (?:crediting|thanking|mentioning all)"
    r"|(?:of|on|in|during) my (?:doctorate|Ph\.?D\.?"
    r"|doctoral (?:studies|years|work))"
    r"|[Tt]o my (?:family|parents|wife|husband|partner|friends|children|supervisors?)"
    r"|[Cc]orresponding author|conflicts? of interest|competing interests?"
    r"|copyright (?:holder|notice)|licen[cs]ed under|lorem|ipsum|all rights reserved"
    r"|(?:available|archived|found|accessed|downloaded|viewed|see|given) (?:\w+ )?here"
    r"|(?:[Oo]ne|[Tt]wo|[Tt]hree|[Aa] few|[Ss]everal) (?:sentences?|paragraphs?|words) "
    r"(?:providing|summari[sz]ing|explaining|describing|stating|clearly|outlining|of more"
    r"|to (?:put|provide|explain|describe|summari[sz]e|introduce))"
    r"|[Dd]ear (?:Dr|Prof|Editor|Sir|Colleague)"
    r"|(?:needs?|ought|has|have|should|must|could) (?:still )?(?:to )?be (?:re(?:written|worded"
    r"|phrased|formatted)|proofread|fleshed out|spelled? out|filled in)"
    r"|(?:[Ll]anguage|[Ww]ording|[Tt]ext|[Pp]aragraph|[Ss]ection|[Ss]entence|[Aa]bstract"
    r"|[Cc]aption)s?\b[^.]{0,60}? needs? to be"
    r"|supplementary (?:files?|materials?)|(?:filler|dummy|random|placeholder|sample) text)\b"
)
_ORDERED = re.compile(
    r"(?:^|[.!?] )(?:Add|Change|Click|Copy|Delete|Download|Edit|Enter|Fill|Insert|Install|Open"
    r"|Paste|Press|Put|Remove|Replace|Rewrite|Run|Save|Select|Type|Update|Upload|Write|Mention|Discuss"
    r"|Describe|Explain|Cite|Check|Expand) (?:the|a|an|your|this|in|more|some|here|how|that|what"
    r"|about|on)\b"
    r"|(?:^|[.!?] )(?:(?:Show|Prove|Verify) (?:that|how)|Complete the (?:argument|proof))\b"
    r"|(?:^|[.!?] )(?:You (?:can|may|need|should|could|want)|(?:Here|Now|Then),? you|Let[’']s"
    r"|Note the little)\b"
)
"""Steps of a manual or a tutorial."""
_SHORT_SENTENCE = 8
_SHORT_ADDITION = 12
_ADDS = re.compile(
    r"(?:And|Or|Nor|Especially|Including|Such as|Namely|For (?:instance|example),?)(?: |$)"
)
_BE = words_of("be being been")
_POINTING = words_of("This These Those There Here Such")
"""No heading begins with one of these."""
_FEWEST_WORDS, _MOST_WORDS = 3, 110
_LEAST_FUNCTION = 0.22
_MOST_NAMES = 0.3
_MOST_FORMULAS = 0.2
_MOST_NUMBERS = 0.12


class EnglishProse:
    """The grammar with one article's words: ``spread(token)`` says in how many paragraphs it is."""

    def __init__(self, spread: Callable[[str], int]) -> None:
        self._vocabulary = Vocabulary(spread)

    def why_not(self, text: str) -> str | None:
        """Why a paragraph is not plainly prose, or None."""
        plain = text
        if "$" in text:
            if any(_LOST_SIGN.search(formula) for formula in _MATHS.findall(text)):
                return "odd_signs"
            plain = _MATHS.sub(FORMULA, text)
        if _COMPARES.search(plain):
            plain = _MEMBER.sub(FORMULA, _RELATION.sub(FORMULA, plain))
        plain = _CALL.sub(FORMULA, plain)
        if reason := _reason_in_signs(plain):
            return reason
        sentences = [plain[start:end] for start, end in split_sentences(plain)]
        for index, sentence in enumerate(sentences):
            if reason := _reason_in_sentence(sentence, index == 0):
                return reason
        if not brackets_stand_well(plain, self._vocabulary):
            return "odd_brackets"
        return self._reason_in_words(sentences)

    def _reason_in_words(self, sentences: Sequence[str]) -> str | None:
        kinds: Counter[str] = Counter()
        for sentence in sentences:
            tokens = [part for word in sentence.split() for part in _parts(word)]
            cores = [_core(token) for token in tokens]
            for index, core in enumerate(cores):
                kind = _kind(core, index)
                kinds[kind] += 1
                if kind == "number" and not number_stands_well(tokens, cores, index):
                    return "unclear_numbers"
                if kind == "formula" or _joins_names(cores, index):
                    continue
                if not self._vocabulary.knows(core, index == 0):
                    return "unknown_words"
        total = kinds.total()
        if kinds["function"] < _LEAST_FUNCTION * total or kinds["name"] > _MOST_NAMES * total:
            return "no_full_sentences"
        if kinds["formula"] > _MOST_FORMULAS * total:
            return "formula_heavy"
        return "unclear_numbers" if kinds["number"] > _MOST_NUMBERS * total else None


def _reason_in_signs(plain: str) -> str | None:
    """The first reason that single characters and neighbouring words give."""
    if _SIGNS.search(plain):
        return "odd_signs"
    if _SPACING.search(plain):
        return "odd_spacing"
    if any(not _is_shortened(match[1]) for match in _STOPPED.finditer(plain)):
        return "no_full_sentences"
    if _LOST.search(plain) or _DASH_AS_E.search(plain):
        return "lost_words"
    if _ADDRESSED.search(plain) or _ORDERED.search(plain):
        return "addressed"
    if WITHOUT_TIMES.search(plain):
        return "unclear_numbers"
    return "run_in_heading" if _HEADED.match(plain) or _GLUED.search(plain) else None


def _reason_in_sentence(sentence: str, first: bool) -> str | None:
    """Why a sentence is none, or a heading; those stand ``first`` in a paragraph."""
    words = sentence.split()
    if not _STARTS.match(sentence) or not _ENDS.search(sentence) or len(words) > _MOST_WORDS:
        return "no_full_sentences"
    if _UNFINISHED.search(sentence):
        return "no_full_sentences"
    if not _pairs_close(sentence):
        return "odd_spacing"
    if len(words) < _FEWEST_WORDS:
        return "run_in_heading"
    run_in = _RUN_IN.match(sentence) or _DASHED.match(sentence)
    if run_in and _is_a_heading(run_in[1].split()):
        return "run_in_heading"
    short = len(words) <= (_SHORT_SENTENCE if first else _FEWEST_WORDS)
    if short and words[0] not in _POINTING and not any(map(_shows_a_verb, words)):
        return "run_in_heading"
    if not any(_is_small(word) or _shows_a_verb(word) for word in words):
        return "no_full_sentences"
    return "no_full_sentences" if _only_adds(words) else None


def _is_a_heading(words: Sequence[str]) -> bool:
    """Whether words say nothing of anything, or are all written large as in a title."""
    if not any(map(_shows_a_verb, words)):
        return True
    large = [word[:1].isupper() or bool(_SMALL_IN_TITLES.fullmatch(word)) for word in words]
    return len(words) > 1 and all(large)


def _only_adds(words: Sequence[str]) -> bool:
    """Whether a short sentence adds a noun to the one before: *And the number of its trees.*"""
    if len(words) > _SHORT_ADDITION or not _ADDS.match(" ".join(words[:2])):
        return False
    finite = (
        _shows_a_verb(word) and words[index] != "to" and words[index].lower() not in _BE
        for index, word in enumerate(words[1:])
        if not word.endswith(("it.", "them.", "us."))
    )
    return not any(finite)


def _is_small(word: str) -> bool:
    return word.lower().strip(OPENING + CLOSING) in FUNCTION


def _pairs_close(sentence: str) -> bool:
    """Whether what a sentence opens ends in it: each of them may be an option by itself."""
    alike = all(
        sentence.count(opening) == sentence.count(closing) for opening, closing in _BALANCED
    )
    return alike and sentence.count('"') % 2 == 0


def _kind(core: str, index: int) -> str:
    """What a token counts as; ``index`` is its place in the sentence."""
    if core.lower() in FUNCTION:
        return "function"
    if core[:1].isdigit():
        return "number"
    if FORMULA in core:
        return "formula"
    return "name" if core[:1].isupper() and index else "word"


def _joins_names(cores: Sequence[str], index: int) -> bool:
    """Whether a token is the sign between two names: Smith & Jones."""
    if cores[index] != "&" or not 0 < index < len(cores) - 1:
        return False
    return cores[index - 1][:1].isupper() and cores[index + 1][:1].isupper()


def _is_shortened(word: str) -> bool:
    """Whether a full stop behind a word belongs to it, and does not end the sentence."""
    return word.lower().rstrip(".") in ABBREVIATIONS or "." in word.rstrip(".") or len(word) == 1


def _parts(word: str) -> Iterator[str]:
    """The tokens of what stands between spaces: words on both sides of a long dash."""
    if "—" in word:
        yield from (part for part in word.split("—") if part.strip("–"))
    elif word != "–":
        yield word


def _core(token: str) -> str:
    core = token.lstrip(OPENING)
    return core if core.endswith(("s’", "s'")) else core.rstrip(CLOSING)


def _shows_a_verb(word: str) -> bool:
    lower = word.lower().strip(OPENING + CLOSING)
    past = lower.endswith("ed") and "-" not in lower
    return lower in VERBS or past or "n’t" in lower or "’s" in lower
