"""A program that behaves like ``vllm serve`` and writes down every start of it."""

import os
import stat
import sys
from pathlib import Path

import pytest

from tests.paths import ROOT

# a server that starts a child, as vLLM starts its engine, and answers once it is healthy
_PROGRAM = """#!{python}
import subprocess, sys, threading, time
sys.path.insert(0, {root!r})
with open(sys.argv[0] + ".starts", "a") as starts: print(sys.argv[2], file=starts)
if "broken" in sys.argv[2]:
    print("no such model"); sys.exit(1)
child = subprocess.Popen([sys.executable, "-c", "import signal, time; "
    "signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(600)"])
if "slow" in sys.argv[2]:
    time.sleep(600)
import http.server, json
class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def log_message(self, *_): pass
    def reply(self, body):
        raw = json.dumps(body).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)
    def do_GET(self): self.reply({{}})
    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.reply({{"choices": [{{"index": 0, "text": asked["model"], "finish_reason": "stop"}}]}})
port = int(sys.argv[sys.argv.index("--port") + 1])
http.server.ThreadingHTTPServer(("127.0.0.1", port), Handler).serve_forever()
"""


def fake_vllm(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Put the program into a new folder, first on the path; it says its model's name as answer."""
    folder.mkdir()
    path = folder / "vllm"
    path.write_text(_PROGRAM.format(python=sys.executable, root=str(ROOT)), encoding="utf-8")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    return path


def models_started(program: Path) -> list[str]:
    """The models that the program was started with, in order."""
    starts = program.with_name("vllm.starts")
    return starts.read_text(encoding="utf-8").split() if starts.exists() else []
