"""Servers are strangers: what they send is bounded, what they say of a key is not kept, and nobody
is sent on by them."""

import base64
import gzip
import html
import json
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import date
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from core.errors import OutsideError
from core.llm.batch import ask_all
from core.llm.keys import allow_server
from core.llm.types import ChatRequest, ModelServer, Reply
from core.sources.news.events import Window
from core.sources.news.gdelt_doc import GdeltDoc
from core.sources.rate_limited_client import RateLimitedSession, RateLimits, RequestRefused
from tests.hostile.conftest import Attack
from tests.servers.model_server import LoopbackModel

Begin = Callable[[str], Attack]
Behave = Callable[[BaseHTTPRequestHandler], None]
REPLY = {"choices": [{"message": {"content": "A"}, "finish_reason": "stop"}], "model": "m",
         "usage": {"prompt_tokens": 3, "completion_tokens": 1}}  # fmt: skip


@contextmanager
def behaving(behave: Behave) -> Iterator[str]:
    """The address of a server that answers every request by ``behave``."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            self.rfile.read(int(self.headers.get("Content-Length") or 0))
            self.do_GET()

        def do_GET(self) -> None:
            self.close_connection = True
            try:
                behave(self)
            except (BrokenPipeError, ConnectionResetError):
                return  # the client had enough

        def log_message(self, *_: Any) -> None:
            """Stay silent."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    server.block_on_close = False
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def begin(handler: BaseHTTPRequestHandler, **headers: str) -> None:
    handler.send_response(200)
    for name, value in {"Content-Type": "application/json", **headers}.items():
        handler.send_header(name.replace("_", "-"), value)
    handler.end_headers()


def asked(url: str, **options: Any) -> Reply:
    ((_, reply),) = ask_all(
        ModelServer(url, "m", **{"timeout_s": 20.0, "retries": 0, **options}),
        [ChatRequest.of("item-1", "a private text")],
    )
    return reply


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_item_texts_are_not_sent_on_to_another_server(status: int, attack: Begin) -> None:
    row = attack("redirects to a second server")
    with LoopbackModel(answer=lambda _: "A") as second:
        elsewhere = second.url.removesuffix("/v1")
        targets = (
            f"{elsewhere}/v1/chat/completions",
            elsewhere.replace("http://", "//") + "/v1/chat/completions",
            elsewhere.replace("127.0.0.1", "localhost") + "/v1/chat/completions",
            f"{elsewhere}@evil/", "https://127.0.0.1:1/v1", "file:///etc/passwd", "gopher://x/",
        )  # fmt: skip
        for target in targets:

            def redirect(handler: BaseHTTPRequestHandler, target: str = target) -> None:
                handler.send_response(status)
                handler.send_header("Location", target)
                handler.send_header("Content-Length", "0")
                handler.end_headers()

            with behaving(redirect) as url:
                try:
                    reply = asked(url)
                    failure = "" if reply.outcome == "failed" else "an answer of it was taken"
                except OutsideError as error:
                    failure = "" if "redirects to" in str(error) else str(error)
            row.tried(failure or ("it was asked" if second.seen else ""))


def test_a_redirect_within_the_server_is_followed() -> None:
    with behaving(_moved) as url:
        assert asked(url).text == "A"


def _moved(handler: BaseHTTPRequestHandler) -> None:
    if handler.path.endswith("/"):
        body = json.dumps(REPLY).encode()
        begin(handler, Content_Length=str(len(body)))
        handler.wfile.write(body)
        return
    handler.send_response(307)
    handler.send_header("Location", handler.path + "/")
    handler.send_header("Content-Length", "0")
    handler.end_headers()


def test_no_fetcher_of_texts_follows_a_redirect_elsewhere(tmp_path: Path, attack: Begin) -> None:
    row = attack("redirects of news and articles to a second server")
    asked_second: list[str] = []

    def second(handler: BaseHTTPRequestHandler) -> None:
        asked_second.append(handler.path)
        begin(handler, Content_Length="2")
        handler.wfile.write(b"{}")

    with behaving(second) as other:

        def redirect(handler: BaseHTTPRequestHandler) -> None:
            handler.send_response(302)
            handler.send_header("Location", f"{other}/x")
            handler.send_header("Content-Length", "0")
            handler.end_headers()

        with behaving(redirect) as url:
            limits = RateLimits(delay=0, retries=0, timeout=5)
            with RateLimitedSession(limits) as session:
                for fetch in (
                    lambda: session.get(url),
                    lambda: session.download(url, tmp_path / "f", 2**20, lambda _: None),
                ):
                    try:
                        fetch()
                        row.tried("it was followed")
                    except RequestRefused:
                        row.tried("it was asked" if asked_second else "")
            source = GdeltDoc(url, interval_s=0, retries=0)
            try:
                source.search("ferry", _window(), 5)
                row.tried("it was followed")
            except OutsideError:
                row.tried("it was asked" if asked_second else "")
            source.close()


def _window() -> Window:
    return Window(date(2026, 1, 1), date(2026, 2, 1))


_MEASURED = """
import json, re, resource, sys, time
from core.llm.batch import ask_all
from core.llm.types import ChatRequest, ModelServer
limit = 3 * 2**30
resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
began = time.monotonic()
works = [ChatRequest.of(f"item-{n}", "text") for n in range(4)]
try:
    server = ModelServer(sys.argv[1], "m", timeout_s=float(sys.argv[2]), retries=0)
    outcomes = [reply.error or reply.outcome for _, reply in ask_all(server, works)]
except Exception as error:
    outcomes = [f"{type(error).__name__}: {error}"]
# not getrusage: its maximum goes on from that of the process of the tests
peak = int(re.search(r"VmHWM:\\s+(\\d+)", open("/proc/self/status").read())[1]) // 1024
print(json.dumps([outcomes, peak, time.monotonic() - began]))
"""


def _endless(handler: BaseHTTPRequestHandler) -> None:
    begin(handler)
    piece = b" " * 2**20
    while True:
        handler.wfile.write(piece)


def _endless_chunks(handler: BaseHTTPRequestHandler) -> None:
    begin(handler, Transfer_Encoding="chunked")
    piece = b"100000\r\n" + b"[" * 2**20 + b"\r\n"
    while True:
        handler.wfile.write(piece)


def _bomb(handler: BaseHTTPRequestHandler) -> None:
    # a layer of gzip over 64 MiB of one character, again and again: 5 GB in 5 MB
    packed = gzip.compress(b" " * 2**26, 9)
    begin(handler, Content_Encoding="gzip")
    for _ in range(80):
        handler.wfile.write(packed)


def _declared(handler: BaseHTTPRequestHandler) -> None:
    begin(handler, Content_Length=str(2**40))
    while True:
        handler.wfile.write(b"x" * 2**16)


def _drips(handler: BaseHTTPRequestHandler) -> None:
    begin(handler, Content_Length="1000000")
    while True:
        handler.wfile.write(b" ")
        handler.wfile.flush()
        threading.Event().wait(0.2)  # the attack itself is slow


def _drips_headers(handler: BaseHTTPRequestHandler) -> None:
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nX-Slow: ")
    while True:
        handler.wfile.write(b"x")
        handler.wfile.flush()
        threading.Event().wait(0.2)  # the attack itself is slow


def _for_ever(start: bytes, piece: bytes) -> Behave:
    def behave(handler: BaseHTTPRequestHandler) -> None:
        handler.wfile.write(start)
        while True:
            handler.wfile.write(piece)

    return behave


_OK = b"HTTP/1.1 200 OK\r\n"
_CHUNKED = _OK + b"Transfer-Encoding: chunked\r\n\r\n"


def _body(body: bytes, **headers: str) -> Behave:
    def behave(handler: BaseHTTPRequestHandler) -> None:
        begin(handler, Content_Length=str(len(body)), **headers)
        handler.wfile.write(body)

    return behave


_HUGE = {
    "endless stream": _endless,
    "endless chunks": _endless_chunks,
    "gzip bomb": _bomb,
    "declared terabyte": _declared,
    "a byte now and then": _drips,
    "a header for ever": _drips_headers,
    "headers without end": _for_ever(_OK, b"X-A: " + b"a" * 100 + b"\r\n"),
    "interim answers without end": _for_ever(b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
    "early hints without end": _for_ever(b"", b"HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n"),
    "a chunk's extension without end": _for_ever(_CHUNKED + b"1;", b"x" * 2**16),
    "trailers without end": _for_ever(_CHUNKED + b"1\r\n \r\n0\r\n", b"X-T: y\r\n"),
    "chunks of a byte": _for_ever(_CHUNKED, b"1\r\n \r\n" * 4000),
    "events without end": _for_ever(
        _OK + b"Content-Type: text/event-stream\r\n\r\n", b'data: {"choices": []}\n\n'
    ),
    "two lengths": _for_ever(_OK + b"Content-Length: 5\r\nContent-Length: 6\r\n\r\n", b"x"),
    "deep lists": _body(b"[" * 10**6 + b"]" * 10**6),
    "deep objects": _body(b'{"a":' * 10**6 + b"1" + b"}" * 10**6),
    "many lists": _body(b"[" + b"[]," * 5 * 10**6 + b"[]]"),
    "brotli that nobody asked for": _body(b"\x8b\x02\x80", Content_Encoding="br"),
    "damaged gzip": _body(b"\x1f\x8b\x08xxxxxxxx", Content_Encoding="gzip"),
}


def _asked(code: str, url: str, seconds: int) -> tuple[Any, int, float]:
    """What a process of its own got from the server: outcomes, its peak in MB, and its seconds."""
    done = subprocess.run(
        [sys.executable, "-c", code, url, str(seconds)],
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert not done.stderr, done.stderr[-500:]
    outcomes, peak, took = json.loads(done.stdout)
    return outcomes, peak, took


@pytest.mark.slow
@pytest.mark.parametrize("name", list(_HUGE))
def test_an_answer_without_end_ends_soon_and_in_little_memory(name: str, attack: Begin) -> None:
    row = attack(f"an answer of a server: {name}")
    with behaving(_HUGE[name]) as url:
        outcomes, peak, seconds = _asked(_MEASURED, url, 4)
    row.note = f"{peak} MB"
    row.tried("" if peak < 1000 else f"{peak} MB")
    row.tried(
        "" if "Error" not in str(outcomes) or "OutsideError" in str(outcomes) else str(outcomes)
    )
    row.tried("" if all(said not in ("ok", "") for said in outcomes) else str(outcomes))
    assert seconds < 90, "far beyond the limit of 4 s for each request"


@pytest.mark.parametrize("count", [
    "1e30", "1" + "0" * 30, "-5", "NaN", "Infinity", "1.5", "true", '"7"', "[]", "{}", "null",
    "9" * 4000, "9223372036854775808", "1e400",
])  # fmt: skip
def test_token_counts_that_are_none_are_guessed_instead(count: str, attack: Begin) -> None:
    row = attack("token counts that no request has")
    body = json.dumps(REPLY).replace('"prompt_tokens": 3', f'"prompt_tokens": {count}')
    with behaving(_body(body.encode())) as url:
        reply = asked(url)
    plausible = 0 < reply.prompt_tokens < 100 and reply.tokens_estimated and reply.text == "A"
    row.tried("" if plausible else f"{count}: {reply.prompt_tokens}")


def test_half_an_answer_is_no_part_of_the_next_one(attack: Begin) -> None:
    row = attack("a server that breaks off and answers the retry otherwise")
    first = json.dumps(REPLY | {"choices": [{"message": {"content": "FIRST"}}]}).encode()
    whole = json.dumps(REPLY).encode()
    for missing in (1, 50, 10**6):
        bodies = iter((first, whole))

        def behave(
            handler: BaseHTTPRequestHandler, missing: int = missing, bodies: Any = bodies
        ) -> None:
            body = next(bodies)
            begin(handler, Content_Length=str(len(body) + missing * (body is first)))
            handler.wfile.write(body)

        with behaving(behave) as url:
            reply = asked(url, retries=2)
        row.tried("" if (reply.text, reply.outcome) == ("A", "ok") else repr(reply))


KEY = "very-secret-key_0123456789"


def _spelled() -> dict[str, str]:
    return {
        "as it is": KEY,
        "in capitals": KEY.upper(),
        "JSON escapes": "".join(f"\\u{ord(c):04x}" for c in KEY),
        "escapes of escapes": "".join(f"\\\\u{ord(c):04X}" for c in KEY),
        "some escapes": KEY.replace("-", "\\u002d").replace("e", "\\u0065"),
        "percent": "".join(f"%{ord(c):02X}" for c in KEY),
        "percent twice": quote("".join(f"%{ord(c):02X}" for c in KEY)),
        "HTML decimal": "".join(f"&#{ord(c)};" for c in KEY),
        "HTML hexadecimal": "".join(f"&#x{ord(c):x};" for c in KEY),
        "HTML names": html.escape(KEY).replace("_", "&lowbar;").replace("-", "&hyphen;"),
        "Base64": base64.b64encode(KEY.encode()).decode(),
        "Base64 shifted": base64.b64encode(b"Bearer " + KEY.encode()).decode(),
        "Base64 of addresses": base64.urlsafe_b64encode(b"x" + KEY.encode() + b"?>").decode(),
        "hexadecimal": KEY.encode().hex(),
        "x escapes": "".join(f"\\\\x{ord(c):02x}" for c in KEY),
    }


@pytest.mark.parametrize("place", ["content", "reasoning", "finish", "name", "error", "html"])
def test_a_key_that_a_server_repeats_is_kept_in_no_spelling(
    place: str, attack: Begin, monkeypatch: pytest.MonkeyPatch
) -> None:
    row = attack("the key of the request, repeated by the server")
    monkeypatch.setenv("MY_KEY", KEY)
    for spelling, text in _spelled().items():
        told = {
            "content": '{"choices": [{"message": {"content": "X %s X"}}]}',
            "reasoning": '{"choices": [{"message": {"content": "A", "reasoning": "%s"}}]}',
            "finish": '{"choices": [{"message": {"content": "A"}, "finish_reason": "%s"}]}',
            "name": '{"model": "%s", "choices": [{"message": {"content": "A"}, "%s": "%s"}]}',
            "error": '{"error": {"message": "no %s"}}',
            "html": "<html>%s</html>",
        }[place].replace("%s", text)

        def behave(handler: BaseHTTPRequestHandler, told: str = told) -> None:
            handler.send_response(400 if place in ("error", "html") else 200)
            handler.send_header("Content-Length", str(len(told.encode())))
            handler.end_headers()
            handler.wfile.write(told.encode())

        with behaving(behave) as url:
            allow_server(url, variable="MY_KEY")
            reply = asked(url)
        kept = repr(reply) + str(reply.choice)
        row.tried(f"{spelling} in {place}: {kept[:200]}" if _tells(kept) else "")


def _tells(text: str) -> bool:
    """Whether the key, or most of it, can be read from a text in any common way."""
    for _ in range(3):
        lowered = text.lower()
        if KEY[4:-4] in lowered or KEY.encode().hex()[8:-8] in lowered:
            return True
        text = html.unescape(text.replace("\\\\", "\\"))
        text = text.replace("%25", "%")
        for character in set(KEY):
            code = ord(character)
            for spelling in (f"\\u{code:04x}", f"\\u{code:04X}", f"%{code:02X}", f"\\x{code:02x}"):
                text = text.replace(spelling, character)
    body = base64.b64encode(KEY.encode()).decode()[4:-8]
    return body in text


def test_concurrent_endless_answers_share_one_limit(attack: Begin) -> None:
    """Many endless answers at once take no more memory than a bounded number of them."""
    row = attack("many endless answers at once")
    code = _MEASURED.replace("range(4)", "range(64)").replace(
        "ask_all(server, works)", "ask_all(server, works, concurrency=64)"
    )
    with behaving(_endless) as url:
        outcomes, peak, _ = _asked(code, url, 6)
    row.note = f"{peak} MB"
    row.tried("" if peak < 1000 and "MemoryError" not in str(outcomes) else f"{peak} MB")
