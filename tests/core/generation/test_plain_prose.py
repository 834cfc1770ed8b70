"""The grammar of plain prose: what it accepts, and each kind of damage that it must refuse."""

import pytest

from core.generation.article_items import generate_from_article
from core.generation.fragments import ArticleText
from core.generation.plain_prose.judge import REASONS, PlainProse, language_of
from core.generation.run import reason_text
from core.generation.spec import ScpSpec
from core.sources.articles.article import Block
from core.sources.articles.prose.dictionary import english_words
from tests.core.generation.conftest import article, prose

_BEFORE = "We walked along the river in the morning and counted the birds that we could see. "
_BEHIND = " The counts were written down by two of us, and none of them was changed later."


def why(text: str, *others: str) -> str | None:
    """The verdict on a paragraph of an article with these other paragraphs."""
    own = [_BEFORE + _BEHIND.strip(), *others]
    return PlainProse([text, *own], [text, *own]).why_not(text)


CLEAN = (
    "Let $F_0$ be a field that holds all of it, and let u, v ∈ F be two of the roots in it.",
    "For a set k ⊆ F of nests we write d(u, v) for the least of the distances between two of them.",
    "The sum $\\sum_i x_i$ of the weights $w_1$ and $w_2$ is then as large as that of all of them.",
    "The mean of the counts rose from 12 to 31 in four years, although the river was low.",
    "Smith and Jones (2010) saw the same, as did others (Brown et al., 2012; Green, 2015).",
    "The share of adults (about 40%) did not change, and neither did the number of nests.",
    "Birds of the genus Corvus are common here; they nest in the old trees near the mill.",
    "The river is wide. Old mills with many nests hardly change at all.",
    "This duplication increases costs. The mill is old.",
    "The nests were counted as by van der Brown (2011), and by Smith et al. (2012).",
    "The nests were counted as before by van der Brown and Smith (2011).",
    "Some of the nests (i.e. the old ones, etc.) were found by Mr. Brown at 6 a.m. in May.",
    "“We had no choice,” said the keeper, who has lived there since the winter of 1998.",
    "The effect was small (Cohen’s measure was 0.2), but it was there in both of the years.",
    "We use a hidden Markov model (HMM) because the state of the nest cannot be observed.",
    "In this case $\\alpha$ is the rate of decay, and it was fixed for all of the analyses.",
    "A long-term study needs well-trained and patient people, e.g. those of the local club.",
    "The temperature was 3 °C lower than in spring, so that most of the eggs did not hatch.",
    "It isn’t clear why they left: there was food, and nobody had been near the colony.",
    "The difference between the years was significant (p < 0.05) for each of the species.",
    "One of the sentences that the keeper wrote says so, and two words that he used do not.",
    "The nests were few – indeed the keeper saw none – and the old mill was left alone.",
    "The mill – Europe’s oldest – has many nests, and the keeper has counted all of them.",
    "The keeper counted the nests. And he was right to do so. Or so it seemed to all of us.",
    "The keeper was at the mill on May 12 2010 and came back to it in each of the years.",
    "The nests were few, as others had said before (Smith, 2015), in both of the years.",
    "The keeper counted the nests. For instance, he saw them. For example, it is an old one.",
    "Figure 3 shows the number of nests, which the model predicts well for the first two years.",
    "The score was 0.93 and 0.99 in the two years, the mean weight 2.5, and the median was 3.1.",
    "It ran on Python 3.5, with a share of the nests higher than 0.5, a mean of 1.9, and no loss.",
    "The nests were counted by NASA (2013) and by the old club, and NOAA (2014) did so as well.",
    "However, Brown (2013) counted the nests, and Green (2014) and others did so as well.",
)

DAMAGED = {
    "odd_brackets": (
        "It is the tree that the keeper had to climb through Brown (2013).",
        "The keeper names the nests that nobody has ever heard of before Brown et al. (2013).",
        "The nests are counted one after the other Brown (2013).",
        "The counts rely on two books as described above Brown (2013) and Green et al. (2014).",
        "It is clear that noise is required to form the MNO Brown et al. (2008) and Green (2012).",
        "The nests were counted as explained below Brown et al. (2013) and then lost again.",
        "The keeper looks at the tree and takes the nests from it Brown and Smith (2013).",
        "The nests are counted by the double method Brown and Green (2013) and then lost.",
        "The second is called the double method Brown and Green (2013, sec. 11.3) and it is older.",
        "A minimum count of (motivated by the old mill) could be handled by the keeper as well.",
        "The nests were counted with a rate of (see the mill), which was the same in both years.",
        "The mills were counted (TITAN and GROMACS Brown et al., 2013 for the best known of them).",
        "The use of the old counts leads (Brown et al., 2016) to the view that nests are rare.",
        "The count of the second year extends (Brown, 2016) to the nests of the old mill.",
        "Iteratively, (Brown and Green, 1994) counted the nests of the mill in each of the years.",
        "In the second of the years, (Brown, 1994) had counted the nests of the old mill twice.",
        "The nests are robust to the “noise of the mill” (cite here?) that the keeper has made.",
        "The nests are robust to the noise (citation needed) that the keeper of the mill has made.",
        "The nests are robust to the noise (ref?) that the keeper of the old mill has made.",
        "The nests are robust to the noise (which one?) that the keeper of the old mill has made.",
        "The counts are shown for both of the years (Table 2) and for the old mill.",
        "The nests were counted as before (see Section 4.2) in each of the two years.",
        "The nests were few (Corollary 1) in both of the years and at the old mill.",
        "The nests were few (by condition CE6) in both of the years and at the old mill.",
        "The nests were counted as before (figure 1, parts a to d) in each of the two years.",
        "The nests were counted as in (4) and the sum was taken over both of the years.",
        "The nests were counted by the keeper (FIGURE) in the spring of the second year.",
        "The nests were counted by the keeper (Gil2022?) in the spring of that year.",
        "(Smith et al. 2015) counted the nests of the mill in each of the two years.",
        "The nests were few. (Smith and Brown 2015) counted them in the second year.",
        "The count of the nests is inspired by (Smith and Brown 2015), who had two years.",
        "We follow the count of (Smith, 2015) in each of the two years of the study.",
        "The nests were counted as in (Brown et al., 2012; Green, 2015) and in the mill.",
        "Indeed (Brown et al., 2012) counts the nests of the mill in each of the two years.",
        "For the cost of a count, consider (Brown, 2012) which has it for each of the years.",
    ),
    "odd_signs": (
        "The light of the mill is $0.1 \\times 10^{-3}\\ \\textrm{W/m{2}}$ in both of the years.",
        "The nests were counted by the keeper [12] in the spring of the second year.",
        "The nests were counted in the garden (#storing-nests) and in the old mill.",
        "It was the 20^th^ of May when the first of the nests was found by the keeper.",
        "The nests were found in the \\textit{old} mill when the keeper was not there.",
        "We count the nests for all n = 1, …, N and take the mean over both of the years.",
        "The rate is a = b + c for the nests, which is the same for both of the years.",
        "The value < < 1 is small and so the nests can be counted one after the other.",
        "> The nests were counted by the keeper, and I do not think that this is enough.",
        "The nests were counted.. They were found by the keeper in the old mill.",
    ),
    "odd_spacing": (
        "The nests were counted by the keeper ( see above ) in each of the two years.",
        "The lemur,Microcebus was seen by the keeper in each of the two years of study.",
        "The setting(9) was kept for all of the nests that were counted in that year.",
        "The nests , which were counted by the keeper, were found in the old mill.",
        "Nest lengths.– Relative lengths were taken by the keeper in both of the years.",
        "The nests were found in the mill–—how could it be otherwise in such a year.",
        "The nests were found –as one would hope– in the old mill near the river.",
        "The nests were counted by the keeper –- who knows the mill –- in both of the years.",
        "He said: “The nests were all counted. Not one was lost.” The keeper was sure of it.",
        'The keeper said "we counted them. It took two days." Nobody had asked him for it.',
    ),
    "lost_words": (
        "The nests of the mill are discussed in the references, and the keeper knew them all.",
        "The approach of and others was used by the keeper in each of the two years.",
        "We measure the of the nests in each of the two years that the study had.",
        "For a comparison of the counts of the years that the keeper made, see B.",
        "The comparison of both of the years of the study is given by the keeper in C.",
        "The number depends on the age of the mill and can be written as. The nests are few.",
        "The number of the nests in both of the years is given by. The keeper knew it well.",
        "The nests of the old mill are described in 4.2, and the keeper had counted all of them.",
        "The nests were counted with an accuracy of X and a weight that the keeper knew.",
        "The nests were counted by the keeper with an accuracy of X nm in both years.",
        "The nests were counted and and then they were written down by the keeper.",
        "The first count of the nests was done in the seminal, albeit in another old mill.",
        "The nests are counted in the way of the pioneering; it takes more than two years.",
        "In paper, a way to count the nests of the old mill is shown for both of the years.",
        "In article the keeper shows a way to count all the nests of the old mill by night.",
    ),
    "addressed": (
        "Show that the counts of both of the years are as large as those of the mill.",
        "All of the counts of both of the years are available here and archived elsewhere.",
        "ADD the number of nests here. Please write how the keeper had counted them.",
        "We thank the keeper for his help with the nests in both of the two years.",
        "The referee is right that the nests were not counted in the second year.",
        "Insert the text about the nests here and say who had counted them in May.",
        "One or two sentences providing a basic introduction to the field of the study.",
        "One sentence summarizing the main result that the study of the nests has had.",
        "One or two sentences to put the results of the study into a more general context.",
        "Two to three sentences of more detailed background that the keeper can understand.",
        "Two to three sentences explaining what the main result reveals about the nests.",
        "I am the sole author of the counts and I have also written down most of the years.",
        "The keeper and I have both contributed to it equally in each of the two years.",
        "This thesis is the result of my own work and of the keeper who counted the nests.",
        "You are a precise reasoning assistant. You count the nests that the keeper shows.",
        "Thanks to the keeper of the mill, for counting the nests in both of the years.",
        "Finally, I acknowledge all those who had counted the nests in both of the years.",
        "To my family and friends who supported the counts, your encouragement was a help.",
        "You are an extension of this method. It knows the nests that are in the old mill.",
        "You can then go on and count the nests. The old mill is where all of them are.",
        "Let’s go ahead and count the nests of the old mill, where all of them are.",
        "Your instrument is reading the nests, and the old mill is where all of them are.",
        "I would not finish without crediting all of those who had counted the nests.",
        "There is little that can encompass my gratitude for the love and support of them.",
        "As I reflect on my doctorate, the old mill comes to my mind as the best of it.",
        "Note that the language underlying all of this needs to be adjusted to the old mill.",
        "The paragraph on the nests should still be rewritten once the counts are known.",
    ),
    "run_in_heading": (
        "Significance Larger mills have more nests in each of the years of that study.",
        "Results: We counted the nests of the old mill in both of the two years.",
        "Study area. We counted the nests of the old mill in both of the years.",
        "Table 2: The nests of the old mill that were counted in both of the years.",
        "Note on the mill: The nests are counted by the keeper in both of the years.",
        "Limits of the Second Count While the keeper was away nobody was there.",
        "The nests were few. 3 The keeper had not been there in the first year.",
        "Mill-based further analysis. A parallel set of the nests was counted by him.",
        "It was an old mill in the town (Brown, 1976) Its exact age is not well known.",
        "It was an old mill in the town Their exact age is not well known to the keeper.",
        "One proposed answer: the old mill – There is a growing interest in its nests.",
        "Is it the right count? – Last but not least, one should know about the old mill.",
        "The nests were few. What is a nest? — The keeper of the old mill has his own view.",
        "Critical appraisal – This count of the nests has limits that should be known.",
        "The nests were few. Limits – These counts have limits that should be known.",
        "Second count – Keepers of the old mill were asked to write down the nests.",
    ),
    "no_full_sentences": (
        "Koh and Green. suggest that the nests were counted twice in each of the years.",
        "The nests were counted in May. the keeper was there on each of the days.",
        "The nests were counted by the keeper and they were then:",
        "2. The nests were counted by the keeper in each of the two years.",
        "The nests were found in many mills. Grove, Meadow, Mill House, Marsh, Brook.",
        "The nests are counted at the same time for both of the years of the study, i.e.",
        "The keeper selects the nests that were counted. And the old mill to be used.",
        "The keeper had counted the nests of the mill. Or the number of its old trees.",
        "The keeper had counted the nests. For instance the old ones of the mill in it.",
        "The keeper had counted the nests. For example, the old ones of the mill in it.",
    ),
    "unclear_numbers": (
        "The nests were counted by the keeper 14 and then by two of his friends.",
        "The keeper lost about 35 40% more of the nests in the second year than before.",
        "The keeper had counted 1200 1300 nests in the old mill in both of the years.",
        "Further counts showed that there are nests and young birds 6.5. The keeper saw them.",
        "This is the now famous bird diagram 1.4, in which the keeper had drawn the mill.",
        "The nests were from 3.5 4.1 metres above the river in each of the two years.",
        "The rate was set to 5 10⁻⁶ for all of the nests that were counted by the keeper.",
    ),
    "unknown_words": (
        "By adapt-ing the count to the mill the keeper saw more nests in both of the years.",
        "The keeper how-ever was sure that the nests of the old mill are all lost.",
        "Unfortuntately, the nests were not counted in the second of the two years.",
        "The HuggerTM was used for all of the nests, and the HuggerTM was then cleaned.",
        "The 3MTM device was used for all of the nests that were counted in that year.",
        "The variance τ2 was the same for all of the nests that were counted in that year.",
        "The mill covers 12 km2 of land, and the nests were found in all of the parts of it.",
        "The fullsample of the nests was counted by the keeper in the second year.",
        "SIn order to count the nests, the keeper went to the old mill every day.",
        "The nests were countedby the keeper in each of the two years of the study.",
        "We followed the keeper smith2010 when the nests were counted in the mill.",
        "CHECK whether the nests of the mill were counted by him in the second year.",
    ),
    "other_language": ("Die Nester wurden von dem Wärter in beiden Jahren gezählt und notiert.",),
}


@pytest.mark.parametrize("text", CLEAN)
def test_clean_running_text_is_accepted(text):
    assert why(text + _BEHIND) is None


@pytest.mark.parametrize(
    ("reason", "text"), [(reason, text) for reason, texts in DAMAGED.items() for text in texts]
)
def test_damaged_text_is_refused_and_told_why(reason, text):
    assert why(text) == reason


def test_an_article_may_use_rare_words_of_its_own():
    text = "The tessellograph was set up by the keeper on each of the days of that study."
    assert why(text) == "unknown_words"
    assert why(text, "The tessellograph is heavy.") is None
    code = "The sample NGC891b was then seen by the keeper on each of the days of the study."
    assert why(code) == "unknown_words"
    assert why(code, "We call it NGC891b.") is None


def test_a_genus_may_be_shortened():
    text = "The nests were counted in A. thaliana by the keeper on each of the days of that study."
    assert why(text, "Arabidopsis thaliana is small.", "A. thaliana is seen.") is None


@pytest.mark.parametrize("twice", ["the old nests the old nests", "across tasks across tasks"])
def test_words_that_stand_twice_are_refused(twice: str) -> None:
    text = f"The keeper counted what he saw {twice} and wrote it down for us in both years."
    assert why(text) == "lost_words"
    assert why(text.replace(twice, twice[: len(twice) // 2])) is None


@pytest.mark.parametrize(
    ("reason", "text"),
    [
        ("addressed", "The stars form with low velocities and momenta add citations." + _BEHIND),
        ("addressed", "I am proud of the job we have done and of the nests we found." + _BEHIND),
        (
            "addressed",
            "The paper should not call the nests old, as they were not counted." + _BEHIND,
        ),
        ("addressed", "Personally, I learned a new way to count the nests." + _BEHIND),
        ("addressed", "I am deeply interested in mills, and I have learned a lot here." + _BEHIND),
        ("addressed", "During my internship the keeper has counted all of the nests." + _BEHIND),
        ("addressed", "I dedicate this work to the keeper who has counted the nests." + _BEHIND),
        (
            "lost_words",
            "This contrasts with other counts e like depth, where we see less." + _BEHIND,
        ),
        ("addressed", "An abstract of a thesis should be concise and to the point." + _BEHIND),
        ("addressed", "An abstract may contain a maximum of five keywords here." + _BEHIND),
        ("lost_words", "The nests were one of the needs of the mill as listed in 3.3." + _BEHIND),
        ("run_in_heading", "The Single Nest Scenario and the Old Mill Process: The nests are old."),
        ("run_in_heading", "Think Tanks and Research Mills: Several mills of the river run."),
        ("run_in_heading", "MDB Reports: In addition to the mills, the nests are counted."),
        (None, "We saw in each of the two years one thing: The nests are old." + _BEHIND),
    ],
)
def test_notes_dedications_bare_numbers_and_longer_headings_are_refused(reason, text):
    assert why(text) == reason


@pytest.mark.parametrize("lost", ["see e.g., and others do so", "e.g. and the rest of them"])
def test_an_example_that_is_missing_is_refused(lost: str) -> None:
    text = f"The keeper counted all of the nests, {lost}, in each of the two years."
    assert why(text) == "lost_words"


def test_a_joined_word_does_not_become_right_by_standing_twice():
    text = "The fullsample of the nests was counted by the keeper in the second of the years."
    assert why(text, "The fullsample is large.") == "unknown_words"


@pytest.mark.parametrize("word", ["identication", "rst", "ow", "signicant", "adapt-ing"])
def test_what_a_page_took_from_a_word_does_not_become_right_by_standing_twice(word: str) -> None:
    text = f"The {word} of the nests was seen by the keeper in the second of both years."
    other = f"The {word} is old. The ing adapt is large, and creasingly so."
    assert why(text, other, f"No {other}") == "unknown_words"


@pytest.mark.parametrize(
    "word", ["feed-back", "co-operation", "re-evaluation", "work-flow", "non-linear", "so-called"]
)
def test_words_that_may_be_written_with_a_hyphen_are_known(word: str) -> None:
    assert why(f"The {word} nests were seen by the keeper in the second of both years.") is None


def test_a_paragraph_as_long_as_a_chapter_is_none():
    assert why(CLEAN[0] + _BEHIND * 300) == "no_full_sentences"


CHINESE = (
    "本研究在两个年度内记录了河边鸟巢的数量，并由两名观察者分别核对。"
    "结果表明，第二年的数量明显高于第一年，其中春季最多。"
)


@pytest.mark.parametrize(
    ("reason", "text"),
    [
        (None, CHINESE),
        (None, CHINESE + "我们在2019年共记录了35个鸟巢，占总数的24.5%。"),
        ("odd_spacing", "本研究 在两个年度内记录了河边鸟巢的数量，并由两名观察者分别核对。"),
        ("odd_spacing", "河边空气的初始质量为4.7617×10³ kg/，并由两名观察者分别核对。" + CHINESE),
        ("odd_spacing", "本研究在两个年度内记录了河边鸟巢的数量,并由两名观察者分别核对。"),
        ("odd_spacing", "x本研究在两个年度内记录了河边鸟巢的数量，并由两名观察者分别核对。"),
        ("odd_signs", "本研究在两个年度内记录了河边鸟巢的数量[20]，并由两名观察者分别核对。"),
        ("odd_signs", "本研究在两个年度内记录了河边鸟巢的数量^[1]^，并由两名观察者分别核对。"),
        ("odd_spacing", "（二）本研究在两个年度内记录了河边鸟巢的数量，并由两名观察者核对。"),
        ("run_in_heading", "关键词：本研究在两个年度内记录了河边鸟巢的数量，由两名观察者核对。"),
        ("run_in_heading", "第五章系统测试与评估。" + CHINESE),
        ("run_in_heading", CHINESE + "第三章垃圾邮件过滤算法实现。"),
        (None, CHINESE + "第三章介绍了记录鸟巢数量的方法，并说明了两名观察者的分工。"),
        ("odd_brackets", "本研究在两个年度内记录了河边鸟巢的数量（见图3），并由观察者核对。"),
        ("unclear_numbers", "本研究在两个年度内记录了河边的鸟巢12，并由两名观察者分别核对。"),
        ("unclear_numbers", CHINESE + "鸟巢的数量并没有明显的变化，这一点在5中会详细介绍。"),
        ("unclear_numbers", CHINESE + "鸟巢数量的记录方法见3.2，观察者的分工也在那里说明。"),
        ("unclear_numbers", CHINESE + "我们根据2.1中的方法记录了鸟巢的数量，并分别核对。"),
        ("unclear_numbers", CHINESE + "此外， 4.2也揭示了鸟巢的数量，并由两名观察者核对。"),
        ("unclear_numbers", CHINESE + "为便于核对，3.1给出了河边鸟巢的数量以及位置。"),
        (None, CHINESE + "此外，2.5也是鸟巢数量的平均值，表4.2也揭示了这一点。"),
        (None, CHINESE + "在5个鸟巢中有3个是新的，在2019年的记录中也是如此。"),
        (None, CHINESE + "这一点在第5章中会详细介绍，两名观察者的分工见第3.2节。"),
        ("addressed", "衷心感谢导师王某研究员将我带入这个领域，并为本研究提供了条件。"),
        ("addressed", "希望向所有帮助过我的老师以及家人表示由衷的感谢，并祝他们健康。"),
        ("addressed", "他们的言传身教将使我终生受益，本研究在两个年度内记录了鸟巢。"),
        ("run_in_heading", "登录模块：用户输入手机号码和密码，完成登录以后可以查看信息。"),
        (None, "结果表明：在两个年度内河边鸟巢的数量并没有明显的变化。" + CHINESE),
        ("odd_spacing", "他说：“我们记录了鸟巢的数量。没有遗漏任何一个。”本研究因此可靠。"),
        ("unknown_words", "用户之问通过关系建立联系，两名观察者分别核对了鸟巢的数量。"),
        ("unknown_words", "但足大部分研究都是从一个角度进行的，因此鸟巢的数量没有核对。"),
        (None, "这就足以说明时间问题，空间问题与期望之间的关系也由观察者核对。" + CHINESE),
        ("no_full_sentences", "在春季开始记录鸟巢的数量之前。" + CHINESE),
        ("no_full_sentences", CHINESE + "从不同的记录方向来看。两名观察者都核对了鸟巢的数量。"),
        (None, CHINESE + "在春季开始之前，两名观察者已经分别核对了鸟巢的数量。"),
        ("addressed", "感谢友人，她让我清醒地认识到不止有一个鸟巢，淬炼我的敏锐，使我好奇。"),
        ("addressed", CHINESE + "感谢课题组各位同仁，他们为本研究提供了许多的帮助与支持。"),
        ("addressed", "最后，特别感谢北方大学的师兄，从五年前相识起，他见证了我的成长。"),
        ("lost_words", CHINESE + "记录主要包含主要包含了总数和分布两个部分，由两人核对。"),
        (
            "lost_words",
            CHINESE + "在认同的多元变化中心理学中的认同通常与自我紧密相连注重的是个体层次"
            "其本意是一个个体对另一个个体的接纳以及理解。",
        ),
        ("lost_words", CHINESE + "某些数据节点节点能够向其他观察者发送鸟巢的总数与位置。"),
        ("lost_words", CHINESE + "这些变化对河流排水排水系统的影响由两名观察者分别核对。"),
        (None, CHINESE + "观察者一个一个地核对鸟巢，未来越来越多的记录要做到端到端检测。"),
        (None, CHINESE + "很久很久以前，许多许多观察者非常非常认真地核对了鸟巢的数量。"),
        ("lost_words", CHINESE + "从从空间中采样的初始策略开始，每次迭代计算鸟巢的数量。"),
        (None, CHINESE + "其目的地就在河边，他们了解了鸟巢的数量，并谈论是是非非的问题。"),
        ("addressed", "国际研究生一般应以中文或英文书写学位论文，格式要求同上。论文须用中文封面。"),
        (
            "addressed",
            "结论应包括论文的核心观点，主要阐述作者的创造性工作及其作用和意义。" + CHINESE,
        ),
        ("addressed", "研究生学位论文是学术作品，因此其表述要严谨简明，避免使用文学性质的语言。"),
        (None, CHINESE + "本论文提出的方法应当适用于其他河流，正文中的结论也说明了这一点。"),
        (None, CHINESE + "受访的农户很感谢保护区的工作人员，并愿意继续参加记录。"),
        ("other_language", CHINESE + "各个年度的数量如Figure 3所示，由两名观察者核对。"),
        ("odd_spacing", CHINESE + "河边的鸟巢由两名观察者记录； BP网络用来核对各年的数量。"),
        ("addressed", "通过这次毕业设计，我学到了很多关于鸟巢的知识，也感到十分自豪。"),
        ("addressed", "各位老师好，我的论文题目是河边鸟巢的数量，下面由我进行汇报。"),
        ("addressed", "感谢各位老师的帮助，本研究在两个年度内记录了河边鸟巢的数量。"),
        ("no_full_sentences", "本研究在两个年度内记录了河边鸟巢的数量，并由两名观察者分别核对"),
    ],
)
def test_chinese_has_a_grammar_of_its_own(reason, text):
    assert PlainProse([CHINESE, text], [CHINESE, text]).why_not(text) == reason


def test_other_languages_are_judged_by_their_signs_alone():
    clean = "Die Nester wurden von dem Wärter in beiden Jahren gezählt. Er war jeden Tag dort."
    dirty = "Die Nester wurden von dem Wärter (Abb. 3) in beiden Jahren gezählt und notiert."
    grammar = PlainProse([clean, dirty], [clean, dirty])
    assert grammar.language == language_of(clean) == "other"
    assert grammar.why_not(clean) is None
    assert grammar.why_not(dirty) == "odd_brackets"


@pytest.mark.parametrize(
    "lost",
    [
        "Ce programme est motivé par les travaux de et de.",
        "Les nids du moulin sont discutés notamment dans les références.",
        "Les résultats sont complétés des travaux de, qui sont plus anciens.",
        "Le mécanisme discuté par est un processus de la rivière.",
        "Die Nester wurden von und dem Wärter gezählt.",
        "Die Zahl der Nester entspricht dem Ergebnis von.",
    ],
)
def test_other_languages_lose_no_word_either(lost):
    clean = "Les nids ont été comptés par le garde pendant deux ans. Il y était tous les jours."
    assert PlainProse([clean, lost], [clean, lost]).why_not(clean) is None
    assert PlainProse([clean, lost], [clean, lost]).why_not(f"{clean} {lost}") is not None


@pytest.mark.parametrize(
    ("reason", "text"),
    [
        ("no_full_sentences", "Os ninhos foram contados no moinho velho. uas penas são cinzentas."),
        ("run_in_heading", "Fonte: DGO com base nos dados do moinho velho e do guarda do rio."),
        ("run_in_heading", "Quadro 3. Os ninhos do moinho velho que o guarda contou."),
        ("lost_words", "Os ninhos do moinho velho foram contados em em 1993 pelo guarda do rio."),
        ("odd_spacing", "Lei n.º 60-A de 2008 - Estabelece a possibilidade de contar os ninhos."),
        ("odd_spacing", "Os ninhos do moinho velho(que são dois) foram contados pelo guarda."),
        ("odd_spacing", 'O moinho, uma casa de ninhos "Os ninhos foram contados pelo guarda.'),
        ("odd_spacing", "Les nids du moulin sont ceux de leur choix Le tout est compté par lui."),
        ("odd_spacing", "Os ninhos do moinho velho,- que são dois, foram contados pelo guarda."),
        ("odd_spacing", "Il leur demande de dessiner Un homme sur un mur du vieux moulin blanc."),
        (None, "Les nids du moulin sont décrits dans Le Monde, et Le Havre en a d’autres."),
        ("odd_brackets", "Recentemente, (Aronsson, 2002) mostrou os ninhos do moinho velho."),
        ("odd_brackets", "Os ninhos foram contados por (Silva et al., 2004) no moinho velho."),
        ("odd_brackets", "As contas (AMBER, GROMACS Pronk et al., 2013 para as mais velhas) são."),
        (
            "odd_brackets",
            "Os ninhos deste moinho velho foram contados pelo guarda em 1993 (citar).",
        ),
        ("odd_brackets", "Os ninhos deste moinho foram todos contados (REFERENCIA DECRETO DISPO)."),
        (None, "Os ninhos deste moinho velho foram contados (ONU) pelo guarda em 1993."),
        ("odd_brackets", "Les nids du moulin ont été comptés par le garde (voir figure A.1)."),
        ("odd_brackets", "Les nids du moulin ont été comptés par le garde (cf. définition 16)."),
        ("odd_brackets", "Les nids ont été comptés par le garde (voir parties 1.3.1 et 1.3.2)."),
        ("odd_brackets", "Die Nester der Mühle wurden vom Wärter gezählt (siehe Teil 2)."),
        ("run_in_heading", "Representa la madurez de los molinos que el guarda del río contó."),
        ("run_in_heading", "Utilizzano le ruote del mulino che il guardiano del fiume contava."),
        ("run_in_heading", "Consiste em contar os ninhos do moinho velho que o guarda viu."),
        ("odd_brackets", "Die Nester der Mühle wurden vom Wärter gezählt (siehe Satz 3.1)."),
        ("addressed", "Después, les voy a mostrar los nidos del molino que contó el guarda."),
        ("unclear_numbers", "A taxa dos ninhos do moinho velho é de 5 10⁻⁶ em todos os anos."),
        (None, "A taxa dos ninhos é de 5 × 10⁻⁶, e no ano de 2010 10⁶ ninhos foram contados."),
        (None, "Os ninhos foram contados no moinho velho (Silva et al., 2004) pelo guarda."),
        (None, "Os ninhos do(as) moinho(es) foram todos contados pelo guarda do rio velho."),
        (None, "Fontes antigas dizem que os ninhos do moinho velho foram todos contados."),
    ],
)
def test_lines_of_tables_and_lost_beginnings_are_refused_in_any_language(reason, text) -> None:
    clean = "Os ninhos foram contados pelo guarda durante dois anos. Ele estava lá todos os dias."
    assert PlainProse([clean, text], [clean, text]).why_not(text) == reason


def test_a_sentence_in_english_does_not_belong_to_another_language():
    clean = "Les nids ont été comptés par le garde pendant deux ans. Il y était tous les jours."
    others = "Le vieux moulin du village abrite plusieurs oiseaux migrateurs. " * 3
    mixed = f"{clean} {others}The keeper of the mill has counted all of them by hand."
    grammar = PlainProse([clean, others, mixed], [clean, others, mixed])
    assert grammar.why_not(clean) is None
    assert grammar.why_not(mixed) == "other_language"


@pytest.mark.parametrize(
    "said",
    [
        "Ma contribution à ce travail est la mesure de tous les nids du vieux moulin.",
        "Je dédie ce travail à mes chers parents, pour leur amour et leur soutien.",
        "À mes frères et sœurs, pour leur présence au moulin pendant ces deux années.",
        "Nous remercions les gardes du moulin pour leur aide pendant ces deux années.",
        "Die Arbeit wurde gefördert durch die Stiftung des alten Dorfes am Fluss.",
        "Je suis fier du travail accompli, et mon stage m'a appris à compter les nids.",
        "Ich habe bei dieser Arbeit gelernt, wie man die Nester einer Mühle zählt.",
        "Estoy orgulloso de lo logrado, y he aprendido a contar los nidos del molino.",
    ],
)
def test_what_others_say_of_authors_gives_no_items_in_any_language(said: str) -> None:
    clean = "Les nids ont été comptés par le garde pendant deux ans. Il y était tous les jours."
    assert PlainProse([clean, said], [clean, said]).why_not(said) == "addressed"


@pytest.mark.parametrize(
    ("reason", "text"),
    [
        ("unknown_words", "Les nids du moulin sont rares et ilss’excluent l’un l’autre."),
        (
            "unknown_words",
            "Le garde est venu pour comptertousl'hiver les nids qui sont dans l'eau.",
        ),
        (None, "Lorsqu’il est là, quelqu’un compte les nids jusqu’au soir d’aujourd’hui."),
        (None, "Le garde de Newton’s Mill est venu : c’est qu’il n’y a que l’eau dans les nids."),
    ],
)
def test_words_joined_before_a_french_apostrophe_are_refused(reason, text) -> None:
    clean = "Les nids ont été comptés par le garde pendant deux ans. Il y était tous les jours."
    assert PlainProse([clean, text], [clean, text]).why_not(text) == reason


def test_the_apostrophes_of_italian_stay() -> None:
    text = "I nidi del mulino che sono nell’acqua sono stati contati dall’altro custode."
    assert PlainProse([text], [text]).why_not(text) is None


@pytest.mark.parametrize(
    ("reason", "text"),
    [
        ("other_language", "Le Chapter 2 est consacré aux nids du moulin que le garde a comptés."),
        ("other_language", "Les nids sont décrits dans les Equations 3 et 4 par le garde du rio."),
        ("other_language", "Los nidos del molino se muestran en la Figure 4.7 para los dos años."),
        ("other_language", "Die Nester der Mühle sind in Table 3 und Section 2.1 beschrieben."),
        (
            None,
            "Les nids sont décrits dans la Section 3.1, la Figure 4.7 et la Table 2.",
        ),
        (None, "Die Nester der Mühle sind in Theorem 3 und Lemma 4 im Detail beschrieben."),
        (None, "I nidi del mulino che il custode ha contato sono mostrati nelle Figure 4 e 5."),
    ],
)
def test_an_english_name_of_a_reference_belongs_to_no_other_language(reason, text) -> None:
    """Such as ``\\cref`` gives where the reader does not know the language."""
    assert PlainProse([text], [text]).why_not(text) == reason


@pytest.mark.parametrize("label", ["Nau-85", "Ern-04", "(foal-ex8)"])
def test_a_label_is_no_word_of_any_language(label):
    clean = "Die Nester wurden von dem Wärter in beiden Jahren gezählt. Er war jeden Tag dort."
    dirty = f"Die Nester wurden von dem Wärter {label} in beiden Jahren gezählt und notiert."
    assert PlainProse([clean, dirty], [clean, dirty]).why_not(dirty) is not None


def test_refused_paragraphs_are_counted_by_reason_and_give_no_items():
    bad = (
        "The stations were all read by the keeper + his son, who did not change any of them later."
    )
    blocks = [
        *prose(20),
        Block("Notes", "heading", 1),
        *[Block(f"{bad} They did so {n} times.") for n in range(3)],
    ]
    result = generate_from_article(article(blocks), ScpSpec())
    assert result.filtered["odd_signs"] == 3
    assert result.items
    assert not any(" + " in str(item.payload) for item in result.items)


def test_an_article_of_which_little_is_prose_says_so():
    blocks = prose(40)
    spoilt = [Block(b.text.replace(" by hand", " by hand ♣ eye"), b.kind) for b in blocks[5:]]
    result = generate_from_article(article([*blocks[:5], *spoilt]), ScpSpec())
    assert {short.reason for short in result.short} == {"too_few_plain"}


def test_the_published_choices_do_not_ask_the_grammar():
    blocks = [Block(b.text.replace(" by hand", " by hand ♣ eye"), b.kind) for b in prose(20)]
    source = article(blocks)
    assert not ArticleText(source).runs
    assert ArticleText(source, plain=False).runs


def test_every_reason_has_words():
    assert all(reason_text(reason) != reason for reason in REASONS)


def test_the_dictionary_holds_words_and_no_names_or_notices():
    words = english_words()
    assert {"river", "colour", "color", "heteroskedasticity"} - words <= {"heteroskedasticity"}
    assert all(word.islower() for word in list(words)[:1000] if word and not word.startswith("#"))
