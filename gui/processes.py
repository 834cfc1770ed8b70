"""The only place with QProcess: commands of ours that take minutes, children that answer line by
line, and further windows."""

import atexit
import json
from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QObject, QProcess, QProcessEnvironment, Signal
from shiboken6 import isValid

from core.i18n import language, tr
from core.own_process import module_command, module_paths


def command_line(*arguments: str) -> list[str]:
    """How this very program is started again from the outside."""
    return module_command("core.cli", *arguments)


def open_window(location: str = "") -> bool:
    """Open another workspace in a window of its own, which outlives this one; without a location
    it asks for one."""
    program, *arguments = command_line(*(("gui",) if location else ()))
    process = QProcess()
    process.setProgram(program)
    process.setArguments(arguments)
    process.setProcessEnvironment(_environment(location))
    started = process.startDetached()
    return bool(started[0] if isinstance(started, tuple) else started)


def _environment(location: str) -> QProcessEnvironment:
    """That of a child that opens a workspace: everybody can read the arguments of a process, and
    an address may hold a password."""
    environment = QProcessEnvironment.systemEnvironment()
    environment.insert("PYTHONPATH", module_paths())
    if location:
        environment.insert("BENCHSEAL_WORKSPACE", location)
    return environment


class CommandProcess(QObject):
    """One ``benchseal … --json`` in a child process, from start to its one JSON document.

    ``progressed`` carries one line of what the child says while it works. ``ended`` carries
    ``(document, sentence)``: the JSON document and an empty sentence, or None and the reason.
    """

    progressed = Signal(object)
    ended = Signal(object)

    def __init__(
        self,
        location: str,
        arguments: Sequence[str],
        parent: QObject,
        answers: Sequence[int] = (0,),
    ) -> None:
        """``location`` is the workspace that the command opens; with an exit code of ``answers``
        it has written a document."""
        super().__init__(parent)
        self._answers = tuple(answers)
        self._arguments = tuple(arguments)
        self._output = bytearray()
        self._last_line = ""
        self._process = QProcess(self)
        environment = _environment(location)
        environment.insert("PYTHONUNBUFFERED", "1")
        environment.insert("PYTHONIOENCODING", "utf-8")
        environment.insert("BENCHSEAL_LANG", language())
        self._process.setProcessEnvironment(environment)
        self._process.readyReadStandardOutput.connect(self._read_output)
        self._process.readyReadStandardError.connect(self._read_messages)
        self._process.finished.connect(self._on_finished)
        self._process.errorOccurred.connect(self._on_error)

    def start(self) -> None:
        """Start the child; returns at once."""
        program, *arguments = command_line(*self._arguments)
        self._process.start(program, arguments)

    def stop(self) -> None:
        """Ask the child to end; what it has finished stays."""
        self._process.terminate()

    def dispose(self, limit_ms: int = 2000) -> None:
        """End the child before the window goes."""
        if self._process.state() != QProcess.ProcessState.NotRunning:
            self._process.terminate()
            if not self._process.waitForFinished(limit_ms):
                self._process.kill()
                self._process.waitForFinished(limit_ms)

    def _read_output(self) -> None:
        self._output += bytes(self._process.readAllStandardOutput().data())

    def _read_messages(self) -> None:
        text = bytes(self._process.readAllStandardError().data()).decode("utf-8", "replace")
        lines = [line.strip() for line in text.splitlines() if line.strip()]
        if lines:
            self._last_line = lines[-1]
            self.progressed.emit(self._last_line)

    def _on_error(self, error: QProcess.ProcessError) -> None:
        if error == QProcess.ProcessError.FailedToStart:
            reason = self._process.errorString()
            self.ended.emit((None, tr("Could not start the command: {reason}", reason=reason)))

    def _on_finished(self, code: int, status: QProcess.ExitStatus) -> None:
        self._read_output()
        self._read_messages()
        self.ended.emit(
            _read_outcome(bytes(self._output), code, status, self._last_line, self._answers)
        )


class LineProcess(QObject):
    """A module of ours in a child that answers one JSON line to each JSON line it is sent.

    It starts with the first question, and again with the next one after it fell; a child that fell
    too often is left alone. It ends with the application.
    """

    answered = Signal(object)
    """One answer, as parsed."""
    ended = Signal()
    """The child fell, or could not start; what it had not answered stays unanswered."""

    _MOST_FALLS = 20

    def __init__(self, module: str, parent: QObject) -> None:
        super().__init__(parent)
        self._module = module
        self._falls = 0
        self._closing = False
        self._process = QProcess(self)
        self._process.setProcessEnvironment(_environment(""))
        self._process.setStandardErrorFile(QProcess.nullDevice())
        self._process.readyReadStandardOutput.connect(self._read)
        self._process.finished.connect(self._on_ended)
        self._process.errorOccurred.connect(self._on_error)
        # also where no event loop ends: a process that is destroyed while it runs complains
        atexit.register(self.dispose)

    @property
    def exhausted(self) -> bool:
        """Whether the child fell so often that it is not started any more."""
        return self._falls >= self._MOST_FALLS

    def ask(self, question: Any) -> None:
        """Send one question; the answer comes by ``answered``."""
        if self._process.state() == QProcess.ProcessState.NotRunning and not self.exhausted:
            program, *arguments = module_command(self._module)
            self._process.start(program, arguments)
        self._process.write(json.dumps(question).encode() + b"\n")

    def dispose(self, limit_ms: int = 500) -> None:
        """End the child before the application goes."""
        self._closing = True
        if isValid(self._process) and self._process.state() != QProcess.ProcessState.NotRunning:
            self._process.kill()
            self._process.waitForFinished(limit_ms)

    def _read(self) -> None:
        while self._process.canReadLine():
            self.answered.emit(json.loads(bytes(self._process.readLine().data())))

    def _on_error(self, error: QProcess.ProcessError) -> None:
        if error == QProcess.ProcessError.FailedToStart:
            self._falls = self._MOST_FALLS
            self.ended.emit()

    def _on_ended(self) -> None:
        self._falls += 1
        if not self._closing:
            self.ended.emit()


def _read_outcome(
    output: bytes,
    code: int,
    status: QProcess.ExitStatus,
    last_line: str,
    answers: Sequence[int],
) -> tuple[Any, str]:
    if status != QProcess.ExitStatus.NormalExit:
        return None, tr(
            "The command was ended by another program. Start it again; nothing was left half done."
        )
    if code not in answers or (code and not output.strip()):
        return None, last_line or tr("The command ended with exit code {code}.", code=code)
    try:
        return json.loads(output.decode("utf-8")), ""
    except (UnicodeDecodeError, json.JSONDecodeError):
        return None, tr("The command finished, but its result could not be read.")
