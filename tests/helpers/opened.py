"""Small models of every family and head, opened up; made once, looked at once for each length."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from app.core.inside import HeadPicture, Stage
from app.core.models import DeviceChoice, Head
from app.models.compute.loader import load
from app.models.disk.card import read_card
from app.models.families import FAMILIES
from app.models.inside.opened import Inside
from tests.helpers.small_models import small_checkpoint

CPU = DeviceChoice("cpu", "float32", "a test")
LABELS = ("a", "b", "c")
EVERY = [(family, head) for family, about in FAMILIES.items() for head in about.heads_known]
LENGTH = 21


def made(family: str, head: Head) -> Inside:
    """A small model that a test may change."""
    with TemporaryDirectory() as folder:
        card = read_card(small_checkpoint(Path(folder) / "m", family, head, LABELS))
        inside = load(card, head, CPU, opened=True).inside
    assert isinstance(inside, Inside)
    return inside


held = cache(made)


@cache
def looked(
    family: str, head: Head, length: int = LENGTH
) -> tuple[tuple[Stage, ...], tuple[HeadPicture, ...]]:
    """The trunk and the heads of a small model on a row of so many tokens."""
    inside, arrays = held(family, head), row(head, length)
    return inside.stages(arrays)


def model_of(inside: Inside) -> Any:
    """The model itself."""
    return inside._model


def outputs_of(inside: Inside, arrays: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """What its head gives."""
    return inside._forward(arrays)


def row(head: Head, length: int = LENGTH) -> dict[str, np.ndarray]:
    """One row of input, with three places for masked words, one of them none."""
    ids = np.random.default_rng(length).integers(5, 200, (1, length))
    types = (np.arange(length) > length // 2).astype(np.int64)[None]
    arrays = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": types}
    return arrays | ({"positions": np.array([[3, 7, -1]])} if head is Head.MASKED_WORDS else {})
