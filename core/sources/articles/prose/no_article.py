"""Which texts beside papers are no articles: letters, templates, licences, forms, manuals."""

import re
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Literal

from core.i18n import tr, tr_noop

Reason = Literal[
    "", "letter", "template", "licence", "questionnaire", "documentation", "similarity", "story"
]

NO_ARTICLE: Mapping[str, str] = MappingProxyType({
    "letter": tr_noop("It is a letter to or from reviewers, not an article."),
    "template": tr_noop("It is a template or a guide for authors, not an article."),
    "licence": tr_noop("It is a licence, not an article."),
    "documentation": tr_noop("It is documentation, not an article."),
    "questionnaire": tr_noop("It is a questionnaire or study material, not an article."),
    "course": tr_noop("It is material of a course, not an article."),
    "page": tr_noop("It is a page about an article, not an article."),
    "plan": tr_noop("It is a plan or a proposal, not an article."),
    "notebook": tr_noop("It is a notebook of an analysis, not an article."),
    "rows": tr_noop("It contains rows of a data set, not articles."),
    "notes": tr_noop("It contains notes, not an article."),
    "story": tr_noop("It is a story or a novel, not an article."),
    "thanks": tr_noop("It contains an article's acknowledgements, not an article."),
    "similarity": tr_noop("It is the report of a check for plagiarism, not an article."),
    "program": tr_noop("It belongs to a program or a package, not an article."),
})  # fmt: skip
"""Why a text that can be read is left out, unless texts of any kind are wanted."""

_LETTER_NAME = re.compile(
    r"cover\W?letter|referee|(?:^|\W)reviews?\W?\d{0,2}$|reviewer|rebuttal|(?:^|\W)respon[sd]|(?:^|\W)reply"
    r"|(?:^|\W)decision|(?:^|\W)ref(?:eree)?\W?(?:report|resp|reply|comment)|\b(?:in|en)quiry\b"
    r"|(?:^|\W)letter(?:\W|$)|(?:^|\W)reports?(?:\W?\d{1,2})?$"
    r"|(?:phd|thesis|dissertation|defen[cs]e)\W(?:.*\W)?report\W+(?:of|by|on)\W"
)
_LETTER_NAME_SURE = re.compile(
    r"cov(?:er|ering)?\W?lett(?:er)?|rebuttal|(?:^|\W)ref(?:eree)?\W?(?:report|resp|reply|comment)"
    r"|(?:respon[sd]e?|reply)\w*\W(?:to\W)?(?:the\W)?(?:ref|rev|editor)|\b(?:in|en)quiry\b"
)
_LETTER_FOLDER = re.compile(
    r"rebuttals?|(?:peer\W?)?review(?:er)?s?\W?(?:responses?|comments|reports?|replies)"
    r"|referees?\W?(?:responses?|comments|reports?|replies)?|cover\W?letters?|correspondence"
    r"|(?:responses?|replies|reply)\W(?:to\W)?(?:the\W)?(?:ref|rev|editor)\w*"
)
"""The folder of what is written to referees and by them, whose files may have any name."""
_REPORT_TITLE = re.compile(
    r"^(?:(?:referee|reviewer)\W?s?\W )?(?:report|review report) (?:on|of|for) [‘“\"'«]",
    re.IGNORECASE,
)
"""What a referee writes above a report: the title of the paper in quotation marks."""
_THESIS_REPORT = re.compile(
    r"^(?:(?:the )?(?:referee|reviewer|examiner|opponent)\W?s?\W+)?(?:report|review|evaluation"
    r"|assessment|appraisal|opinion) (?:on|of|for) (?:the )?(?:(?:[\w.-]+ ){0,4}[\w.-]+['’]s "
    r"(?:[\w.]+ ){0,2}(?:thesis|dissertation)\b|(?:[\w.]+ ){0,2}(?:thesis|dissertation)"
    r"(?:\W*$| (?:of|by|submitted|entitled|titled)\b| [“\"'‘«]))"
    r"|^(?:(?:pré-?)?rapport|avis) sur (?:la thèse|le mémoire)\b"
    r"|^(?:erst|zweit)?gutachten (?:über|zu[rm]?|der) (?:die |der |dissertation)",
    re.IGNORECASE,
)
"""What an examiner writes above a report on somebody's thesis."""
_AWARD = re.compile(
    r"\b(?:should|shall|may|can|must) (?:therefore |thus )?be awarded (?:an? |the |le )?(?:ph\.?d"
    r"|doctor|(?:degree|title|grade) (?:of|de) )",
    re.IGNORECASE,
)
_OF_A_THESIS = re.compile(r"\b(?:this|the|his|her|their) (?:\w+ )?(?:thesis|dissertation)\b", re.I)
_LETTER_TITLE = re.compile(
    r"(?:cover(?:ing)? letter|(?:response|reply|rebuttal) (?:letter|to "
    r"(?:the )?(?:reviewers?|referees?|editors?))|投稿信|审稿意见|(?:修改|回复)说明)\b",
    re.IGNORECASE,
)
_SALUTATION = re.compile(r"^(?:Dear|To whom it may concern)\b[^.]{0,60}[,:]?\s*$", re.M)
_VALEDICTION = re.compile(
    r"^(?:Yours (?:sincerely|faithfully|truly)|(?:Best|Kind|Warm|With (?:best|kind)) (?:regards"
    r"|wishes)|Sincerely(?: yours)?|Respectfully)\b",
    re.MULTILINE | re.IGNORECASE,
)
_LETTER_STRONG = tuple(
    re.compile(pattern, re.IGNORECASE | re.MULTILINE)
    for pattern in (
        r"\b(?:reviewer|referee|review)\s*(?:#|no\.?)?\s*[1-9]\b",
        r"\bdear (?:dr|prof|editors?|reviewers?|sir|madam)\b",
        r"\boverall (?:evaluation|recommendation|merit|score)\b|\breviewer'?s? confidence\b",
        r"\b(?:minor|major|specific|detailed) (?:comments?|remarks?|revisions?)\b",
        r"\byour (?:manuscript|submission)\b|\bsuitable for publication\b"
        r"|\b(?:recommend|propose) (?:its |the )?(?:acceptance|rejection|publication)\b",
        r"\bthank the (?:anonymous )?(?:reviewers?|referees?|editors?)\b",
        r"^(?:panel summary|(?:strengths|weaknesses)(?: and weaknesses)?"
        r"|suggestions for improvement)\W*$",
        r"^(?:R|A|Response|Reply|Answer|Authors?)\s*\d*:\s",
        r"^\W*(?:reviewer|referee)\s*(?:#|no\.?)?\s*\d\W*$",
        r"^\W*(?:Q?\d{1,2}\W+)?(?:please )?rate the (?:overall )?(?:importance|technical|clarity"
        r"|originality|significance|quality|novelty|relevance|presentation|soundness)\b",
        r"\bthe (?:ph\.?d\.? )?(?:candidate|student)(?:['’]s)? (?:has|have|can|shows"
        r"|demonstrate[sd]|deserves|succeed\w+|ability)\b",
        r"\b(?:public|oral|internal) defen[cs]e\b|\b(?:degree|title) of doctor\b"
        r"|\b(?:this|the) (?:thesis|dissertation|manuscript) (?:deserves|merits|is acceptable"
        r"|can be accepted|should be accepted|satisfies|meets)\b",
    )
)
_LETTER_WEAK = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"\bthe authors (?:should|could|must|need to|claim)\b|\bsuggest the authors\b",
        r"\bhas (?:now )?been (?:corrected|fixed|clarified|rephrased)\b"
        r"|\bwe have (?:now )?(?:added|revised|clarified|corrected|rewritten)\b",
        r"\bthe (?:PIs?|proposers?|proposal|panel(?:ists?)?) "
        r"(?:is|are|has|have|should|could|propose)",
        r"\b(?:our|this|the(?: final| revised)?) (?:manuscript|submission)\b",
        r"\baddress (?:this|these|the|your|all) (?:\w+ )?comments?\b"
        r"|\b(?:issues?|points?|concerns?|questions?|problems?) (?:that )?you (?:have )?raised\b"
        r"|\byour consideration\b|\b(?:this|your) (?:comment|suggestion|concern|remark)\b",
        r"\bpage \d+,? line \d+\b|\b[lL]ine \d+:",
        r"\b(?:pre-?submission|letter of) (?:in|en)quiry\b|\bauthorship standards\b"
        r"|\binterest your readers\b|\byour interest in publishing\b",
        r"\bperspective paper\b|\bpleased? to submit\b|\breaders of (?:your|the) journal\b",
    )
)
_THANKS_FILE = re.compile(
    r"^(?:\d+[._-])?(?:acknowledge?ments?|ack|thanks|dedications?|remerciements?|danksagung"
    r"|agradecimientos|ringraziamenti|致谢|biograph(?:y|ies)|vita)\.\w+$",
    re.IGNORECASE,
)
_TEMPLATE_NAME = re.compile(
    r"template|(?:^|\W)sample\d*|example|guide|instruct|author\W?kit|(?:^|\W)testing",
    re.IGNORECASE,
)
_TEMPLATE_TITLE = re.compile(
    r"\btemplate\b|\bsample (?:paper|manuscript|article|document)\b|\bauthor\W?(?:kit|guide)"
    r"|\b(?:instructions?|guidelines?|guide) (?:for|to) (?:authors?|contributors?)\b",
    re.IGNORECASE,
)
_MANUAL_TITLE = re.compile(
    r"^(?:[\w.'’-]+ ){0,4}(?:manual|handbook|(?:user|reference|installation|developer|admin"
    r"|programmer|quick[ -]?start|getting[ -]started)\w*(?:['’]?s|s['’])? guide)$",
    re.IGNORECASE,
)
_TEST_TITLE = re.compile(r"\btest(?:ing)? (?:document|file|article)\b", re.IGNORECASE)
_TYPESETTING = re.compile(
    r"(?i:lorem ipsum|\bdocumentclass\b|\b\w+\.(?:cls|sty|bst|bib)\b"
    r"|\b(?:class|style) files?\b"
    r"|\bthis (?:template|sample|document class)\b|\bsample (?:manuscript|article|document|file)\b"
    r"|\b(?:guidelines|instructions) (?:for|to) authors\b|\bauthor (?:guidelines|charges)\b"
    r"|\bsubmission (?:guidelines|instructions)\b"
    r"|\bcamera[- ]ready\b|\bpage (?:limit|charges|numbers must)\b"
    r"|\b(?:left|right|top|bottom|page|side) margins?\b|\bmargins (?:must|should|are)\b"
    r"|\bfont size\b|\b\d+[ -]point (?:type|font|times)|\bdouble[- ]spaced\b"
    r"|\btypeset(?:ting)?\b)"
    r"|\b(?:La|Bib)TeX|\bTeX\b|[A-Z]\w*TeX\b"
    r"|\b(?:Formatvorlagen?|Seitenr[äa]nder|Zeilenabstand|Schriftgrößen?|Schriftarten?|Fußnotentext"
    r"|Deckblatt|Gliederungspunkte?|Inhaltsverzeichnis(?:se)?|Tabellenverzeichnis|Kopfzeilen?"
    r"|Zitierweise|interligne|marges? de (?:gauche|droite)|police de caractères|márgenes"
    r"|interlineado)\b"
    r"|模板|宏包|排版|字号|行距|页边距|版心|页眉|三线表|规范汉字|中文封面|(?:表|图)题|参考文献表"
    r"|(?:学位论文|毕业论文|论文(?:的)?(?:摘要|题目|结论)|摘要|关键词|引言|结论|附录|封面)"
    r"[^，。；]{0,6}(?:应当?|须|一律|不得|切忌|不宜)"
)
_SIMILARITY = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"(?:抄袭|查重|重复|相似)率\s?[:：]?\s?\d|(?:总|文字)(?:相似|复制)比|去除(?:引用|本人).{0,8}复制比",
        r"检测时间\s?[:：]|论文字数\s?[:：]|检测(?:文献|范围|系统)\b",
        r"相似(?:片段|结果|来源|文献)(?:\s?\d|\s?[:：]|$)|疑似(?:抄袭|剽窃)",
        r"(?:检测|查重|对比)报告|CheckPass|PaperPass|PaperYY|万方检测|维普(?:论文)?检测|对比库",
        r"\bsimilarity (?:index|score)\b|\b\d+\s?% (?:overall )?similarity\b",
        r"\b(?:originality|plagiarism|similarity)(?: \w+)? report\b|\bplagiarism checker\b",
        r"\b(?:turnitin|ithenticate|copyleaks|submission id|internet sources|student papers)\b",
    )
)
"""What a program that looks for plagiarism writes around the text that it looked at."""
_LICENCE_NAME = re.compile(r"licen[cs]e|copying|(?:^|\W)(?:cc|gpl|mit|bsd)(?:\W|$)", re.IGNORECASE)
_LICENCE = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"\blicensors?\b",
        r"\b(?:licensed|work) material\b|\blicensed work\b",
        r"\bpublic licen[cs]es?\b",
        r"\bprovided .?as is\b|\bwithout warrant(?:y|ies) of any kind\b",
        r"\bhereby grant(?:s|ed)\b|\bgrants? (?:the public|you) permission\b",
        r"\bredistributions?\b.{0,60}\b(?:source|binary) (?:code|form)\b",
    )
)
_QUESTIONNAIRE_NAME = re.compile(
    r"questionn?aire|survey|^(?:[\w-]*\W)?materials?(?:\W|$)(?! of)|instrument|stimuli|vignette"
    r"|consent|debrief|interview|^(?:\w+-)?forms?(?:-\w+)?(?:\s|$)|(?:feedback|application"
    r"|registration|evaluation|assessment|response|entry|report|order) forms?(?:\W|$)"
    r"|(?:^|\W)wording"
    r"|(?:^|\W)scales?(?:\W|$)|(?:^|\W)items?(?:\W|$)|codebook|问卷|量表|访谈",
    re.IGNORECASE,
)
_ASKED = re.compile(
    r"\b(?:strongly|somewhat|slightly|neither|completely|totally) (?:dis)?agree"
    r"|\bagree nor disagree"
    r"|^\W*(?:never|rarely|sometimes|often|always|not at all|very much|yes|no|male|female|other"
    r"|prefer not to (?:say|answer)|don.t know)\W*$"
    r"|^\W*\(?\d\)? ?[=:–-] ?(?:not|very|extremely|strongly|completely|never|always|none)\b"
    r"|[☐☑□○◯●◦]\s*\w|\[ {1,2}\]|_{4,}|\.{6,}"
    r"|^\W*(?:\w{1,3}[.)]\s*)?(?:please|kindly) (?:indicate|select|rate|tick|choose|answer|read"
    r"|specify|circle|mark|fill|enter|state|respond|complete|describe|imagine)"
    r"|\bon a scale (?:of|from)\b|\b(?:select|choose|tick|check) (?:all|one|the option|the box)"
    r"|^\W*(?:\w{1,4}[.)]\s*)?(?:how (?:often|much|many|likely|satisfied|important|old|would you)"
    r"|do you|did you|have you|are you|would you|what is your|what gender|in the (?:last|past) \w+"
    r" (?:days|weeks|months), (?:how|have|did))\b[^.]*\?"
    r"|非常(?:不)?(?:同意|满意|符合)|比较同意|请(?:您)?(?:选择|填写|勾选|回答|根据)|您(?:是否|的年龄|的性别)"
    r"|（\s*）\s*$|_{2,}",
    re.IGNORECASE | re.MULTILINE,
)
_ADDRESSED = re.compile(
    r"^\W*(?:next|continue|submit|start|back)\W*$|\bplease (?:click|press|note|remember|wait)\b"
    r"|\bclick (?:next|the|on|here|to)\b|\bpress the\b"
    r"|\byou (?:will|are|can|have|must|may|need|do|want|choose|receive)\b[^.?!]*"
    r"\b(?:task|study|round|screen|survey|points?|question\w*|person|participant\w*|button|experiment\w*|video|answer\w*"
    r"|choose|asked|read|see)\b",
    re.IGNORECASE | re.MULTILINE,
)
"""What is said to those who take part in a study."""
_LINE, _LINES = 140, 0.85
"""Characters of a line that one answers to, and the least share of such lines."""
_LONG_PROSE = 400
"""Characters of a paragraph of an article; a form has hardly any."""
_MUCH_PROSE = 20
"""So many of them no form has, and an article may whose appendix holds one."""
_MANY_QUESTIONS = 8
_SPOKEN = re.compile(r"\s*(?:[—–]|--|-\s)\s?[^\W\d_]|\s*[«“\"„「][^»”\"“」]{2,400}[»”\"“」]")
"""How what somebody says begins: with a dash, or in quotation marks."""
_MUCH_TALK, _SHARE_OF_TALK = 24, 1 / 6
_MANY = 3
_SHARE, _SHARE_WHEN_NAMED = 0.25, 0.1
_LOOKED_AT = 200_000
"""Characters of a text that are looked at."""


def why_no_article(name: str, title: str, texts: Iterable[str], folder: str = "") -> Reason:
    """What a text is when it is not an article; empty for an article.

    ``name`` is the file's name without its ending, ``texts`` its headings and paragraphs,
    ``folder`` the name of the folder that it lies in.
    """
    paragraphs = [text for text in texts if text.strip()]
    whole = "\n".join(paragraphs)[:_LOOKED_AT]
    plain_name = name.lower().replace("_", "-")
    sent = _LETTER_FOLDER.fullmatch(folder.lower().replace("_", "-")) is not None
    above = title or whole
    lettered = any(p.match(above) for p in (_LETTER_TITLE, _REPORT_TITLE, _THESIS_REPORT))
    awarded = _AWARD.search(whole) is not None and _OF_A_THESIS.search(whole) is not None
    if lettered or awarded or _is_letter(plain_name, f"{title}\n{whole}", sent):
        return "letter"
    if sum(pattern.search(f"{title}\n{whole}") is not None for pattern in _SIMILARITY) >= _MANY:
        return "similarity"
    licence = sum(pattern.search(whole) is not None for pattern in _LICENCE)
    if licence >= (2 if _LICENCE_NAME.search(plain_name) else _MANY):
        return "licence"
    if _TEST_TITLE.search(title):
        return "template"
    if _MANUAL_TITLE.match(title):
        return "documentation"
    if _is_story(paragraphs):
        return "story"
    # in a name a hyphen parts words, in a title it joins them: Large-Scale
    asks = _QUESTIONNAIRE_NAME.search(f"{plain_name} {title.replace('-', '_')}")
    if _is_questionnaire(paragraphs, bool(asks)):
        return "questionnaire"
    named = _TEMPLATE_NAME.search(plain_name) or _TEMPLATE_TITLE.search(title)
    return "template" if _is_template(paragraphs, bool(named)) else ""


def is_no_article(reason: str) -> bool:
    """Whether a file was left out for its kind of text, which ``any_text`` reads all the same."""
    return reason in map(tr, NO_ARTICLE.values())


def is_thanks_file(name: str) -> bool:
    """Whether a file, by its name, holds the thanks of an article or the life of its author."""
    return _THANKS_FILE.match(name) is not None


def _is_letter(name: str, whole: str, sent: bool) -> bool:
    strong = sum(pattern.search(whole) is not None for pattern in _LETTER_STRONG)
    weak = sum(pattern.search(whole) is not None for pattern in _LETTER_WEAK)
    if _SALUTATION.search(whole) and _VALEDICTION.search(whole):
        return True
    if sent or _LETTER_NAME_SURE.search(name):
        return strong + weak >= 1
    if _LETTER_NAME.search(name):
        return strong >= 1 and strong + weak >= 2
    return strong >= _MANY or (strong >= 2 and weak >= 2)


def _is_story(paragraphs: Sequence[str]) -> bool:
    """Whether people talk in a sixth of the paragraphs, of two dozen or more."""
    spoken = sum(_SPOKEN.match(paragraph) is not None for paragraph in paragraphs)
    return spoken >= _MUCH_TALK and spoken >= _SHARE_OF_TALK * len(paragraphs)


def _is_questionnaire(paragraphs: Sequence[str], named: bool) -> bool:
    """Whether most of a text asks and offers answers, and little of it is prose."""
    signs = (_ASKED, _ADDRESSED)
    asked = sum(any(sign.search(text) for sign in signs) for text in paragraphs)
    prose = sum(len(paragraph) >= _LONG_PROSE for paragraph in paragraphs)
    share = asked / max(len(paragraphs), 1)
    if named and len(paragraphs) >= _MANY_QUESTIONS and _are_lines(paragraphs):
        return True
    if named and asked >= _MANY and not prose:
        return share >= _SHARE_WHEN_NAMED
    if asked < _MANY_QUESTIONS or prose > min(asked / 2, _MUCH_PROSE):
        return False
    return share >= (_SHARE_WHEN_NAMED if named else _SHARE)


def _are_lines(paragraphs: Sequence[str]) -> bool:
    """Whether a text is lines, each with a sentence at most: the statements of a scale."""
    return sum(len(paragraph) <= _LINE for paragraph in paragraphs) >= _LINES * len(paragraphs)


def _is_template(paragraphs: Sequence[str], named: bool) -> bool:
    count = sum(_TYPESETTING.search(paragraph) is not None for paragraph in paragraphs)
    share = count / max(len(paragraphs), 1)
    return count >= _MANY and share >= (_SHARE_WHEN_NAMED if named else _SHARE)
