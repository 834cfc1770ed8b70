"""The account of the operating system under which this process runs."""

import os
from pathlib import Path


def login() -> str:
    """The account's name, by the user id of the process: no variable of the environment counts."""
    try:
        import pwd
    except ImportError:  # Windows: its own call, which reads no variable either
        return os.getlogin()
    try:
        return pwd.getpwuid(os.getuid()).pw_name
    except KeyError:  # a container may run under an id that has no name
        return f"uid-{os.getuid()}"


def has_home() -> bool:
    """Whether the account has a home folder: by ``HOME``, else by the system's list of accounts."""
    try:
        Path.home()
    except RuntimeError:
        return False
    return True
