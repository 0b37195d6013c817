from __future__ import annotations

import subprocess
import sys

import pytest

from app.core.memory_limit import OUT_OF_MEMORY
from tests.conftest import ROOT

# Most of it at once, the rest in steps so small that it is seen before the system refuses more.
EAT = """
eaten = [bytearray(b'x') * {at_once}]
while len(eaten) < 1000: eaten.append(bytearray(b'x') * 1_000_000); time.sleep(0.01)
"""

# Linux counts the most memory of whoever starts a process as that process's own: the tests' may be large by now.
IN_BETWEEN = """
import subprocess, sys
sys.exit(subprocess.run([sys.executable, "-c", sys.argv[1]]).returncode)
"""


def ran(code: str) -> subprocess.CompletedProcess[str]:
    start = "import sys, threading, time\nfrom app.core import memory_limit as limits\n"
    return subprocess.run(
        [sys.executable, "-c", IN_BETWEEN, start + code],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux refuses memory beyond a limit")
def test_the_system_refuses_memory_beyond_the_limit() -> None:
    done = ran("limits.limit_memory(300_000_000)\nbytearray(400_000_000)")
    assert done.returncode == 1
    assert done.stderr.strip().endswith("MemoryError")
    done = ran("limits.limit_memory(300_000_000)\nheld = bytearray(200_000_000)\nprint(len(held))")
    assert (done.returncode, done.stdout) == (0, "200000000\n")


# On Linux a thread takes room of its own.
@pytest.mark.parametrize(("system", "at_once"), [(sys.platform, 200_000_000), ("another", 280_000_000)])
def test_a_process_is_watched_and_ended(system: str, at_once: int) -> None:
    start = f"sys.platform = {system!r}\nlimits.limit_memory(300_000_000)\n"
    assert ran(start + EAT.format(at_once=at_once)).returncode == OUT_OF_MEMORY
    assert ran(start + "held = bytearray(b'x' * 100_000_000); time.sleep(0.3)").returncode == 0


def test_a_limit_can_be_lifted() -> None:
    lifted = "limits.limit_memory(300_000_000)()\nheld = bytearray(b'x') * 320_000_000; time.sleep(0.3)"
    assert ran(lifted).returncode == 0


def test_what_is_in_the_computers_memory_can_be_watched() -> None:
    start = "limits.watch_memory(limits.resident() + 100_000_000, limits.resident, every=0.02)\n"
    assert ran(start + "held = bytearray(b'x' * 150_000_000); time.sleep(5)").returncode == OUT_OF_MEMORY
    assert ran(start + "held = bytearray(b'x' * 50_000_000); time.sleep(0.2)").returncode == 0
