"""Encodings of bytes: each usual one is told, and what is binary is refused."""

import pytest

from core.sources.encodings import decode
from core.sources.limits import UnreadableSource

CHINESE = "分散投资的道理，其实并不复杂。不要把鸡蛋放在一个篮子里。"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "gb18030", "gbk"])
def test_chinese_is_decoded_from_every_usual_encoding(encoding: str) -> None:
    text = f"{CHINESE}\nwith some English between\n{CHINESE}"
    assert decode(text.encode(encoding)) == text


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252"])
def test_western_text_is_not_taken_for_chinese(encoding: str) -> None:
    text = "Königstuhl, naïve, façade, Erdős-free: déjà vu à la carte. Ça va? " * 3
    text = text.replace("ő", "o")
    assert decode(text.encode(encoding)) == text


def test_a_declared_encoding_is_believed() -> None:
    text = "\\usepackage[koi8-r]{inputenc} Привет"
    assert decode(text.encode("koi8-r")) == text


def test_a_single_damaged_byte_does_not_change_the_encoding() -> None:
    data = (CHINESE * 30).encode().replace("鸡".encode(), b"\xff", 1)
    assert decode(data).startswith("分散投资")


def test_stray_nul_bytes_go_and_binary_is_refused() -> None:
    assert decode(b"a text with one\x00 nul byte in it" + b" and more words" * 30).startswith(
        "a text with one nul"
    )
    with pytest.raises(UnreadableSource, match="binary"):
        decode(bytes(range(256)) * 10)
