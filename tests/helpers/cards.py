"""Checkpoint folders spoilt on purpose, and what is said of them."""

from __future__ import annotations

import json
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from app.core.errors import SpanlightError
from app.core.models import Head
from app.models.disk.card import read_card

QA, CLASSIFY = Head.QUESTION_ANSWERING, Head.CLASSIFICATION
Edit = Callable[[Path], object]


def config(folder: Path, drop: tuple[str, ...] = (), **values: Any) -> None:
    path = folder / "config.json"
    kept = {key: value for key, value in json.loads(path.read_text()).items() if key not in drop}
    path.write_text(json.dumps(kept | values))


def refusal(folder: Path) -> str:
    """The message of a refusal, which must be one sentence with a hint."""
    with pytest.raises(SpanlightError) as caught:
        read_card(folder)
    fault = caught.value
    assert fault.hint
    assert "\n" not in fault.message
    assert fault.message.endswith(".")
    assert fault.hint.endswith(".")
    return fault.message


def header_of(path: Path) -> tuple[dict[str, Any], bytes]:
    content = path.read_bytes()
    length = struct.unpack("<Q", content[:8])[0]
    return json.loads(content[8 : 8 + length]), content[8 + length :]


def write_header(path: Path, header: object, data: bytes, length: int | None = None) -> None:
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text) if length is None else length) + text + data)


def rewrite(folder: Path, change: Callable[[dict[str, Any]], object]) -> None:
    """Change the header of a folder's weights, leaving the bytes."""
    path = folder / "model.safetensors"
    header, data = header_of(path)
    change(header)
    write_header(path, header, data)
