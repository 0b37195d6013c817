"""How much a document may take: the size of its file, and the memory of the process that reads it."""

from __future__ import annotations

import contextlib
import os
import sys
import threading
import time
from pathlib import Path

from app.core.layout import Kind

MEMORY = 2_000_000_000
OUT_OF_MEMORY = 77

# A web page or a Markdown file needs a tree, and a block for each paragraph. Real ones of 20 MB take 0.4 to 0.9 GB,
# lists of five words an item 1.7 GB; a smaller one of only tags or cells may take more than there is. A Word file may
# be full of pictures: 200 MB of its text's XML take 1.6 GB.
MOST_BYTES = {
    Kind.TEXT: 64_000_000,
    Kind.MARKDOWN: 20_000_000,
    Kind.HTML: 20_000_000,
    Kind.DOCX: 200_000_000,
    Kind.PDF: 1_000_000_000,
}
# A PDF up to this size is read into memory, so that it may change or be deleted while it is open.
LARGEST_IN_MEMORY = 64_000_000

_WATCH_EVERY = 0.05


def limit_memory(more: int = MEMORY) -> None:
    """Limit this process to `more` bytes in addition to what it has now: it is watched, and ended beyond that.

    Its exit code is then `OUT_OF_MEMORY`. On Linux the system also refuses memory beyond a tenth more, which raises
    MemoryError in Python and aborts libraries that cannot handle it.
    """
    if sys.platform == "linux":
        import resource

        limit = _memory() + more + more // 10
        with contextlib.suppress(ValueError, OSError):  # a lower limit is set already
            resource.setrlimit(resource.RLIMIT_AS, (limit, resource.getrlimit(resource.RLIMIT_AS)[1]))
    threading.Thread(target=_watch, args=(_memory() + more,), daemon=True).start()


def run_out() -> None:
    """End this process at once with the exit code for no memory left."""
    os._exit(OUT_OF_MEMORY)


def _watch(limit: int) -> None:
    while True:
        if _memory() > limit:
            run_out()
        time.sleep(_WATCH_EVERY)


def _memory() -> int:
    """Bytes of this process: address space on Linux, committed memory on Windows, peak use elsewhere."""
    system: str = sys.platform  # checked for every system, whichever this one is
    if system == "linux":
        return int(Path("/proc/self/statm").read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    if system == "win32":
        return _windows_memory()
    import resource

    # macOS counts bytes, other systems kilobytes.
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if system == "darwin" else most * 1024


def _windows_memory() -> int:
    """Bytes of memory committed to this process (PROCESS_MEMORY_COUNTERS.PagefileUsage)."""
    import ctypes

    class Counters(ctypes.Structure):
        _fields_ = [
            ("size", ctypes.c_uint32),
            ("faults", ctypes.c_uint32),
            *((f"count{number}", ctypes.c_size_t) for number in range(6)),
            ("page_file", ctypes.c_size_t),
            ("page_file_peak", ctypes.c_size_t),
        ]

    counters = Counters(size=ctypes.sizeof(Counters))
    kernel = ctypes.WinDLL("kernel32")  # type: ignore[attr-defined,unused-ignore]
    kernel.GetCurrentProcess.restype = ctypes.c_void_p
    query = kernel.K32GetProcessMemoryInfo
    query.argtypes = (ctypes.c_void_p, ctypes.c_void_p, ctypes.c_uint32)
    if not query(kernel.GetCurrentProcess(), ctypes.byref(counters), counters.size):
        return 0
    return int(counters.page_file)
