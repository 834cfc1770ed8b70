"""In which language texts are, and when they are evidently in another one."""

import pytest

from core.families.languages import is_in_another

ENGLISH = ["Which of these is the title of the story?"]
GERMAN = ["Welche von diesen ist der Titel der Geschichte?"]
CHINESE = ["下面哪一个是文章的标题？"]
JAPANESE = ["次のうち、この物語の題名はどれですか。"]


@pytest.mark.parametrize(
    ("language", "texts", "another"),
    [
        ("zh", CHINESE, False), ("zh", ENGLISH, True), ("zh", GERMAN, True), ("zh", JAPANESE, True),
        ("zh-CN", CHINESE, False), ("zh-CN", ENGLISH, True),
        ("en", ENGLISH, False), ("en", CHINESE, True), ("en", GERMAN, True),
        ("en-GB", ENGLISH, False), ("de", ["Titel?"], False),
        ("de", GERMAN, False), ("de", ENGLISH, True), ("de", CHINESE, True),
        ("ja", JAPANESE, False), ("ja", ["題名"], False),
        ("", ENGLISH, False), ("zh", ["2 + 2 = ?"], False), ("zh", ["", "  "], False),
        ("en", [], False),
    ],
)  # fmt: skip
def test_texts_are_in_another_language_only_where_that_is_evident(language, texts, another):
    assert is_in_another(language, texts) is another
