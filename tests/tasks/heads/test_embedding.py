"""Texts' vectors by tiny real checkpoints, against transformers' own tokenizer and base model."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from app.core.models import Head
from app.core.report import Stopped
from app.core.requests import TextsToEmbed
from app.models.compute.loader import Loaded, load
from app.models.disk.card import read_card
from app.tasks.batches import batch_size
from app.tasks.heads.embedding import embed
from app.tasks.task import ReadyModel
from tests.helpers.fake_models import CPU, Noted
from tests.helpers.opened_models import daily
from tests.helpers.small_models import FAMILIES, small_checkpoint

TEXTS = (
    "The king and the queen were on the river.",
    "",
    "Alice",
    "a bad film, and a boring one. " * 40,  # longer than the model reads
    "é 北 zanzibar",
    "Paris is the capital of France.\n\nWar came last year.",
)
POSITIONS = 64


def ready(loaded: Loaded) -> ReadyModel:
    return ReadyModel(loaded.card, loaded.device, loaded.tokenizer, loaded.forward)


def model_in(folder: Path, family: str = "bert") -> ReadyModel:
    small_checkpoint(folder, family, Head.EMBEDDINGS, positions=POSITIONS)
    return ready(load(read_card(folder), Head.EMBEDDINGS, CPU))


@pytest.mark.parametrize("family", [*map(daily, FAMILIES)])
def test_vectors_are_the_means_of_transformers_last_states(tmp_path: Path, family: str) -> None:
    import torch
    import transformers

    model = model_in(tmp_path / "m", family)
    tokenizer = transformers.PreTrainedTokenizerFast.from_pretrained(tmp_path / "m")
    direct = transformers.AutoModel.from_pretrained(tmp_path / "m").eval()
    found = embed(TextsToEmbed(TEXTS), model, Noted())
    assert found.dtype == np.float32
    for text, vector in zip(TEXTS, found, strict=True):
        inputs = tokenizer(
            text, return_tensors="pt", truncation=True, max_length=POSITIONS, return_token_type_ids=True
        )
        if getattr(direct.config, "type_vocab_size", 0) <= 1:
            inputs.pop("token_type_ids", None)
        with torch.no_grad():
            states = direct(**inputs).last_hidden_state[0]
        expected = torch.nn.functional.normalize(states.mean(0), dim=0).numpy()
        np.testing.assert_allclose(vector, expected, atol=1e-4)
    assert np.abs(found[0] - found[2]).max() > 0.01, "texts differ"


def test_texts_keep_their_order_whatever_their_number_and_progress_counts_them(tmp_path: Path) -> None:
    model = model_in(tmp_path / "m")
    texts = tuple(" ".join(TEXTS[2:3] * (1 + 7 * number % 50)) for number in range(20 * batch_size(model)))
    report = Noted()
    found = embed(TextsToEmbed(texts), model, report)
    alone = np.concatenate([embed(TextsToEmbed((text,)), model, Noted()) for text in texts[:20]])
    np.testing.assert_allclose(found[:20], alone, atol=1e-5)
    np.testing.assert_allclose(np.linalg.norm(found, axis=1), 1, atol=1e-5)
    assert (report.told[-1].done, report.told[-1].total, report.told[-1].what) == (160, 160, "texts")
    assert embed(TextsToEmbed(()), model, Noted()).shape == (0, model.card.width)


def test_it_can_be_stopped_between_batches(tmp_path: Path) -> None:
    model = model_in(tmp_path / "m")
    with pytest.raises(Stopped):
        embed(TextsToEmbed(TEXTS * 20), model, Noted(stop_at=len(TEXTS) * 10))
