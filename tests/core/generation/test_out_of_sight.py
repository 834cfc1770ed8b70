"""Words that send a reader to what the item does not show, in every language that is read."""

import pytest

from core.generation.out_of_sight import points_to_a_figure, points_to_a_section


@pytest.mark.parametrize(
    "text",
    [
        "In this section, we have weighed the grain of every mill on the river.",
        "The mill, as we saw in the last section, is older than the dam.",
        "As mentioned above, the mill is older than the dam.",
        "The method described above grinds the grain in an hour.",
        "As discussed earlier, the mill is older than the dam.",
        "We will see below that the mill is older than the dam.",
        "The above-mentioned mill grinds the grain in an hour.",
        "This is how the mill is built, to explain later why it was moved.",
        "They are quite old, in fact, as the next result shows to whoever reads it.",
        "The previous theorem holds for every mill that has two wheels.",
        "In the last section of the thesis, two old mills are described at length.",
        "We list hereafter the mills of the river and what they lack.",
        "Dans cette section, nous avons pesé le grain de chaque moulin.",
        "Cette sous-section porte sur le grain du moulin.",
        "La partie suivante porte sur le grain du moulin.",
        "Comme indiqué plus haut, le moulin est plus ancien que la digue.",
        "Le moulin mentionné ci-dessus est plus ancien que la digue.",
        "Nous y reviendrons plus loin, car le moulin est ancien.",
        "In diesem Abschnitt wird das Korn jeder Mühle gewogen.",
        "Im nächsten Unterkapitel geht es um das Korn der Mühle.",
        "Wie oben beschrieben ist die Mühle älter als der Damm.",
        "Die oben genannte Mühle ist älter als der Damm.",
        "Auf die Mühle wird weiter unten eingegangen.",
        "En esta sección pesamos el grano de cada molino.",
        "Este apartado trata del grano del molino.",
        "En la sección anterior se pesó el grano del molino.",
        "Como se mencionó anteriormente, el molino es antiguo.",
        "El molino descrito más arriba es el más antiguo.",
        "In questa sezione pesiamo il grano di ogni mulino.",
        "Come descritto sopra, il mulino è più antico della diga.",
        "Nel paragrafo precedente abbiamo pesato il grano.",
        "Nesta seção pesamos o grão de cada moinho.",
        "Como mencionado acima, o moinho é o mais antigo.",
        "In deze paragraaf wegen we het graan van elke molen.",
        "Zoals hierboven beschreven is de molen ouder dan de dam.",
        "在本节中，我们称量了每座磨坊的谷物。",
        "上一节已经称量了每座磨坊的谷物。",
        "如前文所述，磨坊比水坝更古老。",
        "磨坊的年代将在下文中介绍。",
    ],
)
def test_words_point_to_another_part_of_the_text(text):
    assert points_to_a_section(text)


@pytest.mark.parametrize(
    "text",
    [
        "The above equation gives the weight of the grain.",
        "The weight of the grain follows from the following equation.",
        "The first table is that of the old mills, the second table is that of the new ones.",
        "The tables are separated into the weights of the grain and those of the sacks.",
        "A horizontal dashed line separates the old mills from the new ones.",
        "They do not appear in the first table, as their wheels were of wood.",
        "Ce tableau donne le poids du grain de chaque moulin.",
        "La figure ci-contre montre la roue du moulin.",
        "On voit sur ce graphique que le moulin tourne.",
        "Le poids du grain est donné par la formule suivante.",
        "Diese Tabelle zeigt das Gewicht des Korns.",
        "Die folgende Abbildung zeigt das Rad der Mühle.",
        "Das Diagramm zeigt, dass die Mühle sich dreht.",
        "Esta tabla muestra el peso del grano de cada molino.",
        "En la siguiente figura se ve la rueda del molino.",
        "El gráfico anterior muestra que el molino gira.",
        "Questa tabella mostra il peso del grano.",
        "La figura seguente mostra la ruota del mulino.",
        "O gráfico abaixo mostra o peso do grão.",
        "Nesta tabela vê-se o peso do grão.",
        "De onderstaande tabel toont het gewicht van het graan.",
        "从图中可以看出，磨坊转得更快。",
        "下表列出了每座磨坊的谷物重量。",
        "如上图所示，磨坊转得更快。",
        "由上式可知，谷物的重量不变。",
        "该表列出了每座磨坊的谷物重量。",
    ],
)
def test_words_point_to_a_figure_table_or_formula(text):
    assert points_to_a_figure(text)


@pytest.mark.parametrize(
    "text",
    [
        "In this section of the river, the water is cold. The lake above is colder.",
        "The mill stands above the village, and its owners came earlier than the guild.",
        "The temperature was below zero. The values above ten are those of the north.",
        "The first table of oak was carved for the guild. The next result was a ruin of stone.",
        "In the last section of the river, a line of stones separates the mills.",
        "This figure of the miller was carved in wood by the guild.",
        "The cross section of the beam is square, and that of the last one is round.",
        "Le moulin se trouve plus haut que le village, et plus loin de la rive.",
        "Cette partie du fleuve est calme. La section du tronc est ronde.",
        "La figure du meunier est sculptée dans le bois. Le tableau est de Rubens.",
        "Die Mühle steht oben am Hang, unten liegt das Dorf.",
        "Der Abschnitt des Flusses ist ruhig. Das Kapitel der Zunft ist alt.",
        "El molino está más arriba que el pueblo. La sección del tronco es redonda.",
        "La figura del molinero es de madera, y la tabla es de roble.",
        "Il mulino sta sopra il paese. La figura del mugnaio è di legno.",
        "O moinho fica acima da aldeia, abaixo do monte. A figura do moleiro é de madeira.",
        "模型利用上下文预测下一个词，磨坊的图像由该图像传感器给出。",
        "季节变化影响磨坊，图书馆保存了地图中心的档案。",
        "该图书馆在磨坊旁边，代表中有三位磨坊主。",
    ],
)
def test_words_that_point_to_nothing(text):
    assert not points_to_a_section(text)
    assert not points_to_a_figure(text)
