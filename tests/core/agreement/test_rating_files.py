"""Rating files as people have them: delimiters, encodings, headers, ids, layouts, faults."""

import codecs
from pathlib import Path

import pytest

from core.agreement.interpretation import landis_koch
from core.agreement.rating_files import read_ratings
from core.agreement.reports import agreement_of_file
from core.errors import BenchsealError, InputError, NotFoundError

PLAIN = "rater1,rater2\n1,1\n2,2\n3,1\n2,2\n"


def written(folder: Path, text: str | bytes, encoding: str = "utf-8") -> Path:
    path = folder / "ratings.csv"
    path.write_bytes(text if isinstance(text, bytes) else text.encode(encoding))
    return path


def ratings_of(folder: Path, text: str | bytes, layout: str | None = None) -> list[list[str]]:
    table = read_ratings(written(folder, text), layout)
    return [[table.categories[c] if c >= 0 else "" for c in row] for row in table.codes]


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_the_delimiter_is_found(tmp_path, delimiter):
    assert ratings_of(tmp_path, PLAIN.replace(",", delimiter)) == [
        ["1", "1"],
        ["2", "2"],
        ["3", "1"],
        ["2", "2"],
    ]


@pytest.mark.parametrize(
    "text",
    ["a;b\n1,5;1,5\n2;2,5\n", "item;rater;value\n1;a;1,5\n1;b;1,5\n2;a;2\n2;b;2,5\n"],
    ids=["raters", "long"],
)
def test_a_decimal_comma_is_read_where_semicolons_separate(tmp_path, text):
    table = read_ratings(written(tmp_path, text))
    assert table.values == (1.5, 2.0, 2.5)


CHINESE = "编号,评审甲,评审乙\n题一,通过,通过\n题二,退回,通过\n题三,退回,退回\n"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "gb18030", "utf-16", "utf-32"])
def test_chinese_files_are_read_in_the_usual_encodings(tmp_path, encoding):
    table = read_ratings(written(tmp_path, CHINESE, encoding))
    assert table.rater_ids == ("评审甲", "评审乙")
    assert table.item_ids == ("题一", "题二", "题三")
    assert set(table.categories) == {"通过", "退回"}


@pytest.mark.parametrize("missing", ["", "NA", "n/a", "NaN", ".", "  ", "NULL", '""'])
def test_missing_cells_are_missing_whatever_stands_for_them(tmp_path, missing):
    cells = ratings_of(tmp_path, f"rater1,rater2\n1,{missing}\n2,2\n{missing},1\n")
    assert cells == [["1", ""], ["2", "2"], ["", "1"]]


@pytest.mark.parametrize(
    "text",
    [
        "1,1\n2,2\n3,1\n2,2\n",
        '"rater1","rater2"\n"1","1"\n"2","2"\n"3","1"\n"2","2"\n',
        "# by two people\r\nrater1,rater2\r\n1,1\r\n2,2\r\n3,1\r\n2,2\r\n",
        '"rater1","rater2"\n"1",1,1\n"2",2,2\n"3",3,1\n"4",2,2\n',
        ',"rater1","rater2"\n"1",1,1\n"2",2,2\n"3",3,1\n"4",2,2\n',
        "item_id,rater1,rater2\n10,1,1\n11,2,2\n12,3,1\n13,2,2\n",
        "Group,Units,r1,r2\nG1,1,1,1\nG2,2,2,2\nG1,3,3,1\nG1,4,2,2\n",
        "q1,1.0,1\nq2,2,2\nq3,3,1\nq4,2,2.0\n\n",
        "item,rater1,\nx,1,1\ny,2,2\nz,3,1\nw,2,2\n",
    ],
    ids=["bare", "quoted", "comment", "R row names", "empty corner", "id", "group", "words as ids",
         "a rater without a name"],
)  # fmt: skip
def test_headers_ids_and_comments_do_not_become_ratings(tmp_path, text):
    assert ratings_of(tmp_path, text) == [["1", "1"], ["2", "2"], ["3", "1"], ["2", "2"]]


@pytest.mark.parametrize("text", ["yes,yes\nno,yes\nno,no\n", "好,好,好\n差,好,差\n差,差,差\n"])
def test_a_first_line_on_which_all_agree_is_no_header(tmp_path, text):
    assert ratings_of(tmp_path, text) == [line.split(",") for line in text.split()]


def test_running_numbers_before_the_ratings_are_ids(tmp_path):
    rows = "".join(f"{i},{i % 2},{(i + i // 3) % 2}\n" for i in range(1, 13))
    table = read_ratings(written(tmp_path, rows))
    assert table.item_ids == tuple(str(i) for i in range(1, 13))
    assert table.codes.shape == (12, 2)


def test_words_without_a_header_are_ratings_from_the_first_line(tmp_path):
    assert ratings_of(tmp_path, "yes,no\nyes,yes\nno,no\n")[0] == ["yes", "no"]


def test_the_first_rater_is_not_taken_for_ids(tmp_path):
    assert ratings_of(tmp_path, "rater1,rater2,rater3\n1,1,1\n2,2,2\n3,3,3\n")[0] == ["1", "1", "1"]
    assert ratings_of(tmp_path, "a,b\n5,1\n3,2\n1,3\n")[0] == ["5", "1"]


def test_two_columns_of_one_name_are_refused(tmp_path):
    with pytest.raises(InputError, match="the column “x” more than once"):
        read_ratings(written(tmp_path, "x,x\n1,1\n2,2\n"))


@pytest.mark.parametrize(
    ("text", "categories"),
    [
        ("yes,no\n3,0\n0,3\n1,2\n", ("yes", "no")),
        ("no,yes\n3,0\n0,3\n1,2\n", ("no", "yes")),
        ("item,yes,no\na,3,0\nb,0,3\nc,1,2\n", ("yes", "no")),
        ("1,2,3\n3,0,0\n0,3,0\n1,2,0\n", ("1", "2", "3")),
        ("c1,c2\n" + "2,3\n4,1\n" * 6, ("1", "2")),
    ],
)
def test_counts_are_recognised_by_their_equal_totals(tmp_path, text, categories):
    table = read_ratings(written(tmp_path, text))
    assert table.counts is not None
    assert table.categories == categories


def test_rows_that_add_up_by_chance_are_asked_about(tmp_path):
    with pytest.raises(InputError, match="--layout"):
        read_ratings(written(tmp_path, "1,2\n2,1\n"))


def test_constant_ratings_are_not_taken_for_counts(tmp_path):
    found = agreement_of_file(written(tmp_path, "a,b,c\n" + "1,1,1\n" * 8), resamples=10)
    reasons = {result.name: result.undefined for result in found}
    assert reasons.pop("percent") is None
    assert all("one category" in reason for reason in reasons.values())


def test_a_table_of_bounds_is_not_taken_for_ratings(tmp_path):
    with pytest.raises(InputError, match=r"columns of .* are raters or categories"):
        read_ratings(written(tmp_path, "low,high,word\n0,1,good\n-1,0,poor\n"))


def test_a_square_table_with_the_same_labels_is_two_raters(tmp_path):
    table = read_ratings(written(tmp_path, ",no,yes\nyes,1,4\nno,3,2\n"))
    assert table.n_items == 10
    assert agreement_of_file(tmp_path / "ratings.csv", None, ["percent"])[0].value == 0.7


@pytest.mark.parametrize(
    "text",
    [
        "item,annotator,label\nx,ann,1\nx,bob,1\ny,ann,2\ny,bob,1\n",
        "label,item_id,rater_id\n1,x,ann\n1,x,bob\n2,y,ann\n1,y,bob\n",
        "ann\tx\t1\nbob\tx\t1\nann\ty\t2\nbob\ty\t1\n",
    ],
)
def test_long_rows_of_item_rater_value_are_recognised(tmp_path, text):
    table = read_ratings(written(tmp_path, text))
    assert set(table.rater_ids) == {"ann", "bob"}
    assert set(table.item_ids) == {"x", "y"}
    assert table.values == (1.0, 2.0)


BROKEN = {
    "empty": b"",
    "only blank lines": b"\n\n\n",
    "only a header": b"rater1,rater2\n",
    "ragged": b"rater1,rater2\n1,1\n2\n",
    "too long": b"rater1,rater2\n1,1\n2,2,2\n",
    "binary": b"PK\x03\x04\x00\x00\x00\x08\x00",
    "broken bytes": b"rater1,rater2\n\x81\x8d\x81,1\n",
    "open quote": b'rater1,rater2\n"1,2\n3,4\n',
}


@pytest.mark.parametrize("case", BROKEN)
def test_a_broken_file_is_named_in_one_sentence(tmp_path, case):
    with pytest.raises(BenchsealError, match=r"ratings\.csv") as caught:
        read_ratings(written(tmp_path, BROKEN[case]))
    assert caught.value.exit_code == 1


def test_a_ragged_line_is_named_by_its_number(tmp_path):
    with pytest.raises(InputError, match=r"Line 3 of .* 1 cell for 2 columns"):
        read_ratings(written(tmp_path, BROKEN["ragged"]))


def test_a_missing_file_a_folder_and_an_unknown_layout_are_told_apart(tmp_path):
    with pytest.raises(NotFoundError, match="no file"):
        read_ratings(tmp_path / "none.csv")
    with pytest.raises(InputError, match="folder"):
        read_ratings(tmp_path)
    with pytest.raises(InputError, match="no layout “wide”"):
        read_ratings(written(tmp_path, PLAIN), "wide")


@pytest.mark.parametrize("text", ["a,b\n1,-2\n3,0\n", "a,b\n1.5,1\n0,2\n", "a,b\nx,1\nx,2\ny,0\n"])
def test_cells_that_are_no_counts_are_refused_in_the_counts_layout(tmp_path, text):
    with pytest.raises(InputError, match="contains values that are not counts"):
        read_ratings(written(tmp_path, text), "counts")


def test_one_column_is_one_rater_and_gives_the_reason(tmp_path):
    found = agreement_of_file(written(tmp_path, "id,rater\n1,2\n2,3\n3,3\n"), resamples=10)
    assert all("one rater" in result.undefined for result in found)


def test_a_single_row_gives_the_reason_without_a_question(tmp_path):
    found = agreement_of_file(written(tmp_path, "a,b\n1,2\n"), resamples=10)
    assert all("Only one item" in result.undefined for result in found)


def test_a_hundred_thousand_rows_with_a_byte_order_mark_are_read(tmp_path):
    text = "id,a,b,c\n" + "".join(f"i{i},{i % 5},{i % 5},{(i * 7) % 5}\n" for i in range(100_000))
    table = read_ratings(written(tmp_path, codecs.BOM_UTF8 + text.encode()))
    assert table.n_items == 100_000
    assert table.n_raters == 3
    assert table.item_id(99_999) == "i99999"


def test_stars_and_points_stand_for_missing_ratings_as_krippendorff_writes_them(tmp_path):
    text = "a,b,c\n1,*,1\n*,2,2\n3,3,.\n1,1,2\n"
    table = read_ratings(written(tmp_path, text))
    assert table.categories == ("1", "2", "3")
    assert (table.codes < 0).sum() == 3


@pytest.mark.parametrize(
    ("value", "word"),
    [(0.2, "slight"), (0.1 + 0.2 - 0.1, "slight"), (0.4 + 1e-12, "fair"), (0.401, "moderate")],
)
def test_the_words_of_landis_and_koch_do_not_hang_on_rounding(value, word):
    assert landis_koch(value) == word


def notes_of(path: Path, layout: str | None = None) -> tuple[str, ...]:
    return agreement_of_file(path, layout, ["percent"], "none")[0].notes


def test_the_line_by_which_a_spreadsheet_is_told_the_delimiter_is_no_item(tmp_path):
    for mark, newline in ((";", "\n"), (",", "\r\n"), ("\t", "\n")):
        text = f"SEP={mark}\n" + PLAIN.replace(",", mark)
        text = text.replace("\n", newline)
        assert ratings_of(tmp_path, text) == ratings_of(tmp_path, PLAIN)


def test_lines_of_blanks_are_no_ratings_but_a_row_of_gaps_is_an_item(tmp_path):
    with pytest.raises(InputError, match="empty"):
        read_ratings(written(tmp_path, "\n \n\t\n"))
    table = read_ratings(written(tmp_path, "rater1,rater2\n1,1\n  \n,\n2,2\n"))
    assert table.n_items == 3
    assert table.n_pairable == 2


@pytest.mark.parametrize(
    "text",
    [
        "item,yes,no,Total\n1,2,3,5\n2,4,1,5\n3,0,5,5\n",
        "题目,甲,乙,合计\n一,1,2,3\n二,2,2,4\n三,1,1,2\n",
        "item,yes,no\n1,2,3\n2,4,1\n3,0,5\nTotal,6,9\n",
    ],
)
@pytest.mark.parametrize("layout", [None, "raters", "counts"])
def test_totals_are_not_taken_for_ratings(tmp_path, text, layout):
    with pytest.raises(InputError, match="is the sum of the other columns"):
        read_ratings(written(tmp_path, text), layout)


def test_a_category_called_total_that_adds_nothing_up_is_a_category(tmp_path):
    text = "item,partial,total\n1,2,3\n2,4,1\n3,0,5\n"
    assert read_ratings(written(tmp_path, text), "counts").categories == ("partial", "total")
    words = "item,rater1,total\n1,good,good\n2,bad,good\n"
    assert read_ratings(written(tmp_path, words)).rater_ids == ("rater1", "total")


def test_a_layout_that_the_file_speaks_against_is_used_and_remarked(tmp_path):
    long = written(tmp_path, "item,rater,value\n1,a,x\n1,b,x\n2,a,y\n2,b,x\n")
    assert notes_of(long) == ()
    assert any("“long”" in note and "“raters”" in note for note in notes_of(long, "raters"))
    plain = written(tmp_path, PLAIN)
    assert notes_of(plain, "raters") == notes_of(plain, "counts") == ()


def test_ids_and_ratings_that_come_twice_are_remarked(tmp_path):
    twice = written(tmp_path, "item,a,b\n1,x,x\n1,y,y\n2,x,y\n1,x,x\n")
    assert any("2 rows repeat the id of an earlier row" in note for note in notes_of(twice))
    again = written(tmp_path, "item,rater,value\n1,a,x\n1,b,x\n2,a,y\n2,b,y\n1,a,y\n")
    assert any("1 rating repeats an earlier one" in note for note in notes_of(again))
    # the reason of an undefined coefficient does not hide the remark
    constant = written(tmp_path, "item,a,b\n1,x,x\n1,x,x\n")
    found = agreement_of_file(constant, None, ["fleiss_kappa"])[0]
    assert found.undefined
    assert any("1 row repeats the id of an earlier row" in note for note in found.notes)


def test_a_square_table_with_a_negative_count_is_refused(tmp_path):
    with pytest.raises(InputError, match="some of its cells are not counts"):
        read_ratings(written(tmp_path, ",x,y\nx,5,-1\ny,2,7\n"))
    peers = read_ratings(written(tmp_path, "item,a,b\na,good,bad\nb,bad,bad\n"))
    assert peers.rater_ids == ("a", "b")


def test_raters_who_are_called_like_the_answers_are_still_a_header(tmp_path):
    table = read_ratings(written(tmp_path, "item,A,B\n1,A,B\n2,B,B\n3,A,A\n"))
    assert (table.rater_ids, table.categories, table.n_items) == (("A", "B"), ("A", "B"), 3)


@pytest.mark.parametrize(
    "text",
    [
        "id,a,b,\nx,1,1,\ny,2,2,\nz,3,1,\nw,2,2,\n",
        "id,a,b,,\nx,1,1,,\ny,2,2,,\nz,3,1,,\nw,2,2,,\n",
        "id,a,b\nx,1,1,\ny,2,2,\nz,3,1,\nw,2,2,\n",
        "id,a,b,\nx,1,1\ny,2,2\nz,3,1\nw,2,2\n",
        "a,b\n1,1,\n2,2,\n3,1,\n2,2,\n",
        "1,1,\n2,2,\n3,1,\n2,2,\n",
        "id,a,b,\nx,1,1,\ny,2,2,\nz,3,1,\nw,2,2,\n,,,\n,,,\n",
    ],
)
def test_what_a_spreadsheet_leaves_at_the_edges_is_neither_rater_nor_item(tmp_path, text):
    assert ratings_of(tmp_path, text) == [["1", "1"], ["2", "2"], ["3", "1"], ["2", "2"]]


def test_a_rater_without_a_rating_keeps_the_name_at_the_edge(tmp_path):
    table = read_ratings(written(tmp_path, "id,a,b,c\nx,1,1,\ny,2,1,\n"))
    assert table.rater_ids == ("a", "b", "c")
    named_by_r = read_ratings(written(tmp_path, '"a","b","c"\n"x",1,1,\n"y",2,1,\n'))
    assert named_by_r.rater_ids == ("a", "b", "c")
    assert named_by_r.item_ids == ("x", "y")


def test_a_file_of_one_column_says_what_separates_columns(tmp_path):
    blanks = written(tmp_path, "id a b\n1 1 1\n2 2 1\n")
    assert any("Separate columns with a comma" in note for note in notes_of(blanks))


def test_ten_thousand_raters_have_every_coefficient_or_a_reason(tmp_path):
    header = ",".join(["id", *(f"r{rater}" for rater in range(10_000))])
    rows = [",".join([f"q{i}", *(str(i * r % 3) for r in range(10_000))]) for i in range(1, 5)]
    path = written(tmp_path, "\n".join([header, *rows]) + "\n")
    found = {one.name: one for one in agreement_of_file(path, resamples=50)}
    assert found["krippendorff_alpha_nominal"].value is not None
    assert "10000 raters" in found["cohen_kappa"].undefined
    assert "10000 raters" in found["spearman"].undefined


@pytest.mark.parametrize(
    ("header", "first"),
    [
        ("1,2,3", ""),
        ("0,1,2", ""),
        ("0.0,0.5,1.0", ""),
        ("prompt,1,2,3", "p{},"),
        (",0,1,2", "{},"),
    ],
)
def test_categories_called_by_numbers_are_a_header_over_counts(tmp_path, header, first):
    rows = "".join(f"{first.format(i)}{i % 3},{(i + 1) % 3 * 2},1\n" for i in range(5))
    table = read_ratings(written(tmp_path, f"{header}\n{rows}"), "counts")
    assert table.n_items == 5
    assert table.values is not None
    assert table.categories == tuple(f"{float(n):g}" for n in header.split(",")[-3:])
    alike = read_ratings(written(tmp_path, "1,2,3\n5,1,0\n2,3,1\n"), "counts")
    assert alike.n_items == 2


@pytest.mark.parametrize("header", ["0,1,2", "1,2,3", "prompt,0,1,2"])
def test_raters_called_by_numbers_are_a_header_and_that_is_said(tmp_path, header):
    first = "p{}," if header[0] == "p" else ""
    rows = "".join(f"{first.format(i)}{i % 3 + 3},4,{i % 2 + 3}\n" for i in range(7))
    path = written(tmp_path, f"{header}\n{rows}")
    assert read_ratings(path, "raters").rater_ids == tuple(header.split(",")[-3:])
    assert any("read as names" in note for note in notes_of(path, "raters")) == (first == "")


def test_two_ratings_in_order_are_ratings_unless_the_first_is_none(tmp_path):
    assert read_ratings(written(tmp_path, "1,2\n2,2\n1,1\n"), "raters").n_items == 3
    assert read_ratings(written(tmp_path, "0,1\n2,2\n1,1\n"), "raters").n_items == 2
    # all lines add up to three, as counts without a header do
    assert read_ratings(written(tmp_path, "1,2\n2,1\n3,0\n"), "counts").n_items == 3


def of_articles(separate: str = "article", extra: str = "") -> str:
    """Ten articles with five items each, about which two raters differ by the article."""
    lines = [f"item,{separate},ann,ben{extra}"]
    for number in range(50):
        article = number // 5
        second = "yes" if article % 3 else "no"
        lines.append(f"i{number},art{article},{'yes' if number % 4 else 'no'},{second}")
    return "\n".join(lines) + "\n"


def test_a_column_of_articles_makes_whole_articles_resampled(tmp_path):
    for name in ("article", "Source", "article_id", "文章", "来源"):
        path = written(tmp_path, of_articles(name))
        table = read_ratings(path)
        assert table.rater_ids == ("ann", "ben")
        assert table.sources == tuple(f"{name} = art{number // 5}" for number in range(50))
        assert agreement_of_file(path, None, ["fleiss_kappa"])[0].sources == 10


def test_a_column_of_another_name_is_asked_for(tmp_path):
    path = written(tmp_path, of_articles("whence"))
    found = agreement_of_file(path, "raters", ["percent"], source_column="whence")[0]
    assert (found.sources, found.raters) == (10, 2)
    with pytest.raises(
        InputError, match=r"no column “nowhere”\. Its columns: item, whence, ann, ben"
    ):
        read_ratings(path, source_column="nowhere")


def test_ratings_one_a_line_take_the_source_of_their_item(tmp_path):
    lines = ["item,article,rater,value"]
    for number in range(12):
        for rater in "ab":
            lines.append(f"i{number},art{number // 4},{rater},{(number + (rater == 'b')) % 3}")
    path = written(tmp_path, "\n".join(lines) + "\n")
    table = read_ratings(path)
    assert table.sources == tuple(f"article = art{number // 4}" for number in range(12))
    assert agreement_of_file(path, None, ["percent"])[0].sources == 3
    bad = written(tmp_path, "\n".join([*lines, "i0,art9,c,1"]) + "\n")
    with pytest.raises(
        InputError, match="two sources of item i0: article = art0 and article = art9"
    ):
        read_ratings(bad)


def test_a_rater_called_source_stays_a_rater(tmp_path):
    table = read_ratings(
        written(tmp_path, "id,source,target\na,1,1\nb,2,2\nc,1,2\nd,1,1\n"), "raters"
    )
    assert table.rater_ids == ("source", "target")
    assert table.sources is None


def test_empty_rows_below_do_not_shift_the_sources(tmp_path):
    path = written(tmp_path, "id,article,ann,ben\na,x,1,1\nb,x,2,1\n,,,\nc,y,1,1\nd,y,2,2\n")
    assert read_ratings(path, "raters").sources == tuple(f"article = {name}" for name in "xxyy")


def test_counts_keep_their_sources_and_a_square_table_has_none(tmp_path):
    text = "item,article,yes,no\n" + "".join(
        f"i{n},a{n // 3},{n % 4},{3 - n % 4}\n" for n in range(12)
    )
    table = read_ratings(written(tmp_path, text), "counts")
    assert table.categories == ("yes", "no")
    assert table.sources == tuple(f"article = a{n // 3}" for n in range(12))


def test_a_square_table_cannot_name_sources(tmp_path):
    # a column left of the labels would make the table no square one
    path = written(tmp_path, "whence,item,yes,no\nx,yes,4,1\nx,no,2,3\n")
    with pytest.raises(InputError, match="cannot name sources"):
        read_ratings(path, source_column="whence")


def beside_a_stranger(cells: str) -> str:
    """Two raters' verdicts on twelve items, and a third column whose cells go round."""
    third = cells.split("/")
    rows = [f"i{n},{third[n % len(third)]},{'yes' if n % 4 else 'no'},{'yes' if n % 3 else 'no'}"
            for n in range(12)]  # fmt: skip
    return "\n".join(["item,whence,ann,ben", *rows]) + "\n"


@pytest.mark.parametrize("cells", ["physics/biology", "2024-01-03/2024-02-07/2025-01-01", "17/29"])
@pytest.mark.parametrize("layout", [None, "raters"])
def test_a_column_that_shares_nothing_with_the_raters_is_asked_about(tmp_path, cells, layout):
    path = written(tmp_path, beside_a_stranger(cells))
    with pytest.raises(InputError, match=r"“whence” in .*--rater-columns ann ben.*--source-column"):
        read_ratings(path, layout)
    chosen = read_ratings(path, layout, rater_columns=["ben", "ann"])
    assert chosen.rater_ids == ("ann", "ben")
    assert chosen.item_ids == tuple(f"i{n}" for n in range(12))
    assert read_ratings(path, layout or "raters", source_column="whence").rater_ids == (
        "ann", "ben",
    )  # fmt: skip


def test_ratings_that_no_two_share_and_raters_by_name_are_left_alone(tmp_path):
    text = "item,r1,r2,r3\na,1,1,9\nb,2,2,9\nc,1,2,8\nd,2,2,9\n"
    assert len(read_ratings(written(tmp_path, text), "raters").rater_ids or ()) == 3
    measured = "item,ann,ben,cy\na,1.25,1.31,1.29\nb,2.5,2.4,2.6\nc,1.1,1.2,1.15\nd,2.2,2.1,2.3\n"
    assert read_ratings(written(tmp_path, measured), "raters").rater_ids == ("ann", "ben", "cy")


def test_a_rater_column_that_is_not_there_is_named(tmp_path):
    path = written(tmp_path, beside_a_stranger("x/y"))
    with pytest.raises(InputError, match=r"no column “carl”\. Its columns: item, whence, ann, ben"):
        read_ratings(path, rater_columns=["ann", "carl"])
