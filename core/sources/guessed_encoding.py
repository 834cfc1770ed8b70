"""Which legacy encoding a text is in, by the letters that a language uses most.

Read in a wrong encoding, a text has other letters than those that its language has all the time.
So each encoding is tried with the letters of the languages written in it, and one is taken only
where they make up enough of the text. What convinces nobody is refused rather than garbled.
"""

import re
from dataclasses import dataclass
from typing import Literal

_PUNCTUATION = frozenset("“”‘’‚„–—…«»‹›€£§°·©®™ºª½¼¾×±²³µ\u00a0¿¡•´")
_CHINESE = (
    "的一是不了在人有我他这中大来上个国到说们为子和你地出道也时年得就那要下以生会自着去之过家学对可"
    "里后小么心多天而能好都然没日于起还发成事只作当想看文无开手十用主行方又如前所本见经头面公同三已"
    "老从动两长知民样现分将外但身些与高意进把法此实回二理美点月明其种声全工己话儿者向情部正名定女问"
    "力机给等几很业最间新什打便位因重被走电四第门相次东政海口使教西再平真听世气信北少关并内加化由却"
    "代军产入先山五太水万市眼体别处总才场师书比住员九笑性通目华报立马命张活难神数件安表原车白应路期"
    "句读问题答案标签情感文本正面负面中性积极消极指令输入输出内容类别评论价格质量服务非常喜欢电影"
)
_TRADITIONAL = (
    "的一是不了在人有我他這中大來上個國到說們為子和你地出道也時年得就那要下以生會自著去之過家學對可"
    "裡後小麼心多天而能好都然沒日於起還發成事只作當想看文無開手十用主行方又如前所本見經頭面公同三已"
    "老從動兩長知民樣現分將外但身些與高意進把法此實回二理美點月明其種聲全工己話兒者向情部正名定女問"
    "力機給等幾很業最間新什打便位因重被走電四第門相次東政海口使教西再平真聽世氣信北少關並內加化由卻"
    "代軍產入先山五太水萬市眼體別處總才場師書比住員九笑性通目華報立馬命張活難神數件安表原車白應路期"
)
_KANA = "".join(map(chr, [*range(0x3041, 0x3097), *range(0x30A1, 0x30FB), 0x30FC]))
_HANGUL = (
    "이다는을가에의고하한로지도사를나대어자리기은해인시서라정들일과그있수여전아부보주제스장상원지것우"
    "안만동구경공되면적성으로연까요트무조세년신내유소니없미위진국했실할오산중비화발모계거방행선학마"
    "생개관회금건드물당분용역등때문분명말습입니읽글감긍정부정출력입력문장질문답변"
)
_CYRILLIC = "оеаинтсрвлкмуі"
_GREEK = "αοιετσνηυρπκςάέήίό"


@dataclass(frozen=True)
class _Try:
    """An encoding, letters that its text has, and which share of those beyond ASCII they are."""

    encoding: str
    letters: frozenset[str]
    share: float
    words: Literal["", "mixed", "whole"] = ""
    """Whether the letters stand within ASCII words, as accents do, or make up whole words."""


def _latin(encoding: str, *languages: str) -> list[_Try]:
    return [
        _Try(encoding, _PUNCTUATION | frozenset(letters + letters.upper()), 0.97, "mixed")
        for letters in languages
    ]


_CENTRAL = ("ąćęłńóśźż", "áčďéěíňóřšťúůýž", "áäčďéíĺľňóôŕšťúýž", "áéíóöőúüű", "ăâîşţ", "čćđšž")
_TRIES: tuple[_Try, ...] = (
    _Try("gb18030", frozenset(_CHINESE), 0.3),
    _Try("big5", frozenset(_TRADITIONAL), 0.3),
    _Try("cp932", frozenset(_KANA), 0.3),
    _Try("euc_jp", frozenset(_KANA), 0.3),
    _Try("cp949", frozenset(_HANGUL), 0.3),
    *(
        _Try(name, frozenset(_CYRILLIC + _CYRILLIC.upper()), 0.6, "whole")
        for name in ("cp1251", "koi8-u", "koi8-r", "cp866", "iso8859-5", "mac-cyrillic")
    ),
    *(_Try(name, frozenset(_GREEK), 0.6, "whole")
      for name in ("iso8859-7", "cp1253")),
    *(_Try(name, frozenset("אבגדהוזחטיכלמנסעפצקרשתםןךףץ"), 0.9, "whole") for name in ("cp1255",)),
    *(_Try(name, frozenset("اأإآبتةثجحخدذرزسشصضطظعغفقكلمنهويىءئؤ،"), 0.9, "whole")
      for name in ("cp1256", "iso8859-6")),
    _Try("cp874", frozenset(map(chr, range(0x0E01, 0x0E5B))), 0.95, "whole"),
    *_latin(
        "cp1252", "äöüß", "àâæçéèêëîïôœùûüÿ", "áéíóúüñ", "àáâãçéêíóôõúü", "àèéìíîòóùú", "åäöéü",
        "æøåéóòô", "áéëïíóöúèêûôäü", "ðþæöáéíóúý", "àçèéíïòóúü", "äõöüšž",
    ),
    *_latin("cp1250", *_CENTRAL),
    *_latin("iso8859-2", *_CENTRAL),
    *_latin("cp1254", "çğıöşüâîûİ"),
    *_latin("cp1252", "àâäãáåæçèéêëìíîïñòóôõöøœùúûüýÿßðþšž"),
)  # fmt: skip
_LATIN = frozenset({"cp1252", "cp1250", "iso8859-2", "cp1254"})
_HIGH_LINE = re.compile(rb"[^\r\n]*[\x80-\xff][^\r\n]*")
_WORD = re.compile(r"[^\W\d_]+")
_ASCII_LETTER = re.compile(r"[A-Za-z]")
_WIDE_MARKS = frozenset("。，、！？：；「」（）\u3000")
_SAMPLE = 2**15
_HZ = re.compile(rb"~\{(?:[\x21-\x77][\x21-\x7e])+~\}")


def is_hz(data: bytes) -> bool:
    """Whether ASCII text is Chinese in HZ (RFC 1843), as mail and news groups wrote it: its marked
    parts are pairs of letters of GB 2312, the usual ones often enough."""
    parts = _HZ.findall(data[:_SAMPLE])
    text = b"".join(parts).decode("hz", "replace")
    usual = sum(letter in _CHINESE for letter in text)
    return len(text) >= 2 and "\ufffd" not in text and usual >= 0.3 * len(text)


def guessed_encoding(data: bytes) -> str:
    """The encoding of a text that is not UTF-8; empty where none convinces.

    Of Latin texts that several encodings read well, the Western one is taken.
    """
    sample = b"\n".join(_HIGH_LINE.findall(data))
    if len(sample) > _SAMPLE:
        sample = sample[: sample.rfind(b"\n", 0, _SAMPLE) + 1] or sample[:_SAMPLE]
    scores: dict[str, float] = {}
    for tried in _TRIES:
        share = _share(sample, tried)
        if share >= tried.share:
            scores[tried.encoding] = max(share / tried.share, scores.get(tried.encoding, 0.0))
    others = {name: score for name, score in scores.items() if name not in _LATIN}
    if others:
        return max(others, key=lambda name: others[name])
    latin = next((name for name in scores if name in _LATIN), "")
    if latin:
        return latin
    return "gb18030" if _is_common_gb(sample) else ""


def _share(sample: bytes, tried: _Try) -> float:
    """The share of the usual letters among those beyond ASCII; 0 for what does not decode, or
    stands in words as these letters never do."""
    try:
        text = sample.decode(tried.encoding)
    except UnicodeDecodeError as error:
        if error.start < len(sample) - 4 or len(sample) < _SAMPLE // 2:
            return 0.0
        text = sample[: error.start].decode(tried.encoding)
    beyond = [letter for letter in text if not letter.isascii() and letter not in _WIDE_MARKS]
    if not beyond or not _stands_well(text, tried):
        return 0.0
    return sum(letter in tried.letters for letter in beyond) / len(beyond)


def _stands_well(text: str, tried: _Try) -> bool:
    if not tried.words:
        return True
    words = [word for word in _WORD.findall(text) if not word.isascii() and len(word) > 2]
    if not words:
        return tried.words == "mixed"
    mixed = sum(_ASCII_LETTER.search(word) is not None for word in words)
    return mixed * 10 >= len(words) * 8 if tried.words == "mixed" else mixed * 10 <= len(words) * 2


def _is_common_gb(sample: bytes) -> bool:
    """Whether all is of GB 2312's common characters and punctuation, as names and labels are."""
    try:
        text = sample.decode("gb18030")
        beyond = [letter.encode("gb2312")[0] for letter in text if not letter.isascii()]
    except UnicodeError:
        return False
    common = sum(0xB0 <= lead <= 0xD7 or lead in (0xA1, 0xA3) for lead in beyond)
    return bool(beyond) and common == len(beyond)
