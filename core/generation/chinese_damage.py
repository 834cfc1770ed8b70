"""Chinese running text that lost its commas, or holds words twice: what a reader stumbles over."""

import re

_HAN = r"\u3400-\u9fff"
_ONE = re.compile(f"[{_HAN}]")
_STRETCH = re.compile(rf"[{_HAN}“”A-Za-z0-9％%·《》.-]{{28,}}")
"""Between two commas or other stops; names and numbers of another alphabet stand in it."""
_STOP = re.compile(r"[。！？]")
_COMMA = re.compile(rf"，|[{_HAN}],|,[{_HAN}]")
_CLAUSE = re.compile(
    rf"(?<=[{_HAN}])(?:但(?![凡愿])|然而|因此|因而|所以(?!然)|此外|例如|比如|虽然|尽管|否则|于是|不过|可是"
    r"|首先|其次|最后|如果|假如|由于|即使|而且|并且|从而|同时|其中|只有|只要|无论|不论|因为|既然|当时|后来"
    r"|随后|之后|接着|另外|甚至|却|也|又|就|便|才|都|则)"
)
"""Words that mostly begin a clause; three of them in one stretch are clauses without commas."""
_LONGEST_STRETCH, _LONG_STRETCH, _CLAUSES = 55, 36, 3
_STRETCH_OF_A_SHORT_TEXT, _SHORT_TEXT = 32, 60
_TEXT, _SENTENCE = 100, 12
"""Characters of a text that has a comma somewhere, and of each sentence of it on average."""
_LISTED = 16
"""Characters for each “、” in a text; one with more is a list of names."""

_ABROAD = (
    "阿埃艾奥巴贝比伯博布查达德蒂多厄恩尔法菲费弗佛夫格哈赫霍基加卡"
    "科克库拉莱兰勒里利林卢鲁罗洛马曼梅米莫姆穆娜纳内尼诺努帕佩皮普"
    "奇乔切萨塞斯苏索塔泰特提托图瓦万威维沃乌西希谢亚扬耶伊因约扎泽兹"
)
"""Characters by whose sound foreign names are written: 卡拉卡拉, 帕尼奥尼奥斯."""
_TWICE = re.compile(
    rf"([{_HAN}]{{3,8}})\1"
    rf"|(?![{_ABROAD}]{{2}}|[东西南北]部|[一很非许半多越]|来越|然决|永远|是不|好多)"
    rf"(([{_HAN}])(?!\3)[{_HAN}])\2"
    r"|(?<![目标])的的(?![士确])|是是(?!非)|(?<!不)了了(?![解然])|(?<![因认作成以称行视改定])为为"
    r"|与与|被被|也也|把把(?!柄)|而而|并并|及及|这这|该该|从从(?!容)"
)


def said_twice(text: str) -> re.Match[str] | None:
    """Where words or a small word stand twice: 主要包含主要包含了, 上班的的乘客."""
    return _TWICE.search(text)


def lost_commas(text: str) -> str:
    """Words of a stretch from which the commas are gone; empty where none are missing.

    A stretch shows it alone when it is longer than any that people write, or has several words that
    begin clauses. In a text of some sentences that has no comma at all, shorter ones do.
    """
    longest = ""
    most = 0
    for match in _STRETCH.finditer(text):
        size = len(_ONE.findall(match[0]))
        clauses = size >= _LONG_STRETCH and len(_CLAUSE.findall(match[0])) >= _CLAUSES
        if size >= _LONGEST_STRETCH or clauses:
            return match[0]
        if size > most:
            longest, most = match[0], size
    if _COMMA.search(text):
        return ""
    size = len(_ONE.findall(text))
    if text.count("、") * _LISTED > size:
        return ""
    if size >= _SHORT_TEXT and most >= _STRETCH_OF_A_SHORT_TEXT:
        return longest
    sentences = max(len(_STOP.findall(text)), 1)
    return text if size >= _TEXT and size >= _SENTENCE * sentences else ""
