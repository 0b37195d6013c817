"""Limits the memory of this process, so that an untrusted file can exhaust only the process that reads it."""

from __future__ import annotations

import contextlib
import os
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

OUT_OF_MEMORY = 77
_WATCH_EVERY = 0.05
_SYSTEM: str = sys.platform  # checked for every system, whichever this one is


def limit_memory(more: int) -> Callable[[], None]:
    """Limit this process to `more` bytes beyond what it has now; a watcher thread ends it if it takes more.

    Its exit code is then `OUT_OF_MEMORY`. On Linux the system also refuses memory beyond a tenth above the limit, which
    raises MemoryError in Python and aborts libraries that cannot handle it. Returns a function that lifts the limit.
    """
    with contextlib.ExitStack() as lifting:
        if sys.platform == "linux":
            import resource

            before = resource.getrlimit(resource.RLIMIT_AS)
            limit = _memory() + more + more // 10
            with contextlib.suppress(ValueError, OSError):  # a lower limit is set already
                resource.setrlimit(resource.RLIMIT_AS, (limit, before[1]))
                lifting.callback(resource.setrlimit, resource.RLIMIT_AS, before)
        lifting.callback(watch_memory(_memory() + more, _memory))
        return lifting.pop_all().close


def watch_memory(most: int, used: Callable[[], int], every: float = _WATCH_EVERY) -> Callable[[], None]:
    """End this process with `OUT_OF_MEMORY` once `used()` exceeds `most` bytes; it is called `every` few seconds.

    Returns a function that ends the watch.
    """
    ended = threading.Event()

    def watch() -> None:
        while not ended.wait(every):
            if used() > most:
                exit_out_of_memory()

    threading.Thread(target=watch, daemon=True).start()
    return ended.set


def exit_out_of_memory() -> None:
    """End this process at once with the exit code `OUT_OF_MEMORY`."""
    os._exit(OUT_OF_MEMORY)


def resident() -> int:
    """Return the resident bytes of this process; on macOS their peak so far."""
    if _SYSTEM == "linux":
        return _pages(1)
    return _windows_memory().in_memory if _SYSTEM == "win32" else _peak()


def _memory() -> int:
    """Return the bytes of this process: address space on Linux, committed memory on Windows, peak use elsewhere."""
    if _SYSTEM == "linux":
        return _pages(0)
    return _windows_memory().committed if _SYSTEM == "win32" else _peak()


def _pages(at: int) -> int:
    return int(Path("/proc/self/statm").read_text().split()[at]) * os.sysconf("SC_PAGE_SIZE")


def _peak() -> int:
    import resource

    # macOS counts bytes, other systems kilobytes.
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if _SYSTEM == "darwin" else most * 1024


class _WindowsMemory(NamedTuple):
    in_memory: int
    committed: int


def _windows_memory() -> _WindowsMemory:
    """Return WorkingSetSize and PagefileUsage of this process (PROCESS_MEMORY_COUNTERS); zeros on failure."""
    import ctypes

    class Counters(ctypes.Structure):
        _fields_ = [
            ("size", ctypes.c_uint32),
            ("faults", ctypes.c_uint32),
            ("peak", ctypes.c_size_t),
            ("in_memory", ctypes.c_size_t),
            *((f"pool{number}", ctypes.c_size_t) for number in range(4)),
            ("committed", ctypes.c_size_t),
            ("committed_peak", ctypes.c_size_t),
        ]

    counters = Counters(size=ctypes.sizeof(Counters))
    kernel = ctypes.WinDLL("kernel32")  # type: ignore[attr-defined,unused-ignore]
    kernel.GetCurrentProcess.restype = ctypes.c_void_p
    query = kernel.K32GetProcessMemoryInfo
    query.argtypes = (ctypes.c_void_p, ctypes.c_void_p, ctypes.c_uint32)
    query(kernel.GetCurrentProcess(), ctypes.byref(counters), counters.size)
    return _WindowsMemory(int(counters.in_memory), int(counters.committed))
