"""The most memory that a process ever held."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path


def peak_memory(pid: int | None) -> int | None:
    """The most bytes of memory that a process ever held, as Linux tells (VmHWM); None where that is not known."""
    with contextlib.suppress(OSError, ValueError, StopIteration):
        lines = Path(f"/proc/{pid}/status").read_text("utf-8").splitlines()
        return 1024 * next(int(line.split()[1]) for line in lines if line.startswith("VmHWM:"))
    return None


def own_peak() -> int | None:
    """The same of this process."""
    return peak_memory(os.getpid())
