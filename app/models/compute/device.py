"""Where a model runs, in which dtype, and why."""

from __future__ import annotations

from app.core.devices import PRECISIONS, DeviceOption, Devices
from app.core.errors import SpanlightError
from app.core.models import DeviceChoice
from app.models.compute import memory, processor
from app.models.compute.faults import short_reason
from app.models.compute.graphics import Gpu, apple, cuda, gpus

_HINT = "Choose another precision, or auto."


def list_devices(avoid: str = "") -> Devices:
    """The CPU, every GPU and what `auto` chooses; `avoid` is why no GPU may be used, empty where one may."""
    import torch

    found = [_gpu(gpu, avoid) for gpu in gpus()]
    return Devices((_cpu(), *found), cpu(avoid) if avoid else choose(), str(torch.__version__))


def _cpu() -> DeviceOption:
    total, free = memory.computer()
    cores, fast, native = processor.physical_cores(), processor.fast_bfloat16(), processor.bfloat16()
    details = f"{cores} core{'s' if cores != 1 else ''}"
    if fast:
        details += f"; bfloat16 with {fast} is fastest"
    elif native:
        details += f"; float32 is faster than bfloat16 with {native}"
    return DeviceOption("cpu", processor.name(), True, details, total, free, cpu_precisions())


def _gpu(gpu: Gpu, avoid: str) -> DeviceOption:
    if gpu.usable and not avoid:
        how: DeviceChoice = choose(gpu.key)
        return DeviceOption(
            gpu.key, gpu.title, True, f"fastest in {how.dtype}", *memory.gpu(gpu.key), gpu.precisions
        )
    why = gpu.fault or f"It is not used until Spanlight is started again: {avoid}."
    return DeviceOption(gpu.key, gpu.title, False, why, precisions=gpu.precisions)


def choose(wanted: str = "auto", precision: str = "auto") -> DeviceChoice:
    """The device to compute on: `auto` chooses a GPU that works, else the CPU.

    `wanted` is auto, cpu, cuda, cuda:N or mps; `precision` one of core.devices.PRECISIONS, where auto chooses the
    fastest. Raises SpanlightError if the device is missing, does not work, or does not compute in that precision.
    """
    if precision not in PRECISIONS:
        raise SpanlightError(
            f"There is no precision called {precision[:40]!r}.", f"Choose {', '.join(PRECISIONS)}."
        )
    kind, _, number = wanted.strip().lower().partition(":")
    if kind == "auto" and not number:
        return _auto(precision)
    if kind == "cpu" and not number:
        return cpu("chosen in the settings", precision)
    if kind == "cuda" and (not number or number.isdecimal()):
        return _on(_listed(int(number or 0)), precision)
    if kind == "mps" and number in ("", "0"):
        return _on(_apple(), precision)
    raise SpanlightError(f"There is no device called {wanted[:40]!r}.", "Choose auto, cpu, cuda or mps.")


def cpu(reason: str, precision: str = "auto") -> DeviceChoice:
    """The CPU with a short `reason`; the fastest dtype there, or the precision chosen.

    Raises SpanlightError if the processor has no instructions for that precision.
    """
    fast, native = processor.fast_bfloat16(), processor.bfloat16()
    if precision == "auto":
        if fast:
            return DeviceChoice("cpu", "bfloat16", f"{reason}; bfloat16 with {fast}")
        more = f"; float32, faster here than bfloat16 with {native}" if native else ""
        return DeviceChoice("cpu", "float32", reason + more)
    if precision not in cpu_precisions():
        raise SpanlightError(f"This processor has no instructions for {precision}.", _HINT)
    return DeviceChoice("cpu", precision, f"{reason}; {precision} chosen")


def cpu_precisions() -> tuple[str, ...]:
    """The dtypes that the CPU computes in, the one that `auto` chooses first."""
    fast = ("bfloat16",) if processor.fast_bfloat16() else ()
    more = ("bfloat16",) if processor.bfloat16() and not fast else ()
    half = ("float16",) if processor.float16() else ()
    return (*fast, "float32", *more, *half)


def _auto(precision: str) -> DeviceChoice:
    passed_over = ""
    for gpu in gpus():
        why = gpu.fault
        if not why and precision not in ("auto", *gpu.precisions):
            why = f"The GPU {gpu.title} does not compute in {precision}."
        if not why:
            choice = _on(gpu, precision)
            more = f"; {passed_over}" if passed_over else ""
            return DeviceChoice(choice.device, choice.dtype, f"{choice.reason}, faster than the CPU{more}")
        passed_over = passed_over or f"{gpu.title} is not used: {short_reason(SpanlightError(why))}"
    return cpu(passed_over or "no GPU that PyTorch can use was found", precision)


def _on(gpu: Gpu, precision: str) -> DeviceChoice:
    if gpu.fault:
        raise SpanlightError(gpu.fault, "Choose the device auto or cpu.")
    if precision == "auto":
        return DeviceChoice(gpu.key, gpu.precisions[0], gpu.title)
    if precision not in gpu.precisions:
        raise SpanlightError(f"The GPU {gpu.title} does not compute in {precision}.", _HINT)
    return DeviceChoice(gpu.key, precision, f"{gpu.title}; {precision} chosen")


def _listed(number: int) -> Gpu:
    import torch

    hint = "Choose the device auto or cpu."
    if not torch.cuda.is_available():
        listed = [gpu for gpu in gpus() if gpu.key == f"cuda:{number}"]
        if listed:
            return listed[0]
        raise SpanlightError("No NVIDIA or AMD GPU that PyTorch can use was found.", hint)
    if number >= torch.cuda.device_count():
        raise SpanlightError(
            f"There is no GPU number {number}.", f"They are numbered 0 to {torch.cuda.device_count() - 1}."
        )
    return cuda(number)


def _apple() -> Gpu:
    found = [gpu for gpu in gpus() if gpu.key == "mps"]
    if not found:
        raise SpanlightError("No Apple GPU that PyTorch can use was found.", "Choose the device auto or cpu.")
    return apple()
