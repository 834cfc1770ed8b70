"""``check`` on files of ours, of the published form, and on what is neither."""

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from core.cli import main
from core.errors import InputError
from core.families import family
from core.families.base import ItemContent
from core.generation.article_items import generate_from_article
from core.generation.checking import check_file, halves
from core.generation.spec import ScpSpec

from .conftest import article, check_items, prose

SCP = family("scp")
SOURCE = prose(4)

FIRST, SECOND, THIRD = (block.text.split(". ")[0] for block in SOURCE[1:4])


def sequencing(order=("CAB", "ABC", "BCA", "ACB"), label="Selection 1", mark="**{}**: "):
    """A published item shown as second, third, first: CAB restores the source."""
    texts = (SECOND, THIRD, FIRST)
    shown = " ".join(mark.format(letter) + text for letter, text in zip("ABC", texts, strict=True))
    return {"shuffled_text": shown, **dict(zip("ABCD", order, strict=True)), "label": label}


def cloze(mask="<|MaskedSetence|>", options=("BA", "AB", "BA", "BA"), label="Selection 2"):
    return {
        "text_with_holes": f"Rain fell on the hills. {mask} Then it stopped. {mask} ",
        "text_candidates": f"**A**: {FIRST}. \n**B**: {SECOND}. \n",
        **dict(zip("ABCD", options, strict=True)),
        "label": label,
    }


def prediction(**changes):
    row = {
        "context": "The valley has forty gauges and nobody reads them any longer by hand.",
        "A": FIRST,
        "B": SECOND,
        "C": THIRD,
        "D": "Nobody expected that a radio would be cheaper than a pair of boots and a pencil.",
        "label": "B",
    }
    return {**row, **changes}


def write(path: Path, *rows, text: str | None = None) -> Path:
    content = text if text is not None else "".join(json.dumps(row) + "\n" for row in rows)
    path.write_text(content, encoding="utf-8")
    return path


def names(report):
    return {defect.name for defect in report.defects}


def test_our_own_items_come_out_clean_from_their_file(tmp_path, rain):
    items = generate_from_article(rain, ScpSpec(seed=3)).items
    report = check_file(write(tmp_path / "items.jsonl", *(i.as_json() for i in items)), "auto")
    assert report.clean
    assert report.formats == Counter(item.format for item in items)
    assert set(report.formats) == {"sequencing", "cloze", "prediction"}
    assert min(report.formats.values()) > 15
    assert report.as_json()["clean"] is True


def test_the_published_object_and_its_lines_are_read_alike(tmp_path):
    rows = [sequencing(), cloze(), prediction()]
    whole = {"s": rows[:1], "c": rows[1:2], "p": rows[2:]}
    lines = check_file(write(tmp_path / "lines.jsonl", *rows))
    pretty = check_file(write(tmp_path / "whole.json", text=json.dumps(whole, indent=2)))
    flat = check_file(write(tmp_path / "flat.json", text=json.dumps(whole)), "arxivroll")
    assert lines.items == pretty.items == flat.items == 3
    assert names(lines) == names(pretty) == names(flat)
    assert pretty.defects[0].examples[0].place.endswith("[1]")
    assert lines.defects[0].examples[0].place.startswith("line ")


@pytest.mark.parametrize("mark", ["**{}**: ", "**{}: **", "**{}** : "])
def test_the_letters_of_a_shuffled_text_are_found_in_every_spelling(tmp_path, mark):
    report = check_file(write(tmp_path / "s.jsonl", sequencing(mark=mark)))
    assert "order_not_permutation" not in names(report)


def test_options_under_selection_names_are_read_too(tmp_path):
    row = sequencing()
    for number, letter in enumerate("ABCD", 1):
        row[f"Selection {number}"] = row.pop(letter)
    assert check_file(write(tmp_path / "s.jsonl", row)).clean


def test_orders_written_with_spaces_are_the_same_orders(tmp_path):
    row = sequencing(order=("C A B", "A, B, C", "B > C > A", "A-C-B"))
    assert check_file(write(tmp_path / "s.jsonl", row)).clean


def test_a_key_that_is_the_shuffle_and_not_its_inverse_is_found_with_the_article(tmp_path):
    source = article(SOURCE)
    right = check_file(write(tmp_path / "right.jsonl", sequencing()), articles=[source])
    wrong = check_file(
        write(tmp_path / "wrong.jsonl", sequencing(label="Selection 3")), articles=[source]
    )
    without = check_file(write(tmp_path / "wrong.jsonl", sequencing(label="Selection 3")))
    assert right.clean
    assert right.with_source == wrong.with_source == 1
    assert names(wrong) == {"key_contradicts_source"}
    assert without.clean


@pytest.mark.parametrize("turned", [False, True])
def test_of_two_readings_of_a_paper_the_one_that_holds_most_of_an_item_is_its_source(
    tmp_path, turned
):
    """As where a .tex and a .txt of one paper lie side by side, and one of them lost sentences."""
    whole = article(SOURCE)
    poor = article([replace(block, text=block.text.replace(SECOND, "…")) for block in SOURCE])
    articles = [whole, poor] if turned else [poor, whole]
    elsewhere = {**sequencing(), "shuffled_text": " ".join(
        f"**{letter}**: {block.text.split('. ')[1]}"
        for letter, block in zip("ABC", (SOURCE[2], SOURCE[3], SOURCE[1]), strict=True)
    )}  # fmt: skip
    rows = [elsewhere, *[sequencing(label="Selection 3")] * 3]
    report = check_file(write(tmp_path / "wrong.jsonl", *rows), articles=articles)
    found = {defect.name: defect.count for defect in report.defects}
    assert found["key_contradicts_source"] == 3
    assert report.with_source == 4


def test_an_article_that_is_not_the_source_says_nothing(tmp_path):
    other = article(prose(4, first=500))
    report = check_file(
        write(tmp_path / "s.jsonl", sequencing(label="Selection 3")), "auto", [other]
    )
    assert report.clean
    assert report.with_source == 0


def test_another_text_that_follows_the_context_contradicts_the_key(tmp_path):
    source = article(SOURCE)
    paragraph = SOURCE[1].text.split(". ")
    row = prediction(context=paragraph[0] + ".", A=paragraph[1] + ".", label="B")
    row["B"] = THIRD
    row["C"] = SECOND
    assert "key_contradicts_source" in names(
        check_file(write(tmp_path / "p.jsonl", row), articles=[source])
    )
    assert "key_contradicts_source" not in names(
        check_file(write(tmp_path / "p.jsonl", {**row, "label": "A"}), articles=[source])
    )


@pytest.mark.parametrize("mask", ["<|MaskedSetence|>", "<|MaskedSentence|>"])
def test_both_spellings_of_the_published_mask_count_as_holes(tmp_path, mask):
    assert "mask_count_mismatch" not in names(
        check_file(write(tmp_path / "c.jsonl", cloze(mask=mask)))
    )


@pytest.mark.parametrize(
    ("row", "name"),
    [
        (sequencing(order=("CAB", "ABC", "ABC", "ACB")), "repeated_options"),
        (cloze(options=("AB", "AB", "BA", "AB")), "option_equals_key"),
        (sequencing(label="Selection 7"), "key_not_an_option"),
        (sequencing(label=None), "key_not_an_option"),
        (prediction(label="E"), "key_not_an_option"),
        (sequencing(order=("CAB", "ABD", "BCA", "ACB")), "order_not_permutation"),
        (cloze(mask="", options=("AB", "BA", "AB", "BA")), "mask_count_mismatch"),
        (prediction(C="  "), "empty_option"),
        ({k: v for k, v in prediction().items() if k != "D"}, "wrong_option_count"),
        (prediction(D=prediction()["context"]), "context_among_options"),
        (prediction(D=SECOND.replace("Every", "Each")), "near_identical_options"),
        (prediction(B=SECOND * 3), "length_gives_answer"),
        (
            prediction(**{x: rf"$\sum_{{{x}}} a_1^2 = {x} + b_1$" for x in "ABCD"}, context="$x$"),
            "mostly_markup",
        ),
    ],
)
def test_a_planted_defect_is_found_in_the_published_form(tmp_path, row, name):
    report = check_file(write(tmp_path / "items.jsonl", row))
    assert name in names(report)
    found = next(defect for defect in report.defects if defect.name == name)
    assert (found.count, found.rate) == (1, 1.0)
    assert found.examples[0].detail


def test_a_set_with_one_favourite_position_is_found_and_a_small_one_is_not():
    sample = SCP.sample("sequencing")
    few = [sample] * 3
    report = check_items(few)
    assert names(report) == {"duplicate_item"}
    biased = SCP.planted_sets()["position_bias"]
    assert "position_bias" in names(check_items(biased))
    assert "position_bias" not in names(check_items(biased[:5]))


def test_bad_lines_are_counted_and_the_rest_is_checked(tmp_path):
    path = tmp_path / "items.jsonl"
    lines = [
        json.dumps(SCP.sample("cloze").as_json()).encode(),
        b"{torn",
        b"\xff\xfe\xfa",
        b"[1, 2]",
        b'{"family": "no-such", "payload": {}}',
        b'{"family": "scp", "payload": 3}',
        b'{"family": "scp", "format": "riddle", "payload": {}}',
        b"",
    ]
    path.write_bytes(b"\n".join(lines))
    report = check_file(path)
    found = {defect.name: defect for defect in report.defects}
    assert report.items == 2
    assert found["unreadable"].count == 5
    assert [example.place for example in found["unreadable"].examples] == [
        "line 2",
        "line 3",
        "line 4",
    ]
    assert found["invalid_payload"].count == 1


def test_a_byte_order_mark_and_windows_line_ends_do_no_harm(tmp_path):
    path = tmp_path / "items.jsonl"
    row = json.dumps(SCP.sample("cloze").as_json())
    path.write_bytes(b"\xef\xbb\xbf" + f"{row}\r\n".encode())
    assert check_file(path).clean


@pytest.mark.parametrize(
    "content", [b"", b"\n\n", b"plain words\nand more", b"{}", b"[]", b'{"s": [], "c": []}']
)
def test_a_file_without_items_is_refused(tmp_path, content):
    path = tmp_path / "other.txt"
    path.write_bytes(content)
    with pytest.raises(InputError, match=r"other\.txt"):
        check_file(path)


def test_binary_missing_and_folder_are_refused_by_name(tmp_path):
    (tmp_path / "binary.bin").write_bytes(b"\x00\x01" * 100)
    for name in ("binary.bin", "missing.jsonl", "."):
        with pytest.raises(InputError):
            check_file(tmp_path / name)


@pytest.mark.timeout(300)  # patterns that go back and forth would take for ever
def test_hostile_texts_of_megabytes_are_checked(tmp_path):
    rows = [
        prediction(A="\\(" * 200_000, context="\\a[" * 100_000),
        prediction(C="ab" * 500_000 + "x", D="ab" * 500_000 + "y"),
        prediction(context="$" * 100_001, A="{" * 100_000),
        cloze(mask="<|MaskedSentence|>" * 10_000, options=("AB" * 50_000, "BA", "AB", "BA")),
    ]
    report = check_file(write(tmp_path / "big.jsonl", *rows), articles=[article(SOURCE)])
    assert report.items == 4


def test_every_place_of_a_defect_is_named(tmp_path):
    rows = [prediction(), *[prediction(label="E")] * 7]
    report = check_file(write(tmp_path / "items.jsonl", *rows))
    wrong = next(d for d in report.as_json()["defects"] if d["name"] == "key_not_an_option")
    assert [entry["place"] for entry in wrong["places"]] == [f"line {n}" for n in range(2, 9)]


@pytest.mark.parametrize("whole", [False, True])
def test_the_two_halves_hold_every_row_once(tmp_path, whole):
    sound, faulty = sequencing(), prediction(label="E")
    rows = {"s": [sound], "p": [faulty]}
    path = tmp_path / "items.json"
    if whole:
        write(path, text=json.dumps(rows))
    else:
        write(path, text=f"{json.dumps(sound)}\n{json.dumps(faulty)}\nnot JSON\n")
    clean, rejects = halves(path, check_file(path))
    assert [json.loads(line) for line in clean] == [sound]
    parsed = [json.loads(line) for line in rejects]
    names_of = [[defect["name"] for defect in row.pop("defects")] for row in parsed]
    assert names_of[0] == ["key_not_an_option"]
    assert parsed == [faulty] if whole else [faulty, {"line": "not JSON"}]


def test_an_honest_set_of_many_published_items_shows_no_bias(rain):
    items = [
        item
        for seed in range(4)
        for item in generate_from_article(rain, ScpSpec(seed=seed, formats=("cloze",))).items
    ]
    assert "position_bias" not in names(check_items(items))


def test_every_place_of_a_defect_is_listed_within_one_item_too():
    sample = family("scp").sample("sequencing")
    parts = [*sample.payload["parts"]]
    parts[1] = "The gauges,, were read. Others,, were not, as [ref] said in the year before."
    parts[3] = f"{parts[3]} The last one,, fell."
    report = check_items(
        [sample, ItemContent("scp", "sequencing", sample.payload | {"parts": parts})]
    )
    found = {defect.name: defect for defect in report.defects}
    assert [(p.place, p.field) for p in found["lost_citation"].places] == [
        ("line 2", "parts[1]"), ("line 2", "parts[1]"), ("line 2", "parts[3]"),
    ]  # fmt: skip
    assert len({place.detail for place in found["lost_citation"].places}) == 3
    assert (found["lost_citation"].count, found["lost_citation"].rate) == (1, 0.5)
    assert len(found["lost_citation"].examples) == 1
    assert len(found["missing_reference"].places) == 1


@pytest.mark.parametrize("options", [[], ["--artifacts"]])
def test_a_table_has_no_items_to_check_and_is_told_what_checks_it(
    options: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    path = tmp_path / "questions.csv"
    path.write_text("question,A,B,answer\nWhich?,one,two,A\n", encoding="utf-8")
    assert main(["check", str(path), *options]) == 1
    assert "benchseal import FILE --dry-run" in capsys.readouterr().err
