"""The model that a worker has in memory, for runs that are worked on one after the other."""

from collections.abc import Callable, Hashable
from contextlib import AbstractContextManager, ExitStack
from typing import Any, TypeVar

_Model = TypeVar("_Model")


class ModelInMemory:
    """Keeps the model that was loaded last until another one is asked for, or ``close``.

    One at a time: a second one would seldom fit beside it.
    """

    def __init__(self) -> None:
        self._stack = ExitStack()
        self._name: Hashable = None
        self._model: Any = None

    def get(self, name: Hashable, load: Callable[[], AbstractContextManager[_Model]]) -> _Model:
        """The model of that name, entered by ``load`` unless it is the one in memory."""
        if self._name != name:
            self.close()
            self._model = self._stack.enter_context(load())
            self._name = name
        model: _Model = self._model
        return model

    def close(self) -> None:
        """Leave the model that is in memory, if there is one."""
        self._name = self._model = None
        self._stack.close()
