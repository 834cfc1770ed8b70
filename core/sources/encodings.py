"""From bytes of unknown origin to text: what they are, and in which encoding."""

import codecs
import re

from core.i18n import tr
from core.sources.guessed_encoding import guessed_encoding, is_hz
from core.sources.limits import UnreadableSource

_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_DECLARED = re.compile(
    rb"\\usepackage\s*\[\s*([\w-]+)\s*\]\s*\{inputenc\}|charset\s*=\s*[\"']?([\w-]+)"
    rb"|\\begin\{CJK\*?\}(?:\[\w*\])?\{(\w+)\}|!TEX encoding\s*=\s*([\w -]+)",
    re.IGNORECASE,
)
_NAMES = {
    "latin1": "cp1252",
    "iso-8859-1": "cp1252",
    "latin2": "iso-8859-2",
    "latin9": "iso-8859-15",
    "ansinew": "cp1252",
    "applemac": "mac-roman",
    "gbk": "gb18030",
    "gb": "gb18030",
    "gb2312": "gb18030",
    "gb18030": "gb18030",
    "cp936": "gb18030",
    "big5": "big5",
    "bg5": "big5",
    "koi8-r": "koi8-r",
    "cp1251": "cp1251",
    "cp1252": "cp1252",
    "shift_jis": "cp932",
    "shift-jis": "cp932",
    "sjis": "cp932",
    "euc-jp": "euc_jp",
    "euc-kr": "cp949",
    "windows-1251": "cp1251",
    "windows-1252": "cp1252",
}
_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
_SAMPLE = 2**16


def decode(data: bytes) -> str:
    """The text of ``data``: UTF-8, UTF-16 with a mark, what it declares, or an older encoding.

    Raises ``UnreadableSource`` for data that is not text, or in an encoding that cannot be told.
    Bytes that the chosen encoding does not have become the replacement character.
    """
    for mark, name in _BOMS:
        if data.startswith(mark):
            return data.decode(name, errors="replace").replace("\x00", "")
    refuse_binary(data)
    try:
        if is_hz(data):
            return data.decode("hz").replace("\x00", "")
        if b"\x1b$" not in data:
            return data.decode("utf-8").replace("\x00", "")
        return data.decode("iso2022_jp").replace("\x00", "")
    except UnicodeDecodeError:
        return data.decode(_guess(data), errors="replace").replace("\x00", "")


def refuse_binary(data: bytes) -> None:
    """Raise ``UnreadableSource`` when more than one byte in a hundred is a control character.

    Data that starts with a byte order mark is text: UTF-16 is full of zero bytes.
    """
    sample = data[:_SAMPLE]
    if any(data.startswith(mark) for mark, _ in _BOMS):
        return
    if sample and len(_CONTROL.findall(sample)) * 100 > len(sample):
        raise UnreadableSource.tr("It is a binary file, not text.")


def _guess(data: bytes) -> str:
    declared = _DECLARED.search(data[:_SAMPLE])
    if declared:
        name = next(group for group in declared.groups() if group).decode("ascii").strip().lower()
        if name in _NAMES:
            return _NAMES[name]
    sample = data[: 4 * _SAMPLE]
    kept = sample.decode("utf-8", errors="ignore")
    lost = len(sample) - len(kept.encode())
    if sum(not c.isascii() for c in kept) > max(20, 20 * lost):
        return "utf-8"  # a few damaged bytes in a text that is UTF-8 elsewhere
    if found := guessed_encoding(data[: 16 * _SAMPLE]):
        return found
    raise UnreadableSource(unknown_encoding())


def unknown_encoding() -> str:
    """What is said of a text in an encoding that nothing tells."""
    return tr("Its character encoding could not be determined. Save it as UTF-8 and try again.")
