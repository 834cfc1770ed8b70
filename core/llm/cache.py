"""Replies kept on disk by their content, so that the same question is paid for once."""

import json
import os
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

from core.files import digest, make_private_folder, private_file_mode
from core.llm.types import ChatRequest, ModelServer, Reply

_KEPT = tuple(f.name for f in fields(Reply) if f.name != "choice")


class ReplyCache:
    """A folder of good replies. Safe for many processes: each file is written in one step.

    The key is the server's model, the prompt version and everything that is asked; neither the
    server's address nor the request's id. Only replies with outcome ``ok`` are kept; a damaged
    file counts as absent.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def key(self, server: ModelServer, request: ChatRequest, prompt_version: str = "") -> str:
        """SHA-256 in hex of everything that decides the reply."""
        return digest(
            {
                "model": server.model,
                "prompt_version": prompt_version,
                "messages": [[m.role, m.content] for m in request.messages],
                "prompt": request.prompt,
                "max_tokens": request.max_tokens,
                "temperature": request.temperature,
                "stop": list(request.stop),
                "seed": request.seed,
                "schema": dict(request.schema) if request.schema is not None else None,
                "extra": dict(request.extra),
            }
        )

    def get(self, key: str) -> Reply | None:
        """The kept reply, or None."""
        try:
            row: Any = json.loads(self._path(key).read_text(encoding="utf-8"))
            return Reply(**{name: row[name] for name in _KEPT})
        except (FileNotFoundError, ValueError, KeyError, TypeError):
            return None

    def put(self, key: str, reply: Reply) -> None:
        """Keep a good reply; any other is not kept."""
        if reply.outcome != "ok":
            return
        path = self._path(key)
        make_private_folder(path.parent)
        row: Mapping[str, Any] = {name: getattr(reply, name) for name in _KEPT}
        temporary = path.with_name(f".{key}.{os.getpid()}.{id(reply):x}.tmp")
        number = os.open(temporary, os.O_WRONLY | os.O_CREAT, private_file_mode(path.parent))
        with os.fdopen(number, "w", encoding="utf-8") as handle:
            handle.write(json.dumps(row, ensure_ascii=False) + "\n")
        temporary.replace(path)

    def _path(self, key: str) -> Path:
        return self.folder / key[:2] / f"{key}.json"
