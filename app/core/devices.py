"""Where models can run on this computer, and the memory that they take."""

from __future__ import annotations

from dataclasses import dataclass

from app.core.message import Message
from app.core.models import DeviceChoice, Head

# The dtypes that the user can choose from; `auto` is the device's fastest.
PRECISIONS = ("auto", "float32", "bfloat16", "float16")
PRECISION_WORDS = {
    "float32": Message("32 bits"),
    "bfloat16": Message("16 bits (bfloat16)"),
    "float16": Message("16 bits (float16)"),
}


@dataclass(frozen=True, slots=True)
class DeviceOption:
    """One device: its key (cpu, cuda:0, mps ...), its name, whether models can run on it, and why or why not.

    `memory` and `free` are bytes, 0 if unknown; `precisions` are the dtypes it computes in.
    """

    key: str
    title: str
    usable: bool
    reason: str
    memory: int = 0
    free: int = 0
    precisions: tuple[str, ...] = ("float32",)


@dataclass(frozen=True, slots=True)
class Devices:
    """All devices, the choice of `auto` with its reason, and the version of PyTorch."""

    options: tuple[DeviceOption, ...]
    auto: DeviceChoice
    torch: str


@dataclass(frozen=True, slots=True)
class HeldModel:
    """A model in memory: its name, head, device, dtype, and the bytes of its weights there."""

    name: str
    head: Head
    device: str
    dtype: str
    size: int
    opened: bool = False


@dataclass(frozen=True, slots=True)
class MemoryUse:
    """The model process's memory; `process` counts its resident bytes, `computer` and `free` the computer's.

    `gpu` and `gpu_free` are the chosen GPU's total and free bytes, 0 without one.
    """

    held: tuple[HeldModel, ...]
    process: int
    computer: int
    free: int
    gpu: int = 0
    gpu_free: int = 0
