"""What this computer has, asked of the system alone: no PyTorch."""

from __future__ import annotations

import ctypes
import os
import sys


def memory() -> int:
    """The computer's memory in bytes, 0 where the system does not say."""
    if sys.platform == "win32":
        return _windows_memory()
    try:
        return max(0, os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    except (ValueError, OSError, AttributeError):
        return 0


class _MemoryStatus(ctypes.Structure):
    """MEMORYSTATUSEX of the Windows interface."""

    _fields_ = (
        ("length", ctypes.c_ulong),
        ("load", ctypes.c_ulong),
        ("total", ctypes.c_ulonglong),
        ("free", ctypes.c_ulonglong),
        ("page_total", ctypes.c_ulonglong),
        ("page_free", ctypes.c_ulonglong),
        ("virtual_total", ctypes.c_ulonglong),
        ("virtual_free", ctypes.c_ulonglong),
        ("virtual_extended", ctypes.c_ulonglong),
    )


def _windows_memory() -> int:
    status = _MemoryStatus(length=ctypes.sizeof(_MemoryStatus))
    windows = getattr(ctypes, "windll", None)
    if windows is None or not windows.kernel32.GlobalMemoryStatusEx(ctypes.byref(status)):
        return 0
    return int(status.total)
