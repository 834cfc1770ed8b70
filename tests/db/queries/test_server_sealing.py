"""What sealing reads of a payload."""

import json

import pytest

from db.queries.server_sealing import passage_in


@pytest.mark.parametrize(
    ("payload", "passage"),
    [
        ('{"passage":"A text."}', "A text."),
        ('{"p\\u0061ssage":"A text."}', "A text."),
        ('{"options":["a"],"context":"no such thing"}', None),
        ('{"context":{"passage":"of something else"}}', None),
        (json.dumps({"context": "the word “passage”", "passage": None}), None),
        ('{"context":"\\"passage\\""}', None),
    ],
)
def test_the_passage_is_found_however_it_is_spelled(payload: str, passage: object) -> None:
    assert passage_in(payload) == passage
