"""Files that are packed with gzip, as data sets are published: ``items.jsonl.gz``."""

import gzip
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from core.errors import InputError
from core.files import open_regular
from core.i18n import tr
from core.sources.signatures import is_gzip
from core.sources.text_files import LARGEST_DOCUMENT, head_of

_PIECE = 2**20
_RATIO, _RATIO_FROM = 200, 50 * 2**20  # of unpacked to packed bytes, and from which size it counts


@contextmanager
def unpacked(path: Path) -> Iterator[Path]:
    """The file itself, or of a packed one its content in a private file that goes away behind it.

    Raises InputError for a damaged file and for one that unpacks to too much.
    """
    if path.is_dir() or not is_gzip(head_of(path)):
        yield path
        return
    with tempfile.TemporaryDirectory(prefix="benchseal-") as folder:
        inner = Path(folder) / (path.name.removesuffix(".gz") or "unpacked")
        _unpack(path, inner)
        try:
            yield inner
        except InputError as error:
            raise InputError(str(error).replace(str(inner), str(path))) from error


def _unpack(path: Path, inner: Path) -> None:
    most = min(LARGEST_DOCUMENT * 4, max(_RATIO_FROM, _RATIO * path.stat().st_size))
    try:
        with (
            open_regular(path) as packed,
            gzip.GzipFile(fileobj=packed) as source,
            inner.open("wb") as out,
        ):
            while piece := source.read(_PIECE):
                if out.tell() + len(piece) > most:
                    raise InputError(
                        tr("“{path}” unpacks to more than {megabytes} MB.", path=path,
                           megabytes=most // 2**20)
                    )  # fmt: skip
                out.write(piece)
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(tr("“{path}” is damaged: it cannot be unpacked.", path=path)) from error
