"""What outlines an article, in the languages that articles are in, and what only tells of work."""

import pytest

from core.generation.roadmaps import is_roadmap


@pytest.mark.parametrize(
    "text",
    [
        "Notre réflexion s'articule autour de trois axes. Nous nous attacherons aux moulins.",
        "Nous commencerons par décrire les moulins. Nous montrerons ensuite leurs digues.",
        "Nous présenterons le moulin. Dans un second temps, nous nous pencherons sur la digue.",
        "Ce mémoire est structuré en trois parties. La première porte sur les moulins.",
        "Nous allons ici étudier le moulin. Nous nous attacherons ensuite à la digue du fleuve.",
        "Zunächst werden die Mühlen vorgestellt. Anschließend wird der Damm beschrieben.",
        "Im Folgenden wird die Mühle erläutert. Abschließend werden die Dämme diskutiert.",
        "Die Arbeit ist wie folgt aufgebaut: am Anfang steht die Mühle.",
        "Das Kapitel gliedert sich in drei Teile, deren erster von Mühlen handelt.",
        "En primer lugar presentaremos los molinos. A continuación describiremos los diques.",
        "Se describirán los molinos y, por último, se discutirán los diques que hay.",
        "Este trabajo se estructura de la siguiente manera: primero los molinos.",
        "Presenteremo i mulini del fiume. Infine discuteremo le dighe.",
        "We begin by describing the mills. Then we discuss the dams that they have.",
        "We will introduce the mills first. Finally, we present the dams of the river.",
        "This section will introduce the mills. The next chapter then defines what a dam is.",
        "I will argue that the mill is older. I will then propose another count of its nests.",
        "In this review, we discuss the mills of the river. Finally, we explore what breaks dams.",
        "Here we look at mills. We begin with the idea of a dam, then explore how mills use it.",
        "We first review the mills. We then explain what the dams have to do with them.",
        "The article goes on in section 2 with mills. In section 3 are dams, in section 4 sacks.",
        "The mills in this section include old ones. The dams are not counted in this section.",
        "The sacks will be compared with the grain. Then the overlap of both will be analysed.",
        "In Chapter 4, we introduce the mills of the river. Their dams are of wood and stone.",
        "Each chapter is concluded with a list of exercises. Some of them have a solution.",
        "Chapter 3 mainly presents the mills of the river. Their dams are counted as well.",
        "The counts used in the thesis are presented in Chapter 2. The sacks come from a census.",
        "The topics of Chapter 5 are dams and their age. The reasons for it are to be explored.",
        "We next frame the mill as a wheel. Finally, we demonstrate its use. We first describe it.",
        "The results are organized as follows. The mills are weighed, and then their dams are.",
        "We will introduce the mills, which may be of wood or of stone, which we will do next.",
        "But before we do that, we observe a basic fact about the mills of the river.",
        "In the first part, we will cover mills, which is the study of wheels in rivers.",
        "We conclude this lecture with a note on mills. Their dams are as old as they are.",
        "Firstly, it defines the mill. Next, it analyses in depth two dams of the river.",
        "Next, we introduce the mills of the river. Then we quickly describe the two old dams.",
        "First, a formal mill is given. Then, its wheel is explored and the dam is discussed. "
        "Furthermore, the river is presented.",
        "At this point we want to study the mills. They are of wood, and their dams of stone.",
        "We have discussed in the chapter the mills of the river. Their dams are of stone.",
        "Let us now describe how the mill is built. The grain is put into it from above.",
        "The team will be exploring the mills. Each member will consider one of the dams.",
        "Il lavoro è strutturato come segue: si comincia dai mulini. Poi si guardano le dighe.",
        "La tesi è organizzata in tre parti. La prima tratta dei mulini del fiume.",
        "Passiamo ora a illustrare i limiti di questi mulini. Le dighe sono di legno.",
        "Ci accingiamo ora a descrivere il mulino. Le dighe sono di legno.",
        "Es soll ein Rad vorgestellt werden, das sich dreht. Zusätzlich wird auf den Damm "
        "eingegangen, der es trägt.",
        "We will now discuss these mills in greater detail, with a focus on their dams.",
        "这部分将分析不同类型的水磨。一般来说，水磨也要稳定。",
        "Pasamos ahora a describir los molinos. Los diques son de madera.",
        "除此之外，水坝也要稳定。下面介绍这种水磨的原理和实现。",
        "水坝一般都用木头。下面我将以水磨为例，介绍它的原理。",
        "首先，在第 2 章，我们对水磨进行数学建模，并简单介绍了本文用到的水坝。",
        "最后，第六章对前几章的工作进行了总结，在此基础上对水坝给出了若干评注。",
    ],
)
def test_what_will_be_told_is_an_outline(text):
    assert is_roadmap(text)


@pytest.mark.parametrize(
    "text",
    [
        "Nous serons heureux de voir le moulin. Nous pourrons y revenir, et nous aurons du pain.",
        "Nous verrons que le moulin tourne. Les environs du moulin sont calmes et verts.",
        "Zunächst wird das Korn gewogen. Anschließend wird es zwischen den Steinen gemahlen.",
        "Die Mühle ist aus Holz gebaut. Der Damm ist wie folgt gesichert: mit Steinen.",
        "Los molinos estarán parados. Los diques serán de piedra y durarán cien años.",
        "We first weighed the grain. Then we ground it, and finally we counted the sacks.",
        "We will present the sacks to the miller, who weighs what is in them at once.",
        "This paper shows that the mills are older. The next mill that we saw was a ruin then.",
        "As shown in Chapter 3, the mills are older. They present a wall of stone to the river.",
        "The dams of Chapter 5 are older. In Chapter 2 the sacks were counted by hand.",
        "The chapter of the guild is older than the mill. It was divided by a quarrel.",
        "The grain will be ground in the mill. In this section of the river, it will be wet.",
        "The first chapter of the chronicle is on mills. Its second section is a ruin of stone.",
        "First, it grinds the grain. Next, it weighs the sacks, and then it counts them all.",
        "We first sieve the grain. Then we evaluate its weight, and finally we demonstrate a sack.",
        "First, the grain is weighed. Then, it is ground, and all of the flour is given out.",
        "In the first part of the year, we saw mills. Before we do it again, the dam has to dry.",
        "The results are organized in sacks. The grain is divided in the mill by weight.",
        "Le moulin se compose de deux roues. Le travail du meunier commence à l'aube.",
        "Il lavoro è organizzato in turni. Passiamo ora per il mulino e per la diga.",
        "Es soll ein Rad gebaut werden. Auf den Damm wird dabei geachtet.",
        "The guild will now review its mills. 这部分水磨将由行会分析。",
        "水坝的下面是石头，旁边的牌子介绍了水磨。接下来的十年里，水坝一直稳定。",
    ],
)
def test_what_was_done_or_will_come_is_none(text):
    assert not is_roadmap(text)
