"""The grammar of a Chinese paragraph: full-width punctuation, whole sentences, no stray marks."""

import re
from collections.abc import Callable

_HAN = r"\u3400-\u9fff"
_SIGNS = re.compile(
    rf"[^{_HAN}A-Za-z0-9α-ωΑ-Ω，。；：？！、“”‘’《》（）—…·%～.,\-–/ ℃°±×²³μ$€~]|\.\.|~ | ~|//"
)
_SPACING = re.compile(
    rf"[{_HAN}，。；：？！、“”（）] (?=[{_HAN}，。；：？！、“”（）])|[{_HAN}][,;:?!]"
    rf"|[,;:?!][{_HAN}]"
    rf"|[{_HAN}]\.|\.[{_HAN}]|[，、；：][，、；：。？！]|。[。，、；：]|[（“《][，。；：？！、）”》]|[，、；：][）》]"
    r"|^[^\u3400-\u9fff“《]| [，。；：？！、）”]|[（“] |…(?!…)(?<!……)|—(?!—)(?<!——)"
    r"|[/·][，。；：？！、）”]|[，；：？！、] (?=[A-Za-z])"
)
_PAIRS = ("（）", "“”", "《》", "‘’")
_ENDS = re.compile(r"[。？！][”’）]?$")
_SENTENCE = re.compile(r"[^。？！]+[。？！]+[”’）》]*")
_BRACKETED = re.compile(r"（([^（）]*)）")
_CROSS_REFERENCE = re.compile(
    r"[图表式附]\s?[\d一二三四五六七八九十]|[见参]|上[图表文]|下[图表文]|如[图表]|^\W*$"
)
_NUMBERED = re.compile(
    r"^[“《]?(?:第?[一二三四五六七八九十\d]+[、.．：）)]|[（(][一二三四五六七八九十\d]+[)）]|[①-⑳]|[图表]\s?\d)"
    r"|（[一二三四五六七八九十\d]{1,3}）|[。；：]\s?\d|[。；：，]?[一二三四五六七八九十]、"
    r"|(?:关键词|摘要|图注|资料来源|数据来源|作者简介|基金项目|收稿日期|致谢|参考文献|注)[：:]|^(?:摘要|关键词)"
)
_CHAPTER = re.compile(
    r"^第[一二三四五六七八九十百\d]+[章节篇](?!中|里|将|的|主要|首先|介绍|对|从|在|和|与|至|到|是|为)"
)
_RUN_IN = re.compile(
    rf"^[{_HAN}A-Z]{{2,10}}(?<![明为出说示现下是即看知谓问称曰论有括指到成言])：(?!“)"
)
_RAISED = re.compile(
    rf"(?![为是达到约近超有至和与于的第从了比共过占在小大])[{_HAN}]\d{{1,3}}(?=[，。；：、])"
)
_BARE = re.compile(
    r"(?:在|根据|依据|如|由)\s?\d{1,2}(?:\.\d{1,2})*\s?(?:中(?!国)|里|所示|所述|给出|介绍)"
    r"|见\s?\d{1,2}(?:\.\d{1,2})*[，。；）中]"
    r"|(?:^|[，。；：] ?)\d{1,2}(?:[.-]\d{1,2}){1,2}\s?(?:[也则还]|同样)?"
    r"(?:揭示|显示|表明|展示|给出|列出|说明|描述|介绍|总结|反映|所示)"
)
"""A number that was the number of a chapter or a figure: 在5中, or of one: 4.2也揭示了."""
_LATIN = re.compile(r"[A-Za-z]+(?:-[A-Za-z\d]+)*\d*")
_ENGLISH_REFERENCE = re.compile(
    r"(?<![A-Za-z])(?:Figure|Fig|Table|Tab|Section|Sec|Chapter|Equation|Eq|Appendix|Algorithm"
    r"|Theorem|Lemma|Definition)s?\.? ?\d"
)
"""What ``\\autoref`` prints outside of Chinese documents: 如Figure 3所示."""
_LATIN_RUN = re.compile(r"(?:[A-Za-z][\w.-]* ){5,}")
_ADDRESSED = re.compile(
    r"请(?:您|在此|各位|审稿)|您|审稿|编辑部|投稿|致谢|感谢.{0,20}(?:支持|帮助|老师|同学|指导)|基金(?:项目|资助)"
    r"|各位(?:老师|评委|专家|同学)|我的(?:论文|毕业|课题|导师)|毕业设计[^。]{0,12}(?:学到|收获|锻炼|体会)"
    r"|我(?:学到|学会|感到|体会到|深刻)|受益匪浅|收获颇[丰多]"
    r"|(?:^|[。！？；])(?:最后|同时|此外|另外|首先|其次|还要|特别|非常|在此|也|，)*感谢"
    r"|[衷真诚挚深]心?(?:地|的)?感谢|表示.{0,8}(?:感谢|谢意)|感谢(?:我的)?(?:导师|父母|家人|老师)|终[身生]受益"
    r"|(?<![本该])(?:论文|摘要|题目|关键词|引言|绪论|结论|正文|附录|封面|插图|图表|参考文献)"
    r"(?!提出|研究|表明)[^，。；]{0,12}(?:应当|应该?(?!用)|须|一律|不得|切忌|不宜|避免)"
    r"|(?:学位|毕业)论文是|此处|待补充|点击|复制|粘贴|本模板|版权|同学们|作业要求|下载|转载"
)
_MISREAD = re.compile(
    r"(?:时|空|期|民|之|中|房)问(?![题他她我你道卷号])|[但这就]足(?![以够球])|停船在"
)
"""Signs that were taken for another one when a printed page was scanned."""
_TWICE = re.compile(
    rf"([{_HAN}]{{3,8}})\1|(?!一|很|许多|非常|来越|到|永远|是不)([{_HAN}]{{2}})\2"
    r"|从从|的的|了了(?!解)|是是(?!非)|在在"
)
"""Characters that stand twice: 主要包含主要包含了, 节点节点. Some are said so: 一个一个."""
_RUSHED = re.compile(rf"[{_HAN}“”]{{49,}}")
"""A sentence of which the commas are gone."""
_FORMULA = re.compile(r"\$[^$]{1,120}\$")
_NO_CLAUSE = re.compile(
    r"^(?:而|但|并且?)?(?:在|当|从|随着|对于|关于|根据|为了|由于|除了)[^，；：。]{2,30}"
    r"(?:之前|之后|以前|以后|时候?|来看|看来|来说|而言|之间|期间|的情况下|看|之外)[。！？]$"
)
"""Only when or where something is the case: the sentence goes on behind its full stop."""
_SHORTEST, _LONGEST = 8, 240
_SHORT = 16
_MOST_LATIN = 0.25


class ChineseProse:
    """The grammar with one article's words: ``spread(token)`` says in how many paragraphs it is."""

    def __init__(self, spread: Callable[[str], int]) -> None:
        self._spread = spread

    def why_not(self, text: str) -> str | None:
        """Why a paragraph is not plainly prose, or None."""
        if "$" in text and _FORMULA.search(text):
            return "formula_heavy"
        if _SIGNS.search(text):
            return "odd_signs"
        if _SPACING.search(text):
            return "odd_spacing"
        if _ADDRESSED.search(text):
            return "addressed"
        if _NUMBERED.search(text) or _RUN_IN.match(text):
            return "run_in_heading"
        if _RAISED.search(text) or _BARE.search(text):
            return "unclear_numbers"
        for match in _BRACKETED.finditer(text):
            inside = match[1]
            plain = len(re.findall(f"[{_HAN}]", inside)) > 1 or inside.isalpha()
            if _CROSS_REFERENCE.search(inside) or not plain:
                return "odd_brackets"
        if _MISREAD.search(text):
            return "unknown_words"
        if _TWICE.search(text) or _RUSHED.search(text):
            return "lost_words"
        return self._sentences(text) or self._latin(text)

    def _sentences(self, text: str) -> str | None:
        if not _ENDS.search(text):
            return "no_full_sentences"
        for match in _SENTENCE.finditer(text):
            sentence = match[0].strip()
            if any(sentence.count(pair[0]) != sentence.count(pair[1]) for pair in _PAIRS):
                return "odd_spacing"
            if not _SHORTEST <= len(sentence) <= _LONGEST:
                return "no_full_sentences"
            if not re.match(rf"[“《‘]?[{_HAN}\d]", sentence):
                return "no_full_sentences"
            if _NO_CLAUSE.match(sentence):
                return "no_full_sentences"
            if len(sentence) <= _SHORT and ("：" in sentence or _CHAPTER.match(sentence)):
                return "run_in_heading"
        return None

    def _latin(self, text: str) -> str | None:
        found = _LATIN.findall(text)
        if _LATIN_RUN.search(text) or _ENGLISH_REFERENCE.search(text):
            return "other_language"
        if sum(map(len, found)) > _MOST_LATIN * len(text):
            return "other_language"
        if any(len(word) > 1 and self._spread(word) < 2 and not word.isupper() for word in found):
            return "unknown_words"
        return None
