"""Where a model runs, in which dtype, and why."""

from __future__ import annotations

import os
import platform
import subprocess
from pathlib import Path

from app.core.errors import SpanlightError
from app.core.models import DeviceChoice


def choose(wanted: str = "auto") -> DeviceChoice:
    """The device to compute on: `auto` takes a GPU that works, else the CPU.

    `wanted` is auto, cpu, cuda, cuda:N or mps. bfloat16 where the device computes in it natively,
    float32 elsewhere. Raises SpanlightError where the device wanted is not there or does not work.
    """
    kind, _, number = wanted.strip().lower().partition(":")
    if kind == "auto" and not number:
        return _auto()
    if kind == "cpu" and not number:
        return cpu("chosen in the settings")
    if kind == "cuda" and (not number or number.isdecimal()):
        return _cuda(int(number or 0))
    if kind == "mps" and number in ("", "0"):
        return _mps()
    raise SpanlightError(f"There is no device called {wanted[:40]!r}.", "Choose auto, cpu, cuda or mps.")


def cpu(reason: str) -> DeviceChoice:
    """The CPU, for a reason said in a few words; bfloat16 where it has instructions for it."""
    native = _bfloat16_instructions()
    return DeviceChoice(
        "cpu", "bfloat16" if native else "float32", f"{reason}; {native}" if native else reason
    )


def in_passing(fault: SpanlightError) -> str:
    """A fault's sentence as a reason in a few words: no capital, no full stop."""
    said = fault.message.rstrip(".")
    return said[0].lower() + said[1:] if said.startswith(("The ", "No ", "This ")) else said


def physical_cores() -> int:
    """Number of physical cores that this process may run on: more threads than these slow torch down."""
    usable = getattr(os, "sched_getaffinity", lambda _: range(os.cpu_count() or 1))(0)
    cores = set()
    for number in usable:
        siblings = Path(f"/sys/devices/system/cpu/cpu{number}/topology/thread_siblings_list")
        try:
            cores.add(siblings.read_text())
        except OSError:
            cores.add(str(number))
    count = len(cores)
    if platform.system() == "Darwin":
        # Performance cores only: a matrix product waits for its slowest thread.
        command = ["/usr/sbin/sysctl", "-n", "hw.perflevel0.physicalcpu"]
        said = subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()
        count = int(said) if said.isdecimal() else count
    return max(1, min(count, _quota()))


def _quota() -> int:
    """Whole CPUs that a container's limit leaves, many where there is none."""
    try:
        limit, period = Path("/sys/fs/cgroup/cpu.max").read_text().split()
        return max(1, round(int(limit) / int(period)))
    except (OSError, ValueError):
        return 1 << 20


def _auto() -> DeviceChoice:
    import torch

    if torch.cuda.is_available():
        try:
            return _cuda(0)
        except SpanlightError as error:
            return cpu(in_passing(error))
    if torch.backends.mps.is_available():
        try:
            return _mps()
        except SpanlightError:
            return cpu("the Apple GPU does not work with PyTorch")
    return cpu("no GPU that PyTorch can use was found")


def _cuda(number: int) -> DeviceChoice:
    import torch

    if not torch.cuda.is_available():
        raise SpanlightError(
            "No NVIDIA or AMD GPU that PyTorch can use was found.", "Choose the device auto or cpu."
        )
    if number >= torch.cuda.device_count():
        raise SpanlightError(
            f"There is no GPU number {number}.", f"They are numbered 0 to {torch.cuda.device_count() - 1}."
        )
    native = torch.cuda.is_bf16_supported(including_emulation=False)
    dtype = "bfloat16" if native else "float32"
    title = torch.cuda.get_device_name(number)
    if not _multiplies(f"cuda:{number}", dtype):
        raise SpanlightError(
            f"PyTorch cannot compute on the GPU {title}.", "Choose the device cpu, or renew the GPU's driver."
        )
    return DeviceChoice(f"cuda:{number}", dtype, title)


def _mps() -> DeviceChoice:
    import torch

    if not torch.backends.mps.is_available() or not _multiplies("mps", "float32"):
        raise SpanlightError("No Apple GPU that PyTorch can use was found.", "Choose the device auto or cpu.")
    return DeviceChoice("mps", "float32", "Apple GPU")


def _multiplies(device: str, dtype: str) -> bool:
    """Whether a small product comes out right: a GPU can be listed and yet be too old for this PyTorch."""
    import torch

    try:
        ones = torch.ones((8, 8), device=device, dtype=getattr(torch, dtype))
        return bool((ones @ ones).sum().item() == 512.0)
    except (RuntimeError, AssertionError):
        return False


def _bfloat16_instructions() -> str:
    """The name of the CPU's bfloat16 matrix instructions, empty without any."""
    import torch

    found = dict(getattr(torch.cpu, "get_capabilities", dict)())
    if not found:
        found = {
            "amx_bf16": _says("_is_amx_tile_supported"),
            "avx512_bf16": _says("_is_avx512_bf16_supported"),
        }
    if found.get("amx_bf16") and _says("_is_amx_tile_supported"):
        return "AMX"
    return "AVX512-BF16" if found.get("avx512_bf16") else ""


def _says(name: str) -> bool:
    import torch

    return bool(getattr(torch.cpu, name, lambda: False)())
