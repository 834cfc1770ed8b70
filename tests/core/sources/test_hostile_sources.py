"""Files that are broken or mean harm: each is named with its reason, and the rest is read."""

import gzip
import io
import json
import os
import re
import subprocess
import sys
import tarfile
import tracemalloc
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from core.errors import OutsideError
from core.i18n import set_language
from core.sources.articles.read_paths import ReadReport, read_paths
from core.sources.limits import Limits

PROSE = "This is a sentence of an article, and it is long enough to count as a paragraph of prose."
LATEX = f"\\documentclass{{article}}\\begin{{document}}{PROSE}\\end{{document}}".encode()

_ROOT = Path(__file__).resolve().parents[3]
_AS_JSON = """
import json, sys
from pathlib import Path
from core.sources.articles.read_paths import read_paths
report = read_paths([Path(sys.argv[1])])
print(json.dumps({"skipped": report.skipped, "articles": [one.id for one in report.articles]}))
"""


def read(folder: Path, limits: Limits | None = None) -> ReadReport:
    """Read a folder that also holds one good article; it must survive whatever is beside it."""
    (folder / "zz_good.txt").write_text("The good one. " + PROSE)
    report = read_paths([folder], limits=limits or Limits())
    assert "zz_good" in [article.id for article in report.articles]
    return report


def reason(folder: Path, name: str, data: bytes, limits: Limits | None = None) -> str:
    (folder / name).write_bytes(data)
    return dict(read(folder, limits).skipped)[str(folder / name)]


def tar(*members: tuple[tarfile.TarInfo, bytes], mode: str = "w:gz") -> bytes:
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode=mode) as archive:  # type: ignore[call-overload]  # mode
        for info, data in members:
            archive.addfile(info, io.BytesIO(data))
    return raw.getvalue()


def member(name: str, data: bytes = b"", kind: bytes = tarfile.REGTYPE, link: str = "") -> tuple[
    tarfile.TarInfo, bytes
]:  # fmt: skip
    info = tarfile.TarInfo(name)
    info.size, info.type, info.linkname = len(data), kind, link
    return info, data


def encrypted_zip() -> bytes:
    raw = io.BytesIO()
    with zipfile.ZipFile(raw, "w") as archive:
        archive.writestr("main.tex", LATEX)
    data = bytearray(raw.getvalue())
    data[6] |= 1
    return bytes(data)


@pytest.mark.parametrize(
    ("name", "data", "expected"),
    [
        ("empty.tex", b"", "It is empty."),
        ("blank.txt", b" \n\t\n", "It contains no text."),
        (
            "only.tex",
            b"\\documentclass{article}\\begin{document}\\end{document}",
            "It contains no text.",
        ),
        ("binary.txt", bytes(range(256)) * 40, "It is a binary file"),
        ("paper.pdf", b"%PDF-1.7\n1 0 obj", "Could not open the PDF"),
        ("locked.pdf", b"%PDF-1.7\n" + b" " * 99_999 + b"/Encrypt 5 0 R", "It is an encrypted PDF"),
        ("locked.zip", encrypted_zip(), "It is an encrypted ZIP archive."),
        ("named.tex", b"PK\x03\x04\x14\x00\x00\x00", "The archive is damaged"),
        ("a.tar.gz", b"Salted__12345678", "It is encrypted."),
        ("a.gpg", b"\x8c\x0d\x04\x09\x03\x02\x00\x11", "It is encrypted."),
        ("a.tar.xz", b"\xfd7zXZ\x00\x00", "xz compression is not supported."),
        ("a.png", b"\x89PNG\r\n\x1a\n\x00", "It is a PNG file"),
        ("a.ps", b"%!PS-Adobe-3.0", "It is a PostScript file"),
        ("named.tar.gz", b"not an archive at all", "Its name is that of an archive, but"),
        ("cut.gz", gzip.compress(LATEX * 99)[:60], "The archive is damaged"),
        ("bad.gz", gzip.compress(LATEX)[:-6] + b"xxxxxx", "The archive is damaged"),
        ("pdf.gz", gzip.compress(b"%PDF-1.7 "), "It is packed inside another file."),
        ("twice.gz", gzip.compress(gzip.compress(LATEX)), "It is compressed twice."),
        ("bin.gz", gzip.compress(bytes(range(256)) * 40), "It is a binary file"),
        ("none.tar.gz", tar(member("a.png", b"x")), "The archive contains no article."),
        ("page.html", b"no element at all", "Its name is that of an HTML file, but"),
        ("x.json", b'{"text": ', "It is not valid JSON"),
    ],
    ids=lambda value: value if isinstance(value, str) else "data",
)
def test_what_cannot_be_read_is_named(
    tmp_path: Path, name: str, data: bytes, expected: str
) -> None:
    assert expected in reason(tmp_path, name, data)


def test_two_hundred_megabytes_are_not_loaded_to_find_out(tmp_path: Path) -> None:
    path = tmp_path / "huge.tex"
    with path.open("wb") as handle:
        handle.write(LATEX)
        handle.truncate(200 * 2**20)
    tracemalloc.start()
    report = read(tmp_path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 20 * 2**20
    assert dict(report.skipped)[str(path)] == "It has 200 MB; the limit is 100 MB."


def test_a_text_too_long_for_one_article_is_named(tmp_path: Path) -> None:
    assert "more than 0 MB of text" in reason(
        tmp_path, "long.txt", PROSE.encode() * 100, Limits(text_bytes=5_000)
    )


def test_a_bomb_is_stopped_early(tmp_path: Path) -> None:
    bomb = gzip.compress(b"\0" * (30 * 2**20))
    stopped = r"It unpacks from \d+ kB to more than \d+ MB, so it was not read\."
    assert re.fullmatch(stopped, reason(tmp_path, "bomb.gz", bomb))
    packed = tar(member("main.tex", LATEX), member("fig.eps", b"\0" * (30 * 2**20)))
    assert re.fullmatch(stopped, reason(tmp_path, "large.tar.gz", packed))


def test_a_damaged_archive_gives_way_to_the_same_article_in_another_form(tmp_path: Path) -> None:
    (tmp_path / "2607.01234v1.tar.gz").write_bytes(gzip.compress(LATEX)[:40])
    (tmp_path / "2607.01234v1.html").write_text(f"<html><body><p>{PROSE}</p></body></html>")
    (tmp_path / "2607.01234v1.txt").write_text(PROSE)
    report = read(tmp_path)
    said = {Path(path).name: why for path, why in report.skipped}
    assert [a.id for a in report.articles] == ["2607.01234", "zz_good"]
    assert "damaged" in said["2607.01234v1.tar.gz"]
    assert said["2607.01234v1.txt"].endswith("2607.01234v1.html.")


def test_an_archive_of_very_many_members_or_very_much_text_is_stopped(tmp_path: Path) -> None:
    many = tar(*(member(f"{n}.tex", b"x") for n in range(60)))
    limits = Limits(members=50, text_bytes=10_000)
    assert "more than 50 entries" in reason(tmp_path, "many.tar.gz", many, limits)
    much = tar(*(member(f"{n}.tex", os.urandom(2_000)) for n in range(10)))
    assert "too much for one article" in reason(tmp_path, "much.tar.gz", much, limits)


def test_an_archive_reaches_nothing_outside_and_writes_nothing(tmp_path: Path) -> None:
    inner = tmp_path / "in"
    inner.mkdir()
    (tmp_path / "secret.tex").write_text("SECRET")
    text = LATEX.replace(b"This", b"\\input{../secret}\\input{link}\\input{/etc/hostname}This")
    (inner / "evil.tar.gz").write_bytes(
        tar(
            member("main.tex", text),
            member("../escaped.tex", b"out"),
            member("/absolute.tex", b"out"),
            member("a/../../b.tex", b"out"),
            member("link.tex", kind=tarfile.SYMTYPE, link="../secret.tex"),
            member("hard.tex", kind=tarfile.LNKTYPE, link="main.tex"),
            member("device.tex", kind=tarfile.CHRTYPE),
            member("pipe.tex", kind=tarfile.FIFOTYPE),
        )
    )
    before = sorted(p.name for p in tmp_path.rglob("*"))
    report = read(inner)
    article = next(a for a in report.articles if a.id == "evil")
    assert article.text == PROSE
    notes = [note for path, note in report.notes if "archive entries were left out" in note]
    assert notes[0].startswith("7 archive entries were left out")
    assert "../escaped.tex" in notes[0]
    assert sorted(p.name for p in tmp_path.rglob("*")) == sorted([*before, "zz_good.txt"])


def test_latex_reads_nothing_outside_its_folder(tmp_path: Path) -> None:
    inner = tmp_path / "in"
    inner.mkdir()
    (tmp_path / "secret.tex").write_text("SECRET")
    (inner / "link.tex").symlink_to(tmp_path / "secret.tex")
    (inner / "a.tex").write_bytes(
        LATEX.replace(b"This", b"\\input{../secret}\\input{link}\\input{/etc/hostname}This")
    )
    report = read(inner)
    assert [a.text for a in report.articles if a.id == "a"] == [PROSE]
    assert "outside the folder" in dict(report.skipped)[str(inner / "link.tex")]


def test_links_pipes_and_sockets_are_named_and_never_waited_for(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    (tmp_path / "up").symlink_to(tmp_path)
    (tmp_path / "gone.tex").symlink_to(tmp_path / "nothing.tex")
    os.mkfifo(tmp_path / "pipe.tex")
    (tmp_path / "inside.tex").symlink_to(tmp_path / "real.tex")
    (tmp_path / "real.tex").write_bytes(LATEX)
    report = read(tmp_path)
    said = {Path(path).name: why for path, why in report.skipped}
    assert said["loop"].startswith("It is a broken link: ")
    assert said["gone.tex"].startswith("It is a broken link: ")
    assert said["up"] == "It is a link to a folder; such links are not followed."
    assert said["pipe.tex"] == "It is not a regular file."
    assert len(report.articles) == 2


def test_a_file_without_permission_is_named(tmp_path: Path) -> None:
    (tmp_path / "closed.tex").write_bytes(LATEX)
    (tmp_path / "closed.tex").chmod(0)
    (tmp_path / "shut").mkdir(mode=0)
    (tmp_path / "zz_good.txt").write_text(PROSE)
    command = [sys.executable, "-c", _AS_JSON, str(tmp_path)]
    if os.geteuid() == 0:  # who may read everything, until that right is given up
        rights = "-dac_override,-dac_read_search"
        command = ["setpriv", f"--bounding-set={rights}", f"--inh-caps={rights}", *command]
    done = subprocess.run(command, cwd=_ROOT, capture_output=True, text=True, check=True)
    (tmp_path / "shut").chmod(0o700)
    report = json.loads(done.stdout)
    said = {Path(path).name: why for path, why in report["skipped"]}
    assert said["closed.tex"] == "Could not open it: Permission denied."
    assert said["shut"] == "Could not open it: Permission denied."
    assert report["articles"] == ["zz_good"]


def test_a_reader_that_cannot_be_started_is_no_fault_of_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.txt").write_text(PROSE)
    monkeypatch.setattr(sys, "executable", str(tmp_path / "nothing"))
    with pytest.raises(OutsideError, match="Could not start the command"):
        read_paths([tmp_path])


def test_one_child_reads_a_whole_folder(tmp_path: Path) -> None:
    for number in range(6):
        (tmp_path / f"a{number}.tex").write_bytes(LATEX)
    started = []
    sys.addaudithook(lambda event, _: started.append(1) if event == "subprocess.Popen" else None)
    assert read_paths([tmp_path]).articles
    assert len(started) == 1


def test_a_name_of_odd_bytes_can_be_printed_and_stored(tmp_path: Path) -> None:
    odd = os.fsencode(tmp_path) + b"/caf\xe9\n.txt"
    Path(os.fsdecode(odd)).write_text("Odd. " + PROSE)
    report = read(tmp_path)
    article = next(a for a in report.articles if a.text.startswith("Odd"))
    article.path.encode("utf-8")
    article.id.encode("utf-8")


def test_a_folder_that_is_nested_without_end_is_named(tmp_path: Path) -> None:
    deep = tmp_path.joinpath(*["d"] * 30)
    deep.mkdir(parents=True)
    (deep / "x.tex").write_bytes(LATEX)
    assert any("nested too deeply" in why for _, why in read(tmp_path).skipped)


@pytest.mark.parametrize(
    "change",
    [
        lambda data: b"\xef\xbb\xbf" + data,
        lambda data: data.replace(b" ", b"\r\n"),
        lambda data: data.replace(b"This", b"Th\x00is"),
        lambda data: data.decode().encode("utf-16"),
        lambda data: data + b"\\end{document}\\end{document}}}}{{{",
    ],
)
def test_marks_line_ends_and_stray_bytes_do_not_matter(
    tmp_path: Path, change: Callable[[bytes], bytes]
) -> None:
    (tmp_path / "a.tex").write_bytes(change(LATEX))
    assert next(a for a in read(tmp_path).articles if a.id == "a").text == PROSE


def test_chinese_in_gb18030_is_read(tmp_path: Path) -> None:
    text = "分散投资的道理并不复杂，不要把鸡蛋放在一个篮子里。" * 5
    body = f"\\documentclass{{article}}\\begin{{document}}{text}\\end{{document}}"
    (tmp_path / "a.tex").write_bytes(body.encode("gb18030"))
    (tmp_path / "b.txt").write_bytes((text + "二").encode("gbk"))
    texts = {a.id: a.text for a in read(tmp_path).articles}
    assert (texts["a"], texts["b"]) == (text, text + "二")


def test_reasons_are_said_in_chinese(tmp_path: Path) -> None:
    set_language("zh")
    assert reason(tmp_path, "empty.tex", b"") == "文件是空的。"
