"""What is free goes back to the system, although the allocator would keep it."""

import platform
import subprocess
import sys

import pytest

from tests.paths import ROOT

# small blocks that stay lie above all that is freed
HOLDS = """
import sys
from pathlib import Path
from gui.garbage import give_back_memory
blocks = [b"x" * 60_000 for _ in range(2_000)]
kept = [b"x" * 5_000 for _ in range(200)]
blocks.clear()
if sys.argv[1:]:
    give_back_memory()
print(int(Path("/proc/self/statm").read_text().split()[1]) * 4096 >> 20)
"""


def megabytes(*words: str) -> int:
    """What a process has after it freed 120 MB."""
    done = subprocess.run(
        [sys.executable, "-c", HOLDS, *words], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return int(done.stdout)


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="glibc keeps what is free")
def test_what_was_freed_goes_back_to_the_system():
    assert megabytes() - megabytes("give back") > 100
