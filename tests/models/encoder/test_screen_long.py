"""The screen of the starter on a whole book: the windows that matter are among its first."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from app.core.models import Head
from app.models import device as devices
from app.models.card import read_card
from app.models.encoder import screen as screens
from app.models.encoder.screen_probe import highest_level
from app.models.forward import Arrays
from app.models.loader import load
from tests.conftest import ROOT

QUESTIONS = ("Who stole the tarts?", "What did the White Rabbit take out of its waistcoat-pocket?")
WINDOW, STRIDE, COUNT = 256, 256, 48


@pytest.mark.skipif(not highest_level(384, 1536, "gelu"), reason="no int8 linears on this CPU")
@pytest.mark.parametrize("question", QUESTIONS)
def test_the_best_windows_of_a_book_are_among_the_screens_first(
    shared_data: Path, monkeypatch: pytest.MonkeyPatch, question: str
) -> None:
    monkeypatch.setattr(screens, "LEAST_GAIN", 0.0)
    model = load(
        read_card(ROOT / "resources" / "models" / "starter-qa"),
        Head.QUESTION_ANSWERING,
        devices.cpu("", "float32"),
    )
    text = (shared_data / "documents" / "alice.txt").read_text("utf-8")
    asked = model.tokenizer.encode(question).ids
    found = model.tokenizer.encode(text, add_special_tokens=False).ids
    book = np.array([found[at * STRIDE : at * STRIDE + WINDOW] for at in range(COUNT)], dtype=np.int64)
    ids = np.hstack([np.tile(np.array(asked, dtype=np.int64), (COUNT, 1)), book])
    types = np.zeros_like(ids)
    types[:, len(asked) :] = 1
    whole: Arrays = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": types}
    parts = [{name: array[at : at + 8] for name, array in whole.items()} for at in range(0, COUNT, 8)]

    def best(arrays: list[Arrays]) -> np.ndarray:
        """Each window's best score of a start and an end."""
        scores = [
            each["start_logits"][:, len(asked) :].max(1) + each["end_logits"][:, len(asked) :].max(1)
            for each in arrays
        ]
        return np.concatenate(scores)

    assert model.screen.begin(parts[0])
    screened, exact = (
        best([model.screen(part) for part in parts]),
        best([model.forward(part) for part in parts]),
    )
    ranked = np.argsort(-screened)
    assert set(np.argsort(-exact)[:1]) <= set(ranked[:3])
    assert set(np.argsort(-exact)[:5]) <= set(ranked[:10])
    apart = exact - screened
    assert float(apart.std()) < 0.6
    assert float(np.abs(apart).max()) < 2.5
