"""Elements of XML that come again and again are rows; nothing around them is lost."""

from itertools import pairwise

import pytest

from core.errors import InputError
from core.sources.imports import ImportRow, import_format

REVIEWS = """<?xml version="1.0" encoding="UTF-8"?>
<Reviews lang="en">
  <Review rid="1"><sentences>
    <sentence id="1:0"><text>The fish was fresh &amp; cheap.</text>
      <Opinions><Opinion target="fish" polarity="positive"/><Opinion target="price"
       polarity="positive"/><Opinion target="place" polarity="neutral"/></Opinions></sentence>
    <sentence id="1:1"><text>We came at noon.</text></sentence>
  </sentences></Review>
  <Review rid="2"><sentences>
    <sentence id="2:0"><text>The <b>soup</b> was cold.</text></sentence>
  </sentences></Review>
</Reviews>
"""
COPA = """<copa-corpus version="1.0">
<item id="1" asks-for="cause" most-plausible-alternative="1">
<p>The lid was wet.</p><a1>It rained.</a1><a2>It was new.</a2></item>
<item id="2" asks-for="effect" most-plausible-alternative="2">
<p>The gauge fell.</p><a1>It grew.</a1><a2>It broke.</a2></item>
</copa-corpus>
"""


def rows(tmp_path, text, name="test.xml"):
    (tmp_path / name).write_text(text, "utf-8")
    found = import_format(tmp_path / name).rows(tmp_path / name)
    return [dict(row.values) for row in found if isinstance(row, ImportRow)]


def test_a_sentence_is_a_row_with_its_opinions_and_its_review(tmp_path):
    found = rows(tmp_path, REVIEWS)
    assert [row["text"] for row in found] == ["The fish was fresh & cheap.", "We came at noon.",
                                              "The soup was cold."]  # fmt: skip
    assert [row["rid"] for row in found] == ["1", "1", "2"]
    assert {row["lang"] for row in found} == {"en"}
    assert found[0]["Opinions"][1] == {"target": "price", "polarity": "positive"}


def test_an_element_of_texts_is_a_row_by_their_names(tmp_path):
    found = rows(tmp_path, COPA)
    assert found[1] == {"p": "The gauge fell.", "a1": "It grew.", "a2": "It broke.", "id": "2",
                        "asks-for": "effect", "most-plausible-alternative": "2",
                        "version": "1.0"}  # fmt: skip


@pytest.mark.parametrize(("text", "problem"), [
    ('<?xml version="1.0"?>\n<sentences/>', "no elements that could be rows"),
    ("<a>\n<b>", "is not valid XML: error in line 2"),
])  # fmt: skip
def test_what_has_no_rows_is_refused_in_words(tmp_path, text, problem):
    with pytest.raises(InputError, match=problem):
        rows(tmp_path, text)


def test_entities_that_unfold_to_millions_are_refused(tmp_path):
    names = [f"e{n}" for n in range(12)]
    lines = [f'<!ENTITY {name} "{f"&{before};" * 20}">'
             for before, name in pairwise(names)]  # fmt: skip
    declared = '<!ENTITY e0 "ha">' + "".join(lines)
    with pytest.raises(InputError, match="entities of its own"):
        rows(tmp_path, f"<!DOCTYPE r [{declared}]><r><a>&{names[-1]};</a><a>b</a></r>")


def test_files_outside_are_never_opened(tmp_path):
    (tmp_path / "secret.txt").write_text("tides", "utf-8")
    outside = f'<!DOCTYPE r [<!ENTITY x SYSTEM "file://{tmp_path}/secret.txt">]>'
    with pytest.raises(InputError, match="entities of its own"):
        rows(tmp_path, f"{outside}<r><a><t>&x;</t></a><a><t>b</t></a></r>")
