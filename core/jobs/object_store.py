"""Objects below an address: in an S3 bucket, in a folder, wherever fsspec has a file system for.

Who may read and write there is told by the environment and the files that the package of the
storage reads by itself (for S3 ``AWS_ACCESS_KEY_ID``, ``AWS_PROFILE``, ``AWS_ENDPOINT_URL``,
``~/.aws``); no key passes through here.
"""

import hashlib
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from io import BufferedIOBase
from typing import IO
from urllib.parse import urlsplit

from core.errors import BenchsealError, InputError, NotFoundError, OutsideError
from core.i18n import tr
from core.optional_packages import needed_for
from core.own_process import is_frozen
from core.redaction import one_line, secret_in_address, without_known_secrets
from core.web_hosts import web_host

_S3 = ("s3", "s3a")
_WITHOUT_FOLDERS = (*_S3, "gs", "gcs", "az", "abfs")
_PACKAGES = {"s3": "s3fs", "s3a": "s3fs", "gs": "gcsfs", "gcs": "gcsfs", "az": "adlfs",
             "abfs": "adlfs"}  # fmt: skip
_PART = 8 * 2**20  # bytes that are sent or read at once; S3 takes parts of 5 MiB at least
_MOST_TOLD = 300  # characters of what a server said
_ABSENT: tuple[type[Exception], ...] = (FileNotFoundError,)


class ObjectStore:
    """The objects below an address such as ``s3://bucket/prefix``, by their names with ``/``.

    Raises InputError for what is no such address or holds a password, OutsideError, also later,
    where a package is missing or the storage does not answer or refuses.
    """

    def __init__(self, address: str) -> None:
        self.address = address.rstrip("/")
        self._protocol = _protocol_of(self.address)
        package = _PACKAGES.get(self._protocol, "fsspec")
        if is_frozen():
            raise OutsideError.tr(
                "“{address}” needs the package {package}, which is not in this program. Use a "
                "Benchseal that was installed with pip, and install the package beside it.",
                address=self.address, package=package,
            )  # fmt: skip
        with needed_for(tr("Storage at “{address}”", address=self.address), package):
            import fsspec

            try:
                # nothing is remembered: others write there too
                self._files, self._root = fsspec.core.url_to_fs(
                    self.address, use_listings_cache=False, skip_instance_cache=True
                )
            except ValueError as error:
                raise _no_address(self.address) from error

    @property
    def host(self) -> str:
        """The host that has the objects; empty for what is no server's."""
        if self._protocol not in _S3:
            local = self._protocol in ("file", "local", "memory")
            return "" if local else urlsplit(self.address).hostname or ""
        with self._answering(self.address):
            return web_host(str(self._files.s3.meta.endpoint_url))

    def address_of(self, name: str) -> str:
        """The address of an object."""
        return f"{self.address}/{name}"

    def size(self, name: str) -> int | None:
        """The bytes of an object, None where there is none, or only the beginning of names."""
        try:
            with self._answering(self.address_of(name), (*_ABSENT, NotADirectoryError)):
                known = self._files.info(self._place(name))
                return None if known["type"] == "directory" else int(known["size"])
        except NotFoundError:
            return None

    def names(self, folder: str) -> list[str]:
        """The last parts of the names of the objects right below a part of their names, sorted."""
        try:
            with self._answering(self.address_of(folder)):
                found = self._files.ls(self._place(folder), detail=False)
        except NotFoundError:
            return []
        return sorted(str(name).rstrip("/").rpartition("/")[2] for name in found)

    def read(self, name: str, most: int) -> bytes:
        """An object of at most that many bytes; of a larger one only the beginning, a byte more.

        NotFoundError where there is none.
        """
        with self._answering(self.address_of(name)):
            content = self._files.cat_file(self._place(name), start=0, end=most + 1)
        return bytes(content)

    def write(self, name: str, content: bytes) -> None:
        """Put an object there, in the place of one that has its name."""
        place = self._place(name)
        with self._answering(self.address_of(name), ()):
            if self._protocol not in _WITHOUT_FOLDERS:
                self._files.makedirs(place.rpartition("/")[0], exist_ok=True)
            self._files.pipe_file(place, content)

    def digest(self, name: str) -> str:
        """The SHA-256 of an object in hex, read a part at a time; empty where there is none."""
        try:
            with self._answering(self.address_of(name)), self._opened(name) as handle:
                return hashlib.file_digest(handle, "sha256").hexdigest()
        except NotFoundError:
            return ""

    def parts(self, name: str) -> Iterator[bytes]:
        """An object, a part at a time; NotFoundError where there is none."""
        with self._answering(self.address_of(name)), self._opened(name) as handle:
            while part := handle.read(_PART):
                yield part

    def send(self, name: str, source: IO[bytes]) -> None:
        """Put what is in a file there as an object, which is seen when the whole of it is there."""
        place = self._place(name)
        with self._answering(self.address_of(name), ()):
            if self._protocol not in _WITHOUT_FOLDERS:
                self._files.makedirs(place.rpartition("/")[0], exist_ok=True)
                part = f"{place}.part"
                with self._files.open(part, "wb") as target:
                    shutil.copyfileobj(source, target, _PART)
                self._files.mv(part, place)
                return
            target = self._files.open(place, "wb", block_size=_PART, autocommit=False)
            try:
                shutil.copyfileobj(source, target, _PART)
                target.close()
                target.commit()
            except BaseException:
                target.discard()
                raise

    def _opened(self, name: str) -> BufferedIOBase:
        handle: BufferedIOBase = self._files.open(self._place(name), "rb")
        return handle

    def _place(self, name: str) -> str:
        return f"{self._root}/{name}"

    @contextmanager
    def _answering(
        self, address: str, absent: tuple[type[Exception], ...] = _ABSENT
    ) -> Iterator[None]:
        """``absent`` are the errors that say that nothing is there; none while something is put
        there."""
        try:
            yield
        except BenchsealError:
            raise
        except absent as error:
            raise NotFoundError.tr("There is no “{address}”.", address=address) from error
        except Exception as error:  # every package of a storage has errors of its own
            reason = one_line(without_known_secrets(f"{type(error).__name__}: {error}"))
            raise OutsideError.tr(
                "The storage at “{address}” did not do as asked: {reason}",
                address=address, reason=reason[:_MOST_TOLD],
            ) from error  # fmt: skip


def _protocol_of(address: str) -> str:
    protocol, mark, rest = address.partition("://")
    # of several joined by “::” fsspec makes one file system, which may run what it finds
    if not mark or not rest or "::" in address or not address.isprintable():
        raise _no_address(address)
    if secret_in_address(address) or "@" in urlsplit(address).netloc:
        raise InputError.tr(
            "An address of a storage holds no user, password or key: they are read from the "
            "environment, as AWS_PROFILE says."
        )
    return protocol.lower()


def _no_address(address: str) -> InputError:
    return InputError.tr(
        "“{address}” is no address of a storage, such as s3://bucket/prefix.", address=address
    )
