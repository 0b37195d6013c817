"""Attention weights as bytes for a picture, and in words."""

from __future__ import annotations

import math
import struct
import sys
from array import array
from functools import cache

from app.core.inside import Attention
from app.core.wording import percent

# The index of a float32's upper half among its two 16-bit halves.
_UPPER = 1 if sys.byteorder == "little" else 0


@cache
def _table() -> bytes:
    """The level of each upper half of a float32: 1 to 255 by the square root of a weight from 0 to 1."""
    values = (struct.unpack(">f", half.to_bytes(2) + b"\0\0")[0] for half in range(65536))
    return bytes(1 + round(254 * math.sqrt(min(1.0, value))) if value > 0 else 1 for value in values)


def levels(attention: Attention, head: int) -> bytes:
    """A byte for each weight of a head, in rows.

    The upper half of a float32 has a precision of 1 part in 128: more than a colour shows, and it is fast to read.
    """
    halves = array("H", _weights(attention, head).tobytes())[_UPPER::2]
    return bytes(map(_table().__getitem__, halves))


def habit(attention: Attention, head: int, labels: tuple[str, ...]) -> str:
    """Where a head attends most, on average over all tokens: "most at the token before, 71%"."""
    length = len(attention.window.tokens)
    weights = _weights(attention, head)
    if not length:
        return ""
    shares = {
        "the token itself": sum(weights[:: length + 1]) / length,
        "the token before": sum(weights[length :: length + 1]) / max(1, length - 1),
        "the token behind": sum(weights[1 : length * (length - 1) : length + 1]) / max(1, length - 1),
    }
    columns = [sum(weights[at::length]) / length for at in range(length)]
    best = max(range(length), key=columns.__getitem__)
    shares.setdefault(f"“{labels[best]}” (token {best + 1})", columns[best])
    what = max(shares, key=shares.__getitem__)
    return f"most at {what}, {percent(shares[what])} on average"


def strongest(row: tuple[float, ...], most: int) -> list[int]:
    """The indices of a row's largest weights, the largest first."""
    return sorted(range(len(row)), key=lambda at: -row[at])[:most]


def _weights(attention: Attention, head: int) -> array[float]:
    size = len(attention.window.tokens) ** 2
    return attention.weights[head * size : (head + 1) * size]
