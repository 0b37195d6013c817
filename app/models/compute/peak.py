"""Measures a device's peak speed: how fast PyTorch multiplies large matrices on it, by dtype."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

# Rows, columns and inner size of the products; on a CPU as for a batch of windows.
SIZE, SIZE_ON_GPU = 1536, 4096
_TRIAL = 256
_SECONDS = 0.4  # spent on each kernel at least
_TOO_SLOW = 5e9  # operations a second: the processor has no instructions for the dtype
_DTYPES = ("float32", "bfloat16", "float16")


@dataclass(frozen=True, slots=True)
class Peak:
    """The most operations (multiplications and additions) a second in products of large matrices of a dtype."""

    dtype: str
    flops: float


def measure_peak(device: str, check: Callable[[], None]) -> tuple[Peak, ...]:
    """The peak of each dtype that the device multiplies in at a useful speed.

    On a CPU PyTorch has two kernels: the faster one's best time is taken. `check` may raise to cancel.
    """
    found = []
    for dtype in _DTYPES:
        best = 0.0
        for kernel in (_plain, _packed) if device == "cpu" else (_plain,):
            check()
            # float32 is reported at any speed, which may be low while other programs run.
            best = max(best, _speed(kernel, dtype, device, 0.0 if dtype == "float32" else _TOO_SLOW))
        if best:
            found.append(Peak(dtype, best))
    return tuple(found)


def _speed(kernel: Callable[..., Callable[[], Any]], dtype: str, device: str, least: float) -> float:
    """Operations a second of a kernel; 0 if it does not work here or is slower than `least` in a trial."""
    import torch

    try:
        with torch.inference_mode():
            # A tenth of a second is long enough even while other programs run.
            if _timed(kernel(_TRIAL, dtype, device), _TRIAL, device, 0.1) < least:
                return 0.0
            size = SIZE if device == "cpu" else SIZE_ON_GPU
            return _timed(kernel(size, dtype, device), size, device, _SECONDS)
    # An operation may be missing from this PyTorch, or refuse this device or dtype.
    except (RuntimeError, AttributeError, NotImplementedError, TypeError):
        return 0.0


def _timed(product: Callable[[], Any], size: int, device: str, seconds: float) -> float:
    product()
    product()
    _wait(device)
    best = float("inf")
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        began = time.perf_counter()
        product()
        _wait(device)
        best = min(best, time.perf_counter() - began)
    return 2 * size**3 / best


def _plain(size: int, dtype: str, device: str) -> Callable[[], Any]:
    """A product of square matrices by PyTorch's own linear."""
    import torch

    a, w = (torch.randn(size, size, device=device).to(getattr(torch, dtype)) for _ in range(2))
    return lambda: torch.nn.functional.linear(a, w)


def _packed(size: int, dtype: str, device: str) -> Callable[[], Any]:
    """The same product by oneDNN, its weight packed beforehand."""
    import torch

    a, w = (torch.randn(size, size, device=device).to(getattr(torch, dtype)) for _ in range(2))
    packed = torch.ops.mkldnn._reorder_linear_weight(w, size)
    return lambda: torch.ops.mkldnn._linear_pointwise(a, packed, None, "none", [], "")


def _wait(device: str) -> None:
    import torch

    if device.startswith("cuda"):
        torch.cuda.synchronize(device)
    elif device == "mps":
        torch.mps.synchronize()
