"""SCP items from one article: a pure function of the article and the spec."""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from core.families.base import ItemContent
from core.families.scp_payload import CLOZE, PREDICTION, SEQUENCING
from core.generation.build import FormatResult
from core.generation.cloze import cloze_items
from core.generation.fragments import ArticleText
from core.generation.prediction import prediction_items
from core.generation.sequencing import sequencing_items
from core.generation.spec import ScpSpec
from core.sources.articles.article import Article

_MAKERS: Mapping[str, Callable[[ArticleText, ScpSpec], FormatResult]] = {
    SEQUENCING: sequencing_items,
    CLOZE: cloze_items,
    PREDICTION: prediction_items,
}


@dataclass(frozen=True)
class Shortfall:
    """Why an article gave fewer items of a format than asked; ``reason`` is a stable name."""

    format: str
    made: int
    asked: int
    reason: str


@dataclass(frozen=True)
class ArticleItems:
    """Items of one article, what was filtered on the way (reason to count), and what is short."""

    items: tuple[ItemContent, ...]
    filtered: Mapping[str, int]
    short: tuple[Shortfall, ...]


def generate_from_article(article: Article, spec: ScpSpec) -> ArticleItems:
    """All items of the article, in the order of ``spec.formats``.

    The result depends on the article's id and text and on the spec, and on nothing else.
    """
    text = ArticleText(article, spec.min_words, plain=not spec.as_published)
    items: list[ItemContent] = []
    filtered: Counter[str] = Counter(text.filtered)
    short: list[Shortfall] = []
    for format in dict.fromkeys(spec.formats):
        result = _made(text, spec, format)
        items.extend(result.items)
        filtered.update(result.filtered)
        if len(result.items) < spec.per_article:
            reason = "too_few_plain" if text.mostly_refused else result.reason
            short.append(Shortfall(format, len(result.items), spec.per_article, reason))
    return ArticleItems(tuple(items), dict(sorted(filtered.items())), tuple(short))


def _made(text: ArticleText, spec: ScpSpec, format: str) -> FormatResult:
    if spec.as_published:
        from core.generation.as_published import published_items

        return published_items(text, spec, format)
    return _MAKERS[format](text, spec)
