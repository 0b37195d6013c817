"""The memory of a process."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path


def peak_memory(pid: int | None) -> int | None:
    """The peak memory of a process in bytes, from Linux (VmHWM); None where not known."""
    return _status(pid, "VmHWM:")


def own_peak() -> int | None:
    """The same of this process."""
    return peak_memory(os.getpid())


def memory(pid: int | None) -> int | None:
    """The memory of a process now in bytes, from Linux (VmRSS); None where not known."""
    return _status(pid, "VmRSS:")


def own_memory() -> int | None:
    """The same of this process."""
    return memory(os.getpid())


def _status(pid: int | None, name: str) -> int | None:
    with contextlib.suppress(OSError, ValueError, StopIteration):
        lines = Path(f"/proc/{pid}/status").read_text("utf-8").splitlines()
        return 1024 * next(int(line.split()[1]) for line in lines if line.startswith(name))
    return None
