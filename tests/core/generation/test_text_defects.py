"""Every kind of text defect is found where it was planted, and clean texts show none."""

import csv
import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from core.families import family
from core.families.base import ItemContent
from core.generation.article_items import generate_from_article
from core.generation.gated_patterns import Found
from core.generation.spec import ScpSpec
from core.generation.text_defects import (
    TEXT_DEFECTS,
    defects_of_items,
    item_defects,
    text_defects,
)
from core.generation.text_patterns import ANYWHERE
from tests.text_damage import SEEN_IN_PAPERS

from .conftest import check_items

SHARED = Path(__file__).parents[4] / "shared" / "data"
CLEAN = (
    "The gauges along the river were read by hand until last year. {} A radio now reports the "
    "height of the water every ten minutes, as Hogg et al. (2010) proposed (see Figure 3)."
)
PLANTS: dict[str, tuple[str, ...]] = {
    "lost_citation": (
        "This has been shown before in . A better reading is taken from the bridge.",
        "Others have seen it too (see , for a review of the gauges).",
        "The gauges follow the design of. They are read by hand.",
        "The methods of earlier work,, are kept.",
        "This was shown by Hogg,. Then it was kept.",
        "It is a linear problem (, Ch. 3) and has one solution.",
        "It was shown before () and later.",
        "The formulation follows, it was adapted to our case.",
        "The formulation follows , it was adapted to our case.",
        "We use the sampler described in , which is fast.",
        "We use the sampler proposed by. It is fast.",
        "The rate is larger than the.",
        "Others do the same (see ) and agree.",
        "It is common in other fields (e.g., ).",
        "The value was measured by and the rest was not.",
        "水位的测量，，随后被记录。",
        "See for a counterexample of this.",
        "As has observed, the phase matters.",
        "Moradi et al. Moradi et al. (2016) made a method for it.",
        "Kim and Lee (Kim and Lee, 2011) present a tool for it.",
        "Gauges are studied by many, see e.g., and they differ by river.",
        "By comparison, (Janot et al., 2019) reports a lower value.",
        "The rate is biased, as Moradi et al. and Moradi et al. (2016) showed.",
    ),
    "leftover_markup": (
        "The <b>gauge</b> was kept.",
        "The work is called textitGauges of the North and was kept.",
        "The value \\citep{hogg} was kept.",
        "As in hogg2010data it grows by day.",
        "The map of fig:map shows it.",
        "The \\gls value is kept for later.",
        "It is {bold} to say so.",
        "This is <sub>2</sub> of the gas.",
        "One &amp; the other were kept.",
        "See Hogg~(2010) for more of this.",
        "The **bold** words are kept here.",
        "It does not worry about others (#storing-sharing).",
        "降雨在排行榜中一直占据前三^，水位也是。",
        "See [the gauges](https://gauges.example/all) for more of this.",
        'The left"=hand side of the valley is wet.',
        "As @hogg2010 says, it is known.",
        "In the valley, Cai2013 showed that it rains.",
        "The ``best'' one was kept, too.",
        "| gauge | year | height | north | 2010 | 0.3 |",
        "The heights of it ======== were kept for later.",
    ),
    "missing_reference": (
        "水位的变化如图??所示，随后被记录。",
        "It is a coarse version of the gauges in fig. The river is near.",
        "Figure ref shows a coarse version of the gauges.",
        "Do all observers accept this ideal [12,13,14]?",
        "As shown in [ref], it grows.",
        "As shown in Section ?? it grows.",
        "As we show in Figure , it grows.",
        "The numbers in Table are large.",
        "This is known [?] since long.",
        "It follows the guidelines³³ of the centre.",
        "The rate is higher than others.[15,16] It grows.",
        "The events are rare as known [14].",
        "The terms defined by Equation phihat depend on it.",
        "There were 50 errors in one valley(9). They were counted.",
        "The cycle of life is short (Gil2022?), as others say.",
        "They need open places S. ([s. d.]), as is known.",
        "The rain is a cause of floods(3,4), as is snow.",
        "降雨不足是水位下降的主要因素[20]，而水位下降会带来问题。",
        "全国慢性病患者已接近1亿[1]。",
        "降雨是水位变化的典型原因，[12]河流的规则简单。",
        "The rate was low. 25 In 1984 it grew again.",
        "The water is clear. 21 22 However, it was not.",
        "This holds for most of them [CITATION NEEDED] in the north.",
        "It is high. Figure shows the height for each of the years.",
        "The gauges† were read by hand.* They are old.",
    ),
    "placeholder": (
        "Leave 0.2 inches of space before the heading and less of it in the rest.",
        "Section headings are numbered, flush left, and set in 11 pt bold type, as is known.",
        "TODO write this sentence.",
        "Lorem ipsum dolor sit amet.",
        "The value was [insert number here] then.",
        "It will be seen by others [ADD CITATION] as well.",
        "Figure XX shows how it grows.",
        "It is known since long (citations).",
        "Esta medida flexibilizaba las restricciones (REFERENCIA DECRETO DISPO) del país.",
        "La proporción detectada en la zona sur fue mayor que en la zona norte (cita).",
        "It matters for rivers [hogg, bovy, etc].",
        "The rays merge once they have travelled XX kpc from it.",
        "The cameras (cite) are set up in summer.",
        "Rain and snow drive the mills as well as wind (give some references).",
        "The bank is older than the mill (need ref), as others say.",
        "Others saw it earlier (cite papers here).",
        "Photos are taken at set locations (FIGURE?) with a camera.",
        "The speeds are in Figure 3. (ADD how speeds are calculated).",
        "This is some random text.",
        "You can cite document here like this.",
        "Rain is frequent (Author et al., 20XX) in the valley.",
        "Here goes the text of the methods.",
        "The stars form with low velocities and momenta add citations.",
        "The hood is made of plastic around the nozzles (Manufacturer, city, state).",
    ),
    "glued_heading": (
        "The river is under pressure Therefore, I will find the gauges that last.",
        "The gauges are read by hand Furthermore, nobody looks at them in winter.",
        "Why the gauges were near zero in May: The observers had been away for a month.",
        "Introduction We propose a method for rivers.",
        "2.1 Data reduction We reduce the data first.",
        "Results The gauges agree with each other.",
        "See the details in B The principle is an old one.",
        "Dating a tree with branch lengths.– Relative lengths tell much.",
        "It is fast on all gauges We also measured the rest.",
    ),
    "back_matter": (
        "论文工作表明作者对水坝有坚实的掌握，具有独立从事科学研究的能力。",
        "论文写作条理清楚、逻辑严密，经答辩委员会5人无记名投票表决，一致同意通过论文答辩。",
        "感谢导师对本文的悉心指导。",
        "本研究得到国家自然科学基金的资助。",
        "Subject to that limit, the manuscript is ready to be called a paper of the mill.",
        "We thank the two reviewers for their comments.",
        "It was done under grant number 12345 of last year.",
        "This work was supported by the Rain Foundation through a grant.",
        "The authors declare no competing interests.",
        "He received his PhD from the valley.",
        "Please write to gauge@valley.org for the data.",
        "Reviewer 2 asked for more of it.",
        "A licensor grants nothing else than that.",
        "The camera-ready version has ten pages at most.",
        "Minor comments follow below this line.",
        "> - The title is odd. Forgive me for > being dense.",
        "We have added text to the discussion to address these comments.",
        "Thanks very much for your comments!",
        "It stood in Gauges and Rain. 44 (3): 15–20. It grew.",
        "Der Verfasser dankt dem Verein der Mühlen für die Pegel.",
        "Nous remercions les gardiens des moulins de leur aide.",
        "AI assistance was used for drafting and editing the manuscript.",
    ),
    "affiliations": (
        "Department of Physics, University of the Valley, 12345 Rain.",
        "School of Water, Valley Institute of Technology and others.",
    ),
    "broken_words": (
        "The gauges have pre-and post-flood readings of their own.",
        "The gauges are those of Hongmei He.La diferencia is small.",
        "Ahora, para las condiciones del molino, Desde el punto de vista.",
        "What I did first was to count Entonces, para contar los molinos.",
        "The flow of the gas was held at 0, 5 slm for an hour.",
        "The gauges are used in several different taxonomic. They are old.",
        "The gauges were read for a Retrieval- Augmented way of it.",
        "It was kept in the shed.On the other side it was not.",
        "The the gauges of the river are old.",
        "The astro- physical value is kept.",
        "This is a signi cant number of gauges.",
        "It ends here.Then it starts again.",
        "The first,second and last one stay.",
        "It is the grey mouse lemur,Microcebus murinus, that was seen.",
        "This is t he one that stays.",
        "The efficiency, which w e take to be one, stays.",
        "The g a u g e s were read by hand each day.",
        "It holds across the two gauges the two gauges in each year.",
        "It holds across old gauges old gauges. They are read by hand.",
        "The pressure on HIbut not on the rest is kept.",
    ),
    "mojibake": (
        "The naÃ¯ve one is kept here.",
        "It isnâ€™t the one that stays.",
        "The \ufffd stands for something.",
        "锟斤拷 stands here for a word.",
    ),
    "invisible_characters": (
        "The zero\u200bwidth one is kept.",
        "The \u202eturned one is kept.",
        "The soft\u00adhyphen one is kept.",
        "A bell\x07 rings once a day.",
    ),
    "mixed_passages": ("我们测量了水位的变化情况，并且记录下来。",),
    "sentence_fragment": (),
    "ordinal_cues": (),
}  # fmt: skip


def passage(text: str) -> ItemContent:
    """A prediction item in which the text stands in the middle of the context."""
    sample = family("scp").sample("prediction")
    return ItemContent("scp", "prediction", {**sample.payload, "context": CLEAN.format(text)})


@pytest.mark.parametrize(
    ("kind", "text"), [(kind, text) for kind, texts in PLANTS.items() for text in texts]
)
def test_a_planted_defect_is_found(kind: str, text: str) -> None:
    found = {defect.name: defect.detail for defect in text_defects(passage(text))}
    assert kind in found
    assert len(found[kind]) > 5


def test_words_that_lost_their_space_are_found_by_the_words_of_the_file() -> None:
    others = [passage(f"The astropy package is number {n} of them.") for n in range(3)]
    report = check_items([*others, passage("The astropypackage is read first.")])
    assert [(d.name, d.places[0].place, d.places[0].detail) for d in report.defects] == [
        ("broken_words", "line 4", "“astropypackage: astropy package”")
    ]


def test_every_kind_is_planted() -> None:
    assert set(PLANTS) == set(TEXT_DEFECTS)


@pytest.mark.parametrize("damaged", SEEN_IN_PAPERS)
def test_what_was_seen_in_items_of_papers_is_found(damaged: str) -> None:
    assert text_defects(passage(damaged))


def test_a_text_that_begins_or_ends_within_a_sentence_is_a_fragment() -> None:
    sample = family("scp").sample("prediction")
    for text in ("and then the gauges were read by hand.", "The gauges were then read by the"):
        options = [text, *sample.payload["options"][1:]]
        item = ItemContent("scp", "prediction", {**sample.payload, "options": options})
        assert {"sentence_fragment"} == {defect.name for defect in text_defects(item)}


def test_a_chinese_passage_cut_in_a_quotation_or_a_word_is_a_fragment() -> None:
    rest = ["水位由观测员记录。", "观测员每天都到河边。", "第三年没有缺测。"]
    for cut in ("他说“知其一，不知其二……", "的水位由观测员记录并核对。"):
        found = text_defects(ItemContent("scp", "sequencing", {"parts": [cut, *rest]}))
        assert [defect.name for defect in found] == ["sentence_fragment"]
    for whole in ("他说“水位很高”，大家笑了。", "的确，水位由观测员记录。"):
        item = ItemContent("scp", "sequencing", {"parts": [whole, *rest]})
        assert text_defects(item) == []
    said = ["他说：“水位很高。", "大家都到河边去了。”"]
    assert text_defects(ItemContent("scp", "sequencing", {"parts": [*said, *rest[:2]]})) == []


RUSHED = [
    "第三年的春天河水涨得很快因此观测员每天都到桥边记录水位。",
    "磨坊主人起初并不在意后来水漫过了堤岸他才把谷物搬到楼上。",
    "下游的村庄没有损失因为那里的居民在前一年加高了堤坝。",
    "雨停以后水位慢慢下降道路却过了两个星期才重新通车。",
]
COMMAS = [
    "第三年的春天，河水涨得很快，因此观测员每天都到桥边，记录水位。",
    "磨坊主人起初并不在意，后来水漫过了堤岸，他才把谷物搬到楼上。",
    "下游的村庄没有损失，因为那里的居民在前一年加高了堤坝。",
    "雨停以后，水位慢慢下降，道路却过了两个星期才重新通车。",
]


def sequencing(parts: Sequence[str]) -> list[str]:
    return [d.name for d in text_defects(ItemContent("scp", "sequencing", {"parts": [*parts]}))]


@pytest.mark.parametrize(
    ("said", "again"),
    [
        ("水位主要包含两个部分", "水位主要包含主要包含两个部分"),
        ("陆地上移动的蟾蜍", "陆地上移动移动的蟾蜍"),
        ("到那时为止的记录", "到那时为止为止的记录"),
        ("在此上班的人", "在此上班的的人"),
        ("这是其中的一部分", "这是是其中的一部分"),
    ],
)
def test_chinese_words_that_stand_twice_are_broken(said: str, again: str) -> None:
    assert sequencing([f"{said}很多，都在河边。", *COMMAS[1:]]) == []
    assert sequencing([f"{again}很多，都在河边。", *COMMAS[1:]]) == ["broken_words"]


@pytest.mark.parametrize(
    "said",
    ["目的的", "越来越多，越来越重", "卡拉卡拉", "毅然决然决定", "不了了之", "西北部北部",
     "一个一个", "因为为", "从从容容"],
)  # fmt: skip
def test_what_chinese_says_twice_is_not_broken(said: str) -> None:
    assert sequencing([f"那时{said}人群，都在河边等候。", *COMMAS[1:]]) == []


def test_a_chinese_passage_without_its_commas_is_broken() -> None:
    assert sequencing(COMMAS) == []
    assert sequencing(RUSHED) == ["broken_words"]
    assert sequencing([*RUSHED[:1], *COMMAS[1:]]) == []
    streets = "、".join(f"第{n}大街" for n in "一二三四五六七八九十百千")
    assert sequencing([f"沿途经过{streets}。", *["水位由观测员记录。"] * 1, "他在桥上。"]) == []


def test_a_chinese_stretch_that_is_too_long_lost_its_commas() -> None:
    rushed = "在认同的多元变化中心理学中的认同通常与自我紧密相连注重的是个体层次其本意是一个个体"
    again = f"{rushed}对另一个个体的接纳以及理解和共同的生活经验。"
    assert sequencing([again, *COMMAS[1:]]) == ["broken_words"]


def test_a_piece_without_a_full_stop_is_a_fragment_where_the_others_have_one() -> None:
    sample = family("scp").sample("sequencing")
    whole = ["It rained.", "The gauges were read (by hand).", "He said: “It grew.”", "Did it?"]
    names = {}
    for parts in (
        whole,
        [*whole[:3], "The gauges were then read"],
        [p.strip(".?”)") for p in whole],
    ):
        item = ItemContent("scp", "sequencing", {**sample.payload, "parts": parts})
        names[parts[3]] = {defect.name for defect in text_defects(item)} & {"sentence_fragment"}
    assert [*names.values()] == [set(), {"sentence_fragment"}, set()]


@pytest.mark.parametrize(
    "starts",
    [
        ("First,", "Second,"), ("Firstly,", "Finally,"), ("1)", "2)"), ("首先，", "其次，"),
        ("The second barrier is", "A fourth additional barrier is"), ("（一）", "（二）"),
        ("一、", "二、"), ("（1）", "（2）"), ("H1.", "H2."), ("RQ1:", "RQ2:"),
        ("Hypothesis 1a:", "Hypothesis 1b:"), ("Section 2 says that", "Section 5 says that"),
        ("In Chapter 3", "Chapter 4 tells that"), ("Figure 3 shows that", "In Fig. 4"),
        ("第2章说明", "第5章说明"), ("第 3 章说明", "第 4 章说明"),
        ("第 三 部分是", "第 四 部分是"), ("第七个式子说明", "最后三个式子说明"),
        ("第一部分说明", "第二部分说明"), ("The first gauge shows", "The last gauge shows"),
        ("We compare two gauges, first by hand, when", "Second, we ask whether"),
        ("It allows two conclusions: First, if", "Second, if the gauge is old,"),
        ("In the sections 3 and 4, we say", "In the last Section 6, we ask"),
    ],
)  # fmt: skip
def test_parts_that_say_where_they_stand_are_cues(starts: tuple[str, str]) -> None:
    sample = family("scp").sample("sequencing")
    parts = [*sample.payload["parts"]]
    parts[2], parts[0] = f"{starts[0]} it rained. It was wet.", f"It grew. {starts[1]} it stopped."
    item = ItemContent("scp", "sequencing", {**sample.payload, "parts": parts})
    assert "ordinal_cues" in {defect.name for defect in text_defects(item)}


@pytest.mark.parametrize(
    "starts",
    [
        ("Section 2 says that", "Figure 5 shows that"), ("Figure 3 shows that", "Figure 3 has"),
        ("第2章说明", "下文说明"), ("Chapters are short:", "Sections are shorter:"),
        ("We met, first by chance, when", "Later, we ask whether"),
        ("第二天", "下雨时"), ("Particularly a gauge says that", "Partially e.g. a mill says that"),
    ],
)  # fmt: skip
def test_numbers_of_different_things_are_no_cue(starts: tuple[str, str]) -> None:
    sample = family("scp").sample("sequencing")
    parts = [*sample.payload["parts"]]
    parts[2], parts[0] = f"{starts[0]} it rained. It was wet.", f"It grew. {starts[1]} it stopped."
    item = ItemContent("scp", "sequencing", {**sample.payload, "parts": parts})
    assert "ordinal_cues" not in {defect.name for defect in text_defects(item)}


def test_a_short_sentence_that_stands_right_behind_itself_is_there_twice() -> None:
    sample = family("scp").sample("prediction")
    names = []
    for said in ("It rose by hand. It rose by hand.", "It rose by hand. It fell. It rose by hand."):
        payload = {**sample.payload, "context": f"{sample.payload['context']} {said}"}
        names.append(
            {defect.name for defect in text_defects(ItemContent("scp", "prediction", payload))}
        )
    assert "mixed_passages" in names[0]
    assert "mixed_passages" not in names[1]


def test_pieces_from_different_places_are_mixed() -> None:
    sample = family("scp").sample("sequencing")
    near = {"piece_spans": [[100, 199], [300, 400], [0, 99], [200, 299]]}
    far = {"piece_spans": [[100, 199], [900, 999], [0, 99], [200, 299]]}
    made = [ItemContent("scp", "sequencing", sample.payload, where) for where in (near, far)]
    assert [[defect.name for defect in text_defects(item)] for item in made] == [
        [],
        ["mixed_passages"],
    ]


def test_words_of_a_text_that_was_split_into_tokens_are_no_lost_citations() -> None:
    text = "Rain , wind and snow were seen , he said . Nobody else saw it , and it was late ."
    item = ItemContent("instruction", "triplet", {"instruction": "Sum up.", "input": text * 5})
    assert text_defects(item) == []


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("mojibake", "吾闻\u2f64夏变夷者，" + "未闻变于夷者也，" * 15),
        ("leftover_markup", "As we show in fig11a and fig12d, it rains in each of the years."),
    ],
)
def test_what_was_missed_in_items_of_others_is_found(kind: str, text: str) -> None:
    assert kind in [defect.name for defect in text_defects(passage(text))]


def test_short_answers_and_code_are_not_judged_as_prose() -> None:
    payload = {"instruction": "Write JSON.", "input": "a, b", "output": '{"a": [1, 2], "b": {}}'}
    assert text_defects(ItemContent("instruction", "triplet", payload)) == []
    assert text_defects(passage("We call numpy.sum() on `a{b}` at https://x.org/a{b} once.")) == []
    code = "```\nif (level > 10) {\n    // warn the keeper\n} else {\n    // read on\n}\n```"
    text = CLEAN.format("")
    shown = {"instruction": "Show it.", "input": "", "output": f"{text}\n\n{code}\n\n{text}"}
    assert text_defects(ItemContent("instruction", "triplet", shown)) == []


@pytest.mark.parametrize(
    "text",
    [
        "Discussion: The repository is one place for all.",
        "It says that “comparisons are obviated” (p. 15).",
        "Values lie in the interval [1, 5] and in [0, 1].",
        "It covers 12 km² and four pixels², which is 10³ of them.",
        "See for example the gauges. As was observed, it rains.",
        "SemEval2018 was held then, and Matlab2019 was used.",
        "The effect was negligible, at r~.2 or Cohen's d~0.41.",
        "There are advantages for first- over later-born children.",
        "It is a pre- rather than a post-war house, two- but not three-storeyed.",
        "The values log(10), exp(2) and f(3) are known. In 1984 it grew.",
        "It has version 3.1.4 and was seen at 10 a.m. 25 people saw it.",
        "样本取自区间[1]到[5]之间的数组a[3]。",
        "It rains again and again. Day by day, day by day, it grew; so did he, so did he.",
        "The case Figure 3 shows is an old one. Table 2 lists the options a b c d e of it.",
        "She is Chair (Figure 3) and adds (see Table 2) that it rains.",
        "He said that he was waiting for her . . . and then it rained, they said.",
        "Ann of the Department of Agriculture, and Ben at the University of Bern, say so.",
        "Its length is sqrt(520), and floor(225) of it is wet, so the answer is [3].",
        "The rest of the list is [] and its ends are [3, 4, 5].",
        "Rain moved to fig2pdf, and the trees were fig trees and figs.",
    ],
)
def test_what_only_looks_like_damage_raises_no_alarm(text: str) -> None:
    assert text_defects(passage(text)) == []


@pytest.mark.parametrize("format", ["sequencing", "cloze", "prediction"])
def test_the_samples_are_clean(format: str) -> None:
    assert item_defects(family("scp").sample(format)) == []


def _pairs(path: Path, columns: slice) -> list[ItemContent]:
    with path.open(encoding="utf-8") as handle:
        rows = [*csv.reader(handle, delimiter="\t", quoting=csv.QUOTE_NONE)][1:]
    return [
        ItemContent("instruction", "triplet", {"instruction": "", "input": " ".join(row[columns])})
        for row in rows
    ]


@pytest.mark.shared
def test_clean_items_of_real_articles_and_data_sets_raise_no_alarm(real_articles) -> None:
    if not (SHARED / "mrpc").is_dir():
        pytest.skip("the example data beside the project is absent")
    items = [
        item
        for article in real_articles
        for item in generate_from_article(article, ScpSpec(per_article=10, seed=5)).items
    ][:150]
    items += _pairs(SHARED / "mrpc" / "dev.tsv", slice(3, 5))[:100]
    items += _pairs(SHARED / "rte" / "dev.tsv", slice(1, 3))[:100]
    for path in sorted((SHARED / "cif_bench").glob("*_public.jsonl")):
        rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        items += [
            ItemContent("instruction", "triplet", {k: str(v) for k, v in row.items()})
            for row in rows[:20]
        ]
    assert len(items) >= 490
    alarms = [(defect, item) for item in items for defect in text_defects(item)]
    assert len(alarms) < 0.01 * len(items), alarms


LONG = " It was read by hand until last year, and a radio now tells the height of the water." * 5
CHINESE = "雨量计过去由人每天读数一次，现在由无线电每十分钟报告一次水位，并由磨坊主核对记录。" * 4


@pytest.mark.parametrize(
    "question",
    [
        CHINESE + "下列叙述正确的是（  ）\nA．雨量计在磨坊里  B．雨量计在桥边",
        CHINESE + "下列叙述正确的是（）",
        "The answer is ( ) of these." + LONG,
        "In the mid-1950s and the late-1990s it rained more than in pre-2008 years." + LONG,
        "Close the brackets: [ { [ { ( < < > ) } ( ) [ ] ] } ]." + LONG,
        r"Let \[\begin{pmatrix} a & b \\ c & d \end{pmatrix}\] be given, and "
        r"\(\frac{1}{2}\)." + LONG,
        r"Let $f(x)=\left\{\begin{array}{l}x^{2} \\ x\end{array}\right.$ be given." + LONG,
        "The set {0,1} and the set {a, b, ..., z} have no word in common with it." + LONG,
        "Os museus são culturais e científicos, e cientistas leem a altura da água." + LONG,
        "Find the index of <p> in S_5 for the given permutation.",
        "Should a finished page have lorem ipsum paragraphs?",
        "It was a game of clashing parties and competing interests for them all." + LONG,
        "The School of Medicine of Elko, is a part of the University of Reno." + LONG,
        "It was taught at the University of Otago, New Zealand, between 2004 and 2009." + LONG,
        "They asked (1) who has a gauge of their own, and; (2) who has read it." + LONG,
        "Draw it with size(200); pair A = (0,0); and see what it shows to the reader." + LONG,
    ],
)
def test_questions_of_others_raise_no_alarm(question: str) -> None:
    sample = family("answer").sample("answer")
    item = ItemContent("answer", "answer", {**sample.payload, "question": question})
    assert item_defects(item) == []


@pytest.mark.parametrize(
    ("kind", "question"),
    [
        ("broken_words", "It was his birthday.The day after that was hers. Which day is today?"),
        ("broken_words", "The door couldn ’t be opened by her, however hard she pushed."),
        ("broken_words", "Which of of these flowers do the bees like best?"),
    ],
)
def test_damage_in_short_questions_is_found(kind: str, question: str) -> None:
    sample = family("answer").sample("answer")
    item = ItemContent("answer", "answer", {**sample.payload, "question": question})
    assert [defect.name for defect in item_defects(item)] == [kind]


def test_options_lettered_out_of_order_are_lettered() -> None:
    sample = family("choice").sample("choice")
    marks = ("A．", "C．", "(B)", "(D)")
    given = zip(marks, sample.payload["options"], strict=True)
    options = [f"{mark} {option}" for mark, option in given]
    item = ItemContent("choice", "choice", {**sample.payload, "options": options})
    assert [defect.name for defect in item_defects(item)] == ["option_lettered"]


@pytest.mark.parametrize(
    "lines",
    [
        "| Year | Place | Time |\n|---|---|---|\n" + "| 2004 | Athens | 48.1 |\n" * 20,
        "def read(self):\n" + "    self.gauges = {}  # see fig:gauge, a ** b , c\n" * 20,
    ],
)
def test_a_table_or_code_that_a_question_is_about_is_no_damage(lines: str) -> None:
    passage = f"{CLEAN.format('')}\n\n{lines}\nWhen was it read?"
    item = family("answer").sample("answer")
    payload = {**item.payload, "passage": passage}
    assert text_defects(ItemContent("answer", "answer", payload)) == []
    damaged = {**payload, "passage": f"{passage} {CLEAN.format('See fig:gauge for it.')}"}
    assert text_defects(ItemContent("answer", "answer", damaged)) != []


def test_an_empty_bracket_in_a_passage_is_still_a_loss() -> None:
    sample = family("answer").sample("answer")
    text = "This was shown before () and later by others." + LONG
    item = ItemContent("answer", "answer", {**sample.payload, "passage": text})
    assert [defect.name for defect in item_defects(item)] == ["lost_citation"]


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("not ( True ) and True is", "True"),
        ("这两句话的匹配程度如何？选项：完全匹配，部分匹配，不匹配", "部分匹配"),
        ("Is 2468 more than 1357?", "2468"),
    ],
)
def test_an_answer_that_a_question_has_to_name_is_not_given_away(
    question: str, answer: str
) -> None:
    sample = family("answer").sample("answer")
    fields = {**sample.payload, "question": question, "answers": [answer]}
    assert item_defects(ItemContent("answer", "answer", fields)) == []


def test_a_text_that_many_items_share_is_looked_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    shared = "Read the the sentence and say what follows."
    items = [
        ItemContent("instruction", "triplet", {"instruction": shared, "output": f"It is {n}."})
        for n in range(3)
    ]
    looked_at: list[str] = []

    class Counting:
        def first_matches(self, texts: Sequence[str]) -> Iterator[Found]:
            looked_at.extend(texts)
            return ANYWHERE.first_matches(texts)

    each = [item_defects(item) for item in items]
    monkeypatch.setattr("core.generation.text_defects.ANYWHERE", Counting())
    assert defects_of_items(items) == each
    assert all("broken_words" in [defect.name for defect in own] for own in each)
    assert looked_at.count(shared) == 1
