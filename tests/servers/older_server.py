"""A way to a PostgreSQL that says it is an older one: in every answer its version is another."""

import re
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

_VERSION = re.compile(rb"PostgreSQL \d\d\.\d+|server_version\0\d\d\.\d+")


class _Renaming:
    """Replaces a version by one that is as long, so that no length in the protocol changes."""

    def __init__(self, version: str) -> None:
        self._version = version.encode()

    def __call__(self, answer: bytes) -> bytes:
        return _VERSION.sub(self._replace, answer)

    def _replace(self, found: re.Match[bytes]) -> bytes:
        before = found.group()
        words = before[: re.search(rb"\d\d\.", before).start()]  # type: ignore[union-attr]  # it is there
        return words + self._version.ljust(len(before) - len(words))[: len(before) - len(words)]


@contextmanager
def older_server(port: int, version: str) -> Iterator[int]:
    """The port on loopback of a way to the server at ``port`` that says it is ``version``."""
    rename = _Renaming(version)
    threads: list[threading.Thread] = []
    ends: list[socket.socket] = []

    def pump(source: socket.socket, target: socket.socket, *, answers: bool) -> None:
        with suppress(OSError):
            while piece := source.recv(1 << 20):
                target.sendall(rename(piece) if answers else piece)
        for end in (source, target):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    with socket.create_server(("127.0.0.1", 0)) as door:

        def serve() -> None:
            while True:
                try:
                    caller, _ = door.accept()
                except OSError:
                    return
                server = socket.create_connection(("127.0.0.1", port))
                ends.extend((caller, server))
                for source, target, answers in ((caller, server, False), (server, caller, True)):
                    thread = threading.Thread(
                        target=pump, args=(source, target), kwargs={"answers": answers}, daemon=True
                    )
                    thread.start()
                    threads.append(thread)

        server_thread = threading.Thread(target=serve, daemon=True)
        server_thread.start()
        try:
            yield door.getsockname()[1]
        finally:
            door.shutdown(socket.SHUT_RDWR)
            server_thread.join(5)
            for thread in threads:
                thread.join(5)
            for end in ends:
                end.close()
