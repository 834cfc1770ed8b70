"""Transactions of which nobody hears, the first time, whether they arrived."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

from core.errors import ConnectionLostError

Opens = Callable[..., AbstractContextManager[Any]]


def sent_twice(opens: Opens, sent: list[int], *, arrives: bool) -> Opens:
    """What opens a transaction, as something that loses every other one: before its commit, or
    after it where it ``arrives``. Each is counted in ``sent``."""

    @contextmanager
    def opened(*who: Any) -> Iterator[Any]:
        sent.append(len(sent))
        is_first = len(sent) % 2 == 1
        with opens(*who) as transaction:
            yield transaction
            if is_first and not arrives:
                raise ConnectionLostError("away")
        if is_first:
            raise ConnectionLostError("away")

    return opened
