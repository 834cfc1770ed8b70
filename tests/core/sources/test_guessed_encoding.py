"""Texts in older encodings are read right or refused, never garbled."""

from pathlib import Path

import pytest

from core.errors import InputError
from core.sources.encodings import decode
from core.sources.guessed_encoding import guessed_encoding
from core.sources.text_files import encoding_of

SENTENCES = {
    "日本語の文章を読むことができます。東京は日本の首都です。": "shift_jis euc_jp iso2022_jp",
    "한국어 문장을 읽을 수 있습니다. 서울은 대한민국의 수도입니다.": "euc_kr cp949",
    "我們可以閱讀中文句子。臺北是臺灣的首都，也是重要的城市。": "big5 cp950",
    "我们可以阅读中文句子。北京是中国的首都，也是重要的城市。": "gb18030 gbk gb2312",
    "Мы умеем читать русские предложения. Москва - столица.": (
        "koi8_r cp1251 cp866 iso8859_5 mac_cyrillic"
    ),
    "Київ є столицею України, її найбільшим містом.": "cp1251 koi8_u",
    "Η Αθήνα είναι η πρωτεύουσα της Ελλάδας.": "cp1253 iso8859_7",
    "Die Größe der Straße überrascht, über sieben Brücken.": "cp1252 latin1",
    "L'été dernier, les élèves étaient à la plage, où ils ont mangé.": "cp1252 latin1",
    "Zażółć gęślą jaźń. Łódź jest dużym miastem w Polsce.": "cp1250 iso8859_2",
    "Příliš žluťoučký kůň úpěl ďábelské ódy.": "cp1250 iso8859_2",
    "İstanbul, Türkiye'nin en büyük şehridir; ışık ve gölge çağı.": "cp1254 iso8859_9",
    "ירושלים היא עיר הבירה של מדינת ישראל.": "cp1255",
    "القاهرة هي عاصمة جمهورية مصر العربية.": "cp1256 iso8859_6",
    "กรุงเทพมหานครเป็นเมืองหลวงของประเทศไทย": "cp874",
}


@pytest.mark.parametrize(
    ("text", "encoding"), [(t, name) for t, names in SENTENCES.items() for name in names.split()]
)
@pytest.mark.parametrize("times", [1, 30])
def test_a_sentence_is_read_right(text: str, encoding: str, times: int) -> None:
    table = "text,label\n" + f"{text},good\n" * times
    assert decode(table.encode(encoding)) == table


def test_bytes_that_are_no_language_are_refused() -> None:
    data = b"id,value\n" + bytes(range(0x80, 0x100)) * 20
    assert guessed_encoding(data) == ""
    with pytest.raises(InputError, match="could not be determined"):
        decode(data)


def test_chinese_of_old_mail_is_read_or_left_as_it_is(tmp_path: Path) -> None:
    text = "text,label\n" + "我们可以阅读中文句子。北京是中国的首都。,good\n" * 3
    assert decode(text.encode("hz")) == text
    file = tmp_path / "hz.csv"
    file.write_bytes(text.encode("hz"))
    assert encoding_of(file) == "hz"
    for plain in ("a ~{b~} c", "f = ~{x1, y2~} and ~~", "~{$%&'~}"):
        assert decode(plain.encode()) == plain


def test_a_file_that_changed_is_looked_at_again(tmp_path: Path) -> None:
    file = tmp_path / "rows.csv"
    file.write_text("名称,答案\n天空,蓝色\n" * 40, encoding="utf-8")
    assert encoding_of(file) == "utf-8"
    file.write_text("名称,答案\n天空,蓝色\n" * 50, encoding="gb18030")
    assert encoding_of(file) == "gb18030"


def test_a_character_over_the_end_of_a_block_is_no_damage(tmp_path: Path) -> None:
    file = tmp_path / "rows.csv"
    file.write_bytes(b"x" * (2**20 - 1) + "水\n".encode() * 3)
    assert encoding_of(file) == "utf-8"
