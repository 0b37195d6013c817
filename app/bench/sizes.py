"""A model of an ordinary size, to measure the speed of one that is not installed."""

from __future__ import annotations

import json
import random
import shutil
import struct
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from math import prod
from pathlib import Path
from typing import Any

from app.bench.tensors import write_tensors
from app.bench.widened import write_widened
from app.core.errors import SpanlightError
from app.settings.paths import Paths

# (width, layers, heads, width within the feed-forward layers): BERT's, Devlin et al. 2019, section 3.
_RANDOM = {"small": (384, 6, 12, 1536), "base": (768, 12, 12, 3072), "large": (1024, 24, 16, 4096)}
# DistilBERT's (Sanh et al. 2019): half of BERT base's layers, of its width. The starter's weights can be brought to it.
WIDENED = "distilbert"
SIZES = (*_RANDOM, WIDENED)
_STARTER = "starter-qa"
_SPREAD = 0.02  # BERT's initializer_range
_DRAWN = 1 << 18  # numbers drawn by chance; they are repeated


@contextmanager
def sized_model(size: str, paths: Paths) -> Iterator[str]:
    """While this lasts, the folder of a question answering model of that size; an empty name for an empty `size`.

    One of DistilBERT's size gives the starter's answers. The others have weights drawn by chance: their time is that of
    any such model, their answers are nothing. Raises SpanlightError where the disk has no room.
    """
    if not size:
        yield ""
        return
    with tempfile.TemporaryDirectory(prefix="spanlight-bench-") as made:
        folder = Path(made) / (f"starter-qa-as-{size}" if size == WIDENED else f"random-{size}")
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
    dice = random.Random(size)
    drawn = struct.pack(f"<{_DRAWN}f", *(dice.gauss(0.0, _SPREAD) for _ in range(_DRAWN)))
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
    """Every weight of a BERT for question answering, by transformers' names."""
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
