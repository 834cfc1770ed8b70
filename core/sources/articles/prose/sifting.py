"""Which paragraphs of an article are sure enough for items, and which only stay to be read."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from core.sources.articles.article import Block, Kind
from core.sources.articles.prose.asked_questions import answers
from core.sources.articles.prose.citations import spelled_out
from core.sources.articles.prose.continued import continued
from core.sources.articles.prose.damage import (
    damage,
    is_back_matter,
    is_bibliography_entry,
    is_filler,
    is_unsteady,
)
from core.sources.articles.prose.heading_names import names_of_headings
from core.sources.articles.prose.joined_words import joined_words, words_in
from core.sources.articles.prose.lost_years import names_without_years
from core.sources.articles.prose.numbered_citations import without_numbers
from core.sources.articles.prose.two_versions import in_two_versions

_BACK_MATTER = re.compile(
    r"^(?:[\dIVXA-Z.]{0,6}\s+)?(?:acknowledge?ments?|acks?|(?:author"
    r"|credit)s?\W*s?\W*(?:contributions?|statement|"
    r"information|biograph\w*|details|affiliations?|notes?)|contributions? of (?:the )?authors?"
    r"|contributors?|"
    r"biograph\w*|about the authors?|fundings?\b.*|financial (?:support|disclosures?)|grants?|"
    r"(?:declarations?|disclosures?|statements?)\b.*|"
    r"(?:competing|conflicts?|declarations?) (?:of )?(?:financial )?interests?.*|ethics.*"
    r"|ethical .*|consent.*|"
    r"(?:data|code|software|materials?)(?:,? (?:and|&) (?:data|code|software|materials?))* "
    r"(?:availability|accessibility|access|sharing|archiving|deposition).*|availability.*|"
    r"supplement\w* (?:materials?|information|data|files?|figures?|tables?).*|supporting "
    r"information.*|"
    r"(?:legal|social|ethical|professional)"
    r"(?:,? (?:and |& )?(?:legal|social|ethical|professional))+\b.*|"
    r"(?:additional|further) (?:information|files?).*|licen[cs]es?\b.*|copyright.*"
    r"|affiliations?|addresses|"
    r"(?:figures?|tables?)(?:,? (?:and|&) (?:figures?|tables?))? (?:titles?|legends?|captions?).*|"
    r"(?:titles?|legends?|captions?) (?:of|to|for) (?:the )?(?:figures?|tables?).*|"
    r"(?:author[’']?s[’']? )?(?:prefaces?|forewords?)|vorwort|avant[- ]propos|préface"
    r"|pref[áa]cio|prólogo|prefazione|(?:an? )?notes? (?:to|for) (?:the )?readers?|to the readers?"
    r"|how to (?:use|read) (?:this|the) (?:book|thesis|dissertation|report|document)|"
    r"abbreviations?|nomenclature|list of .*|keywords?|"
    r"(?:response|reply|answers?) to .*(?:reviewer|referee|editor|comment).*|"
    r"(?:reviewer|referee)s?\b.*|cover letter.*|facilit(?:y|ies)|softwares?|orcids?|dedication|"
    r"(?:from the )?editors?(?:[’']s?|s[’']|ial)? (?:notes?|boards?|teams?)|from the editors?"
    r"|mission statement|masthead|submission (?:information|guidelines)|subscriptions?"
    r"|table of contents|contents"
    r"|(?:mes |nos )?remerciements?|danksagung(?:en)?|dank|agradecimientos?"
    r"|agradecimentos?|ringraziamenti"
    r"|dédicaces?|widmung|dedicatoria|dedicatória|dedica|liste des .*|table des .*"
    r"|(?:abkürzungs|inhalts|abbildungs|tabellen|symbol)verzeichnis|índice(?: de .*)?"
    r"|financements?|conflits? d[’']intérêts?|financiación|conflictos? de intereses"
    r"|förderung|interessenkonflikte?|"
    r"(?:附录\s*[A-Z\d一二三四]?\s*)?[外英]文(?:参考)?(?:资料|文献)?的?(?:调研阅读报告[或和及与])?(?:书面)?"
    r"(?:原文|译文|翻译)|(?:指导)?(?:教师|导师|小组)?(?:学术)?评语|(?:论文)?(?:评阅|评审|答辩)\S{0,6}"
    r"(?:意见|评语|决议书?)|致\s*谢|基金.*|作者简介|作者贡献.*|利益冲突.*)\W*$",
    re.IGNORECASE,
)
_LABEL = re.compile(
    r"(?:(?:Figures?|Figs?\.|Tables?|Tabs?\.)\s*[A-Z]?\d|[图表]\s*\d)", re.IGNORECASE
)
"""A run-in heading that is the label of a figure: the caption stands behind it."""
_FOR_AUTHORS = re.compile(
    r"(?:[\dIVX.]{0,6}\s+)?(?:"
    r"(?:(?:main|supplement\w*|extended data|supporting|appendix) )?(?:figures?|tables?)"
    r"(?:,? (?:and|&) (?:figures?|tables?))?"
    r"|submitting .{0,20}(?:papers?|manuscripts?|camera[- ]ready .*)|camera[- ]ready .*"
    r"|submission of (?:\w+ )?papers .*|(?:dual|simultaneous|anonymous|electronic) submission"
    r"|(?:paper )?submission deadline|paper deadline|format(?:ting)? (?:of )?(?:the|your) paper"
    r"|(?:general )?formatting instructions|author information for submission"
    r"|partitioning the text|retrieval of style files|prepar(?:e|ing) (?:your paper|PDF files).*"
    r"|maintaining the integrity of the specifications|identify the headings|final instructions)",
    re.IGNORECASE,
)
"""Sections of the example that a manuscript was begun in, and those that only show figures."""
_REFERENCES = re.compile(
    r"^(?:[\dIVX.]{0,5}\s+)?(?:references|bibliography|literature cited|works cited|参考文献"
    r"|bibliographie(?: .{0,20})?|références(?: bibliographiques)?"
    r"|(?:literatur|quellen)(?:verzeichnis)?|referencias(?: bibliográficas)?|bibliografía"
    r"|referências(?: bibliográficas)?|bibliografia)\W*$",
    re.IGNORECASE,
)
_SAMPLE = re.compile(
    r"(?:an? |the )?(?:(?:example|sample|original|generated|modified|revised|rewritten|edited"
    r"|corrected|perturbed|complete|full|final|retrieved|ground[- ]truth|gold|user|system|model"
    r"|assistant|input|output|source|target|\$[^$]{1,20}\$) (?:\$[^$]{1,20}\$ )?){1,3}"
    r"(?:prompt|response|reply|answer|completion|continuation|stor(?:y|ies)|texts?|sentence"
    r"|passage|paragraph|summary|question|query|document|dialogue|conversation|transcript|essay"
    r"|poem|caption|message|e-?mail|rationale|translation|outputs?|generation|excerpt)"
    r"|(?:story|answer|completion|continuation|transcript|excerpt|reply|generated \w+)",
    re.IGNORECASE,
)
"""What a run-in heading calls a text that a model or a person was given or gave."""
_NOTE_OF_A_SAMPLE = re.compile(r"\s*\([^()]*\)|\s+(?:\d{1,3}|[A-Z])$")
_BARE_FRONT = re.compile(
    r"(?:prefaces?|forewords?|acknowledge?ments?|vorwort|avant[- ]propos|préface|remerciements?"
    r"|pref[áa]cio|prólogo|prefazione|danksagung|agradecimientos?|agradecimentos?|ringraziamenti)",
    re.IGNORECASE,
)
"""What a line says that is the heading of a preface, which print does not always tell from text."""
_BARE_BEGIN = re.compile(
    r"(?:(?:\d{1,2}|[IVX]{1,4})\.? )?(?:introduction|einleitung|introducción|introdução"
    r"|introduzione|abstract|summary|contents|(?:chapter|part|chapitre|kapitel|cap[íi]tulo) "
    r"(?:\d{1,2}|[IVX]{1,4}|one))",
    re.IGNORECASE,
)
"""What a line says with which something else begins."""
_ANY_LEVEL = 99
_RUN_IN_LEVEL = 4
_REPEATABLE = 120
"""Characters of a paragraph that an article may hold twice; longer ones are parts read twice."""
_LONGEST = 200_000
"""Characters of a paragraph that is looked at: a text of one such has lost its line breaks."""


@dataclass(frozen=True)
class Sifted:
    """The blocks with their marks gone; ``doubtful`` counts paragraphs that give no items."""

    blocks: tuple[Block, ...]
    doubtful: int


def sift(blocks: Iterable[Block], *, strict: bool = False) -> Sifted:
    """Put citations into words, and tell back matter and doubtful paragraphs from running text.

    A paragraph is doubtful when two readers disagree about it, when its citations cannot be told
    without losing a word of a sentence, when it is longer than a chapter, when the article has had
    it before, when it calls a part by its heading, or when it looks damaged; with ``strict`` also
    when it holds more than plain sentences.
    """
    sifted = tuple(_odd_in_its_article(list(_sifted(without_numbers(tuple(blocks)), strict))))
    return Sifted(sifted, sum(block.kind == "doubtful" for block in sifted))


def _odd_in_its_article(blocks: Sequence[Block]) -> Iterator[Block]:
    """The blocks; running text that only the rest of the article shows to be odd is doubtful.

    Two of its words lost the space between them, it uses a heading as a name, it answers a
    question of a form, it goes on a sentence that another paragraph began, it stands beside another
    version of itself, or it cites without its year what others cite with it.
    """
    answering = answers(blocks)
    joined = joined_words(b.text for b in blocks if b.kind in ("text", "doubtful", "list"))
    names_a_heading = names_of_headings(blocks)
    going_on = continued(blocks)
    rewritten = in_two_versions(blocks)
    lost_a_year = names_without_years(blocks)
    for place, block in enumerate(blocks):
        odd = block.kind == "text" and (
            place in answering
            or place in going_on
            or place in rewritten
            or bool(joined and not words_in(block.text).isdisjoint(joined))
            or names_a_heading(block.text)
            or lost_a_year(block.text)
        )
        yield replace(block, kind="doubtful") if odd else block


def _in_quotes(text: str) -> str:
    """The text with the quotation marks that LaTeX's two signs each become in other markup."""
    return text.replace("‘‘", "“").replace("’’", "”") if "‘‘" in text else text


def _sifted(blocks: Iterable[Block], strict: bool) -> Iterator[Block]:
    outside: tuple[Kind, int] | None = None
    seen: set[str] = set()
    for block in blocks:
        text, sound = (
            (block.text, True) if block.kind == "code" else spelled_out(_in_quotes(block.text))
        )
        if block.kind == "table":
            text = "\n".join(spelled_out(line)[0] for line in block.text.split("\n"))
        if block.kind == "heading":
            kind = _kind_under(text, block.level)
            if kind is not None or (outside is not None and block.level <= outside[1]):
                outside = (kind, block.level) if kind else None
            yield replace(block, text=text)
        elif block.kind != "text":
            yield replace(block, text=text)
        elif _BARE_FRONT.fullmatch(text):
            outside = ("back_matter", _ANY_LEVEL)
            yield replace(block, text=text, kind="back_matter")
        elif outside is not None and not (outside[1] == _ANY_LEVEL and _BARE_BEGIN.fullmatch(text)):
            yield replace(block, text=text, kind=outside[0])
        elif len(text) > _LONGEST or outside is not None:
            outside = None
            yield replace(block, text=text, kind="doubtful")
        elif is_bibliography_entry(text):
            yield replace(block, text=text, kind="reference")
        elif is_back_matter(text):
            yield replace(block, text=text, kind="back_matter")
        else:
            sure = sound and block.sure is not False and damage(text) is None
            sure = sure and not is_filler(text)
            sure = sure and not (strict and is_unsteady(text))
            sure = sure and (len(text) < _REPEATABLE or text not in seen)
            seen.add(text)
            yield replace(block, text=text, kind="text" if sure else "doubtful")


def _kind_under(heading: str, level: int) -> Kind | None:
    if _REFERENCES.match(heading):
        return "reference"
    if level >= _RUN_IN_LEVEL and _SAMPLE.fullmatch(_NOTE_OF_A_SAMPLE.sub("", heading)):
        return "quote"
    if level >= _RUN_IN_LEVEL and _LABEL.match(heading):
        return "caption"
    of_no_subject = _BACK_MATTER.match(heading) or _FOR_AUTHORS.fullmatch(heading)
    return "back_matter" if of_no_subject else None
