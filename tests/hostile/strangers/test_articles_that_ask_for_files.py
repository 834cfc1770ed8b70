"""Articles that name files of the person, in every format: what they name is not read, and an
archive writes nothing outside."""

import io
import json
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from core.sources.articles.read_paths import read_paths
from tests.hostile.conftest import Attack

Begin = Callable[[str], Attack]
SECRET = "nightingaleword"
PROSE = "Ordinary words of a paragraph that goes on for a while, so that it is read as one. " * 6
LATEX = r"\documentclass{article}\usepackage{verbatim,listings,import}\begin{document}\section{One}"
COMMANDS = (
    r"\input{%s}", r"\include{%s}", r"\input{../secret.txt}", r"\verbatiminput{%s}",
    r"\lstinputlisting{%s}", r"\import{/}{%s}", r"\subfile{../secret.txt}", r"\input|'cat %s'",
    r"\CatchFileDef{\x}{%s}{}\x", r"\openin5=%s \read5 to\x \x", r"\bibliography{../secret}",
    r"\InputIfFileExists{%s}{}{}", r"\inputminted{text}{%s}",
)  # fmt: skip
ENTITY = '<?xml version="1.0"?><!DOCTYPE r [<!ENTITY x SYSTEM "file://%s">]>'
WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
PARTS = "http://schemas.openxmlformats.org/package/2006"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument"
DOCUMENT = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"


def zipped(**members: str) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return made.getvalue()


def latex(inside: str) -> str:
    return LATEX + f"{PROSE}\n\n{inside}\n\n{PROSE}" + r"\end{document}"


def articles(secret: Path) -> dict[str, bytes]:
    """Files by name, each of which asks for the secret one."""
    at = str(secret)
    made = {f"command{n}.tex": latex(c.replace("%s", at)) for n, c in enumerate(COMMANDS)}
    made |= {
        "a.rst": f"One\n===\n\n{PROSE}\n\n.. include:: {at}\n\n.. raw:: html\n   :file: {at}\n\n"
                 f".. csv-table::\n   :file: {at}\n\n{PROSE}",
        "a.org": f'* One\n{PROSE}\n\n#+INCLUDE: "{at}"\n\n{PROSE}',
        "a.typ": f'= One\n{PROSE}\n\n#include "{at}"\n#read("{at}")\n\n{PROSE}',
        "a.md": f"# One\n\n{PROSE}\n\n![x](file://{at})\n\n!include {at}\n\n{PROSE}",
        "a.html": f'<html><body><h1>One</h1><p>{PROSE}</p><iframe src="file://{at}"></iframe>'
                  f'<object data="{at}"></object><img src="file://{at}"><p>{PROSE}</p></body></html>',
        "a.xml": f"{ENTITY % at}<article><front><article-meta><title-group><article-title>One"
                 "</article-title></title-group></article-meta></front><body><sec><title>One</title>"
                 f"<p>{PROSE} &x;</p><p>&x;</p></sec></body></article>",
        "a.ipynb": json.dumps({"cells": [{"cell_type": "markdown", "metadata": {}, "source": [
            "# One\n", PROSE, f"\n![x](file://{at})"]}], "metadata": {}, "nbformat": 4,
            "nbformat_minor": 5}),
    }  # fmt: skip
    return {name: text.encode() for name, text in made.items()} | archives(secret)


def archives(secret: Path) -> dict[str, bytes]:
    """Files that are archives: offices' documents, books, packed sources."""
    at = str(secret)
    linked = io.BytesIO()
    with tarfile.open(fileobj=linked, mode="w:gz") as archive:
        for name, kind in (("s.tex", tarfile.SYMTYPE), ("h.tex", tarfile.LNKTYPE)):
            member = tarfile.TarInfo(name)
            member.type, member.linkname = kind, at
            archive.addfile(member)
        content = latex(r"\input{s}\input{h}").encode()
        member = tarfile.TarInfo("paper.tex")
        member.size = len(content)
        archive.addfile(member, io.BytesIO(content))
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as book:
        link = zipfile.ZipInfo("main.tex")
        link.create_system, link.external_attr = 3, 0o120777 << 16
        book.writestr(link, at)
        book.writestr("../../outside.tex", "x")
        book.writestr(f"{secret.parent}/outside.tex", "x")
        book.writestr("paper.tex", latex(r"\input{main}"))
    return {
        "a.docx": zipped(**{
            "[Content_Types].xml": f'<Types xmlns="{PARTS}/content-types"><Default Extension="rels"'
            ' ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
            f'<Override PartName="/word/document.xml" ContentType="{DOCUMENT}"/></Types>',
            "_rels/.rels": f'<Relationships xmlns="{PARTS}/relationships"><Relationship Id="r"'
            f' Type="{OFFICE}" Target="word/document.xml"/></Relationships>',
            "word/document.xml": f'{ENTITY % at}<w:document xmlns:w="{WORD}"><w:body><w:p><w:r>'
            f"<w:t>{PROSE} &x;</w:t></w:r></w:p></w:body></w:document>",
        }),
        "a.epub": zipped(**{
            "mimetype": "application/epub+zip",
            "META-INF/container.xml": '<container version="1.0" xmlns="urn:oasis:names:tc:open'
            'document:xmlns:container"><rootfiles><rootfile full-path="c.opf"/></rootfiles>'
            "</container>",
            "c.opf": '<package xmlns="http://www.idpf.org/2007/opf" version="3.0"><manifest>'
            f'<item id="a" href="../../..{at}" media-type="application/xhtml+xml"/></manifest>'
            '<spine><itemref idref="a"/></spine></package>',
        }),
        "links.tar.gz": linked.getvalue(),
        "links.zip": packed.getvalue(),
    }  # fmt: skip


@pytest.mark.slow
def test_no_article_brings_in_a_file_of_the_person(tmp_path: Path, attack: Begin) -> None:
    row = attack("articles that ask for files of the person")
    secret = tmp_path / "secret.txt"
    secret.write_text(f"{SECRET} stands in a file of the person. " * 30, encoding="utf-8")
    files = tmp_path / "files"
    files.mkdir()
    for name, data in articles(secret).items():
        (files / name).write_bytes(data)
    folder = files / "folder"
    folder.mkdir()
    (folder / "main.tex").write_text(latex(r"\input{link}"), encoding="utf-8")
    (folder / "link.tex").symlink_to(secret)
    before = sorted(path.name for path in tmp_path.rglob("*"))
    for place in sorted(files.iterdir()):
        row.tried(f"{place.name} brought it in" if SECRET in repr(read_paths([place])) else "")
    left = sorted(path.name for path in tmp_path.rglob("*"))
    row.tried("" if left == before else f"written: {left}")
