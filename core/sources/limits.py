"""What one source may cost, and the error that names why it was not read."""

from dataclasses import dataclass

from core.errors import InputError


class UnreadableSource(InputError):
    """One file cannot be an article; the message is the reason that the report shows."""


@dataclass(frozen=True)
class Limits:
    """Sizes in bytes. A source beyond any of them is skipped, never loaded to find out."""

    file_bytes: int = 100 * 2**20
    """A file on disk, packed or not."""
    text_bytes: int = 20 * 2**20
    """The text of one article, all its parts together."""
    unpacked_bytes: int = 500 * 2**20
    """Everything in an archive, kept or not."""
    members: int = 5_000
    """Entries of an archive."""
    ratio: int = 150
    """Unpacked to packed size, looked at from ``ratio_from`` unpacked bytes on."""
    ratio_from: int = 20 * 2**20
    files: int = 200_000
    """Files that one reading walks over."""
    depth: int = 24
    """Nested folders, and nested ``\\input`` files."""


DEFAULT_LIMITS = Limits()
