"""Spanlight's own encoder: which checkpoints it supports, and that it computes what transformers does."""

from __future__ import annotations

import json
import lzma
import subprocess
import sys
from collections.abc import Callable, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import transformers
from hypothesis import given
from hypothesis import strategies as st
from safetensors.numpy import load_file
from transformers.models.mpnet.modeling_mpnet import MPNetEncoder

from app.core.errors import SpanlightError
from app.core.models import DeviceChoice, Head
from app.core.report import Silent
from app.core.requests import Question, TextsToClassify
from app.core.text import Document
from app.models.compute import loader
from app.models.compute.faults import OutOfMemory
from app.models.compute.forward import Forward
from app.models.compute.loader import load
from app.models.disk.card import read_card
from app.models.encoder import batch as batches
from app.models.encoder.batch import Padded, Unpadded, batch_of
from app.models.encoder.encoder import RelativePositions
from app.models.encoder.model import OwnModel
from app.models.families import FAMILIES as KNOWN
from app.tasks.heads.classification import classify
from app.tasks.qa.question_answering import read
from app.tasks.task import ReadyModel
from tests.conftest import ROOT
from tests.helpers.cards import config
from tests.helpers.small_models import small_checkpoint
from tests.models.compute.test_loader import rewrite

QA, CLASSIFY, WORDS = Head.QUESTION_ANSWERING, Head.CLASSIFICATION, Head.MASKED_WORDS
FAMILIES = ("bert", "distilbert", "roberta", "xlm-roberta", "mpnet", "electra")
CPU = DeviceChoice("cpu", "float32", "a test")
LABELS = ("a", "b", "c")
TABLE, NORM = "bert.embeddings.word_embeddings", "bert.embeddings.LayerNorm"
DECODER = "cls.predictions.decoder"
Arrays = dict[str, np.ndarray]
STARTERS = ROOT / "resources" / "models"
CLASSES = {
    Head.QUESTION_ANSWERING: "AutoModelForQuestionAnswering",
    Head.CLASSIFICATION: "AutoModelForSequenceClassification",
}


def arrays_of(lengths: list[int], longest: int = 0, seed: int = 3) -> Arrays:
    """Random ids of rows with these lengths and padding behind them, in two kinds of token."""
    longest = longest or max(lengths)
    ids = np.random.default_rng(seed).integers(5, 200, (len(lengths), longest))
    mask = (np.arange(longest) < np.array(lengths)[:, None]).astype(np.int64)
    types = (np.arange(longest) > 4).astype(np.int64) * mask
    return {"input_ids": ids * mask, "attention_mask": mask, "token_type_ids": types}


def own(folder: Path, head: Head = QA, device: DeviceChoice = CPU) -> Callable[[Arrays], Arrays]:
    """A checkpoint's forward pass, which must be the own encoder's."""
    forward = load(read_card(folder), head, device).forward
    assert is_own(forward)
    return forward


def is_own(forward: Any) -> bool:
    return isinstance(forward._model, OwnModel)


def by_transformers(folder: Path, head: Head, monkeypatch: pytest.MonkeyPatch) -> Callable[[Arrays], Arrays]:
    with monkeypatch.context() as patch:
        patch.setattr(loader, "_load_own", lambda *_: None)
        forward = load(read_card(folder), head, CPU).forward
    assert not is_own(forward)
    return forward


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("head", [QA, CLASSIFY, Head.EMBEDDINGS])
def test_any_lengths_give_transformers_logits_in_either_layout(
    tmp_path: Path, family: str, head: Head, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = small_checkpoint(tmp_path / "m", family, head, LABELS)
    ours, theirs = own(folder, head), by_transformers(folder, head, monkeypatch)
    for lengths in ([1], [7, 7], [512], [3, 511, 17, 17, 1], [1, 2, 3, 4, 5, 6, 7, 8]):
        arrays = arrays_of(lengths)
        # Their padding has its own number, after which positions count.
        if KNOWN[family].positions_after_padding:
            arrays["input_ids"][arrays["attention_mask"] == 0] = 1
        found, expected = ours(arrays), theirs(arrays)
        with monkeypatch.context() as patch:
            patch.setattr(batches, "_ends_in_padding", lambda _: False)
            padded = ours(arrays)  # as on a GPU
        there = arrays["attention_mask"] == 1 if head is QA else slice(None)
        for name, values in expected.items():
            np.testing.assert_allclose(found[name][there], values[there], atol=1e-4)
            np.testing.assert_allclose(padded[name][there], values[there], atol=1e-4)
            assert np.isfinite(found[name]).all()


@pytest.mark.parametrize("activation", ["gelu", "gelu_new", "gelu_fast", "gelu_pytorch_tanh", "relu"])
@pytest.mark.parametrize("packed", [True, False])
def test_each_known_activation_is_that_of_transformers(
    tmp_path: Path, activation: str, packed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    from app.models.encoder import linears

    monkeypatch.setattr(linears, "packed_is_better", lambda *_: packed)
    folder = small_checkpoint(tmp_path / "m", head=WORDS)
    config(folder, hidden_act=activation)
    arrays = arrays_of([30, 21]) | {"positions": np.array([[3, 5], [20, -1]])}
    found, expected = own(folder, WORDS)(arrays), by_transformers(folder, WORDS, monkeypatch)(arrays)
    np.testing.assert_allclose(found["logits"], expected["logits"], atol=1e-4)


@pytest.mark.parametrize(
    ("head", "change"),
    [
        (QA, lambda f: config(f, hidden_act="silu")),
        (
            WORDS,  # a decoder of its own
            lambda f: rewrite(f, lambda w: w.update({f"{DECODER}.weight": w[f"{TABLE}.weight"] + 1})),
        ),
        (
            QA,  # a layer norm under two names
            lambda f: rewrite(f, lambda w: w.update({f"{NORM}.gamma": w[f"{NORM}.weight"] * 2})),
        ),
    ],
)
def test_unsupported_models_are_left_to_transformers(
    tmp_path: Path, head: Head, change: Callable[[Path], object]
) -> None:
    folder = small_checkpoint(tmp_path / "m", head=head)
    opened = load(read_card(folder), head, CPU, opened=True)
    assert opened.inside is not None and not is_own(opened.forward)
    own(folder, head)
    change(folder)
    assert not is_own(load(read_card(folder), head, CPU).forward)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        (f"{TABLE}.weight", np.nan),
        ("bert.encoder.layer.1.attention.self.key.weight", np.inf),
        ("bert.encoder.layer.0.output.LayerNorm.bias", -np.inf),
        ("qa_outputs.bias", np.nan),
    ],
)
def test_infinite_and_nan_weights_are_refused_by_name(tmp_path: Path, name: str, value: float) -> None:
    folder = small_checkpoint(tmp_path / "m")
    rewrite(folder, lambda w: w[name].reshape(-1).__setitem__(1, value))
    with pytest.raises(SpanlightError, match="are not all finite numbers") as caught:
        load(read_card(folder), QA, CPU)
    assert name in caught.value.message
    assert caught.value.hint


def test_weights_that_overflow_in_the_devices_dtype_are_refused(tmp_path: Path) -> None:
    folder = small_checkpoint(tmp_path / "m")
    rewrite(folder, lambda w: w["bert.embeddings.word_embeddings.weight"].__setitem__((3, 3), 1e6))
    own(folder)
    with pytest.raises(SpanlightError, match=r"word_embeddings.* are not all finite numbers"):
        load(read_card(folder), QA, DeviceChoice("cpu", "float16", "a test"))


@pytest.mark.parametrize("stored", ["float32", "float16", "bfloat16"])
@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
def test_any_dtype_computes_what_any_other_stored(tmp_path: Path, stored: str, dtype: str) -> None:
    arrays = arrays_of([40, 25])
    exact = own(small_checkpoint(tmp_path / "exact"))(arrays)
    found = own(small_checkpoint(tmp_path / "m", dtype=stored), device=DeviceChoice("cpu", dtype, "a test"))(
        arrays
    )
    near = 1e-5 if dtype == stored == "float32" else 0.08
    for name, values in exact.items():
        assert found[name].dtype == np.float32
        np.testing.assert_allclose(found[name], values, atol=near)


def test_a_narrow_table_of_words_stays_narrow(tmp_path: Path) -> None:
    wide, narrow = (small_checkpoint(tmp_path / dtype, dtype=dtype) for dtype in ("float32", "float16"))
    sizes = [load(read_card(folder), QA, CPU).forward.size for folder in (wide, narrow)]  # type: ignore[attr-defined]
    table = load_file(wide / "model.safetensors")["bert.embeddings.word_embeddings.weight"]
    assert sizes[0] - sizes[1] == table.nbytes // 2
    held = sum(values.nbytes for values in load_file(wide / "model.safetensors").values())
    assert sizes[0] == held, "nothing is held twice"


@given(st.lists(st.lists(st.booleans(), min_size=9, max_size=9), min_size=1, max_size=6), st.data())
def test_layouts_agree_wherever_padding_is(rows: list[list[bool]], data: st.DataObject) -> None:
    """Both layouts compute the same attention, whole and at any positions."""
    mask = torch.tensor(rows).long()
    mask[:, 0] = 1
    if data.draw(st.booleans(), label="padding at the end"):
        mask = mask.sort(dim=1, descending=True).values
    at_end = bool((mask[:, :-1] >= mask[:, 1:]).all())
    random = torch.Generator().manual_seed(4)
    distances = None
    if data.draw(st.booleans(), label="distances count"):
        distances = RelativePositions(torch.randn(32, 2, generator=random))
    one, other = batch_of(mask, distances), Padded(mask, distances)
    assert isinstance(one, Unpadded) == at_end
    values = torch.randn(*mask.shape, 24, generator=random)
    # What each layout makes of the same inputs' queries, keys and values, seen at the tokens again.
    index = torch.arange(mask.numel()).view(mask.shape)
    places = torch.stack(
        [
            torch.randint(0, int(row.sum()), (2,), generator=random) if at_end else row.nonzero()[[0, -1], 0]
            for row in mask
        ]
    )
    found = []
    for layout in (one, other):
        flat = values.flatten(0, 1)[layout.pack(index)]
        whole = layout.unpack(layout.attention(flat, 2))
        few = layout.select(flat, places)
        chosen = layout.attention_at(few[:, :8], flat[:, 8:], 2)
        found.append((whole[mask == 1], layout.regroup(chosen), layout.means(flat)))
    torch.testing.assert_close(found[0], found[1])
    rows_of = torch.arange(len(mask))[:, None]
    torch.testing.assert_close(
        found[0][1], one.unpack(one.attention(values.flatten(0, 1)[one.pack(index)], 2))[rows_of, places]
    )


@pytest.mark.parametrize("length", [1, 2, 9, 512])
def test_the_relative_position_bias_is_that_of_transformers(length: int) -> None:
    config = transformers.MPNetConfig(hidden_size=12, num_attention_heads=3, num_hidden_layers=0)
    theirs = MPNetEncoder(config)
    expected = theirs.compute_position_bias(torch.zeros(1, length, 12))[0]
    ours = RelativePositions(theirs.relative_attention_bias.weight)(length)
    torch.testing.assert_close(ours, expected, rtol=0, atol=0)


@given(st.lists(st.integers(1, 40), min_size=1, max_size=8))
def test_few_numbers_of_tokens_occur(lengths: list[int]) -> None:
    """oneDNN compiles and keeps code for each number of tokens."""
    mask = (torch.arange(max(lengths)) < torch.tensor(lengths)[:, None]).long()
    count = len(batch_of(mask).pack(mask))
    assert count == batches.rounded(sum(lengths)) and batch_of(mask).pack(mask).all()
    assert 0 <= count - sum(lengths) <= max(7, sum(lengths) / 16)
    assert len({batches.rounded(tokens) for tokens in range(1, 4097)}) <= 100


def test_running_out_of_memory_while_loading_is_reported_as_such(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from app.models.encoder import reading

    folder = small_checkpoint(tmp_path / "m")

    def full(*_: object, **__: object) -> None:
        raise RuntimeError("[enforce fail at alloc_cpu.cpp] DefaultCPUAllocator: can't allocate memory")

    monkeypatch.setattr(reading.Reader, "affine", full)
    with pytest.raises(OutOfMemory) as caught:
        load(read_card(folder), QA, CPU)
    assert caught.value.device == "cpu"


def test_transformers_is_neither_needed_nor_imported() -> None:
    """A process in which transformers cannot be imported reads with a starter."""
    program = """
import sys
sys.modules["transformers"] = None  # an import of it fails
import numpy as np
from app.core.models import DeviceChoice, Head
from app.models.disk.card import read_card
from app.models.compute.loader import load
for name in ("encoder", "reader-quick", "starter-sentiment", "starter-entities", "starter-pretraining"):
    card = read_card(f"resources/models/{name}")
    for head in card.heads:
        ids = np.arange(1000, 1020)[None]
        arrays = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
        arrays |= {"positions": ids[:, :1] * 0} if head is Head.MASKED_WORDS else {}
        found = load(card, head, DeviceChoice("cpu", "float32", "a test")).forward(arrays)
        assert all(np.isfinite(values).all() for values in found.values())
"""
    subprocess.run([sys.executable, "-c", program], cwd=ROOT, check=True, timeout=120)


def rows(file: Path, count: int) -> list[dict[str, Any]]:
    """A number of examples of a file, spread evenly over it."""
    with lzma.open(file, "rt", encoding="utf-8") as lines:
        found = [json.loads(line) for line in lines]
    return list(islice(found, 0, None, max(1, len(found) // count)))[:count]


def both(name: str, head: Head, dtype: str) -> tuple[ReadyModel, ReadyModel]:
    """A starter as the app computes it, and by transformers' own class in float32."""
    import torch
    import transformers

    card = read_card(STARTERS / name)
    ours = load(card, head, DeviceChoice("cpu", dtype, "a test"))
    assert isinstance(ours.forward, Forward)
    assert isinstance(ours.forward._model, OwnModel)
    made = getattr(transformers, CLASSES[head]).from_pretrained(STARTERS / name, dtype=torch.float32).eval()
    theirs = Forward(made, head, "cpu", card.max_length)
    exact = DeviceChoice("cpu", "float32", "transformers")
    return (
        ReadyModel(card, ours.device, ours.tokenizer, ours.forward, precise=ours.precise),
        ReadyModel(card, exact, ours.tokenizer, theirs),
    )


@pytest.mark.parametrize(
    ("dtype", "numbers"),
    [
        ("float32", range(0, 1170, 60)),
        # Of the first 500 questions those whose answer, or whether there is one, is another in bfloat16 alone.
        ("bfloat16", (67, 120, 403, 471)),
    ],
)
def test_answers_are_those_of_transformers_in_float32(
    shared_data: Path, dtype: str, numbers: Sequence[int]
) -> None:
    examples = rows(shared_data / "qa" / "qa_dev-squad2.jsonl.xz", 1170)
    models = both("reader-quick", Head.QUESTION_ANSWERING, dtype)
    for number in numbers:
        question = Question(examples[number]["question"], (Document(examples[number]["context"]),), top_k=1)
        ours, theirs = (read(question, model, Silent()) for model in models)
        assert (ours.answered, ours.answers[0].span) == (theirs.answered, theirs.answers[0].span)


@pytest.mark.parametrize(("dtype", "count", "apart"), [("float32", 60, 1e-4), ("bfloat16", 30, 0.01)])
def test_classes_are_as_probable_as_with_transformers(
    shared_data: Path, dtype: str, count: int, apart: float
) -> None:
    texts = [row["text"] for row in rows(shared_data / "sentiment" / "reviews3_dev.jsonl.xz", count)]
    ours, theirs = (
        [
            score.probability
            for one in classify(TextsToClassify(tuple(texts)), model, Silent()).items
            for score in one.scores
        ]
        for model in both("starter-sentiment", Head.CLASSIFICATION, dtype)
    )
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=apart)
