"""``keys``: which servers may be asked, and where the key of each is."""

import argparse
from typing import Any

from core.cli.commands import add_command, add_group, ask_key
from core.cli.console import Console, columns
from core.i18n import tr


def _add_keys(commands: Any) -> None:
    verbs = add_group(
        commands, "keys", tr("allow servers, and say where their keys are"), tr("ACTION")
    )
    add = add_command(verbs, "add", tr("allow a server"), _keys_add)
    add.add_argument("url", metavar="URL", help=tr("address of the server"))
    where = add.add_mutually_exclusive_group()
    where.add_argument("--env", metavar="NAME", default="",
                       help=tr("environment variable that holds its key"))  # fmt: skip
    where.add_argument("--keyring", metavar="USER", default="",
                       help=tr("user name of its key in the system keyring"))  # fmt: skip
    where.add_argument("--ask", action="store_true",
                       help=tr("ask for the key and put it into the system keyring"))  # fmt: skip
    add.add_argument("--name", metavar="N", default="", help=tr("name for the server"))
    add_command(verbs, "list", tr("list the allowed servers"), _keys_list)
    remove = add_command(verbs, "remove", tr("no longer allow a server"), _keys_remove)
    remove.add_argument("server", metavar="SERVER", help=tr("name or address of the server"))


def _keys_add(arguments: argparse.Namespace, console: Console) -> None:
    from core.llm import keys

    user = arguments.keyring
    if arguments.ask:
        user = keys.origin_of_server(arguments.url)
        keys.keep_key(user, ask_key(user))
    added = keys.allow_server(
        arguments.url, variable=arguments.env, keyring_user=user, name=arguments.name
    )
    text = tr("{origin} is allowed: {key}.", origin=added.origin, key=keys.shown_place(added))
    console.emit(added.model_dump(), text)


def _keys_list(arguments: argparse.Namespace, console: Console) -> None:
    del arguments
    from core.llm import keys

    known = keys.server_keys()
    rows = [
        (one.server.name, one.server.origin, keys.shown_place(one.server),
         "" if one.server.key == "none" else tr("set") if one.has_key else tr("not set"))
        for one in known
    ]  # fmt: skip
    text = columns(rows, (tr("name"), tr("server"), tr("key"), ""))
    documents = [{**one.server.model_dump(), "has_key": one.has_key} for one in known]
    console.emit({"servers": documents}, text if rows else tr("No server is allowed yet."))


def _keys_remove(arguments: argparse.Namespace, console: Console) -> None:
    from core.llm import keys

    gone = keys.forget_server(arguments.server)
    console.emit(gone.model_dump(), tr("{origin} is no longer allowed.", origin=gone.origin))


COMMANDS = (_add_keys,)
