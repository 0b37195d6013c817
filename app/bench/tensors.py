"""Weights written as safetensors: a table of names and places in JSON, and behind it the numbers."""

from __future__ import annotations

import json
import struct
from collections.abc import Callable, Iterable, Mapping
from math import prod
from pathlib import Path
from typing import Any

_FLOAT32 = 4  # bytes


def write_tensors(
    path: Path, shapes: Mapping[str, list[int]], content: Callable[[str], Iterable[bytes]]
) -> None:
    """Writes float32 tensors of these shapes; `content` gives a tensor's bytes by its name. Raises OSError."""
    header: dict[str, Any] = {"__metadata__": {"format": "pt"}}
    at = 0
    for name, shape in shapes.items():
        end = at + _FLOAT32 * prod(shape)
        header[name] = {"dtype": "F32", "shape": shape, "data_offsets": [at, end]}
        at = end
    told = json.dumps(header).encode()
    told += b" " * (-len(told) % 8)
    with path.open("wb") as file:
        file.write(struct.pack("<Q", len(told)) + told)
        for name in shapes:
            file.writelines(content(name))
