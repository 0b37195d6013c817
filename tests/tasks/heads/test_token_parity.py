"""Tags of tiny real checkpoints, against transformers' own tokenizer, classes and softmax."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from app.core.models import Head
from app.core.report import Silent
from app.core.requests import PieceAggregation, TextsToTag
from app.core.text import Span
from app.models.compute.loader import load
from app.models.disk.card import read_card
from app.tasks.heads.token_classification import tag
from tests.helpers.fake_models import CPU
from tests.helpers.opened_models import FAMILIES
from tests.helpers.small_models import small_checkpoint

LABELS = ("O", "B-PER", "I-PER", "B-LOC", "I-LOC")
TEXT = "Alice and the Queen of Hearts, O'Brien (U.S.) too, saw Paris.\nThe zanzibarbarian took tarts; é 北!"


def _is_piece(start: int, end: int, word: Span) -> bool:
    """Whether a token of the text is a word's piece; some tokenizers begin a word with its blank alone."""
    if not TEXT[start:end].strip():
        return TEXT[start:end] in ("", " ") and end == word.start
    return start < word.end and end > word.start


@pytest.mark.parametrize("family", FAMILIES)
def test_words_have_the_tags_that_transformers_gives_their_pieces(tmp_path: Path, family: str) -> None:
    import torch
    import transformers

    folder = small_checkpoint(tmp_path / family, family, Head.TOKEN_CLASSIFICATION, LABELS)
    model = load(read_card(folder), Head.TOKEN_CLASSIFICATION, CPU)
    tokenizer = transformers.PreTrainedTokenizerFast.from_pretrained(folder)
    direct = transformers.AutoModelForTokenClassification.from_pretrained(folder).eval()
    inputs = tokenizer(
        TEXT,
        return_tensors="pt",
        return_offsets_mapping=True,
        return_token_type_ids=True,
        return_special_tokens_mask=True,
    )
    offsets = inputs.pop("offset_mapping")[0].tolist()
    special = inputs.pop("special_tokens_mask")[0].tolist()
    if getattr(direct.config, "type_vocab_size", 0) <= 1:
        inputs.pop("token_type_ids", None)
    with torch.no_grad():
        shares = direct(**inputs).logits[0].double().softmax(-1).numpy()

    seen = set()
    for joining in PieceAggregation:
        (item,) = tag(TextsToTag((TEXT,), joining), model, Silent()).items
        for word in item.words:
            own = [
                share
                for share, (start, end), apart in zip(shares, offsets, special, strict=True)
                if not apart and _is_piece(start, end, word.span)
            ]
            expected = {
                PieceAggregation.FIRST: own[0],
                PieceAggregation.AVERAGE: np.mean(own, axis=0),
                PieceAggregation.MAX: max(own, key=max),
            }[joining]
            assert word.probability == pytest.approx(expected.max(), abs=1e-5)
            assert word.tag == LABELS[int(expected.argmax())]
            seen.add(word.tag)
        assert len(item.words) == 24
    assert len(seen) > 1
