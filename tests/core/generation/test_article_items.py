"""What the generator promises about every item, on our own and on real articles."""

import random
import re
from collections import Counter
from dataclasses import replace
from itertools import pairwise

import pytest

from core.families import family
from core.families.scp_payload import LETTERS, arrange
from core.generation.article_items import generate_from_article
from core.generation.fragments import unfit_reason
from core.generation.shortcuts.cues import goes_on
from core.generation.spec import ScpSpec
from core.generation.text_defects import ordinal_cues
from core.generation.tfidf import Neighbours
from core.sources.articles.article import Block, Paragraph

from .conftest import article, check_items, prose, sentence

SCP = family("scp")


def made(source, **spec):
    return generate_from_article(source, ScpSpec(**spec))


@pytest.fixture(scope="module")
def items(rain):
    return made(rain, seed=2).items


def of(items, format):
    return [item for item in items if item.format == format]


def test_every_format_gives_what_was_asked(rain, items):
    assert Counter(item.format for item in items) == {
        "sequencing": 20,
        "cloze": 20,
        "prediction": 20,
    }
    assert made(rain, seed=2).short == ()


def test_an_item_says_what_its_source_is_if_that_is_no_article(rain, items):
    assert all("no_article" not in item.provenance for item in items)
    notes = made(replace(rain, no_article="notes"), per_article=1).items
    assert [item.provenance["no_article"] for item in notes] == ["notes"] * 3


def test_what_is_generated_has_no_defect(rain, items):
    report = check_items(items, [rain])
    assert report.clean, report.defects
    assert report.with_source == len(items) == report.items


def test_the_fragment_stands_in_the_article_at_its_span(rain, items):
    for item in items:
        payload = SCP.payload(item)
        start, end = item.provenance["span"]
        fragment = rain.text[start:end]
        pieces = [rain.text[a:b] for a, b in item.provenance["piece_spans"]]
        if item.format == "sequencing":
            assert pieces == list(payload.parts)
            order = arrange(payload.parts, payload.orders[payload.key])
            assert " ".join(order) == " ".join(fragment.split())
        elif item.format == "cloze":
            filled = payload.text
            order = arrange(payload.candidates, payload.assignments[payload.key])
            for number, candidate in enumerate(order, 1):
                filled = filled.replace(f"<|Mask {number}|>", candidate)
            assert filled == fragment
        else:
            assert pieces == list(payload.options)
            assert fragment.startswith(payload.context)
            assert fragment.endswith(payload.options[payload.key])


def test_the_provenance_names_article_version_generator_and_seed(rain, items):
    for item in items:
        where = item.provenance
        assert (where["article"], where["version"]) == ("0001.00001", "v1")
        assert where["text_digest"] == rain.text_digest
        assert where["seed"] == 2
        assert where["generator_version"]
        assert where["parameters"] == {"per_article": 20, "min_words": 80}
        assert where["as_published"] is False


def test_no_two_items_of_a_format_share_their_fragment(items):
    for format in ("sequencing", "cloze"):
        spans = sorted(item.provenance["span"] for item in of(items, format))
        assert all(one[1] <= other[0] for one, other in pairwise(spans))
    truths = [item.provenance["span"][1] for item in of(items, "prediction")]
    assert len(set(truths)) == len(truths)


def asked_passage(source, item):
    """What an item is about: all of its fragment, or the text that comes next."""
    if item.format == "prediction":
        return item.payload["options"][item.payload["key"]]
    return source.text[slice(*item.provenance["span"])]


def test_formats_share_no_passage_where_there_is_room(rain):
    for seed in range(4):
        items = made(rain, seed=seed, per_article=6).items
        sequenced = [item.provenance["span"] for item in of(items, "sequencing")]
        masked = [item.provenance["span"] for item in of(items, "cloze")]
        assert len(sequenced) == len(masked) == 6
        assert not [(a, b) for a in sequenced for b in masked if a[0] < b[1] and b[0] < a[1]]


@pytest.mark.parametrize("format", ["sequencing", "cloze", "prediction"])
def test_what_an_article_says_twice_is_asked_once(format):
    again = [
        replace(block, text=block.text.replace("Every", "Each").replace("by hand", "unchanged"))
        for block in prose(paragraphs=5)
    ]
    source = article([*prose(paragraphs=5), *again, *prose(paragraphs=12, first=500)])
    for seed in range(3):
        items = made(source, seed=seed, formats=(format,), per_article=20).items
        asked = [
            frozenset(re.findall(r"numbered (\d+)", asked_passage(source, item))) for item in items
        ]
        assert len(asked) >= 4
        assert not [
            (one, other)
            for index, one in enumerate(asked)
            for other in asked[:index]
            if 2 * len(one & other) > min(len(one), len(other))
        ]


def test_the_right_option_stands_at_every_position_equally_often(items):
    for format in ("sequencing", "cloze", "prediction"):
        counts = Counter(item.payload["key"] for item in of(items, format))
        assert set(counts.values()) == {5}


def test_four_different_orders_are_offered_and_the_order_of_the_source_may_be_right(rain):
    keys: Counter[str] = Counter()
    for seed in range(4):
        for item in made(rain, seed=seed, formats=("sequencing", "cloze")).items:
            orders = item.payload.get("orders") or item.payload["assignments"]
            assert len(set(orders)) == 4
            keys[orders[item.payload["key"]]] += 1
    assert keys["ABCD"] > 0
    assert len(keys) == 24


def test_fragments_whose_order_shared_words_tell_are_left_out_and_counted(rain):
    result = made(rain, seed=1, formats=("sequencing",))
    assert result.filtered["told_by_words"] > 0
    (short,) = result.short
    assert short.made == len(result.items) < short.asked == 20


def test_all_orders_of_a_sequencing_item_begin_with_the_same_part(rain):
    """What begins a passage is told by how it begins, also within a paragraph."""
    items = [i for seed in range(4) for i in made(rain, seed=seed, formats=("sequencing",)).items]
    assert len(items) > 50
    assert {len({order[0] for order in item.payload["orders"]}) for item in items} == {1}
    firsts = Counter(item.payload["orders"][item.payload["key"]][0] for item in items)
    assert len(firsts) == 4


def test_the_first_sentence_of_a_cloze_text_may_be_masked(rain):
    items = [i for seed in range(3) for i in made(rain, seed=seed, formats=("cloze",)).items]
    first = [item.payload["text"].startswith("<|Mask 1|>") for item in items]
    assert 0 < sum(first) < len(first)


def test_no_text_is_offered_twice(items):
    offered = [option for item in of(items, "prediction") for option in item.payload["options"]]
    assert len(set(offered)) == len(offered)


def test_parts_that_number_themselves_give_no_item():
    words = ("First", "Second", "Third", "Finally")
    blocks = [
        Block(" ".join(f"{word}, {sentence(4 * n + i).lower()}" for i, word in enumerate(words)))
        for n in range(12)
    ]
    headed = [
        b for n, block in enumerate(blocks) for b in (Block(f"Part {n}", "heading", 1), block)
    ]
    result = made(article(headed), formats=("sequencing",))
    assert result.items == ()
    assert result.filtered["ordinal_cues"] > 0


def test_fragments_have_eighty_words(rain, items):
    for item in items:
        start, end = item.provenance["span"]
        assert len(rain.text[start:end].split()) >= 80


def test_prediction_options_are_texts_that_follow_others_but_not_each_other(items):
    for item in of(items, "prediction"):
        spans = sorted(item.provenance["piece_spans"])
        gaps = [other[0] - one[1] for one, other in pairwise(spans)]
        assert all(gap > 2 for gap in gaps)
        assert item.provenance["context_span"] not in spans


def test_the_same_seed_gives_the_same_items_and_another_seed_others(rain, items):
    again = made(rain, seed=2).items
    assert [i.as_json() for i in again] == [i.as_json() for i in items]
    other = made(rain, seed=8).items
    assert {i.content_hash for i in other}.isdisjoint(i.content_hash for i in items)


def test_a_format_alone_gives_the_same_items_as_with_the_others(rain, items):
    alone = made(rain, seed=2, formats=("prediction",)).items
    assert [i.content_hash for i in alone] == [i.content_hash for i in of(items, "prediction")]


def test_a_small_article_says_why_it_gives_fewer():
    result = made(article(prose(paragraphs=2)))
    short = {shortfall.format: shortfall for shortfall in result.short}
    assert short["prediction"].reason in {"too_few_passages", "too_few_neighbours"}
    assert short["sequencing"].reason == "too_few_fragments"
    assert short["sequencing"].made == sum(i.format == "sequencing" for i in result.items) > 0
    assert short["cloze"].asked == 20


@pytest.mark.parametrize("blocks", [[], [Block("Title", "heading")], [Block("Too short.")]])
def test_an_article_without_text_gives_nothing_and_says_so(blocks):
    result = made(article(blocks))
    assert result.items == ()
    assert len(result.short) == 3


@pytest.mark.parametrize(
    ("block", "reason"),
    [
        (Block("a = b", "formula"), "formula"),
        (Block("x y", "table"), "table"),
        (Block("Figure 3: Rain over time. It is much."), "caption"),
        (Block("图2 水位变化。"), "caption"),
        (Block("The black line shows the rain. The y-axis is its sum."), "about_figures"),
        (Block("The horizontal axis is time, which is counted in days."), "about_figures"),
        (Block("The solid dark blue dots represent what was seen of it."), "about_figures"),
        (Block("If the wheel has turned twice, the miller can rest (line 3)."), "about_figures"),
        (Block("The reader finds each of the expressions that are listed below."), "about_figures"),
        (
            Block(
                "En el Capítulo 1 damos los ríos, en el 2 y el capítulo 3 los diques. Los mide "
                "el Capítulo 4."
            ),
            "roadmap",
        ),
        (
            Block("Where U is the energy of the wheel, r is the way to the bank. It is small."),
            "formula",
        ),
        (
            Block("Where $r_c$ denotes the way to the bank, the wheel is left out. It is small."),
            "formula",
        ),
        (Block("The wheel in the photo is that of the oldest of the mills."), "about_figures"),
        (Block("In this figure the rain of all of the days is shown twice."), "about_figures"),
        (Block("The red lines in the graphs below are those of the rain."), "about_figures"),
        (Block("In the example below, the wheel is turned three times a day."), "about_figures"),
        (
            Block("It is shown on the left for the mill (blue) and the bank (green)."),
            "about_figures",
        ),
        (
            Block("Upper graphics refer to the mill while the bottom ones refer to it."),
            "about_figures",
        ),
        (
            Block("It grows in all of the mills of the bank. See figure 1. It falls."),
            "about_figures",
        ),
        (Block("For nests missed (first row, first column), it is a high hill."), "about_figures"),
        (Block("水位在夜里上升，到早晨才下降。如图 4.2所示。后来又下了雨。"), "about_figures"),
        (Block("It is so in all mills. Below is an example plotting the rain."), "about_figures"),
        (Block("What the code above does is to count the nests of all mills."), "about_figures"),
        (Block("The figure shows that the mills gain nothing. It is so twice."), "about_figures"),
        (Block("The plots show how the rain is spread. It is so in all mills."), "about_figures"),
        (Block("The left-most point of the curve is very large for the mills."), "about_figures"),
        (Block("The water plot shows that the mills in the north run longer."), "about_figures"),
        (Block("The paper is structured as follows: Section 2 has the mills."), "roadmap"),
        (Block("Section 2 has the mills. Section 3 and Section 4 have rain."), "roadmap"),
        (Block("In the remainder of this paper we describe the mills."), "roadmap"),
        (Block("The following graph shows the mills of every river since."), "about_figures"),
        (Block("One can also note in the plots that the mills are better."), "about_figures"),
        (Block("本章聚焦于河边的水位。本章将详细阐述水位在夜里上升的原因。"), "roadmap"),
        (Block("As Figure 1 shows, the mills of the bank run longer. It is so."), "about_figures"),
        (Block("In Fig. 3b we count the mills of all rivers. It is done twice."), "about_figures"),
        (Block("The mills of the bank are listed in Tables 2 and 3. They run."), "about_figures"),
        (Block("Table S4 lists all of the mills of the bank. It is much longer."), "about_figures"),
        (Block("由图3可以看出，水位在夜里上升，到早晨才下降。后来又下了雨。"), "about_figures"),
        (Block("各站的雨量如表2.1所示，水位在夜里上升，到早晨才下降。"), "about_figures"),
        (Block("The expression above is that of the mills. It is so in all."), "about_figures"),
        (Block("The product-form bound above is that of the mills of the bank."), "about_figures"),
        (Block("The next section describes the mills of all of the rivers."), "roadmap"),
        (Block("The mills are the subject of the next section. They run twice."), "roadmap"),
        (Block("This section describes the mills of all of the rivers. It is so."), "roadmap"),
        (Block("The rain was next dealt with. The chapter ended with the mills."), "roadmap"),
        (Block("In this chapter, all mills have been counted. It rained twice."), "roadmap"),
        (Block("It is so in all mills. The final chapter looks back upon them."), "roadmap"),
        (Block("水位在夜里上升。本章提出的方法说明了原因，后来又下了雨。"), "roadmap"),
        (
            Block("It is of the class that this table marks as a mill of the river."),
            "about_figures",
        ),
        (Block("The mills run as given in Equation 2.12, which is that of rain."), "about_figures"),
        (Block("水位在夜里上升，由式(3.1)可知，到早晨才下降，后来又下了雨。"), "about_figures"),
        (Block("本章内容组织如下：第3.2节分析雨量，并提出方案；第3.3节研究水位。"), "roadmap"),
        (Block("本章先介绍雨量站的分布情况。然后分析了水位的变化和原因。"), "roadmap"),
        (Block("第三章为水位的测量方法。第四章首先介绍雨量站，然后讨论结果。"), "roadmap"),
        (Block("In Section 3.1 we count the mills of all rivers. It is so."), "other_section"),
        (Block("As described in Sect. 3.2, the mills are older. It is so."), "other_section"),
        (Block("This will be the subject of Chapter 9. The mills run twice."), "other_section"),
        (Block("The mills run; see Appendix B for how they do. It is so."), "other_section"),
        (Block("The mills of chapter IV are those of the river. They run."), "other_section"),
        (
            Block("La roue, introduite plus en détail au chapitre 2, tourne deux fois."),
            "other_section",
        ),
        (
            Block("Enfin, le résultat présenté à la section 5.2 montre que la roue tourne."),
            "other_section",
        ),
        (Block("Das Rad aus Kapitel 3 dreht sich zweimal. Es ist von Holz."), "other_section"),
        (Block("Nella tabella 3.1, è proposto un conteggio dei mulini. Girano."), "about_figures"),
        (Block("Comme présenté dans la partie 2.2, la roue tourne deux fois."), "other_section"),
        (Block("La ruota, descritta nel paragrafo 4.2, gira due volte."), "other_section"),
        (Block("La rueda, descrita en el apartado 4.2, gira dos veces."), "other_section"),
        (Block("Les roues, selon les parties 3 et 4, tournent deux fois."), "other_section"),
        (Block("La rueda del capítulo 2 gira dos veces. Es de madera."), "other_section"),
        (Block("水位在夜里上升，如第三章所述，到早晨才下降，后来又下了雨。"), "other_section"),
        (Block("水位在夜里上升，3.2节给出了原因，到早晨才下降，又下了雨。"), "other_section"),
        (
            Block("How the mills depend on rain will be discussed later in the results."),
            "other_section",
        ),
        (
            Block("The wheel will be described in more detail below. It is of wood."),
            "other_section",
        ),
        (Block("The mills of Definition 4 are older. It is so in all of them."), "other_section"),
        (
            Block("Under Assumption 2 and Condition CE6, all of the mills are older."),
            "other_section",
        ),
        (Block("Existing mills of this kind are presented in the 3.5 section."), "other_section"),
        (Block("磨坊的信息可以在管理章节中查看，并由磨坊主定义，也可以修改。"), "other_section"),
        (Block("The mills are counted. Most of the chapter will be about water."), "roadmap"),
        (Block("章节2.5.1.3提到的方法能够良好解决上述问题，磨坊也因此停了。"), "other_section"),
        (Block("By Theorem 2.1 and Lemma 3, all of the mills are older than it."), "other_section"),
        (Block("Par le théorème 3, la roue du moulin tourne deux fois par jour."), "other_section"),
        (Block("Nach Satz 2.4 dreht sich das Rad der Mühle zweimal am Tag."), "other_section"),
        (Block("由定理 3.2 可知，水位在夜里上升，到早晨才下降，后来又下了雨。"), "other_section"),
        (
            Block("El modelo de la Tabla N° 6.1 muestra que el molino gira dos veces."),
            "about_figures",
        ),
        (Block("La roue suit l’équation 4.2 quand le moulin tourne deux fois."), "about_figures"),
        (Block("Wie Tabelle Nr. 3 zeigt, dreht sich das Rad zweimal am Tag."), "about_figures"),
        (Block("As Table no. 4 shows, the mills are older. It is so in all."), "about_figures"),
        (Block("As Table II shows, the mills of the bank run longer. It is so."), "about_figures"),
        (Block("The mills of the bank (light green) are older than the others."), "about_figures"),
        (Block("where the rain falls. " + sentence(900)), "starts_lower_case"),
        (Block("We set a=1, b=2, c=3, d=4 and e=5 here. " + sentence(901)), "formula_heavy"),
        (Block("University of the Valley"), "no_sentence"),
        (Block("It holds a mark <|Mask 1|> here. " + sentence(902)), "markup"),
        (Block("Smith J. Rain. 1999.", "reference"), "reference"),
    ],
)
def test_what_is_no_running_text_is_filtered_and_counted(block, reason):
    blocks = prose(6)
    result = made(article([*blocks[:3], block, *blocks[3:]]), per_article=4)
    assert result.filtered[reason] >= 1
    head = block.text[:20]
    assert not any(head in SCP.plain_text(item) for item in result.items)


def test_a_figure_that_is_only_pointed_at_and_a_figure_of_speech_stay() -> None:
    said = [
        "It rose in all mills (Figure 1) and it fell behind them all.",
        "It rose (as the left half of Fig. 2 has it) and it fell again.",
        "The figure of a miller and the table of a king are in all songs.",
        "水位在夜里上升（见图3），到早晨才下降，后来又下了雨。",
        "The mills are far above all of the others, and the wheel is above the bank.",
    ]
    assert [unfit_reason(Paragraph(text, 0, len(text))) for text in said] == [None] * len(said)


def test_a_law_a_count_and_a_section_in_brackets_stay() -> None:
    said = [
        "It rose in all mills (see Section 3) and it fell behind them all.",
        "Section 230 of the act is about mills, and Section 2 of the Mill Act is too.",
        "The wheel was cut, and in cross section 12 metres of wood were seen.",
        "The mills are older (Theorem 2), and a definition of 4 of them is in the book.",
        "The mill has a (red) wheel and a theorem of its own, as 2 of the millers say.",
        "In previous sections I counted the mills, and the book has 12 chapters.",
        "The mills that were described earlier are those of the river.",
        "水位在夜里上升，书有三章，到早晨才下降，后来又下了雨。",
    ]
    assert [unfit_reason(Paragraph(text, 0, len(text))) for text in said] == [None] * len(said)


def test_no_fragment_crosses_a_formula_or_a_section():
    blocks = [b for n in range(12) for b in (*prose(1, 5, n * 5), Block("E = m", "formula"))]
    source = article(blocks)
    result = made(source)
    assert result.items
    for item in result.items:
        start, end = item.provenance["span"]
        assert "E = m" not in source.text[start:end]
        assert "Readings" not in source.text[start:end]


def test_chinese_articles_give_items_of_all_formats(chinese):
    result = made(chinese, per_article=3)
    assert Counter(item.format for item in result.items) == {
        "sequencing": 3,
        "cloze": 3,
        "prediction": 3,
    }
    assert check_items(result.items, [chinese]).clean
    start, end = result.items[0].provenance["span"]
    assert end - start >= 140


def test_chinese_text_of_a_hundred_characters_is_too_short():
    text = "我们在河边测量了水位的变化情况，并且记录下来。" * 5
    assert made(article([Block(text[:115])])).items == ()


def test_repeated_text_gives_no_ambiguous_item():
    block = Block(" ".join(sentence(n) for n in range(8)))
    source = article([block] * 12)
    report = check_items(made(source).items or made(article(prose())).items, [source])
    assert "near_identical_options" not in {defect.name for defect in report.defects}
    twice = article([Block(" ".join([sentence(1)] * 8))] * 3)
    assert made(twice).items == ()


def test_somebody_who_reads_only_the_options_does_no_better_than_chance(rain):
    items = [
        item for seed in range(6) for item in made(rain, seed=seed, formats=("prediction",)).items
    ]
    hits = 0
    for item in items:
        similar = Neighbours(item.payload["options"]).similarities(range(4)).sum(axis=1)
        hits += int(similar.argmax()) == item.payload["key"]
    assert len(items) == 120
    assert 0.12 < hits / len(items) < 0.38


def test_all_options_begin_like_a_text_that_goes_on_or_none_does():
    said = [f"{('However, ', '', '', 'This is so, and ')[n % 4]}{sentence(n)}" for n in range(168)]
    blocks = [Block(" ".join(said[n : n + 7])) for n in range(0, len(said), 7)]
    source = article([Block("Readings", "heading", 1), *blocks])
    items = made(source, formats=("prediction",)).items
    going_on = [sum(map(goes_on, item.payload["options"])) for item in items]
    assert len(items) == 20
    assert {0, 4} == set(going_on)


def test_a_text_whose_number_tells_that_it_is_next_is_asked_for_by_no_item():
    said = [
        f"Stage {n + 2} is about the mills. {sentence(n)} {sentence(n + 90)}" for n in range(40)
    ]
    blocks = [
        Block("Readings", "heading", 1),
        *(Block(" ".join(said[n : n + 4])) for n in range(0, 40, 4)),
    ]
    result = made(article(blocks), formats=("prediction",))
    for item in result.items:
        assert not ordinal_cues(
            [item.payload["context"], item.payload["options"][item.payload["key"]]]
        )
    assert result.filtered["ordinal_cues"] > 0


def test_the_order_most_like_the_others_is_right_no_more_often_than_chance(rain):
    hits = total = 0
    for seed in range(12):
        for item in made(rain, seed=seed, formats=("sequencing",)).items:
            orders = item.payload["orders"]
            score = [sum(a == b for o in orders for a, b in zip(o, p, strict=True)) for p in orders]
            best = [index for index, value in enumerate(score) if value == max(score)]
            hits += random.Random(total).choice(best) == item.payload["key"]
            total += 1
    assert 0.15 < hits / total < 0.36


@pytest.mark.shared
def test_real_articles_give_clean_items_of_every_format(real_articles):
    items = []
    for source in real_articles:
        result = made(source, seed=7)
        items += result.items
        counts = Counter(item.format for item in result.items)
        for shortfall in result.short:
            assert shortfall.reason
            assert shortfall.made == counts[shortfall.format]
        if len(source.text) > 20_000:
            assert len(counts) >= 2  # one is read by our own reader alone, so strictly
    report = check_items(items, real_articles)
    assert report.clean, report.defects
    assert report.with_source == report.items > 80  # only what is plainly prose


@pytest.fixture(scope="module")
def published_report(real_articles):
    """Three times fifty items per article and format, with the published choices."""
    items = [
        item
        for seed in range(3)
        for source in real_articles
        for item in made(source, seed=seed, per_article=50, as_published=True).items
    ]
    return check_items(items, real_articles)


@pytest.mark.shared
@pytest.mark.parametrize(
    ("name", "format", "rate"),
    [
        ("key_contradicts_source", "sequencing", 0.334),
        ("repeated_options", "sequencing", 0.527),
        ("option_equals_key", "cloze", 1.0),
        ("context_among_options", "prediction", 0.27),
        ("as_published", "sequencing", 1.0),
    ],
)
def test_published_defects_come_back_at_about_the_published_rate(
    published_report, name, format, rate
):
    found = {defect.name: defect for defect in published_report.defects}
    assert found[name].by_format[format].rate == pytest.approx(rate, abs=0.06)


@pytest.mark.shared
def test_the_published_cloze_label_has_a_place_it_prefers(published_report):
    found = {defect.name: defect for defect in published_report.defects}
    assert set(found["position_bias"].by_format) == {"cloze"}


def test_as_published_items_have_three_parts_and_are_marked():
    result = made(article(prose(60)), as_published=True)
    assert {item.format for item in result.items} == {"sequencing", "cloze", "prediction"}
    for item in result.items:
        assert "as_published" in {defect.name for defect in SCP.check(item)}
        if item.format == "sequencing":
            assert len(item.payload["parts"]) == 3
            assert all(sorted(o) == list(LETTERS[:3]) for o in item.payload["orders"])
        if item.format == "cloze":
            key = item.payload["assignments"][item.payload["key"]]
            assert item.payload["assignments"].count(key) >= 3
