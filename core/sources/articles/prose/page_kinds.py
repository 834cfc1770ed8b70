"""Which texts are pages of a program, a course or a web site, told by their headings."""

import re
from collections.abc import Iterable, Sequence
from typing import Literal

from core.sources.articles.prose.working_notes import is_about_the_future, is_working_note

PageKind = Literal[
    "", "documentation", "course", "page", "slides", "plan", "notebook", "template", "notes"
]

Docs = Literal["docs", "none", "untold"]
"""Whether a text lies among documentation, cannot be any, or may be some by its headings."""

_NUMBERED = re.compile(r"^[\W\d_]*(?:\d+(?:\.\d+)*[.)]?\s+)?")
_SECTION_OF_AN_ARTICLE = re.compile(
    r"(?:abstract|summary|statement of need|introduction|background|(?:related|previous|prior) work"
    r"|literature(?: review)?|(?:materials?|data|patients) and methods?"
    r"|methods?(?: and materials?)?"
    r"|methodology|(?:main )?results?(?: and discussion)?|experiments?|evaluation"
    r"|(?:general )?discussion"
    r"(?: and conclusions?)?|conclusions?(?: and .*)?|concluding remarks|limitations|references"
    r"|bibliography|appendix.*|摘要|绪论|引言|相关工作|结论.*|总结.*|参考文献|résumé|einleitung|fazit"
    r"|introdu[cz]\w+|conclus\w+|resumen?|resumo|m[ée]todos?|metodolog\w+|resultados|discusi[óo]n"
    r"|discussão|refer[eê]ncias|(?:matériel et )?méthodes?|résultats|ergebnisse|methoden|diskussion"
    r"|zusammenfassung|metodi|risultati|discussione)",
    re.IGNORECASE,
)
_SECTION_OF_A_PROGRAM = re.compile(
    r"(?P<install>install(?:ation|ing)?(?: .{0,30})?|set-?up(?: .{0,20})?|安装.*|环境(?:配置|搭建))"
    r"|(?P<start>(?:quick ?-?start|getting started|first steps)(?: .{0,30})?|快速(?:开始|上手))"
    r"|(?P<use>(?:basic |advanced )?usage(?: .{0,20})?|how to (?:use|run|build"
    r"|install)(?: .{0,40})?"
    r"|running (?:the |it )?.{0,30}|如何使用.*|使用(?:方法|说明|教程))"
    r"|(?P<needs>(?:system |software )?requirements|prerequisites?|dependenc(?:y|ies)"
    r"|(?:项目)?依赖|(?:环境|系统)要求)"
    r"|(?P<help>contribut(?:e|ing|ors|ion guidelines)(?: .{0,20})?|support|get(?:ting)? help"
    r"|development(?: .{0,20})?|贡献(?:指南)?)"
    r"|(?P<licence>licen[cs]e|citation|citing(?: .{0,20})?|how to cite(?: .{0,20})?"
    r"|许可证?|开源协议)"
    r"|(?P<features>(?:key )?features|(?:tech(?:nology)?) stack|screenshots?|demo|badges"
    r"|功能(?:特性|列表)|特性|技术栈)"
    r"|(?P<settings>configuration|environment variables|options|settings|troubleshooting|faq"
    r"|frequently asked questions|known issues|deployment|docker(?: .{0,20})?"
    r"|常见问题|环境变量|部署)"
    r"|(?P<tree>(?:project|directory|repository|repo|file|folder) (?:structure|layout"
    r"|organi[sz]ation"
    r"|contents?)|(?:repository|files) (?:overview|contents?)|(?:目录|项目|文件|代码)结构)"
    r"|(?P<interface>(?:rest |python |http )?api(?: reference| endpoints?| documentation)?"
    r"|endpoints?"
    r"|command[- ]line(?: .{0,20})?|cli(?: .{0,20})?|commands|接口(?:文档|说明))"
    r"|(?P<plans>road ?map|change ?log|release notes|to-?dos?(?: list)?|next steps|milestones?"
    r"|backlog"
    r"|non-goals|goals and non-goals|acceptance criteria|open questions|definition of done"
    r"|(?:phase|sprint|milestone|step) \d+\b.*|更新日志|路线图|版本历史)",
    re.IGNORECASE,
)
"""Sections that READMEs, manuals and plans of programs have, one group for what is alike."""
_VERSION = re.compile(
    r"\[?(?:version |release "
    r"|v)?\d+\.\d+(?:\.\d+)*[\w.+-]*\]?(?:\s*[-–—:(]+\s*[\w ,./-]*\d{4}[\w ,./-]*\)?)?"
    r"|\[?unreleased\]?",
    re.IGNORECASE,
)
_OF_AN_INTERFACE = re.compile(
    r"(?i:parameters?|returns?|return values?|raises|arguments?|attributes|methods|functions"
    r"|classes"
    r"|modules?|submodules|packages|signature|see also|value|throws|inherited members|request"
    r"|(?:public )?member .{0,20}|response|example usage)|[\w.:]+\(.{0,200}\)"
    r"|(?:class|def|function|module|enum|struct|interface|type|const) [\w.:]+(?:\(.*\))?"
    r"|(?:GET|POST|PUT|PATCH|DELETE) /\S*",
)
"""Headings of the pages that a program's interface is described on."""
_SECTION_OF_A_LIFE = re.compile(
    r"(?P<a>education(?: .{0,20})?|academic (?:background|qualifications)|degrees)"
    r"|(?P<b>(?:work |professional |research |industry |teaching |relevant )?(?:experience"
    r"|employment"
    r"|appointments|positions)(?: history)?)"
    r"|(?P<c>(?:technical |computer |programming |key )?skills(?: .{0,20})?|languages)"
    r"|(?P<d>(?:honou?rs|awards|fellowships|grants|scholarships)\b.{0,40})"
    r"|(?P<e>(?:selected |peer-reviewed |journal )?publications?(?: .{0,20})?"
    r"|(?:invited )?talks\b.{0,30}"
    r"|presentations?|conference .{0,30})"
    r"|(?P<f>teaching|(?:professional |academic )?service|outreach|memberships?|certifications?"
    r"|extracurricular .{0,20}|interests|hobbies|volunteer\w*)"
    r"|(?P<g>personal (?:details|information|data)|contact(?: .{0,20})?|profile|objective)",
    re.IGNORECASE,
)
_SECTION_OF_A_COURSE = re.compile(
    r"(?P<a>(?:student |instructor )?office hours(?: .{0,20})?|instructors?|teaching assistants?"
    r"|course staff|meeting times?)"
    r"|(?P<b>grading(?: .{0,30})?|grades?|assessment(?: .{0,20})?|assignments?(?: .{0,20})?"
    r"|homeworks?"
    r"|exams?|mid-?terms?(?: .{0,10})?|quizzes)"
    r"|(?P<c>course (?:description|objectives?|goals|overview|outline|materials?|schedule|content"
    r"|information|policies|structure|requirements)|learning (?:objectives|outcomes|goals)"
    r"|syllabus)"
    r"|(?P<d>(?:required |recommended )?text ?books?|(?:required |course )?readings?(?: list)?)"
    r"|(?P<e>attendance(?: .{0,30})?|late (?:work|policy|submissions?|assignments?).{0,20}"
    r"|academic (?:integrity|honesty|misconduct).{0,20}|honou?r code|plagiarism|disabilit.{0,40}"
    r"|accommodations?.{0,30}|.{0,20}policies|classroom .{0,20})"
    r"|(?P<f>(?:tentative )?(?:class |weekly )?schedule|(?:week|lecture|class|session) \d+\b.*)",
    re.IGNORECASE,
)
_UNIT_OF_A_COURSE = re.compile(
    r"(?:lecture|week|homework|problem set|problem sheet|exercise sheet|assignment|tutorial"
    r"|recitation"
    r"|lab(?:oratory)?(?: session| report)?|quiz|discussion section|lesson)"
    r"(?:s|\s?(?:no\.? ?|#)?\d{1,2}(?:\D.*)?)?|第[一二三四五六七八九十\d]+讲.*",
    re.IGNORECASE,
)
_COUNT = (
    r"(?:\d{1,2}|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen)"
)
_NAME_OF_A_COURSE = re.compile(
    r"(?:lec(?:ture)?|week|hw|homework|pset|problem-?set|assignment|tutorial|recitation|quiz|midterm"
    rf"|(?:final-?)?exam|lesson|lab)-?{_COUNT}(?:-.*)?|(?:.*-)?(?:syllabus|handouts?)(?:-.*)?"
    r"|(?:course|lecture)-?(?:notes?|outline)(?:-.*)?|text-?book(?:-.*)?",
)
_REPORT_OF_A_STUDENT = re.compile(
    r".*(?:(?:实习|实训|见习)(?:报告|总结|日志|周记|日记|心得)"
    r"|读书笔记|读书报告|心得体会|开题报告|任务书|中期报告|中期检查|[外英]文(?:文献)?翻译).*"
)
"""What Chinese students write beside a thesis."""
_CODE_OF_A_COURSE = re.compile(
    r"(?:PHIL|MATH|PHYS|CHEM|BIOL?|STATS?|ECON|PSYCH?|EECS|CSE?|ECE|ENGL|HIST|LING|SOCI?|POLS|INFO"
    r"|COMP|MUSI|GEOG|ANTH|EE|ME) ?\d{3,4}[A-Z]?\b.*"
)
_TITLES: tuple[tuple[PageKind, re.Pattern[str]], ...] = (
    (
        "documentation",
        re.compile(
            r"(?:(?:contributor|contributors?['’]?s?) )?(?:covenant )?code of conduct"
            r"|contributor covenant.{0,30}|(?:individual "
            r"|corporate )?contributor licen[cs]e agreement"
            r"|contribut(?:ing|ion guidelines|ion guide)(?: (?:to|guidelines?|guide) ?.{0,30})?"
            r"|(?:.{1,60} )?(?:essay|thesis|dissertation|student|degree|submission|authors?)\w* "
            r"(?:guidance|guidelines|requirements)"
            r"|(?:change ?log|release notes|what[’']?s new)(?: .{0,30})?|(?:.{1,30} )?road ?map"
            r"|(?:installation|installing|(?:.{1,90}\W )?getting started|quick ?start)(?: .{0,30})?"
            r"|(?:.{1,30} )?api(?: reference| documentation)?|api (?:reference"
            r"|documentation)(?: .{0,30})?"
            r"|.{1,80} [—–|-] .{1,40} (?:documentation|docs)|(?:[\w.-]+ ){0,3}documentation",
            re.IGNORECASE,
        ),
    ),
    ("slides", re.compile(r"curriculum vit(?:ae|æ).{0,40}|résumé|(?:my )?c\.?v\.?", re.IGNORECASE)),
    (
        "course",
        re.compile(r"(?:.{0,50} )?syllabus(?:\W.{0,40})?|course (?:notes|outline)\b.{0,60}", re.I),
    ),
)
_REPORTED = re.compile(
    r"(?:(?!expected|anticipated|planned|intended|potential|possible|hypothe|prior|previous"
    r"|existing|of |interpret|report|dissemin|presentation|use )[\w-]+ ){0,3}results?\b.*"
    r"|(?:general )?discussion\b.*|conclusions?\b.*"
    r"|concluding remarks|findings|结论.*|结果.*|总结.*|讨论.*|resultados.*|conclus.*"
    r"|discusi[óo]n.*|discussão.*|résultats.*|ergebnisse.*|fazit|diskussion.*|risultati.*|discussione.*",
    re.IGNORECASE,
)
"""What only a study that was carried out has."""
_NAME_OF_A_PLAN = re.compile(
    r"(?:.*-)?(?:pre-?reg(?:ist(?:er|ration)s?)?(?:[-.\d].*)?|(?:pre-?)?analysis-plan.*"
    r"|(?:project|research|study|thesis)-plan.*|(?:paper|writing|upload|release|publication)-plan"
    r"|(?:research|grant|thesis|project)-proposal(?:-.*)?"
    r"|proposal(?:-(?:v?\d.*|final|draft|main|revised))?)|proposal-.*"
    r"|(?:.*-)?(?:research|teaching|diversity|personal)-(?:interests?|statements?)(?:-.*)?"
    r"|statement-of-(?:purpose|(?:research-)?interests?|intent)(?:-.*)?"
    r"|(?:.*-)?(?:collab(?:oration)?|data-management|management|mentoring|dissemination|bpc)-?plan"
    r"|(?:.*-)?(?:study|trial|research|validation|clinical|ethics|irb|review)-protocol(?:-.*)?"
)
_TITLE_OF_A_PLAN = re.compile(
    r"(?:\(?pre-?\)?registration|(?:statistical |pre-?)?analysis plan|(?:project|research) (?:plan"
    r"|proposal))(?:\s*[^\w\s].{0,90}|\s+(?:\d|for|of|form|document|template|protocol|study|studies"
    r"|experiments?)\b.{0,80})?"
    r"|(?:(?:ante)?proyecto|propuesta|plan|proposta) (?:de|di) (?:tes(?:is|ina|i)|investigación"
    r"|grado|trabajo|proyecto)\b.*|projet de (?:thèse|recherche)\b.*"
    r"|.{1,150}: (?:an? )?(?:pre-?registration|pre-?analysis plan|research proposal)"
    r"|research hypothes[ie]s(?:\W.*)?",
    re.IGNORECASE,
)
_SECTION_OF_A_PLAN = re.compile(
    r"(?P<a>study information)|(?P<b>(?:study )?design(?: plan)?|study type)|(?P<c>sampling plan"
    r"|data collection procedures?)|(?P<d>sample size(?: rationale)?|stopping rule)"
    r"|(?P<e>(?:manipulated |measured )?variables|indices)|(?P<f>(?:statistical )?analysis plan"
    r"|statistical models|inference criteria)|(?P<g>existing data|data exclusion|missing data)"
    r"|(?P<h>hypothes[ie]s|exploratory analys[ie]s|research questions?|(?:specific |general )?"
    r"(?:objectives?|aims?))"
    r"|(?P<i>(?:project |study )?(?:time ?line|timetable|schedule|milestones)|work ?plan)"
    r"|(?P<j>budget(?: .{0,30})?|resources|personnel|investigators|study team)"
    r"|(?P<k>(?:expected|anticipated) (?:outcomes?|results?|findings|outputs?|benefits)"
    r"|dissemination(?: .{0,20})?)"
    r"|(?P<l>(?:inclusion|exclusion|eligibility) criteria|study (?:setting|population))",
    re.IGNORECASE,
)
"""What the forms of registries and of ethics committees ask for."""
_SECTION_OF_A_GRANT = re.compile(
    r"(?:(?:\W*\w+){0,4}\W+)?intellectual merit\b.*|results (?:from|of) prior .{0,40}support.*"
    r"|(?:.* )?current and pending .*|proposal preparation .*instructions.*",
    re.IGNORECASE,
)
"""What an application for a grant has, or the call that asks for it."""
_PHASE_OF_A_PLAN = re.compile(r"(?:phase|week|month|sprint|work package|wp) ?\d.*", re.IGNORECASE)
_MANY_PHASES = 2
_REGISTERED_REPORT = re.compile(r"registered[ -]report|stage[ -]?(?:1|one|i)\b", re.IGNORECASE)
"""A manuscript that is reviewed before its study: its introduction and its methods are written."""
_SECTION_OF_DATA = re.compile(
    r"(?P<a>dataset (?:description|summary|structure|creation|card.*|sources?|info)|data ?set)"
    r"|(?P<b>data (?:fields|instances|splits|format|files)|file (?:list|overview|format).{0,20}"
    r"|variables?(?: list)?|columns|schema|data dictionary)"
    r"|(?P<c>supported tasks.*|intended uses?|uses|(?:out-of-scope|direct) use)"
    r"|(?P<d>licen[cs]\w+(?: information)?|citation(?: information)?|sharing/access information"
    r"|dataset curators)"
    r"|(?P<e>(?:source data|annotations|curation rationale|annotation process|data collection)"
    r"|methodological information)"
    r"|(?P<f>considerations for using the data|bias, risks.*|known limitations|social impact.*)",
    re.IGNORECASE,
)
_ADDRESSED = re.compile(
    r"\b(?i:you(?:r|rself|rselves|[’']\w+)?|vous|votre|vos)\b"
    r"|(?<=[a-zäöüß,] )(?:Sie|Ihnen|Ihre?[rnms]?)\b"
)
_OF_A_COURSE = re.compile(
    r"\b(?:this|our) (?:text ?book|course|class|lecture)\b|\bhomework\b|\bexercises?\b", re.I
)
_LECTURE = re.compile(
    r"\b(?:this|(?:the )?(?:next|last|previous|first|preceding)|today[’']s|our last|these) "
    r"lectures?\b|\b[Ll]ectures? \d+\b|\blast time,? we\b|\bleft as an exercise\b"
)
_MANY_LECTURES, _SHARE_OF_LECTURES = 5, 0.02
"""Paragraphs, and their share, that speak of the lectures a text is the notes of."""
_NAME_OF_A_SPEECH = re.compile(
    r"(?:discorso|charla|vortrag|rede|speech|toast|ponencia)(?:-(?:di-laurea|laurea|final|notes?|notas"
    r"|script|texte?|v?\d.*))?"
)
"""What is said in front of people, beside a thesis."""
_NAME_OF_A_POSTER = re.compile(r"(?:.*-)?(?:posters?|slides?)(?:-(?!abstract|paper).*)?")
_NAME_OF_A_LIFE = re.compile(
    r"(?:.*-)?(?:lebenslauf|curr[ií]culum(?:-vitae)?)(?:-.*)?"
    r"|cv(?:-[^-]+)?(?:-(?:english|spanish|español|german|deutsch|french|français|en|es|de|fr))?",
    re.IGNORECASE,
)
_NAME_OF_TERMS = re.compile(
    r"(?:.*-)?(?:terms-(?:of-(?:use|service)|and-conditions)|privacy-policy"
    r"|data-(?:use|access|transfer)-agreement|user-?(?:guide|manual))(?:-.*)?"
    r"|help(?:-(?:gui|page|file|text|index|en|\d+))?"
)
"""What may be done with data or a service, and how a program is used."""
_MOST_ADDRESSED, _FEW_PARAGRAPHS = 0.25, 10
"""The share of paragraphs that say *you* from which a text of ten or more teaches its reader."""
_MOST_CODE, _CODE_OF_LIBRARIES = 0.8, 0.3
"""Listings for each paragraph from which a text is the notebook of an analysis, and from which it
is one if it also loads its libraries under a heading of their own."""
_OF_LIBRARIES = re.compile(
    r"(?:load(?:ing)?|import(?:ing|s)?|install(?:ing)?|attach(?:ing)?) (?:the )?(?:(?:necessary"
    r"|required|needed|relevant|r|python) )*(?:libraries|library|packages|modules|dependencies)",
    re.IGNORECASE,
)
_YOURS = re.compile(r"(?:.* )?your (?:manuscript|paper|article|submission)", re.IGNORECASE)
_SECTION_OF_A_JOURNAL = re.compile(
    r"(?P<a>about the journal)|(?P<b>aims? (?:and|&) scope)"
    r"|(?P<c>(?:article|paper|manuscript) types|types of (?:articles?|papers?))"
    r"|(?P<d>(?:peer|editorial) review(?: process)?)"
    r"|(?P<e>submission (?:declaration|guidelines|checklist|process)|before you (?:begin|submit))"
    r"|(?P<f>authorship|changes to authorship)|(?P<g>(?:use of )?inclusive language)"
    r"|(?P<h>special issues?)|(?P<i>article (?:processing|publishing) charges?|open access)"
    r"|(?P<j>(?:publishing )?ethics(?: and policies)?|editorial policies)",
    re.IGNORECASE,
)
"""What a journal tells those who write for it."""
_SURE_TITLES: tuple[tuple[PageKind, re.Pattern[str]], ...] = (
    (
        "template",
        re.compile(
            r"(?:manuscript|paper|article|your|full)(?: \w+)? title(?: (?:here|goes here))?"
            r"|(?:formatting )?instructions for .{0,40}"
            r"(?:proceedings|submissions?|papers?|manuscripts).{0,20}"
            r"|(?:cómo|comment|wie|how to) (?:\w+ )?(?:redactar|escribir|elaborar|rédiger|écrire"
            r"|schreib\w*|write|format|structure)\b.*\b(?:tesis|tesina|thèse|mémoire|thesis|arbeit"
            r"|dissertation|conclusiones|abstract|manuscript)\b.*"
            r"|(?:formatting|submission) (?:guidelines|instructions).{0,40}",
            re.IGNORECASE,
        ),
    ),
    (
        "notes",
        re.compile(
            r"(?:.{1,80} [-–—] |.{1,80}: )?(?:(?:reading|literature|paper|meeting|study) )?notes"
            r"|(?:.{1,40}\W)?(?:monats|wochen)bericht\b.*"
            r"|(?:monthly|weekly) (?:progress |status )?reports?\b.*",
            re.IGNORECASE,
        ),
    ),
    ("slides", re.compile(r"lebenslauf|curr[ií]culum vit(?:ae|æ)\b.{0,40}", re.IGNORECASE)),
    (
        "page",
        re.compile(
            r"(?:(?:statutory )?declaration of (?:authorship|originality|(?:academic )?integrity)"
            r"|statement of (?:authorship|originality)|(?:eidesstattliche|ehrenwörtliche) .*"
            r"|selbst(?:st)?ändigkeits(?:erklärung|versicherung)|(?:versicherung|erklärung) (?:zur"
            r"|über die) selbst(?:st)?ändig.*|(?:déclaration|attestation) sur l[’']honneur"
            r"|.*(?:独创性|原创性)声明|诚信(?:声明|承诺书?))\W*",
            re.IGNORECASE,
        ),
    ),
    (
        "documentation",
        re.compile(
            r"(?:.* )?(?:introduction|guide|tutorial|manual) (?:to|for) (?:La)?TeX\b.*"
            r"|.*\b(?:La)?TeX.*(?:\b(?:manual|guide|tutorial)\b|매뉴얼|手册|入门|教程|マニュアル).*",
            re.IGNORECASE,
        ),
    ),
    (
        "documentation",
        re.compile(r"(?:[\w.’'-]+ ){0,4}handbook for (?:\w+ )?students\b.*", re.IGNORECASE),
    ),
)
"""Titles that no article has, whatever its sections."""
_BIBTEX = re.compile(
    r"\s*@(?:inproceedings|article|misc|conference|techreport|incollection)\s*\{", re.I
)
_TO_CITE = re.compile(
    r"bib ?tex|(?:please )?cit(?:e|ing)(?: us| this .{0,20})?|citation|how to cite.*", re.I
)
_MANY, _MOST_OF_AN_ARTICLE = 3, 1
_MANY_OF_AN_INTERFACE, _SHARE_OF_AN_INTERFACE = 5, 0.4
_FEW_WORDS = 3_000
"""What a page about a paper, or a poster, says at most."""


def is_section_of_an_article(heading: str) -> bool:
    """Whether a heading, perhaps with a number, is one that articles have: Introduction."""
    return _SECTION_OF_AN_ARTICLE.fullmatch(_NUMBERED.sub("", heading.strip())) is not None


def kind_of_page(
    name: str,
    title: str,
    headings: Sequence[str],
    texts: Iterable[str],
    code: Iterable[str] = (),
    *,
    typeset: bool = False,
    among_docs: bool = False,
) -> PageKind:
    """What a text is when its title or its headings are no article's; empty for an article.

    ``name`` is the file's name without its ending, ``texts`` are the paragraphs, ``code`` the
    listings. ``typeset`` says that it is LaTeX: a chapter of a thesis may have the sections of a
    README. ``among_docs`` says that it lies where a project has its documentation, and must show
    that it is none. A text with two sections of an article or more stays one, unless it is called
    after a course.
    """
    plain = [_NUMBERED.sub("", heading).strip(" :.¶#\n") for heading in headings]
    plain_title = title.strip(" :.¶#\n")
    texts = [*texts]
    code = [*code]
    of_an_article = {h.lower() for h in plain if _SECTION_OF_AN_ARTICLE.fullmatch(h)}
    is_one = len(of_an_article) > _MOST_OF_AN_ARTICLE
    long = is_one and not _is_short(texts)
    if named := _kind_by_name(name, plain_title, plain, texts, is_long=long):
        return named
    if _is_of_lectures(texts):
        return "course"
    if _guides_authors(plain, texts):
        return "template"
    if is_one:
        return _page_about_a_paper(plain, texts, code)
    docs: Docs = "none" if typeset else "docs" if among_docs else "untold"
    if kind := _kind_by_headings(plain_title, headings, plain, texts, docs=docs):
        return kind
    if not typeset and (kind := _kind_of_work(plain_title, plain, texts, code)):
        return kind
    return _page_about_a_paper(plain, texts, code)


def _kind_by_headings(
    title: str, headings: Sequence[str], plain: Sequence[str], texts: Sequence[str], *, docs: Docs
) -> PageKind:
    for kind, pattern in _TITLES:
        if pattern.fullmatch(title):
            return kind
    if _is_of_a_course(plain):
        return "course"
    if _groups(_SECTION_OF_A_LIFE, plain) > _MANY:
        return "slides"
    if docs == "docs" or (docs == "untold" and _is_of_a_program(headings, plain)):
        return "documentation"
    if _groups(_SECTION_OF_DATA, plain) >= _MANY:
        return "documentation"
    if _teaches(texts):
        return "course" if sum(map(_mentions_a_course, texts)) > 1 else "documentation"
    return ""


def _kind_of_work(
    title: str, plain: Sequence[str], texts: Sequence[str], code: Sequence[str]
) -> PageKind:
    """Whether a text that nobody typeset is the notebook of an analysis, or notes on a paper."""
    loads = any(map(_OF_LIBRARIES.fullmatch, plain))
    if len(code) >= max(_MANY, (_CODE_OF_LIBRARIES if loads else _MOST_CODE) * len(texts)):
        return "notebook"
    return "notes" if is_working_note(title, plain, texts) else ""


def _guides_authors(headings: Sequence[str], texts: Sequence[str]) -> bool:
    """Whether a journal tells its authors what it wants of them."""
    if sum(_ADDRESSED.search(text) is not None for text in texts) < _MANY:
        return False
    parts = _groups(_SECTION_OF_A_JOURNAL, headings)
    return parts >= _MANY or any(map(_YOURS.fullmatch, headings))


def _kind_by_name(
    name: str, title: str, headings: Sequence[str], texts: Sequence[str], *, is_long: bool
) -> PageKind:
    if _is_called_after_a_course(name, title):
        return "course"
    for kind, pattern in _SURE_TITLES:
        if pattern.fullmatch(title):
            return kind
    if _is_a_plan(name, title, headings, texts):
        return "plan"
    if is_long:
        return ""
    if _NAME_OF_TERMS.fullmatch(_plain_name(name)):
        return "documentation"
    patterns = (_NAME_OF_A_POSTER, _NAME_OF_A_LIFE, _NAME_OF_A_SPEECH)
    return "slides" if any(p.fullmatch(_plain_name(name)) for p in patterns) else ""


def _is_a_plan(name: str, title: str, headings: Sequence[str], texts: Sequence[str]) -> bool:
    """Whether a text plans a study, by its name, its title or its form, and reports none.

    The first stage of a registered report is none: it is written and reviewed as an article.
    """
    if any(map(_SECTION_OF_A_GRANT.fullmatch, headings)):
        return True
    named = _NAME_OF_A_PLAN.fullmatch(_plain_name(name)) or _TITLE_OF_A_PLAN.fullmatch(title)
    if named and sum(map(_is_a_phase, headings)) >= _MANY_PHASES:
        return True
    if any(map(_REPORTED.fullmatch, headings)):
        return False
    if any(map(_REGISTERED_REPORT.search, (_plain_name(name), title))):
        return False
    if named or _groups(_SECTION_OF_A_PLAN, headings) > _MANY:
        return True
    return is_about_the_future(texts)


def _is_a_phase(heading: str) -> bool:
    return _PHASE_OF_A_PLAN.fullmatch(heading) is not None


def _teaches(texts: Sequence[str]) -> bool:
    addressed = sum(_ADDRESSED.search(text) is not None for text in texts)
    return len(texts) >= _FEW_PARAGRAPHS and addressed >= _MOST_ADDRESSED * len(texts)


def _is_of_lectures(texts: Sequence[str]) -> bool:
    spoken = sum(_LECTURE.search(text) is not None for text in texts)
    return spoken >= max(_MANY_LECTURES, _SHARE_OF_LECTURES * len(texts))


def _mentions_a_course(text: str) -> bool:
    return _OF_A_COURSE.search(text) is not None


def _plain_name(name: str) -> str:
    return name.lower().replace("_", "-").replace(" ", "-")


def _groups(pattern: re.Pattern[str], headings: Iterable[str]) -> int:
    """How many of a pattern's groups there are among the headings."""
    matches = filter(None, map(pattern.fullmatch, headings))
    return len({match.lastgroup for match in matches})


def _is_called_after_a_course(name: str, title: str) -> bool:
    if _NAME_OF_A_COURSE.fullmatch(_plain_name(name)):
        return True
    if any(map(_REPORT_OF_A_STUDENT.fullmatch, (name, title))):
        return True
    return any(p.fullmatch(title) for p in (_UNIT_OF_A_COURSE, _CODE_OF_A_COURSE))


def _is_of_a_course(headings: Sequence[str]) -> bool:
    units = sum(_UNIT_OF_A_COURSE.fullmatch(heading) is not None for heading in headings)
    return units >= _MANY or _groups(_SECTION_OF_A_COURSE, headings) >= _MANY


def _is_of_a_program(headings: Sequence[str], plain: Sequence[str]) -> bool:
    if sum(_VERSION.fullmatch(heading.strip()) is not None for heading in headings) >= _MANY:
        return True
    return _groups(_SECTION_OF_A_PROGRAM, plain) >= _MANY or _is_of_an_interface(headings)


def _is_of_an_interface(headings: Sequence[str]) -> bool:
    found = sum(_OF_AN_INTERFACE.fullmatch(h.strip(" :.¶#\n")) is not None for h in headings)
    return found >= max(_MANY_OF_AN_INTERFACE, _SHARE_OF_AN_INTERFACE * len(headings))


def _is_short(texts: Sequence[str]) -> bool:
    return sum(len(text.split()) for text in texts) < _FEW_WORDS


def _page_about_a_paper(
    headings: Sequence[str], texts: Sequence[str], code: Sequence[str]
) -> PageKind:
    """A short page that says how to cite the paper it is about, in BibTeX."""
    if not any(_BIBTEX.match(text) for text in (*code, *texts)):
        return ""
    return "page" if _is_short(texts) and any(map(_TO_CITE.fullmatch, headings)) else ""
