"""Chooses the device and the dtype that a model runs in, with a reason for the user."""

from __future__ import annotations

from app.core.errors import SpanlightError
from app.core.message import Message
from app.core.models import PRECISIONS, DeviceChoice, DeviceOption, Devices
from app.models.compute import memory, processor
from app.models.compute.graphics import Gpu, apple, cuda, gpus

_PRECISION = Message("Choose another precision, or auto.")
_DEVICE = Message("Choose the device auto or cpu.")


def list_devices(avoid: str = "") -> Devices:
    """The CPU, every GPU, and what `auto` chooses; `avoid` is why no GPU may be used, empty where one may."""
    import torch

    found = [_gpu(gpu, avoid) for gpu in gpus()]
    return Devices((_cpu(), *found), cpu(avoid) if avoid else choose(), str(torch.__version__))


def _cpu() -> DeviceOption:
    total, free = memory.computer()
    cores, fast, native = processor.physical_cores(), processor.fast_bfloat16(), processor.bfloat16()
    details = Message("{n} core", "{n} cores", n=cores)
    if fast:
        details = Message(
            "{cores}; bfloat16 with {instructions} is fastest", cores=details, instructions=fast
        )
    elif native:
        details = Message(
            "{cores}; float32 is faster than bfloat16 with {instructions}", cores=details, instructions=native
        )
    return DeviceOption("cpu", processor.name(), True, details, total, free, cpu_precisions())


def _gpu(gpu: Gpu, avoid: str) -> DeviceOption:
    if gpu.usable and not avoid:
        how: DeviceChoice = choose(gpu.key)
        return DeviceOption(
            gpu.key,
            gpu.title,
            True,
            Message("fastest in {dtype}", dtype=how.dtype),
            *memory.gpu(gpu.key),
            gpu.precisions,
        )
    why = gpu.fault or Message("It is not used until Spanlight is started again: {reason}.", reason=avoid)
    return DeviceOption(gpu.key, gpu.title, False, why, precisions=gpu.precisions)


def choose(wanted: str = "auto", precision: str = "auto") -> DeviceChoice:
    """The device to compute on: `auto` chooses a GPU that works, else the CPU.

    `wanted` is auto, cpu, cuda, cuda:N or mps; `precision` one of core.models.PRECISIONS, where auto chooses the
    fastest. Raises SpanlightError if the device is missing, does not work, or does not compute in that precision.
    """
    if precision not in PRECISIONS:
        raise SpanlightError(
            Message("There is no precision called {precision!r}.", precision=precision[:40]),
            Message("Choose {precisions}.", precisions=", ".join(PRECISIONS)),
        )
    kind, _, number = wanted.strip().lower().partition(":")
    if kind == "auto" and not number:
        return _auto(precision)
    if kind == "cpu" and not number:
        return cpu(Message("chosen in the settings"), precision)
    if kind == "cuda" and (not number or number.isdecimal()):
        return _on(_cuda_gpu(int(number or 0)), precision)
    if kind == "mps" and number in ("", "0"):
        return _on(_apple_gpu(), precision)
    raise SpanlightError(
        Message("There is no device called {wanted!r}.", wanted=wanted[:40]),
        Message("Choose auto, cpu, cuda or mps."),
    )


def cpu(reason: str, precision: str = "auto") -> DeviceChoice:
    """The CPU, with a short `reason`, in its fastest dtype or the chosen precision.

    Raises SpanlightError if the processor has no instructions for that precision.
    """
    fast, native = processor.fast_bfloat16(), processor.bfloat16()
    if precision == "auto":
        if fast:
            why = Message("{reason}; bfloat16 with {instructions}", reason=reason, instructions=fast)
            return DeviceChoice("cpu", "bfloat16", why)
        if native:
            reason = Message(
                "{reason}; float32, faster here than bfloat16 with {instructions}",
                reason=reason,
                instructions=native,
            )
        return DeviceChoice("cpu", "float32", reason)
    if precision not in cpu_precisions():
        raise SpanlightError(
            Message("This processor has no instructions for {precision}.", precision=precision), _PRECISION
        )
    return DeviceChoice(
        "cpu", precision, Message("{reason}; {precision} chosen", reason=reason, precision=precision)
    )


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
            why = Message("the GPU {gpu} does not compute in {precision}", gpu=gpu.title, precision=precision)
        if not why:
            choice = _on(gpu, precision)
            reason = Message("{reason}, faster than the CPU", reason=choice.reason)
            if passed_over:
                reason = Message("{reason}; {other}", reason=reason, other=passed_over)
            return DeviceChoice(choice.device, choice.dtype, reason)
        passed_over = passed_over or Message("{gpu} is not used: {reason}", gpu=gpu.title, reason=why)
    return cpu(passed_over or Message("no GPU that PyTorch can use was found"), precision)


def _on(gpu: Gpu, precision: str) -> DeviceChoice:
    if gpu.fault:
        raise SpanlightError(
            Message("{gpu} cannot be used: {reason}.", gpu=gpu.title, reason=gpu.fault), _DEVICE
        )
    if precision == "auto":
        return DeviceChoice(gpu.key, gpu.precisions[0], gpu.title)
    if precision not in gpu.precisions:
        raise SpanlightError(
            Message("The GPU {gpu} does not compute in {precision}.", gpu=gpu.title, precision=precision),
            _PRECISION,
        )
    return DeviceChoice(
        gpu.key, precision, Message("{gpu}; {precision} chosen", gpu=gpu.title, precision=precision)
    )


def _cuda_gpu(number: int) -> Gpu:
    import torch

    if not torch.cuda.is_available():
        listed = [gpu for gpu in gpus() if gpu.key == f"cuda:{number}"]
        if listed:
            return listed[0]
        raise SpanlightError(Message("No NVIDIA or AMD GPU that PyTorch can use was found."), _DEVICE)
    if number >= torch.cuda.device_count():
        raise SpanlightError(
            Message("There is no GPU number {number}.", number=number),
            Message("They are numbered 0 to {last}.", last=torch.cuda.device_count() - 1),
        )
    return cuda(number)


def _apple_gpu() -> Gpu:
    found = [gpu for gpu in gpus() if gpu.key == "mps"]
    if not found:
        raise SpanlightError(Message("No Apple GPU that PyTorch can use was found."), _DEVICE)
    return apple()
