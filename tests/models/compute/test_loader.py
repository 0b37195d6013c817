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
from app.models.compute.faults import OutOfMemory
from app.models.compute.forward import Forward, MaskedPositions
from app.models.compute.loader import load
from app.models.disk.card import read_card
from app.models.encoder.model import OwnModel
from app.models.encoder.reading import LAYERS
from app.models.families import FAMILIES as KNOWN
from tests.helpers.cards import config
from tests.helpers.small_models import FAMILIES, NEXT_SENTENCE_FAMILIES, small_checkpoint

QA, CLASSIFY, MASKED = Head.QUESTION_ANSWERING, Head.CLASSIFICATION, Head.MASKED_WORDS
AUTO = {
    QA: "AutoModelForQuestionAnswering",
    CLASSIFY: "AutoModelForSequenceClassification",
    MASKED: "AutoModelForMaskedLM",
    Head.NEXT_SENTENCE: "AutoModelForNextSentencePrediction",
    Head.TOKEN_CLASSIFICATION: "AutoModelForTokenClassification",
}
SHAPES = {
    QA: (3, 50),
    CLASSIFY: (3, 3),
    Head.NEXT_SENTENCE: (3, 2),
    Head.TOKEN_CLASSIFICATION: (3, 50, 3),
}
OF_TOKENS = (QA, Head.TOKEN_CLASSIFICATION)
BODIES = tuple({family.prefix + "." for family in KNOWN.values()})
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


def cases() -> list[tuple[str, Head]]:
    """Every family with every head that it has."""
    return [(name, head) for name in FAMILIES for head in KNOWN[name].heads_known]


def with_positions(arrays: dict[str, np.ndarray], head: Head) -> dict[str, np.ndarray]:
    positions = np.array([[3, 17, 49], [40, -1, -1], [2, 2, 0]])
    return arrays | ({"positions": positions} if head is MASKED else {})


def biased(folder: Path) -> Path:
    """The checkpoint with biases and layer norms of its head that are not what they begin with."""

    def change(weights: dict[str, Any]) -> None:
        random = np.random.default_rng(11)
        for name, values in weights.items():
            if values.ndim == 1 and not name.startswith(BODIES):
                weights[name] = values + random.normal(size=values.shape).astype(np.float32)

    rewrite(folder, change)
    return folder


def by_transformers(
    folder: Path, head: Head, arrays: dict[str, np.ndarray], types: bool
) -> dict[str, np.ndarray]:
    model = getattr(transformers, AUTO[head]).from_pretrained(folder, dtype=torch.float32).eval()
    names = ("input_ids", "attention_mask", *(["token_type_ids"] if types else []))
    with torch.no_grad():
        found = model(**{name: torch.from_numpy(arrays[name]) for name in names})
    wanted = ("start_logits", "end_logits") if head is QA else ("logits",)
    return {name: getattr(found, name).numpy() for name in wanted}


@pytest.mark.parametrize(("family", "head"), cases())
def test_the_logits_are_those_of_transformers_and_near_them_in_bfloat16(
    tmp_path: Path, family: str, head: Head
) -> None:
    folder = biased(small_checkpoint(tmp_path / "m", family, head, LABELS))
    arrays = with_positions(batch(), head)
    kept = {name: values.copy() for name, values in arrays.items()}
    forward = load(read_card(folder), head, CPU).forward
    assert isinstance(forward, Forward)
    assert isinstance(forward._model, OwnModel) == (family in LAYERS)
    found = forward(arrays)
    expected = by_transformers(folder, head, arrays, family in ("bert", "electra", "albert", "mobilebert"))
    assert found.keys() == expected.keys()
    for name, values in expected.items():
        assert found[name].dtype == np.float32
        if head is MASKED:
            places = arrays["positions"]
            assert found[name].shape == (3, 3, values.shape[-1])
            chosen, values = found[name][places >= 0], values[np.nonzero(places >= 0)[0], places[places >= 0]]
        else:
            assert found[name].shape == SHAPES[head]
            # What stands at padding means nothing, and is not computed.
            read = arrays["attention_mask"] == 1 if head in OF_TOKENS else slice(None)
            chosen, values = found[name][read], values[read]
        np.testing.assert_allclose(chosen, values, atol=1e-5)
        assert np.ptp(values) > 0.01, "logits that all are the same compare nothing"
    half = load(read_card(folder), head, HALF)
    assert half.device.dtype == ("float32" if family == "deberta" else "bfloat16")
    for name, values in half.forward(arrays).items():
        assert values.dtype == np.float32
        np.testing.assert_allclose(values, found[name], atol=0.1)
    for name, values in kept.items():
        np.testing.assert_array_equal(arrays[name], values)


def test_the_head_computes_in_float32(tmp_path: Path) -> None:
    folder = small_checkpoint(tmp_path / "m")
    logits = load(read_card(folder), QA, HALF).forward(batch(4, 200))["start_logits"]
    rounded = torch.from_numpy(logits).to(torch.bfloat16).float().numpy()
    assert (logits != rounded).mean() > 0.5, "logits of bfloat16 fall on few values, and ties decide answers"


class Enough(Exception):
    """A wish to stop."""


@pytest.mark.parametrize("head", [QA, CLASSIFY])
@pytest.mark.parametrize("family", FAMILIES)
def test_a_batch_can_be_cancelled_before_each_layer(tmp_path: Path, family: str, head: Head) -> None:
    stops = [False, False, True, False, True]

    def check() -> None:
        if stops.pop(0):
            raise Enough

    forward = load(read_card(small_checkpoint(tmp_path / "m", family, head)), head, CPU, check).forward
    forward(batch())
    for left in (2, 0):
        with pytest.raises(Enough):
            forward(batch())
        assert len(stops) == left


def test_the_tokenizer_neither_truncates_nor_pads(tmp_path: Path) -> None:
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


def test_a_missing_head_is_refused(tmp_path: Path) -> None:
    reader = read_card(small_checkpoint(tmp_path / "reader"))
    with pytest.raises(SpanlightError, match="reader cannot classify texts: its weights hold no") as caught:
        load(reader, CLASSIFY, CPU)
    assert "answer questions" in caught.value.hint
    with pytest.raises(SpanlightError, match="none cannot answer questions"):
        load(replace(reader, name="none", heads=()), QA, CPU)


def first_names(weights: dict[str, Any]) -> None:
    """Name the weights as the first BERTs did: gamma and beta."""
    for name in [name for name in weights if "LayerNorm" in name]:
        old = name.replace("LayerNorm.weight", "LayerNorm.gamma").replace("LayerNorm.bias", "LayerNorm.beta")
        weights[old] = weights.pop(name)


def rewrite(folder: Path, change: Any) -> None:
    weights = load_file(folder / "model.safetensors")
    change(weights)
    save_file(weights, folder / "model.safetensors", {"format": "pt"})


def test_names_of_old_checkpoints_are_understood(tmp_path: Path) -> None:
    folder = small_checkpoint(tmp_path / "m")
    arrays = batch()
    before = load(read_card(folder), QA, CPU).forward(arrays)

    def age(weights: dict[str, Any]) -> None:
        first_names(weights)
        weights["bert.embeddings.position_ids"] = np.arange(512)[None]

    rewrite(folder, age)
    after = load(read_card(folder), QA, CPU).forward(arrays)
    np.testing.assert_array_equal(before["start_logits"], after["start_logits"])


@pytest.mark.parametrize("family", FAMILIES)
def test_a_configs_output_settings_change_no_outputs(tmp_path: Path, family: str) -> None:
    folder = small_checkpoint(tmp_path / "m", family, CLASSIFY)
    wanted = load(read_card(folder), CLASSIFY, CPU).forward(batch())
    config(folder, return_dict=False, output_hidden_states=True, torchscript=True, chunk_size_feed_forward=7)
    found = load(read_card(folder), CLASSIFY, CPU).forward(batch())
    assert found.keys() == wanted.keys()
    assert np.array_equal(found["logits"], wanted["logits"])


class Narrow(torch.nn.Module):
    """A model whose memory has room for a number of rows at a time."""

    def __init__(self, model: torch.nn.Module, rows: int) -> None:
        super().__init__()
        self.model, self.rows, self.config, self.seen = model, rows, model.config, []

    def forward(self, input_ids: torch.Tensor, **more: torch.Tensor) -> Any:
        if len(input_ids) > self.rows:
            raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 20.00 MiB")
        self.seen.append(len(input_ids))
        return self.model(input_ids=input_ids, **more)


def test_tokens_of_another_models_tokenizer_are_refused_and_other_faults_stay_bugs(tmp_path: Path) -> None:
    forward = load(read_card(small_checkpoint(tmp_path / "m", positions=64)), QA, CPU).forward
    for name in ("input_ids", "token_type_ids"):
        with pytest.raises(SpanlightError, match="a token that the model does not know"):
            forward({**batch(), name: batch()[name] + 10**6})
    with pytest.raises(IndexError):
        forward({name: values - 10**6 for name, values in batch().items()})
    with pytest.raises(ValueError, match="70 tokens where the model reads 64"):
        forward(batch(length=70))


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


def test_a_batch_of_masked_words_too_large_for_the_memory_is_halved_with_its_positions(
    tmp_path: Path,
) -> None:
    folder = small_checkpoint(tmp_path / "m", head=MASKED)
    model = transformers.BertForMaskedLM.from_pretrained(folder).eval()
    arrays = batch(rows=5) | {"positions": np.array([[1], [2], [-1], [4], [5]])}
    places = MaskedPositions(model.cls)
    whole = Forward(model, MASKED, "cpu", 512, places)(arrays)["logits"]
    narrow = Narrow(model, rows=2)
    found = Forward(narrow, MASKED, "cpu", 512, places)(arrays)["logits"]
    assert sum(narrow.seen) == 5
    assert max(narrow.seen) <= 2
    np.testing.assert_allclose(found, whole, atol=1e-5)
    with pytest.raises(OutOfMemory, match="This computer has too little free memory"):
        Forward(Narrow(model, rows=0), MASKED, "cpu", 512, places)(arrays)


def test_positions_are_selected_for_one_batch_only(tmp_path: Path) -> None:
    model = transformers.BertForMaskedLM.from_pretrained(small_checkpoint(tmp_path / "m", head=MASKED)).eval()
    ids = torch.from_numpy(batch()["input_ids"])
    before = model(input_ids=ids).logits
    places = MaskedPositions(model.cls)
    with pytest.raises(KeyError), places.selected(np.zeros((3, 1))):
        raise KeyError
    torch.testing.assert_close(model(input_ids=ids).logits, before)


def test_no_logits_of_other_positions_are_computed(tmp_path: Path) -> None:
    loaded = load(read_card(small_checkpoint(tmp_path / "m", head=MASKED)), MASKED, CPU)
    none = loaded.forward(batch() | {"positions": np.zeros((3, 0), np.int64)})["logits"]
    assert none.shape == (3, 0, loaded.tokenizer.get_vocab_size())
    with pytest.raises(ValueError, match="a position beyond the 50 tokens"):
        loaded.forward(batch() | {"positions": np.full((3, 1), 50)})


@pytest.mark.parametrize("family", NEXT_SENTENCE_FAMILIES)
def test_a_pretraining_checkpoint_gives_both_its_heads(tmp_path: Path, family: str) -> None:
    folder = biased(small_checkpoint(tmp_path / "m", family, (MASKED, Head.NEXT_SENTENCE)))
    card = read_card(folder)
    assert card.heads == (MASKED, Head.NEXT_SENTENCE)
    arrays = with_positions(batch(), MASKED)
    model = transformers.AutoModelForPreTraining.from_pretrained(folder).eval()
    with torch.no_grad():
        told = model(**{n: torch.from_numpy(a) for n, a in arrays.items() if n != "positions"})
    words = load(card, MASKED, CPU).forward(arrays)["logits"]
    np.testing.assert_allclose(words[0], told.prediction_logits[0, [3, 17, 49]].numpy(), atol=1e-5)
    follows = load(card, Head.NEXT_SENTENCE, CPU).forward(batch())["logits"]
    np.testing.assert_allclose(follows, told.seq_relationship_logits.numpy(), atol=1e-5)


def age_of_words_head(weights: dict[str, Any]) -> None:
    first_names(weights)
    weights["cls.predictions.decoder.weight"] = weights["bert.embeddings.word_embeddings.weight"].copy()


@pytest.mark.parametrize(
    "change",
    [
        age_of_words_head,
        lambda w: w.update({"cls.predictions.decoder.bias": w.pop("cls.predictions.bias")}),
        lambda w: w.update({"cls.predictions.decoder.bias": w["cls.predictions.bias"].copy()}),
    ],
    ids=["first names", "the decoder's bias", "both biases"],
)
def test_a_masked_words_head_is_loaded_under_every_spelling(tmp_path: Path, change: Any) -> None:
    folder = biased(small_checkpoint(tmp_path / "m", head=MASKED))
    arrays = with_positions(batch(), MASKED)
    before = load(read_card(folder), MASKED, CPU).forward(arrays)["logits"]
    rewrite(folder, change)
    after = load(read_card(folder), MASKED, CPU).forward(arrays)["logits"]
    np.testing.assert_array_equal(before, after)


def test_an_untied_decoder_is_used_and_required_where_the_config_says_so(tmp_path: Path) -> None:
    folder = small_checkpoint(tmp_path / "m", head=MASKED)
    config(folder, tie_word_embeddings=False)
    assert read_card(folder).heads == ()
    model = transformers.BertForMaskedLM(transformers.BertConfig.from_pretrained(folder)).eval()
    model.save_pretrained(folder)
    arrays = with_positions(batch(), MASKED)
    expected = by_transformers(folder, MASKED, arrays, types=True)["logits"]
    for device in (CPU, HALF):
        found = load(read_card(folder), MASKED, device).forward(arrays)["logits"]
        np.testing.assert_allclose(found[0], expected[0, [3, 17, 49]], atol=1e-5 if device is CPU else 0.06)


@pytest.mark.parametrize("family", ["deberta", "deberta-v2"])
@pytest.mark.parametrize("said", [True, False])
def test_debertas_newer_head_is_recognised_by_its_weights(tmp_path: Path, family: str, said: bool) -> None:
    folder = small_checkpoint(tmp_path / "m", family, MASKED)
    made = transformers.AutoConfig.from_pretrained(folder, legacy=False)
    transformers.AutoModelForMaskedLM.from_config(made).save_pretrained(folder)
    biased(folder)
    arrays = with_positions(batch(), MASKED)
    expected = by_transformers(folder, MASKED, arrays, types=False)["logits"]
    config(folder, drop=() if said else ("legacy",))
    for device in (CPU, HALF):
        found = load(read_card(folder), MASKED, device).forward(arrays)["logits"]
        np.testing.assert_allclose(found[0], expected[0, [3, 17, 49]], atol=1e-5 if device is CPU else 0.06)


def test_padding_that_is_zero_in_the_encoder_still_has_its_logit(tmp_path: Path) -> None:
    folder = small_checkpoint(tmp_path / "m", "mobilebert", MASKED)
    arrays = batch(1) | {"positions": np.arange(50)[None]}
    found = load(read_card(folder), MASKED, CPU).forward(arrays)["logits"]
    expected = by_transformers(folder, MASKED, arrays, types=True)["logits"]
    np.testing.assert_allclose(found, expected, atol=1e-5)
