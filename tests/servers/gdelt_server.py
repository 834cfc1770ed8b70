"""A real HTTP server on loopback that speaks the ArtList JSON of GDELT's DOC 2.0 API.

It answers from a list of articles by the words of the query and the window, and misbehaves as the
API does: errors as sentences under status 200, 429, web pages, silence, broken JSON.
"""

import gzip
import json
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self
from urllib.parse import parse_qs, urlsplit

TOO_SHORT = "The specified phrase is too short."
LIMITED = (
    "Please limit requests to one every 5 seconds or contact the operators for larger queries."
)
PAGE = "<!DOCTYPE html><html><head><title>502 Bad Gateway</title></head><body>down</body></html>"


@dataclass
class GdeltServer:
    """``with GdeltServer(articles, faults=[…]) as server: … server.url …``.

    ``faults`` are dealt to the first requests in order; after them the server is well. Each is a
    status with an optional ``Retry-After`` (``429``, ``"429:0.1"``), or one of ``too_short``,
    ``limited``, ``page``, ``hang``, ``cut``, ``list``, ``empty``, ``escapes``, ``odd``, ``null``,
    ``xml``, ``packed`` (gzip that is not announced), ``marked`` (a byte order mark first).
    """

    articles: Sequence[dict[str, Any]] = ()
    faults: list[str] = field(default_factory=list)
    hang_s: float = 1.0
    asked: list[dict[str, str]] = field(default_factory=list)
    at: list[float] = field(default_factory=list)

    def __enter__(self) -> Self:
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                outer._answer(self)

            def log_message(self, *_: Any) -> None:
                """Stay silent."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,))
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    @property
    def url(self) -> str:
        """The address of the API."""
        return f"http://127.0.0.1:{self._server.server_address[1]}/api/v2/doc/doc"

    def _answer(self, handler: BaseHTTPRequestHandler) -> None:
        parameters = {k: v[0] for k, v in parse_qs(urlsplit(handler.path).query).items()}
        self.asked.append(parameters)
        self.at.append(time.monotonic())
        fault = self.faults.pop(0) if self.faults else ""
        good = json.dumps({"articles": self._found(parameters)} if self.articles else {})
        said = {
            "too_short": TOO_SHORT,
            "limited": LIMITED,
            "page": PAGE,
            "cut": good[: len(good) // 2],
            "list": "[1, 2]",
            "empty": "",
            "escapes": good.replace("Ferry", "Fer\\\\'ry".replace("\\\\", "\\")),
            "odd": json.dumps({"articles": "none"}),
            "null": "null",
            "xml": '<?xml version="1.0"?><error>no</error>',
            "marked": "\ufeff" + good,
        }
        if fault == "hang":
            time.sleep(self.hang_s)
        status, _, wait = fault.partition(":")
        if status.isdigit():
            self._send(handler, int(status), "busy", wait)
        else:
            packed = gzip.compress(good.encode()) if fault == "packed" else b""
            self._send(handler, 200, said.get(fault, good), "", packed)

    def _found(self, parameters: dict[str, str]) -> list[dict[str, Any]]:
        words = parameters["query"].replace('"', "").casefold().split()
        start, end = parameters["startdatetime"], parameters["enddatetime"]
        found = [
            article
            for article in self.articles
            if all(word in article["title"].casefold() for word in words)
            and start <= article["seendate"].replace("T", "").replace("Z", "") <= end
        ]
        return found[: int(parameters["maxrecords"])]

    def _send(
        self,
        handler: BaseHTTPRequestHandler,
        status: int,
        text: str,
        wait: str,
        packed: bytes = b"",
    ) -> None:
        body = packed or text.encode()
        try:
            handler.send_response(status)
            handler.send_header("Content-Type", "text/html; charset=utf-8")
            handler.send_header("Content-Length", str(len(body)))
            if wait:
                handler.send_header("Retry-After", wait)
            handler.end_headers()
            handler.wfile.write(body)
        except (BrokenPipeError, ConnectionResetError):
            handler.close_connection = True  # the client did not wait for it
