"""How a device says that it failed, and what a person is told: memory ran out, or a GPU broke down."""

from __future__ import annotations

from app.core.errors import DeviceLost, SpanlightError

# What allocators of PyTorch, of the drivers and of the C++ library say; the last two are oneDNN's, which tells nothing
# more where it has no room for its code or its scratch space, though products of this kind went before.
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
# After these the device's state is lost to the process: every later call fails, or gives anything.
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
_OWNERS = {"cpu": "This computer's", "mps": "The Apple GPU's"}


class OutOfMemory(SpanlightError):
    """The memory of a device did not suffice.

    `device` is the one whose it was, `cpu` for the computer's own; `length` counts the tokens of the input that did not
    fit by itself, 0 where that is not known.
    """

    def __init__(self, message: str, hint: str = "", device: str = "cpu", length: int = 0) -> None:
        super().__init__(message, hint)
        self.device = device
        self.length = length


def is_out_of_memory(error: BaseException) -> bool:
    """Whether an exception says that the memory of the device, or of the computer, did not suffice."""
    import torch

    said = str(error).lower()
    return isinstance(error, (MemoryError, torch.OutOfMemoryError)) or any(word in said for word in _NO_ROOM)


def exhausted_device(error: BaseException) -> str:
    """Whose memory an out-of-memory exception speaks of: `cuda` or `mps`, else `cpu`."""
    import torch

    said = str(error).lower()
    names = ("cuda", "cublas", "cudnn", "hip out of memory")
    if isinstance(error, torch.OutOfMemoryError) or any(name in said for name in names):
        return "cuda"
    return "mps" if "mps" in said else "cpu"


def out_of_memory(device: str, length: int = 0) -> OutOfMemory:
    """What a person is told when the memory did not suffice, with the next step."""
    if device == "cpu":
        return OutOfMemory(
            "This computer has too little free memory for the model.",
            "Close other programs and try again.",
            device,
            length,
        )
    return OutOfMemory(
        "The GPU has too little free memory for the model.",
        "Choose the device cpu, or close what uses the GPU.",
        device,
        length,
    )


def ran_out(device: str) -> str:
    """Whose memory ran out, as the beginning of a sentence."""
    owner = _OWNERS.get(device.split(":")[0], "The GPU's")
    return f"{owner} memory ran out"


def is_device_lost(error: BaseException) -> bool:
    """Whether an exception says that a GPU broke down: the process that used it cannot use it any more."""
    said = str(error).lower()
    return any(word in said for word in _LOST)


def device_lost(error: BaseException) -> DeviceLost:
    """What a person is told when a GPU broke down."""
    said = (str(error).strip().splitlines() or [type(error).__name__])[0][:200].rstrip(".")
    return DeviceLost(f"The GPU broke down: {said}.", "Choose the device cpu, or renew the GPU's driver.")


def in_passing(fault: SpanlightError) -> str:
    """A fault's sentence as a reason in a few words: no capital, no full stop."""
    said = fault.message.rstrip(".")
    return said[0].lower() + said[1:] if said.startswith(("The ", "No ", "This ", "It ")) else said
