"""A checkpoint folder as training writes it, with one file of weights or shards, is read again."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file

from app.models.disk.card import read_card
from app.training import folder
from tests.helpers.small_models import small_checkpoint


def test_shards_hold_every_weight_once_and_are_trained_on_again(tmp_path: Path) -> None:
    base = small_checkpoint(tmp_path / "base", "mpnet")
    model = folder.load_base(base, "qa", (), 0.0, 1)
    tokenizer = folder.load_tokenizer(base)
    largest = max(tensor.nbytes for tensor in model.state_dict().values())
    split, whole = tmp_path / "split", tmp_path / "whole"
    folder.write_folder(split, base, model, tokenizer, shard=2 * largest / 1e6)
    folder.write_folder(whole, base, model, tokenizer)
    shards = folder.weight_files(split)
    assert len(shards) > 1 and not (split / "model.safetensors").exists()
    assert all(path.stat().st_size < 2 * largest + 10_000 for path in shards)
    places = json.loads((split / "model.safetensors.index.json").read_text())["weight_map"]
    assert {name: path.name for path in shards for name in load_file(path)} == places
    assert read_card(split).parameters == read_card(whole).parameters
    again = folder.load_base(split, "qa", (), 0.0, 2)
    for name, tensor in folder.load_base(whole, "qa", (), 0.0, 3).state_dict().items():
        assert torch.equal(again.state_dict()[name], tensor), name
    folder.write_folder(split, base, model, tokenizer)
    assert [path.name for path in sorted(split.glob("*.safetensors*"))] == ["model.safetensors"]


def test_what_cannot_be_written_leaves_the_earlier_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    base, out = small_checkpoint(tmp_path / "base", "mpnet"), tmp_path / "out"
    model = folder.load_base(base, "qa", (), 0.0, 1)
    tokenizer = folder.load_tokenizer(base)
    folder.write_folder(out, base, model, tokenizer)
    (out / "spanlight.json").write_text("{}")
    before = {path.name: path.read_bytes() for path in out.iterdir()}
    (out / ".part").mkdir()
    (out / ".part" / "model.safetensors").touch()  # as a killed run leaves it

    def full(path: Path) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(folder, "flush", full)
        with pytest.raises(OSError, match="No space left"):
            folder.write_folder(out, base, model, tokenizer, half=True, settings={"pooling": "mean"})
    assert before == {path.name: path.read_bytes() for path in out.iterdir()}
    folder.write_folder(out, base, model, tokenizer, half=True)
    assert {path.name for path in out.iterdir()} == before.keys() - {"spanlight.json"}
