"""Plain text: paragraphs by line or by blank line, and what each line is."""

from core.sources.articles.plain_text import paragraphs_of, read_plain_text

LONG = "This sentence is long enough to be a paragraph that follows a heading in some plain text."


def test_one_paragraph_a_line_stays_that_way() -> None:
    assert paragraphs_of(f"{LONG}\n{LONG}\n\n{LONG}\n") == [LONG] * 3


def test_wrapped_lines_are_joined_up_to_the_blank_line() -> None:
    text = (
        "Lines that were wrapped by an editor at a\ncertain width belong together, and a well-\n"
        "known hyphen stays.\n\nAnother paragraph that is also wrapped at\nthe same "
        "width starts here."
    )
    joined = [" ".join(p.split()) for p in paragraphs_of(text)]
    assert joined == [
        "Lines that were wrapped by an editor at a certain width belong together, and a well-known "
        "hyphen stays.",
        "Another paragraph that is also wrapped at the same width starts here.",
    ]


def test_windows_and_old_mac_line_ends_are_line_ends() -> None:
    assert paragraphs_of("a\r\nb\rc") == ["a", "b", "c"]


def test_lines_are_told_apart() -> None:
    draft = read_plain_text(
        f"A Title of the Work\n1 Introduction\n{LONG}\nFigure 2: What is seen.\n"
        f"- an item\nx = a + b * c^2 - d_1 = 0\n2.1 Details of it\n{LONG}\nReferences\n"
        "Somebody, 1990, A Book of Things.\n"
    )
    assert draft.title == "A Title of the Work"
    assert [(b.kind, b.text[:14], b.level) for b in draft.blocks if b.kind == "heading"] == [
        ("heading", "Introduction", 1),
        ("heading", "Details of it", 2),
        ("heading", "References", 1),
    ]
    assert [b.kind for b in draft.blocks] == [
        "heading", "text", "caption", "list", "formula", "heading", "text", "heading", "reference",
    ]  # fmt: skip


def test_chinese_headings_are_found() -> None:
    long = "分散投资的道理其实并不复杂，" * 8 + "如此而已。"
    draft = read_plain_text(f"一、引言\n{long}\n二、方法\n{long}\n参考文献\n某书。")
    assert [b.text for b in draft.blocks if b.kind == "heading"] == ["引言", "方法", "参考文献"]


def test_an_arxiv_stamp_is_an_identifier_and_a_citation_is_not() -> None:
    stamped = read_plain_text(f"arXiv:2607.01234v2 [cs.CL] 3 Jul 2026\n{LONG}")
    assert (stamped.article_id, stamped.version) == ("2607.01234", "v2")
    assert read_plain_text(f"{LONG} See arXiv:1609.08144 for it.").article_id == ""


def test_what_a_page_cut_off_from_its_beginning_is_not_sure() -> None:
    cut = "The gauges of the river were read by hand in each of the years, and the others of the"
    end = "Two of them were lost in the end, which the keeper of the mill has written down."
    draft = read_plain_text(f"{LONG}\n{cut}\nReport of 2011 209\n{end}\n{LONG}\n")
    assert [b.sure for b in draft.blocks if b.kind == "text" and len(b.text) > 30] == [
        None, None, False, None,
    ]  # fmt: skip


def test_the_number_of_a_series_is_no_title() -> None:
    assert read_plain_text(f"ISSN 2443-8014 (online)\n1 Introduction\n{LONG}\n").title == ""


def test_a_long_file_of_numbers_or_sequences_is_one_table() -> None:
    """Each of its lines was looked at for what kind of paragraph it is, for seconds a file."""
    numbers = "\n".join(f"{n}.176706011272594e+07" for n in range(9_000))
    sequences = ("ACGT" * 500 + "\n") * 100
    assert [b.kind for b in read_plain_text(numbers).blocks] == ["table"]
    assert [b.kind for b in read_plain_text(sequences).blocks] == ["table"]
    assert len(read_plain_text(f"{LONG}\n" * 2_000).blocks) == 2_000
    assert len(read_plain_text("河边有许多鸟巢，每年都要数。\n" * 9_000).blocks) == 9_000


def test_columns_side_by_side_are_not_sure_in_the_text_of_a_pdf() -> None:
    columns = (
        "It was kept by the miller, who   The gauge of the northern bank\n"
        "wrote down each of the levels.   was read twice in both years."
    )
    plain = (
        "Two of them were lost in the end, as the keeper has written down\nin both of the years."
    )
    pages = read_plain_text(f"{plain}\n\f{plain}\n\n{columns}\n\n{plain}\n\f{plain}\n\n{plain}\n")
    assert pages.strict
    assert pages.notes == ("It is the text of a PDF, which is less sure than its source.",)
    assert [(b.sure, "gauge" in b.text) for b in pages.blocks] == [
        (None, False), (None, False), (False, True), (None, False), (None, False), (None, False),
    ]  # fmt: skip
    page = f"{plain}\n\n{plain}\n\n{columns}\n\n{plain}\n\n{plain}\n\n{plain}\n"
    assert [b.sure for b in read_plain_text(page).blocks if "gauge" in b.text] == [False]
    assert not read_plain_text(page).strict
    justified = read_plain_text(page.replace("   ", "  "))
    assert {b.sure for b in justified.blocks} == {None}
