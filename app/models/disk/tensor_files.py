"""The tensors of a checkpoint's files, each read when it is needed."""

from __future__ import annotations

from contextlib import ExitStack
from typing import Any

from app.core.errors import SpanlightError
from app.models.disk.card import Checkpoint


def tensors(checkpoint: Checkpoint, opened: ExitStack) -> dict[str, Any]:
    """Every tensor of the checkpoint's files by name, as a slice to be read; the files stay open in `opened`.

    Raises SpanlightError where the files are not those that were read before.
    """
    from safetensors import safe_open

    found: dict[str, Any] = {}
    for file in checkpoint.weights.files:
        # A file mapped into memory is counted as used, beside what is copied from it.
        content = opened.enter_context(safe_open(str(file), framework="pt", device="cpu", backend="pread"))
        found |= {name: content.get_slice(name) for name in content.keys()}  # noqa: SIM118 it is no dictionary
    told = {name: (tensor.get_dtype(), tuple(tensor.get_shape())) for name, tensor in found.items()}
    if told != {name: (tensor.dtype, tensor.shape) for name, tensor in checkpoint.weights.tensors.items()}:
        raise SpanlightError(
            f"The weights of {checkpoint.name} were changed while they were loaded.", "Try again."
        )
    return found
