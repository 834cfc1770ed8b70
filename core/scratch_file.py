"""Files without a name for what may be private: on the disk they are ciphertext.

Encrypted by AES-256 in counter mode under a key that nothing keeps, so that the blocks which a file
leaves on the disk, also after its process was killed, do not tell what it held. That nothing was
changed is not checked: only this process can reach the file.
"""

import io
import os
from pathlib import Path
from tempfile import TemporaryFile
from threading import Lock
from typing import Any, cast

from typing_extensions import Buffer, override

_BUFFER = 1 << 17  # bytes
_BLOCK = 16  # bytes that AES encrypts together


class _EncryptedFile(io.RawIOBase):
    """The file; each of its places is written once, for the same key stream belongs to it."""

    def __init__(self, folder: Path | None) -> None:
        from cryptography.hazmat.primitives.ciphers import Cipher
        from cryptography.hazmat.primitives.ciphers.algorithms import AES256
        from cryptography.hazmat.primitives.ciphers.modes import CTR

        # one that is set to each place: a new one would take eight times as long as a short read
        self._stream: Any = Cipher(AES256(os.urandom(32)), CTR(bytes(_BLOCK))).encryptor()
        self._one_at_a_time = Lock()
        self._file = TemporaryFile(dir=folder, buffering=0)  # noqa: SIM115 (closed by close)
        self._place = 0

    @override
    def readable(self) -> bool:
        return True

    @override
    def writable(self) -> bool:
        return True

    @override
    def seekable(self) -> bool:
        return True

    @override
    def close(self) -> None:
        if not self.closed:
            self._file.close()
        super().close()

    @override
    def seek(self, place: int, whence: int = os.SEEK_SET, /) -> int:
        if whence == os.SEEK_SET:
            self._place = place
        elif whence == os.SEEK_CUR:
            self._place += place
        else:
            self._place = os.fstat(self._file.fileno()).st_size + place
        return self._place

    @override
    def readinto(self, buffer: Buffer, /) -> int:
        view = memoryview(buffer).cast("B")
        content = self.at(self._place, len(view))
        view[: len(content)] = content
        self._place += len(content)
        return len(content)

    @override
    def write(self, content: Buffer, /) -> int:
        written = self._turned(self._place, bytes(content))
        done = 0
        while done < len(written):
            done += os.pwrite(self._file.fileno(), written[done:], self._place + done)
        self._place += done
        return done

    def at(self, place: int, size: int) -> bytes:
        """At most so many bytes from a place on."""
        return self._turned(place, os.pread(self._file.fileno(), size, place))

    def _turned(self, place: int, content: bytes) -> bytes:
        """Bytes that begin at a place, encrypted or decrypted, which is the same here."""
        block, into = divmod(place, _BLOCK)
        with self._one_at_a_time:
            self._stream.reset_nonce(block.to_bytes(_BLOCK, "big"))
            self._stream.update(bytes(into))
            return cast(bytes, self._stream.update(content))


class ScratchFile(io.BufferedRandom):
    """A file without a name, in a folder or where temporary files lie, to be written once from its
    beginning to its end and read anywhere, any number of times. To be closed."""

    def __init__(self, folder: Path | None = None) -> None:
        self._encrypted = _EncryptedFile(folder)
        super().__init__(self._encrypted, _BUFFER)

    def at(self, place: int, size: int) -> bytes:
        """At most so many bytes from a place on, of what was flushed; moves nothing."""
        return self._encrypted.at(place, size)
