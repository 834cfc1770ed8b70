"""``config``: what a person sets for themselves, as the window's settings page shows it."""

import argparse
from typing import Any

from core.cli.commands import add_command
from core.cli.console import Console, columns
from core.i18n import tr


def _add_config(commands: Any) -> None:
    parser = add_command(commands, "config", tr("show or change your own settings"), _config)
    parser.add_argument("setting", metavar="NAME", nargs="?", help=tr("setting to show or change"))
    parser.add_argument("value", metavar="VALUE", nargs="?", help=tr("its new value"))


def _config(arguments: argparse.Namespace, console: Console) -> None:
    from core.settings import Settings, change, checked, settings, settings_path

    now = settings()
    if arguments.setting is not None:
        checked(now, {arguments.setting: getattr(now, arguments.setting, "")})
    if arguments.value is not None:
        now = change({arguments.setting: arguments.value})
    names = [arguments.setting] if arguments.setting is not None else list(Settings.model_fields)
    rows = []
    for name in names:
        explained = str(Settings.model_fields[name].description)
        rows.append((name, str(getattr(now, name)), tr(explained)))
    document = {"path": str(settings_path()), "settings": now.model_dump()}
    console.emit(document, columns(rows))


COMMANDS = (_add_config,)
