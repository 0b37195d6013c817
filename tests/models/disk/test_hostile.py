"""Checkpoints made to harm: each is told in one sentence by reading alone, and nothing is written."""

from __future__ import annotations

import json
import shutil
import time
from pathlib import Path

import pytest

from app.core.errors import SpanlightError
from app.models.disk.card import card_from, read_card
from app.models.disk.installed import Shelf
from app.models.disk.weights import Weights, header_length, merge_shards, parse_header, shard_names
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


def test_there_are_enough_of_them() -> None:
    assert len(READ) >= 40


def test_a_shelf_of_hostile_checkpoints_lists_the_whole_one_only(reader: Path, tmp_path: Path) -> None:
    shelf = tmp_path / "shelf"
    for number, (edit, _) in enumerate(READ.values()):
        folder = shelf / f"m{number:03}"
        shutil.copytree(reader, folder)
        edit(folder)
    shutil.copytree(reader, shelf / "whole")
    found = Shelf([shelf])
    assert [card.name for card in found.cards()] == ["whole"]
    assert all(fault.hint for fault in found.refused.values())


@pytest.mark.parametrize("case", CONFIGS)
def test_a_hostile_config_is_refused_before_anything_is_downloaded(reader: Path, case: str) -> None:
    path, (edit, said) = reader / "model.safetensors", CONFIGS[case]
    weights = Weights(parse_header(path.read_bytes(), path.stat().st_size))
    edit(reader)
    if not (reader / "config.json").is_file() or "somebody" in case:
        pytest.skip("a file of this computer, not of a repository")
    content = (reader / "config.json").read_bytes()
    if case == "endless":
        return  # its size is told by the repository, and bounded where it is fetched
    with pytest.raises(SpanlightError) as caught:
        card_from("reader", content, weights)
    check_refusal(caught.value, reader, said)


def test_a_card_is_told_from_config_and_header_alone(reader: Path) -> None:
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


def test_shards_are_told_from_index_and_headers_alone(reader: Path) -> None:
    path = reader / "model.safetensors"
    header = parse_header(path.read_bytes(), path.stat().st_size)
    first = {name: tensor for name, tensor in header.items() if name.startswith("bert")}
    rest = {name: tensor for name, tensor in header.items() if name not in first}
    index = {"b.safetensors": list(rest), "a.safetensors": list(first)}
    named = {name: shard for shard, names in index.items() for name in names}
    parts = shard_names(json.dumps({"weight_map": named}).encode(), "reader")
    assert list(parts) == ["a.safetensors", "b.safetensors"]
    joined = merge_shards(parts, {"a.safetensors": first, "b.safetensors": rest}, "reader")
    assert card_from("reader", (reader / "config.json").read_bytes(), joined).heads == read_card(reader).heads
