"""A folder of GDELT files: as downloaded, with headers or without, zipped, damaged, changing."""

import gzip
import zipfile
from datetime import date
from pathlib import Path

import pytest

from core.errors import InputError, NotFoundError
from core.sources.news.events import RefusedQuery, Window, headline_of
from core.sources.news.gdelt_columns import EVENTS, GKG, MENTIONS
from core.sources.news.gdelt_files import GdeltFiles

DAY = Window(date(2017, 7, 1), date(2017, 7, 1))
SPRING = Window(date(2026, 3, 1), date(2026, 5, 31))


def event(number: int, **cells: str) -> str:
    row = dict.fromkeys(EVENTS, "") | {
        "GLOBALEVENTID": str(number),
        "SQLDATE": "20260310",
        "Actor1Name": "EASTBY",
        "EventRootCode": "04",
        "NumArticles": "3",
        "AvgTone": "1.25",
        "DATEADDED": "20260310101500",
        "SOURCEURL": f"https://news.example.org/a/{number}",
    }
    return "\t".join((row | cells)[name] for name in EVENTS)


def mention(number: int, url: str, moment: str) -> str:
    row = dict.fromkeys(MENTIONS, "") | {
        "GLOBALEVENTID": str(number),
        "MentionTimeDate": moment,
        "MentionIdentifier": url,
        "MentionDocTone": "-2",
    }
    return "\t".join(row[name] for name in MENTIONS)


def gkg(number: int, **cells: str) -> str:
    row = dict.fromkeys(GKG, "") | {
        "GKGRECORDID": f"20260310101500-{number}",
        "DATE": "20260310101500",
        "DocumentIdentifier": f"https://news.example.org/g/{number}",
        "V2Tone": "2.5,3,1,4,20,0,100",
    }
    return "\t".join((row | cells)[name] for name in GKG)


def folder_of(tmp_path: Path, **files: str | bytes) -> Path:
    folder = tmp_path / "news"
    folder.mkdir(exist_ok=True)
    for name, content in files.items():
        data = content if isinstance(content, bytes) else content.encode()
        (folder / name.replace("__", ".")).write_bytes(data)
    return folder


@pytest.fixture
def opened(tmp_path: Path):
    sources = []

    def open_folder(folder: Path) -> GdeltFiles:
        sources.append(GdeltFiles(folder, cache=tmp_path / "cache"))
        return sources[-1]

    yield open_folder
    for source in sources:
        source.close()


@pytest.mark.shared
def test_the_real_files_answer_with_the_right_columns(shared_data: Path, opened):
    source = opened(shared_data / "gdelt")
    kinds = {file.name: (file.kind, file.rows, file.malformed) for file in source.files}
    assert kinds["20170701234500_head50.export.CSV"] == ("event", 50, 0)
    assert kinds["20_events_v2_sample.export.tsv"] == ("event", 50, 0)
    assert kinds["mentions_v2_sample.tsv"] == ("mention", 50, 0)
    assert kinds["gkg_v2_sample.gkg.tsv"] == ("gkg", 50, 0)
    assert [kind for kind, *_ in kinds.values()].count("") == 5  # code books and notes
    best = source.search("Saudi Arabia", DAY, 5)[0]
    assert best.title == "Closer Saudi Egypt ties seen after Sisi ratifies islands deal"
    assert best.url.startswith("http://www.thearabweekly.com/article/8771/")
    assert best.seen.date() == date(2017, 7, 1)
    assert best.tone == -0.3
    assert best.row.split()[1] == "669666366"
    assert best.happened == "2016-07-01"


@pytest.mark.shared
def test_the_real_gkg_gives_names_and_quotations(shared_data: Path, opened):
    facts = opened(shared_data / "gdelt").search("donald trump", DAY, 20, exact=True)
    assert len(facts) > 3
    assert all(fact.kind == "gkg" and "Trump" in fact.detail for fact in facts)
    assert any("Quoted: “" in fact.detail for fact in facts)


@pytest.mark.shared
def test_the_window_is_kept_on_the_real_files(shared_data: Path, opened):
    source = opened(shared_data / "gdelt")
    assert source.search("saudi", DAY, 5)
    assert source.search("saudi", Window(date(2017, 7, 2), date(2018, 7, 1)), 5) == []
    assert source.search("saudi", Window(date(2016, 1, 1), date(2017, 6, 30)), 5) == []


def test_malformed_lines_are_counted_and_skipped(tmp_path: Path, opened):
    lines = [
        event(1),
        "only\tthree\tcells",
        event(2, DATEADDED="soon"),
        event(3) + "\textra",
        event(4),
        "",
        event(5, SOURCEURL="https://news.example.org/a/4"),
    ]
    source = opened(folder_of(tmp_path, x__export__CSV="\n".join(lines) + "\n"))
    assert source.malformed == 3
    assert [file.rows for file in source.files] == [3]
    assert len(source.search("eastby", SPRING, 9)) == 2  # one fact for each address


def test_bytes_that_are_no_utf8_and_rogue_quotes_lose_no_line(tmp_path: Path, opened):
    lines = [event(1, Actor2Name="CAF\\xe9"), event(2, Actor2Name='"QUOTED'), event(3)]
    data = "\n".join(lines).encode().replace(b"\\xe9", b"\xe9")
    source = opened(folder_of(tmp_path, x__export__CSV=data))
    assert [(file.rows, file.malformed) for file in source.files] == [(3, 0)]
    assert len(source.search("quoted", SPRING, 9)) == 1


def test_zipped_and_gzipped_files_are_read_as_downloaded(tmp_path: Path, opened):
    folder = folder_of(tmp_path)
    with zipfile.ZipFile(folder / "20260310.export.CSV.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("20260310.export.CSV", event(1))
    (folder / "20260310.gkg.csv.gz").write_bytes(gzip.compress(gkg(1, Persons="eastby").encode()))
    source = opened(folder)
    assert {file.kind for file in source.files} == {"event", "gkg"}
    assert len(source.search("Eastby", SPRING, 9)) == 2


def test_a_broken_archive_hides_nothing_else(tmp_path: Path, opened):
    folder = folder_of(tmp_path, bad__zip=b"PK\x03\x04 no archive", ok__export__CSV=event(1))
    source = opened(folder)
    assert {file.name: bool(file.problem) for file in source.files} == {
        "bad.zip": True,
        "ok.export.CSV": False,
    }
    assert len(source.search("eastby", SPRING, 9)) == 1


def test_mentions_add_later_articles_about_an_event(tmp_path: Path, opened):
    folder = folder_of(
        tmp_path,
        a__export__CSV=event(1, DATEADDED="20260101000000"),
        b__mentions__CSV=mention(1, "https://other.example.org/x", "20260401000000")
        + "\n"
        + mention(1, "https://other.example.org/y", "20270101000000"),
    )
    (fact,) = opened(folder).search("eastby", SPRING, 9)
    assert (fact.url, fact.kind, fact.tone) == ("https://other.example.org/x", "mention", -2.0)
    assert fact.row == "b.mentions.CSV 1"


def test_words_are_whole_and_case_and_accents_do_not_matter(tmp_path: Path, opened):
    source = opened(
        folder_of(
            tmp_path,
            x__export__CSV="\n".join(
                [event(1, Actor1Name="TRUMPET PLAYER"), event(2, Actor1Name="JOSÉ TRUMP")]
            ),
        )
    )
    assert [fact.row.split()[1] for fact in source.search("trump", SPRING, 9)] == ["2"]
    assert [fact.row.split()[1] for fact in source.search("jose TRUMP", SPRING, 9)] == ["2"]
    assert source.search("trump jose", SPRING, 9, exact=True) == []
    assert len(source.search("trump jose", SPRING, 9)) == 1


def test_a_phrase_does_not_reach_over_two_names(tmp_path: Path, opened):
    folder = folder_of(tmp_path, x__gkg__csv=gkg(1, Persons="anna berg;carl dahl"))
    source = opened(folder)
    assert len(source.search("Carl Dahl", SPRING, 9, exact=True)) == 1
    assert source.search("berg carl", SPRING, 9, exact=True) == []


def test_chinese_names_are_found_inside_longer_text(tmp_path: Path, opened):
    folder = folder_of(
        tmp_path, x__gkg__csv=gkg(1, Extras="<PAGE_TITLE>国家博物馆举办特展</PAGE_TITLE>")
    )
    (fact,) = opened(folder).search("博物馆", SPRING, 9, exact=True)
    assert fact.title == "国家博物馆举办特展"


def test_titles_are_unescaped_and_win_over_addresses(tmp_path: Path, opened):
    folder = folder_of(
        tmp_path, x__gkg__csv=gkg(1, Extras="<PAGE_TITLE>Fish &amp; ferries</PAGE_TITLE>")
    )
    (fact,) = opened(folder).search("ferries", SPRING, 9)
    assert fact.title == "Fish & ferries"


def test_the_index_follows_the_folder(tmp_path: Path, opened):
    folder = folder_of(tmp_path, a__export__CSV=event(1))
    first = opened(folder)
    assert len(first.search("eastby", SPRING, 9)) == 1
    (built,) = (tmp_path / "cache").glob("*.duckdb")
    at = built.stat().st_mtime_ns
    opened(folder)
    assert built.stat().st_mtime_ns == at
    folder_of(tmp_path, b__export__CSV=event(2))
    (folder / "a.export.CSV").unlink()
    second = opened(folder)
    assert [fact.row for fact in second.search("eastby", SPRING, 9)] == ["b.export.CSV 2"]
    assert len(first.search("eastby", SPRING, 9)) == 1  # who reads the old index is not disturbed
    assert first.identity != second.identity
    assert len(list((tmp_path / "cache").glob("*.duckdb"))) == 1


def test_a_damaged_index_is_built_again(tmp_path: Path, opened):
    folder = folder_of(tmp_path, a__export__CSV=event(1))
    opened(folder).close()
    (place,) = (tmp_path / "cache").glob("*.duckdb")
    place.write_bytes(b"no index at all" * 400)
    assert len(opened(folder).search("eastby", SPRING, 9)) == 1


def test_folders_without_gdelt_rows_are_refused(tmp_path: Path, opened):
    with pytest.raises(NotFoundError, match="no folder"):
        opened(tmp_path / "absent")
    with pytest.raises(InputError, match="contains no GDELT"):
        opened(folder_of(tmp_path))
    with pytest.raises(InputError, match="contains no GDELT"):
        opened(folder_of(tmp_path, notes__txt="hello\tworld\n", empty__CSV=b"", b__bin=b"\0" * 99))


def test_every_file_of_an_archive_is_read(tmp_path: Path, opened):
    folder = folder_of(tmp_path)
    with zipfile.ZipFile(folder / "all.zip", "w") as archive:
        archive.writestr("readme.txt", "what this is")
        archive.writestr("a.export.CSV", event(1) + "\nbroken\n")
        archive.writestr("sub/b.gkg.csv", gkg(1, Persons="eastby"))
    source = opened(folder)
    assert [(file.rows, file.malformed) for file in source.files] == [(2, 1)]
    assert len(source.search("eastby", SPRING, 9)) == 2


def test_an_archive_with_damaged_bytes_inside_is_named_and_nothing_of_it_is_used(
    tmp_path: Path, opened
):
    folder = folder_of(tmp_path, ok__export__CSV=event(1))
    with zipfile.ZipFile(folder / "bad.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("good.export.CSV", event(7))
        archive.writestr("bad.export.CSV", "\n".join(event(n) for n in range(2, 999)))
    data = bytearray((folder / "bad.zip").read_bytes())
    place = data.index(b"bad.export.CSV") + 300
    data[place : place + 40] = bytes(40)
    (folder / "bad.zip").write_bytes(bytes(data))
    source = opened(folder)
    assert len(source.search("eastby", SPRING, 9)) == 1
    assert source.left_out().startswith("Left out: bad.zip: ")


@pytest.mark.parametrize("packed", ["zip", "gz"])
def test_an_archive_that_unpacks_to_far_more_than_its_size_is_left_out(
    packed: str, tmp_path: Path, opened
):
    folder = folder_of(tmp_path, ok__export__CSV=event(1))
    bomb = (event(2) + "\n").encode() * 500_000
    place = folder / f"bomb.export.CSV.{packed}"
    if packed == "gz":
        place.write_bytes(gzip.compress(bomb))
    else:
        with zipfile.ZipFile(place, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("bomb.export.CSV", bomb)
    assert len(bomb) > 150 * place.stat().st_size + 20 * 2**20
    source = opened(folder)
    assert len(source.search("eastby", SPRING, 9)) == 1
    assert "unpacks to far more than its size" in source.left_out()


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (("\t".join("x" * 57) + "\n") * 3, "GDELT 1.0"),
        (event(1).replace("\t", ",") + "\n", "not separated by tabs"),
        (event(1).replace("\t", ";") + "\n", "not separated by tabs"),
        (event(1).encode("utf-16"), "UTF-16"),
    ],
)
def test_a_file_that_is_nearly_right_is_named_with_what_is_wrong(
    data: str | bytes, why: str, tmp_path: Path, opened
):
    folder = folder_of(tmp_path, a__export__CSV=data)
    with pytest.raises(InputError, match=rf"a\.export\.CSV: .*{why}"):
        opened(folder)
    (folder / "b.export.CSV").write_text(event(1))
    source = opened(folder)
    assert why in source.left_out()
    assert len(source.search("eastby", SPRING, 9)) == 1


def test_names_in_other_encodings_are_found_and_cut_characters_do_no_harm(tmp_path: Path, opened):
    lines = [
        gkg(1, AllNames="Zoë Müller,1").encode("latin-1"),
        gkg(2, AllNames="上海市长,1").encode("gb18030"),
        gkg(3, AllNames="東京都知事|,1").encode().replace("事|".encode(), "事".encode()[:2]),
    ]
    source = opened(folder_of(tmp_path, a__gkg__csv=b"\n".join(lines) + b"\n"))
    assert source.malformed == 0
    for name in ("Zoe Müller", "上海", "東京都"):
        assert source.search(name, SPRING, 9), name


def test_a_first_line_of_any_length_is_read(tmp_path: Path, opened):
    long = gkg(1, AllNames="Somebody,1;" * 60_000 + "Eastby,2")
    source = opened(folder_of(tmp_path, a__gkg__csv=f"{long}\n{gkg(2, AllNames='Eastby,1')}\n"))
    assert len(source.search("eastby", SPRING, 9)) == 2


def test_a_window_may_have_no_end(tmp_path: Path, opened):
    source = opened(folder_of(tmp_path, a__export__CSV=event(1)))
    assert len(source.search("eastby", Window(date(2026, 1, 1), date.max), 5)) == 1


def test_a_query_without_a_word_is_refused(tmp_path: Path, opened):
    source = opened(folder_of(tmp_path, a__export__CSV=event(1)))
    for query in ("", "  ", "…!?", ";"):
        with pytest.raises(RefusedQuery):
            source.search(query, SPRING, 5)
    assert source.search("'; DROP TABLE facts; --", SPRING, 5) == []
    assert len(source.search("eastby", SPRING, 5)) == 1


def test_headlines_are_read_out_of_addresses():
    assert headline_of("https://x.org/news/2026/old-ferry-comes-back-1234567.html") == (
        "Old ferry comes back"
    )
    assert headline_of("https://x.org/?id=7") == ""
    assert headline_of("https://[bad/one-two-three-four") == ""
