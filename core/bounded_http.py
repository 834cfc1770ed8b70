"""HTTP that ends: no answer is larger, takes longer or comes from elsewhere than it may.

Every request of Benchseal goes through ``BoundedClient``: it follows redirects within the origin
that was asked alone, limits the bytes of an answer before and after decompression, and the time
of the whole request, however slowly the other side writes.
"""

import asyncio
import zlib
from collections.abc import AsyncIterator, Coroutine, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

import httpx2
from typing_extensions import override

MOST_BYTES = 16 * 2**20  # of one answer
MOST_IN_FLIGHT = 256 * 2**20  # bytes of all answers that one client is reading
_MOST_REDIRECTS = 5
_PIECE = 2**16
_CONNECT_S = 10.0
_DECODED = ("content-encoding", "content-length", "transfer-encoding")

T = TypeVar("T")


class RefusedAnswer(Exception):
    """An answer that was not read to its end; the message says why, in English."""


class TooLarge(RefusedAnswer):
    """More bytes came than an answer may have."""

    def __init__(self, most: int) -> None:
        super().__init__(f"the answer is larger than {most // 2**20} MiB")


class ForeignRedirect(RefusedAnswer):
    """The server sent the request on to another origin, where it was not sent."""

    def __init__(self, origin: str) -> None:
        super().__init__(f"it redirects to {origin}")
        self.origin = origin


def origin_of(url: str) -> str:
    """Scheme, host and port of an address, which are what a key belongs to: ``https://host:443``.

    Raises ValueError for what is not an address of the web.
    """
    try:
        parts = httpx2.URL(url.strip())
        port = parts.port or {"http": 80, "https": 443}[parts.scheme]
    except (httpx2.InvalidURL, KeyError) as error:
        raise ValueError("not an address") from error
    if not parts.host:
        raise ValueError("not an address")
    host = parts.raw_host.decode("ascii").rstrip(".").lower()
    return f"{parts.scheme}://{f'[{host}]' if ':' in host else host}:{port}"


class BoundedClient(httpx2.AsyncClient):
    """An asynchronous client whose every request ends within ``total_s`` seconds, with an answer
    of at most ``most_bytes`` bytes, or with RefusedAnswer or httpx2.TimeoutException."""

    def __init__(
        self,
        *,
        total_s: float,
        silence_s: float | None = None,
        most_bytes: int = MOST_BYTES,
        **options: Any,
    ) -> None:
        silence_s = total_s if silence_s is None else min(silence_s, total_s)
        timeout = httpx2.Timeout(silence_s, connect=min(_CONNECT_S, silence_s))
        super().__init__(timeout=timeout, follow_redirects=False, **options)
        self._total_s = total_s
        self._most_bytes = most_bytes
        self._in_flight = 0

    @override
    async def send(self, request: httpx2.Request, **options: Any) -> httpx2.Response:
        """The whole answer, whatever the caller says of streams and redirects."""
        try:
            async with asyncio.timeout(self._total_s):
                response = await self.final(request, options.get("auth"))
                try:
                    return await self._whole(response)
                finally:
                    await response.aclose()
        except TimeoutError as error:
            raise httpx2.ReadTimeout("no whole answer in time", request=request) from error

    async def final(self, request: httpx2.Request, auth: Any = None) -> httpx2.Response:
        """The answer at the end of all redirects within the origin; its body is not read yet."""
        # what would not be compressed cannot be a bomb
        request.headers["accept-encoding"] = "identity"
        options = {} if auth is None else {"auth": auth}
        for _ in range(_MOST_REDIRECTS):
            response = await super().send(request, stream=True, follow_redirects=False, **options)
            if response.next_request is None:
                return response
            await response.aclose()
            _refuse_elsewhere(str(request.url), str(response.next_request.url))
            request = response.next_request
        raise RefusedAnswer("it redirects without end")

    async def _whole(self, response: httpx2.Response) -> httpx2.Response:
        body = bytearray()
        try:
            async for piece in self._decoded(response):
                body += piece
                self._in_flight += len(piece)
                if len(body) > self._most_bytes or self._in_flight > MOST_IN_FLIGHT:
                    raise TooLarge(self._most_bytes)
        finally:
            self._in_flight -= len(body)
        headers = [(k, v) for k, v in response.headers.multi_items() if k.lower() not in _DECODED]
        return httpx2.Response(
            response.status_code, headers=headers, content=bytes(body), request=response.request
        )

    async def _decoded(self, response: httpx2.Response) -> AsyncIterator[bytes]:
        """The body in small pieces, however much a few bytes of it expand to."""
        coding = response.headers.get("content-encoding", "identity").strip().lower()
        if coding == "identity":
            async for piece in raw(response, self._most_bytes):
                yield piece
            return
        if coding not in ("gzip", "x-gzip", "deflate"):
            raise RefusedAnswer(f"it is compressed with {coding[:20]!r}, which was not asked for")
        unpacker = zlib.decompressobj(wbits=47)  # tells gzip and zlib apart by itself
        try:
            async for packed in raw(response, self._most_bytes):
                left = packed
                while left:
                    yield unpacker.decompress(left, _PIECE)
                    left = unpacker.unconsumed_tail
            yield unpacker.flush()
        except zlib.error as error:
            raise RefusedAnswer("its compression is damaged") from error


def _refuse_elsewhere(asked: str, named: str) -> None:
    try:
        target = origin_of(named)
    except ValueError:
        raise RefusedAnswer("it redirects to what is not a web address") from None
    if target != origin_of(asked):
        raise ForeignRedirect(target)


async def raw(response: httpx2.Response, most: int) -> AsyncIterator[bytes]:
    """The bytes of a body as they come; RefusedAnswer for more than ``most``."""
    size = 0
    async for chunk in response.aiter_raw(_PIECE):
        size += len(chunk)
        if size > most:
            raise TooLarge(most)
        yield chunk


def fetch(
    url: str,
    *,
    total_s: float,
    params: Mapping[str, str] | None = None,
    headers: Mapping[str, str] | None = None,
    most_bytes: int = MOST_BYTES,
    trust_env: bool = True,
) -> httpx2.Response:
    """The answer to one GET. Raises RefusedAnswer, or httpx2.HTTPError where none came."""

    async def ask() -> httpx2.Response:
        client = BoundedClient(total_s=total_s, most_bytes=most_bytes, trust_env=trust_env)
        async with client:
            return await client.get(url, params=params, headers=headers)

    return _run(ask())


def post(
    url: str, content: bytes, *, total_s: float, headers: Mapping[str, str], most_bytes: int
) -> httpx2.Response:
    """The answer to one POST. Raises RefusedAnswer, or httpx2.HTTPError where none came."""

    async def ask() -> httpx2.Response:
        async with BoundedClient(total_s=total_s, most_bytes=most_bytes) as client:
            return await client.post(url, content=content, headers=headers)

    return _run(ask())


def download(
    url: str,
    path: Path,
    most: int,
    *,
    total_s: float,
    silence_s: float,
    headers: Mapping[str, str] | None = None,
) -> httpx2.Response:
    """GET a file of at most ``most`` bytes into ``path``, not decompressed; without a byte for
    ``silence_s`` seconds it ends.

    The answer comes back without its body; a file is only written for status 200.
    Raises RefusedAnswer, or httpx2.HTTPError where no answer came.
    """

    async def ask() -> httpx2.Response:
        async with BoundedClient(total_s=total_s, silence_s=silence_s) as client:
            request = client.build_request("GET", url, headers=headers)
            try:
                async with asyncio.timeout(total_s):
                    response = await client.final(request)
                    try:
                        if response.status_code == httpx2.codes.OK:
                            with path.open("wb") as handle:
                                async for chunk in raw(response, most):
                                    handle.write(chunk)
                    finally:
                        await response.aclose()
                    return response
            except TimeoutError as error:
                raise httpx2.ReadTimeout("no whole answer in time", request=request) from error

    return _run(ask())


def _run(work: Coroutine[Any, Any, T]) -> T:
    """The result of ``work`` on a loop of its own, wherever this is called from."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, work).result()
