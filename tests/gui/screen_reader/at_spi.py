"""The window as a screen reader meets it: its tree, read over the AT-SPI bus of a private desktop.

The desktop is an X server and a session bus of its own; the bus starts Debian's registry
(``at-spi2-core``). Roles and states are numbered as in ``atspi-constants.h`` (at-spi2-core 2.46).
"""

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

from jeepney import DBusAddress, DBusErrorResponse, new_method_call
from jeepney.io.blocking import DBusConnection, open_dbus_connection

from tests.polling import until

_ATSPI = "org.a11y.atspi."
_ROOT = "/org/a11y/atspi/accessible/root"
_REGISTRIES = ("/usr/libexec/at-spi2-registryd", "/usr/lib/at-spi2-core/at-spi2-registryd")
_LAUNCHERS = ("/usr/libexec/at-spi-bus-launcher", "/usr/lib/at-spi2-core/at-spi-bus-launcher")
_PATIENCE_S = 60.0

NO_ROLE = {0: "invalid", 67: "unknown"}
CONTROLS = {
    7: "check box", 11: "combo box", 31: "list", 38: "page tab list", 40: "password text",
    42: "progress bar",
    43: "push button", 44: "radio button", 51: "slider", 52: "spin button", 55: "table",
    61: "text", 62: "toggle button", 65: "tree", 66: "tree table", 79: "entry",
}  # fmt: skip
"""Roles of what a person uses; each needs a name."""
ONE_OF = 44
"""The role of one of several, such as an entry of the list of places."""
_TABS = 38
_INNER = {11, 52}
"""Roles whose parts are read by the name of the whole: combo boxes and number fields."""
_MANAGING = {31, 55, 65, 66}
"""Roles whose cells and entries a reader reads by themselves."""
CHECKED, FOCUSABLE, SHOWING = 4, 11, 25


def missing() -> str:
    """What this machine lacks of a private desktop, or an empty text."""
    parts = {
        "Xvfb": shutil.which("Xvfb"),
        "dbus-daemon": shutil.which("dbus-daemon"),
        "at-spi2-core": all(any(map(os.path.exists, ways)) for ways in (_REGISTRIES, _LAUNCHERS)),
    }
    return ", ".join(name for name, there in parts.items() if not there)


def _first_line(read: int) -> str:
    with os.fdopen(read, encoding="ascii") as stream:
        return stream.readline().strip()


@contextmanager
def desktop(run_folder: Path) -> Iterator[dict[str, str]]:
    """A private X server and session bus; yields the environment of who works there."""
    run_folder.mkdir(mode=0o700, exist_ok=True)
    plain = {**os.environ, "XDG_RUNTIME_DIR": str(run_folder)}
    plain.pop("DBUS_SESSION_BUS_ADDRESS", None)
    started: list[subprocess.Popen[bytes]] = []

    def begin(command: Callable[[int], list[str]], environment: dict[str, str]) -> str:
        read, write = os.pipe()
        with os.fdopen(write, "wb"):
            started.append(
                subprocess.Popen(
                    command(write), env=environment, pass_fds=(write,), stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                )
            )  # fmt: skip
        return _first_line(read)

    try:
        display = begin(
            lambda fd: ["Xvfb", "-displayfd", str(fd), "-screen", "0", "1920x1080x24"], plain
        )
        environment = {**plain, "DISPLAY": f":{display}"}
        address = begin(
            lambda fd: ["dbus-daemon", "--session", "--nofork", f"--print-address={fd}"],
            environment,
        )
        yield {
            **environment, "DBUS_SESSION_BUS_ADDRESS": address, "QT_QPA_PLATFORM": "xcb",
            "QT_ACCESSIBILITY": "1", "QT_LINUX_ACCESSIBILITY_ALWAYS_ON": "1",
        }  # fmt: skip
    finally:
        for process in reversed(started):
            process.terminate()
            process.wait(20)


@dataclass
class Node:
    """One accessible object with what a reader says of it."""

    place: tuple[str, str]
    name: str
    role: int
    role_name: str
    states: frozenset[int]
    children: list["Node"] = field(default_factory=list)
    parent: "Node | None" = None
    box: tuple[int, int, int, int] = (0, 0, 0, 0)
    """x, y, width and height on the screen, in pixels."""

    def walk(self) -> Iterator["Node"]:
        """This object and everything in it, in the order of reading."""
        yield self
        for child in self.children:
            yield from child.walk()

    def words(self) -> list[tuple[str, str, tuple[int, ...]]]:
        """Everything that would be said, in the order of reading, and where it stands."""
        return [(node.role_name, node.name, node.box) for node in self.walk()]

    def path(self) -> str:
        """Where it is, in words."""
        above = f"{self.parent.path()} › " if self.parent is not None else ""
        return f"{above}{self.role_name} “{self.name[:40]}”"


class Reader:
    """A screen reader's end of the bus."""

    def __init__(self, environment: dict[str, str]) -> None:
        with open_dbus_connection(environment["DBUS_SESSION_BUS_ADDRESS"]) as session:
            bus = DBusAddress("/org/a11y/bus", "org.a11y.Bus", "org.a11y.Bus")
            address = session.send_and_get_reply(new_method_call(bus, "GetAddress"), timeout=60)
        self._bus: DBusConnection = open_dbus_connection(address.body[0])

    def close(self) -> None:
        """Leave the bus."""
        self._bus.close()

    def _call(
        self, place: tuple[str, str], interface: str, method: str, form: str = "", *values: Any
    ) -> Any:
        address = DBusAddress(place[1], place[0], interface)
        message = new_method_call(address, method, form or None, values)
        reply = self._bus.send_and_get_reply(message, timeout=_PATIENCE_S)
        if reply.header.message_type.name == "error":
            raise DBusErrorResponse(reply)
        return reply.body[0]

    def _accessible(self, place: tuple[str, str], method: str, form: str = "", *values: Any) -> Any:
        return self._call(place, f"{_ATSPI}Accessible", method, form, *values)

    def _name(self, place: tuple[str, str]) -> str:
        held = self._call(
            place, "org.freedesktop.DBus.Properties", "Get", "ss", f"{_ATSPI}Accessible", "Name"
        )
        return str(held[1])

    def windows(self, pid: int) -> list[tuple[str, str]]:
        """The windows that the process shows."""
        found = []
        for child in self._accessible((f"{_ATSPI}Registry", _ROOT), "GetChildren"):
            owner = self._call(
                ("org.freedesktop.DBus", "/org/freedesktop/DBus"), "org.freedesktop.DBus",
                "GetConnectionUnixProcessID", "s", child[0],
            )  # fmt: skip
            if owner == pid:
                found += [tuple(window) for window in self._accessible(child, "GetChildren")]
        return found

    def tree(self, place: tuple[str, str], parent: Node | None = None) -> Node:
        """What is shown at a place, with everything shown in it; tables are not entered."""
        low, high = self._accessible(place, "GetState")
        bits = low | high << 32
        states = frozenset(bit for bit in range(64) if bits >> bit & 1)
        role = self._accessible(place, "GetRole")
        said = CONTROLS.get(role, f"role {role}")  # asked of each it would cost a fifth of the time
        node = Node(place, self._name(place), role, said, states, parent=parent)
        if SHOWING in states:
            node.box = tuple(self._call(place, f"{_ATSPI}Component", "GetExtents", "u", 0))
        if role not in _MANAGING | _INNER:
            for child in self._accessible(place, "GetChildren"):
                if child[1].endswith("/null"):
                    continue
                below = self.tree(tuple(child), node)
                if SHOWING in below.states:
                    node.children.append(below)
        return node

    def press(self, node: Node) -> None:
        """Do a control's first action, as a reader's own key does."""
        self._call(node.place, f"{_ATSPI}Action", "DoAction", "i", 0)

    def until_shown(self, pid: int, wanted: Callable[[Node], bool]) -> Node:
        """The tree of a process's window that holds what is wanted, once it has settled."""
        trees: list[Node | None] = [None]

        def settled() -> bool:
            before = trees[-1]
            trees.append(self._window_with(pid, wanted))
            now = trees[-1]
            return now is not None and before is not None and now.words() == before.words()

        until(settled)
        found = trees[-1]
        assert found is not None
        return found

    def _window_with(self, pid: int, wanted: Callable[[Node], bool]) -> Node | None:
        try:
            trees = [self.tree(window) for window in self.windows(pid)]
        except DBusErrorResponse:  # what was listed a moment ago is gone
            return None
        return next((tree for tree in trees if any(map(wanted, tree.walk()))), None)


def nameless(root: Node) -> list[str]:
    """Controls without a name, and what takes the focus without a role."""
    found = []
    for node in root.walk():
        if node.role in CONTROLS and not node.name.strip():
            found.append(f"no name: {node.path()}")
        if FOCUSABLE in node.states and node.role in NO_ROLE:
            found.append(f"no role: {node.path()}")
    return found


def reads_backwards(root: Node) -> list[str]:
    """Steps of the reading order that go up without going right, or left on one line."""
    found = []
    for node in root.walk():
        for before, after in pairwise(child for child in node.children if child.box[2] > 0):
            (x1, y1, w1, h1), (x2, y2, w2, h2) = before.box, after.box
            up = y2 + h2 <= y1 and x2 < x1 + w1
            left = x2 + w2 <= x1 and y2 < y1 + h1 and y1 < y2 + h2
            # Qt itself keeps the pages of a tab widget before the tabs
            if (up or left) and after.role != _TABS:
                found.append(f"{before.path()} → {after.role_name} “{after.name[:40]}”")
    return found
