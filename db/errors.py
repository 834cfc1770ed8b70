"""What can go wrong with the store itself, told by kind so that callers can put it in words."""

from typing import Literal

from sqlalchemy.exc import NoResultFound

Trouble = Literal[
    "not_found",
    "exists",
    "not_a_database",
    "not_a_workspace",
    "newer_schema",
    "older_schema",
    "older_server",
    "old_server",
    "damaged",
    "read_only",
    "disk_full",
    "locked",
    "network_share",
    "unreachable",
    "password",
    "refused",
    "forbidden",
]


UnreadableError = NoResultFound
"""A row that another row needs is not there."""


class StoreError(Exception):
    """The store cannot be opened, read or written. ``detail`` is the database's own word."""

    def __init__(self, trouble: Trouble, place: str, detail: str = "") -> None:
        super().__init__(f"{trouble}: {place} {detail}".strip())
        self.trouble: Trouble = trouble
        self.place = place
        self.detail = detail
