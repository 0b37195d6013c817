"""Reads and checks the headers of safetensors files, single or sharded, without loading weights; and reads JSON files.

Format: eight bytes of header length (little endian), a JSON object of name to dtype, shape and byte offsets, then the
bytes, without gaps.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from math import prod
from pathlib import Path
from typing import Any, TypeGuard

from app.core import wording
from app.core.atomic import replacing
from app.core.errors import SpanlightError
from app.core.message import Message
from app.core.plain import json_of

SINGLE = "model.safetensors"
INDEX = "model.safetensors.index.json"
LONGEST_HEADER = 16 * 2**20
LONGEST_JSON = 64 * 2**20
MOST_SHARDS = 100
# Values in a JSON file: XLM-V's tokenizer, with a vocabulary of 900,000, has half as many.
MOST_VALUES = 5_000_000
# Ten times the largest model of these families (DeBERTa-v2 xxlarge in half precision).
MOST_BYTES = 32 * 10**9
DAMAGED = Message("Fetch or copy the file again: it is damaged or incomplete.")

BYTES = {
    "F64": 8, "F32": 4, "F16": 2, "BF16": 2, "I64": 8, "I32": 4, "I16": 2, "I8": 1, "U64": 8, "U32": 4,
    "U16": 2, "U8": 1, "BOOL": 1, "F8_E4M3": 1, "F8_E5M2": 1, "F8_E8M0": 1,
}  # fmt: skip
# File endings of weights in formats that can carry programs.
PICKLES = (".bin", ".pt", ".pth", ".ckpt", ".h5", ".msgpack", ".pkl")
SHARD = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,120}\.safetensors", re.ASCII)
FLOATS = {"F64": "float64", "F32": "float32", "F16": "float16", "BF16": "bfloat16"}


@dataclass(frozen=True, slots=True)
class Tensor:
    """A tensor's entry in a header; `dtype` is one of the format's names (F32, BF16, I64 ...)."""

    dtype: str
    shape: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Weights:
    """All tensors of a checkpoint, and the files that hold them."""

    tensors: Mapping[str, Tensor]
    files: tuple[Path, ...] = ()

    @property
    def parameters(self) -> int:
        """The number of floating-point weights."""
        return sum(prod(t.shape) for t in self.tensors.values() if t.dtype in FLOATS)

    @property
    def bytes(self) -> int:
        """The bytes of all tensors."""
        return sum(prod(t.shape) * BYTES[t.dtype] for t in self.tensors.values())

    @property
    def dtype(self) -> str:
        """The dtype that most weights are stored in, by torch's name."""
        counts: Counter[str] = Counter()
        for tensor in self.tensors.values():
            counts[tensor.dtype] += prod(tensor.shape)
        floats = [dtype for dtype, _ in counts.most_common() if dtype in FLOATS]
        return FLOATS[floats[0]] if floats else "float32"

    def shape(self, name: str) -> tuple[int, ...] | None:
        """The shape of a floating-point tensor, or None if there is none of that name."""
        tensor = self.tensors.get(name)
        return tensor.shape if tensor and tensor.dtype in FLOATS else None


def read_weights(folder: Path, name: str = "") -> Weights:
    """The tensors of a checkpoint folder, from model.safetensors or the shards that its index names.

    `name` is the model's name in messages, the folder's if empty. Raises SpanlightError if there is no safetensors
    file, or one is incomplete or malformed.
    """
    name = name or folder.name
    if (folder / SINGLE).is_file():
        return _sized(Weights(read_header(folder / SINGLE), (folder / SINGLE,)), name)
    if (folder / INDEX).is_file():
        shards = shard_names(read_file(folder / INDEX), name)
        missing_shard = next((shard for shard in shards if not (folder / shard).is_file()), None)
        if missing_shard is not None:
            raise SpanlightError(
                Message("{name} lacks its part {part}.", name=name, part=missing_shard),
                Message("Fetch or copy the missing file."),
            )
        headers = {shard: read_header(folder / shard) for shard in shards}
        return replace(merge_shards(shards, headers, name), files=tuple(folder / shard for shard in shards))
    pickles = sorted(f.name for f in folder.glob("*") if f.suffix in PICKLES)
    if pickles:
        raise SpanlightError(
            Message(
                "{name} holds its weights only as {file}, a format that can carry programs.",
                name=name,
                file=_printable(pickles[0]),
            ),
            Message("Convert it to model.safetensors, or fetch the safetensors version of this model."),
        )
    raise SpanlightError(
        Message("{name} has no model.safetensors.", name=name),
        Message("A model folder needs config.json, model.safetensors, tokenizer.json."),
    )


def shard_names(index: bytes, name: str) -> dict[str, tuple[str, ...]]:
    """The names of the weights in each shard, by the content of model.safetensors.index.json; `name` is the model's.

    Raises SpanlightError if it is malformed, or names anything but safetensors files in its folder.
    """
    names = parse_object(index, INDEX).get("weight_map")
    if not isinstance(names, dict) or not names:
        raise SpanlightError(
            Message("model.safetensors.index.json of {name} names no weights.", name=name), DAMAGED
        )
    shards: dict[str, list[str]] = {}
    for weight, shard in names.items():
        if not isinstance(shard, str) or not SHARD.fullmatch(shard):
            raise SpanlightError(
                Message("model.safetensors.index.json of {name} names a file outside the folder.", name=name),
                Message("Do not use this model: it is malformed."),
            )
        shards.setdefault(shard, []).append(weight)
    if len(shards) > MOST_SHARDS:
        raise SpanlightError(
            Message(
                "model.safetensors.index.json of {name} names {n:,} parts, which no model needs.",
                name=name,
                n=len(shards),
            ),
            DAMAGED,
        )
    return {shard: tuple(shards[shard]) for shard in sorted(shards)}


def merge_shards(
    shards: Mapping[str, Sequence[str]], headers: Mapping[str, Mapping[str, Tensor]], name: str
) -> Weights:
    """The tensors of all shards: `shards` from `shard_names`, `headers` by the shard's file name.

    Raises SpanlightError if a shard lacks weights that the index lists for it, or two hold the same weights.
    """
    tensors: dict[str, Tensor] = {}
    for shard, weights in shards.items():
        missing = next((weight for weight in weights if weight not in headers[shard]), None)
        if missing is not None:
            raise SpanlightError(
                Message(
                    "{name} lacks the weights {weights} that its index names.",
                    name=name,
                    weights=_printable(missing),
                ),
                DAMAGED,
            )
        twice = next((weight for weight in headers[shard] if weight in tensors), None)
        if twice is not None:
            raise SpanlightError(
                Message("{name} holds the weights {weights} twice.", name=name, weights=_printable(twice)),
                DAMAGED,
            )
        tensors |= headers[shard]
    return _sized(Weights(tensors), name)


def _sized(weights: Weights, name: str) -> Weights:
    if weights.bytes > MOST_BYTES:
        raise SpanlightError(
            Message(
                "{name} holds {size} of weights, more than Spanlight loads.",
                name=name,
                size=wording.size(weights.bytes),
            ),
            Message("Choose a model of at most {size}.", size=wording.size(MOST_BYTES)),
        )
    return weights


def read_header(path: Path) -> dict[str, Tensor]:
    """The tensors of one safetensors file; the header is checked against the file's size.

    Raises SpanlightError if the file is truncated, malformed or unreadable.
    """
    with reading(path.name):
        size = path.stat().st_size
        with path.open("rb") as file:
            start = file.read(8)
            start += file.read(header_length(start, size, path.name))
    return parse_header(start, size, path.name)


def header_length(start: bytes, size: int, file: str = SINGLE) -> int:
    """The length in bytes of the header after the first eight bytes of a safetensors file of `size` bytes.

    Raises SpanlightError if the file is too short for its header, or the header larger than any model's.
    """
    length = int.from_bytes(start[:8], "little")
    if len(start) < 8 or size < 10 or length + 8 > size:
        raise SpanlightError(Message("{file} ends before its own header does.", file=file), DAMAGED)
    if length > LONGEST_HEADER:
        raise SpanlightError(
            Message("{file} has a header of {n:,} bytes, which no model needs.", file=file, n=length),
            DAMAGED,
        )
    return length


def parse_header(start: bytes, size: int, file: str = SINGLE) -> dict[str, Tensor]:
    """The tensors of a safetensors file of `size` bytes; `start` holds its bytes at least to the end of its header.

    Raises SpanlightError if the header is malformed, or does not match the file's size.
    """
    length = header_length(start, size, file)
    if len(start) < 8 + length:
        raise SpanlightError(Message("{file} ends before its own header does.", file=file), DAMAGED)
    header = parse_object(start[8 : 8 + length], file)
    metadata = header.pop("__metadata__", {})
    if not isinstance(metadata, dict) or not all(isinstance(value, str) for value in metadata.values()):
        raise SpanlightError(Message("{file} has a header that is malformed.", file=file), DAMAGED)
    tensors: dict[str, Tensor] = {}
    offsets: list[tuple[int, int]] = []
    for name, entry in header.items():
        tensor, own_offsets = _entry(entry)
        if tensor is None:
            raise SpanlightError(
                Message("{file} describes {weights} wrongly.", file=file, weights=_printable(name)), DAMAGED
            )
        tensors[name] = tensor
        offsets.append(own_offsets)
    _check_offsets(offsets, size - 8 - length, file)
    return tensors


def _entry(entry: object) -> tuple[Tensor | None, tuple[int, int]]:
    """The tensor and the byte offsets of a header's entry; no tensor if dtype, shape and offsets do not agree."""
    wrong = (None, (0, 0))
    if not isinstance(entry, dict):
        return wrong
    dtype, shape, offsets = entry.get("dtype"), entry.get("shape"), entry.get("data_offsets")
    if not isinstance(dtype, str) or dtype not in BYTES or not _are_counts(shape) or not _are_counts(offsets):
        return wrong
    if len(shape) > 8 or len(offsets) != 2 or offsets[1] - offsets[0] != prod(shape) * BYTES[dtype]:
        return wrong
    return Tensor(dtype, tuple(shape)), (offsets[0], offsets[1])


def _are_counts(values: Any) -> TypeGuard[list[int]]:
    """Whether a value is a list of non-negative 64-bit integers."""
    return isinstance(values, list) and all(type(value) is int and 0 <= value < 2**63 for value in values)


def _check_offsets(offsets: Iterable[tuple[int, int]], size: int, file: str) -> None:
    end = 0
    for first, last in sorted(offsets):
        if first != end:
            raise SpanlightError(
                Message("{file} has weights that overlap or leave gaps.", file=file), DAMAGED
            )
        end = last
    if end > size:
        raise SpanlightError(
            Message(
                "{file} is cut off: {n:,} byte is missing.",
                "{file} is cut off: {n:,} bytes are missing.",
                file=file,
                n=end - size,
            ),
            DAMAGED,
        )
    if end < size:
        raise SpanlightError(Message("{file} has bytes that belong to no weight.", file=file), DAMAGED)


@contextmanager
def reading(name: str, hint: str = Message("Check the file.")) -> Iterator[None]:
    """Turn a disk error inside the context into a SpanlightError: that `name` cannot be read, and why."""
    try:
        yield
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise SpanlightError(
            Message("{name} cannot be read: {reason}.", name=name, reason=reason), hint
        ) from error


def write_json(path: Path, values: object, *, ensure_ascii: bool = True) -> None:
    """Write a file of JSON atomically. Raises OSError if it cannot be written."""
    with replacing(path, private=False) as part:
        part.write_text(json_of(values, indent=2, ensure_ascii=ensure_ascii) + "\n", encoding="utf-8")


def read_json(path: Path) -> dict[str, Any]:
    """The JSON object in a file. Raises SpanlightError if it is not one, or too large."""
    return parse_object(read_file(path), path.name)


def read_file(path: Path, most: int = LONGEST_JSON) -> bytes:
    """The content of a regular file of at most `most` bytes.

    Raises SpanlightError if it is not one, or cannot be read.
    """
    with reading(path.name):
        if not path.is_file():  # reading a pipe or a device would block
            raise SpanlightError(
                Message("{file} is not a file that can be read.", file=path.name),
                Message("Fetch or copy the file again."),
            )
        with path.open("rb") as file:
            content = file.read(most + 1)
    if len(content) > most:
        raise SpanlightError(Message("{file} is larger than any model's.", file=path.name), DAMAGED)
    return content


def parse_object(content: bytes, name: str) -> dict[str, Any]:
    """A file's content parsed as a JSON object in UTF-8; `name` is its name in messages.

    Raises SpanlightError if it is not one, or if another parser might read it differently: a key occurs twice, or a
    string holds half a surrogate pair.
    """
    if sum(map(content.count, (b",", b"[", b"{"))) > MOST_VALUES:  # some of them take 30 times their length
        raise SpanlightError(Message("{name} is larger than any model's.", name=name), DAMAGED)
    try:
        text = content.decode("utf-8-sig")
        found = json.loads(
            text,
            object_pairs_hook=_no_repeats,
            parse_constant=_no_constant,
            parse_int=_whole,
            parse_float=_real,
        )
        if "\\ud" in text or "\\uD" in text:
            json_of(found, ensure_ascii=False).encode("utf-8")
    except (ValueError, RecursionError) as error:
        raise SpanlightError(Message("{name} is not well-formed JSON.", name=name), DAMAGED) from error
    if not isinstance(found, dict):
        raise SpanlightError(Message("{name} is not a JSON object.", name=name), DAMAGED)
    return found


def _no_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a name stands twice")
    return found


# Python callbacks: without them a large vocabulary is parsed in one go, and no other thread (the window) gets a turn.


def _whole(digits: str) -> int:
    return int(digits)


def _real(number: str) -> float:
    return float(number)


def _no_constant(name: str) -> float:
    raise ValueError(f"{name} is no number of JSON")


def _printable(name: str) -> str:
    return ascii(name[:80])[1:-1]
