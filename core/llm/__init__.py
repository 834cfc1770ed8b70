"""The one door to OpenAI-compatible servers.

``ask_all`` asks many independent requests and hands each reply over as it arrives;
``work_all`` does the same for items that need several requests in a row (``do`` awaits
``session.ask``). Both are plain generators: a worker appends one line per finished item.
Waits, retries, the limit on concurrency, the budget and the early stop live here and nowhere else.
Nothing here runs a model's output as code.
"""

from core.llm.batch import ask_all, ask_many, each, work_all
from core.llm.cache import ReplyCache
from core.llm.embeddings import embed_all
from core.llm.keys import redact
from core.llm.replies import InvalidReply, json_schema, parse_json_reply
from core.llm.session import ServerSession
from core.llm.types import ChatRequest, Message, ModelServer, Reply, Usage

__all__ = [
    "ChatRequest",
    "InvalidReply",
    "Message",
    "ModelServer",
    "Reply",
    "ReplyCache",
    "ServerSession",
    "Usage",
    "ask_all",
    "ask_many",
    "each",
    "embed_all",
    "json_schema",
    "parse_json_reply",
    "redact",
    "work_all",
]
