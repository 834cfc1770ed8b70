"""What is wrong with a workspace's database or the way to it, as an error for people."""

import shlex
from collections.abc import Mapping

from core.errors import (
    ConnectionLostError,
    InputError,
    PasswordMissingError,
    RightsError,
    WorkspaceError,
    WorkspaceOutsideError,
)
from core.i18n import tr
from db.errors import StoreError

# the server's own words for rights that a login lacks
_OF_ROLES = ("permission denied", "new row violates row-level security", "must be ", "role ")


def newer_read_only(place: object) -> str:
    """What is said of a workspace that a newer program wrote and this one can read."""
    return tr(
        "Workspace “{place}” was written by a newer version of Benchseal and is open read-only. "
        "Update Benchseal to work in it.",
        place=place,
    )


def explain(error: StoreError) -> Exception:
    """A store's trouble as an error for people."""
    # a server's own words may go on for lines: the first says what happened
    place, detail = error.place, error.detail.strip().partition("\n")[0]
    sentences = {
        "exists": tr("A workspace already exists at “{place}”.", place=place),
        "not_found": tr("There is no workspace at “{place}”.", place=place),
        "not_a_database": tr(
            "“{place}” is not a Benchseal workspace but another kind of file.", place=place
        ),
        "not_a_workspace": tr(
            "“{place}” is the database of another program, not a Benchseal workspace.", place=place
        ),
        "newer_schema": tr(
            "Workspace “{place}” was written by a newer version of Benchseal. Update "
            "Benchseal to open it.",
            place=place,
        ),
        "newer_read_only": newer_read_only(place),
        "older_schema": tr(
            "The workspace “{place}” was written by an older Benchseal and can only be read after "
            "it is brought up to date. Open it once: benchseal items --workspace {quoted}",
            place=place,
            quoted=shlex.quote(str(place)),
        ),
        "older_server": tr(
            "The workspace “{place}” has to be brought up to date by whoever administers its "
            "server: benchseal init --workspace ADDRESS",
            place=place,
        ),
        "upgrade_failed": tr(
            "Workspace “{place}” could not be brought up to date: {detail}. Nothing in it was "
            "changed: the version that wrote it still opens it.",
            place=place,
            detail=detail,
        ),
        "old_server": tr(
            "The server of “{place}” is too old: it must be PostgreSQL {least} or newer.",
            place=place,
            least=detail,
        ),
        "damaged": tr(
            "Workspace “{place}” is damaged: {detail}. Restore it from a backup.",
            place=place,
            detail=detail,
        ),
        "read_only": tr(
            "Cannot write to workspace “{place}”. Check the permissions of the file, its "
            "folder and the disk.",
            place=place,
        ),
        "disk_full": tr(
            "The disk of workspace “{place}” is full or failing; nothing was changed. Free "
            "some space and try again.",
            place=place,
        ),
        "locked": tr(
            "Another program has been using workspace “{place}” for too long; nothing was "
            "changed. Try again.",
            place=place,
        ),
        "network_share": tr(
            "Workspace “{place}” is on a network share, where it would be damaged if "
            "several people used it at once. Put it on a local disk, or use a PostgreSQL "
            "server for a team.",
            place=place,
        ),
        **_of_server(place, detail),
        "refused": tr("Access to “{place}” was refused: {detail}", place=place, detail=detail),
        "forbidden": _forbidden(detail),
        "private": tr(
            "Item #{number} is private: its text is for researchers or leads.", number=place
        ),
        "sealed": sealed_sentence(),
    }
    return _error(error.trouble, sentences[error.trouble])


def _error(trouble: str, sentence: str) -> Exception:
    if trouble != "password":
        return _KINDS.get(trouble, WorkspaceError)(sentence)
    where = tr(
        "Put it into PGPASSFILE (~/.pgpass) or into the keyring: keyring set benchseal ADDRESS"
    )
    return PasswordMissingError(sentence, command=where)


def sealed_sentence() -> str:
    """What is said to who reads an item that is sealed, without its key."""
    return tr(
        "This item is sealed: its text is encrypted in the workspace, and the key is not on this "
        "computer. Whoever has it can unlock the opened split: benchseal split unlock SPLIT"
    )


def closed_sentence() -> str:
    """What is said to who reads an item of a split that is sealed, in whatever form it lies."""
    return tr("This item is in a sealed split: nobody can read it until a lead opens the split.")


def forged_sentence() -> str:
    """What is said to who reads an item that is sealed and was changed since."""
    return tr(
        "The text of this item was changed outside the program: its key does not open what is "
        "encrypted in the workspace. To see which items are affected: benchseal verify"
    )


def _of_server(place: str, detail: str) -> dict[str, str]:
    """The sentences about a server and the way to it."""
    return {
        "held": tr(
            "On the server of “{place}” an unfinished change keeps texts about these items "
            "waiting; nothing was done. Ask whoever made it to finish, or end their sessions: "
            "{names}",
            place=place,
            names=detail,
        ),
        "unreachable": tr(
            "The database server of “{place}” does not answer: {detail}", place=place, detail=detail
        ),
        "password": tr("The server of “{place}” requires a password.", place=place),
        "wrong_password": tr(
            "The server of “{place}” does not accept this login with this password. Check both; a "
            "lead can set a new password.",
            place=place,
        ),
        "closed_login": tr(
            "Your login on the server of “{place}” is closed. Ask a lead.", place=place
        ),
        "no_role": tr(
            "Your login on the server of “{place}” has no role in this workspace. Check the "
            "address, or ask a lead.",
            place=place,
        ),
        "no_tables": tr(
            "On the server of “{place}” your login does not find all tables of the workspace. Ask "
            "the server's administrator: {detail}",
            place=place,
            detail=detail,
        ),
        "too_many": tr(
            "The server of “{place}” has as many connections as it allows. Try again in a moment; "
            "its administrator can allow more.",
            place=place,
        ),
        "standby": tr(
            "The server of “{place}” accepts no changes now: it is a standby, or was set to "
            "read-only. Nothing was changed. Ask its administrator.",
            place=place,
        ),
        "server_fault": tr(
            "The server of “{place}” had an error; nothing was changed. Ask its administrator: "
            "{detail}",
            place=place,
            detail=detail,
        ),
        "no_database": tr(
            "The server has no database for “{place}”. Check the address with whoever gave it to "
            "you.",
            place=place,
        ),
        "unknown_host": tr(
            "No computer has the name in “{place}”. Check the address and the network.",
            place=place,
        ),
        **_of_certificates(place, detail),
    }


def _of_certificates(place: str, detail: str) -> dict[str, str]:
    """The sentences about who shows which certificate."""
    return {
        "expired_certificate": tr(
            "The certificate of the server of “{place}” has expired. Whoever administers the "
            "server must renew it.",
            place=place,
        ),
        "certificate": tr(
            "The certificate of the server of “{place}” cannot be trusted for that name. Name its "
            "authority in the address (?sslrootcert=FILE), or ask the server's administrator.",
            place=place,
        ),
        "own_certificate": tr(
            "The server of “{place}” requires a certificate for this login and did not get one: "
            "{detail}. Name it in the address (?sslcert=FILE&sslkey=FILE); nobody else may be "
            "able to read the key.",
            place=place,
            detail=detail.rpartition(": ")[2],
        ),
        "no_tls": tr(
            "The server of “{place}” does not offer TLS, without which nothing is sent to another "
            "computer. Whoever administers the server must turn it on.",
            place=place,
        ),
    }


_KINDS: Mapping[str, type[Exception]] = {
    "refused": InputError,
    "wrong_password": PasswordMissingError,
    "forbidden": RightsError,
    "private": RightsError,
    "unreachable": ConnectionLostError,
    "too_many": ConnectionLostError,
    **dict.fromkeys(
        ("closed_login", "no_role", "no_tables", "standby", "server_fault", "no_database",
         "unknown_host", "expired_certificate", "certificate", "own_certificate", "no_tls",
         "old_server", "older_server", "newer_schema", "disk_full"),
        WorkspaceOutsideError,
    ),
}  # fmt: skip


def _forbidden(detail: str) -> str:
    """By rights that come with a role, or by a rule of the workspace that holds for all."""
    if detail.startswith(_OF_ROLES):
        return tr(
            "Your role does not allow this: the server refused it ({detail}). A lead can change "
            "roles.",
            detail=detail,
        )
    return tr("The rules of this workspace do not allow this: {detail}", detail=detail)
