"""Properties of this computer that its speed depends on, and the memory of processes."""

from __future__ import annotations

import contextlib
import os
import platform
import subprocess
import sys
import time
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from app.bench.results import Machine
from app.models.compute import memory, processor
from app.models.compute.graphics import cards

PACKAGES = ("torch", "transformers", "tokenizers", "numpy", "PySide6-Essentials")
# Instructions that speed up matrix products: Linux's name, and the maker's.
FLAGS = {
    "avx2": "AVX2",
    "avx_vnni": "AVX-VNNI",
    "avx512f": "AVX512",
    "avx512_vnni": "AVX512-VNNI",
    "avx512_bf16": "AVX512-BF16",
    "avx512_fp16": "AVX512-FP16",
    "amx_int8": "AMX-INT8",
    "amx_bf16": "AMX-BF16",
    "amx_fp16": "AMX-FP16",
    "asimd": "NEON",
    "asimddp": "DotProd",
    "i8mm": "I8MM",
    "bf16": "BF16",
}
_MAC_FLAGS = {"FEAT_DotProd": "DotProd", "FEAT_I8MM": "I8MM", "FEAT_BF16": "BF16", "FEAT_SME": "SME"}
SUPPLIES = Path("/sys/class/power_supply")
STAT = Path("/proc/stat")
SAMPLE_SECONDS = 1.0
# A processor's idle times in a line of /proc/stat, which then counts its guests' time twice (proc_stat(5)).
_IDLE, _GUESTS = slice(3, 5), 8
# With a larger busy share of the processors, times grow by more than they vary between runs.
BUSY = 0.2


def this_machine() -> Machine:
    """Describe this computer as it is now."""
    return Machine(
        processor=processor.name(),
        instructions=instructions(),
        threads=processor.physical_cores(),
        memory=memory.computer()[0],
        system=f"{platform.system()} {platform.release()}",
        python=platform.python_version(),
        packages={name: found for name in PACKAGES if (found := _version(name))},
        graphics=tuple(card.title for card in cards()),
        busy=load(),
        on_battery=on_battery(),
    )


def instructions() -> tuple[str, ...]:
    """Return the processor's instructions that speed up matrix products; empty if unknown."""
    if sys.platform == "darwin":
        return tuple(name for key, name in _MAC_FLAGS.items() if _sysctl(f"hw.optional.arm.{key}") == "1")
    with contextlib.suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text("utf-8", "replace").splitlines():
            name, _, value = line.partition(":")
            if name.strip() in ("flags", "Features"):
                has = set(value.split())
                return tuple(title for flag, title in FLAGS.items() if flag in has)
    return ()


def load() -> float | None:
    """Return the number of processors that are busy while this process waits a moment; None if unknown.

    If only the load average of the last minute is known, returns that.
    """
    if before := _spent():
        time.sleep(SAMPLE_SECONDS)
        return _busy(before, _spent())
    with contextlib.suppress(OSError, AttributeError):
        return os.getloadavg()[0]
    return None


def _spent() -> dict[str, tuple[int, int]]:
    """Return the busy and the total ticks of each processor that this process may use; empty if unknown."""
    found = {}
    with contextlib.suppress(OSError, ValueError, AttributeError):
        mine = {f"cpu{number}" for number in os.sched_getaffinity(0)}
        for line in STAT.read_text("ascii").splitlines():
            name, *values = line.split()
            if name in mine:
                ticks = [int(one) for one in values[:_GUESTS]]
                found[name] = sum(ticks) - sum(ticks[_IDLE]), sum(ticks)
    return found


def _busy(before: dict[str, tuple[int, int]], after: dict[str, tuple[int, int]]) -> float:
    """Return the mean number of busy processors between two results of `_spent`."""
    shares = 0.0
    for name in before.keys() & after.keys():
        busy, whole = (new - old for new, old in zip(after[name], before[name], strict=True))
        shares += max(0.0, busy / whole) if whole > 0 else 0.0
    return shares


def on_battery(supplies: Path = SUPPLIES) -> bool:
    """Whether the computer runs on its battery, on Linux; False if unknown."""
    with contextlib.suppress(OSError):
        for supply in supplies.iterdir():
            with contextlib.suppress(OSError):
                kind, status = ((supply / name).read_text().strip() for name in ("type", "status"))
                if kind == "Battery" and status == "Discharging":
                    return True
    return False


def warnings(machine: Machine) -> tuple[str, ...]:
    """Return warnings about conditions that make times longer."""
    sentences = []
    if machine.busy is not None and machine.busy > BUSY * machine.threads:
        sentences.append(
            f"Other work kept {machine.busy:.1f} of {machine.threads} processors busy when this began: times are "
            "longer than they would be, and ratios less sure."
        )
    if machine.on_battery:
        sentences.append("The computer runs on its battery, which may slow it down.")
    return tuple(sentences)


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""


def _sysctl(name: str) -> str:
    try:
        result = subprocess.run(["/usr/sbin/sysctl", "-n", name], capture_output=True, text=True, check=False)
    except OSError:
        return ""
    return result.stdout.strip()


def peak_memory(pid: int | None) -> int | None:
    """Return the peak memory of a process in bytes, on Linux (VmHWM); None if unknown."""
    return _status(pid, "VmHWM:")


def memory_now(pid: int | None) -> int | None:
    """Return the current memory of a process in bytes, on Linux (VmRSS); None if unknown."""
    return _status(pid, "VmRSS:")


def _status(pid: int | None, name: str) -> int | None:
    with contextlib.suppress(OSError, ValueError, StopIteration):
        lines = Path(f"/proc/{pid}/status").read_text("utf-8").splitlines()
        return 1024 * next(int(line.split()[1]) for line in lines if line.startswith(name))
    return None
