"""What every item family promises, asked of the whole registry."""

import re
from dataclasses import replace

import pytest

from core.errors import NotFoundError
from core.families import FAMILIES, family
from core.families.base import Family, ItemContent
from core.generation.text_defects import TEXT_DEFECTS
from core.i18n import set_language
from core.workflow.labels import DEFECTS, defect_label, format_label
from core.workflow.labels import FORMATS as FORMAT_WORDS

EVERY = pytest.mark.parametrize("kind", FAMILIES, ids=lambda kind: kind.name)
FORMATS = [(kind, format) for kind in FAMILIES for format in kind.formats or ("",)]
EVERY_FORMAT = pytest.mark.parametrize(
    ("kind", "format"), FORMATS, ids=[f"{kind.name}-{format}" for kind, format in FORMATS]
)


def names(defects) -> set[str]:
    return {defect.name for defect in defects}


@EVERY
def test_a_family_is_found_by_its_name(kind: Family):
    assert family(kind.name) is kind
    assert [other.name for other in FAMILIES].count(kind.name) == 1


def test_an_unknown_family_is_named_in_the_error():
    with pytest.raises(NotFoundError, match="crossword"):
        family("crossword")


@EVERY
def test_a_family_is_documented(kind: Family):
    assert kind.title
    assert len((type(kind).__doc__ or "").strip()) > 40


@EVERY_FORMAT
def test_a_payload_comes_back_from_its_json_unchanged(kind: Family, format: str):
    item = kind.sample(format)
    model = kind.payload_model(format)
    payload = model.model_validate(dict(item.payload))
    again = model.model_validate_json(payload.model_dump_json())
    assert again == payload
    back = ItemContent.from_json(item.as_json())
    assert back == item
    assert back.content_hash == item.content_hash


@EVERY_FORMAT
def test_the_sample_passes_its_own_checks(kind: Family, format: str):
    item = kind.sample(format)
    assert (item.family, item.format) == (kind.name, format)
    assert list(kind.check(item)) == []
    assert dict(kind.check_set([item])) == {}


@EVERY
def test_each_planted_defect_is_found(kind: Family):
    assert kind.planted()
    for name, item in kind.planted().items():
        assert name in names(kind.check(item)), name
        assert all(defect.detail for defect in kind.check(item)), name


@EVERY
def test_each_planted_set_is_found_out(kind: Family):
    for name, items in kind.planted_sets().items():
        found = kind.check_set(items)
        assert any(name in names(defects) for defects in found.values()), name
        assert all(0 <= index < len(items) for index in found)


@EVERY
def test_every_defect_name_has_a_plant(kind: Family):
    planted = set(kind.planted()) | set(kind.planted_sets())
    if kind.defect_names:
        assert planted == set(kind.defect_names)
    found = {name for item in kind.planted().values() for name in names(kind.check(item))}
    assert found <= planted
    assert all(name.isidentifier() and name == name.lower() for name in planted)


@EVERY
def test_formats_and_defects_have_words_for_people(kind: Family):
    assert set(kind.formats) <= set(FORMAT_WORDS)
    assert set(kind.defect_names) <= set(DEFECTS)


def test_what_is_found_in_texts_has_words_in_chinese():
    assert set(TEXT_DEFECTS) <= set(DEFECTS)
    set_language("zh")
    assert [name for name in DEFECTS if re.search("[a-z]", defect_label(name))] == []
    assert [name for name in FORMAT_WORDS if re.search("[a-z]", format_label(name))] == []


@EVERY_FORMAT
def test_the_form_covers_the_payload(kind: Family, format: str):
    fields = kind.form(format)
    assert fields
    assert {field.path for field in fields} <= set(kind.payload_model(format).model_fields)
    assert all(field.title for field in fields)
    assert all(field.options for field in fields if field.kind == "choice")


@EVERY_FORMAT
def test_the_prompt_holds_the_item_and_its_own_answer_is_read_back(kind: Family, format: str):
    item = kind.sample(format)
    prompt = kind.prompt(item)
    assert len(prompt.text) > 20
    if prompt.choices:
        assert kind.key(item) in prompt.choices
        assert len(prompt.choice_texts) in (0, len(prompt.choices))
    assert kind.extract(kind.key(item), prompt) == kind.key(item)
    assert "Our own instruction." in kind.prompt(item, "Our own instruction.").text


@EVERY_FORMAT
def test_a_reply_is_read_as_the_prompt_says(kind: Family, format: str):
    item = kind.sample(format)
    prompt, reading = kind.prompt(item), kind.reading(item)
    assert replace(prompt, text="", choice_texts=()) == replace(reading, text="", choice_texts=())


@pytest.mark.parametrize(
    "kind", [kind for kind in FAMILIES if kind.reads_alike], ids=lambda kind: kind.name
)
def test_replies_to_items_that_are_read_alike_are_cut_alike_and_have_no_labels(kind: Family):
    by_format: dict[str, set[tuple[tuple[str, ...], int]]] = {}
    planted = [item for name, item in kind.planted().items() if name != "invalid_payload"]
    for item in (*map(kind.sample, kind.formats), *planted):
        reading = kind.reading(item)
        by_format.setdefault(item.format, set()).add((reading.stop, reading.max_tokens))
        assert "labels" not in item.payload
    assert by_format
    assert all(len(ways) == 1 for ways in by_format.values())


@EVERY_FORMAT
def test_the_plain_text_holds_words_of_the_item(kind: Family, format: str):
    assert len(kind.plain_text(kind.sample(format))) > 10
