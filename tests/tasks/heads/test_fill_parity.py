"""Fill-mask on tiny real checkpoints, against transformers' own tokenizer and masked-word classes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from app.core.models import Head
from app.core.report import Silent
from app.core.requests import TextToFill
from app.core.text import blanks_in
from app.models.compute.loader import load
from app.models.disk.card import read_card
from app.tasks.heads.fill_mask import fill
from app.tasks.scores import softmax
from tests.helpers.fake_models import CPU
from tests.helpers.opened_models import daily
from tests.helpers.small_models import small_checkpoint

FAMILIES = ("bert", "roberta", "distilbert", "mpnet", "electra", "albert", "xlm-roberta", "mobilebert")
TEXT = "The queen made ___ tarts. The knave of hearts, (not the king!) stole all the ____ and took them."


@pytest.mark.parametrize("family", map(daily, FAMILIES))
def test_words_have_the_probabilities_that_transformers_gives(tmp_path: Path, family: str) -> None:
    import torch
    import transformers

    folder = small_checkpoint(tmp_path / family, family, Head.MASKED_WORDS)
    found = fill(
        TextToFill(TEXT, blanks_in(TEXT), ("good", "zap"), top_k=20),
        load(read_card(folder), Head.MASKED_WORDS, CPU),
        Silent(),
    )

    tokenizer = transformers.PreTrainedTokenizerFast.from_pretrained(folder)
    model = transformers.AutoModelForMaskedLM.from_pretrained(folder).eval()
    types = getattr(model.config, "type_vocab_size", 0) > 1

    def chances(ids: list[int]) -> np.ndarray:
        given = {
            "input_ids": torch.tensor([ids]),
            "attention_mask": torch.ones(1, len(ids), dtype=torch.int64),
        }
        if types:
            given["token_type_ids"] = torch.zeros(1, len(ids), dtype=torch.int64)
        with torch.no_grad():
            return softmax(model(**given).logits[0].numpy())

    mask = tokenizer.mask_token
    ids = tokenizer(TEXT.replace("____", mask).replace("___", mask)).input_ids
    places = [i for i, token in enumerate(ids) if token == tokenizer.mask_token_id]
    expected = chances(ids)[places]
    vocabulary = tokenizer.get_vocab()
    for blank, row in zip(found.blanks, expected, strict=True):
        order = np.argsort(-row)
        for guess in blank.guesses:
            entry = int(order[guess.rank - 1])
            assert guess.probability == pytest.approx(float(row[entry]), rel=1e-3)
            assert tokenizer.convert_ids_to_tokens(entry).lstrip("Ġ▁") == guess.word

    good, zap = (blank.asked for blank in found.blanks)
    start = "Ġ" if "roberta" in family else "▁" if family == "albert" else ""
    assert good is not None and good.pieces == 1
    assert good.probability == pytest.approx(float(expected[0][vocabulary[start + "good"]]), rel=1e-3)
    assert good.rank == 1 + int((expected[0] > expected[0][vocabulary[start + "good"]]).sum())

    pieces = list(tokenizer(" zap", add_special_tokens=False).input_ids)
    product = 1.0
    for known, piece in enumerate(pieces):
        at = places[1]
        spelled = (
            ids[:at] + pieces[:known] + [tokenizer.mask_token_id] * (len(pieces) - known) + ids[at + 1 :]
        )
        product *= float(chances(spelled)[at + known][piece])
    assert zap is not None and (zap.rank, zap.pieces) == (0, len(pieces))
    assert zap.probability == pytest.approx(product, rel=1e-3)
