"""Where Slurm's commands run and where run folders lie: here, or behind ``ssh`` and ``rsync``."""

import re
import shlex
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from core.errors import OutsideError
from core.jobs.child_environment import worker_environment
from core.jobs.copied_files import COMES_BACK, MOST_BYTES, STAYS_HERE
from core.jobs.folder import RunFolder
from core.jobs.launchers.slurm_profiles import SlurmProfile
from core.redaction import one_line

COMMAND_S = 120.0  # seconds that one command of Slurm or ssh may take
COPY_S = 3600.0  # seconds that copying a run folder may take


@dataclass(frozen=True, slots=True)
class CommandOutput:
    """What a command answered."""

    code: int
    out: str
    err: str


@dataclass(frozen=True)
class Cluster:
    """The machine that talks to Slurm."""

    profile: SlurmProfile

    def place(self, folder: RunFolder) -> str:
        """The run folder's path as the cluster sees it."""
        if not self.profile.host:
            return str(folder.path.resolve())
        return f"{self.profile.folder.rstrip('/')}/{folder.path.name}"

    def ask(self, command: Sequence[str]) -> CommandOutput:
        """Run a command there; OutsideError when it cannot be run at all."""
        if not self.profile.host:
            return _run(command, COMMAND_S)
        # a leading ~ is the other side's to expand, everything else is quoted
        line = " ".join(quoted(part) for part in command)
        output = _run([*self._ssh(), "--", self.profile.host, line], COMMAND_S)
        if output.code == 255:
            raise OutsideError.tr(
                "Could not reach host “{host}” over ssh: {reason}",
                host=self.profile.host,
                reason=_one_line(output.err),
            )
        return output

    def require(self, command: Sequence[str]) -> str:
        """The output of a command that must succeed; OutsideError with what it said otherwise."""
        output = self.ask(command)
        if output.code:
            raise OutsideError.tr(
                "“{command}” was refused: {reason}",
                command=command[0],
                reason=_one_line(output.err or output.out),
            )
        return output.out

    def send(self, folder: RunFolder) -> None:
        """Copy the run folder to the cluster, where it is not shared."""
        if not self.profile.host:
            return
        place = self.place(folder)
        self.require(["mkdir", "-p", place])
        self.require(["rm", "-f", f"{place}/error.json", f"{place}/stop", f"{place}/result.json"])
        excluded = [f"--exclude={pattern}" for pattern in STAYS_HERE]
        self._copy(f"{folder.path}/", f"{self.profile.host}:{place}/", *excluded)

    def fetch(self, folder: RunFolder) -> None:
        """Copy back what the workers wrote, where the folder is not shared."""
        if self.profile.host:
            source = f"{self.profile.host}:{self.place(folder)}/"
            said = self._copy(source, f"{folder.path}/", *_filters())
            # what is left out for its size is told, and the run would seem to lack it
            if name := re.search(r"^(.{1,200}) is over max-size", said, re.MULTILINE):
                raise OutsideError.tr(
                    "“{name}” on “{host}” is too large to be copied here.",
                    name=one_line(name[1]),
                    host=self.profile.host,
                )
            for pattern in COMES_BACK:
                for file in folder.files.names(pattern):
                    folder.files.has(file)  # refuses what is not a plain file

    def _copy(self, source: str, target: str, *options: str) -> str:
        # neither links nor devices nor owners: only the content and the times of files
        command = ["rsync", "--recursive", "--times", "--partial", "-e", shlex.join(self._ssh())]
        output = _run([*command, *options, "--", source, target], COPY_S)
        if output.code:
            raise OutsideError.tr(
                "Could not copy the run folder between this machine and “{host}”: {reason}",
                host=self.profile.host,
                reason=_one_line(output.err),
            )
        return output.out

    def _ssh(self) -> list[str]:
        """ssh that never asks a person anything and only talks to a host it knows."""
        command = ["ssh", "-o", "BatchMode=yes", "-o", "StrictHostKeyChecking=yes"]
        command += ["-o", "ConnectTimeout=20"]
        if self.profile.known_hosts:
            known = str(Path(self.profile.known_hosts).expanduser())
            command += ["-o", f"UserKnownHostsFile={known}"]
        if self.profile.port:
            command += ["-p", str(self.profile.port)]
        return command


def _filters() -> list[str]:
    """The options that let only expected files of a bounded size come back."""
    wanted = [f"--include=/{pattern}" for pattern in COMES_BACK]
    return [*wanted, "--exclude=*", f"--max-size={MOST_BYTES}", "--info=skip1"]


def quoted(part: str) -> str:
    """A word for a shell, which still reads a leading ~ as somebody's home."""
    return "~/" + shlex.quote(part[2:]) if part.startswith("~/") else shlex.quote(part)


def _run(command: Sequence[str], limit_s: float) -> CommandOutput:
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=limit_s,
            check=False,
            env=worker_environment(),
            encoding="utf-8",
            errors="replace",
        )
    except FileNotFoundError as error:
        raise OutsideError.tr(
            "The program “{program}” was not found on this machine. Use a machine that "
            "has it, or give a host in the profile.",
            program=command[0],
        ) from error
    except subprocess.TimeoutExpired as error:
        raise OutsideError.trn(
            "“{program}” did not answer within 1 second.",
            "“{program}” did not answer within {n} seconds.",
            round(limit_s),
            program=command[0],
        ) from error
    return CommandOutput(done.returncode, done.stdout, done.stderr)


def _one_line(text: str) -> str:
    return one_line(" ".join(text.split())[-400:]) or "–"
