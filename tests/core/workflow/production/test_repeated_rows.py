"""What rows that repeat an earlier one say beside it stays with its item, or is named as lost."""

from core.families.base import COLUMNS, ItemContent
from core.families.intake import AcceptedRow
from core.workflow.production.repeated_rows import REPEATED, with_repeats


def rows(*columns):
    for line, kept in enumerate(columns, 1):
        provenance = {"file": "a.csv", "line": line, COLUMNS: kept}
        yield AcceptedRow(line, ItemContent("answer", "answer", {"question": "Who?"}, provenance))


def test_what_other_rows_say_is_kept_with_the_lines_they_are_from():
    first, reasons = with_repeats(
        rows({"rater": "an", "batch": 1}, {"rater": "bo", "batch": 1}, {"rater": "an"})
    )
    assert first.content.provenance[COLUMNS] == {
        "rater": "an", "batch": 1, REPEATED: [{"line": 2, "rater": "bo"}]
    }  # fmt: skip
    assert reasons[2].endswith("is kept with that item: rater.")
    assert reasons[3] == "It has the same content as line 1."


def test_rows_that_say_nothing_else_change_nothing():
    first, reasons = with_repeats(rows({"id": 1}, {"id": 1}))
    assert first == next(rows({"id": 1}))
    assert reasons == {2: "It has the same content as line 1."}


def test_what_a_file_says_hundreds_of_times_of_one_item_is_named_as_not_kept():
    first, reasons = with_repeats(rows(*({"id": n} for n in range(200))))
    kept = first.content.provenance[COLUMNS][REPEATED]
    said = [reason for reason in reasons.values() if reason.endswith("is not kept: id.")]
    assert len(kept) + len(said) == 199
    assert said


def test_an_item_that_was_exported_with_its_repeats_keeps_them():
    before = [{"line": 7, "rater": "cy"}]
    first, _ = with_repeats(rows({"rater": "an", REPEATED: before}, {"rater": "bo"}))
    assert first.content.provenance[COLUMNS][REPEATED] == [*before, {"line": 2, "rater": "bo"}]
