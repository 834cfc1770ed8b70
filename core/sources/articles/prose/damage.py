"""What betrays a paragraph that did not come out of its source as its author wrote it.

There are paragraphs to spare, so a doubtful one stays out: each pattern may be too strict, none may
let through what a reader would stumble over.
"""

import re

from core.sources.articles.prose.symbols import MATHS_COMMANDS

_COMMAND = re.compile(r"\\([A-Za-z]+|[^A-Za-z\s,;:!{}|\\&%_#$>])")
"""A command; of the signs that can be one, those that TeX itself gives a meaning are none."""
_MATHS = re.compile(r"\$\$.+?\$\$|\$[^$]+\$", re.DOTALL)
UNSTOPPED = (
    r"[a-z]{3} (?:However|Therefore|Moreover|Furthermore|Additionally|Consequently|Nevertheless"
    r"|Hence|In addition), (?=[a-z]|I\b)"
)
"""A sentence that begins without the stop of the one before."""
UNSPACED = r"\b[a-z]{2,}-(?:and|or) [a-z]+-[a-z]{2,}|[a-z]{3}- (?=[A-Z][a-z]{2})"
"""A hyphen that lost the space behind it (*pre-and post-test*), or has one too many."""
_PATTERNS: tuple[tuple[str, str], ...] = (
    ("empty brackets", r"\(\s*[,;.:]?\s*\)|(?<!\w)\[\s*\]"),
    ("bracket opens on punctuation", r"[(\[]\s*[,;:](?!-?[()])"),
    ("bracket closes on punctuation", r"[,;]\s*[)\]]"),
    (
        "doubled punctuation",
        r",\s*[,.;:](?!\w)|;\s*[;,.]|:\s*[,;.]|(?<![.\w])\.\s*,|(?<!\.)\.\s?\.(?!\.)",
    ),
    ("space before punctuation", r"\s[,;:.?!)\]](?![.\w(/\\])|\(\s|\w\s\)"),
    (
        "missing space after a stop",
        r"[a-z]{2}[.;!?][A-Z][a-z]|[a-z],[a-z]{2}|[a-z]{3},[A-Z][a-z]{2}|[a-z]\)[a-z]{2}|[a-z]{3}\([a-z]{3,}\s",
    ),
    (
        "sentence waits for a word",
        r"\b(?i:the|of|than|and|following|see|per|via|between|an|from|by)\s*[.,;:)](?:\s|$)"
        r"(?<!\band, )"
        r"|\band, (?![^,.;:()]{2,40},)"
        r"|\b(?:e\.g\.|i\.e\.|cf\.|[Rr]efs?\.),?\s*[;:)]",
    ),
    (
        "verb without its object",
        r"\b(?:follows|following|extends|adopts|see also|described|proposed by),\s",
    ),
    (
        "reference without a number",
        r"\b(?:Figs?|Figures?|Tables?|Tabs?|Eqs?|Equations?|Sections?|Secs?|Chapters?|Ch|Appendix"
        r"|Theorems?|Lemmas?|Refs?)\b\.?\s*(?:[,;:)]|\.\s|(?:and|to|of|shows?|is|are|in|we|for"
        r"|or)\b)",
    ),
    (
        "two sentences without a stop",
        r"(?:[a-z]{2}(?<!\b[Aa]nd)|\b[A-Z]|\d) (?:The|We|This|These|Our|However|Therefore"
        rf"|Moreover) (?=[a-z]{{2,}}\s)|{UNSTOPPED}",
    ),
    ("question marks for a reference", r"\?\?|\[\?|\(\?"),
    ("placeholder of a reference", r"\[(?:ref|cite|citation needed|REF|CITE|CITATION)\]"),
    ("command of LaTeX", r"\\[A-Za-z@]+|\\[\\{}%&#_]"),
    ("braces", r"[{}]"),
    ("label of LaTeX", r"\b(?:fig|sec|eq|eqn|tab|tbl|app|thm|lem|def|subsec|chap|ch|alg):[A-Za-z]"),
    (
        "key of a citation",
        r"@[A-Za-z]\w*|\b[a-z]{3,}(?:_?etal)?[:_-]?(?:19|20)\d\d[a-z]*\b|\b[A-Z][a-z]+:(?:19"
        r"|20)?\d\d|\b[A-Z][a-z]{2,}(?:19|20)\d\d[a-z]?(?= (?:show|found|find|report|propos|suggest"
        r"|argu|observ|describ|demonstrat|introduc|present)(?:s|es|ed|d)?\b)",
    ),
    (
        "name of a command",
        r"\b(?:cite[pt]?|citealp|textcite|autoref|emph|textit|textbf|footnote"
        r"|includegraphics)\b\s*[\[({]",
    ),
    ("character of LaTeX", r"(?<![/\w])~|~(?=\s|\w+~)|``|\x27\x27|(?<=\s)&(?=\s)(?!\s[A-Z])|\s%\s"),
    ("tag or entity", r"</?[a-zA-Z][^<>]*>|&[a-zA-Z]{2,8};|&#\d+;"),
    ("mojibake", r"[ÂÃ][\x80-\xbf€™œ“”]|â€|ï¿½|\ufffd|Ð[°-¿]"),
    ("invisible character", r"[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]"),
    (
        "doubled word",
        r"\b(?i:(the|of|and|in|to|is|are|a|an|for|with|by|as|on|from|we|this|be|or|at)\s+\1)\b",
    ),
    (
        "link without its address",
        r"\b(?:at|via|from|on|in|using|following|through) this (?:link|URL|web page|website)\b"
        r"|\b(?:available|found|seen|viewed|downloaded|accessed) here(?=[.,;)])",
    ),
    (
        "note to oneself",
        r"(?:^|[.!?:] )(?:Should|Need(?:s)? to|Must|Have to|Maybe|Probably|To be)(?: also| still"
        r"| probably)? (?:put|add|describe|explain|mention|discuss|cite|fix|check|write|include"
        r"|expand|talk|clarify|elaborate|rewrite|insert|provide|look|update|move|remove|show"
        r"|shorten|ask)(?:e?d)?\b[^?]*?[.!:](?:\s|$)|"
        r"\b(?:TODO|FIXME|XXX+|TBD|TBA)\b|(?i:lorem ipsum|insert \w+ here|your text here)"
        r"|\[[A-Z ]{3,20}\b(?:CITATIONS?|CITES?|REFS?|REFERENCES?|HERE)\b[^\]]{0,30}\]"
        r"|\(#[a-z][\w-]*\)|\(?\b[A-Z][\w-]*(?:19|20)\d\d[a-z]?\?|\(\[s\. ?d\.\]\)"
        r"|\((?:REFS?|CITE|CITATIONS?|citations?|refs?)\)|\[[a-z]+, (?:[a-z]+, )*etc\.?\]"
        r"|\b(?:Fig(?:ure|\.)|Tab(?:le|\.)|Sec(?:tion|\.)|Eq\.) X{1,4}\b"
        r"|(?<!genotype )\bXX\b(?! (?:and |or )?(?:X[OY]|chromosom|female|individual|karyo|cent))",
    ),
    (
        "broken word",
        r"\b(?:t he|th e|o f|w ith|w e|w hich|w ere|t his|t hat|a nd|h ave)\b"
        r"|\b[A-Z]{2,5}(?:but|and|the|with|from|that|which|were|was|are)\b",
    ),
    (
        "words without a space",
        rf"\w['’][a-zà-ÿ]+[A-ZÀ-Þ][a-zà-ÿ]{{2}}|{UNSPACED}",
    ),
    ("dash without a word", r"(?:^|\s)[-–—]\s*[,.;:)]"),
    ("heading in the line", r"^[A-Z][^.!?]{3,90}[a-z]\.\s?[–—]{1,2}\s?[A-Z]"),
    ("line of a note", r"^//|(?<=[。.!?]) ?//(?=\w)"),
    ("footnote's mark", r"[a-z]\^\w|[a-z\u4e00-\u9fff）)]\^(?=[，。,.;；\s]|$)|\s[*†‡§¶](?:\s|$)"),
    ("markup of a page", r"(?m:^#{1,6}\s)|\*\*|(?<!\w)__\w|\]\(|!\[|\|\s*-{3,}|:{3,}|\{[#.]"),
    ("accent without its letter", r"[´ˆ¨˜¸˘˚](?:\s|$|\w)|\s[`´]"),
    (
        "note of an author",
        r"\b(?:examples?|citations?|references?) (?:(?:of|for|about|on) (?:\w+ ){1,2})?"
        r"(?:goes? )?here\b[.,;]"
        r"|(?:^|\. )(?:For|Of|The|In|With|By|And|To) [–—-]\s(?![^.]*\s[–—-]\s)",
    ),
    ("unfinished", r"^\.{2,}|^…|[a-z]{3}\.\.\.(?:$|\s[A-Z])|\b(?:etc etc|et cetera et)\b"),
    ("run of signs", r"[-=_*.]{5,}|(?:\s[^\w\s]){4,}"),
    ("rule or table", r"\s\|\s"),
)
PATTERNS = tuple((name, re.compile(pattern)) for name, pattern in _PATTERNS)
_BACK_MATTER = re.compile(
    r"^(?:We|I|The authors?|All authors|[A-Z]\.\s?[A-Z]?\S*)[^.]{0,60}\b(?:thank|thanks"
    r"|acknowledges?|"
    r"are grateful|am grateful|is grateful|are indebted|wish to express|declares?|contributed "
    r"equally)\b"
    r"|\b(?:[Tt]his|[Oo]ur|[Tt]hese|[Tt]he)(?: \w+)? (?:work|research|project|study|material|paper|"
    r"authors?)(?: of \S+)? (?:was|is|has been|have been|were|made use of|makes use of|received)"
    r"(?: \w+){0,2} (?:supported|funded|financed|sponsored|funding|performed under|conducted "
    r"under)\b"
    r"|\b(?:supported|funded|financed|sponsored) (?:in part |partially )?(?:by|through"
    r"|under)\b[^.]{0,120}"
    r"\b(?:grants?|[Ff]ellowships?|[Ff]oundation|[Cc]ouncil|contract|award)\b"
    r"|\b(?:grant|contract|award|project) (?:agreement )?(?:[Nn]o\.?|[Nn]os\.?|[Nn]umbers?|#"
    r"|[A-Z]{2,}[-/ ]?\d)"
    r"|\b[Ff]unding (?:from|by|was|for)\b|\b[Aa]cknowledge?ments?\b|\bthank(?:s|ful)?\b[^.]{0,80}\b"
    r"(?:discussions?|comments?|reviewers?|referees?|feedback|help|support)"
    r"|\b(?:competing|conflicts? of) interests?\b|\b[Cc]reative [Cc]ommons\b|\bCC[- ]BY\b"
    r"|\b(?:licensed|released|distributed|available) under (?:the|a|an)\b[^.]{0,40}\b[Ll]icen[cs]e"
    r"|\b(?:received|earned|obtained|holds) (?:his|her|their|the|a) (?:Ph\.?\s?D|B\.?\s?[AS]"
    r"|M\.?\s?[AS]|"
    r"B\.?\s?Sc|M\.?\s?Sc|doctorate|bachelor|master)"
    r"|\bis (?:currently |now )?an? (?:\w+ ){0,2}(?:professor|lecturer|postdoc\w*|Ph\.?D\.? "
    r"(?:student|"
    r"candidate))\b|\b(?:Department|School|Faculty|Institute|Laboratory) of [^.]{3,80}\bUniversit"
    r"|\S@\S+\.\w|\bORCID\b|\b[Cc]orrespond(?:ing|ence) (?:author|to|should)\b|©|\ball rights "
    r"reserved\b"
    r"|\b(?:conceived|designed|performed) (?:and \w+ )?the (?:study|experiments?|analys[ie]s"
    r"|research)[,;]"
    r"|\b(?:AI|ChatGPT|GPT-\d\w*|Claude|Gemini|Grammarly|Copilot|language models?|LLMs?)\b"
    r"[^.]{0,160}\b(?:draft|edit|writ|polish|proofread|readab|wording|copy-?edit|language)\w*"
    r"[^.]{0,80}\b(?:manuscript|this (?:paper|article|thesis|document))\b"
    r"|\b(?:draft|edit|writ|polish|proofread|readab|wording|language)\w*[^.]{0,80}"
    r"\b(?:manuscript|this (?:paper|article|thesis|document))\b[^.]{0,80}"
    r"\b(?:ChatGPT|Claude|Grammarly|[Gg]enerative AI|AI[- ](?:tools?|assist\w*))\b"
    r"|\b(?:[Ww]ir|[Ii]ch|[Vv]erfasser\w*|[Aa]utor(?:in|en|innen)?) (?:be)?dank(?:en?|t)\b"
    r"|\b(?:[Nn]ous|[Jj]e|auteur\w*) (?:\w+ (?:à |vivement |sincèrement )?)?"
    r"remerci(?:e|ons|ent|er)\b"
    r"|\b[Aa]grade(?:cemos|zco|ço)\b|\b[Rr]ingrazi(?:o|amo)\b"
    r"|(?:^|[.!] )(?:Un (?:grand|immense|très grand) )?[Mm]erci (?:\w+ )?(?:à|aux?)\b"
    r"|(?:^|[.!] )(?:Mein(?:en)? )?(?:\w+e[rn] )?Dank (?:gilt|geht|gebührt|an|dafür)\b"
    r"|^(?:À|Et à|Merci à) (?:tou(?:s|tes) )?(?:(?:ma|mon|mes|notre|nos)\b(?! (?:avis|yeux|sens"
    r"|tour|connaissance|époque|égard|niveau|disposition|question))|la mémoire d)"
    r"|^(?:A|Para) (?:mis|todos los que|mi (?:madre|padre|familia|espos[ao]|herman[ao]))\b"
    r"|^(?:To|For) (?:all )?my (?:\w+ ){0,2}(?:parents?|family|wife|husband|mother|father|friends?"
    r"|brothers?|sisters?|children|son|daughter|grand\w+|supervisors?|advisors?)\b"
    r"|^(?:Für )?[Mm]eine[mnr]? (?:\w+ )?(?:Eltern|Familie|Mutter|Vater|Freunde?n?|Großeltern"
    r"|Frau)\b"
    r"|\b(?:studiert|promoviert|lehrt|forscht|arbeitet)\b[^.]{0,160}\b(?:an der|am)\b[^.]{0,60}"
    r"(?:Universität|[Hh]ochschule|Institut)"
    r"|\bwrote the (?:paper|manuscript|first draft)\b|致谢|基金项目|作者简介|通[讯信]作者"
    r"|论文(?:工作)?表明作者|论文(?:书写|写作|撰写|行文)(?:条理|规范|符合|格式|结构)|答辩委员会"
    r"|(?:建议|同意)(?:授予|通过)[^。]{0,20}(?:学位|答辩)"
)
_LETTER = re.compile(
    r"\bDear (?:Dr|Prof|Editors?|Sir|Madam|Reviewer)|\b(?:Reviewer|Referee)\s*(?:#|No|\d|[A-C]\b)"
    r"|\bwe thank the (?:reviewers?|referees?|editor)|\bRe(?:sponse|ply|plies|buttal)s? to "
    r"(?:the )?"
    r"(?:\w+ )?(?:reviewers?|referees?|editors?|comments)|\b(?:referee|review(?:er)?)(?:\x27s"
    r"|s\x27)? reports?\b",
    re.IGNORECASE,
)
_CHINESE = re.compile(r"[\u3400-\u9fff\u3040-\u30ff\uac00-\ud7af]")
_LONGEST_ENTRY = 1500
_NAME = r"[A-ZÀ-Þ][\w’'-]+(?: [A-ZÀ-Þ][\w’'-]+)?"
_ENTRY = re.compile(
    rf"(?:\[?\d{{1,3}}[.\]]\s+)?(?:[a-z]{{2,3}} )?{_NAME}, [A-ZÀ-Þ][\w.’'-]*[^“\"?!]{{0,600}}?"
    r"(?:[.,;] (?:\((?:19|20)\d\d[a-z]?\)|(?:19|20)\d\d[a-z]?)[.:,] |\bn\.d\. )"
    r"(?:[“\"‘]|[A-ZÀ-Þ][^.?!]{10,300}[.?!])"
)
_GRAMMAR = {
    "en": "the of and to in a is that for it as with was on are by this be at from we or an which "
          "not have has our their can these were its but they than also i you he she his her your "
          "my who there will would if when what so no all more one into been may such between",
    "de": "der die das und in zu den ist von mit nicht ein eine auf für im dem als auch es an des "
          "sich werden aus bei oder wie hat nach wird sind einer um am sie er wir",
    "fr": "le la les de des et en un une du que est pour dans qui sur par au aux avec ne pas plus "
          "ce se sont il elle nous on ou mais cette ces à",
    "es": "el la los las de y en que un una es por con para del se no su al lo como más o pero sus "
          "le ha son entre este esta fue",
    "pt": "o a os as de e em que um uma do da dos das no na nos nas por com para se não mais ao "
          "como mas foi são entre ou este esta à é pelo pela",
    "it": "il lo la i gli le di e in che un una per con del della dei non si è da al alla sono "
          "come più ma o nel nella questo questa",
    "nl": "de het een en van in te dat is op voor met niet zijn aan door om als ook er maar bij "
          "uit naar wordt of deze dit",
}  # fmt: skip
_WORDS_OF_GRAMMAR = {name: frozenset(words.split()) for name, words in _GRAMMAR.items()}
_CLASSICS = re.compile(
    "豫章故郡|襟三江而带五湖|时维九月|落霞与孤鹜|腾蛟起凤|先帝创业未半|庆历四年春|晋太元中"
    "|天地玄黄|寒来暑往|环滁皆山|曲曲折折的荷塘|这几天心里颇不宁静|我与父亲不相见|燕子去了"
)
"""What the templates of Chinese theses are filled with: 滕王阁序, 荷塘月色, 千字文 and others."""
_FILLED = re.compile(
    r"Er hörte leise Schritte hinter sich|er war hierher gelockt worden|umgestürzten Mülleimer"
    r"|in der Dunkelheit seinen Weg zu ertasten|Verfolger würde ihn übersehen"
    r"|irrten seine Augen durch die nächtliche|drehte er sich nach rechts und verschwand"
    r"|hinter den Wortbergen|Buchstabenhausen|Eine wunderbare Heiterkeit hat meine ganze Seele"
    r"|[Jj]emand mußte Josef K|Gregor Samsa eines Morgens|Zwei flinke Boxer|Typoblindtext"
    r"|Überall dieselbe alte Leier|Es gibt im Moment in diese Mannschaft|Dies ist ein Blindtext"
    r"|(?:Dieser|[Ee]in) Text (?:ist|dient)[^.]{0,30} (?:Blindtext|Platzhalter)"
    r"|Ce texte est un exemple de (?:texte|faux)|Voix ambiguë d[’']un cœur"
    r"|quick brown fox jumps|[Tt]he languages only differ in their grammar"
    r"|One morning, when Gregor Samsa"
)
"""Sentences of the filler texts in which word processors and templates show type."""
_MODERN = re.compile("[的了是这们]")
_CLAUSE = re.compile(r"[，。；：？！、]")
_FEWEST_SIGNS, _LONGEST_CLAUSE = 24, 7
_LEAST_WORDS, _LEAST_SHARE = 30, 0.12
_LATIN = re.compile(r"[^\W\d_]+")
_PLAIN = re.compile(r"[A-Z“\"'\u4e00-\u9fff][^$\\_^=<>|~@#]{40,}[.?!。？！][”\"')]?", re.DOTALL)
_PAIRS = (("(", ")"), ("[", "]"), ("“", "”"), ("（", "）"))


def damage(text: str) -> str | None:
    """The name of the first sign of damage in a paragraph, or None."""
    for formula in _MATHS.findall(text):
        if not MATHS_COMMANDS.issuperset(_COMMAND.findall(formula)):
            return "unknown command in a formula"
    prose = _MATHS.sub("x", text)
    for name, pattern in PATTERNS:
        if pattern.search(prose):
            return name
    if "$" in prose and not re.search(r"\$\d", prose):
        return "dollar without a partner"
    for opening, closing in _PAIRS:
        if prose.count(opening) != prose.count(closing):
            return "bracket without a partner"
    return None


def is_unsteady(text: str) -> bool:
    """Whether a paragraph is more than plain whole sentences: maths, symbols, a fragment."""
    return _PLAIN.fullmatch(text) is None


def is_filler(text: str) -> bool:
    """Whether a paragraph is filler text, or a run of words without grammar: a list of names.

    So is classical Chinese, with which templates are filled and of which a thesis holds quotations.
    In sentences of any of the known languages at least an eighth of the words are such as *of*.
    """
    if _FILLED.search(text):
        return True
    if not text.isascii() and (_CLASSICS.search(text) or _is_classical(text)):
        return True
    words = [word.lower() for word in _LATIN.findall(text) if word.isascii() or word.isalpha()]
    if len(words) < _LEAST_WORDS or (not text.isascii() and _CHINESE.search(text)):
        return False
    return all(
        sum(word in known for word in words) < _LEAST_SHARE * len(words)
        for known in _WORDS_OF_GRAMMAR.values()
    )


def _is_classical(text: str) -> bool:
    """Whether a paragraph is in classical Chinese: short clauses, and none of today's particles."""
    signs = len(_CHINESE.findall(text))
    if signs < _FEWEST_SIGNS or _MODERN.search(text):
        return False
    return signs < _LONGEST_CLAUSE * len(_CLAUSE.findall(text))


def grammar_of(text: str) -> str:
    """The language that has most of a text's small words, English where another has as many; empty
    where none has any."""
    words = [word.lower() for word in _LATIN.findall(text)]
    counts = {name: sum(word in known for word in words)
              for name, known in _WORDS_OF_GRAMMAR.items()}  # fmt: skip
    most = max(counts, key=counts.__getitem__)  # the first, English, of equals
    return most if counts[most] else ""


def is_back_matter(text: str) -> bool:
    """Whether a paragraph speaks of authors, grants or licences instead of the subject."""
    return _BACK_MATTER.search(text) is not None


def is_bibliography_entry(text: str) -> bool:
    """Whether a paragraph is an entry of a list of references that has no heading of its own."""
    return len(text) < _LONGEST_ENTRY and _ENTRY.match(text) is not None


def is_letter(text: str) -> bool:
    """Whether a paragraph belongs to a referee's report or to the answer to one."""
    return _LETTER.search(text) is not None
