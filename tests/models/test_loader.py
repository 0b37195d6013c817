from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import transformers
from safetensors.numpy import load_file, save_file

from app.core.errors import SpanlightError
from app.core.models import DeviceChoice, Head
from app.models.card import read_card
from app.models.loader import Forward, OutOfMemory, load
from tests.helpers.small_models import FAMILIES, small_checkpoint

QA, CLASSIFY = Head.QUESTION_ANSWERING, Head.CLASSIFICATION
CPU = DeviceChoice("cpu", "float32", "a test")
HALF = DeviceChoice("cpu", "bfloat16", "a test")
LABELS = ("a", "b", "c")


def batch(rows: int = 3, length: int = 50) -> dict[str, np.ndarray]:
    """Random ids with padding at the end of the second row, and two kinds of token."""
    ids = np.random.default_rng(3).integers(5, 200, (rows, length))
    arrays = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
    arrays["attention_mask"][1:, length - 9 :] = 0
    arrays["token_type_ids"][:, length // 2 :] = 1
    return arrays


def by_transformers(
    folder: Path, head: Head, arrays: dict[str, np.ndarray], types: bool
) -> dict[str, np.ndarray]:
    auto = (
        transformers.AutoModelForQuestionAnswering
        if head is QA
        else transformers.AutoModelForSequenceClassification
    )
    model = auto.from_pretrained(folder, dtype=torch.float32).eval()
    names = ("input_ids", "attention_mask", *(["token_type_ids"] if types else []))
    with torch.no_grad():
        found = model(**{name: torch.from_numpy(arrays[name]) for name in names})
    wanted = ("start_logits", "end_logits") if head is QA else ("logits",)
    return {name: getattr(found, name).numpy() for name in wanted}


@pytest.mark.parametrize("head", list(Head))
@pytest.mark.parametrize("family", FAMILIES)
def test_the_logits_are_those_of_transformers(tmp_path: Path, family: str, head: Head) -> None:
    folder = small_checkpoint(tmp_path / "m", family, head, LABELS)
    arrays = batch()
    kept = {name: values.copy() for name, values in arrays.items()}
    found = load(read_card(folder), head, CPU).forward(arrays)
    expected = by_transformers(folder, head, arrays, family in ("bert", "electra", "albert", "mobilebert"))
    assert found.keys() == expected.keys()
    for name, values in expected.items():
        assert found[name].dtype == np.float32
        assert found[name].shape == ((3, 50) if head is QA else (3, 3))
        np.testing.assert_allclose(found[name], values, atol=1e-5)
        assert np.ptp(values) > 0.01, "logits that all are the same compare nothing"
    for name, values in kept.items():
        np.testing.assert_array_equal(arrays[name], values)


@pytest.mark.parametrize("head", list(Head))
@pytest.mark.parametrize("family", FAMILIES)
def test_bfloat16_stays_close(tmp_path: Path, family: str, head: Head) -> None:
    folder = small_checkpoint(tmp_path / "m", family, head, LABELS)
    arrays = batch()
    exact = load(read_card(folder), head, CPU).forward(arrays)
    loaded = load(read_card(folder), head, HALF)
    assert loaded.device.dtype == ("float32" if family == "deberta" else "bfloat16")
    for name, values in loaded.forward(arrays).items():
        assert values.dtype == np.float32
        np.testing.assert_allclose(values, exact[name], atol=0.06)


def test_weights_stored_in_half_compute_in_the_device_s_dtype(tmp_path: Path) -> None:
    whole = small_checkpoint(tmp_path / "whole", "bert")
    half = small_checkpoint(tmp_path / "half", "bert", dtype="float16")
    assert read_card(half).dtype == "float16"
    arrays = batch()
    exact = load(read_card(whole), QA, CPU).forward(arrays)
    found = load(read_card(half), QA, CPU).forward(arrays)
    for name, values in found.items():
        assert values.dtype == np.float32
        np.testing.assert_allclose(values, exact[name], atol=5e-3)
    assert load(read_card(half), QA, HALF).forward(arrays)["start_logits"].dtype == np.float32


def test_the_head_computes_in_float32(tmp_path: Path) -> None:
    folder = small_checkpoint(tmp_path / "m")
    logits = load(read_card(folder), QA, HALF).forward(batch(4, 200))["start_logits"]
    rounded = torch.from_numpy(logits).to(torch.bfloat16).float().numpy()
    assert (logits != rounded).mean() > 0.5, "logits of bfloat16 fall on few values, and ties decide answers"


@pytest.mark.parametrize("family", FAMILIES)
def test_a_batch_can_be_broken_off_at_each_layer(tmp_path: Path, family: str) -> None:
    calls = []
    folder = small_checkpoint(tmp_path / "m", family)
    load(read_card(folder), QA, CPU, lambda: calls.append(1)).forward(batch())
    assert len(calls) == 2


def test_padding_and_batch_do_not_change_the_logits(tmp_path: Path) -> None:
    forward = load(read_card(small_checkpoint(tmp_path / "m", "roberta")), QA, CPU).forward
    arrays = batch()
    together = forward(arrays)["end_logits"]
    alone = forward({name: values[1:2, :41] for name, values in arrays.items()})["end_logits"]
    np.testing.assert_allclose(together[1, :41], alone[0], atol=1e-5)


def test_the_tokenizer_neither_cuts_nor_pads(tmp_path: Path) -> None:
    folder = small_checkpoint(tmp_path / "m")
    stored = json.loads((folder / "tokenizer.json").read_text())
    stored["truncation"] = {"direction": "Right", "max_length": 8, "strategy": "LongestFirst", "stride": 0}
    stored["padding"] = {
        "strategy": {"Fixed": 16},
        "direction": "Right",
        "pad_to_multiple_of": None,
        "pad_id": 0,
        "pad_type_id": 0,
        "pad_token": "[PAD]",
    }
    (folder / "tokenizer.json").write_text(json.dumps(stored))
    tokenizer = load(read_card(folder), QA, CPU).tokenizer
    assert tokenizer.truncation is None
    assert tokenizer.padding is None
    assert len(tokenizer.encode("the king " * 50).ids) == 102


def test_a_head_that_is_not_there_is_refused(tmp_path: Path) -> None:
    reader = read_card(small_checkpoint(tmp_path / "reader"))
    with pytest.raises(SpanlightError, match="reader cannot classify texts: its weights hold no") as caught:
        load(reader, CLASSIFY, CPU)
    assert "answer questions" in caught.value.hint
    with pytest.raises(SpanlightError, match="none cannot answer questions"):
        load(replace(reader, name="none", heads=()), QA, CPU)


def rewrite(folder: Path, change: Any) -> None:
    weights = load_file(folder / "model.safetensors")
    change(weights)
    save_file(weights, folder / "model.safetensors", {"format": "pt"})


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (
            lambda w: w.pop("bert.encoder.layer.1.output.dense.weight"),
            "lacks the weights bert.encoder.layer.1.output.dense.weight",
        ),
        (
            lambda w: w.update({"bert.encoder.layer.0.output.dense.weight": np.zeros((32, 16), np.float32)}),
            "holds in a wrong shape the weights bert.encoder.layer.0.output.dense.weight",
        ),
        (lambda w: w.pop("bert.embeddings.token_type_embeddings.weight"), "lacks the weights"),
    ],
)
def test_holes_are_never_filled_at_random(tmp_path: Path, change: Any, said: str) -> None:
    folder = small_checkpoint(tmp_path / "holes")
    rewrite(folder, change)
    with pytest.raises(SpanlightError, match=said) as caught:
        load(read_card(folder), QA, CPU)
    assert caught.value.hint


def test_names_of_old_checkpoints_are_understood(tmp_path: Path) -> None:
    folder = small_checkpoint(tmp_path / "m")
    arrays = batch()
    before = load(read_card(folder), QA, CPU).forward(arrays)

    def age(weights: dict[str, Any]) -> None:
        for name in [name for name in weights if "LayerNorm" in name]:
            old = name.replace("LayerNorm.weight", "LayerNorm.gamma").replace(
                "LayerNorm.bias", "LayerNorm.beta"
            )
            weights[old] = weights.pop(name)
        weights["bert.embeddings.position_ids"] = np.arange(512)[None]

    rewrite(folder, age)
    after = load(read_card(folder), QA, CPU).forward(arrays)
    np.testing.assert_array_equal(before["start_logits"], after["start_logits"])


@pytest.mark.parametrize(
    "tokenizer", ['{"model": {"vocab": {"a": 1}}}', '{"model": {"type": "BPE", "vocab": {"a": 0}}}']
)
def test_a_tokenizer_that_cannot_be_understood_is_refused(tmp_path: Path, tokenizer: str) -> None:
    folder = small_checkpoint(tmp_path / "m")
    (folder / "tokenizer.json").write_text(tokenizer)
    with pytest.raises(SpanlightError, match=r"tokenizer\.json of m cannot be understood"):
        load(read_card(folder), QA, CPU)


def test_a_config_that_transformers_cannot_make_a_model_of_is_refused(tmp_path: Path) -> None:
    folder = small_checkpoint(tmp_path / "m")
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(config | {"hidden_act": "no such function"}))
    with pytest.raises(SpanlightError, match="m cannot be loaded"):
        load(read_card(folder), QA, CPU)


def test_too_long_an_input_is_a_bug_of_ours(tmp_path: Path) -> None:
    forward = load(read_card(small_checkpoint(tmp_path / "m", positions=32)), QA, CPU).forward
    with pytest.raises(ValueError, match="50 tokens where the model reads 32"):
        forward(batch())


class Narrow(torch.nn.Module):
    """A model whose memory takes only so many rows at a time."""

    def __init__(self, model: torch.nn.Module, rows: int) -> None:
        super().__init__()
        self.model, self.rows, self.config, self.seen = model, rows, model.config, []

    def forward(self, input_ids: torch.Tensor, **more: torch.Tensor) -> Any:
        if len(input_ids) > self.rows:
            raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 20.00 MiB")
        self.seen.append(len(input_ids))
        return self.model(input_ids=input_ids, **more)


def test_a_batch_too_large_for_the_memory_is_halved(tmp_path: Path) -> None:
    folder = small_checkpoint(tmp_path / "m")
    model = transformers.BertForQuestionAnswering.from_pretrained(folder).eval()
    arrays = batch(rows=7)
    whole = Forward(model, QA, "cpu", 512)(arrays)
    narrow = Narrow(model, rows=2)
    found = Forward(narrow, QA, "cpu", 512)(arrays)
    assert narrow.seen == [1, 2, 2, 2]
    np.testing.assert_allclose(found["start_logits"], whole["start_logits"], atol=1e-5)
    with pytest.raises(OutOfMemory, match="This computer has too little free memory"):
        Forward(Narrow(model, rows=0), QA, "cpu", 512)(arrays)


def test_tokens_of_another_models_tokenizer_are_refused(tmp_path: Path) -> None:
    forward = load(read_card(small_checkpoint(tmp_path / "m")), QA, CPU).forward
    for name in ("input_ids", "token_type_ids"):
        with pytest.raises(SpanlightError, match="a token that the model does not know"):
            forward({**batch(), name: batch()[name] + 10**6})


def test_other_faults_of_a_model_stay_bugs(tmp_path: Path) -> None:
    forward = load(read_card(small_checkpoint(tmp_path / "m")), QA, CPU).forward
    with pytest.raises(IndexError):
        forward({name: values - 10**6 for name, values in batch().items()})


@pytest.mark.parametrize("family", FAMILIES)
def test_padding_changes_no_logits(tmp_path: Path, family: str) -> None:
    folder = small_checkpoint(tmp_path / "m", family, QA, LABELS)
    loaded = load(read_card(folder), QA, CPU)
    pads = (loaded.tokenizer.token_to_id(name) for name in ("[PAD]", "<pad>"))
    pad = next(one for one in pads if one is not None)
    alone = {name: values[:1, :30] for name, values in batch().items()}
    padded = {name: np.pad(values, ((0, 0), (0, 18))) for name, values in alone.items()}
    padded["input_ids"][0, 30:] = pad
    short, long = loaded.forward(alone), loaded.forward(padded)
    for name, values in short.items():
        np.testing.assert_allclose(long[name][:, :30], values, atol=1e-5)
