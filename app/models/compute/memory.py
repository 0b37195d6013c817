"""How much memory the computer, this process and the GPU have, and how unused memory is released."""

from __future__ import annotations

import contextlib
import ctypes
import gc
import os
import sys
from typing import Any

from app.core import memory_limit
from app.models.compute.system import output_of, text_of


def computer() -> tuple[int, int]:
    """The computer's total and free memory in bytes, within a container's limit; 0 where unknown."""
    if sys.platform == "win32":
        return _windows()
    if sys.platform == "darwin":
        return _leading(output_of("/usr/sbin/sysctl", "-n", "hw.memsize")), _mac_free()
    meminfo = dict(line.split(":", 1) for line in text_of("/proc/meminfo").splitlines() if ":" in line)
    total, free = (1024 * _leading(meminfo.get(name, "")) for name in ("MemTotal", "MemAvailable"))
    limit = _leading(text_of("/sys/fs/cgroup/memory.max"))
    if 0 < limit < total:
        used = _leading(text_of("/sys/fs/cgroup/memory.current")) - _cached()
        total, free = limit, min(free, max(0, limit - used))
    return total, free


def resident() -> int:
    """The resident memory of this process in bytes, 0 if unknown."""
    if sys.platform == "darwin":
        return 1024 * _leading(output_of("/bin/ps", "-o", "rss=", "-p", str(os.getpid())))
    with contextlib.suppress(OSError):
        return memory_limit.resident()
    return 0


def gpu(device: str) -> tuple[int, int]:
    """A GPU's total and free memory in bytes; zeros if none is in use, as this does not start CUDA.

    Both are 0 also for a GPU that does not answer.
    """
    torch = sys.modules.get("torch")
    if torch is None:
        return 0, 0
    with contextlib.suppress(RuntimeError, AssertionError):
        if torch.cuda.is_available() and torch.cuda.is_initialized():
            free, total = torch.cuda.mem_get_info(device if device.startswith("cuda") else None)
            return int(total), int(free)
        if device == "mps":
            total = int(torch.mps.recommended_max_memory())
            return total, max(0, total - int(torch.mps.driver_allocated_memory()))
    return 0, 0


def release(*, garbage: bool = True) -> None:
    """Release unused memory: garbage, PyTorch's cache of GPU memory, and freed memory that glibc has not returned.

    Collecting `garbage` takes a third of a second; only objects in cycles or tracebacks need it. In the model process
    glibc returns nothing by itself: it is set up there to retain what batches free.
    """
    if garbage:
        gc.collect()
    torch = sys.modules.get("torch")
    if torch is not None:
        # A GPU that has failed may refuse: then there is nothing to release.
        with contextlib.suppress(RuntimeError, AssertionError):
            if torch.cuda.is_available() and torch.cuda.is_initialized():
                torch.cuda.empty_cache()
            if torch.backends.mps.is_available():
                torch.mps.empty_cache()
    trim()


def trim() -> None:
    """Have glibc return freed memory to the system; it takes some milliseconds."""
    if sys.platform.startswith("linux"):
        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).malloc_trim(0)


def _leading(text: str) -> int:
    """The number that a text begins with, 0 without one."""
    word = (text.split() or [""])[0]
    return int(word) if word.isdecimal() else 0


def _cached() -> int:
    """The container's memory that caches files: it is reclaimed on demand."""
    lines = (line.split() for line in text_of("/sys/fs/cgroup/memory.stat").splitlines())
    return sum(int(line[1]) for line in lines if line[:1] == ["inactive_file"])


def _mac_free() -> int:
    output = output_of("/usr/bin/vm_stat")
    page = _leading(output.partition("page size of ")[2]) or 16384
    free = ("Pages free", "Pages inactive", "Pages speculative")
    pages = (line.split(":") for line in output.splitlines() if line.startswith(free))
    return page * sum(_leading(count.replace(".", " ")) for _, count in pages)


class _Status(ctypes.Structure):
    """MEMORYSTATUSEX of the Windows API."""

    _fields_ = [("length", ctypes.c_ulong), ("load", ctypes.c_ulong)] + [
        (name, ctypes.c_ulonglong)
        for name in ("total", "free", "page", "page_free", "virtual", "virtual_free", "extended")
    ]


def _windows() -> tuple[int, int]:
    status = _Status(length=ctypes.sizeof(_Status))
    with contextlib.suppress(OSError, AttributeError):
        kernel: Any = getattr(ctypes, "WinDLL")("kernel32")  # noqa: B009  (only Windows has it)
        if kernel.GlobalMemoryStatusEx(ctypes.byref(status)):
            return int(status.total), int(status.free)
    return 0, 0
