"""Recognizes device failures (out of memory, a lost GPU) in exceptions, and puts them into words for the user."""

from __future__ import annotations

from app.core.errors import DeviceLost, SpanlightError
from app.core.message import Message

# Messages of the allocators of PyTorch, the drivers and the C++ library; the last two are oneDNN's, which reports
# nothing more when it has no memory for its code or scratch space, even after products of the same kind succeeded.
_NO_ROOM = (
    "out of memory",
    "can't allocate memory",
    "cannot allocate memory",
    "not enough memory",
    "failed to allocate",
    "alloc_failed",
    "bad_alloc",
    "bad allocation",
    "could not create a primitive",
    "could not create a memory",
)
# After these the process has lost the device: every later call fails or returns garbage.
_LOST = (
    "device-side assert",
    "unspecified launch failure",
    "illegal memory access",
    "illegal instruction was encountered",
    "misaligned address",
    "uncorrectable",
    "the launch timed out",
    "device lost",
    "gpu is lost",
    "hardware stack error",
    "cudnn_status_execution_failed",
    "cublas_status_execution_failed",
    "cublas_status_internal_error",
    "device is busy or unavailable",
    "hiperrorlaunchfailure",
    "cudaerrorlaunchfailure",
)
_RAN_OUT = {
    "cpu": Message("This computer's memory ran out"),
    "mps": Message("The Apple GPU's memory ran out"),
}


class OutOfMemory(SpanlightError):
    """A device ran out of memory.

    `device` is that device, `cpu` for the computer's own memory; `length` is the number of tokens of the single input
    that did not fit, 0 if unknown.
    """

    def __init__(self, message: str, hint: str = "", device: str = "cpu", length: int = 0) -> None:
        super().__init__(message, hint)
        self.device = device
        self.length = length


def is_out_of_memory(error: BaseException) -> bool:
    """Whether an exception means that the device or the computer ran out of memory."""
    import torch

    text = str(error).lower()
    return isinstance(error, (MemoryError, torch.OutOfMemoryError)) or any(word in text for word in _NO_ROOM)


def exhausted_device(error: BaseException) -> str:
    """The device whose memory an out-of-memory exception is about: `cuda` or `mps`, else `cpu`."""
    import torch

    text = str(error).lower()
    names = ("cuda", "cublas", "cudnn", "hip out of memory")
    if isinstance(error, torch.OutOfMemoryError) or any(name in text for name in names):
        return "cuda"
    return "mps" if "mps" in text else "cpu"


def out_of_memory(device: str, length: int = 0) -> OutOfMemory:
    """The error shown when memory ran out, with the next step."""
    if device == "cpu":
        return OutOfMemory(
            Message("This computer has too little free memory for the model."),
            Message("Close other programs and try again."),
            device,
            length,
        )
    return OutOfMemory(
        Message("The GPU has too little free memory for the model."),
        Message("Choose the device cpu, or close what uses the GPU."),
        device,
        length,
    )


def ran_out(device: str) -> str:
    """The beginning of a sentence: whose memory ran out."""
    return _RAN_OUT.get(device.split(":")[0], Message("The GPU's memory ran out"))


def is_device_lost(error: BaseException) -> bool:
    """Whether an exception means that a GPU broke down: the process that used it cannot use it any more."""
    text = str(error).lower()
    return any(word in text for word in _LOST)


def device_lost(error: BaseException) -> DeviceLost:
    """The error shown when a GPU broke down."""
    text = (str(error).strip().splitlines() or [type(error).__name__])[0][:200].rstrip(".")
    return DeviceLost(
        Message("The GPU broke down: {text}.", text=text),
        Message("Choose the device cpu, or renew the GPU's driver."),
    )


def short_reason(fault: SpanlightError) -> str:
    """Why a GPU is not used any more, as a part of a sentence."""
    if isinstance(fault, OutOfMemory):
        return Message("the GPU has too little free memory for the model")
    values = fault.message.values if isinstance(fault.message, Message) else {}
    if "text" in values:
        return Message("the GPU broke down: {text}", text=values["text"])
    return Message("the GPU broke down")
