"""The CPU: its name, its cores, and the dtypes that it has instructions for."""

from __future__ import annotations

import contextlib
import os
import platform
import sys

from app.models.compute.system import output_of, text_of

# Measured on encoders of 22 and 85 million weights (`bench reading --precision`, torch 2.13): on a Xeon without AMX,
# bfloat16 with AVX512-BF16 takes half as long again as float32, as results are converted at every step, and float16
# with AVX512-FP16 as long; on an EPYC (Zen 4) bfloat16 takes 0.7 and 0.56 of float32's time.


def name() -> str:
    """The processor's name as the system reports it."""
    found = ""
    if sys.platform == "darwin":
        found = output_of("/usr/sbin/sysctl", "-n", "machdep.cpu.brand_string")
    elif sys.platform == "win32":
        found = _windows_name()
    else:
        lines = (line.partition(":") for line in text_of("/proc/cpuinfo").splitlines())
        found = next((value for key, _, value in lines if key.strip() == "model name"), "")
    return " ".join((found or platform.processor() or platform.machine() or "CPU").split())


def fast_bfloat16() -> str:
    """The name of instructions that make bfloat16 products faster than float32 ones, empty without any."""
    if _has("amx_bf16") and _torch_reports("_is_amx_tile_supported"):
        return "AMX"
    return "AVX512-BF16" if _has("avx512_bf16") and _is_amd() else ""


def bfloat16() -> str:
    """The name of the CPU's instructions for bfloat16 products, empty without any."""
    if fast_bfloat16():
        return fast_bfloat16()
    if _has("avx512_bf16"):
        return "AVX512-BF16"
    return "BF16" if _has("bf16") else ""  # ARM's


def float16() -> str:
    """The name of the CPU's instructions for float16 products, empty without any."""
    if _has("avx512_fp16"):
        return "AVX512-FP16"
    return "FP16" if _has("fp16_arith") else ""  # ARM's


def physical_cores() -> int:
    """The number of physical cores that this process may run on: with more threads torch is slower."""
    usable = getattr(os, "sched_getaffinity", lambda _: range(os.cpu_count() or 1))(0)
    siblings = "/sys/devices/system/cpu/cpu{}/topology/thread_siblings_list"
    count = len({text_of(siblings.format(number)) or number for number in usable})
    if platform.system() == "Darwin":
        # Performance cores only: a matrix product waits for its slowest thread.
        performance_cores = output_of("/usr/sbin/sysctl", "-n", "hw.perflevel0.physicalcpu")
        count = int(performance_cores) if performance_cores.isdecimal() else count
    return max(1, min(count, _quota()))


def _quota() -> int:
    """The whole CPUs that a container's limit allows, a large number without a limit."""
    try:
        limit, period = text_of("/sys/fs/cgroup/cpu.max").split()
        return max(1, round(int(limit) / int(period)))
    except ValueError:
        return 1 << 20


def _has(name: str) -> bool:
    import torch

    if _limited_to_avx2():
        return False
    found = dict(getattr(torch.cpu, "get_capabilities", dict)())
    if found:
        return bool(found.get(name))
    older = {"amx_bf16": "_is_amx_tile_supported", "avx512_bf16": "_is_avx512_bf16_supported"}
    return name in older and _torch_reports(older[name])


def _is_amd() -> bool:
    # As Linux and as Windows report it.
    return "AuthenticAMD" in (text_of("/proc/cpuinfo") or platform.processor())


def _limited_to_avx2() -> bool:
    """Whether the environment limits PyTorch's libraries to AVX2 or less, so that newer instructions go unused."""
    limits = (os.environ.get(name, "") for name in ("ONEDNN_MAX_CPU_ISA", "ATEN_CPU_CAPABILITY"))
    return any(one.lower().startswith(("avx2", "default", "sse")) for one in limits)


def _torch_reports(name: str) -> bool:
    import torch

    return bool(getattr(torch.cpu, name, lambda: False)())


def _windows_name() -> str:
    import winreg

    # The module is empty on other systems, where the type checker runs.
    open_key, read, root = (getattr(winreg, n) for n in ("OpenKey", "QueryValueEx", "HKEY_LOCAL_MACHINE"))
    with (
        contextlib.suppress(OSError),
        open_key(root, r"HARDWARE\DESCRIPTION\System\CentralProcessor\0") as key,
    ):
        return str(read(key, "ProcessorNameString")[0])
    return ""
