"""Writes models of ordinary sizes, to measure the speed of models that are not installed."""

from __future__ import annotations

import json
import random
import shutil
import struct
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from math import prod, sqrt
from pathlib import Path
from typing import IO, Any

from app.core.errors import SpanlightError
from app.settings.paths import Paths

# (width, layers, heads, width within the feed-forward layers): BERT's, Devlin et al. 2019, section 3.
_RANDOM = {"small": (384, 6, 12, 1536), "base": (768, 12, 12, 3072), "large": (1024, 24, 16, 4096)}
# DistilBERT's size (Sanh et al. 2019): half of BERT base's layers, at its width. The starter can be widened to it.
WIDENED = "distilbert"
SIZES = (*_RANDOM, WIDENED)
_STARTER = "reader-quick"
_SPREAD = 0.02  # BERT's initializer_range
_DRAWN = 1 << 18  # random numbers, repeated as often as needed
_CODES = {"F16": "e", "F32": "f"}
# Names of the matrices that read the hidden states, or the neurons; all others are lookup tables.
_LINEARS = ("query", "key", "value", "dense", "qa_outputs")
_FLOAT32 = 4  # bytes


def write_tensors(
    path: Path, shapes: Mapping[str, list[int]], content: Callable[[str], Iterable[bytes]]
) -> None:
    """Write float32 tensors of these shapes; `content` returns a tensor's bytes by its name. Raises OSError."""
    header: dict[str, Any] = {"__metadata__": {"format": "pt"}}
    at = 0
    for name, shape in shapes.items():
        end = at + _FLOAT32 * prod(shape)
        header[name] = {"dtype": "F32", "shape": shape, "data_offsets": [at, end]}
        at = end
    encoded = json.dumps(header).encode()
    encoded += b" " * (-len(encoded) % 8)
    with path.open("wb") as file:
        file.write(struct.pack("<Q", len(encoded)) + encoded)
        for name in shapes:
            file.writelines(content(name))


def write_widened(folder: Path, starter: Path) -> None:
    """Write to `folder` the model of `starter`, a BERT for question answering, at twice its width.

    Every hidden state is in it twice, and every head's, neuron's and LayerNorm's channel next to its copy; weights on
    two copies are halved, and queries are scaled for heads twice as wide. So it computes the same as the starter (as in
    Net2Net, Chen et al. 2016), at the cost of a model of that width. Raises OSError.
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
        shapes = {name: _twice(name, entry["shape"]) for name, entry in header.items()}

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


def _widened(name: str, entry: dict[str, Any], file: IO[bytes], heads: int) -> Iterator[bytes]:
    """Yield the bytes of a tensor at twice its width, float32; `file` is positioned at the tensor's beginning."""
    shape, code = entry["shape"], _CODES[entry["dtype"]]
    width = shape[-1]
    matrix = len(shape) == 2 and name.split(".")[-2] in _LINEARS
    scale = (sqrt(0.5) if ".query." in name else 1.0) * (0.5 if matrix else 1.0)
    # The inputs and outputs of attention keep each head together.
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
    """Repeat each of `parts` equal parts of the data."""
    size = len(data) // parts
    return b"".join(2 * data[at : at + size] for at in range(0, len(data), size))


@contextmanager
def sized_model(size: str, paths: Paths) -> Iterator[str]:
    """Write a question answering model of that size to a temporary folder, and yield it; "" for an empty `size`.

    A model of DistilBERT's size gives the starter's answers. The others have random weights: they take the time of any
    such model, but their answers are meaningless. Raises SpanlightError if the disk is full.
    """
    if not size:
        yield ""
        return
    with tempfile.TemporaryDirectory(prefix="spanlight-bench-") as parent:
        folder = Path(parent) / (f"reader-quick-as-{size}" if size == WIDENED else f"random-{size}")
        try:
            folder.mkdir()
            starter = paths.starter_models / _STARTER
            if size == WIDENED:
                write_widened(folder, starter)
            else:
                _write_random(folder, starter, size)
        except OSError as error:
            raise SpanlightError(
                f"The model to measure could not be written: {error.strerror or error}.",
                "Make room on the disk.",
            ) from error
        yield str(folder)


def _write_random(folder: Path, starter: Path, size: str) -> None:
    width, layers, heads, inner = _RANDOM[size]
    for name in ("tokenizer.json", "tokenizer_config.json"):
        shutil.copyfile(starter / name, folder / name)
    config: dict[str, Any] = json.loads((starter / "config.json").read_text("utf-8"))
    config |= {
        "dtype": "float32",
        "hidden_size": width,
        "num_hidden_layers": layers,
        "num_attention_heads": heads,
        "intermediate_size": inner,
    }
    (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
    rng = random.Random(size)
    drawn = struct.pack(f"<{_DRAWN}f", *(rng.gauss(0.0, _SPREAD) for _ in range(_DRAWN)))
    shapes = dict(_shapes(config))
    write_tensors(
        folder / "model.safetensors", shapes, lambda name: _content(name, prod(shapes[name]), drawn)
    )


def _content(name: str, count: int, drawn: bytes) -> Iterator[bytes]:
    if name.endswith("bias") or "LayerNorm" in name:
        yield struct.pack("<f", float(name.endswith("LayerNorm.weight"))) * count
        return
    for at in range(0, 4 * count, len(drawn)):
        yield drawn[: 4 * count - at]


def _shapes(config: dict[str, Any]) -> Iterator[tuple[str, list[int]]]:
    """Yield the name in transformers and the shape of every weight of a BERT for question answering."""
    width, inner = config["hidden_size"], config["intermediate_size"]
    for kind, count in (
        ("word", config["vocab_size"]),
        ("position", config["max_position_embeddings"]),
        ("token_type", config["type_vocab_size"]),
    ):
        yield f"bert.embeddings.{kind}_embeddings.weight", [count, width]
    yield from _both("bert.embeddings.LayerNorm", [width])
    for number in range(config["num_hidden_layers"]):
        layer = f"bert.encoder.layer.{number}."
        for part in ("query", "key", "value"):
            yield from _both(f"{layer}attention.self.{part}", [width, width])
        yield from _both(f"{layer}attention.output.dense", [width, width])
        yield from _both(f"{layer}attention.output.LayerNorm", [width])
        yield from _both(f"{layer}intermediate.dense", [inner, width])
        yield from _both(f"{layer}output.dense", [width, inner])
        yield from _both(f"{layer}output.LayerNorm", [width])
    yield from _both("qa_outputs", [2, width])


def _both(name: str, shape: list[int]) -> Iterator[tuple[str, list[int]]]:
    yield f"{name}.weight", shape
    yield f"{name}.bias", shape[:1]
