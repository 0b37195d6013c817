"""The header of a safetensors file, or of a sharded set, read and checked without loading a weight.

Format: eight bytes of header length (little endian), a JSON object of name to dtype, shape and byte
offsets, then the bytes, without gaps.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any, TypeGuard

from app.core.errors import SpanlightError

SINGLE = "model.safetensors"
INDEX = "model.safetensors.index.json"
LONGEST_HEADER = 16 * 2**20
LONGEST_JSON = 64 * 2**20
DAMAGED = "Fetch or copy the file again: it is damaged or incomplete."

BYTES = {
    "F64": 8, "F32": 4, "F16": 2, "BF16": 2, "I64": 8, "I32": 4, "I16": 2, "I8": 1, "U64": 8, "U32": 4,
    "U16": 2, "U8": 1, "BOOL": 1, "F8_E4M3": 1, "F8_E5M2": 1,
}  # fmt: skip
FLOATS = {"F64": "float64", "F32": "float32", "F16": "float16", "BF16": "bfloat16"}


@dataclass(frozen=True, slots=True)
class Tensor:
    """What a header says of one tensor; `dtype` in the format's own names (F32, BF16, I64 ...)."""

    dtype: str
    shape: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Weights:
    """All tensors of a checkpoint, and the files they stand in."""

    tensors: Mapping[str, Tensor]
    files: tuple[Path, ...]

    @property
    def parameters(self) -> int:
        """Number of floating-point weights."""
        return sum(prod(t.shape) for t in self.tensors.values() if t.dtype in FLOATS)

    @property
    def dtype(self) -> str:
        """The dtype that most weights are stored in, in torch's names."""
        counts: Counter[str] = Counter()
        for tensor in self.tensors.values():
            counts[tensor.dtype] += prod(tensor.shape)
        floats = [dtype for dtype, _ in counts.most_common() if dtype in FLOATS]
        return FLOATS[floats[0]] if floats else "float32"

    def shape(self, name: str) -> tuple[int, ...] | None:
        """The shape of a floating-point tensor, or None where there is none of that name."""
        tensor = self.tensors.get(name)
        return tensor.shape if tensor and tensor.dtype in FLOATS else None


def read_weights(folder: Path) -> Weights:
    """The tensors that a checkpoint folder holds, from model.safetensors or the shards its index names.

    Raises SpanlightError where there is no safetensors file, or one is not whole and well formed.
    """
    if (folder / SINGLE).is_file():
        return Weights(read_header(folder / SINGLE), (folder / SINGLE,))
    if (folder / INDEX).is_file():
        return _sharded(folder)
    pickles = sorted(f.name for f in folder.glob("*") if f.suffix in (".bin", ".pt", ".pth", ".ckpt", ".h5"))
    if pickles:
        raise SpanlightError(
            f"{folder.name} holds its weights only as {pickles[0]}, a format that can carry programs.",
            "Convert it to model.safetensors, or fetch the safetensors version of this model.",
        )
    raise SpanlightError(
        f"{folder.name} has no model.safetensors.",
        "A model folder needs config.json, model.safetensors, tokenizer.json.",
    )


def _sharded(folder: Path) -> Weights:
    index = read_json(folder / INDEX)
    names = index.get("weight_map")
    if not isinstance(names, dict) or not names:
        raise SpanlightError(f"{INDEX} of {folder.name} names no weights.", DAMAGED)
    tensors: dict[str, Tensor] = {}
    files = []
    for shard in sorted({str(shard) for shard in names.values()}):
        if Path(shard).name != shard or "\\" in shard or not shard.endswith(".safetensors"):
            raise SpanlightError(
                f"{INDEX} of {folder.name} names a file outside the folder.",
                "Do not use this model: it is malformed.",
            )
        if not (folder / shard).is_file():
            raise SpanlightError(f"{folder.name} lacks its part {shard}.", "Fetch or copy the missing file.")
        files.append(folder / shard)
        tensors |= read_header(folder / shard)
    missing = next((name for name in names if name not in tensors), None)
    if missing is not None:
        raise SpanlightError(
            f"{folder.name} lacks the weights {_short(missing)} that its index names.", DAMAGED
        )
    return Weights(tensors, tuple(files))


def read_header(path: Path) -> dict[str, Tensor]:
    """The tensors of one safetensors file; the header is checked against the file's size.

    Raises SpanlightError where the file is truncated or malformed, or cannot be read.
    """
    try:
        size = path.stat().st_size
        with path.open("rb") as file:
            length = int.from_bytes(file.read(8), "little")
            if size < 10 or length + 8 > size:
                raise SpanlightError(f"{path.name} ends before its own header does.", DAMAGED)
            if length > LONGEST_HEADER:
                raise SpanlightError(
                    f"{path.name} has a header of {length:,} bytes, which no model needs.", DAMAGED
                )
            header = parse_object(file.read(length), path.name, repeats=False)
    except OSError as error:
        raise SpanlightError(
            f"{path.name} cannot be read: {error.strerror or error}.", "Check the file."
        ) from error
    tensors: dict[str, Tensor] = {}
    places: list[tuple[int, int]] = []
    for name, entry in header.items():
        if name == "__metadata__":
            continue
        tensor, place = _entry(entry)
        if tensor is None:
            raise SpanlightError(f"{path.name} describes {_short(name)} wrongly.", DAMAGED)
        tensors[name] = tensor
        places.append(place)
    _check_places(places, size - 8 - length, path)
    return tensors


def _entry(entry: object) -> tuple[Tensor | None, tuple[int, int]]:
    """A header's entry, or None where its dtype, shape and bytes do not agree."""
    wrong = (None, (0, 0))
    if not isinstance(entry, dict):
        return wrong
    dtype, shape, offsets = entry.get("dtype"), entry.get("shape"), entry.get("data_offsets")
    if not isinstance(dtype, str) or dtype not in BYTES or not _counts(shape) or not _counts(offsets):
        return wrong
    if len(shape) > 8 or len(offsets) != 2 or offsets[1] - offsets[0] != prod(shape) * BYTES[dtype]:
        return wrong
    return Tensor(dtype, tuple(shape)), (offsets[0], offsets[1])


def _counts(values: Any) -> TypeGuard[list[int]]:
    """Whether a value is a list of whole numbers from 0, none beyond 64 bits."""
    return isinstance(values, list) and all(type(value) is int and 0 <= value < 2**63 for value in values)


def _check_places(places: Iterable[tuple[int, int]], size: int, path: Path) -> None:
    end = 0
    for first, last in sorted(places):
        if first != end:
            raise SpanlightError(f"{path.name} has weights that overlap or leave gaps.", DAMAGED)
        end = last
    if end > size:
        raise SpanlightError(f"{path.name} is cut off: {end - size:,} bytes are missing.", DAMAGED)
    if end < size:
        raise SpanlightError(f"{path.name} has bytes that belong to no weight.", DAMAGED)


def read_json(path: Path) -> dict[str, Any]:
    """The JSON object in a file. Raises SpanlightError where it is not one, or is too large."""
    try:
        if path.stat().st_size > LONGEST_JSON:
            raise SpanlightError(f"{path.name} is larger than any model's.", DAMAGED)
        return parse_object(path.read_bytes(), path.name)
    except OSError as error:
        raise SpanlightError(
            f"{path.name} cannot be read: {error.strerror or error}.", "Check the file."
        ) from error


def parse_object(text: bytes, name: str, *, repeats: bool = True) -> dict[str, Any]:
    """The JSON object that `text` is; `name` is what a message calls it. `repeats` lets a key stand twice.

    Raises SpanlightError where it is not a JSON object.
    """
    try:
        found = json.loads(text, object_pairs_hook=None if repeats else _no_repeats)
    except (ValueError, RecursionError) as error:
        raise SpanlightError(f"{name} is not well-formed JSON.", DAMAGED) from error
    if not isinstance(found, dict):
        raise SpanlightError(f"{name} is not a JSON object.", DAMAGED)
    return found


def _no_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a name stands twice")
    return found


def _short(name: str) -> str:
    return ascii(name[:80])[1:-1]
