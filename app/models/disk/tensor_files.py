"""The tensors of a checkpoint's files, each read when it is needed."""

from __future__ import annotations

from contextlib import ExitStack
from typing import Any

from app.core.errors import SpanlightError
from app.core.message import Message
from app.models.disk.card import Checkpoint


def tensors(checkpoint: Checkpoint, opened: ExitStack) -> dict[str, Any]:
    """Every tensor of the checkpoint's files by name, as a slice to be read; the files stay open in `opened`.

    Raises SpanlightError if the files have changed since their headers were read.
    """
    from safetensors import safe_open

    found: dict[str, Any] = {}
    for file in checkpoint.weights.files:
        # A memory-mapped file would count as used memory, in addition to what is copied from it.
        content = opened.enter_context(safe_open(str(file), framework="pt", device="cpu", backend="pread"))
        found |= {name: content.get_slice(name) for name in content.keys()}  # noqa: SIM118 it is no dictionary
    info = {name: (tensor.get_dtype(), tuple(tensor.get_shape())) for name, tensor in found.items()}
    if info != {name: (tensor.dtype, tensor.shape) for name, tensor in checkpoint.weights.tensors.items()}:
        raise SpanlightError(
            Message("The weights of {name} were changed while they were loaded.", name=checkpoint.name),
            Message("Try again."),
        )
    return found
