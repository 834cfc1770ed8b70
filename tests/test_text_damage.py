"""The damage counter finds what it is for, and the articles of the demonstration show none."""

import pytest

from core.generation.article_items import generate_from_article
from core.generation.spec import ScpSpec
from core.sources.articles.read_paths import read_paths
from resources import resource
from tests.text_damage import KINDS, damage_in, texts_of, versions_in

SEEN = {
    "comma after comma": "The methods,, are here.",
    "comma before stop": "It was shown by Hogg,. Then",
    "empty parentheses": "It was shown ().",
    "comma opens parentheses": "As said (, Ch. 3) it is.",
    "semicolon closes parentheses": "As said (see;) it is.",
    "space before comma": "As in , it was adapted.",
    "see nothing": "For details see.",
    "verb without object": "The formulation follows, it was adapted.",
    "figure without number": "As Figure shows, it grows.",
    "bare reference": "As shown in [ref], it grows.",
    "citation key": "As in hogg2010data it grows.",
    "label": "See fig:map for it.",
    "command outside maths": "The \\gls value.",
    "glued word": "The astropypackage is here.",
    "glued sentence": "It ends here.Then it starts.",
    "mojibake": "The naÃ¯ve one.",
    "invisible character": "The zero\u200bwidth one.",
    "grant": "Under grant number 12345 it was done.",
    "thanks": "We thank everybody.",
    "power flattened": "There are 1060 particles.",
    "hyphen without a space": "It is seen in pre-and post-test scores.",
    "sentence begun without a stop": "The rate stays low Therefore, it is left out.",
    "remarks of a supervisor": "论文写作规范，同意提交答辩。",
    "author twice": "Moradi et al. Moradi et al. (2016) made it.",
    "author before a verb in parentheses": "By contrast, (Lang, 2014) has made it.",
    "number of a reference": "It was seen before [14].",
    "place for a number": "Figure XX shows it.",
    "sentence without a stop": "It grows by day We read it at night.",
    "word cut in two": "This is what w e said.",
    "word of two cases": "The TESSmission is over.",
    "licence": "The licensor grants nothing.",
    "guide for authors": "The style file is read first.",
    "report of a referee": "Minor comments are below.",
    "row of a table": "a | b | c | d",
    "raised number of a reference": "It follows the guidelines³³ of old.",
    "number of a reference behind a stop": "The rate is high.[15,16] It grows.",
    "citation that left nothing": "See for a counterexample of it.",
    "quoted line": "> - The title is odd.",
    "entry of a bibliography": "Gauges and Rain 44 (3): 15–20.",
}


@pytest.mark.parametrize("kind", SEEN)
def test_damage_that_was_seen_is_found(kind: str) -> None:
    assert kind in damage_in(SEEN[kind])


def test_there_are_thirty_kinds_and_clean_text_shows_none() -> None:
    assert len(KINDS) >= 30
    assert damage_in("As Hogg et al. (2010) showed (e.g., in Figure 3), it grows by 5%.") == []


def test_a_sentence_in_two_versions_is_found_and_sentences_built_alike_are_not() -> None:
    first = "The gauge of the northern bank was read by hand twice a day in both of the years."
    later = "The gauge of the northern bank was read by hand twice a day in both of those years."
    alike = "The wheel of the southern mill was turned by hand twice a day in both of the years."
    other = "Rain fell on the hills behind the mills for most of the second spring of our count."
    assert versions_in({"parts": [first, other, later]}) == [(first, later)]
    assert versions_in({"text": f"{first} {other}", "candidates": [alike, other]}) == []
    assert versions_in({"text": first, "candidates": [first, other]}) == []


def test_items_of_the_demonstration_are_undamaged() -> None:
    spec = ScpSpec(per_article=20)
    items = [
        item.payload
        for article in read_paths([resource("demo")]).articles
        for item in generate_from_article(article, spec).items
    ]
    assert items
    assert [(k, t) for item in items for t in texts_of(item) for k in damage_in(t)] == []
    assert [pair for item in items for pair in versions_in(item)] == []
