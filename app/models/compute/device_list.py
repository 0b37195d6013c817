"""Every device of this computer, with whether models can run on it and why not."""

from __future__ import annotations

from app.core.devices import DeviceOption, Devices
from app.core.models import DeviceChoice
from app.models.compute import memory, processor
from app.models.compute.device import choose, cpu, cpu_precisions
from app.models.compute.graphics import Gpu, gpus


def list_devices(avoid: str = "") -> Devices:
    """The CPU, every GPU and what `auto` takes; `avoid` is why no GPU is to be used, empty where one may."""
    import torch

    found = [_gpu(gpu, avoid) for gpu in gpus()]
    return Devices((_cpu(), *found), cpu(avoid) if avoid else choose(), str(torch.__version__))


def _cpu() -> DeviceOption:
    total, free = memory.computer()
    cores, fast, native = processor.physical_cores(), processor.fast_bfloat16(), processor.bfloat16()
    said = f"{cores} core{'s' if cores != 1 else ''}"
    if fast:
        said += f"; bfloat16 with {fast} is fastest"
    elif native:
        said += f"; float32 is faster than bfloat16 with {native}"
    return DeviceOption("cpu", processor.name(), True, said, total, free, cpu_precisions())


def _gpu(gpu: Gpu, avoid: str) -> DeviceOption:
    if gpu.usable and not avoid:
        how: DeviceChoice = choose(gpu.key)
        return DeviceOption(
            gpu.key, gpu.title, True, f"fastest in {how.dtype}", *memory.gpu(gpu.key), gpu.precisions
        )
    why = gpu.fault or f"It is not used until Spanlight is started again: {avoid}."
    return DeviceOption(gpu.key, gpu.title, False, why, precisions=gpu.precisions)
