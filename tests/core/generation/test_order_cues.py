"""Pieces that say by a number where they stand, in the languages that articles are in."""

import pytest

from core.generation.order_cues import order_cue


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
        ("首先，在第 2 章，我们描述水坝。", "在第 3 章中，我们描述水磨。"),
        ("First, in Section 2, we describe mills.", "Finally, Section 5 describes dams."),
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
        ("In the last decade the mill stood.", "In the second half of it the dam held."),
    ],
)
def test_one_ordinal_or_a_word_that_looks_like_one_tells_nothing(first, second):
    assert not order_cue([second, first], 10)
