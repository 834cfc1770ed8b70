"""Which texts those who work on a paper write for themselves and for each other.

Plans of work, logs, audits, hand-overs, rules for a manuscript: they lie beside it in its
repository, under any name, and are told by their titles, their headings and what they speak of.
"""

import re
from collections.abc import Sequence

_HEADING = re.compile(
    r"(?:current (?:stage|status|state|objective)|status(?: and routing)?|work ?plan|milestones"
    r"|(?:pending|remaining|open|next|follow-up) (?:tasks?|items|work|steps|actions"
    r"|questions or follow-ups?)|action items|to-?dos?(?: list)?|do not forget|blockers|done when"
    r"|what (?:is missing|changed|remains|we (?:still )?need)|deferred .{1,20}"
    r"|required (?:work|reads?|reading|changes)|(?:acceptance|exit) criteria|stop conditions"
    r"|expected (?:outputs|deliverables)|why this (?:task|note|file) exists"
    r"|(?:original )?user prompt"
    r"|do not trust .*|definition of done|(?:scientific )?claims? (?:audit|ledger|gates?|table).*"
    r"|traceability ledger|(?:scope and )?bottom line|short answer|questions answered"
    r"|files (?:to read|modified|changed|touched)|(?:index|changelog) updates|output snapshot"
    r"|(?:gate |task )?outcome(?: logs?| notes?)?|audit (?:outcome|record|notes?|trail|status|log)"
    r"|audited \w+|(?:[\w-]+ ){1,6}audit(?: note)?|review (?:log|passes|plan)|decision log"
    r"|(?:important|key) decisions|(?:agent )?hand-?(?:off|over)\b.*|conversation summary"
    r"|commands executed|errors encountered|fixes applied|session (?:log|summary)|checks|checklist"
    r"|working title|main idea|why it matters|proposed structure|page budget\b.*|evidence plan"
    r"|target (?:journals?|venues?)|scope (?:recommendation|exclusions)|(?:gaps and )?risks"
    r"|transfer rules|source of truth|(?:citation|object) discipline|internal notes"
    r"|(?:manuscript|draft(?:ing)?) (?:consequences?|statement|question|object|implications?)\b.*"
    r"|(?:implications?|consequences?) for (?:the )?draft.*|candidate draft .*"
    r"|reviewer concerns?|risks? and mitigations?|elevator pitch"
    r"|当前(?:状态|进度|阶段)|待办(?:事项)?|下一步(?:计划|工作)?|验收标准|决策记录|工作计划|里程碑)",
    re.IGNORECASE,
)
"""What is above the parts of a plan of work, a log, an audit or a hand-over."""
_TITLE = re.compile(
    r"(?:.{1,90}\W)?(?:audit|work ?plan|paper plan|dashboard|task outcome|hand-?off|hand-?over"
    r"|(?:review|decision|work|outcome|experiment|progress|daily|dev|session) log"
    r"|(?:project|session) context|(?:project )?status (?:report|update)|to-?do list|action items"
    r"|next steps|post-?mortem|(?:meeting )?minutes|source packet|(?:manuscript|writing) rules"
    r"|工作计划|会议纪要|待办事项|交接文档)"
    r"|(?:hand-?off|brief|task|ticket|prompt for \w+)\s?[—–:]\s?.{1,120}",
    re.IGNORECASE,
)
_OF_THE_WORK = re.compile(
    r"(?<![\w/.-])(?:[\w-]+/)*[\w-]+\.(?:md|py|ipynb|tex|qmd|Rmd|R|csv|jsonl?|ya?ml|sh|png|bib)\b"
    r"|\b(?:[Tt]he|[Tt]his|[Oo]ur) (?:draft|manuscript|write-?up) (?:should|must|needs? to|may|can"
    r"|cannot|does not|currently|now)\b"
    r"|\b(?:should|must|do|may|can) not (?:be )?(?:claim(?:ed)?|cited?|advertised?|oversold)\b"
    r"|\b[Dd]o not (?:use|write|change|treat|merge|edit|report|describe|call)\b|\bTODO\b|[✅❌☐☑]|⚠"
)
"""Files of a repository, and what a draft ought to say."""
_FUTURE = re.compile(
    r"\b(?:[Ww]e|I) (?:will|shall|plan to|intend to|hope to|aim to|propose to|hypothesi[sz]e"
    r"|predict|expect)\b|\bwill (?:also |then |not |only )?be \w+(?:ed|en|d)\b"
    r"|\b(?:is|are) (?:expected|hypothesi[sz]ed|predicted|anticipated|planned) to\b"
)
"""What one says of a study that is still to be carried out."""
_MANY_HEADINGS, _SHARE_OF_HEADINGS = 3, 0.2
_FEW_TEXTS = 5
_SHARE_OF_THE_WORK, _SHARE_OF_THE_FUTURE = 0.35, 0.5


def is_working_note(title: str, headings: Sequence[str], texts: Sequence[str]) -> bool:
    """Whether a text speaks of the work on a paper, not of what the paper is about.

    ``headings`` are without their numbers, ``texts`` the paragraphs; the first heading is the title
    of a text without one. To be asked only of a text that has hardly any section of an article.
    """
    if _TITLE.fullmatch(title or (headings[0] if headings else "")):
        return True
    found = {heading.lower() for heading in headings if _HEADING.fullmatch(heading)}
    if len(found) >= max(_MANY_HEADINGS, _SHARE_OF_HEADINGS * len(headings)):
        return True
    return _most(_OF_THE_WORK, texts, _SHARE_OF_THE_WORK)


def is_about_the_future(texts: Sequence[str]) -> bool:
    """Whether half of the paragraphs, of five or more, say what will be done or is expected."""
    return _most(_FUTURE, texts, _SHARE_OF_THE_FUTURE)


def _most(sign: re.Pattern[str], texts: Sequence[str], share: float) -> bool:
    signed = sum(sign.search(text) is not None for text in texts)
    return signed >= max(_FEW_TEXTS - 1, share * len(texts))
