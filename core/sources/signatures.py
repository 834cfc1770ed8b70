"""What a file is by its first bytes, and why some kinds cannot be read."""

from pathlib import Path

from core.errors import InputError
from core.i18n import tr
from core.sources.limits import UnreadableSource

GZIP = b"\x1f\x8b"
_PAGES = (b"<!doctype html", b"<html", b"<head", b"<table")
_OLD_OFFICE = b"\xd0\xcf\x11\xe0"
TAR_MAGIC = b"ustar"
TAR_MAGIC_AT = 257
HEAD = 2**16
"""Bytes that are enough to recognise every kind."""


def is_gzip(head: bytes) -> bool:
    """Does it start like gzip?"""
    return head.startswith(GZIP)


def is_tar(head: bytes) -> bool:
    """Does it start like a tar archive (POSIX or GNU)?"""
    return head[TAR_MAGIC_AT : TAR_MAGIC_AT + 5] == TAR_MAGIC


def is_zip(head: bytes) -> bool:
    """Does it start like a ZIP archive, which Word, OpenDocument and EPUB files are as well?"""
    return head.startswith((b"PK\x03\x04", b"PK\x05\x06"))


def is_old_office(head: bytes) -> bool:
    """Does it start like an Excel, Word or PowerPoint file of Office before 2007?"""
    return head.startswith(_OLD_OFFICE)


def is_pdf(head: bytes) -> bool:
    """Does it start like a PDF?"""
    return head[:1024].lstrip().startswith(b"%PDF")


def is_calc(head: bytes) -> bool:
    """Does it start like a spreadsheet of OpenDocument?"""
    return is_zip(head) and b"mimetypeapplication/vnd.oasis.opendocument.spreadsheet" in head[:200]


def is_web_page(head: bytes) -> bool:
    """Does it start like a page of HTML, or like a bare table of one?"""
    return head.lstrip(b"\xef\xbb\xbf \t\r\n").lower().startswith(_PAGES)


def refuse_other_tables(path: Path, head: bytes) -> None:
    """InputError for tables of kinds that cannot be read: workbooks of Office before 2007 and of
    OpenDocument, and web pages, as some programs export them under the name of a workbook."""
    if is_old_office(head):
        raise InputError.tr(
            "“{path}” is in a format of Office before 2007. Save it as .xlsx or CSV.", path=path
        )
    if is_calc(head):
        raise InputError.tr(
            "“{path}” is an OpenDocument spreadsheet. Save it as .xlsx or CSV.", path=path
        )
    if is_web_page(head):
        raise InputError.tr(
            "“{path}” is a web page (HTML). Open it in a spreadsheet program and save it as "
            ".xlsx or CSV.", path=path
        )  # fmt: skip


def locked_archive() -> str:
    """What is said of a ZIP archive that wants a password."""
    return tr("It is an encrypted ZIP archive. Unpack it and give the folder.")


def refuse_encrypted(head: bytes, tail: bytes = b"") -> None:
    """Raise ``UnreadableSource`` for an encrypted PDF or ZIP archive.

    ``tail`` is the end of the file: that is where a PDF says that it is encrypted.
    """
    if is_pdf(head) and (b"/Encrypt" in head or b"/Encrypt" in tail):
        raise UnreadableSource.tr("It is an encrypted PDF. Remove its password and try again.")
    if is_zip(head) and len(head) > 7 and head[6] & 1:
        raise UnreadableSource(locked_archive())


def refuse_unreadable(head: bytes, tail: bytes = b"") -> None:
    """Raise ``UnreadableSource`` with the reason for kinds that hold no text to read."""
    refuse_encrypted(head, tail)
    if is_pdf(head) or is_zip(head) or is_tar(head):
        raise UnreadableSource.tr("It is packed inside another file. Unpack it first.")
    if head.startswith((b"Salted__", b"-----BEGIN PGP MESSAGE", b"age-encryption.org")) or (
        head[:1] in (b"\x84", b"\x85", b"\x8c", b"\xc1", b"\xc3") and _is_openpgp(head)
    ):
        raise UnreadableSource.tr("It is encrypted. Decrypt it and try again.")
    for magic, name in _PACKED:
        if head.startswith(magic):
            raise UnreadableSource.tr(
                "{format} compression is not supported. Unpack the file first.", format=name
            )
    if head.startswith(b"SQLite format 3\x00"):
        raise UnreadableSource.tr("It is a SQLite file, not text. Write the table or query that "
                                  "holds the items as CSV, and import that.")  # fmt: skip
    for magic, name in _OTHER:
        if head.startswith(magic):
            raise UnreadableSource.tr("It is a {format} file, not text.", format=name)


def _is_openpgp(head: bytes) -> bool:
    """A session-key packet (tags 1 and 3) of a plausible length and version 3 to 6."""
    if len(head) < 4:
        return False
    version = {0x84: 2, 0x85: 3, 0x8C: 2, 0xC1: 2, 0xC3: 2}[head[0]]
    return head[version] in (3, 4, 5, 6) and b"\x00" in head[:HEAD]


_PACKED = (
    (b"\xfd7zXZ\x00", "xz"),
    (b"BZh", "bzip2"),
    (b"7z\xbc\xaf\x27\x1c", "7-Zip"),
    (b"Rar!\x1a\x07", "RAR"),
    (b"\x28\xb5\x2f\xfd", "Zstandard"),
    (b"\x1f\x9d", "compress"),
)
_OTHER = (
    (b"%!PS", "PostScript"),
    (b"\x89PNG", "PNG"),
    (b"\xff\xd8\xff", "JPEG"),
    (b"GIF8", "GIF"),
    (b"\x7fELF", "ELF"),
    (_OLD_OFFICE, "Microsoft Office"),
    (b"{\\rtf", "RTF"),
    (b"\xf7\x02", "DVI"),
)
