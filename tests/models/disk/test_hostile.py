"""Hostile checkpoints: each is refused in one sentence by reading alone, and nothing is written."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from app.core.errors import SpanlightError
from app.models.disk.card import card_from, read_card
from app.models.disk.weights import Weights, header_length, parse_header
from tests.helpers.hostile import CONFIGS, MARKER, READ, everything_below
from tests.helpers.refusals import check_refusal


@pytest.mark.parametrize("case", READ)
def test_a_hostile_checkpoint_is_refused_by_reading_it(reader: Path, case: str) -> None:
    edit, said = READ[case]
    edit(reader)
    before = everything_below(reader.parent)
    began = time.perf_counter()
    with pytest.raises(SpanlightError) as caught:
        read_card(reader)
    assert time.perf_counter() - began < 5
    check_refusal(caught.value, reader, said)
    assert everything_below(reader.parent) == before
    assert not (reader.parent / MARKER).exists()


# Their size is told by the repository and bounded where it is fetched; the others are files of this computer.
NOT_FETCHED = [case for case in CONFIGS if case.startswith(("endless", "a config that"))]


@pytest.mark.parametrize("case", [case for case in CONFIGS if case not in NOT_FETCHED])
def test_a_hostile_config_is_refused_before_anything_is_downloaded(reader: Path, case: str) -> None:
    path, (edit, said) = reader / "model.safetensors", CONFIGS[case]
    weights = Weights(parse_header(path.read_bytes(), path.stat().st_size))
    edit(reader)
    with pytest.raises(SpanlightError) as caught:
        card_from("reader", (reader / "config.json").read_bytes(), weights)
    check_refusal(caught.value, reader, said)


def test_a_card_is_read_from_config_and_header_alone(reader: Path) -> None:
    path = reader / "model.safetensors"
    whole, size = path.read_bytes(), path.stat().st_size
    length = header_length(whole[:8], size)
    weights = Weights(parse_header(whole[: 8 + length], size))
    config = (reader / "config.json").read_bytes()
    told = card_from("reader", config, weights, tokenizer_config=b'{"model_max_length": 100}')
    card = read_card(reader)
    assert told.folder == ""
    assert told.max_length == told.window == 100
    assert (told.heads, told.labels, told.parameters, told.dtype) == (
        card.heads, card.labels, card.parameters, card.dtype,
    )  # fmt: skip
    assert told.size == size - 8 - length + len(config)
    with pytest.raises(SpanlightError, match="ends before its own header"):
        parse_header(whole[: 7 + length], size)
