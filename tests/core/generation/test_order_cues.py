"""Pieces that say by a number where they stand, in the languages that articles are in."""

import pytest

from core.families import family
from core.families.base import ItemContent
from core.generation.order_cues import order_cue
from core.generation.text_defects import text_defects


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("First, the mill stands.", "Second, the dam holds."),
        ("Premièrement, le moulin tient.", "Deuxièmement, la digue tient."),
        ("Tout d’abord, le moulin tient.", "Enfin, la digue tient."),
        ("Voici mon idée : tout d'abord, le moulin tient.", "En deuxième lieu, la digue tient."),
        ("En primer lugar, el molino está.", "En segundo lugar, el dique está."),
        ("Primero, porque el molino está.", "Segundo, porque el dique está."),
        ("El primer molino está lejos.", "Por último, el dique está cerca."),
        ("Erstens steht die Mühle.", "Zweitens hält der Damm."),
        ("Der erste Damm hält.", "Der zweite hält nicht."),
        ("首先是批发部，订单由电脑发出。", "其次是零售业，以水磨坊为主。"),
        ("第一，把货栈改成中心。", "最后是运输的规范化。"),
        ("In primo luogo, il mulino sta.", "Infine, la diga tiene."),
        ("In the first step, the mill stands.", "In the second one, the dam holds."),
        ("For the first of them we take the mill.", "For the third we take the dam."),
        ("Fifth, our prompt asked for reasons.", "Sixth, we measured it in three vignettes."),
        ("Fifth, our prompt asked for reasons.", "And the seventh mill stands alone."),
        ("Quatrièmement, le moulin tient.", "Sixièmement, la digue tient."),
        ("Viertens steht die Mühle.", "Fünftens hält der Damm."),
        ("第三，水磨坊停工。", "第四，水坝重建。"),
        ("首先，在第 2 章，我们描述水坝。", "在第 3 章中，我们描述水磨。"),
        ("First, in Section 2, we describe mills.", "Finally, Section 5 describes dams."),
        ("In Study 4, we test whether the mill stands.", "In Study 5, we test the dam."),
        ("In Experiment 1 the mill stood.", "Experiment 2 was made with the dam."),
        ("La branche numéro un porte un moulin.", "La branche numéro deux porte une digue."),
        ("Die Mühle Nummer eins steht.", "Die Mühle Nummer drei steht nicht."),
        ("这其中面临着许多难题：其一，是水磨的效率。", "其二，水坝的数量十分庞大。"),
        ("水磨有两个问题，一是效率，首先，是水量。", "其次，水坝的数量十分庞大。"),
    ],
)
def test_ordinals_of_two_pieces_tell_their_order(first, second):
    assert order_cue([second, first], 10)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("La primera vez nadie miró.", "El dique está donde estaba."),
        ("Primera is the name of a mill.", "Primera is also the name of the dam."),
        ("第一次测量在夜里进行。", "第二次世界大战后水坝重建。"),
        ("最后的结果写在书里。", "其次是零售业，以水磨坊为主。"),
        ("Ersatz wird nicht gebraucht.", "Schließlich hält der Damm."),
        ("Tenth Street has a mill.", "The dam holds a tenth of the water."),
        ("第四纪的水坝。", "第四次测量在夜里进行。"),
        ("In the last decade the mill stood.", "In the second half of it the dam held."),
        ("Study design matters at the mill.", "In Study 4, the dam was tested."),
        ("La rue numéro un est étroite.", "Elle mène au moulin."),
        ("这其中面临着许多难题：其一，是水磨的效率。", "水坝的数量十分庞大。"),
    ],
)
def test_one_ordinal_or_a_word_that_looks_like_one_tells_nothing(first, second):
    assert not order_cue([second, first], 10)


def test_a_number_in_sight_and_the_next_in_what_belongs_there_are_a_cue() -> None:
    def found(item: ItemContent) -> bool:
        return "ordinal_cues" in {defect.name for defect in text_defects(item)}

    asked, masked = family("scp").sample("prediction"), family("scp").sample("cloze")
    payload = {**asked.payload, "context": "Fifth, it rained. The mill was wet and stood still."}
    options = [*payload["options"]]
    for place in range(len(options)):
        numbered = [*options[:place], f"Sixth, {options[place]}", *options[place + 1 :]]
        item = ItemContent("scp", "prediction", {**payload, "options": numbered})
        assert found(item) == (place == payload["key"])
    text = f"Chapter 4 is on mills. {masked.payload['text']}"
    candidates = [f"Chapter 3 is on dams. {masked.payload['candidates'][0]}"]
    candidates += masked.payload["candidates"][1:]
    assert found(
        ItemContent("scp", "cloze", {**masked.payload, "text": text, "candidates": candidates})
    )
    assert not found(ItemContent("scp", "cloze", {**masked.payload, "text": text}))
