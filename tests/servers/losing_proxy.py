"""A way to a PostgreSQL on which answers get lost: the server commits, and nobody hears of it."""

import os
import select
import shutil
import socket
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import parse_qs, quote, unquote, urlsplit, urlunsplit

_SOCKET = ".s.PGSQL.5432"
_COMMITS = (b"COMMIT", b"benchseal.decide")
"""What commits: the second is a transaction of its own."""


class LosingProxy:
    """Passes everything on, and loses the answer to the next commit when it is told to."""

    def __init__(self, behind: Path, folder: Path) -> None:
        self._behind = behind
        self._losing = False
        self.lost = 0
        """How many answers were lost so far."""
        self._door = socket.socket(socket.AF_UNIX)
        self._door.bind(str(folder / _SOCKET))
        self._door.listen()
        self._stop_out, self._stop_in = os.pipe()
        self._thread = threading.Thread(target=self._serve)
        self._thread.start()

    def lose_next_answer(self) -> None:
        """Close the connection once the server has answered to the next commit."""
        self._losing = True

    def close(self) -> None:
        """End every connection."""
        os.write(self._stop_in, b"x")
        self._thread.join()
        self._door.close()
        os.close(self._stop_in)
        os.close(self._stop_out)

    def _serve(self) -> None:
        partner: dict[socket.socket, socket.socket] = {}
        clients: set[socket.socket] = set()
        doomed: set[socket.socket] = set()
        while True:
            ready, _, _ = select.select([self._door, self._stop_out, *partner], [], [])
            if self._stop_out in ready:
                break
            for end in ready:
                if end is self._door:
                    client, server = self._door.accept()[0], socket.socket(socket.AF_UNIX)
                    server.connect(str(self._behind))
                    partner |= {client: server, server: client}
                    clients.add(client)
                elif end in partner:
                    self._pass_on(end, partner, clients, doomed)
        for end in partner:
            end.close()

    def _pass_on(
        self,
        end: socket.socket,
        partner: dict[socket.socket, socket.socket],
        clients: set[socket.socket],
        doomed: set[socket.socket],
    ) -> None:
        try:
            data = end.recv(65_536)
        except OSError:
            data = b""
        other = partner[end]
        if end in doomed and data:
            self.lost += 1
            data = b""
        if not data:
            for gone in (end, other):
                partner.pop(gone)
                clients.discard(gone)
                doomed.discard(gone)
                gone.close()
            return
        if end in clients and self._losing and any(word in data for word in _COMMITS):
            self._losing = False
            doomed.add(other)
        other.sendall(data)


@contextmanager
def losing_proxy(url: str) -> Iterator[tuple[LosingProxy, str]]:
    """(the proxy, the address that leads through it) before a server behind a Unix socket."""
    parts = urlsplit(url)
    host = unquote(parse_qs(parts.query)["host"][0])
    folder = Path(tempfile.mkdtemp(prefix="bpx-"))
    proxy = LosingProxy(Path(host) / _SOCKET, folder)
    try:
        place = quote(str(folder), safe="")
        yield proxy, urlunsplit(parts._replace(query=f"host={place}"))
    finally:
        proxy.close()
        shutil.rmtree(folder, ignore_errors=True)
