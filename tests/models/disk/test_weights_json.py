"""JSON of a checkpoint: read without keeping the window waiting."""

from __future__ import annotations

import json
import threading
import time
from typing import Any

import pytest

from app.core.errors import SpanlightError
from app.models.disk.weights import parse_object


def test_a_large_vocabulary_lets_other_threads_work_meanwhile() -> None:
    vocabulary = [[f"▁word{number}", -number / 1000] for number in range(200_000)]
    text = json.dumps({"model": {"vocab": vocabulary}}).encode()
    found: list[dict[str, Any]] = []
    turns = 0
    reading = threading.Thread(target=lambda: found.append(parse_object(text, "tokenizer.json")))
    reading.start()
    while reading.is_alive():
        time.sleep(0.001)
        turns += 1
    assert found[0]["model"]["vocab"][-1] == vocabulary[-1]
    assert turns > 4


def test_numbers_are_as_json_has_them() -> None:
    found = parse_object(b'{"a": -12, "b": 1.5e3, "c": [0, 18446744073709551616]}', "config.json")
    assert found == {"a": -12, "b": 1500.0, "c": [0, 2**64]}
    assert type(found["a"]) is int and type(found["b"]) is float
    with pytest.raises(SpanlightError, match="not well-formed"):
        parse_object(b'{"a": ' + b"9" * 5000 + b"}", "config.json")
