"""A stand-in for a language model, so that the demonstration can screen without one.

It speaks just enough of the OpenAI protocol for the gate, on loopback only, and scores an item by
the statistics of its words. It understands nothing, and says so in every reply.
"""

import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from core.i18n import tr

MODEL = "stand-in"
_USUAL = 7.7  # puts most of the demonstration's items between 6 and 9
_WORD = re.compile(r"[A-Za-z]+|[一-鿿]")


def score_of(text: str) -> float:
    """A score from 0 to 10, in halves: varied wording scores high, symbols and repetition low."""
    words = [word.lower() for word in _WORD.findall(text)]
    if len(words) < 30:
        return 2.0
    variety = len(set(words)) / len(words) ** 0.85
    letters = sum(letter.isalpha() for letter in text) / len(text)
    raw = 10.4 * variety + 12.0 * (letters - 0.72) - _USUAL
    return float(max(0.0, min(10.0, round(2 * raw) / 2)))


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self._reply({"object": "list", "data": [{"id": MODEL, "object": "model"}]})

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        request = json.loads(body)
        text = str(request["messages"][-1]["content"])
        verdict = {
            "score": score_of(text),
            "reasons": tr("Demonstration: a stand-in that looked at word statistics only."),
        }
        choice = {
            "index": 0,
            "finish_reason": "stop",
            "message": {
                "role": "assistant",
                "content": json.dumps(verdict, ensure_ascii=False),
            },
        }
        usage = {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}
        self._reply(
            {
                "id": "stand-in",
                "object": "chat.completion",
                "created": 0,
                "model": MODEL,
                "choices": [choice],
                "usage": usage,
            }
        )

    def _reply(self, document: dict[str, Any]) -> None:
        content = json.dumps(document, ensure_ascii=False).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: Any) -> None:
        """Nobody reads a stand-in's access log."""


@contextmanager
def stand_in_server() -> Iterator[str]:
    """A stand-in on a free loopback port while the context lasts; yields its address."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/v1"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
