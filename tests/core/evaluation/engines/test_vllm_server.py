"""The server engine around a program that behaves like ``vllm serve``: processes and options.

The real program is asked in tests/vllm.
"""

import os
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from core.errors import InputError, OutsideError
from core.evaluation.engines import engine
from core.evaluation.engines.vllm_server import command_line, running_server
from core.evaluation.types import EngineContext, EngineParams, Question
from tests.paths import ROOT
from tests.polling import becomes_true
from tests.questions import work_rows
from tests.servers.fake_vllm import fake_vllm
from tests.splits import make_split


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return fake_vllm(tmp_path / "bin", monkeypatch)


def params(model: str = "org/model", **more) -> EngineParams:
    return EngineParams(engine="vllm-server", model=model, **more)


def members(group: int) -> list[psutil.Process]:
    found = []
    for process in psutil.process_iter():
        try:
            if os.getpgid(process.pid) == group and process.status() != psutil.STATUS_ZOMBIE:
                found.append(process)
        except (ProcessLookupError, psutil.NoSuchProcess):
            continue
    return found


def groups_of(pid: int) -> set[int]:
    return {child.pid for child in psutil.Process(pid).children()}


@pytest.mark.usefixtures("program")
def test_it_starts_asks_and_ends_the_whole_group(tmp_path: Path):
    asked = [Question.from_json(row) for row in work_rows(make_split(6))]
    seen: set[int] = set()
    before = groups_of(os.getpid())

    def look() -> bool:
        seen.update(groups_of(os.getpid()) - before)
        return False

    given = params()
    engine("vllm-server").require(given)
    answers = list(
        engine("vllm-server").answer(asked, EngineContext(given, tmp_path, stopping=look))
    )
    assert [answer.text for answer in answers] == ["org/model"] * 6
    (group,) = seen
    assert becomes_true(lambda: not members(group))


@pytest.mark.usefixtures("program")
def test_even_a_child_that_ignores_the_request_to_stop_is_gone(tmp_path: Path):
    before = groups_of(os.getpid())
    with running_server(EngineContext(params(), tmp_path)):
        (group,) = groups_of(os.getpid()) - before
        assert len(members(group)) == 3
    assert becomes_true(lambda: not members(group))


KILLED = """
import sys, time
from pathlib import Path
from core.evaluation.types import EngineContext, EngineParams
from core.evaluation.engines.vllm_server import running_server
given = EngineParams(engine="vllm-server", model="m")
with running_server(EngineContext(given, Path(sys.argv[1]))):
    print("up", flush=True)
    time.sleep(600)
"""


@pytest.mark.usefixtures("program")
def test_a_worker_that_is_killed_takes_its_server_along(tmp_path: Path):
    with subprocess.Popen(
        [sys.executable, "-c", KILLED, str(tmp_path)], stdout=subprocess.PIPE, cwd=ROOT
    ) as worker:
        assert worker.stdout.readline() == b"up\n"
        (group,) = groups_of(worker.pid)
        assert len(members(group)) == 3
        worker.send_signal(signal.SIGKILL)
    assert becomes_true(lambda: not members(group))


@pytest.mark.usefixtures("program")
def test_a_server_that_ends_while_starting_is_quoted(tmp_path: Path):
    with (
        pytest.raises(OutsideError, match="no such model"),
        running_server(EngineContext(params("broken"), tmp_path)),
    ):
        pass


@pytest.mark.usefixtures("program")
def test_a_server_that_never_answers_is_given_up(tmp_path: Path):
    given = params("slow", engine_args={"startup_s": 1})
    with (
        pytest.raises(OutsideError, match="within 1 second:"),
        running_server(EngineContext(given, tmp_path)),
    ):
        pass


@pytest.mark.usefixtures("program")
def test_a_stop_while_the_server_starts_ends_quietly(tmp_path: Path):
    asked = [Question.from_json(row) for row in work_rows(make_split(2))]
    context = EngineContext(params("slow"), tmp_path, stopping=lambda: True)
    assert list(engine("vllm-server").answer(asked, context)) == []


def test_parameters_become_options(tmp_path: Path):
    (tmp_path / "adapter_config.json").write_text('{"r": 12}', encoding="utf-8")
    line = command_line(
        params(
            revision="abc",
            adapter=str(tmp_path),
            seed=7,
            engine_args={
                "tensor_parallel_size": 2,
                "enable_prefix_caching": True,
                "enable_chunked_prefill": False,
                "structured_outputs_config": {"backend": "xgrammar"},
                "startup_s": 5,
            },
        ),
        8123,
    )
    text = " ".join(line)
    assert "serve org/model --host 127.0.0.1 --port 8123 --seed 7" in text
    assert "--generation-config vllm --revision abc" in text
    assert f"--enable-lora --lora-modules adapter={tmp_path} --max-lora-rank 16" in text
    assert "--tensor-parallel-size 2 --enable-prefix-caching --no-enable-chunked-prefill" in text
    assert line[-1] == '{"backend": "xgrammar"}'
    assert "startup" not in text


def test_a_folder_without_an_adapter_is_named(tmp_path: Path):
    with pytest.raises(InputError, match="LoRA"):
        command_line(params(adapter=str(tmp_path)), 1)


def test_data_parallelism_in_the_worker_is_sent_to_shards():
    given = EngineParams(engine="vllm", model="m", engine_args={"data_parallel_size": 2})
    with pytest.raises((InputError, OutsideError), match=r"shards|Not installed"):
        engine("vllm").require(given)
