"""The starter made twice as wide: a model of DistilBERT's size that gives the starter's own answers."""

from __future__ import annotations

import json
import shutil
import struct
from collections.abc import Iterator
from math import sqrt
from pathlib import Path
from typing import IO, Any

from app.bench.tensors import write_tensors

_CODES = {"F16": "e", "F32": "f"}
# Behind these stands what reads the hidden states, or the neurons; all other matrices are looked up.
_LINEARS = ("query", "key", "value", "dense", "qa_outputs")


def write_widened(folder: Path, starter: Path) -> None:
    """Writes into `folder` the model of `starter`, a BERT for question answering, at twice its width.

    Every hidden state stands in it twice, and every head's, neuron's and LayerNorm's channel beside its twin; what
    reads two of a kind gives half to each, and queries are scaled for heads twice as wide. So it computes what the
    starter does (as in Net2Net, Chen et al. 2016), at the cost of a model of that width. Raises OSError.
    """
    for name in ("tokenizer.json", "tokenizer_config.json"):
        shutil.copyfile(starter / name, folder / name)
    config: dict[str, Any] = json.loads((starter / "config.json").read_text("utf-8"))
    heads = int(config["num_attention_heads"])
    config |= {
        "dtype": "float32",
        "hidden_size": 2 * config["hidden_size"],
        "intermediate_size": 2 * config["intermediate_size"],
    }
    (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
    with (starter / "model.safetensors").open("rb") as file:
        (length,) = struct.unpack("<Q", file.read(8))
        header = json.loads(file.read(length))
        header.pop("__metadata__", None)
        shapes = {name: _twice(name, told["shape"]) for name, told in header.items()}

        def content(name: str) -> Iterator[bytes]:
            file.seek(8 + length + header[name]["data_offsets"][0])
            yield from _widened(name, header[name], file, heads)

        write_tensors(folder / "model.safetensors", shapes, content)


def _twice(name: str, shape: list[int]) -> list[int]:
    if name.startswith("qa_outputs"):
        return [shape[0], *(2 * size for size in shape[1:])]
    if "embeddings." in name and len(shape) == 2:
        return [shape[0], 2 * shape[1]]
    return [2 * size for size in shape]


def _widened(name: str, told: dict[str, Any], file: IO[bytes], heads: int) -> Iterator[bytes]:
    """The bytes of one tensor at twice its width, float32; a file that stands at its beginning."""
    shape, code = told["shape"], _CODES[told["dtype"]]
    width = shape[-1]
    matrix = len(shape) == 2 and name.split(".")[-2] in _LINEARS
    scale = (sqrt(0.5) if ".query." in name else 1.0) * (0.5 if matrix else 1.0)
    # What goes in and out of attention keeps its heads together.
    parts_in = heads if matrix and "attention.output" in name else 1
    parts_out = heads if "attention.self" in name else 1

    def row() -> bytes:
        values = struct.unpack(f"<{width}{code}", file.read(width * struct.calcsize(code)))
        return struct.pack(f"<{width}f", *(value * scale for value in values))

    if len(shape) == 1:
        yield row() if name.startswith("qa_outputs") else _doubled(row(), parts_out)
    elif not matrix or name.startswith("qa_outputs"):
        yield from (_doubled(row()) for _ in range(shape[0]))
    else:
        yield _doubled(b"".join(_doubled(row(), parts_in) for _ in range(shape[0])), parts_out)


def _doubled(data: bytes, parts: int = 1) -> bytes:
    """Each of so many equal parts twice, one behind the other."""
    size = len(data) // parts
    return b"".join(2 * data[at : at + size] for at in range(0, len(data), size))
