"""Which text of an article is fit for items, and how it is cut into fragments.

Paragraphs of running text that stand next to each other in one section form a *run*; a run is
cut into *blocks* of whole paragraphs, and a block, once its sentences are known, into *fragments*
of whole sentences. Sentences are looked for only in the blocks that are used.
"""

import random
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from core.families.scp_checks import markup_share
from core.generation.out_of_sight import points_to_a_figure, points_to_a_section
from core.generation.plain_prose.judge import PlainProse
from core.generation.roadmaps import is_roadmap, names_a_section
from core.generation.sentences import Span, is_complete, split_sentences
from core.generation.shortcuts.cues import TermWeights
from core.generation.text_defects import in_text
from core.sources.articles.article import Article, Paragraph

# 80 English words are about 130 to 150 Chinese characters in translation; 140 / 80 = 1.75.
CHARACTERS_PER_WORD = 1.75
MARKUP_LIMIT = 0.3  # stricter than the defect check, which speaks up at 0.4
TOKEN_LIMIT = 5
SENTENCE_WORDS = 5

# What betrays a formula in extracted text; the published selection rejects five of any one.
FORMULA_TOKENS = (
    "italic", "SUBSCRIPT", "SUPERSCRIPT", "subscript", "_", "=", "+", "*", "∘", "\\", "^", "|",
    "λ", "ρ", "∑", "ϑ", "𝑥", "Ω",
)  # fmt: skip
_CAPTION = re.compile(
    r"\W*(?:(?:Figure|Fig\.|Table|Tab\.|图|表)\s*[\dIVX]|(?:Caption|Legend)s?\b[\w ]{0,20}:"
    r"|(?:Figure|Table)s? (?:caption|legend)s?\b)"
)
_OF_A_FIGURE = re.compile(
    r"\b[Tt]he (?:[xy][ -]|(?:horizontal|vertical|left|right) )ax[ei]s (?:shows?|is|represents?"
    r"|indicates?|gives?|denotes?|displays?)\b"
    r"|\((?:the )?(?:first|second|third|top|bottom|left|right|middle)[ -](?:row|column|panel|plot)"
    r"|\b[Ii]n (?:this|these) (?:figures?|plots?|graphs?|tables?|diagrams?)\b"
    r"|(?:^|[.!?:;] )\(?See (?:also )?(?:the )?(?:supplement\w+ )?"
    r"(?:[Ff]ig(?:ure|\.)|[Tt]able|[Aa]ppendi)"
    r"|(?:^|[。！？；])\s*(?:具体|结果)?(?:如|见|参见)[图表]\s*[\d.-]+\s*(?:所示)?。"
    r"|\b(?:[Bb]elow|[Aa]bove|Here) (?:is|are) (?:an? |the |some |two |three )?(?:[\w-]+ ){0,2}"
    r"(?:examples?|plots?|figures?|graphs?|tables?|code|diagrams?|images?|lists?|snippets?)\b"
    r"|\b(?:[Uu]pper|[Bb]ottom|[Ll]ower|[Tt]op|[Ll]eft|[Rr]ight|[Mm]iddle)(?:-hand)? (?:graphics?"
    r"|plots?|panels?|graphs?|pictures?|images?|subfigures?|charts?|rows? (?:shows?|displays?))\b"
    r"|\b(?:shown|displayed|depicted|plotted|presented) (?:on|at|in) (?:the )?(?:left|right|top"
    r"|bottom)\b|\w\w \((?:in )?(?:(?:dark|light|solid|dashed|dotted) )?(?:blue|green|red|orange"
    r"|purple|yellow|black|gr[ea]y|magenta|cyan)(?: (?:lines?|curves?|dots?|points?|bars?|dashed"
    r"|solid|dotted|area|region|squares?|circles?|triangles?))*\)"
    r"|\b(?:notes?|noted|see|seen|observed?|shown|notice|visible|visuali[sz]ed)(?: [\w-]+){0,2}"
    r" in the (?:plots?|figures?|graphs?|tables?|charts?|diagrams?)\b"
    r"|\b[Tt]h(?:is|ese) (?:tables?|plots?|charts?|diagrams?)\b"
    r"|\bin the (?:photo|photograph|picture|drawing)\b"
    r"|\((?:[^()]{0,20}\b)?[Ll]ines? \d|\b(?:[Ii]n|[Oo]n|[Aa]t|[Ff]rom|[Ss]ee) [Ll]ines? \d"
    r"|\b[Tt]h(?:e|is|ese) (?:figure|plot|panel|histogram|curve)s? (?:shows?|showed|rules? out"
    r"|illustrates?|depicts?|displays?|demonstrates?|indicates?|suggests?|compares?|reveals?"
    r"|was obtained)\b"
    r"|\b[Tt]he (?:[\w-]+ ){1,3}(?:plot|map|panel|histogram)s? (?:shows?|displays?|depicts?)\b"
    r"|\b[Tt]he (?:following|next) (?:figure|plot|graph|chart|table|diagram)s? (?:shows?|displays?"
    r"|depicts?|illustrates?|lists?|plots?|gives?|compares?)\b"
    r"|\b(?:left|right)-?most (?:point|part|end)s? of the (?:curve|plot)s?\b"
    r"|\b(?:graphs?|figures?|pictures?|diagrams?|images?|plots?|panels?|tables?) (?:below|above|on"
    r" the (?:left|right))\b"
    r"|\b(?:listed|given|shown|presented|displayed|stated) (?:just )?below\b"
    r"|\b(?:code|commands?|listings?|snippets?|scripts?|cells?|outputs?|examples?|equations?"
    r"|formulas?|formulae|excerpts?|expressions?|inequalit(?:y|ies)|identit(?:y|ies)|derivations?"
    r"|integrals?|matri(?:x|ces)) (?:just )?(?:below|above)\b"
    r"|\b(?:bounds?|relations?|definitions?|systems?|problems?) (?:just )?(?:below|above)"
    r"(?=[,.;:]| (?:is|are|has|have|gives?|implies|can|holds?|follows|for|and)\b)"
    r"|^The (?:black|red|blue|gr[ea]y|green|dashed|solid|dotted) (?:lines?|points?|curves?)\b"
    r"|\b(?:black|red|blue|gr[ea]y|green|orange|purple|yellow|white|dashed|dotted|shaded) "
    r"(?:lines?|points?|curves?|dots?|circles?|squares?|triangles?|bars?|areas?|regions?|arrows?"
    r"|boxe?s?|bands?) (?:shows?|represents?|indicates?|denotes?|depicts?|marks?|corresponds?"
    r"|displays?)\b"
)
_OF_A_FORMULA = re.compile(
    r"Where (?:the )?(?:\$[^$]{1,80}\$|(?!it\b|he\b|we\b|I\b)\w{1,3})"
    r"(?:,| and|\s(?:is|are|denotes?|represents?)\b)"
)
"""What explains the signs of a formula that stands above it."""
_INLINE = re.compile(r"\$[^$]{1,160}\$")
"""A formula that is whole, which the grammar of plain prose counts."""
_NAMED_FIGURE = re.compile(
    r"\b(?i:figs?\.|fig(?:ure)?s?|tables?|tab\.|abb(?:ildung|\.)|tabell(?:en?|a)|tableaux?|figuras?"
    r"|tablas?|tabelas?|quadros?|gr[áa]ficos?|[ée]quations?|eqs?\.|eqns?\.|gleichung(?:en)?"
    r"|ecuaci[óo]n(?:es)?|equaç(?:ão|ões)|equazion[ei])\s?(?:[nN](?:[°º.]|r\.|o\.|úm\.)\s?[°º]?\s?|[A-Z]{1,2}\.?)?\d"
    r"|\b(?:Fig(?:ure|\.)s?|Tab(?:le|\.)s?|Tabelle|Abbildung|Tableau|Tabla|Figura|Tabela) "
    r"(?:[IVX]{1,4}|[A-Z]\d?)\b(?! [a-z]+ [A-Z])"
    r"|(?<![代发地])[图表]\s?\d|(?:公式|方程|[由据如从]式)\s?\d"
)
_NUMBERED_FORMULA = re.compile(
    r"\b(?i:equations?|eqs?\.|eqns?\.)\s?\((?:[A-Z]\.?)?\d|(?:公式|方程|式)\s?[(（]\d"
)
_ASIDE = re.compile(r"\([^()]*\)|（[^（）]*）|\[[^\[\]]*\]")
"""Where a figure may be named whose sentence says the same without it."""
_CJK = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")
_ASCII_TOKENS = tuple(token for token in FORMULA_TOKENS if token.isascii())
_STOP = re.compile(r"[.!?。！？]")
_RESERVED = "<|"


def length_in_words(text: str) -> float:
    """Length of a text in words; a Chinese character is 1/1.75 word."""
    words = len(text.split())
    if text.isascii():
        return words
    characters = len(_CJK.findall(text))
    if not characters:
        return words
    return len(_CJK.sub(" ", text).split()) * (words > 1) + characters / CHARACTERS_PER_WORD


def is_formula_heavy(text: str) -> bool:
    """Whether one token of ``FORMULA_TOKENS`` stands in the text five times or more."""
    for token in FORMULA_TOKENS if not text.isascii() else _ASCII_TOKENS:
        if text.count(token) >= TOKEN_LIMIT:
            return True
    return False


def rough_sentences(text: str) -> int:
    """About how many sentences end in the text: a quick count, for finding room."""
    count = text.count(". ") + text.count(".\n") + text.endswith((".", "?", "!"))
    return count if text.isascii() else count + sum(text.count(stop) for stop in "。！？")


def _said(text: str) -> str:
    """The text without what stands in brackets."""
    return _ASIDE.sub("", text) if _NAMED_FIGURE.search(text) else text


def unfit_reason(paragraph: Paragraph) -> str | None:
    """Why a paragraph is not running text: the name of the filter, or None."""
    text = paragraph.text
    if paragraph.kind != "text":
        return paragraph.kind
    if _CAPTION.match(text):
        return "caption"
    of_a_figure = _OF_A_FIGURE.search(text) or _NAMED_FIGURE.search(_said(text))
    if of_a_figure or _NUMBERED_FORMULA.search(text) or points_to_a_figure(text):
        return "about_figures"
    if is_roadmap(text):
        return "roadmap"
    if names_a_section(text) or points_to_a_section(text):
        return "other_section"
    if _OF_A_FORMULA.match(text):
        return "formula"
    if text[:1].islower() and not _CJK.search(text):
        return "starts_lower_case"
    if is_formula_heavy(_INLINE.sub("", text) if "$" in text else text):
        return "formula_heavy"
    if _RESERVED in text:
        return "markup"
    if not _STOP.search(text) or text.count(" ") < SENTENCE_WORDS > length_in_words(text):
        return "no_sentence"
    return "damaged" if in_text(text, prose=True) else None


@dataclass(frozen=True)
class Sentence:
    """One sentence: its span in the article's text and its size in words."""

    start: int
    end: int
    size: float


@dataclass(frozen=True)
class Fragment:
    """Consecutive whole sentences; ``text[start:end]`` of the article is the fragment."""

    sentences: tuple[Sentence, ...]

    @property
    def start(self) -> int:
        """Offset of the first character."""
        return self.sentences[0].start

    @property
    def end(self) -> int:
        """Offset behind the last character."""
        return self.sentences[-1].end

    @property
    def span(self) -> list[int]:
        """``[start, end]``, as it stands in a provenance."""
        return [self.start, self.end]


@dataclass(frozen=True)
class FragmentShape:
    """What a fragment of a format needs: a least size in words and a least number of sentences."""

    words: float
    sentences: int


class ArticleText:
    """An article as the generator sees it: its runs, and sentences on demand.

    With ``plain`` a paragraph enters only if the grammar of plain prose accepts it.
    """

    def __init__(self, article: Article, min_words: float = 80, *, plain: bool = True) -> None:
        self.article = article
        self._plain = plain
        self.mostly_refused = False
        """Whether the grammar refused more of the running text than it let in."""
        self.filtered: Counter[str] = Counter()
        self.runs: list[list[Paragraph]] = []
        self._sentences: dict[int, list[Sentence]] = {}
        self._sizes: dict[int, float] = {}
        runs = list(self._find_runs())
        for run in runs:
            if sum(map(self.size_of, run)) >= min_words:
                self.runs.append(run)
            else:
                self.filtered["too_short"] += len(run)

    def _find_runs(self) -> Iterator[list[Paragraph]]:
        run: list[Paragraph] = []
        for paragraph, reason in self._judged():
            if reason is not None:
                self.filtered[reason] += 1
            if run and (reason is not None or paragraph.section != run[-1].section):
                yield run
                run = []
            if reason is None:
                run.append(paragraph)
                if not is_complete(paragraph.text):  # goes on in a formula or a list
                    yield run
                    run = []
        if run:
            yield run

    def _judged(self) -> Iterator[tuple[Paragraph, str | None]]:
        """Every paragraph, and why it is not fit for items, or None."""
        paragraphs = self.article.paragraphs
        reasons = [unfit_reason(paragraph) for paragraph in paragraphs]
        running = [p.text for p, reason in zip(paragraphs, reasons, strict=True) if reason is None]
        grammar = PlainProse((p.text for p in paragraphs), running) if self._plain else None
        refused = 0
        for paragraph, reason in zip(paragraphs, reasons, strict=True):
            if reason is None and grammar is not None:
                reason = grammar.why_not(paragraph.text)
                refused += reason is not None
            yield paragraph, reason
        self.mostly_refused = 2 * refused > len(running)

    @cached_property
    def passage_digest(self) -> str:
        """The article's text digest, computed once."""
        return self.article.text_digest

    @cached_property
    def paragraph_starts(self) -> frozenset[int]:
        """Where the paragraphs that are fit for items begin, in characters."""
        return frozenset(paragraph.start for run in self.runs for paragraph in run)

    @cached_property
    def weights(self) -> TermWeights:
        """Weights of the article's terms by the paragraphs that are fit for items."""
        return TermWeights(paragraph.text for run in self.runs for paragraph in run)

    @cached_property
    def sharp_weights(self) -> TermWeights:
        """The same, with more weight on rare words: about those of many articles together."""
        return TermWeights((p.text for run in self.runs for p in run), power=2.0)

    def size_of(self, paragraph: Paragraph) -> float:
        """Size of a paragraph in words, computed once."""
        if paragraph.start not in self._sizes:
            self._sizes[paragraph.start] = length_in_words(paragraph.text)
        return self._sizes[paragraph.start]

    def sentences(self, paragraph: Paragraph) -> list[Sentence]:
        """The complete sentences of a paragraph, split once."""
        known = self._sentences.get(paragraph.start)
        if known is None:
            known = [self._sentence(paragraph, span) for span in split_sentences(paragraph.text)]
            if known and not is_complete(paragraph.text):
                known.pop()
            self._sentences[paragraph.start] = known
        return known

    def _sentence(self, paragraph: Paragraph, span: Span) -> Sentence:
        start, end = span
        return Sentence(
            paragraph.start + start,
            paragraph.start + end,
            length_in_words(paragraph.text[start:end]),
        )

    def blocks(self, shape: FragmentShape, filtered: Counter[str]) -> list[list[Paragraph]]:
        """Groups of paragraphs with room for a fragment of that shape, by a cheap count."""
        sentence_blocks: list[list[Paragraph]] = []
        for run in self.runs:
            blocks = self._blocks_of(run, shape)
            sentence_blocks.extend(blocks)
            if not blocks:
                filtered["too_few_sentences"] += 1
        return sentence_blocks

    def _blocks_of(self, run: Sequence[Paragraph], shape: FragmentShape) -> list[list[Paragraph]]:
        blocks: list[list[Paragraph]] = []
        block: list[Paragraph] = []
        words, stops = 0.0, 0
        for paragraph in run:
            block.append(paragraph)
            words += self.size_of(paragraph)
            stops += rough_sentences(paragraph.text)
            if words >= shape.words and stops >= shape.sentences:
                blocks.append(block)
                block, words, stops = [], 0.0, 0
        if blocks:
            blocks[-1] = blocks[-1] + block  # what is left over belongs to the last block
        return blocks

    def fragments(
        self, paragraphs: Sequence[Paragraph], shape: FragmentShape, rng: random.Random
    ) -> list[Fragment]:
        """Disjoint fragments of a block, in order, each of at least that shape.

        The first one begins at any sentence that leaves room for it, so that the beginning of a
        fragment looks like that of any other sentence.
        """
        sentences = [s for paragraph in paragraphs for s in self.sentences(paragraph)]
        fragments: list[Fragment] = []
        pieces: list[Sentence] = []
        words = 0.0
        for sentence in sentences[rng.randint(0, _spare(sentences, shape)) :]:
            pieces.append(sentence)
            words += sentence.size
            if words >= shape.words and len(pieces) >= shape.sentences:
                fragments.append(Fragment(tuple(pieces)))
                pieces, words = [], 0.0
        return fragments

    def slice(self, start: int, end: int) -> str:
        """The article's characters of a span."""
        return self.article.text[start:end]


def _spare(sentences: Sequence[Sentence], shape: FragmentShape) -> int:
    """How many sentences at the beginning can be left out with room for one fragment behind."""
    words = 0.0
    for count, sentence in enumerate(reversed(sentences), 1):
        words += sentence.size
        if words >= shape.words and count >= shape.sentences:
            return len(sentences) - count
    return 0


def markup_heavy(text: str) -> bool:
    """Whether more than 30% of the visible characters are maths, markup or symbols."""
    return markup_share(text) > MARKUP_LIMIT
