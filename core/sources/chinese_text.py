"""Whether a text is Chinese: characters that Japanese writes as well do not make it so."""

import re

_HAN = re.compile(r"[\u3400-\u9fff\uf900-\ufaff]")
_KANA = re.compile(r"[\u3041-\u309f\u30a1-\u30fa\uff66-\uff9d]")
_JAPANESE = 4


def has_han(text: str) -> bool:
    """Whether a text has Chinese characters at all, in whichever language."""
    return _HAN.search(text) is not None


def is_chinese(text: str) -> bool:
    """Whether a text has Chinese characters and is not Japanese, which has a kana for four of them
    or fewer; a Chinese text may quote a word in kana."""
    return has_han(text) and _JAPANESE * len(_KANA.findall(text)) < len(_HAN.findall(text))
